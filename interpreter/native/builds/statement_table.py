"""What each kind of statement becomes where nobody leaves a game in the middle: a table by node (a dispatch
table)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import complete_nodes
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.decisions import emit_choose, emit_choose_set, emit_draw, emit_roll
from chocolatl.interpreter.native.emit.statements.changes import emit_award, emit_change_set, emit_set_local, emit_store
from chocolatl.interpreter.native.emit.statements.contests import emit_contest
from chocolatl.interpreter.native.emit.statements.control import emit_call, emit_if
from chocolatl.interpreter.native.emit.statements.iteration import emit_for_each, emit_in_turn, emit_repeat, emit_stop
from chocolatl.interpreter.native.emit.statements.moves import emit_copy_zone, emit_move_all, emit_move_element
from chocolatl.interpreter.native.emit.statements.secret_blocks import emit_secretly

STATEMENTS: Mapping[type, Callable[[EmitContext, Any], None]] = complete_nodes(
    ir.Statement,
    {
        ir.SetLocal: emit_set_local,
        ir.Store: emit_store,
        ir.Award: emit_award,
        ir.CopyZone: emit_copy_zone,
        ir.ChangeSet: emit_change_set,
        ir.MoveElement: emit_move_element,
        ir.MoveAll: emit_move_all,
        ir.If: emit_if,
        ir.ForEach: emit_for_each,
        ir.InTurn: emit_in_turn,
        ir.Repeat: emit_repeat,
        ir.Stop: emit_stop,
        ir.Call: emit_call,
        ir.Contest: emit_contest,
        ir.Secretly: emit_secretly,
        ir.Choose: emit_choose,
        ir.ChooseSet: emit_choose_set,
        ir.Roll: emit_roll,
        ir.Draw: emit_draw,
    },
    __name__,
)
