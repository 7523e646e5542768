"""How far a question looks (horizon): to the end of the round, or to the end of one that is not near."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.playout import WHOLE_GAME, Horizon


class HorizonKind(Enum):
    ROUND = "round"
    """The end of the round; before the first round, and in a game without rounds, the end of the game."""
    FAR = "far"
    """The end of a round that is not near, whatever the round is now: for whoever goes on to play, and has nothing that
    says what lasts beyond a round. In a game without rounds, the end of the game."""


LEAST, MOST = 40, 400
"""A round that ends after fewer decisions is near; after so many it is seen how things stand, wherever that is."""


def horizon_of(game: Game, position: Position, kind: HorizonKind) -> Horizon:
    """Where a position is played on to."""
    match kind:
        case HorizonKind.ROUND:
            return Horizon() if game.round(position) else WHOLE_GAME
        case HorizonKind.FAR:
            return Horizon(LEAST, MOST) if game.has_rounds else WHOLE_GAME
        case _:
            assert_never(kind)
