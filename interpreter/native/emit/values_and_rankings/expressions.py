"""IR expressions to LLVM: every value is an integer of 64 bits, every condition one bit (instruction selection).

What a kind of node becomes stands in the tables that the context holds
(`chocolatl.interpreter.native.emit.values_and_rankings.tables`).
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.native.emit.checks import add_site, checked_within
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.program.types import Scalar


def emit(context: EmitContext, e: ir.Expression) -> str:
    """An expression as a number."""
    e = context.fold(e)
    value = context.build.expressions.values[e.__class__](context, e)
    if context.closely and not isinstance(e, ir.Constant):
        site = add_site(context, e.span, "this is {}, outside of what was proved for it")
        return checked_within(context, value, (0, 0), *e.type.bounds, site)
    return value


def emit_condition(context: EmitContext, e: ir.Expression) -> str:
    """A yes/no expression as one bit."""
    e = context.fold(e)
    return context.build.expressions.conditions[e.__class__](context, e)


def is_nonzero(context: EmitContext, e: ir.Expression) -> str:
    """A condition that is computed as a number: 1 is yes."""
    return context.f.compare("ne", emit(context, e), "0")


def checked(context: EmitContext, e: ir.Expression, type_: Scalar, what: str) -> str:
    """A value that must be of a type; the check is left out where the ranges prove it."""
    value = emit(context, e)
    if type_.holds(e.type) and not context.closely:
        return value
    low, high = type_.bounds_for(e.type)
    written = context.written(e)
    site = add_site(context, written.span, complaints.outside(written, type_, what, context.game))
    return checked_within(context, value, e.type.bounds, low, high, site)


def emit_arguments(context: EmitContext, owner: ir.Value | ir.Ranking, given: tuple[ir.Expression, ...]) -> str:
    parts = ["ptr %s"]
    for parameter, argument in zip(owner.parameters, given, strict=True):
        assert isinstance(parameter.type, Scalar)
        parts.append(f"i64 {checked(context, argument, parameter.type, f'`{parameter.name}`')}")
    return ", ".join(parts)


def flat_index(
    context: EmitContext,
    indices: tuple[ir.Expression, ...],
    bounds: tuple[Scalar, ...],
    called: list[str] | None = None,
) -> str:
    """The number of a combination of indices, in row order."""
    f, position = context.f, "0"
    for index, bound, what in zip(indices, bounds, called or ["the index"] * len(indices), strict=True):
        value = f.sub(checked(context, index, bound, what), str(bound.low))
        position = f.add(f.mul(position, str(bound.size)), value)
    return position
