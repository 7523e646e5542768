"""Statements that change numbers and sets: assignments, points, values that come into a set and leave it (stores).

What a statement reads is computed in the order in which the interpreter does so: of two parts that fail, the first one
is told.
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import SetChange
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.native.emit.checks import add_site, checked_within, fail, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import check_set_size
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address, note_origin, tag_of_field
from chocolatl.interpreter.native.emit.values_and_rankings.zones import count_at, kind_of, zone_address
from chocolatl.interpreter.native.llvm.regions import Region
from chocolatl.interpreter.program.types import Scalar

NOT_THERE = "this is not in the set, so it cannot be removed"


def emit_set_local(context: EmitContext, s: ir.SetLocal) -> None:
    assert isinstance(s.local.type, Scalar)
    set_local(context, s.local, checked(context, s.value, s.local.type, f"`{s.local.name}`"))
    note_origin(context, s.local, ir.LocalZone(s.local, s.span))


def emit_store(context: EmitContext, s: ir.Store) -> None:
    target, field = s.target, s.target.field
    assert isinstance(field.type, Scalar)
    new = checked(context, s.value, field.type, f"`{field.name}`")
    pointer, shape, tag = field_address(context, field, target.owner, target.indices)
    context.f.store(new, pointer, shape.unit, tag)
    ask_latches(context, field, owner=target.owner)


def emit_award(context: EmitContext, s: ir.Award) -> None:
    f, field = context.f, s.target.field
    score = field.type
    assert isinstance(score, Scalar) and s.target.owner is not None
    breakdown = context.layout.places["player", "breakdown"]
    items = breakdown.cells // breakdown.field.owners
    player = checked(context, s.target.owner, context.game.domains["player"].type, "the player")
    if len(s.names) > 1:
        item = table_entry(context, s.names, emit(context, s.item))
    else:
        item = str(s.names[0])
    amount = emit(context, s.amount)
    least = emit(context, s.least) if s.least is not None else None
    most = emit(context, s.most) if s.most is not None else None
    run = context.memory.places[field.key]
    base, shape = run.offset, run.shape
    pointer = f.element(f.part("%s", base, run.meant), player, shape.unit, Region(shape.kind, shape.size))
    old = f.load(pointer, shape.unit, tag_of_field(context, field))
    new = f.add(old, amount)
    new = f.minimum(new, most) if most is not None else new
    new = f.maximum(new, least) if least is not None else new
    site = add_site(context, s.span, f"`{field.name}` becomes {{}}, outside of {score}")
    known = (-(2**63), 2**63 - 1)
    new = checked_within(context, new, known, score.low, score.high, site)
    f.store(new, pointer, shape.unit, tag_of_field(context, field))
    run = context.memory.places[breakdown.field.key]
    base, shape = run.offset, run.shape
    entry = f.add(f.mul(player, str(items)), item)
    pointer = f.element(f.part("%s", base, run.meant), entry, shape.unit, Region(shape.kind, shape.size))
    tag = tag_of_field(context, breakdown.field)
    points = breakdown.field.type
    assert isinstance(points, Scalar)
    # What wraps around comes out beyond the range, too.
    total = f.op(f"add i64 {f.load(pointer, shape.unit, tag)}, {f.sub(new, old)}")
    beyond = add_site(context, s.span, complaints.outside_of_source(points))
    f.store(
        checked_within(context, total, (-context.paid, context.paid), *points.bounds, beyond), pointer, shape.unit, tag
    )
    ask_latches(context, field, owner=s.target.owner)


def emit_change_set(context: EmitContext, s: ir.ChangeSet) -> None:
    change = change_short if ir.set_type(s.zone).short else change_counts
    match s.how:
        case SetChange.CLEAR:
            pointer, shape, _ = zone_address(context, s.zone)
            context.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {shape.size}, i1 false)")
        case SetChange.ADD:
            change(context, s, adds=True)
        case SetChange.REMOVE:
            change(context, s, adds=False)
        case _:
            assert_never(s.how)
    ask_latches(context, ir.field_of(s.zone))


def change_short(context: EmitContext, s: ir.ChangeSet, adds: bool) -> None:
    """One value more or less in a short set."""
    f, type_ = context.f, ir.set_type(s.zone)
    assert s.element is not None
    pointer, _, _ = zone_address(context, s.zone)
    value = checked(context, s.element, type_.element, "this")
    bad, good, after = f.block(), f.block(), f.block()
    if adds:
        site = add_site(context, s.span, f"this set holds up to {type_.most} values, and it is full")
        f.branch(f.compare("slt", f.load(pointer), str(type_.most)), good, bad)
        f.begin(good)
        f.do(f"call void @short_add(ptr {pointer}, i64 {value})")
        f.goto(after)
    else:
        site = add_site(context, s.span, NOT_THERE)
        f.branch(f.op(f"call i1 @short_remove(ptr {pointer}, i64 {value})"), after, bad)
    f.begin(bad)
    fail(context, site)
    f.begin(after)


def change_counts(context: EmitContext, s: ir.ChangeSet, adds: bool) -> None:
    """One value more or less in a set that counts them."""
    f = context.f
    assert s.element is not None
    pointer, shape, tag = zone_address(context, s.zone)
    kind = kind_of(context, s.element, s.zone)
    pointer = count_at(context, pointer, shape, kind)
    count = f.load_count(pointer, shape.unit, tag)
    if not adds:
        site = add_site(context, s.span, NOT_THERE)
        count = value_or_failure(context, f.compare("ne", count, "0"), count, 1, site)
    f.store(f.add(count, "1") if adds else f.sub(count, "1"), pointer, shape.unit, tag)
    check_set_size(context, s.zone)
