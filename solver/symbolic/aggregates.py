"""Formulas over elements, as functions of a run: whether some or all meet a condition, sums, the highest and the lowest
(aggregates, unrolled)."""

from __future__ import annotations

from abc import abstractmethod
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.solver.model.linear import SymbolicNumber, SymbolicValue, Truth, low, negated
from chocolatl.solver.symbolic.cells import EvaluationContext, ToNumber, ToTruth, ToValue
from chocolatl.solver.symbolic.domains import SymbolicDomains, bound
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class Aggregates(SymbolicDomains):
    @abstractmethod
    def truth_value(self, e: ir.Expression) -> ToValue: ...

    @abstractmethod
    def by_value(self, e: ir.Expression) -> ToTruth: ...

    def quantified(self, e: ir.Aggregate) -> ToTruth:
        match e.kind:
            case AggregateKind.SOME:
                return self.some(e, True)
            case AggregateKind.EVERY:  # there is none that does not
                fails = self.some(e, False)
                return lambda run: negated(fails(run))
            case AggregateKind.NUMBER | AggregateKind.SUM | AggregateKind.HIGHEST | AggregateKind.LOWEST:
                return self.by_value(e)
            case _:
                assert_never(e.kind)

    def some(self, e: ir.Aggregate, wanted: bool) -> ToTruth:
        """Whether the condition is as wanted for an element."""
        assert e.body is not None
        elements, where, body_of = self.domain(e.domain), self.condition(e.where), self.truth(e.body)
        key = -e.local.number

        def some(run: EvaluationContext) -> Truth:
            parts: list[Truth] = []
            for _, there in bound(run, key, elements(run), where):
                body = body_of(run)
                parts.append(run.model.every((there, body if wanted else negated(body))))
            return run.model.some(parts)

        return some

    def aggregate(self, e: ir.Aggregate) -> ToValue:
        match e.kind:
            case AggregateKind.SOME | AggregateKind.EVERY:
                return self.truth_value(e)
            case AggregateKind.NUMBER:
                return self.total(e, None)
            case AggregateKind.SUM:
                return self.weighted(e) or self.total(e, self.term(e))
            case AggregateKind.HIGHEST:
                return self.extreme(e, 1)
            case AggregateKind.LOWEST:
                return self.extreme(e, -1)
            case _:
                assert_never(e.kind)

    def term(self, e: ir.Aggregate) -> ToNumber:
        assert e.body is not None
        return self.number(e.body)

    def weighted(self, e: ir.Aggregate) -> ToValue | None:
        """A sum in which each kind of a zone counts the same everywhere, if it is one."""
        factors = self.bounds.factors(e)
        if factors is None:
            return None
        assert isinstance(e.domain, ir.ZoneElements)
        counts = self.counts(e.domain.zone)
        return lambda run: run.model.weighted(counts(run), factors)

    def total(self, e: ir.Aggregate, term: ToNumber | None) -> ToValue:
        """The terms of all elements, each as often as there are copies of it; without a term each counts 1."""
        elements, where, key = self.domain(e.domain), self.condition(e.where), -e.local.number
        # What is not there has no copies, so that nothing has to be asked of a plain zone.
        plain = isinstance(e.domain, ir.ZoneElements) and e.where is None

        def total(run: EvaluationContext) -> SymbolicValue:
            model = run.model
            parts: list[tuple[Truth, SymbolicNumber]] = []
            for element, there in bound(run, key, elements(run), where):
                copies = element.copies
                parts.append((there, copies if term is None else model.multiplied(term(run), copies)))
            return model.total([n if plain or there is True else model.chosen(there, n, 0) for there, n in parts])

        return total

    def extreme(self, e: ir.Aggregate, sign: int) -> ToValue:
        """The highest term, or the lowest."""
        elements, where, term = self.domain(e.domain), self.condition(e.where), self.term(e)
        key, span, kind = -e.local.number, e.span, e.kind

        def extreme(run: EvaluationContext) -> SymbolicValue:
            parts = [(there, term(run)) for _, there in bound(run, key, elements(run), where)]
            if not parts:
                raise Unsupported(span, ModelGap.NO_ELEMENT, kind)
            return outermost(run, parts, sign)

        return extreme


def outermost(run: EvaluationContext, parts: list[tuple[Truth, SymbolicNumber]], sign: int) -> SymbolicNumber:
    """The highest of those that are there, or the lowest: what is not counts as beyond the other end."""
    model = run.model
    signed = [(there, model.scaled(n, sign)) for there, n in parts]
    worst = min(low(n) for _, n in signed)
    result: SymbolicNumber | None = None
    for there, n in signed:
        n = model.chosen(there, n, worst)
        result = n if result is None else model.maximum(result, n)
    assert result is not None
    return model.scaled(result, sign)
