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
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from interpreter.engine.journal import Journal
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

KEPT = 4
"""For so many journals it is kept what each player concludes from them."""


@dataclass(eq=False)
class Group:
    """Cards that a player cannot tell apart: which ones, and how many of them lie in each zone. No count is 0."""

    cards: Counter[int]
    zones: Counter[int]


@dataclass(frozen=True)
class Start:
    """What players knew when a position was read from a file, by seat."""

    beliefs: tuple[Belief, ...]


@dataclass
class Belief:
    """What one player can conclude. `bottoms` are the orders at the bottom of decks: a card that the player knows, or
    None for one that belongs to a group."""

    groups: list[Group] = field(default_factory=list)
    bottoms: dict[int, list[int | None]] = field(default_factory=dict)

    def copy(self) -> Belief:
        groups = [Group(Counter(group.cards), Counter(group.zones)) for group in self.groups]
        return Belief(groups, {zone: list(order) for zone, order in self.bottoms.items()})

    def inside(self, zone: int) -> list[Group]:
        return [group for group in self.groups if zone in group.zones]

    def unite(self, groups: list[Group]) -> Group:
        first = groups[0]
        for other in groups[1:]:
            first.cards.update(other.cards)
            first.zones.update(other.zones)
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
            holders = [group for group in self.inside(zone) if card in group.cards]
            if not holders:
                continue
            group = self.unite(holders)
            _less(group.cards, card, 1)
            _less(group.zones, zone, 1)
            if not group.zones:
                self.groups.remove(group)

    def move(self, source: int, target: int, count: int) -> None:
        """Some cards move unseen."""
        groups = self.inside(source)
        if len(groups) > 1 and count < sum(group.zones[source] for group in groups):
            groups = [self.unite(groups)]
        for group in groups:
            moved = min(count, group.zones[source])
            _less(group.zones, source, moved)
            group.zones[target] += moved


Known = tuple[tuple[Any, ...], Belief, Belief]
"""A journal, what follows from it, and what a player concludes: the same, unless it does not fit the state."""

Groups = Sequence[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]
"""Groups as a file has them: cards, and zones with their numbers of cards."""


def _less(counts: Counter[int], key: int, number: int) -> None:
    counts[key] -= number
    if not counts[key]:
        del counts[key]


class Knowledge:
    """Zones that are not open have numbers; the known bottom of deck z, in which order matters, is zone `count + z`."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.count = len(layout.zones)
        self.slots = [place.base + cell for place, cell in layout.zones]
        self.families = [place.field.type.element.family for place, _ in layout.zones]  # type: ignore[union-attr]
        self.known: list[list[Known]] = [[] for _ in range(layout.game.player_count)]
        self.sight = [[*self._sight(player), True] for player in range(layout.game.player_count)]
        """Which zones each player sees; the last one stands for all that are open, whose number is -1."""
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

    def _sight(self, player: int) -> list[bool]:
        """Whether a player sees each zone, and the bottom of each."""
        sight = []
        for place, cell in self.layout.zones:
            mine = place.field.owner == PLAYER and cell // (place.cells // place.field.owners) == player
            sight.append(place.field.visibility == "secret" and mine)
        return sight * 2

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
        concluded = followed if self.fits(followed, s, player) else self.ignorance(s, player)
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
        elif later and isinstance(later[-1], Start):
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
        """Nothing is known but what components there are: one group for each of them, wherever they lie."""
        belief = Belief()
        zones = self.unseen(player)
        for family in dict.fromkeys(self.families):
            group = Group(Counter(), Counter())
            for zone in zones:
                if self.families[zone % self.count] == family and (content := self.content(s, zone)):
                    group.cards.update(content)
                    group.zones[zone] = content.total()
            if group.zones:
                belief.groups.append(group)
        for zone in zones:
            if zone >= self.count and self.bottom(s, zone):
                belief.bottoms[zone] = [None] * len(self.bottom(s, zone))
        return belief

    def remember(self, s: list[Any], groups: Sequence[Groups], unseen: Sequence[Set[tuple[int, int]]]) -> None:
        """Begin the journal with what a file says that each player knows: groups with their zones. All else is known as
        it lies but for `unseen`, places at the bottom of decks (zone and position)."""
        contents = [self.content(s, zone) for zone in range(self.count)]
        lying = {z: Group(cards, Counter({z: cards.total()})) for z, cards in enumerate(contents) if cards}
        bottoms = [
            (zone, self.bottom(s, zone)) for zone, under in enumerate(self.unders, self.count) if under is not None
        ]
        beliefs = []
        for sight, own, hidden in zip(self.sight, groups, unseen, strict=True):
            belief = Belief([Group(Counter(cards), Counter(dict(lie))) for cards, lie in own])
            grouped = {zone for group in belief.groups for zone in group.zones}
            belief.groups += [group for zone, group in lying.items() if not sight[zone] and zone not in grouped]
            for zone, cards in bottoms:
                if cards and not sight[zone]:
                    belief.bottoms[zone] = [None if (zone, n) in hidden else card for n, card in enumerate(cards)]
            beliefs.append(belief)
        journal = Journal().followed_by([Start(tuple(beliefs))])
        s[JOURNAL] = journal
        for known, belief, own, hidden in zip(self.known, beliefs, groups, unseen, strict=True):
            if not own and not hidden:  # what lies in sight fits the state
                self.keep(known, journal, belief, belief)

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
            sizes.update(group.zones)
            for kind, n in group.cards.items():
                cards[self.families[next(iter(group.zones), 0) % self.count], kind] += n
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
        under = self.unders[zone % self.count]
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
