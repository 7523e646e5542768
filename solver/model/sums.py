"""Sums of variables (interval arithmetic): linear expressions, with the bounds that those of their variables give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat

from chocolatl.interpreter.source import Span
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.model.linear import LinearExpression, SymbolicNumber


@dataclass
class SumBuilder:
    bounds: list[tuple[int, int]] = field(default_factory=list)
    """Between what each variable lies."""
    places: list[Span | None] = field(default_factory=list)
    """The statement that each variable was made for; none for answers, and for what is made of the end."""
    place: Span | None = None
    """The statement at hand."""
    deadline: Deadline = field(default_factory=Deadline)
    """When the model has to be made."""

    def variable(self, lowest: int, highest: int) -> int:
        """A new variable, by its number."""
        self.deadline.look()
        self.bounds.append((lowest, highest))
        self.places.append(self.place)
        return len(self.bounds) - 1

    def integer(self, lowest: int, highest: int) -> LinearExpression:
        return LinearExpression({self.variable(lowest, highest): 1}, 0, lowest, highest)

    def of(self, variable: int) -> LinearExpression:
        """A variable as a number."""
        return LinearExpression({variable: 1}, 0, *self.bounds[variable])

    def add(self, a: SymbolicNumber, b: SymbolicNumber, factor: int = 1) -> SymbolicNumber:
        """a + factor * b."""
        if isinstance(b, int):
            return self.shifted(a, factor * b)
        if factor == 0:
            return a
        lowest, highest = (b.low, b.high) if factor > 0 else (b.high, b.low)
        if isinstance(a, int):
            terms = {variable: factor * coefficient for variable, coefficient in b.terms.items()}
            lowest, highest = a + factor * lowest, a + factor * highest
            return LinearExpression(terms, a + factor * b.constant, lowest, highest) if lowest < highest else lowest
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
        return LinearExpression(terms, constant, lowest, highest) if lowest < highest else lowest

    def shifted(self, a: SymbolicNumber, constant: int) -> SymbolicNumber:
        if isinstance(a, int):
            return a + constant
        return LinearExpression(a.terms, a.constant + constant, a.low + constant, a.high + constant) if constant else a

    def scaled(self, a: SymbolicNumber, factor: int) -> SymbolicNumber:
        if isinstance(a, int):
            return a * factor
        if factor == 0:
            return 0
        if factor == 1:
            return a
        terms = {variable: coefficient * factor for variable, coefficient in a.terms.items()}
        lowest, highest = (a.low, a.high) if factor > 0 else (a.high, a.low)
        return LinearExpression(terms, a.constant * factor, lowest * factor, highest * factor)

    def between(self, a: SymbolicNumber, lowest: int, highest: int) -> SymbolicNumber:
        """A number of which it is known, wherever a run may go, that it lies between two others."""
        if isinstance(a, int):
            return a
        lowest, highest = max(a.low, lowest), min(a.high, highest)
        return LinearExpression(a.terms, a.constant, lowest, highest) if lowest < highest else lowest

    def total(self, parts: Iterable[SymbolicNumber]) -> SymbolicNumber:
        return self.weighted(parts, repeat(1))

    def weighted(self, numbers: Iterable[SymbolicNumber], factors: Iterable[int]) -> SymbolicNumber:
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
        return LinearExpression(terms, constant, lowest, highest) if lowest < highest else lowest

    def reach(self, terms: Iterable[tuple[int, int]]) -> tuple[int, int]:
        lowest = highest = 0
        for variable, coefficient in terms:
            first, last = self.bounds[variable]
            lowest += coefficient * (first if coefficient > 0 else last)
            highest += coefficient * (last if coefficient > 0 else first)
        return lowest, highest
