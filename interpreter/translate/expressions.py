"""Expressions of the tree to typed IR (type checking, constant folding, interval arithmetic)."""

from __future__ import annotations

import re
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import (
    CALLS,
    DIVIDING,
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    Membership,
    UnaryOperator,
    deciding,
    is_equality,
)
from chocolatl.interpreter.program.constants import dotted
from chocolatl.interpreter.program.fields import resolve_type
from chocolatl.interpreter.program.types import (
    LARGEST,
    NUMBER,
    OWNER,
    PLAYER,
    SMALLEST,
    YES_NO,
    Scalar,
    missing,
    number,
    union,
)
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.parser import parse_expression
from chocolatl.interpreter.translate.context import UNKNOWN, Scope
from chocolatl.interpreter.translate.domains import DomainTranslator


class ExpressionTranslator(DomainTranslator):
    """Translates expressions within a scope of locals."""

    def expression(self, node: t.Expression, expected: Scalar | None = None) -> ir.Expression:
        """A scalar. `expected` helps to find members and options; it does not convert."""
        return self.bounded(self.translate(node, expected))

    def bounded(self, result: ir.Expression) -> ir.Expression:
        """What fits into a number, whatever comes; unknown after a finding."""
        if not SMALLEST <= result.type.low <= result.type.high <= LARGEST:
            self.error("E501", "this can grow beyond 64 bits", result.span, "make the ranges of its parts smaller")
            return self.unknown(result.span)
        return result

    def translate(self, node: t.Expression, expected: Scalar | None) -> ir.Expression:
        match node:
            case t.Number():
                return self.number_constant(node.span, node.value)
            case t.Literal():
                return self.literal(node, expected)
            case t.Reference():
                return self.reference(node, expected)
            case t.Attribute() | t.Indexed():
                return self.access(node, expected)
            case t.Call():
                return self.call(node)
            case t.Unary():
                return self.unary(node)
            case t.Binary():
                return self.binary(node)
            case t.Conditional():
                return self.conditional(node, expected)
            case t.Aggregate():
                return self.aggregate(node)
            case t.Neighbour():
                return self.neighbour(node)
            case t.Opposite():
                return self.opposite(node)
            case t.TurnedBy():
                return self.turned_by(node)
            case t.Pair():
                return self.pair(node)
            case t.SizeOf() if (dotted(node.zone) or "") in self.program.tables:
                return self.number_constant(node.span, self.program.tables[dotted(node.zone) or ""].indices[0].size)
            case t.SizeOf():
                zone = self.zone(node.zone)
                if zone is None:
                    return self.unknown(node.span)
                return ir.ZoneSize(node.span, number(0, self.capacity(zone)), zone)
            case t.Placed():
                order = self.order(node.ranking)
                return ir.PlaceOf(node.span, order[1], order[0], node.place) if order else self.unknown(node.span)
            case t.RankOf():
                order = self.order(node.ranking)
                if order is None:
                    return self.unknown(node.span)
                element = self.fitting(node.element, order[1], "what is ranked")
                return ir.RankOf(node.span, number(0, self.length(order[0])), order[0], element)
            case t.Listed() | t.TurnsOf() | t.Range() | t.YesNo() | t.SetOf() | t.Turned() | t.OrNone():
                self.error("E413", "a single value is needed here", node.span)
                return self.unknown(node.span)
            case _:
                assert_never(node)

    def literal(self, node: t.Literal, expected: Scalar | None) -> ir.Expression:
        if node.word in ("yes", "no"):
            truth = node.word == "yes"
            options = self.program.options.get(expected.family, ()) if expected is not None else ()
            for position, option in enumerate(options):
                if option is truth and expected is not None:
                    return self.constant(node.span, expected, position)
            return self.constant(node.span, YES_NO, int(truth))
        if expected is None or not expected.optional:
            if expected is None or expected.family != UNKNOWN.family:
                what = f"it is not clear of what type this `{node.word}` is"
                self.error("E412", f"{self.a(expected)} is never {node.word}" if expected else what, node.span)
            return self.unknown(node.span)
        word = missing(expected.family)
        if node.word != word:
            self.error("E412", f"a missing {expected.family} is `{word}`, not `{node.word}`", node.span)
        return self.constant(node.span, expected, expected.none)

    def reference(self, node: t.Reference, expected: Scalar | None) -> ir.Expression:
        name, program = node.name, self.program
        local = self.scope.get(name)
        if local is not None:
            if not isinstance(local.type, Scalar):
                self.error("E413", f"`{name}` is a {local.type}, and a single value is needed", node.span)
                return self.unknown(node.span)
            if local.type.low == local.type.high and not local.type.optional and local.type.family in program.domains:
                return self.constant(node.span, program.domains[local.type.family].type, local.type.low)
            return ir.Read(node.span, local.type, local)
        if expected is not None and expected.family in program.options and name in program.options[expected.family]:
            return self.constant(node.span, expected, program.options[expected.family].index(name))
        domain = program.domains.get(expected.family) if expected is not None else None
        if domain is not None and name in domain.labels and domain.name != PLAYER:
            return self.constant(node.span, domain.type, domain.labels.index(name))
        if name == "player_count":
            return self.number_constant(node.span, program.seats)
        if (None, name) in program.fields:
            return self.access(node)
        if name in program.tables:
            return self.access(node)
        if name in program.constants:
            return self.parameter(name, node.span, expected)
        if name in program.values:
            return self.call(t.Call(node.span, t.Name(node.span, name), ()))
        members = program.members.get(name, [])
        if len(members) == 1:
            family, position = members[0]
            return self.constant(node.span, program.domains[family].type, position)
        if members:
            where = " and ".join(f"`{family}`" for family, _ in members)
            self.error("E310", f"`{name}` is a member of {where}; it is not clear which is meant", node.span)
            return self.unknown(node.span)
        self.missing(name, node.span, expected)
        return self.unknown(node.span)

    def unary(self, node: t.Unary) -> ir.Expression:
        match node.operator:
            case UnaryOperator.NOT:
                return self.negation(self.truth(node.operand), node.span)
            case UnaryOperator.NEGATIVE:
                zero = self.number_constant(node.span, 0)
                return self.arithmetic(ArithmeticOperator.SUBTRACT, zero, self.number(node.operand), node.span)
            case _:
                assert_never(node.operator)

    def binary(self, node: t.Binary) -> ir.Expression:
        match node.operator:
            case LogicOperator() as operator:
                return self.logic(operator, self.truth(node.left), self.truth(node.right), node.span)
            case Membership():
                return self.contained(node)
            case ComparisonOperator() as operator:
                return self.compare(node, operator)
            case ArithmeticOperator() as operator:
                return self.arithmetic(operator, self.number(node.left), self.number(node.right), node.span)
            case _:
                assert_never(node.operator)

    def arithmetic(
        self, operator: ArithmeticOperator, left: ir.Expression, right: ir.Expression, span: Span
    ) -> ir.Expression:
        if UNKNOWN.family in (left.type.family, right.type.family):
            return self.unknown(span)
        left, right = self.required(left), self.required(right)
        if operator in DIVIDING and right.type.low == right.type.high == 0:
            self.error("E502", "this divides by zero", right.span)
            return self.unknown(span)
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            return self.number_constant(span, operator.apply(left.value, right.value))
        low, high = operator.interval((left.type.low, left.type.high), (right.type.low, right.type.high))
        return ir.Arithmetic(span, number(low, high), operator, left, right)

    def compare(self, node: t.Binary, operator: ComparisonOperator) -> ir.Expression:
        if isinstance(node.left, t.Literal):
            right = self.expression(node.right)
            left = self.expression(node.left, right.type)
        else:
            left = self.expression(node.left)
            if isinstance(node.right, t.Reference) and node.right.name not in self.scope:
                if left.type.family == UNKNOWN.family:
                    return self.unknown(node.span)  # of what is unknown, nobody knows the members
                if self.context.is_dropped(node.right.name, left.type.family):
                    if not is_equality(operator):
                        return self.without_order(left, node.span)
                    return self.beside_dropped(left, operator, node.span)
            if left.type.family == OWNER and isinstance(node.right, t.Reference) and node.right.name == PLAYER:
                if not is_equality(operator):
                    return self.without_order(left, node.span)
                return self.is_player(left, operator is ComparisonOperator.EQUAL, node.span)
            right = self.expression(node.right, left.type)
        left, right = self.owners(left, right)
        families = {left.type.family, right.type.family}
        if UNKNOWN.family in families:
            return self.unknown(node.span)
        if len(families) > 1:
            message = f"{self.a(left.type)} cannot be compared with {self.a(right.type)}"
            self.error("E401", message, node.span)
            return self.unknown(node.span)
        if not is_equality(operator) and left.type.family != NUMBER:
            return self.without_order(left, node.span)
        if not is_equality(operator):
            left, right = self.required(left), self.required(right)
        elif left.type.optional and right.type.optional:
            self.same_none(left.type, right.type, node.span)
        return self.comparison(operator, left, right, node.span)

    def without_order(self, compared: ir.Expression, span: Span) -> ir.Expression:
        self.error("E401", f"only numbers are greater or smaller; this is {self.a(compared.type)}", span)
        return self.unknown(span)

    def comparison(
        self, operator: ComparisonOperator, left: ir.Expression, right: ir.Expression, span: Span
    ) -> ir.Expression:
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            # The none of a number lies just below its range, where another type may have a number.
            missing = [c.type.optional and c.value == c.type.none for c in (left, right)]
            if any(missing) and is_equality(operator):
                return self.constant(span, YES_NO, int(all(missing) == (operator is ComparisonOperator.EQUAL)))
            return self.constant(span, YES_NO, int(operator.apply(left.value, right.value)))
        decided = operator.decided(left.type.bounds, right.type.bounds)
        if decided is not None and not (left.type.optional or right.type.optional or self.can_fail(left, right)):
            return self.constant(span, YES_NO, int(decided))
        return ir.Comparison(span, YES_NO, operator, left, right)

    def beside_dropped(self, left: ir.Expression, operator: ComparisonOperator, span: Span) -> ir.Expression:
        """Something beside a member that a variant leaves out: nothing is that, and whatever fails still fails."""
        unequal = operator is ComparisonOperator.UNEQUAL
        truth = self.constant(span, YES_NO, int(unequal))
        if not self.can_fail(left):
            return truth
        itself = ir.Comparison(span, YES_NO, operator, left, left)
        return ir.Logic(span, YES_NO, LogicOperator.OR if unequal else LogicOperator.AND, itself, truth)

    def logic(self, operator: LogicOperator, left: ir.Expression, right: ir.Expression, span: Span) -> ir.Expression:
        for side, other in ((left, right), (right, left)):
            if isinstance(side, ir.Constant) and side.type == YES_NO:
                if bool(side.value) != deciding(operator):
                    return replace(other, span=span)
                if side is left or not self.can_fail(left):
                    return replace(side, span=span)
        return ir.Logic(span, YES_NO, operator, left, right)

    def negation(self, operand: ir.Expression, span: Span) -> ir.Expression:
        if isinstance(operand, ir.Constant):
            return self.constant(span, operand.type, 1 - operand.value)
        return ir.Not(span, YES_NO, operand)

    def conditional(self, node: t.Conditional, expected: Scalar | None) -> ir.Expression:
        condition = self.truth(node.condition)
        then = self.expression(node.then, expected)
        otherwise = self.expression(node.otherwise, expected or then.type)
        then, otherwise = self.owners(then, otherwise)
        if UNKNOWN.family in (then.type.family, otherwise.type.family):
            return self.unknown(node.span)
        if then.type.family != otherwise.type.family:
            self.error("E401", f"one side is {self.a(then.type)}, the other {self.a(otherwise.type)}", node.span)
            return self.unknown(node.span)
        if isinstance(condition, ir.Constant):
            self.context.settled[node.condition.span] = bool(condition.value)
            return then if condition.value else otherwise
        self.same_none(then.type, otherwise.type, node.span)
        return ir.Conditional(node.span, union(then.type, otherwise.type), condition, then, otherwise)

    def aggregate(self, node: t.Aggregate) -> ir.Expression:
        found = self.elements(node.domain)
        if found is None:
            return self.unknown(node.span)
        domain, element = found
        local = self.context.local(node.variable.text, element)
        inner = self.inner(node.variable, local)
        where = inner.truth(node.where) if node.where is not None else None
        most = self.most(domain)
        body: ir.Expression | None = None
        match node.kind:
            case AggregateKind.SOME | AggregateKind.EVERY:
                assert node.body is not None
                body, type_ = inner.truth(node.body), YES_NO
            case AggregateKind.NUMBER:
                type_ = number(*node.kind.interval((1, 1), most))
            case AggregateKind.SUM | AggregateKind.HIGHEST | AggregateKind.LOWEST:
                assert node.body is not None
                body = self.required(inner.number(node.body))
                type_ = number(*node.kind.interval((body.type.low, body.type.high), most))
            case _:
                assert_never(node.kind)
        return ir.Aggregate(node.span, type_, node.kind, local, domain, where, body)

    def inner(self, name: t.Name, local: ir.Local) -> ExpressionTranslator:
        """The scope of an expression that binds one more name."""
        self.unshadowed(name)
        return ExpressionTranslator(self.context, {**self.scope, name.text: local})

    def contained(self, node: t.Binary) -> ir.Expression:
        zone = self.zone(node.right)
        if zone is None:
            return self.unknown(node.span)
        found = self.fitting(node.left, self.zone_type(zone), "what lies in the set")
        count = ir.ZoneCount(node.span, number(0, self.capacity(zone)), zone, found)
        return self.comparison(ComparisonOperator.MORE, count, self.number_constant(node.span, 0), node.span)

    def call(self, node: t.Call) -> ir.Expression:
        name = node.name.text
        if name in CALLS:
            values = [self.number(a) for a in node.arguments]
            result = values[0]
            for value in values[1:]:
                result = self.arithmetic(CALLS[name], result, value, node.span)
            return result
        grid = self.program.domains.get(name)
        if grid is not None and grid.sides:
            return self.cell(grid, node)
        if name not in self.program.values:
            grids = [grid.name for grid in self.program.domains.values() if grid.sides]
            hint = nearest(name, [*self.program.values, *grids, *CALLS])
            if name in self.program.rankings:
                hint = f"a ranking has places: `first of {name}(...)`"
            elif name in self.program.procedures:
                hint = f"a procedure is carried out: `do {name}(...)`"
            self.error("E301", f"there is no value `{name}`", node.name.span, hint)
            return self.unknown(node.span)
        declared = self.value(name, node.span)
        if declared is None:
            return self.unknown(node.span)
        arguments = self.arguments(name, declared.parameters, node.arguments, node.span)
        if arguments is None:
            return self.unknown(node.span)
        call = ir.CallValue(node.span, declared.body.type, name, arguments)
        if isinstance(declared.body, ir.Constant) and not self.can_fail(call):
            return ir.Constant(node.span, declared.body.type, declared.body.value)
        return call

    def value(self, name: str, span: Span) -> ir.Value | None:
        """A declared value, translated when it is first used; one that needs itself is an error."""
        known = self.context.values
        if name in known:
            if name in self.context.busy:
                self.error("E311", f"`{name}` is computed from itself", span)
            return known[name]
        known[name] = None
        self.context.busy.add(name)
        declared = self.program.values[name]
        known[name] = self.context.memoised(self.declared_value, declared)
        self.context.busy.remove(name)
        return known[name]

    def declared_value(self, declared: t.Value) -> ir.Value:
        name = declared.name.text
        locals_, scope = self.context.parameters(declared.parameters)
        body = self.typed_body(declared, ExpressionTranslator(self.context, scope))
        for modifier in self.program.modifiers.get(name, ()):
            body = self.modified(body, modifier, locals_)
        return ir.Value(name, locals_, body, declared.name.span)

    def typed_body(self, declared: t.Value, inner: ExpressionTranslator) -> ir.Expression:
        """The body of a value; a type that is declared says what members and options in it are."""
        type_ = resolve_type(declared.type, self.program, self.context.findings) if declared.type is not None else None
        if not isinstance(type_, Scalar):
            if type_ is not None and declared.type is not None:
                self.error("E402", "a value is a single thing, not a set", declared.type.span)
            return inner.expression(declared.body)
        body = inner.fitting(declared.body, type_, f"`{declared.name.text}`")
        if body.type.family == type_.family and not type_.holds(body.type):
            message = f"this is {self.a(body.type)}, and `{declared.name.text}` is declared as {type_}"
            self.error("E503", message, declared.body.span)
        return body

    def modified(self, body: ir.Expression, node: t.Modifier, parameters: tuple[ir.Local, ...]) -> ir.Expression:
        """A value and what a modifier adds to it while its condition holds."""
        scope = self.context.renamed(node.value, node.names, parameters)
        if scope is None:
            return body
        if body.type.family not in (NUMBER, UNKNOWN.family):
            message = f"`{node.value.text}` is {self.a(body.type)}; only numbers are changed by a modifier"
            self.error("E401", message, node.value.span)
            return body
        inner = ExpressionTranslator(self.context, scope)
        amount = self.required(inner.number(node.amount))
        if node.condition is not None:
            nothing = self.number_constant(node.span, 0)
            condition = inner.truth(node.condition)
            if isinstance(condition, ir.Constant):
                amount = amount if condition.value else nothing
            elif UNKNOWN.family not in (condition.type.family, amount.type.family):
                amount = ir.Conditional(node.span, union(amount.type, nothing.type), condition, amount, nothing)
        return self.bounded(self.arithmetic(ArithmeticOperator.ADD, body, amount, node.span))

    def prompt(self, text: t.Text | None) -> ir.Prompt | None:
        """Words for people; what stands between braces is an expression."""
        if text is None:
            return None
        parts: list[str | ir.Expression] = []
        column = text.span.column + 1
        for position, piece in enumerate(re.split(r"\{([^{}]*)\}", text.text)):
            gap = position % 2 == 1
            span = replace(text.span, column=column, end_column=column + len(piece) if gap else column + 1)
            column += len(piece) + 1
            lone = re.search(r"[{}]", piece)
            if lone is not None:
                place = replace(span, column=span.column + lone.start(), end_column=span.column + lone.start() + 1)
                self.error("E110", f"this `{lone[0]}` has no other half", place, "a formula stands between `{` and `}`")
            elif gap and not piece.strip():
                wide = replace(span, column=span.column - 1, end_column=span.end_column + 1)
                self.error("E110", "there is nothing between these braces", wide)
            elif gap:
                node = parse_expression(piece, span, self.context.findings)
                parts += [self.expression(node)] if node is not None else []
            elif piece:
                parts.append(piece)
        return ir.Prompt(tuple(parts))

    def outside(self, scope: Scope) -> ExpressionTranslator:
        return ExpressionTranslator(self.context, scope)
