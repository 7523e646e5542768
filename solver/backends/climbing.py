"""Good answers where all cannot be looked at: hill climbing over whole answers, on compiled code (local search).

An answer is changed in one or two of its decisions, in all ways that keep to the sums, and the best change is made
until none helps. That is done from answers drawn at random, and from the best one after a few changes at random
(iterated local search). What it finds is not proved; a search for a proof begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends.answer_table import WIDE, Array, StateMove, ways
from chocolatl.solver.backends.compiled import Compiled
from chocolatl.solver.backends.separable import Separated
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan

NEIGHBOURS = 8192
"""So many changes of an answer are tried at once; of more, some at random."""

DRAWN = 16
"""The best of so many answers drawn at random is where a climb begins."""

STALE = 200
"""After so many climbs that brought nothing better it is enough."""

KICKS = 2
"""So many changes at random lead away from the best answer."""


class DecisionPair:
    """Two decisions: what two options of them add to the sums together, and which options add just that."""

    def __init__(self, first: int, second: int, added: Sequence[Array]) -> None:
        self.first, self.second = first, second
        self.size = len(added[second])
        sums = (added[first][:, None, :] + added[second][None, :, :]).reshape(-1, added[first].shape[1])
        self.sums, number = np.unique(sums, axis=0, return_inverse=True)
        self.members = np.argsort(number.reshape(-1), kind="stable")
        self.begins = np.searchsorted(number.reshape(-1)[self.members], np.arange(len(self.sums) + 1))

    def within(self, low: Array, high: Array) -> tuple[Array, Array]:
        """All options whose sums lie between two limits."""
        fits = np.flatnonzero(((low <= self.sums) & (self.sums <= high)).all(axis=1))
        found = [self.members[self.begins[each] : self.begins[each + 1]] for each in fits]
        together = np.concatenate(found) if found else np.zeros(0, np.int64)
        return together // self.size, together % self.size


class Climber:
    """Answers as rows: the number of an option for each decision."""

    def __init__(
        self, model: Model, plan: AnswerPlan, goal: LinearExpression, deadline: Deadline, before: Climber | None
    ) -> None:
        self.separated = separated = Separated(model, plan, deadline)
        self.options, self.added = separated.options, separated.added
        self.low = np.array([lowest for lowest, _ in separated.limits], np.int64)
        self.high = np.array([highest for _, highest in separated.limits], np.int64)
        self.goal = goal
        alike = before is not None and before.options == self.options
        self.code: Compiled = (
            before.code if before is not None and alike else Compiled(model, separated.owner, self.options)
        )
        if not alike:
            self.code.add(goal.terms.items())
            self.code.compile(deadline)
        self.moves = ways(self.added, separated.limits)
        if len(self.moves) < 2 or not self.moves[-1].states:
            raise NoTable("there is no answer to begin with")
        self.leading = reachable(self.moves)
        if sum(len(a) * len(b) for a, b in combinations(self.added, 2)) > WIDE:
            raise NoTable("there are too many ways to change an answer")
        self.pairs = [DecisionPair(i, j, self.added) for i, j in combinations(range(len(self.added)), 2)]
        self.random = np.random.default_rng(len(self.options))

    def values(self, rows: Array) -> Array:
        """What answers are worth."""
        found: Array = self.code.totals([rows[:, number] for number in range(rows.shape[1])]).astype(np.int64)
        return found + self.goal.constant

    def drawn(self, count: int) -> Array:
        """Answers at random, each as likely as any other."""
        rows = np.zeros((count, len(self.moves)), np.int64)
        for row in rows:
            state = 0
            for number, (move, left) in enumerate(zip(self.moves, self.leading, strict=True)):
                here = np.flatnonzero(move.source == state)
                chances = left[move.after[here]]
                way = here[self.random.choice(len(here), p=chances / chances.sum())]
                row[number], state = move.option[way], move.after[way]
        return rows

    def neighbours(self, row: Array) -> Array:
        """All answers that differ in one or two decisions."""
        own = [added[option] for added, option in zip(self.added, row, strict=True)]
        total = np.sum(own, axis=0)
        found: list[Array] = []
        for pair in self.pairs:
            rest = total - own[pair.first] - own[pair.second]
            first, second = pair.within(self.low - rest, self.high - rest)
            rows = np.repeat(row[None, :], len(first), axis=0)
            rows[:, pair.first], rows[:, pair.second] = first, second
            found.append(rows)
        every = np.concatenate(found)
        if len(every) > NEIGHBOURS:
            every = every[self.random.choice(len(every), NEIGHBOURS, replace=False)]
        return every

    def climb(self, row: Array, deadline: Deadline) -> tuple[Array, int]:
        """The end of a climb, and what it is worth."""
        value = int(self.values(row[None, :])[0])
        while True:
            deadline.look()
            others = self.neighbours(row)
            values = self.values(others)
            best = int(values.argmax())
            if values[best] <= value:
                return row, value
            row, value = others[best], int(values[best])

    def starts(self, best: Callable[[], Array]) -> Iterator[Array]:
        """Where climbs begin: at random, and not far from the best answer so far, in turn."""
        while True:
            drawn = self.drawn(DRAWN)
            yield drawn[self.values(drawn).argmax()]
            row = best()
            for _ in range(KICKS):
                others = self.neighbours(row)
                row = others[self.random.integers(len(others))]
            yield row

    def search(self, deadline: Deadline, report: Callable[[int], None]) -> tuple[dict[int, int], int]:
        """The variables of the best answer that is found in the time, and what it is worth; `TimeIsUp` if there is
        none."""
        found: list[tuple[Array, int]] = []

        def better(row: Array) -> bool:
            end = self.climb(row, deadline)
            if found and end[1] <= found[-1][1]:
                return False
            found.append(end)
            report(end[1])
            return True

        with suppress(TimeIsUp):
            stale = 0
            for row in self.starts(lambda: found[-1][0]):
                stale = 0 if better(row) else stale + 1
                if stale == STALE:
                    break
        if not found:
            raise TimeIsUp
        row, value = found[-1]
        return self.separated.variables(row.tolist()), value


def reachable(moves: Sequence[StateMove]) -> list[npt.NDArray[np.float64]]:
    """How many answers each state after a decision still leads to, about."""
    result: list[npt.NDArray[np.float64]] = []
    left = np.ones(moves[-1].states)
    for move in reversed(moves):
        result.append(left)
        left = np.bincount(move.source, weights=left[move.after], minlength=move.before).astype(np.float64)
    return result[::-1]
