"""All answers to a secret block at once, sought by trial (local search): where there are too many for all.

Some whole answers are drawn at random; the best of them is changed again and again, and a change stays if it is no
worse in the same scenarios. A change is small: a piece is laid elsewhere, and another one takes its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.methods.sampling import Sampler

DRAWN = 0.3
"""Which share of the tries is spent on whole answers that are drawn at random."""

KEPT = 4
"""So many of the best answers are handed on."""


def searched(
    sampler: Sampler, position: Position, player: int, tries: int, scenarios: int, random: Random
) -> list[AnswerSequence]:
    """The best whole answers that are found, best first."""
    game = sampler.game
    block = game.sample_unknown(position, player, random)  # nobody else has answered, so the block stays open
    found: dict[AnswerSequence, float] = {}

    def worth(answers: AnswerSequence) -> float:
        if answers not in found:
            found[answers] = sum(row[0] for row in sampler.table([answers], 0, scenarios))
        return found[answers]

    drawn = max(1, round(DRAWN * tries))
    best = max((whole(game, block, player, random) for _ in range(drawn)), key=worth)
    for _ in range(tries - drawn):
        other = whole(game, block, player, random, best, random.below(len(best)))
        if worth(other) >= worth(best):
            best = other
    return sorted(found, key=lambda answers: (answers != best, -found[answers]))[:KEPT]


def whole(
    game: Game, block: Position, player: int, random: Random, like: AnswerSequence = (), changed: int = -1
) -> tuple[Answer, ...]:
    """Answers to all that a player has still to choose in a secret block: drawn at random, or like others as far as
    they are legal, with one of them changed."""
    answers: list[Answer] = []
    position = block
    while (decision := game.decision(position, player)) is not None and position.slots is block.slots:
        number = len(answers)
        if number >= len(like):
            answer = decision.answers.sample(random)
        elif number == changed:
            answer = _changed(decision, like[number], random)
        else:
            answer = _kept(decision, like[number], like[number + 1 :], random)
        answers.append(answer)
        position = game.answer(position, player, answer)
    return tuple(answers)


def _changed(decision: Decision, old: Answer, random: Random) -> Answer:
    """Another answer; of several pieces, one is exchanged."""
    answers = decision.answers
    if not isinstance(answers, SeveralAnswers) or not old:
        return answers.sample(random)
    left = _there(answers)
    left.subtract(old)
    others = sorted((+left).elements())
    if not others:
        return answers.sample(random)
    pieces = list(old)
    pieces[random.below(len(pieces))] = others[random.below(len(others))]
    new = tuple(sorted(pieces))
    return new if answers.contains(new) else answers.sample(random)


def _kept(decision: Decision, old: Answer, later: Sequence[Answer], random: Random) -> Answer:
    """The old answer; pieces of it that are gone are replaced by such as no later answer wants."""
    answers = decision.answers
    if answers.contains(old):
        return old
    if not isinstance(answers, SeveralAnswers):
        return answers.sample(random)
    left = _there(answers)
    pieces: list[int] = []
    for piece in old:
        if left[piece] > 0:
            left[piece] -= 1
            pieces.append(piece)
    free = Counter(left)
    for wanted in later:
        if isinstance(wanted, tuple):
            free.subtract(wanted)
    loose = sorted((+free).elements())
    while len(pieces) < len(old) and loose:
        pieces.append(loose.pop(random.below(len(loose))))
    new = tuple(sorted(pieces))
    return new if answers.contains(new) else answers.sample(random)


def _there(answers: SeveralAnswers) -> Counter[int]:
    """The pieces that can be chosen."""
    return Counter({answers.low + kind: copies for kind, copies in enumerate(answers.counts) if copies})
