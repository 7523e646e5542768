"""Checks while a game runs, and which may be left out since they cannot fail (range checks and their elimination).

A check that fails notes its site, if it is the first to fail, and goes on with some value of the right type. All loops
being bounded, a game that has failed still comes to its end; whoever drives it asks afterwards.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.llvm.text import constant
from chocolatl.interpreter.source import Span


def add_site(context: EmitContext, span: Span, message: str) -> int:
    return context.sites.add(span, message)


def fail(context: EmitContext, site: int, value: str = "0") -> None:
    context.f.do(f"call void @fail(ptr %s, i64 {site}, i64 {value})")


def value_or_failure(
    context: EmitContext, fine: str, value: str, instead: int, site: int, told: str | None = None
) -> str:
    """A value if a condition holds, else a failure and another value."""
    f = context.f
    if fine == "true":
        return value
    if fine == "false":  # that is known already, so nothing has to be decided
        fail(context, site, told if told is not None else value)
        return str(instead)
    bad, good = f.block(), f.block()
    before = f.current
    f.branch(fine, good, bad)
    f.begin(bad)
    fail(context, site, told if told is not None else value)
    f.goto(good)
    f.begin(good)
    return f.op(f"phi i64 [{value}, %{before}], [{instead}, %{bad}]")


def checked_within(context: EmitContext, value: str, known: tuple[int, int], low: int, high: int, site: int) -> str:
    """A value checked against bounds, as far as what is known of it does not prove them."""
    f = context.f
    if context.closely:
        known = (-(2**63), 2**63 - 1)
    number = constant(value)
    if number is not None:
        known = (number, number)
    if known[0] >= low and known[1] <= high:
        return value
    if known[0] >= low:
        fine = f.compare("sle", value, str(high))
    elif known[1] <= high:
        fine = f.compare("sge", value, str(low))
    else:
        lowest = f.op(f"sub i64 {value}, {low}")
        fine = f.compare("ule", lowest, str(max(high - low, 0)))
    return value_or_failure(context, fine, value, low, site)


def can_fail(context: EmitContext, e: ir.Expression | None) -> bool:
    """Whether computing an expression may fail; if not, it need not be computed once the answer is known."""
    return e is not None and (context.closely or context.failures.can_fail(e))
