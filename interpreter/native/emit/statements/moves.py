"""Statements that move components: from zone to zone, into a deck and under it (multiset arithmetic on bit planes or on
vectors of counts)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import add_site, checked_within, fail
from chocolatl.interpreter.native.emit.context import EmitContext, MovedCards
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_kind
from chocolatl.interpreter.native.emit.values_and_rankings.fields import known_bottom, note_origin
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import (
    content_size,
    copies_of,
    count_at,
    kind_of,
    zone_address,
)
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.program.model import MANY


def forget_move(context: EmitContext, moved: MovedCards) -> None:
    """Nobody asks what players remember of the game."""


def move_one(
    context: EmitContext, kind: str, source: ir.Zone, target: ir.Zone, site: int, to_bottom: bool = False,
    alone: bool = True,
) -> None:  # fmt: skip
    """One component from a zone to another; a known bottom of the source follows. It is not noted alone, if it moves
    together with others."""
    f = context.f
    there, absent, after = f.block(), f.block(), f.block()
    giving, shape, tag = zone_address(context, source)
    taking = zone_address(context, target)
    f.branch(f.compare("ne", copies_of(context, giving, shape, tag, kind), "0"), there, absent)
    f.begin(absent)
    fail(context, site)
    f.goto(after)
    f.begin(there)
    take_one(context, giving, shape, tag, kind)
    if not to_bottom:  # what comes back into the same deck has not left it, unless it is put under it
        put_one(context, *taking, kind)
    under, how = known_bottom(context, source), "0"
    if under is not None:
        left = copies_of(context, giving, shape, tag, kind)
        how = f.op(f"call i64 @take_under(ptr {under}, i64 {kind}, i64 {left})")
    if to_bottom:  # only what has come there: so a bottom has room for all that it can hold
        put_one(context, *taking, kind)
        f.do(f"call void @put_under(ptr {known_bottom(context, target)}, i64 {kind})")
        how = f.select(f.compare("ne", how, "0"), f.sub("0", how), "1")
    if alone:
        context.build.moved(context, MovedCards(source, target, lambda put: put(kind), how, to_bottom))
    f.goto(after)
    f.begin(after)


def take_one(context: EmitContext, pointer: str, shape: Shape, tag: str, kind: str) -> None:
    """One less of a kind, which is there."""
    f = context.f
    if shape.planes:
        left = planes.without(f, planes.load(f, pointer, shape, tag), f.op(f"shl i64 1, {kind}"))
        planes.store(f, left, pointer, shape, tag)
    else:
        at = count_at(context, pointer, shape, kind)
        f.store(f.sub(f.load_count(at, shape.unit, tag), "1"), at, shape.unit, tag)


def put_one(context: EmitContext, pointer: str, shape: Shape, tag: str, kind: str) -> None:
    """One more of a kind."""
    f = context.f
    if shape.planes:
        held = planes.with_one(f, planes.load(f, pointer, shape, tag), f.op(f"shl i64 1, {kind}"))
        planes.store(f, held, pointer, shape, tag)
    else:
        at = count_at(context, pointer, shape, kind)
        f.store(f.add(f.load_count(at, shape.unit, tag), "1"), at, shape.unit, tag)


def empty_zone(context: EmitContext, pointer: str, shape: Shape, tag: str) -> None:
    """Nothing lies in a zone any more."""
    if shape.planes:
        planes.store(context.f, ["0"] * shape.planes, pointer, shape, tag)
    elif shape.is_wide:
        context.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {shape.size}, i1 false)")
    else:
        context.f.do(f"store {shape.vector} zeroinitializer, ptr {pointer}, align {shape.alignment}{tag}")


def emit_move_element(context: EmitContext, s: ir.MoveElement) -> None:
    kind = kind_of(context, s.element, s.source)
    move_one(context, kind, s.source, s.target, add_site(context, s.span, "this is not there to be moved"), s.under)
    if isinstance(s.element, ir.Read):
        note_origin(context, s.element.local, s.target)
    check_set_size(context, s.target)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


def emit_move_all(context: EmitContext, s: ir.MoveAll) -> None:
    f = context.f
    giving, shape, tag = zone_address(context, s.source)
    under = known_bottom(context, s.source)
    note_all(context, s, under)
    content = [] if shape.is_wide else zone_content(context, giving, shape, tag)
    if not shape.is_wide:
        empty_zone(context, giving, shape, tag)
    if under is not None:
        size = f.op(f"load i32, ptr {under}")
        size = f.op(f"zext i32 {size} to i64")
        size = f.mul(f.add(size, "1"), "4")
        f.do(f"call void @llvm.memset.p0.i64(ptr {under}, i8 0, i64 {size}, i1 false)")
    taking = zone_address(context, s.target)
    if shape.is_wide:
        pour_wide(context, (giving, shape, tag), taking)
    else:
        add_content(context, *taking, content)
    check_set_size(context, s.target)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


def note_all(context: EmitContext, s: ir.MoveAll, under: str | None) -> None:
    """All of a zone is about to move. Of a deck, the known bottom comes first."""
    f = context.f
    pointer, shape, tag = zone_address(context, s.source)

    def each(put: Callable[[str], None]) -> None:
        known = "0" if under is None else f.load(under, "i32")
        if under is not None:
            with counting(context, "1", known) as place:
                put(f.load(f.element(under, place.value, "i32"), "i32"))
        with each_kind(context, pointer, shape, tag) as loop:
            left = f.variable()
            f.store(loop.copies, left)
            if under is not None:
                with counting(context, "1", known) as place:
                    same = f.compare("eq", f.load(f.element(under, place.value, "i32"), "i32"), loop.value)
                    f.change(left, f.sub("0", f.widen(same)))
            with counting(context, "1", f.load(left)):
                put(loop.value)

    context.build.moved(context, MovedCards(s.source, s.target, each, "-1", under is not None))


def pour_wide(context: EmitContext, giving: tuple[str, Shape, str], taking: tuple[str, Shape, str]) -> None:
    """All of a zone into another, some kinds at a time: LLVM has no vectors of thousands of counts. Poured into
    itself, a zone stays as it is."""
    f, (source, shape, tag), (target, _, other) = context.f, giving, taking
    part = f"<{CHUNK} x {shape.unit}>"
    with counting(context, "0", str(shape.padded // CHUNK - 1)) as chunk:
        places = [f.op(f"getelementptr {part}, ptr {start}, i64 {chunk.value}") for start in (source, target)]
        moved = f.op(f"load {part}, ptr {places[0]}, align {shape.alignment}{tag}")
        f.do(f"store {part} zeroinitializer, ptr {places[0]}, align {shape.alignment}{tag}")
        held = f.op(f"load {part}, ptr {places[1]}, align {shape.alignment}{other}")
        both = f.op(f"add {part} {held}, {moved}")
        f.do(f"store {part} {both}, ptr {places[1]}, align {shape.alignment}{other}")


def zone_content(context: EmitContext, pointer: str, shape: Shape, tag: str) -> list[str]:
    """All that lies in a zone: its planes, or one vector of counts."""
    if shape.planes:
        return planes.load(context.f, pointer, shape, tag)
    return [context.f.op(f"load {shape.vector}, ptr {pointer}, align {shape.alignment}{tag}")]


def add_content(context: EmitContext, pointer: str, shape: Shape, tag: str, content: list[str]) -> None:
    f, held = context.f, zone_content(context, pointer, shape, tag)
    if shape.planes:
        planes.store(f, planes.united(f, held, content), pointer, shape, tag)
    else:
        both = f.op(f"add {shape.vector} {held[0]}, {content[0]}")
        f.do(f"store {shape.vector} {both}, ptr {pointer}, align {shape.alignment}{tag}")


def check_set_size(context: EmitContext, zone: ir.Zone) -> None:
    """Components cannot become more; of plain values, such as dice, a set holds no more than `MANY`. Lists of them
    have no more room than that: so too many are gone when that has been told."""
    if ir.set_type(zone).element.family in context.game.totals:
        return
    f, (pointer, shape, tag) = context.f, zone_address(context, zone)
    site = add_site(context, zone.span, f"a set holds at most {MANY} values, and this would be {{}}")
    size, good, bad = content_size(context, pointer, shape, tag), f.block(), f.block()
    f.branch(f.compare("sle", size, str(MANY)), good, bad)
    f.begin(bad)
    fail(context, site, size)
    empty_zone(context, pointer, shape, tag)
    f.begin(good)


def emit_copy_zone(context: EmitContext, s: ir.CopyZone) -> None:
    f = context.f
    source, shape, _ = zone_address(context, s.source)
    if shape.most >= 0:
        room = ir.set_type(s.target).most or 0
        site = add_site(context, s.span, f"this set holds up to {room} values, and these are {{}}")
        count = checked_within(context, f.load(source), (0, 2**31), 0, room, site)
        target, _, _ = zone_address(context, s.target)
        size = f.mul(f.add(count, "1"), "8")
        f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")
        f.store(count, target)
    else:
        target, _, _ = zone_address(context, s.target)
        f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {shape.size}, i1 false)")
    ask_latches(context, ir.field_of(s.target))
