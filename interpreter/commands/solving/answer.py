"""One question of `chocolatl solve` and its answer: from a position file and the options to what is told of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import NoResult, UsageError
from chocolatl.interpreter.commands.shared.question import deciding_seat, make_question, option_of
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.position import LoadedPosition
    from chocolatl.interpreter.system.deadline import Deadline
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.question import SolverQuestion

ANSWERING = 0.8
"""This share of the time is for the answer, if it is to be explained, too."""

CLOSING = 0.2
"""So many seconds, or this share of the time if that is less, are kept for telling the answer and coming to an end."""

LEAST = 1.0
"""With a limit of fewer seconds no answer is promised, and none sought."""


@dataclass(frozen=True)
class SolvedQuestion:
    """What was asked, what is answered, and the explanation, if that was asked for."""

    loaded: LoadedPosition
    player: str
    question: SolverQuestion
    advice: Advice
    lines: list[str]

    def content(self) -> dict[str, Any]:
        """As JSON data."""
        from chocolatl.interpreter.commands.solving.results import content

        return content(self.player, self.question, self.advice) | {"explanation": self.lines}


def read_position(path: Path, arguments: argparse.Namespace, deadline: Deadline) -> LoadedPosition:
    """A position to be solved, within the time."""
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.position import load_position
    from chocolatl.interpreter.system.deadline import TimeIsUp

    findings = Findings()
    try:
        with deadline.enforced():
            loaded = load_position(path, findings)
    except TimeIsUp:
        raise NoResult(f"the time was up when the position had been read {_limit(arguments)}") from None
    findings.reject_errors()
    assert loaded is not None
    return loaded


def solved(
    arguments: argparse.Namespace,
    loaded: LoadedPosition,
    player: str,
    deadline: Deadline,
    progress: Callable[[float, float], None] | None = None,
) -> SolvedQuestion:
    """The answer of a player to what the options ask; `NoResult` if there is none. `progress` is told the best value so
    far and a bound."""
    from chocolatl.interpreter.system.collecting import uncollected
    from chocolatl.interpreter.system.deadline import TimeIsUp
    from chocolatl.solver.advice import advise
    from chocolatl.solver.methods.best import NotFound
    from chocolatl.solver.symbolic.unmodelled import Unsupported
    from chocolatl.solver.worth.refusals import Refusal

    try:
        with deadline.enforced():
            seat = deciding_seat(loaded, player)
            question = asked_question(arguments, loaded)
    except TimeIsUp:
        raise NoResult(f"the time was up when the position had been read {_limit(arguments)}") from None
    if arguments.time_limit < LEAST:
        message = "no answer was found in the time: --time-limit has to be 1 second or more"
        raise NoResult(f"{message} {_limit(arguments)}")
    deadline.until -= min(CLOSING, CLOSING * arguments.time_limit)
    seconds = deadline.left * (ANSWERING if arguments.explain or arguments.plot else 1)
    question = replace(question, seconds=seconds)
    try:
        with uncollected():  # a command does not live long
            advice = advise(loaded.game, loaded.position, seat, question, progress)
    except NotFound as error:
        raise NoResult(f"{error} {_limit(arguments)}") from None
    except Refusal as error:
        raise UsageError(error.told(option_of)) from None
    except Unsupported as error:
        raise UsageError(f"{error.span}: no model can be made of this rule: {error.message}") from None
    lines, advice = _understood(arguments, loaded, player, question, advice, deadline)
    return SolvedQuestion(loaded, player, question, advice, lines)


def _limit(arguments: argparse.Namespace) -> str:
    return f"({arguments.time_limit:g} seconds)"


def _understood(
    arguments: argparse.Namespace,
    loaded: LoadedPosition,
    player: str,
    question: SolverQuestion,
    advice: Advice,
    deadline: Deadline,
) -> tuple[list[str], Advice]:
    """What `--explain` says; with `--plot` the drawing is written. The advice tells what there was no time for."""
    if not arguments.explain and arguments.plot is None:
        return [], advice
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.system.deadline import TimeIsUp
    from chocolatl.interpreter.terminal.reports.bids import drawn
    from chocolatl.interpreter.terminal.reports.explaining import explanation_lines
    from chocolatl.interpreter.terminal.reports.worth import headline
    from chocolatl.solver.explanation import Understanding

    game, left_out, drawing = loaded.game, list(advice.left_out), None
    seat = game.players.index(player)
    understanding = Understanding(game, loaded.position, seat, question, advice, deadline)
    count = understanding.count
    if count < understanding.asked:
        left_out.append(f"explanation and drawing: {count} of {understanding.asked} scenarios were played for them")
    if arguments.plot is not None:
        try:
            with deadline.enforced():
                curves = understanding.curves()
                title = f"{game.files.title}: how bids fare, and what {player} lays"
                told = headline(advice, question.objective)
                drawing = drawn(title, told, understanding.where, curves, advice.parts) if curves else None
        except TimeIsUp:
            left_out.append("drawing: there was no time for it")
        else:
            if count and drawing is None:
                why = "no contest is decided before the horizon, so that there is nothing to draw"
                print(one_line(f"{arguments.plot} was not written: {why}"), file=sys.stderr)
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


def asked_question(arguments: argparse.Namespace, loaded: LoadedPosition) -> SolverQuestion:
    return make_question(
        arguments,
        loaded,
        samples=arguments.samples,
        engine=arguments.engine,
        fresh=arguments.fresh,
        idea=tuple(arguments.compare),
        horizon=arguments.horizon,
        work=arguments.work,
    )
