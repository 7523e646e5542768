"""Where locals and loops keep their values: variables on the stack or, where a procedure can be left, slots of its
frame (activation records).

Variables are memory on the stack, which LLVM turns into registers. Slots lie in the state, at the places that the
interpreter has for them, so that a position goes over from one back end to the other as it is.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import FRAMES, HEAD, EmitContext
from chocolatl.interpreter.native.layout.memory import head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.types import Multiset, Scalar


def in_frame(context: EmitContext, local: ir.Local) -> bool:
    return context.frame is not None and local.number in context.frame.locals and local.number not in context.loose


def at_slot(context: EmitContext, slot: int, count: int = 1) -> str:
    """A pointer to a slot of a frame, or to several; it is there from the beginning of the function on."""
    pointer = context.f.at_entry(f"getelementptr i8, ptr %s, i64 {context.memory.frames[slot]}")
    return context.f.mean(pointer, context.memory.slots_at(slot, count))


def local_pointer(context: EmitContext, local: ir.Local) -> str:
    """Where a local lies: its slot if it has one, else a variable, which is made where it is first needed."""
    if local.number not in context.where:
        if in_frame(context, local):
            assert context.frame is not None
            slot, width = context.frame.locals[local.number], context.layout.local_width(local)
            context.where[local.number] = at_slot(context, slot, width)
        elif isinstance(local.type, Scalar):
            context.where[local.number] = context.f.variable()
        elif isinstance(local.type, Multiset):
            shape = context.memory.shape(local.type)
            context.where[local.number] = context.f.variable(f"[{shape.size} x i8]", Access.LOCAL_SET)
        else:
            words = 1 + 2 * local.type.most
            context.where[local.number] = context.f.variable(f"[{words} x i64]", Access.ORDER)
    return context.where[local.number]


def local_tag(context: EmitContext, local: ir.Local) -> str:
    return FRAMES if in_frame(context, local) else ""


def set_local(context: EmitContext, local: ir.Local, value: str) -> None:
    context.f.store(value, local_pointer(context, local), tag=local_tag(context, local))


def parameters(given: tuple[ir.Local, ...]) -> list[tuple[str, str]]:
    return [("i64", f"%v{parameter.number}") for parameter in given]


def receive_parameters(context: EmitContext, given: tuple[ir.Local, ...]) -> None:
    """Parameters into their variables."""
    for parameter in given:
        set_local(context, parameter, f"%v{parameter.number}")


def loop_slots(context: EmitContext, count: int) -> str:
    """Room for what a loop has to remember."""
    if count and can_be_left(context):
        slot, context.cursor = context.cursor, context.cursor + count
        return at_slot(context, slot, count)
    return context.f.variable("i64" if count == 1 else f"[{max(1, count)} x i64]", Access.LIST)


def slot_tag(context: EmitContext) -> str:
    return FRAMES if can_be_left(context) else ""


def can_be_left(context: EmitContext) -> bool:
    """Whether the statement at hand may be left in the middle, so that it keeps in slots what it has to remember."""
    return context.frame is not None and not context.plain


def forget_slots(context: EmitContext, begin: int, end: int) -> None:
    first, size = context.memory.stretch(begin, end)
    pointer = context.f.part("%s", first, Region(Access.FRAMES, size, first))
    context.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")


def load_head(context: EmitContext, offset: int) -> str:
    return context.f.load(context.f.part("%s", offset, head_word(offset)), tag=HEAD)


def store_head(context: EmitContext, offset: int, value: str) -> None:
    context.f.store(value, context.f.part("%s", offset, head_word(offset)), tag=HEAD)
