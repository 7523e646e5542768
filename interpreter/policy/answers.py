"""Answers that are few enough to be known beforehand: elements, and what their terms are (constant evaluation)."""

from __future__ import annotations

from collections.abc import Sequence

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.policy.form import Term
from chocolatl.interpreter.policy.quantities import PEOPLE
from chocolatl.interpreter.program.types import Scalar

MOST_ELEMENTS = 64
"""Of so many elements each may have a weight of its own."""


class NotKnown(Exception):
    """A formula depends on more than the element."""


def known_value(e: ir.Expression, local: ir.Local, element: int) -> int:
    """What a formula is for an element, if it depends on nothing else (constant evaluation)."""
    match e:
        case ir.Constant():
            return e.value
        case ir.Read() if e.local.number == local.number:
            return element
        case ir.Lookup() if len(e.indices) == 1:
            return e.values[known_value(e.indices[0], local, element) - e.bounds[0].low]
        case ir.Comparison():
            return int(e.operator.apply(known_value(e.left, local, element), known_value(e.right, local, element)))
        case ir.Conditional():
            condition = known_value(e.condition, local, element)
            return known_value(e.then if condition else e.otherwise, local, element)
        case _:
            raise NotKnown


def few_elements(node: ir.Choice, local: ir.Local) -> tuple[int, ...] | None:
    """The answers to a choice of one thing in canonical order, if they are few. None is last where it means that
    nothing is chosen, and first where it is one of the things."""
    type_ = local.type
    assert isinstance(type_, Scalar)
    size = type_.size + type_.optional
    if size > MOST_ELEMENTS or type_.family in PEOPLE:
        return None
    if isinstance(node, ir.Choose) and isinstance(node.picks[0].domain, ir.OrderElements):
        return None
    values = range(type_.low, type_.high + 1)
    if isinstance(node, ir.Choose) and node.optional:
        return (*values, type_.none)
    return (type_.none, *values) if type_.optional else (*values,)


def constant_terms(
    terms: Sequence[Term], local: ir.Local, elements: tuple[int, ...]
) -> tuple[tuple[int, ...], ...] | None:
    """What each term's feature is for each element, if that is known beforehand."""
    try:
        return tuple(tuple(known_value(term.feature.formula, local, element) for term in terms) for element in elements)
    except NotKnown:
        return None
