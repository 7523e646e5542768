"""Answers compared by sampling (common random numbers, successive halving): where no model can be made of the rules.

All answers meet the same scenarios, each played on to the horizon with the same random numbers, so that they differ by
what they do and not by luck. Of many options the worse half is left out early. Those that remain are tried in fresh
scenarios: what only was lucky in the first ones is seen as it is in these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.playout import WHOLE_GAME, Horizon
from chocolatl.interpreter.players.lookahead import AnswerSequence, candidates, endings
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.outcome import WIN, OutcomeMeasure
from chocolatl.solver.worth.refusals import NOBODY_WON, Refusal

ENGINE = "sampling"
POLICY = "any legal answer, at random"

FINALISTS = 6
"""So many options are left for the fresh scenarios, if there are more."""

FIRST_LOOK = 16
"""In so many scenarios options are tried before half of them are left out."""

MOST = 2000
"""Of more answers than this, so many are drawn at random and tried."""

FRESH = 1 << 20
"""The number of the first fresh scenario."""

CLEAR = 4
"""An option that is behind by so many standard errors is surely behind."""

FIRST_ROUND = 0.4
"""In this share of the time all options have to meet two scenarios: there are fewer of them if it is too short."""

TRIAL = 1 << 19
"""The number of the first scenario in which it is seen how long one takes."""

LUCK = 1 << 31
"""The random numbers that a scenario is played on with are not those that it was made with."""


class NoComparison(Refusal):
    """There is nothing to compare by."""


@dataclass(frozen=True)
class Estimate:
    """A mean over samples, with its standard error."""

    mean: float
    error: float
    samples: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        count = len(values)
        mean = sum(values) / count
        spread = sum((value - mean) ** 2 for value in values) / (count - 1) if count > 1 else 0.0
        return cls(mean, sqrt(spread / count), count)


@dataclass(frozen=True)
class ComparedOption:
    """Answers, what they are worth, and by how much they are behind the best ones in the same scenarios."""

    answers: AnswerSequence
    value: Estimate
    behind: Estimate


@dataclass(frozen=True)
class OptionComparison:
    """The best options, best first. `possible` counts all that can be answered, `tried` what was looked at. If the time
    is over before anything was compared there are none; `first` is an answer anyway, and `seen` what it came to when it
    was played once, if it was."""

    options: tuple[ComparedOption, ...]
    tried: int
    possible: int
    first: AnswerSequence = ()
    seen: float | None = None


ScenarioSource = Callable[[int], FixedScenario]
"""Makes a scenario of a number."""

Continuation = Callable[[FixedScenario, Sequence[AnswerSequence]], Sequence[Position]]
"""Where each of several answers leads in a scenario."""


def at_random(
    game: Game, player: int, horizon: Horizon | None = None, deadline: Deadline | None = None
) -> Continuation:
    """Everybody answers at random, the player's own later decisions included; `TimeIsUp` if that takes too long."""
    limit = deadline or Deadline()

    def run(scenario: FixedScenario, answers: Sequence[AnswerSequence]) -> Sequence[Position]:
        far = horizon or usual_horizon(game, scenario.position)
        ends: list[Position] = []
        for end in endings(game, scenario.position, player, answers, scenario.seed + LUCK, far):
            ends.append(end)
            limit.look()
        return ends

    return run


def usual_horizon(game: Game, position: Position) -> Horizon:
    """The end of the round or, before the first round and in a game without rounds, the end of the game."""
    return Horizon() if game.round(position) else WHOLE_GAME


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

    def table(
        self, answers: Sequence[AnswerSequence], first: int, count: int, deadline: Deadline | None = None
    ) -> list[list[float]]:
        """What answers are worth, a row for each scenario, as many as there is time for; maybe none."""
        limit = self.deadline if deadline is None else deadline
        rows: list[list[float]] = []
        try:
            with limit.enforced():
                for number in range(first, first + count):
                    limit.look()
                    rows.append(self.row(answers, number))
        except TimeIsUp:
            pass
        return rows

    def row(self, answers: Sequence[AnswerSequence], number: int) -> list[float]:
        """What answers are worth in a scenario."""
        scenario = self.source(number)
        ends = self.run(scenario, answers)
        if self.measure.objective == WIN and not all(self.game.is_over(end) for end in ends):
            raise NoComparison("the game may go on after this round,", *NOBODY_WON)
        return [self.measure(scenario.position, end) / self.measure.unit for end in ends]

    def ranked(self, answers: Sequence[AnswerSequence], count: int) -> list[ComparedOption]:
        """Answers by what they are worth in fresh scenarios, the first of equals first; none of them if there was no
        time for two scenarios, which a standard error needs."""
        rows = self.fresh(answers, count)
        if len(rows) < 2:
            return []
        columns = list(zip(*rows, strict=True))
        order = sorted(range(len(answers)), key=lambda number: -sum(columns[number]))
        best = columns[order[0]]
        behind = [Estimate.of([b - v for b, v in zip(best, column, strict=True)]) for column in columns]
        return [ComparedOption(answers[number], Estimate.of(columns[number]), behind[number]) for number in order]

    def fresh(self, answers: Sequence[AnswerSequence], count: int) -> list[list[float]]:
        """What answers are worth in fresh scenarios: in fewer, if it is clear before which one is best."""
        if self.until_clear is None:
            return self.table(answers, FRESH, count)
        rows = self.table(answers, FRESH, min(count, self.until_clear))
        while len(rows) < count and not _is_clear(rows):
            rows += self.table(answers, FRESH + len(rows), min(len(rows), count - len(rows)))
        return rows

    def finalists(
        self, answers: Sequence[AnswerSequence], count: int, keep: int = FINALISTS, first: int = 0
    ) -> list[AnswerSequence]:
        """The most promising answers: the better half stays, and is tried in twice as many scenarios. `first` is the
        number of the first scenario. Half of the time is left for what comes after."""
        left, totals = list(range(len(answers))), [0.0] * len(answers)
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
    decision = sampler.game.decision(position, player)
    assert decision is not None
    first, seen = (decision.answers.nth(0),), None
    if not sampler.deadline.never:
        affordable, seen = judged(sampler, first)
        most = min(most, affordable)
    tried = [(answer,) for answer in candidates(decision, most, Random(seed))]
    options = sampler.ranked(sampler.finalists(tried, count), count)
    return OptionComparison(
        tuple(options), len(tried) if options else int(seen is not None), decision.answers.count(), first, seen
    )


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
