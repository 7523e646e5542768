"""Decisions about several components, where a zone is planes of bits (sampling without replacement on bit planes)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.context import EmitContext, MovedCards, NotedStop
from chocolatl.interpreter.native.emit.decisions.several import UNROLLED, fixed, how_many
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.events import (
    chooser,
    count_decision,
    draw_below,
    fail_unanswered,
    stream_of,
)
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import add_content
from chocolatl.interpreter.native.emit.statements.occurrences import count_planes
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import known_bottom
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting, each_bit
from chocolatl.interpreter.native.emit.values_and_rankings.zones import zone_address
from chocolatl.interpreter.native.layout import bit_planes as planes


def choose_components(context: EmitContext, s: ir.ChooseSet, stop: NotedStop) -> None:
    """The same where a zone is planes of bits: what is taken is a zone as well, and is moved as a whole."""
    f = context.f
    stream = stream_of(context, chooser(context, s))
    pointer, shape, tag = zone_address(context, s.source)
    held = planes.load(f, pointer, shape, tag)
    left = held if s.where is None else fitting_planes(context, s, s.where, held)
    chosen, rest = take_fixed(context, s, stream, left) or take_counted(context, s, stream, left)
    count_decision(context)
    count_planes(context, s, chosen)
    note_planes(context, stop, s, chosen)
    if s.where is not None:
        rest = planes.less(f, held, chosen)
    planes.store(f, rest, pointer, shape, tag)
    add_content(context, *zone_address(context, s.target), chosen)
    follow_move(context, s, chosen)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


def each_copy(context: EmitContext, chosen: list[str], put: Callable[[str], None]) -> None:
    f = context.f
    with (
        each_bit(context, planes.present(f, chosen)) as loop,
        counting(context, "1", planes.count(f, chosen, loop.value)),
    ):
        put(loop.value)


def follow_move(context: EmitContext, s: ir.ChooseSet, chosen: list[str]) -> None:
    """It is noted what has moved. A deck's known bottom follows what was taken, one after the other: it never holds
    more of a kind than is left. What was put back into the same deck has not left it."""
    f, under = context.f, known_bottom(context, s.source)
    if under is None:
        context.build.moved(context, MovedCards(s.source, s.target, lambda put: each_copy(context, chosen, put)))
        return
    rest = planes.load(f, *zone_address(context, s.source))
    with each_bit(context, planes.present(f, chosen)) as loop:
        copies = planes.count(f, chosen, loop.value)
        had = f.add(planes.count(f, rest, loop.value), copies)
        with counting(context, "1", copies) as taken:
            left, kind = f.sub(had, taken.value), loop.value
            how = f.op(f"call i64 @take_under(ptr {under}, i64 {kind}, i64 {left})")
            context.build.moved(context, MovedCards(s.source, s.target, lambda put: put(kind), how))


UNROLLING = Pass(
    "unrolled draws", f"So many components are chosen always, {UNROLLED} at most: one draw is written after the other."
)


@UNROLLING.function
def take_fixed(
    context: EmitContext, s: ir.ChooseSet, stream: str, left: list[str]
) -> tuple[list[str], list[str]] | None:
    """So many, one after the other: what was taken and what is left. If the last was there, all were."""
    count = fixed(s)
    if count is None or not 0 < count <= UNROLLED:
        return None
    f, taken, kinds = context.f, ["0"] * len(left), "0"
    for _ in range(count):
        bit, kinds = draw_kind(context, stream, left)
        left, taken = planes.without(f, left, bit), planes.with_one(f, taken, bit)
    fine, bad = f.block(), f.block()
    f.branch(f.compare("ne", kinds, "0"), fine, bad)
    f.begin(bad)
    fail_unanswered(context, s)
    f.begin(fine)
    return taken, left


def take_counted(context: EmitContext, s: ir.ChooseSet, stream: str, left: list[str]) -> tuple[list[str], list[str]]:
    """As many as shows only in the game."""
    f = context.f
    variables = [f.variable() for _ in range(2 * len(left))]
    taken, rest = variables[: len(left)], variables[len(left) :]

    def keep(variables: list[str], content: list[str]) -> None:
        for variable, plane in zip(variables, content, strict=True):
            f.store(plane, variable)

    def kept(variables: list[str]) -> list[str]:
        return [f.load(variable) for variable in variables]

    keep(taken, ["0"] * len(left))
    keep(rest, left)
    count, end = how_many(context, s, stream, planes.size(f, left))
    with counting(context, "1", count):
        bit, _ = draw_kind(context, stream, kept(rest))
        keep(rest, planes.without(f, kept(rest), bit))
        keep(taken, planes.with_one(f, kept(taken), bit))
    f.begin(end)
    return kept(taken), kept(rest)


def fitting_planes(context: EmitContext, s: ir.ChooseSet, where: ir.Expression, held: list[str]) -> list[str]:
    """The part of a zone that may be chosen."""
    f, mask = context.f, context.f.variable()
    f.store("0", mask)
    with each_bit(context, planes.present(f, held)) as loop:
        set_local(context, s.element, f.add(loop.value, str(ir.set_type(s.source).element.low)))
        legal = f.op(f"shl i64 {f.widen(emit_condition(context, where))}, {loop.value}")
        f.store(f.op(f"or i64 {f.load(mask)}, {legal}"), mask)
    legal = f.load(mask)
    return [f.op(f"and i64 {plane}, {legal}") for plane in held]


def draw_kind(context: EmitContext, stream: str, left: list[str]) -> tuple[str, str]:
    """One of the kinds that are left, each as likely as any other, as a bit; and these kinds."""
    kinds = planes.present(context.f, left)
    drawn = draw_below(context, stream, context.f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
    return context.f.op(f"call i64 @nth_set(i64 {kinds}, i64 {drawn})"), kinds


def note_planes(context: EmitContext, stop: NotedStop, s: ir.ChooseSet, chosen: list[str]) -> None:
    """An event of several components, by kind."""
    f = context.f

    def put(at: str) -> str:
        count = f.variable()
        f.store("0", count)
        with (
            each_bit(context, planes.present(f, chosen)) as loop,
            counting(context, "1", planes.count(f, chosen, loop.value)),
        ):
            number = f.load(count)
            f.store(loop.value, f.element(at, number))
            f.store(f.add(number, "1"), count)
        return f.load(count)

    room = max(1, most_of_set(ir.set_type(s.source), context.game))
    context.build.note(context, stop, chooser(context, s), s.indices, room, put)
