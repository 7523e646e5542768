"""A loop over a ranking, in a symbolic run (unrolling): at each place, whoever may have it.

Nobody has two places. So what only the passes of one element have written is, in a later pass of that element, as it
was before the loop; and after the loop it is what the one pass has made of it. What a pass does before its place
matters is done once for each element. If all who may have a place do the same from there on, it is done once for all of
them; if that is so at every place, nobody has to be ranked. Of things with copies each kind has one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.solver.model.linear import BooleanLiteral, OneOf, SymbolicNumber, Truth, negated
from chocolatl.solver.symbolic.domains import Element
from chocolatl.solver.symbolic.loop_invariants import LoopInvariants
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.state import ANYBODY, Anybody, DependsOnWho, ElementWrites, HeldValue, SlotKey

if TYPE_CHECKING:  # a run makes loops, and a loop goes on with its run
    from chocolatl.solver.symbolic.run import SymbolicRun

WrittenSlots = dict[SlotKey, HeldValue]


class RankingLoop:
    def __init__(self, run: SymbolicRun, s: ir.ForEach, source: ir.OrderSource) -> None:
        self.run = run
        self.loop = s
        self.source = source
        self.own = ElementWrites(run.state)
        self.everybody = self.surely_ranked()
        early = 0 if run.answers.seeking else LoopInvariants.of(run.program).statements(s)
        self.first: dict[int, WrittenSlots] = {}
        """What each element does before its place matters."""
        if self.everybody is not None and early:
            self.first = {element: self.before(element, s.body[:early]) for element in self.everybody}
        self.rest = s.body[early:] if self.first else s.body
        self.alike = like_most(self.first)
        """Those who do the same before their places matter."""
        self.is_apart = False
        """Whether it was found that something depends on who has a place."""
        self.copies: dict[int, SymbolicNumber] = {}
        """Of kinds in an order that the answer decides, how many there are of each."""

    def surely_ranked(self) -> Sequence[int] | None:
        """All who are surely ranked, if that is known before they are."""
        match self.source:
            case ir.HeldOrder(local=local):
                order = self.run.orders[local.number]
                return order.elements if order.is_complete and not order.copies else None
            case ir.Ranked(name=name):
                return all_of(self.run.game.rankings[name])
            case _:
                assert_never(self.source)

    def before(self, element: int, block: ir.Block) -> WrittenSlots:
        """What an element writes into locals before its place matters."""
        run, state = self.run, self.run.state

        def first() -> Truth:
            run.bind(self.loop.local, element)
            return run.block(block)

        written = state.way(lambda: run.along(f"{element}.1", first))
        del written[-self.loop.local.number]
        for key, held in written.items():
            value = state.worked_out(key, held)
            if run.again and isinstance(value, BooleanLiteral) and not run.possible(value, True):
                value = 0
            written[key] = value
        return written

    def body(self, who: int | OneOf | Anybody, first: WrittenSlots) -> Truth:
        """The rest of a pass; whether it leaves the loop."""
        for key, value in first.items():
            self.run.state.write(key, value)
        return self.run.body(self.loop, who, self.rest)

    # ------------------------------------------------------------ places

    def carry_out(self) -> None:
        if self.by_anybody():
            return
        order = self.run.order(self.source)
        if order.copies:
            if order.is_known:
                self.through_copies(order)
                return
            # What is alike lies together: each kind has one place, and its pass is one for each copy of it.
            self.copies, order, self.is_apart = order.copies, replace(order, copies={}, ahead={}, places={}), True
        order = without_ties(order)
        places = range(1, len(order.elements) + 1)
        if self.from_place(order, places[::-1] if self.loop.backwards else places):
            self.own.settle()

    def through_copies(self, order: SymbolicOrder) -> None:
        """Things with copies in an order that no answer decides, each as often as there are copies of it."""
        elements = [Element(value, order.there[value], order.copies[value]) for value in order.listed]
        self.run.through(self.loop, elements[::-1] if self.loop.backwards else elements)

    def by_anybody(self) -> bool:
        """All passes, if nothing depends on who has which place; whether that is so."""
        if not self.everybody or not self.are_alike(self.everybody):
            return False
        first = self.first.get(self.everybody[0], {})

        def passes(left: int) -> Truth:
            over = self.body(ANYBODY, first)
            if left > 1 and over is not True:
                self.run.when(negated(over), lambda: passes(left - 1))
            return False

        number = len(self.everybody)
        found = self.once_for_all(lambda: passes(number))
        if found is None:
            return False
        for key, value in found[0].items():
            self.run.state.write(key, value)
        return True

    def from_place(self, order: SymbolicOrder, places: Sequence[int]) -> bool:
        """The rest of the loop; whether everybody has had a pass, whatever is answered."""
        for done, place in enumerate(places, start=1):
            left = self.pass_of_place(order, place)
            rest = places[done:]
            if left is not False and rest:
                self.run.when(negated(left), lambda rest=rest: not self.from_place(order, rest))  # type: ignore[misc]
                return False
        return order.is_complete

    def pass_of_place(self, order: SymbolicOrder, place: int) -> Truth:
        """The pass of whoever has a place; whether it leaves the loop."""
        run, complete = self.run, order.is_complete
        holders = run.at_place(order, place)
        elements = [element for element, _ in holders]
        if not holders:  # on a way that never is gone
            return False
        if complete and len(holders) > 1 and self.are_alike(elements):
            left = self.by_one_of(holders)
            if left is not None:
                return left
        found: list[Truth] = []
        ways: list[tuple[Truth, WrittenSlots]] = []
        shared = self.by_some([holder for holder in holders if holder[0] in self.alike]) if complete else None
        for element, here in holders:
            if shared is not None and element in self.alike:
                written, left = shared
                found.append(left)
            else:
                written = self.own.way(element, here, lambda e=element: found.append(self.by_element(e)))  # type: ignore[misc]
            ways.append((here, written))
        run.state.join(ways, complete)
        if complete and all(left is found[0] for left in found):
            return found[0]
        return run.model.some([run.model.every((here, left)) for (here, _), left in zip(ways, found, strict=True)])

    def by_element(self, element: int) -> Truth:
        if self.copies:
            return self.run.copies(self.loop, Element(element, copies=self.copies[element]))
        return self.run.along(f"{element}.1", lambda: self.body(element, self.first.get(element, {})))

    # ------------------------------------------------------------ one pass for several

    def are_alike(self, elements: Sequence[int]) -> bool:
        return not self.is_apart and (not self.first or all(element in self.alike for element in elements))

    def by_one_of(self, holders: list[tuple[int, Truth]]) -> Truth | None:
        """One pass for all who may have a place, if nothing depends on who it is; None if something does."""
        who, first = self.run.model.one_of(holders), self.first.get(holders[0][0], {})
        found = self.once_for_all(lambda: self.body(who, first))
        if found is None:
            self.is_apart = True
            return None
        written, left = found
        self.own.note(written, holders)
        for key, value in written.items():
            self.run.state.write(key, value)
        return left

    def by_some(self, holders: list[tuple[int, Truth]]) -> tuple[WrittenSlots, Truth] | None:
        """One pass for some of those who may have a place."""
        if len(holders) < 2 or self.is_apart:
            return None
        first = self.first[holders[0][0]]
        found = self.once_for_all(lambda: self.body(ANYBODY, first))
        if found is None:
            self.is_apart = True
            return None
        self.own.note(found[0], holders)
        return found

    def once_for_all(self, work: Callable[[], Truth]) -> tuple[WrittenSlots, Truth] | None:
        """What a pass for several writes, and whether it leaves the loop; None if something depends on who it is."""
        run = self.run
        kept, run.together = run.together, True
        found: list[Truth] = []
        try:
            written = run.state.way(lambda: found.append(work()))
        except DependsOnWho:
            return None
        finally:
            run.together = kept
        written.pop(-self.loop.local.number)
        return written, found[0]


def all_of(ranking: ir.Ranking) -> Sequence[int] | None:
    """All whom a ranking surely holds, if it is known who they are."""
    match ranking.domain:
        case ir.Whole(start=None, type=type_) if ranking.where is None:
            return range(type_.low, type_.high + 1)
        case ir.Whole() | ir.Numbers() | ir.ZoneElements() | ir.Listing() | ir.OrderElements():
            return None
        case _:
            assert_never(ranking.domain)


def like_most(first: dict[int, WrittenSlots]) -> Sequence[int]:
    """Most of those who have written the same, if that is not decided by the answer."""
    plain = [element for element, written in first.items() if all(isinstance(v, int) for v in written.values())]
    groups = [[other for other in plain if first[other] == first[element]] for element in plain]
    return max(groups, key=len, default=())


def without_ties(order: SymbolicOrder) -> SymbolicOrder:
    """The order in which a loop takes those who share a place: as they are listed."""
    if order.strict:
        return order
    before = dict(order.before)
    for i, a in enumerate(order.elements):
        for b in order.elements[i + 1 :]:
            before[a, b] = negated(order.before[b, a])
    return SymbolicOrder(order.elements, order.there, before, strict=True, way=order.way)
