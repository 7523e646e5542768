"""Formulas made by a program instead of a rule file: IR expressions, with types and ranges (an expression builder).

What is made here cannot fail when it is evaluated: an extreme has a set that is not empty or a value for that case, and
an optional value has an entry for none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, ArithmeticOperator, ComparisonOperator
from chocolatl.interpreter.ir.ranges import Interval
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import PLAYER, TRUTH, YES_NO, Scalar, number

FIRST_LOCAL = 1 << 20
"""Locals from this number on belong to no rule file."""


def interval(e: ir.Expression) -> Interval:
    return e.type.bounds


class FormulaWriter:
    """Writes formulas over the state of a game; locals have numbers of their own, from `FIRST_LOCAL` on."""

    def __init__(self, game: ir.GameRules) -> None:
        self.game = game
        self.locals = FIRST_LOCAL
        self.span = game.score.span
        self.player_type = game.domains[PLAYER].type

    def local(self, name: str, type_: Scalar) -> ir.Local:
        self.locals += 1
        return ir.Local(self.locals, name, type_)

    def read(self, local: ir.Local) -> ir.Read:
        assert isinstance(local.type, Scalar)
        return ir.Read(self.span, local.type, local)

    def constant(self, value: int, type_: Scalar | None = None) -> ir.Constant:
        return ir.Constant(self.span, type_ or number(value, value), value)

    def load(self, of: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...] = ()) -> ir.Load:
        assert isinstance(of.type, Scalar)
        return ir.Load(self.span, of.type, of, owner, indices)

    def zone(self, of: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...] = ()) -> ir.FieldZone:
        return ir.FieldZone(of, owner, indices, self.span)

    # ------------------------------------------------------------ numbers

    def arithmetic(self, operator: ArithmeticOperator, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        type_ = number(*operator.interval(interval(left), interval(right)))
        return ir.Arithmetic(self.span, type_, operator, left, right)

    def sum(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return self.arithmetic(ArithmeticOperator.ADD, left, right)

    def difference(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return self.arithmetic(ArithmeticOperator.SUBTRACT, left, right)

    def product(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return self.arithmetic(ArithmeticOperator.MULTIPLY, left, right)

    def entry(self, values: Sequence[int], index: ir.Expression, none: int = 0) -> ir.Expression:
        """An entry of a table by an element; `none` is for one that is not there."""
        bound = index.type
        if bound.optional:
            values = (none, *values)
            bound = Scalar(bound.family, bound.low - 1, bound.high)
            index = replace(index, type=bound)  # none is one more number
        return ir.Lookup(self.span, number(min(values), max(values)), tuple(values), (bound,), (index,))

    def table(
        self, values: Sequence[int], bounds: tuple[Scalar, ...], indices: tuple[ir.Expression, ...],
        type_: Scalar | None = None,
    ) -> ir.Expression:  # fmt: skip
        """An entry of a table, in row order of its indices; numbers, if no type is told."""
        held = tuple(values)
        return ir.Lookup(self.span, type_ or number(min(held), max(held)), held, bounds, indices)

    def retyped(self, e: ir.Expression, type_: Scalar) -> ir.Expression:
        """The same number as a value of another type."""
        return replace(e, type=type_)

    # ------------------------------------------------------------ conditions

    def compared(self, operator: ComparisonOperator, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return ir.Comparison(self.span, YES_NO, operator, left, right)

    def equal(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return self.compared(ComparisonOperator.EQUAL, left, right)

    def is_value(self, e: ir.Expression, value: int) -> ir.Expression:
        return self.equal(e, self.constant(value, Scalar(e.type.family, value, value)))

    def is_none(self, e: ir.Expression) -> ir.Expression:
        none = e.type.none
        return self.equal(e, self.constant(none, Scalar(e.type.family, none + 1, none + 1, True)))

    def number_of(self, condition: ir.Expression) -> ir.Expression:
        """1 where a condition holds, else 0."""
        return self.either(condition, self.constant(1), self.constant(0))

    def either(self, condition: ir.Expression, then: ir.Expression, otherwise: ir.Expression) -> ir.Expression:
        low = min(interval(then)[0], interval(otherwise)[0])
        high = max(interval(then)[1], interval(otherwise)[1])
        return ir.Conditional(self.span, number(low, high), condition, then, otherwise)

    def as_number(self, e: ir.Expression) -> ir.Expression:
        return self.number_of(e) if e.type.family == TRUTH else e

    # ------------------------------------------------------------ over elements

    def over(
        self,
        kind: AggregateKind,
        local: ir.Local,
        domain: ir.Elements,
        body: ir.Expression | None,
        where: ir.Expression | None = None,
    ) -> ir.Expression:
        most = most_elements(domain, self.game)
        low, high = kind.interval(interval(body) if body is not None else (1, 1), most)
        return ir.Aggregate(self.span, number(low, high), kind, local, domain, where, body)

    def over_set(
        self, kind: AggregateKind, zone: ir.Zone, formula: Callable[[ir.Expression], ir.Expression]
    ) -> ir.Expression:
        """A formula over what lies in a set; of an extreme, 0 where nothing does."""
        local = self.local("each", ir.set_type(zone).element)
        found = self.over(kind, local, ir.ZoneElements(zone), formula(self.read(local)))
        match kind:
            case AggregateKind.SUM | AggregateKind.NUMBER | AggregateKind.SOME | AggregateKind.EVERY:
                return found
            case AggregateKind.HIGHEST | AggregateKind.LOWEST:
                some = self.compared(ComparisonOperator.MORE, self.size(zone), self.constant(0))
                return self.either(some, found, self.constant(0))
            case _:
                assert_never(kind)

    def over_players(
        self, kind: AggregateKind, formula: Callable[[ir.Expression], ir.Expression], but: ir.Expression | None = None
    ) -> ir.Expression:
        """A formula over all players, or over all but one, who is not the only one."""
        local = self.local("other", self.player_type)
        where = None if but is None else self.compared(ComparisonOperator.UNEQUAL, self.read(local), but)
        return self.over(kind, local, ir.Whole(self.player_type, None), formula(self.read(local)), where)

    def number_where(self, type_: Scalar, condition: Callable[[ir.Expression], ir.Expression]) -> ir.Expression:
        """How many elements of a type meet a condition."""
        local = self.local("each", type_)
        return self.over(AggregateKind.NUMBER, local, ir.Whole(type_, None), None, condition(self.read(local)))

    def size(self, zone: ir.Zone) -> ir.Expression:
        return ir.ZoneSize(self.span, number(0, most_elements(ir.ZoneElements(zone), self.game)), zone)
