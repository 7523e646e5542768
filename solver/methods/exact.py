"""Answers without a model and without samples: every history to the horizon is played (expectimax).

It stands beside models and sampling, for decisions after which few stages remain. The player re-decides at each later
decision by what is seen until then, the others answer anything that is legal with equal chances, and every world that
the player holds for possible counts by its weight. So the value is exact, and its own later decisions are the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, log10

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Game, Position, TooManyWorlds
from chocolatl.interpreter.players.lookahead import AnswerSequence, below
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods.response import History, HistorySearch, TooManyHistories
from chocolatl.solver.worth.outcome import WIN, OutcomeMeasure
from chocolatl.solver.worth.refusals import NOBODY_WON, NoAnswer

ENGINE = "exact"
POLICY = "the best answers by what is seen then"

MOST = 200_000
"""So many histories are played at most, counted up to every event."""

PROBES = 8
"""So many histories are played to guess how many there are."""

SURELY = 100
"""If so many times too many histories are guessed, not even who asks for all of them has to wait for the end."""


@dataclass(frozen=True)
class ExactSearch:
    """What each answer is worth, best first, the first of equals first. `histories` and `sets` as in a response."""

    options: tuple[tuple[AnswerSequence, Fraction], ...]
    histories: int
    sets: int


def exact(
    game: Game,
    position: Position,
    player: int,
    measure: OutcomeMeasure,
    most: int = MOST,
    deadline: Deadline | None = None,
    hopeless: int = SURELY,
) -> ExactSearch:
    """What every answer is worth at the horizon; `TooManyHistories` if there is too much to play, or if so many times
    more is to be expected."""
    try:
        worlds = game.worlds(position, player, most)
    except TooManyWorlds:
        raise TooManyHistories("too much is possible that the player does not see") from None
    start = game.round(position)

    def is_end(reached: Position) -> bool:
        return game.is_over(reached) or (start > 0 and game.round(reached) != start)

    def worth(end: Position) -> Fraction:
        if measure.objective == WIN and not game.is_over(end):
            raise NoAnswer("whether the game ends in this round is open,", *NOBODY_WON)
        return Fraction(measure(position, end), measure.unit)

    expected = len(worlds) * guessed(game, worlds[0][0], is_end)
    if expected > hopeless * most:  # seen at once, before anything is played
        raise TooManyHistories(f"there are about 10^{log10(expected):.0f} histories, and {most:,} at most are played")
    search = HistorySearch(game, player, worth, is_end, most, deadline)
    total = sum(weight for _, weight in worlds)
    found: list[tuple[AnswerSequence, Fraction]] = []
    for option in whole_answers(game, worlds[0][0], player):
        histories: list[History] = []
        for world, weight in worlds:
            after = world
            for answer in option:
                after = search.reached(game.answer(after, player, answer))
            histories.append((after, Fraction(weight, total), search.news(world, after)))
        found.append((option, search.best(histories)[0]))
    found.sort(key=lambda valued: -valued[1])
    return ExactSearch(tuple(found), search.histories, search.sets)


def whole_answers(game: Game, position: Position, player: int) -> Iterator[tuple[Answer, ...]]:
    """All that a player can answer: to the decision at hand, or to all that are left of a secret block."""
    decision = game.decision(position, player)
    assert decision is not None
    for answer in decision.answers:
        after = game.answer(position, player, answer)
        goes_on = position.sealed is not None and after.slots is position.slots
        if goes_on and game.decision(after, player) is not None:
            yield from ((answer, *rest) for rest in whole_answers(game, after, player))
        else:
            yield (answer,)


def guessed(game: Game, position: Position, is_end: Callable[[Position], bool]) -> float:
    """About how many histories there are from a position to the horizon: along some that are drawn at random, the
    product of how many ways there were to go on at each step. That is right in the mean."""
    products = []
    for probe in range(PROBES):
        reached, ways, random = position, 1.0, Random(0, probe)
        while not is_end(reached):
            chance = game.chance(reached)
            if chance is not None:
                kinds, times = len(chance.outcomes.weights), chance.outcomes.times
                ways *= comb(kinds + times - 1, times) if chance.outcomes.several else kinds
                reached = game.resolve(reached, chance.outcomes.sample(random))
            else:
                decision = game.pending(reached)[0]
                count = decision.answers.count()
                ways *= count
                reached = game.answer(reached, decision.player, decision.answers.nth(below(count, random)))
        products.append(ways)
    return sum(products) / PROBES
