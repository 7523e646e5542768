"""Small games at random in which numbers are chosen: coins for fields, that are compared and paid in many ways."""

from __future__ import annotations

import random

HEAD = """\
item won "Won"

table has
    leader : player

each player has
    score              : 0..999 = 100
    left               : 0..{coins} = {coins}
    troops[1..{fields}] : 0..{coins} = 0

value obliged(p : player, f : 1..{fields}) = {obliged}

ranking armies(f : 1..{fields}) of p in player{strict}
    highest p.troops[f]{tie}

play
    every player p secretly
        for each f in 1..{fields}
            {question}
            p loses p.troops[f] left
{inside}
    for each f in 1..{fields}
        contest armies(f)
            {award}
    for each p in player
        {bonus}
"""

OBLIGED = ("0", "p.left if f is {fields} else 0", "1 if f is 1 else 0")
LIMITS = (
    "p.left",
    "min(p.left, {cap})",
    "(p.left if f is 1 else min(p.left, {cap}))",
    "({cap} if p.left > {cap} else p.left)",
)
QUESTIONS = (
    "p chooses p.troops[f] from min(obliged(p, f), {limit})..{limit}",
    "p chooses n from min(obliged(p, f), {limit})..{limit} where n is not 1 or p.left is 1\n"
    "            p.troops[f] becomes n",
    "p chooses n from 0..{limit} where n mod 2 is 0\n            p.troops[f] becomes n",
    "p chooses n from min(obliged(p, f), {limit})..{limit}, m from 0..n where n + m < 6 as both\n"
    "            p.troops[f] becomes n - m",
)
AWARDS = (
    "first p alone\n                p gains worth[f] score for won",
    "first p\n                p gains worth[f] score for won",
    "first p shared by n\n                p gains n score for won\n            first p alone\n"
    "                p gains worth[f] + 1 score for won",
    "last p\n                p loses worth[f] score for won",
    "first p alone\n                p gains p.troops[f] score for won",
)
BONUSES = (
    "p gains 1 score for won",
    "p gains p.left score for won",
    "p gains (2 if p.troops[1] is 2 else 0) score for won",
    "p gains worth[p.troops[1] + 1] + p.left score for won",
    "if p.troops[1] > p.troops[2]\n            p gains 3 score for won",
    "p gains (sum of p.troops[f] / 2 for f in 1..{fields}) score for won",
    "p gains min(p.troops[1], p.troops[2]) score for won",
    "p gains p.troops[1] * p.troops[2] score for won",
)
INSIDE = (
    "",
    "        if p.left > 0\n            p chooses gift from 0..p.left\n            p loses gift left",
    "        if p.troops[1] > 2\n            p chooses gift from 2..p.troops[1]\n            p.left becomes gift",
)
STRICT = (
    (", strict", "\n    then highest p.left\n    then p is leader"),
    ("", ""),
    ("", "\n    then highest p.left"),
)


def rules(seed: int) -> tuple[str, str]:
    """The rules of a game, and its tables."""
    luck = random.Random(seed)
    size: dict[str, int | str] = {
        "fields": luck.choice((2, 3)),
        "coins": luck.choice((3, 4)),
        "cap": luck.choice((2, 3)),
    }
    size["limit"] = luck.choice(LIMITS).format(**size)
    plain = luck.random() < 0.4  # then every field is worth something by itself
    strict, tie = ("", "") if plain else luck.choice(STRICT)
    kinds = {"obliged": OBLIGED, "question": QUESTIONS, "award": AWARDS, "bonus": BONUSES, "inside": INSIDE}
    if plain:
        kinds |= {"bonus": BONUSES[:3], "inside": INSIDE[:1]}
    drawn = {name: luck.choice(texts).format(**size) for name, texts in kinds.items()}
    worth = [luck.randint(0, 5) for _ in range(9)]
    table = f"tables:\n  worth: {{value: {worth}, about: By field.}}\n"
    return HEAD.format(**size, **drawn, strict=strict, tie=tie), table
