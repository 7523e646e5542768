"""`chocolatl solve`: the best answer to the decision of a player, with its value, its bound and its proof."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.errors import UsageError
from chocolatl.interpreter.commands.numbers import drawing
from chocolatl.interpreter.commands.question import (
    add_options,
    check_options,
    check_time,
    deciding_seat,
    make_question,
    option_of,
)
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.position import LoadedPosition
    from chocolatl.interpreter.system.deadline import Deadline
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.question import SolverQuestion

EPILOG = """\
The value is the expected own score at the end of the round (or of the game, if it ends with it) minus the score now.
The others' answers, and all that chance and they do afterwards, are fixed by scenarios: `known` takes the answers that
the position holds, `random` and other types of players answer anew in each scenario, and a FILE has a line for
each: {"weight": 1, "choices": [{"player": "p2", "choice": "...", "value": ...}]}. A set of N scenarios is searched, in
ever more of them if N is `auto`; another one decides between the best answers; and what is shown was played by the
interpreter in M fresh ones. A FILE is divided so if it has 100 lines; `--fresh FILE` brings lines of its own.

CP-SAT solves a model of the rules; where that takes long, all answers are looked up in it (`enumeration`). Where no
model can be made, all that can be answered is compared by sampling. Where the player decides in secret again before the
horizon, all histories are played (`exact`), or samples are nested. `--engine` asks for one way.

The time limit is for the whole command, from its start to its end. When it is over there is the best answer so far,
with what was left out.

Exit code: 0 an answer; 1 there is none, or the limit is under 1 second; 2 wrong usage, or rules that no model can be
made of.

examples:
  chocolatl deal {game} --players 3 --seed 1 -o position.yaml
  chocolatl solve position.yaml --player p1
  chocolatl solve position.yaml --player p1 --against greedy --scenarios 4 --objective margin --json
  chocolatl solve position.yaml --player p1 --explain --plot bids.svg
"""


ANSWERING = 0.8
"""This share of the time is for the answer, if it is to be explained, too."""

CLOSING = 0.2
"""So many seconds, or this share of the time if that is less, are kept for telling the answer and coming to an end."""

LEAST = 1.0
"""With a limit of fewer seconds no answer is promised, and none sought."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("position", metavar="POSITION", type=Path, help="a position file")
    parser.add_argument("--player", metavar="P", required=True, help="whose answer is sought")
    add_options(parser)
    parser.add_argument("--samples", metavar="M", type=int, default=200, help="how many fresh ones (default: 200)")
    parser.add_argument(
        "--fresh", metavar="FILE", help="scenarios to choose by and to report, as in a file for --against"
    )
    parser.add_argument("--time-limit", metavar="T", type=float, default=60.0, help="seconds (default: 60)")
    engines = "auto, model, enumeration, sampling or exact (default: auto)"
    parser.add_argument("--engine", metavar="E", default="auto", help=engines)
    parser.add_argument("--compare", metavar="CHOICE=VALUE", nargs="+", help="your own idea, beside the best answer")
    parser.add_argument("--plot", metavar="FILE", type=drawing, help="draw how bids fare in each contest (SVG)")
    parser.add_argument("--explain", action="store_true", help="why the best answer beats the runner-up, in words")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    check_time(arguments.time_limit)
    from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp

    deadline = Deadline(arguments.time_limit)  # from here on, before anything large is imported
    from chocolatl.solver.question import ENGINES
    from chocolatl.solver.worth.scenario_sets import MOST_SAMPLES

    check_options(arguments)
    if arguments.engine not in ENGINES:
        raise UsageError(f"--engine is {', '.join(ENGINES)}; found {arguments.engine}")
    if arguments.samples < 2:
        raise UsageError(f"--samples: at least 2 are needed; found {arguments.samples}")
    if arguments.samples > MOST_SAMPLES:
        raise UsageError(f"--samples: {MOST_SAMPLES:,} at most; found {arguments.samples}")
    try:
        with deadline.enforced():
            loaded = _position(arguments.position)
            player = deciding_seat(loaded, arguments.player)
            question = _question(arguments, loaded)
    except TimeIsUp:
        return _no_answer("the time was up when the position had been read", arguments)
    if arguments.time_limit < LEAST:
        return _no_answer("no answer was found in the time: --time-limit has to be 1 second or more", arguments)
    return _solve(arguments, loaded, player, question, deadline)


def _no_answer(why: str, arguments: argparse.Namespace) -> int:
    print(f"chocolatl: {why} ({arguments.time_limit:g} seconds)", file=sys.stderr)
    return 1


def _solve(
    arguments: argparse.Namespace, loaded: LoadedPosition, player: int, question: SolverQuestion, deadline: Deadline
) -> int:
    from chocolatl.solver.advice import advise
    from chocolatl.solver.methods.best import NotFound, uncollected
    from chocolatl.solver.symbolic.unmodelled import Unsupported
    from chocolatl.solver.worth.refusals import Refusal

    game = loaded.game
    closing = min(CLOSING, CLOSING * arguments.time_limit)
    deadline.until -= closing
    seconds = deadline.left * (ANSWERING if arguments.explain or arguments.plot else 1)
    question = replace(question, seconds=seconds)
    progress = None if arguments.json or not sys.stderr.isatty() else _progress
    try:
        with uncollected():  # a command does not live long
            advice = advise(game, loaded.position, player, question, progress)
    except NotFound as error:
        return _no_answer(str(error), arguments)
    except Refusal as error:
        raise UsageError(error.told(option_of)) from None
    except Unsupported as error:
        raise UsageError(f"{error.span}: no model can be made of this rule: {error.message}") from None
    lines, advice = _understood(arguments, loaded, question, advice, deadline)
    if arguments.json:
        from chocolatl.interpreter.commands.solve_results import content

        found = content(arguments.player, question.objective, advice) | {"explanation": lines}
        print(json.dumps(found, indent=2))
    else:
        from chocolatl.interpreter.terminal.output.console import make_console
        from chocolatl.interpreter.terminal.reports.best import show_advice

        console = make_console()
        show_advice(game, arguments.player, question.objective, advice, console)
        if advice.branches is not None and question.scenarios is None:
            again = f"the same again: --scenarios {advice.branches} --seed {advice.seed}"
            console.print(again, style="dim", markup=False, highlight=False)
        for line in lines:
            console.print(line, markup=False, highlight=False)
    return 0


def _understood(
    arguments: argparse.Namespace, loaded: LoadedPosition, question: SolverQuestion, advice: Advice, deadline: Deadline
) -> tuple[list[str], Advice]:
    """What `--explain` says; with `--plot` the drawing is written. The advice tells what there was no time for."""
    if not arguments.explain and arguments.plot is None:
        return [], advice
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.system.deadline import TimeIsUp
    from chocolatl.interpreter.terminal.reports.best import explanation_lines
    from chocolatl.interpreter.terminal.reports.bids import drawn
    from chocolatl.interpreter.terminal.reports.worth import headline
    from chocolatl.solver.explanation import Understanding

    game, left_out, drawing = loaded.game, list(advice.left_out), None
    player = game.players.index(arguments.player)
    understanding = Understanding(game, loaded.position, player, question, advice, deadline)
    count = understanding.count
    if count < understanding.asked:
        left_out.append(f"explanation and drawing: {count} of {understanding.asked} scenarios were played for them")
    if arguments.plot is not None:
        try:
            with deadline.enforced():
                curves = understanding.curves()
                title = f"{game.files.title}: how bids fare, and what {arguments.player} lays"
                told = headline(advice, question.objective)
                drawing = drawn(title, told, len(understanding.scenarios), curves, advice.parts) if curves else None
        except TimeIsUp:
            left_out.append("drawing: there was no time for it")
        else:
            if count and drawing is None:
                raise UsageError("--plot: no contest is decided before the horizon, so that there is nothing to draw")
    if drawing is not None:
        with writing(arguments.plot) as file:
            file.write(drawing)
        print(one_line(f"{arguments.plot} written"), file=sys.stderr)
    advice = replace(advice, left_out=tuple(left_out))
    if not arguments.explain:
        return [], advice
    if advice.runner_up is None:
        return ["no other answer was compared with the best one"], advice
    if count < 2:
        return ["the time was too short to say why it is the best"], advice
    return explanation_lines(understanding.explanation(advice.runner_up)), advice


def _question(arguments: argparse.Namespace, loaded: LoadedPosition) -> SolverQuestion:
    return make_question(
        arguments,
        loaded,
        samples=arguments.samples,
        engine=arguments.engine,
        fresh=arguments.fresh,
        idea=_proposal(arguments.compare or []),
    )


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


def _position(path: Path) -> LoadedPosition:
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.position import load_position

    findings = Findings()
    loaded = load_position(path, findings)
    findings.reject_errors()
    assert loaded is not None
    return loaded
