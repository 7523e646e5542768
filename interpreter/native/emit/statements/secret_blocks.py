"""Secret blocks: each player in turn, to the end of the block, none sees what others have done (copy in, copy out)."""

from __future__ import annotations

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.walk import fields_read, inside, statements
from chocolatl.interpreter.lowered.layout import locals_of
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import local_pointer, set_local, store_head
from chocolatl.interpreter.native.emit.kinds import hides
from chocolatl.interpreter.native.emit.statements.control import emit_block
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import SECRET
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import Scalar


def emit_secretly(context: EmitContext, s: ir.Secretly) -> None:
    """By seat, each player to the end of the block. A body sees others as they were at entry, so none can tell
    that they answer one after the other; where one might, each begins with everything as it was at entry."""
    f = context.f
    saved = [(local, f.load(local_pointer(context, local))) for local in saved_locals(context, s)]
    shadows = [ShadowCopy(context, field) for field in s.writes] if may_peek(context, s) else []
    store_head(context, SECRET, "1")
    outer, context.loops = context.loops, []
    with counting(context, "0", str(context.game.player_count - 1)) as loop:
        for local, value in saved:
            set_local(context, local, value)
        set_local(context, s.local, loop.value)
        emit_block(context, s.body)
        for each in shadows:
            each.put_by(loop.value)
    context.loops = outer
    for local, value in saved:
        set_local(context, local, value)
    for each in shadows:
        each.bring_back()
    store_head(context, SECRET, "0")
    ask_latches(context, *s.writes)


def saved_locals(context: EmitContext, s: ir.Secretly) -> list[ir.Local]:
    """Variables from outside that the body of a secret block changes, for itself alone."""
    return [local for local in locals_of(s.body) if local.number in context.where and isinstance(local.type, Scalar)]


def may_peek(context: EmitContext, s: ir.Secretly) -> bool:
    """Whether the body may read what another player changes in it: by way of a value or a ranking."""
    called = [call.procedure for call in statements(s.body) if isinstance(call, ir.Call)]
    bodies = [s.body, *(context.game.procedures[name].body for name in reachable(called, context.game.procedures))]
    found: set[tuple[str | None, str]] = set()
    for body in bodies:
        for statement in statements(body):
            for part in inside(statement):
                if hides(part, context.game):
                    found |= fields_read(part, context.game)
    return bool(found & {field.key for field in s.writes})


class ShadowCopy:
    """A field that a secret block changes, while what each player did to it is kept from the others."""

    def __init__(self, context: EmitContext, field: Field) -> None:
        self.f = f = context.f
        place = context.layout.places[field.key]
        run = context.memory.places[field.key]
        base, shape = run.offset, run.shape
        self.size = place.cells * shape.size
        self.rows = self.size // (int(shape.unit[1:]) // 8 * shape.lanes) if shape.lanes > 1 else 1
        """How many pieces a player's share has, which lie as far apart as all shares of one take."""
        self.own = self.size // max(1, field.owners) // self.rows
        self.place = f.part("%s", base, replace(run.meant, kind=Access.SHARE))
        self.before, self.after = (f.variable(f"[{max(1, self.size)} x i8]", Access.SHARE) for _ in range(2))
        self.copy(self.before, self.place, str(self.size))

    def copy(self, target: str, source: str, size: str) -> None:
        self.f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    def put_by(self, player: str) -> None:
        """What the player did is put by, and all is as before."""
        share = Region(Access.SHARE, self.own)
        for row in range(self.rows):
            offset = row * self.size // self.rows
            whole = Region(Access.SHARE, self.size // self.rows, offset)
            starts = [self.f.part(start, offset, whole) for start in (self.after, self.place, self.before)]
            mine = [self.f.element(start, player, f"[{self.own} x i8]", share) for start in starts]
            self.copy(mine[0], mine[1], str(self.own))
            self.copy(mine[1], mine[2], str(self.own))

    def bring_back(self) -> None:
        self.copy(self.place, self.after, str(self.size))
