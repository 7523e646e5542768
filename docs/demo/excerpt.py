"""Declarations of a rule file as they were written, with line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.system.escaping import visible
from chocolatl.interpreter.terminal.output.console import GOOD, VisibleText

COLOURS = re.compile(r'(?P<comment>#.*)|(?P<text>"[^"]*")|(?P<head>^(\t| )*[a-z]+)')
MARGIN = 7
"""Columns for the number of a line."""

STYLES = {"comment": "dim", "text": GOOD, "head": "bold cyan"}


def excerpt(game: Game, names: Collection[str], width: int) -> VisibleText:
    """The declarations with these names, in the order of the file; three dots stand for what is between them.

    A line that is too long for the width goes without its comment, or else goes on in the next one."""
    shown = VisibleText()
    last = 0
    for declaration in game.files.rules.declarations:
        if _name(declaration) not in names:
            continue
        lines = _lines(declaration.span)
        if last and lines[0][0] > last + 2:
            shown.append("       ...\n", "dim")
        elif last:
            shown.append("\n")
        for number, text in lines:
            room = width - MARGIN
            for part, line in enumerate(_folded(text if len(text) <= room else _without_comment(text), room)):
                shown.append(f"{number:>5}  " if part == 0 else " " * MARGIN, "dim")
                shown.append(line)
                shown.append("\n")
        last = lines[-1][0]
    shown.rstrip()
    return shown


def _name(declaration: tree.Declaration) -> str:
    """The name by which a variant would replace a declaration: `bidders`, `play`, `resolve(quay)`."""
    name = getattr(getattr(declaration, "name", None), "text", type(declaration).__name__.lower())
    if isinstance(declaration, tree.Procedure):
        members = [member.text for parameter in declaration.parameters for member in parameter.members]
        return f"{name}({', '.join(members)})" if members else name
    return name


def _lines(span: Span) -> list[tuple[int, str]]:
    """The lines of a declaration without the empty ones and the comments that lead to the next."""
    lines = [
        (number, visible(span.source.line(number)))
        for number in range(span.line, span.end_line + (span.end_column > 1))
    ]
    while len(lines) > 1 and (not lines[-1][1].strip() or lines[-1][1].lstrip().startswith("#")):
        lines.pop()
    return lines


def _without_comment(line: str) -> str:
    comment = next((found for found in COLOURS.finditer(line) if found.lastgroup == "comment"), None)
    return line[: comment.start()].rstrip() if comment is not None else line


def _folded(line: str, room: int) -> list[VisibleText]:
    """A line in parts that fit, those after the first one further to the right."""
    indent = " " * (len(line) - len(line.lstrip()) + 8)
    ends = [0]
    while len(line) - ends[-1] > (left := room - (len(indent) if ends[1:] else 0)):
        end = line.rfind(" ", ends[-1] + 1, ends[-1] + left + 1)
        if end <= ends[-1] or not line[ends[-1] : end].strip():
            break
        ends.append(end + 1)
    parts = _coloured(line).divide(ends[1:])
    for part in parts:
        part.rstrip()
    return [VisibleText(indent if number else "").append(part) for number, part in enumerate(parts)]


def _coloured(line: str) -> VisibleText:
    text = VisibleText(line)
    for found in COLOURS.finditer(line):
        if found.lastgroup is not None:
            text.stylize(STYLES.get(found.lastgroup, ""), found.start(), found.end())
    return text
