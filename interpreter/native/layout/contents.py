"""The content of memory, from and to the interpreter's slots (marshalling): numbers, zones, short sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from struct import Struct
from typing import Any

from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.layout import PC, SEALED
from chocolatl.interpreter.lowered.zones import MEMORY, counts, pack
from chocolatl.interpreter.native.layout.memory import Memory, Shape

CODES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q"}
"""Of `struct`: numbers have a sign."""


def write(memory: Memory, slots: Sequence[Any], view: memoryview) -> None:
    """Put the content of the interpreter's slots into memory; the head is left alone."""
    for run in memory.runs:
        end = run.offset + run.count * run.shape.size
        view[run.offset : end] = _bytes(slots[run.slot : run.slot + run.count], run.shape)


def read(memory: Memory, view: memoryview) -> list[Any]:
    """The content of memory as slots; the place in the program and the journal are left as at the start."""
    found: list[Any] = [0, Journal(), 0]
    for run in memory.runs:
        found += _content(bytes(view[run.offset : run.offset + run.count * run.shape.size]), run.shape)
    return found


def initial(memory: Memory) -> bytes:
    """The memory at the start of a game."""
    content = bytearray(memory.size)
    write(memory, memory.layout.defaults, memoryview(content))
    return bytes(content)


class SlotsInMemory(Sequence[Any]):
    """Slots that are read from memory when they are asked for: of a position that is only looked at, few are."""

    def __init__(self, memory: Memory, view: memoryview, place: int) -> None:
        self.memory = memory
        self.view = view
        self.place = place

    def __len__(self) -> int:
        return self.memory.slots

    def __getitem__(self, at: Any) -> Any:
        first = at.start if isinstance(at, slice) else at
        end = at.stop if isinstance(at, slice) else at + 1
        if isinstance(first, int) and isinstance(end, int) and first > SEALED:
            run = self.memory.runs[self.memory.run_of[first]]
            if end <= run.slot + run.count and (not isinstance(at, slice) or at.step is None):
                start = run.offset + (first - run.slot) * run.shape.size
                found = _content(bytes(self.view[start : start + (end - first) * run.shape.size]), run.shape)
                return list(found) if isinstance(at, slice) else found[0]
        return self.all()[at]

    def all(self) -> list[Any]:
        return [self.place, *read(self.memory, self.view)[PC + 1 :]]


@cache
def _numbers(count: int, unit: str) -> Struct:
    return Struct(f"<{count}{CODES[unit]}")


def _bytes(slots: Sequence[Any], shape: Shape) -> bytes:
    if shape.planes:
        unit = shape.size // shape.planes
        found = [_to_planes(content, shape.planes, unit) for content in slots]
        return b"".join(found if shape.lanes == 1 else _in_rows(found, shape.lanes, unit))
    if shape.most >= 0:
        empty = (0,) * shape.most
        sets = [(len(content), *content, *empty)[: 1 + shape.most] for content in slots]
        return b"".join([_numbers(1 + shape.most, shape.unit).pack(*content) for content in sets])
    if not shape.kinds:
        return _numbers(len(slots), shape.unit).pack(*slots)
    # The digits of a zone are words of 16 bits.
    step = 2 if shape.unit == "i8" else 1
    return b"".join([content.to_bytes(2 * shape.padded, "little")[::step] for content in slots])


def _content(data: bytes, shape: Shape) -> Sequence[Any]:
    """The slots of one shape."""
    if shape.planes:
        size, unit = shape.size, shape.size // shape.planes
        return [_from_planes(data[at : at + size], unit) for at in range(0, len(data), size)]
    if shape.most >= 0:
        sets = _numbers(1 + shape.most, shape.unit).iter_unpack(data)
        return [numbers[1 : 1 + numbers[0]] for numbers in sets]
    if not shape.kinds:
        return _numbers(len(data) // shape.size, shape.unit).unpack(data)
    if shape.unit == "i8":
        wide = bytearray(2 * len(data))
        wide[::2] = data
        data = bytes(wide)
    size = 2 * shape.padded
    return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]


@lru_cache(MEMORY)
def _to_planes(content: int, planes: int, unit: int) -> bytes:
    """A zone as so many planes of bits, each of some bytes."""
    copies = counts(content)
    words = [sum((number >> j & 1) << kind for kind, number in enumerate(copies)) for j in range(planes)]
    return b"".join([word.to_bytes(unit, "little") for word in words])


def _in_rows(found: list[bytes], lanes: int, unit: int) -> list[bytes]:
    """The same plane of all owners in a row, for one combination of indices after the other."""
    each = len(found) // lanes
    return [
        found[lane * each + position][at : at + unit]
        for position in range(each)
        for at in range(0, len(found[0]), unit)
        for lane in range(lanes)
    ]


@lru_cache(MEMORY)
def _from_planes(data: bytes, unit: int) -> int:
    words = [int.from_bytes(data[at : at + unit], "little") for at in range(0, len(data), unit)]
    return pack(sum((word >> kind & 1) << j for j, word in enumerate(words)) for kind in range(8 * unit))
