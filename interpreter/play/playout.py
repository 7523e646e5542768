"""Random play in place (rollouts): where every answer is drawn at random, no question is put and no position made.

It stands between the game contract and the match, which takes this way when all players draw their answers and nobody
watches. What is drawn, and in which order, is the same; what players remember of the way is left out. Whoever wants to
know where an answer may lead plays on from it in this way up to a horizon, which need not be the end of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered import zones
from chocolatl.interpreter.lowered.answers import draw_several, is_possible
from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.layout import JOURNAL, PC, SEALED, Slots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.position import PrivateCopy
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.play.game import CHANCES, CHOICES, Answer, Chance, Decision, Game, Position


@dataclass(frozen=True)
class Horizon:
    """How far to play: to the end of a round, but not of one that ends before `least` decisions were made; in any case
    not beyond `most` decisions, nor beyond the game. Without `rounds` it does not matter where they end."""

    least: int = 0
    most: int | None = None
    rounds: bool = True

    def ends(self, before: int, now: int, decisions: int) -> bool:
        """Whether it is reached after so many decisions, in a round after another one. A game without rounds is always
        in the same."""
        if self.most is not None and decisions >= self.most:
            return True
        return self.rounds and now != before and decisions >= self.least


WHOLE_GAME = Horizon(rounds=False)


class Playout:
    """One game on its way to its end or to a horizon. The slots of its position are changed."""

    def __init__(
        self,
        game: Game,
        position: Position,
        chance: Random,
        players: Sequence[Random],
        horizon: Horizon = WHOLE_GAME,
        since: Position | None = None,
        log: Log | None = None,
    ) -> None:
        self.game = game
        self.position = position
        self.chance = chance
        self.players = players
        self.log = log
        self.decisions = 0
        self.horizon = horizon
        self.round = game.round(position if since is None else since)
        self.limited = horizon.most is not None or (horizon.rounds and game.has_rounds)

    def run(self) -> Position:
        s: list[Any] = self.position.slots
        sealed = self.position.sealed
        s[JOURNAL] = None  # nobody asks what players remember of a game that nobody watches
        if sealed is None:
            self.go_on(s)
        elif not (self.limited and self.is_far_enough(s)):  # the round may have ended before the block began
            self.finish(s, self.game.program.stops[s[PC]], sealed)
            self.go_on(s)
        s[JOURNAL] = Journal()
        return Position(s)

    def go_on(self, s: Slots) -> None:
        """Up to the end of the game or, in a private copy, of the secret block."""
        program = self.game.program
        steps, stops, store = program.steps, program.stops, program.store
        pc, log = s[PC], None if s[SEALED] else self.log
        while True:
            step = steps[pc]
            if step is not None:
                pc = step(s, log)
                continue
            stop = stops.get(pc)
            if stop is None or (self.limited and not s[SEALED] and self.is_far_enough(s)):
                s[PC] = pc
                return
            if isinstance(stop.node, CHOICES):
                store[pc](s, self.answer(s, stop))
                self.decisions += 1
            elif isinstance(stop.node, ir.Secretly):
                s[PC] = pc
                self.finish(s, stop, machine.enter(program, s, stop))
            elif isinstance(stop.node, CHANCES):
                store[pc](s, Chance(self.game, s, stop).outcomes.sample(self.chance))
            else:
                assert_never(stop.node)
            pc = stop.after

    def answer(self, s: Slots, stop: SuspensionPoint) -> Answer:
        """What `Decision.answers.sample` would draw; several pieces, which are common, without the object."""
        if isinstance(stop.node, ir.ChooseSet):
            program, pc = self.game.program, stop.pc
            random = self.players[program.player[pc](s)]
            zone, low, least, most = program.legal[pc](s)
            if is_possible(zones.size(zone), least, most):
                return draw_several(zone, low, least, most, random)
        decision = Decision(self.game, s, stop)
        return decision.answers.sample(self.players[decision.player])

    def is_far_enough(self, s: Slots) -> bool:
        before = self.round
        if self.game.has_rounds:
            self.round = s[self.game.round_slot]
        return self.horizon.ends(before, self.round, self.decisions)

    def finish(self, s: Slots, stop: SuspensionPoint, privates: tuple[PrivateCopy, ...]) -> None:
        """A secret block: by seat, each player to its end."""
        for private in privates:
            self.go_on(private.slots)
        machine.join(self.game.program, s, stop, privates)


def copied(position: Position) -> Position:
    """An equal position that shares nothing with this one."""
    sealed = position.sealed
    if sealed is not None:
        sealed = tuple(PrivateCopy(list(private.slots), private.answers) for private in sealed)
    return Position(list(position.slots), sealed)


def played_on(
    game: Game,
    position: Position,
    randoms: Sequence[Random],
    horizon: Horizon,
    since: Position | None = None,
    log: Log | None = None,
) -> Position:
    """Where a position leads to when everybody answers at random: the random numbers of chance, then of each seat.

    `since` is a position before it, whose round is the one that has to end."""
    chance, *players = randoms
    return Playout(game, copied(position), chance, players, horizon, since, log).run()
