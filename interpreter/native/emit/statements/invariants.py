"""What the rules say always holds, looked at after changes (assertions).

An invariant is looked at where the interpreter does so: after changes in a row, if it reads what they can have changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import add_site
from chocolatl.interpreter.native.emit.context import HEAD, EmitContext
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_condition
from chocolatl.interpreter.native.layout.memory import JOURNAL, SECRET, head_word
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.source import Span


def check_invariants(
    context: EmitContext, written: tuple[Field | None, ...], span: Span, following: ir.Block = ()
) -> None:
    """After a statement: the invariants that are due, unless another change follows directly."""
    if not context.guards:
        return
    keys = {field.key for field in written if field is not None}
    latched = zip(context.game.latches, context.watched, strict=True)
    touched = keys | {latch.field.key for latch, watched in latched if watched & keys}
    context.due |= {position: None for position, read in enumerate(context.guarded) if read & touched}
    if following and isinstance(following[0], ir.Change):
        return
    for position in context.due:
        invariant = context.game.invariants[position]
        site = add_site(context, span, f"after this, {invariant.called} does not hold any more; see {invariant.place}")
        context.f.do(f"call void @invariant_{position}(ptr %s, i64 {site})")
    context.due = {}


def invariant_texts(context: EmitContext) -> Iterator[str]:
    for position, invariant in enumerate(context.game.invariants if context.guards else ()):
        context.open(Function(f"invariant_{position}", [("ptr", "%s"), ("i64", "%site")]))
        f = context.f
        looked, broken, done = f.block(), f.block(), f.block()
        secret = f.load(f.part("%s", SECRET, head_word(SECRET)), tag=HEAD)
        f.branch(f.compare("eq", secret, "0"), looked, done)
        f.begin(looked)
        if context.build.journals:  # only the game itself is noted, not what players imagine
            real = f.block()
            f.branch(f.compare("ne", f.load(f.part("%s", JOURNAL, head_word(JOURNAL)), tag=HEAD), "0"), real, done)
            f.begin(real)
        f.branch(emit_condition(context, invariant.condition), done, broken)
        f.begin(broken)
        f.do("call void @fail(ptr %s, i64 %site, i64 0)")
        f.begin(done)
        f.leave()
        yield f.text()


def written(s: ir.Statement) -> tuple[Field | None, ...]:
    """The fields that a statement changes by itself. Those of a loop and of a call are not its own."""
    match s:
        case ir.Store() | ir.Award():
            return (s.target.field,)
        case ir.CopyZone():
            return (ir.field_of(s.target),)
        case ir.ChangeSet():
            return (ir.field_of(s.zone),)
        case ir.MoveElement() | ir.MoveAll() | ir.ChooseSet() | ir.Draw():
            return ir.field_of(s.source), ir.field_of(s.target)
        case ir.Choose():
            return tuple(pick.field.field for pick in s.picks if pick.field is not None)
        case ir.Roll():
            return (_rolled(s.target),)
        case ir.Secretly():
            return s.writes
        case ir.SetLocal() | ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Stop() | ir.Call() | ir.Contest():
            return ()
        case _:
            assert_never(s)


def _rolled(target: ir.Load | ir.Zone | None) -> Field | None:
    """The field that chance is for."""
    match target:
        case ir.Load() | ir.FieldZone():
            return target.field
        case ir.LocalZone() | None:
            return None
        case _:
            assert_never(target)
