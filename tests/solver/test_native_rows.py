"""Comparisons of answers are the same, made by native code or scenario by scenario: every number of every row, what the
`solver` player answers, and the failure if the rules fail."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.lookahead.comparing import CountedThing
from chocolatl.interpreter.native.lookahead.row_maker import RowMaker
from chocolatl.interpreter.native.policy.pieces import TooManyKinds
from chocolatl.interpreter.play.game import Decision, Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players import lookahead
from chocolatl.interpreter.players.deciding import PolicyPlayer
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.players.lookahead import AnswerSequence, LookaheadEffort, candidates
from chocolatl.interpreter.players.registry import LEARNED
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.weights import PolicyWeights
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods import native_rows
from chocolatl.solver.methods.native_rows import NativeRows, RowEffort
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.methods.search import whole
from chocolatl.solver.player import SolverPlayer
from chocolatl.solver.question import RANDOM, HorizonKind, SolverQuestion, question_of
from chocolatl.solver.worth.opponents import followed, policies
from chocolatl.solver.worth.outcome import MARGIN, POINTS
from tests.conftest import Evidence, base_seed, scaled
from tests.fuzzing.programs import generate
from tests.games import tables, walk
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here
from tests.policy.drawing import weights_of_declared_scales

SHIPPED = sorted({table.game for table in tables()})
NEVER = float("inf")


@pytest.fixture(autouse=True)
def _only_this_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not told to be done natively is done by the interpreter."""
    effort = LookaheadEffort(patience=NEVER)
    monkeypatch.setattr(lookahead, "effort", lambda program: effort)


def maker(game: Game, guarded: bool = False, weights: PolicyWeights | None = None) -> RowMaker:
    things = [CountedThing(item.player, item.what) for item in valuation_of(game)]
    return RowMaker(game, QUICK, things, guarded=guarded, weights=weights)


def makers(game: Game) -> dict[str, RowMaker]:
    """What makes rows, by whom they are about; players who follow a table are for the interpreter."""
    found = {RANDOM: maker(game)}
    learned = question_of(game).against == LEARNED
    weights = followed(game, LEARNED).weights(game) if learned else None
    if weights is not None:
        found[LEARNED] = maker(game, weights=weights)
    return found


def follow_at_random(game: Game, seed: int) -> None:
    """Learned players of a game follow weights that nobody has learned."""
    weights = weights_of_declared_scales(policy_form(game.ir), seed)
    player = LearnedPlayer()
    player._player, player._game = PolicyPlayer(game, weights), game
    policies(game.program).known[LEARNED] = None, player  # there is no file, so that none is newer


def questions(game: Game, seed: int, count: int) -> list[tuple[Position, Decision]]:
    """Some decisions of a random game; in a secret block, of whoever is asked first and has answered something."""
    chosen, found = random.Random(seed), []
    try:
        for position in walk(game, seed):
            found += [(position, decision) for decision in game.pending(position)[:1] if decision.answers.count() > 1]
    except RuleError:
        pass
    return chosen.sample(found, min(count, len(found)))


def options(game: Game, position: Position, decision: Decision, seed: int) -> list[AnswerSequence]:
    """Single answers or, in a secret block, all that are left to give."""
    random, player = Random(seed), decision.player
    if position.sealed is None:
        return [(answer,) for answer in candidates(decision, 4, random)]
    block = game.sample_unknown(position, player, random)
    return [whole(game, block, player, random) for _ in range(3)]


def tabled(sampler: Sampler, answers: list[AnswerSequence], rows: NativeRows | None) -> object:
    sampler.natively = rows
    try:
        return sampler.table(answers, 3, 4)
    except RuleError as error:
        return error.span, error.message


def assert_same_rows(
    game: Game, native: RowMaker, position: Position, decision: Decision, question: SolverQuestion, seed: int
) -> bool:
    """Whether native code has made them all."""
    asked = PositionQuestion(game, position, decision.player, question)
    try:
        answers = options(game, position, decision, seed)
    except RuleError:
        return False
    deadline = Deadline()
    sampler = asked.sampler(asked.at_random(deadline), deadline)
    assert sampler.natively is not None
    rows = sampler.natively
    rows.effort = RowEffort(question.valuation, native, well=True)
    found, expected = tabled(sampler, answers, rows), tabled(sampler, answers, None)
    assert found == expected
    return not rows.left and rows.plan is not None


def asked_of(game: Game, seed: int, against: str = RANDOM) -> Iterator[SolverQuestion]:
    for horizon in HorizonKind:
        objective = (POINTS, MARGIN)[seed % 2]
        yield question_of(game, against=against, horizon=horizon, seed=seed, objective=objective)


@pytest.mark.parametrize("name", SHIPPED)
def test_rows_are_the_same(name: str, evidence: Evidence) -> None:
    mine = [table for table in tables() if table.game == name]
    for table in random.Random(base_seed()).sample(mine, scaled(len(mine), 1)):
        game = table.load()
        natives = makers(game)
        made = dict.fromkeys(natives, 0)
        for seed in evidence.cases(f"{name}: rows of a comparison are the same natively", full=20, slice=2):
            for position, decision in questions(game, seed, 3):
                for against, native in natives.items():
                    for question in asked_of(game, seed, against):
                        made[against] += assert_same_rows(game, native, position, decision, question, seed)
        assert all(made.values())
        evidence.count("shipped games with rows of learned players", LEARNED in natives)


def test_rows_of_rules_made_at_random_are_the_same(tmp_path: Path, evidence: Evidence) -> None:
    made = {RANDOM: 0, LEARNED: 0}
    for seed in evidence.cases("rules made at random: rows of a comparison are the same", full=2000, slice=12):
        program = generate(seed)
        try:
            game = load(program.write(tmp_path / str(seed)), program.players)
            follow_at_random(game, seed)
            against, native = list(makers(game).items())[seed % 2]
        except (Rejected, Refused, TooManyKinds):
            continue
        for position, decision in questions(game, seed, 2):
            for question in asked_of(game, seed, against):
                made[against] += assert_same_rows(game, native, position, decision, question, seed)
    assert all(made.values())


def test_every_access_of_a_comparison_is_inside() -> None:
    for name in ("kuhn_poker-2", "chocolatl-3"):
        game = next(table for table in tables() if str(table) == name).load()
        native = maker(game, guarded=True)
        for position, decision in questions(game, base_seed(), 3):
            for question in asked_of(game, 0):
                assert_same_rows(game, native, position, decision, question, base_seed())


def test_the_solver_player_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few histories are left all of them are played, and no rows are made."""
    game = next(table for table in tables() if str(table) == "goofspiel-3").load()
    native, ends = makers(game)[LEARNED], 0
    for position, decision in questions(game, base_seed(), scaled(20, 4)):
        found = []
        for by in (None, native):
            effort = RowEffort(valuation_of(game), by, refused=by is None, well=True)
            monkeypatch.setattr(native_rows, "row_effort", lambda program, *given, effort=effort: effort)
            found.append(SolverPlayer().choose(game, position, decision, Random(1)))
            assert by is not None or not effort.ends
            ends += effort.ends
        assert found[0] == found[1]
    assert ends
