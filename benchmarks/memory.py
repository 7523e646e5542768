"""Memory of `chocolatl simulate` by the number of games: nothing may grow with it.

Each series is played by a process of its own, whose peak is read when it ends. `make bench` prints it with the rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rich.table import Table

from chocolatl.interpreter.terminal.output.console import make_console

CLI = Path(__file__).parents[1] / "cli.py"
GAMES = ("goofspiel", "chocolatl")
COUNTS = (10**5, 10**6)
PLAYERS = 4


def peak(game: str, count: int) -> float:
    """The most memory of a simulation, in megabytes."""
    words = ["simulate", game, "--players", str(PLAYERS), "--games", str(count), "--json"]
    with subprocess.Popen([sys.executable, str(CLI), *words], stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"simulate {game} failed with {process.returncode}")
    return used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    table = Table(title="Peak memory of simulate, megabytes", title_justify="left")
    table.add_column("game")
    for count in COUNTS:
        table.add_column(f"{count:,} games", justify="right")
    table.add_column("ratio", justify="right")
    for game in GAMES:
        # Each is played twice: the first time may have to compile, and a long series is compiled with more care.
        peaks = [min(peak(game, count), peak(game, count)) for count in COUNTS]
        table.add_row(game, *(f"{value:.0f}" for value in peaks), f"{peaks[-1] / peaks[0]:.2f}")
    make_console().print(table)


if __name__ == "__main__":
    main()
