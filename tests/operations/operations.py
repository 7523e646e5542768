"""The operations that the IR declares, by the names of their nodes: what tests have to see all of."""

from __future__ import annotations

from typing import get_args

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    ElementsKind,
    ExpressionKind,
    LogicOperator,
    Operation,
    SetChange,
    Sharing,
    StatementKind,
)

OPERATORS: dict[type, tuple[str, type[Operation]]] = {
    ir.Arithmetic: ("operator", ArithmeticOperator),
    ir.Comparison: ("operator", ComparisonOperator),
    ir.Logic: ("operator", LogicOperator),
    ir.Aggregate: ("kind", AggregateKind),
    ir.ChangeSet: ("how", SetChange),
    ir.Clause: ("sharing", Sharing),
}
"""Nodes that do one of several things: which part says so, and what there is."""

KINDS: dict[object, type[Operation]] = {
    ir.Expression: ExpressionKind,
    ir.Elements: ElementsKind,
    ir.Statement: StatementKind,
}
"""Closed lists of nodes, and what is declared of them."""


def named(node: object) -> str | None:
    """The operation of a node that does one of several things."""
    if type(node) not in OPERATORS:
        return None
    return f"{type(node).__name__} {getattr(node, OPERATORS[type(node)][0]).name.lower()}"


def operations() -> set[str]:
    """The nodes of the IR that do something, and each of the things that one does."""
    made = {kind.value for kinds in KINDS.values() for kind in kinds}
    made |= {c.__name__ for c in (*get_args(ir.Zone), *get_args(ir.OrderSource), *OPERATORS)}
    return made | {f"{c.__name__} {one.name.lower()}" for c, (_, words) in OPERATORS.items() for one in words}
