"""What can be asked and done where a game waits: who answers, which answers are legal, and storing one.

Each stop has functions of its own, known by its place in the program:

    who_7(s)                   the player, or -1 where chance speaks for nobody
    labels_7(s, out)           the values of the index of a choice
    legal_7(s, wanted, out)    see `legal_one` and `legal_several`
    store_7(s, answer, count)  store an answer or an outcome
    draw_7(s)                  draw one with the random numbers of whom it concerns, and store it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.waits import SuspensionPoint, Waiting
from chocolatl.interpreter.native.emit.expressions import FRAMES
from chocolatl.interpreter.native.emit.questions import NotedStop as Noted
from chocolatl.interpreter.native.emit.stepwise import StepwiseEmitter
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import Multiset, Scalar


def words_told(s: ir.Choice) -> int:
    """How many words tell of legal answers."""
    match s:
        case ir.Choose():
            return len(s.picks)
        case ir.ChooseSet():
            return 2 + ir.set_type(s.source).element.size
        case _:
            assert_never(s)


COUNT, FIND = -1, -2
"""What is wanted of legal answers, if not the one with a number."""


class StopEmitter(StepwiseEmitter):
    def stop_texts(self, stop: SuspensionPoint) -> Iterator[str]:
        node = stop.node
        if isinstance(node, ir.Secretly):
            return
        yield self.who(stop, node)
        yield self.store(stop, node)
        yield self.draw_and_store(stop, node)
        match node:
            case ir.Choose():
                yield self.labels(stop, node)
                yield self.legal_one(stop, node)
            case ir.ChooseSet():
                yield self.labels(stop, node)
                yield self.legal_several(stop, node)
            case ir.Roll() | ir.Draw():
                pass
            case _:
                assert_never(node)

    def open(
        self, name: str, stop: SuspensionPoint, given: tuple[tuple[str, str], ...] = (), result: str = "void"
    ) -> Function:
        """A function at a stop. Picks are variables in it: only the answer goes into their slots."""
        self.f = Function(f"{name}_{stop.pc}", [("ptr", "%s"), *given], result)
        self.frame = self.layout.frames[stop.procedure]
        self.where, self.plain, self.loose = {}, True, set()
        if isinstance(stop.node, ir.Choose):
            self.loose = {pick.local.number for pick in stop.node.picks}
        return self.f

    def picks(self, s: ir.Choose) -> list[str]:
        return [self.f.load(self.pointer(pick.local)) for pick in s.picks]

    def who(self, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
        f = self.open("who", stop, result="i64")
        match s:
            case ir.Choose() | ir.ChooseSet():
                f.leave(f"i64 {self.chooser(s)}")
            case ir.Roll() | ir.Draw():
                f.leave(f"i64 {self.owner(s)}")
            case _:
                assert_never(s)
        return f.text()

    def labels(self, stop: SuspensionPoint, s: ir.Choice) -> str:
        f = self.open("labels", stop, (("ptr", "%out"),))
        f.mean("%out", Region(Access.ASKED_FOR, 8 * len(s.indices)))
        for position, index in enumerate(s.indices):
            f.store(self.emit(index), f.element("%out", str(position)))
        f.leave()
        return f.text()

    # ------------------------------------------------------------ legal answers

    def legal_one(self, stop: SuspensionPoint, s: ir.Choose) -> str:
        """How many answers there are (`COUNT`); the number of the one in `out` or -1 (`FIND`); or the answer with a
        number into `out`, and that number."""
        f = self.open("legal", stop, (("i64", "%wanted"), ("ptr", "%out")), "i64")
        f.mean("%out", Region(Access.ASKED_FOR, 8 * words_told(s)))
        count, found, last = f.variable(), f.block(), f.block()
        f.store("0", count)
        finding = f.compare("eq", "%wanted", str(FIND))

        def hit(number: str, values: list[str]) -> str:
            """Whether an answer is the one that is looked for."""
            same = finding
            for position, value in enumerate(values):
                given = f.load(f.element("%out", str(position)))
                same = f.op(f"and i1 {same}, {f.compare('eq', given, value)}")
            return f.op(f"or i1 {same}, {f.compare('eq', number, '%wanted')}")

        with self.combinations(s):
            number, on = f.load(count), f.block()
            f.branch(hit(number, self.picks(s)), found, on)
            f.begin(on)
            f.change(count, "1")
        if s.optional:
            self.set_picks(s, lambda type_: type_.none)
            f.branch(hit(f.load(count), self.picks(s)), found, last)
            f.begin(last)
            f.change(count, "1")
        f.leave(f"i64 {f.select(f.compare('eq', '%wanted', str(COUNT)), f.load(count), '-1')}")
        f.begin(found)
        for position, value in enumerate(self.picks(s)):
            f.store(value, f.element("%out", str(position)))
        f.leave(f"i64 {f.load(count)}")
        return f.text()

    def legal_several(self, stop: SuspensionPoint, s: ir.ChooseSet) -> str:
        """Into `out`: the least and the most that may be taken, and the copies of each kind that may be among them."""
        f = self.open("legal", stop, (("i64", "%wanted"), ("ptr", "%out")), "i64")
        f.mean("%out", Region(Access.ASKED_FOR, 8 * words_told(s)))
        type_ = ir.set_type(s.source).element
        source, shape, tag = self.zone(s.source)
        f.do(f"call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {8 * (2 + type_.size)}, i1 false)")
        with self.kinds(source, shape, tag) as loop:
            if s.where is not None:
                self.set_local(s.element, f.add(loop.value, str(type_.low)))
                fitting = f.block()
                f.branch(self.condition(s.where), fitting, loop.next)
                f.begin(fitting)
            copies = f.element("%out", "2", meant=Region(Access.ASKED_FOR, 8 * type_.size, 16))
            f.store(loop.copies, f.element(copies, loop.value))
        for position, bound in enumerate((s.least, s.most)):  # after what can be chosen, as the interpreter has it
            f.store(self.emit(bound), f.element("%out", str(position)))
        f.leave("i64 0")
        return f.text()

    # ------------------------------------------------------------ answers and outcomes

    def store(self, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
        """A function that stores what is given: elements of a zone by their kinds, all else as it is."""
        f = self.open("store", stop, (("ptr", "%answer"), ("i64", "%count")))
        match s:
            case ir.Choose():
                f.mean("%answer", Region(Access.GIVEN, 8 * len(s.picks)))
                for position, pick in enumerate(s.picks):
                    self.set_local(pick.local, f.load(f.element("%answer", str(position))))
                self.asked()
                self.store_answer(s)
                self.keep_picks(s)
            case ir.ChooseSet():
                self.asked()
                self.store_several(s, "%answer", "%count")
            case ir.Roll() if isinstance(s.local.type, Multiset):
                self.store_rolled(s, "%answer", "%count")
            case ir.Roll():
                self.store_one_rolled(s, f.load("%answer"))
            case ir.Draw():
                self.store_drawn(s, f.load("%answer"))
            case _:
                assert_never(s)
        f.leave()
        return f.text()

    def draw_and_store(self, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
        f = self.open("draw", stop)
        super(StepwiseEmitter, self).carry_out(s)  # as where nobody waits for an answer
        if isinstance(s, ir.Choose):
            self.keep_picks(s)
        f.leave()
        return f.text()

    def keep_picks(self, s: ir.Choose) -> None:
        assert self.frame is not None
        for pick, value in zip(s.picks, self.picks(s), strict=True):
            assert isinstance(pick.local.type, Scalar)
            self.f.store(value, self.at_slot(self.frame.locals[pick.local.number]), tag=FRAMES)

    def stop(self, s: Waiting) -> Noted:
        return Noted(-1, s, self.procedure)

    def _note(
        self, stop: Noted, who: str, indices: tuple[ir.Expression, ...], room: int, put: Callable[[str], str]
    ) -> None:
        """Nobody watches a game that goes on from a position."""
