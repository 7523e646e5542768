"""What an inspected build does beside playing: it looks at what the rules say always holds, and counts what happens.

An invariant is looked at where the interpreter does so: after changes in a row, if it reads what they can have changed.
Counts lie in words as `chocolatl.interpreter.statistics.occurrences` has them; behind those, in half of a word each,
how often each entry occurred in the game at hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.analysis.endings import EndingNode
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import fields_read
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.expressions import FIRST_FIELD, HEAD
from chocolatl.interpreter.native.emit.questions import QuestionEmitter
from chocolatl.interpreter.native.emit.support import REPORTED
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import REPORT, SECRET, Memory, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.statistics.occurrences import WORD, AnswerPart, CountedChoice, Occurrences
from chocolatl.interpreter.translate.windows import declared

LANES = 8
"""So many entries are added to the sums at a time."""


def counted_bytes(occurrences: Occurrences | None) -> int:
    """How much memory the counts take, those of the game at hand included."""
    if occurrences is None:
        return 0
    return WORD * (occurrences.size + LANES * _groups(occurrences))


def _groups(occurrences: Occurrences) -> int:
    return -(-occurrences.entries // LANES)


class InspectionEmitter(QuestionEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.guarded = [fields_read(each.condition, self.game) for each in self.game.invariants]
        self.guards = closely
        """Whether invariants are looked at."""
        self.occurrences: Occurrences | None = None
        """What is counted, in a build that counts."""
        self.due: dict[int, None] = {}
        """Invariants that read what has been changed since they were last looked at."""

    # ------------------------------------------------------------ what always holds

    def hold(self, written: tuple[Field | None, ...], span: Span, following: ir.Block = ()) -> None:
        """After a statement: the invariants that are due, unless another change follows directly."""
        if not self.guards:
            return
        keys = {field.key for field in written if field is not None}
        latched = zip(self.game.latches, self.watched, strict=True)
        touched = keys | {latch.field.key for latch, watched in latched if watched & keys}
        self.due |= {position: None for position, read in enumerate(self.guarded) if read & touched}
        if following and isinstance(following[0], ir.Change):
            return
        for position in self.due:
            invariant = self.game.invariants[position]
            site = self.site(span, f"after this, {invariant.called} does not hold any more; see {invariant.place}")
            self.f.do(f"call void @invariant_{position}(ptr %s, i64 {site})")
        self.due = {}

    def invariant_texts(self) -> Iterator[str]:
        for position, invariant in enumerate(self.game.invariants if self.guards else ()):
            self.f, self.where = Function(f"invariant_{position}", [("ptr", "%s"), ("i64", "%site")]), {}
            f = self.f
            looked, broken, done = f.block(), f.block(), f.block()
            secret = f.load(f.part("%s", SECRET, head_word(SECRET)), tag=HEAD)
            f.branch(f.compare("eq", secret, "0"), looked, done)
            f.begin(looked)
            f.branch(self.condition(invariant.condition), done, broken)
            f.begin(broken)
            f.do("call void @fail(ptr %s, i64 %site, i64 0)")
            f.begin(done)
            f.leave()
            yield f.text()

    # ------------------------------------------------------------ counting

    @abstractmethod
    def counts(self) -> str:
        """Where the counts lie."""

    @property
    def counts_tag(self) -> str:
        return f", !tbaa !{FIRST_FIELD + 2 * len(self.memory.fields)}"

    def more(self, offset: int, position: str, unit: str, meant: Region, by: str = "1") -> None:
        """Add to a number among the counts."""
        f = self.f
        pointer = f.element(f.part(self.counts(), offset, meant), position, unit)
        f.store(f.add(f.load(pointer, unit, self.counts_tag), by), pointer, unit, self.counts_tag)

    def begun(self, procedure: str) -> None:
        """A procedure begins."""
        if self.occurrences is not None and procedure != self.game.main:
            self.occurred(str(self.occurrences.procedures[declared(procedure)]))

    def occurred(self, entry: str) -> None:
        assert self.occurrences is not None
        offset = WORD * self.occurrences.size
        self.more(offset, entry, "i32", Region(Access.OCCURRED, 4 * self.occurrences.entries, offset))

    def chosen(self, s: ir.Choice) -> tuple[CountedChoice, str] | None:
        """Count that a choice came up, if that is counted; and where its answers are."""
        if self.occurrences is None:
            return None
        asked, f = self.occurrences.asked[id(s)], self.f
        label = self.labelled(s) if asked.indices else "0"
        first = asked.entries[0]
        in_a_row = asked.entries == tuple(range(first, first + len(asked.entries)))
        self.occurred(f.add(label, str(first)) if in_a_row else self.entry(asked.entries, label))
        return asked, f.mul(label, str(asked.step))

    def count_value(self, asked: CountedChoice, at: str, part: AnswerPart, value: str, by: str = "1") -> None:
        """Count a value that is a part of an answer."""
        f = self.f
        assert self.occurrences is not None
        if part.cycle:
            own = f.op(f"urem i64 {f.op(f'udiv i64 {value}, {part.unit}')}, {part.cycle}")
            none = f.compare("slt", value, "0")
            value = f.select(none, str(part.type.none), f.add(own, str(part.type.low)))
        position = f.sub(value, str(part.first))
        if part.width > 1:
            position = f.op(f"udiv i64 {position}, {part.width}")
        words = 2 * self.occurrences.entries + asked.start
        every = Region(Access.ANSWERED, WORD * asked.step * len(asked.entries), WORD * words)
        self.more(WORD * (words + part.start), f.add(at, position), "i64", every, by)

    def count_picks(self, s: ir.Choose, values: list[str]) -> None:
        found = self.chosen(s)
        if found is not None:
            asked, at = found
            for part in asked.parts:
                self.count_value(asked, at, part, values[part.source])

    def count_list(self, s: ir.ChooseSet, array: str, count: str) -> None:
        """The elements of an answer are a list of kinds."""
        found = self.chosen(s)
        if found is None:
            return
        asked, at = found
        low = str(ir.set_type(s.source).element.low)
        for part in asked.parts:
            if part.source:
                self.count_value(asked, at, part, count)
            else:
                with self.counting("0", self.f.sub(count, "1")) as loop:
                    kind = self.f.load(self.f.element(array, loop.value))
                    self.count_value(asked, at, part, self.f.add(kind, low))

    def count_planes(self, s: ir.ChooseSet, chosen: list[str]) -> None:
        """The elements of an answer are planes of bits."""
        found = self.chosen(s)
        if found is None:
            return
        asked, at = found
        low = str(ir.set_type(s.source).element.low)
        for part in asked.parts:
            if part.source:
                self.count_value(asked, at, part, planes.size(self.f, chosen))
            else:
                with self.bits(planes.present(self.f, chosen)) as loop:
                    copies = planes.count(self.f, chosen, loop.value)
                    self.count_value(asked, at, part, self.f.add(loop.value, low), copies)

    # ------------------------------------------------------------ what ends

    def can_end(self, node: EndingNode) -> bool:
        """Whether it is counted how often this ends a game."""
        return self.occurrences is not None and id(node) in self.occurrences.ended

    def leave_when(self, condition: ir.Expression, node: ir.Stop | ir.Repeat, after: str, on: str) -> None:
        """Leave a loop if a condition holds."""
        f = self.f
        left = f.block() if self.can_end(node) else after
        f.branch(self.condition(condition), left, on)
        if left != after:
            f.begin(left)
            self.ended(node)
            f.goto(after)
        f.begin(on)

    def ended(self, node: EndingNode) -> None:
        """Count that this has come about, and which of its alternatives hold."""
        if self.occurrences is None or not self.can_end(node):
            return
        f, ended = self.f, self.occurrences.ended[id(node)]
        self.occurred(str(ended.entry))
        for entry, alternative in zip(ended.alternatives, ended.ending.alternatives, strict=False):
            held, after = f.block(), f.block()
            self.ask_harmlessly(alternative.condition, held, after)
            f.begin(held)
            self.occurred(str(entry))
            f.begin(after)

    def ask_harmlessly(self, condition: ir.Expression, held: str, after: str) -> None:
        """Branch by a condition that the rules need not have asked for, so that it must not fail for them. A game that
        has failed is not asked."""
        f = self.f
        if not self.can_fail(condition):
            f.branch(self.condition(condition), held, after)
            return
        report = f.load(f.part("%s", REPORT, head_word(REPORT)), tag=HEAD)
        ask, failed, fine = f.block(), f.block(), f.block()
        f.branch(f.op(f"call i1 @has_failed(i64 {report})"), after, ask)
        f.begin(ask)
        holds = self.condition(condition)
        f.branch(f.op(f"call i1 @has_failed(i64 {report})"), failed, fine)
        f.begin(failed)
        words = f.mean(f.op(f"inttoptr i64 {report} to ptr"), REPORTED)
        f.do(f"store volatile i64 0, ptr {words}")
        f.goto(after)
        f.begin(fine)
        f.branch(holds, held, after)

    def ending_texts(self) -> Iterator[str]:
        """What is done when a latch falls."""
        for position, latch in enumerate(self.game.latches if self.occurrences is not None else ()):
            self.f, self.where = Function(f"ended_{position}", [("ptr", "%s")]), {}
            self.ended(latch)
            self.f.leave()
            yield self.f.text()

    def falls(self, position: int) -> None:
        """The condition of a latch has come true."""
        if self.occurrences is not None:
            self.f.do(f"call void @ended_{position}(ptr %s)")

    # ------------------------------------------------------------ the end of a game

    def add_occurrences(self) -> None:
        """A game is over: what occurred in it goes to the sums."""
        if self.occurrences is None:
            return
        f, sums, tag = self.f, self.counts(), self.counts_tag
        entries, own, groups = self.occurrences.entries, self.occurrences.size, LANES * _groups(self.occurrences)
        squares = f.element(sums, str(entries), meant=Region(Access.OCCURRENCES, WORD * groups, WORD * entries))
        now = f.element(sums, str(own), meant=Region(Access.OCCURRED, 4 * groups, WORD * own))
        with self.counting("0", str(_groups(self.occurrences) - 1)) as loop:
            pointer = f.element(now, loop.value, f"<{LANES} x i32>")
            short = f.op(f"load <{LANES} x i32>, ptr {pointer}, align 4{tag}")
            f.do(f"store <{LANES} x i32> zeroinitializer, ptr {pointer}, align 4{tag}")
            times = f.op(f"zext <{LANES} x i32> {short} to <{LANES} x i64>")
            square = f.op(f"mul <{LANES} x i64> {times}, {times}")
            # Behind the last entry nothing is added to what lies there.
            for start, more in ((sums, times), (squares, square)):
                pointer = f.element(start, loop.value, f"<{LANES} x i64>")
                old = f.op(f"load <{LANES} x i64>, ptr {pointer}, align {WORD}{tag}")
                new = f.op(f"add <{LANES} x i64> {old}, {more}")
                f.do(f"store <{LANES} x i64> {new}, ptr {pointer}, align {WORD}{tag}")


def written(s: ir.Statement) -> tuple[Field | None, ...]:
    """The fields that a statement changes by itself. Those of a loop and of a call are not its own."""
    match s:
        case ir.Store() | ir.Award():
            return (s.target.field,)
        case ir.CopyZone():
            return (ir.field_of(s.target),)
        case ir.ChangeSet():
            return (ir.field_of(s.zone),)
        case ir.MoveElement() | ir.MoveAll() | ir.ChooseSet() | ir.Draw():
            return ir.field_of(s.source), ir.field_of(s.target)
        case ir.Choose():
            return tuple(pick.field.field for pick in s.picks if pick.field is not None)
        case ir.Roll():
            return (_rolled(s.target),)
        case ir.Secretly():
            return s.writes
        case ir.SetLocal() | ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Stop() | ir.Call() | ir.Contest():
            return ()
        case _:
            assert_never(s)


def _rolled(target: ir.Load | ir.Zone | None) -> Field | None:
    """The field that chance is for."""
    match target:
        case ir.Load() | ir.FieldZone():
            return target.field
        case ir.LocalZone() | None:
            return None
        case _:
            assert_never(target)
