"""How large a mean difference is, and whether that can be told yet (group-sequential tests of difference and of
equivalence).

It is looked at after a number of pairs, after twice as many, and so on. All intervals of all looks and figures hold
together with 95 %: the chance to miss is divided evenly among looks and figures (alpha spending, Lan and DeMets 1983,
"Discrete sequential boundaries for clinical trials"; the sum of the parts bounds the whole, Bonferroni), which needs no
assumption on how they depend on one another. So a test may stop at any look, and one interval serves for both
questions: if 0 lies outside, the two differ, and if all of it lies closer to 0 than what would matter, they are
equivalent (two one-sided tests, Schuirmann 1987).

The half width is that of the normal distribution, and a term as in Bernstein's inequality for what has hardly ever or
never been seen: the range of the figure, times the logarithm of the chance, by the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import ceil, log, sqrt
from statistics import NormalDist

SURE = 0.95
"""How sure all verdicts of a comparison are together."""


class Finding(Enum):
    """What can be told of a difference."""

    MORE = "more"
    LESS = "less"
    SAME = "same"
    """No difference that matters."""
    OPEN = "cannot tell yet"


@dataclass(frozen=True)
class PairedSums:
    """Sums over pairs of values, one of each game; they can be added."""

    n: int = 0
    first: float = 0.0
    second: float = 0.0
    squares: float = 0.0
    """Of the differences."""
    lowest: float = 0.0
    highest: float = 0.0
    first_squares: float = 0.0
    second_squares: float = 0.0

    def merged(self, other: PairedSums) -> PairedSums:
        if not self.n or not other.n:
            return self if self.n else other
        return PairedSums(
            self.n + other.n,
            self.first + other.first,
            self.second + other.second,
            self.squares + other.squares,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            self.first_squares + other.first_squares,
            self.second_squares + other.second_squares,
        )

    @property
    def difference(self) -> float:
        return (self.second - self.first) / self.n

    @property
    def deviation(self) -> float:
        """The standard deviation of the differences."""
        mean = self.difference
        return sqrt(max(0.0, self.squares - self.n * mean * mean) / max(1, self.n - 1))

    @property
    def gain(self) -> float | None:
        """What independent differences would vary more; None where paired ones do not vary at all."""
        own = self.deviation**2
        each = [
            (squares - total * total / self.n) / max(1, self.n - 1)
            for total, squares in ((self.first, self.first_squares), (self.second, self.second_squares))
        ]
        return sum(each) / own if own > 1e-12 else None


@dataclass(frozen=True)
class PairedVerdict:
    """The difference of the second from the first, between two bounds, and what follows."""

    finding: Finding
    mean: float
    low: float
    high: float
    minor: bool
    """Whether they differ for sure, and by less than what matters."""
    needed: int | None
    """About so many pairs would tell; None where that is told."""


def interval_width(sums: PairedSums, alpha: float) -> float:
    """Half of an interval that misses with this chance."""
    z = NormalDist().inv_cdf(1 - alpha / 2)
    return z * sums.deviation / sqrt(sums.n) + (sums.highest - sums.lowest) * log(2 / alpha) / sums.n


def paired_verdict(sums: PairedSums, smallest: float, alpha: float) -> PairedVerdict:
    """What can be told after so many pairs, of which the interval misses with this chance."""
    half, mean = interval_width(sums, alpha), sums.difference
    low, high = mean - half, mean + half
    within = -smallest < low and high < smallest
    if sums.highest == sums.lowest:  # every game of both has the same value, and that is all that is said
        return PairedVerdict(Finding.SAME, mean, mean, mean, False, None)
    if low > 0 or high < 0:
        return PairedVerdict(Finding.MORE if low > 0 else Finding.LESS, mean, low, high, within, None)
    if within:
        return PairedVerdict(Finding.SAME, mean, low, high, False, None)
    return PairedVerdict(Finding.OPEN, mean, low, high, False, _needed(sums, smallest, alpha))


def _needed(sums: PairedSums, smallest: float, alpha: float) -> int:
    """With so many pairs the interval would be narrow enough, if the mean stays what it is: two digits."""
    z = NormalDist().inv_cdf(1 - alpha / 2)
    wanted = max(abs(sums.difference), smallest - abs(sums.difference))
    rare = (sums.highest - sums.lowest) * log(2 / alpha)
    root = (z * sums.deviation + sqrt((z * sums.deviation) ** 2 + 4 * wanted * rare)) / (2 * wanted)
    found = max(sums.n + 1, ceil(root * root))
    unit = int(10 ** max(0, len(str(found)) - 2))
    return -(-found // unit) * unit


def round_down(value: float) -> float:
    """1, 2 or 5 times a power of ten: the greatest that is not above a value."""
    if value <= 0:
        return 0.0
    power = 10.0 ** (len(str(int(value))) - 1 if value >= 1 else -_zeros(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))


def _zeros(value: float) -> int:
    places = 0
    while value * 10**places < 1:
        places += 1
    return places
