"""First answers, one by one, each with the best later answers in nested samples (enumeration, else local search).

In each branch all later answers are looked at after each first one, by straight-line code over the model, and the best
one counts. Where there are few first answers all are tried, and the best is proved. Elsewhere they are sought: some are
drawn at random, and the best one is changed piece by piece for as long as that helps, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends.answer_table import Column, DecisionOption, is_sum, joined, options_of, weighed
from chocolatl.solver.backends.compiled import Compiled
from chocolatl.solver.backends.cpsat import FEASIBLE, OPTIMAL, UNKNOWN, Proof, Solution
from chocolatl.solver.methods.exact import whole_answers
from chocolatl.solver.methods.neighbours import SecretBlock, climbed
from chocolatl.solver.methods.search import whole
from chocolatl.solver.model.constraints import BooleanClause, Constraint, LinearConstraint, variables
from chocolatl.solver.model.definitions import NoTable, TooLong
from chocolatl.solver.model.evaluation import Evaluation
from chocolatl.solver.model.linear import LinearExpression, SymbolicNumber
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan
from chocolatl.solver.worth.contests import AnswerValues

ALL = 3000
"""Of so many first answers all are tried."""

BATCH = 48
"""So many first answers are tried at once."""

STALE = 12
"""After so many batches without a better answer the search begins anew."""

STARTS = 16
"""So often."""

MOST = 2_000_000
"""So many rows are looked at for a batch at most."""

TOO_LONG = "making a table takes longer than there is time"


@dataclass(frozen=True)
class TriedFirstAnswer:
    """A first answer: what it is worth, and the later answers in each branch, by the numbers of their options."""

    answers: AnswerValues
    total: int
    later: tuple[tuple[int, ...], ...]


class Branch:
    """One branch of a tree: the first answers, the later ones, and code for what both are worth."""

    def __init__(
        self,
        model: Model,
        rules: Sequence[Constraint],
        first: AnswerPlan,
        later: AnswerPlan,
        parts: Sequence[SymbolicNumber],
    ) -> None:
        decisions = [*first.decisions, *later.decisions]
        self.firsts = len(first.decisions)
        self.owner = {v: number for number, decision in enumerate(decisions) for v in decision.variables}
        self.sums = [c for c in rules if isinstance(c, LinearConstraint) and is_sum(c, self.owner)]
        self.options = [options_of(model, decision, self.sums, MOST) for decision in decisions]
        self.code = Compiled(model, self.owner, self.options)
        total = model.total(parts)
        self.constant = total.constant if isinstance(total, LinearExpression) else total
        if isinstance(total, LinearExpression):
            self.code.add(total.terms.items())

    def structure(self) -> Hashable:
        """What the rows depend on. It is the same for nearly all branches, so that rows are made once."""
        weights = [[weighed(each, [sum_.terms]).tobytes() for each in self.options] for sum_ in self.sums]
        return tuple(sorted((str(w), s.low, s.high) for w, s in zip(weights, self.sums, strict=True)))

    def rows(self, firsts: Sequence[Sequence[int]]) -> list[Column]:
        """All later answers after each of some first ones: a column of numbers for each decision, before them the
        number of the first answer."""
        merged: list[DecisionOption] = []
        for first in firsts:
            merged.append({v: n for number, way in enumerate(first) for v, n in self.options[number][way].items()})
        which, *later = joined([merged, *self.options[self.firsts :]], self.sums, MOST).columns()
        numbers = np.array(firsts, np.int32)
        return [which, *(numbers[:, decision][which] for decision in range(self.firsts)), *later]


class Branches:
    """All branches of a tree, and the first answers that were tried, each once."""

    def __init__(
        self,
        model: Model,
        rules: int,
        plan: AnswerPlan,
        plans: Sequence[AnswerPlan],
        parts: Sequence[SymbolicNumber],
        deadline: Deadline,
    ) -> None:
        self.model = model
        self.plan = plan
        self.rules = rules
        """So many constraints say what can be answered; others say which answers are meant."""
        required = model.constraints[:rules]
        grouped: dict[int, tuple[AnswerPlan, list[SymbolicNumber]]] = {}
        for later, part in zip(plans, parts, strict=True):
            grouped.setdefault(id(later), (later, []))[1].append(part)
        try:
            self.branches = deadline.each(
                grouped.values(), lambda each: Branch(model, required, plan, *each), whole=True
            )
        except TimeIsUp:
            raise TooLong(TOO_LONG) from None
        known = {variable for branch in self.branches for variable in branch.owner}
        for constraint in required:
            if not is_sum(constraint, known) and not (isinstance(constraint, BooleanClause) and constraint.exactly):
                raise NoTable("what can be answered is more than a sum")
            if not any(all(v in branch.owner for v in variables(constraint)) for branch in self.branches):
                raise NoTable("a rule is about several branches")
        self.compile(deadline)
        self.structures = [branch.structure() for branch in self.branches]
        options = self.branches[0].options[: len(plan.decisions)]
        self.numbers = [{_key(option): number for number, option in enumerate(each)} for each in options]
        self.tried: dict[AnswerValues, TriedFirstAnswer] = {}
        self.is_whole = self.are_few = False
        self.seconds = 0.0

    def compile(self, deadline: Deadline) -> None:
        try:
            if sum(branch.code.seconds() for branch in self.branches) > deadline.left:
                raise TimeIsUp
            for branch in self.branches:
                branch.code.compile(deadline)
        except TimeIsUp:
            raise TooLong(TOO_LONG) from None

    # ------------------------------------------------------------ trying

    def try_all(self, game: Game, position: Position, player: int, deadline: Deadline, random: Random) -> None:
        """Try first answers: all, if they are few, or else as the time goes."""
        start = deadline.clock()
        with suppress(TimeIsUp), deadline.enforced():
            self.is_whole = self.tries(game, position, player, deadline, random)
        self.seconds = deadline.clock() - start

    def tries(self, game: Game, position: Position, player: int, deadline: Deadline, random: Random) -> bool:
        """Try first answers, and tell whether these were all; `TimeIsUp` if the time is over before."""
        block = game.sample_unknown(position, player, random)
        few = list(islice(whole_answers(game, block, player), ALL + 1))
        self.are_few = len(few) <= ALL
        if self.are_few:
            for first in range(0, len(few), BATCH):
                self.add(few[first : first + BATCH], deadline)
            return True

        def draw(like: AnswerValues, changed: int) -> AnswerValues:
            return whole(game, block, player, random, like, changed)

        self.search(draw, SecretBlock(game, block, player), deadline, random)
        return False

    def search(
        self,
        draw: Callable[[AnswerValues, int], AnswerValues],
        block: SecretBlock,
        deadline: Deadline,
        random: Random,
    ) -> None:
        def worths(some: Sequence[AnswerSequence]) -> list[int]:
            wanted = [tuple(each) for each in some]
            self.add(wanted, deadline)
            return [self.tried[each].total for each in wanted]

        for _ in range(STARTS):
            best = self.add([draw((), -1) for _ in range(BATCH)], deadline)
            stale = 0
            while stale < STALE:
                others = [draw(best.answers, random.below(len(best.answers))) for _ in range(BATCH)]
                found = self.add(others, deadline)
                stale = 0 if found.total > best.total else stale + 1
                best = found if found.total >= best.total else best
            climbed(block, best.answers, worths, random, BATCH)  # all small changes, not only some

    def add(self, wanted: Sequence[AnswerValues], deadline: Deadline) -> TriedFirstAnswer:
        """The best of some first answers."""
        new = list(dict.fromkeys(answers for answers in wanted if answers not in self.tried))
        if new:
            self.tried |= {tried.answers: tried for tried in self.looked_up(new, deadline)}
        return max((self.tried[answers] for answers in wanted), key=lambda tried: tried.total)

    def looked_up(self, wanted: Sequence[AnswerValues], deadline: Deadline) -> list[TriedFirstAnswer]:
        """What first answers are worth: in each branch, with the best of all that may be answered later."""
        firsts = [self.numbered(answers) for answers in wanted]
        totals = np.zeros(len(wanted), np.int64)
        later: list[npt.NDArray[Any]] = []
        made: dict[Hashable, list[Column]] = {}
        for branch, structure in zip(self.branches, self.structures, strict=True):
            deadline.look()
            if structure not in made:
                made[structure] = branch.rows(firsts)
            which, *columns = made[structure]
            values = branch.code.totals(columns).astype(np.int64)
            begins = np.flatnonzero(np.diff(which, prepend=-1))
            highest = np.maximum.reduceat(values, begins)
            totals += highest + branch.constant
            hits = np.flatnonzero(values == highest[which])
            row = hits[np.unique(which[hits], return_index=True)[1]]
            later.append(np.stack([column[row] for column in columns[branch.firsts :]], axis=1))
        return [
            TriedFirstAnswer(answers, int(totals[n]), tuple(tuple(int(way) for way in each[n]) for each in later))
            for n, answers in enumerate(wanted)
        ]

    def numbered(self, answers: AnswerValues) -> list[int]:
        """The numbers of the options that answers are made of."""
        found = []
        for decision, answer, numbers in zip(self.plan.decisions, answers, self.numbers, strict=True):
            found.append(numbers[_key(decision.given(answer))])
        return found

    # ------------------------------------------------------------ what was found

    def best(self, bound: float | None = None) -> Solution:
        """The best of the first answers that were tried and keep to what was required since."""
        extra = self.model.constraints[self.rules :]
        allowed = [tried for tried in self.tried.values() if all(self.keeps(tried, c) for c in extra)]
        size = len(self.model.bounds), len(self.model.constraints)
        if not allowed:
            return Solution(UNKNOWN, None, None, None, self.seconds, *size)
        best = max(allowed, key=lambda tried: tried.total)
        proved = self.is_whole or (bound is not None and bound <= best.total)
        status = OPTIMAL if proved else FEASIBLE
        most = best.total if proved else bound
        return Solution(status, best.total, most, self.solution(best), self.seconds, *size, proof=Proof.LISTED)

    def keeps(self, tried: TriedFirstAnswer, constraint: Constraint) -> bool:
        every = {v: 0 for options in self.branches[0].options for option in options for v in option}
        return bool(Evaluation(self.model.definitions, every | self.variables(tried)).keeps(constraint))

    def variables(self, tried: TriedFirstAnswer) -> DecisionOption:
        options = self.branches[0].options
        return {v: n for d, way in enumerate(self.numbered(tried.answers)) for v, n in options[d][way].items()}

    def solution(self, tried: TriedFirstAnswer) -> tuple[int, ...]:
        """The variables of the answers; those that follow from them are not worked out."""
        values = [low for low, _ in self.model.bounds]
        answered = self.variables(tried)
        for branch, ways in zip(self.branches, tried.later, strict=True):
            for options, way in zip(branch.options[branch.firsts :], ways, strict=True):
                answered |= options[way]
        for variable, value in answered.items():
            values[variable] = value
        return tuple(values)

    def top(self, count: int) -> list[AnswerValues]:
        """The best first answers that were tried, best first."""
        return [tried.answers for tried in sorted(self.tried.values(), key=lambda t: -t.total)[:count]]


def _key(option: DecisionOption) -> frozenset[tuple[int, int]]:
    return frozenset((variable, value) for variable, value in option.items() if value)
