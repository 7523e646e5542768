"""Loops over the legal answers to a choice, and storing one (a join of the picks, filtered as early as can be)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.conditions import conjuncts, own_conditions, reads
from chocolatl.interpreter.native.emit.checks import add_site, checked_within
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address, note_origin
from chocolatl.interpreter.native.emit.values_and_rankings.loops import ElementLoop
from chocolatl.interpreter.program.types import Scalar


def set_picks(context: EmitContext, s: ir.Choose, value: Callable[[Scalar], int]) -> None:
    for pick in s.picks:
        assert isinstance(pick.local.type, Scalar)
        set_local(context, pick.local, str(value(pick.local.type)))


def can_fail_asking(context: EmitContext, s: ir.Choose) -> bool:
    """Whether it matters in which order picks and conditions are gone through, since one of them may fail."""
    nodes = (*(pick.domain for pick in s.picks), *conjuncts(s.where))
    return context.closely or context.failures.can_fail(*nodes)


def legal_combinations(context: EmitContext, s: ir.Choose) -> AbstractContextManager[None]:
    """A loop over the legal answers."""
    return (
        combined_in_order(context, s) if can_fail_asking(context, s) else combined(context, s.picks, conjuncts(s.where))
    )


@contextmanager
def combined_in_order(context: EmitContext, s: ir.Choose) -> Iterator[None]:
    """A loop over the legal answers that fails as the interpreter does: a condition about one pick alone is asked
    for all of its elements first, even if another pick has none, and the others only for whole combinations."""
    owned, others = own_conditions(s)
    for pick, own in zip(s.picks, owned, strict=True):
        if own:
            with each_element(context, pick.domain, pick.local, distinct=True) as loop:
                ask_all(context, own, loop)
    with ExitStack() as stack:
        for pick, own in zip(s.picks, owned, strict=True):
            loop = stack.enter_context(each_element(context, pick.domain, pick.local, distinct=True))
            ask_all(context, own, loop)
        ask_all(context, others, loop)
        yield


def ask_all(context: EmitContext, conditions: list[ir.Expression], loop: ElementLoop) -> None:
    """Go on with the next element unless all of them hold."""
    for condition in conditions:
        fitting = context.f.block()
        context.f.branch(emit_condition(context, condition), fitting, loop.next)
        context.f.begin(fitting)


@contextmanager
def combined(context: EmitContext, picks: tuple[ir.PickOne, ...], asked: list[ir.Expression]) -> Iterator[None]:
    """A loop over picks; each condition is asked as soon as all it reads is known, in their order."""
    conditions = list(asked)
    left = [{pick.local.number for pick in picks[position + 1 :]} for position in range(len(picks))]
    with ExitStack() as stack:
        for position, pick in enumerate(picks):
            loop = stack.enter_context(each_element(context, pick.domain, pick.local, distinct=True))
            while conditions and not left[position] & reads(conditions[0]):
                ask_all(context, [conditions.pop(0)], loop)
        yield


def store_answer(context: EmitContext, s: ir.Choose) -> None:
    """The picks into the fields that they are for."""
    for pick in s.picks:
        note_origin(context, pick.local, where_picked(pick))
        if pick.field is not None:
            assert isinstance(pick.field.field.type, Scalar)
            assert isinstance(pick.local.type, Scalar)
            value = ir.Read(pick.span, pick.local.type, pick.local)
            low, high = pick.field.type.bounds
            site = add_site(context, pick.span, f"`{pick.field.field.name}` is {{}}, outside of {pick.field.type}")
            new = checked_within(context, emit(context, value), pick.local.type.bounds, low, high, site)
            pointer, shape, tag = field_address(context, pick.field.field, pick.field.owner, pick.field.indices)
            context.f.store(new, pointer, shape.unit, tag)
    ask_latches(context, *(pick.field.field for pick in s.picks if pick.field is not None))


def where_picked(pick: ir.PickOne) -> ir.Zone:
    """The zone that an element was picked from; its own local if it was in none."""
    match pick.domain:
        case ir.ZoneElements():
            return pick.domain.zone
        case ir.Numbers() | ir.Whole() | ir.Listing() | ir.OrderElements():
            return ir.LocalZone(pick.local, pick.span)
        case _:
            assert_never(pick.domain)
