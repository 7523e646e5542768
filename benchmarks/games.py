"""Games per second of the large games with four random players, in both engines, beside OpenSpiel's Goofspiel.

All are played in the same run, since their ratios say more than figures that depend on the machine. Then come the times
to compile each game, without a cache and from it. The results go to a dated file as well. `make bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.goofspiel import native_batch, python_batch
from benchmarks.timing import Batch, conditions, measure
from interpreter.data.find import find_game
from interpreter.library import load
from interpreter.match import play_game
from interpreter.native.kernel import Kernel
from interpreter.players.uniform import RandomPlayer
from interpreter.terminal.console import make_console

GAMES = ("chocolatl", "cacao", "quetzal", "goofspiel")
PLAYERS = 4
ROLLOUTS, CALLS = "goofspiel, OpenSpiel, C++ roll-outs", "goofspiel, OpenSpiel, Python calls"
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


def native(name: str) -> Batch:
    kernel = Kernel(load(find_game(name), PLAYERS))
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


def threads(name: str, seconds: float) -> float:
    """How many times as fast two threads are as one, by the clock."""
    kernel = Kernel(load(find_game(name), PLAYERS))
    games = 1000
    while _elapsed(kernel, games, 1) < seconds / 2:
        games *= 2
    return max(_elapsed(kernel, games, 1) / _elapsed(kernel, games, 2) * 2 for _ in range(3))


def _elapsed(kernel: Kernel, games: int, count: int) -> float:
    """The time of so many threads, each of which plays so many games."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(count) as executor:
        list(executor.map(lambda number: kernel.series(number, 0, games), range(count)))
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description="Games per second of the large games in both engines.")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each of the runs takes (default 2)")
    seconds = parser.parse_args().seconds
    batches = {f"{name}, interpreter": interpreted(name) for name in GAMES}
    batches |= {f"{name}, native": native(name) for name in GAMES}
    batches |= {ROLLOUTS: native_batch(PLAYERS), CALLS: python_batch(PLAYERS)}
    rates = measure(batches, seconds)
    compiling = {name: compile_times(name) for name in GAMES}
    both = threads("chocolatl", seconds)
    _print(rates, compiling, both)
    _write({"games_per_second": rates, "compile_seconds": compiling, "two_threads": both, "conditions": conditions()})


def _print(rates: dict[str, float], compiling: dict[str, dict[str, float]], both: float) -> None:
    table = Table(title=f"{PLAYERS} random players: games per second", title_justify="left")
    for column in ("game, played by", "games/s", "times interpreter", "times C++ roll-outs", "times Python calls"):
        table.add_column(column, justify="left" if column.startswith("game,") else "right")
    for name, rate in rates.items():
        own = rates.get(f"{name.split(', ')[0]}, interpreter", rate)
        ratios = (rate / own, rate / rates[ROLLOUTS], rate / rates[CALLS])
        table.add_row(name, f"{rate:,.0f}", *(f"{ratio:,.2f}" for ratio in ratios))
    console = make_console()
    console.print(table)
    for name, times in compiling.items():
        told = ", ".join(f"{how} in {1000 * spent:,.0f} ms" for how, spent in times.items())
        console.print(f"{name}: {told}")
    console.print(f"two threads are {both:.2f} times as fast as one")
    console.print(conditions())


def _write(results: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = RESULTS / f"{now:%Y-%m-%d-%H%M%S}.json"
    path.write_text(
        json.dumps({"date": now.isoformat(timespec="seconds"), **results}, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
