"""Random play in place: where every answer is drawn at random, no question has to be put and no position made.

It stands between the game contract and the match, which takes this way when all players draw their answers and nobody
watches. What is drawn, and in which order, is the same; what players remember of the way is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.engine import machine, zones
from interpreter.engine.answers import draw_several
from interpreter.engine.journal import Journal
from interpreter.engine.layout import JOURNAL, PC
from interpreter.engine.runtime import Slots
from interpreter.engine.steps import Stop
from interpreter.game import CHOICES, Answer, Chance, Decision, Game, Position
from interpreter.ir import nodes as ir
from interpreter.random import Random


class Playout:
    """One game on its way to the end. The slots of its position are changed."""

    def __init__(self, game: Game, position: Position, chance: Random, players: Sequence[Random]) -> None:
        self.game = game
        self.position = position
        self.chance = chance
        self.players = players
        self.decisions = 0

    def run(self) -> Position:
        s: list[Any] = self.position.slots
        sealed = self.position.sealed
        s[JOURNAL] = None  # nobody asks what players remember of a game that nobody watches
        if sealed is not None:
            self.finish(s, self.game.program.stops[s[PC]], sealed)
        self.go_on(s)
        s[JOURNAL] = Journal()
        return Position(s)

    def go_on(self, s: Slots) -> None:
        """Up to the end of the game or, in a private copy, of the secret block."""
        program = self.game.program
        steps, stops, store = program.steps, program.stops, program.store
        pc = s[PC]
        while True:
            step = steps[pc]
            if step is not None:
                pc = step(s, None)
                continue
            stop = stops.get(pc)
            if stop is None:
                s[PC] = pc
                return
            if isinstance(stop.node, CHOICES):
                store[pc](s, self.answer(s, stop))
                self.decisions += 1
            elif isinstance(stop.node, ir.Secretly):
                s[PC] = pc
                self.finish(s, stop, machine.enter(program, s, stop))
            else:
                store[pc](s, Chance(self.game, s, stop).outcomes.sample(self.chance))
            pc = stop.after

    def answer(self, s: Slots, stop: Stop) -> Answer:
        """What `Decision.answers.sample` would draw; several pieces, which are common, without the object."""
        if isinstance(stop.node, ir.ChooseSet):
            zone, low, least, most = self.game.program.legal[stop.pc](s)
            if least <= zones.size(zone) and most >= 0:
                return draw_several(zone, low, least, most, self.players[self.game.program.player[stop.pc](s)])
        decision = Decision(self.game, s, stop)
        return decision.answers.sample(self.players[decision.player])

    def finish(self, s: Slots, stop: Stop, privates: tuple[machine.Private, ...]) -> None:
        """A secret block: by seat, each player to its end."""
        for private in privates:
            self.go_on(private.slots)
        machine.join(self.game.program, s, stop, privates)
