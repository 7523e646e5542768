"""The syntax tree as indented lines, each with the line of the rule file that it came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from chocolatl.interpreter.ir.operations import ComparisonOperator
from chocolatl.interpreter.syntax import tree


def print_tree(rules: tree.RuleFile) -> str:
    """One line for each node: line in the file, what it is for its parent, its class, its words."""
    return "\n".join(_lines(rules, "", 0)) + "\n"


def _lines(node: tree.Node, role: str, depth: int) -> Iterator[str]:
    words = [type(node).__name__]
    inner: list[tuple[str, Any]] = []
    for name, value in asdict(node).items():
        if name == "span" or value is None or value == ():
            continue
        word = _word(value)
        if word is not None:
            words.append(word if name == "name" else f"{name}={word}")
        else:
            inner.append((name, value))
    head = f"{role}: " if role else ""
    yield f"{node.span.line:>5}  {'  ' * depth}{head}{' '.join(words)}"
    for name, value in inner:
        yield from _inside(value, name, depth + 1)


def _inside(value: Any, role: str, depth: int) -> Iterator[str]:
    if isinstance(value, tree.Node):
        yield from _lines(value, role, depth)
    elif isinstance(value, tuple):
        for item in value:
            yield from _inside(item, role, depth)
    elif value is not None:
        yield f"{'':>5}  {'  ' * depth}{role}: {value}"


def _word(value: Any) -> str | None:
    """What is short enough for the line of its parent."""
    if isinstance(value, tree.Name):
        return value.text
    if isinstance(value, tree.Text):
        return f'"{value.text}"'
    if isinstance(value, ComparisonOperator):
        return value.word
    return str(value) if isinstance(value, (str, int)) else None
