"""What a player would answer, to be compared with the best answers: choices by name, checked and decoded."""

from __future__ import annotations

from collections.abc import Sequence

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Game, NotAValue, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

ProposedAnswers = Sequence[tuple[str, object]]
"""Choices by name, each with a value as it is written in files; in any order."""

IDEA = QuestionSetting(QuestionPart.IDEA)


def answers_of(game: Game, position: Position, player: int, proposed: ProposedAnswers) -> AnswerSequence:
    """The answers that are proposed: to the decision at hand, or to all that are left of a secret block."""
    block = game.sample_unknown(position, player, Random(0))  # nobody else has answered, so the block stays open
    given, answers, current = dict(proposed), list[Answer](), block
    while (decision := game.decision(current, player)) is not None and current.slots is block.slots:
        if decision.name not in given:
            hint = nearest(decision.name, list(given))
            raise NoAnswer(IDEA, f": what is answered to `{decision.name}`?" + (f" {hint}" if hint else ""))
        value = given.pop(decision.name)
        try:
            answer = decision.decode(value)
        except NotAValue as error:
            raise NoAnswer(IDEA, f": `{decision.name}`: {error}") from None
        if not decision.answers.contains(answer):
            raise NoAnswer(IDEA, f": {game.players[player]} cannot answer `{decision.name}` with {value}")
        answers.append(answer)
        current = game.answer(current, player, answer)
    if given:
        raise NoAnswer(IDEA, f": {game.players[player]} is not asked `{next(iter(given))}` here")
    return tuple(answers)
