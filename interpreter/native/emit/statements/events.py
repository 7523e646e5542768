"""Random numbers, decisions and events: who draws, what is noted for those who watch (event log)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import add_site, fail
from chocolatl.interpreter.native.emit.context import HEAD, EmitContext, NotedStop
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit
from chocolatl.interpreter.native.layout.memory import DECISIONS, LOG, STREAMS, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region


def stream_of(context: EmitContext, player: str) -> str:
    """The random numbers of a player; -1 is chance."""
    f, streams = context.f, context.memory.streams
    if player == "-1":
        return f.part("%s", STREAMS + streams.at(0), streams.meant(0))
    start = f.part("%s", STREAMS + streams.first_player, streams.of_players)
    return f.element(start, player, f"[{streams.apart} x i8]", Region(Access.STREAM, streams.apart))


def draw_below(context: EmitContext, stream: str, count: str) -> str:
    return context.f.op(f"call i64 @below(ptr {stream}, i64 {count})")


def note_values(
    context: EmitContext, stop: NotedStop, who: str, indices: tuple[ir.Expression, ...], values: list[str]
) -> None:
    """An event of so many values, for those who watch."""
    context.build.note(context, stop, who, indices, len(values), lambda at: put_values(context, values, at))


def note_list(
    context: EmitContext,
    stop: NotedStop,
    who: str,
    indices: tuple[ir.Expression, ...],
    array: str,
    count: str,
    room: int,
) -> None:
    """An event of several elements, sorted."""

    def put(at: str) -> str:
        f = context.f
        f.do(f"call void @sort(ptr {array}, i64 {count})")
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {at}, ptr {array}, i64 {f.mul(count, '8')}, i1 false)")
        return count

    context.build.note(context, stop, who, indices, room, put)


def put_values(context: EmitContext, values: list[str], at: str) -> str:
    for position, value in enumerate(values):
        context.f.store(value, context.f.element(at, str(position)))
    return str(len(values))


def write_event(
    context: EmitContext,
    stop: NotedStop,
    who: str,
    indices: tuple[ir.Expression, ...],
    room: int,
    put: Callable[[str], str],
) -> None:
    """Stop, player, number of values, indices, values; skipped unless somebody watches. Whoever watches brings the
    room to put them together in, so that the stack need not have it for each event."""
    f = context.f
    watched, after = f.block(), f.block()
    log = f.load(f.part("%s", LOG, head_word(LOG)), tag=HEAD)
    f.branch(f.compare("ne", log, "0"), watched, after)
    f.begin(watched)
    head = 3 + len(indices)
    context.longest = max(context.longest, head + room)
    control = f.mean(f.op(f"inttoptr i64 {log} to ptr"), Region(Access.LOG_PLACE, 24))
    words = f.op(f"load ptr, ptr {f.element(control, '2', meant=Region(Access.LOG_PLACE, 8, 16))}")
    f.mean(words, Region(Access.EVENT, 8 * (head + room)))
    # Only the values of an event are asked for by name, so that an index may be any expression.
    shown = [emit(context, index) for index in indices]
    count = put(f.element(words, str(head), meant=Region(Access.EVENT, 8 * room, 8 * head)))
    for position, word in enumerate([str(stop.number), who, count, *shown]):
        f.store(word, f.element(words, str(position)))
    f.do(f"call void @note(i64 {log}, ptr {words}, i64 {f.add(count, str(head))})")
    f.begin(after)


def chooser(context: EmitContext, s: ir.Choice) -> str:
    return checked(context, s.player, context.game.domains["player"].type, "who chooses")


def count_decision(context: EmitContext, times: int = 1) -> None:
    """One more decision was made, or so many."""
    f = context.f
    pointer = f.part("%s", DECISIONS, head_word(DECISIONS))
    f.store(f.add(f.load(pointer, tag=HEAD), str(times)), pointer, tag=HEAD)


def label_number(context: EmitContext, s: ir.Choice) -> str:
    """The number of the value that the index of a choice has, among all that it can have."""
    f, found = context.f, "0"
    for index in s.indices:
        low, high = index.type.bounds
        found = f.add(f.mul(found, str(high - low + 1)), f.sub(emit(context, index), str(low)))
    return found


def fail_unanswered(context: EmitContext, s: ir.Choice) -> None:
    """There is no legal answer; the failure tells the index."""
    site = add_site(context, s.span, "there is no legal answer for `{}`")
    context.unanswered[site] = s
    fail(context, site, label_number(context, s))
