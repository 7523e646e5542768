"""Choices that all players make at once: the same operations on the lanes of a vector, random numbers included
(vectorisation, SIMD)."""

from __future__ import annotations

from functools import partial, reduce

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.several import fixed
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.statements.events import count_decision, fail_unanswered
from chocolatl.interpreter.native.emit.statements.occurrences import count_planes
from chocolatl.interpreter.native.emit.values_and_rankings.zones import vector_intrinsic
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.native.vector.formulas import lanes_of
from chocolatl.interpreter.native.vector.promotion import (
    lane_words,
    number_lanes,
    number_rows,
    set_lane_words,
    set_number_rows,
)


def add_to_row(context: EmitContext, zone: ir.Zone, content: list[str]) -> None:
    lanes, pointers, tag = lanes_of(context, zone)
    held = planes.united(lanes, [lanes.load(pointer, tag) for pointer in pointers], content)
    for plane, pointer in zip(held, pointers, strict=False):  # what there is no plane for is not there
        lanes.store(plane, pointer, tag)


def vector_choose(context: EmitContext, s: ir.ChooseSet, player: ir.Local) -> None:
    """A choice of components by all players; where one has too few, the game has failed."""
    f, count = context.f, fixed(s)
    assert count is not None and isinstance(s.source, ir.FieldZone)
    held = s.source.field.key in context.promoted_zones
    kinds, taken = (taken_from_words if held else taken_from_rows)(context, s.source, count)
    fine, bad = f.block(), f.block()
    f.branch(f.compare("ne", reduce(partial(lower_of, context), kinds), "0"), fine, bad)
    f.begin(bad)
    fail_unanswered(context, s)
    f.begin(fine)
    count_decision(context, context.game.player_count)
    if context.occurrences is not None:
        lanes, _, _ = lanes_of(context, s.source)
        for seat, chosen in enumerate(zip(*map(lanes.split, taken), strict=True)):
            set_local(context, player, str(seat))
            count_planes(context, s, list(chosen))
    add_to_row(context, s.target, taken)


def taken_from_words(context: EmitContext, zone: ir.FieldZone, count: int) -> tuple[list[str], list[str]]:
    """So many components from everybody's own zone: the kinds that each has had to choose from at last, and what
    all have taken, in rows."""
    f, (lanes, pointers, _) = context.f, lanes_of(context, zone)
    left, taken, kinds = lane_words(context, zone), ["0"] * len(pointers), [""] * lanes.count
    for _ in range(count):
        kinds = [planes.present(f, own) for own in left]
        bits = [drawn_bit(context, *each) for each in zip(kinds, vector_draw(context), strict=True)]
        left = [planes.without(f, own, bit) for own, bit in zip(left, bits, strict=True)]
        taken = planes.with_one(lanes, taken, lanes.gathered(bits))
    set_lane_words(context, zone, left)
    return kinds, taken


def taken_from_rows(context: EmitContext, zone: ir.FieldZone, count: int) -> tuple[list[str], list[str]]:
    """The same where nothing is held, with fewer instructions: components are moved at once, and what a number
    stands for is looked for in each lane."""
    f, (lanes, pointers, tag) = context.f, lanes_of(context, zone)
    left = [lanes.load(pointer, tag) for pointer in pointers]
    taken = ["0"] * len(left)
    kinds, last, bits = [""] * lanes.count, [""] * lanes.count, [""] * lanes.count
    for number in range(count):
        if number % 2 == 0:
            kinds = lanes.split(planes.present(lanes, left))
            last = lanes.split(single_copies(lanes, left)) if number + 1 < count else last
        else:  # known sooner than what is left is put together
            gone = [f.both(bit, single) for bit, single in zip(bits, last, strict=True)]
            kinds = [f.differing(*each) for each in zip(kinds, gone, strict=True)]
        bits = [drawn_bit(context, *each) for each in zip(kinds, vector_draw(context), strict=True)]
        bit = lanes.gathered(bits)
        left, taken = planes.without(lanes, left, bit), planes.with_one(lanes, taken, bit)
    for plane, pointer in zip(left, pointers, strict=True):
        lanes.store(plane, pointer, tag)
    return kinds, taken


def single_copies(lanes: Lanes, held: list[str]) -> str:
    """The kinds of which there is one copy."""
    several = planes.present(lanes, held[1:]) if held[1:] else "0"
    return lanes.both(held[0], lanes.differing(several, lanes.splat(-1))) if several != "0" else held[0]


def drawn_bit(context: EmitContext, kinds: str, number: str) -> str:
    """The kind that a random number of 32 bits stands for."""
    f = context.f
    product = f.op(f"mul i64 {number}, {f.op(f'call i64 @llvm.ctpop.i64(i64 {kinds})')}")
    return f.op(f"call i64 @nth_set(i64 {kinds}, i64 {f.op(f'lshr i64 {product}, 32')})")


def lower_of(context: EmitContext, a: str, b: str) -> str:
    context.intrinsics.add("declare i64 @llvm.umin.i64(i64, i64)")
    return context.f.op(f"call i64 @llvm.umin.i64(i64 {a}, i64 {b})")


def vector_draw(context: EmitContext) -> list[str]:
    """The next number of each player, as `below` in `chocolatl.interpreter.native.emit.support` draws one."""
    lanes = number_lanes(context)
    a, b, c, d = number_rows(context)

    def turned(value: str, by: int) -> str:
        return vector_intrinsic(context, "fshl", lanes, value, value, lanes.splat(by))

    result = lanes.op("add", turned(lanes.op("add", a, d), 7), a)
    c, d = lanes.op("xor", c, a), lanes.op("xor", d, b)
    up = lanes.op("shl", b, lanes.splat(9))
    set_number_rows(context, [lanes.op("xor", a, d), lanes.op("xor", b, c), lanes.op("xor", c, up), turned(d, 11)])
    return lanes.split(result)
