"""What is sought: the decisions of a plan, with the variables that stand for their answers.

A plan is shared by the runs of all scenarios. Whether a later question of a secret block is asked may depend on the
answers before it; a decision that is not asked has no answer, and its variables are as low as they can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.solver.model.constraints import Constraint, LinearConstraint
from chocolatl.solver.model.evaluation import Evaluation
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, SymbolicNumber, SymbolicValue, Truth, low
from chocolatl.solver.model.model import Model


@dataclass
class SoughtDecision:
    """One decision whose answer is sought: a number for each part of it, a literal for each answer, or how many of each
    kind. The labels are the values of its index, if it has one and the answers before it do not decide them."""

    name: str
    answers: list[tuple[tuple[int, ...], BooleanLiteral]] = field(default_factory=list)
    amounts: list[tuple[int, LinearExpression]] = field(default_factory=list)
    numbers: list[SymbolicNumber] = field(default_factory=list)
    values: list[SymbolicValue] = field(default_factory=list)
    node: ir.Choice | None = None
    labels: tuple[int, ...] = ()
    asked: Truth = True
    """Whether it is asked at all."""

    @property
    def only_if(self) -> tuple[BooleanLiteral, ...]:
        """What its rules depend on."""
        return (self.asked,) if isinstance(self.asked, BooleanLiteral) else ()

    def answer(self, solution: Mapping[int, int] | Sequence[int]) -> object:
        """The answer in a solution, as the engine knows it."""
        if self.amounts or not (self.answers or self.numbers):
            return tuple(kind for kind, amount in self.amounts for _ in range(solution[lone(amount)]))
        if self.numbers:
            values = tuple(n if isinstance(n, int) else solution[lone(n)] for n in self.numbers)
        else:
            values = next(values for values, literal in self.answers if solution[literal.variable])
        return values[0] if len(values) == 1 else values

    def given(self, answer: object) -> dict[int, int]:
        """What an answer says about the variables of its decision; of literals, which one holds."""
        values = answer if isinstance(answer, tuple) else (answer,)
        if self.numbers:
            pairs = zip(self.numbers, values, strict=True)
            return {lone(number): value for number, value in pairs if isinstance(number, LinearExpression)}
        if self.answers:
            return {literal.variable: 1 for legal, literal in self.answers if legal == values}
        return {lone(amount): values.count(kind) for kind, amount in self.amounts}

    @property
    def unasked(self) -> dict[int, int]:
        """What its variables are if it is not asked."""
        if self.answers:
            return {literal.variable: int(not number) for number, (_, literal) in enumerate(self.answers)}
        parts = [*self.numbers, *(amount for _, amount in self.amounts)]
        return {lone(part): low(part) for part in parts if isinstance(part, LinearExpression)}

    @property
    def sums(self) -> list[int]:
        """The variables that are numbers, or tell how many there are of a kind."""
        return [] if self.answers else list(self.unasked)

    @property
    def variables(self) -> list[int]:
        return list(self.unasked)


def lone(number: LinearExpression) -> int:
    """The variable that a number is."""
    return next(iter(number.terms))


@dataclass
class AnswerPlan:
    decisions: list[SoughtDecision] = field(default_factory=list)
    definitions: Mapping[int, Sequence[Constraint]] = field(default_factory=dict)
    """How what decides whether a question is asked follows from the answers."""

    @property
    def variables(self) -> list[list[int]]:
        """The variables of each decision that are numbers, or tell how many there are of a kind."""
        return [decision.sums for decision in self.decisions]

    def fixed(self, solution: tuple[int, ...]) -> list[object]:
        """The answers in a solution, of those that are asked."""
        known = {v: value for v, value in enumerate(solution) if v not in self.definitions} if self.is_open else {}
        return [each.answer(solution) for each in self.decisions if self.is_asked(each, known)]

    @property
    def is_open(self) -> bool:
        """Whether it depends on answers what is asked."""
        return any(isinstance(decision.asked, BooleanLiteral) for decision in self.decisions)

    def matched(self, answers: Sequence[object]) -> Iterator[tuple[SoughtDecision, object | None]]:
        """Each decision with its answer; None if it is not asked."""
        known: dict[int, int] = {}
        left = iter(answers)
        for decision in self.decisions:
            known |= decision.unasked
            answer = next(left) if self.is_asked(decision, known) else None
            if answer is not None:
                known |= dict.fromkeys(decision.variables, 0) | decision.given(answer)
            yield decision, answer

    def is_asked(self, decision: SoughtDecision, known: Mapping[int, int]) -> bool:
        if not isinstance(decision.asked, BooleanLiteral):
            return decision.asked
        return bool(Evaluation(self.definitions, known).truth(decision.asked))

    def values(self, answers: Sequence[object]) -> dict[int, int]:
        """What answers say about the variables of the plan; of literals, which ones hold."""
        found: dict[int, int] = {}
        for decision, answer in self.matched(answers):
            own = decision.unasked if answer is None else decision.given(answer)
            found |= own
        return found


def unlike(model: Model, plan: AnswerPlan, answers: Sequence[object]) -> LinearConstraint:
    """That answers are clearly different from others, by a third of their parts: of twelve cards four lie elsewhere."""
    alike, size = list[SymbolicNumber](), 0
    for decision, answer in plan.matched(answers):
        for variable, amount in decision.given(answer).items() if answer is not None else ():
            whole = model.of(variable)
            if decision.numbers:
                alike.append(model.number(model.equal(whole, amount)))
                size += 1
            elif amount:
                alike.append(whole)
                size += amount
    total = model.total(alike)
    terms, constant = total.key() if isinstance(total, LinearExpression) else ((), total)
    return LinearConstraint(terms, model.reach(terms)[0], size + -size // 3 - constant)
