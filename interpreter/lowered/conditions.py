"""In which order the conditions of a choice are asked: those about one pick first (predicate pushdown).

The order is part of the meaning, since a condition can fail; so all back ends take it from here.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import LogicOperator
from chocolatl.interpreter.ir.walk import inside


def conjuncts(condition: ir.Expression | None) -> list[ir.Expression]:
    """The conditions that have to hold all, in the order in which they are asked."""
    if isinstance(condition, ir.Logic) and condition.operator is LogicOperator.AND:
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition] if condition is not None else []


def own_conditions(s: ir.Choose) -> tuple[list[list[ir.Expression]], list[ir.Expression]]:
    """The conditions that are about one pick alone, by pick, and the others: first each pick is asked its own for all
    of its elements, then the others are asked for each combination. This is the order in which they can fail."""
    left, picked = conjuncts(s.where), {pick.local.number for pick in s.picks}
    owned: list[list[ir.Expression]] = [[] for _ in s.picks]
    for pick, own in zip(s.picks, owned, strict=True):
        if len(picked) > 1 and not picked & reads(pick.domain):
            while left and picked & reads(left[0]) == {pick.local.number}:
                own.append(left.pop(0))
    return owned, left


def reads(node: ir.Expression | ir.Elements) -> set[int]:
    """The numbers of the locals that a formula depends on."""
    return {part.local.number for part in inside(node) if isinstance(part, ir.Read)}
