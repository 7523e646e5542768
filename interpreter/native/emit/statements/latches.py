"""End conditions that latch, asked after each change that may have met them, and no further than that (incremental
evaluation).

Until a condition holds, each of its alternatives was found not to hold after the last change that concerned it. So
after a change only the alternatives that read what was changed are asked; and of `some p has ...`, only the one whose
field it was. The first time all are asked, since nobody has looked before.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, LogicOperator
from chocolatl.interpreter.ir.walk import fields_read, inside
from chocolatl.interpreter.native.emit.checks import can_fail
from chocolatl.interpreter.native.emit.context import HEAD, EmitContext, LatchPart
from chocolatl.interpreter.native.emit.frames import load_head, set_local
from chocolatl.interpreter.native.emit.kinds import hides
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.occurrences import latch_falls
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address
from chocolatl.interpreter.native.layout.memory import ASKED, SECRET, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import Field, FieldKey
from chocolatl.interpreter.program.types import Scalar

PARTS = Pass(
    "latches in part",
    "An end condition that cannot fail has alternatives: after a change only those are asked that read it.",
)


def ask_latches(context: EmitContext, *written: Field | None, owner: ir.Expression | None = None) -> None:
    """After a change: ask every latch whose condition the change may have met."""
    if ask_in_part(context, *written, owner=owner):
        return
    keys = {field.key for field in written if field is not None}
    for position, watched in enumerate(context.watched):
        if watched & keys:
            context.f.do(f"call void @latch_{position}(ptr %s)")


def latch_text(context: EmitContext, number: int, latch: ir.Latch) -> str:
    """It looks only outside of secret blocks, and only as long as it has not fallen."""
    noted = noted_latch_text(context, number, latch)
    if noted is not None:
        return noted
    f = context.open(Function(f"latch_{number}", [("ptr", "%s")]))
    pointer, shape, tag = field_address(context, latch.field, None, ())
    closed, seen, met, done = f.block(), f.block(), f.block(), f.block()
    f.branch(f.compare("eq", f.load(pointer, shape.unit, tag), "0"), closed, done)
    f.begin(closed)
    f.branch(f.compare("eq", load_head(context, SECRET), "0"), seen, done)
    f.begin(seen)
    f.branch(emit_condition(context, latch.condition), met, done)
    f.begin(met)
    latch_falls(context, number)
    f.store("1", pointer, shape.unit, tag)
    f.begin(done)
    f.leave()
    return f.text()


def latch_alternatives(context: EmitContext, condition: ir.Expression) -> list[ir.Expression]:
    if isinstance(condition, ir.CallValue) and not condition.arguments:
        return latch_alternatives(context, context.game.values[condition.name].body)
    if isinstance(condition, ir.Logic) and condition.operator is LogicOperator.OR:
        return [*latch_alternatives(context, condition.left), *latch_alternatives(context, condition.right)]
    return [condition]


@PARTS.function
def ask_in_part(context: EmitContext, *written: Field | None, owner: ir.Expression | None = None) -> bool:
    """Ask the alternatives that a change may have met."""
    if context.closely or len(context.watched) > STREAMS - ASKED:
        return False
    fallen = {latch.field.key for latch in context.game.latches}
    keys = {field.key for field in written if field is not None}
    for position, watched in enumerate(context.watched):
        if not watched & keys:
            continue
        alternatives = latch_alternatives(context, context.game.latches[position].condition)
        # Nobody is asked after latches have fallen, so what reads them is always asked as a whole.
        if watched & fallen or any(can_fail(context, each) for each in alternatives):
            context.f.do(f"call void @latch_{position}(ptr %s)")
            continue
        met = tuple(n for n, each in enumerate(alternatives) if fields_read(each, context.game) & keys)
        single = next(iter(keys)) if owner is not None and len(keys) == 1 else None
        if not all(is_owners_alone(context, alternatives[n], single, owner) for n in met):
            single = None
        name = context.requested.latch_parts.setdefault(
            (position, met, single), f"latch_{position}_{len(context.requested.latch_parts)}"
        )
        given = f", i64 {emit(context, owner)}" if single is not None and owner is not None else ""
        context.f.do(f"call void @{name}(ptr %s{given})")
    return True


def is_owners_alone(context: EmitContext, e: ir.Expression, key: FieldKey | None, owner: ir.Expression | None) -> bool:
    """Whether only one owner's alternative can have been met by a change of that owner's field."""
    if key is None or owner is None or not isinstance(e, ir.Aggregate) or e.body is None:
        return False
    if e.kind is not AggregateKind.SOME:
        return False
    local = e.local.type
    whole = isinstance(e.domain, ir.Whole) and isinstance(local, Scalar) and local.holds(owner.type)
    if not whole or e.where is not None:
        return False
    reads = [part for part in inside(e.body) if isinstance(part, ir.Load) and part.field.key == key]
    own = [part for part in reads if isinstance(part.owner, ir.Read) and part.owner.local == e.local]
    return len(own) == len(reads) and not any(hides(part, context.game) for part in inside(e.body))


@PARTS.function
def noted_latch_text(context: EmitContext, number: int, latch: ir.Latch) -> str | None:
    """The whole condition, with a note that it was asked."""
    if len(context.watched) > STREAMS - ASKED:
        return None
    f = context.open(Function(f"latch_{number}", [("ptr", "%s")]))
    ask_alternatives(context, number, [latch.condition], whole=True)
    return f.text()


def part_texts(context: EmitContext) -> list[str]:
    """What is asked after a change; all of it if that was never asked before."""
    return [part_text(context, part, name) for part, name in context.requested.latch_parts.items()]


def part_text(context: EmitContext, part: LatchPart, name: str) -> str:
    number, met, single = part
    every = latch_alternatives(context, context.game.latches[number].condition)
    alternatives = [every[n] for n in met]
    f = context.open(Function(name, [("ptr", "%s"), *([] if single is None else [("i64", "%owner")])]))
    if single is not None:
        bodies = []
        for each in alternatives:
            assert isinstance(each, ir.Aggregate) and each.body is not None
            set_local(context, each.local, "%owner")
            bodies.append(each.body)
        alternatives = bodies
    first, later = f.block(), f.block()
    f.branch(f.compare("eq", f.load(asked_at(context, number), "i8", HEAD), "0"), first, later)
    f.begin(first)
    f.do(f"call void @latch_{number}(ptr %s) cold")
    f.leave()
    f.begin(later)
    ask_alternatives(context, number, alternatives)
    return f.text()


def asked_at(context: EmitContext, number: int) -> str:
    """Where it is noted that a latch was asked."""
    return context.f.part("%s", ASKED + number, Region(Access.ASKED, 1, ASKED + number))


def ask_alternatives(context: EmitContext, number: int, alternatives: list[ir.Expression], whole: bool = False) -> None:
    """It looks only outside of secret blocks, and only as long as it has not fallen."""
    f = context.f
    pointer, shape, tag = field_address(context, context.game.latches[number].field, None, ())
    seen, met, done = f.block(), f.block(), f.block()
    fallen = f.compare("ne", f.load(pointer, shape.unit, tag), "0")
    secret = f.compare("ne", load_head(context, SECRET), "0")
    f.branch(f.op(f"or i1 {fallen}, {secret}"), done, seen)
    f.begin(seen)
    if whole:
        f.store("1", asked_at(context, number), "i8", HEAD)
    for each in alternatives:
        on = f.block()
        f.branch(emit_condition(context, each), met, on)
        f.begin(on)
    f.goto(done)
    f.begin(met)
    latch_falls(context, number)
    f.store("1", pointer, shape.unit, tag)
    f.begin(done)
    f.leave()
