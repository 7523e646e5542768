"""Where a rule of a schema stands in its file, so that a message can show what it asks for."""

from __future__ import annotations

from functools import cache
from typing import Any

from chocolatl.interpreter.data.model import DataPath
from chocolatl.interpreter.data.strict_yaml import Document, load
from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.source import Source, Span


@cache
def _document(name: str, text: str) -> Document:
    document = load(Source(f"schemas/{name}.schema.json", text), Findings())  # JSON is YAML, and so has places
    assert document is not None
    return document


def asked_here(name: str, text: str, definition: str, rule: DataPath) -> tuple[Related, ...]:
    """The place of a rule of a schema, which a path leads to; references are followed."""
    document = _document(name, text)
    path: tuple[str | int, ...] = ("$defs", definition) if definition else ()
    holder = _at(document.value, path)
    for step in rule:
        if isinstance(holder, dict) and step not in holder and "$ref" in holder:
            path = tuple(holder["$ref"].split("/")[1:])
            holder = _at(document.value, path)
        if step == "$ref":
            continue
        path, holder = (*path, step), _at(holder, (step,))
    return (Related(_first_line(document.key_span(path)), "the schema asks for this"),) if path else ()


def _at(value: Any, path: DataPath) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        else:
            value = value[step] if isinstance(value, list) and isinstance(step, int) else None
    return value


def _first_line(span: Span) -> Span:
    if span.end_line == span.line:
        return span
    return Span(span.source, span.line, span.column, span.line, len(span.source.line(span.line).rstrip()) + 1)
