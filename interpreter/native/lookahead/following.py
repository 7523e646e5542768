"""What players conclude follows what has moved, note by note, in native code (belief tracking by perfect recall).

carry(b, player, source, target, cards, count)    cards go from zone to zone, seen at either end or not
follow(b, player, source, target, how, cards, count)    a note is read: `Knowledge.follow` of the interpreter
catch_up(s)    all notes are read, by every player who remembers; 1 if there was no room for some note
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.lowered.journal import ALL, BOTTOM, UNDER
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import JOURNAL
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.concluding import (
    CARDS_MOVED,
    BeliefAccess,
    belief_of,
    card_at,
    concluding_texts,
)
from chocolatl.interpreter.native.lookahead.desk import Desk
from chocolatl.interpreter.native.lookahead.noting import (
    CARDS,
    FROM,
    FULL,
    HOW,
    JOURNAL_BYTES,
    NOTE,
    TO,
    USED,
    JournalAccess,
)
from chocolatl.interpreter.native.lookahead.requests import UNKNOWN


def following_texts(states: StateAccess, desk: Desk) -> Iterator[str]:
    access = BeliefAccess(states, desk.belief)
    yield from concluding_texts(access)
    yield carry_text(access)
    yield follow_text(access)
    yield catch_up_text(access, desk)


def carry_text(access: BeliefAccess) -> str:
    """Cards go from zone to zone, seen by the player at neither end, at one of them, or at both."""
    f = access.open("carry", (("i64", "%player"), ("i64", "%source"), ("i64", "%target"), *CARDS_MOVED))
    leaves, arrives, both, one, end = (f.block() for _ in range(5))
    f.branch(access.sees("%player", "%source"), arrives, leaves)
    f.begin(leaves)
    f.branch(access.sees("%player", "%target"), one, both)
    f.begin(both)
    f.do(f"call void {access.call('move', 'i64 %source', 'i64 %target', 'i64 %count')}")
    f.leave()
    f.begin(one)
    f.do(f"call void {access.call('take', 'i64 %source', 'ptr %cards', 'i64 %count')}")
    f.leave()
    f.begin(arrives)
    comes = f.block()
    f.branch(access.sees("%player", "%target"), end, comes)
    f.begin(comes)
    f.do(f"call void {access.call('add', 'i64 %target', 'ptr %cards', 'i64 %count')}")
    f.begin(end)
    f.leave()
    return f.text()


def _carry(access: BeliefAccess, source: str, target: str, cards: str, count: str) -> None:
    given = ("i64 %player", f"i64 {source}", f"i64 {target}", f"ptr {cards}", f"i64 {count}")
    access.f.do(f"call void {access.call('carry', *given)}")


def follow_text(access: BeliefAccess) -> str:
    """A note is read: `Knowledge.follow`."""
    given = (("i64", "%player"), ("i64", "%source"), ("i64", "%target"), ("i64", "%how"), *CARDS_MOVED)
    f = access.open("follow", given)
    if access.form.decks:
        _follow_decks(access)
    _carry(access, "%source", "%target", "%cards", "%count")
    f.leave()
    return f.text()


def _is_deck(access: BeliefAccess, zone: str) -> str:
    form = access.form
    table = (0, *(int(zone in form.decks) for zone in range(form.zones)))
    return access.f.compare("ne", table_entry(access.context, table, access.f.add(zone, "1")), "0")


def _lying(access: BeliefAccess, deck: str, known: str) -> str:
    """Where a card at the bottom of a deck lies; one that the player knows is as good as in the open."""
    f = access.f
    return f.select(f.compare("eq", known, str(UNKNOWN)), f.add(deck, str(access.form.zones)), "-1")


def _follow_decks(access: BeliefAccess) -> None:
    """What moves under a deck, from its known bottom, or with it. All else goes on behind this."""
    f, context, form = access.f, access.context, access.form
    source, every, other, plain = f.variable(), f.block(), f.block(), f.block()
    f.store("%source", source)
    f.branch(f.compare("eq", "%how", str(ALL)), every, other)
    f.begin(every)
    deck = f.block()
    f.branch(_is_deck(access, "%source"), deck, plain)
    f.begin(deck)
    bottom = access.bottom("%source")
    length = f.minimum(f.load(bottom, "i32"), "%count")
    with counting(context, "0", f.sub(length, "1")) as loop:
        known = f.load(f.element(bottom, f.add(loop.value, "1"), "i32"), "i32")
        card = f.op(f"getelementptr i64, ptr %cards, i64 {loop.value}")
        _carry(access, _lying(access, "%source", known), "%target", card, "1")
    f.store("0", bottom, "i32")
    rest, some, nothing = f.sub("%count", length), f.block(), f.block()
    f.branch(f.compare("sgt", rest, "0"), some, nothing)
    f.begin(some)
    _carry(access, "%source", "%target", f.op(f"getelementptr i64, ptr %cards, i64 {length}"), rest)
    f.begin(nothing)
    f.leave()
    f.begin(other)
    size = f.op(f"call i64 @llvm.smax.i64(i64 %how, i64 {f.sub('0', '%how')})")
    from_bottom, unseen, onward = f.block(), f.block(), f.block()
    f.branch(f.compare("sge", size, str(BOTTOM)), from_bottom, onward)
    f.begin(from_bottom)
    f.branch(access.sees("%player", "%source"), onward, unseen)
    f.begin(unseen)
    bottom = access.bottom("%source")
    place = f.add(f.sub(size, str(BOTTOM)), "1")
    known = f.load(f.element(bottom, place, "i32"), "i32")
    here, behind = (f.element(bottom, at, "i32") for at in (place, f.add(place, "1")))
    length = f.load(bottom, "i32")
    f.do(
        f"call void @llvm.memmove.p0.p0.i64(ptr {here}, ptr {behind}, i64 {f.mul(f.sub(length, place), '4')}, i1 false)"
    )
    f.store(f.sub(length, "1"), bottom, "i32")
    f.store(_lying(access, "%source", known), source)
    f.begin(onward)
    ordered, hidden, seen, last = f.block(), f.block(), f.block(), f.block()
    under = f.op(f"or i1 {f.compare('eq', '%how', str(UNDER))}, {f.compare('sle', '%how', str(-BOTTOM))}")
    f.branch(under, ordered, last)
    f.begin(ordered)
    f.branch(access.sees("%player", "%target"), last, hidden)
    f.begin(hidden)
    bottom = access.bottom("%target")
    known_one = access.sees("%player", f.load(source))
    with counting(context, "0", f.sub("%count", "1")) as loop:
        length = f.add(f.load(bottom, "i32"), "1")
        card = f.select(known_one, card_at(f, loop.value), str(UNKNOWN))
        f.store(card, f.element(bottom, length, "i32"), "i32")
        f.store(length, bottom, "i32")
    away = f.block()
    f.branch(known_one, seen, away)
    f.begin(away)
    _carry(access, f.load(source), f.add("%target", str(form.zones)), "%cards", "%count")
    f.begin(seen)
    f.leave()
    f.begin(last)
    _carry(access, f.load(source), "%target", "%cards", "%count")
    f.leave()
    f.begin(plain)


def catch_up_text(access: BeliefAccess, desk: Desk) -> str:
    """All notes are read by every player who looks ahead; the journals are empty then. 1 if there was no room for some
    note."""
    states, context = access.states, access.context
    f = states.open("catch_up", result="i64")
    access.f = f
    off, on, full = f.block(), f.block(), f.variable()
    f.store("0", full)
    begin = states.get("%s", JOURNAL)
    f.branch(f.compare("eq", begin, "0"), off, on)
    f.begin(on)
    with counting(context, "0", str(desk.players)) as area:
        journal = JournalAccess(f, f.add(begin, f.mul(area.value, str(JOURNAL_BYTES))))
        used, some = f.load(journal.head(USED)), f.block()
        f.branch(f.compare("sgt", used, "0"), some, area.next)
        f.begin(some)
        f.change(full, f.load(journal.head(FULL)))
        with counting(context, "0", str(desk.players - 1)) as player:
            looks, at, again, note = f.block(), f.variable(), f.block(), f.block()
            f.branch(f.compare("ne", _seat(states, desk, player.value), "0"), looks, player.next)
            f.begin(looks)
            f.store("0", at)
            f.begin(again)
            place = f.load(at)
            f.branch(f.compare("slt", place, used), note, player.next)
            f.begin(note)
            source, target, how, count = (
                f.load(journal.at(f.add(place, str(word)))) for word in (FROM, TO, HOW, CARDS)
            )
            cards, ready = journal.at(f.add(place, str(NOTE))), f.block()
            f.store(f.add(place, f.add(count, str(NOTE))), at)
            f.branch(f.compare("sgt", count, "0"), ready, again)
            f.begin(ready)
            given = f"i64 {player.value}, i64 {source}, i64 {target}, i64 {how}, ptr {cards}, i64 {count}"
            f.do(f"call void @follow(ptr {belief_of(states, desk, player.value)}, {given})")
            f.goto(again)
            f.closed = True
        f.store("0", journal.head(USED))
        f.store("0", journal.head(FULL))
    f.goto(off)
    f.begin(off)
    f.leave(f"i64 {f.load(full)}")
    return f.text()


def _seat(states: StateAccess, desk: Desk, player: str) -> str:
    """Whether a player remembers, which whoever looks ahead does."""
    start = states.word("%s", desk.seats, Region(Access.DESK, 8 * desk.players, desk.seats))
    return states.f.load(states.f.op(f"getelementptr i64, ptr {start}, i64 {player}"))
