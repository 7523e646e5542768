"""Zones, orders, and all that runs through elements: aggregates, rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

from interpreter.ir import nodes as ir
from interpreter.native import planes
from interpreter.native.expressions import ExpressionEmitter
from interpreter.native.memory import CHUNK, Shape, capacity
from interpreter.native.text import Function
from interpreter.program.types import Order, Scalar

NETWORKS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: (),
    2: ((0, 1),),
    3: ((0, 2), (0, 1), (1, 2)),
    4: ((0, 2), (1, 3), (0, 1), (2, 3), (1, 2)),
    5: ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)),
}
"""Which positions to compare, in turn, so that so many numbers are sorted."""

LARGEST = 2**63 - 1

Same = Callable[[str, str], tuple[str, str]]
"""Whether two positions have the same keys, and whether they hold different elements, as two conditions."""


@dataclass(frozen=True)
class Loop:
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


class ElementEmitter(ExpressionEmitter):
    # ------------------------------------------------------------ zones

    def zone(self, zone: ir.Zone) -> tuple[str, Shape, str]:
        """A pointer to a zone, how it is laid out, and its tag."""
        if isinstance(zone, ir.FieldZone):
            return self.address(zone.field, zone.owner, zone.indices)
        return self.pointer(zone.local), self.memory.shape(ir.set_type(zone)), self.tag_of(zone.local)

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
        content = f.op(f"load {shape.vector}, ptr {pointer}, align {shape.alignment}{tag}")
        wide = f"<{shape.padded} x i32>"
        widened = f.op(f"zext {shape.vector} {content} to {wide}")
        name = f"@llvm.vector.reduce.add.v{shape.padded}i32"
        self.intrinsics.add(f"declare i32 {name}({wide})")
        total = f.op(f"call i32 {name}({wide} {widened})")
        return f.op(f"zext i32 {total} to i64")

    def zone_count(self, e: ir.ZoneCount) -> str:
        f = self.f
        if ir.set_type(e.zone).short:
            element = self.checked(e.element, ir.set_type(e.zone).element, "this")
            pointer, _, _ = self.zone(e.zone)
            return f.op(f"call i64 @short_count(ptr {pointer}, i64 {element})")
        kind = self.kind(e.element, e.zone)
        return self.copies(*self.zone(e.zone), kind)

    def copies(self, pointer: str, shape: Shape, tag: str, kind: str) -> str:
        """How many of a kind lie in a zone."""
        f = self.f
        if shape.planes:
            return planes.count(f, planes.load(f, pointer, shape, tag), kind)
        return f.load_count(f.element(pointer, kind, shape.unit), shape.unit, tag)

    def comparison(self, e: ir.Comparison) -> str:
        """Whether a zone is empty is known without counting."""
        if isinstance(e.left, ir.ZoneSize) and isinstance(e.right, ir.Constant) and e.right.value == 0:
            shape = self.memory.shape(ir.set_type(e.left.zone))
            if shape.most < 0 and shape.kinds <= CHUNK and e.operator in ("==", "!=", ">"):
                bits = self.present(*self.zone(e.left.zone))
                return self.f.compare("eq" if e.operator == "==" else "ne", bits, "0")
        return super().comparison(e)

    # ------------------------------------------------------------ loops

    @contextmanager
    def counting(self, first: str, last: str) -> Iterator[Loop]:
        """A loop over numbers; what stands inside is its body."""
        f = self.f
        counter, head, body, following, done = f.variable(), f.block(), f.block(), f.block(), f.block()
        f.store(first, counter)
        f.begin(head)
        now = f.load(counter)
        f.branch(f.compare("sle", now, last), body, done)
        f.begin(body)
        yield Loop(now, "1", following, done)
        f.begin(following)
        f.change(counter, "1")
        f.goto(head)
        f.begin(done)

    @contextmanager
    def bits(self, word: str) -> Iterator[Loop]:
        """A loop over the bits of a word."""
        f = self.f
        left, head, body, done = f.variable(), f.block(), f.block(), f.block()
        f.store(word, left)
        f.begin(head)
        now = f.load(left)
        f.branch(f.compare("ne", now, "0"), body, done)
        f.begin(body)
        f.store(f.op(f"and i64 {now}, {f.op(f'sub i64 {now}, 1')}"), left)
        yield Loop(f.op(f"call i64 @llvm.cttz.i64(i64 {now}, i1 true)"), "1", head, done)
        f.goto(head)
        f.begin(done)

    @contextmanager
    def listed(self, array: str, count: str, distinct: bool) -> Iterator[Loop]:
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
            yield Loop(value, "1", loop.next, loop.done)

    @contextmanager
    def kinds(self, pointer: str, shape: Shape, tag: str) -> Iterator[Loop]:
        """A loop over the kinds in a zone, with their copies."""
        f = self.f
        if shape.planes:
            held = planes.load(f, pointer, shape, tag)
            with self.bits(planes.present(f, held)) as loop:
                yield Loop(loop.value, planes.count(f, held, loop.value), loop.next, loop.done)
            return
        if shape.kinds <= CHUNK:
            with self.bits(self.present(pointer, shape, tag)) as loop:
                yield Loop(loop.value, self.copies(pointer, shape, tag, loop.value), loop.next, loop.done)
            return
        done = f.block()
        with (
            self.counting("0", str(shape.padded // CHUNK - 1)) as chunk,
            self.bits(self.present(pointer, shape, tag, chunk.value)) as loop,
        ):
            kind = f.add(f.mul(chunk.value, str(CHUNK)), loop.value)
            yield Loop(kind, self.copies(pointer, shape, tag, kind), loop.next, done)
        f.begin(done)

    @contextmanager
    def each(self, domain: ir.Elements, local: ir.Local | None, distinct: bool = False) -> Iterator[Loop]:
        """A loop over the elements of a domain, which does not change meanwhile; those of a zone with their copies."""
        with self._each(domain, distinct) as loop:
            if local is not None:
                self.set_local(local, loop.value)
            yield loop

    @contextmanager
    def _each(self, domain: ir.Elements, distinct: bool) -> Iterator[Loop]:
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
                    yield Loop(f.select(over, f.sub(seat, str(domain.type.size)), seat), "1", loop.next, loop.done)
            case ir.Listing():
                array = f.variable(f"[{max(1, len(domain.items))} x i64]")
                for position, item in enumerate(domain.items):
                    f.store(self.emit(item), f.element(array, str(position)))
                if distinct:
                    f.do(f"call void @sort(ptr {array}, i64 {len(domain.items)})")
                with self.listed(array, str(len(domain.items)), distinct) as loop:
                    yield loop
            case ir.OrderElements():
                order = self.order(domain.order)
                with self.listed(f.element(order.pointer, "1"), f.load(order.pointer), distinct) as loop:
                    yield loop
            case ir.ZoneElements():
                pointer, shape, tag = self.zone(domain.zone)
                if shape.most >= 0:
                    with self.listed(f.element(pointer, "1"), f.load(pointer, tag=tag), distinct) as loop:
                        yield loop
                    return
                with self.kinds(pointer, shape, tag) as loop:
                    value = f.add(loop.value, str(ir.set_type(domain.zone).element.low))
                    yield Loop(value, "1" if distinct else loop.copies, loop.next, loop.done)

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

    # ------------------------------------------------------------ aggregates

    def aggregate(self, e: ir.Aggregate) -> str:
        f = self.f
        result = f.variable()
        extreme = e.kind in ("highest", "lowest")
        f.store(str({"highest": -LARGEST, "lowest": LARGEST}.get(e.kind, 0)), result)
        with self.each(e.domain, e.local) as loop:
            if e.where is not None:
                fitting = f.block()
                f.branch(self.condition(e.where), fitting, loop.next)
                f.begin(fitting)
            body = self.emit(e.body) if e.body is not None else "1"
            if extreme:
                best = f.maximum if e.kind == "highest" else f.minimum
                f.store(best(f.load(result), body), result)
            else:
                f.change(result, f.mul(loop.copies, body if e.kind == "sum" else "1"))
        found = f.load(result)
        if not extreme:
            return found
        site = self.site(e.span, f"there is nothing to find the {e.kind} of")
        nothing = str(-LARGEST if e.kind == "highest" else LARGEST)
        return self.otherwise(f.compare("ne", found, nothing), found, e.type.low, site)

    def some_or_every(self, e: ir.Aggregate) -> str:
        """Ends at the first that decides it, unless a later one might fail."""
        f = self.f
        result = f.variable("i1")
        some = e.kind == "some"
        hasty = not self.can_fail(e.where) and not self.can_fail(e.body)
        f.do(f"store i1 {'false' if some else 'true'}, ptr {result}")
        with self.each(e.domain, e.local) as loop:
            if e.where is not None:
                fitting = f.block()
                f.branch(self.condition(e.where), fitting, loop.next)
                f.begin(fitting)
            body = self.condition(e.body) if e.body is not None else "true"
            decisive = f.block()
            f.branch(body, *((decisive, loop.next) if some else (loop.next, decisive)))
            f.begin(decisive)
            f.do(f"store i1 {'true' if some else 'false'}, ptr {result}")
            if hasty:
                f.goto(loop.done)
        return f.op(f"load i1, ptr {result}")

    # ------------------------------------------------------------ orders

    def order(self, source: ir.OrderSource) -> Ordered:
        """An order in memory; a ranking is evaluated."""
        if isinstance(source, ir.HeldOrder):
            assert isinstance(source.local.type, Order)
            room = source.local.type.element.size
            return Ordered(self.pointer(source.local), room, self.strict[source.local.number])
        ranking = self.game.rankings[source.name]
        room = max(1, capacity(ranking.domain, self.game))
        pointer = self.f.variable(f"[{1 + 2 * room} x i64]")
        return self.ranked(source, pointer)

    def ranked(self, source: ir.Ranked, pointer: str) -> Ordered:
        """A ranking evaluated into memory."""
        ranking = self.game.rankings[source.name]
        given = self.arguments(ranking, source.arguments)
        self.f.do(f"call void @ranking_{self.rankings[source.name]}({given}, ptr {pointer})")
        return Ordered(pointer, max(1, capacity(ranking.domain, self.game)), ranking.strict)

    def places(self, order: Ordered) -> str:
        return self.f.element(order.pointer, str(1 + order.room))

    def at_place(self, order: Ordered, place: int) -> tuple[str, str]:
        """The first position of those who have a place, and how many they are; -1 is the last place."""
        f = self.f
        count = f.load(order.pointer)
        if not order.strict:
            first = f.variable()
            found = f.op(f"call i64 @at_place(ptr {self.places(order)}, i64 {count}, i64 {place}, ptr {first})")
            return f.load(first), found
        if place == -1:
            return f.sub(count, "1"), f.widen(f.compare("ne", count, "0"))
        return str(place - 1), f.widen(f.compare("sge", count, str(place)))

    def place_of(self, e: ir.PlaceOf) -> str:
        f = self.f
        order = self.order(e.order)
        first, count = self.at_place(order, e.place)
        site = self.site(e.span, SHARED)
        first = self.otherwise(f.compare("eq", count, "1"), first, 0, site, told=count)
        found = f.load(f.element(f.element(order.pointer, "1"), first))
        # What was not there is some element all the same.
        return f.select(f.compare("eq", count, "1"), found, str(e.type.low))

    def rank_of(self, e: ir.RankOf) -> str:
        f = self.f
        order = self.order(e.order)
        element = self.emit(e.element)
        at = f.op(f"call i64 @find(ptr {f.element(order.pointer, '1')}, i64 {f.load(order.pointer)}, i64 {element})")
        if order.strict:
            return f.add(at, "1")
        absent = f.compare("slt", at, "0")
        place = f.load(f.element(self.places(order), f.select(absent, "0", at)))
        return f.select(absent, "0", place)

    def ranking(self, number: int, ranking: ir.Ranking) -> str:
        """A function that evaluates a ranking: all keys of an element and the element itself as one number."""
        self.f = f = Function(f"ranking_{number}", [("ptr", "%s"), *parameters(ranking.parameters), ("ptr", "%o")])
        self.where = {}
        self.receive(ranking.parameters)
        assert isinstance(ranking.local.type, Scalar)
        room = max(1, capacity(ranking.domain, self.game))
        bits = max(1, (ranking.local.type.size - 1).bit_length())
        sizes = [key.expression.type.bounds[1] - key.expression.type.bounds[0] + 1 for key in ranking.keys]
        if prod(sizes) << bits < 2**62:
            self.ranking_of_numbers(ranking, room, bits, sizes)
        else:
            self.ranking_of_rows(ranking, room)
        f.leave()
        return f.text()

    def receive(self, given: tuple[ir.Local, ...]) -> None:
        """Parameters into their variables."""
        for parameter in given:
            self.set_local(parameter, f"%v{parameter.number}")

    def keyed(self, ranking: ir.Ranking, array: str, width: int) -> str:
        """Run through those that are ranked: for each, `width` words. Gives back the variable that counts them."""
        f = self.f
        count = f.variable()
        f.store("0", count)
        low = ranking.local.type.low if isinstance(ranking.local.type, Scalar) else 0
        with self.each(ranking.domain, ranking.local) as loop:
            if ranking.where is not None:
                fitting = f.block()
                f.branch(self.condition(ranking.where), fitting, loop.next)
                f.begin(fitting)
            row: list[str] = []
            number = "0"
            for key in ranking.keys:
                value, (least, most) = self.emit(key.expression), key.expression.type.bounds
                if width > 1:
                    row.append(f.sub("0", value) if key.descending else value)
                else:
                    distance = f.sub(str(most), value) if key.descending else f.sub(value, str(least))
                    number = f.add(f.mul(number, str(most - least + 1)), distance)
            if width > 1:
                row.append(loop.value)
            else:
                assert isinstance(ranking.local.type, Scalar)
                bits = max(1, (ranking.local.type.size - 1).bit_length())
                row.append(f.add(f.mul(number, str(1 << bits)), f.sub(loop.value, str(low))))
            with self.counting("1", loop.copies):
                at = f.load(count)
                start = f.element(array, f.mul(at, str(width)))
                for position, word in enumerate(row):
                    f.store(word, f.element(start, str(position)))
                f.store(f.add(at, "1"), count)
        return count

    def ranking_of_numbers(self, ranking: ir.Ranking, room: int, bits: int, sizes: list[int]) -> None:
        f = self.f
        assert isinstance(ranking.local.type, Scalar)
        array = f.variable(f"[{room} x i64]")
        small = room in NETWORKS
        if small:
            for position in range(room):
                f.store(str(LARGEST), f.element(array, str(position)))
        count = f.load(self.keyed(ranking, array, 1))
        f.store(count, "%o")
        mask, low = str((1 << bits) - 1), str(ranking.local.type.low)

        def put(position: str, word: str) -> None:
            element = f.add(f.op(f"and i64 {word}, {mask}"), low)
            f.store(element, f.element(f.element("%o", "1"), position))

        if small:
            words = [f.load(f.element(array, str(position))) for position in range(room)]
            for a, b in NETWORKS[room]:
                words[a], words[b] = f.minimum(words[a], words[b]), f.maximum(words[a], words[b])
            for position, word in enumerate(words):
                f.store(word, f.element(array, str(position)))
        else:
            f.do(f"call void @sort(ptr {array}, i64 {count})")
        with self.counting("0", f.sub(count, "1")) as loop:
            put(loop.value, f.load(f.element(array, loop.value)))

        def same(position: str, before: str) -> tuple[str, str]:
            a, b = f.load(f.element(array, position)), f.load(f.element(array, before))
            keys = f.compare("eq", f.op(f"lshr i64 {a}, {bits}"), f.op(f"lshr i64 {b}, {bits}"))
            return keys, f.compare("ne", a, b)

        self.share_places(ranking, room, count, same)

    def ranking_of_rows(self, ranking: ir.Ranking, room: int) -> None:
        f = self.f
        width = len(ranking.keys) + 1
        array = f.variable(f"[{room * width} x i64]")
        count = f.load(self.keyed(ranking, array, width))
        f.store(count, "%o")
        f.do(f"call void @sort_rows(ptr {array}, i64 {count}, i64 {width})")

        def row(position: str) -> str:
            return f.element(array, f.mul(position, str(width)))

        with self.counting("0", f.sub(count, "1")) as loop:
            element = f.load(f.element(row(loop.value), str(width - 1)))
            f.store(element, f.element(f.element("%o", "1"), loop.value))

        def same(position: str, before: str) -> tuple[str, str]:
            a, b = row(position), row(before)
            sign = f.op(f"call i64 @compare_rows(ptr {a}, ptr {b}, i64 {width - 1})")
            elements = f.compare("ne", f.load(f.element(a, str(width - 1))), f.load(f.element(b, str(width - 1))))
            return f.compare("eq", sign, "0"), elements

        self.share_places(ranking, room, count, same)

    def share_places(self, ranking: ir.Ranking, room: int, count: str, same: Same) -> None:
        """Places; where nobody may share one, two that are equal in every key are a failure, copies being no two."""
        f = self.f
        places = f.element("%o", str(1 + room))
        f.store("1", places)
        site = self.site(ranking.span, "two are equal in every key, and the ranking is strict")
        with self.counting("1", f.sub(count, "1")) as loop:
            before = f.sub(loop.value, "1")
            keys, differ = same(loop.value, before)
            own = f.add(loop.value, "1")
            if ranking.strict:
                bad, good = f.block(), f.block()
                f.branch(f.op(f"and i1 {keys}, {differ}"), bad, good)
                f.begin(bad)
                self.fail(site)
                f.begin(good)
            else:
                own = f.select(keys, f.load(f.element(places, before)), own)
            f.store(own, f.element(places, loop.value))


SHARED = "there is not exactly one at this place: {}"
"""What is said of a place that nobody has, or several; the number of them fills the gap."""


def parameters(given: tuple[ir.Local, ...]) -> list[tuple[str, str]]:
    return [("i64", f"%v{parameter.number}") for parameter in given]
