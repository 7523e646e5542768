"""Good answers where all cannot be looked at: hill climbing over whole answers, on compiled code (local search).

An answer is changed in one or two of its decisions, in all ways that keep to the sums, and the best change is made
until none helps. That is done from answers that are given, from one that is made decision by decision, from such as are
drawn at random, and from the best one after a few changes at random (iterated local search). What it finds is not
proved; a search for a proof begins with it, and what that finds is improved in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends.answer_table import WIDE, Array, StateMove, ways
from chocolatl.solver.backends.compiled import Compiled
from chocolatl.solver.backends.separable import Separated
from chocolatl.solver.model.definitions import NoTable, TooMuchCode
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan

NEIGHBOURS = 8192
"""About so many changes of an answer are tried at once, and the best of them is made."""

GIVEN = 4
"""Of answers that are given, climbs begin at so many."""

TRIED, COMPLETED = 32, 2
"""A greedy answer tries so many options of each decision, and each of them with so many ways to go on."""

DRAWN = 16
"""The best of so many answers drawn at random is where a climb begins."""

KICKS = 2
"""So many changes at random lead away from the best answer."""


class ClimbedAnswer(NamedTuple):
    """Where a climb has ended: the number of an option for each decision, and what they are worth; and whether no
    change in one or two decisions leads higher."""

    row: Array
    value: int
    is_top: bool


class DecisionPair:
    """Two decisions: what two options of them add to the sums together, and which options add just that."""

    def __init__(self, first: int, second: int, added: Sequence[Array]) -> None:
        self.first, self.second = first, second
        self.size = len(added[second])
        sums = np.concatenate([own + added[second] for own in added[first]])
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
            if self.code.seconds() > deadline.left:  # nothing is begun that will not be done
                raise TooMuchCode(self.code.seconds())
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
            self.complete(row, 0, 0)
        return rows

    def complete(self, row: Array, begin: int, state: int) -> None:
        """Answer all decisions from one on at random, where those before it have led to a state."""
        for number in range(begin, len(self.moves)):
            move, left = self.moves[number], self.leading[number]
            here = np.flatnonzero(move.source == state)
            chances = left[move.after[here]]
            way = here[self.random.choice(len(here), p=chances / chances.sum())]
            row[number], state = move.option[way], int(move.after[way])

    def greedy(self) -> Array:
        """An answer made decision by decision: of some options the one that is worth most with the rest at random."""
        row, state = np.zeros(len(self.moves), np.int64), 0
        for number, move in enumerate(self.moves):
            ways = np.flatnonzero(move.source == state)
            if len(ways) > TRIED:
                ways = self.random.choice(ways, TRIED, replace=False)
            ways = ways[self.leading[number][move.after[ways]] > 0]
            rows = np.repeat(row[None, :], len(ways) * COMPLETED, axis=0)
            for each, way in zip(rows, np.repeat(ways, COMPLETED), strict=True):
                each[number] = move.option[way]
                self.complete(each, number + 1, int(move.after[way]))
            best = ways[int(self.values(rows).argmax()) // COMPLETED]
            row[number], state = move.option[best], int(move.after[best])
        return row

    def row_of(self, values: Mapping[int, int]) -> Array | None:
        """An answer by its variables; None if it is none of those that are looked at."""
        found = []
        for options, numbers in zip(self.options, self.numbers, strict=True):
            own = {variable for option in options for variable in option}
            number = numbers.get(_key({v: values.get(v, 0) for v in own}))
            if number is None:
                return None
            found.append(number)
        row = np.array(found, np.int64)
        total = np.sum([added[option] for added, option in zip(self.added, row, strict=True)], axis=0)
        return row if ((self.low <= total) & (total <= self.high)).all() else None

    @cached_property
    def numbers(self) -> list[dict[tuple[tuple[int, int], ...], int]]:
        """The number of each option of a decision, by what it says."""
        return [{_key(option): number for number, option in enumerate(options)} for options in self.options]

    # ------------------------------------------------------------ climbing

    def neighbours(self, row: Array) -> Iterator[Array]:
        """All answers that differ in one or two decisions, some thousands at a time."""
        own = [added[option] for added, option in zip(self.added, row, strict=True)]
        total, found, size = np.sum(own, axis=0), list[Array](), 0
        for number in self.random.permutation(len(self.pairs)):
            pair = self.pairs[number]
            rest = total - own[pair.first] - own[pair.second]
            first, second = pair.within(self.low - rest, self.high - rest)
            rows = np.repeat(row[None, :], len(first), axis=0)
            rows[:, pair.first], rows[:, pair.second] = first, second
            found.append(rows)
            size += len(rows)
            if size >= NEIGHBOURS:
                yield np.concatenate(found)
                found, size = [], 0
        if found:
            yield np.concatenate(found)

    def climb(self, row: Array, deadline: Deadline) -> ClimbedAnswer:
        """The end of a climb, from which no change in one or two decisions leads higher; or how far it has come when
        the time was over."""
        value = int(self.values(row[None, :])[0])
        while True:
            for others in self.neighbours(row):
                if deadline.is_over:
                    return ClimbedAnswer(row, value, False)
                values = self.values(others)
                best = int(values.argmax())
                if values[best] > value:
                    row, value = others[best], int(values[best])
                    break
            else:
                return ClimbedAnswer(row, value, True)

    def starts(self, given: Sequence[Array], best: Callable[[], Array]) -> Iterator[Array]:
        """Where climbs begin: the best of those that are given, one that is made greedily; then at random, and not far
        from the best answer so far, in turn."""
        if given:
            rows = np.stack(given)
            yield from rows[np.argsort(-self.values(rows), kind="stable")[:GIVEN]]
        yield self.greedy()
        while True:
            drawn = self.drawn(DRAWN)
            yield drawn[self.values(drawn).argmax()]
            row = best()
            for _ in range(KICKS):
                others = next(self.neighbours(row))
                row = others[self.random.integers(len(others))]
            yield row

    def search(
        self, deadline: Deadline, report: Callable[[int], None], given: Sequence[Array], stale_climbs: int
    ) -> ClimbedAnswer:
        """The best answer that is found in the time, or until so many climbs have brought nothing better."""
        found: list[ClimbedAnswer] = []
        stale = 0
        for row in self.starts(given, lambda: found[-1].row):
            end = self.climb(row, deadline)
            stale += 1
            if not found or end.value > found[-1].value:
                found.append(end)
                report(end.value)
                stale = 0
            if deadline.is_over or stale == stale_climbs:
                break
        return found[-1]


def _key(option: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(each for each in option.items() if each[1]))


def reachable(moves: Sequence[StateMove]) -> list[npt.NDArray[np.float64]]:
    """How many answers each state after a decision still leads to, about."""
    result: list[npt.NDArray[np.float64]] = []
    left = np.ones(moves[-1].states)
    for move in reversed(moves):
        result.append(left)
        left = np.bincount(move.source, weights=left[move.after], minlength=move.before).astype(np.float64)
    return result[::-1]
