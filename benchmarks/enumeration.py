"""Best bids of Chocolatl's first round: a search, a table of all answers, and all answers played. `make bench-solver`.

Known bids, 8 and 32 scenarios, with and without a valuation: all answer the same question in the same run. CP-SAT
solves the model. The table looks up every way to lay the cards in the same model, as native code. Playing does so by
the interpreter, in every scenario: on three locations it plays all ways; on the whole board it plays some, drawn at
random, and the time is that of all of them at this rate.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from math import factorial

from rich.console import Console
from rich.table import Table

from benchmarks.solver import COUNTS, PLAYER, PLAYERS, dealt, timed
from benchmarks.timing import conditions
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.solver.backends import cpsat
from chocolatl.solver.methods.best import ENGINE, ENUMERATION, ModelledProblem, formulate, solved
from chocolatl.solver.methods.exact import whole_answers
from chocolatl.solver.methods.search import whole
from chocolatl.solver.worth.scenarios import scenarios

BOARDS = (("chocolatl/three_locations", 3), ("chocolatl", 6))
"""Games in which all cards of the first round are laid at once, with the number of their locations."""
PLAYED = 20
"""So many ways to lay the cards are played on the whole board."""


def played(game: Game, problem: ModelledProblem, locations: int) -> tuple[int | None, float]:
    """The best value, if all ways to lay the cards were played, and the time for all of them."""
    position = problem.scenarios[0].position
    ways = factorial(2 * locations) // 2**locations
    start = time.process_time()
    if locations == 3:
        values = [problem.value(answers) for answers in whole_answers(game, _waiting(game, problem), PLAYER)]
        assert len(values) == ways
        return max(values), time.process_time() - start
    for number in range(PLAYED):
        problem.value(whole(game, position, PLAYER, Random(number)))
    return None, (time.process_time() - start) * ways / PLAYED


def _waiting(game: Game, problem: ModelledProblem) -> Position:
    """The position before anybody else has answered, so that the secret block stays open."""
    return game.sample_unknown(problem.scenarios[0].position, PLAYER, Random(0))


def show(console: Console, seconds: float) -> None:
    table = Table(title="First round, all cards at once, by three engines: seconds", title_justify="left")
    for column in ("board", "players", "N", "valued", "model", "CP-SAT", "table", "played"):
        table.add_column(column, justify="right")
    for name, locations in BOARDS:
        for players in PLAYERS:
            game = load(find_game(name), players)
            position = dealt(game, players)
            first = formulate(game, PLAYER, scenarios(game, position, PLAYER, "random", 1, 0))
            for engine in (ENGINE, ENUMERATION):  # imports
                solved(first, Deadline(seconds), engine=engine)
            for valuation in ((), valuation_of(game)):
                for number in COUNTS:
                    given = scenarios(game, position, PLAYER, "random", number, players)
                    problem, model = timed(partial(formulate, game, PLAYER, given, valuation=valuation))
                    search, searching = timed(partial(solved, problem, Deadline(seconds), engine=ENGINE))
                    best, tabling = timed(partial(solved, problem, Deadline(), engine=ENUMERATION))
                    value, playing = played(game, problem, locations)
                    assert search.value <= best.value <= search.bound
                    assert value is None or value == round(best.value * problem.weight * problem.unit)
                    gap = "" if search.status == cpsat.OPTIMAL else f", gap {search.gap:.2f}"
                    table.add_row(
                        str(locations), str(players), str(number), "yes" if valuation else "no", f"{model:.2f}",
                        f"{searching:.2f}{gap}", f"{tabling:.2f}", f"{playing:,.0f}",
                    )  # fmt: skip
        table.add_section()
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Best bids of Chocolatl by three engines.")
    parser.add_argument("--seconds", type=float, default=20, help="for each search (default 20)")
    arguments = parser.parse_args()
    console = make_console()
    show(console, arguments.seconds)
    console.print(conditions("one run each; the table and CP-SAT need the model, too"))


if __name__ == "__main__":
    main()
