"""Answers compared in many worlds in one call of native code (rollouts with common random numbers).

    rows(s, player, plan, ...)    a row for each world, with what each of several answers has come to; or that the rules
                                  `FAILED` or an answer was `UNFIT`

World number n is dealt with the random numbers of game n of a seed; in a secret block all others answer with them, at
random. All answers are tried in it with the random numbers of another seed, and played on to a horizon. Of the end it
is told whether the game is over, the round, the scores, and what the player has of things that are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_SEALED, END_OF_START
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import AT, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.dealing import dealing_texts
from chocolatl.interpreter.native.lookahead.deciding import copy_privates, round_of, score_of
from chocolatl.interpreter.native.lookahead.trying import FAILED, HORIZON, UNFIT, is_secret, trying_texts

ROWS = (
    ("i64", "%player"), ("ptr", "%plan"), ("i64", "%planned"), ("ptr", "%room"), ("i64", "%shuffled"),
    ("ptr", "%given"), ("i64", "%answered"), ("ptr", "%options"), ("i64", "%listed"), ("i64", "%width"),
    ("i64", "%seed"), ("i64", "%luck"), ("i64", "%first"), ("i64", "%count"), *HORIZON, ("i1", "%rounds"),
    ("ptr", "%out"), ("i64", "%words"),
)  # fmt: skip
"""What `rows` is given after the state. An option is as many answers as it has words for; `width` is that of each, with
the number of these words in front. `luck` is what the seed of a world is from that of what follows."""


@dataclass(frozen=True)
class CountedThing:
    """Something that is counted at an end, for the player in `player`."""

    player: ir.Local
    what: ir.Expression


def rows_texts(states: StateAccess, counted: Sequence[CountedThing]) -> Iterator[str]:
    yield from dealing_texts(states)
    yield from trying_texts(states)
    for number, thing in enumerate(counted):
        f = states.open(f"counted_{number}", (("i64", "%player"),), "i64")
        set_local(states.context, thing.player, "%player")
        f.leave(f"i64 {emit(states.context, thing.what)}")
        yield f.text()
    yield others_text(states)
    yield answers_text(states)
    yield told_text(states, len(counted))
    yield rows_text(states, told(states.players, len(counted)))


def told(players: int, counted: int) -> int:
    """How many words tell of an end."""
    return 2 + players + counted


def others_text(states: StateAccess) -> str:
    """In a secret block all others answer at random, by seat, with the same random numbers."""
    f = states.open("others", (("i64", "%player"), ("ptr", "%random")))
    done = f.block()
    with states.each_player() as (seat, own):
        other, again, ask, draw = (f.block() for _ in range(4))
        next_ = f.block()
        f.branch(f.compare("eq", seat, "%player"), next_, other)
        f.begin(other)
        streams = states.word(own, STREAMS + 16, states.memory.streams.of_players)
        mine = f.element(streams, seat, "[16 x i8]", Region(Access.STREAM, 16))
        f.begin(again)
        f.branch(f.compare("eq", states.get(own, AT), str(END_OF_SEALED)), next_, ask)
        f.begin(ask)
        f.branch(states.has_failed(), done, draw)
        f.begin(draw)
        states.copy(mine, "%random", 16)
        states.call("draw", own)
        states.copy("%random", mine, 16)
        states.call("advance", own)
        f.goto(again)
        f.begin(next_)
    f.begin(done)
    f.leave()
    return f.text()


def answers_text(states: StateAccess) -> str:
    """Answers of a player, one after the other, as players give them, each with its length in front: `UNFIT`, `FAILED`
    or 0."""
    given = (("i64", "%player"), ("ptr", "%answers"), ("i64", "%words"), ("ptr", "%room"), ("i1", "%secret"))
    f = states.open("answers", given, "i64")
    at, state = f.variable(), f.variable("ptr")
    own, common, begin = f.block(), f.block(), f.block()
    again, more, fitting, unfit, on, failed, done = (f.block() for _ in range(7))
    f.store("0", at)
    f.branch("%secret", own, common)
    for block, where in ((own, "own"), (common, "%s")):
        f.begin(block)
        pointer = states.private("%player") if where == "own" else where
        f.do(f"store ptr {pointer}, ptr {state}")
        f.goto(begin)
    f.begin(begin)
    f.begin(again)
    f.branch(f.compare("slt", f.load(at), "%words"), more, done)
    f.begin(more)
    asked = f.mean(f.op(f"load ptr, ptr {state}"), Region(Access.STATE, states.size))
    length = f.load(f.op(f"getelementptr i64, ptr %answers, i64 {f.load(at)}"))
    low = f.op(f"call i64 @low(ptr {asked})")
    with counting(states.context, "1", length) as loop:
        value = f.load(f.op(f"getelementptr i64, ptr %answers, i64 {f.add(f.load(at), loop.value)}"))
        f.store(f.sub(value, low), f.op(f"getelementptr i64, ptr %room, i64 {f.sub(loop.value, '1')}"))
    f.branch(f.compare("eq", f.op(f"call i64 @fits(ptr {asked}, ptr %room, i64 {length})"), "1"), fitting, unfit)
    f.begin(unfit)
    f.leave(f"i64 {UNFIT}")
    f.begin(fitting)
    states.call("apply", "%s", "i64 %player", "ptr %room", f"i64 {length}")
    f.branch(states.has_failed(), failed, on)
    f.begin(on)
    f.change(at, f.add(length, "1"))
    f.goto(again)
    f.begin(failed)
    f.leave(f"i64 {FAILED}")
    f.begin(done)
    f.leave("i64 0")
    return f.text()


def told_text(states: StateAccess, counted: int) -> str:
    """What is told of an end."""
    f = states.open("told", (("i64", "%player"), ("ptr", "%out")))
    words = told(states.players, counted)
    f.mean("%out", Region(Access.SUMS, 8 * words))
    at = states.get("%s", AT)
    over = f.op(f"or i1 {f.compare('eq', at, str(END_OF_GAME))}, {f.compare('eq', at, str(END_OF_START))}")
    f.store(f.widen(over), "%out")
    f.store(round_of(states, "%s"), f.element("%out", "1"))
    for seat in range(states.players):
        f.store(score_of(states, "%s", str(seat)), f.element("%out", str(2 + seat)))
    for number in range(counted):
        value = f.op(f"call i64 @counted_{number}(ptr %s, i64 %player)")
        f.store(value, f.element("%out", str(2 + states.players + number)))
    f.leave()
    return f.text()


def rows_text(states: StateAccess, words: int) -> str:
    f = states.open("rows", ROWS, "i64", how="")
    f.mean("%s", Region(Access.STATE, 3 * states.whole))
    for pointer, kind, number in (
        ("%plan", Access.PLAN, "%planned"), ("%room", Access.ROOM, "%shuffled"), ("%given", Access.GIVEN, "%answered"),
        ("%options", Access.OPTIONS, "%listed"), ("%out", Access.SUMS, "%words"),
    ):  # fmt: skip
        f.mean(pointer, Region(kind, 8, times=number))
    context, whole = states.context, states.whole
    world = states.word("%s", whole, Region(Access.WORLD, whole, whole))
    trial = states.word("%s", 2 * whole, Region(Access.TRIAL, whole, 2 * whole))
    random = f.variable("[16 x i8]", Access.STREAM)
    failed, unfit, out = f.block(), f.block(), f.variable()
    options = f.op("sdiv i64 %listed, %width")
    f.store("0", out)
    with counting(context, "0", f.sub("%count", "1")) as row:
        number = f.op(f"add i64 %first, {row.value}")
        common = f.element(world, "0", "i8", Region(Access.WORLD, states.size, 0))
        states.copy(common, states.state(states.size), states.size)
        f.do(f"call void @seed(ptr {random}, i64 %seed, i64 {number}, i64 0)")
        states.call("deal", world, "i64 %player", "ptr %plan", "ptr %room", f"ptr {random}")
        opened = f.op(f"call i64 @reopen(ptr {world}, i64 %player, ptr %given, i64 %answered, ptr %room)")
        _leave_if(states, f.compare("ne", opened, "0"), unfit)
        _leave_if(states, states.has_failed(), failed)
        secret, apart, ready = is_secret(states, world), f.block(), f.block()
        f.branch(secret, apart, ready)
        f.begin(apart)
        states.call("others", world, "i64 %player", f"ptr {random}")
        f.begin(ready)
        _leave_if(states, states.has_failed(), failed)
        luck = f.op(f"add i64 {f.op(f'add i64 %seed, {number}')}, %luck")
        states.call("scatter", world, f"i64 {luck}", f"i1 {secret}")
        round_ = round_of(states, world)
        with counting(context, "0", f.sub(options, "1")) as option:
            states.copy(f.element(trial, "0", "i8", Region(Access.TRIAL, states.size, 0)), common, states.size)
            copy_privates(states, trial, world, secret)
            start = f.op(f"getelementptr i64, ptr %options, i64 {f.mul(option.value, '%width')}")
            given = f"ptr {f.op(f'getelementptr i64, ptr {start}, i64 1')}, i64 {f.load(start)}, ptr %room, i1 {secret}"
            result = f.op(f"call i64 @answers(ptr {trial}, i64 %player, {given})")
            _leave_if(states, f.compare("eq", result, str(UNFIT)), unfit)
            _leave_if(states, f.compare("eq", result, str(FAILED)), failed)
            still = is_secret(states, trial)
            horizon = ("i64 %least", "i64 %most", "i1 %rounds", f"i64 {round_}", f"i1 {still}")
            states.call("play_on", trial, *horizon)
            _leave_if(states, states.has_failed(), failed)
            states.call("told", trial, "i64 %player", f"ptr {f.op(f'getelementptr i64, ptr %out, i64 {f.load(out)}')}")
            _leave_if(states, states.has_failed(), unfit)  # nobody may want to know what could not be counted
            f.change(out, str(words))
    f.leave("i64 0")
    f.begin(failed)
    f.leave(f"i64 {FAILED}")
    f.begin(unfit)
    f.leave(f"i64 {UNFIT}")
    return f.text()


def _leave_if(states: StateAccess, condition: str, then: str) -> None:
    on = states.f.block()
    states.f.branch(condition, then, on)
    states.f.begin(on)
