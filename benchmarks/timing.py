"""How fast things are beside one another: they take turns, so that a machine that is busy is busy for all of them.

What is counted is the time of this process, not that of the clock, so that others on the machine disturb little.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

REPEATS = 5

Batch = Callable[[int], None]
"""Plays so many games."""


def measure(batches: Mapping[str, Batch], seconds: float) -> dict[str, float]:
    """Games per second of each: the median of a few runs, in which all take turns."""
    games = {name: games_for(batch, seconds) for name, batch in batches.items()}
    rates: dict[str, list[float]] = {name: [] for name in batches}
    for _ in range(REPEATS):
        for name, batch in batches.items():
            rates[name].append(games[name] / spent(batch, games[name]))
    return {name: median(found) for name, found in rates.items()}


def games_for(batch: Batch, seconds: float) -> int:
    """How many games take about so long."""
    games = 1
    while True:
        time_spent = spent(batch, games)
        if time_spent > seconds / 10:
            return max(1, int(games / time_spent * seconds))
        games *= 4


def spent(batch: Batch, games: int) -> float:
    start = time.process_time()
    batch(games)
    return time.process_time() - start


def conditions(runs: str = f"median of {REPEATS} runs") -> str:
    """What the figures depend on, in a line."""
    return f"Python {platform.python_version()}, {_processor()}; one process, its own time, {runs}"


def _processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
