"""Which instruction of LLVM each operator is (instruction selection), on numbers and on vectors of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.ir.operations import ArithmeticOperator, ComparisonOperator, LogicOperator, complete

PREDICATES = complete(
    ComparisonOperator,
    {
        ComparisonOperator.EQUAL: "eq",
        ComparisonOperator.UNEQUAL: "ne",
        ComparisonOperator.LESS: "slt",
        ComparisonOperator.AT_MOST: "sle",
        ComparisonOperator.MORE: "sgt",
        ComparisonOperator.AT_LEAST: "sge",
    },
    __name__,
)
"""How `icmp` calls a comparison."""

JOINING = complete(LogicOperator, {LogicOperator.AND: "and", LogicOperator.OR: "or"}, __name__)
"""What two conditions are joined by where both are known."""


@dataclass(frozen=True)
class Lanewise:
    """What is done to two vectors: an instruction, or an intrinsic function."""

    name: str
    is_intrinsic: bool = False


def lanewise(sign: ArithmeticOperator) -> Lanewise | None:
    """What an operator is on vectors; None where it is not done on them."""
    match sign:
        case ArithmeticOperator.ADD:
            return Lanewise("add nsw")
        case ArithmeticOperator.SUBTRACT:
            return Lanewise("sub nsw")
        case ArithmeticOperator.MULTIPLY:
            return Lanewise("mul nsw")
        case ArithmeticOperator.MINIMUM:
            return Lanewise("smin", is_intrinsic=True)
        case ArithmeticOperator.MAXIMUM:
            return Lanewise("smax", is_intrinsic=True)
        case ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
            return None
        case _:
            assert_never(sign)


def to_nothing(sign: ComparisonOperator) -> str | None:
    """Which predicate of the bits of a zone says how its size compares with 0, if that shows from them."""
    match sign:
        case ComparisonOperator.EQUAL:
            return "eq"
        case ComparisonOperator.UNEQUAL | ComparisonOperator.MORE:
            return "ne"
        case ComparisonOperator.LESS | ComparisonOperator.AT_MOST | ComparisonOperator.AT_LEAST:
            return None
        case _:
            assert_never(sign)
