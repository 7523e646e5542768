"""Means and shares with their 95 % intervals (Wilson for shares), from sums that can be merged.

A leaf beside the pipeline: it imports no stage, and the engine and everything after it may import it. The sums are
exact (integers and fractions, no floats), so that a simulation reports the same numbers to the last digit however its
games were dealt out to jobs and in whatever order the jobs came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

Number: TypeAlias = int | float | Fraction

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % lie within this many standard deviations of the mean."""

COUNTED = 4096
"""Of so many different values, each is counted; of more, only sums are kept, so that memory stays what it is."""

_T = (12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135)
"""The 97.5 % quantiles of Student's t distribution with 1 to 8 degrees of freedom."""


@dataclass(frozen=True)
class ConfidenceInterval:
    """An estimate and the 95 % interval around it. None stands for what the data say nothing about."""

    mean: float | None
    low: float | None
    high: float | None


def wilson(successes: Number, n: int, z: float = Z) -> ConfidenceInterval:
    """A share of n trials with Wilson's interval, which stays inside 0..1 and is right for few trials too. It reaches
    so many standard deviations.

    Successes may be fractional (a victory shared by k players counts 1/k): such trials vary less than trials that all
    succeed or fail, so the interval is then a little wider than it had to be, never too narrow.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"expected successes from 0 to n = {n}; found {successes!r}")
    if n == 0:
        return ConfidenceInterval(None, 0.0, 1.0)
    share = float(Fraction(successes) / n)
    square = z * z / n
    centre = (share + square / 2) / (1 + square)
    half = z * sqrt((share * (1 - share) + square / 4) / n) / (1 + square)
    # The two exact ends, which rounding would miss by a hair; at the others it must not cross the share itself.
    low = 0.0 if successes == 0 else min(max(centre - half, 0.0), share)
    high = 1.0 if successes == n else max(min(centre + half, 1.0), share)
    return ConfidenceInterval(share, low, high)


def mean_interval(values: Iterable[Number]) -> ConfidenceInterval:
    """The mean of a sample with Student's interval for the mean behind it."""
    return Tally.of(values).mean_interval()


def interval_from_sums(n: int, total: Number, squares: Number) -> ConfidenceInterval:
    """The same from the number of values, their sum and the sum of their squares. One value has no interval."""
    if n == 0:
        return ConfidenceInterval(None, None, None)
    total, squares = Fraction(total), Fraction(squares)
    mean = float(total / n)
    if n == 1:
        return ConfidenceInterval(mean, None, None)
    deviations = squares - total * total / n  # the sum of squared deviations from the mean; exact, so never below 0
    if deviations < 0:
        raise ValueError(f"no {n} values have the sum {total} and the sum of squares {squares}")
    half = student(n - 1) * sqrt(deviations / (n - 1) / n)
    return ConfidenceInterval(mean, mean - half, mean + half)


def student(degrees: int) -> float:
    """The 97.5 % quantile of Student's t distribution; correct to four decimals, from 30 degrees on to seven."""
    if degrees <= len(_T):
        return _T[degrees - 1]
    # Fisher's expansion around the normal quantile.
    z, d = Z, degrees
    return (
        z
        + (z**3 + z) / (4 * d)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * d**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * d**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * d**4)
    )


class Tally:
    """Number, sum and sum of squares of the values seen so far. Tallies of parts merge into the tally of the whole."""

    __slots__ = ("n", "squares", "total")

    def __init__(self) -> None:
        self.n = 0
        self.total: int | Fraction = 0
        self.squares: int | Fraction = 0

    @classmethod
    def of(cls, values: Iterable[Number]) -> Tally:
        tally = cls()
        for value in values:
            tally.add(value)
        return tally

    @classmethod
    def counted(cls, values: Mapping[int, int]) -> Tally:
        """The tally of values that came so many times each."""
        total = sum(value * times for value, times in values.items())
        return cls.sums(sum(values.values()), total, sum(value * value * times for value, times in values.items()))

    @classmethod
    def sums(cls, n: int, total: int | Fraction, squares: int | Fraction) -> Tally:
        """The tally of n values of which the sums are known."""
        tally = cls()
        tally.n, tally.total, tally.squares = n, total, squares
        return tally

    def add(self, value: Number) -> None:
        exact = value if isinstance(value, int) else Fraction(value)
        self.n += 1
        self.total += exact
        self.squares += exact * exact

    def merge(self, other: Tally) -> None:
        """Take in what the other tally has seen."""
        self.n += other.n
        self.total += other.total
        self.squares += other.squares

    def mean_interval(self) -> ConfidenceInterval:
        """The mean of the values, for scores and lengths."""
        return interval_from_sums(self.n, self.total, self.squares)

    def share(self, z: float = Z) -> ConfidenceInterval:
        """The values as successes of their trials, for win shares; each must lie in 0..1."""
        return wilson(self.total, self.n, z)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (self.n, self.total, self.squares) == (other.n, other.total, other.squares)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"Tally(n={self.n}, total={self.total}, squares={self.squares})"
