"""Formulas that are written twice and reckoned once (metamorphic testing with a reference evaluator).

Once all in it are fields of wide ranges, so that the translation can settle nothing. Once some are constants and the
others fields of narrow ranges, so that it settles what it can. Whatever is made for all back ends at once, by constants
or by ranges, shows as a difference between the two, or from what Python makes of the formula here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

OPEN, SETTLED = False, True
COLOURS = ("red", "tan", "sky")
PAY = (3, -5, 7)
GAP = (1, None, 3)

RULES = """language 1
game formulas

enum colour = red, tan, sky
enum way = on, off

grid cell (x : 1..3, y : 1..3) by way
    on  : (x + 1, y)
    off : (x - 1, y)

table has
{fields}
    done : yes/no

each player has
    score : 0..9

value twice(n : -9..20) = n + n
value always(n : -9..20) = 4
value lesser(n : -9..20, m : -9..20) = n if n < m else m
{values}

play
    done becomes yes

winner p
    highest p.score
"""
DATA = """kind: game
format: 1
name: formulas
title: Formulas
players: {min: 2, max: 2}
tables:
  pay: {value: [3, -5, 7]}
  gap: {value: [1, null, 3]}
"""


class Stopped(Exception):
    """The game stops; the message has these words."""


Locals = dict[str, int]
Write = Callable[[bool], str]
Reckon = Callable[[Locals], int]


@dataclass(frozen=True)
class Formula:
    write: Write
    reckon: Reckon

    def result(self) -> int | str:
        try:
            return int(self.reckon({}))
        except Stopped as stopped:
            return str(stopped)


@dataclass
class Fields:
    """What stands in for constants: the lines that declare it, openly and as narrow as may be."""

    random: Random
    constants: float
    """How many of them become constants where they may."""
    lines: dict[bool, list[str]] = field(default_factory=lambda: {OPEN: [], SETTLED: []})

    def number(self, value: int, lowest: int, highest: int) -> Write:
        low = self.random.randint(max(value - 2, lowest), value)
        high = self.random.randint(value, min(value + 2, highest))
        return self.leaf(str(value), f"{low}..{high} = {value}", f"{lowest}..{highest} = {value}")

    def truth(self, value: bool) -> Write:
        word = "yes" if value else "no"
        return self.leaf(word, f"yes/no = {word}", f"yes/no = {word}")

    def colour(self, value: int) -> Write:
        return self.leaf(COLOURS[value], f"colour = {COLOURS[value]}", f"colour = {COLOURS[value]}")

    def leaf(self, constant: str, narrow: str, wide: str) -> Write:
        """Its own name, or, where it is settled, perhaps what it holds."""
        name = f"a{len(self.lines[OPEN]):02}"
        self.lines[OPEN].append(f"    {name} : {wide}")
        self.lines[SETTLED].append(f"    {name} : {narrow}")
        plain = self.random.random() < self.constants
        return lambda settled: f"({constant})" if settled and plain else f"({name})"


def checked(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise Stopped("outside of")
    return value


def divided(how: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def apply(left: int, right: int) -> int:
        if right == 0:
            raise Stopped("divides by zero")
        return how(left, right)

    return apply


SIGNS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": divided(lambda a, b: a // b), "mod": divided(lambda a, b: a - b * (a // b)),
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "is": lambda a, b: a == b, "is not": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
