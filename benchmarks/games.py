"""Games per second of the large games with four random players, and how they compare to Goofspiel. `make bench`.

All are played by the interpreter in the same run: their ratio says more than a figure that depends on the machine.
"""

from __future__ import annotations

import argparse

from rich.table import Table

from benchmarks.timing import Batch, conditions, measure
from interpreter.data.find import find_game
from interpreter.library import load
from interpreter.match import play_game
from interpreter.players.uniform import RandomPlayer
from interpreter.terminal.console import make_console

GAMES = ("chocolatl", "cacao", "quetzal", "goofspiel")
PLAYERS = 4


def batch_of(name: str) -> Batch:
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Games per second of the large games, beside Goofspiel.")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each of the runs takes (default 2)")
    rates = measure({name: batch_of(name) for name in GAMES}, parser.parse_args().seconds)
    table = Table(title=f"The interpreter, {PLAYERS} random players: games per second", title_justify="left")
    table.add_column("game")
    table.add_column("games/s", justify="right")
    table.add_column("times goofspiel", justify="right")
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{rate / rates['goofspiel']:.3f}")
    console = make_console()
    console.print(table)
    console.print(conditions())


if __name__ == "__main__":
    main()
