"""What a definition says (functional dependence): how a variable follows from others.

A definition stands in a model as constraints, for a solver. Read as it is written it is a function: a literal that
holds just if a sum lies between two numbers, or if all of some others hold; a number that is one of two sums, by a
literal; a product; a quotient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.system.deadline import TimeIsUp
from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
)
from chocolatl.solver.model.linear import BooleanLiteral, Terms


class NoTable(Exception):
    """The answers of a model cannot be looked at one by one. The message tells why."""


class TooLong(NoTable):
    """They could be, with more time."""


class TooMuchCode(TimeIsUp):
    """There is no time to compile what answers are worth: it takes about so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__()


@dataclass(frozen=True)
class InInterval:
    """A literal: a sum lies between two numbers, and not in the gap."""

    terms: Terms
    low: int
    high: int
    gap: int | None


@dataclass(frozen=True)
class Conjunction:
    """A literal: all of these hold."""

    literals: tuple[BooleanLiteral, ...]


@dataclass(frozen=True)
class IfThenElse:
    """A number: one sum if a literal holds, otherwise another one; each with a constant."""

    condition: BooleanLiteral
    then: tuple[Terms, int]
    otherwise: tuple[Terms, int]


Definition = InInterval | Conjunction | IfThenElse | Product | Quotient


def definition_of(variable: int, definition: Sequence[Constraint]) -> Definition:
    own = BooleanLiteral(variable)
    ways: dict[BooleanLiteral, tuple[Terms, int]] = {}
    for constraint in definition:
        match constraint:
            case Product() | Quotient():
                return constraint
            case Implication() if constraint.only_if is own:
                return Conjunction(constraint.literals)
            case LinearConstraint(terms=terms, low=low, high=high, only_if=(condition,)):
                if condition is own:
                    return InInterval(terms, low, high, constraint.gap)
                if (variable, 1) in terms and low == high:
                    ways[condition] = tuple((v, -factor) for v, factor in terms if v != variable), low
            case Implication() | LinearConstraint() | BooleanClause():  # it says the same from the other side
                pass
            case _:
                assert_never(constraint)
    for condition, then in ways.items():
        if ~condition in ways:
            return IfThenElse(condition, then, ways[~condition])
    raise NoTable("not all that is sought follows from the answers at hand")


def read(found: Definition) -> Iterator[int]:
    """The variables that a meaning is about."""
    match found:
        case InInterval():
            yield from (v for v, _ in found.terms)
        case Conjunction():
            yield from (literal.variable for literal in found.literals)
        case IfThenElse():
            yield found.condition.variable
            yield from (v for terms, _ in (found.then, found.otherwise) for v, _ in terms)
        case Product():
            yield from (*found.left.terms, *found.right.terms)
        case Quotient():
            yield from found.dividend.terms
        case _:
            assert_never(found)
