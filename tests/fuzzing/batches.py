"""Many programs, in batches: each batch in a process of its own, so that one that dies costs only itself.

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


@dataclass
class Tried:
    """Counts of what was tried, and what is wrong by seed."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, str] = field(default_factory=dict)


def tried(seeds: Sequence[int], progress: Callable[[Tried], None] = lambda found: None) -> Tried:
    """All programs of these seeds."""
    found = Tried()
    waiting = list(seeds)
    while waiting:
        batch, waiting = waiting[:BATCH], waiting[BATCH:]
        done = _batch(batch, found)
        waiting = [*batch[done:], *waiting]
        progress(found)
    return found


def _batch(batch: list[int], found: Tried) -> int:
    """Try the programs of a batch in a child; how many of them are done, the one that it died of included."""

    def work(tell: Callable[[Any], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for seed in batch:
                tell(["begun", seed])
                tell(["done", *one(seed, Path(folder))])

    try:
        told, died = in_child(work, SECONDS * len(batch)), ""
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


def one(seed: int, folder: Path) -> tuple[dict[str, int], dict[int, str]]:
    """What was tried of the program of a seed, and what is wrong with it."""
    tally = Tally()
    try:
        compare(generate(seed), seed, folder, seed % FAST == 0, seed % SOLVED == 0, tally)
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

    found = tried(range(first, first + count), progress)
    print(dict(found.counts), len(found.wrong), "wrong")


if __name__ == "__main__":
    main(sys.argv[1:])
