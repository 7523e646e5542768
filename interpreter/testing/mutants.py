"""Mutants of a game (mutation operators): its rules and data with one small change each, as by a slip of the pen.

A change is made in the text: a number, a comparison, an order, a place, a sign, a word with an opposite, a statement or
a tie-break that is left out. Comments and texts for people are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    Forgotten,
    LogicOperator,
    Membership,
    Operation,
    SetChange,
    Sharing,
    UnaryOperator,
)
from chocolatl.interpreter.source import Source, Span

TOKEN = re.compile(r'"[^"]*"?|#.*|[A-Za-z_]\w*|\d+|>=|<=|\.\.|\S')

INSTEAD: dict[str, tuple[str, ...]] = {
    ">=": (">", "<", "is"), "<=": ("<", ">", "is"), ">": (">=", "<", "is"), "<": ("<=", ">", "is"),
    "is": ("is not", "<=", ">="), "highest": ("lowest",), "lowest": ("highest",),
    "first": ("second", "last"), "second": ("first", "third"), "third": ("second",), "last": ("first",),
    "+": ("-",), "-": ("+",), "*": ("+",), "and": ("or",), "or": ("and",), "min": ("max",), "max": ("min",),
    "yes": ("no",), "no": ("yes",), "gains": ("loses",), "loses": ("gains",), "some": ("every",), "every": ("some",),
    "backwards": ("",), "not": ("",), "alone": ("",),
}  # fmt: skip
"""What may stand in the place of a word or sign. What makes no sense there is found by `check`."""

KEPT = frozenset(["/", "mod", "in", "number", "sum", "shared", "add", "remove", "clear"])
"""Operations in whose place nothing else is put; a statement as a whole is left out."""

OPERATIONS: tuple[type[Operation], ...] = (
    ArithmeticOperator, LogicOperator, UnaryOperator, Membership, AggregateKind, SetChange, Sharing,
)  # fmt: skip


def _check() -> None:
    """That it is said of each operation what may stand in its place."""
    words = {word for kinds in OPERATIONS for each in kinds for word in each.value.split()}
    words |= {word for each in ComparisonOperator for word in each.word.split()}
    if missing := sorted(words - INSTEAD.keys() - KEPT):
        what = f"what may stand in the place of {', '.join(missing)}"
        raise Forgotten(__name__, f"nobody says {what}")


_check()

HEADS = ("each", "every", "for", "else", "if", "repeat", "contest", "in", "then", "table", "language", "game")
STATEMENTS = re.compile(
    r"\s+(?:do |move |reveal |put |add |remove |clear |announce |stop when |.* (?:becomes|gains|loses) )[^\n]*"
)
TIE_BREAK = re.compile(r"\s+then [^:]*")


@dataclass(frozen=True)
class Mutant:
    """One change of one file: `new` stands where `old` stood. Of a change of data, `name` is what the rules call it."""

    span: Span
    old: str
    new: str
    name: str = ""

    @property
    def line(self) -> int:
        return self.span.line

    def text(self) -> str:
        """The whole file, changed."""
        lines = self.span.source.text.split("\n")
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.span.column - 1] + self.new + line[self.span.end_column - 1 :]
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{self.span.source.name}:{self.line}: `{self.old}` became " + (
            f"`{self.new}`" if self.new else "nothing"
        )


def rule_mutants(source: Source) -> Iterator[Mutant]:
    for number, line in enumerate(source.text.split("\n"), start=1):
        code = "".join(" " * len(m[0]) if m[0][0] in '"#' else m[0] for m in re.finditer(r'"[^"]*"?|#.*|[^"#]+', line))
        if not code.strip() or code.split()[0] in ("game", "item"):
            continue
        for token in TOKEN.finditer(code):
            for new in (*_numbers(token[0]), *INSTEAD.get(token[0], ())):
                yield Mutant(_span(source, number, token.start(), token.end()), token[0], new)
        whole = _span(source, number, len(line) - len(line.lstrip()), len(code.rstrip()))
        if STATEMENTS.fullmatch(code) and code.split()[0] not in HEADS:
            yield Mutant(whole, code.strip(), "nothing")
        elif TIE_BREAK.fullmatch(code):
            yield Mutant(whole, code.strip(), "")


def data_mutants(document: Document) -> Iterator[Mutant]:
    """Other numbers, switches, options and words in parameters, tables and components, and other numbers of players.

    What a variant may set a parameter to is left alone: nobody plays by it, and no IR has it."""
    yield from _values(document, ("players",), document.value["players"], "player_count")
    for part, inner in (("parameters", "value"), ("tables", "value"), ("components", "kinds")):
        for name, entry in (document.value.get(part) or {}).items():
            if isinstance(entry, dict) and inner in entry:
                others = entry.get("options", [])
                yield from _values(document, (part, name, inner), entry[inner], name, others)


def _values(
    document: Document, path: tuple[str | int, ...], value: Any, name: str, others: Sequence[Any] = ()
) -> Iterator[Mutant]:
    """Mutants of a value and of those inside it; a word may become one of the others, or a word of the same list."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _values(document, (*path, key), part, name)
        return
    if isinstance(value, list):
        for number, part in enumerate(value):
            rest = [other for other in value[number:] + value[:number] if other != part]
            yield from _values(document, (*path, number), part, name, rest[:1])
        return
    span = document.span(path)
    old = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
    if span.line != span.end_line or not re.fullmatch(r"-?\w+", old):
        if isinstance(value, str) and ".." in value and value == old:  # a range
            for token in re.finditer(r"\d+", old):
                place = _span(span.source, span.line, span.column - 1 + token.start(), span.column - 1 + token.end())
                yield from (Mutant(place, token[0], new, name) for new in _numbers(token[0]))
        return
    if isinstance(value, bool):
        yield Mutant(span, old, "false" if value else "true", name)
    elif isinstance(value, int):
        yield from (Mutant(span, old, new, name) for new in _numbers(str(value)))
    elif isinstance(value, str):
        yield from (Mutant(span, old, other, name) for other in others if isinstance(other, str) and other != value)


def _numbers(text: str) -> tuple[str, ...]:
    """Three other numbers."""
    if not re.fullmatch(r"-?\d{1,15}", text):
        return ()
    number = int(text)
    near = (number + 1, number - 1, 0, number * 2, number + 2, number + 3)
    return tuple(str(n) for n in dict.fromkeys(near) if n != number and (n >= 0 or number < 0))[:3]


def _span(source: Source, line: int, start: int, end: int) -> Span:
    return Span(source, line, start + 1, line, end + 1)
