"""Zones, and loops through their elements or through those of any other domain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.expressions import ExpressionEmitter
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.instructions import to_nothing
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import size_of


@dataclass(frozen=True)
class ElementLoop:
    """A loop under way: the element at hand, how many copies there are of it, where the next one and the end are."""

    value: str
    copies: str
    next: str
    done: str


@dataclass(frozen=True)
class Ordered:
    """An order in memory: how many, then the elements, then their places; without places if nobody shares one."""

    pointer: str
    room: int
    strict: bool
    count: str | None = None
    """How many there are, if that is known beforehand."""


class ElementEmitter(ExpressionEmitter):
    @abstractmethod
    def order(self, source: ir.OrderSource) -> Ordered:
        """An order in memory; a ranking is evaluated."""

    def length(self, order: Ordered) -> str:
        return order.count if order.count is not None else self.f.load(order.pointer)

    def elements(self, order: Ordered) -> str:
        return self.elements_at(order.pointer, order.room)

    def elements_at(self, order: str, room: int) -> str:
        """The elements of an order with so much room."""
        return self.f.element(order, "1", meant=Region(Access.ORDERED, 8 * room, 8))

    def places_at(self, order: str, room: int) -> str:
        """The places of its elements."""
        return self.f.element(order, str(1 + room), meant=Region(Access.PLACES, 8 * room, 8 * (1 + room)))

    # ------------------------------------------------------------ zones

    def zone(self, zone: ir.Zone) -> tuple[str, Shape, str]:
        """A pointer to a zone, how it is laid out, and its tag."""
        match zone:
            case ir.FieldZone():
                return self.address(zone.field, zone.owner, zone.indices)
            case ir.LocalZone():
                return self.pointer(zone.local), self.memory.shape(ir.set_type(zone)), self.tag_of(zone.local)
            case _:
                assert_never(zone)

    def kind(self, element: ir.Expression, zone: ir.Zone) -> str:
        """An element as its position among the kinds of a zone."""
        type_ = ir.set_type(zone).element
        return self.f.sub(self.checked(element, type_, "this"), str(type_.low))

    def present(self, pointer: str, shape: Shape, tag: str, chunk: str = "0") -> str:
        """The kinds that lie in a zone, as the bits of a word."""
        f = self.f
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

    def zone_size(self, zone: ir.Zone) -> str:
        pointer, shape, tag = self.zone(zone)
        return self.size(pointer, shape, tag)

    def size(self, pointer: str, shape: Shape, tag: str) -> str:
        f = self.f
        if shape.most >= 0:
            return f.load(pointer, tag=tag)
        if shape.planes:
            return planes.size(f, planes.load(f, pointer, shape, tag))
        if shape.padded <= CHUNK:
            return self.added(pointer, shape.padded, shape, tag)
        total = f.variable()  # a loop, since vectors of thousands take LLVM seconds
        f.store("0", total)
        with self.counting("0", str(shape.padded // CHUNK - 1)) as chunk:
            part = f.op(f"getelementptr <{CHUNK} x {shape.unit}>, ptr {pointer}, i64 {chunk.value}")
            f.change(total, self.added(part, CHUNK, shape, tag))
        return f.load(total)

    def added(self, pointer: str, width: int, shape: Shape, tag: str) -> str:
        """The sum of the counts of some kinds in a row."""
        f = self.f
        vector, wide = f"<{width} x {shape.unit}>", f"<{width} x i32>"
        content = f.op(f"load {vector}, ptr {pointer}, align {shape.alignment}{tag}")
        widened = f.op(f"zext {vector} {content} to {wide}")
        name = f"@llvm.vector.reduce.add.v{width}i32"
        self.intrinsics.add(f"declare i32 {name}({wide})")
        total = f.op(f"call i32 {name}({wide} {widened})")
        return f.op(f"zext i32 {total} to i64")

    def zone_count(self, e: ir.ZoneCount) -> str:
        f = self.f
        if ir.set_type(e.zone).short:
            pointer, _, _ = self.zone(e.zone)
            element = self.checked(e.element, ir.set_type(e.zone).element, "this")
            return f.op(f"call i64 @short_count(ptr {pointer}, i64 {element})")
        zone = self.zone(e.zone)
        return self.copies(*zone, self.kind(e.element, e.zone))

    def copies(self, pointer: str, shape: Shape, tag: str, kind: str) -> str:
        """How many of a kind lie in a zone."""
        f = self.f
        if shape.planes:
            return planes.count(f, planes.load(f, pointer, shape, tag), kind)
        return f.load_count(self.count_at(pointer, shape, kind), shape.unit, tag)

    def count_at(self, pointer: str, shape: Shape, kind: str) -> str:
        """Where a zone counts a kind; what lies behind the last kind is only there to be read along."""
        kinds = Region(Access.COUNT, shape.kinds * size_of(shape.unit), 0)
        return self.f.element(pointer, kind, shape.unit, kinds)

    def comparison(self, e: ir.Comparison) -> str:
        """Whether a zone is empty is known without counting."""
        if isinstance(e.left, ir.ZoneSize) and isinstance(e.right, ir.Constant) and e.right.value == 0:
            shape = self.memory.shape(ir.set_type(e.left.zone))
            predicate = to_nothing(e.operator)
            if shape.most < 0 and shape.kinds <= CHUNK and predicate is not None:
                return self.f.compare(predicate, self.present(*self.zone(e.left.zone)), "0")
        return super().comparison(e)

    # ------------------------------------------------------------ loops

    @contextmanager
    def counting(self, first: str, last: str) -> Iterator[ElementLoop]:
        """A loop over numbers; what stands inside is its body."""
        f = self.f
        counter, head, body, following, done = f.variable(), f.block(), f.block(), f.block(), f.block()
        f.store(first, counter)
        f.begin(head)
        now = f.load(counter)
        f.branch(f.compare("sle", now, last), body, done)
        f.begin(body)
        yield ElementLoop(now, "1", following, done)
        f.begin(following)
        f.change(counter, "1")
        f.goto(head)
        f.begin(done)

    @contextmanager
    def bits(self, word: str) -> Iterator[ElementLoop]:
        """A loop over the bits of a word."""
        f = self.f
        left, head, body, done = f.variable(), f.block(), f.block(), f.block()
        f.store(word, left)
        f.begin(head)
        now = f.load(left)
        f.branch(f.compare("ne", now, "0"), body, done)
        f.begin(body)
        f.store(f.op(f"and i64 {now}, {f.op(f'sub i64 {now}, 1')}"), left)
        yield ElementLoop(f.op(f"call i64 @llvm.cttz.i64(i64 {now}, i1 true)"), "1", head, done)
        f.goto(head)
        f.begin(done)

    @contextmanager
    def listed(self, array: str, count: str, distinct: bool) -> Iterator[ElementLoop]:
        """A loop over an array; of equal neighbours only the first one, if they have to be distinct."""
        f = self.f
        with self.counting("0", f.sub(count, "1")) as loop:
            value = f.load(f.element(array, loop.value))
            if distinct:
                before, first, new = f.op(f"add i64 {loop.value}, -1"), f.block(), f.block()
                f.branch(f.compare("eq", loop.value, "0"), new, first)
                f.begin(first)
                f.branch(f.compare("eq", f.load(f.element(array, before)), value), loop.next, new)
                f.begin(new)
            yield ElementLoop(value, "1", loop.next, loop.done)

    @contextmanager
    def kinds(self, pointer: str, shape: Shape, tag: str) -> Iterator[ElementLoop]:
        """A loop over the kinds in a zone, with their copies."""
        f = self.f
        if shape.planes:
            held = planes.load(f, pointer, shape, tag)
            with self.bits(planes.present(f, held)) as loop:
                yield ElementLoop(loop.value, planes.count(f, held, loop.value), loop.next, loop.done)
            return
        if shape.kinds <= CHUNK:
            with self.bits(self.present(pointer, shape, tag)) as loop:
                yield ElementLoop(loop.value, self.copies(pointer, shape, tag, loop.value), loop.next, loop.done)
            return
        done = f.block()
        with (
            self.counting("0", str(shape.padded // CHUNK - 1)) as chunk,
            self.bits(self.present(pointer, shape, tag, chunk.value)) as loop,
        ):
            kind = f.add(f.mul(chunk.value, str(CHUNK)), loop.value)
            yield ElementLoop(kind, self.copies(pointer, shape, tag, kind), loop.next, done)
        f.begin(done)

    @contextmanager
    def each(self, domain: ir.Elements, local: ir.Local | None, distinct: bool = False) -> Iterator[ElementLoop]:
        """A loop over the elements of a domain, which does not change meanwhile; those of a zone with their copies."""
        with self._each(domain, distinct) as loop:
            if local is not None:
                self.set_local(local, loop.value)
            yield loop

    @contextmanager
    def _each(self, domain: ir.Elements, distinct: bool) -> Iterator[ElementLoop]:
        f = self.f
        match domain:
            case ir.Numbers():
                low = self.emit(domain.low)
                with self.counting(low, self.emit(domain.high)) as loop:
                    yield loop
            case ir.Whole(start=None):
                with self.counting(str(domain.type.low), str(domain.type.high)) as loop:
                    yield loop
            case ir.Whole():
                assert domain.start is not None
                start = self.checked(domain.start, domain.type, "the start")
                with self.counting("0", str(domain.type.size - 1)) as loop:
                    seat = f.add(start, loop.value)
                    over = f.compare("sge", seat, str(domain.type.size))
                    yield ElementLoop(
                        f.select(over, f.sub(seat, str(domain.type.size)), seat), "1", loop.next, loop.done
                    )
            case ir.Listing():
                array = f.variable(f"[{max(1, len(domain.items))} x i64]", Access.LIST)
                for position, item in enumerate(domain.items):
                    f.store(self.emit(item), f.element(array, str(position)))
                if distinct:
                    f.do(f"call void @sort(ptr {array}, i64 {len(domain.items)})")
                with self.listed(array, str(len(domain.items)), distinct) as loop:
                    yield loop
            case ir.OrderElements():
                order = self.order(domain.order)
                with self.listed(self.elements(order), self.length(order), distinct) as loop:
                    yield loop
            case ir.ZoneElements():
                pointer, shape, tag = self.zone(domain.zone)
                if shape.most >= 0:
                    values = f.element(pointer, "1", meant=Region(Access.SHORT_SET, 8 * shape.most, 8))
                    with self.listed(values, f.load(pointer, tag=tag), distinct) as loop:
                        yield loop
                    return
                with self.kinds(pointer, shape, tag) as loop:
                    value = f.add(loop.value, str(ir.set_type(domain.zone).element.low))
                    yield ElementLoop(value, "1" if distinct else loop.copies, loop.next, loop.done)
            case _:
                assert_never(domain)

    def fill(self, domain: ir.Elements, array: str, room: int, tag: str = "") -> str:
        """All elements into an array, each copy by itself; how many."""
        f = self.f
        count = f.variable()
        f.store("0", count)
        with self.each(domain, None) as loop, self.counting("1", loop.copies):
            at = f.minimum(f.load(count), str(max(0, room - 1)))
            f.store(loop.value, f.element(array, at), tag=tag)
            f.store(f.add(at, "1"), count)
        return f.load(count)


SHARED = "there is not exactly one at this place: {}"
"""What is said of a place that nobody has, or several; the number of them fills the gap."""


def parameters(given: tuple[ir.Local, ...]) -> list[tuple[str, str]]:
    return [("i64", f"%v{parameter.number}") for parameter in given]
