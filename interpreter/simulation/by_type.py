"""A game as players of one type after another play it: at random, and as each training of it has learned (a comparison
between populations).

What is told of random play need not hold for people. So the same game is played by those who have learned it, too,
wherever there is a policy; if it was learned several times, by each training, since what only one of them shows may be
its own and not the game's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.players.registry import LEARNED
from chocolatl.interpreter.simulation.series import SeriesPlan, SeriesSetting, play_series, set_up
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.statistics.occurrences import OccurrenceCounts

RANDOM = "random"

MOST_NATIVE, MOST_INTERPRETED = 20_000, 2_000
"""So many games of each training are played at most: learned players take their time, those of tables most of all."""


@dataclass(frozen=True)
class PlayedSeries:
    """A series of players of one type, with what came of it; `seed` is that of the training."""

    setting: SeriesSetting
    totals: Totals
    seed: int | None = None

    @property
    def inside(self) -> OccurrenceCounts:
        """What happened inside the games."""
        return OccurrenceCounts(
            self.setting.occurrences, self.setting.game.codec, self.totals.games, self.totals.counts
        )


@dataclass(frozen=True)
class TypeOfPlay:
    """How players of one type play a game: one series, or one for each training."""

    name: str
    series: tuple[PlayedSeries, ...]

    @property
    def whole(self) -> PlayedSeries:
        """All games together."""
        first = self.series[0]
        totals = Totals.of(first.setting.game)
        for each in self.series:
            totals.merge(each.totals)
        return PlayedSeries(first.setting, totals)


def learned_settings(plan: SeriesPlan) -> list[SeriesSetting]:
    """The same game for those who have learned it, a setting for each training; `UnfitPolicy` or `Rejected` if there is
    no policy for it. Nothing is learned for this."""
    learned = replace(plan, types=(LEARNED,) * len(plan.types), accept_stale=False)
    first = set_up(learned, Findings())
    others = range(1, len(_follower(first).trainings))
    return [first, *(set_up(replace(learned, training=number), Findings()) for number in others)]


def _follower(setting: SeriesSetting) -> LearnedPlayer:
    player = setting.players[0]
    assert isinstance(player, LearnedPlayer)
    return player


def is_of_weights(setting: SeriesSetting) -> bool:
    """Whether what they have learned is a form with weights, and not a table."""
    section = _follower(setting).section
    return section is not None and "weights" in section


def games_of_learned(setting: SeriesSetting, games: int) -> int:
    """How many games of a training are played where so many of random players are."""
    return min(games, MOST_INTERPRETED if setting.native is None else MOST_NATIVE)


def played_by_learned(
    settings: list[SeriesSetting], games: int, jobs: int, progress: Callable[[int], object] | None
) -> TypeOfPlay:
    """The games of each training."""
    series = []
    for setting in settings:
        section = _follower(setting).section
        assert section is not None
        totals = play_series(setting, games_of_learned(setting, games), jobs, progress=progress)
        series.append(PlayedSeries(setting, totals, section["recipe"].get("seed")))
    return TypeOfPlay(LEARNED, tuple(series))
