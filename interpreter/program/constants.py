"""Constant expressions: bounds of ranges and start values, over parameters, tables and the number of players."""

from __future__ import annotations

from interpreter.diagnostics import Findings, nearest
from interpreter.program.model import Program
from interpreter.program.types import LARGEST, SMALLEST
from interpreter.syntax import tree as t


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


def evaluate(expression: t.Expression, program: Program, findings: Findings) -> int | None:
    """The value of a constant expression, or None after a finding."""
    try:
        return _Evaluator(program, findings).value(expression)
    except NotConstant:
        return None


class _Evaluator:
    def __init__(self, program: Program, findings: Findings) -> None:
        self.program = program
        self.findings = findings

    def fail(self, code: str, message: str, node: t.Node, hint: str = "") -> NotConstant:
        self.findings.error(code, message, node.span, hint)
        return NotConstant()

    def value(self, node: t.Expression) -> int:
        result = self.unchecked(node)
        if not SMALLEST <= result <= LARGEST:
            raise self.fail("E501", "this number does not fit into 64 bits", node)
        return result

    def unchecked(self, node: t.Expression) -> int:
        name = dotted(node)
        if name is not None:
            return self.named(name, node)
        match node:
            case t.Number(value=value):
                return value
            case t.Literal(word="yes" | "no"):
                return int(node.word == "yes")
            case t.Unary(operator="-"):
                return -self.value(node.operand)
            case t.Unary():
                return int(not self.value(node.operand))
            case t.Conditional():
                return self.value(node.then if self.value(node.condition) else node.otherwise)
            case t.Binary():
                return self.binary(node)
            case t.Call(name=t.Name(text="min" | "max")):
                choose = min if node.name.text == "min" else max
                return choose(self.value(a) for a in node.arguments)
            case t.Indexed():
                return self.table(node)
            case t.SizeOf() if (dotted(node.zone) or "") in self.program.tables:
                return self.program.tables[dotted(node.zone) or ""].indices[0].size
        raise self.fail("E306", "only numbers and parameters can stand here", node)

    def named(self, name: str, node: t.Expression) -> int:
        if name == "player_count":
            return self.program.player_count
        constant = self.program.constants.get(name)
        if constant is not None:
            if constant.type.optional and constant.value == constant.type.none:
                raise self.fail("E306", f"`{name}` is none here, and a number is needed", node)
            return constant.value
        if name in self.program.places:
            raise self.fail("E306", f"`{name}` can change; only numbers and parameters can stand here", node)
        hint = nearest(name, ["player_count", *self.program.constants])
        raise self.fail("E301", f"there is no parameter `{name}`", node, hint)

    def binary(self, node: t.Binary) -> int:
        if node.operator in ("is", "is not"):
            option = self.option(node)
            if option is not None:
                return option
        left, right = self.value(node.left), self.value(node.right)
        match node.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/" | "mod" if right == 0:
                raise self.fail("E502", "this divides by zero", node)
            case "/":
                return left // right
            case "mod":
                return left % right
            case "and":
                return int(bool(left and right))
            case "or":
                return int(bool(left or right))
            case "is":
                return int(left == right)
            case "is not":
                return int(left != right)
            case "<":
                return int(left < right)
            case "<=":
                return int(left <= right)
            case ">":
                return int(left > right)
            case ">=":
                return int(left >= right)
        raise self.fail("E306", "only numbers and parameters can stand here", node)

    def option(self, node: t.Binary) -> int | None:
        """`ties.rule is carry`: a parameter compared with one of its options."""
        constant = self.program.constants.get(dotted(node.left) or "")
        if constant is None or constant.type.family not in self.program.options:
            return None
        names = self.program.options[constant.type.family]
        wanted: str | bool | None = dotted(node.right)
        if isinstance(node.right, t.Literal):
            wanted = {"yes": True, "no": False}.get(node.right.word)
        if wanted not in names:
            known = [str(n) for n in names]
            hint = nearest(str(wanted), known) or "one of " + ", ".join(known)
            raise self.fail("E302", f"`{wanted}` is not an option of this parameter", node.right, hint)
        equal = names[constant.value] == wanted
        return int(equal if node.operator == "is" else not equal)

    def table(self, node: t.Indexed) -> int:
        name = dotted(node.subject)
        table = self.program.tables.get(name or "")
        if table is None or len(table.indices) != len(node.indices):
            raise self.fail("E301", f"there is no table `{name}` with {len(node.indices)} indices", node)
        position = 0
        for index, expression in zip(table.indices, node.indices, strict=True):
            value = self.value(expression)
            if not index.low <= value <= index.high:
                raise self.fail("E503", f"{value} is outside {index.low}..{index.high}", expression)
            position = position * index.size + value - index.low
        return table.values[position]
