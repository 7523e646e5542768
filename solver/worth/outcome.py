"""What the end of a scenario is worth to a player: the objectives, and what counts beyond the round.

It reads positions that were played, so it is the judge of models and samples alike.
"""

from __future__ import annotations

from chocolatl.interpreter.formats.valuation import PER_POINT, Valuation
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.program.types import Scalar

POINTS, MARGIN, WIN = "points", "margin", "win"
OBJECTIVES = (POINTS, MARGIN, WIN)


class OutcomeMeasure:
    """What a position at the horizon is worth to a player who was at another one: in points or, with a valuation, in
    hundredths."""

    def __init__(self, game: Game, player: int, objective: str = POINTS, valuation: Valuation = ()) -> None:
        self.game = game
        self.player = player
        self.objective = objective
        self.valuation = valuation
        self.unit = PER_POINT if valuation else 1
        """A point."""
        self.items = [(item, game.program.formula(item.player, item.what)) for item in valuation]

    def __call__(self, before: Position, end: Position) -> int:
        return self.gained(before, end) * self.unit + (self.beyond(end) if self.items else 0)

    def gained(self, before: Position, end: Position) -> int:
        """What has come of the objective."""
        if self.objective == WIN:
            return int(self.player in self.game.result(end).winners)
        scores = self.game.scores(end)
        if self.objective == POINTS:
            return scores[self.player] - self.game.scores(before)[self.player]
        return scores[self.player] - max((s for seat, s in enumerate(scores) if seat != self.player), default=0)

    def beyond(self, end: Position) -> int:
        """What the player has, for the rounds that are left."""
        return sum(self.holdings(end).values())

    def holdings(self, end: Position) -> dict[str, int]:
        """The same by item, of those that are worth anything. The round of a position that goes on is the next one."""
        left = 0 if self.game.is_over(end) else rounds(self.game) - self.game.round(end) + 1
        return {
            item.name: item.each(left) * count(end.slots, self.player) for item, count in self.items if item.each(left)
        }


def rounds(game: Game) -> int:
    """How many rounds a game has."""
    type_ = game.program.layout.places[None, "round"].field.type if game.has_rounds else None
    return type_.high if isinstance(type_, Scalar) else 0
