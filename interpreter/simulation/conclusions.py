"""What many games say about a game, for each type of player: who has an advantage, where points come from, what ends it
(hypothesis tests, corrected for their number by Bonferroni).

A conclusion is a sign with what it rests on. Of learned play it holds only if each training shows it. Where types of
players lead to different conclusions, and by more than chance explains, that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import NormalDist

from chocolatl.interpreter.simulation.by_type import PlayedSeries, TypeOfPlay
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Tally

SURE = 0.95
"""How sure all signs of a type are together."""

TRAININGS = 3
"""From so many trainings on, what all of them show is taken for the game's."""


class Sign(Enum):
    """Whether something lies above or below what nobody's advantage would be."""

    MORE = "more"
    LESS = "less"
    NEITHER = "neither"


@dataclass(frozen=True)
class SeatAdvantage:
    """What a seat wins beyond its share: of each series an interval that allows for the number of seats, and the sign
    that all of them have."""

    seat: int
    sign: Sign
    shares: tuple[ConfidenceInterval, ...]

    @property
    def lowest(self) -> float:
        return min(share.low for share in self.shares if share.low is not None)

    @property
    def highest(self) -> float:
        return max(share.high for share in self.shares if share.high is not None)


@dataclass(frozen=True)
class Leader:
    """What comes first among several, with its share of all."""

    name: str
    share: float


@dataclass(frozen=True)
class Conclusions:
    """What the games of one type of player say."""

    type: TypeOfPlay
    seats: tuple[SeatAdvantage, ...]
    source: Leader | None
    """Which item pays most."""

    @property
    def trainings(self) -> int:
        return len(self.type.series)


@dataclass(frozen=True)
class Divergence:
    """Two types of players whose games say different things: about a seat, or about what pays most."""

    first: Conclusions
    second: Conclusions
    seat: int | None


def concluded(type_: TypeOfPlay) -> Conclusions:
    whole = type_.whole
    return Conclusions(type_, tuple(_seats(type_)), _source(whole))


def _seats(type_: TypeOfPlay) -> Iterator[SeatAdvantage]:
    seats = type_.series[0].setting.game.player_count
    if seats < 2:
        return
    z = NormalDist().inv_cdf(1 - (1 - SURE) / (2 * seats * len(type_.series)))
    for seat in range(seats):
        shares = tuple(series.totals.wins[seat].share(z) for series in type_.series)
        signs = {sign_of(share, 1 / seats) for share in shares}
        yield SeatAdvantage(seat, signs.pop() if len(signs) == 1 else Sign.NEITHER, shares)


def sign_of(share: ConfidenceInterval, fair: float) -> Sign:
    """Whether a share surely lies above or below the fair one."""
    assert share.low is not None and share.high is not None
    return Sign.MORE if share.low > fair else Sign.LESS if share.high < fair else Sign.NEITHER


def _source(series: PlayedSeries) -> Leader | None:
    """The item that pays most, if it clearly does."""
    items = series.setting.game.ir.items
    paid = [merged(seat[number] for seat in series.totals.items) for number in range(len(items))]
    total = sum(tally.total for tally in paid if tally.total > 0)
    ranked = sorted(range(len(items)), key=lambda number: -paid[number].total)
    if not ranked or total <= 0:
        return None
    first = paid[ranked[0]].mean_interval()
    if len(ranked) > 1 and not _above(first, paid[ranked[1]].mean_interval()):
        return None
    return Leader(items[ranked[0]], float(paid[ranked[0]].total / total))


def _above(one: ConfidenceInterval, other: ConfidenceInterval) -> bool:
    return one.low is not None and other.high is not None and one.low > other.high


def merged(tallies: Iterator[Tally]) -> Tally:
    """The tally of all values."""
    whole = Tally()
    for tally in tallies:
        whole.merge(tally)
    return whole


def divergences(types: Sequence[Conclusions]) -> Iterator[Divergence]:
    """Where two types lead to different signs, and their shares lie apart as well."""
    for number, first in enumerate(types):
        for second in types[number + 1 :]:
            for one, other in zip(first.seats, second.seats, strict=True):
                apart = one.lowest > other.highest or one.highest < other.lowest
                if one.sign is not other.sign and apart:
                    yield Divergence(first, second, one.seat)
            if first.source is not None and second.source is not None and first.source.name != second.source.name:
                yield Divergence(first, second, None)


Figure = tuple[str, Callable[[PlayedSeries], ConfidenceInterval]]
"""A figure of a game by its name, and how it is estimated."""


def figures(series: PlayedSeries) -> list[Figure]:
    """The figures that are told of any game: how long it takes, what is scored, how close it is."""
    found: list[Figure] = []
    if series.totals.lengths:
        found.append(("rounds a game", lambda each: Tally.counted(each.totals.lengths).mean_interval()))
    found.append(("decisions a game", lambda each: each.totals.decisions.mean_interval()))
    found.append(("score", lambda each: merged(iter(each.totals.scores)).mean_interval()))
    if series.setting.game.player_count > 1:
        found.append(("lead of the highest score", lambda each: each.totals.lead.mean_interval()))
    return found
