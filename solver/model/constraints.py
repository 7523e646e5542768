"""Constraints over model variables, as no solver in particular writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression


class LinearConstraint(NamedTuple):
    """The sum of terms lies between low and high, not in the gap, if all literals of `only_if` hold."""

    terms: tuple[tuple[int, int], ...]
    low: int
    high: int
    only_if: tuple[BooleanLiteral, ...] = ()
    gap: int | None = None


class BooleanClause(NamedTuple):
    """At least one literal holds; with `exactly`, just one."""

    literals: tuple[BooleanLiteral, ...]
    exactly: bool = False


class Implication(NamedTuple):
    """All literals hold if another one does."""

    literals: tuple[BooleanLiteral, ...]
    only_if: BooleanLiteral


class Product(NamedTuple):
    """target = left * right."""

    target: int
    left: LinearExpression
    right: LinearExpression


class Quotient(NamedTuple):
    """target = dividend / divisor, rounded down; the dividend is never negative."""

    target: int
    dividend: LinearExpression
    divisor: int


Constraint = LinearConstraint | BooleanClause | Implication | Product | Quotient


def variables(constraint: Constraint) -> Iterator[int]:
    """All variables that a constraint is about."""
    match constraint:
        case LinearConstraint():
            yield from (variable for variable, _ in constraint.terms)
            yield from (literal.variable for literal in constraint.only_if)
        case BooleanClause():
            yield from (literal.variable for literal in constraint.literals)
        case Implication():
            yield from (literal.variable for literal in (*constraint.literals, constraint.only_if))
        case Product():
            yield from (constraint.target, *constraint.left.terms, *constraint.right.terms)
        case Quotient():
            yield from (constraint.target, *constraint.dividend.terms)
        case _:
            assert_never(constraint)
