"""Decisions about several elements of a set: a size if there is a choice of sizes, then one element after the other
(sampling without replacement)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.checks import add_site
from chocolatl.interpreter.native.emit.context import EmitContext, MovedCards, NotedStop
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.statements.events import (
    chooser,
    count_decision,
    draw_below,
    fail_unanswered,
    note_list,
    stream_of,
)
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import check_set_size, move_one
from chocolatl.interpreter.native.emit.statements.occurrences import count_list
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_kind
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import known_bottom
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import (
    content_size,
    count_at,
    present_kinds,
    zone_address,
)
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.regions import Access

UNROLLED = 4
"""So many draws in a row are written one after the other."""


def fixed(s: ir.ChooseSet) -> int | None:
    """How many are to be chosen, if that is known beforehand."""
    if isinstance(s.least, ir.Constant) and isinstance(s.most, ir.Constant) and s.least.value == s.most.value:
        return s.most.value
    return None


def choose_values(context: EmitContext, s: ir.ChooseSet, stop: NotedStop) -> None:
    room = max(1, most_of_set(ir.set_type(s.source), context.game))
    array = context.f.variable(f"[{room} x i64]", Access.DRAWN)
    count = draw_several(context, s, array)
    keep_values(context, s, stop, array, count, room)


def keep_values(context: EmitContext, s: ir.ChooseSet, stop: NotedStop, array: str, count: str, room: int) -> None:
    """An answer lies in an array: it is counted, noted and stored."""
    count_decision(context)
    count_list(context, s, array, count)
    note_list(context, stop, chooser(context, s), s.indices, array, count, room)
    store_several(context, s, array, count)


def draw_several(context: EmitContext, s: ir.ChooseSet, array: str) -> str:
    """A uniform size first when there is a choice of sizes; then each draw uniform among the remaining kinds.

    The elements go into the array, as positions among the kinds; gives back how many."""
    f = context.f
    stream = stream_of(context, chooser(context, s))
    room = max(1, most_of_set(ir.set_type(s.source), context.game))
    left, shape = choosable(context, s)
    taken = f.variable()
    f.store("0", taken)
    count, end = how_many(context, s, stream, content_size(context, left, shape, ""))
    if shape.padded <= CHUNK:
        take_bits(context, left, shape, stream, array, count)
    else:
        take_listed(context, left, shape, stream, array, count, room)
    f.store(count, taken)
    f.begin(end)
    return f.load(taken)


def choosable(context: EmitContext, s: ir.ChooseSet) -> tuple[str, Shape]:
    """A copy of the counts of what can be chosen, and how it is laid out."""
    f = context.f
    source, shape, tag = zone_address(context, s.source)
    left = f.variable(f"[{shape.padded} x {shape.unit}]", Access.LOCAL_SET)
    if s.where is None:
        copy_counts(context, source, left, shape, tag)
    else:
        f.do(f"call void @llvm.memset.p0.i64(ptr {left}, i8 0, i64 {shape.size}, i1 false)")
        low = ir.set_type(s.source).element.low
        with each_kind(context, source, shape, tag) as loop:
            set_local(context, s.element, f.add(loop.value, str(low)))
            fitting = f.block()
            f.branch(emit_condition(context, s.where), fitting, loop.next)
            f.begin(fitting)
            f.store(loop.copies, count_at(context, left, shape, loop.value), shape.unit)
    return left, shape


def how_many(
    context: EmitContext, s: ir.ChooseSet, stream: str, total: str, draw: Callable[[str, str], str] | None = None
) -> tuple[str, str]:
    """How many elements to choose of so many; and a block to go on in, to which it comes if that cannot be. All numbers
    are as likely, unless `draw` draws one between two.

    The IR promises that neither bound is below 0. So what is given back is a number from 0 to `total`: the room
    that answers have."""
    f = context.f
    least, most = emit(context, s.least), emit(context, s.most)
    fine, bad, end = f.block(), f.block(), f.block()
    number = fixed(s)
    most = total if number is not None else f.minimum(most, total)
    f.branch(f.compare("sle", least, most), fine, bad)
    f.begin(bad)
    fail_unanswered(context, s)
    f.goto(end)
    f.begin(fine)
    if number is not None:
        return str(number), end
    count = f.variable()
    f.store(most, count)
    open_, sized = f.block(), f.block()
    f.branch(f.compare("slt", least, most), open_, sized)
    f.begin(open_)
    if draw is None:
        f.store(f.add(least, draw_below(context, stream, f.add(f.sub(most, least), "1"))), count)
    else:
        f.store(draw(least, most), count)
    f.begin(sized)
    return f.load(count), end


def copy_counts(context: EmitContext, source: str, target: str, shape: Shape, tag: str) -> None:
    f = context.f
    if shape.is_wide:
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {shape.size}, i1 false)")
        return
    content = f.op(f"load {shape.vector}, ptr {source}, align {shape.alignment}{tag}")
    f.do(f"store {shape.vector} {content}, ptr {target}, align {shape.alignment}")


def take_bits(context: EmitContext, left: str, shape: Shape, stream: str, array: str, count: str) -> None:
    f = context.f
    unit: str = shape.unit
    word = f.variable()
    f.store(present_kinds(context, left, shape, ""), word)
    with counting(context, "0", f.sub(count, "1")) as loop:
        kinds = f.load(word)
        drawn = draw_below(context, stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
        kind = f.op(f"call i64 @nth_bit(i64 {kinds}, i64 {drawn})")
        f.store(kind, f.element(array, loop.value))
        pointer = count_at(context, left, shape, kind)
        rest = f.sub(f.load_count(pointer, unit), "1")
        f.store(rest, pointer, unit)
        gone = f.widen(f.compare("eq", rest, "0"))
        f.store(f.op(f"xor i64 {kinds}, {f.op(f'shl i64 {gone}, {kind}')}"), word)


def take_listed(context: EmitContext, left: str, shape: Shape, stream: str, array: str, count: str, room: int) -> None:
    """The same for many kinds: those that are left are a list."""
    f = context.f
    unit: str = shape.unit
    listed, number = f.variable(f"[{shape.padded} x i64]", Access.LIST), f.variable()
    f.store("0", number)
    with each_kind(context, left, shape, "") as loop:
        at = f.load(number)
        f.store(loop.value, f.element(listed, at))
        f.store(f.add(at, "1"), number)
    with counting(context, "0", f.sub(count, "1")) as loop:
        place = draw_below(context, stream, f.load(number))
        slot = f.element(listed, place)
        kind = f.load(slot)
        f.store(kind, f.element(array, loop.value))
        pointer = count_at(context, left, shape, kind)
        rest = f.sub(f.load_count(pointer, unit), "1")
        f.store(rest, pointer, unit)
        last, kept = f.block(), f.block()
        f.branch(f.compare("eq", rest, "0"), last, kept)
        f.begin(last)
        fewer = f.change(number, "-1")
        size = f.mul(f.sub(fewer, place), "8")
        f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {slot}, ptr {f.element(slot, '1')}, i64 {size}, i1 false)")
        f.begin(kept)


def store_several(context: EmitContext, s: ir.ChooseSet, array: str, count: str) -> None:
    site = add_site(context, s.span, "this is not there to be moved")
    for zone in (s.source, s.target):
        if context.failures.can_fail(zone):  # even if nothing is moved
            zone_address(context, zone)
    f, last = context.f, context.f.sub(count, "1")

    def each(put: Callable[[str], None]) -> None:
        f.do(f"call void @sort(ptr {array}, i64 {count})")
        with counting(context, "0", last) as loop:
            put(f.load(f.element(array, loop.value)))

    one_by_one = known_bottom(context, s.source) is not None
    if not one_by_one:
        context.build.moved(context, MovedCards(s.source, s.target, each))
    elif context.build.journals:
        f.do(f"call void @sort(ptr {array}, i64 {count})")
    with counting(context, "0", last) as loop:
        kind = f.load(f.element(array, loop.value))
        move_one(context, kind, s.source, s.target, site, alone=one_by_one)
    check_set_size(context, s.target)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))
