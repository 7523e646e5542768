"""Which line of the rules decided what a scenario did not expect (provenance): it runs once more, and is watched.

Of a part of the state it is the statement that changed it last, of an answer the choice that it is for.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from chocolatl.interpreter.data.model import DataPath
from chocolatl.interpreter.engine.state import WrongState, decode_state
from chocolatl.interpreter.formats.events import RefusedEvent
from chocolatl.interpreter.formats.scenario import Scenario
from chocolatl.interpreter.lowered.layout import JOURNAL, PC, SEALED
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.testing.scenario_run import ScenarioRun, UnmetExpectation


class LastWrites:
    """The statement that changed each slot last. In a secret block players change nothing but what they own, so one
    record of private changes is enough for all; the end of the block takes them over."""

    def __init__(self, slots: list[Any]) -> None:
        self.known = list(slots)
        self.private: dict[int, Any] = {}
        self.statements: dict[int, Span] = {}

    def __call__(self, s: list[Any], span: Span) -> None:
        for slot, (new, old) in enumerate(zip(s, self.known, strict=True)):
            if slot in (PC, JOURNAL, SEALED) or new == old or self.private.get(slot) == new:
                continue
            self.statements[slot] = span
            if s[SEALED]:
                self.private[slot] = new
        if not s[SEALED]:
            self.known = list(s)
            self.private.clear()


def with_deciding_lines(scenario: Scenario, differences: list[UnmetExpectation]) -> list[UnmetExpectation]:
    """The differences, each with the line of the rules that decided it, where there is one."""
    watched = scenario.literal()
    watch = watched.game.program.watch
    assert watch is not None
    trail = watch.changed = LastWrites(watched.slots)
    run = ScenarioRun(watched)
    try:
        with suppress(RefusedEvent, RuleError):
            run.to_the_end()
    finally:
        watch.changed = None
    return [d if d.rule else replace(d, rule=_rule(watched, run.position, trail, d.place)) for d in differences]


def _rule(scenario: Scenario, position: Position | None, trail: LastWrites, place: DataPath) -> Span | None:
    if position is None or len(place) < 2:
        return None
    game, part = scenario.game, place[1]
    if place[0] == "when" or part in ("pending", "legal", "illegal"):
        return _question(game, position)
    if part == "winners":
        return game.ir.rankings[game.ir.winner].span
    if part == "view":
        return None
    written: Any = scenario.then
    for step in place[1:]:
        written = written[step]
    path = place[1:]
    if part in ("result", "breakdown"):
        if len(place) < 3 + (part == "breakdown"):
            return None  # other players, or other items, than the game has
        path = ("player", place[2], *((game.ir.score.name,) if part == "result" else ("breakdown", place[3])))
    slots = _slots(game, position, path, written)
    return next((trail.statements[slot] for slot in slots if slot in trail.statements), None)


def _question(game: Game, position: Position) -> Span | None:
    """What is asked at a position."""
    chance = game.chance(position)
    asked = chance.node if chance is not None else next((d.node for d in game.pending(position)), None)
    return asked.span if asked is not None else None


def _slots(game: Game, position: Position, path: DataPath, written: Any) -> list[int]:
    """The slots of one part of the state: those that would differ if it were as written."""
    for step in reversed(path):
        written = {step: written}
    slots = list(position.slots)
    with suppress(WrongState):
        decode_state(game.program.layout, game.codec, written, slots, complete=False)
    return [slot for slot, (one, other) in enumerate(zip(slots, position.slots, strict=True)) if one != other]
