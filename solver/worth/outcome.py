"""What the end of a scenario is worth to a player: the objectives, and what counts beyond the round.

It reads positions that were played, so it is the judge of models and samples alike.
"""

from __future__ import annotations

from operator import mul

from chocolatl.interpreter.formats.valuation import PER_POINT, Valuation, rounds_left
from chocolatl.interpreter.play.game import Game, Position

POINTS, MARGIN, WIN, HALF_WIN = "points", "margin", "win", "win:half"
OBJECTIVES = (POINTS, MARGIN, WIN, HALF_WIN)

VICTORIES = (WIN, HALF_WIN)
"""Objectives that have a meaning only where the game ends."""

HALVES = {HALF_WIN: 2}
"""In how many parts one of an objective is counted, if not as a whole."""


class OutcomeMeasure:
    """What a position at the horizon is worth to a player who was at another one: in points, in halves or, with a
    valuation, in hundredths."""

    def __init__(self, game: Game, player: int, objective: str = POINTS, valuation: Valuation = ()) -> None:
        self.game = game
        self.player = player
        self.objective = objective
        self.valuation = valuation
        self.unit = PER_POINT if valuation else HALVES.get(objective, 1)
        """A point."""
        self.worth: dict[int, list[int]] = {}
        """What one of each item is worth, by how many rounds are left."""
        self.items = [(item, game.program.formula(item.player, item.what)) for item in valuation]

    def __call__(self, before: Position, end: Position) -> int:
        share = self.unit // HALVES.get(self.objective, 1)
        return self.gained(before, end) * share + (self.beyond(end) if self.items else 0)

    def told(
        self, before: tuple[int, ...], scores: tuple[int, ...], over: bool, round_: int, counts: tuple[int, ...]
    ) -> float:
        """The same of an end of which only this is told, in points; not of victories."""
        beyond = self.valued(self.left(over, round_), counts) if self.items else 0
        return (self.scored(before, scores) * self.unit + beyond) / self.unit

    def gained(self, before: Position, end: Position) -> int:
        """What has come of the objective; of half victories, how many halves."""
        if self.objective in VICTORIES:
            winners = self.game.result(end).winners
            halves = 2 if list(winners) == [self.player] else int(self.player in winners)
            return halves if self.objective == HALF_WIN else min(halves, 1)
        return self.scored(self.game.scores(before), self.game.scores(end))

    def scored(self, before: tuple[int, ...], scores: tuple[int, ...]) -> int:
        """What has come of points or of a margin."""
        if self.objective == POINTS:
            return scores[self.player] - before[self.player]
        return scores[self.player] - max((s for seat, s in enumerate(scores) if seat != self.player), default=0)

    def beyond(self, end: Position) -> int:
        """What the player has, for the rounds that are left."""
        return sum(self.holdings(end).values())

    def holdings(self, end: Position) -> dict[str, int]:
        """The same by item, of those that are worth anything."""
        left = self.left(self.game.is_over(end), self.game.round(end))
        return {
            item.name: item.each(left) * count(end.slots, self.player) for item, count in self.items if item.each(left)
        }

    def left(self, over: bool, round_: int) -> int:
        """How many rounds are left. The round of a position that goes on is the next one."""
        return rounds_left(self.game, over, round_)

    def valued(self, left: int, counts: tuple[int, ...]) -> int:
        """What the player has, by how much there is of each item."""
        if left not in self.worth:
            self.worth[left] = [item.each(left) for item, _ in self.items]
        return sum(map(mul, self.worth[left], counts))
