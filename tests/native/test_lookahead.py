"""Decisions of players that look ahead are the same, made by native code or by the interpreter: the answer, the random
numbers that it took, and the failure if the rules fail."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.lookahead.decider import DECIDING, Decider
from chocolatl.interpreter.play.game import Decision, Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players import lookahead
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.lookahead import LookaheadEffort
from tests.conftest import Evidence, base_seed, scaled
from tests.fuzzing.programs import generate
from tests.games import tables, walk
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

NEVER = float("inf")
SHIPPED = sorted({table.game for table in tables()})


class Counted(Decider):
    """It counts what it decided, and what it left to the interpreter."""

    decided = left = 0

    def best(self, *given: object) -> int | None:
        found = super().best(*given)  # type: ignore[arg-type]
        self.decided, self.left = self.decided + (found is not None), self.left + (found is None)
        return found


def decider(game: Game, guarded: bool = False) -> Counted:
    return Counted(Stepper(game, QUICK, guarded=guarded, more=DECIDING))


def answered(game: Game, position: Position, decision: Decision, seed: int, by: Decider | None) -> object:
    """What a greedy player answers, and its random numbers after that; or how the rules fail."""
    stepper, luck = by.stepper if by is not None else None, Random(seed)
    effort = LookaheadEffort(patience=NEVER, stepper=stepper, whole=by)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookahead, "effort", lambda program: effort)
        try:
            return GreedyPlayer().choose(game, position, decision, luck), luck.state()
        except RuleError as error:
            return error.span, error.message


def assert_same(game: Game, native: Decider, questions: Iterator[tuple[Position, Decision]], seed: int) -> None:
    for position, decision in questions:
        assert answered(game, position, decision, seed, native) == answered(game, position, decision, seed, None)


def questions(game: Game, seed: int, count: int) -> Iterator[tuple[Position, Decision]]:
    """Some decisions of a random game, of whoever has to decide."""
    chosen, found = random.Random(seed), []
    try:
        for position in walk(game, seed):
            found += [(position, decision) for decision in game.pending(position) if decision.answers.count() > 1]
    except RuleError:
        pass
    yield from chosen.sample(found, min(count, len(found)))


@pytest.mark.parametrize("name", SHIPPED)
def test_greedy_players_decide_the_same_natively(name: str, evidence: Evidence) -> None:
    mine = [table for table in tables() if table.game == name]
    few = random.Random(base_seed()).sample(mine, scaled(len(mine), 1))
    for table in few:
        game = table.load()
        native = decider(game)
        for seed in evidence.cases(f"{name}: greedy players decide the same natively", full=10, slice=2):
            assert_same(game, native, questions(game, seed, 4), seed)
        assert native.decided and not native.left


def test_rules_made_at_random_are_decided_the_same(tmp_path: Path, evidence: Evidence) -> None:
    seen = 0
    for seed in evidence.cases("rules made at random: greedy players decide the same", full=2000, slice=12):
        program = generate(seed)
        try:
            game = load(program.write(tmp_path / str(seed)), program.players)
            native = decider(game)
        except (Rejected, Refused):
            continue
        assert_same(game, native, questions(game, seed, 2), seed)
        seen += native.decided
    assert seen


def test_every_access_of_a_decision_is_inside() -> None:
    for name in ("kuhn_poker-3", "goofspiel-2"):
        game = next(table for table in tables() if str(table) == name).load()
        native = decider(game, guarded=True)
        assert_same(game, native, questions(game, base_seed(), 4), base_seed())
        assert native.decided
