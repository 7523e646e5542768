"""From a failure of the parser to a message for people: what was found, what was expected, what to type.

One text has one problem: the first place where it stops making sense. Lines and columns count from 1.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from lark import Token, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import LarkError
from lark.indenter import DedentError

from chocolatl.interpreter.syntax import layout
from chocolatl.interpreter.syntax.grammar import UnevenDedent, grammar, spellings, vocabulary
from chocolatl.interpreter.syntax.mistakes import (
    FIRST_WORDS,
    SURE_WORDS,
    labelled_advice,
    sign_advice,
    sign_replacement,
)
from chocolatl.interpreter.syntax.words import DECLARATION, HEADER, START

FAILURES = (LarkError, DedentError)
"""What the parser raises for a text that does not follow the grammar."""

LAYOUT = ("_NEWLINE", "_INDENT", "_DEDENT", "$END")
KINDS = {
    "_NEWLINE": "the end of the line", "_DEDENT": "the end of the block", "$END": "the end of the text",
    "NAME": "a name", "INT": "a number", "TEXT": 'a "text"', "COMPARISON": "a comparison", "CHOOSES": "`chooses`",
    "GAINS": "`gains`", "EXTREME": "`highest`", "STRICT": "`, strict`", "SECRET": "`secret`", "PLACE": "`first`",
    "UP_TO": "`up to`", "MOST": "`most`",
}  # fmt: skip
OPERATORS = frozenset(
    ["PLUS", "MINUS", "STAR", "SLASH", "MOD", "DOT", "LSQB", "LPAR", "AND", "OR", "IS", "IN", "IF", "COMPARISON"]
)
VALUES = frozenset(["NAME", "INT", "LPAR", "LSQB", "MINUS", "NOT", "SOME", "EVERY", "YES", "NO", "NONE", "NOBODY"])


@dataclass(frozen=True)
class TextPlace:
    line: int
    column: int
    width: int = 1


@dataclass(frozen=True)
class SyntaxProblem:
    """`other` is a second place, with what it has to do with the first one. `at_end`: the text is only too short."""

    code: str
    place: TextPlace
    message: str
    hint: str = ""
    other: tuple[TextPlace, str] | None = None
    at_end: bool = False
    instead: str | None = None
    """What can stand at the place without a doubt."""


def problem_of(text: str, start: str) -> SyntaxProblem:
    """What is wrong with a text that does not follow the grammar. `start` is the production that it should be."""
    try:
        grammar().parse(text, start=start)
    except FAILURES as error:
        return _Explanation(text.rstrip("\n"), start).of(error)
    raise AssertionError("Lark reads what the automaton refuses")


class _Explanation:
    def __init__(self, text: str, start: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.start = start

    def of(self, error: Exception) -> SyntaxProblem:
        if self.lines[0][:1] in (" ", "\t") and self.start in (START, HEADER, DECLARATION):
            return self.too_far(1)
        if isinstance(error, UnevenDedent):
            return self.uneven(self.below(error.line))
        if isinstance(error, UnexpectedCharacters):
            place = TextPlace(error.line, error.column)
            return self.unpaired(place) or self.character(place)
        if isinstance(error, UnexpectedToken):
            place = self.place(error.token)
            return self.unpaired(place) or self.token(error, place)
        return SyntaxProblem("E101", self.whole(1), "this does not follow the grammar")

    # ------------------------------------------------------------ places

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def whole(self, number: int) -> TextPlace:
        text = self.line(number)
        margin = len(text) - len(text.lstrip())
        return TextPlace(number, margin + 1, max(1, len(layout.code(text).rstrip()) - margin))

    def above(self, number: int) -> int:
        """The last line with code above a line, 0 when there is none."""
        return next((n for n in range(number - 1, 0, -1) if layout.is_code(self.line(n))), 0)

    def below(self, number: int) -> int:
        """The first line with code below a line, or the one after the last."""
        end = len(self.lines) + 1
        return next((n for n in range(number + 1, end) if layout.is_code(self.line(n))), end)

    def place(self, token: Token) -> TextPlace:
        line, column = int(token.line or 1), int(token.column or 1)
        if token.type in ("_INDENT", "_DEDENT"):
            return self.whole(self.below(line))  # it stands at the end of the line above
        if token.type == "$END":
            line, column = int(token.end_line or 1), int(token.end_column or 1)
        return TextPlace(line, column, 1 if token.type in LAYOUT else max(1, len(token)))

    # ------------------------------------------------------------ before the grammar

    def uneven(self, line: int) -> SyntaxProblem:
        margins = [text[: len(text) - len(text.lstrip())] for text in self.lines if layout.is_code(text)]
        hint = "the lines of a block begin in the same column"
        if any("\t" in margin for margin in margins) and any(" " in margin for margin in margins):
            hint = "some lines are indented with tabs, others with spaces; write spaces only"
        return SyntaxProblem("E103", self.whole(line), "no line above begins in this column", hint)

    def character(self, place: TextPlace) -> SyntaxProblem:
        line = self.line(place.line)
        character = line[place.column - 1 : place.column]
        if character == '"':
            rest = TextPlace(place.line, place.column, len(line.rstrip()) - place.column + 1)
            return SyntaxProblem(
                "E104", rest, "this text has no closing quotation mark", 'close it with " on the same line'
            )
        advice, width = sign_advice(line, place.column - 1) or ("", 1)
        sign = line[place.column - 1 : place.column - 1 + width]
        shown = f"`{sign}`" if sign.isprintable() and sign.strip() else f"the character U+{ord(character):04X}"
        instead = sign_replacement(line, place.column - 1, width)
        there = TextPlace(place.line, place.column, width)
        return SyntaxProblem("E107", there, f"{shown} is not part of the language", advice, instead=instead)

    def unpaired(self, place: TextPlace) -> SyntaxProblem | None:
        """A bracket without its other half, if it comes before a place and so explains what is wrong there."""
        bracket = layout.unpaired(self.lines)
        if bracket is None or (bracket.line, bracket.column) > (place.line, place.column):
            return None
        here = TextPlace(bracket.line, bracket.column)
        if bracket.partner:
            closing = next(sign for sign, opening in layout.PAIRS.items() if opening == bracket.partner)
            return SyntaxProblem(
                "E105", here, f"`{bracket.sign}` cannot close `{bracket.partner}`", f"write `{closing}`"
            )
        if bracket.sign in layout.PAIRS:
            return SyntaxProblem("E105", here, f"there is no `{layout.PAIRS[bracket.sign]}` for this `{bracket.sign}`")
        closing = next(sign for sign, opening in layout.PAIRS.items() if opening == bracket.sign)
        return SyntaxProblem("E105", here, f"this `{bracket.sign}` is never closed", f"close it with `{closing}`")

    # ------------------------------------------------------------ a token that does not fit

    def token(self, error: UnexpectedToken, place: TextPlace) -> SyntaxProblem:
        accepted: set[str] = set(error.accepts or error.expected)
        if accepted == {"_INDENT"}:
            return self.missing_block(error.token)
        if error.token.type == "_INDENT":
            return self.too_far(place.line)
        return (
            self.foreign_word(place)
            or self.misspelt(place)
            or self.foreign_sign(error.token, place)
            or self.lone_mark(error.token, place)
            or self.lone_else(place, accepted)
            or SyntaxProblem(
                "E101", place, _found(error.token),
                labelled_advice(error, self.text) or _expectation(accepted),
                at_end=error.token.type == "$END",
            )
        )  # fmt: skip

    def missing_block(self, token: Token) -> SyntaxProblem:
        """A line opens a block, and the next one is not indented."""
        below = len(self.lines) + 1 if token.type == "$END" else self.place(token).line
        opening = self.above(below)
        word = layout.first_word(self.line(below))
        if token.type == "$END" or word in (*layout.DECLARATIONS, "else", "then"):
            hint = "what belongs to it stands in the next lines, indented; `nothing` if there is nothing to do"
            return SyntaxProblem(
                "E103", self.whole(opening), "nothing follows this line", hint, at_end=token.type == "$END"
            )
        other = (self.whole(opening), "this line opens a block")
        return SyntaxProblem(
            "E103", self.whole(below), "this line is not indented", "indent it by four more spaces", other
        )

    def too_far(self, line: int) -> SyntaxProblem:
        above = self.above(line)
        other = (self.whole(above), "this line opens no block") if above else None
        hint = "let it begin in the same column as the line above" if above else "let it begin at the margin"
        return SyntaxProblem("E103", self.whole(line), "this line is indented too far", hint, other)

    def misspelt(self, place: TextPlace) -> SyntaxProblem | None:
        """A word of the language that is spelled wrong: with the right spelling, the line makes sense."""
        line = self.line(place.line)
        words = list(re.finditer(r"[A-Za-z]\w+", layout.code(line)))
        for found in reversed([word for word in words if word.start() < place.column][-6:]):
            if found[0] in vocabulary():
                continue
            for right in difflib.get_close_matches(found[0].lower(), sorted(vocabulary()), n=3, cutoff=0.5):
                repaired = line[: found.start()] + right + line[found.end() :]
                if self.makes_sense(place.line, repaired):
                    there = TextPlace(place.line, found.start() + 1, len(found[0]))
                    return SyntaxProblem("E108", there, f"`{found[0]}` does not fit here", f"did you mean `{right}`?")
        return None

    def makes_sense(self, number: int, line: str) -> bool:
        """Whether the parser gets beyond a line once it reads so."""
        end = "\n" if self.start in (START, HEADER, DECLARATION) else ""
        text = "\n".join([*self.lines[: number - 1], line, *self.lines[number:]]) + end
        try:
            grammar().parse(text, start=self.start)
        except UnexpectedToken as error:
            # The block that a line opens counts as a part of it.
            return self.place(error.token).line > number and set(error.accepts or ()) != {"_INDENT"}
        except FAILURES:
            return False
        return True

    def foreign_sign(self, token: Token, place: TextPlace) -> SyntaxProblem | None:
        if token.type in LAYOUT:
            return None
        line = layout.code(self.line(place.line))
        found = sign_advice(line, place.column - 1)
        if found is not None:
            advice, width = found
            sign = line[place.column - 1 : place.column - 1 + width]
            what = "is not part of the language" if width > 1 else "does not fit here"
            instead = sign_replacement(line, place.column - 1, width)
            return SyntaxProblem(
                "E107", TextPlace(place.line, place.column, width), f"`{sign}` {what}", advice, instead=instead
            )
        earlier = sign_advice(line, place.column - 2) if place.column > 1 else None
        if earlier is not None and earlier[1] > 1:  # its first half fitted
            return SyntaxProblem("E107", place, _found(token), earlier[0])
        return None

    def foreign_word(self, place: TextPlace) -> SyntaxProblem | None:
        line = self.line(place.line)
        word = layout.first_word(line)
        margin = len(line) - len(line.lstrip())
        if word not in FIRST_WORDS or line[margin + len(word) : max(place.column - 1, 0)].strip():
            return None
        there = TextPlace(place.line, margin + 1, len(word))
        return SyntaxProblem(
            "E107", there, f"`{word}` is not part of the language", FIRST_WORDS[word], instead=SURE_WORDS.get(word)
        )

    def lone_mark(self, token: Token, place: TextPlace) -> SyntaxProblem | None:
        """A text without its first quotation mark is read as words, until the second one comes."""
        if self.line(place.line)[place.column - 1 :].count('"') % 2 == 0 or token.type in LAYOUT:
            return None
        return SyntaxProblem("E104", place, _found(token), 'a text stands between two quotation marks, "like this"')

    def lone_else(self, place: TextPlace, accepted: set[str]) -> SyntaxProblem | None:
        line = self.line(place.line)
        if layout.first_word(line) != "else" or accepted == {"IF", "_NEWLINE"}:
            return None
        there = TextPlace(place.line, len(line) - len(line.lstrip()) + 1, len("else"))
        hint = "it follows the block of its `if` and begins in the same column"
        return SyntaxProblem("E103", there, "this `else` belongs to no `if`", hint)


def _found(token: Token) -> str:
    if token.type == "_NEWLINE":
        return "the line ends too early"
    if token.type in LAYOUT:
        return "this ends too early"
    if token.type == "TEXT":
        return "this text does not fit here"
    return f"`{token}` does not fit here"


def _expectation(accepted: set[str]) -> str:
    """What could stand here instead, if it is not too much to list."""
    if "ENUM" in accepted:
        return "a declaration is expected, such as `value`, `procedure` or `play`"
    if "LET" in accepted:
        return "a statement is expected"
    words: list[str] = []
    rest = set(accepted)
    if {"NAME", "INT", "LPAR"} <= accepted:
        words.append("a value")
        rest -= VALUES | {name for name in accepted if name.endswith("_OF") or name == "EXTREME"}
    rest = (rest - OPERATORS) or rest
    words += sorted(KINDS[name] if name in KINDS else f"`{' '.join(spellings().get(name, (name,)))}`" for name in rest)
    return f"expected {' or '.join(words)}" if 0 < len(words) < 6 else ""
