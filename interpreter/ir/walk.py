"""Ways through the IR (visitors, and rewriting bottom-up): the blocks, statements and expressions inside a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never, get_args

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Forgotten, complete_nodes, written_types
from chocolatl.interpreter.program.model import FieldKey

FLAT = frozenset(get_args(ir.Flat))
"""Most statements, told apart at once: in the inner loop of checking."""


def blocks(statement: ir.Statement) -> tuple[ir.Block, ...]:
    """The blocks inside a statement."""
    if type(statement) in FLAT:
        return ()
    match statement:
        case ir.If():
            return statement.then, statement.otherwise
        case ir.Contest():
            return tuple(clause.body for clause in statement.clauses)
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
            return (statement.body,)
        case _:
            if not isinstance(statement, ir.Flat):
                assert_never(statement)
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


def stops(block: ir.Block) -> list[ir.Stop]:
    """What leaves the loop that a block is the body of, or stands in."""
    found: list[ir.Stop] = []
    for s in block:
        match s:
            case ir.Stop():
                found.append(s)
            case _ if type(s) in FLAT:
                pass
            case ir.If() | ir.Contest():
                for inner in blocks(s):
                    found += stops(inner)
            case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
                pass  # what stands in a loop leaves that one; a secret block is left by nobody
            case _:
                if not isinstance(s, ir.Change | ir.Choice | ir.ChanceNode | ir.Call):
                    assert_never(s)
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
            case _ if type(s) in FLAT:
                result += change(s)
            case ir.Secretly() if secret is not None:
                result += secret(s)
            case ir.If():
                then, otherwise = rewritten(s.then, change, secret), rewritten(s.otherwise, change, secret)
                result += change(replace(s, then=then, otherwise=otherwise))
            case ir.Contest():
                clauses = tuple(replace(c, body=rewritten(c.body, change, secret)) for c in s.clauses)
                result += change(replace(s, clauses=clauses))
            case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
                result += change(replace(s, body=rewritten(s.body, change, secret)))
            case _:
                if not isinstance(s, ir.Flat):
                    assert_never(s)
                result += change(s)
    return tuple(result)


# ---------------------------------------------------------------- kinds of nodes

LEAVES = frozenset([
    "str", "int", "bool", "Span", "Scalar", "Field", "Field | None", "Local", "Local | None", "Block",
    "tuple[int, ...]", "tuple[Scalar, ...]", "tuple[Field, ...]", "tuple[Local, ...]",
    "ArithmeticOperator", "ComparisonOperator", "LogicOperator", "AggregateKind", "SetChange", "Sharing",
    "Load | None",  # the field that a choice is for, which is changed and not read
])  # fmt: skip
"""What parts of a node are declared as in which no others are."""

HOLDING = frozenset([
    "Expression", "Expression | None", "tuple[Expression, ...]", "Elements", "Zone", "OrderSource", "Ranked",
    "Load", "Load | Zone | None", "Prompt", "Prompt | None", "tuple[str | Expression, ...]",
    "tuple[PickOne, ...]", "tuple[Clause, ...]", "tuple[Key, ...]",
])  # fmt: skip
"""What parts are declared as that are nodes, or hold some."""

BodyNode = ir.Evaluated | ir.Statement | ir.PickOne | ir.Clause | ir.Key | ir.Value | ir.Ranking
"""What there is in a procedure, a value or a ranking."""


def _parts_of(kind: type) -> tuple[str, ...]:
    """The parts of a node that can hold others; an error where nobody said so of the type of a part."""
    types = written_types(kind)
    for part, written in types.items():
        if written not in LEAVES and written not in HOLDING:
            what = f"`{written}`, as the {part} of {kind.__name__} is, holds nodes"
            raise Forgotten(__name__, f"nobody says whether {what}")
    return tuple([part for part, written in types.items() if written in HOLDING])


_PARTS = {kind: _parts_of(kind) for kind in get_args(BodyNode)}

Evaluating = ir.CallValue | ir.Ranked | ir.Aggregate
"""What evaluates other formulas than those that stand in it, or these more than once."""

complete_nodes(ir.Evaluated, dict.fromkeys([
    *get_args(Evaluating),
    # These evaluate all that stands in them once at most.
    ir.Constant, ir.Read, ir.Load, ir.Lookup, ir.Joined, ir.Part, ir.Arithmetic, ir.Comparison, ir.Logic, ir.Not,
    ir.Conditional, ir.Required, ir.Narrowed, ir.ZoneSize, ir.ZoneCount, ir.PlaceOf, ir.RankOf,
    ir.Numbers, ir.Whole, ir.ZoneElements, ir.Listing, ir.OrderElements,
    ir.FieldZone, ir.LocalZone, ir.HeldOrder, ir.Prompt,
]), __name__)  # fmt: skip

# ---------------------------------------------------------------- nodes inside of nodes


def parts(node: Any) -> list[Any]:
    """The nodes directly inside a node, blocks of statements left out."""
    found: list[Any] = []
    for name in _PARTS[type(node)]:
        value = getattr(node, name)
        if type(value) is tuple:
            found += [item for item in value if type(item) is not str]
        elif value is not None:
            found.append(value)
    return found


def changed(s: ir.Statement) -> list[ir.Load | ir.FieldZone]:
    """The fields that a statement changes, each where it is written."""
    found: Sequence[ir.Load | ir.Zone | None]
    match s:
        case ir.SetLocal() | ir.Stop() | ir.Call() | ir.If() | ir.Contest():
            return []
        case ir.Store() | ir.Award() | ir.CopyZone() | ir.Roll():
            found = [s.target]
        case ir.ChangeSet():
            found = [s.zone]
        case ir.MoveElement() | ir.MoveAll() | ir.ChooseSet() | ir.Draw():
            found = [s.source, s.target]
        case ir.Choose():
            found = [pick.field for pick in s.picks]
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly():
            return []
        case _:
            assert_never(s)
    return [target for target in found if isinstance(target, (ir.Load, ir.FieldZone))]


def fields_read(root: object, game: ir.GameRules) -> set[FieldKey]:
    """The fields that an expression depends on, through values and rankings."""
    found: set[FieldKey] = set()
    seen: set[str] = set()

    def visit(node: object) -> None:
        for part in inside(node):
            if isinstance(part, (ir.Load, ir.FieldZone)):
                found.add(part.field.key)
            if isinstance(part, Evaluating):
                callee = called(part, game)
                if callee is not None and callee.name not in seen:
                    seen.add(callee.name)
                    visit(callee)

    visit(root)
    return found


def called(node: Evaluating, game: ir.GameRules) -> ir.Value | ir.Ranking | None:
    """The declaration that a node evaluates."""
    match node:
        case ir.CallValue():
            return game.values[node.name]
        case ir.Ranked():
            return game.rankings[node.name]
        case ir.Aggregate():
            return None
        case _:
            assert_never(node)


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
        for name in reversed(_PARTS[kind]):
            value = getattr(each, name)
            if type(value) is tuple:
                waiting += reversed(value)
            elif value is not None:
                waiting.append(value)
    return found
