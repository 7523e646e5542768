"""Rule text before it is parsed (a light scanner): its lines, its brackets, its size, its declarations.

The parser looks here first, since text that is too large or too deep would keep it busy for long, and again when it has
failed: a bracket that is never closed is best told by its own place.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import Source, Span

MAX_WORDS = 150_000
"""A rule book has some ten thousand words; the parser reads this many in a few seconds."""
MAX_OWN_WORDS = 20_000
"""The same for one declaration."""
MAX_LINE = 5_000
"""So many characters has a line with code at most."""
MAX_BLOCKS = 15
"""How deeply blocks may nest. Python, to which the engine translates them, allows twenty loops in one another."""
MAX_BRANCHES = 60
"""The same for blocks and every `else if` above one of them: it is an `if` inside the last one."""
MAX_SETS = 10
"""How many formulas over sets, such as `sum of`, may stand in one another. Python 3.12 and 3.13 crash beyond 20."""
MAX_DEPTH = 40
"""How deeply brackets and operators may nest; beyond any real rule, and below Python's own limits."""

DECLARATIONS = (
    "enum", "cyclic", "grid", "component", "owner", "item", "table", "each", "value", "modifier", "ranking",
    "procedure", "event", "reaction", "window", "latch", "always", "play", "final", "winner",
)  # fmt: skip
PAIRS = {")": "(", "]": "["}

_WORD = re.compile(r'"[^"\n]*"?|#[^\n]*|\w+|[^\w\s]')
_UNSPOKEN = re.compile(r'"[^"\n]*"?|#[^\n]*')
_BRACKET = re.compile(r'"[^"\n]*"?|#[^\n]*|[()\[\]]')
_NAME = re.compile(r"[A-Za-z]\w*")
_GOES_ON = re.compile(r"[-+*/]|(and|or|where|into|as)\b")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
"""Commands to a terminal, which a text could carry to whoever plays; a form feed in a comment does no harm."""
_FIRST_WORD = re.compile(r"[A-Za-z_]\w*")


class Bracket(Struct, frozen=True):
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
    """Whether a text is small and flat enough to be parsed, and only text; False after a finding."""
    strange = _CONTROL.search(source.text)
    if strange is not None:
        number = source.text.count("\n", 0, strange.start()) + 1
        column = strange.start() - source.text.rfind("\n", 0, strange.start())
        place = Span(source, number, column, number, column + 1)
        message = f"the invisible character U+{ord(strange[0]):04X} is not allowed"
        findings.error("E107", message, place, "delete it")
        return False
    measure = _Measure()
    for number, line in enumerate(source.text.split("\n"), start=1):
        excess = measure.excess(line) if is_code(line) else None
        if excess is not None:
            place = Span(source, number, excess.column, number, excess.column + 1)
            findings.error(excess.code, excess.message, place, excess.hint)
            return False
    return True


class _Excess(Struct, frozen=True):
    column: int
    message: str
    hint: str = ""
    code: str = "E102"


class _Measure(Struct):
    """What was read so far: words of the file and of the declaration, brackets and blocks that are open."""

    words: int = 0
    own_words: int = 0
    brackets: int = 0
    blocks: list[int] = field(default_factory=lambda: [0])

    def excess(self, line: str) -> _Excess | None:
        """What is too much in a line that has code."""
        if len(line) > MAX_LINE:
            message = f"this line has {len(line):,} characters, more than the {MAX_LINE:,} that are read"
            return _Excess(MAX_LINE + 1, message, "lines go on after a comma and inside brackets")
        if is_declaration(line):
            self.brackets = self.own_words = 0  # a bracket above that was left open is told elsewhere
        goes_on = self.brackets > 0 or _GOES_ON.match(line.lstrip()) is not None
        return self._words(line) or (None if goes_on else self._blocks(line))

    def _words(self, line: str) -> _Excess | None:
        for found in _WORD.finditer(line):
            word, column = found[0], found.start() + 1
            self.words += 1
            self.own_words += 1
            if self.words > MAX_WORDS:
                return _Excess(column, f"the file has more than {MAX_WORDS:,} words; this is the first one too many")
            if self.own_words > MAX_OWN_WORDS:
                return _Excess(column, f"this declaration has more than {MAX_OWN_WORDS:,} words", "split it up")
            if len(word) > 19 and word.isdigit():
                return _Excess(column, "this number does not fit into 64 bits", code="E501")
            self.brackets = max(0, self.brackets + (word in ("(", "[")) - (word in (")", "]")))
            if self.brackets > MAX_DEPTH:
                message = f"more than {MAX_DEPTH} brackets stand in one another here"
                return _Excess(column, message, "split it up: give parts of it a name with `value`")
        return None

    def _blocks(self, line: str) -> _Excess | None:
        depth = indentation(line)
        while depth < self.blocks[-1]:
            self.blocks.pop()
        if depth > self.blocks[-1]:
            self.blocks.append(depth)
        if len(self.blocks) <= MAX_BLOCKS + 1:
            return None
        message = f"more than {MAX_BLOCKS} blocks stand in one another here"
        return _Excess(len(line) - len(line.lstrip()) + 1, message, "make the inner ones a `procedure`")


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


def words(text: str) -> set[str]:
    """The names in a text, comments aside."""
    return {word for line in text.split("\n") for word in _NAME.findall(code(line))}


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
