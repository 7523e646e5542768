"""What a policy drew, written down by native code: a row for each draw, into arrays of numpy (tracing)."""

from __future__ import annotations

import numpy as np

from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head
from chocolatl.interpreter.native.layout.memory import DECISIONS, REPORT, SECRET
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.policy.features import NativePolicy, at, control, scale_common, weights_of
from chocolatl.interpreter.native.policy.lanes import EVERYBODY
from chocolatl.interpreter.native.policy.layout import TRACE_WORDS, PolicyLayout
from chocolatl.interpreter.policy.trace import STRETCH, decision_type, moment_type


def place(type_: np.dtype[np.void], name: str) -> int:
    """Where a field lies in a row."""
    fields = type_.fields
    assert fields is not None
    return int(fields[name][1])


def round_text(context: EmitContext, policy: NativePolicy) -> str:
    """Where a round begins, the contexts of all players are written down."""
    f, layout, form = context.open(Function("policy_moment", [("ptr", "%s")])), policy.layout, policy.form
    base = control(context)
    trace, look, done = f.load(at(context, base, layout.trace)), f.block(), f.block()
    f.branch(f.compare("ne", trace, "0"), look, done)
    f.begin(look)
    rounds = context.memory.places.get((None, "round"))
    if rounds is not None:
        now = f.load(f.part("%s", rounds.offset, rounds.cell(0)), rounds.shape.unit)
    else:
        now = f.op(f"sdiv i64 {load_head(context, DECISIONS)}, {STRETCH * form.game.player_count}")
    stretch, new = at(context, base, layout.stretch), f.block()
    f.branch(f.compare("ne", now, f.load(stretch)), new, done)
    f.begin(new)
    f.store(now, stretch)
    held = f.op(f"inttoptr i64 {trace} to ptr")
    words = at(context, held, TRACE_WORDS * len(form.tables))
    type_ = moment_type(form)
    computed, ready = f.block(), f.block()
    f.branch(f.compare("ne", load_head(context, SECRET), "0"), ready, computed)
    f.begin(computed)
    f.do(f"call void @policy_values(ptr %s, i64 {EVERYBODY})")
    f.begin(ready)
    for seat in range(form.game.player_count):
        row = _row(context, held, words, type_.itemsize, done, policy)
        inside, outside, on = f.block(), f.block(), f.block()
        f.branch(f.compare("ne", load_head(context, SECRET), "0"), inside, outside)
        f.begin(inside)
        entry = at(context, base, layout.entry + seat * layout.entry_step)
        x = at(context, row, place(type_, "x"))
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {x}, ptr {entry}, i64 {2 * len(form.common)}, i1 false)")
        f.goto(on)
        f.begin(outside)
        weights = f.op(f"inttoptr i64 {weights_of(context, base, str(seat))} to ptr")
        x = at(context, row, place(type_, "x"))
        scale_common(context, policy, base, str(seat), weights, at(context, base, layout.context))
        source = at(context, base, layout.context)
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {x}, ptr {source}, i64 {2 * len(form.common)}, i1 false)")
        f.begin(on)
        f.store(f.load(at(context, base, layout.game)), at(context, row, place(type_, "game")), "i32")
        f.store(f.load(at(context, base, layout.order)), at(context, row, place(type_, "order")), "i32")
        f.store(str(seat), at(context, row, place(type_, "seat")), "i16")
        f.store(now, at(context, row, place(type_, "round")), "i16")
    f.begin(done)
    f.leave()
    return f.text()


def _row(context: EmitContext, trace: str, words: str, size: int, full: str, policy: NativePolicy) -> str:
    """A new row, by the words that say where rows lie, how many there are and how many there is room for; else it goes
    on where there is none."""
    f = context.f
    count_at = at(context, words, 8)
    count, room = f.load(count_at), f.load(at(context, words, 16))
    fits, over = f.block(), f.block()
    f.branch(f.compare("slt", count, room), fits, over)
    f.begin(over)
    f.store("1", at(context, trace, TRACE_WORDS * len(policy.form.tables) + 24))
    f.goto(full)
    f.begin(fits)
    f.store(f.add(count, "1"), count_at)
    rows = f.op(f"load ptr, ptr {words}")
    return f.op(f"getelementptr [{size} x i8], ptr {rows}, i64 {count}")


def table_words(context: EmitContext, policy: NativePolicy, trace: str, table: str) -> str:
    return context.f.op(f"getelementptr [{TRACE_WORDS} x i8], ptr {trace}, i64 {table}")


def note_texts(context: EmitContext, policy: NativePolicy) -> list[str]:
    """For each choice, and each question of how many, a function that writes a row."""
    texts = [round_text(context, policy)]
    for site in policy.wanted.values():
        for first in (site.first, site.sizes):
            if first >= 0:
                texts.append(_note(context, policy, first))
    return texts


def _note(context: EmitContext, policy: NativePolicy, first: int) -> str:
    given = [
        ("ptr", "%s"), ("i64", "%me"), ("i64", "%table"), ("i64", "%legal"), ("i64", "%taken"), ("i64", "%answers"),
        ("ptr", "%x"),
    ]  # fmt: skip
    f, layout = context.open(Function(f"policy_note_{first}", given)), policy.layout
    table = policy.form.tables[first]
    type_, base = decision_type(table), control(context)
    done = f.block()
    trace = f.op(f"inttoptr i64 {f.load(at(context, base, layout.trace))} to ptr")
    words = table_words(context, policy, trace, "%table")
    row = _row(context, trace, words, type_.itemsize, done, policy)

    def put(name: str, value: str, unit: str) -> None:
        f.store(value, at(context, row, place(type_, name)), unit)

    put("legal", "%legal", "i64")
    put("total", f.load(at(context, base, layout.total)), "i64")
    if table.constants is None:
        listed_at = at(context, words, 32)
        listed = f.load(listed_at)
        put("first", listed, "i64")
        f.store(f.add(listed, "%answers"), listed_at)
    else:
        put("first", "0", "i64")
    put("game", f.load(at(context, base, layout.game)), "i32")
    put("taken", "%taken", "i32")
    order_at = at(context, base, layout.order)
    order = f.load(order_at)
    put("order", order, "i32")
    f.store(f.add(order, "1"), order_at)
    put("weight", f.load(at(context, base, layout.weight)), "i32")
    put("answers", "%answers", "i32")
    put("seat", "%me", "i16")
    put("round", f.load(at(context, base, layout.stretch)), "i16")
    for name, source, count in (
        ("y", at(context, base, layout.multipliers), len(table.multipliers)),
        ("x", "%x", len(table.features)),
    ):
        target = at(context, row, place(type_, name))
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {2 * count}, i1 false)")
    f.begin(done)
    f.leave()
    return f.text()


def keep_answer(context: EmitContext, policy: NativePolicy, base: str, first: int, table: str, number: str) -> None:
    """The terms of a listed answer, among those of its table."""
    f, layout = context.f, policy.layout
    size = 2 * len(policy.form.tables[first].terms)
    trace = f.op(f"inttoptr i64 {f.load(at(context, base, layout.trace))} to ptr")
    words = table_words(context, policy, trace, table)
    position = f.add(f.load(at(context, words, 32)), number)
    fits, over, done = f.block(), f.block(), f.block()
    f.branch(f.compare("slt", position, f.load(at(context, words, 40))), fits, over)
    f.begin(over)
    f.store("1", at(context, trace, TRACE_WORDS * len(policy.form.tables) + 24))
    f.goto(done)
    f.begin(fits)
    rows = f.op(f"load ptr, ptr {at(context, words, 24)}")
    target = f.op(f"getelementptr [{size} x i8], ptr {rows}, i64 {position}")
    source = at(context, base, layout.answer)
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")
    f.begin(done)


def driver_text(context: EmitContext, policy: NativePolicy) -> str:
    """Many games with a trace: how many were played before one failed or there was too little room. Of each the scores
    are written down, and who won."""
    layout: PolicyLayout = policy.layout
    players = policy.form.game.player_count
    given = [("ptr", "%s"), ("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("ptr", "%ends")]
    f = context.open(Function("traced", given, "i64", how=""))
    base = control(context)
    room = f.variable(f"[{1 + 2 * players} x i64]")
    number, head, body, done = f.variable(), f.block(), f.block(), f.block()
    f.store("0", number)
    f.begin(head)
    now = f.load(number)
    f.branch(f.compare("slt", now, "%count"), body, done)
    f.begin(body)
    f.store(now, at(context, base, layout.game))
    f.store("-1", at(context, base, layout.stretch))
    f.store("0", at(context, base, layout.order))
    f.do(f"call void @play(ptr %s, i64 %seed, i64 {f.op(f'add i64 %first, {now}')})")
    f.do(f"call void @winners(ptr %s, ptr {room})")
    fine, over = f.block(), f.block()
    f.branch(f.op(f"call i1 @has_failed(i64 {load_head(context, REPORT)})"), done, fine)
    f.begin(fine)
    trace = f.op(f"inttoptr i64 {f.load(at(context, base, layout.trace))} to ptr")
    flag = f.load(at(context, trace, TRACE_WORDS * len(policy.form.tables) + 24))
    f.branch(f.compare("ne", flag, "0"), done, over)
    f.begin(over)
    row = f.op(f"getelementptr [{16 * players} x i8], ptr %ends, i64 {now}")
    run = context.memory.places[context.game.score.key]
    for seat in range(players):
        score = f.load(f.part("%s", run.offset + seat * run.shape.size, run.cell(seat)), run.shape.unit)
        f.store(score, at(context, row, 8 * seat))
        f.store("0", at(context, row, 8 * (players + seat)))
    for position in range(players):
        ranked, first, on = f.block(), f.block(), f.block()
        f.branch(f.compare("slt", str(position), f.load(room)), ranked, on)
        f.begin(ranked)
        rank = f.load(at(context, room, 8 * (1 + players + position)))
        f.branch(f.compare("eq", rank, "1"), first, on)
        f.begin(first)
        who = f.load(at(context, room, 8 * (1 + position)))
        won = f.op(f"getelementptr i64, ptr {at(context, row, 8 * players)}, i64 {who}")
        f.store("1", won)
        f.begin(on)
    f.store(f.add(now, "1"), number)
    f.goto(head)
    f.begin(done)
    f.leave(f"i64 {f.load(number)}")
    return f.text()
