"""Which engine answers a model: a plain search, a table of all answers, or all that a search can do (a portfolio).

Each gets a share of the time. Where there are so many scenarios that a search comes to nothing at first, it is tried
with the first ones, so that there is an answer whatever comes of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.interpreter.system.extras import why_not
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.cpsat import Progress, Solution
from chocolatl.solver.methods.starting_answers import starting_answers
from chocolatl.solver.model.definitions import NoTable, TooLong, TooMuchCode
from chocolatl.solver.model.evaluation import DecisionDependence, Evaluation
from chocolatl.solver.model.linear import high
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

if TYPE_CHECKING:  # who needs no table does not wait for what it is made with
    from chocolatl.solver.backends.climbing import ClimbedAnswer, Climber
    from chocolatl.solver.backends.enumeration import AnswerTable
    from chocolatl.solver.methods.best import ModelledProblem

ENGINE, ENUMERATION, SEPARATELY, CLIMBING = "CP-SAT", "enumeration", "dynamic programming", "search"

PLAINLY = 0.4
"""This share of a search is for the plainest one, before a table of all answers is made."""

FIRST, BEGINNING = 16, 0.2
"""If a plain search of more scenarios finds nothing, so many are searched by themselves; this share of the rest is for
that."""

LISTING = 0.85
"""This share of a search is for a table; if it is not enough for all of it, its best answer is improved in the rest."""

TABLING = 0.5
"""A table needs a compiler, which takes about so many seconds to come into memory: for less time none is begun."""

COMPILED = 0.5
"""This share of a search may be spent on code that climbs: without it hardly anything can be found in a short time."""

CLIMBED, GROUPED = 0.4, 0.3
"""Where neither a plain search nor a table is enough: these shares of the rest are for climbing, and for what groups of
scenarios are worth at most; what is left is for a bound over all of them."""

CLIMBS, STALE = 8, 200
"""After so many climbs that brought nothing better it is enough: before a table is tried, and without one."""

IMPROVING = 0.05
"""This share is left to improve what CP-SAT has found."""

FEWEST, PRUDENT = 4, 0.7
"""A climb in fewer scenarios says too little; and so much of what there seems to be time for is taken on."""

GROUP = 128
"""So many scenarios are a group."""

FEW_ROWS = 100_000
"""A table has so many rows at most where code for all scenarios takes too long: it is made of the first ones."""

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
    many, begun, partly = len(problem.parts) > FIRST, None, None
    try:
        for number, solution in enumerate(cpsat.solutions(problem.model, problem.goal, deadline, progress, PLAINLY)):
            if number == 0 and many and solution.status == cpsat.UNKNOWN:
                begun = _begun(problem, deadline)
            if number == 0 and solution.status in (cpsat.FEASIBLE, cpsat.UNKNOWN):
                known, climber, table = [solution, begun], None, None
                seconds = None
                with suppress(NoTable, TimeIsUp):  # whatever comes of the rest, there is a good answer
                    try:
                        climber = _climber(problem, deadline.share(COMPILED))
                        known.append(_top(problem, climber, solution, known, deadline.share(CLIMBED), progress, CLIMBS))
                    except TooMuchCode as code:
                        seconds = code.seconds
                if engine is None:
                    with suppress(NoTable):
                        most = None if seconds is None else FEW_ROWS
                        table = _tabled(problem, deadline.share(LISTING), progress, most).best(solution.bound)
                        table = replace(table, seconds=solution.seconds + table.seconds)
                        if table.status == cpsat.OPTIMAL:
                            return table, ENUMERATION
                if climber is not None:
                    return _climbed(problem, climber, solution, [table, *known], deadline, progress)
                if table is not None and not _is_less(problem, table, solution):
                    return table, ENUMERATION
                if table is None and seconds is not None:
                    partly = _climbed_first(problem, solution, known, seconds, deadline.share(LISTING))
    except TimeIsUp:
        if partly is not None:
            return partly[1], CLIMBING
        if begun is None:
            raise
        return begun, ENGINE
    if partly is not None and not _is_ahead(problem, solution, *partly):
        return partly[1], CLIMBING
    return begun if begun is not None and solution.values is None else solution, ENGINE


def _separately(problem: ModelledProblem, deadline: Deadline) -> Solution:
    """The best answer where its parts are worth something each by itself."""
    goal, decisions = problem.goal, problem.plan.decisions
    owner = {variable: number for number, decision in enumerate(decisions) for variable in decision.variables}
    if len(decisions) < 2 or not DecisionDependence(problem.model.definitions, owner).separates(goal.terms):
        raise NoTable("what an answer is worth is decided by several of its parts together")
    from chocolatl.solver.backends.separable import best

    return best(problem.model, problem.plan, goal, deadline)


def _climber(problem: ModelledProblem, deadline: Deadline) -> Climber:
    """What climbs with code for a model; `NoTable` if answers cannot be changed piece by piece."""
    try:
        from chocolatl.solver.backends.climbing import Climber
    except (ImportError, OSError) as error:
        raise NoTable(f"the compiler cannot be used here ({why_not(error)})") from None
    problem.climber = Climber(problem.model, problem.plan, problem.goal, deadline, problem.climber)
    return problem.climber


def _top(
    problem: ModelledProblem,
    climber: Climber,
    first: Solution,
    known: Sequence[Solution | None],
    deadline: Deadline,
    progress: Progress | None,
    stale: int,
) -> Solution:
    """A good answer by local search, from what is known and what others answer."""
    begin = [problem.answers(each.values) for each in known if each is not None and each.values is not None]
    begin += map(tuple, starting_answers(problem.game, problem.player, problem.scenarios))
    rows = [row for row in map(climber.row_of, map(problem.plan.values, begin)) if row is not None]
    bound = problem.goal.high if first.bound is None else first.bound
    end = climber.search(deadline, lambda value: progress(value, bound) if progress else None, rows, stale)
    return _solution(climber, first, end)


def _climbed(
    problem: ModelledProblem,
    climber: Climber,
    first: Solution,
    known: Sequence[Solution | None],
    deadline: Deadline,
    progress: Progress | None,
) -> tuple[Solution, str]:
    """The best answer by local search; CP-SAT begins with it, brings a bound and maybe a better answer, which is
    improved in the same way."""
    start, model = deadline.clock(), problem.model
    bound = problem.goal.high if first.bound is None else first.bound
    top = _top(problem, climber, first, known, deadline.share(CLIMBED), progress, STALE)
    found, proof = [top], first.proof
    with suppress(TimeIsUp):
        grouped = _grouped(problem, deadline.share(GROUPED))
        if grouped < bound:
            bound, proof = grouped, cpsat.Proof.PLAIN
        assert top.objective is not None and top.values is not None
        if top.objective < bound:
            answers = problem.plan.values(problem.answers(top.values))
            hint: Mapping[int, int] = answers
            with suppress(NoTable):  # what follows from the answers helps, too
                hint = Evaluation(model.definitions, answers).values(model.closure(problem.goal)[1])
            stages = cpsat.BOUNDING if len(problem.parts) > FIRST else cpsat.STAGES[1:]
            limit = deadline.share(1 - IMPROVING)
            for solution in cpsat.solutions(model, problem.goal, limit, progress, stages=stages, hint=hint):
                if solution.objective is not None and solution.bound is not None:
                    if solution.bound <= bound:
                        bound, proof = solution.bound, solution.proof
                    found.append(solution)
    best = max(found, key=lambda solution: solution.objective if solution.objective is not None else -math.inf)
    by = CLIMBING if best is found[0] else ENGINE
    if best is not found[0] and best.values is not None:
        row = climber.row_of(problem.plan.values(problem.answers(best.values)))
        end = climber.climb(row, deadline) if row is not None else None
        if end is not None and best.objective is not None and end.value > best.objective:
            best, by = _solution(climber, first, end), CLIMBING
        best = replace(best, is_top=end is not None and end.is_top)
    assert best.objective is not None
    status = cpsat.OPTIMAL if bound <= best.objective else cpsat.FEASIBLE
    seconds = first.seconds + deadline.clock() - start
    by = ENGINE if status == cpsat.OPTIMAL else by  # whoever has proved it
    return replace(best, bound=bound, status=status, seconds=seconds, proof=proof), by


def _solution(climber: Climber, first: Solution, end: ClimbedAnswer) -> Solution:
    """The end of a climb, in all scenarios of a model."""
    answers = climber.separated.variables(end.row.tolist())
    values = climber.separated.solution(climber.code.model, answers)
    return replace(first, objective=end.value, values=values, parts=None, is_top=end.is_top)


def _grouped(problem: ModelledProblem, deadline: Deadline) -> float:
    """What all scenarios are worth together at most: what each group of them is by itself."""
    parts, bound = problem.parts, 0.0
    groups = [problem.model.total(parts[at : at + GROUP]) for at in range(0, len(parts), GROUP)]
    for number, group in enumerate(groups):
        own = deadline.share(1 / (len(groups) - number))
        if isinstance(group, int) or len(groups) == 1 or own.left < cpsat.LEAST:
            bound += high(group)
            continue
        (found,) = cpsat.solutions(problem.model, group, own, helped=False, stages=(cpsat.PLAIN,))
        bound += high(group) if found.bound is None else min(found.bound, high(group))
    return bound


def _begun(problem: ModelledProblem, deadline: Deadline) -> Solution | None:
    """An answer that is good in the first scenarios: among all of them a search may not come to any in the time."""
    first = problem.model.total(problem.parts[:FIRST])
    if isinstance(first, int):
        return None
    with suppress(TimeIsUp):
        found = next(cpsat.solutions(problem.model, first, deadline.share(BEGINNING), helped=False))
        return replace(found, status=cpsat.FEASIBLE, parts=FIRST) if found.values is not None else None
    return None


def _climbed_first(
    problem: ModelledProblem, first: Solution, known: Sequence[Solution | None], seconds: float, deadline: Deadline
) -> tuple[Climber, Solution] | None:
    """The best answer by local search in the first scenarios, if it takes so many seconds to compile code for all: in
    as many as there is time for."""
    from chocolatl.solver.backends.climbing import Climber

    compiling = deadline.share(CLIMBED)
    count = int(len(problem.parts) * PRUDENT * compiling.left / seconds)
    goal = problem.model.total(problem.parts[:count])
    if count < FEWEST or isinstance(goal, int):
        return None
    with suppress(NoTable, TimeIsUp):
        climber = Climber(problem.model, problem.plan, goal, compiling, None)
        top = _top(problem, climber, first, known, deadline, None, CLIMBS)
        return climber, replace(top, status=cpsat.FEASIBLE, bound=None, parts=count)
    return None


def _is_ahead(problem: ModelledProblem, searched: Solution, climber: Climber, climbed: Solution) -> bool:
    """Whether what a search has found is better than the end of a climb in the first scenarios."""
    if searched.status == cpsat.OPTIMAL or searched.values is None:
        return searched.values is not None
    row = climber.row_of(problem.plan.values(problem.answers(searched.values)))
    assert climbed.objective is not None
    return row is not None and int(climber.values(row[None, :])[0]) > climbed.objective


def _is_less(problem: ModelledProblem, table: Solution, searched: Solution) -> bool:
    """Whether what a table tells, for which the time was up early, is less than what a search has found."""
    if searched.values is None:
        return False
    if table.parts is not None and table.parts < len(problem.parts):
        return table.parts < FEW * len(problem.parts)
    assert searched.objective is not None
    return table.objective is None or table.objective < searched.objective


def _tabled(
    problem: ModelledProblem, deadline: Deadline, progress: Progress | None, most: int | None = None
) -> AnswerTable:
    """All answers with their values. If all of them have one, the table will not be made again."""
    if deadline.left < TABLING:
        raise TooLong("making a table takes longer than there is time")
    try:
        from chocolatl.solver.backends.enumeration import MOST, tabled
    except (ImportError, OSError) as error:
        raise NoTable(f"the compiler cannot be used here ({why_not(error)})") from None
    code = problem.climber.code if problem.climber is not None else None
    table = tabled(problem.model, problem.plan, problem.parts, deadline, progress, problem.rules, code, most or MOST)
    if table.known == len(table.values):
        problem.table = table
    return table
