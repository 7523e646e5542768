"""Truths of a model (reified literals): comparisons of sums, and what is true if all or some of others are.

Everything that is asked twice is built once (common subexpression elimination): a comparison and its negation share a
literal. Bounds decide what they can, and so does what is known on the way that is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd

from chocolatl.solver.model.constraints import BooleanClause, Constraint, Implication, LinearConstraint, variables
from chocolatl.solver.model.facts import Facts
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, SymbolicNumber, Truth, high, low, negated
from chocolatl.solver.model.propagation import Propagation
from chocolatl.solver.model.sums import SumBuilder

TRIES = 12
"""So many values of literals are tried before the oracle is asked."""


@dataclass
class BooleanBuilder(SumBuilder):
    constraints: list[Constraint] = field(default_factory=list)
    """What an answer has to keep to."""
    helpful: list[Constraint] = field(default_factory=list)
    """What follows from that, and brings a search forward."""
    definitions: dict[int, list[Constraint]] = field(default_factory=dict)
    """What makes a variable the value of something else, by variable: just one, whatever the others are."""
    known: dict[object, Truth] = field(default_factory=dict)
    """Truths by what they are about."""
    limits: dict[tuple[tuple[int, int], ...], dict[int, BooleanLiteral]] = field(default_factory=dict)
    """Comparisons of a sum, by their limits."""
    limited: dict[tuple[int, int], int] = field(default_factory=dict)
    """The last constraint that limits a sum, by the first variable of the sum and the limit."""
    facts: Facts = field(default_factory=Facts)
    oracle: Callable[[BooleanBuilder, tuple[BooleanLiteral, ...]], frozenset[BooleanLiteral] | None] | None = None
    """Tells which of some literals cannot hold together, if any, where somebody can be asked."""
    new: list[Constraint] = field(default_factory=list)
    """Definitions that nothing was concluded from yet."""
    propagation: Propagation = field(init=False)
    conflicts: dict[BooleanLiteral, list[frozenset[BooleanLiteral]]] = field(default_factory=dict)
    """Literals of which it is known that they cannot hold together, by each of them."""

    def __post_init__(self) -> None:
        self.propagation = Propagation(self.definitions, self.deadline)

    def literal(self) -> BooleanLiteral:
        return BooleanLiteral(self.variable(0, 1))

    def number(self, truth: Truth) -> SymbolicNumber:
        """A truth as 1 or 0."""
        return truth.number if isinstance(truth, BooleanLiteral) else int(truth)

    def defined(self, variable: int, *constraints: Constraint) -> None:
        self.definitions.setdefault(variable, []).extend(constraints)
        self.new.extend(constraints)

    def needed(self, objective: LinearExpression) -> list[Constraint]:
        return self.closure(objective)[0]

    def closure(self, objective: LinearExpression, helped: bool = True) -> tuple[list[Constraint], set[int]]:
        """All that an answer has to keep to, and the definitions of what it and the objective are about; and all
        variables of these, with or without what only helps.

        What a run has worked out and nothing has asked for is left out."""
        result = [*self.constraints, *(self.helpful if helped else ())]
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

    # ------------------------------------------------------------ comparisons

    def at_least(self, a: SymbolicNumber, b: SymbolicNumber) -> Truth:
        """a >= b."""
        if low(a) >= high(b):
            return True
        if high(a) < low(b):
            return False
        return self.not_positive(self.add(b, a, -1))

    def equal(self, a: SymbolicNumber, b: SymbolicNumber) -> Truth:
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
            holds, fails = (
                LinearConstraint(terms, target, target, (truth,)),
                LinearConstraint(terms, *reach, (~truth,), gap=target),
            )
            self.defined(truth.variable, holds, fails)
            self.facts.meanings[truth] = terms, target, target
        return self.known[key]

    def not_positive(self, a: SymbolicNumber) -> Truth:
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
            return BooleanLiteral(terms[0][0], terms[0][1] < 0)
        if terms[0][1] < 0:
            opposite = tuple([(variable, -coefficient) for variable, coefficient in terms])
            return negated(self.not_above(opposite, -limit - 1, (-highest, -lowest)))
        return self.not_above(terms, limit, (lowest, highest))

    def not_above(self, terms: tuple[tuple[int, int], ...], limit: int, known: tuple[int, int]) -> Truth:
        """Whether a sum is at most a limit; of literals none may hold if the limit is 0."""
        bounds = self.bounds
        if limit == 0 and all(coefficient == 1 and bounds[variable] == (0, 1) for variable, coefficient in terms):
            return self.every([BooleanLiteral(variable, False) for variable, _ in terms])
        return self.at_most(terms, limit, known)

    def known_reach(self, a: LinearExpression, terms: tuple[tuple[int, int], ...], divisor: int) -> tuple[int, int]:
        """Between what a sum lies on the way that is run, of which a number is a multiple and a constant more."""
        lowest, highest = self.facts.reach(terms, self.bounds)
        first, last = a.low - a.constant, a.high - a.constant
        if divisor < 0:
            first, last, divisor = -last, -first, -divisor
        return max(lowest, -(-first // divisor)), min(highest, last // divisor)

    def at_most(self, terms: tuple[tuple[int, int], ...], limit: int, known: tuple[int, int]) -> BooleanLiteral:
        """Whether a sum is at most a limit, if it is known between what it lies here. With a higher limit it surely
        holds, too."""
        limits = self.limits.setdefault(terms, {})
        truth = limits.get(limit)
        reach = known
        if truth is None:
            truth, reach = self.literal(), self.reach(terms)
            holds, fails = (
                LinearConstraint(terms, reach[0], limit, (truth,)),
                LinearConstraint(terms, limit + 1, reach[1], (~truth,)),
            )
            self.defined(truth.variable, holds, fails)
            self.chain(limits, limit, truth)
        elif self.facts.way.depth:
            return truth
        # On the main way a sum may be known to lie closer, which then holds everywhere.
        lowest, highest = reach if self.facts.way.depth else known
        self.facts.meanings[truth] = terms, lowest, limit
        self.facts.meanings[~truth] = terms, limit + 1, highest
        return truth

    def chain(self, limits: dict[int, BooleanLiteral], limit: int, truth: BooleanLiteral) -> None:
        """Note a limit of a sum between the next lower and the next higher one; what is beyond them follows."""
        below = max((other for other in limits if other < limit), default=None)
        above = min((other for other in limits if other > limit), default=None)
        if below is not None:
            self.facts.implies(limits[below], truth)
        if above is not None:
            self.facts.implies(truth, limits[above])
        limits[limit] = truth

    def as_literal(self, a: SymbolicNumber) -> BooleanLiteral | None:
        """An expression that is just a 0-1 variable, or one minus it."""
        if isinstance(a, LinearExpression) and len(a.terms) == 1:
            ((variable, coefficient),) = a.terms.items()
            if self.bounds[variable] == (0, 1):
                if (coefficient, a.constant) == (1, 0):
                    return BooleanLiteral(variable)
                if (coefficient, a.constant) == (-1, 1):
                    return BooleanLiteral(variable, False)
        return None

    # ------------------------------------------------------------ truths

    def here(self, truth: Truth) -> Truth:
        """A truth, or what is known of it on the way that is run."""
        if truth.__class__ is BooleanLiteral:
            known = self.facts.given.get(truth.variable)
            return truth if known is None else (known == 1) is truth.positive
        return truth

    def every(self, truths: Iterable[Truth]) -> Truth:
        literals: dict[BooleanLiteral, None] = {}
        given = self.facts.given
        for truth in truths:
            if truth is False:
                return False
            if truth.__class__ is BooleanLiteral:
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
            self.defined(
                truth.variable,
                BooleanClause((truth, *[literal.opposite for literal in every])),
                Implication(every, truth),
            )
            for literal in literals:
                self.facts.implies(truth, literal)
            self.facts.part_of_group([literal.opposite for literal in every], truth.opposite)
        return self.known[key]

    def contradictory(self, literals: Iterable[BooleanLiteral]) -> bool:
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
        literals = tuple(truth for truth in truths if isinstance(truth, BooleanLiteral))
        if not any(truth is True for truth in truths):
            self.constraints.append(BooleanClause(literals, exactly=True))

    def require(self, truth: Truth, only_if: tuple[BooleanLiteral, ...] = ()) -> None:
        if isinstance(truth, BooleanLiteral):
            self.constraints.append(BooleanClause((truth, *(~literal for literal in only_if))))
        elif not truth:
            self.constraints.append(BooleanClause(tuple(~literal for literal in only_if)))

    def known_number(self, a: SymbolicNumber) -> SymbolicNumber:
        """A number, or what it surely is on the way that is run."""
        if isinstance(a, LinearExpression):
            terms, constant = a.key()
            lowest, highest = self.facts.reach(terms, self.bounds)
            if lowest == highest:
                return lowest + constant
        return a

    def possible(self, condition: BooleanLiteral, path: Iterable[Truth], ask: bool = False) -> bool:
        """Whether a condition may hold on a way: not if bounds tell, or the oracle if it is asked."""
        literals = [condition, *(truth for truth in path if isinstance(truth, BooleanLiteral))]
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
