"""Rule files that are huge, deep, broken or in another format: one clear finding, soon, and never a traceback.

What is accepted near a limit can also be played: the engine translates rules to Python, which has limits of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.source import UnreadableFile
from chocolatl.interpreter.syntax.layout import MAX_BLOCKS, MAX_BRANCHES, MAX_DEPTH, MAX_SETS
from chocolatl.interpreter.translate import dependencies as order
from tests.checking.test_diagnostics import GAME, found_in, write
from tests.games import walk
from tests.work import soon

HEADER = f"language 1\ngame {GAME}\n\n"
REST = """
enum site = harbour, market

table has
    number : 0..99999 = 1
    truth  : yes/no
    maybe  : 0..9 or none
    grid[0..1] : 0..1

each player has
    score : 0..9
    coins : 0..9

ranking richest of p in player
    highest p.coins

winner p
    highest p.score
"""
PLAY = "\nplay\n    nothing\n"


# ---------------------------------------------------------------- bad input

BAD: dict[str, tuple[str, str, int]] = {
    "nothing": ("", "E109", 1),
    "blanks": ("  \n\t\n\n", "E109", 1),
    "comments": ("# a\n# b\n", "E109", 1),
    "half a header": ("language 1", "E101", 1),
    "an indented header": (f"    language 1\n    game {GAME}\n", "E103", 1),
    "another format": ("kind: game\nformat: 1\n", "E101", 1),
    "a program": ("import sys\n\n\ndef main():\n    return 3\n", "E107", 1),
    "noise": ("".join(chr(33 + number * 7919 % 90) for number in range(20_000)), "E102", 1),
    "a form feed": (HEADER + "value x =\f 1" + REST, "E107", 4),
    "a picture": (HEADER + "value \N{GRINNING FACE} = 1\n", "E107", 4),
    "a text without end": (HEADER + 'item x "abc\n' + REST, "E104", 4),
    "a number without end": (HEADER + "value x = " + "9" * 4_000, "E501", 4),
    "opening brackets": (HEADER + "value x = " + "(" * 100_000, "E102", 4),
    "brackets in one another": (HEADER + "value x = " + "(" * 2_000 + "1" + ")" * 2_000, "E102", 4),
    "brackets in lines": (HEADER + "value x = " + "(\n" * 50_000 + "1" + ")\n" * 50_000, "E102", 44),
    "closing brackets": (HEADER + "value x = " + ")" * 4_000, "E105", 4),
    "indices in one another": (HEADER + "value x = " + "x[" * 1_000 + "1" + "]" * 1_000, "E102", 4),
    "a sum in a line": (HEADER + "value x = 1" + " + 1" * 100_000, "E102", 4),
    "a sum in a shorter line": (HEADER + "value x = 1" + " + 1" * 1_000, "E102", 4),
    "a sum in lines": (HEADER + "value x = 1\n" + "    + 1\n" * 100_000, "E102", 10_003),
    "a chain of not": (HEADER + "value x = " + "not " * 1_000 + "yes", "E102", 4),
    "a chain of dots": (HEADER + "value x = a" + ".b" * 2_000, "E102", 4),
    "blocks in one another": (HEADER + "play\n" + "".join(" " * n + "if x\n" for n in range(1, 4_000)), "E102", 20),
    "a long line": (HEADER + "value x = 1" + "+1" * 4_900_000, "E102", 4),
    "a long name": (HEADER + "value " + "x" * 9_900_000 + " = 1", "E102", 4),
    "a long text": (HEADER + 'item x "' + "x" * 9_900_000 + '"', "E102", 4),
    "a long margin": (HEADER + " " * 9_900_000 + "x", "E102", 4),
    "many lines": (HEADER + "".join(f"value x{n} = 1\n" for n in range(100_000)), "E102", 37_503),
    "many wrong lines": (HEADER + "value x = = 1\n" * 100_000, "E102", 30_003),
}
"""What is in the file, the code of its finding and the line."""


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_finding(case: str, tmp_path: Path) -> None:
    text, code, line = BAD[case]
    write(tmp_path / GAME, text)
    with soon():
        found = found_in(tmp_path / GAME)
    assert [(d.code, d.span.line) for d in found] == [(code, line)]
    assert len(render(found[0])) < 1_000


def test_a_file_with_many_mistakes_has_many_findings(tmp_path: Path) -> None:
    write(tmp_path / GAME, HEADER + "value x = = 1\n" * 100)
    assert [d.span.line for d in found_in(tmp_path / GAME)] == list(range(4, 24))
    names = "".join(f"value v{n}(p : player) = p.coin{n} + w{n}\n" for n in range(2_000))
    write(tmp_path / GAME, HEADER + names + REST + PLAY)
    with soon():
        assert 500 <= len(found_in(tmp_path / GAME)) <= 1_010


def test_binary_input_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / GAME, HEADER + "value x\0 = 1\n")
    with pytest.raises(UnreadableFile, match="binary"):
        found_in(tmp_path / GAME)


GOOD: dict[str, Callable[[str], str]] = {
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "with CR": lambda text: text.replace("\n", "\r"),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "without a last line end": str.rstrip,
    "with tabs": lambda text: text.replace("    ", "\t"),
    "with many blank lines": lambda text: text.replace("\nplay", "\n" * 100_000 + "play"),
    "with many comments": lambda text: text.replace("\nplay", "\n" + "# comment\n" * 100_000 + "play"),
    "with a long comment": lambda text: text + "# " + "x" * 9_000_000,
    "with blanks behind lines": lambda text: text.replace("\n", "  \t\n"),
}


@pytest.mark.parametrize("change", GOOD)
def test_odd_layout_is_fine(change: str, tmp_path: Path) -> None:
    write(tmp_path / GAME, GOOD[change](HEADER + REST + PLAY))
    with soon():
        assert found_in(tmp_path / GAME) == []


# ---------------------------------------------------------------- near the limits


def nested(line: Callable[[int], str], inner: str, levels: int = MAX_BLOCKS - 1) -> str:
    """A `play` with as many blocks in one another as there may be."""
    lines = [f"{'    ' * (level + 1)}{line(level)}" for level in range(levels)]
    return "\n".join(["play", *lines, "    " * (levels + 1) + inner, ""])


def contests(level: int) -> str:
    return f"first p{level}" if level % 2 else "contest richest"


def branches(count: int) -> str:
    chain = "".join(f"    else if number is {n}\n        number becomes {n + 1}\n" for n in range(2, count))
    return "play\n    if number is 0\n        nothing\n" + chain


def formula(text: str) -> str:
    return f"value deep = {text}\n\nplay\n    let result = deep\n"


DEEP = MAX_DEPTH - 2
NEAR: dict[str, str] = {
    "loops": nested(lambda n: f"for each n{n} in 1..1", "number becomes number + 1"),
    "loops that wait": nested(lambda n: f"for each n{n} in 1..1", "roll x from 1..6"),
    "branches": nested(lambda n: "if number is 1", "number becomes 2"),
    "repetitions": nested(lambda n: "repeat until number > 1, at most 3 times", "number becomes 2"),
    "contests": nested(contests, "number becomes 2"),
    "a chain of else": branches(MAX_BRANCHES - 2),
    "brackets": formula("(" * DEEP + "number" + ")" * DEEP),
    "calls": formula("max(1, " * (DEEP // 2) + "number" + ")" * (DEEP // 2)),
    "a sum": formula(" + ".join(["number"] * DEEP)),
    "conditions": formula(" or ".join(["number is 3"] * DEEP)),
    "choices": formula("1 if truth else " * DEEP + "number"),
    "negations": formula("not " * DEEP + "truth"),
    "signs": formula("-" * DEEP + "number"),
    "indices": formula("grid[" * (DEEP // 2) + "1" + "]" * (DEEP // 2)),
    "quantifiers": formula("".join(f"some n{n} in 1..1 has " for n in range(MAX_SETS)) + "truth"),
    "sums of sums": formula("(sum of " * 9 + "1" + "".join(f" for n{n} in 1..1)" for n in reversed(range(9)))),
    "values": "".join(f"value v{n} = v{n + 1} + 1\n" for n in range(order.MAX_CHAIN - 1))
    + f"value v{order.MAX_CHAIN - 1} = number\n\nplay\n    number becomes v0\n",
    "values that double": "".join(f"value v{n} = v{n + 1} and v{n + 1} or truth\n" for n in range(99))
    + "value v99 = truth\n\nplay\n    let result = v95\n",
    "formulas over values that double": "".join(
        f"value v{n}(x : 1..8) = some n{n} in 1..8 has v{n + 1}(n{n}) or v{n + 1}(x)\n" for n in range(99)
    )
    + "value v99(x : 1..8) = x is number\n\nplay\n    let result = v95(1)\n",
    "procedures": "".join(f"procedure p{n}\n    do p{n + 1}\n" for n in range(order.MAX_CALLS - 2))
    + f"procedure p{order.MAX_CALLS - 2}\n    roll x from 1..6\n\nplay\n    do p0\n",
}


@pytest.mark.parametrize("case", NEAR)
def test_what_is_accepted_near_a_limit_can_be_played(case: str, tmp_path: Path) -> None:
    write(tmp_path / GAME, HEADER + NEAR[case] + REST)
    assert found_in(tmp_path / GAME) == []
    game = load(tmp_path / GAME, 2)
    *_, last = walk(game, 1)
    assert game.is_over(last)


BEYOND: dict[str, str] = {
    "loops": nested(lambda n: f"for each n{n} in 1..1", "nothing", MAX_BLOCKS),
    "loops beyond those of Python": nested(lambda n: f"for each n{n} in 1..1", "nothing", 25),
    "a chain of else": branches(MAX_BRANCHES + 2),
    "a long chain of else": branches(3_000),
    "brackets": formula("(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1)),
    "quantifiers": formula("".join(f"some n{n} in 1..1 has " for n in range(MAX_SETS + 1)) + "truth"),
    "a sum": formula(" + ".join(["number"] * (MAX_DEPTH + 3))),
    "values": "".join(f"value v{n} = v{n + 1} + 1\n" for n in range(3_000)) + "value v3000 = 1\n" + PLAY,
    "procedures": "".join(f"procedure p{n}\n    do p{n + 1}\n" for n in range(3_000))
    + "procedure p3000\n    nothing\n"
    + PLAY,
}


@pytest.mark.parametrize("case", BEYOND)
def test_what_goes_beyond_a_limit_is_told(case: str, tmp_path: Path) -> None:
    write(tmp_path / GAME, HEADER + BEYOND[case] + REST)
    with soon():
        assert [diagnostic.code for diagnostic in found_in(tmp_path / GAME)] == ["E102"]


def test_values_that_need_others_twice_too_often_are_told(tmp_path: Path) -> None:
    """The number of steps has thirty digits, and finding that out takes no time."""
    values = "".join(f"value v{n} = max(v{n + 1}, v{n + 1})\n" for n in range(99)) + "value v99 = number\n"
    write(tmp_path / GAME, HEADER + values + REST + "\nplay\n    number becomes v0\n")
    with soon():
        assert [diagnostic.code for diagnostic in found_in(tmp_path / GAME)] == ["E505"]


def test_each_owner_in_a_chain_of_dots_is_translated_once(tmp_path: Path) -> None:
    rest = REST.replace("    coins : 0..9\n", "    coins : 0..9\n    friend : player\n")
    far = "value far(p : player) = p" + ".friend" * (DEEP - 2) + ".coins\n"
    play = "\nplay\n    for each p in player\n        number becomes far(p)\n"
    write(tmp_path / GAME, HEADER + far + rest + play)
    with soon():
        assert found_in(tmp_path / GAME) == []


def test_a_long_circle_is_told(tmp_path: Path) -> None:
    values = "".join(f"value v{n} = v{(n + 1) % 2_000} + 1\n" for n in range(2_000))
    write(tmp_path / GAME, HEADER + values + REST + PLAY)
    assert [d.message for d in found_in(tmp_path / GAME)] == ["`v0` is computed from itself"]
