"""What a player holds for possible, and how likely (beliefs): all worlds alike, or weighed by what others have done."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Position
from chocolatl.interpreter.players.lookahead import below


class BeliefKind(Enum):
    """How likely a world is that the player cannot tell from the others."""

    UNIFORM = "uniform"
    POLICY = "policy"


class WeighedWorlds:
    """Worlds that a player cannot tell apart, and how likely each is. Shares are exact, and add up to 1."""

    def __init__(self, shares: Mapping[Position, Fraction]) -> None:
        total = sum(shares.values())
        self.shares = [(world, share / total) for world, share in shares.items() if share]

    @property
    def effective(self) -> float:
        """So many worlds, all alike, would say as much (Kish's effective sample size)."""
        return float(1 / sum(share * share for _, share in self.shares))

    @cached_property
    def _up_to(self) -> list[int]:
        whole = lcm(*(share.denominator for _, share in self.shares))
        return list(accumulate(int(share * whole) for _, share in self.shares))

    def drawn(self, random: Random) -> Position:
        """One of them."""
        return self.shares[bisect_right(self._up_to, below(self._up_to[-1], random))][0]


@dataclass(frozen=True)
class HeldBeliefs:
    """The worlds with their weights; none where all are alike, and why, if they were to be weighed."""

    worlds: WeighedWorlds | None = None
    why_not: str | None = None

    @property
    def kind(self) -> BeliefKind:
        return BeliefKind.UNIFORM if self.worlds is None else BeliefKind.POLICY
