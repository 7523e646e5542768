"""Which expressions can fail when the game runs: a conservative effect analysis, from the ranges of their parts.

Whoever computes an expression that is not needed, or leaves out one that is, has to know: an error must neither come up
nor get lost. What each operation can do is declared in `chocolatl.interpreter.ir.operations`; here is when its operands
rule it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, ArithmeticOperator
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.program.model import Domain
from chocolatl.interpreter.program.types import Scalar


class Failures:
    """What can fail in one game; what was found of a declared value is remembered. A value that is none has a finding,
    or is being translated, which makes one."""

    def __init__(self, domains: Mapping[str, Domain], values: Mapping[str, ir.Value | None]) -> None:
        self.domains = domains
        self.values = values
        self.known: dict[str, bool] = {}

    def can_fail(self, *nodes: ir.Evaluated) -> bool:
        """Whether anything inside of some nodes can fail, themselves included."""
        return any([self.of_itself(part) for part in inside(*nodes)])

    def of_itself(self, part: ir.Evaluated) -> bool:
        """Whether a node can fail though all inside of it have a value."""
        match part:
            case ir.Constant() | ir.Read() | ir.Part() | ir.Comparison() | ir.Logic() | ir.Not() | ir.Conditional():
                return False
            case ir.ZoneSize() | ir.Numbers() | ir.ZoneElements() | ir.Listing():
                return False
            case ir.LocalZone() | ir.HeldOrder() | ir.Prompt():
                return False
            case ir.Required() | ir.Narrowed():
                return True
            case ir.PlaceOf() | ir.RankOf() | ir.OrderElements() | ir.Ranked():
                return True  # a ranking evaluates its keys, which are not looked into
            case ir.Arithmetic():
                return _operator_fails(part)
            case ir.Aggregate():
                return _aggregate_fails(part.kind)
            case ir.Lookup():
                return not _within(part.indices, part.bounds)
            case ir.Joined():
                return not _within(part.parts, part.bounds)
            case ir.Load() | ir.FieldZone():
                owner = part.owner is None or self.domains[part.owner.type.family].type.holds(part.owner.type)
                return not owner or not _within(part.indices, part.field.indices)
            case ir.Whole():
                return part.start is not None and not part.type.holds(part.start.type)
            case ir.ZoneCount():
                return not ir.set_type(part.zone).element.holds(part.element.type)
            case ir.CallValue():
                return self.arguments_fail(part.name, part.arguments) or self.value_fails(part.name)
            case _:
                assert_never(part)

    def arguments_fail(self, name: str, given: tuple[ir.Expression, ...]) -> bool:
        """Whether a value's arguments can be outside of their ranges."""
        value = self.values[name]
        types = [p.type for p in value.parameters if isinstance(p.type, Scalar)] if value is not None else []
        return value is not None and not _within(given, tuple(types))

    def value_fails(self, name: str) -> bool:
        known, waiting = self.known, [name]
        while name not in known:  # a chain of values may be longer than Python's own stack
            now = waiting[-1]
            value = self.values[now]
            parts = inside(value.body) if value is not None else []
            below = [part.name for part in parts if isinstance(part, ir.CallValue) and part.name not in known]
            if not below:
                known[now] = any([self.of_itself(part) for part in parts])
                waiting = [other for other in waiting if other not in known]
            waiting += below
        return known[name]


def _within(given: tuple[ir.Expression, ...], bounds: tuple[Scalar, ...]) -> bool:
    return all([bound.holds(each.type) for bound, each in zip(bounds, given, strict=True)])


def _operator_fails(e: ir.Arithmetic) -> bool:
    match e.operator:
        case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY:
            return False
        case ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:
            return False
        case ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
            return e.right.type.low <= 0 <= e.right.type.high
        case _:
            assert_never(e.operator)


def _aggregate_fails(kind: AggregateKind) -> bool:
    match kind:
        case AggregateKind.SOME | AggregateKind.EVERY | AggregateKind.NUMBER | AggregateKind.SUM:
            return False
        case AggregateKind.HIGHEST | AggregateKind.LOWEST:
            return True  # how many elements there are is only known when the game runs
        case _:
            assert_never(kind)
