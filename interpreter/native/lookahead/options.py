"""The answers that are tried, numbered, drawn and written down in native code (combinatorial unranking).

    many(s, told, table)                                how many answers there are; -1: more than are numbered here
    numbers(random, count, most, out)                   the numbers of those that are tried, as they go up; how many
    options(s, numbers, count, told, table, out)        these answers, each with its length in front
    width(s)                                            how many words an answer takes there

It is what `chocolatl.interpreter.players.lookahead.candidates` does. `told` and `table` are room, for what is told of
legal answers and for how many there are of each length from each kind on.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.native.builds.driver import at_stops
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stops import COUNT, FIND, open_stop, pick_values, words_told
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.combinations import legal_combinations, set_picks
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.lookahead.desk import MOST_OPTIONS, Desk, ways, width_of

MANY = (("ptr", "%told"), ("ptr", "%table"))
WRITTEN = (("ptr", "%numbers"), ("i64", "%count"), *MANY, ("ptr", "%out"))

MOST_NUMBERED = 1 << 48
"""More answers than this are not numbered."""

SHORT = 1 << 16
"""The number of one of so many answers is drawn with one random number, else with two."""


def option_texts(states: StateAccess, desk: Desk) -> Iterator[str]:
    context = states.context
    for stop in states.choices:
        match stop.node:
            case ir.Choose() as s:
                yield many_combinations_text(context, stop, s)
                yield written_combinations_text(context, stop, s)
            case ir.ChooseSet() as s:
                yield many_sets_text(context, stop, s)
                yield written_sets_text(context, stop, s, desk)
        yield width_text(context, stop)
    yield at_stops(states, "many", states.choices, MANY, "i64")
    yield at_stops(states, "options", states.choices, WRITTEN)
    yield at_stops(states, "width", states.choices, result="i64")
    yield numbers_text(context)


def width_text(context: EmitContext, stop: SuspensionPoint) -> str:
    f = open_stop(context, "width", stop, result="i64")
    assert isinstance(stop.node, (ir.Choose, ir.ChooseSet))
    f.leave(f"i64 {width_of(stop.node, context.game)}")
    return f.text()


def numbers_text(context: EmitContext) -> str:
    """All numbers if there are no more, else some drawn, each once."""
    context.frame = None
    given = [("ptr", "%random"), ("i64", "%count"), ("i64", "%most"), ("ptr", "%out")]
    f = context.open(Function("numbers", given, "i64"))
    f.mean("%out", Region(Access.LIST, 8 * MOST_OPTIONS))
    few, drawn, kept = f.block(), f.block(), f.variable()
    f.branch(f.compare("sle", "%count", "%most"), few, drawn)
    f.begin(few)
    with counting(context, "0", f.sub("%count", "1")) as loop:
        f.store(loop.value, f.element("%out", loop.value))
    f.leave("i64 %count")
    f.begin(drawn)
    with counting(context, "0", f.sub("%most", "1")) as loop:
        f.store(_below(f), f.element("%out", loop.value))
    f.do("call void @sort(ptr %out, i64 %most)")
    f.store("1", kept)
    with counting(context, "1", f.sub("%most", "1")) as loop:
        number, other = f.load(f.element("%out", loop.value)), f.block()
        before = f.load(f.element("%out", f.sub(f.load(kept), "1")))
        f.branch(f.compare("ne", number, before), other, loop.next)
        f.begin(other)
        f.store(number, f.element("%out", f.load(kept)))
        f.change(kept, "1")
    f.leave(f"i64 {f.load(kept)}")
    return f.text()


def _below(f: Function) -> str:
    """As `chocolatl.interpreter.players.lookahead.below` draws it."""
    short, long, done, found = f.block(), f.block(), f.block(), f.variable()
    whole = f"call i64 @below(ptr %random, i64 {1 << 32})"
    first = f.op(whole)
    f.branch(f.compare("slt", "%count", str(SHORT)), short, long)
    f.begin(short)
    f.store(f.op(f"lshr i64 {f.mul(first, '%count')}, 32"), found)
    f.goto(done)
    f.begin(long)
    both = f.op(f"or i64 {f.op(f'shl i64 {first}, 32')}, {f.op(whole)}")
    wide, count = f.op(f"zext i64 {both} to i128"), f.op("zext i64 %count to i128")
    high = f.op(f"lshr i128 {f.op(f'mul i128 {wide}, {count}')}, 64")
    f.store(f.op(f"trunc i128 {high} to i64"), found)
    f.begin(done)
    return f.load(found)


# ---------------------------------------------------------------- one element, or a joint choice


def many_combinations_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choose) -> str:
    f = open_stop(context, "many", stop, MANY, "i64")
    f.leave(f"i64 {f.op(f'call i64 @legal_{stop.pc}(ptr %s, i64 {COUNT}, ptr %told)')}")
    return f.text()


def written_combinations_text(context: EmitContext, stop: SuspensionPoint, s: ir.Choose) -> str:
    """All are run through once; those with the numbers that are wanted are written down."""
    f = open_stop(context, "options", stop, WRITTEN)
    f.mean("%numbers", Region(Access.LIST, 8 * MOST_OPTIONS))
    width = width_of(s, context.game)
    f.mean("%out", Region(Access.OPTIONS, 8 * width * MOST_OPTIONS))
    seen, written, done = f.variable(), f.variable(), f.block()
    f.store("0", seen)
    f.store("0", written)

    def write_if_wanted() -> None:
        number, next_ = f.load(seen), f.load(written)
        wanted, on = f.block(), f.block()
        f.change(seen, "1")
        f.branch(f.compare("eq", f.load(f.element("%numbers", next_)), number), wanted, on)
        f.begin(wanted)
        words = f.mul(next_, str(width))
        for position, value in enumerate([str(width - 1), *pick_values(context, s)]):
            f.store(value, f.op(f"getelementptr i64, ptr %out, i64 {f.add(words, str(position))}"))
        f.branch(f.compare("sge", f.change(written, "1"), "%count"), done, on)
        f.begin(on)

    with legal_combinations(context, s):
        write_if_wanted()
    if s.optional:
        set_picks(context, s, lambda type_: type_.none)
        write_if_wanted()
    f.begin(done)
    f.leave()
    return f.text()


# ---------------------------------------------------------------- several elements


def _ways(context: EmitContext, s: ir.ChooseSet, kind: str, size: str) -> str:
    """Where it stands how many answers of a size there are from a kind on."""
    length = ways(s, context.game) // (1 + ir.set_type(s.source).element.size)
    at = context.f.add(context.f.mul(kind, str(length)), size)
    return context.f.op(f"getelementptr i64, ptr %table, i64 {at}")


def _open_several(context: EmitContext, stop: SuspensionPoint, s: ir.ChooseSet) -> str:
    """The copies of each kind that may be chosen."""
    f = context.f
    f.mean("%told", Region(Access.ASKED_FOR, 8 * words_told(s)))
    f.mean("%table", Region(Access.WAYS, 8 * ways(s, context.game)))
    return f.element("%told", "2", meant=Region(Access.ASKED_FOR, 8 * (words_told(s) - 2), 16))


def many_sets_text(context: EmitContext, stop: SuspensionPoint, s: ir.ChooseSet) -> str:
    """`told` has the least, the most that are possible, and the copies of each kind."""
    f = open_stop(context, "many", stop, MANY, "i64")
    copies = _open_several(context, stop, s)
    kinds = ir.set_type(s.source).element.size
    f.do(f"call i64 @legal_{stop.pc}(ptr %s, i64 {FIND}, ptr %told)")
    held, possible, none = f.variable(), f.block(), f.block()
    f.store("0", held)
    with counting(context, "0", str(kinds - 1)) as loop:
        f.change(held, f.load(f.element(copies, loop.value)))
    size = f.load(held)
    least, most = f.load("%told"), f.load(f.element("%told", "1"))
    for low, high in (("0", least), (least, most), (least, size)):
        on = f.block()
        f.branch(f.compare("sle", low, high), on, none)
        f.begin(on)
    f.goto(possible)
    f.begin(none)
    f.leave("i64 0")
    f.begin(possible)
    most = f.minimum(most, size)
    f.store(most, f.element("%told", "1"))
    with counting(context, "0", most) as number:
        f.store(f.widen(f.compare("eq", number.value, "0")), _ways(context, s, str(kinds), number.value))
    with counting(context, "1", str(kinds)) as back:
        kind = f.sub(str(kinds), back.value)
        there, after = f.load(f.element(copies, kind)), f.add(kind, "1")
        with counting(context, "0", most) as number:
            total = f.variable()
            f.store("0", total)
            with counting(context, "0", f.minimum(there, number.value)) as taken:
                f.change(total, f.load(_ways(context, s, after, f.sub(number.value, taken.value))))
            f.store(f.minimum(f.load(total), str(MOST_NUMBERED)), _ways(context, s, kind, number.value))
    every = f.variable()
    f.store("0", every)
    with counting(context, least, most) as number:
        of_size = f.load(_ways(context, s, "0", number.value))
        f.store(f.minimum(f.add(f.load(every), of_size), str(MOST_NUMBERED)), every)
    f.leave(f"i64 {f.select(f.compare('eq', f.load(every), str(MOST_NUMBERED)), '-1', f.load(every))}")
    return f.text()


def written_sets_text(context: EmitContext, stop: SuspensionPoint, s: ir.ChooseSet, desk: Desk) -> str:
    """By size, then as sorted lists: more of a lower kind come first."""
    f = open_stop(context, "options", stop, WRITTEN)
    f.mean("%numbers", Region(Access.LIST, 8 * MOST_OPTIONS))
    width = width_of(s, context.game)
    f.mean("%out", Region(Access.OPTIONS, 8 * width * MOST_OPTIONS))
    copies = _open_several(context, stop, s)
    least, last = f.load("%told"), ir.set_type(s.source).element.size - 1
    place, size, taken, length = (f.variable() for _ in range(4))
    with counting(context, "0", f.sub("%count", "1")) as option:
        f.store(f.load(f.element("%numbers", option.value)), place)
        f.store(least, size)
        again, longer, right = f.block(), f.block(), f.block()
        f.begin(again)
        of_size = f.load(_ways(context, s, "0", f.load(size)))
        f.branch(f.compare("sge", f.load(place), of_size), longer, right)
        f.begin(longer)
        f.change(place, f.sub("0", of_size))
        f.change(size, "1")
        f.goto(again)
        f.begin(right)
        words = f.op(f"getelementptr i64, ptr %out, i64 {f.mul(option.value, str(width))}")
        f.store(f.load(size), words)
        f.store("0", length)
        with counting(context, "0", str(last)) as kind:
            more, fewer, found = f.block(), f.block(), f.block()
            f.store(f.minimum(f.load(f.element(copies, kind.value)), f.load(size)), taken)
            f.begin(more)
            rest = f.sub(f.load(size), f.load(taken))
            number = f.load(_ways(context, s, f.add(kind.value, "1"), rest))
            f.branch(f.compare("sge", f.load(place), number), fewer, found)
            f.begin(fewer)
            f.change(place, f.sub("0", number))
            f.change(taken, "-1")
            f.goto(more)
            f.begin(found)
            with counting(context, "1", f.load(taken)):
                f.store(kind.value, f.op(f"getelementptr i64, ptr {words}, i64 {f.change(length, '1')}"))
            f.store(rest, size)
    f.leave()
    return f.text()
