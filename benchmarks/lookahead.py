"""What native code that goes on from any decision is worth: games of `greedy`, the solver's sampling, and random games
from a position.

Native code does all of it: whole games, whole rows of a comparison. Beside it stands what it takes the place of: native
code that only plays on in worlds that Python draws; of random games, the interpreter. They take turns in one run, by
processor time. Beside them stand the times to compile.
`make bench-lookahead`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from functools import lru_cache

from rich.table import Table

from benchmarks.timing import Batch, conditions, measure
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.native.lookahead.seated_games import SeatedGames
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game, play_on, streams
from chocolatl.interpreter.players import lookahead
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.lookahead import LookaheadEffort, candidates, seats_of
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.solver.methods.continuations import at_random
from chocolatl.solver.methods.native_rows import NativeRows
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.worth.horizons import HorizonKind
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenarios import source

GAMES = (
    *(("chocolatl", players) for players in (3, 4, 5)), ("quetzal", 3), ("cacao", 3), ("goofspiel", 2), ("blotto", 2),
    ("kuhn_poker", 2),
)  # fmt: skip
INTERPRETER, PLAYED_ON, NATIVE = "interpreter", "played on", "native"
"""The interpreter alone; native code that only plays on, where it is faster; native code that does all."""


class PlayingOn(LookaheadEffort):
    """Whole decisions are left to the interpreter."""

    def decider(self, game: Game) -> None:
        return None


def choose(game: Game, engine: str) -> None:
    effort = _efforts(game.program)[engine]
    lookahead.effort = lambda program: effort  # type: ignore[assignment]


@lru_cache
def _efforts(program: LoweredGame) -> dict[str, LookaheadEffort]:
    interpreter = LookaheadEffort(patience=float("inf"))
    return {INTERPRETER: interpreter, PLAYED_ON: PlayingOn(patience=-1.0), NATIVE: LookaheadEffort(patience=-1.0)}


def greedy(game: Game, engine: str) -> Batch:
    """Games of greedy players."""
    return looking(game, engine, game.player_count)


def alone(game: Game, engine: str) -> Batch:
    """Games of one greedy player among random ones."""
    return looking(game, engine, 1)


def looking(game: Game, engine: str, number: int) -> Batch:
    players: list[Player] = [*[GreedyPlayer()] * number, *[RandomPlayer()] * (game.player_count - number)]
    if engine == NATIVE:
        seats = seats_of(game, players)
        assert seats is not None
        seated = SeatedGames(game, seats)
        return lambda games: (seated.series(1, 0, games), None)[1]

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
    if engine == NATIVE:
        sampler.natively = NativeRows(game, position, player, 1, HorizonKind.ROUND, measure)

    def batch(scenarios: int) -> None:
        choose(game, engine)
        sampler.table(answers, 0, scenarios)

    batch(1)  # what is compiled is not measured
    return batch


def middle(game: Game) -> Position:
    """A position with several answers in the middle of a random game."""
    everyone = [RandomPlayer()] * game.player_count
    half = play_game(game, everyone, seed=1).decisions // 2

    def is_there(position: Position, made: int) -> bool:
        pending = game.pending(position)
        return made >= half and bool(pending) and pending[0].answers.count() > 1

    return play_on(game, game.initial(), everyone, streams(1, 0, game.player_count), until=is_there).position


def resumed(game: Game, engine: str) -> Batch:
    """Random games from the middle of one."""
    everyone, start = [RandomPlayer()] * game.player_count, middle(game)
    if engine != INTERPRETER:
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
    table = Table(title="games or scenarios per second", title_justify="left")
    for column in ("game", "what", "before", NATIVE, "times", "at once", "well"):
        table.add_column(column, justify="left" if column in ("game", "what") else "right")
    for name, players in GAMES:
        game = load(find_game(name), players)
        times = [f"{compiling(game, level):,.0f} ms" for level in (QUICK, FAST)]
        for what, make, before in (
            ("greedy", greedy, PLAYED_ON), ("alone", alone, PLAYED_ON), ("sampling", sampling, PLAYED_ON),
            ("resumed", resumed, INTERPRETER),
        ):  # fmt: skip
            rates = measure({engine: make(game, engine) for engine in (before, NATIVE)}, seconds)
            ratio = rates[NATIVE] / rates[before]
            table.add_row(
                f"{name} {players}",
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
