"""Alternatives and the runner-up win something else than the chosen answer: lost places exchanged are passed over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.terminal.reports.explaining import MOST_DIFFERENCES, explanation_lines, told_beside
from chocolatl.solver.advice import SolverQuestion, advise
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.explanation import ContestDifference, Explanation, Understanding
from chocolatl.solver.methods.continuations import by_policy
from chocolatl.solver.methods.kinds import APART, AnswerKinds
from chocolatl.solver.methods.search import differ
from chocolatl.solver.worth.estimates import Estimate
from tests.games import loaded, write_game

NO_CONTEST = """\
item won "Won"

each player has
    score : 0..99
    bid : 0..3
    idle : 0..3

play
    every player p secretly
        p chooses p.bid from 0..3
        p chooses p.idle from 0..3
    for each p in player
        p gains p.bid / 2 score for won
"""


OTHERS = [(4, 3, 3), (3, 4, 3), (3, 3, 4), (5, 3, 2), (2, 5, 3), (4, 4, 2)]


def shares(answers: Sequence[object]) -> list[float]:
    """How often each field is won or shared, by counting armies."""
    assert all(isinstance(mine, int) for mine in answers)
    return [sum(mine >= theirs[field] for theirs in OTHERS) / len(OTHERS) for field, mine in enumerate(answers)]  # type: ignore[operator]


def asked(folder: Path) -> SolverQuestion:
    others = [
        {"choices": [{"player": "p2", "choice": f"troops[{f + 1}]", "value": v} for f, v in enumerate(one)]}
        for one in OTHERS
    ]
    (folder / "others.jsonl").write_text("".join(json.dumps(each) + "\n" for each in others))
    return SolverQuestion(against=str(folder / "others.jsonl"), alternatives=2)


def test_alternatives_and_the_runner_up_win_something_else(tmp_path: Path) -> None:
    game = loaded(rules_folder() / "blotto", 2)
    question = asked(tmp_path)
    advice = advise(game, game.initial(), 0, question)
    assert advice.model is not None and len(advice.model.alternatives) == 2 and advice.runner_up is not None
    told = [advice.answers, *(other.answers for other in advice.model.alternatives)]
    won = [shares(answers) for answers in told]
    for number, one in enumerate(won):
        for other in won[:number]:
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) >= APART, told
    assert not advice.runner_up.alike
    seen = Understanding(game, game.initial(), 0, question, advice)
    (first, *_) = explanation_lines(seen.explanation(advice.runner_up))
    assert "wins the same" not in first


def test_what_wins_the_same_is_of_one_kind(tmp_path: Path) -> None:
    """Nothing and one coin are both lost, whatever the others do."""
    game = loaded(rules_folder() / "blotto", 2)
    asking = PositionQuestion(game, game.initial(), 0, asked(tmp_path))
    sampler = asking.sampler(by_policy(game, 0, Deadline()), Deadline())
    kinds = AnswerKinds(sampler, 0, asking.sets.seen(6, Deadline()), Deadline())
    assert kinds.alike((0, 5, 5), (1, 5, 4)) and kinds.alike((10, 0, 0), (8, 1, 1))
    assert not kinds.alike((0, 5, 5), (10, 0, 0)) and not kinds.alike((0, 0, 10), (0, 5, 5))
    assert not kinds.alike((5,), (4,)), "each answer to a single question is its own"


@pytest.mark.parametrize("wish", [{"work": 0.5}, {"engine": "sampling"}])
def test_without_a_model_others_win_something_else_too(wish: dict[str, Any], tmp_path: Path) -> None:
    """A hint, and whoever compares by sampling: not what differs by a coin, but what is won instead."""
    game = loaded(rules_folder() / "blotto", 2)
    question = replace(asked(tmp_path), **wish)
    advice = advise(game, game.initial(), 0, question)
    assert advice.engine == "sampling" and len(advice.options) == 3 and advice.runner_up is not None
    won = [shares(option.answers) for option in advice.options]
    for number, one in enumerate(won):
        for other in won[:number]:
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) >= APART, advice.options
    assert not advice.runner_up.alike
    assert advise(game, game.initial(), 0, question).options == advice.options


def test_whole_answers_that_clearly_differ() -> None:
    """In a third of their parts: of six cards in two."""
    one = ((1, 2), (3, 4), (5, 6))
    assert (
        not differ(one, one) and not differ(one, ((1, 7), (3, 4), (5, 6))) and not differ(one, ((2, 1), (3, 4), (6, 5)))
    )
    assert differ(one, ((3, 4), (1, 2), (5, 6))) and differ(one, ((1, 5), (3, 4), (2, 6))) and differ(one, ((1, 2),))
    assert differ((1, 2, 3), (1, 2, 4)) and not differ((1, 2, 3, 4), (1, 2, 3, 5)) and differ(((), 1), ((2,), 1))


def test_without_contests_what_comes_to_the_same_is_of_one_kind(tmp_path: Path) -> None:
    """Where nothing else is left to be compared, that is said."""
    game = loaded(write_game(tmp_path, NO_CONTEST), 2)
    question = SolverQuestion(scenarios=2, samples=4, engine="model", alternatives=2)
    advice = advise(game, game.initial(), 0, question)
    assert advice.answers[0] in (2, 3) and advice.model is not None
    assert all(other.answers[0] in (0, 1) for other in advice.model.alternatives), "the second number has no effect"
    assert advice.runner_up is not None and advice.runner_up.answers[0] in (0, 1) and not advice.runner_up.alike


def test_only_the_greatest_differences_have_a_line_and_all_adds_up() -> None:
    differences = tuple(
        ContestDifference(f"place({n})", (1, 0), (1, 0), (0, 1), (n / 10, 0), (1, 0.5 if n else 0)) for n in range(12)
    )[::-1]
    total = sum(difference.gain for difference in differences)
    explanation = Explanation(
        (("a", 1),), "points", Estimate(total, 0.1, 9), differences, 0, {}, "seen", (("a", 2),), True
    )
    first, *told = explanation_lines(explanation)
    assert "the runner-up, a 1, which wins the same, since nothing of another kind was compared:" in first
    assert len(told) == MOST_DIFFERENCES + 1 and told[-1].startswith("- 4 other contests")
    assert round(sum(float(line.split(": ")[-1].split()[0]) for line in told), 2) == round(total, 2)
    assert "it takes part in 100% instead of 50%" in told[0]


def test_an_answer_is_told_by_its_difference_if_that_is_shorter() -> None:
    best = (("a", 1), ("b", 2), ("c", [3, 4]), ("d", 5))
    assert told_beside((("a", 1), ("b", 2), ("c", [3, 5]), ("d", 5)), best) == "the same but c 3 5"
    assert told_beside((("a", 2), ("b", 1), ("c", [3, 5]), ("d", 5)), best) == "a 2, b 1, c 3 5, d 5"
