"""Findings as the commands that GitHub's workflows turn into notes beside the lines of a change."""

from __future__ import annotations

from chocolatl.interpreter.diagnostics import Diagnostic


def as_annotation(diagnostic: Diagnostic) -> str:
    """One line; what has a meaning in such a command is written by its number."""
    d, span = diagnostic, diagnostic.span
    values = {"file": span.source.name, "line": span.line, "col": span.column, "title": d.code}
    if span.end_line == span.line:
        values["endColumn"] = max(span.end_column - 1, span.column)
    options = ",".join(f"{name}={_value(str(value))}" for name, value in values.items())
    said = "\n".join(
        [d.message, *(f"{other.span}: {other.message}" for other in d.related), *([d.hint] * bool(d.hint))]
    )
    return f"::{d.severity} {options}::{_text(said)}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
