"""What a player cannot know, and how to sample it (information sets): perfect recall of everything that was seen.

Every move from or into a zone that is not open is noted in a journal, a part of the position. From it follows, for each
player, what that player can conclude: cards whose places cannot be told apart form a *group*, whose cards are known as
a whole and which lies in one or more zones. At first each zone is a group of its own. When cards move unseen, some of a
group lie elsewhere; a card that is seen to come or go is added or taken out. What is rolled into a zone that the player
does not see is a group of dice. Only when it cannot be told from which of several groups of a zone a card came are
these united, so that the sample may then hold more than what is possible, never less. Zones that the player sees are as
they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from chocolatl.interpreter.engine.belief import Belief, Die, Group, die
from chocolatl.interpreter.lowered.journal import ALL, BOTTOM, UNDER, Journal
from chocolatl.interpreter.lowered.layout import JOURNAL, Layout, Slots
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import GONE, bag, copies

Entry = tuple[int, int, tuple[int, ...], int]
"""A note: from which zone to which one, by number or -1 for an open one, which cards moved, and how."""

KEPT = 4
"""For so many journals it is kept what each player concludes from them."""


class RolledNote(NamedTuple):
    """A note: so many dice were thrown into a zone, by number, in place of what lay there."""

    zone: int
    faces: Die
    dice: int


@dataclass(frozen=True)
class InitialKnowledge:
    """What players knew when a position was read from a file, by seat."""

    beliefs: tuple[Belief, ...]


Known = tuple[tuple[Any, ...], Belief, Belief]
"""A journal, what follows from it, and what a player concludes: the same, settled, unless it does not fit the state."""


class Knowledge:
    """Zones that are not open have numbers; the known bottom of deck z, in which order matters, is zone `count + z`."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.count = len(layout.zones)
        self.slots = [place.base + cell for place, cell in layout.zones]
        self.elements = [place.field.type.element for place, _ in layout.zones]  # type: ignore[union-attr]
        self.families = [place.field.type.element.family for place, _ in layout.zones]  # type: ignore[union-attr]
        self.known: list[list[Known]] = [[] for _ in range(layout.game.player_count)]
        self.sight = [[*layout.sight(player) * 2, True] for player in range(layout.game.player_count)]
        """Which zones and bottoms each player sees; the last one stands for all that are open, whose number is -1."""
        self.unders = [self._under(zone) for zone in range(self.count)]
        """The slot of the known bottom of each deck."""

    # ------------------------------------------------------------ the journal

    def join(self, base: list[Any], private: list[Slots]) -> None:
        """At the end of a secret block the notes of all players follow each other by seat."""
        if base[JOURNAL] is None:
            return
        for own in private:
            base[JOURNAL] = base[JOURNAL].followed_by(own[JOURNAL].notes())  # type: ignore[attr-defined]

    # ------------------------------------------------------------ conclusions

    def _under(self, zone: int) -> int | None:
        place, cell = self.layout.zones[zone]
        base = self.layout.unders.get(place.field.key)
        return None if base is None else base + cell * self.layout.under_width(place.field)

    def sees(self, player: int, zone: int) -> bool:
        return self.sight[player][zone]

    def unseen(self, player: int) -> list[int]:
        """Zones and known bottoms of decks whose content a player does not see."""
        bottoms = [self.count + zone for zone, under in enumerate(self.unders) if under is not None]
        return [zone for zone in [*range(self.count), *bottoms] if not self.sees(player, zone)]

    def belief(self, s: list[Any], player: int) -> Belief:
        """What a player can conclude from all that was seen; not to be changed."""
        journal = s[JOURNAL]
        known = self.known[player]
        for place, entry in enumerate(known):
            if entry[0] is journal:
                if place:  # what was not asked for longest is forgotten first
                    known.insert(0, known.pop(place))
                return entry[2]
        followed = self.follow_all(journal, player)
        if not self.fits(followed, s, player):  # a world that somebody else imagines, with the journal of the real one
            return self.ignorance(s, player).settled()
        concluded = followed.settled()
        if journal:  # an empty one is that of many states
            self.keep(known, journal, followed, concluded)
        return concluded

    def keep(self, known: list[Known], journal: Journal, followed: Belief, concluded: Belief) -> None:
        known.insert(0, (journal, followed, concluded))
        del known[KEPT:]

    def follow_all(self, journal: Journal, player: int) -> Belief:
        """What follows from a journal, continued from the longest beginning of it that is known."""
        known = {id(seen): followed for seen, followed, _ in self.known[player]}
        later: list[Any] = []
        while journal and id(journal) not in known:
            journal, note = journal
            later.append(note)
        if journal:
            belief = known[id(journal)].copy()
        elif later and isinstance(later[-1], InitialKnowledge):
            belief = later.pop().beliefs[player].copy()
        else:
            belief = Belief()
            self.at_first(belief, player)
        for note in reversed(later):
            self.follow(belief, note, player)
        return belief

    def at_first(self, belief: Belief, player: int) -> None:
        for zone in range(self.count):
            cards = Counter(dict(copies(self.layout.defaults[self.slots[zone]])))
            if cards and not self.sees(player, zone):
                belief.groups.append(Group(cards, Counter({zone: cards.total()})))

    def ignorance(self, s: Slots, player: int) -> Belief:
        """Nothing is known but what components there are: one group for each of them, wherever they lie. Of a plain
        value not even that is known: it may be any one that its zone can hold."""
        belief = Belief()
        zones = self.unseen(player)
        for family in dict.fromkeys(self.families):
            group = Group(Counter(), Counter())
            for zone in zones:
                if self.families[zone % self.count] == family and (content := self.content(s, zone)):
                    if family in self.layout.game.totals:
                        group.cards.update(content)
                        group.zones[zone] = content.total()
                    else:
                        belief.roll(zone, self.any_value(zone), content.total())
            if group.zones:
                belief.groups.append(group)
        for zone in zones:
            if zone >= self.count and self.bottom(s, zone):
                belief.bottoms[zone] = [None] * len(self.bottom(s, zone))
        return belief

    def any_value(self, zone: int) -> Die:
        return die(tuple((kind, 1) for kind in range(self.elements[zone % self.count].size)))

    def remember(self, s: list[Any], groups: Sequence[Sequence[Group]], unseen: Sequence[Set[tuple[int, int]]]) -> None:
        """Begin the journal with what a file says that each player knows: groups with their zones. All else is known as
        it lies but for `unseen`, places at the bottom of decks (zone and position)."""
        contents = [self.content(s, zone) for zone in range(self.count)]
        lying = {z: Group(cards, Counter({z: cards.total()})) for z, cards in enumerate(contents) if cards}
        bottoms = [
            (zone, self.bottom(s, zone)) for zone, under in enumerate(self.unders, self.count) if under is not None
        ]
        beliefs = []
        for sight, own, hidden in zip(self.sight, groups, unseen, strict=True):
            belief = Belief(list(own))
            grouped = {zone for group in belief.groups for zone in group.zones}
            belief.groups += [group for zone, group in lying.items() if not sight[zone] and zone not in grouped]
            for zone, cards in bottoms:
                if cards and not sight[zone]:
                    belief.bottoms[zone] = [None if (zone, n) in hidden else card for n, card in enumerate(cards)]
            beliefs.append(belief)
        journal = Journal().followed_by([InitialKnowledge(tuple(beliefs))])
        s[JOURNAL] = journal
        for known, belief, own, hidden in zip(self.known, beliefs, groups, unseen, strict=True):
            if not own and not hidden:  # what lies in sight fits the state
                self.keep(known, journal, belief, belief.settled())

    def bottom(self, s: Slots, zone: int) -> list[int]:
        under = self.unders[zone % self.count]
        return s[under + 1 : under + 1 + s[under]] if under is not None else []

    def content(self, s: Slots, zone: int) -> Counter[int]:
        """What lies in a zone, or at the known bottom of one."""
        if zone >= self.count:
            return Counter(self.bottom(s, zone))
        content = Counter(dict(copies(s[self.slots[zone]])))
        bottom = self.bottom(s, zone)
        if not bottom:
            return content
        content.subtract(bottom)
        return +content

    def follow(self, belief: Belief, entry: Entry | RolledNote, player: int) -> None:
        if isinstance(entry, RolledNote):
            if not self.sees(player, entry.zone):
                belief.bottoms.pop(entry.zone + self.count, None)
                belief.roll(entry.zone, entry.faces, entry.dice)
            return
        source, target, cards, how = entry
        if how == ALL:
            bottom = belief.bottoms.pop(source + self.count, []) if source >= 0 else []
            for card, known in zip(cards, bottom, strict=False):
                self.carry(belief, self.lying(source, known), target, (card,), player)
            self.carry(belief, source, target, cards[len(bottom) :], player)
            return
        if abs(how) >= BOTTOM and not self.sees(player, source):
            known = belief.bottoms[source + self.count].pop(abs(how) - BOTTOM)
            source = self.lying(source, known)
        if (how != UNDER and how > -BOTTOM) or self.sees(player, target):
            self.carry(belief, source, target, cards, player)
            return
        order = belief.bottoms.setdefault(target + self.count, [])
        if self.sees(player, source):
            order += cards
        else:
            order += [None] * len(cards)
            self.carry(belief, source, target + self.count, cards, player)

    def lying(self, deck: int, known: int | None) -> int:
        """Where a card at the bottom of a deck lies; one that the player knows is as good as in the open."""
        return deck + self.count if known is None else -1

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
        most: Counter[tuple[str, int]] = Counter()
        for group in belief.groups:
            sizes.update(group.zones)
            family = self.families[next(zone for zone in group.zones if zone != GONE) % self.count]
            most.update({(family, kind): number for kind, number in group.at_most().items()})
        for zone, order in belief.bottoms.items():
            for card in order:
                if card is not None:
                    sizes[zone] += 1
                    most[self.families[zone % self.count], card] += 1
        del sizes[GONE]
        for zone in self.unseen(player):
            content = self.content(s, zone)
            sizes[zone] -= content.total()
            most.subtract({(self.families[zone % self.count], kind): number for kind, number in content.items()})
        return not any(sizes.values()) and all(number >= 0 for number in most.values())

    # ------------------------------------------------------------ samples

    def sample(self, s: Slots, player: int, random: Random) -> None:
        """Deal everything that the player does not see anew, each assignment being as likely as any other."""
        belief = self.belief(s, player)
        for zone in range(self.count):
            if not self.sees(player, zone):
                s[self.slots[zone]] = 0
        dealt: dict[int, list[int]] = {}
        for group in belief.groups:
            rest = iter(group.drawn(random))
            for zone in sorted(group.zones):
                for _ in range(group.zones[zone]):
                    card = next(rest)
                    if zone == GONE:
                        continue
                    dealt.setdefault(zone, []).append(card)
                    s[self.slots[zone % self.count]] += bag((card,))
        for zone, order in belief.bottoms.items():
            self.lay_bottom(s, zone, order, dealt.get(zone, []))
        self.follow_locals(s, player, random)

    def lay_bottom(self, s: Slots, zone: int, order: list[int | None], cards: list[int]) -> None:
        """Cards that the player knows lie where they are, the others in the order in which they were dealt."""
        under = self.unders[zone % self.count]
        assert under is not None
        loose = iter(cards)
        for position, known in enumerate(order, under + 1):
            if known is not None:
                s[self.slots[zone % self.count]] += bag((known,))
            s[position] = next(loose) if known is None else known

    def follow_locals(self, s: Slots, player: int, random: Random) -> None:
        """Locals that hold what lies in a zone that the player does not see hold some of what was dealt there."""
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
