"""Games of two rule files in pairs that share their luck, played until it is clear what differs (a sequential paired
experiment).

The looks are at fixed numbers of pairs, and what is summed is summed in the order of games: neither the clock nor the
number of threads changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.comparing.figures import (
    DEVIATIONS,
    SHARE_MATTERS,
    ComparedFigure,
    FigureColumn,
    FigureKind,
    compared_figures,
    figure_values,
)
from chocolatl.interpreter.native.paired.game_rows import GameRow
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.simulation.threads import in_threads
from chocolatl.interpreter.statistics.paired_differences import (
    SURE,
    Finding,
    PairedSums,
    PairedVerdict,
    paired_verdict,
    round_down,
)

FIRST_LOOK = 1_000
"""So many pairs are played before the first look; then twice as many, and so on."""

PART = 500
"""Games that are played in one go."""

MOST = 64_000
"""So many pairs are played at most, unless somebody says otherwise."""


SAME_VALUE = 1e-6
"""What varies by less than such a part of its mean varies by rounding alone."""


class PlaysPairs(Protocol):
    """Plays paired games of one rule file, each a row; raises `RuleError` where one fails."""

    game: Game

    def rows(self, first: int, count: int) -> NDArray[np.int64]: ...


class NativePairs:
    """Native code plays."""

    def __init__(self, game: Game, seed: int, level: int) -> None:
        from chocolatl.interpreter.native.paired.kernel import PairedKernel

        self.game, self.seed = game, seed
        self.kernel = PairedKernel(game, level)

    def rows(self, first: int, count: int) -> NDArray[np.int64]:
        found = self.kernel.rows(self.seed, first, count)
        if found.error is not None:
            raise found.error
        return found.rows


class InterpretedPairs:
    """The interpreter plays, which takes a few hundred times as long."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.row = GameRow(game.ir)

    def rows(self, first: int, count: int) -> NDArray[np.int64]:
        return np.array([self._row(index) for index in range(first, first + count)], np.int64)

    def _row(self, index: int) -> list[int]:
        game, row = self.game, self.row
        played = play_game(game, [RandomPlayer()] * row.players, self.seed, index, paired=True)
        result = game.result(played.position)
        highest = sorted(result.scores)[-2:]
        points = [list(each.values()) for each in result.breakdown] if row.items else []
        return [
            played.decisions,
            game.round(played.position),
            highest[-1] - highest[0],
            *result.scores,
            *(int(seat in result.winners) for seat in range(row.players)),
            *(each for seat in points for each in seat),
        ]


@dataclass
class ComparedPlay:
    """What is known so far: the sums of each figure, and what difference of it matters."""

    figures: Sequence[ComparedFigure]
    looks: int
    """How often it is looked at, at most: each look has its share of the chance to be wrong."""
    sums: dict[str, PairedSums] = field(default_factory=dict)
    smallest: dict[str, float] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        return next(iter(self.sums.values())).n

    @property
    def alpha(self) -> float:
        """The chance of one interval at one look to miss."""
        return (1 - SURE) / (len(self.figures) * self.looks)

    def verdict(self, figure: ComparedFigure) -> PairedVerdict:
        return paired_verdict(self.sums[figure.key], self.smallest[figure.key], self.alpha)

    @property
    def is_told(self) -> bool:
        return all(self.verdict(figure).finding is not Finding.OPEN for figure in self.figures)


def looks_at(most: int) -> list[int]:
    """After how many pairs it is looked."""
    found = [min(FIRST_LOOK, most)]
    while found[-1] < most:
        found.append(min(2 * found[-1], most))
    return found


def compare_play(
    a: PlaysPairs,
    b: PlaysPairs,
    most: int = MOST,
    jobs: int = 1,
    smallest: Mapping[str, float] | None = None,
    progress: Callable[[int], object] | None = None,
) -> ComparedPlay:
    """Play pairs until all is told, or as many as there may be. `smallest` says of figures what matters, where that is
    not what it is for all games."""
    looks = looks_at(most)
    found = ComparedPlay(compared_figures(a.game, b.game), len(looks))
    done = 0
    for look in looks:
        for one, other in _played(a, b, done, look, jobs):
            _add(found, one, other)
            if progress is not None:
                progress(len(next(iter(one.values()))))
        done = look
        if not found.smallest:
            found.smallest = _smallest(found, smallest or {})
        if found.is_told:
            break
    return found


def _played(
    a: PlaysPairs, b: PlaysPairs, first: int, last: int, jobs: int
) -> Iterator[tuple[dict[str, FigureColumn], dict[str, FigureColumn]]]:
    """Parts in order, those of both games one after the other."""
    parts = ((at, min(PART, last - at)) for at in range(first, last, PART))
    work = (partial(game.rows, *part) for part in parts for game in (a, b))
    with closing(in_threads(work, jobs)) as rows:
        for one, other in zip(rows, rows, strict=True):
            yield figure_values(a.game, one), figure_values(b.game, other)


def _add(found: ComparedPlay, one: Mapping[str, FigureColumn], other: Mapping[str, FigureColumn]) -> None:
    games = len(next(iter(one.values())))
    none = np.zeros(games)
    for figure in found.figures:
        first, second = one.get(figure.key, none), other.get(figure.key, none)
        differences, is_share = second - first, figure.kind is FigureKind.SHARE
        sums = PairedSums(
            games,
            float(first.sum()),
            float(second.sum()),
            float((differences * differences).sum()),
            0.0 if is_share else float(min(first.min(), second.min())),
            1.0 if is_share else float(max(first.max(), second.max())),
            float((first * first).sum()),
            float((second * second).sum()),
        )
        found.sums[figure.key] = found.sums.get(figure.key, PairedSums()).merged(sums)


def _smallest(found: ComparedPlay, given: Mapping[str, float]) -> dict[str, float]:
    """What matters, settled at the first look."""
    return {figure.key: given.get(figure.key, _matters(figure, found.sums[figure.key])) for figure in found.figures}


def _matters(figure: ComparedFigure, sums: PairedSums) -> float:
    if figure.kind is FigureKind.SHARE:
        return SHARE_MATTERS
    mean = sums.first / sums.n
    deviation = max(0.0, sums.first_squares / sums.n - mean * mean) ** 0.5
    if deviation > SAME_VALUE * max(1.0, abs(mean)):
        return round_down(DEVIATIONS * deviation)
    return round_down(DEVIATIONS * max(1.0, abs(sums.highest - sums.lowest)))  # it never varies in A
