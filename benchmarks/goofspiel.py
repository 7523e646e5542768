"""Games per second of random Goofspiel, 13 cards: both our engines beside OpenSpiel, measured in one run. `make bench`.

OpenSpiel's game is written in C++. It is measured driven from Python, as our interpreter is, all players at once and in
its turn-based form; and with whole random games inside C++: the roll-outs of its MCTS bot, on the turn-based form, from
the first decision on. It plays the last, forced card of each player by itself; ours is asked for it.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

import pyspiel
from rich.table import Table

from benchmarks.timing import Batch, conditions, measure
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.output.console import make_console

GAME = "goofspiel"
CARDS = 13
PLAYERS = (2, 4)


def interpreter_batch(players: int) -> Batch:
    game = load(find_game(GAME), players, {"cards": CARDS})
    everyone = [RandomPlayer()] * players

    def batch(games: int) -> None:
        for index in range(games):
            play_game(game, everyone, seed=1, index=index)

    return batch


def kernel_batch(players: int) -> Batch:
    """Our native engine, compiled as for many games."""
    kernel = Kernel(load(find_game(GAME), players, {"cards": CARDS}))

    def batch(games: int) -> None:
        kernel.series(1, 0, games)

    return batch


def open_spiel(players: int) -> pyspiel.Game:
    parameters = {"players": players, "num_cards": CARDS, "points_order": "random", "returns_type": "total_points"}
    return pyspiel.load_game(GAME, parameters)


def python_batch(players: int, by_turns: bool = False) -> Batch:
    """OpenSpiel through its Python interface, as one would write it: all are asked for their actions, one is chosen at
    random, and chance goes by its odds. By turns it is the game that the roll-outs play."""
    game = pyspiel.convert_to_turn_based(open_spiel(players)) if by_turns else open_spiel(players)
    generator = random.Random(1)

    def batch(games: int) -> None:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(generator.choices(outcomes, odds)[0])
                elif state.is_simultaneous_node():
                    state.apply_actions([generator.choice(state.legal_actions(player)) for player in range(players)])
                else:
                    state.apply_action(generator.choice(state.legal_actions(state.current_player())))
            state.returns()

    return batch


def native_batch(players: int) -> Batch:
    """OpenSpiel in C++: one step of its MCTS bot, which plays that many random games from a position."""
    game = pyspiel.convert_to_turn_based(open_spiel(players))
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])

    def batch(games: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=games, seed=1)
        bot = pyspiel.MCTSBot(
            game, evaluator, uct_c=1.0, max_simulations=1, max_memory_mb=100, solve=False, seed=1, verbose=False
        )
        bot.step(state)

    return batch


CONTENDERS: dict[str, Callable[[int], Batch]] = {
    "interpreter": interpreter_batch,
    "native": kernel_batch,
    "OpenSpiel, Python calls": python_batch,
    "OpenSpiel, Python calls by turns": lambda players: python_batch(players, by_turns=True),
    "OpenSpiel, C++ roll-outs": native_batch,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Games per second of random Goofspiel, beside OpenSpiel.")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each of the runs takes (default 1)")
    seconds = parser.parse_args().seconds
    table = Table(title=f"Random Goofspiel, {CARDS} cards: games per second", title_justify="left")
    table.add_column("players", justify="right")
    table.add_column("played by")
    table.add_column("games/s", justify="right")
    table.add_column("times ours", justify="right")
    for players in PLAYERS:
        rates = measure({name: prepare(players) for name, prepare in CONTENDERS.items()}, seconds)
        ours = rates["interpreter"]
        for name, rate in rates.items():
            table.add_row(str(players), name, f"{rate:,.0f}", f"{rate / ours:.2f}")
        table.add_section()
    console = make_console()
    console.print(table)
    console.print(conditions())


if __name__ == "__main__":
    main()
