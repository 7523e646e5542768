"""Counting what happens in games: what comes up, what is answered, what ends a game (profiling counters).

Counts lie in words as `chocolatl.interpreter.statistics.occurrences` has them; behind those, in half of a word each,
how often each entry occurred in the game at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.analysis.endings import EndingNode
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import can_fail
from chocolatl.interpreter.native.emit.context import FIRST_FIELD, HEAD, EmitContext
from chocolatl.interpreter.native.emit.statements.events import label_number
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting, each_bit
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import REPORT, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.runtime.reports import REPORTED
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


def counts_tag(context: EmitContext) -> str:
    return f", !tbaa !{FIRST_FIELD + 2 * len(context.memory.fields)}"


def add_to_count(context: EmitContext, offset: int, position: str, unit: str, meant: Region, by: str = "1") -> None:
    """Add to a number among the counts."""
    f = context.f
    pointer = f.element(f.part(context.build.counts(context), offset, meant), position, unit)
    f.store(f.add(f.load(pointer, unit, counts_tag(context)), by), pointer, unit, counts_tag(context))


def count_beginning(context: EmitContext, procedure: str) -> None:
    """A procedure begins."""
    if context.occurrences is not None and procedure != context.game.main:
        count_occurrence(context, str(context.occurrences.procedures[declared(procedure)]))


def count_occurrence(context: EmitContext, entry: str) -> None:
    assert context.occurrences is not None
    offset = WORD * context.occurrences.size
    add_to_count(context, offset, entry, "i32", Region(Access.OCCURRED, 4 * context.occurrences.entries, offset))


def count_choice(context: EmitContext, s: ir.Choice) -> tuple[CountedChoice, str] | None:
    """Count that a choice came up, if that is counted; and where its answers are."""
    if context.occurrences is None:
        return None
    asked, f = context.occurrences.asked[id(s)], context.f
    label = label_number(context, s) if asked.indices else "0"
    first = asked.entries[0]
    in_a_row = asked.entries == tuple(range(first, first + len(asked.entries)))
    count_occurrence(context, f.add(label, str(first)) if in_a_row else table_entry(context, asked.entries, label))
    return asked, f.mul(label, str(asked.step))


def count_value(
    context: EmitContext, asked: CountedChoice, at: str, part: AnswerPart, value: str, by: str = "1"
) -> None:
    """Count a value that is a part of an answer."""
    f = context.f
    assert context.occurrences is not None
    if part.cycle:
        own = f.op(f"urem i64 {f.op(f'udiv i64 {value}, {part.unit}')}, {part.cycle}")
        none = f.compare("slt", value, "0")
        value = f.select(none, str(part.type.none), f.add(own, str(part.type.low)))
    position = f.sub(value, str(part.first))
    if part.width > 1:
        position = f.op(f"udiv i64 {position}, {part.width}")
    words = 2 * context.occurrences.entries + asked.start
    every = Region(Access.ANSWERED, WORD * asked.step * len(asked.entries), WORD * words)
    add_to_count(context, WORD * (words + part.start), f.add(at, position), "i64", every, by)


def count_picks(context: EmitContext, s: ir.Choose, values: list[str]) -> None:
    found = count_choice(context, s)
    if found is not None:
        asked, at = found
        for part in asked.parts:
            count_value(context, asked, at, part, values[part.source])


def count_list(context: EmitContext, s: ir.ChooseSet, array: str, count: str) -> None:
    """The elements of an answer are a list of kinds."""
    found = count_choice(context, s)
    if found is None:
        return
    asked, at = found
    low = str(ir.set_type(s.source).element.low)
    for part in asked.parts:
        if part.source:
            count_value(context, asked, at, part, count)
        else:
            with counting(context, "0", context.f.sub(count, "1")) as loop:
                kind = context.f.load(context.f.element(array, loop.value))
                count_value(context, asked, at, part, context.f.add(kind, low))


def count_planes(context: EmitContext, s: ir.ChooseSet, chosen: list[str]) -> None:
    """The elements of an answer are planes of bits."""
    found = count_choice(context, s)
    if found is None:
        return
    asked, at = found
    low = str(ir.set_type(s.source).element.low)
    for part in asked.parts:
        if part.source:
            count_value(context, asked, at, part, planes.size(context.f, chosen))
        else:
            with each_bit(context, planes.present(context.f, chosen)) as loop:
                copies = planes.count(context.f, chosen, loop.value)
                count_value(context, asked, at, part, context.f.add(loop.value, low), copies)


def can_end(context: EmitContext, node: EndingNode) -> bool:
    """Whether it is counted how often this ends a game."""
    return context.occurrences is not None and id(node) in context.occurrences.ended


def leave_when(context: EmitContext, condition: ir.Expression, node: ir.Stop | ir.Repeat, after: str, on: str) -> None:
    """Leave a loop if a condition holds."""
    f = context.f
    left = f.block() if can_end(context, node) else after
    f.branch(emit_condition(context, condition), left, on)
    if left != after:
        f.begin(left)
        count_ending(context, node)
        f.goto(after)
    f.begin(on)


def count_ending(context: EmitContext, node: EndingNode) -> None:
    """Count that this has come about, and which of its alternatives hold."""
    if context.occurrences is None or not can_end(context, node):
        return
    f, ended = context.f, context.occurrences.ended[id(node)]
    count_occurrence(context, str(ended.entry))
    for entry, alternative in zip(ended.alternatives, ended.ending.alternatives, strict=False):
        held, after = f.block(), f.block()
        ask_harmlessly(context, alternative.condition, held, after)
        f.begin(held)
        count_occurrence(context, str(entry))
        f.begin(after)


def ask_harmlessly(context: EmitContext, condition: ir.Expression, held: str, after: str) -> None:
    """Branch by a condition that the rules need not have asked for, so that it must not fail for them. A game that
    has failed is not asked."""
    f = context.f
    if not can_fail(context, condition):
        f.branch(emit_condition(context, condition), held, after)
        return
    report = f.load(f.part("%s", REPORT, head_word(REPORT)), tag=HEAD)
    ask, failed, fine = f.block(), f.block(), f.block()
    f.branch(f.op(f"call i1 @has_failed(i64 {report})"), after, ask)
    f.begin(ask)
    holds = emit_condition(context, condition)
    f.branch(f.op(f"call i1 @has_failed(i64 {report})"), failed, fine)
    f.begin(failed)
    words = f.mean(f.op(f"inttoptr i64 {report} to ptr"), REPORTED)
    f.do(f"store volatile i64 0, ptr {words}")
    f.goto(after)
    f.begin(fine)
    f.branch(holds, held, after)


def ending_texts(context: EmitContext) -> Iterator[str]:
    """What is done when a latch falls."""
    for position, latch in enumerate(context.game.latches if context.occurrences is not None else ()):
        context.open(Function(f"ended_{position}", [("ptr", "%s")]))
        count_ending(context, latch)
        context.f.leave()
        yield context.f.text()


def latch_falls(context: EmitContext, position: int) -> None:
    """The condition of a latch has come true."""
    if context.occurrences is not None:
        context.f.do(f"call void @ended_{position}(ptr %s)")


def add_occurrences(context: EmitContext) -> None:
    """A game is over: what occurred in it goes to the sums."""
    if context.occurrences is None:
        return
    f, sums, tag = context.f, context.build.counts(context), counts_tag(context)
    entries, own, groups = context.occurrences.entries, context.occurrences.size, LANES * _groups(context.occurrences)
    squares = f.element(sums, str(entries), meant=Region(Access.OCCURRENCES, WORD * groups, WORD * entries))
    now = f.element(sums, str(own), meant=Region(Access.OCCURRED, 4 * groups, WORD * own))
    with counting(context, "0", str(_groups(context.occurrences) - 1)) as loop:
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
