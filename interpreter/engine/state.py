"""The state in the rule file's own names: complete, for positions and scenarios, and back."""

from __future__ import annotations

from interpreter.diagnostics import nearest
from interpreter.engine.codec import Codec, Json, NotAValue
from interpreter.engine.compile import Program
from interpreter.engine.layout import Place
from interpreter.engine.runtime import Slots
from interpreter.engine.zones import counts, pack, size
from interpreter.program.model import Field
from interpreter.program.types import Multiset

TABLE = "table"


class WrongState(NotAValue):
    """A part of a written state that fits no field; `path` leads to it."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        self.path = path
        super().__init__(message)


def cell_key(codec: Codec, field: Field, cell: int) -> str:
    """The index of a cell as a key of a map: `harbour`, `3`, or `2,harbour`."""
    parts: list[str] = []
    for index in reversed(field.indices):
        cell, position = divmod(cell, index.size)
        parts.append(str(codec.encode(index, index.low + position)))
    return ",".join(reversed(parts))


def encode_state(program: Program, codec: Codec, slots: Slots, viewer: int | None = None) -> dict[str, Json]:
    """Every field, owners first: `{table: {...}, player: {p1: {...}}}`; of what a viewer does not see, the size."""
    state: dict[str, Json] = {}
    for place in program.layout.places.values():
        group = state.setdefault(place.field.owner or TABLE, {})
        assert isinstance(group, dict)
        per_owner = place.cells // place.field.owners
        for number in range(place.field.owners):
            record: Json = group
            if place.field.owner is not None:
                record = group.setdefault(str(codec.labels[place.field.owner][number]), {})
            assert isinstance(record, dict)
            mine = place.field.visibility == "secret" and number == viewer
            seen = viewer is None or place.field.visibility == "open" or mine
            cells = [_encode(codec, place, slots, number * per_owner + i, seen) for i in range(per_owner)]
            record[place.field.name] = (
                {cell_key(codec, place.field, i): v for i, v in enumerate(cells)} if place.field.indices else cells[0]
            )
    return state


def _encode(codec: Codec, place: Place, slots: Slots, cell: int, seen: bool) -> Json:
    content = slots[place.base + cell]
    type_ = place.field.type
    if not isinstance(type_, Multiset):
        return codec.encode(type_, content)
    return codec.encode_set(type_, counts(content)) if seen else {"size": size(content)}


def decode_state(program: Program, codec: Codec, state: object, slots: Slots, complete: bool) -> None:
    """Write a state into slots. A partial one changes what it names; a complete one must name everything."""
    groups = _mapping(state, ())
    owners: dict[str, list[Place]] = {}
    for place in program.layout.places.values():
        owners.setdefault(place.field.owner or TABLE, []).append(place)
    _known(groups, list(owners), (), "nothing in this game is called")
    for owner, places in owners.items():
        if owner not in groups:
            if complete:
                raise WrongState((), f"`{owner}` is missing")
            continue
        if owner == TABLE:
            _record(codec, places, groups[owner], 0, (owner,), slots, complete)
            continue
        labels = [str(label) for label in codec.labels[owner]]
        records = _mapping(groups[owner], (owner,))
        _known(records, labels, (owner,), f"there is no {owner}")
        for number, label in enumerate(labels):
            if label in records:
                _record(codec, places, records[label], number, (owner, label), slots, complete)
            elif complete:
                raise WrongState((owner,), f"the {owner} `{label}` is missing")


def _record(
    codec: Codec, places: list[Place], value: object, number: int, path: tuple[str | int, ...], slots: Slots,
    complete: bool,
) -> None:  # fmt: skip
    record = _mapping(value, path)
    _known(record, [place.field.name for place in places], path, "there is no field")
    for place in places:
        name = place.field.name
        if name not in record:
            if complete:
                raise WrongState(path, f"the field `{name}` is missing")
            continue
        per_owner = place.cells // place.field.owners
        first = number * per_owner
        if not place.field.indices:
            _decode(codec, place, record[name], first, (*path, name), slots)
            continue
        keys = [cell_key(codec, place.field, i) for i in range(per_owner)]
        cells = _mapping(record[name], (*path, name))
        _known(cells, keys, (*path, name), f"`{name}` has no entry")
        for position, key in enumerate(keys):
            if key in cells:
                _decode(codec, place, cells[key], first + position, (*path, name, key), slots)
            elif complete:
                raise WrongState((*path, name), f"the entry `{key}` is missing")


def _decode(codec: Codec, place: Place, value: object, cell: int, path: tuple[str | int, ...], slots: Slots) -> None:
    type_ = place.field.type
    try:
        content = pack(codec.decode_set(type_, value)) if isinstance(type_, Multiset) else codec.decode(type_, value)
        slots[place.base + cell] = content
    except NotAValue as error:
        raise WrongState(path, str(error)) from None


def _mapping(value: object, path: tuple[str | int, ...]) -> dict[str, object]:
    if not isinstance(value, dict):
        raise WrongState(path, "a map of names to values is needed here")
    return {str(key): part for key, part in value.items()}


def _known(given: dict[str, object], known: list[str], path: tuple[str | int, ...], message: str) -> None:
    for key in given:
        if key not in known:
            hint = nearest(key, known)
            raise WrongState((*path, key), f"{message} `{key}`" + (f"; {hint}" if hint else ""))
