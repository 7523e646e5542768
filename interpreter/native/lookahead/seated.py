"""Whole games of players who look ahead and of random ones, from the first decision to the end, in native code.

    ask(s, own, player, secret)    one decision: at random, or looked ahead and answered
    play_seated(s, seed, index)    a game of a series; it is `left` to the interpreter where native code cannot decide
    seated_series(s, seed, first, count, sums)

`own` is the common position or, in a secret block, the private copy of the player. What happens, and with which random
numbers, is what `chocolatl.interpreter.play.match` does with the same players.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_SEALED, END_OF_START
from chocolatl.interpreter.native.builds.driver import ANSWER, at_stops
from chocolatl.interpreter.native.builds.series import Sums, series
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stops import open_stop, pick_values
from chocolatl.interpreter.native.emit.checks import add_site
from chocolatl.interpreter.native.emit.frames import set_local
from chocolatl.interpreter.native.emit.statements.occurrences import count_list, count_picks
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import AT, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.concluding import BeliefAccess, belief_of
from chocolatl.interpreter.native.lookahead.deciding import deciding_texts
from chocolatl.interpreter.native.lookahead.desk import GIVEN, MOST_OPTIONS, STATES, Desk
from chocolatl.interpreter.native.lookahead.following import following_texts
from chocolatl.interpreter.native.lookahead.noting import JOURNAL_BYTES, noting_texts
from chocolatl.interpreter.native.lookahead.options import option_texts
from chocolatl.interpreter.native.lookahead.planning import planning_texts
from chocolatl.interpreter.native.lookahead.trying import FAILED, UNFIT

LEFT = "this is left to the interpreter"
"""The failure of a game that the interpreter has to play."""


def desk_of(states: StateAccess) -> Desk:
    choices = [stop.node for stop in states.choices if isinstance(stop.node, (ir.Choose, ir.ChooseSet))]
    return Desk(states.context.layout, states.whole, choices)


def seated_texts(states: StateAccess) -> Iterator[str]:
    desk = desk_of(states)
    yield from noting_texts(states)
    yield from following_texts(states, desk)
    yield from planning_texts(states, desk)
    yield from option_texts(states, desk)
    yield from deciding_texts(states)
    for stop in states.choices:
        assert isinstance(stop.node, (ir.Choose, ir.ChooseSet))
        f = open_stop(states.context, "tally", stop, ANSWER)
        _count_answer(states, stop.node)
        f.leave()
        yield f.text()
    yield at_stops(states, "tally", states.choices, ANSWER)
    yield leave_text(states, desk)
    yield look_text(states, desk)
    yield ask_text(states, desk)
    yield play_seated_text(states, desk)
    yield series(states.context, Sums(states.context.game), "seated_series", "play_seated", desk.size)


def _count_answer(states: StateAccess, s: ir.Choice) -> None:
    """What is counted of an answer that native code does not draw."""
    context, f = states.context, states.context.f
    if isinstance(s, ir.ChooseSet):
        count_list(context, s, "%answer", "%count")
        return
    for position, pick in enumerate(s.picks):
        set_local(context, pick.local, f.load(f.element("%answer", str(position))))
    count_picks(context, s, pick_values(context, s))


class DeskAccess:
    """What lies on the desk, in functions whose state is the whole of it."""

    def __init__(self, states: StateAccess, desk: Desk) -> None:
        self.states, self.desk = states, desk

    def word(self, name: str) -> str:
        offset, region = self.desk.word(name)
        return self.states.word("%s", offset, region)

    def load(self, name: str) -> str:
        return self.states.f.load(self.word(name))

    def at(self, offset: int, size: int, kind: Access) -> str:
        return self.states.word("%s", offset, Region(kind, size, offset))


def leave_text(states: StateAccess, desk: Desk) -> str:
    """The game is left to the interpreter."""
    f = states.open("leave_it")
    f.store("1", DeskAccess(states, desk).word("left"))
    site = add_site(states.context, states.context.game.procedures[states.context.game.main].span, LEFT)
    f.do(f"call void @fail(ptr %s, i64 {site}, i64 0)")
    f.leave()
    return f.text()


RANDOM, LOOKS, REMEMBERS = 0, 1, 2
"""What is done in a seat. Who only remembers answers at random."""

WHO = (("ptr", "%own"), ("i64", "%player"), ("i1", "%secret"))


def ask_text(states: StateAccess, desk: Desk) -> str:
    f = states.open("ask", WHO)
    seats = DeskAccess(states, desk).at(desk.seats, 8 * states.players, Access.DESK)
    looks, random, chosen = f.block(), f.block(), f.block()
    kind = f.load(f.op(f"getelementptr i64, ptr {seats}, i64 %player"))
    f.branch(f.compare("eq", kind, str(LOOKS)), looks, random)
    f.begin(random)
    states.call("draw", "%own")
    f.leave()
    f.begin(looks)
    option = f.op("call i64 @look(ptr %s, ptr %own, i64 %player, i1 %secret)")
    nothing, some = f.block(), f.block()
    f.branch(f.compare("eq", option, str(NOTHING)), nothing, some)
    f.begin(nothing)  # there is no answer, which is a failure like any other
    states.call("draw", "%own")
    f.leave()
    f.begin(some)
    end = f.block()
    f.branch(f.compare("sge", option, "0"), chosen, end)
    f.begin(chosen)
    width = f.op("call i64 @width(ptr %own)")
    listed = DeskAccess(states, desk).at(desk.listed, 8 * desk.options, Access.OPTIONS)
    words = f.op(f"getelementptr i64, ptr {listed}, i64 {f.mul(option, width)}")
    length = f.load(words)
    answer = f.op(f"getelementptr i64, ptr {words}, i64 1")
    given = (f"ptr {answer}", f"i64 {length}")
    secret, plain = f.block(), f.block()
    f.branch("%secret", secret, plain)
    f.begin(secret)
    _remember_given(states, desk, answer, length)
    f.begin(plain)
    states.call("tally", "%own", *given)
    states.call("store", "%own", *given)
    f.goto(end)
    f.begin(end)
    f.leave()
    return f.text()


def _remember_given(states: StateAccess, desk: Desk, answer: str, length: str) -> None:
    """An answer in a secret block, as players give it."""
    f, access = states.f, DeskAccess(states, desk)
    used, fine, full, end = f.load(access.word("answered")), f.block(), f.block(), f.block()
    f.branch(f.compare("slt", f.add(used, length), str(GIVEN)), fine, full)
    f.begin(full)
    states.call("leave_it", "%s")
    f.goto(end)
    f.begin(fine)
    words = access.at(desk.given, 8 * GIVEN, Access.GIVEN)
    low = f.op("call i64 @low(ptr %own)")
    f.store(length, f.op(f"getelementptr i64, ptr {words}, i64 {used}"))
    with counting(states.context, "1", length) as loop:
        value = f.load(f.op(f"getelementptr i64, ptr {answer}, i64 {f.sub(loop.value, '1')}"))
        f.store(f.add(value, low), f.op(f"getelementptr i64, ptr {words}, i64 {f.add(used, loop.value)}"))
    f.store(f.add(used, f.add(length, "1")), access.word("answered"))
    f.begin(end)


NOTHING = -3
"""There is no legal answer."""


def look_text(states: StateAccess, desk: Desk) -> str:
    """The number of the best option on the desk; `NOTHING`, `FAILED`, or `UNFIT` if the game is left."""
    f, access = states.open("look", WHO, "i64"), DeskAccess(states, desk)
    failed, left, none = f.block(), f.block(), f.block()
    told = access.at(desk.asked, 8 * desk.told, Access.ASKED_FOR)
    table = access.at(desk.table, 8 * desk.ways, Access.WAYS)
    numbers = access.at(desk.numbers, 8 * MOST_OPTIONS, Access.LIST)
    listed = access.at(desk.listed, 8 * desk.options, Access.OPTIONS)
    many = f.op(f"call i64 @many(ptr %own, ptr {told}, ptr {table})")
    _go_on_unless(states, states.has_failed(), failed)
    _go_on_unless(states, f.compare("eq", many, "0"), none)
    _go_on_unless(states, f.compare("slt", many, "0"), left)
    mine, random = (_stream(states, state) for state in ("%own", "%s"))
    count = f.op(f"call i64 @numbers(ptr {mine}, i64 {many}, i64 {access.load('candidates')}, ptr {numbers})")
    f.do(f"call void @options(ptr %own, ptr {numbers}, i64 {count}, ptr {told}, ptr {table}, ptr {listed})")
    _go_on_unless(states, states.has_failed(), failed)
    single, several = f.block(), f.block()
    f.branch(f.compare("eq", count, "1"), single, several)
    f.begin(single)
    f.leave("i64 0")
    f.begin(several)
    _leave_what_is_held(states, left)
    secret, plain = f.block(), f.block()
    f.branch("%secret", secret, plain)
    f.begin(secret)
    states.copy(random, mine, 16)
    f.begin(plain)
    plan = access.at(desk.plan, 8 * desk.belief.planned, Access.PLAN)
    settled = access.at(desk.settled, desk.belief.size, Access.BELIEF)
    states.copy(settled, belief_of(states, desk, "%player"), desk.belief.size)
    order, keys = (access.at(at, 8 * desk.belief.groups, Access.LIST) for at in (desk.order, desk.keys))
    planned = f.op(f"call i64 @planned(ptr {settled}, ptr {plan}, ptr {order}, ptr {keys})")
    width = f.op("call i64 @width(ptr %own)")
    room = access.at(desk.room, 8 * desk.shuffled, Access.ROOM)
    given = access.at(desk.given, 8 * GIVEN, Access.GIVEN)
    answered = f.select("%secret", access.load("answered"), "0")
    horizon = ", ".join(f"i64 {access.load(name)}" for name in ("worlds", "tries", "least", "most"))
    found = f.op(
        f"call i64 @decide(ptr %s, i64 %player, ptr {plan}, i64 {planned}, ptr {room}, i64 {desk.shuffled}, "
        f"ptr {given}, i64 {answered}, ptr {listed}, i64 {f.mul(count, width)}, i64 {width}, {horizon})"
    )
    back, done = f.block(), f.block()
    f.branch("%secret", back, done)
    f.begin(back)
    states.copy(mine, random, 16)
    f.begin(done)
    _go_on_unless(states, f.compare("eq", found, str(UNFIT)), left)
    f.leave(f"i64 {found}")
    f.begin(failed)
    f.leave(f"i64 {FAILED}")
    f.begin(none)
    f.leave(f"i64 {NOTHING}")
    f.begin(left)
    states.call("leave_it", "%s")
    f.leave(f"i64 {UNFIT}")
    return f.text()


def _go_on_unless(states: StateAccess, condition: str, then: str) -> None:
    on = states.f.block()
    states.f.branch(condition, then, on)
    states.f.begin(on)


def _stream(states: StateAccess, state: str) -> str:
    """The random numbers of the player."""
    of_players = states.word(state, STREAMS + 16, states.memory.streams.of_players)
    return states.f.element(of_players, "%player", "[16 x i8]", Region(Access.STREAM, 16))


def _leave_what_is_held(states: StateAccess, left: str) -> None:
    """Only the interpreter deals what a rule holds of what lies unseen."""
    f, memory = states.f, states.memory
    access = BeliefAccess(states, desk_of(states).belief)
    for frame in states.context.layout.frames.values():
        for slot in frame.lies.values():
            lying = f.load(states.word("%s", memory.frames[slot], memory.slots_at(slot)))
            held, on = f.block(), f.block()
            f.branch(f.compare("ne", lying, "0"), held, on)
            f.begin(held)
            f.branch(access.sees("%player", f.sub(lying, "1")), on, left)
            f.begin(on)


def play_seated_text(states: StateAccess, desk: Desk) -> str:
    """A game of a series. Notes are read wherever somebody may have to decide; in a secret block, before it begins."""
    f, access = states.open("play_seated", (("i64", "%seed"), ("i64", "%index"))), DeskAccess(states, desk)
    _begin(states, desk)
    again, look, secret, choice, chance, done = (f.block() for _ in range(6))
    f.begin(again)
    states.call("advance", "%s")
    f.branch(states.has_failed(), done, look)
    f.begin(look)
    _catch_up(states)
    over, other = states.switch([END_OF_GAME, END_OF_START])
    for block in over.values():
        f.begin(block)
        f.leave()
    f.begin(other)
    states.when(states.secret, secret)
    states.when(states.choices, choice)
    states.when(states.chances, chance)
    f.goto(done)
    f.begin(chance)
    states.call("draw", "%s")
    f.goto(again)
    f.begin(choice)
    who = f.op("call i64 @who(ptr %s)")
    asked = f.block()
    f.branch(states.has_failed(), done, asked)
    f.begin(asked)
    states.call("ask", "%s", "ptr %s", f"i64 {who}", "i1 false")
    f.goto(again)
    f.begin(secret)
    states.call("enter", "%s")
    with states.each_player() as (player, own):
        f.store("0", access.word("answered"))
        next_, more, ask, finished = (f.block() for _ in range(4))
        f.begin(next_)
        f.branch(f.compare("eq", states.get(own, AT), str(END_OF_SEALED)), finished, more)
        f.begin(more)
        f.branch(states.has_failed(), done, ask)
        f.begin(ask)
        states.call("ask", "%s", f"ptr {own}", f"i64 {player}", "i1 true")
        states.call("advance", own)
        f.goto(next_)
        f.begin(finished)
    _catch_up(states)  # what was noted in the block comes before what follows it
    states.call("join", "%s")
    f.goto(again)
    f.begin(done)
    f.leave()
    return f.text()


def _catch_up(states: StateAccess) -> None:
    """All notes are read. If there was no room for some, the game is left."""
    f, full, fine = states.f, states.f.block(), states.f.block()
    f.branch(f.compare("ne", f.op("call i64 @catch_up(ptr %s)"), "0"), full, fine)
    f.begin(full)
    states.call("leave_it", "%s")
    f.leave()
    f.begin(fine)


def _begin(states: StateAccess, desk: Desk) -> None:
    """The state, random numbers, conclusions and journals at the start of a game."""
    f, start = states.f, (STATES - 1) * states.whole
    states.copy(
        states.state(states.whole), states.word("%s", start, Region(Access.START, states.whole, start)), states.whole
    )
    for stream in range(states.players + 1):
        at = states.word("%s", STREAMS + 16 * stream, states.memory.streams.meant(stream))
        f.do(f"call void @seed(ptr {at}, i64 %seed, i64 %index, i64 {stream})")
    size = desk.belief.size * states.players
    first = states.word("%s", desk.first_beliefs, Region(Access.BELIEF, size, desk.first_beliefs))
    states.copy(states.word("%s", desk.beliefs, Region(Access.BELIEF, size, desk.beliefs)), first, size)
    for area in range(1 + states.players):
        offset = desk.journals + area * JOURNAL_BYTES
        head = states.word("%s", offset, Region(Access.JOURNAL, 32, offset))
        f.do(f"call void @llvm.memset.p0.i64(ptr {head}, i8 0, i64 32, i1 false)")
