"""The `random` player: every answer as likely as any other, as the contract of random numbers says it."""

from __future__ import annotations

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position


class RandomPlayer:
    """One element: uniform in canonical order. Several: drawn one after the other, a uniform size first if need be."""

    uniform = True  # see `chocolatl.interpreter.play.match`

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return decision.answers.sample(random)
