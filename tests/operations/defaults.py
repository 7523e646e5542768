"""Where the program names some operations and leaves the others to a default: a lint for silent fall-through.

That is right where code only looks for one special shape. It is wrong where a meaning is given: there the next new
operation would silently get that of another one. Each place is found by its shape in the text:

    case AggregateKind.SUM           in a match that does not end in `assert_never`, or inside of another pattern
    case ir.If() | ir.Call() | ...   three kinds of nodes or more, or both of two, in such a match
    kind is AggregateKind.SUM        any comparison with an operation
    (ir.If, ir.Call, ir.Stop)        a collection of three kinds of nodes or more, or of two operations
    {AggregateKind.SUM: ...}         a table that `complete` has not looked at
    isinstance(s, ir.If)             three kinds of nodes or more that are asked for in one function, if that has no
                                     exhaustive match for the others
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.operations.consumers import CLOSED, LIST_OF, UNIONS, Text
from tests.operations.forgetting import NODES, OPERATIONS


@dataclass(frozen=True)
class Default:
    """A place that names these operations and no others."""

    path: str
    function: str
    line: int
    named: frozenset[str]


class Finder:
    """The places of one file. `unions` are the names that several kinds of nodes have together, with what they are."""

    def __init__(self, text: Text, unions: dict[str, list[str]]) -> None:
        self.text, self.unions = text, unions
        apart = [node for _, node in text.nodes if text.is_table(node)] + list(types(text.tree))
        self.apart = {id(part) for node in apart for part in ast.walk(node)}
        """What stands in a table that is complete, or only says what type something has."""

    def finer(self) -> set[int]:
        """The comparisons in a case of an exhaustive match that names what they compare with: no other comes there."""
        found: set[int] = set()
        for match in [node for _, node in self.text.nodes if isinstance(node, ast.Match) and self.text.never(node)]:
            for case in match.cases:
                named = {name for _, name in self.text.alternatives(case.pattern)}
                inside = [node for statement in case.body for node in ast.walk(statement)]
                asked = [node for node in inside if isinstance(node, ast.Compare)]
                found |= {id(node) for node in asked if set(self.in_one(node)) <= named}
        return found

    def places(self) -> Iterator[Default]:
        asked: dict[str, list[str]] = defaultdict(list)
        exhaustive = {name for name, node in self.text.nodes if isinstance(node, ast.Match) and self.text.never(node)}
        lines: dict[str, int] = {}
        apart = self.apart | self.finer()
        for function, node in self.text.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                if function not in exhaustive:
                    asked[function] += [kind for part in united(node.args[1]) for kind in self.kinds(part)]
                    lines.setdefault(function, node.lineno)
            elif isinstance(node, ast.Match | ast.expr) and id(node) not in apart:
                if few(named := self.in_one(node), 1 if isinstance(node, ast.Match | ast.Compare) else 2):
                    yield Default(self.text.path, function, node.lineno, frozenset(named))
        for function, named in asked.items():
            if few(named, 1):
                yield Default(self.text.path, function, lines[function], frozenset(named))

    def in_one(self, node: ast.Match | ast.expr) -> list[str]:
        """What one construct names while it leaves others over."""
        match node:
            case ast.Match():
                return self.left_over(node)
            case ast.Compare():
                sides = [part for side in (node.left, *node.comparators) for part in united(side)]
                return [name for name in self.named(sides) if LIST_OF[name] not in UNIONS]
            case ast.Dict():
                return self.named([key for key in node.keys if key is not None])
            case ast.Tuple() | ast.List() | ast.Set():
                return self.named(node.elts)
            case _:
                return []

    def left_over(self, node: ast.Match) -> list[str]:
        """Of a match: all that it names, or if it is exhaustive, what stands inside of its patterns."""
        patterns = [pattern for case in node.cases for pattern, _ in self.text.alternatives(case.pattern)]
        inner = [v.value for p in patterns for v in ast.walk(p) if isinstance(v, ast.MatchValue) and v is not p]
        named = [] if self.text.never(node) else [name for name in self.text.named(node) if name in LIST_OF]
        return self.named(inner) + named

    def named(self, nodes: Iterable[ast.expr]) -> list[str]:
        return [name for node in nodes if (name := self.text.operation(node)) in LIST_OF and name is not None]

    def kinds(self, node: ast.expr) -> list[str]:
        """The kinds of nodes that a class, or a union of some, stands for; a whole list leaves nothing over."""
        return self.named([node]) or self.unions.get(self.text.full(node), [])


def types(tree: ast.Module) -> Iterator[ast.AST]:
    """What only says of which type something is."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as said) | ast.FunctionDef(returns=ast.expr() as said):
                yield said
            case ast.AnnAssign(annotation=said) | ast.Subscript(slice=said):
                yield said


def united(node: ast.expr) -> list[ast.expr]:
    """The parts of a union or collection; anything else is its only part."""
    match node:
        case ast.BinOp(op=ast.BitOr()):
            return [*united(node.left), *united(node.right)]
        case ast.Tuple() | ast.Set() | ast.List():
            return node.elts
        case _:
            return [node]


def few(named: list[str], members: int) -> bool:
    """Whether that is worth a complaint: so many members of enumerations, or three kinds of nodes; of a list of two,
    both."""
    lists = [LIST_OF[name] for name in set(named)]
    many = any(lists.count(union) >= min(3, len(CLOSED[union])) for union in UNIONS)
    return many or len([each for each in lists if each not in UNIONS]) >= members


def unions_in(texts: list[Text]) -> dict[str, list[str]]:
    """The unions of kinds of nodes that modules give a name to."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for node in text.tree.body:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.BinOp)
                and isinstance(node.targets[0], ast.Name)
            ):
                parts = [(text.operation(part), text.full(part)) for part in united(node.value)]
                kinds = [kind for name, full in parts for kind in ([name] if name in LIST_OF else found.get(full, []))]
                if kinds and node.targets[0].id not in UNIONS:
                    found[f"{text.module}.{node.targets[0].id}"] = kinds
    return found


def defaults(files: dict[str, str]) -> list[Default]:
    """All such places, by file and line."""
    texts = [
        Text(path, content)
        for path, content in files.items()
        if "chocolatl.interpreter.ir" in content or path in (NODES, OPERATIONS)
    ]
    unions = unions_in(sorted(texts, key=lambda text: text.path != NODES))
    found = [each for text in texts for each in Finder(text, unions).places()]
    return sorted(found, key=lambda each: (each.path, each.line))
