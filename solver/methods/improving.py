"""Answers of a search without a proof, improved piece by piece (local search): by code of a model, or by playing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from operator import mul
from typing import TYPE_CHECKING

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.neighbours import SecretBlock, climbed
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.worth.contests import AnswerValues

if TYPE_CHECKING:
    from chocolatl.solver.methods.best import ModelledProblem

LOOK = 8
"""In so many scenarios a change is looked at first, and in so many times as many again."""


def improved(problem: ModelledProblem, answers: AnswerValues, deadline: Deadline) -> AnswerValues:
    """Answers changed piece by piece for as long as that is better in all scenarios, and as there is time."""
    if problem.climber is not None and len(problem.parts) == len(problem.scenarios):
        with suppress(NoTable, TimeIsUp):
            return by_code(problem, answers, deadline)
    return by_playing(problem, answers, deadline)


def by_code(problem: ModelledProblem, answers: AnswerValues, deadline: Deadline) -> AnswerValues:
    """The same by code that a climb was made with before; `NoTable` if it knows no such answer."""
    from chocolatl.solver.backends.climbing import Climber

    model = problem.model
    climber = Climber(model, problem.plan, problem.goal, deadline, problem.climber)
    row = climber.row_of(problem.plan.values(answers))
    if row is None:
        raise NoTable("the answers are none of those that are looked at")
    end = climber.separated.variables(climber.climb(row, deadline).row.tolist())
    return problem.answers(climber.separated.solution(model, end))


def by_playing(problem: ModelledProblem, answers: AnswerValues, deadline: Deadline) -> AnswerValues:
    """The same by the rules alone. At first a change has to be better in the first scenarios, too, and in ever more of
    them, so that most are seen through soon (racing); then in all together."""
    count, random = len(problem.scenarios), Random(problem.scenarios[0].seed)
    block = SecretBlock(problem.game, problem.scenarios[0].position, problem.player)
    race = Race(problem, deadline, tuple(answers))
    race.looks = [look for look in accumulate(repeat(LOOK, count.bit_length()), mul) if look < count]
    climbed(block, race.best, race.worths, random)
    race.looks = ()
    if not deadline.is_over:
        climbed(block, race.best, race.worths, random)
    return tuple(race.best)


@dataclass
class Race:
    """What answers are worth in all scenarios, as far as each is played; and the best one so far."""

    problem: ModelledProblem
    deadline: Deadline
    best: AnswerSequence
    looks: Sequence[int] = ()
    """Who is not ahead of the best one in so many scenarios is not played in more."""
    known: dict[AnswerSequence, list[float]] = field(default_factory=dict)

    def worths(self, answers: Sequence[AnswerSequence]) -> list[float]:
        return [*map(self.worth, answers)]

    def worth(self, given: AnswerSequence) -> float:
        if given != self.best and any(self.total(given, look) <= self.total(self.best, look) for look in self.looks):
            return -math.inf
        count = len(self.problem.scenarios)
        found = self.total(given, count)
        if found > self.total(self.best, count):
            self.best = given
        return found

    def total(self, given: AnswerSequence, count: int) -> float:
        """What answers are worth in the first scenarios; `TimeIsUp` if there is no time to see that."""
        values = self.known.setdefault(given, [])
        if len(values) < count:
            try:
                values += self.problem.values(tuple(given), self.deadline, slice(len(values), count))
            except RuleError:
                values += [-math.inf] * (count - len(values))
            if len(values) < count:
                raise TimeIsUp
        return sum(values[:count])
