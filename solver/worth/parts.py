"""What a value is made of: points by contest, points elsewhere, what is held afterwards (a decomposition).

Only points are a sum of such parts. A margin takes off what somebody else has, and a victory is no sum of points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.play.game import Position
from chocolatl.solver.worth.contests import PlayedContest
from chocolatl.solver.worth.outcome import POINTS, OutcomeMeasure

NO_PARTS = "has no parts: only `points` is a sum of contests, other points and what is held afterwards"


@dataclass(frozen=True)
class ValueParts:
    """Means in points, by contest, elsewhere, and by item of the valuation; in the order in which they come."""

    contests: dict[str, float]
    elsewhere: float
    holdings: dict[str, float]

    @property
    def by_contests(self) -> float:
        return sum(self.contests.values())

    @property
    def held(self) -> float:
        return sum(self.holdings.values())

    @property
    def total(self) -> float:
        return self.by_contests + self.elsewhere + self.held


@dataclass(frozen=True)
class ScenarioParts:
    """The same for one scenario, in units of the measure."""

    contests: dict[str, int]
    elsewhere: int
    holdings: dict[str, int]


def parts_of(
    measure: OutcomeMeasure, before: Position, end: Position, contests: Sequence[PlayedContest]
) -> ScenarioParts | None:
    """What one scenario has come to; None where the objective has no parts."""
    if measure.objective != POINTS:
        return None
    paid: dict[str, int] = {}
    for contest in contests:
        paid[contest.name] = paid.get(contest.name, 0) + contest.points * measure.unit
    elsewhere = measure.gained(before, end) * measure.unit - sum(paid.values())
    return ScenarioParts(paid, elsewhere, measure.holdings(end))


def mean_parts(measure: OutcomeMeasure, weighed: Iterable[tuple[int, ScenarioParts]]) -> ValueParts:
    """The mean over scenarios, by weight. Items that are never worth anything are left out."""
    contests: dict[str, int] = {}
    holdings: dict[str, int] = {}
    elsewhere = weights = 0
    for weight, parts in weighed:
        weights += weight
        elsewhere += weight * parts.elsewhere
        for sums, found in ((contests, parts.contests), (holdings, parts.holdings)):
            for name, amount in found.items():
                sums[name] = sums.get(name, 0) + weight * amount
    whole = weights * measure.unit
    return ValueParts(
        {name: amount / whole for name, amount in contests.items()},
        elsewhere / whole,
        {name: amount / whole for name, amount in holdings.items()},
    )
