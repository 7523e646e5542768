"""The state in the rule file's own names: complete, for positions and scenarios, and back (serialisation)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import ne
from typing import Any

from msgspec import Struct

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.codec import Codec, Json, NotAValue
from chocolatl.interpreter.lowered.layout import FieldSlots, Layout, Slots
from chocolatl.interpreter.lowered.zones import size
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, Multiset, Scalar

TABLE = "table"


class WrongState(NotAValue):
    """A part of a written state that fits no field; `path` leads to it."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        self.path = path
        super().__init__(message)


def cell_key(codec: Codec, field: Field, cell: int) -> str:
    """The index of a cell as a key of a map: `quay`, `3`, or `2,quay`."""
    parts: list[str] = []
    for index in reversed(field.indices):
        cell, position = divmod(cell, index.size)
        parts.append(codec.text(index, index.low + position))
    return ",".join(reversed(parts))


class _Entry(Struct, frozen=True):
    """How a field is written: its place, the names of its owners, and the keys of the cells that each of them has."""

    place: FieldSlots
    group: str
    owners: tuple[str, ...]
    keys: dict[str, int]
    cells: int
    plain: bool
    """Whether its slots are what is written: whole numbers, of which none stands for something else."""

    @property
    def name(self) -> str:
        return self.place.field.name


@lru_cache(maxsize=64)
def _entries(layout: Layout, codec: Codec) -> tuple[_Entry, ...]:
    """All fields of a game; worked out once, since a game has thousands of positions."""
    found = []
    named: dict[tuple[str | None, int], tuple[str, ...]] = {(None, 1): ("",)}
    for place in layout.places.values():
        field = place.field
        owners = named.get((field.owner, field.owners))
        if owners is None:
            assert field.owner is not None
            owners = named[field.owner, field.owners] = tuple(map(str, codec.labels[field.owner][: field.owners]))
        cells = place.cells // field.owners
        keys = {cell_key(codec, field, cell): cell for cell in range(cells)} if field.indices else {}
        plain = isinstance(field.type, Scalar) and field.type.family == NUMBER and not field.type.optional
        found.append(_Entry(place, field.owner or TABLE, owners, keys, cells, plain))
    return tuple(found)


class _Group(Struct, frozen=True):
    """The fields of one kind of owner by name, and the numbers of the owners."""

    fields: dict[str, _Entry]
    owners: dict[str, int]
    grid: bool


@lru_cache(maxsize=64)
def _groups(layout: Layout, codec: Codec) -> dict[str, _Group]:
    """The same by the names that a state is written with."""
    found: dict[str, _Group] = {}
    for entry in _entries(layout, codec):
        if entry.group not in found:
            owners = {str(label): n for n, label in enumerate(codec.labels.get(entry.group, ()))}
            found[entry.group] = _Group({}, owners, is_grid(layout, entry.place.field.owner))
        found[entry.group].fields[entry.name] = entry
    return found


def encode_state(
    layout: Layout, codec: Codec, slots: Slots, viewer: int | None = None, named: Mapping[str, Any] | None = None
) -> dict[str, Json]:
    """Every field, owners first: `{table: {...}, player: {p1: {...}}}`; of what a viewer does not see, the size.

    Of a grid, the cells that are as at the start are left out, unless they are `named` by another state."""
    state: dict[str, Any] = {}
    cells: dict[str, Sequence[int]] = {}
    for entry in _entries(layout, codec):
        place = entry.place
        group = state.setdefault(entry.group, {})
        if entry.group not in cells:
            cells[entry.group] = range(len(entry.owners))
            if is_grid(layout, place.field.owner):
                asked = (codec.positions[entry.group][label] for label in (named or {}).get(entry.group, ()))
                cells[entry.group] = sorted({*_changed(layout, entry.group, slots), *asked})
        for number in cells[entry.group]:
            owner = entry.owners[number]
            record = group.setdefault(owner, {}) if owner else group
            mine = place.field.visibility == "secret" and number == viewer
            seen = viewer is None or place.field.visibility == "open" or mine
            first = number * entry.cells
            if entry.plain and place.field.indices:
                begin = place.base + first
                record[entry.name] = dict(zip(entry.keys, slots[begin : begin + entry.cells], strict=True))
            elif entry.plain:
                record[entry.name] = slots[place.base + first]
            elif place.field.indices:
                record[entry.name] = {k: _encode(codec, place, slots, first + i, seen) for k, i in entry.keys.items()}
            else:
                record[entry.name] = _encode(codec, place, slots, first, seen)
    return state


def is_grid(layout: Layout, owner: str | None) -> bool:
    return owner is not None and bool(layout.game.domains[owner].sides)


def _restart(layout: Layout, owner: str, slots: Slots) -> None:
    """The records of a grid as they are at the start of the game."""
    for place in layout.places.values():
        if place.field.owner == owner:
            slots[place.base : place.end] = layout.defaults[place.base : place.end]


def _changed(layout: Layout, owner: str, slots: Slots) -> list[int]:
    """The cells of a grid whose record is not as at the start."""
    found: set[int] = set()
    for place in layout.places.values():
        if place.field.owner == owner:
            now, first = slots[place.base : place.end], layout.defaults[place.base : place.end]
            width = len(now) // place.field.owners
            if now != first:
                # In the inner loop of writing positions, and nearly all of a grid is empty.
                found |= {slot // width for slot in compress(range(len(now)), map(ne, now, first))}
    return sorted(found)


def _encode(codec: Codec, place: FieldSlots, slots: Slots, cell: int, seen: bool) -> Json:
    content = slots[place.base + cell]
    type_ = place.field.type
    if not isinstance(type_, Multiset):
        return codec.encode(type_, content)
    return codec.encode_set(type_, content) if seen else {"size": size(content)}


def decode_state(layout: Layout, codec: Codec, state: object, slots: Slots, complete: bool) -> None:
    """Write a state into slots. A partial one changes what it names; a complete one must name everything.

    Raises the first `WrongState`."""
    for wrong in mistakes_in_state(layout, codec, state, slots, complete):
        raise wrong


def mistakes_in_state(
    layout: Layout, codec: Codec, state: object, slots: Slots, complete: bool
) -> Iterator[WrongState]:
    """What fits no field, while all that fits is written into slots."""
    if not isinstance(state, dict):
        yield _no_map(())
        return
    groups = _named(state)
    known = _groups(layout, codec)
    misspelt = yield from _unknown(groups, known, (), "nothing in this game is called")
    for name, group in known.items():
        if name not in groups:
            if complete and not misspelt:
                yield WrongState((), f"`{name}` is missing")
            continue
        content = groups[name]
        if name == TABLE:
            yield from _record(codec, group.fields, content, 0, (name,), slots, complete)
            continue
        if not isinstance(content, dict):
            yield _no_map((name,))
            continue
        records = _named(content)
        others = yield from _unknown(records, group.owners, (name,), f"there is no {name}")
        if complete and group.grid:
            _restart(layout, name, slots)
        for label in group.owners if complete and not group.grid else _given(records, group.owners):
            if label in records:
                number = group.owners[label]
                yield from _record(codec, group.fields, records[label], number, (name, label), slots, complete)
            elif not others:
                yield WrongState((name,), f"the {name} `{label}` is missing")


def _given(records: dict[str, object], owners: dict[str, int]) -> list[str]:
    """The owners that are named, by number. A grid has thousands, of which a few are."""
    return sorted([label for label in records if label in owners], key=owners.__getitem__)


def _record(
    codec: Codec, fields: dict[str, _Entry], value: object, number: int, path: tuple[str | int, ...], slots: Slots,
    complete: bool,
) -> Iterator[WrongState]:  # fmt: skip
    if not isinstance(value, dict):
        yield _no_map(path)
        return
    record = _named(value)
    misspelt = yield from _unknown(record, fields, path, "there is no field")
    for name, entry in fields.items():
        if name not in record:
            if complete and not misspelt:
                yield WrongState(path, f"the field `{name}` is missing")
            continue
        first = number * entry.cells
        content = record[name]
        if not entry.place.field.indices:
            yield from _decode(codec, entry.place, content, first, (*path, name), slots)
            continue
        if not isinstance(content, dict):
            yield _no_map((*path, name))
            continue
        cells = _named(content)
        others = yield from _unknown(cells, entry.keys, (*path, name), f"`{name}` has no entry")
        for key, position in entry.keys.items():
            if key in cells:
                yield from _decode(codec, entry.place, cells[key], first + position, (*path, name, key), slots)
            elif complete and not others:
                yield WrongState((*path, name), f"the entry `{key}` is missing")


def _decode(
    codec: Codec, place: FieldSlots, value: object, cell: int, path: tuple[str | int, ...], slots: Slots
) -> Iterator[WrongState]:
    type_ = place.field.type
    try:
        content = codec.decode_set(type_, value) if isinstance(type_, Multiset) else codec.decode(type_, value)
        slots[place.base + cell] = content
    except NotAValue as error:
        yield WrongState(path, str(error))


def _no_map(path: tuple[str | int, ...]) -> WrongState:
    return WrongState(path, "a map of names to values is needed here")


def _named(value: dict[Any, object]) -> dict[str, object]:
    return {str(key): part for key, part in value.items()}


def _unknown(
    given: dict[str, object], known: Mapping[str, Any], path: tuple[str | int, ...], message: str
) -> Generator[WrongState, None, bool]:
    """The names of a map that nothing goes by, and whether there are any: then what is missing may be misspelt."""
    unknown = [key for key in given if key not in known]
    for key in unknown:
        hint = nearest(key, list(known))
        yield WrongState((*path, key), f"{message} `{key}`" + (f"; {hint}" if hint else ""))
    return bool(unknown)
