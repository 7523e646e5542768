"""Statements that change the state: assignments, points, zones, sets.

What a statement reads is computed in the order in which the interpreter does so: of two parts that fail, the first one
is told.
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.analysis.score_bounds import most_paid
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import SetChange
from chocolatl.interpreter.ir.walk import fields_read
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.rankings import RankingEmitter
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import CHUNK, Memory, Shape
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.model import MANY, Field
from chocolatl.interpreter.program.types import LARGEST, Scalar

NOT_THERE = "this is not in the set, so it cannot be removed"


class ChangeEmitter(RankingEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.watched = [fields_read(latch.condition, self.game) for latch in self.game.latches]
        self.paid = most_paid(self.game) if memory.from_start else LARGEST
        """So many points at most an item has paid or taken at any time."""

    def latches(self, *written: Field | None, owner: ir.Expression | None = None) -> None:
        """After a change: ask every latch whose condition the change may have met."""
        keys = {field.key for field in written if field is not None}
        for position, watched in enumerate(self.watched):
            if watched & keys:
                self.f.do(f"call void @latch_{position}(ptr %s)")

    def change(self, s: ir.Change) -> None:
        """A statement that changes the state."""
        match s:
            case ir.SetLocal():
                assert isinstance(s.local.type, Scalar)
                self.set_local(s.local, self.checked(s.value, s.local.type, f"`{s.local.name}`"))
                self.lies(s.local, ir.LocalZone(s.local, s.span))
            case ir.Store():
                self.assign(s.target, s.value)
            case ir.Award():
                self.award(s)
            case ir.CopyZone():
                self.copy_zone(s)
            case ir.ChangeSet():
                self.change_set(s)
            case ir.MoveElement():
                self.move_element(s)
            case ir.MoveAll():
                self.move_all(s)
            case _:
                assert_never(s)

    def assign(self, target: ir.Load, value: ir.Expression) -> None:
        field = target.field
        assert isinstance(field.type, Scalar)
        new = self.checked(value, field.type, f"`{field.name}`")
        pointer, shape, tag = self.address(field, target.owner, target.indices)
        self.f.store(new, pointer, shape.unit, tag)
        self.latches(field, owner=target.owner)

    def award(self, s: ir.Award) -> None:
        f, field = self.f, s.target.field
        score = field.type
        assert isinstance(score, Scalar) and s.target.owner is not None
        breakdown = self.layout.places["player", "breakdown"]
        items = breakdown.cells // breakdown.field.owners
        player = self.checked(s.target.owner, self.game.domains["player"].type, "the player")
        if len(s.names) > 1:
            item = self.entry(s.names, self.emit(s.item))
        else:
            item = str(s.names[0])
        amount = self.emit(s.amount)
        least = self.emit(s.least) if s.least is not None else None
        most = self.emit(s.most) if s.most is not None else None
        run = self.memory.places[field.key]
        base, shape = run.offset, run.shape
        pointer = f.element(f.part("%s", base, run.meant), player, shape.unit, Region(shape.kind, shape.size))
        old = f.load(pointer, shape.unit, self.field_tag(field))
        new = f.add(old, amount)
        new = f.minimum(new, most) if most is not None else new
        new = f.maximum(new, least) if least is not None else new
        site = self.site(s.span, f"`{field.name}` becomes {{}}, outside of {score}")
        known = (-(2**63), 2**63 - 1)
        new = self.within(new, known, score.low, score.high, site)
        f.store(new, pointer, shape.unit, self.field_tag(field))
        run = self.memory.places[breakdown.field.key]
        base, shape = run.offset, run.shape
        entry = f.add(f.mul(player, str(items)), item)
        pointer = f.element(f.part("%s", base, run.meant), entry, shape.unit, Region(shape.kind, shape.size))
        tag = self.field_tag(breakdown.field)
        points = breakdown.field.type
        assert isinstance(points, Scalar)
        # What wraps around comes out beyond the range, too.
        total = f.op(f"add i64 {f.load(pointer, shape.unit, tag)}, {f.sub(new, old)}")
        beyond = self.site(s.span, complaints.outside_of_source(points))
        f.store(self.within(total, (-self.paid, self.paid), *points.bounds, beyond), pointer, shape.unit, tag)
        self.latches(field, owner=s.target.owner)

    # ------------------------------------------------------------ components

    def under(self, zone: ir.Zone) -> str | None:
        """A pointer to a deck's known bottom, None for a zone that has none."""
        if not isinstance(zone, ir.FieldZone) or zone.field.key not in self.layout.unders:
            return None
        place = self.layout.places[zone.field.key]
        cell = self.cell(place, zone.owner, zone.indices)
        width = self.layout.under_width(zone.field)
        under = self.memory.unders[zone.field.key]
        start = self.f.part("%s", under.offset or 0, under)
        return self.f.element(start, self.f.mul(cell, str(width)), "i32", Region(Access.UNDER, 4 * width))

    def move(self, kind: str, source: ir.Zone, target: ir.Zone, site: int, to_bottom: bool = False) -> None:
        """One component from a zone to another; a known bottom of the source follows."""
        f = self.f
        there, absent, after = f.block(), f.block(), f.block()
        giving, shape, tag = self.zone(source)
        taking = self.zone(target)
        f.branch(f.compare("ne", self.copies(giving, shape, tag, kind), "0"), there, absent)
        f.begin(absent)
        self.fail(site)
        f.goto(after)
        f.begin(there)
        self.take_one(giving, shape, tag, kind)
        if not to_bottom:  # what comes back into the same deck has not left it, unless it is put under it
            self.put_one(*taking, kind)
        under = self.under(source)
        if under is not None:
            left = self.copies(giving, shape, tag, kind)
            f.do(f"call void @take_under(ptr {under}, i64 {kind}, i64 {left})")
        if to_bottom:  # only what has come there: so a bottom has room for all that it can hold
            self.put_one(*taking, kind)
            f.do(f"call void @put_under(ptr {self.under(target)}, i64 {kind})")
        f.goto(after)
        f.begin(after)

    def take_one(self, pointer: str, shape: Shape, tag: str, kind: str) -> None:
        """One less of a kind, which is there."""
        f = self.f
        if shape.planes:
            left = planes.without(f, planes.load(f, pointer, shape, tag), f.op(f"shl i64 1, {kind}"))
            planes.store(f, left, pointer, shape, tag)
        else:
            at = self.count_at(pointer, shape, kind)
            f.store(f.sub(f.load_count(at, shape.unit, tag), "1"), at, shape.unit, tag)

    def put_one(self, pointer: str, shape: Shape, tag: str, kind: str) -> None:
        """One more of a kind."""
        f = self.f
        if shape.planes:
            held = planes.with_one(f, planes.load(f, pointer, shape, tag), f.op(f"shl i64 1, {kind}"))
            planes.store(f, held, pointer, shape, tag)
        else:
            at = self.count_at(pointer, shape, kind)
            f.store(f.add(f.load_count(at, shape.unit, tag), "1"), at, shape.unit, tag)

    def empty(self, pointer: str, shape: Shape, tag: str) -> None:
        """Nothing lies in a zone any more."""
        if shape.planes:
            planes.store(self.f, ["0"] * shape.planes, pointer, shape, tag)
        elif shape.is_wide:
            self.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {shape.size}, i1 false)")
        else:
            self.f.do(f"store {shape.vector} zeroinitializer, ptr {pointer}, align {shape.alignment}{tag}")

    def move_element(self, s: ir.MoveElement) -> None:
        kind = self.kind(s.element, s.source)
        self.move(kind, s.source, s.target, self.site(s.span, "this is not there to be moved"), s.under)
        if isinstance(s.element, ir.Read):
            self.lies(s.element.local, s.target)
        self.bounded(s.target)
        self.latches(ir.field_of(s.source), ir.field_of(s.target))

    def lies(self, local: ir.Local, zone: ir.Zone) -> None:
        """Note where what a local holds lies, if it is in a field, where locals outlive a decision."""

    def move_all(self, s: ir.MoveAll) -> None:
        f = self.f
        giving, shape, tag = self.zone(s.source)
        content = [] if shape.is_wide else self.content(giving, shape, tag)
        if not shape.is_wide:
            self.empty(giving, shape, tag)
        under = self.under(s.source)
        if under is not None:
            size = f.op(f"load i32, ptr {under}")
            size = f.op(f"zext i32 {size} to i64")
            size = f.mul(f.add(size, "1"), "4")
            f.do(f"call void @llvm.memset.p0.i64(ptr {under}, i8 0, i64 {size}, i1 false)")
        taking = self.zone(s.target)
        if shape.is_wide:
            self.pour((giving, shape, tag), taking)
        else:
            self.add_content(*taking, content)
        self.bounded(s.target)
        self.latches(ir.field_of(s.source), ir.field_of(s.target))

    def pour(self, giving: tuple[str, Shape, str], taking: tuple[str, Shape, str]) -> None:
        """All of a zone into another, some kinds at a time: LLVM has no vectors of thousands of counts. Poured into
        itself, a zone stays as it is."""
        f, (source, shape, tag), (target, _, other) = self.f, giving, taking
        part = f"<{CHUNK} x {shape.unit}>"
        with self.counting("0", str(shape.padded // CHUNK - 1)) as chunk:
            places = [f.op(f"getelementptr {part}, ptr {start}, i64 {chunk.value}") for start in (source, target)]
            moved = f.op(f"load {part}, ptr {places[0]}, align {shape.alignment}{tag}")
            f.do(f"store {part} zeroinitializer, ptr {places[0]}, align {shape.alignment}{tag}")
            held = f.op(f"load {part}, ptr {places[1]}, align {shape.alignment}{other}")
            both = f.op(f"add {part} {held}, {moved}")
            f.do(f"store {part} {both}, ptr {places[1]}, align {shape.alignment}{other}")

    def content(self, pointer: str, shape: Shape, tag: str) -> list[str]:
        """All that lies in a zone: its planes, or one vector of counts."""
        if shape.planes:
            return planes.load(self.f, pointer, shape, tag)
        return [self.f.op(f"load {shape.vector}, ptr {pointer}, align {shape.alignment}{tag}")]

    def add_content(self, pointer: str, shape: Shape, tag: str, content: list[str]) -> None:
        f, held = self.f, self.content(pointer, shape, tag)
        if shape.planes:
            planes.store(f, planes.united(f, held, content), pointer, shape, tag)
        else:
            both = f.op(f"add {shape.vector} {held[0]}, {content[0]}")
            f.do(f"store {shape.vector} {both}, ptr {pointer}, align {shape.alignment}{tag}")

    # ------------------------------------------------------------ plain values

    def bounded(self, zone: ir.Zone) -> None:
        """Components cannot become more; of plain values, such as dice, a set holds no more than `MANY`. Lists of them
        have no more room than that: so too many are gone when that has been told."""
        if ir.set_type(zone).element.family in self.game.totals:
            return
        f, (pointer, shape, tag) = self.f, self.zone(zone)
        site = self.site(zone.span, f"a set holds at most {MANY} values, and this would be {{}}")
        size, good, bad = self.size(pointer, shape, tag), f.block(), f.block()
        f.branch(f.compare("sle", size, str(MANY)), good, bad)
        f.begin(bad)
        self.fail(site, size)
        self.empty(pointer, shape, tag)
        f.begin(good)

    def copy_zone(self, s: ir.CopyZone) -> None:
        f = self.f
        source, shape, _ = self.zone(s.source)
        if shape.most >= 0:
            room = ir.set_type(s.target).most or 0
            site = self.site(s.span, f"this set holds up to {room} values, and these are {{}}")
            count = self.within(f.load(source), (0, 2**31), 0, room, site)
            target, _, _ = self.zone(s.target)
            size = f.mul(f.add(count, "1"), "8")
            f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")
            f.store(count, target)
        else:
            target, _, _ = self.zone(s.target)
            f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {shape.size}, i1 false)")
        self.latches(ir.field_of(s.target))

    def change_set(self, s: ir.ChangeSet) -> None:
        change = self.change_short if ir.set_type(s.zone).short else self.change_counts
        match s.how:
            case SetChange.CLEAR:
                pointer, shape, _ = self.zone(s.zone)
                self.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {shape.size}, i1 false)")
            case SetChange.ADD:
                change(s, adds=True)
            case SetChange.REMOVE:
                change(s, adds=False)
            case _:
                assert_never(s.how)
        self.latches(ir.field_of(s.zone))

    def change_short(self, s: ir.ChangeSet, adds: bool) -> None:
        """One value more or less in a short set."""
        f, type_ = self.f, ir.set_type(s.zone)
        assert s.element is not None
        pointer, _, _ = self.zone(s.zone)
        value = self.checked(s.element, type_.element, "this")
        bad, good, after = f.block(), f.block(), f.block()
        if adds:
            site = self.site(s.span, f"this set holds up to {type_.most} values, and it is full")
            f.branch(f.compare("slt", f.load(pointer), str(type_.most)), good, bad)
            f.begin(good)
            f.do(f"call void @short_add(ptr {pointer}, i64 {value})")
            f.goto(after)
        else:
            site = self.site(s.span, NOT_THERE)
            f.branch(f.op(f"call i1 @short_remove(ptr {pointer}, i64 {value})"), after, bad)
        f.begin(bad)
        self.fail(site)
        f.begin(after)

    def change_counts(self, s: ir.ChangeSet, adds: bool) -> None:
        """One value more or less in a set that counts them."""
        f = self.f
        assert s.element is not None
        pointer, shape, tag = self.zone(s.zone)
        kind = self.kind(s.element, s.zone)
        pointer = self.count_at(pointer, shape, kind)
        count = f.load_count(pointer, shape.unit, tag)
        if not adds:
            site = self.site(s.span, NOT_THERE)
            count = self.otherwise(f.compare("ne", count, "0"), count, 1, site)
        f.store(f.add(count, "1") if adds else f.sub(count, "1"), pointer, shape.unit, tag)
        self.bounded(s.zone)
