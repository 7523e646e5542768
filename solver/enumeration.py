"""Every answer by itself: a table of all of them, and what each is worth.

Where there are some millions of answers at most, the best one needs no search. The model becomes straight-line code,
which works out what many answers are worth at once; when all are done, the best one is proved. A search has to bring a
bound down over many scenarios together, which gets harder with each of them; here each adds a little work.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.answers import Plan
from solver.compiled import CHUNK, Compiled
from solver.constraints import Clause, Constraint, Linear
from solver.cpsat import FEASIBLE, IMPOSSIBLE, OPTIMAL, UNKNOWN, Solution
from solver.linear import Expression
from solver.meaning import NoTable
from solver.model import Model
from solver.rows import Column, Rows, is_sum, listed, variables_of, weighed

MOST = 20_000_000
"""So many answers are looked at at most."""

Progress = Callable[[float, float], None]


@dataclass
class Table:
    """All answers of a plan, and their values as far as they are known."""

    model: Model
    objective: Expression
    rows: Rows
    columns: list[Column]
    """The option of each decision, row by row."""
    values: npt.NDArray[Any]
    known: int
    """So many rows have a value: the first ones."""
    rules: int
    """So many constraints all rows keep to."""
    seconds: float

    @property
    def is_whole(self) -> bool:
        return self.known == len(self.values)

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
            return Solution(IMPOSSIBLE if self.is_whole else UNKNOWN, None, None, None, self.seconds, *size)
        row = int(np.where(allowed, self.values, np.iinfo(self.values.dtype).min).argmax())
        value = int(self.values[row]) + self.objective.constant
        most = self.objective.high if bound is None else min(bound, self.objective.high)
        proved = self.is_whole or most <= value
        values = self.solution(row)
        return Solution(OPTIMAL if proved else FEASIBLE, value, value if proved else most, values, self.seconds, *size)

    def keeps(self, constraint: Constraint) -> npt.NDArray[np.bool_]:
        """Which rows keep to a sum of answers."""
        assert isinstance(constraint, Linear)
        total = np.zeros(len(self.values), np.int32)
        for options, column in zip(self.rows.options, self.columns, strict=True):
            total += weighed(options, [constraint.terms])[:, 0].astype(np.int32)[column]
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
    plan: Plan,
    objective: Expression,
    seconds: float,
    progress: Progress | None = None,
    rules: int | None = None,
) -> Table:
    """All answers that keep to the constraints, or just to the first ones of them, and their values as far as the time
    goes; `NoTable` if there is no use in beginning."""
    start = perf_counter()
    constraints = model.constraints[:rules]
    rows = listed(model, plan, constraints, MOST)
    owner = {v: number for number, decision in enumerate(plan.decisions) for v in variables_of(decision)}
    broken, worth = Compiled(model, owner, rows.options), Compiled(model, owner, rows.options)
    broken.add_broken(constraint for constraint in constraints if not _is_kept(constraint, plan, owner))
    worth.add(objective.terms.items())
    if broken.seconds(rows.count) + worth.seconds(rows.count) > seconds:
        raise NoTable(f"looking at {rows.count:,} answers takes longer than there is time")
    columns = list(rows.columns())
    if broken.codes:
        legal = totals(broken, columns)[0] == 0
        columns = [column[legal] for column in columns]

    def report(value: int) -> None:
        if progress is not None:
            progress(value + objective.constant, objective.high)

    values, known = totals(worth, columns, start + seconds, report)
    return Table(model, objective, rows, columns, values, known, len(constraints), perf_counter() - start)


def _is_kept(constraint: Constraint, plan: Plan, answers: Container[int]) -> bool:
    """Whether all rows keep to a constraint: a sum of answers, or that each decision has one answer."""
    if isinstance(constraint, Clause) and constraint.exactly:
        one_of = {*constraint.literals}
        return any({literal for _, literal in decision.answers} == one_of for decision in plan.decisions)
    return is_sum(constraint, answers)


def totals(
    compiled: Compiled,
    columns: Sequence[Column],
    until: float = math.inf,
    report: Callable[[int], None] = lambda best: None,
) -> tuple[npt.NDArray[Any], int]:
    """The sum of each row, and of how many rows it was worked out in the time. The best one so far is reported."""
    compiled.compile()
    values = np.zeros(len(columns[0]), compiled.total)
    parts = [slice(first, first + CHUNK) for first in range(0, len(values), CHUNK)]

    def work(part: slice) -> bool:
        if perf_counter() > until:
            return False
        values[part] = compiled.totals([column[part] for column in columns])
        return True

    known, best = 0, np.iinfo(values.dtype).min
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # native code runs beside other threads
        for part, done in zip(parts, pool.map(work, parts), strict=True):
            if not done:
                break
            known = min(part.stop, len(values))
            best = max(best, int(values[part].max()))
            report(best)
    return values, known
