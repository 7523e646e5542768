"""Least squares with errors that know which rows belong together (cluster-robust ordinary least squares, CR3).

Players of one game win what others lose, so their rows are no independent observations. Errors count by game: they are
those of the jackknife, which leaves out one game after the other. Without that, games that pull the line toward
themselves would seem to lie near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Z

RealNumbers = NDArray[np.floating[Any]]
WholeNumbers = NDArray[np.int64]

SURELY = 2.5758293035489004
"""An item stays that is so many standard errors away from 0: that of 99 %, since there are many of them."""

SAME = 1e-9
"""So small a part of what varies is nothing but rounding."""


@dataclass(frozen=True)
class Slope:
    """What one more of something adds, with the standard error."""

    value: float
    error: float

    @property
    def interval(self) -> ConfidenceInterval:
        """With 95 %."""
        return ConfidenceInterval(self.value, self.value - Z * self.error, self.value + Z * self.error)

    @property
    def strength(self) -> float:
        """How many standard errors it is away from 0."""
        return abs(self.value) / self.error if self.error else float("inf")


@dataclass(frozen=True)
class Regression:
    """What all items together say; and what those say that are left when what could be nothing is left out, one by one.

    None stands for an item that never varies, or only together with others."""

    level: float
    """What is expected of somebody who has nothing, by the items that are left."""
    all: tuple[Slope | None, ...]
    kept: tuple[Slope | None, ...]


def regress(counts: WholeNumbers, points: WholeNumbers, games: WholeNumbers) -> Regression:
    """Points by counts, a row for each observation; `games` says which rows belong together."""
    whole = _independent(counts)
    every = _fitted(counts, points, games, whole)
    items = list(whole)
    while True:
        level, slopes = _fitted(counts, points, games, items)
        weakest = min(items, key=lambda item: slopes[item].strength, default=None)
        if weakest is None or slopes[weakest].strength >= SURELY:
            break
        items.remove(weakest)
    columns = range(counts.shape[1])
    return Regression(level, tuple(map(every[1].get, columns)), tuple(map(slopes.get, columns)))


def _independent(counts: WholeNumbers) -> list[int]:
    """Columns of which none is made of the ones before it and a constant."""
    known = np.ones((len(counts), 1))
    found: list[int] = []
    for column in range(counts.shape[1]):
        values = counts[:, column].astype(np.float64)
        rest = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
        if float(rest @ rest) > SAME * max(1.0, float(values @ values)):
            known = np.column_stack((known, values))
            found.append(column)
    return found


def _fitted(
    counts: WholeNumbers, points: WholeNumbers, games: WholeNumbers, items: Sequence[int]
) -> tuple[float, dict[int, Slope]]:
    """The level, and a slope for each of some items."""
    x: RealNumbers = np.column_stack((np.ones(len(counts)), counts[:, list(items)].astype(np.float64)))
    solved: RealNumbers = np.linalg.lstsq(x, points.astype(np.float64), rcond=None)[0]
    inverse, missed = np.linalg.pinv(x.T @ x), points - x @ solved
    moved = []
    for rows in _by_game(games):
        own = x[rows]
        alone = np.eye(len(own)) - own @ inverse @ own.T
        moved.append(inverse @ own.T @ np.linalg.pinv(alone) @ missed[rows])
    errors = np.sqrt((np.array(moved) ** 2).sum(axis=0) * (1 - 1 / len(moved)))
    slopes = {item: Slope(float(solved[n]), float(errors[n])) for n, item in enumerate(items, 1)}
    return float(solved[0]), slopes


def _by_game(games: WholeNumbers) -> list[WholeNumbers]:
    """The numbers of the rows of each game."""
    order = np.argsort(games, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(games[order])) + 1)


def summed(values: RealNumbers, games: WholeNumbers) -> RealNumbers:
    """The sum over each game."""
    sums: RealNumbers = np.array([values[rows].sum() for rows in _by_game(games)])
    return sums
