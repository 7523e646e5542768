"""Ways through the IR: the blocks, statements and expressions inside a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
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


def rewritten(
    block: ir.Block,
    change: Callable[[ir.Statement], ir.Block],
    secret: Callable[[ir.Secretly], ir.Block] | None = None,
) -> ir.Block:
    """A block with every statement changed, those inside others first; secret blocks by a function of their own."""
    result: list[ir.Statement] = []
    for s in block:
        match s:
            case ir.Secretly() if secret is not None:
                result += secret(s)
                continue
            case ir.If():
                then, otherwise = rewritten(s.then, change, secret), rewritten(s.otherwise, change, secret)
                s = replace(s, then=then, otherwise=otherwise)
            case ir.Contest():
                clauses = tuple(replace(c, body=rewritten(c.body, change, secret)) for c in s.clauses)
                s = replace(s, clauses=clauses)
            case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
                s = replace(s, body=rewritten(s.body, change, secret))
        result += change(s)
    return tuple(result)


def parts(node: Any) -> Iterator[Any]:
    """The nodes directly inside a node, blocks of statements and tables of numbers left out."""
    if isinstance(node, tuple):
        for item in node:
            yield from (item,) if is_dataclass(item) else parts(item)
        return
    for name in _parts_of(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            if value and not isinstance(value[0], (ir.Statement, int)):
                yield from parts(value)
        elif is_dataclass(value):
            yield value


_PARTS: dict[type, tuple[str, ...]] = {}


def _parts_of(kind: type) -> tuple[str, ...]:
    """The fields of a node that can hold others; looked up once for each kind of node."""
    if kind not in _PARTS:
        left_out = ("span", "field", "type", "local", "writes")
        named = fields(kind) if is_dataclass(kind) else ()
        _PARTS[kind] = tuple(field.name for field in named if field.name not in left_out)
    return _PARTS[kind]


def fields_read(root: object, game: ir.Game) -> set[tuple[str | None, str]]:
    """The fields that an expression depends on, through values and rankings."""
    found: set[tuple[str | None, str]] = set()
    seen: set[str] = set()

    def visit(node: object) -> None:
        for part in inside(node):
            if isinstance(part, (ir.Load, ir.FieldZone)):
                found.add(part.field.key)
            if isinstance(part, (ir.CallValue, ir.Ranked)) and part.name not in seen:
                seen.add(part.name)
                visit(game.values[part.name] if part.name in game.values else game.rankings[part.name])

    visit(root)
    return found


def inside(node: Any) -> Iterator[Any]:
    """Every node inside a statement or expression, itself included, blocks of statements left out."""
    yield node
    for part in parts(node):
        if not isinstance(part, (ir.Statement, ir.Local)):
            yield from inside(part)
