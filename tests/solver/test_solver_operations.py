"""What has a model and what has none, by operation: all that has one is solved where the answer decides it, and all
that has none is refused for a reason on the list, at its line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chocolatl.interpreter.ir.operations import ElementsKind, ExpressionKind
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import SolverQuestion, formulated
from chocolatl.solver.methods import best as best_answers
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.symbolic.unmodelled import GAPS, NOT_AT_ALL, OF_NO_OPERATION, ModelGap, Unsupported
from tests.games import walk, write_game
from tests.solver import modelled, unmodelled
from tests.solver.modelling import Done, done, watched
from tests.solver.solving import Answers, Case, allocations, worth

NEVER_DECIDED: dict[Done, str] = {
    ExpressionKind.CONSTANT: "it is what it is",
    ElementsKind.WHOLE: "all values are there, and who begins has to be known",
}
"""What has a model, and is the same whatever is answered."""


def test_every_operation_is_solved_where_the_answer_decides_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best answer is that of enumeration, and every answer is worth in the model what it is when it is played."""
    seen = watched(monkeypatch)
    for name, rules in modelled.RULES.items():
        game = load(write_game(tmp_path / name, modelled.HEAD + rules, modelled.CARDS, modelled.DATA), 2)
        case = Case.at(game, game.initial(), 0, 2, 1)
        best = case.assert_solved()
        found = dict(every_answer(case))
        assert found == {
            answer: worth(game, case.scenarios, 0, answer) for answer in allocations(game, case.position, 0)
        }
        assert len(set(found.values())) > 2 and best.answers in found
    assert GAPS.keys() - seen.decided == NOT_AT_ALL | NEVER_DECIDED.keys()
    assert seen.carried_out == GAPS.keys() - NOT_AT_ALL


def every_answer(case: Case) -> Iterator[tuple[Answers, int]]:
    """What each answer to a single question is worth in the model, which holds for nothing else."""
    problem = best_answers.formulate(case.game, case.player, case.scenarios)
    rules = len(problem.model.constraints)
    for answers in allocations(case.game, case.position, case.player):
        for variable, value in problem.plan.values(answers).items():
            problem.model.constraints.append(LinearConstraint(((variable, 1),), value, value))
        found = best_answers.solve(problem, Deadline(60))
        yield found.answers, round(found.value * case.weight)
        del problem.model.constraints[rules:]


Refusal = tuple[unmodelled.Example, str, Unsupported]


def refusals(folder: Path) -> Iterator[Refusal]:
    """What is told of each example, and of which line it should be."""
    for number, example in enumerate(unmodelled.EXAMPLES):
        for line in example.lines:
            rules = unmodelled.GAME + example.rules.replace("HERE", line)
            place = write_game(folder / f"{number}" / str(len(line)), rules, unmodelled.CARDS, unmodelled.DATA)
            with pytest.raises(Unsupported) as refused:
                formulate(load(place, 2))
            yield example, line, refused.value


def formulate(game: Game) -> None:
    """A model of the first decision."""
    position = next(position for position in walk(game, 1) if game.pending(position))
    formulated(game, position, 0, SolverQuestion(scenarios=1, seed=1))


def test_every_reason_is_told_of_its_line_by_the_operations_that_list_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(monkeypatch)
    shown: set[tuple[Done | None, ModelGap]] = set()
    for example, line, told in refusals(tmp_path):
        assert (told.reason, told.message) == (example.reason, example.reason.message.format(example.gap)), line
        assert told.span.source.text.splitlines()[told.span.line - 1].strip() == line
        shown.add((done(told.node)[-1] if hasattr(told, "node") else None, told.reason))
    listed: set[tuple[Done | None, ModelGap]] = {(each, reason) for each, gaps in GAPS.items() for reason in gaps}
    assert shown == listed | {(None, reason) for reason in OF_NO_OPERATION}
    assert {reason for _, reason in shown} == set(ModelGap)


def test_the_page_has_all_reasons() -> None:
    """`python -m tests.solver.unmodelled` writes them."""
    found = unmodelled.TABLE.search(unmodelled.PAGE.read_text(encoding="utf-8"))
    assert found is not None and found[0] == unmodelled.table()
