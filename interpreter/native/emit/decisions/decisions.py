"""Statements that ask a player or chance: draw, count, note, store (sampling)."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import add_site
from chocolatl.interpreter.native.emit.context import EmitContext, NotedStop
from chocolatl.interpreter.native.emit.decisions.answers import draw_answer
from chocolatl.interpreter.native.emit.decisions.chance import chance_owner, draw_outcome, roll_one, roll_outcome
from chocolatl.interpreter.native.emit.decisions.combinations import store_answer
from chocolatl.interpreter.native.emit.decisions.components import choose_components
from chocolatl.interpreter.native.emit.decisions.several import choose_values
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag, set_local
from chocolatl.interpreter.native.emit.statements.events import chooser, count_decision, note_list, note_values
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import check_set_size, empty_zone, move_one, put_one
from chocolatl.interpreter.native.emit.statements.occurrences import count_picks
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address, note_origin
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import zone_address
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.program.model import MANY
from chocolatl.interpreter.program.types import Multiset


def emit_choose(context: EmitContext, s: ir.Choose) -> None:
    stop = context.build.stop(context, s)
    draw_answer(context, s)
    keep_choice(context, s, stop)


def keep_choice(context: EmitContext, s: ir.Choose, stop: NotedStop) -> None:
    """An answer lies in the picks: it is counted, noted and stored."""
    count_decision(context)
    values = [
        context.f.load(local_pointer(context, pick.local), tag=local_tag(context, pick.local)) for pick in s.picks
    ]
    count_picks(context, s, values)
    note_values(context, stop, chooser(context, s), s.indices, values)
    store_answer(context, s)


def emit_choose_set(context: EmitContext, s: ir.ChooseSet) -> None:
    if context.memory.shape(ir.set_type(s.source)).planes:
        choose_components(context, s, context.build.stop(context, s))
    else:
        choose_values(context, s, context.build.stop(context, s))


def emit_roll(context: EmitContext, s: ir.Roll) -> None:
    f, stop = context.f, context.build.stop(context, s)
    owner = chance_owner(context, s)
    if isinstance(s.local.type, Multiset):
        assert s.count is not None
        most = max(1, s.count.type.high)
        array = f.variable(f"[{most} x i64]", Access.DRAWN)
        count = emit(context, s.count)
        roll_outcome(context, s, array, count)
        note_list(context, stop, owner, (), array, count, most)
        store_rolled(context, s, array, count)
    else:
        drawn = roll_one(context, s)
        note_values(context, stop, owner, (), [drawn])
        store_one_rolled(context, s, drawn)


def store_rolled(context: EmitContext, s: ir.Roll, array: str, count: str) -> None:
    """Several values into a zone, in place of what was there."""
    f = context.f
    assert isinstance(s.local.type, Multiset)
    zone = ir.LocalZone(s.local, s.span) if s.target is None else s.target
    assert not isinstance(zone, ir.Load)
    pointer, shape, tag = zone_address(context, zone)
    empty_zone(context, pointer, shape, tag)
    with counting(context, "0", f.sub(count, "1")) as loop:
        kind = f.sub(f.load(f.element(array, loop.value)), str(s.local.type.element.low))
        put_one(context, pointer, shape, tag, kind)
    if s.count is None or s.count.type.high > MANY:  # it was empty before
        check_set_size(context, zone)
    ask_latches(context, ir.field_of(zone))


def store_one_rolled(context: EmitContext, s: ir.Roll, drawn: str) -> None:
    match s.target:
        case ir.Load():
            pointer, shape, tag = field_address(context, s.target.field, s.target.owner, s.target.indices)
            context.f.store(drawn, pointer, shape.unit, tag)
            ask_latches(context, s.target.field)
        case None:
            set_local(context, s.local, drawn)
            note_origin(context, s.local, ir.LocalZone(s.local, s.span))
        case ir.FieldZone() | ir.LocalZone():
            raise AssertionError("a zone is for several outcomes")
        case _:
            assert_never(s.target)


def emit_draw(context: EmitContext, s: ir.Draw) -> None:
    stop = context.build.stop(context, s)
    owner = chance_owner(context, s)
    keep_drawn(context, s, stop, owner, draw_outcome(context, s))


def keep_drawn(context: EmitContext, s: ir.Draw, stop: NotedStop, owner: str, kind: str) -> None:
    """A component of a kind was drawn: it is noted and moved."""
    value = context.f.add(kind, str(ir.set_type(s.source).element.low))
    note_values(context, stop, owner, (), [value])
    store_drawn(context, s, kind)


def store_drawn(context: EmitContext, s: ir.Draw, kind: str) -> None:
    set_local(context, s.local, context.f.add(kind, str(ir.set_type(s.source).element.low)))
    move_one(context, kind, s.source, s.target, add_site(context, s.span, "this is not there to be drawn"))
    note_origin(context, s.local, s.target)
    check_set_size(context, s.target)
    ask_latches(context, ir.field_of(s.source), ir.field_of(s.target))
