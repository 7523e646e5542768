"""A model that no solver is named in: variables, linear constraints that may depend on literals, clauses, products.

Everything that is asked twice is built once: a comparison and its negation share a literal, and so do equal choices
between two values. Bounds decide what they can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import gcd

from solver.constraints import Clause, Constraint, Every, Linear, Product, Quotient, variables
from solver.facts import Facts
from solver.linear import Expression, Literal, Number, OneOf, Truth, high, low, negated
from solver.propagate import Propagation

TRIES = 12
"""So many values of literals are tried before the oracle is asked."""


@dataclass
class Model:
    bounds: list[tuple[int, int]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    """What an answer has to keep to."""
    helpful: list[Constraint] = field(default_factory=list)
    """What follows from that, and brings a search forward."""
    definitions: dict[int, list[Constraint]] = field(default_factory=dict)
    """What makes a variable the value of something else, by variable: just one, whatever the others are."""
    known: dict[object, Truth] = field(default_factory=dict)
    """Truths by what they are about."""
    values: dict[object, Number] = field(default_factory=dict)
    limits: dict[tuple[tuple[int, int], ...], dict[int, Literal]] = field(default_factory=dict)
    """Comparisons of a sum, by their limits."""
    limited: dict[tuple[int, int], int] = field(default_factory=dict)
    """The last constraint that limits a sum, by the first variable of the sum and the limit."""
    facts: Facts = field(default_factory=Facts)
    products: dict[int, Literal] = field(default_factory=dict)
    """Variables that are 0 unless a literal holds."""
    oracle: Callable[[Model, tuple[Literal, ...]], frozenset[Literal] | None] | None = None
    """Tells which of some literals cannot hold together, if any, where somebody can be asked."""
    new: list[Constraint] = field(default_factory=list)
    """Definitions that nothing was concluded from yet."""
    propagation: Propagation = field(init=False)
    conflicts: dict[Literal, list[frozenset[Literal]]] = field(default_factory=dict)
    """Literals of which it is known that they cannot hold together, by each of them."""

    def __post_init__(self) -> None:
        self.propagation = Propagation(self.definitions)

    # ------------------------------------------------------------ variables

    def integer(self, lowest: int, highest: int) -> Expression:
        self.bounds.append((lowest, highest))
        return Expression({len(self.bounds) - 1: 1}, 0, lowest, highest)

    def literal(self) -> Literal:
        self.bounds.append((0, 1))
        return Literal(len(self.bounds) - 1)

    def number(self, truth: Truth) -> Number:
        """A truth as 1 or 0."""
        return truth.number if isinstance(truth, Literal) else int(truth)

    def defined(self, variable: int, *constraints: Constraint) -> None:
        self.definitions.setdefault(variable, []).extend(constraints)
        self.new.extend(constraints)

    def needed(self, objective: Expression) -> list[Constraint]:
        return self.closure(objective)[0]

    def closure(self, objective: Expression) -> tuple[list[Constraint], set[int]]:
        """All that an answer has to keep to, and the definitions of what it and the objective are about; and all
        variables of these.

        What a run has worked out and nothing has asked for is left out."""
        result = [*self.constraints, *self.helpful]
        waiting = [*objective.terms, *(v for constraint in result for v in variables(constraint))]
        seen: set[int] = set()
        while waiting:
            variable = waiting.pop()
            if variable not in seen:
                seen.add(variable)
                for constraint in self.definitions.get(variable, ()):
                    result.append(constraint)
                    waiting.extend(variables(constraint))
        return result, seen

    # ------------------------------------------------------------ arithmetic

    def add(self, a: Number, b: Number, factor: int = 1) -> Number:
        """a + factor * b."""
        if isinstance(b, int):
            return self.shifted(a, factor * b)
        if factor == 0:
            return a
        lowest, highest = (b.low, b.high) if factor > 0 else (b.high, b.low)
        if isinstance(a, int):
            terms = {variable: factor * coefficient for variable, coefficient in b.terms.items()}
            lowest, highest = a + factor * lowest, a + factor * highest
            return Expression(terms, a + factor * b.constant, lowest, highest) if lowest < highest else lowest
        lowest, highest = a.low + factor * lowest, a.high + factor * highest
        constant, terms = a.constant + factor * b.constant, a.terms.copy()
        apart = True
        for variable, coefficient in b.terms.items():
            before = terms.get(variable)
            if before is None:
                terms[variable] = factor * coefficient
                continue
            apart = False
            total = before + factor * coefficient
            if total:
                terms[variable] = total
            else:
                del terms[variable]
        if not apart:  # what they have in common may bring the bounds closer
            if not terms:
                return constant
            first, last = self.reach(terms.items())
            lowest, highest = max(lowest, first + constant), min(highest, last + constant)
        return Expression(terms, constant, lowest, highest) if lowest < highest else lowest

    def shifted(self, a: Number, constant: int) -> Number:
        if isinstance(a, int):
            return a + constant
        return Expression(a.terms, a.constant + constant, a.low + constant, a.high + constant) if constant else a

    def scaled(self, a: Number, factor: int) -> Number:
        if isinstance(a, int):
            return a * factor
        if factor == 0:
            return 0
        if factor == 1:
            return a
        terms = {variable: coefficient * factor for variable, coefficient in a.terms.items()}
        lowest, highest = (a.low, a.high) if factor > 0 else (a.high, a.low)
        return Expression(terms, a.constant * factor, lowest * factor, highest * factor)

    def total(self, parts: Iterable[Number]) -> Number:
        return self.weighted(parts, repeat(1))

    def weighted(self, numbers: Iterable[Number], factors: Iterable[int]) -> Number:
        """The sum of numbers, each times a factor; there may be more factors."""
        constant = lowest = highest = 0
        terms: dict[int, int] = {}
        for number, factor in zip(numbers, factors, strict=False):
            if isinstance(number, int):
                constant += factor * number
                continue
            constant += factor * number.constant
            lowest += factor * ((number.low if factor > 0 else number.high) - number.constant)
            highest += factor * ((number.high if factor > 0 else number.low) - number.constant)
            for variable, coefficient in number.terms.items():
                terms[variable] = terms.get(variable, 0) + factor * coefficient
        terms = {variable: coefficient for variable, coefficient in terms.items() if coefficient}
        if not terms:
            return constant
        first, last = self.reach(terms.items())
        lowest, highest = constant + max(lowest, first), constant + min(highest, last)
        return Expression(terms, constant, lowest, highest) if lowest < highest else lowest

    def multiplied(self, a: Number, b: Number) -> Number:
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

    def divided(self, a: Number, divisor: int) -> Number:
        """a / divisor for a positive divisor, rounded down."""
        if isinstance(a, int):
            return a // divisor
        lowest, highest = a.low // divisor, a.high // divisor
        if lowest == highest:
            return lowest
        if divisor == 1:
            return a
        key = ("divided", a.key(), divisor)
        if key not in self.values:
            shifted = self.shifted(a, -lowest * divisor)
            assert isinstance(shifted, Expression)
            target = self.integer(0, highest - lowest)
            variable = next(iter(target.terms))
            self.defined(variable, Quotient(variable, shifted, divisor))
            self.values[key] = self.shifted(target, lowest)
        return self.values[key]

    def remainder(self, a: Number, divisor: int) -> Number:
        return self.add(a, self.divided(a, divisor), -divisor)

    def maximum(self, a: Number, b: Number) -> Number:
        if low(a) >= high(b):
            return a
        difference = self.add(a, b, -1)
        if low(difference) >= 0:
            return a
        return b if high(difference) <= 0 else self.chosen(self.at_least(a, b), a, b)

    def minimum(self, a: Number, b: Number) -> Number:
        return self.scaled(self.maximum(self.scaled(a, -1), self.scaled(b, -1)), -1)

    # ------------------------------------------------------------ comparisons

    def at_least(self, a: Number, b: Number) -> Truth:
        """a >= b."""
        if low(a) >= high(b):
            return True
        if high(a) < low(b):
            return False
        return self.not_positive(self.add(b, a, -1))

    def equal(self, a: Number, b: Number) -> Truth:
        if low(a) > high(b) or high(a) < low(b):
            return False
        difference = self.add(a, b, -1)
        if isinstance(difference, int):
            return difference == 0
        if difference.low > 0 or difference.high < 0:
            return False
        if difference.low == 0:
            return self.not_positive(difference)
        if difference.high == 0:
            return self.not_positive(self.scaled(difference, -1))
        terms, constant = difference.key()
        divisor = gcd(*(coefficient for _, coefficient in terms))
        if constant % divisor:
            return False
        if terms[0][1] < 0:
            divisor = -divisor
        terms = tuple([(variable, coefficient // divisor) for variable, coefficient in terms])
        target = -constant // divisor
        lowest, highest = self.known_reach(difference, terms, divisor)
        if not lowest <= target <= highest:
            return False
        if lowest == highest:
            return True
        if target == lowest:  # at the ends of where it lies here, a limit tells
            return self.at_most(terms, target, (lowest, highest))
        if target == highest:
            return ~self.at_most(terms, target - 1, (lowest, highest))
        key = ("equal", terms, target)
        if key not in self.known:
            truth = self.literal()
            self.known[key] = truth
            reach = self.reach(terms)
            holds, fails = Linear(terms, target, target, (truth,)), Linear(terms, *reach, (~truth,), gap=target)
            self.defined(truth.variable, holds, fails)
            self.facts.meanings[truth] = terms, target, target
        return self.known[key]

    def not_positive(self, a: Number) -> Truth:
        """a <= 0."""
        if isinstance(a, int):
            return a <= 0
        if a.high <= 0:
            return True
        if a.low > 0:
            return False
        lone = self.as_literal(a)
        if lone is not None:
            return self.here(~lone)
        terms, constant = a.key()
        divisor = gcd(*(coefficient for _, coefficient in terms))
        terms = tuple([(variable, coefficient // divisor) for variable, coefficient in terms])
        limit = -constant // divisor
        lowest, highest = self.known_reach(a, terms, divisor)
        if highest <= limit:
            return True
        if lowest > limit:
            return False
        if len(terms) == 1 and self.bounds[terms[0][0]] == (0, 1):
            return Literal(terms[0][0], terms[0][1] < 0)
        if terms[0][1] < 0:
            opposite = tuple([(variable, -coefficient) for variable, coefficient in terms])
            return negated(self.not_above(opposite, -limit - 1, (-highest, -lowest)))
        return self.not_above(terms, limit, (lowest, highest))

    def not_above(self, terms: tuple[tuple[int, int], ...], limit: int, known: tuple[int, int]) -> Truth:
        """Whether a sum is at most a limit; of literals none may hold if the limit is 0."""
        bounds = self.bounds
        if limit == 0 and all(coefficient == 1 and bounds[variable] == (0, 1) for variable, coefficient in terms):
            return self.every([Literal(variable, False) for variable, _ in terms])
        return self.at_most(terms, limit, known)

    def known_reach(self, a: Expression, terms: tuple[tuple[int, int], ...], divisor: int) -> tuple[int, int]:
        """Between what a sum lies on the way that is run, of which a number is a multiple and a constant more."""
        lowest, highest = self.facts.reach(terms, self.bounds)
        first, last = a.low - a.constant, a.high - a.constant
        if divisor < 0:
            first, last, divisor = -last, -first, -divisor
        return max(lowest, -(-first // divisor)), min(highest, last // divisor)

    def at_most(self, terms: tuple[tuple[int, int], ...], limit: int, known: tuple[int, int]) -> Literal:
        """Whether a sum is at most a limit, if it is known between what it lies here. With a higher limit it surely
        holds, too."""
        limits = self.limits.setdefault(terms, {})
        truth = limits.get(limit)
        reach = known
        if truth is None:
            truth, reach = self.literal(), self.reach(terms)
            holds, fails = Linear(terms, reach[0], limit, (truth,)), Linear(terms, limit + 1, reach[1], (~truth,))
            self.defined(truth.variable, holds, fails)
            for other, literal in limits.items():
                stronger, weaker = (truth, literal) if limit < other else (literal, truth)
                self.facts.implies(stronger, weaker)
            limits[limit] = truth
        elif self.facts.way.depth:
            return truth
        # On the main way a sum may be known to lie closer, which then holds everywhere.
        lowest, highest = reach if self.facts.way.depth else known
        self.facts.meanings[truth] = terms, lowest, limit
        self.facts.meanings[~truth] = terms, limit + 1, highest
        return truth

    def reach(self, terms: Iterable[tuple[int, int]]) -> tuple[int, int]:
        lowest = highest = 0
        for variable, coefficient in terms:
            first, last = self.bounds[variable]
            lowest += coefficient * (first if coefficient > 0 else last)
            highest += coefficient * (last if coefficient > 0 else first)
        return lowest, highest

    def as_literal(self, a: Number) -> Literal | None:
        """An expression that is just a 0-1 variable, or one minus it."""
        if isinstance(a, Expression) and len(a.terms) == 1:
            ((variable, coefficient),) = a.terms.items()
            if self.bounds[variable] == (0, 1):
                if (coefficient, a.constant) == (1, 0):
                    return Literal(variable)
                if (coefficient, a.constant) == (-1, 1):
                    return Literal(variable, False)
        return None

    # ------------------------------------------------------------ truths

    def here(self, truth: Truth) -> Truth:
        """A truth, or what is known of it on the way that is run."""
        if truth.__class__ is Literal:
            known = self.facts.given.get(truth.variable)
            return truth if known is None else (known == 1) is truth.positive
        return truth

    def every(self, truths: Iterable[Truth]) -> Truth:
        literals: dict[Literal, None] = {}
        given = self.facts.given
        for truth in truths:
            if truth is False:
                return False
            if truth.__class__ is Literal:
                known = given.get(truth.variable)
                if known is None:
                    if truth.opposite in literals:
                        return False
                    literals[truth] = None
                elif (known == 1) is not truth.positive:
                    return False
        if not literals:
            return True
        if len(literals) == 1:
            return next(iter(literals))
        parts = self.facts.parts
        for literal in [*literals]:
            for part in parts.get(literal, ()) if literal in literals else ():
                if part.opposite in literals:
                    return False
                literals.pop(part, None)
        if len(literals) == 1:
            return next(iter(literals))
        if self.contradictory(literals):
            return False
        key = ("every", frozenset(literals))
        if key not in self.known:
            truth = self.literal()
            self.known[key] = truth
            every = tuple(literals)
            self.defined(truth.variable, Clause((truth, *[literal.opposite for literal in every])), Every(every, truth))
            for literal in literals:
                self.facts.implies(truth, literal)
            self.facts.part_of_group([literal.opposite for literal in every], truth.opposite)
        return self.known[key]

    def contradictory(self, literals: Iterable[Literal]) -> bool:
        """Whether literals are known never to hold together: two of one group."""
        seen: set[int] = set()
        for literal in literals:
            mine = self.facts.groups.get(literal)
            if mine is not None:
                if not seen.isdisjoint(mine):
                    return True
                seen.update(mine)
        return False

    def some(self, truths: Iterable[Truth]) -> Truth:
        return negated(self.every([negated(truth) for truth in truths]))

    def exactly_one(self, truths: Sequence[Truth]) -> None:
        """Say that one of these holds, which is known for other reasons or wanted."""
        literals = tuple(truth for truth in truths if isinstance(truth, Literal))
        if not any(truth is True for truth in truths):
            self.constraints.append(Clause(literals, exactly=True))

    def require(self, truth: Truth, only_if: tuple[Literal, ...] = ()) -> None:
        if isinstance(truth, Literal):
            self.constraints.append(Clause((truth, *(~literal for literal in only_if))))
        elif not truth:
            self.constraints.append(Clause(tuple(~literal for literal in only_if)))

    def settled(self, a: Number) -> Number:
        """A number, or what it surely is on the way that is run."""
        if isinstance(a, Expression):
            terms, constant = a.key()
            lowest, highest = self.facts.reach(terms, self.bounds)
            if lowest == highest:
                return lowest + constant
        return a

    def possible(self, condition: Literal, path: Iterable[Truth], ask: bool = False) -> bool:
        """Whether a condition may hold on a way: not if bounds tell, or the oracle if it is asked."""
        literals = [condition, *(truth for truth in path if isinstance(truth, Literal))]
        if any(found.issubset(literals) for found in self.conflicts.get(condition, ())):
            return False
        self.propagation.read(self.new, self.constraints)
        self.new.clear()
        needed = self.propagation.impossible(self.bounds, self.facts, literals, TRIES if ask else 0)
        conflict = frozenset(literals[:needed]) or (self.oracle(self, tuple(literals)) if ask and self.oracle else None)
        if conflict is None:
            return True
        for literal in conflict:
            self.conflicts.setdefault(literal, []).append(conflict)
        return False

    # ------------------------------------------------------------ choices between values

    def chosen(self, condition: Truth, a: Number, b: Number) -> Number:
        """a if the condition holds, otherwise b."""
        condition = self.here(condition)
        if not isinstance(condition, Literal):
            return a if condition else b
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
        if not condition.positive:
            condition, a, b = ~condition, b, a
        key = ("chosen", condition, _key(a), _key(b))
        if key not in self.values:
            target = self.integer(min(low(a), low(b)), max(high(a), high(b)))
            self.values[key] = target
            for truth, value in ((condition, a), (~condition, b)):
                self.define(target, value, truth)
        return self.values[key]

    def meant(self, condition: Truth, a: Number) -> Number:
        """A number where a condition holds: a plain one if the condition says so."""
        if isinstance(a, int) or not isinstance(condition, Literal):
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

    def inside(self, condition: Literal, a: Number) -> Number:
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
        lowest, highest = self.reach(left.items())
        lowest, highest = max(lowest + constant, a.low), min(highest + constant, a.high)
        return Expression(left, constant, lowest, highest) if lowest < highest else lowest

    def define(self, target: Expression, value: Number, only_if: Literal) -> None:
        difference = self.add(target, value, -1)
        assert isinstance(difference, Expression)
        terms, constant = difference.key()
        self.defined(next(iter(target.terms)), Linear(terms, -constant, -constant, (only_if,)))

    def selected(
        self, cases: Sequence[tuple[Truth, Number]], otherwise: Number | None, by_term: bool = False
    ) -> Number:
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
            if by_term and isinstance(truth, Literal):
                result = self.add(result, self.only_if(truth, difference))
            else:
                result = self.add(result, self.chosen(truth, difference, 0))
        return self.bounded(result, [otherwise, *(number for _, number in live)])

    def only_if(self, condition: Literal, a: Expression) -> Number:
        """a if the condition holds, otherwise 0; each variable by itself."""
        if len(a.terms) == 1:
            ((variable, coefficient),) = a.terms.items()
            if coefficient == -a.constant and self.bounds[variable] == (0, 1):  # a multiple of a negation
                return self.scaled(self.number(self.every((condition, Literal(variable, False)))), a.constant)
        result = self.scaled(self.number(condition), a.constant)
        for variable, coefficient in a.terms.items():
            result = self.add(result, self.product(condition, variable), coefficient)
        return result

    def product(self, condition: Literal, variable: int) -> Number:
        """A variable if the condition holds, otherwise 0."""
        if self.bounds[variable] == (0, 1):
            return self.number(self.every((condition, Literal(variable))))
        factor = self.products.get(variable)
        whole = Expression({variable: 1}, 0, *self.bounds[variable])
        if factor is not None:
            if factor == condition:
                return whole
            if factor == ~condition or self.facts.exclusive(factor, condition):
                return 0
        if not condition.positive:
            return self.add(whole, self.product(~condition, variable), -1)
        target = self.chosen(condition, whole, 0)
        if isinstance(target, Expression):
            self.products[next(iter(target.terms))] = condition
        return target

    def bounded(self, a: Number, options: Sequence[Number]) -> Number:
        """A number that is one of several: it lies between the lowest and the highest."""
        if isinstance(a, int):
            return a
        lowest, highest = min(map(low, options)), max(map(high, options))
        return Expression(a.terms, a.constant, max(a.low, lowest), min(a.high, highest))

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


def _key(value: Number) -> object:
    return value if isinstance(value, int) else value.key()


def same(a: object, b: object) -> bool:
    """Whether two values are surely equal."""
    if a is b:
        return True
    if isinstance(a, (Expression, OneOf)):
        return type(a) is type(b) and a.key() == b.key()
    return isinstance(a, (int, tuple)) and type(a) is type(b) and a == b
