"""Between what a formula lies, from the bounds of what it reads (interval analysis): a look before anything is built.

Most formulas of a run are plain numbers, or are decided by bounds: nobody is near the end, nobody has a die. A formula
becomes, once for each game, a function of the values of the state; a truth lies between 0 and 1. What no quick rule
knows lies within the type that it has in the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, ArithmeticOperator, ComparisonOperator, LogicOperator
from chocolatl.interpreter.ir.ranges import Interval
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.types import NUMBER
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, OneOf
from chocolatl.solver.symbolic.memo import OncePerProgram
from chocolatl.solver.symbolic.state import Anybody, DeferredStatement, DependsOnWho, MergedPaths

Look = Callable[[dict[Any, Any]], Interval]
NO, YES, OPEN = (0, 0), (1, 1), (0, 1)


class FormulaBounds(OncePerProgram):
    """The functions of a game, made when they are first asked for."""

    def __init__(self, program: LoweredGame) -> None:
        self.game = program.game
        self.places = program.layout.places
        self.weights: dict[int, tuple[ir.Aggregate, tuple[int, ...] | None]] = {}
        self.looks: dict[int, tuple[ir.Expression, Look]] = {}

    def look(self, e: ir.Expression) -> Look:
        found = self.looks.get(id(e))
        if found is None:
            found = self.looks[id(e)] = e, self.made_of(e)
        return found[1]

    def made_of(self, e: ir.Expression) -> Look:
        match e:
            case ir.Constant():
                constant = e.value, e.value
                return lambda values: constant
            case ir.Read():
                return held_at(-e.local.number)
            case ir.Load():
                return self.load(e)
            case ir.Arithmetic():
                return self.arithmetic(e)
            case ir.Comparison():
                return self.comparison(e)
            case ir.Logic():
                return self.logic(e)
            case ir.Not():
                operand = self.look(e.operand)
                return lambda values: opposite(operand(values))
            case ir.Conditional():
                return self.conditional(e)
            case ir.Required() | ir.Narrowed():
                return self.look(e.operand)
            case ir.CallValue():
                return self.call(e)
            case ir.Aggregate():
                return self.aggregate(e)
            case ir.Lookup() | ir.Joined() | ir.Part() | ir.ZoneSize() | ir.ZoneCount() | ir.PlaceOf() | ir.RankOf():
                return self.any_of_type(e)
            case _:
                assert_never(e)

    def factors(self, e: ir.Aggregate) -> tuple[int, ...] | None:
        """What each kind in a zone counts in a sum that depends on nothing else; None if there is no such."""
        found = self.weights.get(id(e))
        if found is None:
            found = self.weights[id(e)] = e, self.factors_of(e)
        return found[1]

    def factors_of(self, e: ir.Aggregate) -> tuple[int, ...] | None:
        match e:
            case ir.Aggregate(
                kind=AggregateKind.SUM,
                domain=ir.ZoneElements() as domain,
                where=None,
                body=ir.Lookup(indices=(ir.Read() as index,)) as body,
            ) if index.local == e.local:
                kinds, bound = ir.set_type(domain.zone).element, body.bounds[0]
                if bound.low <= kinds.low and kinds.high <= bound.high:
                    return body.values[kinds.low - bound.low : kinds.high - bound.low + 1]
        return None

    def any_of_type(self, e: ir.Expression) -> Look:
        whole = e.type.bounds
        return lambda values: whole

    # ------------------------------------------------------------ state

    def load(self, e: ir.Load) -> Look:
        base, whole = self.places[e.field.key].base, e.type.bounds
        owner = [] if e.owner is None else [(e.owner, self.game.domains[e.owner.type.family].type)]
        indices = [
            (self.look(index), bound.low, bound.high, bound.size)
            for index, bound in (*owner, *zip(e.indices, e.field.indices, strict=True))
        ]
        if not indices:
            return held_at(base)

        if len(indices) == 1:
            ((index, first, last, _),) = indices

            def look_up(values: dict[Any, Any]) -> Interval:
                low, high = index(values)
                if low != high or not first <= low <= last:
                    return whole
                key = base + low - first
                value = values[key]
                return (value, value) if value.__class__ is int else reach(values, key)

            return look_up

        def look(values: dict[Any, Any]) -> Interval:
            cell = 0
            for index, first, last, size in indices:
                low, high = index(values)
                if low != high or not first <= low <= last:
                    return whole
                cell = cell * size + low - first
            value = values[base + cell]
            return (value, value) if value.__class__ is int else reach(values, base + cell)

        return look

    # ------------------------------------------------------------ operations

    def arithmetic(self, e: ir.Arithmetic) -> Look:
        left, right, interval = self.look(e.left), self.look(e.right), e.operator.interval
        match e.operator:
            case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY:
                return lambda values: interval(left(values), right(values))
            case ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:
                return lambda values: interval(left(values), right(values))
            case ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
                return self.any_of_type(e)
            case _:
                assert_never(e.operator)

    def comparison(self, e: ir.Comparison) -> Look:
        left, right = self.look(e.left), self.look(e.right)
        if e.left.type.optional != e.right.type.optional and e.left.type.family == NUMBER:
            return lambda values: OPEN  # the none of a number is not that number
        match e.operator:
            case ComparisonOperator.EQUAL:
                return lambda values: same(left(values), right(values))
            case ComparisonOperator.UNEQUAL:
                return lambda values: opposite(same(left(values), right(values)))
            case ComparisonOperator.LESS:
                return lambda values: below(left(values), right(values))
            case ComparisonOperator.AT_MOST:
                return lambda values: opposite(below(right(values), left(values)))
            case ComparisonOperator.MORE:
                return lambda values: below(right(values), left(values))
            case ComparisonOperator.AT_LEAST:
                return lambda values: opposite(below(left(values), right(values)))
            case _:
                assert_never(e.operator)

    def logic(self, e: ir.Logic) -> Look:
        left, right = self.look(e.left), self.look(e.right)
        deciding = decided_by(e.operator)

        def look(values: dict[Any, Any]) -> Interval:
            first = left(values)
            if first == deciding:
                return deciding
            second = right(values)
            return second if first != OPEN or second == deciding else OPEN

        return look

    def conditional(self, e: ir.Conditional) -> Look:
        condition, then, otherwise = self.look(e.condition), self.look(e.then), self.look(e.otherwise)

        def look(values: dict[Any, Any]) -> Interval:
            found = condition(values)
            if found != OPEN:
                return then(values) if found == YES else otherwise(values)
            (a, b), (c, d) = then(values), otherwise(values)
            return min(a, c), max(b, d)

        return look

    def call(self, e: ir.CallValue) -> Look:
        declared, whole = self.game.values[e.name], e.type.bounds
        arguments = [(-p.number, self.look(a)) for p, a in zip(declared.parameters, e.arguments, strict=True)]
        body: list[Look] = []

        def look(values: dict[Any, Any]) -> Interval:
            given: list[tuple[int, int]] = []
            for key, argument in arguments:
                low, high = argument(values)
                if low != high:
                    return whole
                given.append((key, low))
            held = [values.get(key) for key, _ in given]
            values.update(given)
            if not body:
                body.append(self.look(declared.body))
            found = body[0](values)
            for (key, _), old in zip(given, held, strict=True):
                if old is not None:
                    values[key] = old
            return found

        return look

    def aggregate(self, e: ir.Aggregate) -> Look:
        body = None if e.body is None else self.look(e.body)
        match e.kind:
            case AggregateKind.NUMBER | AggregateKind.SUM:
                return self.total(e, body)
            case AggregateKind.SOME:
                found = self.total(e, body)
                return lambda values: any_of(found(values))
            case AggregateKind.EVERY:  # there is none that does not
                assert body is not None
                fails = self.total(e, lambda values: opposite(body(values)))
                return lambda values: opposite(any_of(fails(values)))
            case AggregateKind.HIGHEST | AggregateKind.LOWEST:
                return self.any_of_type(e)
            case _:
                assert_never(e.kind)

    def ends_of(self, domain: ir.Elements) -> tuple[Look, Look] | None:
        """The first and the last element, where all between them are elements, too."""
        match domain:
            case ir.Numbers():
                return self.look(domain.low), self.look(domain.high)
            case ir.Whole(start=None, type=type_):
                first, last = (type_.low, type_.low), (type_.high, type_.high)
                return lambda values: first, lambda values: last
            case ir.Whole() | ir.ZoneElements() | ir.Listing() | ir.OrderElements():
                return None
            case _:
                assert_never(domain)

    def total(self, e: ir.Aggregate, body: Look | None) -> Look:
        """A sum over elements that are known; without a body each counts 1."""
        where = None if e.where is None else self.look(e.where)
        key, whole, both = -e.local.number, e.type.bounds, self.ends_of(e.domain)
        if both is None:
            return self.any_of_type(e)
        first, last = both

        def look(values: dict[Any, Any]) -> Interval:
            start, end = first(values), last(values)
            if start[0] != start[1] or end[0] != end[1]:
                return whole
            held = values.get(key)
            low = high = 0
            for element in range(start[0], end[0] + 1):
                values[key] = element
                there = YES if where is None else where(values)
                if there == NO:
                    continue
                a, b = YES if body is None else body(values)
                if there == OPEN:
                    a, b = min(a, 0), max(b, 0)
                low, high = low + a, high + b
            if held is not None:
                values[key] = held
            return low, high

        return look


def held_at(key: int) -> Look:
    def look(values: dict[Any, Any]) -> Interval:
        value = values[key]
        return (value, value) if value.__class__ is int else reach(values, key)

    return look


def reach(values: dict[Any, Any], key: int) -> Interval:
    """Between what lies what a slot or a local holds."""
    value = values[key]
    if value.__class__ is DeferredStatement:
        value = values[key] = value.held(key)
    return ends(value, key)


def ends(value: Any, key: int) -> Interval:
    """Between what a value lies, which was or is held by a slot or a local."""
    kind = value.__class__
    if kind is int:
        return value, value
    if kind is LinearExpression:
        return value.low, value.high
    if kind is BooleanLiteral:
        return OPEN
    if kind is OneOf:
        elements = [element for element, _ in value.cases]
        return min(elements), max(elements)
    if kind is DeferredStatement:
        return ends(value.held(key), key)
    if kind is Anybody:
        raise DependsOnWho
    assert kind is MergedPaths
    if value.result is not None:
        return ends(value.result, key)
    found = [ends(case, key) for _, case in value.cases]
    if value.otherwise is not None:
        found.append(ends(value.otherwise, key))
    return min([low for low, _ in found]), max([high for _, high in found])


def opposite(found: Interval) -> Interval:
    return 1 - found[1], 1 - found[0]


def any_of(number: Interval) -> Interval:
    """Whether any was counted."""
    return min(number[0], 1), min(number[1], 1)


def same(left: Interval, right: Interval) -> Interval:
    if left[1] < right[0] or right[1] < left[0]:
        return NO
    return YES if left == right and left[0] == left[1] else OPEN


def below(left: Interval, right: Interval) -> Interval:
    return YES if left[1] < right[0] else NO if left[0] >= right[1] else OPEN


def decided_by(operator: LogicOperator) -> Interval:
    """What a condition is, as soon as one part of it is."""
    match operator:
        case LogicOperator.AND:
            return NO
        case LogicOperator.OR:
            return YES
        case _:
            assert_never(operator)
