"""The same conclusions in the same order, however they have come about, in native code (a canonical form).

    settle_groups(b, order, keys)    what lies in one zone alone is one group; `order` has the groups as they are dealt

It is what `settled` of `chocolatl.interpreter.engine.belief` does: groups stand in the order of their zones, and where
these are the same in that of their cards. `keys` is room for the lowest zone of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.concluding import BeliefAccess, merge_groups

ROOM = (("ptr", "%order"), ("ptr", "%keys"))


def settling_texts(access: BeliefAccess) -> Iterator[str]:
    yield before_text(access)
    yield settle_text(access)


def before_text(access: BeliefAccess) -> str:
    """Whether a group is dealt before another one."""
    f = access.open("before", (("i64", "%one"), ("i64", "%other")), "i1")
    one, other = access.group("%one"), access.group("%other")
    _leave_if_different(access, lambda at: (access.zone(one, at), access.zone(other, at)), 2 * access.form.zones)
    _leave_if_different(access, lambda at: (access.kind(one, at), access.kind(other, at)), access.form.kinds)
    f.leave("i1 false")
    return f.text()


def _leave_if_different(access: BeliefAccess, at: Callable[[str], tuple[str, str]], count: int) -> None:
    """Which of two lists of places with counts comes first, if they are not the same. A place that is missing in one of
    them is compared with the next one there, and an end comes before all others."""
    f, context = access.f, access.context
    with counting(context, "0", str(count - 1)) as loop:
        mine, theirs = (access.load(pointer) for pointer in at(loop.value))
        apart, some, both, missing = (f.block() for _ in range(4))
        f.branch(f.compare("eq", mine, theirs), loop.next, apart)
        f.begin(apart)
        f.branch(f.compare("ne", mine, "0"), some, missing)
        f.begin(some)
        behind = f.block()
        f.branch(f.compare("ne", theirs, "0"), both, behind)
        f.begin(both)
        f.leave(f"i1 {f.compare('slt', mine, theirs)}")
        for block, position, result in ((missing, 0, "true"), (behind, 1, "false")):
            f.begin(block)
            more = f.block()
            with counting(context, f.add(loop.value, "1"), str(count - 1)) as rest:
                there = access.load(at(rest.value)[position])
                f.branch(f.compare("ne", there, "0"), more, rest.next)
                f.closed = True
            f.leave(f"i1 {result}")
            f.begin(more)
            f.leave(f"i1 {'false' if result == 'true' else 'true'}")
        f.closed = True


def settle_text(access: BeliefAccess) -> str:
    f, form, context = access.open("settle_groups", ROOM), access.form, access.context
    f.mean("%order", Region(Access.LIST, 8 * form.groups))
    f.mean("%keys", Region(Access.LIST, 8 * form.groups))
    _gather(access)
    with counting(context, "0", f.sub(f.load(access.number), "1")) as loop:
        place = f.variable()
        f.store(loop.value, place)
        again, look, same, apart, shift, found = (f.block() for _ in range(6))
        f.begin(again)
        now = f.load(place)
        f.branch(f.compare("sgt", now, "0"), look, found)
        f.begin(look)
        other = f.load(f.element("%order", f.sub(now, "1")))
        mine, theirs = (f.load(f.element("%keys", group)) for group in (loop.value, other))
        f.branch(f.compare("eq", mine, theirs), same, apart)
        f.begin(apart)
        f.branch(f.compare("slt", mine, theirs), shift, found)
        f.begin(same)
        first = f.op(f"call i1 {access.call('before', f'i64 {loop.value}', f'i64 {other}')}")
        f.branch(first, shift, found)
        f.begin(shift)
        f.store(other, f.element("%order", now))
        f.change(place, "-1")
        f.goto(again)
        f.begin(found)
        f.store(loop.value, f.element("%order", f.load(place)))
    f.leave()
    return f.text()


def _gather(access: BeliefAccess) -> None:
    """What lies in one zone alone becomes one group; the lowest zone of each is its key."""
    f, form, context = access.f, access.form, access.context
    size = 2 * form.zones
    firsts, at, places, lowest = f.variable(f"[{max(1, size)} x i64]", Access.LIST), *(f.variable() for _ in range(3))
    with counting(context, "0", str(size - 1)) as loop:
        f.store("-1", f.element(firsts, loop.value))
    f.store("0", at)
    again, look, alone, new, merge, on, done = (f.block() for _ in range(7))
    f.begin(again)
    now = f.load(at)
    f.branch(f.compare("slt", now, f.load(access.number)), look, done)
    f.begin(look)
    group = access.group(now)
    f.store("0", places)
    f.store("-1", lowest)
    with counting(context, "1", str(size)) as loop:
        zone, here = f.sub(str(size), loop.value), f.block()
        f.branch(f.compare("ne", access.load(access.zone(group, zone)), "0"), here, loop.next)
        f.begin(here)
        f.change(places, "1")
        f.store(zone, lowest)
    key = f.load(lowest)
    f.branch(f.compare("eq", f.load(places), "1"), alone, on)
    f.begin(alone)
    first = f.load(f.element(firsts, key))
    f.branch(f.compare("slt", first, "0"), new, merge)
    f.begin(new)
    f.store(now, f.element(firsts, key))
    f.goto(on)
    f.begin(merge)
    merge_groups(access, access.group(first), group)
    f.do(f"call void {access.call('remove', f'i64 {now}')}")
    f.goto(again)
    f.begin(on)
    f.store(key, f.element("%keys", now))
    f.change(at, "1")
    f.goto(again)
    f.begin(done)
