"""Orders in memory, and what is asked of them: who has a place, and which place somebody has (selection and rank)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.checks import add_site, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import local_pointer
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_arguments
from chocolatl.interpreter.native.emit.values_and_rankings.keys import is_counted, length_of
from chocolatl.interpreter.native.emit.values_and_rankings.zone_orders import place_in_zone, zone_direction
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.types import OrderType


@dataclass(frozen=True)
class Ordered:
    """An order in memory: how many, then the elements, then their places; without places if nobody shares one."""

    pointer: str
    room: int
    strict: bool
    count: str | None = None
    """How many there are, if that is known beforehand."""


SHARED = "there is not exactly one at this place: {}"
"""What is said of a place that nobody has, or several; the number of them fills the gap."""


def order_length(context: EmitContext, order: Ordered) -> str:
    return order.count if order.count is not None else context.f.load(order.pointer)


def order_elements(context: EmitContext, order: Ordered) -> str:
    return elements_at(context, order.pointer, order.room)


def elements_at(context: EmitContext, order: str, room: int) -> str:
    """The elements of an order with so much room."""
    return context.f.element(order, "1", meant=Region(Access.ORDERED, 8 * room, 8))


def places_at(context: EmitContext, order: str, room: int) -> str:
    """The places of its elements."""
    return context.f.element(order, str(1 + room), meant=Region(Access.PLACES, 8 * room, 8 * (1 + room)))


def order_places(context: EmitContext, order: Ordered) -> str:
    return places_at(context, order.pointer, order.room)


def emit_order(context: EmitContext, source: ir.OrderSource) -> Ordered:
    """An order in memory; a ranking is evaluated."""
    match source:
        case ir.HeldOrder():
            number = source.local.number
            assert isinstance(source.local.type, OrderType)
            room = source.local.type.most
            return Ordered(
                local_pointer(context, source.local), room, context.strict[number], context.lengths.get(number)
            )
        case ir.Ranked():
            ranking = context.game.rankings[source.name]
            room = max(1, most_elements(ranking.domain, context.game))
            return evaluate_ranking(context, source, context.f.variable(f"[{1 + 2 * room} x i64]", Access.ORDER))
        case _:
            assert_never(source)


def evaluate_ranking(context: EmitContext, source: ir.Ranked, pointer: str) -> Ordered:
    """A ranking evaluated into memory."""
    ranking = context.game.rankings[source.name]
    given = emit_arguments(context, ranking, source.arguments)
    context.f.do(f"call void @ranking_{context.rankings[source.name]}({given}, ptr {pointer})")
    room = max(1, most_elements(ranking.domain, context.game))
    return Ordered(pointer, room, ranking.strict, length_of(ranking))


def at_place(context: EmitContext, order: Ordered, place: int) -> tuple[str, str]:
    """The first position of those who have a place, and how many they are; -1 is the last place."""
    f, count = context.f, order_length(context, order)
    if not order.strict:
        first = f.variable()
        found = f.op(f"call i64 @at_place(ptr {order_places(context, order)}, i64 {count}, i64 {place}, ptr {first})")
        return f.load(first), found
    if place == -1:
        return f.sub(count, "1"), f.widen(f.compare("ne", count, "0"))
    return str(place - 1), f.widen(f.compare("sge", count, str(place)))


def emit_place_of(context: EmitContext, e: ir.PlaceOf) -> str:
    f = context.f
    site = add_site(context, e.span, SHARED)
    if isinstance(e.order, ir.Ranked) and zone_direction(context, context.game.rankings[e.order.name]):
        return place_in_zone(context, e, e.order, site)
    order = emit_order(context, e.order)
    first, count = at_place(context, order, e.place)
    fine = f.compare("eq", count, "1")
    first = value_or_failure(context, fine, first, 0, site, told=count)
    found = f.load(f.element(order_elements(context, order), first))
    # What was not there is some element all the same.
    return f.select(fine, found, str(e.type.low))


def emit_rank_of(context: EmitContext, e: ir.RankOf) -> str:
    f = context.f
    if isinstance(e.order, ir.Ranked) and is_counted(context, context.game.rankings[e.order.name], e.element):
        given = emit_arguments(context, context.game.rankings[e.order.name], e.order.arguments)
        return f.op(f"call i64 @rank_{context.rankings[e.order.name]}({given}, i64 {emit(context, e.element)})")
    order = emit_order(context, e.order)
    element = emit(context, e.element)
    at = f.op(
        f"call i64 @find(ptr {order_elements(context, order)}, i64 {order_length(context, order)}, i64 {element})"
    )
    if order.strict:
        return f.add(at, "1")
    absent = f.compare("slt", at, "0")
    place = f.load(f.element(order_places(context, order), f.select(absent, "0", at)))
    return f.select(absent, "0", place)
