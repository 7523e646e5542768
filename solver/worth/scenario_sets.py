"""Three disjoint sets of scenarios: one to search in, one to choose in, one to report (training, validation, test).

What is best in some scenarios is fitted to them, and what is best among several answers was lucky, too. So the answers
that a search comes to are compared in scenarios that it has not seen, and what is said of the one that is chosen comes
from others again. Scenarios that are drawn have numbers, and each set has its own. Of a file each set has its own
lines, if there are enough of them. What is known is one scenario, of which nothing can be kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.beliefs import WeighedWorlds
from chocolatl.solver.worth.opponents import is_type
from chocolatl.solver.worth.refusals import NoScenario, QuestionPart, QuestionSetting
from chocolatl.solver.worth.scenarios import KNOWN, drawn_from, from_file, source

CHOICE, TRIAL, REPORT, RULES = 1 << 18, 1 << 19, 1 << 20, 1 << 21
"""The numbers of the first scenarios in which answers are compared, in which it is seen how long one takes, which are
reported, and in which rules of thumb are tried. Those of the search begin with 0."""

MOST = 200_000
"""So many scenarios a set has at most: then its numbers are surely not those of another one."""

MOST_SAMPLES, MOST_CHOICE = 20_000, 1_000
"""So many scenarios a report has at most, since all of them are kept; and so many are enough to choose by."""

DIVIDED, LEFT = 100, 40
"""A file is divided if it has so many lines, and so many of them are not needed for the search."""

AT_FIRST = 8
"""In so many scenarios is searched, unless a number is given."""

ONE_SCENARIO = "the others' answers are given: the value is that of this one scenario, and nothing is fresh"
TOO_FEW = "nothing is fresh: {} too few to divide, it takes {}"


class ScenarioSets:
    """The scenarios of a question. Where nothing can be kept apart, the search has all of them, and the other sets
    none."""

    def __init__(
        self,
        game: Game,
        position: Position,
        player: int,
        against: str,
        seed: int,
        scenarios: int | None = None,
        fresh: str | None = None,
        worlds: WeighedWorlds | None = None,
    ) -> None:
        self.asked = scenarios
        self.is_drawn = is_type(against)
        self.why_not_fresh: str | None = None
        self.lines, self.choices, self.reports = list[FixedScenario](), list[FixedScenario](), list[FixedScenario]()
        self.is_given = fresh is not None
        if against != KNOWN and not self.is_drawn:
            self.lines = from_file(game, position, player, against, seed)
        if fresh is not None:
            given = from_file(game, position, player, fresh, seed + REPORT, QuestionPart.FRESH)
            if len(given) < 2:
                raise NoScenario(
                    QuestionSetting(QuestionPart.FRESH), ": one line is too few to say how sure a value is"
                )
            self.choices, self.reports = (given[::2], given[1::2]) if len(given) >= LEFT else ([], given)
        elif against == KNOWN:
            self.why_not_fresh = ONE_SCENARIO
        elif self.lines:
            self._divide()
        asked = game, position, player, against, seed
        self.drawn = drawn_from(self.lines, seed) if self.lines else source(*asked, worlds)
        """A scenario for the search by its number."""

    def _divide(self) -> None:
        count = len(self.lines)
        wanted = count // 2 if self.asked is None else self.asked
        if count < max(DIVIDED, wanted + LEFT):
            lines = "1 line is" if count == 1 else f"{count} lines are"
            self.why_not_fresh = TOO_FEW.format(lines, max(DIVIDED, LEFT + (self.asked or 0)))
            return
        chosen = set(spread(count, wanted))
        rest = [line for number, line in enumerate(self.lines) if number not in chosen]
        self.lines = [self.lines[number] for number in sorted(chosen)]
        self.choices, self.reports = rest[::2], rest[1::2]

    @property
    def is_fresh(self) -> bool:
        """Whether there is anything to report that the search has not seen."""
        return self.why_not_fresh is None

    @property
    def grows(self) -> bool:
        """Whether the search may have any number of scenarios."""
        return self.is_drawn and self.asked is None

    def search(self, count: int, deadline: Deadline | None = None) -> list[FixedScenario]:
        """The scenarios of a search, as many as there is time for; `TimeIsUp` if there is time for none. Where they are
        given, each of them once."""
        if self.lines:
            return self.lines
        return (deadline or Deadline()).each(range(count if self.is_drawn else 1), self.drawn)

    def seen(self, count: int, deadline: Deadline) -> list[FixedScenario]:
        """Some scenarios of the search, evenly spread if they are given; none, if there is no time for that."""
        with suppress(TimeIsUp):
            given = self.search(count, deadline)
            return [given[number] for number in spread(len(given), min(count, len(given)))]
        return []

    def choice(self, count: int, known: int = 0) -> Iterator[FixedScenario]:
        """Where answers are compared; without the first ones, if these are known."""
        return self._apart(self.choices, CHOICE, min(count, MOST_CHOICE), known)

    def compared(self, count: int) -> int:
        """In how many scenarios answers are compared, if so many are asked for."""
        if self.is_given or not self.is_drawn:
            return min(count, MOST_CHOICE, len(self.choices))
        return min(count, MOST_CHOICE)

    def rules(self, count: int, deadline: Deadline) -> list[FixedScenario]:
        """Where rules of thumb for own later decisions are tried: whatever is searched, always the same."""
        if not self.is_drawn:
            given = self.search(1)
            return [given[number] for number in spread(len(given), min(count, len(given)))]
        return deadline.each(range(RULES, RULES + count), self.drawn)

    def report(self, count: int) -> Iterator[FixedScenario]:
        """Where the chosen one is played."""
        return self._apart(self.reports, REPORT, count)

    def size(self, count: int) -> int:
        """How many scenarios a report has, if so many are asked for."""
        return min(count, len(self.reports)) if self.reports else count

    def _apart(self, lines: Sequence[FixedScenario], first: int, count: int, known: int = 0) -> Iterator[FixedScenario]:
        if lines:
            yield from (lines[number] for number in spread(len(lines), min(count, len(lines)))[known:])
        elif self.is_drawn and not self.is_given:
            yield from map(self.drawn, range(first + known, first + count))


def spread(size: int, count: int) -> list[int]:
    """So many numbers below a size, evenly spread."""
    return [number * size // count for number in range(count)]
