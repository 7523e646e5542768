"""Rule text before it is parsed: its lines without texts and comments, its brackets, its size, its declarations.

The parser looks here first, since text that is too large or too deep would keep it busy for long, and again when it has
failed: a bracket that is never closed is best told by its own place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from interpreter.diagnostics import Findings
from interpreter.source import Source, Span, whole_line

MAX_WORDS = 300_000
"""A rule book has some ten thousand words; the parser reads this many in a few seconds."""
MAX_BLOCKS = 15
"""How deeply blocks may nest. Python, to which the engine translates them, allows twenty loops in one another."""
MAX_BRANCHES = 60
"""The same for blocks and every `else if` above one of them: it is an `if` inside the last one."""
MAX_DEPTH = 40
"""How deeply brackets and operators may nest; beyond any real rule, and below Python's own limits."""

DECLARATIONS = (
    "enum", "component", "item", "table", "each", "value", "ranking", "procedure", "latch", "play", "final", "winner",
)  # fmt: skip
PAIRS = {")": "(", "]": "["}

_WORD = re.compile(r'"[^"\n]*"?|#[^\n]*|\w+|[^\w\s]')
_UNSPOKEN = re.compile(r'"[^"\n]*"?|#[^\n]*')
_BRACKET = re.compile(r'"[^"\n]*"?|#[^\n]*|[()\[\]]')
_GOES_ON = re.compile(r"[-+*/]|(and|or|where|into|as)\b")
_FIRST_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Bracket:
    """A bracket without its other half; `partner` is the one of another shape that stands in its way."""

    line: int
    column: int
    sign: str
    partner: str = ""


def code(line: str) -> str:
    """A line with its text and comment blanked: all that is left is where it was."""
    return _UNSPOKEN.sub(lambda found: '"' + " " * (len(found[0]) - 1) if found[0][0] == '"' else "", line)


def indentation(line: str, tab: int = 8) -> int:
    """How far a line is indented, in columns."""
    margin = line[: len(line) - len(line.lstrip(" \t"))]
    return len(margin) + margin.count("\t") * (tab - 1)


def is_code(line: str) -> bool:
    """Whether there is more in a line than a comment."""
    text = line.strip()
    return bool(text) and text[0] != "#"


def first_word(line: str) -> str:
    found = _FIRST_WORD.match(line.lstrip())
    return found[0] if found else ""


def is_declaration(line: str) -> bool:
    """Whether a line begins with the word of a declaration, at the margin."""
    return bool(line) and line[0] not in " \t" and first_word(line) in DECLARATIONS


def is_readable(source: Source, findings: Findings) -> bool:
    """Whether a text is small and flat enough to be parsed; False after a finding."""
    text = source.text
    beyond = next(islice(_WORD.finditer(text), MAX_WORDS, None), None)
    if beyond is not None:
        message = f"the file has more than {MAX_WORDS:,} words; this is the first one too many"
        findings.error("E102", message, _at(source, beyond.start()))
        return False
    number_too_long = next((found for found in _WORD.finditer(text) if len(found[0]) > 19 and found[0].isdigit()), None)
    if number_too_long is not None:
        findings.error("E501", "this number does not fit into 64 bits", _at(source, number_too_long.start()))
        return False
    open_brackets = 0
    blocks = [0]
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not is_code(line):
            continue
        if is_declaration(line):
            open_brackets = 0  # one above that was left open is told elsewhere
        inside = open_brackets > 0
        for found in _BRACKET.finditer(line):
            if found[0] in "([":
                open_brackets += 1
            elif found[0] in ")]":
                open_brackets = max(0, open_brackets - 1)
            if open_brackets > MAX_DEPTH:
                message = f"more than {MAX_DEPTH} brackets stand in one another here"
                findings.error("E102", message, _one(source, number, found.start() + 1), "give parts of it a `value`")
                return False
        if inside or _GOES_ON.match(line.lstrip()):
            continue
        depth = indentation(line)
        while depth < blocks[-1]:
            blocks.pop()
        if depth > blocks[-1]:
            blocks.append(depth)
        if len(blocks) > MAX_BLOCKS + 1:
            message = f"more than {MAX_BLOCKS} blocks stand in one another here"
            findings.error("E102", message, whole_line(source, number), "make the inner ones a `procedure`")
            return False
    return True


def _at(source: Source, position: int) -> Span:
    """The character at a position."""
    line, column = source.text.count("\n", 0, position) + 1, position - source.text.rfind("\n", 0, position)
    return _one(source, line, column)


def _one(source: Source, line: int, column: int) -> Span:
    return Span(source, line, column, line, column + 1)


def unpaired(lines: list[str]) -> Bracket | None:
    """The first bracket without its other half."""
    waiting: list[Bracket] = []
    for number, line in enumerate(lines, start=1):
        for found in _BRACKET.finditer(line):
            sign = found[0]
            if sign in ("(", "["):
                waiting.append(Bracket(number, found.start() + 1, sign))
            elif sign in PAIRS:
                if not waiting:
                    return Bracket(number, found.start() + 1, sign)
                opening = waiting.pop()
                if opening.sign != PAIRS[sign]:
                    return Bracket(number, found.start() + 1, sign, opening.sign)
    return waiting[-1] if waiting else None


def declarations(lines: list[str], begin: int) -> tuple[list[tuple[int, int]], bool]:
    """Where declarations begin and end from a line on, by line from 0, the end exclusive; and whether that is certain.

    A line at the margin begins one, unless the one above goes on in it. A line with the word of a declaration does so
    in any case: a bracket that was left open above must not swallow it."""
    starts: list[int] = []
    certain = True
    open_brackets, comma = 0, False
    for number in range(begin, len(lines)):
        line = lines[number]
        if not is_code(line):
            continue
        goes_on = open_brackets > 0 or comma or _GOES_ON.match(line.lstrip()) is not None
        if not starts or (line[0] not in " \t" and (is_declaration(line) or not goes_on)):
            certain = certain and not goes_on
            starts.append(number)
            open_brackets = 0
        spoken = code(line).rstrip()
        open_brackets += sum(map(spoken.count, "([")) - sum(map(spoken.count, ")]"))
        comma = spoken.endswith(",")
    return list(zip(starts, [*starts[1:], len(lines)][: len(starts)], strict=True)), certain
