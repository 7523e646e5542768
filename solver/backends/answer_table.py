"""All that a player can answer, as the rows of a table (dynamic programming): an option of each decision in a column.

What answers have to keep to is a sum over them almost everywhere: no card is laid twice, two lie at each place. What
was answered so far matters to the rest only by how much of each sum it has used up. So the ways to go on are counted,
and later listed, once for each such state: the number of rows is known before any is made.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from chocolatl.solver.model.constraints import Constraint, LinearConstraint
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan, SoughtDecision

Array: TypeAlias = npt.NDArray[np.int64]
Column: TypeAlias = npt.NDArray[np.integer[Any]]
DecisionOption = dict[int, int]
"""What an answer to one decision says about the variables of that decision."""

WIDE = 10_000_000
"""So many numbers are looked at for one decision at most: of each state and each option all sums."""

CLOSE = 1 << 20
"""So many states have a number each, whether they are reached or not."""

FAR = 1 << 40
"""Further than any sum reaches: where a decision has no option at all."""


@dataclass(frozen=True)
class DecisionStep:
    """How one decision leads from states to states: `option` and `after`, all ways of a state behind one another."""

    first: Array
    """Where the ways of a state begin, and one entry more."""
    option: Array
    after: Array
    ways: Array
    """How many rows each state after it still leads to."""


@dataclass(frozen=True)
class AnswerRows:
    options: list[list[DecisionOption]]
    """What can be answered to each decision."""
    steps: list[DecisionStep]
    count: int

    def columns(self) -> Iterator[Column]:
        """The option of each row, decision by decision. Rows that begin alike lie together."""
        state = np.zeros(1, np.int32)
        for options, step in zip(self.options, self.steps, strict=True):
            sizes = np.diff(step.first)[state]
            # The ways of all states: they count on from where those of each state begin.
            shift = step.first[state] - (np.cumsum(sizes) - sizes)
            way = np.repeat(shift.astype(np.int32), sizes) + np.arange(sizes.sum(), dtype=np.int32)
            state = step.after.astype(np.int32)[way]
            short = np.uint8 if len(options) <= 256 else np.int32
            yield np.repeat(step.option.astype(short)[way], step.ways[state])


def listed(model: Model, plan: AnswerPlan, rules: Sequence[Constraint], most: int) -> AnswerRows:
    """The rows of a plan that keep to rules, as far as these are sums of answers; `NoTable` if there are more than so
    many."""
    owner = {v: number for number, decision in enumerate(plan.decisions) for v in decision.variables}
    sums = [c for c in rules if isinstance(c, LinearConstraint) and is_sum(c, owner)]
    return joined([options_of(model, decision, sums, most) for decision in plan.decisions], sums, most)


def options_of(
    model: Model, decision: SoughtDecision, sums: Sequence[LinearConstraint], most: int
) -> list[DecisionOption]:
    """What can be answered to a decision by itself."""
    if decision.answers:
        return [{literal.variable: 1} for _, literal in decision.answers]
    own = decision.variables
    if not own:  # there is nothing to choose from
        return [{}]
    if any(model.bounds[v][1] - model.bounds[v][0] >= most for v in own):
        raise NoTable(f"there are more than {most:,} answers")
    ranges = [[{v: n} for n in range(model.bounds[v][0], model.bounds[v][1] + 1)] for v in own]
    rows = joined(ranges, [c for c in sums if all(v in own for v, _ in c.terms)], most)
    return [
        {v: options[way][v] for v, options, way in zip(own, ranges, row, strict=True)}
        for row in zip(*rows.columns(), strict=True)
    ]


def joined(options: list[list[DecisionOption]], sums: Sequence[LinearConstraint], most: int) -> AnswerRows:
    """An option of each decision, in all ways that keep to the sums."""
    added = [weighed(each, [sum_.terms for sum_ in sums]) for each in options]
    moves = ways(added, [(sum_.low, sum_.high) for sum_ in sums])
    steps: list[DecisionStep] = []
    rows = np.ones(moves[-1].states if moves else 1, np.int64)
    for move in reversed(moves):
        alive = rows[move.after] > 0
        source, option, after = move.source[alive], move.option[alive], move.after[alive]
        steps.append(DecisionStep(np.searchsorted(source, np.arange(move.before + 1)), option, after, rows))
        total = np.bincount(source, weights=rows[after], minlength=move.before)
        if total.max(initial=0) > most:
            raise NoTable(f"there are more than {most:,} answers")
        rows = total.astype(np.int64)
    return AnswerRows(options, steps[::-1], int(rows[0]))


class StateMove(NamedTuple):
    """All ways from the states before a decision to those after it: from which, by which option, to which."""

    before: int
    source: Array
    option: Array
    after: Array
    states: int


def ways(added: Sequence[Array], limits: Sequence[tuple[int, int]]) -> list[StateMove]:
    """How the options of decisions lead from state to state, where each adds so much to each of some sums, which have
    to come to lie between two numbers. The first state is that nothing was added."""
    # There is always one sum, so that there is always a state.
    added = [np.concatenate([each, np.zeros((len(each), 1), np.int64)], axis=1) for each in added]
    low, high = (np.array([*ends, 0], np.int64) for ends in (zip(*limits, strict=True) if limits else ((), ())))
    later = [(np.zeros_like(low), np.zeros_like(low))]  # what the decisions after one add at least and at most
    for each in reversed(added[1:]):
        later.append((later[-1][0] + each.min(axis=0, initial=FAR), later[-1][1] + each.max(axis=0, initial=-FAR)))
    states = np.zeros((1, len(low)), np.int64)
    moves: list[StateMove] = []
    for each in added:
        if len(states) * each.size > WIDE:
            raise NoTable("there is too much that the answers have to keep to")
        least, greatest = later.pop()
        reached = states[:, None, :] + each[None, :, :]
        source, option = np.nonzero(((reached + least <= high) & (reached + greatest >= low)).all(axis=2))
        # A sum to which nothing is added any more is fine, whatever it is.
        after = np.where((least == 0) & (greatest == 0), high, reached[source, option])
        before = len(states)
        states, number = each_once(after)
        moves.append(StateMove(before, source, option, number, len(states)))
    return moves


def each_once(rows: Array) -> tuple[Array, Array]:
    """The rows in order, each once, and the number of each row among them. Where they lie close, nothing is sorted."""
    low = rows.min(axis=0, initial=FAR)
    spans = np.maximum(rows.max(axis=0, initial=-FAR) - low + 1, 1)
    if not len(rows) or math.prod(spans.tolist()) > CLOSE:
        found, number = np.unique(rows, axis=0, return_inverse=True)
        return found, number.reshape(-1)
    key = np.ravel_multi_index(tuple((rows - low).T), tuple(spans))
    there = np.zeros(math.prod(spans.tolist()), np.bool_)
    there[key] = True
    found = np.stack(np.unravel_index(np.flatnonzero(there), tuple(spans)), axis=1) + low
    return found, (np.cumsum(there) - 1)[key]


def weighed(options: Sequence[DecisionOption], sums: Sequence[Iterable[tuple[int, int]]]) -> Array:
    """What each option of a decision adds to each of some sums."""
    found = [[sum(f * option[v] for v, f in terms if v in option) for terms in sums] for option in options]
    return np.array(found, np.int64).reshape(len(options), len(sums))


def is_sum(constraint: Constraint, answers: Container[int]) -> bool:
    """Whether a constraint is a sum over answers alone."""
    return (
        isinstance(constraint, LinearConstraint)
        and not constraint.only_if
        and constraint.gap is None
        and all(variable in answers for variable, _ in constraint.terms)
    )
