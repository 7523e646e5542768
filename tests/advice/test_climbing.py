"""Answers without a proof: no hill climb of twenty lines, which only plays, improves them where they were sought."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver import by_model
from chocolatl.solver.advice import SAMPLING, SolverQuestion, advise
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.backends import climbing, cpsat
from chocolatl.solver.methods import best, improving, portfolio
from chocolatl.solver.methods.best import formulate
from chocolatl.solver.methods.neighbours import SecretBlock
from chocolatl.solver.model.definitions import NoTable, TooMuchCode
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth.outcome import OBJECTIVES, OutcomeMeasure
from chocolatl.solver.worth.playout import to_horizon
from tests.conftest import Evidence
from tests.games import loaded, write_game
from tests.solver import allocating
from tests.solver.solving import Case, dealt


def hill_climb(
    game: Game, player: int, given: list[FixedScenario], answers: AnswerSequence, steps: int,
    measure: OutcomeMeasure | None = None, policy: LaterPolicy = FIRST_LEGAL,
) -> AnswerSequence:  # fmt: skip
    """One or two answers become others, at random, or change places; what is better stays. Nothing but playing."""
    luck, judge = random.Random(1), measure or OutcomeMeasure(game, player)

    def worth(own: AnswerSequence) -> int:
        ends = [to_horizon(game, each, player, own, policy=policy) for each in given]
        return sum(each.weight * judge(each.position, end) for each, end in zip(given, ends, strict=True))

    value = worth(answers)
    for _ in range(steps):
        wanted, changed = list(answers), luck.sample(range(len(answers)), min(len(answers), luck.choice((1, 2, 2))))
        if len(changed) == 2 and luck.random() < 0.5:
            wanted[changed[0]], wanted[changed[1]] = wanted[changed[1]], wanted[changed[0]]
            changed = []
        other, position, block = list[Any](), given[0].position, given[0].position.slots
        while (decision := game.decision(position, player)) is not None and position.slots is block:
            old = wanted[len(other)] if len(other) < len(wanted) and len(other) not in changed else None
            legal = decision.answers.contains(old)
            other.append(old if legal else decision.answers.nth(luck.randrange(decision.answers.count())))
            position = game.answer(position, player, other[-1])
        if (found := worth(tuple(other))) > value:
            answers, value = tuple(other), found
    return answers


def assert_not_improved(problem: best.ModelledProblem, found: AnswerSequence, steps: int) -> None:
    asked = problem.game, problem.player, problem.scenarios
    assert hill_climb(*asked, found, steps, problem.measure, problem.policy) == found


@pytest.fixture
def nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table, no sums, and a search that comes to nothing but the worst answer of all."""
    search = cpsat.solutions

    def worst(model: Model, goal: LinearExpression, deadline: Deadline, *_: object, **__: object) -> Any:
        against = model.scaled(goal, -1)
        assert isinstance(against, LinearExpression)
        found = list(search(model, against, deadline))[-1]
        assert found.objective is not None
        yield replace(found, status=cpsat.FEASIBLE, objective=-found.objective, bound=goal.high)

    def none(*_: object) -> None:
        raise NoTable("not here")

    monkeypatch.setattr(cpsat, "solutions", worst)
    monkeypatch.setattr(portfolio, "_separately", none)
    monkeypatch.setattr(portfolio, "_tabled", none)


@pytest.mark.parametrize("by_code", [True, False])
@pytest.mark.usefixtures("nothing_proved")
def test_random_games_with_blocks(
    by_code: bool, tmp_path: Path, evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By compiled code, or where that cannot be, by playing; for each objective."""
    if not by_code:
        monkeypatch.setattr(climbing, "WIDE", 0)
    for seed in evidence.cases(f"climbs {'by code' if by_code else 'by playing'}: a hill climb", full=200, slice=6):
        rules, tables = allocating.rules(seed)
        game = load(write_game(tmp_path / str(seed), rules, more=tables), 2)
        objective = OBJECTIVES[seed % len(OBJECTIVES)]
        given = Case.at(game, game.initial(), 0, 1 + seed % 5, seed, objective).scenarios
        try:
            problem = formulate(game, 0, given, objective)
            found = best.solved(problem, Deadline(60))
        except RuleError:
            continue
        assert found.bound >= found.value
        assert_not_improved(problem, found.answers, 150)


BOARDS = [("three_locations", 3), (None, 3), (None, 5)]


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(("variant", "players"), BOARDS)
def test_cards_on_locations(variant: str | None, players: int) -> None:
    folder = rules_folder() / "chocolatl"
    game = load(folder / "variants" / f"{variant}.yaml" if variant else folder, players)
    position = dealt(game, 2)
    assert position is not None
    given = Case.at(game, position, 0, 4, 2).scenarios
    problem = formulate(game, 0, given)
    found = best.solved(problem, Deadline(20))
    assert found.engine == portfolio.CLIMBING
    assert_not_improved(problem, found.answers, 60)


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(
    ("variant", "by_code"), [("three_locations", True), ("four_locations", True), ("three_locations", False)]
)
def test_where_code_for_all_scenarios_takes_too_long_a_climb_begins_in_the_first(
    variant: str, by_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it comes to is improved in all of them, by playing; or what else is known, if none can begin."""
    if not by_code:
        monkeypatch.setattr(climbing, "WIDE", 0)

    def too_much(_: object, deadline: Deadline) -> climbing.Climber:
        raise TooMuchCode(2 * deadline.left)

    monkeypatch.setattr(portfolio, "_climber", too_much)
    game = load(rules_folder() / "chocolatl" / "variants" / f"{variant}.yaml", 3)
    position = dealt(game, 2)
    assert position is not None
    problem = formulate(game, 0, Case.at(game, position, 0, 24, 2).scenarios)
    found = best.solved(problem, Deadline(60))
    assert found.engine == portfolio.CLIMBING
    if by_code:
        assert portfolio.FEWEST <= found.modelled < 24
    else:
        assert found.modelled == 24  # the search's own answer, which is the worst of all, has been improved
        assert_not_improved(problem, found.answers, 60)
        return
    assert found.left_out == (f"model: {found.modelled} of 24 scenarios were modelled and searched",)
    assert found.status == "feasible" and found.bound == float("inf")
    assert_not_improved(problem, found.answers, 60)


def test_most_changes_are_seen_through_in_few_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    """With time for so many games, an answer is improved more if each change is looked at in few of them first."""
    values, gained = best.ModelledProblem.values, {improving.LOOK: 0, 1000: 0}
    played: list[FixedScenario] = []

    def counted(problem: best.ModelledProblem, answers: Any, deadline: Deadline, among: slice = slice(None)) -> Any:
        played.extend(problem.scenarios[among])
        return [] if deadline.is_over else values(problem, answers, Deadline(), among)

    monkeypatch.setattr(best.ModelledProblem, "values", counted)
    game = load(rules_folder() / "chocolatl" / "variants" / "four_locations.yaml", 3)
    for seed in (1, 3):
        position = dealt(game, seed)
        assert position is not None
        given = Case.at(game, position, 0, 100, seed).scenarios
        problem = replace(formulate(game, 0, given[:1]), scenarios=given)
        for look in gained:
            monkeypatch.setattr(improving, "LOOK", look)
            played.clear()
            start = tuple(SecretBlock(game, position, 0).answers(()))
            end = improving.by_playing(problem, start, Deadline(1500, lambda: len(played)))
            assert 1500 <= len(played) < 1700
            gained[look] += sum(values(problem, end, Deadline())) - sum(values(problem, start, Deadline()))
    assert gained[8] > 1.05 * gained[1000] > 0


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(("share", "told"), [(by_model.IMPROVING, ()), (0.0, (by_model.CHANGES_LEFT_OUT,))])
def test_it_is_told_if_not_all_small_changes_were_tried(
    share: float, told: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_model, "IMPROVING", share)
    game = load(rules_folder() / "chocolatl" / "variants" / "three_locations.yaml", 3)
    position = dealt(game, 2)
    assert position is not None
    asked = SolverQuestion(scenarios=3, samples=10, alternatives=0, engine="model")
    found = advise(game, position, 0, asked)
    assert found.status == "feasible" and found.left_out == told


# ---------------------------------------------------------------- without a model


def test_sampling_answers_all_of_a_secret_block(tmp_path: Path, evidence: Evidence) -> None:
    """In games after whose block nothing is left to chance: what is answered is as good as can be by small changes."""
    for seed in evidence.cases("sampling in secret blocks: a hill climb", full=100, slice=4):
        rules, tables = allocating.rules(seed)
        game = load(write_game(tmp_path / str(seed), rules, more=tables), 2)
        asked = SolverQuestion(engine=SAMPLING, scenarios=6, samples=20, seed=seed)
        try:
            found = advise(game, game.initial(), 0, asked)
            given = PositionQuestion(game, game.initial(), 0, asked).sets.search(6)
            assert hill_climb(game, 0, given, found.answers, 100) == found.answers
        except RuleError:
            continue
        assert found.left_out == () and found.engine == "sampling"
        again = advise(game, game.initial(), 0, asked)
        assert (again.answers, again.value, again.fresh) == (found.answers, found.value, found.fresh)


@pytest.mark.parametrize(
    ("name", "players", "seconds"), [("chocolatl", 3, 2.0), ("chocolatl", 5, 1.0), ("blotto", 4, 60)]
)
def test_all_that_is_left_of_a_block_is_answered(name: str, players: int, seconds: float) -> None:
    """Whatever time there is; what was answered before stays as it is."""
    game = loaded(rules_folder() / name, players)
    position = dealt(game, 1) if game.has_rounds else game.initial()
    assert position is not None
    decision = game.decision(position, 0)
    assert decision is not None
    for reached in (position, game.answer(position, 0, decision.answers.nth(decision.answers.count() // 2))):
        found = advise(game, reached, 0, SolverQuestion(engine=SAMPLING, samples=10, scenarios=4, seconds=seconds))
        after = reached
        for answer in found.answers:
            decision = game.decision(after, 0)
            assert decision is not None and decision.answers.contains(answer)
            after = game.answer(after, 0, answer)
        assert game.decision(after, 0) is None and after.slots is position.slots
