"""What a player cannot know, and how to sample it: perfect recall of everything that was seen.

Every move from or into a zone that is not open is noted in a journal, a part of the position. From it follows, for each
player, what that player can conclude: cards whose places cannot be told apart form a *group*, whose cards are known as
a whole and which lies in one or more zones. At first each zone is a group of its own. When cards move unseen, some of a
group lie elsewhere; a card that is seen to come or go is added or taken out. Only when it cannot be told from which of
several groups of a zone a card came are these united, so that the sample may then hold more than what is possible,
never less. Zones that the player sees are as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from interpreter.engine.layout import JOURNAL, Layout
from interpreter.engine.runtime import Slots
from interpreter.engine.zones import bag, copies
from interpreter.program.types import PLAYER
from interpreter.random import Random

ALL, MOVE, UNDER, BOTTOM = -1, 0, 1, 2
"""How something moved: everything at once, as usual, under a deck in known order, or from that known bottom, where the
number also tells the place: 2 is the first one."""

Entry = tuple[int, int, tuple[int, ...], int]
"""A note: from which zone to which one, by number or -1 for an open one, which cards moved, and how."""


@dataclass
class Group:
    """Cards that a player cannot tell apart: which ones, and how many of them lie in each zone."""

    cards: Counter[int]
    zones: Counter[int]


@dataclass(frozen=True)
class Start:
    """What players knew when a position was read from a file, by player; None: nothing at all.

    `unseen` are, for each player, places at the bottom of decks (zone and position) whose cards they do not know."""

    groups: tuple[tuple[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], ...], ...] | None
    unseen: tuple[frozenset[tuple[int, int]], ...] = ()


@dataclass
class Belief:
    """What one player can conclude. `bottoms` are the orders at the bottom of decks: a card that the player knows, or
    None for one that belongs to a group."""

    groups: list[Group] = field(default_factory=list)
    bottoms: dict[int, list[int | None]] = field(default_factory=dict)

    def inside(self, zone: int) -> list[Group]:
        return [group for group in self.groups if group.zones[zone]]

    def unite(self, groups: list[Group]) -> Group:
        first = groups[0]
        for other in groups[1:]:
            first.cards += other.cards
            first.zones += other.zones
            self.groups.remove(other)
        return first

    def add(self, zone: int, cards: tuple[int, ...]) -> None:
        """Cards are seen to come. What lies in one zone alone is known anyway, so it is kept together."""
        alone = [group for group in self.inside(zone) if set(+group.zones) == {zone}]
        self.groups.append(Group(Counter(cards), Counter({zone: len(cards)})))
        self.unite([*alone, self.groups[-1]])

    def take(self, zone: int, cards: Iterable[int]) -> None:
        """Cards are seen to go."""
        for card in cards:
            holders = [group for group in self.inside(zone) if group.cards[card]]
            if not holders:
                continue
            group = self.unite(holders)
            group.cards[card] -= 1
            group.zones[zone] -= 1
            if not +group.zones:
                self.groups.remove(group)

    def move(self, source: int, target: int, count: int) -> None:
        """Some cards move unseen."""
        groups = self.inside(source)
        if count < sum(group.zones[source] for group in groups) and len(groups) > 1:
            groups = [self.unite(groups)]
        for group in groups:
            moved = min(count, group.zones[source])
            group.zones[source] -= moved
            group.zones[target] += moved


class Knowledge:
    """Zones that are not open have numbers; the known bottom of deck z, in which order matters, is zone `count + z`."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.count = len(layout.zones)
        self.slots = [place.base + cell for place, cell in layout.zones]
        self.families = [place.field.type.element.family for place, _ in layout.zones]  # type: ignore[union-attr]
        self.seen: tuple[Any, int, Belief] | None = None

    # ------------------------------------------------------------ the journal

    def join(self, base: list[Any], private: list[Slots]) -> None:
        """At the end of a secret block the notes of all players follow each other by seat."""
        for own in private:
            base[JOURNAL] = base[JOURNAL].followed_by(own[JOURNAL].notes())  # type: ignore[attr-defined]

    # ------------------------------------------------------------ conclusions

    def owner(self, zone: int) -> int | None:
        """The player that a zone belongs to."""
        place, cell = self.layout.zones[zone % self.count]
        return cell // (place.cells // place.field.owners) if place.field.owner == PLAYER else None

    def sees(self, player: int, zone: int) -> bool:
        if zone < 0:
            return True
        return self.layout.zones[zone % self.count][0].field.visibility == "secret" and self.owner(zone) == player

    def unseen(self, player: int) -> list[int]:
        """Zones and known bottoms of decks whose content a player does not see."""
        bottoms = [self.count + z for z in range(self.count) if self.under(z) is not None]
        return [zone for zone in [*range(self.count), *bottoms] if not self.sees(player, zone)]

    def under(self, zone: int) -> int | None:
        """The slot of the known bottom of a deck."""
        place, cell = self.layout.zones[zone % self.count]
        base = self.layout.unders.get(place.field.key)
        return None if base is None else base + cell * self.layout.under_width(place.field)

    def belief(self, s: list[Any], player: int) -> Belief:
        """What a player can conclude from all that was seen."""
        journal = s[JOURNAL]
        if self.seen is not None and self.seen[0] is journal and self.seen[1] == player:
            return self.seen[2]
        belief = Belief()
        entries = journal.notes()
        if entries and isinstance(entries[0], Start):
            self.begin(belief, entries[0], s, player)
            entries = entries[1:]
        else:
            self.at_first(belief, player)
        for entry in entries:
            self.follow(belief, entry, player)
        if not self.fits(belief, s, player):
            belief = Belief()
            self.begin(belief, Start(None), s, player)
        self.seen = (journal, player, belief)
        return belief

    def at_first(self, belief: Belief, player: int) -> None:
        for zone in range(self.count):
            cards = Counter(dict(copies(self.layout.defaults[self.slots[zone]])))
            if cards and not self.sees(player, zone):
                belief.groups.append(Group(cards, Counter({zone: cards.total()})))

    def begin(self, belief: Belief, start: Start, s: Slots, player: int) -> None:
        """From a file: the groups it names, all else known; or, when it names none, one group for each component."""
        zones = self.unseen(player)
        grouped: Counter[int] = Counter()
        if start.groups is None:
            for family in dict.fromkeys(self.families):
                group = Group(Counter(), Counter())
                for zone in zones:
                    if self.families[zone % self.count] == family:
                        group.cards += self.content(s, zone)
                        group.zones[zone] = self.content(s, zone).total()
                grouped += group.zones
                belief.groups.append(group)
        else:
            for cards, lie in start.groups[player]:
                belief.groups.append(Group(Counter(cards), Counter(dict(lie))))
                grouped += belief.groups[-1].zones
        for zone in zones:
            if zone >= self.count:
                unseen = start.unseen[player] if start.groups is not None else None
                order = [
                    None if unseen is None or (zone, place) in unseen else card
                    for place, card in enumerate(self.bottom(s, zone))
                ]
                if order:
                    belief.bottoms[zone] = order
            elif not grouped[zone] and self.content(s, zone):
                content = self.content(s, zone)
                belief.groups.append(Group(content, Counter({zone: content.total()})))

    def bottom(self, s: Slots, zone: int) -> list[int]:
        under = self.under(zone)
        return s[under + 1 : under + 1 + s[under]] if under is not None else []

    def content(self, s: Slots, zone: int) -> Counter[int]:
        """What lies in a zone, or at the known bottom of one."""
        if zone >= self.count:
            return Counter(self.bottom(s, zone))
        content = Counter(dict(copies(s[self.slots[zone]])))
        content.subtract(self.bottom(s, zone))
        return +content

    def follow(self, belief: Belief, entry: Entry, player: int) -> None:
        source, target, cards, how = entry
        if how == ALL and source >= 0 and source + self.count in belief.bottoms:
            bottom = belief.bottoms.pop(source + self.count)
            for position, known in enumerate(bottom):
                self.from_bottom(belief, source + self.count, target, (cards[position],), known, player)
            self.carry(belief, source, target, cards[len(bottom) :], player)
        elif how == UNDER:
            order = belief.bottoms.setdefault(target + self.count, [])
            if self.sees(player, source):
                order += cards
            else:
                order += [None] * len(cards)
                self.carry(belief, source, target + self.count, cards, player)
        elif how >= BOTTOM:
            known = belief.bottoms[source + self.count].pop(how - BOTTOM)
            self.from_bottom(belief, source + self.count, target, cards, known, player)
        else:
            self.carry(belief, source, target, cards, player)

    def from_bottom(
        self, belief: Belief, source: int, target: int, cards: tuple[int, ...], known: int | None, player: int
    ) -> None:
        """A card leaves the bottom of a deck; where the player knows which one lay there, it is as good as seen."""
        self.carry(belief, source if known is None else -1, target, cards, player)

    def carry(self, belief: Belief, source: int, target: int, cards: tuple[int, ...], player: int) -> None:
        """Cards go from zone to zone, seen by the player at neither end, at one of them, or at both."""
        leaves, arrives = not self.sees(player, source), not self.sees(player, target)
        if leaves and arrives:
            belief.move(source, target, len(cards))
        elif leaves:
            belief.take(source, cards)
        elif arrives:
            belief.add(target, cards)

    def fits(self, belief: Belief, s: Slots, player: int) -> bool:
        """Whether the conclusions agree with the state, which they may not after it was edited by hand."""
        sizes: Counter[int] = Counter()
        cards: Counter[tuple[str, int]] = Counter()
        for group in belief.groups:
            sizes += group.zones
            for kind, n in group.cards.items():
                cards[self.families[next(iter(+group.zones), 0) % self.count], kind] += n
        for zone, order in belief.bottoms.items():
            for card in order:
                if card is not None:
                    sizes[zone] += 1
                    cards[self.families[zone % self.count], card] += 1
        for zone in self.unseen(player):
            content = self.content(s, zone)
            sizes[zone] -= content.total()
            for kind, n in content.items():
                cards[self.families[zone % self.count], kind] -= n
        return not any(sizes.values()) and not any(cards.values())

    # ------------------------------------------------------------ samples

    def sample(self, s: Slots, player: int, random: Random) -> None:
        """Deal everything that the player does not see anew, each assignment being as likely as any other."""
        belief = self.belief(s, player)
        for zone in range(self.count):
            if not self.sees(player, zone):
                s[self.slots[zone]] = 0
        dealt: dict[int, list[int]] = {}
        for group in belief.groups:
            cards = sorted(group.cards.elements())
            for last in range(len(cards) - 1, 0, -1):
                other = random.below(last + 1)
                cards[last], cards[other] = cards[other], cards[last]
            rest = iter(cards)
            for zone in sorted(group.zones):
                for _ in range(group.zones[zone]):
                    card = next(rest)
                    dealt.setdefault(zone, []).append(card)
                    s[self.slots[zone % self.count]] += bag((card,))
        for zone, order in belief.bottoms.items():
            self.lay_bottom(s, zone, order, dealt.get(zone, []))
        self.follow_locals(s, player, random)

    def lay_bottom(self, s: Slots, zone: int, order: list[int | None], cards: list[int]) -> None:
        """Cards that the player knows lie where they are, the others in the order in which they were dealt."""
        under = self.under(zone)
        assert under is not None
        loose = iter(cards)
        for position, known in enumerate(order, under + 1):
            if known is not None:
                s[self.slots[zone % self.count]] += bag((known,))
            s[position] = next(loose) if known is None else known

    def follow_locals(self, s: Slots, player: int, random: Random) -> None:
        """Locals that hold components in a zone that the player does not see hold some of those dealt there."""
        left: dict[int, list[int]] = {}
        chosen: dict[tuple[int, int], int] = {}
        for frame in self.layout.frames.values():
            for local, slot in frame.lies.items():
                zone = s[slot] - 1
                if zone < 0 or self.sees(player, zone):
                    continue
                held = frame.locals[local]
                cards = left.setdefault(zone, sorted(self.content(s, zone).elements()))
                if (zone, s[held]) not in chosen and cards:
                    low = self.layout.zones[zone][0].low
                    chosen[zone, s[held]] = low + cards.pop(random.below(len(cards)))
                s[held] = chosen.get((zone, s[held]), s[held])
