"""All worlds that a player holds for possible (an information set), each with its weight: what samples are drawn from.

Where the cards of a group lie in several zones, every way to deal them is a world. Its weight is the number of ways in
which single cards, told apart, would come to lie like this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import comb, prod

from chocolatl.interpreter.engine.belief import Group
from chocolatl.interpreter.engine.knowledge import Knowledge
from chocolatl.interpreter.lowered.layout import Slots
from chocolatl.interpreter.lowered.zones import GONE, bag

Dealt = tuple[tuple[int, tuple[int, ...]], ...]
"""Zones with the cards that lie in each."""


class TooManyWorlds(Exception):
    """There are more worlds than were asked for, or such as cannot be listed."""


def worlds(knowledge: Knowledge, s: Slots, player: int, most: int) -> list[tuple[Slots, int]]:
    """Every world that a player cannot tell from a state, with its weight."""
    belief = knowledge.belief(s, player)
    if belief.bottoms or any(s[slot] for frame in knowledge.layout.frames.values() for slot in frame.lies.values()):
        raise TooManyWorlds  # an order of cards, or a card that a rule holds: these are drawn, and never listed
    ways: list[dict[Dealt, int]] = []
    for group in belief.groups:
        ways.append({})
        for dealt, weight in _dealings(group, most):
            ways[-1][dealt] = ways[-1].get(dealt, 0) + weight
            if prod(map(len, ways)) > most:
                raise TooManyWorlds
    found: list[tuple[Slots, int]] = []
    for combined in product(*[way.items() for way in ways]):
        slots = list(s)
        for zone in range(knowledge.count):
            if not knowledge.sees(player, zone):
                slots[knowledge.slots[zone]] = 0
        for dealt, _ in combined:
            for zone, cards in dealt:
                slots[knowledge.slots[zone]] += bag(cards)
        found.append((slots, prod(weight for _, weight in combined)))
    return found


def _dealings(group: Group, most: int) -> Iterator[tuple[Dealt, int]]:
    """Every way in which the cards of a group may lie in its zones, with its weight."""

    def deal(zones: list[int], cards: Counter[int]) -> Iterator[tuple[Dealt, int]]:
        if not zones:
            yield (), 1
            return
        for taken, weight in _taken(sorted(cards.items()), group.zones[zones[0]]):
            here = ((zones[0], taken),) if zones[0] != GONE else ()
            for rest, more in deal(zones[1:], cards - Counter(taken)):
                yield (*here, *rest), weight * more

    # What is gone comes last: it is the rest, in one way, and makes no other world.
    zones = sorted(group.zones, key=lambda zone: (zone == GONE, zone))
    for thrown, odds in _thrown(group, most).items():
        for dealt, weight in deal(zones, group.cards + Counter(thrown)):
            yield dealt, odds * weight


def _thrown(group: Group, most: int) -> dict[tuple[int, ...], int]:
    """All that the dice of a group may show, with the odds."""
    found: dict[tuple[int, ...], int] = {(): 1}
    for die in group.dice.elements():
        before, found = found, {}
        for shown, weight in before.items():
            for kind, odds in die:
                now = tuple(sorted((*shown, kind)))
                found[now] = found.get(now, 0) + weight * odds
            if len(found) > most:
                raise TooManyWorlds
    return found


def _taken(kinds: list[tuple[int, int]], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """So many cards of kinds with copies, and in how many ways single cards come to that."""
    if not kinds:
        if size == 0:
            yield (), 1
        return
    (kind, copies), *rest = kinds
    fewest = max(0, size - sum(others for _, others in rest))  # the rest cannot be more than there are
    for number in range(fewest, min(copies, size) + 1):
        for others, weight in _taken(rest, size - number):
            yield (kind,) * number + others, weight * comb(copies, number)
