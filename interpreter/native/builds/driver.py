"""What runs a game that can be left at any decision (a trampoline): from stop to stop, through secret blocks, at random
to a horizon.

    settle(s)                              go on until a decision, until chance has to speak, or to the end
    run(s)                                 the same, and let chance speak
    apply(s, player, answer, count)        store an answer or, at chance, an outcome, then settle
    play_on(s, least, most, rounds, ...)   everybody answers at random, up to a horizon
    play(s, seed, index)                   a whole game of a series, from the state that lies behind this one
    who(s), labels(s, out), legal(s, wanted, out)   what is asked where a state stands, see `stops`

`s` is the common position, or a private copy for what asks about a player in a secret block.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_START
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.native.builds.secret_copies import (
    enter_text,
    finish_text,
    is_open_text,
    join_text,
    look_around,
)
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stops import words_told
from chocolatl.interpreter.native.layout.memory import AT, DECISIONS, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region

ANSWER = (("ptr", "%answer"), ("i64", "%count"))
WANTED = (("i64", "%wanted"), ("ptr", "%out"))


def driver_texts(states: StateAccess) -> Iterator[str]:
    """The functions that all procedures and stops are reached by."""
    yield advance_text(states)
    yield at_stops(states, "who", states.asking, result="i64", how="")
    choices = [stop.node for stop in states.choices if isinstance(stop.node, (ir.Choose, ir.ChooseSet))]
    labels = max((len(node.indices) for node in choices), default=0)
    yield at_stops(states, "labels", states.choices, (("ptr", "%out"),), how="", told=labels)
    legal = max(map(words_told, choices), default=0)
    yield at_stops(states, "legal", states.choices, WANTED, "i64", how="", told=legal)
    yield at_stops(states, "store", states.asking, ANSWER, leaves=True)
    yield at_stops(states, "draw", states.asking, leaves=True)
    yield enter_text(states)
    yield join_text(states)
    yield is_open_text(states)
    yield settle_text(states)
    yield run_text(states)
    yield apply_text(states)
    yield finish_text(states)
    yield play_on_text(states)
    yield play_text(states)


def at_stops(
    states: StateAccess, name: str, stops: list[SuspensionPoint], given: tuple[tuple[str, str], ...] = (),
    result: str = "void", how: str = "internal", leaves: bool = False, told: int | None = None,
) -> str:  # fmt: skip
    """One function for all stops, by the place where the state stands; `leaves`: it then stands after the stop."""
    f = states.open(name, given, result, how)
    if not how:
        f.mean("%s", Region(Access.STATE, states.size))  # the common one, or that of a player
    if told is not None:
        f.mean("%out", Region(Access.ASKED_FOR, 8 * told))
    arguments = ", ".join(["ptr %s", *(f"{type_} {argument}" for type_, argument in given)])
    blocks, other = states.switch([stop.pc for stop in stops])
    for stop in stops:
        f.begin(blocks[stop.pc])
        call = f"call {result} @{name}_{stop.pc}({arguments})"
        found = ""
        if result == "void":
            f.do(call)
        else:
            found = f.op(call)
        if leaves:
            states.put("%s", AT, str(stop.after))
        f.leave(f"{result} {found}".strip())
    f.begin(other)
    f.leave(f"{result} -1" if result != "void" else result)
    return f.text()


def advance_text(states: StateAccess) -> str:
    """One procedure after the other, up to a place where the game waits or ends."""
    f = states.open("advance")
    again = f.block()
    f.begin(again)
    owners = {place: name for name, places in states.context.stepping.entered.items() for place in places}
    blocks, other = states.switch(list(owners))
    for place, name in owners.items():
        f.begin(blocks[place])
        following = f.op(f"call i64 @steps_{states.context.procedures[name]}(ptr %s, i64 {place})")
        states.put("%s", AT, following)
        f.goto(again)
    f.begin(other)
    f.leave()
    return f.text()


def settle_text(states: StateAccess) -> str:
    f = states.open("settle", how="")
    again, secret, joined, done = f.block(), f.block(), f.block(), f.block()
    f.begin(again)
    states.call("advance", "%s")
    states.when(states.secret, secret)
    f.goto(done)
    f.begin(secret)
    states.call("enter", "%s")
    f.branch(f.op("call i1 @is_open(ptr %s)"), done, joined)
    f.begin(joined)
    states.call("join", "%s")
    f.goto(again)
    f.begin(done)
    f.leave()
    return f.text()


def run_text(states: StateAccess) -> str:
    f = states.open("run", how="")
    again, chance, speak, done = f.block(), f.block(), f.block(), f.block()
    f.begin(again)
    states.call("settle", "%s")
    states.when(states.chances, chance)
    f.goto(done)
    f.begin(chance)
    f.branch(states.has_failed(), done, speak)
    f.begin(speak)
    states.call("draw", "%s")
    f.goto(again)
    f.begin(done)
    f.leave()
    return f.text()


def apply_text(states: StateAccess) -> str:
    f = states.open("apply", (("i64", "%player"), *ANSWER), how="")
    f.mean("%answer", Region(Access.GIVEN, 8, times="%count"))
    secret, last, done = f.block(), f.block(), f.block()
    given = [f"{type_} {name}" for type_, name in ANSWER]
    states.when(states.secret, secret)
    states.call("store", "%s", *given)
    states.call("settle", "%s")
    f.leave()
    f.begin(secret)
    own = states.private("%player")
    states.call("store", own, *given)
    states.call("advance", own)
    f.branch(f.op("call i1 @is_open(ptr %s)"), done, last)
    f.begin(last)
    states.call("join", "%s")
    states.call("settle", "%s")
    f.begin(done)
    f.leave()
    return f.text()


def play_on_text(states: StateAccess) -> str:
    """As `chocolatl.interpreter.play.playout` does it. Without a limit `most` is -1; `round` is the one that has to
    end; `open` says whether a secret block is under way: at a horizon it has not been entered."""
    given = (("i64", "%least"), ("i64", "%most"), ("i1", "%rounds"), ("i64", "%round"), ("i1", "%open"))
    f = states.open("play_on", given, how="")
    before = f.variable()
    f.store("%round", before)
    states.put("%s", DECISIONS, "0")
    begun, again, look, secret, done = (f.block() for _ in range(5))
    f.branch("%open", begun, again)
    f.begin(begun)
    leave_if_far_enough(states, before, done)  # the round may have ended before the block began
    look_around(states)
    with states.each_player() as (_, own):
        states.put(own, DECISIONS, "0")
    states.call("finish", "%s")
    f.begin(again)
    states.call("advance", "%s")
    f.branch(states.has_failed(), done, look)
    f.begin(look)
    over, other = states.switch([END_OF_GAME, END_OF_START])
    for block in over.values():
        f.begin(block)
        f.leave()
    f.begin(other)
    leave_if_far_enough(states, before, done)
    states.when(states.secret, secret)
    states.call("draw", "%s")
    f.goto(again)
    f.begin(secret)
    states.call("enter", "%s")
    states.call("finish", "%s")
    f.goto(again)
    f.begin(done)
    f.leave()
    return f.text()


def leave_if_far_enough(states: StateAccess, before: str, done: str) -> None:
    f = states.f
    decisions = states.get("%s", DECISIONS)
    limited, short, asked, turned, on = (f.block() for _ in range(5))
    f.branch(f.compare("sge", "%most", "0"), limited, short)
    f.begin(limited)
    f.branch(f.compare("sge", decisions, "%most"), done, short)
    f.begin(short)
    run = states.memory.places.get((None, "round"))
    if run is not None:
        f.branch("%rounds", asked, on)
        f.begin(asked)
        now, old = f.load(states.word("%s", run.offset, run.cell(0)), run.shape.unit), f.load(before)
        f.store(now, before)
        f.branch(f.compare("ne", now, old), turned, on)
        f.begin(turned)
        f.branch(f.compare("sge", decisions, "%least"), done, on)
    f.begin(on)


def play_text(states: StateAccess) -> str:
    """A game of a series: the state that lies behind this one is where it starts."""
    f = states.open("play", (("i64", "%seed"), ("i64", "%index")))
    start = states.word("%s", states.whole, Region(Access.START, states.whole, states.whole))
    states.copy(states.state(states.whole), start, states.whole)
    for stream in range(states.players + 1):
        meant = states.memory.streams.meant(stream)
        at = states.word("%s", STREAMS + 16 * stream, meant)
        f.do(f"call void @seed(ptr {at}, i64 %seed, i64 %index, i64 {stream})")
        if stream:
            own = states.private(str(stream - 1))
            states.copy(states.word(own, STREAMS + 16 * stream, meant), at, 16)
    secret = f.block()
    whole_game = ("i64 0", "i64 -1", "i1 false", "i64 0")
    states.when(states.secret, secret)
    states.call("play_on", "%s", *whole_game, "i1 false")
    f.leave()
    f.begin(secret)
    states.call("play_on", "%s", *whole_game, "i1 true")
    f.leave()
    return f.text()
