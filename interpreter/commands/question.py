"""What a question to the solver is made of on the command line: `solve` answers it, `dump` shows its model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.errors import UsageError

if TYPE_CHECKING:  # imported when a command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.position import LoadedPosition
    from chocolatl.interpreter.formats.valuation import Valuation
    from chocolatl.solver.question import SolverQuestion
    from chocolatl.solver.worth.refusals import QuestionSetting

DEFAULT = "default"
"""The valuation beside the game."""

OPTIONS = ("against", "scenarios", "seed", "objective", "valuation")


CALLED = {"idea": "compare"}
"""The parts of a question that have another name on the command line."""


def option_of(setting: QuestionSetting) -> str:
    """A part of a question, and its value if it has one, as it is written on the command line."""
    name = setting.part.value
    return f"--{CALLED.get(name, name)} {setting.value}".rstrip()


def add_options(parser: argparse._ActionsContainer) -> None:
    """Where nothing is given, a question has defaults of its own."""
    parser.add_argument("--against", metavar="WHAT", help="known, random, greedy or FILE (default: random)")
    parser.add_argument(
        "--scenarios", metavar="N", help="how many, or auto: until the answer is stable (default: auto)"
    )
    parser.add_argument("--seed", metavar="S", type=int, help="the seed of the scenarios (default: 0)")
    parser.add_argument("--objective", metavar="O", help="points, margin or win (default: points)")
    parser.add_argument("--valuation", metavar="V", help="none, default (beside the game) or FILE")


def check_options(arguments: argparse.Namespace) -> None:
    from chocolatl.solver.worth.outcome import OBJECTIVES

    if arguments.objective is not None and arguments.objective not in OBJECTIVES:
        raise UsageError(f"--objective is {', '.join(OBJECTIVES)}; found {arguments.objective}")
    if arguments.scenarios is not None:
        arguments.scenarios = _scenarios(arguments.scenarios)


def _scenarios(given: str) -> int | None:
    """How many scenarios are asked for; None: as many as it takes."""
    from chocolatl.solver.worth.scenario_sets import MOST

    if given == "auto":
        return None
    if not given.removeprefix("-").isdecimal():
        raise UsageError(f"--scenarios is a number or auto; found {given}")
    if int(given) < 1:
        raise UsageError(f"--scenarios: at least 1 is needed; found {given}")
    if int(given) > MOST:
        raise UsageError(f"--scenarios: {MOST:,} at most; found {given}")
    return int(given)


def check_time(seconds: float) -> float:
    """What is given as `--time-limit`."""
    if not seconds > 0:  # also what is no number
        raise UsageError(f"--time-limit: more than 0 seconds are needed; found {seconds:g}")
    return seconds


def make_question(arguments: argparse.Namespace, loaded: LoadedPosition, **more: Any) -> SolverQuestion:
    from chocolatl.solver.question import SolverQuestion

    given = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    given["valuation"] = _valuation(DEFAULT if arguments.valuation is None else arguments.valuation, loaded)
    return SolverQuestion(**given, **more)


def _valuation(wanted: str, loaded: LoadedPosition) -> Valuation:
    """What counts beyond the round: nothing, the table beside the game, or that of a file."""
    from chocolatl.interpreter.formats.valuation import read_valuation, valuation_of

    if wanted == "none":
        return ()
    return valuation_of(loaded.game) if wanted == DEFAULT else read_valuation(Path(wanted), loaded.game)


def deciding_seat(loaded: LoadedPosition, player: str) -> int:
    """The seat of a player who has something to decide."""
    game = loaded.game
    if player not in game.players:
        raise UsageError(f"--player: there is no player `{player}` (they are: {', '.join(game.players)})")
    seat = game.players.index(player)
    if game.decision(loaded.position, seat) is None:
        deciding = sorted({game.players[d.player] for d in game.pending(loaded.position)})
        who = f"; {' and '.join(deciding)} can" if deciding else ""
        raise UsageError(f"{player} has nothing to decide in this position{who}")
    return seat
