"""Formulas of the IR over symbolic values.

What cannot be put into a model is named: `Unsupported` carries the line of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

from interpreter.engine.compile import Program
from interpreter.ir import nodes as ir
from interpreter.program.model import Field
from interpreter.program.types import NUMBER, TRUTH, Scalar
from interpreter.source import Span
from solver.bounds import Bounds
from solver.facts import Way
from solver.linear import Counts, Expression, Literal, Number, OneOf, Truth, Value, high, low, negated
from solver.model import Model
from solver.state import State, alternatives, from_truth, number, truth


class Unsupported(Exception):
    """Something in the rules that no model can be made of."""

    def __init__(self, span: Span, message: str) -> None:
        self.span = span
        self.message = message
        super().__init__(f"{span}: {message}")


class Element(NamedTuple):
    """Something that a loop or a sum runs through: the value, whether it is there, and how many times."""

    value: int
    there: Truth = True
    copies: Number = 1


@dataclass(frozen=True)
class Order:
    """A ranking at work. `before[a, b]` tells whether a comes before b; `there`, who is ranked at all."""

    elements: tuple[int, ...]
    there: dict[int, Truth]
    before: dict[tuple[int, int], Truth]
    strict: bool = False
    copies: dict[int, Number] = field(default_factory=dict)
    """Of a kind of components, how many there are; of anything else, one."""
    ahead: dict[int, Number] = field(default_factory=dict)
    """How many come before an element, of those that were asked for."""
    places: dict[int, list[tuple[int, Truth]]] = field(default_factory=dict)
    """Who has a place, of those that were asked for."""
    way: Way | None = None
    """Where the order was made."""


class Evaluator:
    def __init__(self, program: Program, model: Model, state: State) -> None:
        self.program = program
        self.game = program.game
        self.layout = program.layout
        self.model = model
        self.state = state
        self.orders: dict[int, Order] = {}
        self.bounds = Bounds.of(program)

    # ------------------------------------------------------------ scalars

    def number(self, e: ir.Expression) -> Number:
        return number(self.model, self.value(e))

    def truth(self, e: ir.Expression) -> Truth:
        lowest, highest = self.bounds.look(e)(self.state.values)
        return lowest == 1 if lowest == highest else self.model.here(self.open_truth(e))

    def open_truth(self, e: ir.Expression) -> Truth:
        """A truth that bounds do not decide."""
        found = TRUTHS.get(e.__class__)
        return truth(self.value(e)) if found is None else found(self, e)

    def logic(self, e: ir.Logic) -> Truth:
        left = self.truth(e.left)
        if left is (e.operator == "or"):
            return left
        parts = (left, self.truth(e.right))
        return self.model.some(parts) if e.operator == "or" else self.model.every(parts)

    def negation(self, e: ir.Not) -> Truth:
        return negated(self.truth(e.operand))

    def value(self, e: ir.Expression) -> Value:
        found = VALUES.get(e.__class__)
        if found is None:
            raise Unsupported(e.span, f"`{type(e).__name__}` has no form in a model")
        return found(self, e)

    def truth_value(self, e: ir.Expression) -> Value:
        return from_truth(self.truth(e))

    def conditional(self, e: ir.Conditional) -> Value:
        condition = self.truth(e.condition)
        if not isinstance(condition, Literal):
            return self.value(e.then if condition else e.otherwise)
        a, b = self.value(e.then), self.value(e.otherwise)
        if e.type.family == NUMBER:
            return self.model.chosen(condition, number(self.model, a), number(self.model, b))
        both = [(v, self.model.every((condition, t))) for v, t in self.cases(a, e)]
        both += [(v, self.model.every((~condition, t))) for v, t in self.cases(b, e)]
        return self.model.one_of(both)

    def zone_size(self, e: ir.ZoneSize) -> Value:
        return self.model.total(self.counts(e.zone))

    def arithmetic(self, e: ir.Arithmetic) -> Number:
        left, right = self.number(e.left), self.number(e.right)
        match e.operator:
            case "+":
                return self.model.add(left, right)
            case "-":
                return self.model.add(left, right, -1)
            case "*":
                return self.model.multiplied(left, right)
            case "min":
                return self.model.minimum(left, right)
            case "max":
                return self.model.maximum(left, right)
        if not isinstance(right, int) or right <= 0:
            raise Unsupported(e.span, "a division by something that the answer decides, or that is not positive")
        return self.model.divided(left, right) if e.operator == "/" else self.model.remainder(left, right)

    def comparison(self, e: ir.Comparison) -> Truth:
        if e.operator in ("==", "!="):
            equal = self.equal(e.left, e.right)
            return equal if e.operator == "==" else negated(equal)
        left, right = self.number(e.left), self.number(e.right)
        match e.operator:
            case "<":
                return negated(self.model.at_least(left, right))
            case "<=":
                return self.model.at_least(right, left)
            case ">":
                return negated(self.model.at_least(right, left))
        return self.model.at_least(left, right)

    def equal(self, left: ir.Expression, right: ir.Expression) -> Truth:
        a, b = self.value(left), self.value(right)
        if left.type.family == TRUTH:
            first, second = truth(a), truth(b)
            if not isinstance(first, Literal):
                return second if first else negated(second)
            if not isinstance(second, Literal):
                return first if second else ~first
            return self.model.equal(self.model.number(first), self.model.number(second))
        if left.type.family != NUMBER:
            pairs = [
                self.model.every((s, t)) for v, s in self.cases(a, left) for w, t in self.cases(b, right) if v == w
            ]
            return self.model.some(pairs)
        if left.type.optional != right.type.optional and isinstance(a, int) and isinstance(b, int):
            optional, other = (left, b) if left.type.optional else (right, a)
            if optional.type.none == other and not (left.type.optional and right.type.optional):
                return False  # the none of a number is not that number
        return self.model.equal(number(self.model, a), number(self.model, b))

    def conditional_truth(self, e: ir.Conditional) -> Truth:
        condition = self.truth(e.condition)
        if not isinstance(condition, Literal):
            return self.truth(e.then if condition else e.otherwise)
        then = self.model.every((condition, self.truth(e.then)))
        return self.model.some((then, self.model.every((~condition, self.truth(e.otherwise)))))

    def call(self, e: ir.CallValue) -> Value:
        """A declared value. For an argument that is one of several, such as a player, it is worked out for each."""
        cases: list[tuple[Truth, list[Value]]] = [(True, [])]
        for argument in e.arguments:
            value = self.value(argument)
            options = value.cases if isinstance(value, OneOf) else ((value, True),)
            cases = [(self.model.every((when, t)), [*given, v]) for when, given in cases for v, t in options]
        live = [(when, given) for when, given in cases if when is not False]
        return self.selected([(when, self.called(e, given)) for when, given in live], e.type)

    def called(self, e: ir.CallValue, given: list[Value]) -> Value:
        declared = self.game.values[e.name]
        held = [self.state.values.get(-p.number) for p in declared.parameters]
        for parameter, value in zip(declared.parameters, given, strict=True):
            self.state.values[-parameter.number] = value
        result = from_truth(self.truth(declared.body)) if e.type.family == TRUTH else self.value(declared.body)
        for parameter, old in zip(declared.parameters, held, strict=True):
            if old is not None:
                self.state.values[-parameter.number] = old
        return result

    # ------------------------------------------------------------ elements and tables

    def cases(self, value: Value, e: ir.Expression) -> tuple[tuple[int, Truth], ...]:
        """What a value can be, and when: an element of a domain, or a number of few."""
        if isinstance(value, Expression):
            if value.high - value.low > 200:
                raise Unsupported(e.span, "this has too many values to tell them apart")
            span = range(value.low, value.high + 1)
            return tuple((v, t) for v, t in ((v, self.model.equal(value, v)) for v in span) if t is not False)
        if isinstance(value, Literal):
            return ((1, value), (0, ~value))
        return alternatives(value)

    def positions(self, indices: tuple[ir.Expression, ...], bounds: tuple[Scalar, ...]) -> list[tuple[int, Truth]]:
        """The combinations of indices that can be meant, by their numbers in row order, and when."""
        result: list[tuple[int, Truth]] = [(0, True)]
        for index, bound in zip(indices, bounds, strict=True):
            value = self.value(index)
            low, high = bound.low, bound.high
            size = high - low + 1
            if isinstance(value, int):
                if not low <= value <= high:
                    return []
                result = [(position * size + value - low, when) for position, when in result]
                continue
            options = [(v - low, t) for v, t in self.cases(value, index) if low <= v <= high]
            if len(result) == 1 and result[0][1] is True:
                first = result[0][0] * size
                result = [(first + v, t) for v, t in options]
            else:
                every = self.model.every
                result = [(position * size + v, every((when, t))) for position, when in result for v, t in options]
        return [(position, when) for position, when in result if when is not False]

    def selected(self, cases: list[tuple[Truth, Value]], type_: Scalar) -> Value:
        """The value of the case that holds."""
        if len(cases) == 1:
            return cases[0][1]
        if type_.family == NUMBER:
            return self.model.selected([(t, number(self.model, v)) for t, v in cases], None)
        if type_.family == TRUTH:
            return from_truth(self.model.some(self.model.every((t, truth(v))) for t, v in cases))
        return self.model.one_of([(v, self.model.every((t, u))) for t, value in cases for v, u in alternatives(value)])

    def lookup(self, e: ir.Lookup) -> Value:
        return self.selected([(t, e.values[p]) for p, t in self.positions(e.indices, e.bounds)], e.type)

    def joined(self, e: ir.Joined) -> Value:
        return self.model.one_of(self.positions(e.parts, e.bounds))

    def part(self, e: ir.Part) -> Value:
        stride = prod(bound.size for bound in e.bounds[e.position + 1 :])
        bound = e.bounds[e.position]
        options = [(v // stride % bound.size + bound.low, t) for v, t in self.cases(self.value(e.whole), e.whole)]
        return self.selected([(t, v) for v, t in options], e.type)

    def slots(
        self, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]
    ) -> list[tuple[int, Truth]]:
        """The first slots of the cells that can be meant, and when."""
        place = self.layout.places[field.key]
        bounds = [*([self.game.domains[owner.type.family].type] if owner is not None else []), *field.indices]
        expressions = (owner, *indices) if owner is not None else indices
        cells = self.positions(expressions, tuple(bounds))
        return [(place.base + cell, t) for cell, t in cells]

    def load(self, e: ir.Load) -> Value:
        cells = self.slots(e.field, e.owner, e.indices)
        return self.selected([(t, self.state.read(slot)) for slot, t in cells], e.type)

    # ------------------------------------------------------------ zones

    def zone_slots(self, zone: ir.Zone) -> list[tuple[int, Truth]]:
        if ir.set_type(zone).short:
            raise Unsupported(zone.span, "a set of values with a limit has no form in a model")
        if isinstance(zone, ir.FieldZone):
            return self.slots(zone.field, zone.owner, zone.indices)
        raise Unsupported(zone.span, "a set in a local has no form in a model")

    def counts(self, zone: ir.Zone) -> Counts:
        """How many of each kind lie in a zone."""
        places = self.zone_slots(zone)
        if len(places) == 1:
            return self.state.counts(places[0][0])
        return self.state.merged_zones([(t, self.state.counts(slot)) for slot, t in places], None)

    def zone_count(self, e: ir.ZoneCount) -> Value:
        counts, low_ = self.counts(e.zone), ir.set_type(e.zone).element.low
        cases = self.cases(self.value(e.element), e.element)
        return self.selected([(t, counts[v - low_]) for v, t in cases if 0 <= v - low_ < len(counts)], e.type)

    # ------------------------------------------------------------ domains and aggregates

    def elements(self, domain: ir.Elements) -> list[Element]:
        match domain:
            case ir.Whole(start=None):
                return [Element(v) for v in range(domain.type.low, domain.type.high + 1)]
            case ir.Whole():
                start = self.value(domain.start) if domain.start is not None else 0
                if not isinstance(start, int):
                    raise Unsupported(domain.start.span, "who begins is decided by the answer")  # type: ignore[union-attr]
                return [Element((start + seat) % domain.type.size) for seat in range(domain.type.size)]
            case ir.Numbers():
                first, last = self.number(domain.low), self.number(domain.high)
                return [
                    Element(v, self.model.every((self.model.at_least(v, first), self.model.at_least(last, v))))
                    for v in range(low(first), high(last) + 1)
                ]
            case ir.Listing():
                found = []
                for item in domain.items:
                    found += [Element(v, t) for v, t in self.cases(self.value(item), item)]
                return found
            case ir.ZoneElements():
                first_kind = ir.set_type(domain.zone).element.low
                return [
                    Element(first_kind + kind, self.model.at_least(count, 1), count)
                    for kind, count in enumerate(self.counts(domain.zone))
                    if count != 0
                ]
        raise AssertionError(f"an order is no plain domain: {domain}")

    def bound(
        self, local: ir.Local, elements: list[Element], where: ir.Expression | None
    ) -> Iterator[tuple[Element, Truth]]:
        """Each element in its local, and whether it is there and meets the condition."""
        held = self.state.values.get(-local.number)
        for element in elements:
            if element.there is False:
                continue
            self.state.values[-local.number] = element.value
            meets = self.truth(where) if where is not None else True
            there = self.model.every((element.there, meets))
            if there is not False:
                yield element, there
        if held is not None:
            self.state.values[-local.number] = held

    def domain(self, domain: ir.Elements) -> list[Element]:
        if isinstance(domain, ir.OrderElements):
            order = self.order(domain.order)
            return [Element(e, order.there[e]) for e in order.elements]
        return self.elements(domain)

    def quantified(self, e: ir.Aggregate) -> Truth:
        assert e.kind in QUANTIFIERS and e.body is not None
        parts: list[Truth] = []
        for _, there in self.bound(e.local, self.domain(e.domain), e.where):
            body = self.truth(e.body)
            parts.append(self.model.every((there, body if e.kind == "some" else negated(body))))
        found = self.model.some(parts)
        return found if e.kind == "some" else negated(found)

    def aggregate(self, e: ir.Aggregate) -> Value:
        if e.kind in QUANTIFIERS:
            return self.truth_value(e)
        factors = self.bounds.factors(e)
        if factors is not None:
            assert isinstance(e.domain, ir.ZoneElements)
            return self.model.weighted(self.counts(e.domain.zone), factors)
        parts: list[tuple[Truth, Number]] = []
        for element, there in self.bound(e.local, self.domain(e.domain), e.where):
            if e.kind == "number":
                parts.append((there, element.copies))
            else:
                assert e.body is not None
                body = self.number(e.body)
                parts.append((there, self.model.multiplied(body, element.copies) if e.kind == "sum" else body))
        if e.kind in ("number", "sum"):
            # What is not there has no copies, so that nothing has to be asked of a plain zone.
            plain = isinstance(e.domain, ir.ZoneElements) and e.where is None
            return self.model.total(n if plain else self.model.chosen(there, n, 0) for there, n in parts)
        return self.extreme(e, parts)

    def extreme(self, e: ir.Aggregate, parts: list[tuple[Truth, Number]]) -> Number:
        """The highest or lowest of those that are there: what is not counts as beyond the other end."""
        if not parts:
            raise Unsupported(e.span, f"there is nothing to find the {e.kind} of")
        sign = 1 if e.kind == "highest" else -1
        signed = [(there, self.model.scaled(n, sign)) for there, n in parts]
        worst = min(low(n) for _, n in signed)
        result: Number | None = None
        for there, n in signed:
            n = self.model.chosen(there, n, worst)
            result = n if result is None else self.model.maximum(result, n)
        assert result is not None
        return self.model.scaled(result, sign)

    # ------------------------------------------------------------ orders

    def order(self, source: ir.OrderSource) -> Order:
        if isinstance(source, ir.HeldOrder):
            return self.orders[source.local.number]
        cases = self.arguments(source)
        if len(cases) > 1:
            raise Unsupported(source.span, "what is ranked is decided by the answer")
        return self.ranked(source, cases[0][0])

    def arguments(self, source: ir.Ranked) -> list[tuple[tuple[int, ...], Truth]]:
        """What a ranking may be about, and when."""
        result: list[tuple[tuple[int, ...], Truth]] = [((), True)]
        for argument in source.arguments:
            options = self.cases(self.value(argument), argument)
            result = [((*given, v), self.model.every((when, t))) for given, when in result for v, t in options]
        return [(given, when) for given, when in result if when is not False]

    def ranked(self, source: ir.Ranked, given: tuple[int, ...], lifted: int | None = None) -> Order:
        """A ranking on the spot; `lifted` has a first key that is one better than it really is."""
        ranking = self.game.rankings[source.name]
        for parameter, value in zip(ranking.parameters, given, strict=True):
            self.state.values[-parameter.number] = value
        elements = self.domain(ranking.domain)
        if any(element.copies != 1 for element in elements):
            return self.kinds(ranking, elements)
        there: dict[int, Truth] = {}
        keys: dict[int, list[Number]] = {}
        for element, present in self.bound(ranking.local, elements, ranking.where):
            there[element.value] = present
            keys[element.value] = [
                self.model.scaled(self.key(key), -1) if key.descending else self.key(key) for key in ranking.keys
            ]
        if lifted in keys:
            keys[lifted][0] = self.model.shifted(keys[lifted][0], -1)
        before = self.compared(keys, there, ranking.strict)
        return Order(tuple(there), there, before, ranking.strict, way=self.model.facts.way)

    def key(self, key: ir.Key) -> Number:
        if key.expression.type.family == TRUTH:
            return self.model.number(self.truth(key.expression))
        return self.number(key.expression)

    def compared(
        self, keys: dict[int, list[Number]], there: dict[int, Truth], strict: bool
    ) -> dict[tuple[int, int], Truth]:
        """One number for all keys of each, then one comparison for each pair."""
        combined: dict[int, Number] = dict.fromkeys(keys, 0)
        for column in zip(*keys.values(), strict=True):
            first, last = min(map(low, column)), max(map(high, column))
            for element, key in zip(keys, column, strict=True):
                scaled = self.model.scaled(combined[element], last - first + 1)
                combined[element] = self.model.add(scaled, self.model.shifted(key, -first))
        before: dict[tuple[int, int], Truth] = {}
        for a in keys:
            for b in keys:
                if a < b:
                    first_is_better = self.model.at_least(self.model.shifted(combined[b], -1), combined[a])
                    before[a, b] = first_is_better
                    before[b, a] = (
                        negated(first_is_better) if strict
                        else self.model.at_least(self.model.shifted(combined[a], -1), combined[b])
                    )  # fmt: skip
        for a, b in before:
            if before[a, b] is True:
                self.pass_on(before, a, b)
        return before

    def pass_on(self, before: dict[tuple[int, int], Truth], a: int, b: int) -> None:
        """Who comes before a, which surely comes before b, comes before b, too; and who comes after b after a."""
        for other, second in before:
            if second == a and other != b:
                for stronger, weaker in (
                    (before[other, a], before[other, b]),
                    (before[b, other], before[a, other]),
                ):
                    if isinstance(stronger, Literal) and isinstance(weaker, Literal) and stronger != weaker:
                        self.model.facts.implies_here(stronger, weaker)

    def kinds(self, ranking: ir.Ranking, elements: list[Element]) -> Order:
        """A ranking of things with copies, whose keys no answer decides."""
        keyed: list[tuple[list[int], int, Truth, Number]] = []
        for element, there in self.bound(ranking.local, elements, ranking.where):
            keys: list[int] = []
            for key in ranking.keys:
                value = self.key(key)
                if not isinstance(value, int):
                    raise Unsupported(ranking.span, "an order of components whose keys the answer decides")
                keys.append(-value if key.descending else value)
            keyed.append((keys, element.value, there, element.copies))
        keyed.sort(key=lambda entry: entry[:2])
        names = [value for _, value, _, _ in keyed]
        before: dict[tuple[int, int], Truth] = {
            (a, b): i < j for i, a in enumerate(names) for j, b in enumerate(names) if i != j
        }
        copies = {value: count for _, value, _, count in keyed}
        return Order(tuple(names), {value: there for _, value, there, _ in keyed}, before, True, copies)

    def better(self, order: Order, element: int) -> list[tuple[int, Truth]]:
        """Who can come before an element, and when."""
        before, there, every = order.before, order.there, self.model.every
        return [(other, every((there[other], before[other, element]))) for other in order.elements if other != element]

    def ahead(self, order: Order, element: int) -> Number:
        """How many come before an element."""
        if element not in order.ahead:
            order.ahead[element] = self.model.total(
                [self.model.chosen(t, order.copies.get(other, 1), 0) for other, t in self.better(order, element)]
            )
        return order.ahead[element]

    def at_place(self, order: Order, place: int) -> list[tuple[int, Truth]]:
        """Who has a place, and when; -1 is the last one."""
        if place not in order.places:
            # Who has a place is asked again by others than those on the way that is run.
            facts = self.model.facts
            here = facts.go(order.way) if order.way is not None else facts.way
            order.places[place] = self.placed(order, place)
            facts.go(here)
        live = [(element, self.model.here(holds)) for element, holds in order.places[place]]
        return [(element, holds) for element, holds in live if holds is not False]

    def placed(self, order: Order, place: int) -> list[tuple[int, Truth]]:
        result: list[tuple[int, Truth]] = []
        for element in order.elements:
            if place == -1:
                behind = [
                    self.model.every((order.there[other], order.before[element, other]))
                    for other in order.elements
                    if other != element
                ]
                here = negated(self.model.some(behind))
            elif place == 1:
                here = negated(self.model.some(t for _, t in self.better(order, element)))
            elif order.copies.get(element, 1) == 1:
                chained = self.in_chain(order, element, place)
                here = self.model.equal(self.ahead(order, element), place - 1) if chained is None else chained
            else:
                ahead = self.ahead(order, element)
                upto = self.model.add(ahead, order.copies[element])
                here = self.model.every((self.model.at_least(place - 1, ahead), self.model.at_least(upto, place)))
            here = self.model.every((order.there[element], here))
            if here is not False:
                result.append((element, here))
        if order.strict:
            complete = all(there is True for there in order.there.values())
            self.model.facts.group((here for _, here in result), complete)
            if complete and place > 0:
                self.once(order, place, dict(result))
        return result

    def once(self, order: Order, place: int, found: dict[int, Truth]) -> None:
        """Nobody has two places."""
        for other, holders in order.places.items():
            if other != place and (other > 0 or place < len(order.elements)):
                for element, here in holders:
                    self.model.facts.group((here, found.get(element, False)), complete=False)

    def in_chain(self, order: Order, element: int, place: int) -> Truth | None:
        """Whether an element has a place, if it is known how all others stand to one another."""
        others = [other for other in order.elements if other != element]
        if not order.strict or order.copies or any(there is not True for there in order.there.values()):
            return None
        if any(isinstance(order.before[a, b], Literal) for a in others for b in others if a != b):
            return None
        ranked = sorted(others, key=lambda a: -sum(order.before[a, b] is True for b in others if b != a))
        ahead = order.before[ranked[place - 2], element]
        behind = negated(order.before[ranked[place - 1], element]) if place <= len(ranked) else True
        return self.model.every((ahead, behind))

    def place_of(self, e: ir.PlaceOf) -> Value:
        found = self.at_place(self.order(e.order), e.place)
        if not found:
            raise Unsupported(e.span, "nobody has this place")
        return self.model.one_of(found)

    def rank_of(self, e: ir.RankOf) -> Number:
        order = self.order(e.order)
        cases: list[tuple[Truth, Number]] = []
        for element, t in self.cases(self.value(e.element), e.element):
            rank: Number = 0
            if element in order.there:
                rank = self.model.chosen(order.there[element], self.model.shifted(self.ahead(order, element), 1), 0)
            cases.append((t, rank))
        return self.model.selected(cases, None) if len(cases) > 1 else cases[0][1]


QUANTIFIERS = ("some", "every")

VALUES: dict[type[ir.Expression], Callable[[Evaluator, Any], Value]] = {
    ir.Constant: lambda run, e: e.value,
    ir.Read: lambda run, e: run.state.read(-e.local.number),
    ir.Load: Evaluator.load,
    ir.Lookup: Evaluator.lookup,
    ir.Arithmetic: Evaluator.arithmetic,
    ir.Comparison: Evaluator.truth_value,
    ir.Logic: Evaluator.truth_value,
    ir.Not: Evaluator.truth_value,
    ir.Conditional: Evaluator.conditional,
    ir.Required: lambda run, e: run.value(e.operand),
    ir.Narrowed: lambda run, e: run.value(e.operand),
    ir.Aggregate: Evaluator.aggregate,
    ir.ZoneSize: Evaluator.zone_size,
    ir.ZoneCount: Evaluator.zone_count,
    ir.CallValue: Evaluator.call,
    ir.PlaceOf: Evaluator.place_of,
    ir.RankOf: Evaluator.rank_of,
    ir.Joined: Evaluator.joined,
    ir.Part: Evaluator.part,
}
"""How the value of each kind of formula is found."""

TRUTHS: dict[type[ir.Expression], Callable[[Evaluator, Any], Truth]] = {
    ir.Comparison: Evaluator.comparison,
    ir.Logic: Evaluator.logic,
    ir.Not: Evaluator.negation,
    ir.Aggregate: Evaluator.quantified,
    ir.Conditional: Evaluator.conditional_truth,
}
"""How the truth of a formula is found, unless it is that of a value."""
