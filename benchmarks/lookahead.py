"""What native code that goes on from any decision is worth: games of `greedy`, the solver's sampling, and random games
from a position.

In all of them the interpreter plays on, or native code does, in the same run; beside it stand the times to compile.
`make bench-lookahead`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

from rich.table import Table

from benchmarks.timing import Batch, conditions, measure
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game, play_on, streams
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.lookahead import TRIED, candidates, effort
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.solver.methods.continuations import at_random
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenarios import source

GAMES = ("chocolatl", "cacao", "quetzal", "goofspiel")
PLAYERS = 3
INTERPRETER, NATIVE = "interpreter", "native"


def choose(game: Game, engine: str) -> None:
    """The interpreter alone, or native code where it is faster."""
    so_far = effort(game.program)
    so_far.patience, so_far.tried = -1.0, TRIED if engine == NATIVE else float("inf")


def greedy(game: Game, engine: str) -> Batch:
    """Games of one greedy player among random ones."""
    players: list[Player] = [GreedyPlayer(), *[RandomPlayer()] * (PLAYERS - 1)]

    def batch(games: int) -> None:
        choose(game, engine)
        for index in range(games):
            play_game(game, players, seed=1, index=index)

    return batch


def sampling(game: Game, engine: str) -> Batch:
    """Scenarios in which the solver compares up to 30 answers, in the middle of a game."""
    position = middle(game)
    decision = game.pending(position)[0]
    player = decision.player
    measure = OutcomeMeasure(game, player, valuation=valuation_of(game))
    drawn = source(game, position, player, "random", 1)
    answers = [(answer,) for answer in candidates(decision, 30, Random(1))]
    sampler = Sampler(game, drawn, at_random(game, player), measure)

    def batch(scenarios: int) -> None:
        choose(game, engine)
        sampler.table(answers, 0, scenarios)

    return batch


def middle(game: Game) -> Position:
    """A position with several answers in the middle of a random game."""
    everyone = [RandomPlayer()] * PLAYERS
    half = play_game(game, everyone, seed=1).decisions // 2

    def is_there(position: Position, made: int) -> bool:
        pending = game.pending(position)
        return made >= half and bool(pending) and pending[0].answers.count() > 5

    return play_on(game, game.initial(), everyone, streams(1, 0, PLAYERS), until=is_there).position


def resumed(game: Game, engine: str) -> Batch:
    """Random games from the middle of one."""
    everyone, start = [RandomPlayer()] * PLAYERS, middle(game)
    if engine == NATIVE:
        series = Resumed(Stepper(game, FAST), start)
        return lambda games: (series.series(1, 0, games), None)[1]

    def batch(games: int) -> None:
        for index in range(games):
            game.result(play_game(game, everyone, seed=1, index=index, start=start).position)

    return batch


def compiling(game: Game, level: int) -> float:
    """Milliseconds of this process to compile a game."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CHOCOLATL_CACHE"] = folder
        begin = time.process_time()
        Stepper(game, level)
        spent = time.process_time() - begin
    del os.environ["CHOCOLATL_CACHE"]
    return 1000 * spent


def main() -> None:
    parser = argparse.ArgumentParser(description="Games per second of players that look ahead, and from positions.")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each of the runs takes (default 1)")
    seconds = parser.parse_args().seconds
    table = Table(title=f"{PLAYERS} players: games or scenarios per second", title_justify="left")
    for column in ("game", "what", INTERPRETER, NATIVE, "times", "at once", "well"):
        table.add_column(column, justify="left" if column in ("game", "what") else "right")
    for name in GAMES:
        game = load(find_game(name), PLAYERS)
        times = [f"{compiling(game, level):,.0f} ms" for level in (QUICK, FAST)]
        for what, make in (("greedy", greedy), ("sampling", sampling), ("resumed", resumed)):
            rates = measure({engine: make(game, engine) for engine in (INTERPRETER, NATIVE)}, seconds)
            ratio = rates[NATIVE] / rates[INTERPRETER]
            table.add_row(
                name,
                what,
                *(f"{rate:,.3g}" if rate < 100 else f"{rate:,.0f}" for rate in rates.values()),
                f"{ratio:,.1f}",
                *times,
            )
    console = make_console()
    console.print(table)
    console.print(conditions())


if __name__ == "__main__":
    main()
