"""A valuation from games: what each item is worth by rounds left, and how well that foretells other games (a fit, and
its validation).

The same games would flatter what was fitted to them. So what a table explains is told of games that it has not seen,
with the whole hundredths that stand in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chocolatl.interpreter.formats.valuation import PER_POINT
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Z
from chocolatl.interpreter.valuing.observations import Observations
from chocolatl.interpreter.valuing.regression import RealNumbers, Regression, WholeNumbers, regress, summed

FEWEST, FEWEST_FRESH = 30, 10
"""Of fewer games nothing is told, nor if fewer fresh ones come so far."""

BINS = 10
"""Into so many parts of equal size fresh observations are divided, by what was foretold."""


@dataclass(frozen=True)
class FitOfRound:
    """With so many rounds left: the regression, and what part of the variance of fresh points it explains."""

    left: int
    regression: Regression
    explained: float

    def hundredths(self, item: int) -> int:
        """What one of an item is worth, as the file has it."""
        slope = self.regression.kept[item]
        return round(slope.value * PER_POINT) if slope is not None else 0


@dataclass(frozen=True)
class CalibrationBin:
    """Fresh observations of which about as much was foretold: how many, what was foretold, and what came (95 %)."""

    rows: int
    foretold: float
    came: ConfidenceInterval


@dataclass(frozen=True)
class Fit:
    """All of it for one number of players, by rounds left from the last one on."""

    players: int
    rounds: tuple[FitOfRound, ...]
    explained: float
    calibration: tuple[CalibrationBin, ...]

    def worth(self, item: int) -> list[int]:
        """What one of an item is worth with no round left, one, two, and so on. Nothing is worth anything when all is
        over; what was not seen lies on the line between what was."""
        known = {0: 0, **{each.left: each.hundredths(item) for each in self.rounds}}
        lefts = range(max(known) + 1)
        return [round(each) for each in np.interp(lefts, list(known), list(known.values()))]


class TooFewGames(Exception):
    """Nothing can be told: the message says why."""


def fit(players: int, seen: Observations, fresh: Observations) -> Fit:
    """Fit to what was seen, and look at fresh games."""
    rounds, foretold, came, games = [], [], [], []
    for left in sorted({int(left) for left in seen.left}):
        rows, tried = seen.where(left), fresh.where(left)
        if len(np.unique(rows.games)) < FEWEST or len(np.unique(tried.games)) < FEWEST_FRESH:
            continue
        found = FitOfRound(left, regress(rows.counts, rows.points, rows.games), 0.0)
        table = np.array([found.hundredths(item) for item in range(rows.counts.shape[1])]) / PER_POINT
        told: RealNumbers = found.regression.level + tried.counts @ table
        rounds.append(FitOfRound(left, found.regression, explained([told], [tried.points])))
        foretold.append(told)
        came.append(tried.points)
        games.append(tried.games)
    if not rounds:
        raise TooFewGames(f"with {players} players fewer than {FEWEST} games come to a second round")
    bins = calibrated(np.concatenate(foretold), np.concatenate(came), np.concatenate(games))
    return Fit(players, tuple(rounds), explained(foretold, came), bins)


def explained(foretold: Sequence[RealNumbers], came: Sequence[WholeNumbers]) -> float:
    """The part of the variance within each round that is explained; below 0 if the mean would tell more."""
    missed = sum(float(((points - told) ** 2).sum()) for told, points in zip(foretold, came, strict=True))
    varied = sum(float(((points - points.mean()) ** 2).sum()) for points in came)
    return 1 - missed / varied if varied else 0.0


def calibrated(foretold: RealNumbers, came: WholeNumbers, games: WholeNumbers) -> tuple[CalibrationBin, ...]:
    """What came where about as much was foretold. Rows of one game belong together."""
    order = np.argsort(foretold, kind="stable")
    found = []
    for part in np.array_split(order, min(BINS, len(order))):
        points = came[part]
        mean = float(points.mean())
        error = float(np.sqrt((summed(points - mean, games[part]) ** 2).sum())) / len(part)
        interval = ConfidenceInterval(mean, mean - Z * error, mean + Z * error)
        found.append(CalibrationBin(len(part), float(foretold[part].mean()), interval))
    return tuple(found)
