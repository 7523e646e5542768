"""`chocolatl solve`: the best answer to the decision of a player, with its value, its bound and its proof."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.commands.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from interpreter.formats.position import LoadedPosition
    from interpreter.formats.valuation import Valuation
    from solver.best import Best

EPILOG = """\
The value is the expected own score at the end of the round (or of the game, if it ends with it) minus the score now.
The others' answers, and all that chance and they do afterwards, are fixed by scenarios: `known` takes the answers that
the position holds, `random` and other types of players answer anew in each of N scenarios, and a FILE has a line for
each: {"weight": 1, "choices": [{"player": "p2", "choice": "...", "value": ...}]}. Own decisions that come later are
answered by the first legal answer. What is shown was played again by the interpreter.

Exit code: 0 an answer; 1 none was found in the time; 2 wrong usage, or rules that no model can be made of.

examples:
  chocolatl deal {game} --players 3 --seed 1 -o position.yaml
  chocolatl solve position.yaml --player p1
  chocolatl solve position.yaml --player p1 --against greedy --scenarios 4 --objective margin --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("position", metavar="POSITION", type=Path, help="a position file")
    parser.add_argument("--player", metavar="P", required=True, help="whose answer is sought")
    parser.add_argument("--against", metavar="WHAT", default="random", help="known, random, greedy or FILE")
    parser.add_argument("--scenarios", metavar="N", type=int, default=8, help="how many (default: 8)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of the scenarios (default: 0)")
    parser.add_argument("--objective", metavar="O", default="points", help="points, margin or win (default: points)")
    parser.add_argument("--valuation", metavar="V", default="default", help="none, default (beside the game) or FILE")
    parser.add_argument("--time-limit", metavar="T", type=float, default=60.0, help="seconds (default: 60)")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    from solver.outcome import OBJECTIVES

    if arguments.objective not in OBJECTIVES:
        raise UsageError(f"--objective is {', '.join(OBJECTIVES)}; found {arguments.objective}")
    if arguments.scenarios < 1:
        raise UsageError(f"--scenarios: at least 1 is needed; found {arguments.scenarios}")
    if not arguments.time_limit > 0:  # also what is no number
        raise UsageError(f"--time-limit: more than 0 seconds are needed; found {arguments.time_limit:g}")
    loaded = _position(arguments.position)
    if arguments.player not in loaded.game.players:
        known = ", ".join(loaded.game.players)
        raise UsageError(f"--player: there is no player `{arguments.player}` (they are: {known})")
    return _solve(arguments, loaded)


def _solve(arguments: argparse.Namespace, loaded: LoadedPosition) -> int:
    from solver.against import NoScenario, scenarios
    from solver.best import NoAnswer, formulate, solve
    from solver.evaluate import Unsupported

    game, player = loaded.game, loaded.game.players.index(arguments.player)
    if game.decision(loaded.position, player) is None:
        deciding = sorted({game.players[d.player] for d in game.pending(loaded.position)})
        who = f"; {' and '.join(deciding)} can" if deciding else ""
        raise UsageError(f"{arguments.player} has nothing to decide in this position{who}")
    try:
        given = scenarios(game, loaded.position, player, arguments.against, arguments.scenarios, arguments.seed)
        problem = formulate(game, player, given, arguments.objective, _valuation(arguments.valuation, loaded))
    except (NoScenario, NoAnswer) as error:
        raise UsageError(str(error)) from None
    except Unsupported as error:
        raise UsageError(f"{error.span}: no model can be made of this rule: {error.message}") from None
    progress = None if arguments.json or not sys.stderr.isatty() else _progress
    try:
        best = solve(problem, arguments.time_limit, alternatives=2, progress=progress)
    except NoAnswer as error:
        print(f"chocolatl: {error} ({arguments.time_limit:g} seconds)", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(content(arguments.player, arguments.objective, best), ensure_ascii=False, indent=2))
    else:
        from interpreter.terminal.best import show_best
        from interpreter.terminal.console import make_console

        show_best(game, arguments.player, arguments.objective, best, make_console())
    return 0


def _valuation(wanted: str, loaded: LoadedPosition) -> Valuation:
    """What counts beyond the round: nothing, the table beside the game, or that of a file."""
    from interpreter.diagnostics import Findings
    from interpreter.formats.valuation import FILE, load_valuation

    files = loaded.game.files
    path = files.folder / FILE if wanted == "default" else Path(wanted)
    if wanted == "none" or (wanted == "default" and not path.exists()):
        return ()
    findings = Findings()
    valuation = load_valuation(path, files, loaded.game.player_count, findings)
    findings.reject_errors()
    assert valuation is not None
    return valuation


def _progress(value: float, bound: float) -> None:
    print(f"\r  best so far {value:g}, at most {bound:g} ", end="", file=sys.stderr, flush=True)


def _position(path: Path) -> LoadedPosition:
    from interpreter.diagnostics import Findings
    from interpreter.formats.position import load_position

    findings = Findings()
    loaded = load_position(path, findings)
    findings.reject_errors()
    assert loaded is not None
    return loaded


def content(player: str, objective: str, best: Best) -> dict[str, Any]:
    """The answer as JSON data."""
    from solver.best import ENGINE

    return {
        "player": player,
        "choices": _choices(best),
        "objective": objective,
        "value": best.value,
        "bound": best.bound,
        "gap": best.gap,
        "status": best.status,
        "engine": ENGINE,
        "policy": best.policy,
        "scenarios": best.scenarios,
        "seconds": round(best.seconds, 3),
        "by_contest": [vars(contest) for contest in best.contests],
        "alternatives": [
            {"choices": _choices(other), "value": other.value, "status": other.status} for other in best.alternatives
        ],
    }


def _choices(best: Best) -> list[dict[str, Any]]:
    return [{"choice": name, "value": value} for name, value in best.choices]
