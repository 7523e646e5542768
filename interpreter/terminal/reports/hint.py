"""A hint, for people: what the solver would answer, in the words of the rules, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.output.words import answer_text
from chocolatl.interpreter.terminal.reports.worth import headline, hundredths, number, rests_on, until_when

if TYPE_CHECKING:
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.question import SolverQuestion
    from chocolatl.solver.report import ValuedAnswer

OTHERS = 2
"""So many other answers are told."""


def hint_lines(game: Game, position: Position, player: int, question: SolverQuestion, advice: Advice) -> list[str]:
    """What to answer, what that is worth as `solve` tells it, and what comes next to it."""
    best = list(said(game, position, player, advice.answers))
    lines = [_told(decision, answer) for decision, answer in best]
    lines += [headline(advice, question.objective), until_when(game, position, question, "`hint far`")]
    lines += rests_on(question, advice)
    for other in advice.options[1 : 1 + OTHERS]:
        lines.append(_beside(other, list(said(game, position, player, other.answers)), best))
    return lines


def said(game: Game, position: Position, player: int, answers: AnswerSequence) -> Iterator[tuple[Decision, Answer]]:
    """The decisions that answers are about, with the answer to each."""
    for answer in answers:
        decision = game.decision(position, player)
        assert decision is not None
        yield decision, answer
        position = game.answer(position, player, answer)


def _told(decision: Decision, answer: Answer) -> str:
    return f"{one_line(decision.prompt)} {answer_text(decision, answer)}"


def _beside(other: ValuedAnswer, answers: list[tuple[Decision, Answer]], best: list[tuple[Decision, Answer]]) -> str:
    """Another answer, by what it differs in, and by how much it is behind."""
    same = [(decision.prompt, answer) for decision, answer in best]
    told = [(decision, answer) for decision, answer in answers if (decision.prompt, answer) not in same]
    words = "; ".join(answer_text(*told[0]) if len(answers) == 1 else _told(*each) for each in told)
    behind = other.behind
    far = f"{number(abs(hundredths(behind.mean)))} ± {behind.error:.2f} {'less' if behind.mean >= 0 else 'more'}"
    return f"or: {words}: {far}"
