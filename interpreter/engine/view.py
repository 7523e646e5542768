"""What a player may know: the open state, the own secrets, and the sizes of the rest.

The view is derived from the declarations alone. In a secret block it is the position at entry, together with what the
player has done in it; of the others it shows nothing.
"""

from __future__ import annotations

from interpreter.engine.codec import Codec, Json
from interpreter.engine.compile import Program
from interpreter.engine.layout import Place
from interpreter.engine.machine import Position
from interpreter.engine.runtime import Slots
from interpreter.engine.state import TABLE, cell_key
from interpreter.program.types import PLAYER, Multiset, Scalar


def view(program: Program, codec: Codec, position: Position, player: int) -> dict[str, Json]:
    slots = position.slots if position.sealed is None else position.sealed[player].slots
    return {"player": codec.labels[PLAYER][player], "state": _state(program, codec, slots, player)}


def _state(program: Program, codec: Codec, slots: Slots, player: int) -> dict[str, Json]:
    state: dict[str, Json] = {}
    for place in program.layout.places.values():
        owner = place.field.owner or TABLE
        group = state.setdefault(owner, {})
        assert isinstance(group, dict)
        per_owner = place.cells // place.field.owners
        for number in range(place.field.owners):
            if place.field.owner is None:
                record = group
            else:
                record = group.setdefault(str(codec.labels[place.field.owner][number]), {})  # type: ignore[assignment]
            assert isinstance(record, dict)
            mine = place.field.owner == PLAYER and number == player
            record[place.field.name] = _cells(codec, place, slots, number * per_owner, per_owner, mine)
    return state


def _cells(codec: Codec, place: Place, slots: Slots, first: int, count: int, mine: bool) -> Json:
    shown = [_cell(codec, place, slots, cell, mine) for cell in range(first, first + count)]
    if not place.field.indices:
        return shown[0]
    return {cell_key(codec, place.field, cell): value for cell, value in enumerate(shown)}


def _cell(codec: Codec, place: Place, slots: Slots, cell: int, mine: bool) -> Json:
    base = place.base + cell * place.width
    type_ = place.field.type
    if isinstance(type_, Scalar):
        return codec.encode(type_, slots[base])
    assert isinstance(type_, Multiset)
    counts = slots[base : base + place.width]
    visibility = place.field.visibility
    if visibility == "open" or (visibility == "secret" and mine):
        return codec.encode_set(type_, counts)
    return {"size": sum(counts)}
