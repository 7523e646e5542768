"""Contests: an order is made and kept, and each clause is for those who have its place (rank, then award)."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.context import FRAMES, EmitContext
from chocolatl.interpreter.native.emit.frames import (
    can_be_left,
    local_pointer,
    local_tag,
    loop_slots,
    set_local,
    slot_tag,
)
from chocolatl.interpreter.native.emit.statements.control import emit_block
from chocolatl.interpreter.native.emit.values_and_rankings.keys import length_of
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.orders import (
    Ordered,
    at_place,
    elements_at,
    evaluate_ranking,
    order_elements,
    places_at,
)
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.program.types import OrderType


def emit_contest(context: EmitContext, s: ir.Contest) -> None:
    """Those who have a place are fixed when its clause is reached."""
    f, tag = context.f, slot_tag(context)
    assert isinstance(s.order.type, OrderType)
    size = s.order.type.most
    ranking = context.game.rankings[s.ranking.name]
    context.strict[s.order.number], context.lengths[s.order.number] = ranking.strict, length_of(ranking)
    order = held_order(context, s)
    for clause in s.clauses:
        head, body, after = f.block(), f.block(), f.block()
        counter, length = loop_slots(context, 1), loop_slots(context, 1)
        array = loop_slots(context, size)
        first, count = at_place(context, order, clause.place)
        count = sharing_count(context, clause.sharing, count)
        if clause.sharers is not None:
            note_sharers(context, clause, count)
        f.store("0", counter, tag=tag)
        f.store(count, length, tag=tag)
        start = f.element(order_elements(context, order), first)
        with counting(context, "0", f.sub(count, "1")) as loop:
            f.store(f.load(f.element(start, loop.value)), f.element(array, loop.value), tag=tag)
        f.begin(head)
        now = f.load(counter, tag=tag)
        f.branch(f.compare("slt", now, f.load(length, tag=tag)), body, after)
        f.begin(body)
        set_local(context, clause.local, f.load(f.element(array, now), tag=tag))
        f.store(f.add(now, "1"), counter, tag=tag)
        emit_block(context, clause.body)
        f.goto(head)
        f.begin(after)


def sharing_count(context: EmitContext, sharing: Sharing, count: str) -> str:
    """How many of those who have a place its clause is for: all of them, or nobody."""
    f = context.f
    match sharing:
        case Sharing.ANYBODY:
            return count
        case Sharing.ALONE:
            return f.select(f.compare("eq", count, "1"), count, "0")
        case Sharing.SHARED:
            return f.select(f.compare("sgt", count, "1"), count, "0")
        case _:
            assert_never(sharing)


def held_order(context: EmitContext, s: ir.Contest) -> Ordered:
    """The order that a contest keeps."""
    if can_be_left(context):
        return order_in_slots(context, s)
    context.loose.add(s.order.number)  # it is not waited for in here
    assert isinstance(s.order.type, OrderType)
    assert most_elements(context.game.rankings[s.ranking.name].domain, context.game) == s.order.type.most
    return evaluate_ranking(context, s.ranking, local_pointer(context, s.order))


def order_in_slots(context: EmitContext, s: ir.Contest) -> Ordered:
    """Slots hold what is in the order and nothing beyond, so it is put together elsewhere."""
    f = context.f
    held = local_pointer(context, s.order)
    made = f.variable(f"[{context.layout.local_width(s.order)} x i64]", Access.ORDER)
    order = evaluate_ranking(context, s.ranking, made)
    count = f.load(made)
    f.store(count, held, tag=FRAMES)
    with counting(context, "0", f.sub(count, "1")) as loop:
        for start in (elements_at, places_at):
            source, target = (f.element(start(context, where, order.room), loop.value) for where in (made, held))
            f.store(f.load(source), target, tag=FRAMES)
    return Ordered(held, order.room, order.strict)


def note_sharers(context: EmitContext, clause: ir.Clause, count: str) -> None:
    """Note how many share a place; not where nobody waits, in code that can be left, and the clause does not hold."""
    assert clause.sharers is not None
    if context.plain and clause.sharing is not Sharing.ANYBODY:
        old = context.f.load(local_pointer(context, clause.sharers), tag=local_tag(context, clause.sharers))
        count = context.f.select(context.f.compare("ne", count, "0"), count, old)
    set_local(context, clause.sharers, count)
