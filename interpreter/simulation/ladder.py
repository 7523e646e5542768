"""A ladder: players of several types meet two by two, one of a type among others of another, until it is clear who is
stronger (a round robin with sequential tests).

One among others, and not half of each, is what a player at a table meets; and with more than two players half of each
may hide who is better. Each seat is taken equally often, so that no seat counts for anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.simulation.conclusions import Sign, sign_of
from chocolatl.interpreter.simulation.series import SeriesPlan, play_part, set_up
from chocolatl.interpreter.simulation.workers import in_processes
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Tally
from chocolatl.interpreter.statistics.ratings import Encounter, ratings
from chocolatl.interpreter.statistics.sequential import always_valid

SURE = 0.95
"""How sure all signs of a ladder are together."""

LOOK = 10
"""Games in each seat between two looks."""


@dataclass(frozen=True)
class LadderPlan:
    """What is played: a plan for any series of the game, the types, and how many games two of them play at most."""

    series: SeriesPlan
    types: tuple[str, ...]
    most: int
    compile_level: Callable[[tuple[str, ...]], int | None]
    """How well to compile for players of such types, or None if the interpreter plays; a process can import it."""

    @property
    def players(self) -> int:
        return len(self.series.names)

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Who sits alone among whom. Of two players one is enough: what one does not win the other does."""
        pairs = list(permutations(range(len(self.types)), 2))
        return [(one, others) for one, others in pairs if one < others or self.players > 2]

    @property
    def alpha(self) -> float:
        """With which chance one sign may be wrong, so that all of them are right together."""
        return (1 - SURE) / max(1, len(self.meetings))


@dataclass(frozen=True)
class Meeting:
    """What came of one player of a type among others of another one; or where a rule failed."""

    one: int
    others: int
    won: Tally
    failure: tuple[Span, str] | None = None


def play_meeting(plan: LadderPlan, number: int) -> Meeting:
    """Play until the sign is clear, or enough has been played."""
    one, others = plan.meetings[number]
    level = plan.compile_level((plan.types[one], plan.types[others]))
    settings = []
    for seat in range(plan.players):
        types = tuple(plan.types[one if other == seat else others] for other in range(plan.players))
        settings.append(set_up(replace(plan.series, types=types, native=level), Findings()))
    won, first = Tally(), 0
    while won.n < plan.most and sign_of(always_valid(won, plan.alpha), 1 / plan.players) is Sign.NEITHER:
        for seat, setting in enumerate(settings):
            part = play_part(setting, first, LOOK)
            if part.failure is not None:
                span, message, _ = part.failure
                return Meeting(one, others, won, (span, message))
            won.merge(part.totals.wins[seat])
        first += LOOK
    return Meeting(one, others, won)


def _prepared(plan: LadderPlan) -> Callable[[int], Meeting]:
    """What a process of its own does with each meeting."""
    return partial(play_meeting, plan)


def play_ladder(plan: LadderPlan, jobs: int) -> Iterator[Meeting]:
    """All meetings in order, however many processes play them."""
    numbers = range(len(plan.meetings))
    if jobs == 1 or len(numbers) < 2:
        yield from map(_prepared(plan), numbers)
        return
    with closing(in_processes(_prepared, plan, ((number,) for number in numbers), min(jobs, len(numbers)), 1)) as done:
        yield from done


@dataclass(frozen=True)
class Ladder:
    """Who is how strong, by what they won from one another."""

    plan: LadderPlan
    meetings: Sequence[Meeting]

    def share(self, meeting: Meeting) -> ConfidenceInterval:
        return always_valid(meeting.won, self.plan.alpha)

    def sign(self, meeting: Meeting) -> Sign:
        """Whether the one wins more than its share among the others."""
        return sign_of(self.share(meeting), 1 / self.plan.players)

    def ratings(self) -> list[ConfidenceInterval]:
        """Of each type, beside the first one."""
        met = [
            Encounter(each.one, each.others, self.plan.players, each.won.n, float(each.won.total))
            for each in self.meetings
        ]
        return ratings(len(self.plan.types), met)

    def stronger(self, one: int, other: int) -> bool:
        """Whether it is clear that a type is stronger than another, by itself among them or by them among itself."""
        signs = {(each.one, each.others): self.sign(each) for each in self.meetings}
        mine, theirs = (signs.get(pair, Sign.NEITHER) for pair in ((one, other), (other, one)))
        found = {mine, {Sign.MORE: Sign.LESS, Sign.LESS: Sign.MORE, Sign.NEITHER: Sign.NEITHER}[theirs]}
        return Sign.MORE in found and Sign.LESS not in found
