"""Ways through the IR: the blocks, statements and expressions inside a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter.ir import nodes as ir
from interpreter.records import fields, is_dataclass, replace

HOLDERS = frozenset([ir.If, ir.Contest, ir.ForEach, ir.InTurn, ir.Repeat, ir.Secretly])
"""The statements that hold others."""


def blocks(statement: ir.Statement) -> tuple[ir.Block, ...]:
    """The blocks inside a statement."""
    if type(statement) not in HOLDERS:
        return ()
    match statement:
        case ir.If():
            return statement.then, statement.otherwise
        case ir.Contest():
            return tuple(clause.body for clause in statement.clauses)
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
            return (statement.body,)
    return ()


def statements(block: ir.Block) -> list[ir.Statement]:
    """All statements of a block, those inside others included, in the order of the text."""
    found: list[ir.Statement] = []
    waiting = list(reversed(block))
    while waiting:
        statement = waiting.pop()
        found.append(statement)
        for inner in reversed(blocks(statement)):
            waiting += reversed(inner)
    return found


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


def parts(node: Any) -> list[Any]:
    """The nodes directly inside a node, blocks of statements left out."""
    found: list[Any] = []
    names = _PARTS.get(type(node))
    for name in _parts_of(type(node)) if names is None else names:
        value = getattr(node, name)
        if type(value) is tuple:
            found += [item for item in value if type(item) is not str]
        elif value is not None:
            found.append(value)
    return found


LEAVES = {
    "str", "int", "bool", "Span", "Scalar", "Field", "Field | None", "Local", "Local | None", "Block",
    "tuple[int, ...]", "tuple[Scalar, ...]", "tuple[Field, ...]", "tuple[Local, ...]",
    "ArithmeticOperator", "ComparisonOperator", "LogicOperator", "AggregateKind", "SetChange", "Sharing",
}  # fmt: skip
"""What parts of a node are declared as in which no others are."""

_PARTS: dict[type, tuple[str, ...]] = {}


def _parts_of(kind: type) -> tuple[str, ...]:
    """The parts of a node that can hold others; looked up once for each kind of node."""
    named = fields(kind) if is_dataclass(kind) else ()
    names = _PARTS[kind] = tuple(f.name for f in named if f.name not in ("field", "type") and f.type not in LEAVES)
    return names


def changed(s: ir.Statement) -> list[ir.Load | ir.FieldZone]:
    """The fields that a statement changes, each where it is written."""
    found: list[ir.Load | ir.Zone | None] = []
    match s:
        case ir.Store() | ir.Award():
            found = [s.target]
        case ir.CopyZone():
            found = [s.target]
        case ir.ChangeSet():
            found = [s.zone]
        case ir.MoveElement() | ir.MoveAll() | ir.ChooseSet() | ir.Draw():
            found = [s.source, s.target]
        case ir.Choose():
            found = [pick.field for pick in s.picks]
        case ir.Roll():
            found = [s.target]
    return [target for target in found if isinstance(target, (ir.Load, ir.FieldZone))]


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


def inside(*nodes: Any, closed: frozenset[type] = frozenset()) -> list[Any]:
    """Every node inside statements or expressions, themselves included, blocks of statements left out; what is inside
    of kinds that are `closed` is left out, too."""
    # In the inner loop of checking, so that it does at once what `parts` does.
    found: list[Any] = []
    waiting = [*reversed(nodes)]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is str:
            continue
        found.append(each)
        if kind in closed:
            continue
        names = _PARTS.get(kind)
        for name in reversed(_parts_of(kind) if names is None else names):
            value = getattr(each, name)
            if type(value) is tuple:
                waiting += reversed(value)
            elif value is not None:
                waiting.append(value)
    return found
