"""Addresses of fields in the state, and the tags by which LLVM knows what cannot lie in the same place (type-based
alias analysis)."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import FieldSlots, may_hold
from chocolatl.interpreter.native.emit.context import FIRST_FIELD, FRAMES, EmitContext
from chocolatl.interpreter.native.emit.frames import at_slot
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import flat_index
from chocolatl.interpreter.native.layout.memory import Shape, SlotRun
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import constant
from chocolatl.interpreter.program.model import Field


def cell_number(
    context: EmitContext, place: FieldSlots, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]
) -> str:
    """The number of a field's cell."""
    given = (() if owner is None else (owner,)) + indices
    bounds = (() if owner is None else (context.game.domains[owner.type.family].type,)) + place.field.indices
    return flat_index(context, given, bounds)


def field_address(
    context: EmitContext, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]
) -> tuple[str, Shape, str]:
    """A pointer to a field's cell, how it is laid out, and its tag."""
    place = context.layout.places[field.key]
    run = context.memory.places[field.key]
    base, shape = run.offset, run.shape
    if shape.lanes > 1:
        assert owner is not None
        lane = flat_index(context, (owner,), (context.game.domains[owner.type.family].type,))
        row = row_at(context, run, flat_index(context, indices, field.indices))
        meant = Region(shape.kind, shape.row // shape.lanes)
        return context.f.element(row, lane, shape.unit, meant), shape, tag_of_field(context, field)
    cell = cell_number(context, place, owner, indices)
    number = constant(cell)
    if number is not None:
        pointer = context.f.part("%s", base + number * shape.size, run.cell(number))
    else:
        start = context.f.part("%s", base, run.meant)
        pointer = context.f.op(f"getelementptr [{shape.size} x i8], ptr {start}, i64 {cell}")
        context.f.mean(pointer, Region(shape.kind, shape.size))
    return pointer, shape, tag_of_field(context, field)


def row_at(context: EmitContext, run: SlotRun, position: str) -> str:
    """Where the first plane of all owners lies, by the position of the indices."""
    start = context.f.part("%s", run.offset, run.meant)
    meant = Region(Access.PLANE_ROW, run.shape.row)
    return context.f.element(start, position, f"[{run.shape.lanes * run.shape.size} x i8]", meant)


def tag_of_field(context: EmitContext, field: Field) -> str:
    return f", !tbaa !{FIRST_FIELD + 2 * context.memory.fields[field.key]}"


def note_origin(context: EmitContext, local: ir.Local, zone: ir.Zone) -> None:
    """Note where what a local holds lies, if it is in a field, where locals outlive a decision."""
    slot = context.frame.lies.get(local.number) if context.frame is not None else None
    if slot is None:
        return
    number = "0"
    if isinstance(zone, ir.FieldZone) and zone.field.visibility != "open" and may_hold(local, zone.field):
        place = context.layout.places[zone.field.key]
        number = context.f.add(cell_number(context, place, zone.owner, zone.indices), str(1 + place.zone))
    context.f.store(number, at_slot(context, slot), tag=FRAMES)


def known_bottom(context: EmitContext, zone: ir.Zone) -> str | None:
    """A pointer to a deck's known bottom, None for a zone that has none."""
    if not isinstance(zone, ir.FieldZone) or zone.field.key not in context.layout.unders:
        return None
    place = context.layout.places[zone.field.key]
    cell = cell_number(context, place, zone.owner, zone.indices)
    width = context.layout.under_width(zone.field)
    under = context.memory.unders[zone.field.key]
    start = context.f.part("%s", under.offset or 0, under)
    return context.f.element(start, context.f.mul(cell, str(width)), "i32", Region(Access.UNDER, 4 * width))
