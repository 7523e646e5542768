"""Expressions made shorter (constant folding, inlining, unrolling): the same meaning, and the same errors at run time.

Constants are computed, the body of a short value takes the place of its call, and a formula over few elements that are
known beforehand is written out, which gives more constants. So `every row has is_full(row)` becomes a few sums.
"""

from __future__ import annotations

from typing import Any, TypeVar, assert_never, get_args

from msgspec import Struct
from msgspec.structs import asdict, replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.failing import Failures
from chocolatl.interpreter.ir.operations import DIVIDING, AggregateKind, ArithmeticOperator, LogicOperator, deciding
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.program.types import YES_NO, Scalar, number
from chocolatl.interpreter.source import Span

FEW = 8
"""So many elements are written out."""

SHORT = 100
"""So many nodes may take the place of one."""

DEEP = 50
"""Inside so many nodes nothing more takes the place of a call, for the sake of those who go through what comes out."""

TRIES = 50_000
"""So many nodes of a game are looked at to see what becomes short: formulas in one another can be endlessly many."""

Node = TypeVar("Node", bound=Struct)

HOLDING = frozenset(get_args(ir.Elements | ir.Zone | ir.OrderSource))
"""What there is in expressions beside others, which may hold some."""

Bound = dict[int, ir.Expression]
"""What stands for a local, by its number."""


class Folder:
    """Folds the expressions of one game, or leaves them as they are. What it gave back is known to it and folded."""

    def __init__(self, game: ir.GameRules, literal: bool = False) -> None:
        self.game = game
        self.failures = Failures(game.domains, game.values)
        self.literal = literal
        self.done: dict[int, ir.Expression] = {}
        self.meant: dict[int, ir.Expression] = {}
        self.depth = 0
        self.trying = 0
        self.tries = TRIES

    def fold(self, e: ir.Expression, bound: Bound | None = None) -> ir.Expression:
        if self.literal or (not bound and self.done.get(id(e)) is e):
            return e
        self.depth += 1
        self.tries -= self.trying > 0
        result = self._fold(e, bound or {})
        self.depth -= 1
        if result is not e:
            if id(result) in self.done:
                result = replace(result)  # it stands for itself already, and now for another one
            self.meant[id(result)] = self.written(e)
        self.done[id(result)] = result
        return result

    def written(self, e: ir.Expression) -> ir.Expression:
        """What the rules say where this expression stands now: what is wrong with its value is told of that."""
        return self.meant.get(id(e), e)

    def _fold(self, e: ir.Expression, bound: Bound) -> ir.Expression:
        match e:
            case ir.Constant():
                return e
            case ir.Read():
                return bound.get(e.local.number, e)
            case ir.Aggregate():
                return self.written_out(e, bound) or self.parts(e, bound)
            case ir.Arithmetic():
                return _arithmetic(self.parts(e, bound))
            case ir.Comparison():
                return _comparison(self.parts(e, bound))
            case ir.Logic():
                return _logic(self.parts(e, bound))
            case ir.Not():
                return _negation(self.parts(e, bound))
            case ir.Conditional():
                return _conditional(self.parts(e, bound))
            case ir.Required():
                return _required(self.parts(e, bound))
            case ir.Lookup():
                return _entry(self.parts(e, bound))
            case ir.CallValue():
                return self.in_place(self.parts(e, bound))
            case ir.Load() | ir.Joined() | ir.Part() | ir.Narrowed():
                return self.parts(e, bound)
            case ir.ZoneSize() | ir.ZoneCount() | ir.PlaceOf() | ir.RankOf():
                return self.parts(e, bound)
            case _:
                assert_never(e)

    def parts(self, node: Node, bound: Bound) -> Node:
        """The same node with all inside it folded."""
        changes = {}
        for name, before in asdict(node).items():
            after = self.part(before, bound)
            if after is not before:
                changes[name] = after
        return replace(node, **changes) if changes else node

    def part(self, value: Any, bound: Bound) -> Any:
        if isinstance(value, ir.TypedNode):  # the list of expressions is closed
            return self.fold(value, bound)  # type: ignore[arg-type]
        if isinstance(value, tuple) and value and isinstance(value[0], Struct):
            items = tuple(self.part(item, bound) for item in value)
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        return self.parts(value, bound) if type(value) in HOLDING else value

    def in_place(self, e: ir.CallValue) -> ir.Expression:
        """The body of a value instead of its call, where it is short and its arguments are at hand."""
        if self.depth > DEEP or self.tries <= 0:
            return e
        value = self.game.values[e.name]
        for parameter, argument in zip(value.parameters, e.arguments, strict=True):
            assert isinstance(parameter.type, Scalar)
            if not isinstance(argument, (ir.Constant, ir.Read)) or not parameter.type.holds(argument.type):
                return e
        bound = {p.number: argument for p, argument in zip(value.parameters, e.arguments, strict=True)}
        self.trying += 1
        body = self.fold(value.body, bound)
        self.trying -= 1
        return body if _length(body) <= SHORT else e

    def written_out(self, e: ir.Aggregate, bound: Bound) -> ir.Expression | None:
        """A formula over few elements that are known beforehand, as one over each of them."""
        elements = known_elements(self.part(e.domain, bound), e.span)
        if not elements or self.tries <= 0:
            return None
        terms: list[ir.Expression] = []
        length = 0
        for element in elements:
            self.trying += 1
            inner = bound | {e.local.number: element}
            where = self.fold(e.where, inner) if e.where is not None else None
            body = self.fold(e.body, inner) if e.body is not None else _constant(e, number(1, 1), 1)
            term = self.term(e, where, body)
            self.trying -= 1
            length += _length(term) if term is not None else 0
            if term is None or length > SHORT:
                return None
            terms.append(term)
        sign = _between(e.kind)
        if (
            sign is LogicOperator.AND
        ):  # what is built up from its first part is complete with its last, which decides it
            terms.reverse()
        result = terms[0]
        for term in terms[1:]:
            if isinstance(sign, LogicOperator):
                result = self.fold(ir.Logic(e.span, YES_NO, sign, result, term))
            else:
                result = self.fold(ir.Arithmetic(e.span, e.type, sign, result, term))
        return result

    def term(self, e: ir.Aggregate, where: ir.Expression | None, body: ir.Expression) -> ir.Expression | None:
        """What one element adds to a formula; None where the formula cannot be written out."""
        match e.kind:
            case AggregateKind.SOME | AggregateKind.EVERY:
                # Written out, it ends as soon as it is decided; that must not hide an error.
                return body if where is None and not self.failures.can_fail(body) else None
            case AggregateKind.NUMBER | AggregateKind.SUM:
                if where is None:
                    return body
                return self.fold(ir.Conditional(e.span, e.type, where, body, _constant(e, number(0, 0), 0)))
            case AggregateKind.HIGHEST | AggregateKind.LOWEST:
                return body if where is None else None
            case _:
                assert_never(e.kind)


def _between(kind: AggregateKind) -> ArithmeticOperator | LogicOperator:
    """What stands between the terms of a formula that is written out."""
    match kind:
        case AggregateKind.SOME:
            return LogicOperator.OR
        case AggregateKind.EVERY:
            return LogicOperator.AND
        case AggregateKind.NUMBER | AggregateKind.SUM:
            return ArithmeticOperator.ADD
        case AggregateKind.HIGHEST:
            return ArithmeticOperator.MAXIMUM
        case AggregateKind.LOWEST:
            return ArithmeticOperator.MINIMUM
        case _:
            assert_never(kind)


def _length(e: ir.Expression) -> int:
    return sum(1 for _ in inside(e))


def known_elements(domain: ir.Elements, span: Span) -> list[ir.Constant]:
    """The elements of a domain, if they are always the same."""
    match domain:
        case ir.Whole(start=None, type=type_):
            low, high = type_.low, type_.high
        case ir.Numbers(low=ir.Constant() as first, high=ir.Constant() as last):
            type_, low, high = first.type, first.value, last.value
        case _:
            return []
    if high - low >= FEW:
        return []
    return [ir.Constant(span, replace(type_, low=v, high=v, optional=False), v) for v in range(low, high + 1)]


def _constant(e: ir.Expression, type_: Scalar, value: int) -> ir.Constant:
    exact = type_ if type_.optional else replace(type_, low=value, high=value)
    return ir.Constant(e.span, exact, value)


def _truth(e: ir.Expression, value: bool) -> ir.Constant:
    return _constant(e, YES_NO, int(value))


def _arithmetic(e: ir.Arithmetic) -> ir.Expression:
    left, right = e.left, e.right
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        if e.operator not in DIVIDING or right.value:
            return _constant(e, e.type, e.operator.apply(left.value, right.value))
    before, after = _neutral(e.operator)
    if isinstance(left, ir.Constant) and left.value == before:
        return right
    if isinstance(right, ir.Constant) and right.value == after:
        return left
    return e


def _neutral(sign: ArithmeticOperator) -> tuple[int | None, int | None]:
    """What changes nothing on the left side of an operator, and on its right side."""
    match sign:
        case ArithmeticOperator.ADD:
            return 0, 0
        case ArithmeticOperator.SUBTRACT:
            return None, 0
        case ArithmeticOperator.MULTIPLY:
            return 1, 1
        case ArithmeticOperator.DIVIDE:
            return None, 1
        case ArithmeticOperator.MODULO | ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:
            return None, None
        case _:
            assert_never(sign)


def _comparison(e: ir.Comparison) -> ir.Expression:
    left, right = e.left, e.right
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
        if not left.type.optional and not right.type.optional:
            return _truth(e, e.operator.apply(left.value, right.value))
    return e


def _logic(e: ir.Logic) -> ir.Expression:
    decides = deciding(e.operator)
    if isinstance(e.left, ir.Constant):
        return _truth(e, decides) if bool(e.left.value) == decides else e.right
    if isinstance(e.right, ir.Constant) and bool(e.right.value) != decides:
        return e.left
    return e


def _negation(e: ir.Not) -> ir.Expression:
    return _truth(e, not e.operand.value) if isinstance(e.operand, ir.Constant) else e


def _conditional(e: ir.Conditional) -> ir.Expression:
    if not isinstance(e.condition, ir.Constant):
        return e
    return e.then if e.condition.value else e.otherwise


def _required(e: ir.Required) -> ir.Expression:
    if isinstance(e.operand, ir.Constant) and e.operand.value != e.operand.type.none:
        return _constant(e, e.type, e.operand.value)
    return e


def _entry(e: ir.Lookup) -> ir.Expression:
    """An entry of a table, if it is always the same one."""
    position = 0
    for index, bound in zip(e.indices, e.bounds, strict=True):
        if not isinstance(index, ir.Constant) or not bound.low <= index.value <= bound.high:
            return e
        position = position * bound.size + index.value - bound.low
    return _constant(e, e.type, e.values[position])
