"""Several pieces taken by a policy one after the other, or at random where a seat has none (sampling from a softmax
without replacement)."""

from __future__ import annotations

from typing import Protocol

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.components import fitting_planes, follow_move
from chocolatl.interpreter.native.emit.decisions.several import choosable, how_many, store_several
from chocolatl.interpreter.native.emit.statements.events import (
    chooser,
    count_decision,
    draw_below,
    stream_of,
)
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import add_content
from chocolatl.interpreter.native.emit.statements.occurrences import count_list, count_planes
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import (
    content_size,
    count_at,
    present_kinds,
    zone_address,
)
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.native.policy.choosing import PolicyChoice
from chocolatl.interpreter.native.policy.features import (
    NativePolicy,
    at,
    control,
    scaled_value,
    squared_value,
    weights_of,
)
from chocolatl.interpreter.native.policy.tracing import keep_answer


class TooManyKinds(Exception):
    """Pieces of more kinds than a word has bits are taken by the interpreter alone."""


class Supply(Protocol):
    """What there is to choose from, and what was taken of it."""

    def kinds(self) -> str:
        """The kinds that are left, as the bits of a word."""

    def size(self) -> str:
        """How many there are at first."""

    def take(self, kind: str) -> None: ...

    def store(self) -> None:
        """What was taken changes its place."""


class SupplyOfPlanes:
    """A zone of planes of bits."""

    def __init__(self, context: EmitContext, s: ir.ChooseSet) -> None:
        f = context.f
        self.context, self.node, self.zone = context, s, zone_address(context, s.source)
        self.held = planes.load(f, *self.zone)
        self.left = self.held if s.where is None else fitting_planes(context, s, s.where, self.held)
        self.taken, self.rest = [f.variable() for _ in self.left], [f.variable() for _ in self.left]
        for variable, plane in zip(self.rest, self.left, strict=True):
            f.store(plane, variable)
        for variable in self.taken:
            f.store("0", variable)

    def kinds(self) -> str:
        return planes.present(self.context.f, [self.context.f.load(each) for each in self.rest])

    def size(self) -> str:
        return planes.size(self.context.f, self.left)

    def take(self, kind: str) -> None:
        f = self.context.f
        bit = f.op(f"shl i64 1, {kind}")
        rest, taken = [f.load(each) for each in self.rest], [f.load(each) for each in self.taken]
        for variable, plane in zip(self.rest, planes.without(f, rest, bit), strict=True):
            f.store(plane, variable)
        for variable, plane in zip(self.taken, planes.with_one(f, taken, bit), strict=True):
            f.store(plane, variable)

    def store(self) -> None:
        context, s = self.context, self.node
        chosen = [context.f.load(each) for each in self.taken]
        count_planes(context, s, chosen)
        planes.store(context.f, planes.less(context.f, self.held, chosen), *self.zone)
        add_content(context, *zone_address(context, s.target), chosen)
        follow_move(context, s, chosen)
        ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))


class SupplyOfCounts:
    """A zone of counts."""

    def __init__(self, context: EmitContext, s: ir.ChooseSet) -> None:
        f = context.f
        self.context, self.node = context, s
        self.left, self.shape = choosable(context, s)
        if self.shape.padded > CHUNK:
            raise TooManyKinds
        room = max(1, most_of_set(ir.set_type(s.source), context.game))
        self.array, self.count = f.variable(f"[{room} x i64]", Access.DRAWN), f.variable()
        f.store("0", self.count)

    def kinds(self) -> str:
        return present_kinds(self.context, self.left, self.shape, "")

    def size(self) -> str:
        return content_size(self.context, self.left, self.shape, "")

    def take(self, kind: str) -> None:
        f, unit = self.context.f, self.shape.unit
        number = f.load(self.count)
        f.store(kind, f.element(self.array, number))
        f.store(f.add(number, "1"), self.count)
        pointer = count_at(self.context, self.left, self.shape, kind)
        f.store(f.sub(f.load_count(pointer, unit), "1"), pointer, unit)

    def store(self) -> None:
        count = self.context.f.load(self.count)
        count_list(self.context, self.node, self.array, count)
        store_several(self.context, self.node, self.array, count)


def emit_policy_choose_set(context: EmitContext, policy: NativePolicy, s: ir.ChooseSet) -> None:
    f, me = context.f, chooser(context, s)
    of_planes = context.memory.shape(ir.set_type(s.source)).planes
    supply: Supply = SupplyOfPlanes(context, s) if of_planes else SupplyOfCounts(context, s)
    weights = weights_of(context, control(context), me)
    learned, at_random, on = f.block(), f.block(), f.block()
    f.branch(f.compare("ne", weights, "0"), learned, at_random)
    f.begin(at_random)
    stream = stream_of(context, me)
    count, end = how_many(context, s, stream, supply.size())
    with counting(context, "1", count):
        kinds = supply.kinds()
        drawn = draw_below(context, stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
        supply.take(f.op(f"call i64 @nth_bit(i64 {kinds}, i64 {drawn})"))
    f.begin(end)
    f.goto(on)
    f.begin(learned)
    take_pieces(PolicyChoice.begin(context, policy, s, me, weights), s, supply)
    f.begin(on)
    count_decision(context)
    supply.store()


def take_pieces(choice: PolicyChoice, s: ir.ChooseSet, supply: Supply) -> None:
    """How many, if that is a question, then one after the other."""
    context, f, site, layout = choice.context, choice.context.f, choice.site, choice.policy.layout

    def draw(least: str, most: str) -> str:
        return draw_size(choice, least, most)

    count, end = how_many(context, s, choice.stream, supply.size(), draw if site.sizes >= 0 else None)
    laid = f.variable(f"[{max(1, len(site.multiplying))} x i64]")
    if site.multiplying:
        f.do(f"call void @policy_laid_{site.site.number}({choice.given}, ptr {laid})")
    with counting(context, "0", f.sub(count, "1")) as loop:
        for position, feature in enumerate(site.multiplying):
            now = f.load(at(context, laid, 8 * position))
            y = scaled_value(context, now, feature.number, choice.weights, layout.scales)
            f.store(y, choice.place(layout.multipliers + 2 * position + 2), "i16")
        kind = choice.draw_element(site.first, choice.number(loop.value), supply.kinds())
        for position, values in enumerate(site.laying):
            pointer = at(context, laid, 8 * position)
            f.store(f.add(f.load(pointer), table_entry(context, values, kind)), pointer)
        supply.take(kind)
    f.begin(end)


def draw_size(choice: PolicyChoice, least: str, most: str) -> str:
    """How many, from the table for that."""
    context, f, layout, first = choice.context, choice.context.f, choice.policy.layout, choice.site.sizes
    table = choice.policy.form.tables[first]
    if table.elements is not None:
        low = str(table.elements[0])
        upper = f.op(f"shl i64 -1, {f.sub(least, low)}")
        lower = f.op(f"lshr i64 -1, {f.sub('63', f.sub(most, low))}")
        return f.add(choice.draw_element(first, str(first), f.op(f"and i64 {upper}, {lower}")), low)
    slopes = choice.slopes(first, choice.table_at(first, str(first)))
    logits, answer = f.op(f"load ptr, ptr {choice.place(layout.logits)}"), choice.place(layout.answer)
    with counting(context, least, most) as loop:
        term = scaled_value(context, loop.value, table.terms[0].feature.number, choice.weights, layout.scales)
        position, logit = f.sub(loop.value, least), "0"
        for place, each in enumerate((term, squared_value(context, term))):
            f.store(each, at(context, answer, 2 * place), "i16")
            logit = f.add(logit, f.mul(each, f.load(at(context, slopes, 4 * place), "i32")))
        with choice.if_traced():
            keep_answer(context, choice.policy, choice.base, first, str(first), position)
        f.store(logit, f.op(f"getelementptr i32, ptr {logits}, i64 {position}"), "i32")
    total = f.add(f.sub(most, least), "1")
    return f.add(choice.draw_listed(first, str(first), logits, total), least)
