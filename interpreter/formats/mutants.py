"""Mutants of a game: its rules and data with one small change each, as a designer's slip of the pen would make it.

A change is made in the text: a number, a comparison, an order, a place, a sign, a word with an opposite, a statement or
a tie-break that is left out. Comments and texts for people are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from interpreter.data.strict_yaml import Document
from interpreter.source import Source, Span

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

HEADS = ("each", "every", "for", "else", "if", "repeat", "contest", "in", "then", "table", "language", "game")
STATEMENTS = re.compile(
    r"\s+(?:do |move |reveal |put |add |remove |clear |announce |stop when |.* (?:becomes|gains|loses) )[^\n]*"
)
TIE_BREAK = re.compile(r"\s+then [^:]*")


@dataclass(frozen=True)
class Mutant:
    """One change of one file: `new` stands where `old` stood."""

    span: Span
    old: str
    new: str

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
        if not code.strip() or code.split()[0] in ("language", "game", "item", "always"):
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
    """The numbers and switches of parameters, tables and components."""
    for part, inner in (("parameters", "value"), ("tables", "value"), ("components", "kinds")):
        for name, entry in (document.value.get(part) or {}).items():
            if isinstance(entry, dict) and inner in entry:
                yield from _values(document, (part, name, inner), entry[inner])


def _values(document: Document, path: tuple[str | int, ...], value: Any) -> Iterator[Mutant]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _values(document, (*path, key), part)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _values(document, (*path, number), part)
    elif isinstance(value, int):
        span = document.span(path)
        old = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
        new = ("false" if value else "true",) if isinstance(value, bool) else _numbers(str(value))
        if span.line == span.end_line and old.lstrip("-").isalnum():
            yield from (Mutant(span, old, each) for each in new)


def _numbers(text: str) -> tuple[str, ...]:
    """Three other numbers."""
    if not re.fullmatch(r"-?\d{1,15}", text):
        return ()
    number = int(text)
    near = (number + 1, number - 1, 0, number * 2, number + 2, number + 3)
    return tuple(str(n) for n in dict.fromkeys(near) if n != number and (n >= 0 or number < 0))[:3]


def _span(source: Source, line: int, start: int, end: int) -> Span:
    return Span(source, line, start + 1, line, end + 1)
