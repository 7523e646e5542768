"""Answers to begin a search with (warm start): those that others give to the same secret block, if they are legal, and
those that a policy gives.

Who divides coins against others who divide coins does well to look at their divisions first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.symbolic.scenario import Conduct, FixedScenario

MOST = 200
"""So many answers of others are looked at."""


def starting_answers(game: Game, player: int, scenarios: Iterable[FixedScenario]) -> list[AnswerSequence]:
    """What others answer in some scenarios, each once, if the player can answer the same."""
    legal: dict[AnswerSequence, bool] = {}
    for scenario in scenarios:
        for answers in _of_others(scenario.position, player):
            if len(legal) < MOST and answers not in legal:
                legal[answers] = is_legal(game, scenario.position, player, answers)
    return [answers for answers, is_one in legal.items() if is_one]


def policy_answers(game: Game, position: Position, player: int, conduct: Conduct, random: Random) -> AnswerSequence:
    """What somebody who follows a policy may answer to the decision at hand, or to all that is left of a secret
    block."""
    answers: list[Answer] = []
    block = position.slots
    while position.slots is block and (decision := game.decision(position, player)) is not None:
        answers.append(conduct.answer(position, decision, random))
        position = game.answer(position, player, answers[-1])
    return tuple(answers)


def _of_others(position: Position, player: int) -> Iterator[AnswerSequence]:
    """What others have answered to what the player is still to answer."""
    if position.sealed is not None:
        done = len(position.sealed[player].answers)
        yield from (private.answers[done:] for other, private in enumerate(position.sealed) if other != player)


def is_legal(game: Game, position: Position, player: int, answers: AnswerSequence) -> bool:
    """Whether a player can answer a secret block so, to its end."""
    block = position
    for answer in answers:
        decision = game.decision(position, player)
        if decision is None or position.slots is not block.slots or not decision.answers.contains(answer):
            return False
        position = game.answer(position, player, answer)
    return position.slots is not block.slots or game.decision(position, player) is None
