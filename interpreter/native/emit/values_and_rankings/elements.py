"""Loops through the elements of a zone or of any other domain (iterators as inlined code)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit
from chocolatl.interpreter.native.emit.values_and_rankings.loops import ElementLoop, counting, each_bit, each_listed
from chocolatl.interpreter.native.emit.values_and_rankings.orders import emit_order, order_elements, order_length
from chocolatl.interpreter.native.emit.values_and_rankings.zones import copies_of, present_kinds, zone_address
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.regions import Access, Region


@contextmanager
def each_kind(context: EmitContext, pointer: str, shape: Shape, tag: str) -> Iterator[ElementLoop]:
    """A loop over the kinds in a zone, with their copies."""
    f = context.f
    if shape.planes:
        held = planes.load(f, pointer, shape, tag)
        with each_bit(context, planes.present(f, held)) as loop:
            yield ElementLoop(loop.value, planes.count(f, held, loop.value), loop.next, loop.done)
        return
    if shape.kinds <= CHUNK:
        with each_bit(context, present_kinds(context, pointer, shape, tag)) as loop:
            yield ElementLoop(loop.value, copies_of(context, pointer, shape, tag, loop.value), loop.next, loop.done)
        return
    done = f.block()
    with (
        counting(context, "0", str(shape.padded // CHUNK - 1)) as chunk,
        each_bit(context, present_kinds(context, pointer, shape, tag, chunk.value)) as loop,
    ):
        kind = f.add(f.mul(chunk.value, str(CHUNK)), loop.value)
        yield ElementLoop(kind, copies_of(context, pointer, shape, tag, kind), loop.next, done)
    f.begin(done)


@contextmanager
def each_element(
    context: EmitContext, domain: ir.Elements, local: ir.Local | None, distinct: bool = False
) -> Iterator[ElementLoop]:
    """A loop over the elements of a domain, which does not change meanwhile; those of a zone with their copies."""
    with loop_through(context, domain, distinct) as loop:
        if local is not None:
            set_local(context, local, loop.value)
        yield loop


@contextmanager
def loop_through(context: EmitContext, domain: ir.Elements, distinct: bool) -> Iterator[ElementLoop]:
    f = context.f
    match domain:
        case ir.Numbers():
            low = emit(context, domain.low)
            with counting(context, low, emit(context, domain.high)) as loop:
                yield loop
        case ir.Whole(start=None):
            with counting(context, str(domain.type.low), str(domain.type.high)) as loop:
                yield loop
        case ir.Whole():
            assert domain.start is not None
            start = checked(context, domain.start, domain.type, "the start")
            with counting(context, "0", str(domain.type.size - 1)) as loop:
                seat = f.add(start, loop.value)
                over = f.compare("sge", seat, str(domain.type.size))
                yield ElementLoop(f.select(over, f.sub(seat, str(domain.type.size)), seat), "1", loop.next, loop.done)
        case ir.Listing():
            array = f.variable(f"[{max(1, len(domain.items))} x i64]", Access.LIST)
            for position, item in enumerate(domain.items):
                f.store(emit(context, item), f.element(array, str(position)))
            if distinct:
                f.do(f"call void @sort(ptr {array}, i64 {len(domain.items)})")
            with each_listed(context, array, str(len(domain.items)), distinct) as loop:
                yield loop
        case ir.OrderElements():
            order = emit_order(context, domain.order)
            with each_listed(context, order_elements(context, order), order_length(context, order), distinct) as loop:
                yield loop
        case ir.ZoneElements():
            pointer, shape, tag = zone_address(context, domain.zone)
            if shape.most >= 0:
                values = f.element(pointer, "1", meant=Region(Access.SHORT_SET, 8 * shape.most, 8))
                with each_listed(context, values, f.load(pointer, tag=tag), distinct) as loop:
                    yield loop
                return
            with each_kind(context, pointer, shape, tag) as loop:
                value = f.add(loop.value, str(ir.set_type(domain.zone).element.low))
                yield ElementLoop(value, "1" if distinct else loop.copies, loop.next, loop.done)
        case _:
            assert_never(domain)


def fill_list(context: EmitContext, domain: ir.Elements, array: str, room: int, tag: str = "") -> str:
    """All elements into an array, each copy by itself; how many."""
    f = context.f
    count = f.variable()
    f.store("0", count)
    with each_element(context, domain, None) as loop, counting(context, "1", loop.copies):
        at = f.minimum(f.load(count), str(max(0, room - 1)))
        f.store(loop.value, f.element(array, at), tag=tag)
        f.store(f.add(at, "1"), count)
    return f.load(count)
