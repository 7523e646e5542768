"""A zone of components as planes of bits (bit slicing): bit k of plane j is bit j of the number of copies of kind k.

So a kind is a single bit, whatever the number of kinds: to draw one, to move it and to put two zones together are a few
operations on whole words, which wait for nothing that was written in bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Protocol

from chocolatl.interpreter.native.layout.memory import Shape
from chocolatl.interpreter.native.llvm.regions import OffsetRegion, Region
from chocolatl.interpreter.native.llvm.text import Function

Planes = list[str]


class BitwiseWords(Protocol):
    """What works on words bit by bit: on one at a time, or on one for each player."""

    def both(self, a: str, b: str) -> str: ...

    def either(self, a: str, b: str) -> str: ...

    def differing(self, a: str, b: str) -> str: ...


def plane_at(f: Function, pointer: str, shape: Shape, number: int) -> str:
    """Where a plane lies; in rows, as far from the first as the planes of all owners take."""
    apart = number * shape.row
    meant = Region(shape.kind, shape.row, apart) if shape.lanes == 1 else OffsetRegion(apart)
    return f.element(pointer, str(number * shape.lanes), shape.unit, meant)


def load(f: Function, pointer: str, shape: Shape, tag: str) -> Planes:
    return [f.load_count(plane_at(f, pointer, shape, j), shape.unit, tag) for j in range(shape.planes)]


def store(f: Function, planes: Planes, pointer: str, shape: Shape, tag: str) -> None:
    for j, plane in enumerate(
        [*planes, *["0"] * shape.planes][: shape.planes]
    ):  # what there is no plane for is not there
        f.store(plane, plane_at(f, pointer, shape, j), shape.unit, tag)


def present(f: BitwiseWords, planes: Planes) -> str:
    """The kinds of which there is at least one."""
    found = planes[0]
    for plane in planes[1:]:
        found = f.either(found, plane)
    return found


def size(f: Function, planes: Planes) -> str:
    """How many there are, copies counted."""
    total = "0"
    for j, plane in enumerate(planes):
        number = f.op(f"call i64 @llvm.ctpop.i64(i64 {plane})")
        total = f.add(total, f.mul(number, str(1 << j)))
    return total


def weighed(f: Function, planes: Planes, of: Callable[[str], str]) -> str:
    """A sum over what lies in a zone, copies counted; `of` gives that of a plane. Most are there once: more is rarely
    looked at."""
    once = of(planes[0])
    if len(planes) == 1:
        return once
    several, after, before = f.block(), f.block(), f.current
    f.branch(f.compare("ne", present(f, planes[1:]), "0"), several, after)
    f.begin(several)
    more = once
    for j, plane in enumerate(planes[1:], 1):
        more = f.add(more, f.mul(of(plane), str(1 << j)))
    f.begin(after)
    return f.op(f"phi i64 [{once}, %{before}], [{more}, %{several}]")


def count(f: Function, planes: Planes, kind: str) -> str:
    """How many copies there are of a kind."""
    total = "0"
    for j, plane in enumerate(planes):
        bit = f.op(f"and i64 {f.op(f'lshr i64 {plane}, {kind}')}, 1")
        total = f.add(total, bit if j == 0 else f.op(f"shl nuw nsw i64 {bit}, {j}"))
    return total


def with_one(f: BitwiseWords, planes: Planes, kind: str) -> Planes:
    """One more of a kind, which is given as a bit."""
    found, carry = [], kind
    for plane in planes:
        found.append(f.differing(plane, carry))
        carry = f.both(plane, carry)
    return found


def without(f: BitwiseWords, planes: Planes, kind: str) -> Planes:
    """One less of a kind that is there."""
    found, borrow = [], kind
    for plane in planes:
        found.append(f.differing(plane, borrow))
        borrow = f.both(found[-1], borrow)
    return found


def united(f: BitwiseWords, a: Planes, b: Planes) -> Planes:
    """What lies in two zones."""
    found, carry = [], "0"
    for x, y in zip_longest(a, b, fillvalue="0"):
        one = f.differing(x, y)
        found.append(f.differing(one, carry))
        carry = f.either(f.both(x, y), f.both(one, carry))
    return found


def less(f: BitwiseWords, a: Planes, b: Planes) -> Planes:
    """What is left of a zone without what lay in it."""
    found, borrow = [], "0"
    for x, y in zip_longest(a, b, fillvalue="0"):
        left = f.differing(f.differing(x, y), borrow)
        borrow = f.either(f.both(y, left), f.both(borrow, f.either(y, left)))
        found.append(left)
    return found
