"""What comparisons say about the answers by themselves, for many scenarios (order encoding, valid inequalities).

In every scenario a sum of the answer, such as what is laid at a place, is compared with other numbers, to which more is
added that the answer decides: who holds this, who has won that. By the bounds of that, a comparison tells at least
between what the sum itself lies. Such limits are literals that all scenarios share, in one chain for each sum: what is
learned in one scenario is known in all of them, and the relaxation sees what a larger sum can bring at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from chocolatl.solver.model.constraints import BooleanClause, LinearConstraint
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, SymbolicNumber, Terms, Truth, negated
from chocolatl.solver.model.model import Model


def add_thresholds(model: Model, decisions: Sequence[Sequence[int]], objective: SymbolicNumber) -> None:
    """Say in a model what the comparisons that its objective depends on tell about the variables of each decision."""
    if not isinstance(objective, LinearExpression):
        return
    used = model.closure(objective)[1]
    rules = len(model.constraints)
    thresholds = Thresholds(model, decisions)
    for terms, limits in [*model.limits.items()]:
        split = thresholds.split(terms)
        if split is not None:
            own, factor, rest = split
            lowest, highest = model.facts.reach(rest, model.bounds)
            for limit, literal in limits.items():
                if literal.variable in used:
                    thresholds.relate(literal, own, factor, limit - lowest, limit + 1 - highest)
    model.helpful += model.constraints[rules:]
    del model.constraints[rules:]


class Thresholds:
    """Sums over the variables of one decision each, and their limits."""

    def __init__(self, model: Model, decisions: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.owner = {variable: number for number, variables in enumerate(decisions) for variable in variables}
        self.chains: dict[Terms, tuple[int, list[BooleanLiteral]]] = {}

    def split(self, terms: Terms) -> tuple[Terms, int, Terms] | None:
        """A sum over the variables of one decision, its factor, and the rest; None if there is no such sum."""
        own = [(variable, factor) for variable, factor in terms if variable in self.owner]
        if len(own) < 2 or len({self.owner[variable] for variable, _ in own}) > 1:
            return None
        factor = gcd(*(factor for _, factor in own))
        if own[0][1] < 0:
            factor = -factor
        rest = tuple([term for term in terms if term[0] not in self.owner])
        return tuple([(variable, each // factor) for variable, each in own]), factor, rest

    def relate(self, literal: BooleanLiteral, own: Terms, factor: int, most: int, least: int) -> None:
        """If the literal holds, factor * sum is at most `most`; otherwise it is at least `least`."""
        if factor > 0:
            self.require(~literal, self.at_most(own, most // factor))
            self.require(literal, negated(self.at_most(own, -(-least // factor) - 1)))
        else:
            self.require(~literal, negated(self.at_most(own, -(most // -factor) - 1)))
            self.require(literal, self.at_most(own, -least // -factor))

    def require(self, unless: BooleanLiteral, truth: Truth) -> None:
        if truth is not True:
            self.model.require(truth, (~unless,))

    def at_most(self, own: Terms, limit: int) -> Truth:
        """Whether a sum is at most a limit."""
        if own not in self.chains:
            self.chains[own] = self.chain(own)
        lowest, literals = self.chains[own]
        if limit < lowest:
            return False
        return literals[limit - lowest] if limit - lowest < len(literals) else True

    def chain(self, own: Terms) -> tuple[int, list[BooleanLiteral]]:
        """A literal for each limit: the sum is its highest value, and one less for each that holds."""
        lowest, highest = self.reach(own)
        literals = [self.model.literal() for _ in range(lowest, highest)]
        for weaker, stronger in zip(literals[1:], literals, strict=False):
            self.model.constraints.append(BooleanClause((~stronger, weaker)))
        terms = (*own, *[(literal.variable, 1) for literal in literals])
        self.model.constraints.append(LinearConstraint(terms, highest, highest))
        return lowest, literals

    def reach(self, own: Terms) -> tuple[int, int]:
        """Between what a sum lies, where the rules of the answer say how many pieces there are at most."""
        lowest, highest = self.model.reach(own)
        factors = dict(own)
        for constraint in self.model.constraints:
            if isinstance(constraint, LinearConstraint) and not constraint.only_if and self.counts(constraint, factors):
                each = [f for variable, f in own for _ in range(self.model.bounds[variable][1]) if f > 0]
                highest = min(highest, sum(sorted(each, reverse=True)[: constraint.high]))
        return lowest, highest

    def counts(self, constraint: LinearConstraint, factors: dict[int, int]) -> bool:
        """Whether a constraint is about how many there are of all that a sum is made of."""
        about = dict(constraint.terms)
        return (
            all(about.get(variable) == 1 for variable in factors)
            and all(factor == 1 for factor in about.values())
            and all(self.model.bounds[variable][0] >= 0 for variable in about)
        )
