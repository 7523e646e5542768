"""What the variables of a model are worth for known answers, by their definitions (forward evaluation).

An answer is a number, or an array of numbers, one for each of many answers: all that is done to it works for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
    variables,
)
from chocolatl.solver.model.definitions import (
    Conjunction,
    Definition,
    IfThenElse,
    InInterval,
    NoTable,
    definition_of,
    read,
)
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression

NumberOrArray = Any
"""A number, or an array of numbers."""


class Evaluation:
    def __init__(self, definitions: Mapping[int, Sequence[Constraint]], known: Mapping[int, NumberOrArray]) -> None:
        self.definitions = definitions
        self.known: dict[int, NumberOrArray] = {**known}

    def value(self, variable: int) -> NumberOrArray:
        """What a variable is worth, and before it those that it depends on; `NoTable` if it does not follow."""
        waiting = [variable]
        while waiting:
            last = waiting[-1]
            if last in self.known:
                waiting.pop()
                continue
            found = definition_of(last, self.definitions.get(last, ()))
            missing = [v for v in read(found) if v not in self.known]
            waiting += missing
            if not missing:
                self.known[last] = self.worked_out(found)
        return self.known[variable]

    def values(self, variables: Iterable[int]) -> dict[int, NumberOrArray]:
        return {variable: self.value(variable) for variable in variables}

    def worked_out(self, found: Definition) -> NumberOrArray:
        match found:
            case InInterval():
                return self.is_between(found.terms, found.low, found.high, found.gap)
            case Conjunction():
                return self.every(found.literals)
            case IfThenElse():
                holds = self.truth(found.condition)
                then, otherwise = (self.sum(terms) + constant for terms, constant in (found.then, found.otherwise))
                return holds * then + (1 - holds) * otherwise
            case Product():
                return self.number(found.left) * self.number(found.right)
            case Quotient():
                return self.number(found.dividend) // found.divisor
            case _:
                assert_never(found)

    def sum(self, terms: Iterable[tuple[int, int]]) -> NumberOrArray:
        return sum(factor * self.value(variable) for variable, factor in terms)

    def number(self, a: LinearExpression) -> NumberOrArray:
        return self.sum(a.terms.items()) + a.constant

    def is_between(self, terms: Iterable[tuple[int, int]], low: int, high: int, gap: int | None) -> NumberOrArray:
        total = self.sum(terms)
        found = (low <= total) & (total <= high)
        return (found & (total != gap) if gap is not None else found) * 1

    def truth(self, literal: BooleanLiteral) -> NumberOrArray:
        """1 where a literal holds, otherwise 0."""
        value = self.value(literal.variable)
        return value if literal.positive else 1 - value

    def every(self, literals: Iterable[BooleanLiteral]) -> NumberOrArray:
        result: NumberOrArray = 1
        for literal in literals:
            result = result * self.truth(literal)
        return result

    def keeps(self, constraint: Constraint) -> NumberOrArray:
        """1 where a constraint holds, otherwise 0."""
        match constraint:
            case LinearConstraint():
                found = self.is_between(constraint.terms, constraint.low, constraint.high, constraint.gap)
                return 1 - self.every(constraint.only_if) * (1 - found)
            case BooleanClause(exactly=True):
                return (sum(map(self.truth, constraint.literals)) == 1) * 1
            case BooleanClause():
                return 1 - self.every(~literal for literal in constraint.literals)
            case Implication():
                return 1 - self.truth(constraint.only_if) * (1 - self.every(constraint.literals))
            case Product() | Quotient():
                raise NoTable("not all that is required can be looked up")
            case _:
                assert_never(constraint)


class DecisionDependence:
    """Which decisions each variable depends on."""

    def __init__(self, definitions: Mapping[int, Sequence[Constraint]], owner: Mapping[int, int]) -> None:
        self.definitions = definitions
        self.found: dict[int, frozenset[int]] = {variable: frozenset([number]) for variable, number in owner.items()}

    def by(self, variable: int) -> frozenset[int]:
        waiting = [variable]
        while waiting:
            last = waiting[-1]
            if last in self.found:
                waiting.pop()
                continue
            reads = [*read(definition_of(last, self.definitions.get(last, ())))]
            missing = [v for v in reads if v not in self.found]
            waiting += missing
            if not missing:
                self.found[last] = frozenset().union(*(self.found[v] for v in reads))
        return self.found[variable]

    def separates(self, terms: Iterable[int]) -> bool:
        """Whether each of some variables depends on one decision at most."""
        try:
            return all(len(self.by(variable)) <= 1 for variable in terms)
        except NoTable:
            return False

    def by_all(self, constraint: Constraint) -> frozenset[int]:
        return frozenset().union(*map(self.by, variables(constraint)))
