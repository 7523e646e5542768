"""Ways through the IR: the blocks, statements and expressions inside a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from interpreter.ir import nodes as ir


def blocks(statement: ir.Statement) -> tuple[ir.Block, ...]:
    """The blocks inside a statement."""
    match statement:
        case ir.If():
            return statement.then, statement.otherwise
        case ir.Contest():
            return tuple(clause.body for clause in statement.clauses)
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
            return (statement.body,)
    return ()


def statements(block: ir.Block) -> Iterator[ir.Statement]:
    """All statements of a block, those inside others included."""
    for statement in block:
        yield statement
        for inner in blocks(statement):
            yield from statements(inner)


def parts(node: Any) -> Iterator[Any]:
    """The nodes directly inside a node, blocks of statements left out."""
    if isinstance(node, tuple):
        for item in node:
            yield from (item,) if is_dataclass(item) else parts(item)
        return
    if not is_dataclass(node):
        return
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], ir.Statement):
            continue
        if field.name in ("span", "field", "type", "local", "writes"):
            continue
        if is_dataclass(value):
            yield value
        elif isinstance(value, tuple):
            yield from parts(value)


def inside(node: Any) -> Iterator[Any]:
    """Every node inside a statement or expression, itself included, blocks of statements left out."""
    yield node
    for part in parts(node):
        if not isinstance(part, (ir.Statement, ir.Local)):
            yield from inside(part)
