"""What runs through elements: domains of loops and sums, and rankings, as functions of a run (closure generation)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.types import TRUTH
from chocolatl.solver.model.linear import SymbolicNumber, SymbolicValue, Truth, high, low
from chocolatl.solver.symbolic.cells import Cells, EvaluationContext, ToNumber, ToTruth, ToValue, cases
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class Element(NamedTuple):
    """Something that a loop or a sum runs through: the value, whether it is there, and how many times; and, where it
    comes to chance or to others, the how manieth of its value it is."""

    value: int
    there: Truth = True
    copies: SymbolicNumber = 1
    number: SymbolicNumber = 1


ToElements = Callable[[EvaluationContext], list[Element]]
ToOrder = Callable[[EvaluationContext], SymbolicOrder]
Arguments = tuple[int, ...]
Ranker = Callable[[EvaluationContext, Arguments], SymbolicOrder]


class SymbolicDomains(Cells):
    def __init__(self, program: LoweredGame) -> None:
        super().__init__(program)
        self.rankers: dict[str, Ranker] = {}

    @abstractmethod
    def number(self, e: ir.Expression) -> ToNumber: ...

    @abstractmethod
    def truth(self, e: ir.Expression) -> ToTruth: ...

    # ------------------------------------------------------------ elements

    def domain(self, domain: ir.Elements) -> ToElements:
        match domain:
            case ir.Whole(start=None):
                whole = [Element(v) for v in range(domain.type.low, domain.type.high + 1)]
                return lambda run: whole
            case ir.Whole():
                return self.from_seat(domain)
            case ir.Numbers():
                return self.numbers(domain)
            case ir.Listing():
                items = [(self.value(item), item) for item in domain.items]
                return lambda run: [Element(v, t) for find, item in items for v, t in cases(run, find(run), item)]
            case ir.ZoneElements():
                counts, first = self.counts(domain.zone), ir.set_type(domain.zone).element.low
                return lambda run: [
                    Element(first + kind, run.model.at_least(count, 1), count)
                    for kind, count in enumerate(counts(run))
                    if count != 0
                ]
            case ir.OrderElements():
                order_of = self.order(domain.order)

                def ranked(run: EvaluationContext) -> list[Element]:
                    order = order_of(run)
                    return [Element(e, order.there[e], order.copies.get(e, 1)) for e in order.listed]

                return ranked
            case _:
                assert_never(domain)

    def from_seat(self, domain: ir.Whole) -> ToElements:
        assert domain.start is not None
        start_of, span, size = self.value(domain.start), domain.start.span, domain.type.size

        def elements(run: EvaluationContext) -> list[Element]:
            start = start_of(run)
            if not isinstance(start, int):
                raise Unsupported(span, ModelGap.WHO_BEGINS)
            return [Element((start + seat) % size) for seat in range(size)]

        return elements

    def numbers(self, domain: ir.Numbers) -> ToElements:
        first_of, last_of = self.number(domain.low), self.number(domain.high)

        def elements(run: EvaluationContext) -> list[Element]:
            first, last = first_of(run), last_of(run)
            if isinstance(first, int) and isinstance(last, int):
                return [Element(v) for v in range(first, last + 1)]
            model = run.model
            return [
                Element(v, model.every((model.at_least(v, first), model.at_least(last, v))))
                for v in range(low(first), high(last) + 1)
            ]

        return elements

    def condition(self, where: ir.Expression | None) -> ToTruth | None:
        return None if where is None else self.truth(where)

    # ------------------------------------------------------------ orders

    def order(self, source: ir.OrderSource) -> ToOrder:
        match source:
            case ir.HeldOrder(local=local):
                return lambda run: run.orders[local.number]
            case ir.Ranked():
                return self.on_the_spot(source)
            case _:
                assert_never(source)

    def on_the_spot(self, source: ir.Ranked) -> ToOrder:
        arguments, name = self.arguments(source), source.name

        def order(run: EvaluationContext) -> SymbolicOrder:
            options = arguments(run)
            if len(options) > 1:
                raise Unsupported(source.span, ModelGap.WHAT_IS_RANKED)
            return self.ranker(name)(run, options[0][0])

        return order

    def arguments(self, source: ir.Ranked) -> Callable[[EvaluationContext], list[tuple[Arguments, Truth]]]:
        """What a ranking may be about, and when."""
        formulas = [(self.value(argument), argument) for argument in source.arguments]

        def arguments(run: EvaluationContext) -> list[tuple[Arguments, Truth]]:
            result: list[tuple[Arguments, Truth]] = [((), True)]
            for find, formula in formulas:
                options = cases(run, find(run), formula)
                result = [((*given, v), run.model.every((when, t))) for given, when in result for v, t in options]
            return [(given, when) for given, when in result if when is not False]

        return arguments

    def ranker(self, name: str) -> Ranker:
        if name not in self.rankers:
            self.rankers[name] = self.ranked_by(self.game.rankings[name])
        return self.rankers[name]

    def ranked_by(self, ranking: ir.Ranking) -> Ranker:
        """A ranking on the spot, of what it is about."""
        parameters = [-parameter.number for parameter in ranking.parameters]
        elements_of, where = self.domain(ranking.domain), self.condition(ranking.where)
        columns = [(self.key(key), key.descending) for key in ranking.keys]
        local, strict, repeated = -ranking.local.number, ranking.strict, repeats(ranking.domain)

        def ranked(run: EvaluationContext, given: Arguments) -> SymbolicOrder:
            run.state.values.update(zip(parameters, given, strict=True))
            elements = gathered(run, elements_of(run)) if repeated else elements_of(run)
            if any(element.copies != 1 for element in elements):
                return kinds(run, ranking, bound(run, local, elements, where), columns)
            model = run.model
            there: dict[int, Truth] = {}
            keys: dict[int, list[SymbolicNumber]] = {}
            for element, present in bound(run, local, elements, where):
                there[element.value] = present
                keys[element.value] = [model.scaled(of(run), -1) if down else of(run) for of, down in columns]
            return run.ranks.compared(keys, there, strict)

        return ranked

    def key(self, key: ir.Key) -> ToNumber:
        if key.expression.type.family != TRUTH:
            return self.number(key.expression)
        truth = self.truth(key.expression)
        return lambda run: run.model.number(truth(run))

    def place_of(self, e: ir.PlaceOf) -> ToValue:
        order_of, place, span = self.order(e.order), e.place, e.span

        def place_of(run: EvaluationContext) -> SymbolicValue:
            found = run.ranks.at_place(order_of(run), place)
            if not found:
                raise Unsupported(span, ModelGap.NO_HOLDER)
            return run.model.one_of(found)

        return place_of

    def rank_of(self, e: ir.RankOf) -> ToValue:
        order_of, element_of, formula = self.order(e.order), self.value(e.element), e.element

        def rank_of(run: EvaluationContext) -> SymbolicValue:
            order, model = order_of(run), run.model
            options: list[tuple[Truth, SymbolicNumber]] = []
            for element, t in cases(run, element_of(run), formula):
                rank: SymbolicNumber = 0
                if element in order.there:
                    rank = model.chosen(order.there[element], model.shifted(run.ranks.ahead(order, element), 1), 0)
                options.append((t, rank))
            return model.selected(options, None) if len(options) > 1 else options[0][1]

        return rank_of


def bound(
    run: EvaluationContext, key: int, elements: list[Element], where: ToTruth | None
) -> Iterator[tuple[Element, Truth]]:
    """Each element in its local, and whether it is there and meets the condition."""
    values = run.state.values
    held = values.get(key)
    for element in elements:
        there = element.there
        if there is False:
            continue
        values[key] = element.value
        if there is not True or where is not None:
            there = run.model.every((there, where(run) if where is not None else True))
        if there is not False:
            yield element, there
    if held is not None:
        values[key] = held


def repeats(domain: ir.Elements) -> bool:
    """Whether a value may be listed more than once, and not as one with copies."""
    match domain:
        case ir.Listing():
            return True
        case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.OrderElements():
            return False
        case _:
            assert_never(domain)


def gathered(run: EvaluationContext, elements: list[Element]) -> list[Element]:
    """Each element once: what is listed twice has two copies."""
    model = run.model
    found: dict[int, list[Element]] = {}
    for element in elements:
        found.setdefault(element.value, []).append(element)
    return [
        same[0] if len(same) == 1
        else Element(value, model.some(e.there for e in same), model.total(model.number(e.there) for e in same))
        for value, same in found.items()
    ]  # fmt: skip


def kinds(
    run: EvaluationContext,
    ranking: ir.Ranking,
    elements: Iterator[tuple[Element, Truth]],
    columns: list[tuple[ToNumber, bool]],
) -> SymbolicOrder:
    """A ranking of things with copies. Where no answer decides the keys, they are sorted at once."""
    model = run.model
    there: dict[int, Truth] = {}
    copies: dict[int, SymbolicNumber] = {}
    keys: dict[int, list[SymbolicNumber]] = {}
    for element, present in elements:
        there[element.value], copies[element.value] = present, element.copies
        keys[element.value] = [model.scaled(find(run), -1) if descending else find(run) for find, descending in columns]
    plain: dict[int, list[int]] = {
        value: known
        for value, own in keys.items()
        if len(known := [key for key in own if isinstance(key, int)]) == len(own)
    }
    if len(plain) < len(keys):
        return replace(run.ranks.compared(keys, there, ranking.strict), copies=copies)
    before: dict[tuple[int, int], Truth] = {(a, b): plain[a] < plain[b] for a in plain for b in plain if a != b}
    there = {value: there[value] for value in sorted(there, key=lambda value: (plain[value], value))}
    return SymbolicOrder(tuple(there), there, before, ranking.strict, copies, way=model.facts.way)
