"""Procedures that can be left at a decision and gone on with: the second build of the native code.

All that a procedure has to remember while it waits lies in the slots that the interpreter has for it, and places in the
program have the interpreter's numbers. So a position goes over from one back end to the other as it is. A procedure
that can wait is a function from the place where it goes on to the place where it leaves off: a decision, chance or a
secret block, the first step of a procedure that it calls, or the place that it was called from. Whoever runs a game
(`chocolatl.interpreter.native.builds.driver`) calls one function after the other until somebody has to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.walk import stops
from chocolatl.interpreter.lowered.layout import END_OF_SEALED, Frame, locals_of, may_hold
from chocolatl.interpreter.lowered.lifetimes import declared_in, is_nested
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.waits import SuspensionPoint, Waiting, is_waiting
from chocolatl.interpreter.native.emit.control import GameEmitter
from chocolatl.interpreter.native.emit.elements import Ordered
from chocolatl.interpreter.native.emit.expressions import FRAMES
from chocolatl.interpreter.native.emit.inspection import counted_bytes, written
from chocolatl.interpreter.native.layout.memory import LOG, Memory
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.statistics.occurrences import Occurrences


class Steps(Function):
    """A function that is entered at one of several places. The first one is its start."""

    def __init__(self, name: str, entry: int) -> None:
        super().__init__(name, [("ptr", "%s"), ("i64", "%at")], "i64")
        self.places: dict[int, str] = {entry: self.current}

    def enter_at(self, place: int) -> None:
        """What follows is where the function goes on from a place."""
        assert self.closed, "nothing runs into a place from above"
        self.places[place] = self.block()
        self.begin(self.places[place])

    def text(self) -> str:
        ways = " ".join(f"i64 {place}, label %{block}" for place, block in self.places.items())
        lines = [*self.entry, f"  switch i64 %at, label %nowhere [{ways}]", "nowhere:", "  unreachable"]
        return "\n".join([self.header + " nounwind {", "entry:", *lines, "start:", *self.lines, "}"])


class StepwiseEmitter(GameEmitter):
    def __init__(
        self, program: LoweredGame, memory: Memory, sites: Sites, closely: bool = False, inspected: bool = False
    ) -> None:
        super().__init__(memory, sites, closely)
        self.guards = closely or inspected
        if inspected:
            self.occurrences = Occurrences(self.game)
        self.program = program
        self.frame: Frame | None = None
        """Of the procedure at hand, if it can wait."""
        self.loose: set[int] = set()
        """Locals of the frame that are variables all the same, since nobody waits while they are in use."""
        self.plain = False
        """Whether what is emitted is inside a statement that never waits."""
        self.cursor = 0
        self.outer: frozenset[int] = frozenset()
        self.steps = Steps("nothing", 0)
        self._stops: Iterator[int] = iter(())
        self._returns: Iterator[int] = iter(())
        self.entered: dict[str, list[int]] = {}
        """Where each procedure can be entered."""

    @property
    def extent(self) -> int:
        """A state has a copy for each player, and behind it lies the one that games of a series start from."""
        return 2 * (1 + self.game.player_count) * self.memory.size

    def counts(self) -> str:
        """Where the head says, since players have copies of the state."""
        counts = Region(Access.OCCURRENCES, counted_bytes(self.occurrences))
        return self.f.mean(self.f.op(f"inttoptr i64 {self.head(LOG)} to ptr"), counts)

    # ------------------------------------------------------------ slots

    def at_slot(self, slot: int, count: int = 1) -> str:
        """A pointer to a slot of a frame, or to several; it is there from the beginning of the function on."""
        pointer = self.f.at_entry(f"getelementptr i8, ptr %s, i64 {self.memory.frames[slot]}")
        return self.f.mean(pointer, self.memory.slots_at(slot, count))

    def in_frame(self, local: ir.Local) -> bool:
        return self.frame is not None and local.number in self.frame.locals and local.number not in self.loose

    def pointer(self, local: ir.Local) -> str:
        if local.number not in self.where and self.in_frame(local):
            assert self.frame is not None
            self.where[local.number] = self.at_slot(self.frame.locals[local.number], self.layout.local_width(local))
        return super().pointer(local)

    def tag_of(self, local: ir.Local) -> str:
        return FRAMES if self.in_frame(local) else ""

    def slots(self, s: ir.Statement, count: int, low: int, high: int) -> str:
        if self.plain or self.frame is None:
            return super().slots(s, count, low, high)
        slot, self.cursor = self.cursor, self.cursor + count
        return self.at_slot(slot, count) if count else super().slots(s, count, low, high)

    def slot_tag(self, s: ir.Statement) -> str:
        return "" if self.plain or self.frame is None else FRAMES

    def room(self, domain: ir.Elements) -> int:
        return super().room(domain) if self.plain or self.frame is None else most_elements(domain, self.game)

    def forget(self, begin: int, end: int) -> None:
        first, size = self.memory.stretch(begin, end)
        pointer = self.f.part("%s", first, Region(Access.FRAMES, size, first))
        self.f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")

    def lies(self, local: ir.Local, zone: ir.Zone) -> None:
        slot = self.frame.lies.get(local.number) if self.frame is not None else None
        if slot is None:
            return
        number = "0"
        if isinstance(zone, ir.FieldZone) and zone.field.visibility != "open" and may_hold(local, zone.field):
            place = self.layout.places[zone.field.key]
            number = self.f.add(self.cell(place, zone.owner, zone.indices), str(1 + place.zone))
        self.f.store(number, self.at_slot(slot), tag=FRAMES)

    # ------------------------------------------------------------ procedures

    def procedure_text(self, procedure: ir.Procedure) -> str:
        if procedure.name not in self.program.stepped:
            self.frame = None
            return super().procedure_text(procedure)
        self.frame = frame = self.layout.frames[procedure.name]
        self.f = self.steps = Steps(f"steps_{self.procedures[procedure.name]}", self.program.entries[procedure.name])
        self.where, self.loops, self.loose, self.plain = {}, [], set(), False
        self.procedure, self.outer = procedure.name, frozenset(p.number for p in procedure.parameters)
        self.cursor = frame.loops
        self._stops = iter(sorted(pc for pc, stop in self.program.stops.items() if stop.procedure == procedure.name))
        self._returns = iter(sorted(pc for pc, (name, _) in self.program.returns.items() if name == procedure.name))
        self.begun(procedure.name)
        self.block(procedure.body)
        assert self.cursor == frame.end
        back = self.f.load(self.at_slot(frame.back), tag=FRAMES)
        self.forget(frame.back, frame.end)
        self.f.leave(f"i64 {back}")
        self.entered[procedure.name] = list(self.steps.places)
        return self.f.text()

    def next_stop(self, s: Waiting) -> SuspensionPoint:
        """The stop of a statement: both back ends come to them in the same order."""
        stop = self.program.stops[next(self._stops)]
        assert stop.node is s
        return stop

    def wait(self, s: Waiting) -> SuspensionPoint:
        """Leave off here; what follows is where it goes on."""
        stop = self.next_stop(s)
        self.f.leave(f"i64 {stop.pc}")
        self.steps.enter_at(stop.after)
        return stop

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block) -> None:
        if self.frame is None or self.plain:
            super().block(block)
            return
        for number, statement in enumerate(block, start=1):
            if is_waiting(statement, self.program.stepped) or stops((statement,)):
                self.stepped(statement)
                if is_nested(statement):
                    continue
            else:
                self.plain = True
                self.statement(statement)
                self.plain = False
            self.outer |= {local.number for local in locals_of((statement,))}
            self.hold(written(statement), statement.span, block[number : number + 1])

    def stepped(self, s: ir.Statement) -> None:
        """A statement that may be left in the middle. What it declares is cleared when it ends."""
        assert self.frame is not None
        first, outer = self.cursor, self.outer
        self.statement(s)
        self.outer = outer
        if is_nested(s):
            for begin, end in declared_in(s, self.layout, self.frame, outer, first, self.cursor):
                self.forget(begin, end)

    def carry_out(self, s: ir.Statement) -> None:
        match s:
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                self.wait(s)  # answers are stored from outside, see `chocolatl.interpreter.native.builds.stops`
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award():
                super().carry_out(s)
            case ir.MoveElement() | ir.MoveAll() | ir.Stop() | ir.Call():
                super().carry_out(s)
            case ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Contest() | ir.Secretly():
                super().carry_out(s)
            case _:
                assert_never(s)

    def branch(self, s: ir.If) -> None:
        if self.frame is None or self.plain:
            super().branch(s)
            return
        f = self.f
        then, otherwise, after = f.block(), f.block(), f.block()
        f.branch(self.condition(s.condition), then, otherwise)
        for start, block in ((then, s.then), (otherwise, s.otherwise)):
            f.begin(start)  # even if nobody comes here, so that all places are counted
            self.block(block)
            f.goto(after)
        f.begin(after)

    def call(self, s: ir.Call) -> None:
        if s.procedure not in self.program.stepped:
            super().call(s)
            return
        frame = self.layout.frames[s.procedure]
        for parameter, argument in zip(self.game.procedures[s.procedure].parameters, s.arguments, strict=True):
            assert isinstance(parameter.type, Scalar)
            value = self.checked(argument, parameter.type, f"`{parameter.name}`")
            self.f.store(value, self.at_slot(frame.locals[parameter.number]), tag=FRAMES)
        back = next(self._returns)
        assert self.program.returns[back] == (self.procedure, s.path)
        self.f.store(str(back), self.at_slot(frame.back), tag=FRAMES)
        self.f.leave(f"i64 {self.program.entries[s.procedure]}")
        self.steps.enter_at(back)

    def secretly(self, s: ir.Secretly) -> None:
        """Each player runs the body on a copy of everything; the driver makes them and joins them."""
        stop = self.next_stop(s)
        self.f.leave(f"i64 {stop.pc}")
        self.steps.enter_at(stop.body)
        outer, self.loops = self.loops, []
        self.block(s.body)
        self.loops = outer
        self.f.leave(f"i64 {END_OF_SEALED}")
        self.steps.enter_at(stop.after)
        self.latches(*s.writes)

    # ------------------------------------------------------------ contests

    def held(self, s: ir.Contest) -> Ordered:
        """Slots hold what is in the order and nothing beyond, so it is put together elsewhere."""
        f = self.f
        if self.plain or self.frame is None:
            self.loose.add(s.order.number)  # it is not waited for in here
            return super().held(s)
        held = self.pointer(s.order)
        made = f.variable(f"[{self.layout.local_width(s.order)} x i64]", Access.ORDER)
        order = self.ranked(s.ranking, made)
        count = f.load(made)
        f.store(count, held, tag=FRAMES)
        with self.counting("0", f.sub(count, "1")) as loop:
            for start in (self.elements_at, self.places_at):
                source, target = (f.element(start(where, order.room), loop.value) for where in (made, held))
                f.store(f.load(source), target, tag=FRAMES)
        return Ordered(held, order.room, order.strict)

    def share(self, clause: ir.Clause, count: str) -> None:
        """How many share a place is not noted where nobody waits and the clause does not hold."""
        assert clause.sharers is not None
        if self.plain and clause.sharing is not Sharing.ANYBODY:
            old = self.f.load(self.pointer(clause.sharers), tag=self.tag_of(clause.sharers))
            count = self.f.select(self.f.compare("ne", count, "0"), count, old)
        super().share(clause, count)
