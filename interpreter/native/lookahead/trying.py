"""An answer tried in a world: whether it is legal there, the secret block up to it, and random play after it
(rollouts)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.driver import ANSWER, at_stops
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stops import FIND, first_kind, words_told
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region

FAILED, UNFIT = -1, -2
"""The rules failed; an option was no legal answer in a world, which must not be stored."""

HORIZON = (("i64", "%least"), ("i64", "%most"))


def trying_texts(states: StateAccess) -> Iterator[str]:
    for stop in states.choices:
        assert isinstance(stop.node, (ir.Choose, ir.ChooseSet))
        yield fits_text(states, stop.pc, stop.node)
        yield low_text(states, stop.pc, stop.node)
    yield at_stops(states, "fits", states.choices, ANSWER, "i64")
    yield at_stops(states, "low", states.choices, result="i64")
    yield reopen_text(states)
    yield scatter_text(states)
    yield attempt_text(states)


def fits_text(states: StateAccess, place: int, s: ir.Choice) -> str:
    """Whether an answer is legal: 1 or 0. It is given as it is stored."""
    f = states.open(f"fits_{place}", ANSWER, "i64")
    match s:
        case ir.Choose():
            number = f.op(f"call i64 @legal_{place}(ptr %s, i64 {FIND}, ptr %answer)")
            f.leave(f"i64 {f.widen(f.compare('sge', number, '0'))}")
        case ir.ChooseSet():
            told, wrong = f.variable(f"[{words_told(s)} x i64]", Access.ASKED_FOR), f.block()
            f.do(f"call i64 @legal_{place}(ptr %s, i64 {FIND}, ptr {told})")
            for how, bound in (("sge", "0"), ("sle", "1")):
                on = f.block()
                f.branch(f.compare(how, "%count", f.load(f.element(told, bound))), on, wrong)
                f.begin(on)
            kinds = f.element(told, "2", meant=Region(Access.ASKED_FOR, 8 * (words_told(s) - 2), 16))
            with counting(states.context, "0", f.sub("%count", "1")) as loop:
                copies = f.element(kinds, f.load(f.op(f"getelementptr i64, ptr %answer, i64 {loop.value}")))
                f.branch(f.compare("sge", f.change(copies, "-1"), "0"), loop.next, wrong)
                f.closed = True
            f.leave("i64 1")
            f.begin(wrong)
            f.leave("i64 0")
        case _:
            assert_never(s)
    return f.text()


def low_text(states: StateAccess, place: int, s: ir.Choice) -> str:
    """What is taken off each part of an answer when it is stored."""
    f = states.open(f"low_{place}", result="i64")
    f.leave(f"i64 {first_kind(s)}")
    return f.text()


def reopen_text(states: StateAccess) -> str:
    """In a secret block everybody is back at its beginning, and only the player has answered: `UNFIT`, or 0. Answers
    are given as players give them, each with its length in front."""
    f = states.open("reopen", (("i64", "%player"), ("ptr", "%given"), ("i64", "%answered"), ("ptr", "%room")), "i64")
    secret = f.block()
    states.when(states.secret, secret)
    f.leave("i64 0")
    f.begin(secret)
    states.call("enter", "%s")
    own, at = states.private("%player"), f.variable()
    f.store("0", at)
    again, more, done, fitting, unfit = (f.block() for _ in range(5))
    f.begin(again)
    f.branch(f.compare("slt", f.load(at), "%answered"), more, done)
    f.begin(more)
    length = f.load(f.op(f"getelementptr i64, ptr %given, i64 {f.load(at)}"))
    low = f.op(f"call i64 @low(ptr {own})")
    with counting(states.context, "1", length) as loop:
        value = f.load(f.op(f"getelementptr i64, ptr %given, i64 {f.add(f.load(at), loop.value)}"))
        f.store(f.sub(value, low), f.op(f"getelementptr i64, ptr %room, i64 {f.sub(loop.value, '1')}"))
    fits = f.op(f"call i64 @fits(ptr {own}, ptr %room, i64 {length})")
    f.branch(f.compare("eq", fits, "1"), fitting, unfit)
    f.begin(fitting)
    states.call("store", own, "ptr %room", f"i64 {length}")
    states.call("advance", own)
    f.change(at, f.add(length, "1"))
    f.goto(again)
    f.begin(unfit)
    f.leave(f"i64 {UNFIT}")
    f.begin(done)
    f.leave("i64 0")
    return f.text()


def scatter_text(states: StateAccess) -> str:
    """The random numbers of a seed for chance and everybody, in the private copies of a secret block as well."""
    f = states.open("scatter", (("i64", "%seed"), ("i1", "%secret")))
    for stream in range(states.players + 1):
        at = states.word("%s", STREAMS + 16 * stream, states.memory.streams.meant(stream))
        f.do(f"call void @seed(ptr {at}, i64 %seed, i64 0, i64 {stream})")
    apart, done = f.block(), f.block()
    f.branch("%secret", apart, done)
    f.begin(apart)
    every = Region(Access.STREAM, states.memory.streams.size, STREAMS)
    with states.each_player() as (_, own):
        states.copy(states.word(own, STREAMS, every), states.word("%s", STREAMS, every), states.memory.streams.size)
    f.begin(done)
    f.leave()
    return f.text()


def is_secret(states: StateAccess, state: str) -> str:
    """Whether a state stands at a secret block."""
    f, found = states.f, states.f.variable()
    f.store("1", found)
    blocks, other = states.switch([stop.pc for stop in states.secret], state)
    end = f.block()
    for block in blocks.values():
        f.begin(block)
        f.goto(end)
    f.begin(other)
    f.store("0", found)
    f.begin(end)
    return f.compare("ne", f.load(found), "0")


def attempt_text(states: StateAccess) -> str:
    """An option is tried in a trial and played on: `UNFIT`, `FAILED`, or 0."""
    given = (("i64", "%player"), *ANSWER, *HORIZON, ("i64", "%round"), ("i1", "%secret"))
    f = states.open("attempt", given, "i64")
    fitting, unfit, fine, failed, found = *(f.block() for _ in range(4)), f.variable()
    own, common, asked = f.block(), f.block(), f.block()
    f.branch("%secret", own, common)
    for block in (own, common):
        f.begin(block)
        state = states.private("%player") if block == own else "%s"
        f.store(f.op(f"call i64 @fits(ptr {state}, ptr %answer, i64 %count)"), found)
        f.goto(asked)
    f.begin(asked)
    f.branch(f.compare("eq", f.load(found), "1"), fitting, unfit)
    f.begin(unfit)
    f.leave(f"i64 {UNFIT}")
    f.begin(fitting)
    states.call("apply", "%s", "i64 %player", "ptr %answer", "i64 %count")
    on = f.block()
    f.branch(states.has_failed(), failed, on)
    f.begin(on)
    is_open = is_secret(states, "%s")
    states.call("play_on", "%s", "i64 %least", "i64 %most", "i1 true", "i64 %round", f"i1 {is_open}")
    f.branch(states.has_failed(), failed, fine)
    f.begin(failed)
    f.leave(f"i64 {FAILED}")
    f.begin(fine)
    f.leave("i64 0")
    return f.text()
