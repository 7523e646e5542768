"""What follows from some literals by bounds alone (bounds propagation): cheaply seen that a condition never holds.

Each constraint narrows the bounds of its variables, until nothing changes or nothing is left. What is found impossible
is so; what is not may still be.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import assert_never

from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
    variables,
)
from chocolatl.solver.model.facts import Facts
from chocolatl.solver.model.linear import BooleanLiteral

Narrow = Callable[["VariableBounds"], None]
"""What a constraint says about the bounds of its variables."""


class EmptyDomain(Exception):
    """Nothing is left."""


class VariableBounds:
    """The bounds of variables on the way that is looked at, and which of them have changed."""

    __slots__ = ("changed", "known", "open", "whole")

    def __init__(self, whole: Sequence[tuple[int, int]]) -> None:
        self.whole = whole
        self.known: dict[int, tuple[int, int]] = {}
        self.changed: list[int] = []
        self.open: list[tuple[tuple[int, int], ...]] = []
        """Sums whose bounds do not yet say that they are as they have to be."""

    def narrow(self, variable: int, lowest: int, highest: int) -> None:
        low, high = self.known.get(variable) or self.whole[variable]
        if lowest > low or highest < high:
            low, high = max(low, lowest), min(high, highest)
            if low > high:
                raise EmptyDomain
            self.known[variable] = low, high
            self.changed.append(variable)

    def holds(self, literal: BooleanLiteral) -> bool | None:
        low, high = self.known.get(literal.variable) or self.whole[literal.variable]
        return None if low != high else (low == 1) == literal.positive

    def put(self, literal: BooleanLiteral) -> None:
        value = 1 if literal.positive else 0
        self.narrow(literal.variable, value, value)


def linear(constraint: LinearConstraint) -> Narrow:
    """A sum that lies between two numbers, and not in the gap, if some literals hold."""
    terms, only_if, gap = constraint.terms, constraint.only_if, constraint.gap
    lowest, highest = constraint.low, constraint.high

    def narrow(bounds: VariableBounds) -> None:
        open_: BooleanLiteral | None = None
        for literal in only_if:
            holds = bounds.holds(literal)
            if holds is False:
                return
            if holds is None:
                if open_ is not None:
                    return
                open_ = literal
        known, whole = bounds.known, bounds.whole
        first = last = 0
        for variable, factor in terms:
            low, high = known.get(variable) or whole[variable]
            if factor > 0:
                first += factor * low
                last += factor * high
            else:
                first += factor * high
                last += factor * low
        if first > highest or last < lowest or first == last == gap:
            if open_ is None:
                raise EmptyDomain
            bounds.put(~open_)
            return
        if open_ is not None or (first >= lowest and last <= highest):
            return
        bounds.open.append(terms)
        for variable, factor in terms:
            low, high = known.get(variable) or whole[variable]
            if low == high:
                continue
            if factor > 0:
                # What the others leave, rounded towards the inside.
                bounds.narrow(
                    variable, -((last - factor * high - lowest) // factor), (highest - first + factor * low) // factor
                )
            else:
                bounds.narrow(
                    variable, -((highest - first + factor * high) // -factor), (last - factor * low - lowest) // -factor
                )

    return narrow


def clause(literals: tuple[BooleanLiteral, ...], exactly: bool) -> Narrow:
    """At least one literal holds, or just one."""

    def narrow(bounds: VariableBounds) -> None:
        open_: list[BooleanLiteral] = []
        found: BooleanLiteral | None = None
        for literal in literals:
            holds = bounds.holds(literal)
            if holds is None:
                open_.append(literal)
            elif holds:
                if not exactly:
                    return
                if found is not None:
                    raise EmptyDomain
                found = literal
        if found is not None:
            for literal in open_:
                bounds.put(~literal)
        elif not open_:
            raise EmptyDomain
        elif len(open_) == 1:
            bounds.put(open_[0])

    return narrow


def every(literals: tuple[BooleanLiteral, ...], only_if: BooleanLiteral) -> Narrow:
    """All literals hold if another one does."""

    def narrow(bounds: VariableBounds) -> None:
        wanted = bounds.holds(only_if)
        if wanted:
            for literal in literals:
                bounds.put(literal)
        elif wanted is None and any(bounds.holds(literal) is False for literal in literals):
            bounds.put(~only_if)

    return narrow


class Propagation:
    """The constraints of a model by the variables that they are about."""

    def __init__(self, derived: Container[int], deadline: Deadline) -> None:
        self.derived = derived
        """The variables that have a definition."""
        self.deadline = deadline
        self.left = 0
        self.known = 0
        self.about: dict[int, list[Narrow]] = {}

    def read(self, new: Iterable[Constraint], constraints: Sequence[Constraint]) -> None:
        """Take in what has come since the last time."""
        for constraint in (*new, *constraints[self.known :]):
            match constraint:
                case LinearConstraint():
                    narrow = linear(constraint)
                case BooleanClause():
                    narrow = clause(constraint.literals, constraint.exactly)
                case Implication():
                    narrow = every(constraint.literals, constraint.only_if)
                case Product() | Quotient():  # bounds alone tell little of them
                    continue
                case _:
                    assert_never(constraint)
            for variable in variables(constraint):
                self.about.setdefault(variable, []).append(narrow)
        self.known = len(constraints)

    def impossible(
        self, whole: Sequence[tuple[int, int]], facts: Facts, literals: Sequence[BooleanLiteral], tries: int = 0
    ) -> int:
        """How many of the literals, from the first one on, are seen never to hold together; 0 if all may.

        If bounds do not tell, so many values of other literals are tried."""
        bounds = VariableBounds(whole)
        for number, literal in enumerate(literals, start=1):
            try:
                bounds.put(literal)
                self.spread(bounds, facts)
            except EmptyDomain:
                return number
        self.left = tries
        return len(literals) if self.split(bounds, facts) else 0

    def split(self, bounds: VariableBounds, facts: Facts) -> bool:
        """Whether both values of a literal on which a sum hangs lead to nothing."""
        literal = self.undecided(bounds)
        if literal is None:
            return False
        for tried in (literal, ~literal):
            if self.left == 0:
                return False
            self.left -= 1
            below = VariableBounds(bounds.whole)
            below.known = bounds.known.copy()
            below.open = bounds.open.copy()
            try:
                below.put(tried)
                self.spread(below, facts)
            except EmptyDomain:
                continue
            if not self.split(below, facts):
                return False
        return True

    def undecided(self, bounds: VariableBounds) -> BooleanLiteral | None:
        for terms in reversed(bounds.open):
            for variable, _ in terms:
                if variable in self.derived and variable not in bounds.known and bounds.whole[variable] == (0, 1):
                    return BooleanLiteral(variable)
        return None

    def spread(self, bounds: VariableBounds, facts: Facts) -> None:
        self.deadline.look()
        about, groups, members, whole = self.about, facts.groups, facts.members, bounds.whole
        while bounds.changed:
            variable = bounds.changed.pop()
            for narrow in about.get(variable, ()):
                narrow(bounds)
            low, high = bounds.known[variable]
            if low == high and whole[variable] == (0, 1):
                known = BooleanLiteral(variable, low == 1)
                for group in groups.get(known, ()):
                    for other in members[group]:
                        if other is not known:
                            bounds.put(other.opposite)
                for group in groups.get(known.opposite, ()):
                    if group in facts.complete:
                        clause(members[group], True)(bounds)
