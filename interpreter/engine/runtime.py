"""What the emitted functions call (the runtime library): zones, orders, points, errors that name the rule's line.

`s` is the flat list of a position. A site is a number that stands for a place in the rules and a message.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from chocolatl.interpreter.lowered import zones
from chocolatl.interpreter.lowered.layout import Slots
from chocolatl.interpreter.lowered.lifted_log import LiftedLog
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.zones import DIGIT, SHIFT

RankedElements = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Elements best first, the place of each, and the keys that decided."""


class Runtime:
    """The functions that emitted code is given, bound to the sites of one game."""

    def __init__(self, sites: Sites) -> None:
        self.fail = sites.fail

    def names(self) -> dict[str, Callable[..., object]]:
        own = (
            "fail", "check", "required", "divide", "modulo", "order", "place_of", "rank_of", "at_place", "contested",
            "added", "removed", "deck", "move", "put_under", "award", "held", "keep", "extreme", "weights", "take",
        )  # fmt: skip
        of_zones = ("size", "count", "copies", "kinds", "elements", "bag")
        return {name: getattr(self, name) for name in own} | {name: getattr(zones, name) for name in of_zones}

    # ------------------------------------------------------------ numbers

    def check(self, value: int, low: int, high: int, site: int) -> int:
        if low <= value <= high:
            return value
        self.fail(site, value)

    def required(self, value: int, none: int, site: int) -> int:
        if value == none:
            self.fail(site)
        return value

    def divide(self, a: int, b: int, site: int) -> int:
        if b == 0:
            self.fail(site)
        return a // b

    def modulo(self, a: int, b: int, site: int) -> int:
        if b == 0:
            self.fail(site)
        return a % b

    def extreme(self, values: Sequence[int], highest: bool, site: int) -> int:
        if not values:
            self.fail(site)
        return max(values) if highest else min(values)

    # ------------------------------------------------------------ zones

    def added(self, held: tuple[int, ...], value: int, most: int, site: int) -> tuple[int, ...]:
        """A short set with one more value, sorted."""
        if len(held) >= most:
            self.fail(site)
        place = bisect_left(held, value)
        return (*held[:place], value, *held[place:])

    def removed(self, held: tuple[int, ...], value: int, site: int) -> tuple[int, ...]:
        if value not in held:
            self.fail(site)
        place = held.index(value)
        return held[:place] + held[place + 1 :]

    def deck(self, s: Slots, zone: int, under: int) -> tuple[int, ...]:
        """The kinds in a deck, those of its known bottom first."""
        known = s[under + 1 : under + 1 + s[under]]
        return (*known, *zones.elements(zone - zones.bag(known)))

    def move(self, s: Slots, source: int, target: int, kind: int, site: int) -> None:
        shift = kind << SHIFT
        if not s[source] >> shift & DIGIT:
            self.fail(site)
        one = 1 << shift
        s[source] -= one
        s[target] += one

    def put_under(self, s: Slots, under: int, kind: int) -> None:
        """Note a card at the very bottom of a deck; it has been moved there already."""
        length = s[under] + 1
        s[under] = length
        s[under + length] = kind

    def weights(self, s: Slots, zone: int, under: int) -> tuple[tuple[int, int], ...]:
        """How likely each kind is to be drawn: by copies; cards of the known bottom come last, in their order."""
        known = s[under + 1 : under + 1 + s[under]]
        if known and len(known) == zones.size(zone):
            return ((known[0], 1),)
        return zones.copies(zone - zones.bag(known))

    def take(self, s: Slots, source: int, under: int, kind: int, back: bool = False) -> int:
        """After a card left a deck: when its known bottom held the last copies, that shrinks. 2 and more tell where.
        One that is on its way `back` under the same deck is among its cards already."""
        known = s[under + 1 : under + 1 + s[under]]
        if known.count(kind) <= zones.count(s[source], kind) - back:
            return 0
        place = known.index(kind)
        del known[place]
        s[under] = len(known)
        s[under + 1 : under + 2 + len(known)] = [*known, 0]
        return 2 + place

    # ------------------------------------------------------------ orders

    def order(self, keyed: list[tuple[tuple[int, ...], int]], strict: bool, site: int) -> RankedElements:
        keyed.sort()
        found = dict(keyed)
        if len(found) < len(keyed):
            return self.tied(keyed, strict, site)
        return tuple(found.values()), tuple(range(1, len(found) + 1)), tuple(found)

    def tied(self, keyed: list[tuple[tuple[int, ...], int]], strict: bool, site: int) -> RankedElements:
        """An order in which some are equal in every key; where that is an error, two copies of one element are none."""
        places = [1]
        for position in range(1, len(keyed)):
            (key, element), (key_before, element_before) = keyed[position], keyed[position - 1]
            if strict and key == key_before and element != element_before:
                self.fail(site)
            places.append(places[-1] if key == key_before and not strict else position + 1)
        return tuple([element for _, element in keyed]), tuple(places), tuple([key for key, _ in keyed])

    def at_place(self, ranked: RankedElements, place: int) -> tuple[int, ...]:
        """Who has a place; -1 is the last one."""
        elements, places, _ = ranked
        if place == -1 and places:
            place = places[-1]
        if place not in places:
            return ()
        first = places.index(place)
        return elements[first : first + places.count(place)]

    def contested(self, log: Log, ranked: RankedElements, noted: tuple[object, ...]) -> RankedElements:
        """The order that a contest goes on with, once it is noted."""
        log.append(noted)
        return log.ranked(ranked) if isinstance(log, LiftedLog) else ranked

    def place_of(self, ranked: RankedElements, place: int, site: int) -> int:
        found = self.at_place(ranked, place)
        if len(found) != 1:
            self.fail(site, "nobody" if not found else f"{len(found)} share it")
        return found[0]

    def rank_of(self, ranked: RankedElements, element: int) -> int:
        elements, places, _ = ranked
        return places[elements.index(element)] if element in elements else 0

    def keep(self, s: Slots, slot: int, ranked: RankedElements, size: int) -> None:
        """Store an order in slots: how many, who, and at which places."""
        elements, places, _ = ranked
        length = len(elements)
        s[slot] = length
        s[slot + 1 : slot + 1 + length] = elements
        s[slot + 1 + size : slot + 1 + size + length] = places

    def held(self, s: Slots, slot: int, size: int) -> RankedElements:
        length = s[slot]
        return (
            tuple(s[slot + 1 : slot + 1 + length]), tuple(s[slot + 1 + size : slot + 1 + size + length]), (),
        )  # fmt: skip

    # ------------------------------------------------------------ points

    def award(
        self, s: Slots, slot: int, amount: int, least: int | None, most: int | None, low: int, high: int,
        item: int, reach: int, site: int, beyond: int,
    ) -> int:  # fmt: skip
        """Change a score and its entry in the breakdown; the change that was possible within the limits."""
        old = s[slot]
        new = old + amount
        if most is not None and new > most:
            new = most
        if least is not None and new < least:
            new = least
        if not low <= new <= high:
            self.fail(site, new)
        points = s[item] + new - old
        if not -reach <= points <= reach:
            self.fail(beyond, points)
        s[slot] = new
        s[item] = points
        return new - old
