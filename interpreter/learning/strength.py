"""How strong a policy is: its share of victories among others, with the interval that it surely lies in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from chocolatl.interpreter.learning.policy_training import Tracer
from chocolatl.interpreter.policy.weights import PolicyWeights, uniform_weights
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, wilson

MOST_SHARING = 99
"""So many players share a victory at most."""


def share_among(
    trace: Tracer, mine: PolicyWeights, others: PolicyWeights, players: int, seed: int, games: int
) -> ConfidenceInterval:
    """What one player wins among others who are all alike; in each seat as often, shared victories by their part."""
    each, won = max(1, games // players), Fraction(0)
    for seat in range(players):
        seats = [mine if other == seat else others for other in range(players)]
        shares = trace(seats, seed, seat * each, each, [False] * players).shares[:, seat]
        for share, times in zip(*np.unique(shares, return_counts=True), strict=True):
            won += Fraction(float(share)).limit_denominator(MOST_SHARING) * int(times)
    return wilson(won, each * players)


def share_among_random(trace: Tracer, policy: PolicyWeights, players: int, seed: int, games: int) -> ConfidenceInterval:
    return share_among(trace, policy, uniform_weights(policy.form, policy.scales), players, seed, games)
