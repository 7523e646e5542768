"""Chance: what a roll or a draw brings, by its odds, with the random numbers of chance (weighted sampling)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.checks import add_site, fail, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.events import draw_below, stream_of
from chocolatl.interpreter.native.emit.statements.moves import take_one
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element, each_kind
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import known_bottom
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import content_size, present_kinds, zone_address
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.program.types import Scalar


def chance_owner(context: EmitContext, s: ir.ChanceNode) -> str:
    if s.owner is None:
        return "-1"
    return checked(context, s.owner, context.game.domains["player"].type, "whose chance it is")


@contextmanager
def each_likely(context: EmitContext, s: ir.Roll) -> Iterator[tuple[str, str]]:
    """A loop over what a roll can bring, with the odds of each; inside, what is not likely at all is left out."""
    f = context.f
    with each_element(context, s.domain, s.element) as loop:
        if s.where is not None:
            fitting = f.block()
            f.branch(emit_condition(context, s.where), fitting, loop.next)
            f.begin(fitting)
        weight = f.mul(loop.copies, emit(context, s.odds) if s.odds is not None else "1")
        likely = f.block()
        f.branch(f.compare("sgt", weight, "0"), likely, loop.next)
        f.begin(likely)
        yield loop.value, weight


def roll_outcome(context: EmitContext, s: ir.Roll, array: str, times: str) -> None:
    """So many outcomes into an array."""
    f = context.f
    stream = stream_of(context, "-1")
    row = even_range(context, s)
    if row is not None:
        with counting(context, "0", f.sub(times, "1")) as loop:
            f.store(f.add(row[0], draw_below(context, stream, row[1])), f.element(array, loop.value))
        return
    room = max(1, most_elements(s.domain, context.game))
    values, weights = (f.variable(f"[{room} x i64]", Access.LIST) for _ in range(2))
    count, total = f.variable(), f.variable()
    f.store("0", count)
    f.store("0", total)
    with each_likely(context, s) as (value, weight):
        f.change(total, weight)
        # The same value may come twice; it has the odds of both where it came first.
        at = f.op(f"call i64 @find(ptr {values}, i64 {f.load(count)}, i64 {value})")
        old, new, done = f.block(), f.block(), f.block()
        f.branch(f.compare("sge", at, "0"), old, new)
        f.begin(old)
        f.change(f.element(weights, at), weight)
        f.goto(done)
        f.begin(new)
        last = f.load(count)
        f.store(value, f.element(values, last))
        f.store(weight, f.element(weights, last))
        f.store(f.add(last, "1"), count)
        f.begin(done)
    fine, bad, end = f.block(), f.block(), f.block()
    possible = f.compare("sgt", f.load(total), "0")
    f.branch(f.op(f"or i1 {possible}, {f.compare('eq', times, '0')}"), fine, bad)
    f.begin(bad)
    fail(context, add_site(context, s.span, f"there is nothing that `{s.local.name}` can be"))
    element = s.element.type
    assert isinstance(element, Scalar)
    with counting(context, "0", f.sub(times, "1")) as loop:
        f.store(str(element.low), f.element(array, loop.value))
    f.goto(end)
    f.begin(fine)
    with counting(context, "0", f.sub(times, "1")) as loop:
        ticket = f.variable()
        f.store(draw_below(context, stream, f.load(total)), ticket)
        with counting(context, "0", f.sub(f.load(count), "1")) as outcome:
            left = f.change(ticket, f.sub("0", f.load(f.element(weights, outcome.value))))
            there = f.block()
            f.branch(f.compare("slt", left, "0"), there, outcome.next)
            f.begin(there)
            f.store(f.load(f.element(values, outcome.value)), f.element(array, loop.value))
            f.goto(outcome.done)
    f.begin(end)


def even_range(context: EmitContext, s: ir.Roll) -> tuple[str, str] | None:
    """The first and the number of what a roll can bring, where that are all numbers of a row, each as likely."""
    if s.where is not None or s.odds is not None:
        return None
    if isinstance(s.domain, ir.Whole) and s.domain.start is None and s.domain.type.size:
        return str(s.domain.type.low), str(s.domain.type.size)
    if isinstance(s.domain, ir.Numbers) and s.domain.high.type.low >= s.domain.low.type.high:  # there are some
        low = emit(context, s.domain.low)
        return low, context.f.add(context.f.sub(emit(context, s.domain.high), low), "1")
    return None


def roll_one(context: EmitContext, s: ir.Roll) -> str:
    """One outcome."""
    f, stream = context.f, stream_of(context, "-1")
    row = even_range(context, s)
    if row is not None:
        return f.add(row[0], draw_below(context, stream, row[1]))
    found = roll_bit(context, s, stream)
    if found is not None:
        return found
    array = f.variable()
    roll_outcome(context, s, array, "1")
    return f.load(array)


BITS = Pass(
    "outcomes as bits",
    "A roll brings one of few that are equally likely: those that are possible are the bits of a word.",
)


@BITS.function
def roll_bit(context: EmitContext, s: ir.Roll, stream: str) -> str | None:
    """One of few that are equally likely."""
    few = isinstance(s.domain, ir.Whole) and s.domain.start is None and s.domain.type.size <= CHUNK
    if s.odds is not None or not few:
        return None
    f, element = context.f, s.element.type
    assert isinstance(element, Scalar)
    possible = f.variable()
    f.store("0", possible)
    with each_likely(context, s) as (value, _):
        bit = f.op(f"shl i64 1, {f.sub(value, str(element.low))}")
        f.store(f.either(f.load(possible), bit), possible)
    word = f.load(possible)
    drawn = draw_below(context, stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {word})"))
    found = f.op(f"call i64 @nth_bit(i64 {word}, i64 {drawn})")
    site = add_site(context, s.span, f"there is nothing that `{s.local.name}` can be")
    return f.add(value_or_failure(context, f.compare("ne", word, "0"), found, 0, site), str(element.low))


PickKind = Callable[[EmitContext, str, Shape, str], str]
"""One of the kinds in a zone, which is not empty."""


def draw_outcome(context: EmitContext, s: ir.Draw, pick: PickKind | None = None) -> str:
    """The kind of the component that is drawn: by copies; cards of a known bottom come last, in their order. `pick`
    finds it, if not a number of the stream of chance does."""
    f = context.f
    stream = stream_of(context, "-1")
    source, shape, tag = zone_address(context, s.source)
    under = known_bottom(context, s.source)
    result = f.variable()
    f.store("0", result)
    left, end = source, f.block()
    if under is not None:
        left = f.variable(f"[{shape.size} x i8]", Access.LOCAL_SET)
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {left}, ptr {source}, i64 {shape.size}, i1 false)")
        known = f.load_count(under, "i32")
        with counting(context, "1", known) as loop:
            take_one(context, left, shape, "", f.load_count(f.element(under, loop.value, "i32"), "i32"))
        tag = ""
        first, rest = f.block(), f.block()
        empty = f.compare("eq", content_size(context, left, shape, ""), "0")
        f.branch(f.op(f"and i1 {empty}, {f.compare('ne', known, '0')}"), first, rest)
        f.begin(first)
        draw_below(context, stream, "1")  # it is certain, and yet a number is drawn for it
        f.store(f.load_count(f.element(under, "1", "i32"), "i32"), result)
        f.goto(end)
        f.begin(rest)
    total = content_size(context, left, shape, tag)
    some, nothing = f.block(), f.block()
    f.branch(f.compare("ne", total, "0"), some, nothing)
    f.begin(nothing)
    fail(context, add_site(context, s.span, f"there is nothing that `{s.local.name}` can be"))
    f.goto(end)
    f.begin(some)
    if pick is not None:
        f.store(pick(context, left, shape, tag), result)
        f.begin(end)
        return f.load(result)
    ticket = f.variable()
    drawn = draw_below(context, stream, total)
    if shape.planes == 1:
        f.store(f.op(f"call i64 @nth_bit(i64 {present_kinds(context, left, shape, tag)}, i64 {drawn})"), result)
        f.begin(end)
        return f.load(result)
    f.store(drawn, ticket)
    if shape.planes > 1:
        # Where there is one of each, the one with a number is found at once.
        single, several = f.block(), f.block()
        held = planes.load(f, left, shape, tag)
        f.branch(f.compare("eq", planes.present(f, held[1:]), "0"), single, several)
        f.begin(single)
        f.store(f.op(f"call i64 @nth_bit(i64 {held[0]}, i64 {drawn})"), result)
        f.goto(end)
        f.begin(several)
    with each_kind(context, left, shape, tag) as loop:
        f.store(loop.value, result)
        left_over = f.change(ticket, f.sub("0", loop.copies))
        f.branch(f.compare("slt", left_over, "0"), end, loop.next)
    f.begin(end)
    return f.load(result)
