"""Answers compared by sampling (common random numbers, successive halving): where no model can be made of the rules.

All answers meet the same scenarios, each played on to the horizon with the same random numbers, so that they differ by
what they do and not by luck. Of many options the worse half is left out early. Those that remain are tried in fresh
scenarios: what only was lucky in the first ones is seen as it is in these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence, candidates
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.continuations import Continuation
from chocolatl.solver.methods.native_rows import NativeRows
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.outcome import VICTORIES, OutcomeMeasure
from chocolatl.solver.worth.refusals import Refusal, nobody_won
from chocolatl.solver.worth.scenario_sets import CHOICE, TRIAL

ENGINE = "sampling"

FINALISTS = 6
"""So many options are left for the fresh scenarios, if there are more."""

FIRST_LOOK = 16
"""In so many scenarios options are tried before half of them are left out."""

MOST = 2000
"""Of more answers than this, so many are drawn at random and tried."""

LONGEST = 1 << 14
"""Options are left out after so many scenarios at the latest: the numbers of these are not those of other sets."""

CLEAR = 4
"""An option that is behind by so many standard errors is surely behind."""

FIRST_ROUND = 0.4
"""In this share of the time all options have to meet two scenarios: there are fewer of them if it is too short."""


class NoComparison(Refusal):
    """There is nothing to compare by."""


@dataclass(frozen=True)
class ComparedOption:
    """Answers, what they are worth, and by how much they are behind the best ones in the same scenarios."""

    answers: AnswerSequence
    value: Estimate
    behind: Estimate


@dataclass(frozen=True)
class OptionComparison:
    """The best options, best first. `possible` counts all that can be answered, `tried` what was looked at."""

    options: tuple[ComparedOption, ...]
    tried: int
    possible: int


@dataclass(frozen=True)
class NarrowedOptions:
    """What is left of all that can be answered, counted in the same way. `first` is an answer for those who have no
    time to compare any, and `seen` what it came to when it was played once, if it was."""

    options: list[AnswerSequence]
    tried: int
    possible: int
    first: AnswerSequence
    seen: float | None
    others: Sequence[AnswerSequence] = ()
    """Of whole answers, what clearly differs from the best one."""


ScenarioSource = Callable[[int], FixedScenario]
"""Makes a scenario of a number."""


@dataclass
class Sampler:
    """Tries answers in scenarios until the time is over."""

    game: Game
    source: ScenarioSource
    run: Continuation
    measure: OutcomeMeasure
    deadline: Deadline = field(default_factory=Deadline)
    first_look: int = FIRST_LOOK
    until_clear: int | None = None
    """After so many fresh scenarios it is seen whether more are needed at all; None: as many as were asked for."""
    natively: NativeRows | None = None
    """What makes rows of these scenarios in native code, if anything does."""
    was_cut: bool = False
    """Whether the time was over before all was tried."""

    def table(
        self, answers: Sequence[AnswerSequence], first: int, count: int, deadline: Deadline | None = None
    ) -> list[list[float]]:
        """What answers are worth, a row for each scenario, as many as there is time for; maybe none."""
        limit = self.deadline if deadline is None else deadline
        rows: list[list[float]] = []
        try:
            with limit.enforced():
                while len(rows) < count:
                    limit.look()
                    rows += self.more_rows(answers, first + len(rows), count - len(rows))
        except TimeIsUp:
            self.was_cut = True
        return rows

    def more_rows(self, answers: Sequence[AnswerSequence], first: int, count: int) -> list[list[float]]:
        """The next rows of a table, at least one."""
        if self.natively is None:
            return [self.row(answers, first)]
        made = self.natively.rows(answers, first, count)
        if made is None:
            with self.natively.effort.watched():
                made = [self.row(answers, first)]
        return made

    def row(self, answers: Sequence[AnswerSequence], number: int) -> list[float]:
        """What answers are worth in the scenario of a number."""
        scenario = self.source(number)
        return self.worth(scenario, self.run.ends(scenario, answers))

    def worth(self, scenario: FixedScenario, ends: Sequence[Position]) -> list[float]:
        """What a scenario is worth by its ends."""
        if self.measure.objective in VICTORIES and not all(self.game.is_over(end) for end in ends):
            raise NoComparison("the game may go on after this round,", *nobody_won(self.measure.objective))
        return [self.measure(scenario.position, end) / self.measure.unit for end in ends]

    def ranked(
        self, answers: Sequence[AnswerSequence], count: int, deadline: Deadline | None = None
    ) -> list[ComparedOption]:
        """Answers by what they are worth in fresh scenarios, the first of equals first; none of them if there was no
        time for two scenarios, which a standard error needs."""
        rows = self.fresh(answers, count, deadline)
        if len(rows) < 2:
            return []
        columns = list(zip(*rows, strict=True))
        order = sorted(range(len(answers)), key=lambda number: -sum(columns[number]))
        best = columns[order[0]]
        behind = [Estimate.of([b - v for b, v in zip(best, column, strict=True)]) for column in columns]
        return [ComparedOption(answers[number], Estimate.of(columns[number]), behind[number]) for number in order]

    def fresh(
        self, answers: Sequence[AnswerSequence], count: int, deadline: Deadline | None = None
    ) -> list[list[float]]:
        """What answers are worth in fresh scenarios: in fewer, if it is clear before which one is best."""
        wanted = count if self.until_clear is None else min(count, self.until_clear)
        rows = self.table(answers, CHOICE, wanted, deadline)
        while wanted == len(rows) < count and not _is_clear(rows):
            wanted = min(2 * wanted, count)
            rows += self.table(answers, CHOICE + len(rows), wanted - len(rows), deadline)
        return rows

    def finalists(
        self, answers: Sequence[AnswerSequence], count: int, keep: int = FINALISTS, first: int = 0
    ) -> list[AnswerSequence]:
        """The most promising answers: the better half stays, and is tried in twice as many scenarios. `first` is the
        number of the first scenario. Half of the time is left for what comes after."""
        left, totals = list(range(len(answers))), [0.0] * len(answers)
        count = min(count, LONGEST)
        look, deadline = min(self.first_look, count), self.deadline.share(0.5)
        while len(left) > keep:
            for row in self.table([answers[number] for number in left], first, look, deadline):
                for number, value in zip(left, row, strict=True):
                    totals[number] += value
            half = max(keep, (len(left) + 1) // 2)
            left = sorted(sorted(left, key=lambda number: -totals[number])[:half])
            first, look = first + look, min(2 * look, count)
        return [answers[number] for number in left]


def _is_clear(rows: Sequence[Sequence[float]]) -> bool:
    """Whether the best column is ahead of the second beyond doubt, or there is no difference at all."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    order = sorted(range(len(totals)), key=lambda number: -totals[number])
    behind = [Estimate.of([row[order[0]] - row[number] for row in rows]) for number in order[1:2]]
    return all(second.mean >= CLEAR * second.error for second in behind)


def compare(
    sampler: Sampler, position: Position, player: int, count: int, seed: int, most: int = MOST
) -> OptionComparison:
    """What a player can answer to the decision at hand, the best ones by `count` fresh scenarios."""
    found = narrowed(sampler, position, player, count, seed, most)
    options = sampler.ranked(found.options, count)
    return OptionComparison(tuple(options), found.tried if options else int(found.seen is not None), found.possible)


def narrowed(
    sampler: Sampler, position: Position, player: int, count: int, seed: int, most: int = MOST
) -> NarrowedOptions:
    """The most promising answers to the decision at hand, by the scenarios of a search."""
    decision = sampler.game.decision(position, player)
    assert decision is not None
    first, seen = (decision.answers.nth(0),), None
    if not sampler.deadline.never:
        affordable, seen = judged(sampler, first)
        most = min(most, affordable)
    tried = [(answer,) for answer in candidates(decision, most, Random(seed))]
    options = sampler.finalists(tried, count)
    return NarrowedOptions(options, len(tried), decision.answers.count(), first, seen)


def judged(sampler: Sampler, answers: AnswerSequence) -> tuple[int, float | None]:
    """How many options there is time for, judged by one of them: by the second try, since the first sets things up. And
    what it came to at first, if there was time for that."""
    seen: list[list[float]] = []
    for number in range(2):
        before = sampler.deadline.left
        seen += sampler.table([answers], TRIAL + number, 1)
        took = before - sampler.deadline.left
    affordable = int(FIRST_ROUND * sampler.deadline.left / (2 * max(took, 1e-6)))
    return max(1, affordable), seen[0][0] if seen else None
