"""What to say about text that does not follow the grammar.

Labelled examples of the common mistakes are run through the parser; an error in the same state gets their label.
"""

from __future__ import annotations

import re

from lark import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

WORDS = {
    "_NEWLINE": "the end of the line",
    "_INDENT": "an indented line",
    "_DEDENT": "the end of the block",
    "$END": "the end of the file",
    "NAME": "a name",
    "INT": "a number",
    "TEXT": 'a "text"',
    "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "COMMA": "`,`", "COLON": "`:`", "EQUAL": "`=`",
    "__ANON_0": "`..`", "DOT": "`.`", "PLUS": "`+`", "MINUS": "`-`", "STAR": "`*`", "SLASH": "`/`",
    "COMPARISON": "a comparison", "YES_NO": "`yes/no`", "CHOOSES": "`chooses`", "GAINS": "`gains`",
    "PLACE": "`first`", "EXTREME": "`highest`", "SECRET": "`secret`", "STRICT": "`, strict`", "UP_TO": "`up to`",
    "MOST": "`most`",
}  # fmt: skip

MISTAKES: tuple[tuple[str, str, str], ...] = (
    (r"==|(?<![<>!])=(?=.*$)", "EQUAL", "to compare, write `is`; to change, write `becomes`"),
    (r"!=|<>|/=", "", "to say that two things differ, write `is not`"),
    (r"\+=|-=", "", "write `p gains 1 coins`, or `x becomes x + 1`"),
    (r"&&|\|\|", "", "write `and` or `or`"),
    (r":\s*$", "COLON", "blocks need no colon: the next lines are indented"),
    (r"%", "", "for the rest of a division write `mod`"),
    (r"^\s*(def|function|sub)\b", "", "a named piece of play is a `procedure`, a formula is a `value`"),
    (r"^\s*(while|loop)\b", "", "write `repeat until ..., at most N times`"),
    (r"^\s*elif\b|^\s*elseif\b", "", "write `else if`"),
    (r"\b(True|False|true|false)\b", "", "write `yes` or `no`"),
    (r"\b(None|null|nil)\b", "", "write `none`, or `nobody` for a player"),
    (r";", "", "one statement a line"),
    (r"[“”„‘’]", "", 'texts stand between straight quotation marks: "like this"'),
    (r"'", "", 'texts stand between double quotation marks: "like this"'),
)
"""A pattern of the line, the token that went wrong (or any), and the advice."""


def describe(error: Exception, line: str) -> tuple[str, str]:
    """A message and a hint for a syntax error on a line."""
    if isinstance(error, DedentError):
        return "the indentation fits no block above", "give the lines of one block the same indentation"
    if isinstance(error, UnexpectedCharacters):
        character = getattr(error, "char", "")
        if character == '"':
            return "this text has no closing quotation mark", 'close it with " on the same line'
        return f"the character `{character}` does not belong here", _advice(line, "")
    if isinstance(error, UnexpectedToken):
        found = error.token
        expected = {WORDS.get(name, f"`{name.lower()}`") for name in error.expected}
        hint = _advice(line, found.type)
        if not hint:
            hint = _expectation(sorted(expected))
        return f"{_found(found.type, str(found))} does not fit here", hint
    return "this does not follow the grammar", ""


def _found(kind: str, text: str) -> str:
    if kind in ("_NEWLINE", "_INDENT", "_DEDENT", "$END"):
        return WORDS[kind]
    return f"`{text}`"


def _advice(line: str, token: str) -> str:
    code = re.sub(r'"[^"]*"', '""', line.split("#")[0])
    for pattern, kind, advice in MISTAKES:
        if (not kind or kind == token) and re.search(pattern, code):
            return advice
    return ""


def _expectation(expected: list[str]) -> str:
    if not expected:
        return ""
    if len(expected) > 8:
        return ""
    return "expected " + " or ".join(expected)
