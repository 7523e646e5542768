"""How well it goes for each player, judged at the beginning of each round (a critic with eligibility, TD(lambda)).

The chances of the players are in proportion to two to the power of a linear function of what each of them has; there is
one such function for each round. A draw is judged by how the chances of its player change from there to the end of the
game, later changes counting less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.learning.gradients import GRAIN, Reals, odds_below
from chocolatl.interpreter.policy.trace import Trace

FADING = 0.9
"""How much each later change counts, of the one before it (lambda)."""

FINE = 16
"""A weight of one is so many units; 64 in a scaled feature stand for one, 65536 in a logit."""

MOST_CRITIC_WEIGHT = 1 << 15
MOST_CRITIC_ROUNDS = 32
"""Later rounds are judged like the last of these."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Advantages by table and row of the decisions; and what the critic learns from it."""

    advantages: list[Reals]
    sums: Reals
    moments: int
    surprise: float
    """The mean square of how far the first judgement of a game was from its end."""


def no_critic(common: int) -> Reals:
    """By round, a weight of each common feature, in units."""
    return np.zeros((MOST_CRITIC_ROUNDS, common))


def judged(trace: Trace, weights: Reals, players: int) -> Judged:
    """What a critic says of some games. `weights` are whole numbers."""
    moments = trace.moments[np.lexsort([trace.moments[key] for key in ("seat", "order", "game")])]
    groups = len(moments) // players
    x = moments["x"].astype(np.float64).reshape(groups, players, -1)
    game = moments["game"].reshape(groups, players)[:, 0]
    order = moments["order"].reshape(groups, players)[:, 0].astype(np.int64)
    rounds = np.clip(moments["round"].reshape(groups, players)[:, 0], 0, MOST_CRITIC_ROUNDS - 1)
    logits = np.zeros((groups, players))
    for number in np.unique(rounds):
        here = rounds == number
        logits[here] = (x[here] @ weights[number]) * FINE
    odds = odds_below(logits.max(axis=1, keepdims=True) - logits)
    chances = odds / odds.sum(axis=1, keepdims=True)
    is_last = np.r_[game[1:] != game[:-1], True]
    is_first = np.r_[True, is_last[:-1]]
    starts = np.flatnonzero(is_first)
    lengths = np.diff(np.r_[starts, groups])
    returns = np.zeros((groups, players))
    later, after = trace.shares[game[starts]], trace.shares[game[starts]]
    for back in range(int(lengths.max(initial=0))):  # from the last judgement of each game to its first
        there = lengths > back
        number = starts[there] + lengths[there] - 1 - back
        later[there] = after[there] + FADING * (later[there] - after[there])
        returns[number] = later[there]
        after[there] = chances[number]
    better = returns - chances
    whole = np.rint(better * GRAIN)
    sums = np.zeros(weights.shape)
    for number in np.unique(rounds):
        here = rounds == number
        sums[number] += whole[here].reshape(-1) @ x[here].reshape(-1, x.shape[2])
    surprise = float(np.mean((trace.shares[game[starts]] - chances[starts]) ** 2)) if groups else 0.0
    span = int(order.max(initial=0)) + 1 + max((int(d["order"].max(initial=0)) for d in trace.decisions), default=0)
    times = game.astype(np.int64) * span + order
    advantages = [_advantages(rows, times, span, better) for rows in trace.decisions]
    return Judged(advantages, sums, groups * players, surprise)


def _advantages(rows: NDArray[Any], times: NDArray[np.int64], span: int, better: Reals) -> Reals:
    """Of each draw: that of the last moment before it."""
    when = rows["game"].astype(np.int64) * span + rows["order"]
    moment = np.searchsorted(times, when, side="right") - 1
    return np.asarray(better[np.maximum(moment, 0), rows["seat"]])
