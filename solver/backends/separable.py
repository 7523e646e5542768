"""The best answer where each decision counts for itself: dynamic programming over what the answers have used up.

A number of coins on each field, and points for each field: what is maximised is then a sum of functions of one decision
each, and decisions matter to one another only by sums that they have to keep to (a separable knapsack). So the best way
to every state of these sums is found decision by decision, and the last one is the best answer, with proof. How many
scenarios there are does not matter: they all add to the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends.answer_table import Array, DecisionOption, is_sum, options_of, ways
from chocolatl.solver.backends.cpsat import IMPOSSIBLE, OPTIMAL, Proof, Solution
from chocolatl.solver.model.constraints import BooleanClause, Constraint, LinearConstraint
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.model.evaluation import DecisionDependence, Evaluation
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan

OPTIONS = 20_000
"""So many options a decision has at most."""


class Shares:
    """Sums of variables that each depend on one decision: what every option of a decision adds to them."""

    def __init__(self, model: Model, options: Sequence[Sequence[DecisionOption]]) -> None:
        self.sizes = [len(each) for each in options]
        owner = {v: number for number, each in enumerate(options) for option in each for v in option}
        self.dependence = DecisionDependence(model.definitions, owner)
        self.values = []
        for each in options:
            own = {v: None for option in each for v in option}
            known = {v: np.array([option.get(v, 0) for option in each], np.int64) for v in own}
            self.values.append(Evaluation(model.definitions, known))

    def weights(self, terms: Iterable[tuple[int, int]]) -> list[Array]:
        """What each option adds to a sum, decision by decision; `NoTable` if several decide something together."""
        result = [np.zeros(size, np.int64) for size in self.sizes]
        for variable, factor in terms:
            number = self.only(self.dependence.by(variable))
            result[number] += factor * self.values[number].value(variable)
        return result

    def only(self, decisions: frozenset[int]) -> int:
        if len(decisions) != 1:
            raise NoTable("the value of an answer is no sum of what its parts are worth by themselves")
        (number,) = decisions
        return number

    def allowed(self, constraint: Constraint) -> tuple[int, npt.NDArray[np.bool_]]:
        """Which options keep to a constraint that is about one decision."""
        number = self.only(self.dependence.by_all(constraint))
        holds: npt.NDArray[np.bool_] = np.broadcast_to(self.values[number].keeps(constraint), self.sizes[number]) == 1
        return number, holds


class Separated:
    """The options of each decision that keep to all that is required of them alone, and what they add to the sums that
    decisions keep to together; `NoTable` if they have to keep to anything else."""

    def __init__(self, model: Model, plan: AnswerPlan, deadline: Deadline) -> None:
        owner = {v: number for number, decision in enumerate(plan.decisions) for v in decision.variables}
        alone = [c for c in model.constraints if isinstance(c, LinearConstraint) and is_sum(c, owner)]
        options = [options_of(model, decision, alone, OPTIONS) for decision in plan.decisions]
        shares = Shares(model, options)
        kept = [np.ones(size, np.bool_) for size in shares.sizes]
        one_each = [{literal for _, literal in decision.answers} for decision in plan.decisions]
        weights: list[list[Array]] = []
        self.limits: list[tuple[int, int]] = []
        for constraint in model.constraints:
            deadline.look()
            if isinstance(constraint, BooleanClause) and constraint.exactly and {*constraint.literals} in one_each:
                continue
            if isinstance(constraint, LinearConstraint) and not constraint.only_if and constraint.gap is None:
                weights.append(shares.weights(constraint.terms))
                self.limits.append((constraint.low, constraint.high))
            else:
                number, allowed = shares.allowed(constraint)
                kept[number] &= allowed
        self.owner = owner
        self.options = [[each[way] for way in np.flatnonzero(own)] for each, own in zip(options, kept, strict=True)]
        self.added = [
            np.stack([each[number][own] for each in weights], axis=1) if weights else np.zeros((own.sum(), 0), np.int64)
            for number, own in enumerate(kept)
        ]

    def variables(self, chosen: Sequence[int]) -> dict[int, int]:
        """The variables of an answer: an option of each decision."""
        found = {v: 0 for options in self.options for option in options for v in option}
        for options, way in zip(self.options, chosen, strict=True):
            found |= options[way]
        return found

    def solution(self, model: Model, answers: Mapping[int, int]) -> tuple[int, ...]:
        """A value for each variable; what follows from the answers is not worked out."""
        return tuple(answers.get(variable, lowest) for variable, (lowest, _) in enumerate(model.bounds))


def best(model: Model, plan: AnswerPlan, objective: LinearExpression, deadline: Deadline) -> Solution:
    """The best answer of a plan; `NoTable` if what it is worth is not a sum over its decisions."""
    start = deadline.clock()
    separated = Separated(model, plan, deadline)
    gains = Shares(model, separated.options).weights(objective.terms.items())
    chosen = path(gains, separated.added, separated.limits)
    closure, used = model.closure(objective)
    size, took = (len(used), len(closure)), deadline.clock() - start
    if chosen is None:
        return Solution(IMPOSSIBLE, None, None, None, took, *size)
    value = objective.constant + sum(int(gain[way]) for gain, way in zip(gains, chosen, strict=True))
    values = separated.solution(model, separated.variables(chosen))
    return Solution(OPTIMAL, value, value, values, took, *size, proof=Proof.SUMMED)


def path(gains: Sequence[Array], added: Sequence[Array], limits: Sequence[tuple[int, int]]) -> list[int] | None:
    """The option of each decision on the best way that keeps all sums within their limits; None if there is no way."""
    best = np.zeros(1, np.int64)
    back: list[tuple[Array, Array]] = []
    for gain, move in zip(gains, ways(added, limits), strict=True):
        total = best[move.source] + gain[move.option]
        order = np.lexsort((total, move.after))  # of the ways to a state the best one is the last
        last = np.flatnonzero(np.diff(move.after[order], append=-1))
        chosen = order[last]
        best = total[chosen]
        back.append((move.source[chosen], move.option[chosen]))
    if not len(best):
        return None
    state, result = int(best.argmax()), list[int]()
    for source, option in reversed(back):
        result.append(int(option[state]))
        state = int(source[state])
    return result[::-1]
