"""The declarations that a variant writes below `replace`, in canonical layout; the rest of its file stays as it is."""

from __future__ import annotations

import re

from chocolatl.interpreter.data.declarations import parse_replacement
from chocolatl.interpreter.data.schema import check
from chocolatl.interpreter.data.strict_yaml import Document, load
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import Source
from chocolatl.interpreter.syntax.formatter import WIDTH, formatted
from chocolatl.interpreter.syntax.words import DECLARATION

LITERAL = re.compile(r"[^#]*:\s*\|[-+]?\s*(#.*)?")
"""A key whose text stands below it, line by line. In one that is quoted or folded, line ends are not what they seem."""


def formatted_variant(source: Source, findings: Findings) -> str | None:
    """The text of the file with its declarations in canonical layout, or None after a finding about it."""
    document = load(source, findings)
    if document is None or not check(document, "variant", findings):
        return None
    lines = source.text.split("\n")
    replaced: dict[str | int, str] = document.value.get("replace", {})
    for name, text in reversed(replaced.items()):  # from below, so that the lines above keep their numbers
        first = document.text_line(("replace", name)) - 1
        if text.strip() and parse_replacement(document, name, findings) is not None:
            if LITERAL.fullmatch(lines[first - 1]):
                _format_block(lines, first)
    if findings.has_errors:
        return None
    result = "\n".join(lines)
    assert _content(load(Source(source.name, result), Findings())) == _content(document), "the variant has changed"
    return result


def _format_block(lines: list[str], first: int) -> None:
    """Format the declaration that begins at a line, from 0."""
    margin = len(lines[first]) - len(lines[first].lstrip(" "))
    end = next(
        (n for n in range(first, len(lines)) if lines[n].strip() and not lines[n].startswith(" " * margin)), len(lines)
    )
    while not lines[end - 1].strip():
        end -= 1
    text = "\n".join(line[margin:] for line in lines[first:end])
    result = formatted(text + "\n", DECLARATION, WIDTH - margin)
    if result is not None and not text.startswith((" ", "\n")):
        lines[first:end] = [" " * margin + line if line else "" for line in result.rstrip("\n").split("\n")]


def _content(document: Document | None) -> object:
    """What the file says, whatever the layout of its declarations."""
    assert document is not None
    replaced = {name: formatted(text, DECLARATION) for name, text in document.value.get("replace", {}).items()}
    return {**document.value, "replace": replaced}
