"""A hint that was given at the keyboard: what it says, and its answers, which can be taken over (a prepared move)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chocolatl.interpreter.play.game import Answer, Position


@dataclass(frozen=True)
class Hint:
    """What was told to a player in a position. In a secret block the answers are all that is left of it."""

    position: Position
    player: int
    answers: Sequence[Answer]
    lines: Sequence[str]

    def answer_for(self, position: Position, player: int) -> Answer | None:
        """What it says to the decision at hand; None if it was about another one. In a secret block it holds for as
        long as its player answers as it says."""
        if player != self.player or position.slots is not self.position.slots:
            return None
        before, now = _given(self.position, player), _given(position, player)
        said = (*before, *self.answers)
        return said[len(now)] if said[: len(now)] == now and len(before) <= len(now) < len(said) else None


def _given(position: Position, player: int) -> tuple[Answer, ...]:
    """What a player has answered in the secret block so far."""
    return () if position.sealed is None else tuple(position.sealed[player].answers)
