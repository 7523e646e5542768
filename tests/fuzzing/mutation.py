"""Sound files made unsound: bytes, words, lines, formulas and YAML nodes changed at random (mutation-based fuzzing).

Everything follows from the `random.Random` that is given, so that a seed names a case.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any

from chocolatl.interpreter.syntax.grammar import grammar
from chocolatl.interpreter.syntax.words import START

WORD = re.compile(r'"[^"\n]*"|\d+|\w+|\s+|.', re.DOTALL)
EXTREME = ("0", "1", "-1", "2", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e9", "9" * 400)
STRANGE = (
    "\0", "\t", "\r", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "\u202e", "\ud7ff", "é", "\N{GRINNING FACE}",
    "&a", "*a", "!!python/object:os.system", "<<: *a", "---", "...", "%YAML 1.1", "? ", "{", "}", "[", "]", ": ", "- ",
    "#", '"', "'", "\\", "|", ">", "../..", "/etc/passwd", "yes", "no", "null", "~", "on", ".inf", "0x10", "2020-01-01",
)  # fmt: skip
FORMULAS = frozenset(
    ("expression", "condition", "conjunction", "negation", "comparison", "sum", "product", "unary", "postfix", "atom")
)

Choice = random.Random


def mutated(text: str, others: tuple[str, ...], choice: Choice, rules: bool = False) -> bytes:
    """A text changed in one to three places; `others` are texts of the same kind that parts may come from."""
    if rules and choice.random() < 0.4:
        text = _formulas(text, others, choice)
    else:
        for _ in range(choice.choice((1, 1, 1, 2, 3))):
            text = choice.choice((_words, _words, _lines))(text, others, choice)
    data = text.encode("utf-8", "surrogatepass")
    return _bytes(data, choice) if choice.random() < 0.1 else data


# ---------------------------------------------------------------- texts


def _words(text: str, others: tuple[str, ...], choice: Choice) -> str:
    """A word is left out, doubled, swapped with another or replaced."""
    words = WORD.findall(text)
    if not words:
        return choice.choice(STRANGE)
    at = choice.randrange(len(words))
    numbers = [number for number, word in enumerate(words) if word.isdigit()]
    match choice.randrange(7):
        case 0:
            words[at] = ""
        case 1:
            words[at] *= choice.choice((2, 2, 2, 50))
        case 2:
            other = choice.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        case 3:
            words[at] = choice.choice(WORD.findall(choice.choice(others)) or [""])
        case 4:
            words[at] = choice.choice(words)
        case 5 if numbers:
            words[choice.choice(numbers)] = choice.choice(EXTREME)
        case _:
            words[at] = choice.choice(STRANGE)
    return "".join(words)


def _lines(text: str, others: tuple[str, ...], choice: Choice) -> str:
    """A line or some lines are left out, doubled, moved, indented or taken from elsewhere."""
    lines = text.split("\n")
    begin = choice.randrange(len(lines))
    end = min(len(lines), begin + choice.choice((1, 1, 2, 5)))
    part = lines[begin:end]
    match choice.randrange(6):
        case 0:
            lines[begin:end] = []
        case 1:
            lines[begin:end] = part * 2
        case 2:
            lines[begin:end] = []
            at = choice.randrange(len(lines) + 1)
            lines[at:at] = part
        case 3:
            lines[begin:end] = [choice.choice(("    ", "\t", " ")) + line for line in part]
        case 4:
            lines[begin:end] = [line.lstrip() for line in part]
        case _:
            other = choice.choice(others).split("\n")
            lines[begin:end] = other[(at := choice.randrange(len(other))) : at + choice.choice((1, 2, 5))]
    return "\n".join(lines)


def _formulas(text: str, others: tuple[str, ...], choice: Choice) -> str:
    """A part of the rules gives way to another of the same kind: a formula, a type, a condition."""
    own = _parts(text)
    if not own:
        return _words(text, others, choice)
    begin, end, kind = choice.choice(own)
    source = choice.choice((text, text, choice.choice(others)))
    fitting = [source[b:e] for b, e, other in _parts(source) if other == kind]
    return text[:begin] + choice.choice(fitting or ["1"]) + text[end:]


@lru_cache(maxsize=200)
def _parts(text: str) -> list[tuple[int, int, str]]:
    """The parts of a rule file that stand on one line, with what they are; nothing if it cannot be parsed."""
    front = len(text) - len(re.sub(r"\A(\s*(#[^\n]*)?\n)+", "", text))
    try:
        tree = grammar().parse(text[front:].rstrip() + "\n", start=START)
    except Exception:  # whatever the matter is, other ways to change the text are left
        return []
    formulas = {str(rule.alias or rule.origin.name) for rule in grammar().rules if rule.origin.name in FORMULAS}
    found = []
    for node in tree.iter_subtrees():
        if not node.meta.empty:
            begin, end = node.meta.start_pos + front, node.meta.end_pos + front
            if "\n" not in text[begin:end]:
                found.append((begin, end, "formula" if str(node.data) in formulas else str(node.data)))
    return found


def _bytes(data: bytes, choice: Choice) -> bytes:
    """Some bytes are changed, left out or put in; or the file is cut off, or is in another encoding."""
    at = choice.randrange(len(data) + 1)
    match choice.randrange(6):
        case 0:
            return data[:at] + bytes([choice.randrange(256)]) + data[at + 1 :]
        case 1:
            return data[:at] + choice.randbytes(choice.randrange(1, 9)) + data[at:]
        case 2:
            return data[:at]
        case 3:
            return data[:at] + data[at + choice.randrange(1, 20) :]
        case 4:
            return data.decode("utf-8", "replace").encode(
                choice.choice(("utf-16", "utf-32", "utf-8-sig", "cp500")), "replace"
            )
        case _:
            return data[:at] + data[choice.randrange(len(data) + 1) :]


# ---------------------------------------------------------------- data

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 99, 2**31, 2**63 - 1, -(2**63), 2**63, 10**30, 1.5, "", "p1", "p2", "nobody",
    "1..9", "1..9223372036854775807", "9..1", "score", "player", "yes/no", "set of player", "a/b", "../..", "\u2028",
    "x" * 3000, "é", "(" * 60, "1 + " * 60 + "1", [], {}, [[]], [None], {"": None}, {"value": 1}, {"min": 5, "max": 2},
    ["p1", "p1"], [1, 1, 1], {"0": 0, "1": 1}, {"a": {"a": {"a": {}}}},
)  # fmt: skip
"""What stands where something else should."""

Path = tuple[str | int, ...]


def changed_data(value: Any, choice: Choice) -> bytes:
    """Plain data with one to three of its nodes changed, as JSON, which is YAML too."""
    value = json.loads(json.dumps(value))
    for _ in range(choice.choice((1, 1, 1, 2, 3))):
        value = _changed(value, choice)
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _changed(value: Any, choice: Choice) -> Any:
    places = list(_places(value, ()))
    path = choice.choice(places)
    if not path:
        return _value(choice) if choice.random() < 0.05 else value
    parent = _at(value, path[:-1])
    key: Any = path[-1]
    match choice.randrange(7):
        case 0:
            del parent[key]
        case 1 | 2:
            parent[key] = _value(choice)
        case 3:
            parent[key] = json.loads(json.dumps(_at(value, choice.choice(places))))
        case 4 if type(parent[key]) is int:
            parent[key] += choice.choice((-1, 1, 10, 2**40))
        case 5 if isinstance(parent, list):
            parent.insert(choice.randrange(len(parent) + 1), json.loads(json.dumps(parent[key])))
        case 5 | 6 if isinstance(parent, dict):
            other = choice.choice([*map(str, parent), key + "x", "", "p9", str(choice.choice(VALUES))])
            parent[other] = parent.pop(key)
        case _:
            words = _words(str(parent[key]), (json.dumps(value),), choice)
            parent[key] = words
    return value


def _value(choice: Choice) -> Any:
    """One of the values; it may be changed itself later."""
    return deepcopy(choice.choice(VALUES))


def _places(value: Any, path: Path) -> Iterator[Path]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*path, key))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
