"""Formulas of the IR over symbolic values (closure generation).

A formula becomes a function of a run once for each game, when it is first asked for, so that a run does not look at it
again. What cannot be put into a model is named: `Unsupported` carries the line of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import (
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    complete_nodes,
    deciding,
)
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.types import NUMBER, TRUTH
from chocolatl.solver.model.linear import (
    BooleanLiteral,
    Counts,
    LinearExpression,
    OneOf,
    SymbolicNumber,
    SymbolicValue,
    Truth,
    high,
    low,
    negated,
)
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.aggregates import Aggregates
from chocolatl.solver.symbolic.cells import (
    MANY_VALUES,
    EvaluationContext,
    PossibleCell,
    ToNumber,
    ToTruth,
    ToValue,
    cases,
    reader,
    selected,
)
from chocolatl.solver.symbolic.domains import Arguments, Element, bound
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.state import SymbolicState, from_truth, number, truth
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class Formulas(Aggregates):
    """The functions of a game. Each keeps its formula, by whose identity it is found."""

    def __init__(self, program: LoweredGame) -> None:
        super().__init__(program)
        self.values: dict[int, tuple[ir.Expression, ToValue]] = {}
        self.truths: dict[int, tuple[ir.Expression, ToTruth]] = {}

    def value(self, e: ir.Expression) -> ToValue:
        found = self.values.get(id(e))
        if found is None:
            found = self.values[id(e)] = e, VALUES[e.__class__](self, e)
        return found[1]

    def number(self, e: ir.Expression) -> ToNumber:
        value = self.value(e)

        def to_number(run: EvaluationContext) -> SymbolicNumber:
            found = value(run)
            kind = found.__class__
            return found if kind is int or kind is LinearExpression else number(run.model, found)  # type: ignore[return-value]

        return to_number

    def truth(self, e: ir.Expression) -> ToTruth:
        found = self.truths.get(id(e))
        if found is None:
            found = self.truths[id(e)] = e, self.truth_of(e)
        return found[1]

    def truth_of(self, e: ir.Expression) -> ToTruth:
        """A truth: what bounds do not decide is worked out."""
        look, open_truth = self.bounds.look(e), TRUTHS[e.__class__](self, e)

        def to_truth(run: EvaluationContext) -> Truth:
            lowest, highest = look(run.state.values)
            return lowest == 1 if lowest == highest else run.model.here(open_truth(run))

        return to_truth

    def truth_value(self, e: ir.Expression) -> ToValue:
        truth = self.truth(e)
        return lambda run: from_truth(truth(run))

    def by_value(self, e: ir.Expression) -> ToTruth:
        value = self.value(e)
        return lambda run: truth(value(run))

    # ------------------------------------------------------------ operations

    def logic(self, e: ir.Logic) -> ToTruth:
        left_of, right_of = self.truth(e.left), self.truth(e.right)
        decided, together = deciding(e.operator), combined(e.operator)

        def logic(run: EvaluationContext) -> Truth:
            left = left_of(run)
            return left if left is decided else together(run.model, (left, right_of(run)))

        return logic

    def negation(self, e: ir.Not) -> ToTruth:
        return opposite(self.truth(e.operand))

    def conditional(self, e: ir.Conditional) -> ToValue:
        condition_of, then, otherwise = self.truth(e.condition), self.value(e.then), self.value(e.otherwise)
        numeric = e.type.family == NUMBER

        def conditional(run: EvaluationContext) -> SymbolicValue:
            condition = condition_of(run)
            if not isinstance(condition, BooleanLiteral):
                return then(run) if condition else otherwise(run)
            a, b, model = then(run), otherwise(run), run.model
            if numeric:
                return model.chosen(condition, number(model, a), number(model, b))
            both = [(v, model.every((condition, t))) for v, t in cases(run, a, e)]
            both += [(v, model.every((~condition, t))) for v, t in cases(run, b, e)]
            return model.one_of(both)

        return conditional

    def conditional_truth(self, e: ir.Conditional) -> ToTruth:
        condition_of, then, otherwise = self.truth(e.condition), self.truth(e.then), self.truth(e.otherwise)

        def conditional(run: EvaluationContext) -> Truth:
            condition, model = condition_of(run), run.model
            if not isinstance(condition, BooleanLiteral):
                return then(run) if condition else otherwise(run)
            holds = model.every((condition, then(run)))
            return model.some((holds, model.every((~condition, otherwise(run)))))

        return conditional

    def arithmetic(self, e: ir.Arithmetic) -> ToValue:
        left, right = self.number(e.left), self.number(e.right)
        match e.operator:
            case ArithmeticOperator.ADD:
                return lambda run: run.model.add(left(run), right(run))
            case ArithmeticOperator.SUBTRACT:
                return lambda run: run.model.add(left(run), right(run), -1)
            case ArithmeticOperator.MULTIPLY:
                return lambda run: run.model.multiplied(left(run), right(run))
            case ArithmeticOperator.MINIMUM:
                return lambda run: run.model.minimum(left(run), right(run))
            case ArithmeticOperator.MAXIMUM:
                return lambda run: run.model.maximum(left(run), right(run))
            case ArithmeticOperator.DIVIDE:
                return division(e, left, right, Model.divided)
            case ArithmeticOperator.MODULO:
                return division(e, left, right, Model.remainder)
            case _:
                assert_never(e.operator)

    def comparison(self, e: ir.Comparison) -> ToTruth:
        match e.operator:
            case ComparisonOperator.EQUAL:
                return self.equal(e.left, e.right)
            case ComparisonOperator.UNEQUAL:
                return opposite(self.equal(e.left, e.right))
            case ComparisonOperator.LESS:
                return opposite(self.at_least(e.left, e.right))
            case ComparisonOperator.AT_MOST:
                return self.at_most(e.left, e.right)
            case ComparisonOperator.MORE:
                return opposite(self.at_most(e.left, e.right))
            case ComparisonOperator.AT_LEAST:
                return self.at_least(e.left, e.right)
            case _:
                assert_never(e.operator)

    def at_least(self, left: ir.Expression, right: ir.Expression) -> ToTruth:
        first, second = self.number(left), self.number(right)
        return lambda run: run.model.at_least(first(run), second(run))

    def at_most(self, left: ir.Expression, right: ir.Expression) -> ToTruth:
        first, second = self.number(left), self.number(right)
        return lambda run: run.model.at_least(second(run), first(run))

    def equal(self, left: ir.Expression, right: ir.Expression) -> ToTruth:
        first_of, second_of = self.value(left), self.value(right)
        if left.type.family == TRUTH:
            return lambda run: same_truth(run.model, truth(first_of(run)), truth(second_of(run)))
        if left.type.family != NUMBER:

            def same_thing(run: EvaluationContext) -> Truth:
                first, second = cases(run, first_of(run), left), cases(run, second_of(run), right)
                model = run.model
                return model.some([model.every((s, t)) for v, s in first for w, t in second if v == w])

            return same_thing
        # The none of a number is not that number.
        optional = left if left.type.optional else right
        none = optional.type.none if left.type.optional != right.type.optional else None

        def same_number(run: EvaluationContext) -> Truth:
            model = run.model
            a, b = number(model, first_of(run)), number(model, second_of(run))
            equal = model.equal(a, b)
            if none is None:
                return equal
            return model.every((equal, negated(model.equal(a if optional is left else b, none))))

        return same_number

    def call(self, e: ir.CallValue) -> ToValue:
        """A declared value. For an argument that is one of several, such as a player, it is worked out for each."""
        declared, type_ = self.game.values[e.name], e.type
        arguments = [self.value(argument) for argument in e.arguments]
        keys = [-parameter.number for parameter in declared.parameters]
        body = self.truth_value(declared.body) if type_.family == TRUTH else self.value(declared.body)

        def called(run: EvaluationContext, given: list[SymbolicValue]) -> SymbolicValue:
            values = run.state.values
            held = [values.get(key) for key in keys]
            values.update(zip(keys, given, strict=True))
            result = body(run)
            for key, old in zip(keys, held, strict=True):
                if old is not None:
                    values[key] = old
            return result

        def call(run: EvaluationContext) -> SymbolicValue:
            given = [argument(run) for argument in arguments]
            if not any(value.__class__ is OneOf for value in given):
                return called(run, given)
            options: list[tuple[Truth, list[SymbolicValue]]] = [(True, [])]
            for value in given:
                each = value.cases if isinstance(value, OneOf) else ((value, True),)
                options = [(run.model.every((when, t)), [*rest, v]) for when, rest in options for v, t in each]
            return selected(run, [(when, called(run, rest)) for when, rest in options if when is not False], type_)

        return call


def constant(value: int) -> ToValue:
    return lambda run: value


def opposite(truth: ToTruth) -> ToTruth:
    return lambda run: negated(truth(run))


def division(
    e: ir.Arithmetic, left: ToNumber, right: ToNumber, by: Callable[[Model, SymbolicNumber, int], SymbolicNumber]
) -> ToValue:
    """A quotient or a remainder: by a number, or by each of those that the answer may decide."""

    def divide(run: EvaluationContext) -> SymbolicValue:
        model, dividend, divisor = run.model, left(run), right(run)
        if high(divisor) - low(divisor) > MANY_VALUES:
            raise Unsupported(e.span, ModelGap.DIVISOR)
        found = model.by_divisor(divisor, lambda number: by(model, dividend, number))
        if found is None:
            raise Unsupported(e.span, ModelGap.DIVISOR)
        return found

    return divide


def combined(operator: LogicOperator) -> Callable[[Model, Iterable[Truth]], Truth]:
    match operator:
        case LogicOperator.AND:
            return Model.every
        case LogicOperator.OR:
            return Model.some
        case _:
            assert_never(operator)


def same_truth(model: Model, first: Truth, second: Truth) -> Truth:
    if not isinstance(first, BooleanLiteral):
        return second if first else negated(second)
    if not isinstance(second, BooleanLiteral):
        return first if second else ~first
    return model.equal(model.number(first), model.number(second))


class Evaluator(EvaluationContext):
    """A setting that knows the formulas of its game."""

    def __init__(self, program: LoweredGame, model: Model, state: SymbolicState) -> None:
        super().__init__(model, state)
        self.program = program
        self.game = program.game
        self.layout = program.layout
        self.formulas = Formulas.of(program)

    def value(self, e: ir.Expression) -> SymbolicValue:
        return self.formulas.value(e)(self)

    def number(self, e: ir.Expression) -> SymbolicNumber:
        return number(self.model, self.formulas.value(e)(self))

    def truth(self, e: ir.Expression) -> Truth:
        return self.formulas.truth(e)(self)

    def cases(self, value: SymbolicValue, e: ir.Expression) -> tuple[PossibleCell, ...]:
        return cases(self, value, e)

    def slots(self, target: ir.Load) -> list[PossibleCell]:
        return self.formulas.kept(Formulas.target, target)(self)

    def zone_slots(self, zone: ir.Zone) -> list[PossibleCell]:
        return self.formulas.kept(Formulas.zone, zone)(self)

    def counts(self, zone: ir.Zone) -> Counts:
        return self.formulas.kept(Formulas.counts, zone)(self)

    def domain(self, domain: ir.Elements) -> list[Element]:
        return self.formulas.kept(Formulas.domain, domain)(self)

    def bound(
        self, local: ir.Local, elements: list[Element], where: ir.Expression | None
    ) -> Iterator[tuple[Element, Truth]]:
        return bound(self, -local.number, elements, self.formulas.condition(where))

    def order(self, source: ir.OrderSource) -> SymbolicOrder:
        return self.formulas.kept(Formulas.order, source)(self)

    def arguments(self, source: ir.Ranked) -> list[tuple[Arguments, Truth]]:
        return self.formulas.kept(Formulas.arguments, source)(self)

    def ranked(self, source: ir.Ranked, given: Arguments) -> SymbolicOrder:
        return self.formulas.ranker(source.name)(self, given)

    def at_place(self, order: SymbolicOrder, place: int) -> list[PossibleCell]:
        return self.ranks.at_place(order, place)


VALUES: Mapping[type, Callable[[Formulas, Any], ToValue]] = complete_nodes(
    ir.Expression,
    {
        ir.Constant: lambda formulas, e: constant(e.value),
        ir.Read: lambda formulas, e: reader(-e.local.number),
        ir.Load: Formulas.load,
        ir.Lookup: Formulas.lookup,
        ir.Joined: Formulas.joined,
        ir.Part: Formulas.part,
        ir.Arithmetic: Formulas.arithmetic,
        ir.Comparison: Formulas.truth_value,
        ir.Logic: Formulas.truth_value,
        ir.Not: Formulas.truth_value,
        ir.Conditional: Formulas.conditional,
        ir.Required: lambda formulas, e: formulas.value(e.operand),
        ir.Narrowed: lambda formulas, e: formulas.value(e.operand),
        ir.Aggregate: Formulas.aggregate,
        ir.ZoneSize: Formulas.zone_size,
        ir.ZoneCount: Formulas.zone_count,
        ir.CallValue: Formulas.call,
        ir.PlaceOf: Formulas.place_of,
        ir.RankOf: Formulas.rank_of,
    },
    __name__,
)
"""How the value of each kind of formula is found."""

TRUTHS: Mapping[type, Callable[[Formulas, Any], ToTruth]] = complete_nodes(
    ir.Expression,
    {
        ir.Comparison: Formulas.comparison,
        ir.Logic: Formulas.logic,
        ir.Not: Formulas.negation,
        ir.Conditional: Formulas.conditional_truth,
        ir.Aggregate: Formulas.quantified,
        ir.Constant: Formulas.by_value,
        ir.Read: Formulas.by_value,
        ir.Load: Formulas.by_value,
        ir.Lookup: Formulas.by_value,
        ir.Joined: Formulas.by_value,
        ir.Part: Formulas.by_value,
        ir.Arithmetic: Formulas.by_value,
        ir.Required: Formulas.by_value,
        ir.Narrowed: Formulas.by_value,
        ir.ZoneSize: Formulas.by_value,
        ir.ZoneCount: Formulas.by_value,
        ir.CallValue: Formulas.by_value,
        ir.PlaceOf: Formulas.by_value,
        ir.RankOf: Formulas.by_value,
    },
    __name__,
)
"""How the truth of a formula is found: from its parts, or as the value that it has."""
