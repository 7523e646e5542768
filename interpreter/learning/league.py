"""Who sits at the tables of a learner (a league): itself, what it was before, and those who were trained against it.

Playing against oneself alone settles in a bad place: what is learned answers nothing but itself. So each other seat is
taken by a member of a pool as often as not. A quarter of these are earlier versions of the learner; the others are
exploiters, which learn from nothing to beat it. One of them learns beside it all the time, so that the learner feels
each weakness while it is being found out, and has to mix; those before stay as they were in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.policy.weights import PolicyWeights

POOLED = 0.6
"""How likely another seat is taken by a member of the pool, if it is not empty."""

EXPLOITERS = 0.75
"""How likely that is an exploiter, if there is one."""

RIVALS = 0.6
"""How likely that is the one that learns just now, if there are others."""

GROUPS = 20
"""A batch is dealt out to so many groups of games at most, each with players of its own."""

LEAST_GROUP = 25
"""Fewer games are no group of their own, but there is one for each seat: it costs time to change players."""

Seating = Callable[[int], Sequence[PolicyWeights]]
"""Who sits at a table, by seat, where the learner has a seat."""


@dataclass(frozen=True)
class GameGroup:
    """Some games of the same players: their weights by seat, and which seats learn from them."""

    weights: tuple[PolicyWeights, ...]
    learning: tuple[bool, ...]
    first: int
    count: int


@dataclass
class League:
    """The pool of a learner."""

    players: int
    snapshots: list[PolicyWeights] = field(default_factory=list)
    exploiters: list[PolicyWeights] = field(default_factory=list)
    rival: PolicyWeights | None = None
    """The exploiter that learns just now."""

    def batch(self, learner: PolicyWeights, first: int, games: int, random: Random) -> list[GameGroup]:
        """The groups of one batch; the learner sits everywhere equally often."""

        def seated(seat: int, own: int) -> PolicyWeights:
            if seat == own or not self.snapshots or not chance(POOLED, random):
                return learner
            return self.member(random)

        return groups(
            lambda own: [seated(seat, own) for seat in range(self.players)], learner, self.players, first, games
        )

    def member(self, random: Random) -> PolicyWeights:
        if (self.exploiters or self.rival is not None) and chance(EXPLOITERS, random):
            if self.rival is not None and (not self.exploiters or chance(RIVALS, random)):
                return self.rival
            return self.exploiters[random.below(len(self.exploiters))]
        return self.snapshots[random.below(len(self.snapshots))]


def against(learner: PolicyWeights, fixed: PolicyWeights, players: int, first: int, games: int) -> list[GameGroup]:
    """The groups of one batch of a learner among players who stay as they are: one for each of its seats."""
    return groups(
        lambda own: [learner if seat == own else fixed for seat in range(players)], learner, players, first, games,
        players,
    )  # fmt: skip


def groups(
    seats: Seating, learner: PolicyWeights, players: int, first: int, games: int, most: int = GROUPS
) -> list[GameGroup]:
    found: list[GameGroup] = []
    fewer = max(1, games // LEAST_GROUP // players) * players
    count = most if games >= most * LEAST_GROUP else fewer
    for number in range(count):
        begin, end = games * number // count, games * (number + 1) // count
        weights = tuple(seats(number % players))
        if end > begin:
            found.append(GameGroup(weights, tuple(each is learner for each in weights), first + begin, end - begin))
    return found


def chance(share: float, random: Random) -> bool:
    return random.below(1 << 16) < share * (1 << 16)
