"""Texts shaped by the grammar (grammar-based fuzzing): a Hypothesis strategy derived from `grammar.lark`.

What it makes can nearly always be parsed, so that names, types and ranges are tried and not only the parser. Names are
drawn from those of a real rule file: some of them mean something, seldom what they should.
"""

from __future__ import annotations

import re
from functools import cache

from hypothesis import strategies as st
from lark.grammar import Symbol

from chocolatl.interpreter.syntax.grammar import grammar

NUMBERS = ("0", "1", "2", "3", "7", "99999", "9223372036854775807", "9223372036854775808", "007", "1" * 30)
TEXTS = ('""', '"a"', '"{p}"', '"{p.score} of {1 +}"', '"{{"', '"é\N{GRINNING FACE}"')
WORDS = 30
"""When so many words are there, whatever is still open is ended in the shortest way."""
PLAIN = 3
"""How many times likelier the shortest way is than any other: without it, a formula hardly ends."""


@st.composite
def derived(draw: st.DrawFn, start: str, names: tuple[str, ...]) -> str:
    """A text for a symbol of the grammar."""
    words: list[str] = []
    waiting: list[tuple[str, bool]] = [(start, False)]
    while waiting:
        name, is_word = waiting.pop()
        if not is_word:
            ways = productions()[name]
            longest = 0 if len(words) > WORDS else len(ways) - 1
            way = draw(st.integers(1 - PLAIN, longest)) if longest else 0
            waiting += [(symbol.name, symbol.is_term) for symbol in reversed(ways[max(way, 0)])]
        elif name in ("_NEWLINE", "_INDENT", "_DEDENT"):
            words.append(name)
        else:
            spelt = {"NAME": names, "INT": NUMBERS, "TEXT": TEXTS}.get(name) or spellings()[name]
            words.append(draw(st.sampled_from(spelt)) if len(spelt) > 1 else spelt[0])
    return laid_out(words)


def laid_out(words: list[str]) -> str:
    """Words as lines, indented as their blocks are."""
    lines, line, level = [], "", 0
    for word in words:
        if word == "_NEWLINE":
            lines.append(line)
            line = ""
        elif word in ("_INDENT", "_DEDENT"):
            level += 1 if word == "_INDENT" else -1
        else:
            line = f"{line} {word}" if line else "    " * level + word
    return "\n".join([*lines, line])


@cache
def productions() -> dict[str, list[list[Symbol]]]:
    """The ways to write each symbol that is no word, the shortest one first."""
    found: dict[str, list[list[Symbol]]] = {}
    for rule in grammar().rules:
        found.setdefault(str(rule.origin.name), []).append(list(rule.expansion))
    length = dict.fromkeys(found, 10**6)
    for _ in found:  # a symbol is as long as its shortest way; what follows from what shows after so many rounds
        for name, ways in found.items():
            length[name] = min(sum(length.get(part.name, 1) for part in way) for way in ways)
    return {
        name: sorted(ways, key=lambda w: sum(length.get(part.name, 1) for part in w)) for name, ways in found.items()
    }


@cache
def spellings() -> dict[str, tuple[str, ...]]:
    """The ways to spell each word and sign: `(first|second) of` are two."""
    found: dict[str, tuple[str, ...]] = {"COMPARISON": ("<", "<=", ">", ">=")}
    for terminal in grammar().terminals:
        pattern = terminal.pattern.value
        if terminal.pattern.type == "re":
            pattern = re.sub(r"\[ \t\][+*]|\[ \\t\][+*]", " ", pattern.replace(r"\b", ""))
        group = re.fullmatch(r"\(([a-z |]*)\)(.*)", pattern)
        spelt = [f"{word}{group[2]}" for word in group[1].split("|")] if group is not None else [pattern]
        found.setdefault(terminal.name, tuple(spelt))
    return found
