"""What lies in a zone: which kinds, how many of each, how many in all (multisets as bit planes or as counts)."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked
from chocolatl.interpreter.native.emit.values_and_rankings.fields import field_address
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.instructions import to_nothing
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import size_of
from chocolatl.interpreter.native.llvm.vectors import Lanes


def zone_address(context: EmitContext, zone: ir.Zone) -> tuple[str, Shape, str]:
    """A pointer to a zone, how it is laid out, and its tag."""
    match zone:
        case ir.FieldZone():
            return field_address(context, zone.field, zone.owner, zone.indices)
        case ir.LocalZone():
            return (
                local_pointer(context, zone.local),
                context.memory.shape(ir.set_type(zone)),
                local_tag(context, zone.local),
            )
        case _:
            assert_never(zone)


def kind_of(context: EmitContext, element: ir.Expression, zone: ir.Zone) -> str:
    """An element as its position among the kinds of a zone."""
    type_ = ir.set_type(zone).element
    return context.f.sub(checked(context, element, type_, "this"), str(type_.low))


def present_kinds(context: EmitContext, pointer: str, shape: Shape, tag: str, chunk: str = "0") -> str:
    """The kinds that lie in a zone, as the bits of a word."""
    f = context.f
    if shape.planes:
        return planes.present(f, planes.load(f, pointer, shape, tag))
    width = min(shape.padded, CHUNK)
    vector = f"<{width} x {shape.unit}>"
    if chunk != "0":
        pointer = f.op(f"getelementptr {vector}, ptr {pointer}, i64 {chunk}")
    content = f.op(f"load {vector}, ptr {pointer}, align {shape.alignment}{tag}")
    there = f.op(f"icmp ne {vector} {content}, zeroinitializer")
    bits = f.op(f"bitcast <{width} x i1> {there} to i{width}")
    return bits if width == 64 else f.op(f"zext i{width} {bits} to i64")


def emit_zone_size(context: EmitContext, zone: ir.Zone) -> str:
    pointer, shape, tag = zone_address(context, zone)
    return content_size(context, pointer, shape, tag)


def content_size(context: EmitContext, pointer: str, shape: Shape, tag: str) -> str:
    f = context.f
    if shape.most >= 0:
        return f.load(pointer, tag=tag)
    if shape.planes:
        return planes.size(f, planes.load(f, pointer, shape, tag))
    if shape.padded <= CHUNK:
        return sum_of_counts(context, pointer, shape.padded, shape, tag)
    total = f.variable()  # a loop, since vectors of thousands take LLVM seconds
    f.store("0", total)
    with counting(context, "0", str(shape.padded // CHUNK - 1)) as chunk:
        part = f.op(f"getelementptr <{CHUNK} x {shape.unit}>, ptr {pointer}, i64 {chunk.value}")
        f.change(total, sum_of_counts(context, part, CHUNK, shape, tag))
    return f.load(total)


def sum_of_counts(context: EmitContext, pointer: str, width: int, shape: Shape, tag: str) -> str:
    """The sum of the counts of some kinds in a row."""
    f = context.f
    vector, wide = f"<{width} x {shape.unit}>", f"<{width} x i32>"
    content = f.op(f"load {vector}, ptr {pointer}, align {shape.alignment}{tag}")
    widened = f.op(f"zext {vector} {content} to {wide}")
    name = f"@llvm.vector.reduce.add.v{width}i32"
    context.intrinsics.add(f"declare i32 {name}({wide})")
    total = f.op(f"call i32 {name}({wide} {widened})")
    return f.op(f"zext i32 {total} to i64")


def emit_zone_count(context: EmitContext, e: ir.ZoneCount) -> str:
    f = context.f
    if ir.set_type(e.zone).short:
        pointer, _, _ = zone_address(context, e.zone)
        element = checked(context, e.element, ir.set_type(e.zone).element, "this")
        return f.op(f"call i64 @short_count(ptr {pointer}, i64 {element})")
    zone = zone_address(context, e.zone)
    return copies_of(context, *zone, kind_of(context, e.element, e.zone))


def copies_of(context: EmitContext, pointer: str, shape: Shape, tag: str, kind: str) -> str:
    """How many of a kind lie in a zone."""
    f = context.f
    if shape.planes:
        return planes.count(f, planes.load(f, pointer, shape, tag), kind)
    return f.load_count(count_at(context, pointer, shape, kind), shape.unit, tag)


def count_at(context: EmitContext, pointer: str, shape: Shape, kind: str) -> str:
    """Where a zone counts a kind; what lies behind the last kind is only there to be read along."""
    kinds = Region(Access.COUNT, shape.kinds * size_of(shape.unit), 0)
    return context.f.element(pointer, kind, shape.unit, kinds)


def vector_intrinsic(context: EmitContext, name: str, lanes: Lanes, *values: str) -> str:
    """What LLVM does to all lanes at once under a name of its own."""
    whole = f"@llvm.{name}.v{lanes.count}{lanes.unit}"
    context.intrinsics.add(f"declare {lanes.type} {whole}({', '.join([lanes.type] * len(values))})")
    return context.f.op(f"call {lanes.type} {whole}({', '.join(f'{lanes.type} {value}' for value in values)})")


EMPTINESS = Pass(
    "emptiness tests", "A number of components is compared with 0: their kinds are looked at, not counted."
)


@EMPTINESS.function
def emptiness_test(context: EmitContext, e: ir.Comparison) -> str | None:
    """Whether a zone is empty is known without counting."""
    if isinstance(e.left, ir.ZoneSize) and isinstance(e.right, ir.Constant) and e.right.value == 0:
        shape = context.memory.shape(ir.set_type(e.left.zone))
        predicate = to_nothing(e.operator)
        if shape.most < 0 and shape.kinds <= CHUNK and predicate is not None:
            return context.f.compare(predicate, present_kinds(context, *zone_address(context, e.left.zone)), "0")
    return None
