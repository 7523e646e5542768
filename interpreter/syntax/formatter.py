"""Rule text in canonical layout (a formatter): the same words and comments, each in its place.

Blocks are indented by four, words stand one space apart, the columns of fields and of texts are aligned, comments
behind a line begin at a few fixed columns. Where a line goes on in the next one is left to the author; only a line that
is too long is broken. What comes out is read again and compared, so that nothing but the layout can change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from chocolatl.interpreter.syntax.automaton import DEDENT, INDENT, NEWLINE, TAB, Token
from chocolatl.interpreter.syntax.tables import automaton
from chocolatl.interpreter.syntax.words import START

WIDTH = 120
MARGIN = 4
STOPS = (48, 76, 92, 108)
"""Where comments begin behind a line, counted from 0; behind a longer line, after two spaces."""
MOST_ALIGNED = (20, 40)
"""A longer name, or text, does not push the column of all others."""
MANY_MEMBERS = 3
"""So many members of an enum with texts stand below one another."""

OPERANDS = frozenset(["NAME", "INT", "RPAR", "RSQB", "YES", "NO", "NONE", "NOBODY"])
"""What a minus sign stands behind that takes something away."""
BREAKS = frozenset(["AND", "OR", "WHERE", "INTO", "AS", "PLUS", "MINUS", "STAR", "SLASH"])
"""What a line can go on with in the next one."""
COLUMNS = frozenset(["TABLE", "EACH", "GRID", "FINAL"])
"""Declarations whose lines have columns, by their first word."""
ENUMS = ("ENUM", "CYCLIC")
LAYOUT = (NEWLINE, INDENT, DEDENT)
NEGATIVE = "NEGATIVE"

_COMMENT = re.compile(r'(?:"[^"\n]*"|[^"#\n])*(#[^\n]*)?')


@dataclass
class LaidOutLine:
    """A line of the text: its words, its comment, the depth of its block; whether it goes on with the line above."""

    tokens: list[Token] = field(default_factory=list)
    comment: str = ""
    margin: int = 0
    depth: int = 0
    goes_on: bool = False
    declaration: int = 0
    """The number of the declaration that it is a part of."""
    kind: str = ""
    """The first word of that declaration."""
    indent: int = 0
    shown: str = ""

    @property
    def opens(self) -> bool:
        """Whether a declaration begins here."""
        return bool(self.tokens) and not self.goes_on and self.depth == 0

    @property
    def is_blank(self) -> bool:
        return not self.tokens and not self.comment


def formatted(text: str, start: str = START, width: int = WIDTH) -> str | None:
    """The text in canonical layout, with LF as line ends; None if it does not follow the grammar."""
    text = text.strip("\n").rstrip() + "\n"
    lines = _lines(text, start)
    if lines is None:
        return None
    lines = [part for line in lines for part in _members(line)]
    for line in lines:
        line.shown = _spaced(line.tokens)
    _align(lines)
    _indent(lines)
    lines = [part for line in lines for part in _broken(line, width)]
    result = "\n".join(_with_comment(line, width) for line in _spread(lines)) + "\n"
    assert _content(result, start) == _content(text, start), "the layout has changed the words"
    return result


def _content(text: str, start: str) -> object:
    """All words and comments, each in their order."""
    tokens = automaton().tokens(text, start)
    words = None if tokens is None else [(token.type, _word(token)) for token in tokens]
    return words, [comment for line in text.split("\n") if (comment := _comment(line))]


def _comment(line: str) -> str:
    found = _COMMENT.match(line)
    return (found[1] or "").rstrip() if found else ""


# ---------------------------------------------------------------- reading


def _lines(text: str, start: str) -> list[LaidOutLine] | None:
    """The lines of a text with their words, or None where it does not follow the grammar."""
    tokens = automaton().tokens(text, start)
    if tokens is None:
        return None
    lines = []
    for written in text.rstrip("\n").split("\n"):
        margin = written[: len(written) - len(written.lstrip(" \t"))]
        lines.append(LaidOutLine(comment=_comment(written), margin=len(margin.expandtabs(TAB))))
    depth, declaration, kind = 0, 0, ""
    before: Token | None = None
    for token in tokens:
        if token.type in LAYOUT:
            depth += (token.type == INDENT) - (token.type == DEDENT)
            before = None
            continue
        line = lines[token.place[0] - 1]
        if before is None and depth == 0:
            declaration, kind = declaration + 1, token.type
        if not line.tokens:
            line.depth, line.goes_on, line.declaration, line.kind = depth, before is not None, declaration, kind
        if token.type == "MINUS" and (before is None or before.type not in OPERANDS):
            token = Token(NEGATIVE, token.text, token.place)
        line.tokens.append(token)
        before = token
    return lines


# ---------------------------------------------------------------- words


def _word(token: Token) -> str:
    return token.text if token.type == "TEXT" else " ".join(token.text.replace(",", ", ").split())


def _spaced(tokens: list[Token]) -> str:
    """The words of a line, with one space between them or none."""
    spaces = ["", *(" " * _apart(tokens, number) for number in range(1, len(tokens)))]
    return "".join(space + _word(token) for space, token in zip(spaces, tokens, strict=False))


def _apart(tokens: list[Token], number: int) -> bool:
    """Whether a space stands before a word."""
    before, here = tokens[number - 1], tokens[number]
    if here.text[0] in ")],." or before.text in ("(", "[", ".", "..") or before.type == NEGATIVE:
        return False
    if here.text == "[":
        return before.type not in OPERANDS
    if here.text == "(":
        return before.type != "NAME" or (number == 2 and tokens[0].type in ("COMPONENT", "GRID"))
    return True


# ---------------------------------------------------------------- columns


def _members(line: LaidOutLine) -> list[LaidOutLine]:
    """The members of an enum with texts below one another, if they all stand in one line."""
    texts = [token for token in line.tokens if token.type == "TEXT"]
    if line.kind not in ENUMS or not line.opens or len(texts) < MANY_MEMBERS:
        return [line]
    commas = [number for number, token in enumerate(line.tokens, start=1) if token.type == "COMMA"]
    bounds = [0, *commas, len(line.tokens)]
    parts = [line.tokens[begin:end] for begin, end in pairwise(bounds) if begin < end]
    rest = [replace(line, tokens=part, comment="", goes_on=True) for part in parts[1:]]
    return [replace(line, tokens=parts[0]), *rest]


def _align(lines: list[LaidOutLine]) -> None:
    """Columns of fields, of steps, of the items of final scoring, and of texts that stand below one another."""
    groups: dict[tuple[str, int], list[tuple[LaidOutLine, list[str]]]] = {}
    run = 0
    above: LaidOutLine | None = None
    for line in lines:
        cells = _cells(line)
        if cells:
            together = above is not None and above.kind == line.kind
            run = run if together and line.kind in ("ITEM", "OWNER") else line.declaration
            groups.setdefault((line.kind, run), []).append((line, cells))
        above = line
    for group in groups.values():
        for column in range(max(len(cells) for _, cells in group) - 1):
            widths = [len(cells[column]) for _, cells in group if len(cells[column]) <= MOST_ALIGNED[column]]
            for _, cells in group:
                cells[column] = cells[column].ljust(max(widths, default=0))
        for line, cells in group:
            line.shown = " ".join([line.shown[: _opening(line)] + cells[0], *(cell for cell in cells[1:] if cell)])


def _cells(line: LaidOutLine) -> list[str]:
    """The columns of a line; nothing for one that has none."""
    tokens = line.tokens
    if line.kind in COLUMNS and line.depth == 1 and not line.goes_on:
        brackets = [sum((t.text in "([") - (t.text in ")]") for t in tokens[:number]) for number in range(len(tokens))]
        colon = next((n for n, token in enumerate(tokens) if token.type == "COLON" and not brackets[n]), None)
        if colon is None:  # it stands in the next line
            return []
        front, rest = tokens[:colon], _spaced(tokens[colon:])
        if line.kind != "FINAL":
            return [_spaced(front), rest]
        return [_spaced(front[:1]), _spaced(front[1:]), rest]
    if line.kind in ("ITEM", "OWNER") and tokens and tokens[-1].type == "TEXT":
        return [_spaced(tokens[:-1]), _spaced(tokens[-1:])]
    member = tokens[_front(line) :]
    if line.kind in ENUMS and 2 <= len(member) <= 3 and member[1].type == "TEXT":
        return [_spaced(member[:1]), _spaced(member[1:])]
    return []


def _front(line: LaidOutLine) -> int:
    """The number of words of a line before the first member of an enum."""
    return next((number for number, token in enumerate(line.tokens, start=1) if token.type == "EQUAL"), 0)


def _opening(line: LaidOutLine) -> int:
    """How long these are, if the line begins an enum."""
    front = _front(line) if line.kind in ENUMS else 0
    return len(_spaced(line.tokens[:front])) + 1 if front else 0


# ---------------------------------------------------------------- margins


def _indent(lines: list[LaidOutLine]) -> None:
    """How far each line is indented. A comment goes with the line below, or else with its own block above."""
    opening = 0
    for line in lines:
        if not line.tokens:
            continue
        line.indent = line.depth * MARGIN
        if not line.goes_on:
            opening = 0 if line.kind == "VALUE" and line.depth else _opening(line) or MARGIN
        else:
            line.indent += opening
    above: list[LaidOutLine] = []
    for number, line in enumerate(lines):
        if line.tokens:
            above = [*(other for other in above if other.margin < line.margin), line]
        elif line.comment:
            below = next((other for other in lines[number:] if other.tokens), None)
            line.indent = below.indent if below is not None else 0
            if below is None or (line.margin > below.margin and not below.goes_on):
                block = next((other.indent for other in reversed(above) if other.margin <= line.margin), 0)
                line.indent = max(line.indent, block)


def _broken(line: LaidOutLine, width: int) -> list[LaidOutLine]:
    """A line that is too long in two or more, each of which begins with a word that goes on."""
    if line.indent + len(line.shown) <= width or (line.kind in COLUMNS and line.depth):
        return [line]
    fitting = []
    depth = 0
    for number, token in enumerate(line.tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        after_comma = number > 0 and line.tokens[number - 1].type == "COMMA"
        if number and (token.type in BREAKS or after_comma):
            if line.indent + len(_spaced(line.tokens[:number])) <= width:
                fitting.append((-depth, number))
    if not fitting:
        return [line]
    place = max(fitting)[1]
    inner = line.indent if line.goes_on or (line.kind == "VALUE" and line.depth) else line.indent + MARGIN
    inner += _opening(line) - MARGIN if _opening(line) else 0
    rest = replace(line, tokens=line.tokens[place:], comment="", goes_on=True, indent=inner)
    rest.shown = _spaced(rest.tokens)
    first = replace(line, tokens=line.tokens[:place])
    first.shown = _spaced(first.tokens)
    return [first, *_broken(rest, width)]


def _spread(lines: list[LaidOutLine]) -> Iterator[LaidOutLine]:
    """The lines with one empty line at most between them, and one around each declaration that has a block."""
    sizes = Counter(line.declaration for line in lines if line.tokens)
    blocks = {number for number, size in sizes.items() if size > 1}
    waiting: list[LaidOutLine] = []
    above: LaidOutLine | None = None
    for line in lines:
        if not line.tokens:
            waiting.append(line)
            continue
        apart = line.opens and (line.declaration in blocks or (above is not None and above.declaration in blocks))
        apart = apart or (line.opens and above is not None and above.kind == "GAME")
        yield from _between(waiting, above, line, apart)
        yield line
        waiting, above = [], line
    yield from _between(waiting, above, None, False)


def _between(
    waiting: list[LaidOutLine], above: LaidOutLine | None, below: LaidOutLine | None, apart: bool
) -> Iterator[LaidOutLine]:
    """Comments and empty lines between two lines; at least one empty line if these are to stand apart."""
    if below is not None and below.goes_on:
        yield from (line for line in waiting if line.comment)
        return
    gap = apart and not any(line.is_blank for line in waiting)
    for line in waiting:
        if line.is_blank:
            gap = True
            continue
        if gap and above is not None:
            yield LaidOutLine()
        yield line
        gap, above = False, line
    if gap and above is not None and below is not None:
        yield LaidOutLine()


def _with_comment(line: LaidOutLine, width: int) -> str:
    code = " " * line.indent + (line.shown or line.comment) if not line.is_blank else ""
    if not line.tokens or not line.comment:
        return code
    column = next((stop for stop in STOPS if stop >= len(code) + 2), 0)
    if not column or column + len(line.comment) > width:
        column = len(code) + 2
    return code.ljust(column) + line.comment
