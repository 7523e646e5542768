"""Where a game waits for a player, for chance or for a secret block, and which procedures can (suspension points).

What can wait is cut into steps (see `chocolatl.interpreter.lowered.lowered_game`); all else runs through in one go. The
same analysis cuts the rules for the interpreter, for native code and for the solver, so that a position means one
thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import blocks, stops

Waiting = ir.Choice | ir.ChanceNode | ir.Secretly


@dataclass(frozen=True)
class SuspensionPoint:
    """A place where a game waits. `after` is the step that goes on, `body` the first step of a secret block."""

    pc: int
    node: Waiting
    procedure: str
    after: int
    body: int = -1


@dataclass(frozen=True)
class LoopSite:
    """The slots of a loop that waits: `counter` is the element itself or, with `elements`, its position among them."""

    node: ir.Loop
    pc: int
    counter: int
    elements: int = -1


def waiting_procedures(game: ir.GameRules) -> set[str]:
    """The procedures that can wait, directly or through others; the whole game always counts as one."""
    found = {game.main}
    changed = True
    while changed:
        changed = False
        for name, procedure in game.procedures.items():
            if name not in found and any(is_waiting(s, found) for s in procedure.body):
                found.add(name)
                changed = True
    return found


def is_waiting(s: ir.Statement, waiting: set[str]) -> bool:
    """Whether a statement has to be cut into steps: it waits, or it leaves a loop from inside a contest."""
    if isinstance(s, Waiting):
        return True
    if isinstance(s, ir.Change):
        return False
    match s:
        case ir.Stop():
            return False
        case ir.Call():
            return s.procedure in waiting
        case ir.Contest() if stops((s,)):
            return True
        case ir.Contest() | ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat():
            return any(is_waiting(inner, waiting) for block in blocks(s) for inner in block)
        case _:
            assert_never(s)
