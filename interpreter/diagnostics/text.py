"""Findings as people read them, without colours."""

from __future__ import annotations

import re

from interpreter.diagnostics import Diagnostic
from interpreter.source import Span

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal could take for a command: nobody but the program moves its cursor."""


def render(diagnostic: Diagnostic) -> str:
    """One finding as people read it: place and message, the line with carets, the other places, the hint."""
    d = diagnostic
    parts = [f"{d.span}: {d.severity} {d.code}: {d.message}", *_excerpt(d.span)]
    for other in d.related:
        parts += [f"  {other.span}: {other.message}", *_excerpt(other.span)]
    if d.hint:
        parts.append(f"  help: {d.hint}")
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", "\n".join(parts))


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
