"""What a player would answer, to be compared with the best answers: choices by name, checked and decoded.

It may be a part of what is asked in a secret block; then somebody has to find the rest (a partial assignment).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, NotAValue, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

ProposedAnswers = Sequence[tuple[str, object]]
"""Choices by name, each with a value as it is written in files; in any order."""

IDEA = QuestionSetting(QuestionPart.IDEA)

WALKS = 50
"""What is asked may depend on the answers before it: so many times a secret block is answered at random to see it."""


@dataclass(frozen=True)
class Proposal:
    """The answers that are proposed, by the names of their choices; all of them in order, if nothing is missing."""

    given: Mapping[str, Answer]
    whole: AnswerSequence | None


def proposal_of(game: Game, position: Position, player: int, proposed: ProposedAnswers) -> Proposal:
    """What is proposed for the decision at hand, or for what is left of a secret block, or a part of it."""
    block = game.sample_unknown(position, player, Random(0))  # nobody else has answered, so the block stays open
    given, answers, current = dict(proposed), dict[str, Answer](), block
    while (decision := game.decision(current, player)) is not None and current.slots is block.slots:
        if decision.name not in given:
            return Proposal({**answers, **_others(game, block, player, given)}, None)
        value = given.pop(decision.name)
        answer = _decoded(decision, value)
        if not decision.answers.contains(answer):
            raise NoAnswer(IDEA, f": {game.players[player]} cannot answer `{decision.name}` with {value}")
        answers[decision.name] = answer
        current = game.answer(current, player, answer)
    if given:
        raise _not_asked(game, player, next(iter(given)), list(answers))
    return Proposal(answers, tuple(answers.values()))


def _others(game: Game, block: Position, player: int, given: Mapping[str, object]) -> dict[str, Answer]:
    """What is given of choices before which something is missing."""
    asked: dict[str, Decision] = {}
    random, left = Random(0), set(given)
    for _ in range(WALKS):
        current = block
        while (decision := game.decision(current, player)) is not None and current.slots is block.slots:
            asked.setdefault(decision.name, decision)
            current = game.answer(current, player, decision.answers.sample(random))
        left -= set(asked)
        if not left:
            break
    if left:
        raise _not_asked(game, player, next(name for name in given if name in left), list(asked))
    if not given and len(asked) == 1:
        raise NoAnswer(IDEA, f": what is answered to `{next(iter(asked))}`?")
    return {name: _decoded(asked[name], value) for name, value in given.items()}


def _decoded(decision: Decision, value: object) -> Answer:
    if isinstance(decision.answers, SeveralAnswers) and not isinstance(value, list):
        value = [_piece(word) for word in str(value).split()]  # as people type pieces, and as answers are shown
    try:
        return decision.decode(value)
    except NotAValue as error:
        raise NoAnswer(IDEA, f": `{decision.name}`: {error}") from None


def _piece(word: str) -> object:
    try:
        return int(word)
    except ValueError:
        return word


def _not_asked(game: Game, player: int, name: str, asked: Sequence[str]) -> NoAnswer:
    hint = nearest(name, asked)
    return NoAnswer(IDEA, f": {game.players[player]} is not asked `{name}` here" + (f"; {hint}" if hint else ""))


def has(game: Game, position: Position, player: int, answers: AnswerSequence, given: Mapping[str, Answer]) -> bool:
    """Whether a whole answer has all that is given."""
    left = dict(given)
    for answer in answers:
        decision = game.decision(position, player)
        assert decision is not None
        if left.pop(decision.name, answer) != answer:
            return False
        position = game.answer(position, player, answer)
    return not left
