"""What a player concludes, as a plan of what there is to deal (see `chocolatl.interpreter.native.lookahead.dealing`),
from conclusions in memory and from those of the interpreter (marshalling)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.concluding import BeliefAccess
from chocolatl.interpreter.native.lookahead.desk import BeliefForm, Desk
from chocolatl.interpreter.native.lookahead.requests import UNKNOWN
from chocolatl.interpreter.native.lookahead.settling import ROOM, settling_texts


def planning_texts(states: StateAccess, desk: Desk) -> Iterator[str]:
    yield from settling_texts(BeliefAccess(states, desk.belief))
    yield planned_text(states, desk)


def planned_text(states: StateAccess, desk: Desk) -> str:
    """The plan of a player, whose conclusions are settled for that; how many words it has."""
    access, form = BeliefAccess(states, desk.belief), desk.belief
    f = access.open("planned", (("ptr", "%plan"), *ROOM), "i64")
    context, end = access.context, f.variable()
    f.mean("%plan", Region(Access.PLAN, 8 * form.planned))
    f.do(f"call void {access.call('settle_groups', *(f'ptr {name}' for _, name in ROOM))}")
    f.store("0", end)

    def put(value: str) -> str:
        """A word more; where it lies."""
        place = f.op(f"getelementptr i64, ptr %plan, i64 {f.load(end)}")
        f.store(value, place)
        f.change(end, "1")
        return place

    put(str(len(form.decks)))
    for deck in form.decks:
        bottom = access.bottom(str(deck))
        length = f.load(bottom, "i32")
        put(str(deck))
        put(length)
        with counting(context, "1", length) as loop:
            put(f.load(f.element(bottom, loop.value, "i32"), "i32"))
    number = f.load(access.number)
    put(number)
    with counting(context, "0", f.sub(number, "1")) as each:
        group = access.group(f.load(f.element("%order", each.value)))
        total = put("0")
        with counting(context, "0", str(form.kinds - 1)) as kind:
            copies, some = access.load(access.kind(group, kind.value)), f.block()
            f.branch(f.compare("sgt", copies, "0"), some, kind.next)
            f.begin(some)
            f.change(total, copies)
            with counting(context, "1", copies):
                put(kind.value)
        places = put("0")
        with counting(context, "0", str(2 * form.zones - 1)) as zone:
            here, some = access.load(access.zone(group, zone.value)), f.block()
            f.branch(f.compare("sgt", here, "0"), some, zone.next)
            f.begin(some)
            f.change(places, "1")
            put(zone.value)
            put(here)
    f.leave(f"i64 {f.load(end)}")
    return f.text()


CardCounts = Mapping[int, int]


def belief_bytes(
    form: BeliefForm, groups: Sequence[tuple[CardCounts, CardCounts]], bottoms: Mapping[int, Sequence[int | None]]
) -> bytes:
    """What the interpreter has concluded, as it lies in memory: of each group the cards and the zones."""
    data = bytearray(form.size)
    data[:8] = len(groups).to_bytes(8, "little")
    for number, (cards, zones) in enumerate(groups):
        start = 16 + number * form.step
        for place, count in [*cards.items(), *((form.kinds + zone, count) for zone, count in zones.items())]:
            data[start + 2 * place : start + 2 * place + 2] = count.to_bytes(2, "little")
    for number, zone in enumerate(form.decks):
        order = bottoms.get(zone + form.zones, ())
        start = form.bottoms + 4 * form.width * number
        for place, word in enumerate([len(order), *(UNKNOWN if card is None else card for card in order)]):
            data[start + 4 * place : start + 4 * place + 4] = word.to_bytes(4, "little", signed=True)
    return bytes(data)
