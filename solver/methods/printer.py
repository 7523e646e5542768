"""A model as text (a pretty printer): what is maximised, the answers sought, what they keep to, what follows.

Each variable has the number that CP-SAT knows it by, each constraint a line. Variables that are answers carry the names
of the rules, and the others the line that they were made for. `chocolatl dump --stage model` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.solver.backends.cpsat import numbered
from chocolatl.solver.methods.best import ModelledProblem
from chocolatl.solver.methods.nested import Nested
from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
)
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, SymbolicNumber
from chocolatl.solver.symbolic.plan import SoughtDecision, lone

UNASKED = "makes no difference"
"""What is said of an answer that CP-SAT need not know of."""

TermPairs = Iterable[tuple[int, int]]


def print_model(problem: ModelledProblem) -> Iterator[str]:
    """The lines of the text."""
    return _ModelPrinter(problem).lines()


class _ModelPrinter:
    def __init__(self, problem: ModelledProblem) -> None:
        self.problem = problem
        self.model = problem.model
        self.goal = problem.goal
        constraints, used = self.model.closure(self.goal)
        self.count = len(constraints)
        self.numbers = numbered(used)

    def lines(self) -> Iterator[str]:
        problem, model = self.problem, self.model
        game, scenarios = problem.game, len(problem.scenarios)
        asked = f"{problem.objective} in {_counted(scenarios, 'scenario')}"
        is_whole = len(problem.parts) == scenarios
        if not is_whole:
            asked += f", of which {len(problem.parts)} became a model in the time"
        yield f"model of {game.ir.name} for {game.players[problem.player]}: {asked}"
        yield f"{_counted(len(self.numbers), 'variable')}, {_counted(self.count, 'constraint')}"
        yield ""
        yield f"maximise {self.sum(self.goal)}"
        share = problem.weight * problem.unit
        if share > 1 and is_whole:
            yield f"    which is {share} times the value"
        if scenarios > 1:
            for number, part in enumerate(problem.parts, start=1):
                yield f"    scenario {number}: {self.sum(part)}"
        answers: set[int] = set()
        for title, decisions in self.decisions():
            for decision in decisions:
                yield ""
                yield f"decision {self.named(decision)}{title}"
                for variable, answer in self.options(decision):
                    answers.add(variable)
                    yield f"    {self.domain(variable) if variable in self.numbers else UNASKED}: {answer}"
        for title, constraints in (("keep to", model.constraints), ("know that", model.helpful)):
            if constraints:
                yield ""
                yield title
                yield from (f"    {self.constraint(constraint)}" for constraint in constraints)
        for variable in self.numbers:
            if variable not in answers:
                yield ""
                place = model.places[variable]
                yield self.domain(variable) + (f", {Path(place.source.name).name}:{place.line}" if place else "")
            yield from (f"    {self.constraint(each)}" for each in model.definitions.get(variable, ()))

    # ------------------------------------------------------------ answers

    def decisions(self) -> Iterator[tuple[str, list[SoughtDecision]]]:
        """What is sought, and where: at once, and later in each branch."""
        yield "", self.problem.plan.decisions
        if isinstance(self.problem, Nested):
            later = {id(plan): plan for plan in self.problem.plans}
            for number, plan in enumerate(later.values(), start=1):
                yield f" later, in branch {number}", plan.decisions

    def named(self, decision: SoughtDecision) -> str:
        if decision.node is None or not decision.labels:
            return decision.name
        return one_line(self.problem.game.codec.choice_name(decision.node, decision.labels))

    def options(self, decision: SoughtDecision) -> Iterator[tuple[int, str]]:
        """The variables of a decision, each with the answer that it stands for, or the kind that it counts."""
        game, node = self.problem.game, decision.node
        for values, literal in decision.answers:
            yield literal.variable, _answer(game, node, values)
        for part, number in enumerate(decision.numbers):
            if isinstance(number, LinearExpression):
                yield lone(number), node.picks[part].local.name if isinstance(node, ir.Choose) else "number"
        for kind, amount in decision.amounts:
            element = ir.set_type(node.source).element if isinstance(node, ir.ChooseSet) else None
            what = str(kind) if element is None else game.show(element, kind)
            yield lone(amount), f"how many of {what}"

    # ------------------------------------------------------------ formulas

    def variable(self, variable: int) -> str:
        """CP-SAT does not know of what one scenario adds and another one takes away."""
        return f"x{self.numbers[variable]}" if variable in self.numbers else "x?"

    def domain(self, variable: int) -> str:
        lowest, highest = self.model.bounds[variable]
        return f"{self.variable(variable)} in {lowest}..{highest}"

    def literal(self, literal: BooleanLiteral) -> str:
        return f"{'' if literal.positive else 'not '}{self.variable(literal.variable)}"

    def sum(self, a: SymbolicNumber) -> str:
        return str(a) if isinstance(a, int) else self.terms(a.terms.items(), a.constant)

    def terms(self, terms: TermPairs, constant: int = 0) -> str:
        text = ""
        for variable, coefficient in terms:
            sign = ("- " if coefficient < 0 else "+ ") if text else ("-" if coefficient < 0 else "")
            factor = f"{abs(coefficient)} " if abs(coefficient) != 1 else ""
            text += f"{' ' if text else ''}{sign}{factor}{self.variable(variable)}"
        if not text:
            return str(constant)
        return f"{text} {'+' if constant > 0 else '-'} {abs(constant)}" if constant else text

    def constraint(self, constraint: Constraint) -> str:
        match constraint:
            case LinearConstraint():
                given = " and ".join(map(self.literal, constraint.only_if))
                return f"{f'if {given}: ' if given else ''}{self.limits(constraint)}"
            case BooleanClause(exactly=True):
                return f"exactly one of {', '.join(map(self.literal, constraint.literals))}"
            case BooleanClause():
                return " or ".join(map(self.literal, constraint.literals))
            case Implication():
                return f"if {self.literal(constraint.only_if)}: {' and '.join(map(self.literal, constraint.literals))}"
            case Product():
                left, right = self.sum(constraint.left), self.sum(constraint.right)
                return f"{self.variable(constraint.target)} = ({left}) * ({right})"
            case Quotient():
                return f"{self.variable(constraint.target)} = ({self.sum(constraint.dividend)}) / {constraint.divisor}"
            case _:
                assert_never(constraint)

    def limits(self, constraint: LinearConstraint) -> str:
        """A sum between its limits; those that it keeps by itself are left out. One without a plus is turned round."""
        terms, low, high, gap = constraint.terms, constraint.low, constraint.high, constraint.gap
        if all(coefficient < 0 for _, coefficient in terms):
            terms = tuple((variable, -coefficient) for variable, coefficient in terms)
            low, high, gap = -high, -low, None if gap is None else -gap
        text, (lowest, highest) = self.terms(terms), self.model.reach(terms)
        if low == high:
            return f"{text} = {low}"
        if low > lowest and high < highest:
            limits = f"{low} <= {text} <= {high}"
        elif low > lowest:
            limits = f"{text} >= {low}"
        else:
            limits = f"{text} <= {high}"
        if gap is None:
            return limits
        return f"{text} != {gap}" if low <= lowest and high >= highest else f"{limits}, but not {gap}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _answer(game: Game, node: ir.Choose | ir.ChooseSet | None, values: tuple[int, ...]) -> str:
    match node:
        case ir.Choose():
            return ", ".join(_words(game, node, values))
        case ir.ChooseSet() | None:
            return str(values)
        case _:
            assert_never(node)


def _words(game: Game, node: ir.Choose, values: tuple[int, ...]) -> Iterator[str]:
    for pick, value in zip(node.picks, values, strict=True):
        assert isinstance(pick.local.type, Scalar)
        word = game.show(pick.local.type, value)
        yield word if len(values) == 1 else f"{pick.local.name} {word}"
