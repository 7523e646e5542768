"""The build that can be left at any decision and gone on with: what differs from whole games (coroutines)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.waits import Waiting
from chocolatl.interpreter.native.builds.statement_table import STATEMENTS
from chocolatl.interpreter.native.emit.context import Build, EmitContext, NotedStop
from chocolatl.interpreter.native.emit.statements.iteration import BRIEF_LOOPS
from chocolatl.interpreter.native.emit.statements.latches import PARTS
from chocolatl.interpreter.native.emit.statements.moves import forget_move
from chocolatl.interpreter.native.emit.statements.stepwise import (
    emit_stepped_call,
    emit_stepped_if,
    emit_stepped_secretly,
    emit_steps,
    step_counts,
    step_extent,
    steps_text,
    wait,
)
from chocolatl.interpreter.native.emit.values_and_rankings.tables import EXPRESSIONS
from chocolatl.interpreter.native.vector.keys import vector_keys


def unnumbered_stop(context: EmitContext, s: Waiting) -> NotedStop:
    return NotedStop(-1, s, context.procedure)


def ignore_event(
    context: EmitContext,
    stop: NotedStop,
    who: str,
    indices: tuple[ir.Expression, ...],
    room: int,
    put: Callable[[str], str],
) -> None:
    """Nobody watches a game that goes on from a position."""


RESUMABLE = Build(
    expressions=EXPRESSIONS,
    statements={
        **STATEMENTS,
        ir.If: emit_stepped_if,
        ir.Call: emit_stepped_call,
        ir.Secretly: emit_stepped_secretly,
        ir.Choose: wait,
        ir.ChooseSet: wait,
        ir.Roll: wait,
        ir.Draw: wait,
    },
    passes={ir.Ranking: (vector_keys,)},
    block=emit_steps,
    procedure=steps_text,
    stop=unnumbered_stop,
    note=ignore_event,
    counts=step_counts,
    extent=step_extent,
    moved=forget_move,
    # A latch may have been asked elsewhere, and whoever waits for a loop wants to know that it has failed.
    unfit=frozenset([PARTS.name, BRIEF_LOOPS.name]),
)
