"""Rankings: those that are ranked are sorted, by one number for each where that is possible.

What comes first in a zone is known without sorting where the keys depend on nothing but the kind.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.elements import SHARED, Ordered
from chocolatl.interpreter.native.emit.keys import EQUAL, KeyEmitter, bits_of, length_of, packed
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import OrderType, Scalar

NETWORKS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: (),
    2: ((0, 1),),
    3: ((0, 2), (0, 1), (1, 2)),
    4: ((0, 2), (1, 3), (0, 1), (2, 3), (1, 2)),
    5: ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)),
}
"""Which positions to compare, in turn, so that so many numbers are sorted."""

FEW_KINDS = 16
"""So many counts are added up at once."""

Same = Callable[[str, str], tuple[str, str]]
"""Whether two positions have the same keys, and whether they hold different elements, as two conditions."""


class RankingEmitter(KeyEmitter):
    # ------------------------------------------------------------ orders

    def order(self, source: ir.OrderSource) -> Ordered:
        """An order in memory; a ranking is evaluated."""
        match source:
            case ir.HeldOrder():
                number = source.local.number
                assert isinstance(source.local.type, OrderType)
                room = source.local.type.most
                return Ordered(self.pointer(source.local), room, self.strict[number], self.lengths.get(number))
            case ir.Ranked():
                ranking = self.game.rankings[source.name]
                room = max(1, most_elements(ranking.domain, self.game))
                return self.ranked(source, self.f.variable(f"[{1 + 2 * room} x i64]", Access.ORDER))
            case _:
                assert_never(source)

    def ranked(self, source: ir.Ranked, pointer: str) -> Ordered:
        """A ranking evaluated into memory."""
        ranking = self.game.rankings[source.name]
        given = self.arguments(ranking, source.arguments)
        self.f.do(f"call void @ranking_{self.rankings[source.name]}({given}, ptr {pointer})")
        room = max(1, most_elements(ranking.domain, self.game))
        return Ordered(pointer, room, ranking.strict, length_of(ranking))

    def places(self, order: Ordered) -> str:
        return self.places_at(order.pointer, order.room)

    def at_place(self, order: Ordered, place: int) -> tuple[str, str]:
        """The first position of those who have a place, and how many they are; -1 is the last place."""
        f, count = self.f, self.length(order)
        if not order.strict:
            first = f.variable()
            found = f.op(f"call i64 @at_place(ptr {self.places(order)}, i64 {count}, i64 {place}, ptr {first})")
            return f.load(first), found
        if place == -1:
            return f.sub(count, "1"), f.widen(f.compare("ne", count, "0"))
        return str(place - 1), f.widen(f.compare("sge", count, str(place)))

    def place_of(self, e: ir.PlaceOf) -> str:
        f = self.f
        site = self.site(e.span, SHARED)
        if isinstance(e.order, ir.Ranked) and self.direction(self.game.rankings[e.order.name]):
            return self.place_in_zone(e, e.order, site)
        order = self.order(e.order)
        first, count = self.at_place(order, e.place)
        fine = f.compare("eq", count, "1")
        first = self.otherwise(fine, first, 0, site, told=count)
        found = f.load(f.element(self.elements(order), first))
        # What was not there is some element all the same.
        return f.select(fine, found, str(e.type.low))

    def rank_of(self, e: ir.RankOf) -> str:
        f = self.f
        if isinstance(e.order, ir.Ranked) and is_counted(self.game.rankings[e.order.name], e.element, self.game):
            given = self.arguments(self.game.rankings[e.order.name], e.order.arguments)
            return f.op(f"call i64 @rank_{self.rankings[e.order.name]}({given}, i64 {self.emit(e.element)})")
        order = self.order(e.order)
        element = self.emit(e.element)
        at = f.op(f"call i64 @find(ptr {self.elements(order)}, i64 {self.length(order)}, i64 {element})")
        if order.strict:
            return f.add(at, "1")
        absent = f.compare("slt", at, "0")
        place = f.load(f.element(self.places(order), f.select(absent, "0", at)))
        return f.select(absent, "0", place)

    def number_of_better(self, number: int, ranking: ir.Ranking) -> str:
        """A function for the rank of one of a few: one more than come before it."""
        f = self.opened(f"rank_{number}", ranking, [("i64", "%element")], "i64")
        assert isinstance(ranking.local.type, Scalar)
        keys = [f.op(f"lshr i64 {key}, {bits_of(ranking)}") for key in self.keys(ranking)]
        own, rank = keys[0], "1"
        for value, key in enumerate(keys[1:], ranking.local.type.low + 1):
            own = f.select(f.compare("eq", "%element", str(value)), key, own)
        for key in keys:
            rank = f.add(rank, f.widen(f.compare("slt", key, own)))
        f.leave(f"i64 {rank}")
        return f.text()

    # ------------------------------------------------------------ kinds that have an order of their own

    def direction(self, ranking: ir.Ranking) -> int:
        """1 or -1 if the kinds in a zone are ranked as they are numbered, or the other way round; 0 if that depends."""
        if ranking.name not in self.directions:
            self.directions[ranking.name] = self._direction(ranking)
        return self.directions[ranking.name]

    def _direction(self, ranking: ir.Ranking) -> int:
        if self.closely or not ranking.strict or ranking.where is not None:
            return 0
        if not isinstance(ranking.domain, ir.ZoneElements):
            return 0
        type_ = ir.set_type(ranking.domain.zone)
        if type_.short or type_.element.size > CHUNK:
            return 0
        rows: list[tuple[int, ...]] = []
        for value in range(type_.element.low, type_.element.high + 1):
            known: dict[int, ir.Expression] = {ranking.local.number: ir.Constant(ranking.span, type_.element, value)}
            keys = [self.fold(key.expression, known) for key in ranking.keys]
            numbers = [key.value for key in keys if isinstance(key, ir.Constant)]
            if len(numbers) < len(keys):
                return 0
            rows.append(tuple(-n if key.descending else n for n, key in zip(numbers, ranking.keys, strict=True)))
        pairs = list(pairwise(rows))
        return 1 if all(a < b for a, b in pairs) else -1 if all(a > b for a, b in pairs) else 0

    def place_in_zone(self, e: ir.PlaceOf, source: ir.Ranked, site: int) -> str:
        f = self.f
        ranking = self.game.rankings[source.name]
        given = self.arguments(ranking, source.arguments)
        name = {1: "first", -1: "last"}.get(e.place, "place")
        if name == "place":
            given += f", i64 {e.place}"
        found = f.op(f"call i64 @{name}_{self.rankings[source.name]}({given})")
        found = self.otherwise(f.compare("sge", found, "0"), found, 0, site, told="0")
        assert isinstance(ranking.local.type, Scalar)
        return f.add(found, str(ranking.local.type.low))

    def places_in_zone(self, number: int, ranking: ir.Ranking) -> list[str]:
        """Functions for the kind at a place, -1 if there is none: the first, the last, any."""
        assert isinstance(ranking.domain, ir.ZoneElements)
        texts = []
        for name, direction in (("first", self.direction(ranking)), ("last", -self.direction(ranking))):
            f = self.opened(f"{name}_{number}", ranking, [], "i64")
            word = self.present(*self.zone(ranking.domain.zone))
            edge = self.edge(word, direction)
            f.leave(f"i64 {f.select(f.compare('eq', word, '0'), '-1', edge)}")
            texts.append(f.text())
        f = self.opened(f"place_{number}", ranking, [("i64", "%place")], "i64")
        zone = self.zone(ranking.domain.zone)
        if not zone[1].planes and zone[1].padded <= FEW_KINDS:
            self.place_by_sums(*zone, self.direction(ranking))
        else:
            self.place_by_kinds(*zone, self.direction(ranking))
        return [*texts, f.text()]

    def place_by_sums(self, pointer: str, shape: Shape, tag: str, direction: int) -> None:
        """How many there are up to each kind, for all kinds at once; nothing that has to be foreseen depends on it."""
        f, lanes = self.f, Lanes(self.f, shape.padded, shape.unit)
        sums = f.op(f"load {shape.vector}, ptr {pointer}, align {shape.alignment}{tag}")
        steps = [1 << power for power in range(shape.padded.bit_length() - 1)]
        for step in steps:
            sums = self.intrinsic("uadd.sat", lanes, sums, lanes.moved(sums, step * direction))
        reached = f.op(f"icmp uge {lanes.type} {sums}, {lanes.spread('%place')}")
        word = f.op(f"zext i{lanes.count} {f.op(f'bitcast {lanes.truth} {reached} to i{lanes.count}')} to i64")
        f.leave(f"i64 {f.select(f.compare('eq', word, '0'), '-1', self.edge(word, direction))}")

    def place_by_kinds(self, pointer: str, shape: Shape, tag: str, direction: int) -> None:
        """One kind after the other, until there are enough."""
        f = self.f
        word, left, head, some, found, none = f.variable(), f.variable(), *(f.block() for _ in range(4))
        f.store(self.present(pointer, shape, tag), word)
        f.store("%place", left)
        f.begin(head)
        now = f.load(word)
        f.branch(f.compare("ne", now, "0"), some, none)
        f.begin(some)
        kind = self.edge(now, direction)
        f.store(f.differing(now, f.op(f"shl i64 1, {kind}")), word)
        over = f.change(left, f.sub("0", self.copies(pointer, shape, tag, kind)))
        f.branch(f.compare("sle", over, "0"), found, head)
        f.begin(found)
        f.leave(f"i64 {kind}")
        f.begin(none)
        f.leave("i64 -1")

    def edge(self, word: str, direction: int) -> str:
        """The lowest bit of a word, or its highest one."""
        if direction > 0:
            return self.f.op(f"call i64 @llvm.cttz.i64(i64 {word}, i1 false)")
        return self.f.op(f"sub i64 63, {self.f.op(f'call i64 @llvm.ctlz.i64(i64 {word}, i1 false)')}")

    # ------------------------------------------------------------ rankings

    def ranking(self, number: int, ranking: ir.Ranking) -> str:
        """A function that evaluates a ranking into memory, and others for what can be known without it."""
        others = self.places_in_zone(number, ranking) if self.direction(ranking) else []
        if is_counted(ranking, None, self.game):
            others.append(self.number_of_better(number, ranking))
        if ranking.name in self.unordered:
            others.append(self.unlike(number, ranking))
        f = self.opened(f"ranking_{number}", ranking, [("ptr", "%o")])
        assert isinstance(ranking.local.type, Scalar)
        room = max(1, most_elements(ranking.domain, self.game))
        if packed(ranking) is None:
            self.ranking_of_rows(ranking, room)
        elif length_of(ranking) == str(room) and room in NETWORKS:
            self.ranking_of_few(ranking, room)
        else:
            self.ranking_of_numbers(ranking, room)
        f.leave()
        return "\n\n".join([*others, f.text()])

    def ranking_of_few(self, ranking: ir.Ranking, room: int) -> None:
        """All of a few, such as the players: written out, and sorted by a network."""
        f, bits = self.f, bits_of(ranking)
        words = self.keys(ranking)
        for a, b in NETWORKS[room]:
            words[a], words[b] = f.minimum(words[a], words[b]), f.maximum(words[a], words[b])
        f.store(str(room), "%o")
        for position, word in enumerate(words):
            f.store(self.element(ranking, word), f.element("%o", str(1 + position)))
        places = self.places_at("%o", room)
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
            self.fail(self.site(ranking.span, EQUAL))
            f.begin(good)

    def keyed(self, ranking: ir.Ranking, array: str, width: int) -> str:
        """Run through those that are ranked: for each, `width` words. Gives back the variable that counts them."""
        f = self.f
        count = f.variable()
        f.store("0", count)
        with self.each(ranking.domain, ranking.local) as loop:
            if ranking.where is not None:
                fitting = f.block()
                f.branch(self.condition(ranking.where), fitting, loop.next)
                f.begin(fitting)
            if width == 1:
                row = [self.key(ranking, loop.value)]
            else:
                keys = [(self.emit(key.expression), key.descending) for key in ranking.keys]
                row = [*(f.sub("0", value) if falling else value for value, falling in keys), loop.value]
            with self.counting("1", loop.copies):
                at = f.load(count)
                start = f.element(array, f.mul(at, str(width)), meant=Region(Access.KEYS, 8 * width))
                for position, word in enumerate(row):
                    f.store(word, f.element(start, str(position)))
                f.store(f.add(at, "1"), count)
        return count

    def ranking_of_numbers(self, ranking: ir.Ranking, room: int) -> None:
        f, bits = self.f, bits_of(ranking)
        array = f.variable(f"[{room} x i64]", Access.KEYS)
        count = f.load(self.keyed(ranking, array, 1))
        f.store(count, "%o")
        f.do(f"call void @sort(ptr {array}, i64 {count})")
        with self.counting("0", f.sub(count, "1")) as loop:
            word = f.load(f.element(array, loop.value))
            f.store(self.element(ranking, word), f.element(self.elements_at("%o", room), loop.value))

        def same(position: str, before: str) -> tuple[str, str]:
            a, b = f.load(f.element(array, position)), f.load(f.element(array, before))
            return f.compare("ult", f.differing(a, b), str(1 << bits)), f.compare("ne", a, b)

        self.share_places(ranking, room, count, same)

    def ranking_of_rows(self, ranking: ir.Ranking, room: int) -> None:
        f = self.f
        width = len(ranking.keys) + 1
        array = f.variable(f"[{room * width} x i64]", Access.KEYS)
        count = f.load(self.keyed(ranking, array, width))
        f.store(count, "%o")
        f.do(f"call void @sort_rows(ptr {array}, i64 {count}, i64 {width})")

        def row(position: str) -> str:
            return f.element(array, f.mul(position, str(width)), meant=Region(Access.KEYS, 8 * width))

        with self.counting("0", f.sub(count, "1")) as loop:
            element = f.load(f.element(row(loop.value), str(width - 1)))
            f.store(element, f.element(self.elements_at("%o", room), loop.value))

        def same(position: str, before: str) -> tuple[str, str]:
            a, b = row(position), row(before)
            sign = f.op(f"call i64 @compare_rows(ptr {a}, ptr {b}, i64 {width - 1})")
            elements = f.compare("ne", f.load(f.element(a, str(width - 1))), f.load(f.element(b, str(width - 1))))
            return f.compare("eq", sign, "0"), elements

        self.share_places(ranking, room, count, same)

    def share_places(self, ranking: ir.Ranking, room: int, count: str, same: Same) -> None:
        """Places; where nobody may share one, two that are equal in every key are a failure, copies being no two."""
        f = self.f
        places = self.places_at("%o", room)
        f.store("1", places)
        site = self.site(ranking.span, EQUAL)
        with self.counting("1", f.sub(count, "1")) as loop:
            before = f.sub(loop.value, "1")
            keys, differ = same(loop.value, before)
            own = f.add(loop.value, "1")
            if ranking.strict:
                bad, good = f.block(), f.block()
                f.branch(f.op(f"and i1 {keys}, {differ}"), bad, good)
                f.begin(bad)
                self.fail(site)
                f.begin(good)
            else:
                own = f.select(keys, f.load(f.element(places, before)), own)
            f.store(own, f.element(places, loop.value))


def is_counted(ranking: ir.Ranking, element: ir.Expression | None, game: ir.GameRules) -> bool:
    """Whether a rank is found by counting those before: all of a few are ranked, the element too, and may be equal."""
    local = ranking.local.type
    within = element is None or (isinstance(local, Scalar) and local.holds(element.type))
    few = length_of(ranking) is not None and 0 < most_elements(ranking.domain, game) <= max(NETWORKS)
    return within and few and not ranking.strict and packed(ranking) is not None
