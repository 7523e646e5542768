"""What a player concludes, in memory: groups of cards that cannot be told apart (partition refinement).

It is what `chocolatl.interpreter.engine.belief` does, group by group in the same order, since worlds are dealt in the
order of groups. `chocolatl.interpreter.native.lookahead.desk` says how conclusions lie.

    unite(b, zone, card, alone)    groups become one: the number of it, or -1
    add(b, zone, cards, count), take(...)    cards are seen to come, and to go
    move(b, source, target, count)    some move unseen
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.lookahead.desk import BeliefForm, Desk


class BeliefAccess:
    """Parts of functions that reach what a player concludes, which is `%b` there."""

    def __init__(self, states: StateAccess, form: BeliefForm) -> None:
        self.states, self.context, self.form = states, states.context, form
        self.f = self.context.f

    def open(self, name: str, given: tuple[tuple[str, str], ...], result: str = "void") -> Function:
        self.context.frame = None
        self.f = self.context.open(Function(name, [("ptr", "%b"), *given], result))
        return self.f

    @property
    def number(self) -> str:
        """Where it says how many groups there are."""
        return self.f.part("%b", 0, Region(Access.BELIEF, 8, 0))

    def group(self, number: str) -> str:
        form = self.form
        start = self.f.part("%b", 16, Region(Access.BELIEF, form.groups * form.step, 16))
        found = self.f.op(f"getelementptr [{form.step} x i8], ptr {start}, i64 {number}")
        return self.f.mean(found, Region(Access.GROUP, form.step))

    def kind(self, group: str, kind: str) -> str:
        return self.f.element(group, kind, "i16", Region(Access.GROUP, 2 * self.form.kinds, 0))

    def zone(self, group: str, zone: str) -> str:
        size = 4 * self.form.zones
        zones = self.f.part(group, 2 * self.form.kinds, Region(Access.GROUP, size, 2 * self.form.kinds))
        return self.f.op(f"getelementptr i16, ptr {zones}, i64 {zone}")

    def load(self, pointer: str) -> str:
        return self.f.load(pointer, "i16")

    def change(self, pointer: str, by: str) -> str:
        new = self.f.add(self.load(pointer), by)
        self.f.store(new, pointer, "i16")
        return new

    def bottom(self, zone: str) -> str:
        """The known bottom of a deck: its length, then its cards."""
        form = self.form
        numbers = tuple(form.decks.index(each) if each in form.decks else 0 for each in range(form.zones))
        size = 4 * form.width * len(form.decks)
        start = self.f.part("%b", form.bottoms, Region(Access.BELIEF, size, form.bottoms))
        place = table_entry(self.context, numbers, zone) if len(form.decks) > 1 else "0"
        found = self.f.op(f"getelementptr [{4 * form.width} x i8], ptr {start}, i64 {place}")
        return self.f.mean(found, Region(Access.UNDER, 4 * form.width))

    def sees(self, player: str, zone: str) -> str:
        """Whether a player sees a zone; -1 is an open one."""
        width, layout = 2 * self.form.zones + 1, self.context.layout
        sights = [layout.sight(each) for each in range(self.states.players)]
        table = tuple(int(seen) for sight in sights for seen in (True, *sight, *sight))
        position = self.f.add(self.f.mul(player, str(width)), self.f.add(zone, "1"))
        return self.f.compare("ne", table_entry(self.context, table, position), "0")

    def call(self, name: str, *given: str) -> str:
        return f"@{name}({', '.join(['ptr %b', *given])})"


def concluding_texts(access: BeliefAccess) -> Iterator[str]:
    yield remove_text(access)
    yield unite_text(access)
    yield drop_empty_text(access)
    yield add_text(access)
    yield take_text(access)
    yield move_text(access)


def remove_text(access: BeliefAccess) -> str:
    """A group is no more; those behind it move up."""
    f, step = access.open("remove", (("i64", "%gone"),)), access.form.step
    number = f.load(access.number)
    rest = f.mul(f.sub(f.sub(number, "1"), "%gone"), str(step))
    size = access.form.groups * step
    start = f.part("%b", 16, Region(Access.BELIEF, size, 16))
    here, behind = (
        f.op(f"getelementptr [{step} x i8], ptr {start}, i64 {at}") for at in ("%gone", f.add("%gone", "1"))
    )
    f.do(f"call void @llvm.memmove.p0.p0.i64(ptr {here}, ptr {behind}, i64 {rest}, i1 false)")
    f.store(f.sub(number, "1"), access.number)
    f.leave()
    return f.text()


def unite_text(access: BeliefAccess) -> str:
    """Groups of which some lies in a zone become one, the first of them: all, or those that hold a card (unless it is
    -1), or that lie nowhere else (`alone`)."""
    f = access.open("unite", (("i64", "%zone"), ("i64", "%card"), ("i1", "%alone")), "i64")
    context, form = access.context, access.form
    first, at = f.variable(), f.variable()
    f.store("-1", first)
    f.store("0", at)
    again, look, here, holds, spread, fits, merge, on, done = (f.block() for _ in range(9))
    f.begin(again)
    now = f.load(at)
    f.branch(f.compare("slt", now, f.load(access.number)), look, done)
    f.begin(look)
    group = access.group(now)
    f.branch(f.compare("ne", access.load(access.zone(group, "%zone")), "0"), here, on)
    f.begin(here)
    f.branch(f.compare("sge", "%card", "0"), holds, spread)
    f.begin(holds)
    f.branch(f.compare("ne", access.load(access.kind(group, "%card")), "0"), spread, on)
    f.begin(spread)
    apart = f.block()
    f.branch("%alone", apart, fits)
    f.begin(apart)
    places = f.variable()
    f.store("0", places)
    with counting(context, "0", str(2 * form.zones - 1)) as loop:
        f.change(places, f.widen(f.compare("ne", access.load(access.zone(group, loop.value)), "0")))
    f.branch(f.compare("eq", f.load(places), "1"), fits, on)
    f.begin(fits)
    new = f.block()
    f.branch(f.compare("slt", f.load(first), "0"), new, merge)
    f.begin(new)
    f.store(now, first)
    f.goto(on)
    f.begin(merge)
    target = access.group(f.load(first))
    merge_groups(access, target, group)
    f.do(f"call void {access.call('remove', f'i64 {now}')}")
    f.goto(again)
    f.begin(on)
    f.change(at, "1")
    f.goto(again)
    f.begin(done)
    f.leave(f"i64 {f.load(first)}")
    return f.text()


def merge_groups(access: BeliefAccess, target: str, group: str) -> None:
    """All of a group goes to another one."""
    f = access.f
    with counting(access.context, "0", str(access.form.step // 2 - 1)) as loop:
        access.change(f.element(target, loop.value, "i16"), access.load(f.element(group, loop.value, "i16")))


def drop_empty_text(access: BeliefAccess) -> str:
    """A group that lies nowhere says nothing."""
    f = access.open("drop_empty", (("i64", "%which"),))
    group, some = access.group("%which"), f.block()
    with counting(access.context, "0", str(2 * access.form.zones - 1)) as loop:
        f.branch(f.compare("ne", access.load(access.zone(group, loop.value)), "0"), some, loop.next)
        f.closed = True
    f.do(f"call void {access.call('remove', 'i64 %which')}")
    f.goto(some)
    f.begin(some)
    f.leave()
    return f.text()


CARDS_MOVED = (("ptr", "%cards"), ("i64", "%count"))


def card_at(f: Function, position: str) -> str:
    return f.load(f.op(f"getelementptr i64, ptr %cards, i64 {position}"))


def add_text(access: BeliefAccess) -> str:
    """Cards are seen to come. What lies in one zone alone is known anyway, so it is kept together."""
    f = access.open("add", (("i64", "%zone"), *CARDS_MOVED))
    which, new, there = f.variable(), f.block(), f.block()
    f.store(f.op(f"call i64 {access.call('unite', 'i64 %zone', 'i64 -1', 'i1 true')}"), which)
    f.branch(f.compare("slt", f.load(which), "0"), new, there)
    f.begin(new)
    last = f.minimum(f.load(access.number), str(access.form.groups - 1))  # no group is empty, so there is room
    f.do(f"call void @llvm.memset.p0.i64(ptr {access.group(last)}, i8 0, i64 {access.form.step}, i1 false)")
    f.store(f.add(last, "1"), access.number)
    f.store(last, which)
    f.begin(there)
    group = access.group(f.load(which))
    access.change(access.zone(group, "%zone"), "%count")
    with counting(access.context, "0", f.sub("%count", "1")) as loop:
        access.change(access.kind(group, card_at(f, loop.value)), "1")
    f.leave()
    return f.text()


def take_text(access: BeliefAccess) -> str:
    """Cards are seen to go."""
    f = access.open("take", (("i64", "%zone"), *CARDS_MOVED))
    with counting(access.context, "0", f.sub("%count", "1")) as loop:
        card, held = card_at(f, loop.value), f.block()
        which = f.op(f"call i64 {access.call('unite', 'i64 %zone', f'i64 {card}', 'i1 false')}")
        f.branch(f.compare("sge", which, "0"), held, loop.next)
        f.begin(held)
        group = access.group(which)
        access.change(access.kind(group, card), "-1")
        access.change(access.zone(group, "%zone"), "-1")
        f.do(f"call void {access.call('drop_empty', f'i64 {which}')}")
    f.leave()
    return f.text()


def move_text(access: BeliefAccess) -> str:
    """Some cards move unseen. If it cannot be told from which of several groups, these become one."""
    f = access.open("move", (("i64", "%source"), ("i64", "%target"), ("i64", "%count")))
    context = access.context
    inside, total = f.variable(), f.variable()
    f.store("0", inside)
    f.store("0", total)
    with counting(context, "0", f.sub(f.load(access.number), "1")) as loop:
        here = access.load(access.zone(access.group(loop.value), "%source"))
        f.change(inside, f.widen(f.compare("ne", here, "0")))
        f.change(total, here)
    several, some, ready = f.block(), f.block(), f.block()
    f.branch(f.compare("sgt", f.load(inside), "1"), several, ready)
    f.begin(several)
    f.branch(f.compare("slt", "%count", f.load(total)), some, ready)
    f.begin(some)
    f.op(f"call i64 {access.call('unite', 'i64 %source', 'i64 -1', 'i1 false')}")
    f.begin(ready)
    with counting(context, "0", f.sub(f.load(access.number), "1")) as loop:
        group = access.group(loop.value)
        here = access.zone(group, "%source")
        moved = f.minimum("%count", access.load(here))
        access.change(here, f.sub("0", moved))
        access.change(access.zone(group, "%target"), moved)
    f.leave()
    return f.text()


def belief_of(states: StateAccess, desk: Desk, player: str) -> str:
    """What a player concludes."""
    size = desk.belief.size
    start = states.word("%s", desk.beliefs, Region(Access.BELIEF, size * desk.players, desk.beliefs))
    found = states.f.op(f"getelementptr [{size} x i8], ptr {start}, i64 {player}")
    return states.f.mean(found, Region(Access.BELIEF, size))
