"""What a player does not see, dealt anew in native code (sampling of information sets, by Fisher and Yates).

    deal(s, player, plan, room, random)   as `chocolatl.interpreter.engine.knowledge.Knowledge.sample` does it

A *plan* says what there is to deal, in words; `chocolatl.interpreter.players.plans` makes it of what a player
concludes. First the known bottoms of decks: how many, then of each its zone, how many cards, and the cards, -1 for one
that the player does not know. Then the groups of cards that cannot be told apart: how many, then of each how many
cards, the cards, how many places, and of each place its zone and how many of them lie there. `room` holds the cards of
a group while they are shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chocolatl.interpreter.lowered.layout import FieldSlots
from chocolatl.interpreter.lowered.zones import GONE
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.statements.moves import put_one
from chocolatl.interpreter.native.emit.values_and_rankings.fields import tag_of_field
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.requests import UNKNOWN
from chocolatl.interpreter.program.types import PLAYER


def dealing_texts(states: StateAccess) -> Iterator[str]:
    yield hide_text(states)
    yield lay_text(states)
    yield lay_under_text(states)
    yield deal_text(states)


def closed_fields(states: StateAccess) -> list[FieldSlots]:
    """The fields whose zones have numbers, as these go up."""
    return [place for place in states.context.layout.places.values() if place.zone >= 0]


def hide_text(states: StateAccess) -> str:
    """All zones that a player does not see are empty."""
    f = states.open("hide", (("i64", "%player"),))
    for place in closed_fields(states):
        run = states.memory.places[place.field.key]
        start, whole = states.word("%s", run.offset, run.meant), run.count * run.shape.size
        if place.field.visibility != "secret" or place.field.owner != PLAYER:
            _clear(states, start, str(whole))
            continue
        share = whole // place.field.owners
        _clear(states, start, f.mul("%player", str(share)))
        after = f.mul(f.add("%player", "1"), str(share))
        _clear(states, f.element(start, after, "i8"), f.sub(str(whole), after))
    f.leave()
    return f.text()


def _clear(states: StateAccess, start: str, size: str) -> None:
    states.f.do(f"call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {size}, i1 false)")


@contextmanager
def _zone(states: StateAccess, place: FieldSlots, zone: str) -> Iterator[str]:
    """What is done if a zone belongs to a field; its number there."""
    f = states.f
    mine, other = f.block(), f.block()
    f.branch(f.compare("slt", zone, str(place.zone + place.cells)), mine, other)
    f.begin(mine)
    yield f.sub(zone, str(place.zone))
    f.leave()
    f.begin(other)


def lay_text(states: StateAccess) -> str:
    """One more card of a kind lies in a zone."""
    f = states.open("lay", (("i64", "%zone"), ("i64", "%kind")))
    for place in closed_fields(states):
        run = states.memory.places[place.field.key]
        with _zone(states, place, "%zone") as cell:
            start = states.word("%s", run.offset, run.meant)
            at = f.op(f"getelementptr [{run.shape.size} x i8], ptr {start}, i64 {cell}")
            f.mean(at, Region(run.shape.kind, run.shape.size))
            put_one(states.context, at, run.shape, tag_of_field(states.context, place.field), "%kind")
    f.leave()
    return f.text()


def lay_under_text(states: StateAccess) -> str:
    """A card lies at a place of the known bottom of a deck, or at the first place of an unknown one (-1)."""
    f = states.open("lay_under", (("i64", "%zone"), ("i64", "%place"), ("i64", "%kind")))
    for place in closed_fields(states):
        under = states.memory.unders.get(place.field.key)
        if under is None:
            continue
        width = states.context.layout.under_width(place.field)
        with _zone(states, place, "%zone") as cell:
            start = states.word("%s", under.offset or 0, under)
            own = f.element(start, f.mul(cell, str(width)), "i32", Region(Access.UNDER, 4 * width))
            given, look = f.block(), f.block()
            f.branch(f.compare("sge", "%place", "0"), given, look)
            f.begin(given)
            f.store("%kind", f.element(own, f.add("%place", "1"), "i32"), "i32")
            f.leave()
            f.begin(look)
            with counting(states.context, "1", str(width - 1)) as loop:
                at, found = f.element(own, loop.value, "i32"), f.block()
                f.branch(f.compare("eq", f.load(at, "i32"), str(UNKNOWN)), found, loop.next)
                f.begin(found)
                f.store("%kind", at, "i32")
                f.leave()
    f.leave()
    return f.text()


class PlanReader:
    """The words of a plan, one after the other."""

    def __init__(self, states: StateAccess) -> None:
        self.f = states.f
        self.at = self.f.variable()
        self.f.store("0", self.at)

    def word(self) -> str:
        found = self.f.load(self.here())
        self.skip("1")
        return found

    def here(self) -> str:
        return self.f.op(f"getelementptr i64, ptr %plan, i64 {self.f.load(self.at)}")

    def skip(self, words: str) -> None:
        self.f.change(self.at, words)


def deal_text(states: StateAccess) -> str:
    given = (("i64", "%player"), ("ptr", "%plan"), ("ptr", "%room"), ("ptr", "%random"))
    f = states.open("deal", given)
    plan, context = PlanReader(states), states.context
    count = len(context.layout.zones)
    states.call("hide", "%s", "i64 %player")
    with counting(context, "1", plan.word()):  # bottoms of decks
        zone = plan.word()
        with counting(context, "0", f.sub(plan.word(), "1")) as position:
            card, known = plan.word(), f.block()
            states.call("lay_under", "%s", f"i64 {zone}", f"i64 {position.value}", f"i64 {card}")
            f.branch(f.compare("ne", card, str(UNKNOWN)), known, position.next)
            f.begin(known)
            states.call("lay", "%s", f"i64 {zone}", f"i64 {card}")
    with counting(context, "1", plan.word()):  # groups
        cards = plan.word()
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr %room, ptr {plan.here()}, i64 {f.mul(cards, '8')}, i1 false)")
        plan.skip(cards)
        _shuffle(states, cards)
        dealt = f.variable()
        f.store("0", dealt)
        with counting(context, "1", plan.word()):
            zone, number = plan.word(), plan.word()
            with counting(context, "1", number) as one:
                card = f.load(f.op(f"getelementptr i64, ptr %room, i64 {f.load(dealt)}"))
                f.change(dealt, "1")
                there, under, plain = f.block(), f.block(), f.block()
                f.branch(f.compare("eq", zone, str(GONE)), one.next, there)
                f.begin(there)
                f.branch(f.compare("sge", zone, str(count)), under, plain)
                f.begin(under)
                deck = f.sub(zone, str(count))
                states.call("lay_under", "%s", f"i64 {deck}", "i64 -1", f"i64 {card}")
                states.call("lay", "%s", f"i64 {deck}", f"i64 {card}")
                f.goto(one.next)
                f.begin(plain)
                states.call("lay", "%s", f"i64 {zone}", f"i64 {card}")
    f.leave()
    return f.text()


def _shuffle(states: StateAccess, cards: str) -> None:
    f = states.f
    with counting(states.context, "1", f.sub(cards, "1")) as step:
        last = f.sub(cards, step.value)
        other = f.op(f"call i64 @below(ptr %random, i64 {f.add(last, '1')})")
        one, two = (f.op(f"getelementptr i64, ptr %room, i64 {place}") for place in (last, other))
        first, second = f.load(one), f.load(two)
        f.store(second, one)
        f.store(first, two)
