"""Decisions about several elements of a set: a size if there is a choice of sizes, then one element after the other."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.inspection import InspectionEmitter
from chocolatl.interpreter.native.emit.questions import NotedStop
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.regions import Access

UNROLLED = 4
"""So many draws in a row are written one after the other."""


def fixed(s: ir.ChooseSet) -> int | None:
    """How many are to be chosen, if that is known beforehand."""
    if isinstance(s.least, ir.Constant) and isinstance(s.most, ir.Constant) and s.least.value == s.most.value:
        return s.most.value
    return None


class SeveralEmitter(InspectionEmitter):
    # ------------------------------------------------------------ plain values

    def choose_values(self, s: ir.ChooseSet, stop: NotedStop) -> None:
        room = max(1, most_of_set(ir.set_type(s.source), self.game))
        array = self.f.variable(f"[{room} x i64]", Access.DRAWN)
        count = self.draw_several(s, array)
        self.asked()
        self.count_list(s, array, count)
        self.note_list(stop, self.chooser(s), s.indices, array, count, room)
        self.store_several(s, array, count)

    def draw_several(self, s: ir.ChooseSet, array: str) -> str:
        """A uniform size first when there is a choice of sizes; then each draw uniform among the remaining kinds.

        The elements go into the array, as positions among the kinds; gives back how many."""
        f = self.f
        stream = self.stream(self.chooser(s))
        source, shape, tag = self.zone(s.source)
        room = max(1, most_of_set(ir.set_type(s.source), self.game))
        left = f.variable(f"[{shape.padded} x {shape.unit}]", Access.LOCAL_SET)
        if s.where is None:
            self.copy(source, left, shape, tag)
        else:
            f.do(f"call void @llvm.memset.p0.i64(ptr {left}, i8 0, i64 {shape.size}, i1 false)")
            low = ir.set_type(s.source).element.low
            with self.kinds(source, shape, tag) as loop:
                self.set_local(s.element, f.add(loop.value, str(low)))
                fitting = f.block()
                f.branch(self.condition(s.where), fitting, loop.next)
                f.begin(fitting)
                f.store(loop.copies, self.count_at(left, shape, loop.value), shape.unit)
        taken = f.variable()
        f.store("0", taken)
        count, end = self.how_many(s, stream, self.size(left, shape, ""))
        if shape.padded <= CHUNK:
            self.take_bits(left, shape, stream, array, count)
        else:
            self.take_listed(left, shape, stream, array, count, room)
        f.store(count, taken)
        f.begin(end)
        return f.load(taken)

    def how_many(self, s: ir.ChooseSet, stream: str, total: str) -> tuple[str, str]:
        """How many elements to choose of so many; and a block to go on in, to which it comes if that cannot be.

        The IR promises that neither bound is below 0. So what is given back is a number from 0 to `total`: the room
        that answers have."""
        f = self.f
        least, most = self.emit(s.least), self.emit(s.most)
        fine, bad, end = f.block(), f.block(), f.block()
        number = fixed(s)
        most = total if number is not None else f.minimum(most, total)
        f.branch(f.compare("sle", least, most), fine, bad)
        f.begin(bad)
        self.fail_unanswered(s)
        f.goto(end)
        f.begin(fine)
        if number is not None:
            return str(number), end
        count = f.variable()
        f.store(most, count)
        open_, sized = f.block(), f.block()
        f.branch(f.compare("slt", least, most), open_, sized)
        f.begin(open_)
        f.store(f.add(least, self.below(stream, f.add(f.sub(most, least), "1"))), count)
        f.begin(sized)
        return f.load(count), end

    def copy(self, source: str, target: str, shape: Shape, tag: str) -> None:
        f = self.f
        if shape.is_wide:
            f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {shape.size}, i1 false)")
            return
        content = f.op(f"load {shape.vector}, ptr {source}, align {shape.alignment}{tag}")
        f.do(f"store {shape.vector} {content}, ptr {target}, align {shape.alignment}")

    def take_bits(self, left: str, shape: Shape, stream: str, array: str, count: str) -> None:
        f = self.f
        unit: str = shape.unit
        word = f.variable()
        f.store(self.present(left, shape, ""), word)
        with self.counting("0", f.sub(count, "1")) as loop:
            kinds = f.load(word)
            drawn = self.below(stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
            kind = f.op(f"call i64 @nth_bit(i64 {kinds}, i64 {drawn})")
            f.store(kind, f.element(array, loop.value))
            pointer = self.count_at(left, shape, kind)
            rest = f.sub(f.load_count(pointer, unit), "1")
            f.store(rest, pointer, unit)
            gone = f.widen(f.compare("eq", rest, "0"))
            f.store(f.op(f"xor i64 {kinds}, {f.op(f'shl i64 {gone}, {kind}')}"), word)

    def take_listed(self, left: str, shape: Shape, stream: str, array: str, count: str, room: int) -> None:
        """The same for many kinds: those that are left are a list."""
        f = self.f
        unit: str = shape.unit
        listed, number = f.variable(f"[{shape.padded} x i64]", Access.LIST), f.variable()
        f.store("0", number)
        with self.kinds(left, shape, "") as loop:
            at = f.load(number)
            f.store(loop.value, f.element(listed, at))
            f.store(f.add(at, "1"), number)
        with self.counting("0", f.sub(count, "1")) as loop:
            place = self.below(stream, f.load(number))
            slot = f.element(listed, place)
            kind = f.load(slot)
            f.store(kind, f.element(array, loop.value))
            pointer = self.count_at(left, shape, kind)
            rest = f.sub(f.load_count(pointer, unit), "1")
            f.store(rest, pointer, unit)
            last, kept = f.block(), f.block()
            f.branch(f.compare("eq", rest, "0"), last, kept)
            f.begin(last)
            fewer = f.change(number, "-1")
            size = f.mul(f.sub(fewer, place), "8")
            f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {slot}, ptr {f.element(slot, '1')}, i64 {size}, i1 false)")
            f.begin(kept)

    def store_several(self, s: ir.ChooseSet, array: str, count: str) -> None:
        site = self.site(s.span, "this is not there to be moved")
        for zone in (s.source, s.target):
            if self.failures.can_fail(zone):  # even if nothing is moved
                self.zone(zone)
        with self.counting("0", self.f.sub(count, "1")) as loop:
            kind = self.f.load(self.f.element(array, loop.value))
            self.move(kind, s.source, s.target, site)
        self.bounded(s.target)
        self.latches(ir.field_of(s.source), ir.field_of(s.target))

    # ------------------------------------------------------------ components

    def choose_components(self, s: ir.ChooseSet, stop: NotedStop) -> None:
        """The same where a zone is planes of bits: what is taken is a zone as well, and is moved as a whole."""
        f = self.f
        stream = self.stream(self.chooser(s))
        pointer, shape, tag = self.zone(s.source)
        held = planes.load(f, pointer, shape, tag)
        left = held if s.where is None else self.fitting(s, s.where, held)
        count = fixed(s)
        if count is not None and 0 < count <= UNROLLED:
            chosen, rest = self.take_fixed(s, stream, left, count)
        else:
            chosen, rest = self.take_counted(s, stream, left)
        self.asked()
        self.count_planes(s, chosen)
        self.note_planes(stop, s, chosen)
        if s.where is not None:
            rest = planes.less(f, held, chosen)
        planes.store(f, rest, pointer, shape, tag)
        self.add_content(*self.zone(s.target), chosen)
        self.shrink_bottom(s.source, chosen)
        self.latches(ir.field_of(s.source), ir.field_of(s.target))

    def shrink_bottom(self, source: ir.Zone, chosen: list[str]) -> None:
        """A deck's known bottom follows what was taken: it never holds more of a kind than is left. What was put back
        into the same deck has not left it."""
        f, under = self.f, self.under(source)
        if under is None:
            return
        rest = planes.load(f, *self.zone(source))
        with self.bits(planes.present(f, chosen)) as loop:
            left = planes.count(f, rest, loop.value)
            with self.counting("1", planes.count(f, chosen, loop.value)):
                f.do(f"call void @take_under(ptr {under}, i64 {loop.value}, i64 {left})")

    def take_fixed(self, s: ir.ChooseSet, stream: str, left: list[str], count: int) -> tuple[list[str], list[str]]:
        """So many, one after the other: what was taken and what is left. If the last was there, all were."""
        f, taken, kinds = self.f, ["0"] * len(left), "0"
        for _ in range(count):
            bit, kinds = self.one_of(stream, left)
            left, taken = planes.without(f, left, bit), planes.with_one(f, taken, bit)
        fine, bad = f.block(), f.block()
        f.branch(f.compare("ne", kinds, "0"), fine, bad)
        f.begin(bad)
        self.fail_unanswered(s)
        f.begin(fine)
        return taken, left

    def take_counted(self, s: ir.ChooseSet, stream: str, left: list[str]) -> tuple[list[str], list[str]]:
        """As many as shows only in the game."""
        f = self.f
        variables = [f.variable() for _ in range(2 * len(left))]
        taken, rest = variables[: len(left)], variables[len(left) :]

        def keep(variables: list[str], content: list[str]) -> None:
            for variable, plane in zip(variables, content, strict=True):
                f.store(plane, variable)

        def kept(variables: list[str]) -> list[str]:
            return [f.load(variable) for variable in variables]

        keep(taken, ["0"] * len(left))
        keep(rest, left)
        count, end = self.how_many(s, stream, planes.size(f, left))
        with self.counting("1", count):
            bit, _ = self.one_of(stream, kept(rest))
            keep(rest, planes.without(f, kept(rest), bit))
            keep(taken, planes.with_one(f, kept(taken), bit))
        f.begin(end)
        return kept(taken), kept(rest)

    def fitting(self, s: ir.ChooseSet, where: ir.Expression, held: list[str]) -> list[str]:
        """The part of a zone that may be chosen."""
        f, mask = self.f, self.f.variable()
        f.store("0", mask)
        with self.bits(planes.present(f, held)) as loop:
            self.set_local(s.element, f.add(loop.value, str(ir.set_type(s.source).element.low)))
            legal = f.op(f"shl i64 {f.widen(self.condition(where))}, {loop.value}")
            f.store(f.op(f"or i64 {f.load(mask)}, {legal}"), mask)
        legal = f.load(mask)
        return [f.op(f"and i64 {plane}, {legal}") for plane in held]

    def one_of(self, stream: str, left: list[str]) -> tuple[str, str]:
        """One of the kinds that are left, each as likely as any other, as a bit; and these kinds."""
        kinds = planes.present(self.f, left)
        drawn = self.below(stream, self.f.op(f"call i64 @llvm.ctpop.i64(i64 {kinds})"))
        return self.f.op(f"call i64 @nth_set(i64 {kinds}, i64 {drawn})"), kinds

    def note_planes(self, stop: NotedStop, s: ir.ChooseSet, chosen: list[str]) -> None:
        """An event of several components, by kind."""
        f = self.f

        def put(at: str) -> str:
            count = f.variable()
            f.store("0", count)
            with self.bits(planes.present(f, chosen)) as loop, self.counting("1", planes.count(f, chosen, loop.value)):
                number = f.load(count)
                f.store(loop.value, f.element(at, number))
                f.store(f.add(number, "1"), count)
            return f.load(count)

        room = max(1, most_of_set(ir.set_type(s.source), self.game))
        self._note(stop, self.chooser(s), s.indices, room, put)
