"""What the players of many games held when a round began, and how many points they still made (panel data).

A round begins where `solve` ends its question: at the first decision or chance of the next one. So what is counted is
what a valuation counts. Each game has random numbers of its own, so that it does not matter how many processes play.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.valuation import rounds_left, worthless_items
from chocolatl.interpreter.play.game import Position, RuleError
from chocolatl.interpreter.play.match import play_on, streams
from chocolatl.interpreter.simulation.series import SeriesPlan, SeriesSetting, set_up
from chocolatl.interpreter.simulation.workers import in_processes
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.valuing.regression import WholeNumbers

PART = 5
"""So many games are a part of the work."""


@dataclass(frozen=True)
class ObservationPlan:
    """A series of games, and what is counted in them: formulas by name."""

    series: SeriesPlan
    items: Mapping[str, str]


@dataclass(frozen=True)
class Observations:
    """A row for each player at the beginning of each round but the first one: the number of the game, how many rounds
    are left, how much of each item the player has, and the points that are still to come."""

    games: WholeNumbers
    left: WholeNumbers
    counts: WholeNumbers
    points: WholeNumbers

    def where(self, left: int) -> Observations:
        """The rows with so many rounds left."""
        rows = self.left == left
        return Observations(self.games[rows], self.left[rows], self.counts[rows], self.points[rows])


HeldRow = tuple[int, int, int, tuple[int, ...]]
ObservedPart = list[HeldRow] | tuple[Span, str]
"""Rows of some games, or where a rule failed: not every error can be sent."""


class _Observer:
    """Plays games and writes down what is held."""

    def __init__(self, setting: SeriesSetting, items: Mapping[str, str]) -> None:
        self.setting, self.game = setting, setting.game
        self.items = [
            self.game.program.formula(item.player, item.what) for item in worthless_items(setting.game, items)
        ]

    def games(self, first: int, count: int) -> ObservedPart:
        try:
            return [row for index in range(first, first + count) for row in self.one(index)]
        except RuleError as error:
            return error.span, error.message

    def one(self, index: int) -> list[HeldRow]:
        game, seats = self.game, range(self.game.player_count)
        randoms = streams(self.setting.plan.seed, index, len(seats))
        position, held = game.initial(), []
        begun = game.round(position)
        while not game.is_over(position):
            position = play_on(game, position, self.setting.players, randoms, until=self._in_another(begun)).position
            now = game.round(position)
            if begun and now != begun and not game.is_over(position):
                left = rounds_left(game, False, now)
                scores = game.scores(position)
                held += [(left, seat, scores[seat], self._counts(position, seat)) for seat in seats]
            begun = now
        end = game.scores(position)
        return [(index, left, end[seat] - score, counts) for left, seat, score, counts in held]

    def _in_another(self, begun: int) -> Callable[[Position, int], bool]:
        """Whether another round has begun. In a secret block nobody has come to it yet."""
        return lambda position, decisions: self.game.round(position) != begun

    def _counts(self, position: Position, seat: int) -> tuple[int, ...]:
        return tuple(int(item(position.slots, seat)) for item in self.items)


def observe(
    plan: ObservationPlan, first: int, count: int, jobs: int, progress: Callable[[int], object] | None = None
) -> Observations:
    """Play games number `first` and following, and write down what is held. `RuleError` where a rule fails."""
    parts = ((begin, min(PART, first + count - begin)) for begin in range(first, first + count, PART))
    rows: list[HeldRow] = []
    done: Generator[ObservedPart]
    if jobs > 1 and count > PART:
        done = in_processes(_prepared, plan, parts, min(jobs, -(-count // PART)))
    else:
        work = _prepared(plan)
        done = (work(*part) for part in parts)
    with closing(done):
        for part in done:
            if isinstance(part, tuple):
                raise RuleError(*part)
            rows += part
            if progress is not None:
                progress(PART)
    return Observations(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.int64).reshape(len(rows), len(plan.items)),
        np.array([row[2] for row in rows], np.int64),
    )


def _prepared(plan: ObservationPlan) -> Callable[[int, int], ObservedPart]:
    """What a process of its own does with each part."""
    return partial(_Observer.games, _Observer(set_up(plan.series, Findings()), plan.items))
