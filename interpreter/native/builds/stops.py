"""What can be asked and done where a game waits (a suspension point): who answers, which answers are legal, and storing
one.

Each stop has functions of its own, known by its place in the program:

    who_7(s)                   the player, or -1 where chance speaks for nobody
    labels_7(s, out)           the values of the index of a choice
    legal_7(s, wanted, out)    see `legal_one_text` and `legal_several_text`
    store_7(s, answer, count)  store an answer or an outcome
    draw_7(s)                  draw one with the random numbers of whom it concerns, and store it
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.native.builds.statement_table import STATEMENTS
from chocolatl.interpreter.native.emit.context import FRAMES, EmitContext
from chocolatl.interpreter.native.emit.decisions.chance import chance_owner
from chocolatl.interpreter.native.emit.decisions.combinations import legal_combinations, set_picks, store_answer
from chocolatl.interpreter.native.emit.decisions.decisions import store_drawn, store_one_rolled, store_rolled
from chocolatl.interpreter.native.emit.decisions.several import store_several
from chocolatl.interpreter.native.emit.frames import at_slot, local_pointer, set_local
from chocolatl.interpreter.native.emit.statements.events import chooser, count_decision
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_kind
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.zones import zone_address
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


def first_kind(s: ir.Choice | ir.ChanceNode) -> int:
    """What is taken off each part of an answer when it is stored: elements of a zone are given by their kinds, all else
    as it is."""
    match s:
        case ir.ChooseSet() | ir.Draw():
            return ir.set_type(s.source).element.low
        case ir.Choose() | ir.Roll():
            return 0
        case _:
            assert_never(s)


def stop_texts(context: EmitContext, stop: SuspensionPoint) -> Iterator[str]:
    node = stop.node
    if isinstance(node, ir.Secretly):
        return
    yield who_text(context, stop, node)
    yield store_text(context, stop, node)
    yield draw_text(context, stop, node)
    match node:
        case ir.Choose():
            yield labels_text(context, stop, node)
            yield legal_one_text(context, stop, node)
        case ir.ChooseSet():
            yield labels_text(context, stop, node)
            yield legal_several_text(context, stop, node)
        case ir.Roll() | ir.Draw():
            pass
        case _:
            assert_never(node)


def open_stop(
    context: EmitContext,
    name: str,
    stop: SuspensionPoint,
    given: tuple[tuple[str, str], ...] = (),
    result: str = "void",
) -> Function:
    """A function at a stop. Picks are variables in it: only the answer goes into their slots."""
    context.open(Function(f"{name}_{stop.pc}", [("ptr", "%s"), *given], result))
    context.frame = context.layout.frames[stop.procedure]
    context.plain, context.loose = True, set()
    if isinstance(stop.node, ir.Choose):
        context.loose = {pick.local.number for pick in stop.node.picks}
    return context.f


def pick_values(context: EmitContext, s: ir.Choose) -> list[str]:
    return [context.f.load(local_pointer(context, pick.local)) for pick in s.picks]


def who_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
    f = open_stop(context, "who", stop, result="i64")
    match s:
        case ir.Choose() | ir.ChooseSet():
            f.leave(f"i64 {chooser(context, s)}")
        case ir.Roll() | ir.Draw():
            f.leave(f"i64 {chance_owner(context, s)}")
        case _:
            assert_never(s)
    return f.text()


def labels_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choice) -> str:
    f = open_stop(context, "labels", stop, (("ptr", "%out"),))
    f.mean("%out", Region(Access.ASKED_FOR, 8 * len(s.indices)))
    for position, index in enumerate(s.indices):
        f.store(emit(context, index), f.element("%out", str(position)))
    f.leave()
    return f.text()


def legal_one_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choose) -> str:
    """How many answers there are (`COUNT`); the number of the one in `out` or -1 (`FIND`); or the answer with a
    number into `out`, and that number."""
    f = open_stop(context, "legal", stop, (("i64", "%wanted"), ("ptr", "%out")), "i64")
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

    with legal_combinations(context, s):
        number, on = f.load(count), f.block()
        f.branch(hit(number, pick_values(context, s)), found, on)
        f.begin(on)
        f.change(count, "1")
    if s.optional:
        set_picks(context, s, lambda type_: type_.none)
        f.branch(hit(f.load(count), pick_values(context, s)), found, last)
        f.begin(last)
        f.change(count, "1")
    f.leave(f"i64 {f.select(f.compare('eq', '%wanted', str(COUNT)), f.load(count), '-1')}")
    f.begin(found)
    for position, value in enumerate(pick_values(context, s)):
        f.store(value, f.element("%out", str(position)))
    f.leave(f"i64 {f.load(count)}")
    return f.text()


def legal_several_text(context: EmitContext, stop: SuspensionPoint, s: ir.ChooseSet) -> str:
    """Into `out`: the least and the most that may be taken, and the copies of each kind that may be among them."""
    f = open_stop(context, "legal", stop, (("i64", "%wanted"), ("ptr", "%out")), "i64")
    f.mean("%out", Region(Access.ASKED_FOR, 8 * words_told(s)))
    type_ = ir.set_type(s.source).element
    source, shape, tag = zone_address(context, s.source)
    f.do(f"call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {8 * (2 + type_.size)}, i1 false)")
    with each_kind(context, source, shape, tag) as loop:
        if s.where is not None:
            set_local(context, s.element, f.add(loop.value, str(type_.low)))
            fitting = f.block()
            f.branch(emit_condition(context, s.where), fitting, loop.next)
            f.begin(fitting)
        copies = f.element("%out", "2", meant=Region(Access.ASKED_FOR, 8 * type_.size, 16))
        f.store(loop.copies, f.element(copies, loop.value))
    for position, bound in enumerate((s.least, s.most)):  # after what can be chosen, as the interpreter has it
        f.store(emit(context, bound), f.element("%out", str(position)))
    f.leave("i64 0")
    return f.text()


def store_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
    """A function that stores what is given: elements of a zone by their kinds, all else as it is."""
    f = open_stop(context, "store", stop, (("ptr", "%answer"), ("i64", "%count")))
    match s:
        case ir.Choose():
            f.mean("%answer", Region(Access.GIVEN, 8 * len(s.picks)))
            for position, pick in enumerate(s.picks):
                set_local(context, pick.local, f.load(f.element("%answer", str(position))))
            count_decision(context)
            store_answer(context, s)
            keep_picks(context, s)
        case ir.ChooseSet():
            count_decision(context)
            store_several(context, s, "%answer", "%count")
        case ir.Roll() if isinstance(s.local.type, Multiset):
            store_rolled(context, s, "%answer", "%count")
        case ir.Roll():
            store_one_rolled(context, s, f.load("%answer"))
        case ir.Draw():
            store_drawn(context, s, f.load("%answer"))
        case _:
            assert_never(s)
    f.leave()
    return f.text()


def draw_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choice | ir.ChanceNode) -> str:
    f = open_stop(context, "draw", stop)
    kind = s.__class__
    context.build.draws.get(kind, STATEMENTS[kind])(context, s)  # as where nobody waits for an answer
    if isinstance(s, ir.Choose):
        keep_picks(context, s)
    f.leave()
    return f.text()


def keep_picks(context: EmitContext, s: ir.Choose) -> None:
    assert context.frame is not None
    for pick, value in zip(s.picks, pick_values(context, s), strict=True):
        assert isinstance(pick.local.type, Scalar)
        context.f.store(value, at_slot(context, context.frame.locals[pick.local.number]), tag=FRAMES)
