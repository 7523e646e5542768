"""Constant expressions (compile-time evaluation): bounds of ranges and start values, over parameters and tables."""

from __future__ import annotations

from functools import reduce
from typing import assert_never

from chocolatl.interpreter.diagnostics import Findings, nearest
from chocolatl.interpreter.ir.operations import (
    CALLS,
    DIVIDING,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    Membership,
    UnaryOperator,
)
from chocolatl.interpreter.program.model import Domain, Program
from chocolatl.interpreter.program.types import LARGEST, NUMBER, SMALLEST, TRUTH, Scalar
from chocolatl.interpreter.syntax import tree as t


class NotConstant(Exception):
    """Raised after the finding is reported, to leave the evaluation."""


def dotted(expression: t.Expression) -> str | None:
    """`a.b.c` as one name, or None for anything else."""
    if isinstance(expression, t.Reference):
        return expression.name
    if isinstance(expression, t.Attribute):
        front = dotted(expression.subject)
        return f"{front}.{expression.name.text}" if front else None
    return None


def evaluate(
    expression: t.Expression, program: Program, findings: Findings, family: str = NUMBER,
    bound: dict[str, int] | None = None,
) -> int | None:  # fmt: skip
    """The value of a constant expression of a family of types, or None after a finding.

    `bound` are numbers that go by a name in it, such as the coordinates of a cell."""
    try:
        return _Evaluator(program, findings, bound or {}).value(expression, family)
    except NotConstant:
        return None


WHAT = {NUMBER: "a number", TRUTH: "yes or no"}


class _Evaluator:
    def __init__(self, program: Program, findings: Findings, bound: dict[str, int]) -> None:
        self.program = program
        self.findings = findings
        self.bound = bound

    def fail(self, code: str, message: str, node: t.Node, hint: str = "") -> NotConstant:
        self.findings.error(code, message, node.span, hint)
        return NotConstant()

    def value(self, node: t.Expression, family: str) -> int:
        result, found = self.typed(node, family)
        if found != family:
            needed = WHAT.get(family, f"a {family}")
            what = f"a {found}" if found in self.program.domains else WHAT.get(found, f"an {found}")
            raise self.fail("E401", f"this is {what}, and {needed} is needed", node)
        if not SMALLEST <= result <= LARGEST:
            raise self.fail("E501", "this number does not fit into 64 bits", node)
        return result

    def number(self, node: t.Expression) -> int:
        return self.value(node, NUMBER)

    def truth(self, node: t.Expression) -> int:
        return self.value(node, TRUTH)

    def typed(self, node: t.Expression, family: str) -> tuple[int, str]:
        """A value and the family of its type; `family` is the one that is wanted."""
        name = dotted(node)
        if name is not None:
            return self.named(name, node)
        match node:
            case t.Number(value=value):
                return value, NUMBER
            case t.Literal(word="yes" | "no"):
                return int(node.word == "yes"), TRUTH
            case t.Unary():
                return self.unary(node)
            case t.Conditional():
                return self.value(node.then if self.truth(node.condition) else node.otherwise, family), family
            case t.Binary() if node.operator is not Membership.IN:
                return self.binary(node, node.operator)
            case t.Call() if node.name.text in CALLS:
                return reduce(CALLS[node.name.text].apply, map(self.number, node.arguments)), NUMBER
            case t.Call() if node.name.text in self.program.domains and self.program.domains[node.name.text].sides:
                return self.cell(self.program.domains[node.name.text], node), node.name.text
            case t.Indexed():
                return self.table(node)
            case t.SizeOf() if (dotted(node.zone) or "") in self.program.tables:
                return self.program.tables[dotted(node.zone) or ""].indices[0].size, NUMBER
            case t.SizeOf() if dotted(node.zone) in self.program.broken:
                raise NotConstant
            case t.SizeOf() if dotted(node.zone) not in self.program.places:
                hint = nearest(dotted(node.zone) or "", self.program.tables)
                raise self.fail("E301", f"there is no table `{dotted(node.zone)}`", node.zone, hint)
        raise self.fail("E306", "only numbers and parameters can stand here", node)

    def named(self, name: str, node: t.Expression) -> tuple[int, str]:
        if name in self.bound:
            return self.bound[name], NUMBER
        if name == "player_count":
            return self.program.seats, NUMBER
        constant = self.program.constants.get(name)
        if constant is not None:
            if constant.type.optional and constant.value == constant.type.none:
                raise self.fail("E412", f"`{name}` is none, and a value is needed", node)
            return constant.value, constant.type.family
        if name in self.program.broken:
            raise NotConstant
        if name in self.program.places:
            raise self.fail("E306", f"`{name}` can change; only numbers and parameters can stand here", node)
        hint = nearest(name, ["player_count", *self.bound, *self.program.constants])
        what = "coordinate or parameter" if self.bound else "parameter"
        raise self.fail("E301", f"there is no {what} `{name}`", node, hint)

    def cell(self, grid: Domain, node: t.Call) -> int:
        """`cell(0, 1)`, by coordinates that are constant."""
        if len(node.arguments) != len(grid.parts):
            raise self.fail("E406", grid.miscounted(len(node.arguments)), node, grid.written)
        coordinates = [self.number(argument) for argument in node.arguments]
        for value, argument, (name, part) in zip(coordinates, node.arguments, grid.parts, strict=True):
            if not part.low <= value <= part.high:
                raise self.fail("E503", f"the `{name}` of a {grid.name} is {part}, never {value}", argument)
        return grid.join(coordinates)

    def unary(self, node: t.Unary) -> tuple[int, str]:
        match node.operator:
            case UnaryOperator.NEGATIVE:
                return -self.number(node.operand), NUMBER
            case UnaryOperator.NOT:
                return int(not self.truth(node.operand)), TRUTH
            case _:
                assert_never(node.operator)

    def binary(
        self, node: t.Binary, operator: ArithmeticOperator | ComparisonOperator | LogicOperator
    ) -> tuple[int, str]:
        match operator:
            case LogicOperator.AND:
                left, right = self.truth(node.left), self.truth(node.right)
                return left & right, TRUTH
            case LogicOperator.OR:
                left, right = self.truth(node.left), self.truth(node.right)
                return left | right, TRUTH
            case ArithmeticOperator():
                left, right = self.number(node.left), self.number(node.right)
                if operator in DIVIDING and right == 0:
                    raise self.fail("E502", "this divides by zero", node)
                return operator.apply(left, right), NUMBER
            case ComparisonOperator.EQUAL | ComparisonOperator.UNEQUAL:
                same = self.option(node)
                if same is None:
                    left, family = self.typed(node.left, NUMBER)
                    same = left == self.value(node.right, family)
                return int(same == (operator is ComparisonOperator.EQUAL)), TRUTH
            case ComparisonOperator():
                left, right = self.number(node.left), self.number(node.right)
                return int(operator.apply(left, right)), TRUTH
            case _:
                assert_never(operator)

    def option(self, node: t.Binary) -> bool | None:
        """`ties.rule is carry`: whether a parameter is one of its options; or none, if it can be that."""
        constant = self.program.constants.get(dotted(node.left) or "")
        if constant is None:
            return None
        if isinstance(node.right, t.Literal) and node.right.word == "none" and constant.type.optional:
            return constant.value == constant.type.none
        if constant.type.family not in self.program.options:
            return None
        names = self.program.options[constant.type.family]
        wanted: str | bool | None = dotted(node.right)
        if isinstance(node.right, t.Literal):
            wanted = {"yes": True, "no": False}.get(node.right.word)
        if wanted not in names:
            known = [str(n) for n in names]
            hint = nearest(str(wanted), known) or "one of " + ", ".join(known)
            raise self.fail("E302", f"`{wanted}` is not an option of this parameter", node.right, hint)
        return names[constant.value] == wanted

    def table(self, node: t.Indexed) -> tuple[int, str]:
        name = dotted(node.subject)
        if name in self.program.broken:
            raise NotConstant
        table = self.program.tables.get(name or "")
        if table is None:
            hint = nearest(name or "", self.program.tables)
            raise self.fail("E301", f"there is no table `{name}`", node.subject, hint)
        if len(table.indices) != len(node.indices):
            wanted = ", ".join(str(i) for i in table.indices)
            raise self.fail("E406", f"the table `{name}` needs the index [{wanted}]", node)
        position = 0
        for index, expression in zip(table.indices, node.indices, strict=True):
            value = self.element(expression, index)
            if not index.low <= value <= index.high:
                raise self.fail("E503", f"{value} is outside {index}", expression)
            position = position * index.size + value - index.low
        value = table.values[position]
        if table.type.optional and value == table.type.none:
            raise self.fail("E412", "this entry is none, and a value is needed", node)
        return value, table.type.family

    def element(self, node: t.Expression, type_: Scalar) -> int:
        """An index: a number, or a member of an enum by its name."""
        domain = self.program.domains.get(type_.family)
        if domain is not None and isinstance(node, t.Reference):
            if node.name in domain.labels:
                return domain.labels.index(node.name)
            hint = nearest(node.name, [str(label) for label in domain.labels])
            raise self.fail("E301", f"there is no {type_} `{node.name}`", node, hint)
        return self.value(node, type_.family)
