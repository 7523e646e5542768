"""Answers without a model and without samples: every history from a position to the horizon is played.

It stands beside models and sampling, for decisions after which few stages remain. The player re-decides at each later
decision by what is seen until then, the others answer anything that is legal with equal chances, and every world that
the player holds for possible counts by its weight. So the value is exact, and its own later decisions are the best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from interpreter.game import Answer, Game, Position, TooManyWorlds
from interpreter.lookahead import Answers
from solver.objective import NoAnswer
from solver.outcome import WIN, Measure
from solver.response import History, Search, TooManyHistories

ENGINE = "exact"
POLICY = "the best answers by what is seen then"

MOST = 60_000
"""So many histories are played at most, counted up to every event."""


@dataclass(frozen=True)
class Exact:
    """What each answer is worth, best first, the first of equals first. `histories` and `sets` as in a response."""

    options: tuple[tuple[Answers, Fraction], ...]
    histories: int
    sets: int


def exact(game: Game, position: Position, player: int, measure: Measure, most: int = MOST) -> Exact:
    """What every answer is worth at the horizon; `TooManyHistories` if there is too much to play."""
    try:
        worlds = game.worlds(position, player, most)
    except TooManyWorlds:
        raise TooManyHistories("too much is possible that the player does not see") from None
    start = game.round(position)

    def is_end(reached: Position) -> bool:
        return game.is_over(reached) or (start > 0 and game.round(reached) != start)

    def worth(end: Position) -> Fraction:
        if measure.objective == WIN and not game.is_over(end):
            raise NoAnswer("whether the game ends in this round is open, so that `--objective win` has no meaning yet")
        return Fraction(measure(position, end), measure.unit)

    search = Search(game, player, worth, is_end, most)
    total = sum(weight for _, weight in worlds)
    first = worlds[0][0]
    answers = list(whole_answers(game, first, player))
    width = len(worlds) * len(answers) * _others(game, first, player)
    if width > most:  # seen at once, before anything is played
        raise TooManyHistories(f"there are more than {width:,} histories")
    found: list[tuple[Answers, Fraction]] = []
    for option in answers:
        histories: list[History] = []
        for world, weight in worlds:
            after = world
            for answer in option:
                after = search.reached(game.answer(after, player, answer))
            histories.append((after, Fraction(weight, total), search.news(world, after)))
        found.append((option, search.best(histories)[0]))
    found.sort(key=lambda valued: -valued[1])
    return Exact(tuple(found), search.histories, search.sets)


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


def _others(game: Game, position: Position, player: int) -> int:
    """About how many ways the others have to answer in a secret block: as many as along the first answers."""
    ways = 1
    while position.sealed is not None:
        decision = next((d for d in game.pending(position) if d.player != player), None)
        if decision is None:
            break
        ways *= decision.answers.count()
        after = game.answer(position, decision.player, decision.answers.nth(0))
        if after.slots is not position.slots:
            break
        position = after
    return ways
