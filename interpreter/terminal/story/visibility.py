"""What a viewer can see of an event: from the visibility that the rules declare, and from what changes on the table.

In doubt the answer is no. A viewer is a player by seat, `ALL` for what everyone sees, or None, who sees everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import Evaluating, called, inside
from chocolatl.interpreter.lowered.layout import END_OF_SEALED, PC, Slots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.position import PrivateCopy
from chocolatl.interpreter.lowered.zones import count
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.program.model import Field, FieldKey
from chocolatl.interpreter.program.types import PLAYER, Multiset, Scalar

ALL = -1


def is_public(game: Game, node: Any) -> bool:
    """Whether an expression or text reads nothing but what all can see."""
    for part in inside(node):
        if isinstance(part, ir.FieldZone) and part.field.visibility != "open":
            return False
        callee = called(part, game.ir) if isinstance(part, Evaluating) else None
        if callee is not None and not is_public(game, callee):
            return False
    return True


def is_over(before: Position, after: Position) -> bool:
    """Whether an answer ended a secret block: until then the common part of the position stays as it is."""
    return after.sealed is None or after.slots != before.slots


def joined(game: Game, before: Position, decision: Decision, answer: Answer) -> Position:
    """The position at the very end of a secret block, before the rules go on: the moment at which all is laid open."""
    program = game.program
    assert before.sealed is not None
    own = list(before.sealed[decision.player].slots)
    program.store[decision.stop.pc](own, answer)
    own[PC] = decision.stop.after
    program.run(own, None)
    privates = list(before.sealed)
    privates[decision.player] = PrivateCopy(own)
    slots = list(before.slots)
    machine.join(program, slots, program.stops[slots[PC]], tuple(privates))
    return Position(slots)


def steps(game: Game, slots: Slots) -> Iterator[Log]:
    """Go on from slots, which are changed, to the next question: what the rules did in each step, which is between two
    statements that can wait for an answer. What lies open for a moment only can be seen then."""
    program = game.program.literal
    while True:
        step = program.steps[slots[PC]]
        if step is not None:
            log: Log = []
            slots[PC] = step(slots, log)
            yield log
            continue
        stop = program.stops.get(slots[PC])
        if stop is None or not isinstance(stop.node, ir.Secretly):
            return
        privates = machine.enter(program, slots, stop)
        if any(private.slots[PC] != END_OF_SEALED for private in privates):
            return
        machine.join(program, slots, stop, privates)


def turned_up(game: Game) -> list[Field]:
    """The open zones of players into which something secret is laid as a whole."""
    found: dict[FieldKey, Field] = {}
    for procedure in game.ir.procedures.values():
        for statement in procedure.statements:
            match statement:
                case ir.MoveAll(source=ir.FieldZone() as source, target=ir.FieldZone() as target):
                    if source.field.visibility != "open" and target.field.visibility == "open":
                        if target.field.owner == PLAYER:
                            found[target.field.key] = target.field
    return list(found.values())


def given_answers(game: Game, position: Position) -> Iterator[tuple[Decision, Answer]]:
    """All that has been answered so far in the secret block at hand, by seat."""
    if position.sealed is None:
        return
    stop = game.program.stops[position.slots[PC]]
    for player, private in enumerate(position.sealed):
        current = Position(position.slots, machine.enter(game.program, position.slots, stop))
        for number, given in enumerate(private.answers, start=1):
            decision = game.decision(current, player)
            assert decision is not None
            yield decision, given
            if number < len(private.answers):  # the last one might end the block
                current = game.answer(current, player, given)


def block_answers(game: Game, before: Position, decision: Decision, answer: Answer) -> list[tuple[Decision, Answer]]:
    """All that was answered in a secret block which a last answer ends, by seat."""
    return sorted([*given_answers(game, before), (decision, answer)], key=lambda pair: pair[0].player)


def sees_answer(
    game: Game, before: Position, decision: Decision, answer: Answer, after: Position, viewer: int | None
) -> bool:
    """A choice in the open is heard by all, unless it is made among things that the viewer does not see."""
    if viewer is None or decision.player == viewer:
        return True
    node = decision.node
    if isinstance(node, ir.ChooseSet):
        return _open(node.source) or _open(node.target)
    picks = zip(node.picks, answer if isinstance(answer, tuple) else (answer,), strict=True)
    return all(
        not isinstance(pick.domain, ir.ZoneElements)
        or _open(pick.domain.zone)
        or _moved(game, pick.local, decision.player, before.slots, after.slots, value)
        for pick, value in picks
    )


def sees_answer_in_block(
    game: Game, before: Position, decision: Decision, answer: Answer, common: Position, viewer: int | None
) -> bool:
    """Of what was chosen in a secret block one sees what then stands in a field, or has moved before all eyes."""
    if viewer is None or decision.player == viewer:
        return True
    node = decision.node
    if isinstance(node, ir.ChooseSet):
        return _open(node.source) or _open(node.target)
    picks = zip(node.picks, answer if isinstance(answer, tuple) else (answer,), strict=True)
    return all(
        _stands(game, pick.field, decision.player, common.slots, value)
        if pick.field is not None
        else _moved(game, pick.local, decision.player, before.slots, common.slots, value)
        for pick, value in picks
    )


def _stands(game: Game, target: ir.Load, player: int, slots: Slots, value: int) -> bool:
    """Whether a value is in the field of a player that it was written to, and not overwritten there."""
    place = game.program.layout.places[target.field.key]
    width = (place.end - place.base) // target.field.owners
    return value in slots[place.base + player * width : place.base + (player + 1) * width]


def _open(zone: ir.Zone) -> bool:
    return isinstance(zone, ir.FieldZone) and zone.field.visibility == "open"


def _moved(game: Game, local: ir.Local, player: int, before: Slots, after: Slots, element: int) -> bool:
    """Whether an element has visibly come into or left a zone of a player."""
    assert isinstance(local.type, Scalar)
    zones = [
        field
        for field in game.ir.fields
        if isinstance(field.type, Multiset) and field.type.element.family == local.type.family
    ]
    return any(
        _changed(game, field, before, after, element, ALL, player)
        for field in zones
        if field.owner == PLAYER and field.visibility == "open"
    )


def _changed(
    game: Game, field: Field, before: Slots, after: Slots, element: int, viewer: int, player: int | None = None
) -> bool:
    """Whether the number of copies of an element has changed in a zone that a viewer sees, of one player or of any."""
    place = game.program.layout.places[field.key]
    per_owner = place.cells // field.owners
    for cell in range(place.cells):
        owner = cell // per_owner
        if player is not None and owner != player:
            continue
        mine = field.owner == PLAYER and owner == viewer and field.visibility == "secret"
        slot, kind = place.base + cell, element - place.low
        if isinstance(field.type, Multiset) and field.type.short:  # open, and its values lie in one slot
            values: list[Any] = [before[slot], after[slot]]
            if (element in values[0]) != (element in values[1]):
                return True
            continue
        if count(before[slot], kind) != count(after[slot], kind) and (mine or field.visibility == "open"):
            return True
    return False
