"""What kinds of nodes have in common for those who write native code: what is cheap, what hides what it reads, what is
the same for all players (a classification of nodes).

Each is decided for every kind by name, so that a type checker asks about a new one.
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ArithmeticOperator
from chocolatl.interpreter.ir.walk import Evaluating, called


def is_simple(part: ir.Evaluated) -> bool:
    """Whether a node takes an instruction or two, all inside of it left out."""
    match part:
        case ir.Constant() | ir.Read() | ir.Load() | ir.Lookup():
            return True
        case ir.Comparison() | ir.Logic() | ir.Not() | ir.Conditional():
            return True
        case ir.Arithmetic():
            return _is_quick(part.operator)
        case ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed() | ir.Aggregate():
            return False
        case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
            return False
        case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.Listing() | ir.OrderElements():
            return False
        case ir.FieldZone() | ir.LocalZone() | ir.Ranked() | ir.HeldOrder() | ir.Prompt():
            return False
        case _:
            assert_never(part)


def _is_quick(sign: ArithmeticOperator) -> bool:
    match sign:
        case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY:
            return True
        case ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:
            return True
        case ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
            return False
        case _:
            assert_never(sign)


def hides(part: object, game: ir.GameRules) -> bool:
    """Whether a node reads what is not written inside of it: by way of a value or a ranking."""
    return isinstance(part, Evaluating) and called(part, game) is not None


def is_uniform(part: ir.Evaluated, player: ir.Local) -> bool:
    """Whether a node is plainly the same for all players, all inside of it left out: it reads only what nobody owns."""
    match part:
        case ir.Read():
            return part.local != player
        case ir.Load():
            return part.owner is None
        case ir.Constant() | ir.Lookup() | ir.Arithmetic() | ir.Comparison() | ir.Conditional():
            return True
        case ir.Joined() | ir.Part() | ir.Logic() | ir.Not() | ir.Required() | ir.Narrowed() | ir.Aggregate():
            return False
        case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
            return False
        case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.Listing() | ir.OrderElements():
            return False
        case ir.FieldZone() | ir.LocalZone() | ir.Ranked() | ir.HeldOrder() | ir.Prompt():
            return False
        case _:
            assert_never(part)
