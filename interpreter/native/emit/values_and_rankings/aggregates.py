"""Formulas over elements: some, every, number, sum, highest, lowest (reductions, unrolled or looked up where that is
shorter than a loop)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.lowered.fold import known_elements
from chocolatl.interpreter.native.emit.checks import add_site, can_fail, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition, is_nonzero
from chocolatl.interpreter.native.emit.values_and_rankings.loops import ElementLoop
from chocolatl.interpreter.native.emit.values_and_rankings.zones import zone_address
from chocolatl.interpreter.native.layout import bit_planes as planes

LARGEST = 2**63 - 1


AT_ONCE = 10
"""So many kinds are looked up at once, in a table with all combinations of them."""


def emit_aggregate(context: EmitContext, e: ir.Aggregate) -> str:
    """A formula over elements as a number."""
    match e.kind:
        case AggregateKind.SOME | AggregateKind.EVERY:
            return context.f.widen(aggregate_condition(context, e))
        case AggregateKind.NUMBER | AggregateKind.SUM:
            return emit_total(context, e)
        case AggregateKind.HIGHEST:
            return emit_extreme(context, e, highest=True)
        case AggregateKind.LOWEST:
            return emit_extreme(context, e, highest=False)
        case _:
            assert_never(e.kind)


def aggregate_condition(context: EmitContext, e: ir.Aggregate) -> str:
    """The same as one bit."""
    match e.kind:
        case AggregateKind.SOME:
            return some_or_every(context, e, some=True)
        case AggregateKind.EVERY:
            return some_or_every(context, e, some=False)
        case AggregateKind.NUMBER | AggregateKind.SUM | AggregateKind.HIGHEST | AggregateKind.LOWEST:
            return is_nonzero(context, e)
        case _:
            assert_never(e.kind)


@contextmanager
def each_fitting(context: EmitContext, e: ir.Aggregate) -> Iterator[ElementLoop]:
    """A loop over the elements that a formula is about."""
    with each_element(context, e.domain, e.local) as loop:
        if e.where is not None:
            fitting = context.f.block()
            context.f.branch(emit_condition(context, e.where), fitting, loop.next)
            context.f.begin(fitting)
        yield loop


def emit_total(context: EmitContext, e: ir.Aggregate) -> str:
    f, weights = context.f, kind_weights(context, e)
    if weights is not None:
        assert isinstance(e.domain, ir.ZoneElements)
        held = planes.load(f, *zone_address(context, e.domain.zone))
        return planes.weighed(f, held, lambda plane: plane_weight(context, plane, weights))
    result = f.variable()
    f.store("0", result)
    with each_fitting(context, e) as loop:
        f.change(result, f.mul(loop.copies, emit(context, e.body) if e.body is not None else "1"))
    return f.load(result)


def emit_extreme(context: EmitContext, e: ir.Aggregate, highest: bool) -> str:
    f = context.f
    last = furthest(context, e, highest)
    if last is not None:
        return last
    assert e.body is not None
    result, nothing = f.variable(), -LARGEST if highest else LARGEST
    best = f.maximum if highest else f.minimum
    f.store(str(nothing), result)
    with each_fitting(context, e):
        body = emit(context, e.body)
        f.store(best(f.load(result), body), result)
    return if_any(context, e, f.load(result), nothing)


def if_any(context: EmitContext, e: ir.Aggregate, found: str, nothing: int) -> str:
    """The highest or the lowest, if there is one."""
    site = add_site(context, e.span, f"there is nothing to find the {e.kind} of")
    return value_or_failure(context, context.f.compare("ne", found, str(nothing)), found, e.type.low, site)


def is_of_few(context: EmitContext, e: ir.Aggregate) -> bool:
    """Whether this is the highest or lowest of a few numbers that fit: `lowest r for r in 1..4 where ...`."""
    itself = isinstance(e.body, ir.Read) and e.body.local == e.local
    return itself and bool(known_elements(e.domain, e.span)) and not can_fail(context, e.where)


FURTHEST = Pass(
    "extremes of few", "The highest or lowest of a few known numbers that fit: each is asked, and none is compared."
)


@FURTHEST.function
def furthest(context: EmitContext, e: ir.Aggregate, highest: bool) -> str | None:
    """The last that fits, beginning at the other end: none has to be compared with another."""
    if not is_of_few(context, e):
        return None
    f, elements = context.f, known_elements(e.domain, e.span)
    nothing = elements[0].value - 1
    found = str(nothing)
    for element in elements if highest else reversed(elements):
        fits = "true" if e.where is None else emit_condition(context, context.fold(e.where, {e.local.number: element}))
        found = f.select(fits, str(element.value), found)
    return if_any(context, e, found, nothing)


WEIGHTS = Pass(
    "plane weights", "What each kind in a zone adds to a sum is known: sums are looked up, for several kinds at a time."
)


@WEIGHTS.function
def kind_weights(context: EmitContext, e: ir.Aggregate) -> list[int] | None:
    """What each kind in a zone adds to a sum, where that depends on nothing else and the zone is planes of bits."""
    if context.closely or not is_total(e.kind) or not isinstance(e.domain, ir.ZoneElements):
        return None
    type_ = ir.set_type(e.domain.zone)
    if not context.memory.shape(type_).planes:
        return None
    found = []
    for value in range(type_.element.low, type_.element.high + 1):
        known: dict[int, ir.Expression] = {e.local.number: ir.Constant(e.span, type_.element, value)}
        asked = [part for part in (e.where, e.body) if part is not None]
        parts = [context.fold(part, known) for part in asked]
        numbers = [part.value for part in parts if isinstance(part, ir.Constant)]
        if len(numbers) < len(parts):
            return None
        found.append(prod(numbers))
    return found


def plane_weight(context: EmitContext, plane: str, weights: list[int]) -> str:
    """The sum of what the kinds in a plane add: looked up for some of them at a time."""
    f, total = context.f, "0"
    for start in range(0, len(weights), AT_ONCE):
        sums = [0]
        for weight in weights[start : start + AT_ONCE]:
            sums += [weight + before for before in sums]
        kinds = f.op(f"lshr i64 {plane}, {start}") if start else plane
        if start + AT_ONCE < len(weights):
            kinds = f.both(kinds, str(len(sums) - 1))
        total = f.add(total, table_entry(context, tuple(sums), kinds))
    return total


def some_or_every(context: EmitContext, e: ir.Aggregate, some: bool) -> str:
    """Ends at the first that decides it, unless a later one might fail."""
    f = context.f
    assert e.body is not None
    result = f.variable("i1")
    hasty = not can_fail(context, e.where) and not can_fail(context, e.body)
    f.do(f"store i1 {'false' if some else 'true'}, ptr {result}")
    with each_fitting(context, e) as loop:
        body = emit_condition(context, e.body)
        decisive = f.block()
        f.branch(body, *((decisive, loop.next) if some else (loop.next, decisive)))
        f.begin(decisive)
        f.do(f"store i1 {'true' if some else 'false'}, ptr {result}")
        if hasty:
            f.goto(loop.done)
    return f.op(f"load i1, ptr {result}")


def is_total(kind: AggregateKind) -> bool:
    """Whether each element adds its own to a formula, one by one."""
    match kind:
        case AggregateKind.NUMBER | AggregateKind.SUM:
            return True
        case AggregateKind.SOME | AggregateKind.EVERY | AggregateKind.HIGHEST | AggregateKind.LOWEST:
            return False
        case _:
            assert_never(kind)
