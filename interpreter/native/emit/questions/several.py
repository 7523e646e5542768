"""Decisions about several elements of a set: a size if there is a choice of sizes, then one element after the other
(sampling without replacement)."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.checks import add_site
from chocolatl.interpreter.native.emit.context import EmitContext, NotedStop
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.events import (
    chooser,
    count_decision,
    draw_below,
    fail_unanswered,
    note_list,
    stream_of,
)
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import add_content, check_set_size, move_one
from chocolatl.interpreter.native.emit.statements.occurrences import count_list, count_planes
from chocolatl.interpreter.native.emit.values.elements import each_kind
from chocolatl.interpreter.native.emit.values.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values.fields import known_bottom
from chocolatl.interpreter.native.emit.values.loops import counting, each_bit
from chocolatl.interpreter.native.emit.values.zones import content_size, count_at, present_kinds, zone_address
from chocolatl.interpreter.native.layout import bit_planes as planes
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
    count_decision(context)
    count_list(context, s, array, count)
    note_list(context, stop, chooser(context, s), s.indices, array, count, room)
    store_several(context, s, array, count)


def draw_several(context: EmitContext, s: ir.ChooseSet, array: str) -> str:
    """A uniform size first when there is a choice of sizes; then each draw uniform among the remaining kinds.

    The elements go into the array, as positions among the kinds; gives back how many."""
    f = context.f
    stream = stream_of(context, chooser(context, s))
    source, shape, tag = zone_address(context, s.source)
    room = max(1, most_of_set(ir.set_type(s.source), context.game))
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


def how_many(context: EmitContext, s: ir.ChooseSet, stream: str, total: str) -> tuple[str, str]:
    """How many elements to choose of so many; and a block to go on in, to which it comes if that cannot be.

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
    f.store(f.add(least, draw_below(context, stream, f.add(f.sub(most, least), "1"))), count)
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
    with counting(context, "0", context.f.sub(count, "1")) as loop:
        kind = context.f.load(context.f.element(array, loop.value))
        move_one(context, kind, s.source, s.target, site)
    check_set_size(context, s.target)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


def choose_components(context: EmitContext, s: ir.ChooseSet, stop: NotedStop) -> None:
    """The same where a zone is planes of bits: what is taken is a zone as well, and is moved as a whole."""
    f = context.f
    stream = stream_of(context, chooser(context, s))
    pointer, shape, tag = zone_address(context, s.source)
    held = planes.load(f, pointer, shape, tag)
    left = held if s.where is None else fitting_planes(context, s, s.where, held)
    chosen, rest = take_fixed(context, s, stream, left) or take_counted(context, s, stream, left)
    count_decision(context)
    count_planes(context, s, chosen)
    note_planes(context, stop, s, chosen)
    if s.where is not None:
        rest = planes.less(f, held, chosen)
    planes.store(f, rest, pointer, shape, tag)
    add_content(context, *zone_address(context, s.target), chosen)
    shrink_bottom(context, s.source, chosen)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


def shrink_bottom(context: EmitContext, source: ir.Zone, chosen: list[str]) -> None:
    """A deck's known bottom follows what was taken: it never holds more of a kind than is left. What was put back
    into the same deck has not left it."""
    f, under = context.f, known_bottom(context, source)
    if under is None:
        return
    rest = planes.load(f, *zone_address(context, source))
    with each_bit(context, planes.present(f, chosen)) as loop:
        left = planes.count(f, rest, loop.value)
        with counting(context, "1", planes.count(f, chosen, loop.value)):
            f.do(f"call void @take_under(ptr {under}, i64 {loop.value}, i64 {left})")


UNROLLING = Pass(
    "unrolled draws", f"So many components are chosen always, {UNROLLED} at most: one draw is written after the other."
)


@UNROLLING.function
def take_fixed(
    context: EmitContext, s: ir.ChooseSet, stream: str, left: list[str]
) -> tuple[list[str], list[str]] | None:
    """So many, one after the other: what was taken and what is left. If the last was there, all were."""
    count = fixed(s)
    if count is None or not 0 < count <= UNROLLED:
        return None
    f, taken, kinds = context.f, ["0"] * len(left), "0"
    for _ in range(count):
        bit, kinds = draw_kind(context, stream, left)
        left, taken = planes.without(f, left, bit), planes.with_one(f, taken, bit)
    fine, bad = f.block(), f.block()
    f.branch(f.compare("ne", kinds, "0"), fine, bad)
    f.begin(bad)
    fail_unanswered(context, s)
    f.begin(fine)
    return taken, left


def take_counted(context: EmitContext, s: ir.ChooseSet, stream: str, left: list[str]) -> tuple[list[str], list[str]]:
    """As many as shows only in the game."""
    f = context.f
    variables = [f.variable() for _ in range(2 * len(left))]
    taken, rest = variables[: len(left)], variables[len(left) :]

    def keep(variables: list[str], content: list[str]) -> None:
        for variable, plane in zip(variables, content, strict=True):
            f.store(plane, variable)

    def kept(variables: list[str]) -> list[str]:
        return [f.load(variable) for variable in variables]

    keep(taken, ["0"] * len(left))
    keep(rest, left)
    count, end = how_many(context, s, stream, planes.size(f, left))
    with counting(context, "1", count):
        bit, _ = draw_kind(context, stream, kept(rest))
        keep(rest, planes.without(f, kept(rest), bit))
        keep(taken, planes.with_one(f, kept(taken), bit))
    f.begin(end)
    return kept(taken), kept(rest)


def fitting_planes(context: EmitContext, s: ir.ChooseSet, where: ir.Expression, held: list[str]) -> list[str]:
    """The part of a zone that may be chosen."""
    f, mask = context.f, context.f.variable()
    f.store("0", mask)
    with each_bit(context, planes.present(f, held)) as loop:
        set_local(context, s.element, f.add(loop.value, str(ir.set_type(s.source).element.low)))
        legal = f.op(f"shl i64 {f.widen(emit_condition(context, where))}, {loop.value}")
        f.store(f.op(f"or i64 {f.load(mask)}, {legal}"), mask)
    legal = f.load(mask)
    return [f.op(f"and i64 {plane}, {legal}") for plane in held]


def draw_kind(context: EmitContext, stream: str, left: list[str]) -> tuple[str, str]:
    """One of the kinds that are left, each as likely as any other, as a bit; and these kinds."""
    kinds = planes.present(context.f, left)
    drawn = draw_below(context, stream, context.f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
    return context.f.op(f"call i64 @nth_set(i64 {kinds}, i64 {drawn})"), kinds


def note_planes(context: EmitContext, stop: NotedStop, s: ir.ChooseSet, chosen: list[str]) -> None:
    """An event of several components, by kind."""
    f = context.f

    def put(at: str) -> str:
        count = f.variable()
        f.store("0", count)
        with (
            each_bit(context, planes.present(f, chosen)) as loop,
            counting(context, "1", planes.count(f, chosen, loop.value)),
        ):
            number = f.load(count)
            f.store(loop.value, f.element(at, number))
            f.store(f.add(number, "1"), count)
        return f.load(count)

    room = max(1, most_of_set(ir.set_type(s.source), context.game))
    context.build.note(context, stop, chooser(context, s), s.indices, room, put)
