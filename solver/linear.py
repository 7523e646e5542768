"""Linear expressions over model variables, and truths: the values that a symbolic run computes with.

A value is a whole number or an `Expression`; a truth is True, False or a `Literal`. Both carry what is known about
them, so that whatever bounds decide is decided here and never reaches the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeGuard


class Literal(NamedTuple):
    """A 0-1 variable, or its negation."""

    variable: int
    positive: bool = True

    def __invert__(self) -> Literal:
        return Literal(self.variable, not self.positive)


Truth = bool | Literal


def negated(truth: Truth) -> Truth:
    return ~truth if isinstance(truth, Literal) else not truth


class Expression:
    """A sum of variables with coefficients and a constant, and the bounds between which it lies."""

    __slots__ = ("constant", "high", "low", "terms")

    def __init__(self, terms: dict[int, int], constant: int, low: int, high: int) -> None:
        self.terms = terms
        self.constant = constant
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return " + ".join([*(f"{c}*v{v}" for v, c in self.terms.items()), str(self.constant)])

    def key(self) -> tuple[tuple[tuple[int, int], ...], int]:
        return tuple(sorted(self.terms.items())), self.constant


Number = int | Expression


@dataclass(frozen=True)
class OneOf:
    """One of several values, such as a player: exactly one of the truths holds."""

    cases: tuple[tuple[int, Truth], ...]

    def key(self) -> tuple[tuple[int, Truth], ...]:
        return self.cases


Value = int | Expression | OneOf | Literal
"""What a slot of the state holds: a literal is a yes/no that the answer decides."""


def is_constant(value: object) -> TypeGuard[int]:
    return isinstance(value, int)


def low(value: Number) -> int:
    return value if isinstance(value, int) else value.low


def high(value: Number) -> int:
    return value if isinstance(value, int) else value.high
