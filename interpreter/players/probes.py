"""How many histories a game has, guessed from a few that are drawn at random (Knuth's estimator)."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import below

PROBES = 8
"""So many histories are played to guess how many there are."""


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
