"""Decisions answered at random as the contract of random numbers says: what is drawn, and in which order (uniform
sampling without a list where the answers can be counted).

An answer lies in the locals of its picks. To draw one of the answers, they are run through twice: once to count them,
once to come to the one that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import prod
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.lowered.conditions import conjuncts, reads
from chocolatl.interpreter.native.emit.checks import can_fail
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.combinations import (
    ask_all,
    can_fail_asking,
    combined,
    legal_combinations,
    set_picks,
)
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag, set_local
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.events import chooser, draw_below, fail_unanswered, stream_of
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.zones import present_kinds, zone_address
from chocolatl.interpreter.native.layout.memory import CHUNK
from chocolatl.interpreter.native.llvm.regions import Access

LISTED = 256
"""So many combinations are written down, so that they need not be run through twice."""


@dataclass(frozen=True)
class Search:
    """Combinations that are run through twice: the number that is wanted, how many there are, where it begins again and
    where it goes on when the one was found."""

    wanted: str
    count: str
    again: str
    found: str


def draw_answer(context: EmitContext, s: ir.Choose) -> None:
    """One of the legal answers into the locals of the picks, each as likely as any other."""
    stream = stream_of(context, chooser(context, s))
    for draw in (draw_bit, draw_independent, draw_listed):
        if draw(context, s, stream):
            return
    search = run_through(context, legal_combinations(context, s))
    with drawn_of(context, s, stream, search.count) as drawn:
        find_numbered(context, search, drawn)


@contextmanager
def drawn_of(context: EmitContext, s: ir.Choose, stream: str, total: str) -> Iterator[str]:
    """The number of one of so many answers; inside, the picks are set to it. Where none is legal that is a failure,
    and where it is optional, one more number means that nothing is chosen."""
    f = context.f
    answers = f.add(total, "1" if s.optional else "0")
    some, nothing, one, end = f.block(), f.block(), f.block(), f.block()
    f.branch(f.compare("ne", answers, "0"), some, nothing)
    f.begin(nothing)
    fail_unanswered(context, s)
    set_picks(context, s, lambda type_: type_.low)
    f.goto(end)
    f.begin(some)
    drawn = draw_below(context, stream, answers)
    if s.optional:
        set_picks(context, s, lambda type_: type_.none)
        f.branch(f.compare("eq", drawn, total), end, one)
    f.begin(one)
    yield drawn
    f.begin(end)


def run_through(context: EmitContext, combinations: AbstractContextManager[None]) -> Search:
    """Run through combinations to count them."""
    f = context.f
    wanted, count, again, found = f.variable(), f.variable(), f.block(), f.block()
    f.store("-1", wanted)
    f.begin(again)
    f.store("0", count)
    with combinations:
        number = f.load(count)
        f.store(f.add(number, "1"), count)
        passed = f.block()
        f.branch(f.compare("eq", number, f.load(wanted)), found, passed)
        f.begin(passed)
    return Search(wanted, f.load(count), again, found)


def find_numbered(context: EmitContext, search: Search, number: str) -> None:
    """Run through them again, to the one with a number."""
    context.f.store(number, search.wanted)
    context.f.goto(search.again)
    context.f.begin(search.found)


def is_narrow(pick: ir.PickOne) -> bool:
    """Whether the elements to choose from fit the bits of one word."""
    ends = domain_ends(pick.domain)
    return ends is not None and ends[1] - ends[0] < CHUNK


def domain_ends(domain: ir.Elements) -> tuple[int, int] | None:
    """The least and the greatest that a domain can hold, where answers are counted from the least one on."""
    match domain:
        case ir.ZoneElements():
            type_ = ir.set_type(domain.zone)
            return None if type_.short else (type_.element.low, type_.element.high)
        case ir.Whole():
            return (domain.type.low, domain.type.high) if domain.start is None else None
        case ir.Numbers():
            return domain.low.type.low, domain.high.type.high
        case ir.Listing():
            bounds = [bound for item in domain.items for bound in item.type.bounds]
            return (min(bounds), max(bounds)) if bounds else None
        case ir.OrderElements():
            return None
        case _:
            assert_never(domain)


BITS = Pass("answers as bits", "One element is chosen, of so few that those which are legal are the bits of a word.")


@BITS.function
def draw_bit(context: EmitContext, s: ir.Choose, stream: str) -> bool:
    """One element of few: those that are legal are the bits of a word."""
    f, pick = context.f, s.picks[0]
    if len(s.picks) > 1 or not is_narrow(pick):
        return False
    ends = domain_ends(pick.domain)
    assert ends is not None
    low = ends[0]
    if s.where is None and isinstance(pick.domain, ir.ZoneElements):
        word = present_kinds(context, *zone_address(context, pick.domain.zone))
    elif s.where is None and isinstance(pick.domain, ir.Whole):
        word = str((1 << pick.domain.type.size) - 1 if pick.domain.type.size < CHUNK else -1)
    else:
        legal = f.variable()
        f.store("0", legal)
        # What is listed twice is the same bit, so it need not be sorted, unless it matters which one fails first.
        distinct = not isinstance(pick.domain, ir.Listing) or can_fail(context, s.where)
        with each_element(context, pick.domain, pick.local, distinct=distinct) as loop:
            if s.where is not None:
                ask_all(context, [s.where], loop)
            bit = f.op(f"shl i64 1, {f.sub(loop.value, str(low))}")
            f.store(f.op(f"or i64 {f.load(legal)}, {bit}"), legal)
        word = f.load(legal)
    with drawn_of(context, s, stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {word})")) as drawn:
        bit = f.op(f"call i64 @nth_bit(i64 {word}, i64 {drawn})")
        set_local(context, pick.local, f.add(bit, str(low)))
    return True


WRITTEN = Pass(
    "listed answers",
    f"There are at most {LISTED} combinations of picks: they are written down, to be run through once.",
)


@WRITTEN.function
def draw_listed(context: EmitContext, s: ir.Choose, stream: str) -> bool:
    """One of the legal answers, where they are so few that all of them are written down."""
    f, most = context.f, prod(most_elements(pick.domain, context.game) for pick in s.picks)
    if most > LISTED:
        return False
    room = max(1, most)
    arrays = {pick.local: f.variable(f"[{room} x i64]", Access.LIST) for pick in s.picks}
    count = f.variable()
    f.store("0", count)
    with legal_combinations(context, s):
        number = f.load(count)
        for local, array in arrays.items():
            f.store(f.load(local_pointer(context, local), tag=local_tag(context, local)), f.element(array, number))
        f.store(f.add(number, "1"), count)
    with drawn_of(context, s, stream, f.load(count)) as drawn:
        for local, array in arrays.items():
            set_local(context, local, f.load(f.element(array, drawn)))
    return True


def is_independent(context: EmitContext, s: ir.Choose) -> bool:
    """Whether the last pick has nothing to do with the others: so there are as many answers as the product says."""
    if len(s.picks) < 2:
        return False
    *others, last = s.picks
    before = {pick.local.number for pick in others}
    about = [condition for condition in conjuncts(s.where) if last.local.number in reads(condition)]
    if can_fail_asking(context, s):
        return False
    return not any(before & reads(node) for node in (last.domain, *about))


INDEPENDENT = Pass(
    "independent picks",
    "Nothing that is asked of the last pick depends on the others: it is looked for once, for all of them.",
)


@INDEPENDENT.function
def draw_independent(context: EmitContext, s: ir.Choose, stream: str) -> bool:
    """One of the legal answers, where what fits for the last pick is looked for once, for all of the others."""
    if not is_independent(context, s):
        return False
    f = context.f
    last = s.picks[-1]
    conditions = conjuncts(s.where)
    about = [condition for condition in conditions if last.local.number in reads(condition)]
    others = [condition for condition in conditions if last.local.number not in reads(condition)]
    array = f.variable(f"[{1 + most_elements(last.domain, context.game)} x i64]", Access.LIST)
    fitting = f.variable()
    f.store("0", fitting)
    with each_element(context, last.domain, last.local, distinct=True) as loop:
        number, fits = f.load(fitting), "true"
        f.store(loop.value, f.element(array, number))
        for condition in about:
            found = emit_condition(context, condition)
            fits = found if fits == "true" else f.op(f"and i1 {fits}, {found}")
        f.store(f.add(number, f.widen(fits)), fitting)
    search, each = run_through(context, combined(context, s.picks[:-1], others)), f.load(fitting)
    with drawn_of(context, s, stream, f.mul(search.count, each)) as drawn:
        rest = f.op(f"urem i64 {drawn}, {each}")
        set_local(context, last.local, f.load(f.element(array, rest)))
        find_numbered(context, search, f.op(f"udiv i64 {drawn}, {each}"))
    return True
