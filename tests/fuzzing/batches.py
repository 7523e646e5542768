"""Many programs, in batches: each batch in a process of its own (isolation).

    python -m tests.fuzzing.batches FIRST COUNT

tries the programs of so many seeds in all back ends, and prints what was tried and every seed that shows something.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from tests.conftest import Evidence
from tests.fuzzing.children import Died, in_child, symptom
from tests.fuzzing.comparing import compare
from tests.fuzzing.programs import generate
from tests.fuzzing.tallies import Tally

BATCH = 25
"""So many seeds in a process."""
SECONDS = 10.0
"""So long a program may take on an average of its batch; it takes a third of a second."""
FAST = 4
"""One of so many programs is compiled with care, too."""
SOLVED = 10
"""One of so many is given to the solver."""


Try = Callable[[int, Path, Tally], None]
"""What is done with the program of a seed; what it raises is wrong with it."""


def compared(seed: int, folder: Path, tally: Tally) -> None:
    """In all back ends."""
    compare(generate(seed), seed, folder, seed % FAST == 0, seed % SOLVED == 0, tally)


@dataclass
class Tried:
    """Counts of what was tried, and what is wrong by seed."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, str] = field(default_factory=dict)


def tried(seeds: Sequence[int], work: Try = compared, progress: Callable[[Tried], None] = lambda found: None) -> Tried:
    """All programs of these seeds."""
    found = Tried()
    waiting = list(seeds)
    while waiting:
        batch, waiting = waiting[:BATCH], waiting[BATCH:]
        done = _batch(batch, work, found)
        waiting = [*batch[done:], *waiting]
        progress(found)
    return found


def parts(name: str, count: int) -> list[ParameterSet]:
    """The numbers of the parts of a property, each a test of its own that is written down by itself."""
    return [pytest.param(n, marks=pytest.mark.part(name, n, count), id=f"{n + 1:02}") for n in range(count)]


def tried_part(evidence: Evidence, name: str, number: int, count: int, programs: int, work: Try = compared) -> Tried:
    """All programs of one of so many parts, with a record of what is wrong."""
    found = tried(evidence.part(name, number, count, programs), work)
    evidence.records[-1].failures = len(found.wrong)
    evidence.tell(f"{name}, part {number + 1}: what was tried", dict(found.counts))
    return found


def _batch(batch: list[int], work: Try, found: Tried) -> int:
    """Try the programs of a batch in a child; how many of them are done, the one that it died of included."""

    def in_turn(tell: Callable[[Any], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for seed in batch:
                tell(["begun", seed])
                tell(["done", *one(seed, work, Path(folder))])

    try:
        told, died = in_child(in_turn, SECONDS * len(batch)), ""
    except Died as error:
        died, told = error.args
    done = [entry for entry in told if entry[0] == "done"]
    for _, counts, wrong in done:
        found.counts.update(counts)
        found.wrong.update({int(seed): text for seed, text in wrong.items()})
    if not died:
        return len(batch)
    found.wrong[batch[len(done)]] = died
    return len(done) + 1


def one(seed: int, work: Try, folder: Path) -> tuple[dict[str, int], dict[int, str]]:
    """What was tried of the program of a seed, and what is wrong with it."""
    tally = Tally()
    try:
        work(seed, folder, tally)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return dict(tally.counts), {seed: f"{symptom(error)}: {str(error)[:300]} ({where.name})"}
    return dict(tally.counts), {}


def main(arguments: list[str]) -> None:
    first, count = map(int, arguments)
    shown: set[int] = set()

    def progress(found: Tried) -> None:
        for seed, text in found.wrong.items():
            if seed not in shown:
                print(seed, text, flush=True)
        shown.update(found.wrong)

    found = tried(range(first, first + count), progress=progress)
    print(dict(found.counts), len(found.wrong), "wrong")


if __name__ == "__main__":
    main(sys.argv[1:])
