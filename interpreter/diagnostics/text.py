"""Findings as people read them, without colours."""

from __future__ import annotations

from chocolatl.interpreter.diagnostics import Diagnostic
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.system.escaping import one_line, visible


def render(diagnostic: Diagnostic) -> str:
    """One finding as people read it: place and message, the line with carets, the other places, the hint."""
    d = diagnostic
    parts = [one_line(f"{d.span}: {d.severity} {d.code}: {d.message}"), *_excerpt(d.span)]
    for other in d.related:
        parts += [one_line(f"  {other.span}: {other.message}"), *_excerpt(other.span)]
    if d.hint:
        parts.append(one_line(f"  help: {d.hint}"))
    return "\n".join(parts)


def _excerpt(span: Span) -> list[str]:
    text = span.source.line(span.line)
    if not text.strip() or len(text) > 300:
        return []
    end = span.end_column if span.end_line == span.line else len(text.rstrip()) + 1
    meant = text[span.column - 1 : end - 1]
    carets = "^" * max(1, end - span.column + len(visible(meant)) - len(meant))
    # Tabs keep their width in the line of carets, so that these stand below what they mean.
    margin = "".join("\t" if c == "\t" else " " for c in visible(text[: span.column - 1]))
    number = str(span.line)
    return [f"  {number} | {visible(text)}", f"  {' ' * len(number)} | {margin}{carets}"]
