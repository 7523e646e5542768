"""What is wrong with a user's file, where, and what to do: the one kind of message of every stage.

Stages collect diagnostics and go on; nothing stops at the first mistake. A stage that cannot go on raises
`Rejected`, which carries all that was found.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from interpreter.source import Span

MANY = 1000


@dataclass(frozen=True)
class Related:
    """The other half of a finding, such as the first declaration of a name."""

    span: Span
    message: str


@dataclass(frozen=True)
class Diagnostic:
    code: str
    message: str
    span: Span
    hint: str = ""
    related: tuple[Related, ...] = ()
    severity: str = "error"


class Rejected(Exception):
    """Files that cannot be used, with every finding about them."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in self.diagnostics))


class Findings:
    """Where a stage collects what it finds."""

    def __init__(self) -> None:
        self.items: list[Diagnostic] = []

    def error(self, code: str, message: str, span: Span, hint: str = "", related: tuple[Related, ...] = ()) -> None:
        self.items.append(Diagnostic(code, message, span, hint, related))

    def warning(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self.items.append(Diagnostic(code, message, span, hint, severity="warning"))

    @property
    def is_full(self) -> bool:
        """Whether so much is wrong that nobody reads on: a stage need not look for more."""
        return len(self.items) >= MANY

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self.items)

    def reject_errors(self) -> None:
        if self.has_errors:
            raise Rejected(self.items)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Without repetition (a rule is checked once for each number of players), sorted by place."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda d: (d.span.source.name, d.span.line, d.span.column, d.code))


def closest(name: str, candidates: Iterable[str]) -> str:
    """The candidate with the closest spelling, or nothing when none comes close."""
    close = difflib.get_close_matches(name, sorted(set(candidates)), n=1, cutoff=0.6)
    return close[0] if close else ""


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A hint with the closest spelling, or nothing when no name comes close."""
    close = closest(name, candidates)
    return f"did you mean `{close}`?" if close else ""


def render(diagnostic: Diagnostic) -> str:
    """One finding as people read it: place and message, the line with carets, the other places, the hint."""
    d = diagnostic
    parts = [f"{d.span}: {d.severity} {d.code}: {d.message}", *_excerpt(d.span)]
    for other in d.related:
        parts += [f"  {other.span}: {other.message}", *_excerpt(other.span)]
    if d.hint:
        parts.append(f"  help: {d.hint}")
    return "\n".join(parts)


def _excerpt(span: Span) -> list[str]:
    text = span.source.line(span.line)
    if not text.strip() or len(text) > 300:
        return []
    end = span.end_column if span.end_line == span.line else len(text.rstrip()) + 1
    carets = "^" * max(1, end - span.column)
    # Tabs keep their width in the line of carets, so that these stand below what they mean.
    margin = "".join("\t" if c == "\t" else " " for c in text[: span.column - 1])
    number = str(span.line)
    return [f"  {number} | {text}", f"  {' ' * len(number)} | {margin}{carets}"]


def as_json(diagnostics: Iterable[Diagnostic]) -> dict[str, object]:
    """The contract of `check --format json`."""
    found = in_order(diagnostics)
    return {
        "findings": [
            {
                "code": d.code,
                "severity": d.severity,
                "message": d.message,
                **_place(d.span),
                "hint": d.hint,
                "related": [{"message": r.message, **_place(r.span)} for r in d.related],
            }
            for d in found
        ],
        "summary": {
            "errors": sum(d.severity == "error" for d in found),
            "warnings": sum(d.severity == "warning" for d in found),
        },
    }


def _place(span: Span) -> dict[str, object]:
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
