"""Who gives operations a meaning, found in the text of the program: exhaustive matches and complete tables.

A match is a consumer if it names operations and ends in `assert_never`; a table if it is made by `complete`. What
a match names can be taken away from it again, without moving a line (mutation of the source text).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import get_args

from chocolatl.interpreter.ir import nodes, operations
from chocolatl.interpreter.ir.operations import Operation
from tests.project.test_architecture import module_name

UNIONS = ("Expression", "Elements", "Statement", "Zone", "OrderSource")
"""The closed lists of nodes."""

CLOSED: dict[str, tuple[str, ...]] = {
    **{
        kinds.__name__: tuple(f"{kinds.__name__}.{kind.name}" for kind in kinds) for kinds in Operation.__subclasses__()
    },
    **{union: tuple(kind.__name__ for kind in get_args(getattr(nodes, union))) for union in UNIONS},
}
"""Each enumeration of operations and each closed list of nodes: what belongs to it."""

LIST_OF = {one: name for name, several in CLOSED.items() for one in several}
"""The list that an operation belongs to."""

MODULES = (operations.__name__, nodes.__name__)

MAKERS = tuple([name for name in vars(operations) if name.startswith("complete")])
"""The functions that look whether a table has an entry for each."""


# ---------------------------------------------------------------- texts


@dataclass(frozen=True)
class Edit:
    """What stands from one place to another becomes something else. Places are line, from 1, and column in bytes."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def edited(text: str, edits: list[Edit]) -> str:
    """A text with some changes; every line that is not changed keeps its number."""
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(edits, key=lambda e: e.start, reverse=True):
        (first, left), (last, right) = edit.start, edit.end
        new = lines[first - 1][:left] + edit.text.encode() + lines[last - 1][right:]
        lines[first - 1 : last] = [new] + [b""] * (last - first)
    return b"\n".join(lines).decode()


def start_of(node: ast.pattern | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def end_of(node: ast.pattern | ast.expr) -> tuple[int, int]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return f"{dotted(node.value)}.{node.attr}"
        case _:
            return "?"


class Text:
    """The text of one file, and what its names stand for."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.tree, self.lines = path, ast.parse(text), text.encode().split(b"\n")
        self.module = module_name(path)

    @cached_property
    def names(self) -> dict[str, str]:
        """What it imports anywhere, and its own classes and other declarations."""
        found: dict[str, str] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = f"{self.module}.{node.name}"
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found[node.targets[0].id] = f"{self.module}.{node.targets[0].id}"
        for each in ast.walk(self.tree):
            if isinstance(each, ast.ImportFrom):
                found |= {alias.asname or alias.name: f"{each.module}.{alias.name}" for alias in each.names}
            elif isinstance(each, ast.Import):
                found |= {alias.asname or alias.name: alias.name for alias in each.names}
        return found

    @cached_property
    def nodes(self) -> list[tuple[str, ast.AST]]:
        """Every node of it, with the function, class or declaration that it stands in."""
        found: list[tuple[str, ast.AST]] = []
        waiting: list[tuple[str, ast.AST]] = [("", self.tree)]
        while waiting:
            name, node = waiting.pop()
            found.append((name, node))
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                name = f"{name}.{node.name}".removeprefix(".")
            elif isinstance(node, ast.Assign | ast.AnnAssign) and not name:
                name = dotted(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            waiting += [(name, child) for child in ast.iter_child_nodes(node)]
        return found

    def colon(self, place: tuple[int, int]) -> tuple[int, int]:
        """Where the next colon is."""
        line, column = place
        while (found := self.lines[line - 1].find(b":", column)) < 0:
            line, column = line + 1, 0
        return line, found

    def full(self, node: ast.expr) -> str:
        front, _, rest = dotted(node).partition(".")
        return f"{self.names.get(front, front)}.{rest}".removesuffix(".")

    def operation(self, node: ast.expr) -> str | None:
        """The operation, or the whole list, that an expression names."""
        full = self.full(node)
        for module in MODULES:
            name = full.removeprefix(f"{module}.")
            if name != full and (name in LIST_OF or name in CLOSED):
                return name
        return None

    def alternatives(self, pattern: ast.pattern) -> Iterator[tuple[ast.pattern, str | None]]:
        """The alternatives of a pattern, with the operation that each names."""
        match pattern:
            case ast.MatchOr():
                for each in pattern.patterns:
                    yield from self.alternatives(each)
            case ast.MatchAs(pattern=ast.pattern() as inner):
                yield from self.alternatives(inner)
            case ast.MatchValue():
                yield pattern, self.operation(pattern.value)
            case ast.MatchClass():
                yield pattern, self.operation(pattern.cls)
            case _:
                yield pattern, None

    def named(self, node: ast.Match) -> set[str]:
        return {name for case in node.cases for _, name in self.alternatives(case.pattern) if name is not None}

    def never(self, node: ast.Match) -> int | None:
        """The line of the `assert_never` that a match ends in, for all that comes there or for those but some."""
        last = node.cases[-1]
        body = last.body[0]
        if not isinstance(last.pattern, ast.MatchAs) or last.pattern.pattern or last.guard:
            return None
        if isinstance(body, ast.If) and isinstance(body.test, ast.UnaryOp) and isinstance(body.test.op, ast.Not):
            body = body.body[0]
        if not isinstance(body, ast.Expr) or not isinstance(body.value, ast.Call):
            return None
        return body.lineno if self.full(body.value.func) == "typing.assert_never" else None

    def is_table(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.full(node.func) in [f"{operations.__name__}.{m}" for m in MAKERS]


# ---------------------------------------------------------------- consumers


@dataclass(frozen=True)
class Consumer:
    """A place that has to know all operations of a list: a match, or the call that makes a table."""

    text: Text
    function: str
    node: ast.Match | ast.Call

    @property
    def path(self) -> str:
        return self.text.path

    @property
    def place(self) -> str:
        return f"{self.path}:{self.node.lineno} {self.function}".strip()

    @property
    def never(self) -> int | None:
        """The line that the type checker complains about; a table has none, since it complains when it is loaded."""
        return self.text.never(self.node) if isinstance(self.node, ast.Match) else None

    @cached_property
    def named(self) -> tuple[str, ...]:
        """What it names. Beside a list that is named as a whole, one operation of it is only a finer case."""
        if isinstance(self.node, ast.Call):
            module, _, name = self.text.full(self.node.args[0]).rpartition(".")
            kinds = getattr(import_module(module), name)
            return CLOSED.get(name) or tuple([kind.__name__ for kind in get_args(kinds) if kind.__name__ in LIST_OF])
        names = self.text.named(self.node)
        return tuple(sorted(name for name in names if LIST_OF.get(name) not in names))

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists of which it names every operation."""
        return tuple([name for name, several in CLOSED.items() if set(several) <= set(self.named)])

    def without(self, forgotten: frozenset[str]) -> list[Edit]:
        """How to take some operations away from a match."""
        assert isinstance(self.node, ast.Match)
        return [edit for case in self.node.cases for edit in self._case(case, forgotten)]

    def _case(self, case: ast.match_case, forgotten: frozenset[str]) -> Iterator[Edit]:
        """A case without some alternatives; without any it stands behind a condition that never holds, so that what it
        does is still looked at."""
        alternatives = list(self.text.alternatives(case.pattern))
        left = [ast.unparse(p) for p, name in alternatives if not forgotten & {name, LIST_OF.get(name or "")}]
        if len(left) == len(alternatives):
            return
        start, end = start_of(case.pattern), end_of(case.pattern)
        if left:
            bound = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
            yield Edit(start, end, f"({' | '.join(left)}) as {bound}" if bound else " | ".join(left))
        elif case.guard is not None:
            yield Edit(start_of(case.guard), end_of(case.guard), "bool()")
        else:
            colon = self.text.colon(end)  # behind the brackets that a pattern of several lines stands in
            yield Edit(colon, colon, " if bool()")


def consumers(files: dict[str, str]) -> list[Consumer]:
    """All consumers of some files, by place."""
    found: list[Consumer] = []
    for path, content in files.items():
        if any(word in content for word in ("assert_never", *MAKERS)):
            text = Text(path, content)
            found += [Consumer(text, name, n) for name, n in text.nodes if isinstance(n, ast.Call) and text.is_table(n)]
            found += [Consumer(text, name, n) for name, n in text.nodes if isinstance(n, ast.Match) and text.never(n)]
    return sorted([each for each in found if each.named or each.never is None], key=lambda c: (c.path, c.node.lineno))
