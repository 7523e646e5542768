"""What one player can conclude of what lies unseen (a belief state): groups of cards that cannot be told apart.

A group is known as a whole, and lies in one or more zones. Most of its cards are known by kind; a value that was rolled
unseen is a *die*, known by its faces and their odds alone. Beliefs are made and followed in
`chocolatl.interpreter.engine.knowledge`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from math import gcd, lcm
from typing import TYPE_CHECKING, TypeVar

from chocolatl.interpreter.lowered.answers import Outcomes
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import GONE

if TYPE_CHECKING:  # few games need it, and it takes its time
    from fractions import Fraction

Key = TypeVar("Key")

MAX_TOTAL = 1 << 32
"""The odds of a die add up to so much at most: one random number has 32 bits."""

Die = tuple[tuple[int, int], ...]
"""Faces by kind, each with its odds, which have no common divisor. What has one face is no die but a card."""


@lru_cache(256)
def die(weighted: tuple[tuple[int, int], ...]) -> Die:
    """Faces with odds as a die; one that was made before is the same object, so that many rolls take little room."""
    weights = Outcomes(weighted, 1, False).weights
    divisor = gcd(*weights.values())
    return tuple((kind, odds // divisor) for kind, odds in sorted(weights.items()))


def rolled(die: Die, number: int, random: Random) -> list[int]:
    """What so many equal dice show."""
    up_to = list(accumulate(odds for _, odds in die))
    return [die[bisect_right(up_to, random.below(up_to[-1]))][0] for _ in range(number)]


@dataclass(eq=False)
class Group:
    """Cards that a player cannot tell apart: which ones, and how many of them lie in each zone. No count is 0."""

    cards: Counter[int]
    zones: Counter[int]
    dice: Counter[Die] = field(default_factory=Counter)

    def copy(self) -> Group:
        return Group(Counter(self.cards), Counter(self.zones), Counter(self.dice))

    @property
    def place(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[Die, int]]]:
        """What tells groups apart, as something to sort by."""
        return sorted(self.zones.items()), sorted(self.cards.items()), sorted(self.dice.items())

    def update(self, other: Group) -> None:
        self.cards.update(other.cards)
        self.zones.update(other.zones)
        self.dice.update(other.dice)

    def holds(self, card: int) -> bool:
        """Whether one of them may be this card."""
        return card in self.cards or any(card == kind for each in self.dice for kind, _ in each)

    def lose(self, card: int) -> None:
        """One of them was this card, and is no longer among them.

        Several may have been it: known ones and dice, in a row. If the first one was it, each of the others stays; if
        the last one was, each but that stays. So at each place in the row, the last left out, stays either who stands
        there or who comes next, as likely as those up to there or those behind were it."""
        if not self.dice:
            less(self.cards, card, 1)
            return
        row = [((card, 1),)] * self.cards[card] + sorted(each for each in self.dice.elements() if chance_of(each, card))
        likely = list(accumulate(chance_of(each, card) for each in row))
        for each in row:
            self.count(each, -1)
        for each, after, so_far in zip(row, row[1:], likely, strict=False):
            self.count(each if each == after else mixed(each, after, so_far / likely[-1]), 1)

    def count(self, each: Die, number: int) -> None:
        """So many cards or dice more."""
        if len(each) == 1:
            less(self.cards, each[0][0], -number)
        else:
            less(self.dice, each, -number)

    def at_most(self) -> Counter[int]:
        """How many of them may be of each kind."""
        most = Counter(self.cards)
        for each, number in self.dice.items():
            most.update({kind: number for kind, _ in each})
        return most

    def drawn(self, random: Random) -> list[int]:
        """The cards, each die thrown, in a random order."""
        cards = sorted(self.cards.elements())
        for each, number in sorted(self.dice.items()):
            cards += rolled(each, number, random)
        for last in range(len(cards) - 1, 0, -1):
            other = random.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards


def chance_of(die: Die, card: int) -> Fraction:
    from fractions import Fraction

    odds = next((odds for kind, odds in die if kind == card), 0)
    return Fraction(odds, sum(odds for _, odds in die)) if odds else Fraction(0)


def mixed(one: Die, other: Die, share: Fraction) -> Die:
    """A die that is the other one in this share of all cases. Odds too fine for one random number are rounded up."""
    chances: dict[int, Fraction] = {}
    for each, part in ((one, 1 - share), (other, share)):
        total = sum(odds for _, odds in each)
        for kind, odds in each:
            chances[kind] = chances.get(kind, 0 * share) + part * odds / total
    scale = min(lcm(*(chance.denominator for chance in chances.values())), MAX_TOTAL - len(chances))
    return die(tuple((kind, -(-chance * scale // 1)) for kind, chance in sorted(chances.items())))


def less(counts: Counter[Key], key: Key, number: int) -> None:
    """Take so many away; a key that counts nothing is left out."""
    counts[key] -= number
    if not counts[key]:
        del counts[key]


@dataclass
class Belief:
    """What one player can conclude. `bottoms` are the orders at the bottom of decks: a card that the player knows, or
    None for one that belongs to a group."""

    groups: list[Group] = field(default_factory=list)
    bottoms: dict[int, list[int | None]] = field(default_factory=dict)

    def copy(self) -> Belief:
        return Belief([group.copy() for group in self.groups], {zone: list(b) for zone, b in self.bottoms.items()})

    def settled(self) -> Belief:
        """The same, however it has come about (a canonical form), so that the same is drawn by it: what is known to lie
        in one zone is one group, and groups stand in the order of their zones."""
        alone: dict[int, Group] = {}
        spread: list[Group] = []
        for group in self.groups:
            (zone, *others) = group.zones
            if others or group.dice:
                spread.append(group)
            elif zone in alone:
                alone[zone].update(group)
            else:
                alone[zone] = group.copy()
        groups = sorted([*alone.values(), *spread], key=lambda group: group.place)
        return Belief(groups, self.bottoms)

    def inside(self, zone: int) -> list[Group]:
        return [group for group in self.groups if zone in group.zones]

    def unite(self, groups: list[Group]) -> Group:
        first = groups[0]
        for other in groups[1:]:
            first.update(other)
            self.groups.remove(other)
        return first

    def add(self, zone: int, cards: tuple[int, ...]) -> None:
        """Cards are seen to come. What lies in one zone alone is known anyway, so it is kept together."""
        alone = [group for group in self.inside(zone) if len(group.zones) == 1]
        if not alone:
            self.groups.append(Group(Counter(cards), Counter({zone: len(cards)})))
            return
        group = self.unite(alone)
        group.zones[zone] += len(cards)
        for card in cards:
            group.cards[card] += 1

    def take(self, zone: int, cards: Iterable[int]) -> None:
        """Cards are seen to go."""
        for card in cards:
            holders = [group for group in self.inside(zone) if group.holds(card)]
            if not holders:
                continue
            group = self.unite(holders)
            group.lose(card)
            less(group.zones, zone, 1)
            self.drop_empty(group)

    def move(self, source: int, target: int, count: int) -> None:
        """Some cards move unseen."""
        groups = self.inside(source)
        if len(groups) > 1 and count < sum(group.zones[source] for group in groups):
            groups = [self.unite(groups)]
        for group in groups:
            moved = min(count, group.zones[source])
            less(group.zones, source, moved)
            group.zones[target] += moved

    def roll(self, zone: int, faces: Die, count: int) -> None:
        """Dice take the place of what lay in a zone, unseen before and after."""
        for group in self.inside(zone):
            group.zones[GONE] += group.zones.pop(zone)
            self.drop_empty(group)
        if count:
            group = Group(Counter(), Counter({zone: count}))
            group.count(faces, count)
            self.groups.append(group)

    def drop_empty(self, group: Group) -> None:
        """A group that lies nowhere says nothing."""
        if not group.zones.keys() - {GONE}:
            self.groups.remove(group)
