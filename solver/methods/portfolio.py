"""Which engine answers a model: a plain search, a table of all answers, or all that a search can do (a portfolio).

Each gets a share of the time. Where there are so many scenarios that a search comes to nothing at first, it is tried
with the first ones, so that there is an answer whatever comes of the rest.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.cpsat import Progress, Solution
from chocolatl.solver.model.definitions import NoTable, TooLong
from chocolatl.solver.model.evaluation import DecisionDependence
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

if TYPE_CHECKING:  # who needs no table does not wait for what it is made with
    from chocolatl.solver.backends.enumeration import AnswerTable
    from chocolatl.solver.methods.best import ModelledProblem

ENGINE, ENUMERATION, SEPARATELY = "CP-SAT", "enumeration", "dynamic programming"

PLAINLY = 0.4
"""This share of a search is for the plainest one, before a table of all answers is made."""

FIRST, BEGINNING = 16, 0.2
"""If a plain search of more scenarios finds nothing, so many are searched by themselves; this share of the rest is for
that."""

TABLING = 0.5
"""A table needs a compiler, which takes about so many seconds to come into memory: for less time none is begun."""

FEW = 0.25
"""A table of a smaller share of the scenarios gives way to what a search has found."""


def searched(
    problem: ModelledProblem, deadline: Deadline, progress: Progress | None, engine: str | None
) -> tuple[Solution, str]:
    """The best by the model, and who has found it: dynamic programming where each decision counts for itself, a plain
    search, or else a table of all answers, or else all that a search can do."""
    if problem.table is not None and engine != ENGINE:
        return problem.table.best(), ENUMERATION
    if engine == ENUMERATION:
        try:
            return _tabled(problem, deadline, progress).best(), engine
        except NoTable as error:
            if isinstance(error, TooLong):
                raise TimeIsUp from None
            raise NoAnswer(QuestionSetting(QuestionPart.ENGINE, engine), f": {error}") from None
    if engine is None:
        with suppress(NoTable):
            return _separately(problem, deadline), SEPARATELY
    many, begun = len(problem.parts) > FIRST, None
    plainly = PLAINLY if engine is None or many else 1.0
    try:
        for number, solution in enumerate(cpsat.solutions(problem.model, problem.goal, deadline, progress, plainly)):
            if number == 0 and many and solution.status == cpsat.UNKNOWN:
                begun = _begun(problem, deadline)
            if number == 0 and engine is None and solution.status in (cpsat.FEASIBLE, cpsat.UNKNOWN):
                with suppress(NoTable):
                    table = _tabled(problem, deadline, progress)
                    found = table.best(solution.bound)
                    if solution.values is not None and _is_less(table, found, solution):  # the time was up early
                        break
                    return replace(found, seconds=solution.seconds + found.seconds), ENUMERATION
    except TimeIsUp:
        if begun is None:
            raise
        return begun, ENGINE
    return begun if begun is not None and solution.values is None else solution, ENGINE


def _separately(problem: ModelledProblem, deadline: Deadline) -> Solution:
    """The best answer where its parts are worth something each by itself."""
    goal, decisions = problem.goal, problem.plan.decisions
    owner = {variable: number for number, decision in enumerate(decisions) for variable in decision.variables}
    if len(decisions) < 2 or not DecisionDependence(problem.model.definitions, owner).separates(goal.terms):
        raise NoTable("what an answer is worth is decided by several of its parts together")
    from chocolatl.solver.backends.separable import best

    return best(problem.model, problem.plan, goal, deadline)


def _begun(problem: ModelledProblem, deadline: Deadline) -> Solution | None:
    """An answer that is good in the first scenarios: among all of them a search may not come to any in the time."""
    first = problem.model.total(problem.parts[:FIRST])
    if isinstance(first, int):
        return None
    with suppress(TimeIsUp):
        found = next(cpsat.solutions(problem.model, first, deadline.share(BEGINNING), helped=False))
        return replace(found, status=cpsat.FEASIBLE, parts=FIRST) if found.values is not None else None
    return None


def _is_less(table: AnswerTable, found: Solution, searched: Solution) -> bool:
    """Whether what a table tells is less than what a search has found."""
    if table.parts < table.asked:
        return table.parts < FEW * table.asked
    assert searched.objective is not None
    return found.objective is None or found.objective < searched.objective


def _tabled(problem: ModelledProblem, deadline: Deadline, progress: Progress | None) -> AnswerTable:
    """All answers with their values. If all of them have one, the table will not be made again."""
    if deadline.left < TABLING:
        raise TooLong("making a table takes longer than there is time")
    try:
        from chocolatl.solver.backends.enumeration import tabled
    except (ImportError, OSError) as error:
        raise NoTable(f"the compiler cannot be used here ({error})") from None
    table = tabled(problem.model, problem.plan, problem.parts, deadline, progress, problem.rules)
    if table.known == len(table.values):
        problem.table = table
    return table
