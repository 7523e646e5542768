"""Errors planted into single functions, to see that they are found (mutation testing, by a list of mutants).

A mutant is a piece of a function's text with another one in its place. The code of the function is exchanged where it
is, so that whoever has the function has the mutant. `branches` says where in a module there is something to plant.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import CodeType, FunctionType, ModuleType

Region = tuple[int, int]
"""Where a piece of text begins and ends, in bytes."""


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in the function and becomes `new`; `shown_by` are words of the rules that show it."""

    function: str
    old: str
    new: str
    shown_by: str

    def __str__(self) -> str:
        return f"{self.function}: {self.old} -> {self.new}"


@contextmanager
def planted(module: ModuleType, mutant: Mutant) -> Iterator[None]:
    """The module with an error."""
    source = source_of(module)
    begin, end = place(module, mutant)
    changed = compile(source[:begin] + mutant.new.encode() + source[end:], module.__file__ or "", "exec")
    function = _function(module, mutant.function)
    before = function.__code__
    function.__code__ = _code(changed, mutant.function)
    try:
        yield
    finally:
        function.__code__ = before


def place(module: ModuleType, mutant: Mutant) -> Region:
    """Where the text of a mutant differs."""
    begin, end = functions(module)[mutant.function]
    text, old = source_of(module)[begin:end], mutant.old.encode()
    assert text.count(old) == 1, f"{mutant.function} has {text.count(old)} of `{mutant.old}`"
    start = begin + text.index(old)
    return start, start + len(old)


@cache
def source_of(module: ModuleType) -> bytes:
    return inspect.getsource(module).encode()


@cache
def functions(module: ModuleType) -> dict[str, Region]:
    """The functions of a module by their names, those of classes as `Class.name`."""
    return {name: region for name, text, region in _parts(module) if text == "def"}


def branches(module: ModuleType) -> dict[str, Region]:
    """Every function and every branch in it, by its name and first line."""
    return {f"{name}: {text}" if text != "def" else name: region for name, text, region in _parts(module)}


def untouched(module: ModuleType, mutants: tuple[Mutant, ...]) -> list[str]:
    """The functions and branches that no mutant changes."""
    changed = [place(module, mutant) for mutant in mutants]
    return [
        name
        for name, (begin, end) in branches(module).items()
        if not any(first < end and begin < last for first, last in changed)
    ]


def asking(module: ModuleType, kind: str) -> list[str]:
    """The functions that ask whether something is of a kind, by `isinstance` or by a `case`."""
    found: dict[str, None] = {}
    for name, (begin, end) in functions(module).items():
        for node in ast.walk(ast.parse(inspect.cleandoc("\n" + source_of(module)[begin:end].decode()))):
            match node:
                case ast.Call(func=ast.Name("isinstance"), args=[_, kinds]) | ast.MatchClass(cls=kinds):
                    if kind in ast.unparse(kinds).strip("()").split(", "):
                        found[name] = None
    return list(found)


def _parts(module: ModuleType) -> list[tuple[str, str, Region]]:
    source = source_of(module)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[tuple[str, str, Region]] = []

    def note(name: str, first: ast.AST, last: ast.AST | None = None, text: str = "") -> None:
        final = last or first
        region = (
            starts[first.lineno - 1] + first.col_offset,  # type: ignore[attr-defined]
            starts[final.end_lineno - 1] + final.end_col_offset,  # type: ignore[attr-defined]
        )
        found.append((name, text or source[slice(*region)].decode().split("\n")[0], region))

    def visit(node: ast.AST, name: str) -> None:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                name = f"{name}.{node.name}" if name else node.name
                if isinstance(node, ast.FunctionDef):
                    note(name, node, text="def")
            case ast.If():
                note(name, node.test, node.body[-1])
                if node.orelse and not isinstance(node.orelse[0], ast.If):
                    note(name, node.orelse[0], node.orelse[-1])
            case ast.IfExp():
                note(name, node)
            case ast.match_case() if "assert_never" not in ast.unparse(node.body[0]):
                note(name, node.pattern, node.body[-1])
        for inner in ast.iter_child_nodes(node):
            visit(inner, name)

    visit(ast.parse(source), "")
    return found


def _function(module: ModuleType, name: str) -> FunctionType:
    found: object = module
    for part in name.split("."):
        found = vars(found)[part]
    assert isinstance(found, FunctionType)
    return found


def _code(code: CodeType, name: str) -> CodeType:
    """The code of a function inside of that of its module."""
    for part in name.split("."):
        code = next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == part)
    return code
