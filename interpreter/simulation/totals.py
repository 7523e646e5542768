"""Sums over games (a reduction): who won, how much everybody had, how long it took. Nothing grows with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from chocolatl.interpreter.play.game import Game, Result
from chocolatl.interpreter.play.match import Played
from chocolatl.interpreter.statistics.estimates import COUNTED, Tally

if TYPE_CHECKING:
    from chocolatl.interpreter.native.builds.series import Summed, Sums


@dataclass
class Totals:
    """Sums over games: by seat shares of victory, scores and points by item; leads, decisions, rounds, and what
    latched.

    Nothing in it grows with the number of games."""

    wins: list[Tally]
    scores: list[Tally]
    items: list[list[Tally]]
    spread: list[Counter[int]]
    latched: list[int]
    lead: Tally = field(default_factory=Tally)
    """By how much the highest score of a game lies above the next one."""
    decisions: Tally = field(default_factory=Tally)
    lengths: Counter[int] = field(default_factory=Counter)
    shortest: int | None = None
    longest: int | None = None
    counts: int = 0
    """What happened inside the games, as `Occurrences` lays it out."""

    @classmethod
    def of(cls, game: Game) -> Totals:
        seats = range(game.player_count)
        return cls(
            [Tally() for _ in seats],
            [Tally() for _ in seats],
            [[Tally() for _ in game.ir.items] for _ in seats],
            [Counter() for _ in seats],
            [0] * len(game.ir.latches),
        )

    @property
    def games(self) -> int:
        return self.decisions.n

    def add(self, game: Game, result: Result, played: Played) -> None:
        """One more game."""
        shared = 1 if len(result.winners) == 1 else Fraction(1, len(result.winners))
        for seat, score in enumerate(result.scores):
            self.wins[seat].add(shared if seat in result.winners else 0)
            self.scores[seat].add(score)
            if game.ir.score.type.size <= COUNTED:  # type: ignore[union-attr]  # a score is a number
                self.spread[seat][score] += 1
            for tally, points in zip(self.items[seat], result.breakdown[seat].values(), strict=True):
                tally.add(points)
        self.lead.add(lead(result.scores))
        for number, latch in enumerate(game.ir.latches):
            self.latched[number] += played.position.slots[game.program.layout.places[latch.field.key].base]
        if game.has_rounds:
            self.lengths[min(game.round(played.position), COUNTED)] += 1
        self._length(played.decisions, played.decisions)
        self.decisions.add(played.decisions)

    def merge(self, other: Totals) -> None:
        mine = [*self.wins, *self.scores, *chain(*self.items), self.lead]
        theirs = [*other.wins, *other.scores, *chain(*other.items), other.lead]
        for one, more in zip(mine, theirs, strict=True):
            one.merge(more)
        for counts, others in zip(self.spread, other.spread, strict=True):
            counts.update(others)
        self.latched = [a + b for a, b in zip(self.latched, other.latched, strict=True)]
        self.lengths.update(other.lengths)
        self.counts += other.counts
        self.decisions.merge(other.decisions)
        if other.shortest is not None and other.longest is not None:
            self._length(other.shortest, other.longest)

    def _length(self, shortest: int, longest: int) -> None:
        self.shortest = shortest if self.shortest is None else min(self.shortest, shortest)
        self.longest = longest if self.longest is None else max(self.longest, longest)

    @classmethod
    def native(cls, game: Game, sums: Sums, summed: Summed) -> Totals:
        """The same, from the sums that the native kernel took."""
        totals, words = cls.of(game), summed.sums
        totals.counts, games = summed.counts, words[sums.games]

        def tally(at: int) -> Tally:
            return Tally.sums(games, words[at], words[at] ** 2 if games == 1 else words[at + 1])

        totals.decisions, totals.lead = tally(sums.decisions), tally(sums.lead)
        if games:
            totals.shortest, totals.longest = words[sums.shortest], words[sums.longest]
        for seat in range(game.player_count):
            totals.scores[seat] = tally(sums.scores + 2 * seat)
            won = words[sums.wins + seat * sums.players : sums.wins + (seat + 1) * sums.players]
            whole = sum((Fraction(times, k) for k, times in enumerate(won, start=1)), Fraction())
            squares = sum((Fraction(times, k * k) for k, times in enumerate(won, start=1)), Fraction())
            totals.wins[seat] = Tally.sums(games, whole, squares)
            for item in range(sums.items):
                totals.items[seat][item] = tally(sums.points + 2 * (seat * sums.items + item))
            bins = words[sums.spread + seat * sums.bins : sums.spread + (seat + 1) * sums.bins]
            totals.spread[seat] = Counter({sums.lowest + n: count for n, count in enumerate(bins) if count})
        totals.latched = words[sums.ended : sums.ended + len(sums.latches)]
        lengths = words[sums.lengths : sums.lengths + sums.last_round + 1]
        totals.lengths = Counter({length: count for length, count in enumerate(lengths) if count})
        return totals


def lead(scores: Sequence[int]) -> int:
    """How far the highest of some scores lies above the next one; 0 of one alone."""
    highest = sorted(scores)[-2:]
    return highest[-1] - highest[0]
