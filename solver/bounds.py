"""Between what a formula lies, from the bounds of what it reads: a quick look before anything is built.

Most formulas of a run are plain numbers, or are decided by bounds: nobody is near the end, nobody has a die. A formula
becomes, once for each game, a function of the values of the state; a truth lies between 0 and 1. What no quick rule
knows lies within the type that it has in the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter.engine.compile import Program
from interpreter.ir import nodes as ir
from interpreter.program.types import NUMBER
from solver.linear import Expression, Literal, OneOf
from solver.once import OncePerProgram
from solver.state import Anybody, Apart, Later, Merged

Range = tuple[int, int]
Look = Callable[[dict[Any, Any]], Range]
NO, YES, OPEN = (0, 0), (1, 1), (0, 1)


class Bounds(OncePerProgram):
    """The functions of a game, made when they are first asked for."""

    def __init__(self, program: Program) -> None:
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
            case ir.Arithmetic(operator="+" | "-" | "*" | "min" | "max"):
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
            case ir.Aggregate(kind="some" | "every" | "number" | "sum", domain=ir.Whole(start=None) | ir.Numbers()):
                return self.aggregate(e)
        return self.any_of_type(e)

    def factors(self, e: ir.Aggregate) -> tuple[int, ...] | None:
        """What each kind in a zone counts in a sum that depends on nothing else; None if there is no such."""
        found = self.weights.get(id(e))
        if found is None:
            found = self.weights[id(e)] = e, self.factors_of(e)
        return found[1]

    def factors_of(self, e: ir.Aggregate) -> tuple[int, ...] | None:
        match e:
            case ir.Aggregate(
                kind="sum",
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

            def look_up(values: dict[Any, Any]) -> Range:
                low, high = index(values)
                if low != high or not first <= low <= last:
                    return whole
                key = base + low - first
                value = values[key]
                return (value, value) if value.__class__ is int else reach(values, key)

            return look_up

        def look(values: dict[Any, Any]) -> Range:
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
        left, right, operator = self.look(e.left), self.look(e.right), e.operator

        def look(values: dict[Any, Any]) -> Range:
            (a, b), (c, d) = left(values), right(values)
            match operator:
                case "+":
                    return a + c, b + d
                case "-":
                    return a - d, b - c
                case "min":
                    return min(a, c), min(b, d)
                case "max":
                    return max(a, c), max(b, d)
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)

        return look

    def comparison(self, e: ir.Comparison) -> Look:
        left, right, operator = self.look(e.left), self.look(e.right), e.operator
        if e.left.type.optional != e.right.type.optional and e.left.type.family == NUMBER:
            return lambda values: OPEN  # the none of a number is not that number

        def look(values: dict[Any, Any]) -> Range:
            (a, b), (c, d) = left(values), right(values)
            match operator:
                case "==":
                    return NO if b < c or d < a else YES if a == b == c == d else OPEN
                case "!=":
                    return YES if b < c or d < a else NO if a == b == c == d else OPEN
                case "<":
                    return YES if b < c else NO if a >= d else OPEN
                case "<=":
                    return YES if b <= c else NO if a > d else OPEN
                case ">":
                    return YES if a > d else NO if b <= c else OPEN
            return YES if a >= d else NO if b < c else OPEN

        return look

    def logic(self, e: ir.Logic) -> Look:
        left, right = self.look(e.left), self.look(e.right)
        deciding = YES if e.operator == "or" else NO

        def look(values: dict[Any, Any]) -> Range:
            first = left(values)
            if first == deciding:
                return deciding
            second = right(values)
            return second if first != OPEN or second == deciding else OPEN

        return look

    def conditional(self, e: ir.Conditional) -> Look:
        condition, then, otherwise = self.look(e.condition), self.look(e.then), self.look(e.otherwise)

        def look(values: dict[Any, Any]) -> Range:
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

        def look(values: dict[Any, Any]) -> Range:
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
        where = None if e.where is None else self.look(e.where)
        body = None if e.body is None else self.look(e.body)
        key, kind, whole = -e.local.number, e.kind, e.type.bounds
        if isinstance(e.domain, ir.Numbers):
            first, last = self.look(e.domain.low), self.look(e.domain.high)
        else:
            assert isinstance(e.domain, ir.Whole)
            ends = e.domain.type.low, e.domain.type.high
            first, last = (lambda values: (ends[0], ends[0])), (lambda values: (ends[1], ends[1]))

        def look(values: dict[Any, Any]) -> Range:
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
                if kind == "every":
                    a, b = 1 - b, 1 - a
                if there == OPEN:
                    a, b = min(a, 0), max(b, 0)
                low, high = low + a, high + b
            if held is not None:
                values[key] = held
            match kind:
                case "some":
                    return min(low, 1), min(high, 1)
                case "every":
                    return 1 - min(high, 1), 1 - min(low, 1)
            return low, high

        return look


def held_at(key: int) -> Look:
    def look(values: dict[Any, Any]) -> Range:
        value = values[key]
        return (value, value) if value.__class__ is int else reach(values, key)

    return look


def reach(values: dict[Any, Any], key: int) -> Range:
    """Between what lies what a slot or a local holds."""
    value = values[key]
    if value.__class__ is Later:
        value = values[key] = value.held(key)
    return ends(value, key)


def ends(value: Any, key: int) -> Range:
    """Between what a value lies, which was or is held by a slot or a local."""
    kind = value.__class__
    if kind is int:
        return value, value
    if kind is Expression:
        return value.low, value.high
    if kind is Literal:
        return OPEN
    if kind is OneOf:
        elements = [element for element, _ in value.cases]
        return min(elements), max(elements)
    if kind is Later:
        return ends(value.held(key), key)
    if kind is Anybody:
        raise Apart
    assert kind is Merged
    if value.result is not None:
        return ends(value.result, key)
    found = [ends(case, key) for _, case in value.cases]
    if value.otherwise is not None:
        found.append(ends(value.otherwise, key))
    return min([low for low, _ in found]), max([high for _, high in found])


def opposite(found: Range) -> Range:
    return 1 - found[1], 1 - found[0]
