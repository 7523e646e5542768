"""Every answer by itself (exhaustive enumeration): a table of all of them, and what each is worth.

Where there are some millions of answers at most, the best one needs no search. The model becomes straight-line code,
which works out what many answers are worth at once; when all are done, the best one is proved. A search has to bring a
bound down over many scenarios together, which gets harder with each of them; here each adds a little work. They are
added to the table some at a time, so that there is a best answer to the first ones whenever the time is over (an
anytime algorithm).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends.answer_table import AnswerRows, Column, is_sum, listed
from chocolatl.solver.backends.compiled import CHUNK, LINES, Compiled, size
from chocolatl.solver.backends.cpsat import FEASIBLE, IMPOSSIBLE, OPTIMAL, UNKNOWN, Progress, Proof, Solution
from chocolatl.solver.backends.separable import Shares
from chocolatl.solver.model.constraints import BooleanClause, Constraint, LinearConstraint
from chocolatl.solver.model.definitions import TooLong
from chocolatl.solver.model.linear import LinearExpression, SymbolicNumber
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan

MOST = 20_000_000
"""So many answers are looked at at most."""

TOGETHER = 8
"""So many scenarios are added to a table at once, or more if they are short."""


@dataclass
class AnswerTable:
    """All answers of a plan, and their values as far as they are known."""

    model: Model
    objective: LinearExpression
    rows: AnswerRows
    columns: list[Column]
    """The option of each decision, row by row."""
    values: npt.NDArray[Any]
    known: int
    """So many rows have a value: the first ones."""
    rules: int
    """So many constraints all rows keep to."""
    seconds: float
    parts: int = 1
    """So many parts of what was asked for are in the values: the first ones. `objective` is their sum."""
    asked: int = 1

    @property
    def is_whole(self) -> bool:
        return self.known == len(self.values) and self.parts == self.asked

    def best(self, bound: float | None = None) -> Solution:
        """The best row of those that keep to all constraints. If not all values are known, `bound` is what they are at
        most."""
        closure, used = self.model.closure(self.objective)
        size = len(used), len(closure)
        allowed = np.zeros(len(self.values), np.bool_)
        allowed[: self.known] = True
        for constraint in self.model.constraints[self.rules :]:
            allowed &= self.keeps(constraint)
        if not allowed.any():
            status = IMPOSSIBLE if self.known == len(self.values) else UNKNOWN
            return Solution(status, None, None, None, self.seconds, *size)
        row = int(np.where(allowed, self.values, np.iinfo(self.values.dtype).min).argmax())
        value = int(self.values[row]) + self.objective.constant
        most = self.objective.high if bound is None else min(bound, self.objective.high)
        proved = self.is_whole or (self.parts == self.asked and most <= value)
        status, bound = (OPTIMAL, value) if proved else (FEASIBLE, most)
        proof = Proof.LISTED if self.is_whole else Proof.PLAIN  # the bound of a plain search
        return Solution(status, value, bound, self.solution(row), self.seconds, *size, parts=self.parts, proof=proof)

    def keeps(self, constraint: Constraint) -> npt.NDArray[np.bool_]:
        """Which rows keep to a sum of what the answers to single decisions say."""
        assert isinstance(constraint, LinearConstraint)
        total = np.zeros(len(self.values), np.int32)
        weights = Shares(self.model, self.rows.options).weights(constraint.terms)
        for own, column in zip(weights, self.columns, strict=True):
            total += own.astype(np.int32)[column]
        found: npt.NDArray[np.bool_] = (constraint.low <= total) & (total <= constraint.high)
        return found

    def solution(self, row: int) -> tuple[int, ...]:
        """The variables of the answer; those that follow from them are not worked out."""
        values = [low for low, _ in self.model.bounds]
        for options, column in zip(self.rows.options, self.columns, strict=True):
            for variable, value in options[column[row]].items():
                values[variable] = value
        return tuple(values)


def tabled(
    model: Model,
    plan: AnswerPlan,
    parts: Sequence[SymbolicNumber],
    deadline: Deadline,
    progress: Progress | None = None,
    rules: int | None = None,
    ready: Compiled | None = None,
    most: int = MOST,
) -> AnswerTable:
    """All answers that keep to the constraints, or just to the first ones of them, and their values: the sum of the
    parts, as far as the time goes. `NoTable` if it does not go far enough for any. There may be code for all parts."""
    start = deadline.clock()
    constraints = model.constraints[:rules]
    rows = listed(model, plan, constraints, most)
    owner = {v: number for number, decision in enumerate(plan.decisions) for v in decision.variables}

    def code() -> Compiled:
        return Compiled(model, owner, rows.options)

    broken = code()
    broken.add_broken(constraint for constraint in constraints if not _is_kept(constraint, plan, owner))
    try:
        columns = deadline.each(rows.columns(), lambda column: column, whole=True)
        if broken.codes:
            sums, known = totals(broken, columns, deadline)
            if known < len(sums):
                raise TimeIsUp
            columns = [column[sums == 0] for column in columns]
        if ready is not None and ready.options == rows.options:
            best = _reported(model, parts, progress)
            (values, known), done = totals(ready, columns, deadline, best), len(parts)
        else:
            values, known, done = _filled(model, parts, columns, code, deadline, progress)
    except TimeIsUp:
        raise TooLong(f"looking at {rows.count:,} answers takes longer than there is time") from None
    took = deadline.clock() - start
    objective = _sum(model, parts[:done])
    return AnswerTable(model, objective, rows, columns, values, known, len(constraints), took, done, len(parts))


def _filled(
    model: Model,
    parts: Sequence[SymbolicNumber],
    columns: Sequence[Column],
    code: Callable[[], Compiled],
    deadline: Deadline,
    progress: Progress | None,
) -> tuple[npt.NDArray[Any], int, int]:
    """The value of each row, of how many rows it is known, and how many parts are in it: some are added at a time, and
    are no part of it if there is no time for all rows; of the first ones, some rows are better than none."""
    values = np.zeros(len(columns[0]), size(_reach(model, parts))[1])
    report = _reported(model, parts, progress)
    done, took = 0, 0.0
    while done < len(parts):
        begin = deadline.clock()
        try:
            if took > deadline.left:  # no time is spent on what is not likely to be done
                raise TimeIsUp
            compiled = code()
            taken = _taken(model, parts[done:], compiled, deadline)
            at_last = done + taken == len(parts)
            more, known = totals(compiled, columns, deadline, report if at_last else None, values)
        except TimeIsUp:
            if not done:
                raise
            break
        if known < len(values):
            if done:
                break
            return more, known, taken
        values += more
        done, took = done + taken, deadline.clock() - begin
    return values, len(values), done


def _reported(model: Model, parts: Sequence[SymbolicNumber], progress: Progress | None) -> Callable[[int], None]:
    """How the best value so far is told."""
    whole = _sum(model, parts)

    def report(best: int) -> None:
        if progress is not None:
            progress(best + whole.constant, whole.high)

    return report


def _taken(model: Model, parts: Sequence[SymbolicNumber], compiled: Compiled, deadline: Deadline) -> int:
    """Add some of the parts, and tell how many."""
    taken = 0
    while taken < len(parts) and sum(len(code.lines) for code in compiled.codes) < LINES:
        deadline.look()
        some = parts[taken : taken + TOGETHER]
        compiled.add(_sum(model, some).terms.items())
        taken += len(some)
    return taken


def _sum(model: Model, parts: Sequence[SymbolicNumber]) -> LinearExpression:
    total = model.total(parts)
    return total if isinstance(total, LinearExpression) else LinearExpression({}, total, total, total)


def _reach(model: Model, parts: Sequence[SymbolicNumber]) -> int:
    """A sum of parts lies at most so far from 0, without what is constant in it."""
    terms = [term for part in parts if isinstance(part, LinearExpression) for term in part.terms.items()]
    return sum(abs(factor) * max(1, *map(abs, model.bounds[variable])) for variable, factor in terms)


def _is_kept(constraint: Constraint, plan: AnswerPlan, answers: Container[int]) -> bool:
    """Whether all rows keep to a constraint: a sum of answers, or that each decision has one answer."""
    if isinstance(constraint, BooleanClause) and constraint.exactly:
        one_of = {*constraint.literals}
        return any({literal for _, literal in decision.answers} == one_of for decision in plan.decisions)
    return is_sum(constraint, answers)


def totals(
    compiled: Compiled,
    columns: Sequence[Column],
    deadline: Deadline,
    report: Callable[[int], None] | None = None,
    before: npt.NDArray[Any] | None = None,
) -> tuple[npt.NDArray[Any], int]:
    """The sum of each row, and of how many rows it was worked out in the time. The best one so far is reported, with
    what the rows had before."""
    compiled.compile(deadline)
    values = np.zeros(len(columns[0]), compiled.total)
    parts = [slice(first, first + CHUNK) for first in range(0, len(values), CHUNK)]

    def work(part: slice) -> bool:
        if deadline.is_over:
            return False
        values[part] = compiled.totals([column[part] for column in columns])
        return True

    known = 0
    best: int | None = None
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # native code runs beside other threads
        for part, done in zip(parts, pool.map(work, parts), strict=True):
            if not done:
                break
            known = min(part.stop, len(values))
            if report is not None:
                found = values[part] if before is None else before[part] + values[part]
                best = max(int(found.max()), int(found.max()) if best is None else best)
                report(best)
    return values, known
