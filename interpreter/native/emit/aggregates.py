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
from chocolatl.interpreter.native.emit.elements import ElementEmitter, ElementLoop
from chocolatl.interpreter.native.layout import bit_planes as planes

LARGEST = 2**63 - 1

AT_ONCE = 10
"""So many kinds are looked up at once, in a table with all combinations of them."""


class AggregateEmitter(ElementEmitter):
    def aggregate(self, e: ir.Aggregate) -> str:
        """A formula over elements as a number."""
        match e.kind:
            case AggregateKind.SOME | AggregateKind.EVERY:
                return self.f.widen(self.verdict(e))
            case AggregateKind.NUMBER | AggregateKind.SUM:
                return self.total(e)
            case AggregateKind.HIGHEST:
                return self.extreme(e, highest=True)
            case AggregateKind.LOWEST:
                return self.extreme(e, highest=False)
            case _:
                assert_never(e.kind)

    def verdict(self, e: ir.Aggregate) -> str:
        """The same as one bit."""
        match e.kind:
            case AggregateKind.SOME:
                return self.some_or_every(e, some=True)
            case AggregateKind.EVERY:
                return self.some_or_every(e, some=False)
            case AggregateKind.NUMBER | AggregateKind.SUM | AggregateKind.HIGHEST | AggregateKind.LOWEST:
                return self.is_yes(e)
            case _:
                assert_never(e.kind)

    @contextmanager
    def each_fitting(self, e: ir.Aggregate) -> Iterator[ElementLoop]:
        """A loop over the elements that a formula is about."""
        with self.each(e.domain, e.local) as loop:
            if e.where is not None:
                fitting = self.f.block()
                self.f.branch(self.condition(e.where), fitting, loop.next)
                self.f.begin(fitting)
            yield loop

    def total(self, e: ir.Aggregate) -> str:
        f, weights = self.f, self.weights(e)
        if weights is not None:
            assert isinstance(e.domain, ir.ZoneElements)
            held = planes.load(f, *self.zone(e.domain.zone))
            return planes.weighed(f, held, lambda plane: self.weight(plane, weights))
        result = f.variable()
        f.store("0", result)
        with self.each_fitting(e) as loop:
            f.change(result, f.mul(loop.copies, self.emit(e.body) if e.body is not None else "1"))
        return f.load(result)

    def extreme(self, e: ir.Aggregate, highest: bool) -> str:
        f = self.f
        if self.is_of_a_few(e):
            return self.furthest(e, highest)
        assert e.body is not None
        result, nothing = f.variable(), -LARGEST if highest else LARGEST
        best = f.maximum if highest else f.minimum
        f.store(str(nothing), result)
        with self.each_fitting(e):
            body = self.emit(e.body)
            f.store(best(f.load(result), body), result)
        return self.if_any(e, f.load(result), nothing)

    def if_any(self, e: ir.Aggregate, found: str, nothing: int) -> str:
        """The highest or the lowest, if there is one."""
        site = self.site(e.span, f"there is nothing to find the {e.kind} of")
        return self.otherwise(self.f.compare("ne", found, str(nothing)), found, e.type.low, site)

    def is_of_a_few(self, e: ir.Aggregate) -> bool:
        """Whether this is the highest or lowest of a few numbers that fit: `lowest r for r in 1..4 where ...`."""
        itself = isinstance(e.body, ir.Read) and e.body.local == e.local
        return itself and bool(known_elements(e.domain, e.span)) and not self.can_fail(e.where)

    def furthest(self, e: ir.Aggregate, highest: bool) -> str:
        """The last that fits, beginning at the other end: none has to be compared with another."""
        f, elements = self.f, known_elements(e.domain, e.span)
        nothing = elements[0].value - 1
        found = str(nothing)
        for element in elements if highest else reversed(elements):
            fits = "true" if e.where is None else self.condition(self.fold(e.where, {e.local.number: element}))
            found = f.select(fits, str(element.value), found)
        return self.if_any(e, found, nothing)

    def weights(self, e: ir.Aggregate) -> list[int] | None:
        """What each kind in a zone adds to a sum, where that depends on nothing else and the zone is planes of bits."""
        if self.closely or not is_total(e.kind) or not isinstance(e.domain, ir.ZoneElements):
            return None
        type_ = ir.set_type(e.domain.zone)
        if not self.memory.shape(type_).planes:
            return None
        found = []
        for value in range(type_.element.low, type_.element.high + 1):
            known: dict[int, ir.Expression] = {e.local.number: ir.Constant(e.span, type_.element, value)}
            asked = [part for part in (e.where, e.body) if part is not None]
            parts = [self.fold(part, known) for part in asked]
            numbers = [part.value for part in parts if isinstance(part, ir.Constant)]
            if len(numbers) < len(parts):
                return None
            found.append(prod(numbers))
        return found

    def weight(self, plane: str, weights: list[int]) -> str:
        """The sum of what the kinds in a plane add: looked up for some of them at a time."""
        f, total = self.f, "0"
        for start in range(0, len(weights), AT_ONCE):
            sums = [0]
            for weight in weights[start : start + AT_ONCE]:
                sums += [weight + before for before in sums]
            kinds = f.op(f"lshr i64 {plane}, {start}") if start else plane
            if start + AT_ONCE < len(weights):
                kinds = f.both(kinds, str(len(sums) - 1))
            total = f.add(total, self.entry(tuple(sums), kinds))
        return total

    def some_or_every(self, e: ir.Aggregate, some: bool) -> str:
        """Ends at the first that decides it, unless a later one might fail."""
        f = self.f
        assert e.body is not None
        result = f.variable("i1")
        hasty = not self.can_fail(e.where) and not self.can_fail(e.body)
        f.do(f"store i1 {'false' if some else 'true'}, ptr {result}")
        with self.each_fitting(e) as loop:
            body = self.condition(e.body)
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
