"""What every translation of an expression needs (scopes): the names in reach, findings, and values of a wanted type."""

from __future__ import annotations

from abc import ABC, abstractmethod

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.failing import Failures
from chocolatl.interpreter.ir.operations import ArithmeticOperator, ComparisonOperator, LogicOperator
from chocolatl.interpreter.program.space import face_name
from chocolatl.interpreter.program.types import NUMBER, OWNER, PLAYER, TRUTH, YES_NO, Scalar, number, union
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN, Context, Scope


class Scoped(ABC):
    """A translation within a scope of locals."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.program = context.program
        self.scope = scope

    @abstractmethod
    def expression(self, node: t.Expression, expected: Scalar | None = None) -> ir.Expression:
        """A scalar. `expected` helps to find members and options; it does not convert."""

    @abstractmethod
    def arithmetic(
        self, operator: ArithmeticOperator, left: ir.Expression, right: ir.Expression, span: Span
    ) -> ir.Expression:
        """The result of an operator on two numbers."""

    def error(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self.context.error(code, message, span, hint)

    def unknown(self, span: Span) -> ir.Expression:
        return ir.Constant(span, UNKNOWN, 0)

    def a(self, type_: Scalar) -> str:
        if type_.family == NUMBER:
            return f"a number ({type_})" if type_.low != type_.high else f"the number {type_.low}"
        if type_.family == TRUTH:
            return "yes or no"
        if type_.family in self.program.options:
            return "an option of " + type_.family.removeprefix("option of ")
        return f"{'an' if str(type_)[0] in 'aeiou' else 'a'} {type_}"

    def constant(self, span: Span, type_: Scalar, value: int) -> ir.Constant:
        return ir.Constant(span, type_, value)

    def number_constant(self, span: Span, value: int) -> ir.Constant:
        return ir.Constant(span, number(value, value), value)

    def can_fail(self, *parts: ir.Expression) -> bool:
        """Whether expressions can stop the game, so that they are not left out though nobody needs their values."""
        return Failures(self.program.domains, self.context.values).can_fail(*parts)

    def number(self, node: t.Expression) -> ir.Expression:
        return self.of_family(node, NUMBER, "a number")

    def truth(self, node: t.Expression) -> ir.Expression:
        return self.of_family(node, TRUTH, "yes or no")

    def player(self, node: t.Expression) -> ir.Expression:
        return self.of_family(node, PLAYER, "a player")

    def of_family(self, node: t.Expression, family: str, what: str) -> ir.Expression:
        expected = self.program.domains[family].type if family in self.program.domains else None
        result = self.expression(node, expected)
        if family == PLAYER and result.type.family == OWNER:
            return self.narrowed(result)
        if result.type.family not in (family, UNKNOWN.family):
            self.error("E401", f"this is {self.a(result.type)}, and {what} is needed", node.span)
            return self.unknown(node.span)
        return result

    def fitting(self, node: t.Expression, type_: Scalar, what: str) -> ir.Expression:
        """A value for a place of a given type."""
        result = self.expression(node, type_)
        if type_.family == PLAYER and result.type.family == OWNER:
            return self.narrowed(result)
        if type_.family == OWNER and result.type.family == PLAYER:
            result = self.widened(result)
        found = result.type
        if UNKNOWN.family in (found.family, type_.family):
            return result
        if found.family != type_.family:
            hint = "one that is not turned is `... turned by 0`" if type_.family == face_name(found.family) else ""
            domains = self.program.domains
            if found.family in domains and type_.family in domains and domains[found.family].parts:
                if sorted(domains[found.family].parts) == sorted(domains[type_.family].parts):
                    hint = f"the order of the parts is {type_.family}"
            self.error("E401", f"this is {self.a(found)}, and {what} is {self.a(type_)}", node.span, hint)
            return result
        low, high = type_.bounds_for(found)
        if found.bounds[1] < low or found.bounds[0] > high:
            self.error("E503", f"this is {self.a(found)}, always outside of {type_}", node.span)
        return self.with_none(result, type_) if type_.family == NUMBER and found.optional else result

    def with_none(self, found: ir.Expression, type_: Scalar) -> ir.Expression:
        """A number or none where a type is needed, in which another number may stand for none, or which has no none."""
        if not type_.optional:
            return self.required(found)
        if isinstance(found, ir.Constant):
            return self.constant(found.span, type_, type_.none if found.value == found.type.none else found.value)
        self.same_none(found.type, type_, found.span)
        return found

    def same_none(self, left: Scalar, right: Scalar, span: Span) -> None:
        """Where a value may be of either type, the same number has to stand for none."""
        both = union(left, right)
        if any(type_.optional and type_.none != both.none for type_ in (left, right)):
            self.error("E412", f"{left} and {right} differ in what none is; give them one range", span)

    def narrowed(self, operand: ir.Expression) -> ir.Expression:
        """An owner where a player is needed: that it is one is seen when the game runs."""
        return ir.Narrowed(operand.span, self.program.domains[PLAYER].type, operand)

    def widened(self, operand: ir.Expression) -> ir.Expression:
        """A player as an owner: the same number, since players come first."""
        return replace(operand, type=replace(operand.type, family=OWNER))

    def owners(self, left: ir.Expression, right: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
        """Where an owner meets a player, both as owners."""
        if {left.type.family, right.type.family} != {OWNER, PLAYER}:
            return left, right
        if left.type.family == PLAYER:
            return self.widened(left), right
        return left, self.widened(right)

    def is_player(self, owner: ir.Expression, wanted: bool, span: Span) -> ir.Expression:
        """Whether an owner is one of the players."""
        last = ir.Constant(span, owner.type, self.program.seats - 1)
        first = ir.Constant(span, owner.type, 0)
        is_one: ir.Expression = ir.Comparison(span, YES_NO, ComparisonOperator.AT_MOST, owner, last)
        if owner.type.optional:
            not_below = ir.Comparison(span, YES_NO, ComparisonOperator.AT_LEAST, owner, first)
            is_one = ir.Logic(span, YES_NO, LogicOperator.AND, not_below, is_one)
        return is_one if wanted else ir.Not(span, YES_NO, is_one)

    def required(self, operand: ir.Expression) -> ir.Expression:
        """A value to go on with: that it is not none is seen when the game runs."""
        if not operand.type.optional:
            return operand
        return ir.Required(operand.span, operand.type.required, operand)
