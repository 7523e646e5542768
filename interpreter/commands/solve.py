"""`chocolatl solve`: the best answer to the decision of a player, with its value, its bound and its proof."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import drawing
from chocolatl.interpreter.commands.shared.question import (
    add_budget,
    add_options,
    check_budget,
    check_options,
    check_time,
)

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.commands.solving.answer import SolvedQuestion

EPILOG = """\
The value is the expected own score at the end of the round (or of the game, if it ends with it) minus the score now.
The others' answers, and all that chance and they do afterwards, are fixed by scenarios: `learned`, `random` and other
types of players answer anew in each scenario, `known` takes the answers that the position holds, and a FILE has a line
for each: {"weight": 1, "choices": [{"player": "p2", "choice": "...", "value": ...}]}. Without a word about it they are
learned players, where there is a policy for these rules and as many players. What lies unseen is drawn evenly, or with
`--beliefs policy` by how likely their policy makes what was seen. A set of N scenarios is searched, in
ever more of them if N is `auto`; another one decides between the best answers; and what is shown was played by the
interpreter in M fresh ones. A FILE is divided so if it has 100 lines; `--fresh FILE` brings lines of its own.

CP-SAT solves a model of the rules; where that takes long, all answers are looked up in it (`enumeration`). Where no
model can be made, all that can be answered is compared by sampling. Where the player decides in secret again before the
horizon, all histories are played (`exact`), or samples are nested. `--engine` asks for one way.

With a budget of work the answer is found without a model, and is the same on every machine; that of a hint in `play`
is 10.

The time limit is for the whole command, from its start to its end. When it is over there is the best answer so far,
with what was left out.

Of several positions, of folders, and of several players or `all`, there is a line of JSON for each answer as soon as it
is found, with `file` and `player`; if there is none, with `error` and `code` instead. Each answer has the whole time
limit.

Exit code: 0 an answer; 1 there is none, or the limit is under 1 second; 2 wrong usage, or rules that no model can be
made of; of several questions the greatest of theirs.

examples:
  chocolatl deal {game} --players 3 --seed 1 -o position.yaml
  chocolatl solve position.yaml --player p1
  chocolatl solve position.yaml --player p1 --against greedy --scenarios 4 --objective margin --json
  chocolatl solve position.yaml --player p1 --explain --plot bids.svg
  chocolatl solve position.yaml . --player all --scenarios 2
"""


EVERYBODY = "all"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "positions", metavar="POSITION", type=Path, nargs="+", help="a position file; or several, or folders with some"
    )
    whose = "whose answer is sought; may be given several times, or be all: everybody who has something to decide"
    parser.add_argument("--player", metavar="P", required=True, action="append", help=whose)
    add_options(parser)
    parser.add_argument("--samples", metavar="M", type=int, default=200, help="how many fresh ones (default: 200)")
    parser.add_argument(
        "--fresh", metavar="FILE", help="scenarios to choose by and to report, as in a file for --against"
    )
    parser.add_argument("--time-limit", metavar="T", type=float, default=60.0, help="seconds (default: 60)")
    add_budget(parser)
    engines = "auto, model, enumeration, sampling or exact (default: auto)"
    parser.add_argument("--engine", metavar="E", default="auto", help=engines)
    idea = "your own idea, beside the best answer; the solver finds what goes best with a part of the choices"
    parser.add_argument("--compare", metavar="CHOICE=VALUE", nargs="+", help=idea)
    parser.add_argument("--plot", metavar="FILE", type=drawing, help="draw how bids fare in each contest (SVG)")
    parser.add_argument("--explain", action="store_true", help="why the best answer beats the runner-up, in words")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    check_time(arguments.time_limit)
    from chocolatl.interpreter.system.deadline import Deadline

    deadline = Deadline(arguments.time_limit)  # from here on, before anything large is imported
    from chocolatl.solver.question import ENGINES
    from chocolatl.solver.worth.scenario_sets import MOST_SAMPLES

    check_options(arguments)
    check_budget(arguments)
    if arguments.engine not in ENGINES:
        raise UsageError(f"--engine is {', '.join(ENGINES)}; found {arguments.engine}")
    if arguments.samples < 2:
        raise UsageError(f"--samples: at least 2 are needed; found {arguments.samples}")
    if arguments.samples > MOST_SAMPLES:
        raise UsageError(f"--samples: {MOST_SAMPLES:,} at most; found {arguments.samples}")
    arguments.compare = _proposal(arguments.compare or [])
    if is_about_several(arguments):
        from chocolatl.interpreter.commands.solving.many import solve_many

        return solve_many(arguments, deadline)
    from chocolatl.interpreter.commands.solving.answer import read_position, solved

    loaded = read_position(arguments.positions[0], arguments, deadline)
    progress = None if arguments.json or not sys.stderr.isatty() else _progress
    _show(solved(arguments, loaded, arguments.player[0], deadline, progress), arguments)
    return 0


def is_about_several(arguments: argparse.Namespace) -> bool:
    """Whether more than one position or player is meant, however many there turn out to be."""
    asked = len(arguments.positions) > 1 or len(arguments.player) > 1
    return asked or arguments.player[0] == EVERYBODY or arguments.positions[0].is_dir()


def _show(found: SolvedQuestion, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(found.content(), indent=2))
        return
    from chocolatl.interpreter.terminal.output.console import make_console
    from chocolatl.interpreter.terminal.reports.best import show_advice
    from chocolatl.interpreter.terminal.reports.worth import rests_on, until_when

    console, question, advice = make_console(), found.question, found.advice
    show_advice(found.loaded.game, found.player, question.objective, advice, console)
    lines = [until_when(found.loaded.game, found.loaded.position, question, "`--horizon far`")]
    lines += rests_on(question, advice)
    if question.work is not None:
        lines.append(f"the same again: --work {question.work:g} --seed {advice.seed}")
    elif advice.branches is not None and question.scenarios is None:
        lines.append(f"the same again: --scenarios {advice.branches} --seed {advice.seed}")
    for line in lines:
        console.print(line, style="dim", markup=False, highlight=False)
    for line in found.lines:
        console.print(line, markup=False, highlight=False)


def _proposal(given: list[str]) -> list[tuple[str, object]]:
    """`bid[2]=[3, 4]`: a choice and its answer, in JSON; a word needs no quotes."""
    found: list[tuple[str, object]] = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--compare: an answer is written CHOICE=VALUE, such as `bid=3`; found `{text[:60]}`")
        try:
            answer: object = json.loads(value)
        except ValueError:
            answer = value.strip()
        if name.strip() in [known for known, _ in found]:
            raise UsageError(f"--compare: `{name.strip()}` is answered twice")
        found.append((name.strip(), answer))
    return found


def _progress(value: float, bound: float) -> None:
    from chocolatl.interpreter.terminal.output.screen import beneath

    print(f"\r  best so far {value:g}, at most {bound:g} ", end="", file=beneath(sys.stderr), flush=True)
