"""What a person types, as values: one by its name, a cell as `1,0`, a pair as `1,0 left`, several one after the other.

Commas and spaces are the same to it, since it is known of each type how many words it takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import NUMBER, TRUTH, Scalar
from chocolatl.interpreter.terminal.output.words import spaced, titled

NOTHING = ("none", "nobody", "nothing", "-")
TRUTHS = {"yes": 1, "y": 1, "true": 1, "no": 0, "n": 0, "false": 0}
LONGEST = 5
"""So many words a name has at most, where other values follow."""


def words_of(line: str) -> list[str]:
    return re.findall(r"[^\s,]+", line)


def first(game: Game, type_: Scalar, words: Sequence[str]) -> tuple[int | None, int]:
    """The value that words begin with, None if there is none, and how many of them are about it."""
    if type_.optional and words[0].lower() in NOTHING:
        return type_.none, 1
    domain = game.ir.domains.get(type_.family)
    if domain is not None and domain.parts:
        values: list[int] = []
        used = 0
        for _, part in domain.parts:
            if used == len(words):
                return None, used
            value, more = first(game, part, [word.strip("()[]") for word in words[used:]])
            used += more
            if value is not None and part.low <= value <= part.high:
                values.append(value)
        return (domain.join(values) if len(values) == len(domain.parts) else None), used
    for count in range(min(LONGEST, len(words)), 1, -1):
        value = element(game, type_, " ".join(words[:count]), exactly=True)
        if value is not None:
            return value, count
    return element(game, type_, words[0]), 1


def only(game: Game, type_: Scalar, line: str) -> int | None:
    """The value that a whole line means."""
    domain = game.ir.domains.get(type_.family)
    if domain is None or not domain.parts:
        return element(game, type_, line)
    found = every(game, type_, words_of(line))
    return found[0] if found is not None and len(found) == 1 else None


def every(game: Game, type_: Scalar, words: Sequence[str]) -> list[int] | None:
    """The values that words mean, one after the other."""
    found: list[int] = []
    while words:
        value, used = first(game, type_, words)
        if value is None:
            return None
        found.append(value)
        words = words[used:]
    return found


def element(game: Game, type_: Scalar, word: str, exactly: bool = False) -> int | None:
    """One value by its name, its title or an unmistakable beginning of one."""
    wanted = word.lower()
    if type_.family == NUMBER:
        return int(wanted) if wanted.lstrip("-").isdecimal() and len(wanted) < 20 else None
    if type_.family == TRUTH and wanted in TRUTHS:
        return TRUTHS[wanted]
    if type_.optional and wanted in NOTHING:
        return type_.none
    names: dict[str, int] = {}
    for value in range(type_.low, type_.high + 1):
        for name in (titled(game, type_, value), game.show(type_, value), spaced(game.show(type_, value))):
            names.setdefault(name.lower(), value)
    if exactly:
        return names.get(wanted)
    begun = {value for name, value in names.items() if name.startswith(wanted) and not wanted.isdecimal()}
    return names.get(wanted, begun.pop() if len(begun) == 1 else None)
