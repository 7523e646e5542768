"""The `greedy` player: one step of looking ahead at the own score, for any game (successive halving).

Each candidate answer is tried in the same few worlds that the player cannot tell from the true one, and each world is
played on at random. The better half by score is tried in more worlds, and so on, until one answer is left; of equals
the first in canonical order stays. The player sees the position through `game.sample_unknown` alone.

Where it pays, native code decides, number by number as it is written here; it changes no answer who does.

A world is played on to the end of a round, which is where scores can be compared, but not to one that is near: the
first decisions of a short round would count for nothing. A game without rounds is left in the middle.
"""

from __future__ import annotations

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.lookahead.requests import Halving, Lookahead
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.playout import Horizon
from chocolatl.interpreter.players.lookahead import candidates, decided, endings

WORLDS = 2
"""In how many more worlds candidates are tried at least before half of them are left."""

TRIES = 16
"""So many tries are made before that, the fewer candidates there are the more with each."""

CANDIDATES = 12
"""How many answers are tried at most: all of them if there are no more, else so many drawn at random."""

NEAR = 12
"""A round that ends after fewer decisions is near."""

LONGEST = 400
"""How many decisions are made in search of the end of a round."""

MIDDLE = 60
"""How many are made in a game without rounds."""


class GreedyPlayer:
    def lookahead(self, game: Game) -> Lookahead:
        """How it looks ahead, for native code that plays whole games."""
        return Lookahead(CANDIDATES, Halving(WORLDS, TRIES), Horizon(NEAR, LONGEST if game.has_rounds else MIDDLE))

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        looks = self.lookahead(game)
        halving, horizon = looks.halving, looks.horizon
        tried = candidates(decision, looks.candidates, random)
        me = decision.player
        best = decided(game, position, decision, tried, halving, horizon, random)
        if best is not None:
            return tried[best]
        left, totals = list(range(len(tried))), [0] * len(tried)
        while len(left) > 1:
            for _ in range(max(halving.worlds, halving.tries // len(left))):
                world = game.sample_unknown(position, me, random)
                ends = endings(game, world, me, [(tried[number],) for number in left], random.next_u32(), horizon)
                for number, end in zip(left, ends, strict=True):
                    totals[number] += game.scores(end)[me]
            left = sorted(left, key=lambda number: (-totals[number], number))[: (len(left) + 1) // 2]
            left.sort()
        return tried[left[0]]
