"""Small changes of whole answers to a secret block, and climbs by them (hill climbing), by playing alone.

One answer is changed, or two of them exchange something: a piece, a number of coins, all of it. Where a change leaves
too little or too much for what comes after it, that is made legal with as little as possible. It takes nothing but the
rules, so that it works where there is no model, and judges what a model has found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice

from chocolatl.interpreter.lowered.answers import SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import TimeIsUp

VALUES = 128
"""So many values of one answer are tried at most; of more, some at random."""

FEW = 24
"""Of two answers with so few values each, all of them are tried together."""


class SecretBlock:
    """What a player has still to answer in a secret block, from a position at which only others have answered."""

    def __init__(self, game: Game, position: Position, player: int) -> None:
        self.game = game
        self.position = position
        self.player = player

    def decisions(self, wanted: AnswerSequence) -> Iterator[tuple[Decision, Answer]]:
        """What is asked, and the answer: what is wanted, or what is legal and comes close to it."""
        position, number = self.position, 0
        while (decision := self.decision(position)) is not None:
            answer = _legal(decision.answers, wanted[number] if number < len(wanted) else None, wanted[number + 1 :])
            yield decision, answer
            position, number = self.game.answer(position, self.player, answer), number + 1

    def decision(self, position: Position) -> Decision | None:
        """What is asked next in the block; it is over where others see what was answered."""
        return self.game.decision(position, self.player) if position.slots is self.position.slots else None

    def answers(self, wanted: AnswerSequence) -> AnswerSequence:
        """A legal answer that comes close to one that is wanted."""
        return tuple(answer for _, answer in self.decisions(wanted))

    def neighbours(self, answers: AnswerSequence, random: Random) -> Iterator[AnswerSequence]:
        """Answers that differ a little, each once, in random order."""
        changes = [*self.changes(answers, random)]
        known = {answers}
        for number in range(len(changes)):
            chosen = number + random.below(len(changes) - number)
            changes[number], changes[chosen] = changes[chosen], changes[number]
            found = self.answers(changes[number])
            if found not in known:
                known.add(found)
                yield found

    def changes(self, answers: AnswerSequence, random: Random) -> Iterator[AnswerSequence]:
        """One answer changed, two that exchange something, and two changed in all ways where they have few values."""
        asked = [decision.answers for decision, _ in self.decisions(answers)]
        for place, old in enumerate(answers):
            for new in _others(asked[place], old, random):
                changed = (*answers[:place], new, *answers[place + 1 :])
                yield changed
                if asked[place].count() <= FEW:
                    yield from self.changed_later(changed, place)
        for one, other in combinations(range(len(answers)), 2):
            for first, second in exchanges(asked[one], answers[one], answers[other]):
                yield (*answers[:one], first, *answers[one + 1 : other], second, *answers[other + 1 :])

    def changed_later(self, answers: AnswerSequence, place: int) -> Iterator[AnswerSequence]:
        """Answers of which one after a place is changed, if it has few values."""
        path = [*self.decisions(answers)]
        whole = tuple(answer for _, answer in path)
        for number in range(place + 1, len(path)):
            legal = path[number][0].answers
            if legal.count() <= FEW:
                yield from ((*whole[:number], each, *answers[number + 1 :]) for each in legal)


Worths = Callable[[Sequence[AnswerSequence]], Sequence[float]]
"""What whole answers are worth; `TimeIsUp` if there is no time to see it."""


def climbed(
    block: SecretBlock, answers: AnswerSequence, worths: Worths, random: Random, together: int = 1
) -> tuple[AnswerSequence, bool]:
    """An answer changed for as long as that helps, and whether it came to an end in the time. So many changes are tried
    at once, and the best of them is made."""
    try:
        (value,), higher = worths([answers]), True
        while higher:
            higher, neighbours = False, block.neighbours(answers, random)
            while not higher and (some := [*islice(neighbours, together)]):
                found, other = max(zip(worths(some), some, strict=True), key=lambda valued: valued[0])
                if found > value:
                    answers, value, higher = other, found, True
    except TimeIsUp:
        return answers, False
    return answers, True


# ---------------------------------------------------------------- changes


def _others(asked: SingleAnswers | SeveralAnswers, old: Answer, random: Random) -> list[Answer]:
    """Other answers to a question; of several pieces, with one piece more, less or another one."""
    if isinstance(asked, SeveralAnswers):
        assert isinstance(old, tuple)
        spare = {piece for piece, copies in enumerate(asked.counts, asked.low) if copies > old.count(piece)}
        found: list[Answer] = [_without(old, gone, new) for gone in {*old} for new in spare if new != gone]
        if len(old) < asked.most:
            found += [_without(old, None, new) for new in spare]
        if len(old) > max(asked.least, 0):
            found += [_without(old, gone, None) for gone in {*old}]
        return [each for each in found if asked.contains(each)]
    count = asked.count()
    places = range(count) if count <= VALUES else [random.below(count) for _ in range(VALUES)]
    return [answer for answer in map(asked.nth, places) if answer != old]


def exchanges(asked: SingleAnswers | SeveralAnswers, mine: Answer, theirs: Answer) -> Iterator[tuple[Answer, Answer]]:
    """What two answers may exchange: all, a piece, or some of a number."""
    if mine != theirs:
        yield theirs, mine
    if isinstance(mine, int) and isinstance(theirs, int):
        yield from ((mine - n, theirs + n) for n in range(mine - VALUES, mine + 1) if n and theirs + n >= 0)
    elif isinstance(asked, SeveralAnswers) and isinstance(mine, tuple) and isinstance(theirs, tuple):
        for given in (None, *sorted({*mine})):
            for taken in (None, *sorted({*theirs})):
                if given != taken:
                    yield _without(mine, given, taken), _without(theirs, taken, given)


def _without(pieces: tuple[int, ...], gone: int | None, new: int | None) -> tuple[int, ...]:
    """Pieces with one less, one more, or another one."""
    left = Counter(pieces)
    left.subtract([gone] if gone is not None else [])
    left.update([new] if new is not None else [])
    return tuple(sorted(left.elements()))


# ---------------------------------------------------------------- what is legal


def _legal(asked: SingleAnswers | SeveralAnswers, wanted: Answer, later: AnswerSequence) -> Answer:
    """What is wanted, or what comes close to it: the nearest number, or pieces that no later answer wants."""
    if asked.contains(wanted):
        return wanted
    if isinstance(asked, SingleAnswers):
        numbers = [value for value in asked if isinstance(value, int)]
        if isinstance(wanted, int) and numbers:
            return min(numbers, key=lambda value: abs(value - wanted))
        return asked.nth(0)
    left = Counter({piece: copies for piece, copies in enumerate(asked.counts, asked.low) if copies})
    kept: list[int] = []
    for piece in wanted if isinstance(wanted, tuple) else ():
        if left[piece] > 0 and len(kept) < asked.most:
            left[piece] -= 1
            kept.append(piece)
    free = Counter(left)
    free.subtract(piece for answer in later if isinstance(answer, tuple) for piece in answer)
    spare = [*sorted((+free).elements()), *sorted((+(left - +free)).elements())]
    found = tuple(sorted([*kept, *spare[: max(0, asked.least - len(kept))]]))
    return found if asked.contains(found) else asked.nth(0)
