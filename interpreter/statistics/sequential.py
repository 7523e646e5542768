"""Intervals for a mean that hold however often one looks (confidence sequences), so that a test may stop as soon as it
can tell.

An interval for a fixed number of games is wrong for whoever looks after each batch and stops when it suits. These hold
at all times together: Robbins' normal mixture, for values between 0 and 1, which vary no more than a coin does. See
Howard, Ramdas, McAuliffe and Sekhon (2021), "Time-uniform, nonparametric, nonasymptotic confidence sequences".
"""

from __future__ import annotations

from math import log, sqrt

from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Tally

VARIANCE = 0.25
"""Values between 0 and 1 are sub-Gaussian with this variance at most (Hoeffding's lemma)."""

TIGHTEST = 200
"""About after so many values the interval is as narrow as such an interval can be."""


def always_valid(tally: Tally, alpha: float) -> ConfidenceInterval:
    """The mean of values between 0 and 1, in an interval that ever misses the true one with at most this chance."""
    if not tally.n:
        return ConfidenceInterval(None, 0.0, 1.0)
    mean = float(tally.total) / tally.n
    seen, mixed = tally.n * VARIANCE, TIGHTEST * VARIANCE / (1 + 2 * log(1 / alpha))
    radius = sqrt((seen + mixed) * (log((seen + mixed) / mixed) + 2 * log(2 / alpha))) / tally.n
    return ConfidenceInterval(mean, max(0.0, mean - radius), min(1.0, mean + radius))
