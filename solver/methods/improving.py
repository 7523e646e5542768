"""Answers of a search without a proof, improved piece by piece (local search): by code of a model, or by playing."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
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
    """The same by the rules alone."""

    @cache
    def worth(given: AnswerSequence) -> float:
        try:
            values = problem.values(tuple(given), deadline)
        except RuleError:
            return float("-inf")
        if len(values) < len(problem.scenarios):
            raise TimeIsUp
        return sum(values)

    block = SecretBlock(problem.game, problem.scenarios[0].position, problem.player)
    return tuple(climbed(block, answers, lambda some: [*map(worth, some)], Random(problem.scenarios[0].seed))[0])
