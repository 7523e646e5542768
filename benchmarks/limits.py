"""How `solve` keeps to its time limit: what was asked beside what it took, by the clock and in processor time.

Each line is a command of its own, from its start to its end. A limit is kept if the command takes no longer than that,
but for a tenth and a second. On a machine that has other things to do the clock says more than the processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).resolve().parent.parent

HUGE = """\
item won "Won"

each player has
    score : 0..40
    bid[1..40] : 0..99999

ranking bids(f : 1..40) of p in player
    highest p.bid[f]

play
    every player p secretly
        for each f in 1..40
            p chooses p.bid[f] from 0..99999
    for each f in 1..40
        contest bids(f)
            first p alone
                p gains 1 score for won
"""
"""Forty secret choices among a hundred thousand numbers."""

HEADER, WINNER = "language 1\ngame huge\n\n", "\nwinner p\n    highest p.score\n"
DATA = "kind: game\nformat: 1\nname: huge\ntitle: Huge\nplayers: {min: 2, max: 2}\n"

SEALED = ("chocolatl/always_red", "--players", "4", "--seed", "11", "--to-round", "4")
HALF_OPEN = ("chocolatl/always_green", "--players", "4", "--seed", "11", "--to-round", "4")
TILES = ("cacao", "--players", "3", "--seed", "5")
WORKERS = ("quetzal", "--players", "3", "--seed", "6")
FORTY = ("huge", "--players", "2", "--seed", "1")

QUESTIONS: tuple[tuple[tuple[str, ...], float, tuple[str, ...]], ...] = (
    (SEALED, 1, ("--scenarios", "128")),
    (SEALED, 2, ("--scenarios", "128")),
    (SEALED, 10, ("--scenarios", "128")),
    (SEALED, 10, ("--scenarios", "500")),
    (SEALED, 60, ("--scenarios", "1000")),
    (SEALED, 5, ("--scenarios", "64", "--explain")),
    (SEALED, 5, ("--scenarios", "8", "--against", "greedy")),
    (SEALED, 5, ("--scenarios", "500", "--engine", "model")),
    (SEALED, 5, ("--scenarios", "500", "--engine", "enumeration")),
    (HALF_OPEN, 2, ("--scenarios", "8")),
    (HALF_OPEN, 10, ("--scenarios", "64")),
    (TILES, 2, ()),
    (WORKERS, 2, ()),
    (FORTY, 1, ()),
    (FORTY, 5, ()),
    (FORTY, 5, ("--engine", "sampling")),
    (FORTY, 3, ("--against", "greedy", "--explain")),
)


@dataclass(frozen=True)
class Taken:
    """How long a command took, by the clock and in processor time with its children, and what it answered."""

    seconds: float
    processor: float
    found: dict[str, object]


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "cli.py"), *words], cwd=folder, capture_output=True, text=True)


def taken(position: str, limit: float, more: tuple[str, ...], folder: Path) -> Taken:
    before, begin = os.times(), time.perf_counter()
    done = command("solve", position, "--player", "p1", "--time-limit", str(limit), "--json", *more, folder=folder)
    seconds, after = time.perf_counter() - begin, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    assert done.returncode == 0, done.stderr
    return Taken(seconds, processor, json.loads(done.stdout))


def line(position: str, options: str, figures: tuple[str, str, str, str], engine: str, left_out: str) -> str:
    asked, took, processor, kept = figures
    return f"{position:<23}{options:<33}{asked:>6}{took:>8}{processor:>11}  {kept:<6}{engine:<13}{left_out}"


def show(console: Console, folder: Path) -> bool:
    """Whether every limit was kept."""
    (folder / "huge").mkdir()
    (folder / "huge/game.yaml").write_text(DATA, encoding="utf-8")
    (folder / "huge/huge.rules").write_text(f"{HEADER}{HUGE}{WINNER}", encoding="utf-8")
    console.print(line("position", "options", ("asked", "took", "processor", "kept"), "engine", "left out"))
    kept = True
    for dealt, limit, more in QUESTIONS:
        name = f"{dealt[0].replace('/', '_')}.yaml"
        if not (folder / name).exists():
            made = command(
                "deal", *(f"./{dealt[0]}" if dealt == FORTY else dealt[0], *dealt[1:]), "-o", name, folder=folder
            )
            assert made.returncode == 0, made.stderr
        one = taken(name, limit, more, folder)
        fine = one.seconds <= 1.1 * limit + 1
        kept &= fine
        left_out = one.found["left_out"]
        assert isinstance(left_out, list)
        figures = f"{limit:g}", f"{one.seconds:.2f}", f"{one.processor:.2f}", "yes" if fine else "NO"
        engine, told = str(one.found["engine"]), "; ".join(left_out)
        console.print(line(dealt[0], " ".join(more), figures, engine, told), highlight=False)
    return kept


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(0 if show(Console(width=400), Path(scratch)) else 1)
