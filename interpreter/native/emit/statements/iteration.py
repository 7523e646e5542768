"""Statements that repeat others: for each, in turn, repeat until (bounded loops)."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.lowered.waits import is_waiting
from chocolatl.interpreter.native.emit.checks import add_site, fail
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import (
    load_head,
    local_pointer,
    local_tag,
    loop_slots,
    set_local,
    slot_tag,
)
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.control import emit_block
from chocolatl.interpreter.native.emit.statements.invariants import check_invariants
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.occurrences import count_ending, leave_when
from chocolatl.interpreter.native.emit.values_and_rankings.elements import fill_list
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.program.types import Scalar

BRIEF = 2_000
"""A loop of at most so many statements runs to its end even if the game has failed."""


BRIEF_LOOPS = Pass(
    "brief loops", f"A loop runs at most {BRIEF} statements: it is not asked whether the game has failed."
)


@BRIEF_LOOPS.function
def is_brief(context: EmitContext, s: ir.Loop) -> bool:
    return statement_count(context, s) <= BRIEF


def statement_count(context: EmitContext, s: ir.Statement) -> int:
    """How many statements are run at most until one is done."""
    match s:
        case ir.ForEach():
            return most_elements(s.domain, context.game) * block_count(context, s.body)
        case ir.InTurn() | ir.Repeat():
            return s.limit * block_count(context, s.body)
        case ir.Contest():
            return context.game.player_count * sum(block_count(context, clause.body) for clause in s.clauses)
        case ir.Secretly():
            return context.game.player_count * block_count(context, s.body)
        case ir.If():
            return 1 + max(block_count(context, s.then), block_count(context, s.otherwise))
        case ir.Call():
            if s.procedure not in context.lasting:
                context.lasting[s.procedure] = block_count(context, context.game.procedures[s.procedure].body)
            return context.lasting[s.procedure]
        case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award():
            return 1
        case ir.MoveElement() | ir.MoveAll() | ir.Stop():
            return 1
        case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
            return 1
        case _:
            assert_never(s)


def block_count(context: EmitContext, block: ir.Block) -> int:
    return 1 + sum(statement_count(context, statement) for statement in block)


def leave_failed_loop(context: EmitContext, s: ir.Loop, after: str) -> None:
    """A game that has failed leaves its loops, since there might be very many of them in one another."""
    if is_brief(context, s):
        return
    match s:
        case ir.InTurn() | ir.Repeat():
            long = True
        case ir.ForEach():
            long = is_waiting(s, context.waiting)
        case _:
            assert_never(s)
    if long:
        on = context.f.block()
        context.f.branch(context.f.op(f"call i1 @has_failed(i64 {load_head(context, REPORT)})"), after, on)
        context.f.begin(on)


def loop_body(context: EmitContext, block: ir.Block, after: str) -> None:
    context.loops.append(after)
    emit_block(context, block)
    context.loops.pop()


def emit_for_each(context: EmitContext, s: ir.ForEach) -> None:
    f, tag = context.f, slot_tag(context)
    head, following, after = f.block(), f.block(), f.block()
    assert isinstance(s.local.type, Scalar)
    counted = isinstance(s.domain, ir.Numbers) or (isinstance(s.domain, ir.Whole) and s.domain.start is None)
    if counted and not s.backwards:
        counter, last = loop_slots(context, 1), loop_slots(context, 1)
        assert isinstance(s.domain, (ir.Numbers, ir.Whole))
        low = emit(context, s.domain.low) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.low)
        high = emit(context, s.domain.high) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.high)
        f.store(low, counter, tag=tag)
        f.store(high, last, tag=tag)
        loop_head(context, s, head, after, "sle", counter, last)
        set_local(context, s.local, f.load(counter, tag=tag))
    else:
        most = most_elements(s.domain, context.game)
        counter, length = loop_slots(context, 1), loop_slots(context, 1)
        array = loop_slots(context, most)
        count = fill_list(context, s.domain, array, most, tag)
        if s.backwards:
            f.do(f"call void @reverse(ptr {array}, i64 {count})")
        f.store("0", counter, tag=tag)
        f.store(count, length, tag=tag)
        loop_head(context, s, head, after, "slt", counter, length)
        set_local(context, s.local, f.load(f.element(array, f.load(counter, tag=tag)), tag=tag))
    if s.counter is not None:
        pointer, shape, field_tag = field_address(context, s.counter, None, ())
        value = f.load(local_pointer(context, s.local), tag=local_tag(context, s.local))
        f.store(value, pointer, shape.unit, field_tag)
        ask_latches(context, s.counter)
        check_invariants(context, (s.counter,), s.span)
    loop_turn(context, s, following, after)
    f.store(f.add(f.load(counter, tag=tag), "1"), counter, tag=tag)
    f.goto(head)
    f.begin(after)
    count_ending(context, s)


def loop_turn(context: EmitContext, s: ir.ForEach, following: str, after: str) -> None:
    """The body of a loop for the element that its local holds, if that is one of those that are meant."""
    if s.where is not None:
        fitting = context.f.block()
        context.f.branch(emit_condition(context, s.where), fitting, following)
        context.f.begin(fitting)
    loop_body(context, s.body, after)
    context.f.begin(following)


def loop_head(context: EmitContext, s: ir.ForEach, head: str, after: str, how: str, counter: str, end: str) -> None:
    """The head of a loop: is there another element, and does it go on?"""
    f, tag = context.f, slot_tag(context)
    f.begin(head)
    some = f.block()
    f.branch(f.compare(how, f.load(counter, tag=tag), f.load(end, tag=tag)), some, after)
    f.begin(some)
    leave_failed_loop(context, s, after)


def emit_in_turn(context: EmitContext, s: ir.InTurn) -> None:
    f, tag = context.f, slot_tag(context)
    players = context.game.player_count
    head, after, found = f.block(), f.block(), f.block()
    seat, turns = loop_slots(context, 1), loop_slots(context, 1)
    f.store(checked(context, s.start, context.game.domains["player"].type, "the first player"), seat, tag=tag)
    f.store("0", turns, tag=tag)
    f.begin(head)
    leave_failed_loop(context, s, after)
    with counting(context, "0", str(players - 1)) as loop:
        set_local(context, s.local, wrapped_seat(context, f.add(f.load(seat, tag=tag), loop.value)))
        f.branch(emit_condition(context, s.where) if s.where is not None else "true", found, loop.next)
    f.goto(after)
    f.begin(found)
    site = add_site(context, s.span, f"after {s.limit} turns it is still somebody's turn")
    count_turn(context, turns, tag, s.limit, site, after)
    local = f.load(local_pointer(context, s.local), tag=local_tag(context, s.local))
    f.store(wrapped_seat(context, f.add(local, "1")), seat, tag=tag)
    loop_body(context, s.body, after)
    f.goto(head)
    f.begin(after)
    count_ending(context, s)


def wrapped_seat(context: EmitContext, seat: str) -> str:
    """A seat at most once around the table."""
    f, players = context.f, str(context.game.player_count)
    return f.select(f.compare("sge", seat, players), f.sub(seat, players), seat)


def count_turn(context: EmitContext, counter: str, tag: str, limit: int, site: int, after: str) -> None:
    """Count a turn of a loop; too many are a failure."""
    f = context.f
    count = f.add(f.load(counter, tag=tag), "1")
    f.store(count, counter, tag=tag)
    on, bad = f.block(), f.block()
    f.branch(f.compare("sle", count, str(limit)), on, bad)
    f.begin(bad)
    fail(context, site)
    f.goto(after)
    f.begin(on)


def emit_repeat(context: EmitContext, s: ir.Repeat) -> None:
    f, tag = context.f, slot_tag(context)
    head, after, on = f.block(), f.block(), f.block()
    count = loop_slots(context, 1)
    f.store("0", count, tag=tag)
    f.begin(head)
    leave_failed_loop(context, s, after)
    leave_when(context, s.until, s, after, on)
    site = add_site(context, s.span, f"this was repeated {s.limit} times, and its end was not reached")
    count_turn(context, count, tag, s.limit, site, after)
    loop_body(context, s.body, after)
    f.goto(head)
    f.begin(after)


def emit_stop(context: EmitContext, s: ir.Stop) -> None:
    """Leave the innermost loop if a condition holds."""
    leave_when(context, s.condition, s, context.loops[-1], context.f.block())
