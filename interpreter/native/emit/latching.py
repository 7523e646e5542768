"""End conditions that latch, asked no further than a change can have met them.

Until a condition holds, each of its alternatives was found not to hold after the last change that concerned it. So
after a change only the alternatives that read what was changed are asked; and of `some p has ...`, only the one whose
field it was. The first time all are asked, since nobody has looked before.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, LogicOperator
from chocolatl.interpreter.ir.walk import fields_read, inside
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.control import GameEmitter
from chocolatl.interpreter.native.emit.expressions import HEAD
from chocolatl.interpreter.native.emit.kinds import hides
from chocolatl.interpreter.native.layout.memory import ASKED, SECRET, STREAMS, Memory
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import Scalar

LatchPart = tuple[int, tuple[int, ...], tuple[str | None, str] | None]
"""A latch, some of its alternatives, and the field of which only one owner's was changed."""


class LatchEmitter(GameEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.alternatives = [self._alternatives(latch.condition) for latch in self.game.latches]
        self.fallen = {latch.field.key for latch in self.game.latches}
        """Nobody is asked after these have changed, so what reads them is always asked as a whole."""
        self.parts: dict[LatchPart, str] = {}

    def _alternatives(self, condition: ir.Expression) -> list[ir.Expression]:
        if isinstance(condition, ir.CallValue) and not condition.arguments:
            return self._alternatives(self.game.values[condition.name].body)
        if isinstance(condition, ir.Logic) and condition.operator is LogicOperator.OR:
            return [*self._alternatives(condition.left), *self._alternatives(condition.right)]
        return [condition]

    def latches(self, *written: Field | None, owner: ir.Expression | None = None) -> None:
        if self.closely or len(self.watched) > STREAMS - ASKED:
            super().latches(*written)
            return
        keys = {field.key for field in written if field is not None}
        for position, watched in enumerate(self.watched):
            if not watched & keys:
                continue
            alternatives = self.alternatives[position]
            if watched & self.fallen or any(self.can_fail(each) for each in alternatives):
                self.f.do(f"call void @latch_{position}(ptr %s)")
                continue
            met = tuple(n for n, each in enumerate(alternatives) if fields_read(each, self.game) & keys)
            single = next(iter(keys)) if owner is not None and len(keys) == 1 else None
            if not all(self.is_own(alternatives[n], single, owner) for n in met):
                single = None
            name = self.parts.setdefault((position, met, single), f"latch_{position}_{len(self.parts)}")
            given = f", i64 {self.emit(owner)}" if single is not None and owner is not None else ""
            self.f.do(f"call void @{name}(ptr %s{given})")

    def is_own(self, e: ir.Expression, key: tuple[str | None, str] | None, owner: ir.Expression | None) -> bool:
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
        return len(own) == len(reads) and not any(hides(part, self.game) for part in inside(e.body))

    def latch_text(self, number: int, latch: ir.Latch) -> str:
        """The whole condition."""
        if len(self.watched) > STREAMS - ASKED:
            return super().latch_text(number, latch)
        f = self.opened_latch(f"latch_{number}", [])
        self.ask(number, [latch.condition], whole=True)
        return f.text()

    def part_texts(self) -> list[str]:
        """What is asked after a change; all of it if that was never asked before."""
        return [self.part_text(part, name) for part, name in self.parts.items()]

    def part_text(self, part: LatchPart, name: str) -> str:
        number, met, single = part
        alternatives = [self.alternatives[number][n] for n in met]
        f = self.opened_latch(name, [] if single is None else [("i64", "%owner")])
        if single is not None:
            bodies = []
            for each in alternatives:
                assert isinstance(each, ir.Aggregate) and each.body is not None
                self.set_local(each.local, "%owner")
                bodies.append(each.body)
            alternatives = bodies
        first, later = f.block(), f.block()
        f.branch(f.compare("eq", f.load(self.asked_at(number), "i8", HEAD), "0"), first, later)
        f.begin(first)
        f.do(f"call void @latch_{number}(ptr %s) cold")
        f.leave()
        f.begin(later)
        self.ask(number, alternatives)
        return f.text()

    def opened_latch(self, name: str, more: list[tuple[str, str]]) -> Function:
        self.f, self.where = Function(name, [("ptr", "%s"), *more]), {}
        return self.f

    def asked_at(self, number: int) -> str:
        """Where it is noted that a latch was asked."""
        return self.f.part("%s", ASKED + number, Region(Access.ASKED, 1, ASKED + number))

    def ask(self, number: int, alternatives: list[ir.Expression], whole: bool = False) -> None:
        """It looks only outside of secret blocks, and only as long as it has not fallen."""
        f = self.f
        pointer, shape, tag = self.address(self.game.latches[number].field, None, ())
        seen, met, done = f.block(), f.block(), f.block()
        fallen = f.compare("ne", f.load(pointer, shape.unit, tag), "0")
        secret = f.compare("ne", self.head(SECRET), "0")
        f.branch(f.op(f"or i1 {fallen}, {secret}"), done, seen)
        f.begin(seen)
        if whole:
            f.store("1", self.asked_at(number), "i8", HEAD)
        for each in alternatives:
            on = f.block()
            f.branch(self.condition(each), met, on)
            f.begin(on)
        f.goto(done)
        f.begin(met)
        self.falls(number)
        f.store("1", pointer, shape.unit, tag)
        f.begin(done)
        f.leave()
