"""Declarations of a rule file as they were written, with line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection

from rich.text import Text

from interpreter.game import Game
from interpreter.source import Span
from interpreter.terminal.console import GOOD

COLOURS = re.compile(r'(?P<comment>#.*)|(?P<text>"[^"]*")|(?P<head>^(\t| )*[a-z]+)')
STYLES = {"comment": "dim", "text": GOOD, "head": "bold cyan"}


def excerpt(game: Game, names: Collection[str], width: int) -> Text:
    """The declarations with these names, in the order of the file; three dots stand for what is between them.

    A line that is too long for the width goes without its comment."""
    shown = Text(no_wrap=True, overflow="ellipsis")
    last = 0
    for declaration in game.files.rules.declarations:
        name = getattr(getattr(declaration, "name", None), "text", type(declaration).__name__.lower())
        if name not in names:
            continue
        lines = _lines(declaration.span)
        if last and lines[0][0] > last + 2:
            shown.append("       ...\n", "dim")
        elif last:
            shown.append("\n")
        for number, text in lines:
            shown.append(f"{number:>5}  ", "dim")
            shown.append(_coloured(text if len(text) + 7 <= width else _without_comment(text)))
            shown.append("\n")
        last = lines[-1][0]
    shown.rstrip()
    return shown


def _lines(span: Span) -> list[tuple[int, str]]:
    """The lines of a declaration without the empty ones and the comments that lead to the next."""
    lines = [(number, span.source.line(number)) for number in range(span.line, span.end_line + (span.end_column > 1))]
    while len(lines) > 1 and (not lines[-1][1].strip() or lines[-1][1].lstrip().startswith("#")):
        lines.pop()
    return lines


def _without_comment(line: str) -> str:
    comment = next((found for found in COLOURS.finditer(line) if found.lastgroup == "comment"), None)
    return line[: comment.start()].rstrip() if comment is not None else line


def _coloured(line: str) -> Text:
    text = Text(line)
    for found in COLOURS.finditer(line):
        if found.lastgroup is not None:
            text.stylize(STYLES.get(found.lastgroup, ""), found.start(), found.end())
    return text
