"""Games per second of the large games with four random players, in both engines, beside OpenSpiel's Goofspiel.

All are played in the same run, since their ratios say more than figures that depend on the machine. Then come the times
to compile each game, without a cache and from it, how much memory a simulation takes, and how long commands take to
start. The results go to a dated file as well. `make bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from benchmarks.goofspiel import native_batch, python_batch
from benchmarks.timing import Batch, conditions, measure
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.output.console import make_console

GAMES = ("chocolatl", "cacao", "quetzal", "goofspiel")
PLAYERS = 4
OTHERS = "goofspiel, by "
ROLLOUTS, CALLS, TURNS = (f"{OTHERS}OpenSpiel, {how}" for how in ("C++ roll-outs", "Python calls", "Python by turns"))
COMMANDS = ("--help", "check rules/goofspiel", "check rules/chocolatl", "deal goofspiel --players 2 --seed 1",
            "simulate goofspiel --players 2 --games 10 --seed 1")  # fmt: skip
STARTS = 5
RESULTS = Path(__file__).with_name("results")


def interpreted(name: str) -> Batch:
    """A series of games; every batch goes on with new ones, as a simulation does."""
    game = load(find_game(name), PLAYERS)
    everyone = [RandomPlayer()] * PLAYERS
    played = 0

    def batch(games: int) -> None:
        nonlocal played
        for index in range(played, played + games):
            game.result(play_game(game, everyone, seed=1, index=index).position)
        played += games

    return batch


def native(name: str, inspected: bool = False) -> Batch:
    """Whole games in native code; inspected, as `simulate` plays them: invariants are looked at and all is counted."""
    kernel = Kernel(load(find_game(name), PLAYERS), inspected=inspected)
    return lambda games: (kernel.series(1, 0, games), None)[1]


def compile_times(name: str) -> dict[str, float]:
    """Seconds of this process to compile a game well, and to take it from the cache."""
    game = load(find_game(name), PLAYERS)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CHOCOLATL_CACHE"] = folder
        for how in ("compiled", "from the cache"):
            begin = time.process_time()
            Kernel(game)
            found[how] = time.process_time() - begin
    del os.environ["CHOCOLATL_CACHE"]
    return found


def memory(name: str) -> dict[str, float]:
    """Megabytes that a simulation needs at most, for few games and for many."""
    found = {}
    for games in (20_000, 400_000):
        line = f"simulate {name} --players {PLAYERS} --games {games} --seed 1"
        peak = "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        code = f"from chocolatl import cli; import resource; cli.main({line.split()}); {peak}"
        told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        found[f"{games:,} games"] = int(told.split()[-1]) / 1024
    return found


def start_up(line: str) -> float:
    """Seconds of processor time that a command takes; the median of a few."""
    times = []
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "chocolatl", *line.split()], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(times)


def threads(name: str, seconds: float) -> dict[str, float]:
    """How many times as fast two threads are as one: by the clock, which tells it on a machine that is free, and by the
    time that each of them takes of its processor, which tells whether they are in each other's way."""
    kernel = Kernel(load(find_game(name), PLAYERS))
    games = 1000
    while _elapsed(kernel, games, 1)[0] < seconds / 2:
        games *= 2
    alone, together = zip(*((_elapsed(kernel, games, 1), _elapsed(kernel, games, 2)) for _ in range(3)), strict=True)
    ways = ("by the clock", "by the time of their processors")
    return {
        how: 2 * median(one[way] for one in alone) / median(two[way] for two in together)
        for way, how in enumerate(ways)
    }


def _elapsed(kernel: Kernel, games: int, count: int) -> tuple[float, float]:
    """The time of so many threads, each of which plays so many games, and the most that one takes of its processor."""

    def play(number: int) -> float:
        start = time.thread_time()
        kernel.series(number, 0, games)
        return time.thread_time() - start

    begin = time.perf_counter()
    with ThreadPoolExecutor(count) as executor:
        spent = max(executor.map(play, range(count)))
    return time.perf_counter() - begin, spent


def main() -> None:
    parser = argparse.ArgumentParser(description="Games per second of the large games in both engines.")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each of the runs takes (default 2)")
    seconds = parser.parse_args().seconds
    batches = {f"{name}, interpreter": interpreted(name) for name in GAMES}
    batches |= {f"{name}, native": native(name) for name in GAMES}
    batches |= {f"{name}, native, inspected": native(name, inspected=True) for name in GAMES}
    batches |= {ROLLOUTS: native_batch(PLAYERS), CALLS: python_batch(PLAYERS)}
    batches |= {TURNS: python_batch(PLAYERS, by_turns=True)}
    rates = measure(batches, seconds)
    compiling = {name: compile_times(name) for name in GAMES}
    results = {
        "games_per_second": rates,
        "compile_seconds": compiling,
        "two_threads": threads("chocolatl", seconds),
        "megabytes": memory("chocolatl"),
        "start_seconds": {line: start_up(line) for line in COMMANDS},
        "conditions": conditions(),
    }
    _print(results)
    _write(results)


def _print(results: dict[str, Any]) -> None:
    rates: dict[str, float] = results["games_per_second"]
    table = Table(title=f"{PLAYERS} random players: games per second", title_justify="left", caption_justify="left")
    table.caption = "times our interpreter; OpenSpiel's Goofspiel: C++ roll-outs, Python calls, and by turns"
    for column in ("game, played by", "games/s", "interp.", "C++", "calls", "turns"):
        table.add_column(column, justify="left" if column.startswith("game,") else "right", no_wrap=True)
    for name, rate in rates.items():
        own = rates.get(f"{name.split(', ')[0]}, interpreter", rate)
        ratios = (rate / own, *(rate / rates[other] for other in (ROLLOUTS, CALLS, TURNS)))
        table.add_row(name.removeprefix(OTHERS), f"{rate:,.0f}", *map(_ratio, ratios))
    console = make_console()
    console.print(table)
    for name, times in results["compile_seconds"].items():
        told = ", ".join(f"{how} in {1000 * spent:,.0f} ms" for how, spent in times.items())
        console.print(f"{name}: {told}")
    told = ", ".join(f"{ratio:.2f} {how}" for how, ratio in results["two_threads"].items())
    console.print(f"two threads are so many times as fast as one: {told}")
    told = ", ".join(f"{size:,.0f} MB for {games}" for games, size in results["megabytes"].items())
    console.print(f"memory: {told}")
    for line, spent in results["start_seconds"].items():
        console.print(f"chocolatl {line}: {1000 * spent:,.0f} ms")
    console.print(conditions())


def _ratio(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _write(results: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = RESULTS / f"{now:%Y-%m-%d-%H%M%S}.json"
    path.write_text(
        json.dumps({"date": now.isoformat(timespec="seconds"), **results}, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
