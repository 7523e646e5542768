"""A model that no solver is named in: variables, linear constraints that literals may enforce (half-reified), clauses.

On top of sums and truths there are choices between values. Equal choices between two values are built once, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from chocolatl.solver.model.booleans import BooleanBuilder
from chocolatl.solver.model.constraints import LinearConstraint, Product, Quotient
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, OneOf, SymbolicNumber, Truth, high, low


@dataclass
class Model(BooleanBuilder):
    values: dict[object, SymbolicNumber] = field(default_factory=dict)
    products: dict[int, BooleanLiteral] = field(default_factory=dict)
    """Variables that are 0 unless a literal holds."""

    # ------------------------------------------------------------ products and extremes

    def multiplied(self, a: SymbolicNumber, b: SymbolicNumber) -> SymbolicNumber:
        if isinstance(a, int):
            return self.scaled(b, a)
        if isinstance(b, int):
            return self.scaled(a, b)
        for one, other in ((a, b), (b, a)):
            truth = self.as_literal(one)
            if truth is not None:
                return self.chosen(truth, other, 0)
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        target = self.integer(min(corners), max(corners))
        variable = next(iter(target.terms))
        self.defined(variable, Product(variable, a, b))
        return target

    def divided(self, a: SymbolicNumber, divisor: int) -> SymbolicNumber:
        """a / divisor, rounded down; the divisor is not 0."""
        if isinstance(a, int):
            return a // divisor
        if divisor < 0:
            return self.divided(self.scaled(a, -1), -divisor)
        lowest, highest = a.low // divisor, a.high // divisor
        if lowest == highest:
            return lowest
        if divisor == 1:
            return a
        key = ("divided", a.key(), divisor)
        if key not in self.values:
            shifted = self.shifted(a, -lowest * divisor)
            assert isinstance(shifted, LinearExpression)
            target = self.integer(0, highest - lowest)
            variable = next(iter(target.terms))
            self.defined(variable, Quotient(variable, shifted, divisor))
            self.values[key] = self.shifted(target, lowest)
        return self.values[key]

    def remainder(self, a: SymbolicNumber, divisor: int) -> SymbolicNumber:
        return self.add(a, self.divided(a, divisor), -divisor)

    def by_divisor(self, divisor: SymbolicNumber, result: Callable[[int], SymbolicNumber]) -> SymbolicNumber | None:
        """What comes of a division, for each divisor that may be meant; None if it can only be 0."""
        if isinstance(divisor, int):
            return result(divisor) if divisor else None
        numbers = [n for n in range(divisor.low, divisor.high + 1) if n]
        cases = [(truth, n) for truth, n in ((self.equal(divisor, n), n) for n in numbers) if truth is not False]
        return self.selected([(truth, result(n)) for truth, n in cases], None) if cases else None

    def maximum(self, a: SymbolicNumber, b: SymbolicNumber) -> SymbolicNumber:
        if low(a) >= high(b):
            return a
        difference = self.add(a, b, -1)
        if low(difference) >= 0:
            return a
        if high(difference) <= 0:
            return b
        return self.chosen(self.at_least(a, b), a, b, lowest=max(low(a), low(b)))

    def minimum(self, a: SymbolicNumber, b: SymbolicNumber) -> SymbolicNumber:
        return self.scaled(self.maximum(self.scaled(a, -1), self.scaled(b, -1)), -1)

    # ------------------------------------------------------------ choices between values

    def chosen(
        self, condition: Truth, a: SymbolicNumber, b: SymbolicNumber, lowest: int | None = None
    ) -> SymbolicNumber:
        """a if the condition holds, otherwise b. It may be known that this is not below a number."""
        condition = self.here(condition)
        if not isinstance(condition, BooleanLiteral):
            return a if condition else b
        given = a, b
        a, b = self.meant(condition, a), self.meant(~condition, b)
        difference = self.add(a, b, -1)
        if isinstance(difference, int):
            return self.add(b, self.number(condition), difference) if difference else b
        within = self.inside(condition, a), self.inside(~condition, b)
        if within[0] is not a or within[1] is not b:
            a, b = within
            difference = self.add(a, b, -1)
        if isinstance(difference, int):
            return self.add(b, self.number(condition), difference)
        if len(difference.terms) == 1 and self.bounds[next(iter(difference.terms))] == (0, 1):
            return self.add(b, self.only_if(condition, difference))
        # What was put in holds on this way. The variable has a value on any other one, too, whatever is known here.
        is_as_given = a is given[0] and b is given[1]
        if not condition.positive:
            condition, a, b = ~condition, b, a
        key = ("chosen", condition, _key(a), _key(b))
        if key not in self.values:
            least = min(low(a), low(b))
            if lowest is not None and is_as_given:
                least = max(least, lowest)
            target = self.integer(least, max(high(a), high(b)))
            self.values[key] = target
            for truth, value in ((condition, a), (~condition, b)):
                self.define(target, value, truth)
        return self.values[key]

    def meant(self, condition: Truth, a: SymbolicNumber) -> SymbolicNumber:
        """A number where a condition holds: a plain one if the condition says so."""
        if isinstance(a, int) or not isinstance(condition, BooleanLiteral):
            return a
        meaning = self.facts.meanings.get(condition)
        if meaning is None or len(meaning[0]) != len(a.terms):
            return a
        terms, lowest, highest = meaning
        first, last = self.facts.way.ranges.get(terms, (lowest, highest))
        value = max(lowest, first)
        if value < min(highest, last):
            return a
        factor = a.terms.get(terms[0][0], 0) // terms[0][1]
        if all(a.terms.get(variable) == factor * coefficient for variable, coefficient in terms):
            return a.constant + factor * value
        return a

    def inside(self, condition: BooleanLiteral, a: SymbolicNumber) -> SymbolicNumber:
        """A number where a condition holds: what the condition decides is put in."""
        if isinstance(a, int):
            return a
        implied = self.facts.implied(condition)
        ranges = self.facts.narrowed(self.facts.way.ranges, implied)
        if ranges:
            terms, constant = a.key()
            if terms in ranges and ranges[terms][0] == ranges[terms][1]:
                return ranges[terms][0] + constant
        fixed = [variable for variable in a.terms if variable in implied]
        if not fixed:
            return a
        left = dict(a.terms)
        constant = a.constant + sum(left.pop(variable) * implied[variable] for variable in fixed)
        if not left:
            return constant
        lowest, highest = self.reach(left.items())  # on other ways it may lie outside of what it was
        return LinearExpression(left, constant, lowest + constant, highest + constant)

    def define(self, target: LinearExpression, value: SymbolicNumber, only_if: BooleanLiteral) -> None:
        difference = self.add(target, value, -1)
        assert isinstance(difference, LinearExpression)
        terms, constant = difference.key()
        self.defined(next(iter(target.terms)), LinearConstraint(terms, -constant, -constant, (only_if,)))

    def selected(
        self, cases: Sequence[tuple[Truth, SymbolicNumber]], otherwise: SymbolicNumber | None, by_term: bool = False
    ) -> SymbolicNumber:
        """The number of the case that holds; at most one does, and one surely if there is no `otherwise`.

        With `by_term`, what is added to one number and taken from another one is the same sum of variables."""
        live = []
        for truth, number in cases:
            truth = self.here(truth)
            if truth is True:
                return number
            if truth is not False:
                live.append((truth, self.meant(truth, number)))
        if otherwise is None:
            # What most cases have in common stands for all of them that nothing is said of.
            keys = [_key(number) for _, number in live]
            most = max(keys, key=keys.count)
            otherwise = live[keys.index(most)][1]
            live = [case for case, key in zip(live, keys, strict=True) if key != most]
        result = otherwise
        rest = []
        for truth, number in live:
            difference = self.add(number, otherwise, -1)
            if isinstance(difference, int):
                result = self.add(result, self.number(truth), difference)
            else:
                rest.append((truth, difference))
        for truth, difference in rest:
            if by_term and isinstance(truth, BooleanLiteral):
                result = self.add(result, self.only_if(truth, difference))
            else:
                result = self.add(result, self.chosen(truth, difference, 0))
        return self.bounded(result, [otherwise, *(number for _, number in live)])

    def only_if(self, condition: BooleanLiteral, a: LinearExpression) -> SymbolicNumber:
        """a if the condition holds, otherwise 0; each variable by itself."""
        if len(a.terms) == 1:
            ((variable, coefficient),) = a.terms.items()
            if coefficient == -a.constant and self.bounds[variable] == (0, 1):  # a multiple of a negation
                return self.scaled(self.number(self.every((condition, BooleanLiteral(variable, False)))), a.constant)
        result = self.scaled(self.number(condition), a.constant)
        for variable, coefficient in a.terms.items():
            result = self.add(result, self.product(condition, variable), coefficient)
        return result

    def product(self, condition: BooleanLiteral, variable: int) -> SymbolicNumber:
        """A variable if the condition holds, otherwise 0."""
        if self.bounds[variable] == (0, 1):
            return self.number(self.every((condition, BooleanLiteral(variable))))
        factor = self.products.get(variable)
        whole = self.of(variable)
        if factor is not None:
            if factor == condition:
                return whole
            if factor == ~condition or self.facts.exclusive(factor, condition):
                return 0
        if not condition.positive:
            return self.add(whole, self.product(~condition, variable), -1)
        target = self.chosen(condition, whole, 0)
        if isinstance(target, LinearExpression):
            self.products[next(iter(target.terms))] = condition
        return target

    def bounded(self, a: SymbolicNumber, options: Sequence[SymbolicNumber]) -> SymbolicNumber:
        """A number that is one of several: it lies between the lowest and the highest."""
        return self.between(a, min(map(low, options)), max(map(high, options)))

    def one_of(self, cases: Iterable[tuple[int, Truth]]) -> int | OneOf:
        """The value whose truth holds; of each value, all its truths together."""
        grouped: dict[int, list[Truth]] = {}
        for value, truth in cases:
            if truth is not False:
                grouped.setdefault(value, []).append(truth)
        joined = [(value, truths[0] if len(truths) == 1 else self.some(truths)) for value, truths in grouped.items()]
        sure = [value for value, truth in joined if truth is True]
        if sure or len(joined) == 1:
            return sure[0] if sure else joined[0][0]
        self.facts.group((truth for _, truth in joined), complete=True)
        return OneOf(tuple(joined))


def _key(value: SymbolicNumber) -> object:
    return value if isinstance(value, int) else value.key()


def same(a: object, b: object) -> bool:
    """Whether two values are surely equal."""
    if a is b:
        return True
    if isinstance(a, (LinearExpression, OneOf)):
        return type(a) is type(b) and a.key() == b.key()
    return isinstance(a, (int, tuple)) and type(a) is type(b) and a == b
