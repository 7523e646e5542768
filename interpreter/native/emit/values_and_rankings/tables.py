"""What each kind of expression becomes, as a number and as a condition: tables by node (dispatch tables)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import complete_nodes
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.native.emit.checks import add_site, checked_within, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext, ExpressionTables
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag
from chocolatl.interpreter.native.emit.values_and_rankings.aggregates import aggregate_condition, emit_aggregate
from chocolatl.interpreter.native.emit.values_and_rankings.arithmetic import (
    emit_arithmetic,
    emit_comparison,
    emit_conditional,
    emit_logic,
    emit_not,
)
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import emit_lookup
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import (
    emit,
    emit_arguments,
    emit_condition,
    flat_index,
    is_nonzero,
)
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address
from chocolatl.interpreter.native.emit.values_and_rankings.orders import emit_place_of, emit_rank_of
from chocolatl.interpreter.native.emit.values_and_rankings.zones import emit_zone_count, emit_zone_size


def emit_constant(context: EmitContext, e: ir.Constant) -> str:
    return str(e.value)


def emit_read(context: EmitContext, e: ir.Read) -> str:
    return context.f.load(local_pointer(context, e.local), tag=local_tag(context, e.local))


def emit_load(context: EmitContext, e: ir.Load) -> str:
    pointer, shape, tag = field_address(context, e.field, e.owner, e.indices)
    return context.f.load(pointer, shape.unit, tag)


def emit_joined(context: EmitContext, e: ir.Joined) -> str:
    domain = context.game.domains[e.type.family]
    return flat_index(context, e.parts, e.bounds, [complaints.part(domain, name) for name, _ in domain.parts])


def emit_part(context: EmitContext, e: ir.Part) -> str:
    f = context.f
    stride = prod(bound.size for bound in e.bounds[e.position + 1 :])
    whole = emit(context, e.whole)
    if stride > 1:
        whole = f.op(f"udiv i64 {whole}, {stride}")
    if e.position:
        whole = f.op(f"urem i64 {whole}, {e.bounds[e.position].size}")
    return f.add(whole, str(e.bounds[e.position].low))


def emit_required(context: EmitContext, e: ir.Required) -> str:
    value = emit(context, e.operand)
    if not e.operand.type.optional:
        return value
    site = add_site(context, e.span, complaints.absent(e.type, context.written(e.operand), context.game))
    fine = context.f.compare("ne", value, str(e.operand.type.none))
    return value_or_failure(context, fine, value, e.type.low, site)


def emit_narrowed(context: EmitContext, e: ir.Narrowed) -> str:
    site = add_site(context, e.span, complaints.narrowed(e))
    return checked_within(context, emit(context, e.operand), e.operand.type.bounds, e.type.low, e.type.high, site)


def emit_call_value(context: EmitContext, e: ir.CallValue) -> str:
    given = emit_arguments(context, context.game.values[e.name], e.arguments)
    return context.f.op(f"call i64 @value_{context.values[e.name]}({given})")


def emit_size(context: EmitContext, e: ir.ZoneSize) -> str:
    return emit_zone_size(context, e.zone)


def as_number(context: EmitContext, e: ir.Expression) -> str:
    """A condition as 1 or 0."""
    return context.f.widen(emit_condition(context, e))


def constant_condition(context: EmitContext, e: ir.Constant) -> str:
    return "true" if e.value else "false"


Emitted = Mapping[type, Callable[[EmitContext, Any], str]]

VALUES: Emitted = complete_nodes(
    ir.Expression,
    {
        ir.Constant: emit_constant,
        ir.Read: emit_read,
        ir.Load: emit_load,
        ir.Lookup: emit_lookup,
        ir.Joined: emit_joined,
        ir.Part: emit_part,
        ir.Arithmetic: emit_arithmetic,
        ir.Conditional: emit_conditional,
        ir.Required: emit_required,
        ir.Narrowed: emit_narrowed,
        ir.Aggregate: emit_aggregate,
        ir.ZoneSize: emit_size,
        ir.ZoneCount: emit_zone_count,
        ir.CallValue: emit_call_value,
        ir.PlaceOf: emit_place_of,
        ir.RankOf: emit_rank_of,
        ir.Comparison: as_number,
        ir.Logic: as_number,
        ir.Not: as_number,
    },
    __name__,
)

CONDITIONS: Emitted = complete_nodes(
    ir.Expression,
    {
        ir.Constant: constant_condition,
        ir.Comparison: emit_comparison,
        ir.Not: emit_not,
        ir.Logic: emit_logic,
        ir.Aggregate: aggregate_condition,
        ir.Read: is_nonzero,
        ir.Load: is_nonzero,
        ir.Lookup: is_nonzero,
        ir.Joined: is_nonzero,
        ir.Part: is_nonzero,
        ir.Arithmetic: is_nonzero,
        ir.Conditional: is_nonzero,
        ir.Required: is_nonzero,
        ir.Narrowed: is_nonzero,
        ir.ZoneSize: is_nonzero,
        ir.ZoneCount: is_nonzero,
        ir.CallValue: is_nonzero,
        ir.PlaceOf: is_nonzero,
        ir.RankOf: is_nonzero,
    },
    __name__,
)

EXPRESSIONS = ExpressionTables(VALUES, CONDITIONS)
