"""Linear expressions over model variables, and truths: the values that a symbolic run computes with.

A value is a whole number or a `LinearExpression`; a truth is True, False or a `BooleanLiteral`. Both carry what is
known about them, so that whatever bounds decide is decided here and never reaches the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class BooleanLiteral:
    """A 0-1 variable, or its negation. There is one of each, so that equal literals are the same."""

    __slots__ = ("number", "opposite", "positive", "variable")
    made: ClassVar[list[BooleanLiteral]] = []
    variable: int
    positive: bool
    opposite: BooleanLiteral
    number: LinearExpression
    """1 where it holds, otherwise 0."""

    def __new__(cls, variable: int, positive: bool = True) -> BooleanLiteral:
        while len(cls.made) <= variable:
            holds, fails = object.__new__(cls), object.__new__(cls)
            holds.variable = fails.variable = len(cls.made)
            holds.positive, fails.positive = True, False
            holds.opposite, fails.opposite = fails, holds
            holds.number = LinearExpression({holds.variable: 1}, 0, 0, 1)
            fails.number = LinearExpression({holds.variable: -1}, 1, 0, 1)
            cls.made.append(holds)
        found = cls.made[variable]
        return found if positive else found.opposite

    def __invert__(self) -> BooleanLiteral:
        return self.opposite

    def __lt__(self, other: BooleanLiteral) -> bool:
        return (self.variable, self.positive) < (other.variable, other.positive)

    def __repr__(self) -> str:
        return f"v{self.variable}" if self.positive else f"not v{self.variable}"


Truth = bool | BooleanLiteral


def negated(truth: Truth) -> Truth:
    return truth.opposite if truth.__class__ is BooleanLiteral else not truth


Terms = tuple[tuple[int, int], ...]
"""Variables with their coefficients, as far as they are not 0."""


class LinearExpression:
    """A sum of variables with coefficients and a constant, and the bounds between which it lies."""

    __slots__ = ("constant", "high", "low", "terms")

    def __init__(self, terms: dict[int, int], constant: int, low: int, high: int) -> None:
        self.terms = terms
        self.constant = constant
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return " + ".join([*(f"{c}*v{v}" for v, c in self.terms.items()), str(self.constant)])

    def key(self) -> tuple[Terms, int]:
        terms = self.terms.items()
        return tuple(sorted(terms)) if len(terms) > 1 else tuple(terms), self.constant


SymbolicNumber = int | LinearExpression


@dataclass(frozen=True)
class OneOf:
    """One of several values, such as a player: exactly one of the truths holds."""

    cases: tuple[tuple[int, Truth], ...]

    def key(self) -> tuple[tuple[int, Truth], ...]:
        return self.cases


Counts = tuple[SymbolicNumber, ...]
"""How many of each kind lie in a zone."""

SymbolicValue = int | LinearExpression | OneOf | BooleanLiteral
"""What a slot of the state holds: a literal is a yes/no that the answer decides."""


def low(value: SymbolicNumber) -> int:
    return value if isinstance(value, int) else value.low


def high(value: SymbolicNumber) -> int:
    return value if isinstance(value, int) else value.high
