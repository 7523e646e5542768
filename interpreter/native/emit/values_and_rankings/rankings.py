"""Rankings: those that are ranked are sorted, by one number for each where that is possible (sorting networks, packed
keys)."""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.checks import add_site, fail
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.keys import (
    EQUAL,
    NETWORKS,
    all_keys,
    bits_of,
    element_of_key,
    is_counted,
    length_of,
    open_ranking,
    packed,
    packed_key,
)
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.orders import elements_at, places_at
from chocolatl.interpreter.native.emit.values_and_rankings.zone_orders import zone_direction, zone_place_texts
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.types import Scalar

Same = Callable[[str, str], tuple[str, str]]
"""Whether two positions have the same keys, and whether they hold different elements, as two conditions."""


def ranking_text(context: EmitContext, number: int, ranking: ir.Ranking) -> str:
    """A function that evaluates a ranking into memory, and others for what can be known without it."""
    others = zone_place_texts(context, number, ranking) if zone_direction(context, ranking) else []
    if is_counted(context, ranking, None):
        others.append(rank_text(context, number, ranking))
    if ranking.name in context.requested.rankings:
        others.append(context.requested.rankings[ranking.name](context, number, ranking))
    f = open_ranking(context, f"ranking_{number}", ranking, [("ptr", "%o")])
    assert isinstance(ranking.local.type, Scalar)
    room = max(1, most_elements(ranking.domain, context.game))
    if packed(context, ranking) is None:
        sort_rows(context, ranking, room)
    elif not sort_by_network(context, ranking, room):
        sort_packed(context, ranking, room)
    f.leave()
    return "\n\n".join([*others, f.text()])


NETWORK = Pass(
    "sorting networks", "All of a few are ranked, by keys that fit into one number: they are not sorted in a loop."
)


@NETWORK.function
def sort_by_network(context: EmitContext, ranking: ir.Ranking, room: int) -> bool:
    """All of a few, such as the players: written out, and sorted by a network."""
    if length_of(ranking) != str(room) or room not in NETWORKS:
        return False
    f, bits = context.f, bits_of(ranking)
    words = all_keys(context, ranking)
    for a, b in NETWORKS[room]:
        words[a], words[b] = f.minimum(words[a], words[b]), f.maximum(words[a], words[b])
    f.store(str(room), "%o")
    for position, word in enumerate(words):
        f.store(element_of_key(context, ranking, word), f.element("%o", str(1 + position)))
    places = places_at(context, "%o", room)
    f.store("1", places)
    shared, place = "false", "1"
    for position in range(1, room):
        differ = f.differing(words[position], words[position - 1])
        same = f.compare("ult", differ, str(1 << bits))
        own = str(position + 1)
        if ranking.strict:
            shared = same if position == 1 else f.op(f"or i1 {shared}, {same}")
        else:
            own = place = f.select(same, place, own)
        f.store(own, f.element(places, str(position)))
    if ranking.strict:
        bad, good = f.block(), f.block()
        f.branch(shared, bad, good)
        f.begin(bad)
        fail(context, add_site(context, ranking.span, EQUAL))
        f.begin(good)
    return True


def rank_text(context: EmitContext, number: int, ranking: ir.Ranking) -> str:
    """A function for the rank of one of a few: one more than come before it."""
    f = open_ranking(context, f"rank_{number}", ranking, [("i64", "%element")], "i64")
    assert isinstance(ranking.local.type, Scalar)
    keys = [f.op(f"lshr i64 {key}, {bits_of(ranking)}") for key in all_keys(context, ranking)]
    own, rank = keys[0], "1"
    for value, key in enumerate(keys[1:], ranking.local.type.low + 1):
        own = f.select(f.compare("eq", "%element", str(value)), key, own)
    for key in keys:
        rank = f.add(rank, f.widen(f.compare("slt", key, own)))
    f.leave(f"i64 {rank}")
    return f.text()


def list_keys(context: EmitContext, ranking: ir.Ranking, array: str, width: int) -> str:
    """Run through those that are ranked: for each, `width` words. Gives back the variable that counts them."""
    f = context.f
    count = f.variable()
    f.store("0", count)
    with each_element(context, ranking.domain, ranking.local) as loop:
        if ranking.where is not None:
            fitting = f.block()
            f.branch(emit_condition(context, ranking.where), fitting, loop.next)
            f.begin(fitting)
        if packed(context, ranking) is not None:
            row = [packed_key(context, ranking, loop.value)]
        else:
            keys = [(emit(context, key.expression), key.descending) for key in ranking.keys]
            row = [*(f.sub("0", value) if falling else value for value, falling in keys), loop.value]
        with counting(context, "1", loop.copies):
            at = f.load(count)
            start = f.element(array, f.mul(at, str(width)), meant=Region(Access.KEYS, 8 * width))
            for position, word in enumerate(row):
                f.store(word, f.element(start, str(position)))
            f.store(f.add(at, "1"), count)
    return count


def sort_packed(context: EmitContext, ranking: ir.Ranking, room: int) -> None:
    f, bits = context.f, bits_of(ranking)
    array = f.variable(f"[{room} x i64]", Access.KEYS)
    count = f.load(list_keys(context, ranking, array, 1))
    f.store(count, "%o")
    f.do(f"call void @sort(ptr {array}, i64 {count})")
    with counting(context, "0", f.sub(count, "1")) as loop:
        word = f.load(f.element(array, loop.value))
        f.store(element_of_key(context, ranking, word), f.element(elements_at(context, "%o", room), loop.value))

    def same(position: str, before: str) -> tuple[str, str]:
        a, b = f.load(f.element(array, position)), f.load(f.element(array, before))
        return f.compare("ult", f.differing(a, b), str(1 << bits)), f.compare("ne", a, b)

    share_places(context, ranking, room, count, same)


def sort_rows(context: EmitContext, ranking: ir.Ranking, room: int) -> None:
    f = context.f
    width = len(ranking.keys) + 1
    array = f.variable(f"[{room * width} x i64]", Access.KEYS)
    count = f.load(list_keys(context, ranking, array, width))
    f.store(count, "%o")
    f.do(f"call void @sort_rows(ptr {array}, i64 {count}, i64 {width})")

    def row(position: str) -> str:
        return f.element(array, f.mul(position, str(width)), meant=Region(Access.KEYS, 8 * width))

    with counting(context, "0", f.sub(count, "1")) as loop:
        element = f.load(f.element(row(loop.value), str(width - 1)))
        f.store(element, f.element(elements_at(context, "%o", room), loop.value))

    def same(position: str, before: str) -> tuple[str, str]:
        a, b = row(position), row(before)
        sign = f.op(f"call i64 @compare_rows(ptr {a}, ptr {b}, i64 {width - 1})")
        elements = f.compare("ne", f.load(f.element(a, str(width - 1))), f.load(f.element(b, str(width - 1))))
        return f.compare("eq", sign, "0"), elements

    share_places(context, ranking, room, count, same)


def share_places(context: EmitContext, ranking: ir.Ranking, room: int, count: str, same: Same) -> None:
    """Places; where nobody may share one, two that are equal in every key are a failure, copies being no two."""
    f = context.f
    places = places_at(context, "%o", room)
    f.store("1", places)
    site = add_site(context, ranking.span, EQUAL)
    with counting(context, "1", f.sub(count, "1")) as loop:
        before = f.sub(loop.value, "1")
        keys, differ = same(loop.value, before)
        own = f.add(loop.value, "1")
        if ranking.strict:
            bad, good = f.block(), f.block()
            f.branch(f.op(f"and i1 {keys}, {differ}"), bad, good)
            f.begin(bad)
            fail(context, site)
            f.begin(good)
        else:
            own = f.select(keys, f.load(f.element(places, before)), own)
        f.store(own, f.element(places, loop.value))
