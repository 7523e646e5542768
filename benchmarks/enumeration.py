"""Best bids of Chocolatl's first round beside exhaustive enumeration. `make bench-solver`.

Known bids, 8 and 32 scenarios: both answer the same question in the same run. Enumeration plays every way to lay the
cards in every scenario by the interpreter. On three locations it does; on the whole board some ways, drawn at random,
are played, and the time is that of all of them at this rate. The ratio is how many times longer enumeration takes than
building and solving the model.
"""

from __future__ import annotations

import argparse
import time
from math import factorial

from rich.console import Console
from rich.table import Table

from benchmarks.solver import COUNTS, PLAYER, PLAYERS, dealt
from benchmarks.timing import conditions
from interpreter.data.find import find_game
from interpreter.game import Game, Position
from interpreter.library import load
from interpreter.random import Random
from interpreter.terminal.console import make_console
from solver import cpsat
from solver.against import scenarios
from solver.best import Problem, formulate, solved
from solver.exact import whole_answers
from solver.search import whole

BOARDS = (("chocolatl/three_locations", 3), ("chocolatl", 6))
"""Games in which all cards of the first round are laid at once, with the number of their locations."""
PLAYED = 20
"""So many ways to lay the cards are played on the whole board."""


def enumerated(game: Game, problem: Problem, locations: int) -> tuple[int | None, float]:
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


def _waiting(game: Game, problem: Problem) -> Position:
    """The position before anybody else has answered, so that the secret block stays open."""
    return game.sample_unknown(problem.scenarios[0].position, PLAYER, Random(0))


def show(console: Console, seconds: float) -> None:
    table = Table(title="First round, all cards at once: the model beside enumeration", title_justify="left")
    for column in ("locations", "players", "scenarios", "model s", "enumeration s", "ratio", "proof"):
        table.add_column(column, justify="left" if column == "proof" else "right")
    for name, locations in BOARDS:
        for players in PLAYERS:
            game = load(find_game(name), players)
            position = dealt(game, players)
            solved(formulate(game, PLAYER, scenarios(game, position, PLAYER, "random", 1, 0)), seconds)  # imports
            for number in COUNTS:
                start = time.process_time()
                problem = formulate(game, PLAYER, scenarios(game, position, PLAYER, "random", number, players))
                best = solved(problem, seconds)
                took = time.process_time() - start
                value, all_ = enumerated(game, problem, locations)
                if best.status == cpsat.OPTIMAL:
                    assert value is None or value == round(best.value * problem.weight)
                proof = "proved" if best.status == cpsat.OPTIMAL else f"gap {best.gap:.2f}"
                table.add_row(
                    str(locations), str(players), str(number), f"{took:.2f}", f"{all_:,.1f}", f"{all_ / took:,.1f}",
                    proof,
                )  # fmt: skip
        table.add_section()
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Best bids of Chocolatl beside exhaustive enumeration.")
    parser.add_argument("--seconds", type=float, default=60, help="for each model (default 60)")
    arguments = parser.parse_args()
    console = make_console()
    show(console, arguments.seconds)
    console.print(conditions("one run each; ratio: enumeration / model, build and solve"))


if __name__ == "__main__":
    main()
