"""The best answer, for people: what to answer, how it fares in each contest, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.board.fields import plain_table
from chocolatl.interpreter.terminal.output.console import GOOD, NOTICE, VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.contest_table import (
    contest_notes,
    contest_table,
    shown_answer,
)
from chocolatl.interpreter.terminal.reports.explaining import told, told_beside
from chocolatl.interpreter.terminal.reports.worth import (
    NO_PARTS,
    counted,
    estimate,
    headline,
)

if TYPE_CHECKING:
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.methods.completing import CompletedIdea
    from chocolatl.solver.report import ValuedAnswer


def show_advice(game: Game, player: str, objective: str, advice: Advice, console: Console) -> None:
    console.print(VisibleText(f"{game.files.title}: the best answer of {player}", "bold"))
    answers = plain_table()
    answers.add_column("choice")
    answers.add_column("answer")
    for name, value in advice.choices:
        answers.add_row(one_line(name), shown_answer(value))
    console.print(answers)
    console.print(VisibleText(headline(advice, objective), GOOD))
    if advice.contests:
        console.print(contest_table(advice))
    for line in _proof(advice):
        console.print(VisibleText(line))
    if len(advice.options) > 1:
        console.print(_options(advice.options))
    if advice.compared is not None and advice.idea is not None:
        idea, behind = _told_idea(advice.compared, advice.idea), advice.compared.behind
        word = "as good" if behind.mean == 0 else f"{estimate(behind)} behind the best answer"
        console.print(VisibleText(f"your idea, {idea}: {estimate(advice.compared.value)}, {word}", NOTICE))
    for line in [*contest_notes(advice, objective), *_small_print(advice, objective)]:
        console.print(VisibleText(line, "dim"))


def _told_idea(compared: ValuedAnswer, idea: CompletedIdea) -> str:
    """An idea, and what goes best with it if it is a part."""
    mine = tuple(choice for choice in compared.choices if choice[0] in idea.given)
    rest = tuple(choice for choice in compared.choices if choice[0] not in idea.given)
    if not rest:
        return told(mine)
    how = "with the best rest" if idea.status == "optimal" else "with a good rest, without proof"
    return f"{told(mine)}, {how} ({told(rest)})"


def _proof(advice: Advice) -> list[str]:
    """What is proved, and of what."""
    if advice.value is None:
        return []
    if advice.model is None:
        exact = advice.status == "optimal"
        return ["exact: the best of all answers" if exact else "by sampling, without proof"]
    searched = "this one scenario" if advice.scenarios == 1 else f"these {advice.scenarios} scenarios"
    foreseen = " (as it was found out beforehand)" if advice.is_foreseen else ""
    so = f"if later decisions are made so: {advice.policy}{foreseen}"
    if advice.status == "optimal":
        return [f"proved: the best of all answers in {searched} (value {advice.value:.3f} there), {so}"]
    if advice.proved is not None:
        best = advice.proved
        return [
            f"proved: {told(best.choices)} is the best of all answers in {searched} (value {best.value:.3f} there, "
            f"{advice.value:.3f} of the chosen one), {so}; the chosen one was better in other scenarios"
        ]
    if advice.bound is None:
        modelled = f"{advice.model.modelled} of {counted(advice.scenarios)} became a model"
        return [f"not proved: in the time {modelled} (value {advice.value:.3f} in all of them)"]
    return [
        f"not proved: in {searched} its value is {advice.value:.3f}, and that of any at most {advice.bound:.3f}, {so}"
    ]


def _options(options: tuple[ValuedAnswer, ...]) -> FoldingTable:
    """What else can be answered, and what it is worth in fresh scenarios."""
    table = plain_table()
    table.add_column("answer")
    table.add_column("value", justify="right")
    table.add_column("behind", justify="right")
    for place, option in enumerate(options):
        answer = told_beside(option.choices, options[0].choices) if place else told(option.choices)
        table.add_row(answer, estimate(option.value), estimate(option.behind) if place else "")
    return table


def _small_print(advice: Advice, objective: str) -> list[str]:
    lines = [line for line in (advice.why_not_fresh, NO_PARTS.get(objective)) if line is not None]
    left_out = [f"left out: {what}" for what in advice.left_out]
    if advice.model is None:
        no_model = [f"no model: {advice.why}"] * (advice.why is not None)
        return [*lines, *no_model, f"{advice.seconds:.2f} s; own later decisions: {advice.policy}", *left_out]
    size = f"{advice.model.variables:,} variables, {advice.model.constraints:,} constraints, {advice.seconds:.2f} s"
    if advice.is_foreseen:
        told = "for the search it was found out beforehand, by some answers, what learned players decide later"
        anew = f"; decided anew, the answer comes to {advice.decided_anew:.3f} in the same scenarios"
        lines.append(told + (anew if advice.decided_anew is not None else ""))
    lines += [f"the proof rests on {advice.proof}"] * (advice.proof is not None)
    return [*lines, f"{advice.engine}: {size}; played again by the interpreter", *left_out]
