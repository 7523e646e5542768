"""Rows of a comparison made by native code (batched rollouts): worlds dealt, answers tried in them and played on, ends
told. What an end is worth is reckoned here, as `chocolatl.solver.worth.outcome` does it.

It pays once some time has gone into a game; until then, and for what native code leaves, scenarios are made and played
one by one. It changes no number who does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from time import thread_time
from typing import TYPE_CHECKING

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.lookahead.requests import Plan
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players import lookahead
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.plans import plan
from chocolatl.solver.methods.continuations import LUCK
from chocolatl.solver.worth.horizons import HorizonKind, horizon_of
from chocolatl.solver.worth.outcome import VICTORIES, OutcomeMeasure

if TYPE_CHECKING:  # the compiler is imported where it is used
    from chocolatl.interpreter.native.lookahead.row_maker import RowMaker
    from chocolatl.interpreter.policy.weights import PolicyWeights

ENDS, CALL = 256, 0.02
"""So many ends are told in one call at most, and as many as take so many seconds: the clock may be looked at between
two."""


@dataclass
class RowEffort:
    """How long native code took for rows, and of how many ends."""

    valuation: Valuation
    maker: RowMaker | None = None
    weights: PolicyWeights | None = None
    """What everybody follows but for the answers that are compared; None: all answer at random."""
    waited: float = 0.0
    """How long the interpreter took for rows of players who follow a policy."""
    seconds: float = 0.0
    ends: int = 0
    well: bool = False
    refused: bool = False

    def compiled(self, game: Game) -> RowMaker | None:
        """Native code, if it pays by now: compiled at once at first and, once it has been at work a while, well."""
        improves = self.maker is not None and not self.well and self.seconds > lookahead.WELL
        if self.refused or (self.maker is None and not self.pays(game)):
            return None
        if self.maker is None or improves:
            self.well = self.maker is not None
            try:
                from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
                from chocolatl.interpreter.native.lookahead.comparing import CountedThing
                from chocolatl.interpreter.native.lookahead.row_maker import RowMaker
                from chocolatl.interpreter.native.policy.pieces import TooManyKinds

                things = [CountedThing(item.player, item.what) for item in self.valuation]
                self.maker = RowMaker(game, FAST if self.well else QUICK, things, weights=self.weights)
            except (ImportError, OSError, Refused, TooManyKinds):
                self.refused = True
        return self.maker

    def pays(self, game: Game) -> bool:
        """Whether so much time has gone into the game that it pays to compile it."""
        random = lookahead.effort(game.program)
        return random.waited if self.weights is None else self.waited > random.patience

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While the interpreter makes a row."""
        begin = thread_time()
        yield
        if self.weights is not None:
            self.waited += thread_time() - begin


@lru_cache(maxsize=16)
def row_effort(program: LoweredGame, valuation: Valuation, weights: PolicyWeights | None = None) -> RowEffort:
    """What has gone into rows of a game with a valuation so far."""
    return RowEffort(valuation, weights=weights)


@dataclass
class NativeRows:
    """The scenarios that are drawn from a position against random players, by a seed, and played on at random; or
    against players who follow a policy, and played on by it."""

    game: Game
    position: Position
    player: int
    seed: int
    horizon: HorizonKind
    measure: OutcomeMeasure
    weights: PolicyWeights | None = None
    left: bool = field(default=False, init=False)
    """Whether native code has left something to the interpreter."""

    @cached_property
    def effort(self) -> RowEffort:
        return row_effort(self.game.program, self.measure.valuation, self.weights)

    @cached_property
    def plan(self) -> Plan | None:
        return plan(self.game.program.knowledge, self.position.slots, self.player)

    def rows(self, answers: Sequence[AnswerSequence], first: int, count: int) -> list[list[float]] | None:
        """A row for each of some scenarios, as many as one call makes; None if it is for the interpreter."""
        if self.left or self.measure.objective in VICTORIES:
            return None
        effort = self.effort
        maker = effort.compiled(self.game)
        if maker is None or self.plan is None:
            return None
        fitting = min(ENDS, CALL * effort.ends / effort.seconds) if effort.seconds else 1
        begin, number = thread_time(), max(1, min(count, int(fitting / max(1, len(answers)))))
        horizon = horizon_of(self.game, self.position, self.horizon)
        given = (self.position, self.player, answers, self.plan, self.seed, LUCK, first, number, horizon)
        told = maker.rows(*given)
        effort.seconds += thread_time() - begin
        effort.ends += number * len(answers)
        if told is None:
            self.left = True
            return None
        before = self.game.scores(self.position)
        return [[self.measure.told(before, end.scores, end.over, end.round, end.counts) for end in row] for row in told]
