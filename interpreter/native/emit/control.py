"""Control flow: branches, loops, contests, calls, secret blocks, and the questions between them.

A procedure is a function. What a game needs to remember while it waits lies in variables, since nobody but the random
players is ever waited for here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.walk import fields_read, inside, statements
from chocolatl.interpreter.lowered.layout import locals_of
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.waits import Waiting, is_waiting, waiting_procedures
from chocolatl.interpreter.native.emit.chance import ChanceEmitter
from chocolatl.interpreter.native.emit.elements import Ordered, parameters
from chocolatl.interpreter.native.emit.inspection import written
from chocolatl.interpreter.native.emit.keys import length_of
from chocolatl.interpreter.native.emit.kinds import hides
from chocolatl.interpreter.native.emit.questions import NotedStop
from chocolatl.interpreter.native.layout.memory import REPORT, SECRET, Memory, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import MANY, Field
from chocolatl.interpreter.program.types import Multiset, OrderType, Scalar


class GameEmitter(ChanceEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.procedures = {name: position for position, name in enumerate(self.game.procedures)}
        self.waiting = waiting_procedures(self.game)
        self.stops: list[NotedStop] = []
        self.loops: list[str] = []

    # ------------------------------------------------------------ what differs where a game can be left and resumed

    @property
    @abstractmethod
    def extent(self) -> int:
        """How many bytes belong to the state that a series plays on."""

    def slots(self, s: ir.Statement, count: int, low: int, high: int) -> str:
        """Room for what a loop has to remember."""
        return self.f.variable("i64" if count == 1 else f"[{max(1, count)} x i64]", Access.LIST)

    def slot_tag(self, s: ir.Statement) -> str:
        return ""

    def stop(self, s: Waiting) -> NotedStop:
        self.stops.append(NotedStop(len(self.stops), s, self.procedure))
        return self.stops[-1]

    # ------------------------------------------------------------ procedures

    def procedure_text(self, procedure: ir.Procedure) -> str:
        name = f"procedure_{self.procedures[procedure.name]}"
        self.f = Function(name, [("ptr", "%s"), *parameters(procedure.parameters)])
        self.where, self.loops, self.procedure = {}, [], procedure.name
        self.receive(procedure.parameters)
        self.begun(procedure.name)
        self.block(procedure.body)
        self.f.leave()
        return self.f.text()

    def value_text(self, value: ir.Value) -> str:
        self.f = Function(f"value_{self.values[value.name]}", [("ptr", "%s"), *parameters(value.parameters)], "i64")
        self.where = {}
        self.receive(value.parameters)
        self.f.leave(f"i64 {self.emit(value.body)}")
        return self.f.text()

    def latch_text(self, number: int, latch: ir.Latch) -> str:
        """It looks only outside of secret blocks, and only as long as it has not fallen."""
        self.f = f = Function(f"latch_{number}", [("ptr", "%s")])
        self.where = {}
        pointer, shape, tag = self.address(latch.field, None, ())
        closed, seen, met, done = f.block(), f.block(), f.block(), f.block()
        f.branch(f.compare("eq", f.load(pointer, shape.unit, tag), "0"), closed, done)
        f.begin(closed)
        f.branch(f.compare("eq", self.head(SECRET), "0"), seen, done)
        f.begin(seen)
        f.branch(self.condition(latch.condition), met, done)
        f.begin(met)
        self.falls(number)
        f.store("1", pointer, shape.unit, tag)
        f.begin(done)
        f.leave()
        return f.text()

    def head(self, offset: int) -> str:
        return self.f.load(self.f.part("%s", offset, head_word(offset)), tag=", !tbaa !4")

    def set_head(self, offset: int, value: str) -> None:
        self.f.store(value, self.f.part("%s", offset, head_word(offset)), tag=", !tbaa !4")

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block) -> None:
        for number, statement in enumerate(block, start=1):
            self.statement(statement)
            self.hold(written(statement), statement.span, block[number : number + 1])

    def statement(self, s: ir.Statement) -> None:
        start = len(self.f.lines)
        self.carry_out(s)
        self.f.beside(start, f"line {s.span.line}")

    def carry_out(self, s: ir.Statement) -> None:
        match s:
            case ir.If():
                self.branch(s)
            case ir.ForEach():
                self.for_each(s)
                self.ended(s)
            case ir.InTurn():
                self.in_turn(s)
                self.ended(s)
            case ir.Repeat():
                self.repeat(s)
            case ir.Stop():
                self.leave_when(s.condition, s, self.loops[-1], self.f.block())
            case ir.Call():
                self.call(s)
            case ir.Contest():
                self.contest(s)
            case ir.Secretly():
                self.secretly(s)
            case ir.Choose():
                self.choose(s)
            case ir.ChooseSet():
                self.choose_set(s)
            case ir.Roll():
                self.roll(s)
            case ir.Draw():
                self.draw(s)
            case ir.SetLocal() | ir.Store() | ir.Award() | ir.CopyZone() | ir.ChangeSet():
                self.change(s)
            case ir.MoveElement() | ir.MoveAll():
                self.change(s)
            case _:
                assert_never(s)

    def branch(self, s: ir.If) -> None:
        f = self.f
        condition = self.condition(s.condition)
        then, otherwise, after = f.block(), f.block(), f.block()
        f.branch(condition, then, otherwise)
        for start, block in ((then, s.then), (otherwise, s.otherwise)):
            if condition in ("true", "false") and (condition == "true") != (start == then):
                continue  # nobody comes here
            f.begin(start)
            self.block(block)
            f.goto(after)
        f.begin(after)

    def call(self, s: ir.Call) -> None:
        given = ["ptr %s"]
        for parameter, argument in zip(self.game.procedures[s.procedure].parameters, s.arguments, strict=True):
            assert isinstance(parameter.type, Scalar)
            given.append(f"i64 {self.checked(argument, parameter.type, f'`{parameter.name}`')}")
        self.f.do(f"call void @procedure_{self.procedures[s.procedure]}({', '.join(given)})")

    # ------------------------------------------------------------ loops

    def give_up(self, s: ir.Loop, after: str) -> None:
        """A game that has failed leaves its loops, since there might be very many of them in one another."""
        match s:
            case ir.InTurn() | ir.Repeat():
                long = True
            case ir.ForEach():
                long = is_waiting(s, self.waiting)
            case _:
                assert_never(s)
        if long:
            on = self.f.block()
            self.f.branch(self.f.op(f"call i1 @has_failed(i64 {self.head(REPORT)})"), after, on)
            self.f.begin(on)

    def body(self, block: ir.Block, after: str) -> None:
        self.loops.append(after)
        self.block(block)
        self.loops.pop()

    def for_each(self, s: ir.ForEach) -> None:
        f, tag = self.f, self.slot_tag(s)
        head, following, after = f.block(), f.block(), f.block()
        assert isinstance(s.local.type, Scalar)
        first, highest = s.local.type.low, s.local.type.high
        counted = isinstance(s.domain, ir.Numbers) or (isinstance(s.domain, ir.Whole) and s.domain.start is None)
        if counted and not s.backwards:
            counter, last = self.slots(s, 1, first, highest + 1), self.slots(s, 1, first - 1, highest)
            assert isinstance(s.domain, (ir.Numbers, ir.Whole))
            low = self.emit(s.domain.low) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.low)
            high = self.emit(s.domain.high) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.high)
            f.store(low, counter, tag=tag)
            f.store(high, last, tag=tag)
            self.at_head(s, head, after, "sle", counter, last)
            self.set_local(s.local, f.load(counter, tag=tag))
        else:
            most = self.room(s.domain)
            counter, length = self.slots(s, 1, 0, most), self.slots(s, 1, 0, most)
            array = self.slots(s, most, first, highest)
            count = self.fill(s.domain, array, most, tag)
            if s.backwards:
                f.do(f"call void @reverse(ptr {array}, i64 {count})")
            f.store("0", counter, tag=tag)
            f.store(count, length, tag=tag)
            self.at_head(s, head, after, "slt", counter, length)
            self.set_local(s.local, f.load(f.element(array, f.load(counter, tag=tag)), tag=tag))
        if s.counter is not None:
            pointer, shape, field_tag = self.address(s.counter, None, ())
            value = f.load(self.pointer(s.local), tag=self.tag_of(s.local))
            f.store(value, pointer, shape.unit, field_tag)
            self.latches(s.counter)
            self.hold((s.counter,), s.span)
        self.one_pass(s, following, after)
        f.store(f.add(f.load(counter, tag=tag), "1"), counter, tag=tag)
        f.goto(head)
        f.begin(after)

    def one_pass(self, s: ir.ForEach, following: str, after: str) -> None:
        """The body of a loop for the element that its local holds, if that is one of those that are meant."""
        if s.where is not None:
            fitting = self.f.block()
            self.f.branch(self.condition(s.where), fitting, following)
            self.f.begin(fitting)
        self.body(s.body, after)
        self.f.begin(following)

    def at_head(self, s: ir.ForEach, head: str, after: str, how: str, counter: str, end: str) -> None:
        """The head of a loop: is there another element, and does it go on?"""
        f, tag = self.f, self.slot_tag(s)
        f.begin(head)
        some = f.block()
        f.branch(f.compare(how, f.load(counter, tag=tag), f.load(end, tag=tag)), some, after)
        f.begin(some)
        self.give_up(s, after)

    def in_turn(self, s: ir.InTurn) -> None:
        f, tag = self.f, self.slot_tag(s)
        players = self.game.player_count
        head, after, found = f.block(), f.block(), f.block()
        seat, turns = self.slots(s, 1, 0, players - 1), self.slots(s, 1, 0, s.limit)
        f.store(self.checked(s.start, self.game.domains["player"].type, "the first player"), seat, tag=tag)
        f.store("0", turns, tag=tag)
        f.begin(head)
        self.give_up(s, after)
        with self.counting("0", str(players - 1)) as loop:
            self.set_local(s.local, self.wrapped(f.add(f.load(seat, tag=tag), loop.value)))
            f.branch(self.condition(s.where) if s.where is not None else "true", found, loop.next)
        f.goto(after)
        f.begin(found)
        site = self.site(s.span, f"after {s.limit} turns it is still somebody's turn")
        self.one_more(turns, tag, s.limit, site, after)
        local = f.load(self.pointer(s.local), tag=self.tag_of(s.local))
        f.store(self.wrapped(f.add(local, "1")), seat, tag=tag)
        self.body(s.body, after)
        f.goto(head)
        f.begin(after)

    def wrapped(self, seat: str) -> str:
        """A seat at most once around the table."""
        f, players = self.f, str(self.game.player_count)
        return f.select(f.compare("sge", seat, players), f.sub(seat, players), seat)

    def one_more(self, counter: str, tag: str, limit: int, site: int, after: str) -> None:
        """Count a turn of a loop; too many are a failure."""
        f = self.f
        count = f.add(f.load(counter, tag=tag), "1")
        f.store(count, counter, tag=tag)
        on, bad = f.block(), f.block()
        f.branch(f.compare("sle", count, str(limit)), on, bad)
        f.begin(bad)
        self.fail(site)
        f.goto(after)
        f.begin(on)

    def repeat(self, s: ir.Repeat) -> None:
        f, tag = self.f, self.slot_tag(s)
        head, after, on = f.block(), f.block(), f.block()
        count = self.slots(s, 1, 0, s.limit)
        f.store("0", count, tag=tag)
        f.begin(head)
        self.give_up(s, after)
        self.leave_when(s.until, s, after, on)
        site = self.site(s.span, f"this was repeated {s.limit} times, and its end was not reached")
        self.one_more(count, tag, s.limit, site, after)
        self.body(s.body, after)
        f.goto(head)
        f.begin(after)

    def contest(self, s: ir.Contest) -> None:
        """Those who have a place are fixed when its clause is reached."""
        f, tag = self.f, self.slot_tag(s)
        assert isinstance(s.order.type, OrderType)
        size, highest = s.order.type.most, s.order.type.element.size - 1
        ranking = self.game.rankings[s.ranking.name]
        self.strict[s.order.number], self.lengths[s.order.number] = ranking.strict, length_of(ranking)
        order = self.held(s)
        for clause in s.clauses:
            head, body, after = f.block(), f.block(), f.block()
            counter, length = self.slots(s, 1, 0, size), self.slots(s, 1, 0, size)
            array = self.slots(s, size, 0, highest)
            first, count = self.at_place(order, clause.place)
            count = self.meant(clause.sharing, count)
            if clause.sharers is not None:
                self.share(clause, count)
            f.store("0", counter, tag=tag)
            f.store(count, length, tag=tag)
            start = f.element(self.elements(order), first)
            with self.counting("0", f.sub(count, "1")) as loop:
                f.store(f.load(f.element(start, loop.value)), f.element(array, loop.value), tag=tag)
            f.begin(head)
            now = f.load(counter, tag=tag)
            f.branch(f.compare("slt", now, f.load(length, tag=tag)), body, after)
            f.begin(body)
            self.set_local(clause.local, f.load(f.element(array, now), tag=tag))
            f.store(f.add(now, "1"), counter, tag=tag)
            self.block(clause.body)
            f.goto(head)
            f.begin(after)

    def meant(self, sharing: Sharing, count: str) -> str:
        """How many of those who have a place its clause is for: all of them, or nobody."""
        f = self.f
        match sharing:
            case Sharing.ANYBODY:
                return count
            case Sharing.ALONE:
                return f.select(f.compare("eq", count, "1"), count, "0")
            case Sharing.SHARED:
                return f.select(f.compare("sgt", count, "1"), count, "0")
            case _:
                assert_never(sharing)

    def held(self, s: ir.Contest) -> Ordered:
        """The order that a contest keeps."""
        assert isinstance(s.order.type, OrderType)
        assert most_elements(self.game.rankings[s.ranking.name].domain, self.game) == s.order.type.most
        return self.ranked(s.ranking, self.pointer(s.order))

    def share(self, clause: ir.Clause, count: str) -> None:
        """Note how many share a place."""
        assert clause.sharers is not None
        self.set_local(clause.sharers, count)

    # ------------------------------------------------------------ questions

    def choose(self, s: ir.Choose) -> None:
        stop = self.stop(s)
        self.draw_answer(s)
        self.asked()
        values = [self.f.load(self.pointer(pick.local), tag=self.tag_of(pick.local)) for pick in s.picks]
        self.count_picks(s, values)
        self.note(stop, self.chooser(s), s.indices, values)
        self.store_answer(s)

    def choose_set(self, s: ir.ChooseSet) -> None:
        if self.memory.shape(ir.set_type(s.source)).planes:
            self.choose_components(s, self.stop(s))
        else:
            self.choose_values(s, self.stop(s))

    def roll(self, s: ir.Roll) -> None:
        f, stop = self.f, self.stop(s)
        owner = self.owner(s)
        if isinstance(s.local.type, Multiset):
            assert s.count is not None
            most = max(1, s.count.type.high)
            array = f.variable(f"[{most} x i64]", Access.DRAWN)
            count = self.emit(s.count)
            self.roll_outcome(s, array, count)
            self.note_list(stop, owner, (), array, count, most)
            self.store_rolled(s, array, count)
        else:
            drawn = self.roll_one(s)
            self.note(stop, owner, (), [drawn])
            self.store_one_rolled(s, drawn)

    def store_rolled(self, s: ir.Roll, array: str, count: str) -> None:
        """Several values into a zone, in place of what was there."""
        f = self.f
        assert isinstance(s.local.type, Multiset)
        zone = ir.LocalZone(s.local, s.span) if s.target is None else s.target
        assert not isinstance(zone, ir.Load)
        pointer, shape, tag = self.zone(zone)
        self.empty(pointer, shape, tag)
        with self.counting("0", f.sub(count, "1")) as loop:
            kind = f.sub(f.load(f.element(array, loop.value)), str(s.local.type.element.low))
            self.put_one(pointer, shape, tag, kind)
        if s.count is None or s.count.type.high > MANY:  # it was empty before
            self.bounded(zone)
        self.latches(ir.field_of(zone))

    def store_one_rolled(self, s: ir.Roll, drawn: str) -> None:
        match s.target:
            case ir.Load():
                pointer, shape, tag = self.address(s.target.field, s.target.owner, s.target.indices)
                self.f.store(drawn, pointer, shape.unit, tag)
                self.latches(s.target.field)
            case None:
                self.set_local(s.local, drawn)
                self.lies(s.local, ir.LocalZone(s.local, s.span))
            case ir.FieldZone() | ir.LocalZone():
                raise AssertionError("a zone is for several outcomes")
            case _:
                assert_never(s.target)

    def draw(self, s: ir.Draw) -> None:
        f, stop = self.f, self.stop(s)
        owner = self.owner(s)
        kind = self.draw_outcome(s)
        value = f.add(kind, str(ir.set_type(s.source).element.low))
        self.note(stop, owner, (), [value])
        self.store_drawn(s, kind)

    def store_drawn(self, s: ir.Draw, kind: str) -> None:
        self.set_local(s.local, self.f.add(kind, str(ir.set_type(s.source).element.low)))
        self.move(kind, s.source, s.target, self.site(s.span, "this is not there to be drawn"))
        self.lies(s.local, s.target)
        self.bounded(s.target)
        self.latches(ir.field_of(s.source), ir.field_of(s.target))

    def secretly(self, s: ir.Secretly) -> None:
        """By seat, each player to the end of the block. A body sees others as they were at entry, so none can tell
        that they answer one after the other; where one might, each begins with everything as it was at entry."""
        f = self.f
        saved = [(local, f.load(self.pointer(local))) for local in self.kept(s)]
        aside = [Aside(self, field) for field in s.writes] if self.peeks(s) else []
        self.set_head(SECRET, "1")
        outer, self.loops = self.loops, []
        with self.counting("0", str(self.game.player_count - 1)) as loop:
            for local, value in saved:
                self.set_local(local, value)
            self.set_local(s.local, loop.value)
            self.block(s.body)
            for each in aside:
                each.put_by(loop.value)
        self.loops = outer
        for local, value in saved:
            self.set_local(local, value)
        for each in aside:
            each.bring_back()
        self.set_head(SECRET, "0")
        self.latches(*s.writes)

    def kept(self, s: ir.Secretly) -> list[ir.Local]:
        """Variables from outside that the body of a secret block changes, for itself alone."""
        return [local for local in locals_of(s.body) if local.number in self.where and isinstance(local.type, Scalar)]

    def peeks(self, s: ir.Secretly) -> bool:
        """Whether the body may read what another player changes in it: by way of a value or a ranking."""
        called = [call.procedure for call in statements(s.body) if isinstance(call, ir.Call)]
        bodies = [s.body, *(self.game.procedures[name].body for name in reachable(called, self.game.procedures))]
        found: set[tuple[str | None, str]] = set()
        for body in bodies:
            for statement in statements(body):
                for part in inside(statement):
                    if hides(part, self.game):
                        found |= fields_read(part, self.game)
        return bool(found & {field.key for field in s.writes})


class Aside:
    """A field that a secret block changes, while what each player did to it is kept from the others."""

    def __init__(self, emitter: GameEmitter, field: Field) -> None:
        self.f = f = emitter.f
        place = emitter.layout.places[field.key]
        run = emitter.memory.places[field.key]
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
