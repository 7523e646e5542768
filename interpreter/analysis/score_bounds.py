"""How many points awards can give and take in a game: a bound from the text alone (static analysis).

Where it is less than an entry of the breakdown can hold, nobody has to look whether the entry holds it.
"""

from __future__ import annotations

from functools import cache
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.walk import blocks
from chocolatl.interpreter.program.types import PLAYER


def most_paid(game: ir.GameRules) -> int:
    """The sum of all awards of a game that begins at its beginning, each as large as it can be and never below zero."""

    @cache
    def procedure(name: str) -> int:
        return block(game.procedures[name].body)

    def block(statements: ir.Block) -> int:
        return sum(map(paid, statements))

    def paid(s: ir.Statement) -> int:
        within = sum(map(block, blocks(s)))
        match s:
            case ir.Award():
                return max(map(abs, s.amount.type.bounds))
            case ir.Call():
                return procedure(s.procedure)
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.MoveElement() | ir.MoveAll():
                return 0
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw() | ir.Stop():
                return 0
            case ir.If():
                return within
            case ir.ForEach():
                return within * most_elements(s.domain, game)
            case ir.InTurn() | ir.Repeat():
                return within * s.limit
            case ir.Secretly() | ir.Contest():
                return within * game.domains[PLAYER].type.size
            case _:
                assert_never(s)

    return procedure(game.main)
