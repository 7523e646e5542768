"""What a question to the solver is made of on the command line: `solve` answers it, `dump` shows its model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import UsageError

if TYPE_CHECKING:  # imported when a command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.position import LoadedPosition
    from chocolatl.interpreter.formats.valuation import Valuation
    from chocolatl.solver.question import SolverQuestion
    from chocolatl.solver.worth.beliefs import BeliefKind
    from chocolatl.solver.worth.refusals import QuestionSetting

DEFAULT = "default"
"""The valuation beside the game."""

OPTIONS = ("against", "beliefs", "scenarios", "seed", "objective", "valuation")

MOST_WORK = 9_999
"""So much a player may work for a decision, too."""

CALLED = {"idea": "compare"}
"""The parts of a question that have another name on the command line."""


def option_of(setting: QuestionSetting) -> str:
    """A part of a question, and its value if it has one, as it is written on the command line."""
    name = setting.part.value
    return f"--{CALLED.get(name, name)} {setting.value}".rstrip()


def add_options(parser: argparse._ActionsContainer) -> None:
    """Where nothing is given, a question has defaults of its own."""
    others = "learned, random, greedy, known or FILE; random where there is no policy (default: learned)"
    parser.add_argument("--against", metavar="WHAT", help=others)
    unseen = "how what lies unseen is drawn: uniform, or by how likely the policy makes what was seen: policy"
    parser.add_argument("--beliefs", metavar="BELIEFS", help=f"{unseen} (default: uniform)")
    parser.add_argument(
        "--scenarios", metavar="N", help="how many, or auto: until the answer is stable (default: auto)"
    )
    parser.add_argument("--seed", metavar="S", type=int, help="the seed of the scenarios (default: 0)")
    parser.add_argument("--objective", metavar="O", help="points, margin, win or win:half (default: points)")
    parser.add_argument("--valuation", metavar="V", help="none, default (beside the game) or FILE")


def check_options(arguments: argparse.Namespace) -> None:
    from chocolatl.solver.worth.outcome import OBJECTIVES

    if arguments.objective is not None and arguments.objective not in OBJECTIVES:
        raise UsageError(f"--objective is {', '.join(OBJECTIVES)}; found {arguments.objective}")
    if arguments.beliefs is not None:
        arguments.beliefs = _beliefs(arguments.beliefs)
    if arguments.scenarios is not None:
        arguments.scenarios = _scenarios(arguments.scenarios)


def _beliefs(given: str) -> BeliefKind:
    from chocolatl.solver.worth.beliefs import BeliefKind

    kinds = [kind.value for kind in BeliefKind]
    if given not in kinds:
        raise UsageError(f"--beliefs is {' or '.join(kinds)}; found {given}")
    return BeliefKind(given)


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


def add_budget(parser: argparse._ActionsContainer) -> None:
    """How far is looked, and for how much work: what can be asked where options are compared by sampling."""
    far = "round: the end of the round, or of the game; far: the end of a round that is not near (default: round)"
    parser.add_argument("--horizon", metavar="H", default="round", help=far)
    work = "a budget of work, as players have it, instead of all the time: 1 is about a second"
    parser.add_argument("--work", metavar="W", type=float, help=work)


def check_budget(arguments: argparse.Namespace) -> None:
    from chocolatl.solver.worth.horizons import HorizonKind

    kinds = [kind.value for kind in HorizonKind]
    if arguments.horizon not in kinds:
        raise UsageError(f"--horizon is {' or '.join(kinds)}; found {arguments.horizon}")
    arguments.horizon = HorizonKind(arguments.horizon)
    if arguments.work is not None and not 0 < arguments.work <= MOST_WORK:
        raise UsageError(f"--work: a number above 0 is needed, and {MOST_WORK:,} at most; found {arguments.work:g}")


def check_time(seconds: float) -> float:
    """What is given as `--time-limit`."""
    if not seconds > 0:  # also what is no number
        raise UsageError(f"--time-limit: more than 0 seconds are needed; found {seconds:g}")
    return seconds


def make_question(arguments: argparse.Namespace, loaded: LoadedPosition, **more: Any) -> SolverQuestion:
    """The question of a command: what is given, and else what everybody asks."""
    from chocolatl.solver.question import question_of

    given = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    if given.get("valuation", DEFAULT) == DEFAULT:
        given.pop("valuation", None)
    else:
        given["valuation"] = _valuation(given["valuation"], loaded)
    return question_of(loaded.game, **given, **more)


def _valuation(wanted: str, loaded: LoadedPosition) -> Valuation:
    """What counts beyond the round, if it is not the table beside the game: nothing, or the table of a file."""
    from chocolatl.interpreter.formats.valuation import read_valuation

    return () if wanted == "none" else read_valuation(Path(wanted), loaded.game)


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
