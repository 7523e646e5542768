"""What nobody may know: which secret and hidden zones could be mistaken for each other.

Everyone remembers all that was seen. So the content of a zone that is not open is known to all until something unseen
moves between two of them; from then on only their common content is known, and they are in one pool. A zone that
becomes empty leaves its pool. A player who samples the unknown deals each pool's cards anew to the zones that the
player does not see; zones of the player's own are as they are.
"""

from __future__ import annotations

from interpreter.engine.layout import Layout
from interpreter.engine.runtime import Slots
from interpreter.program.types import PLAYER
from interpreter.random import Random


class Knowledge:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.start = layout.pools
        self.count = len(layout.zones)
        self.bases = [place.base + cell * place.width for place, cell in layout.zones]
        self.widths = [place.width for place, _ in layout.zones]

    def mix(self, s: Slots, source: int, target: int) -> None:
        """Something unseen went from one zone to another; -1 stands for an open zone."""
        start = self.start
        if source >= 0 and target >= 0 and source != target and s[start + source] != s[start + target]:
            self.unite(s, source, target)
        if source >= 0 and not any(s[self.bases[source] : self.bases[source] + self.widths[source]]):
            self.leave(s, source)

    def unite(self, s: Slots, a: int, b: int) -> None:
        start, old, new = self.start, s[self.start + b], s[self.start + a]
        for zone in range(start, start + self.count):
            if s[zone] == old:
                s[zone] = new

    def leave(self, s: Slots, zone: int) -> None:
        """The zone is empty, which all can see: it gets a pool of its own, with a name that no other has."""
        taken = {s[self.start + other] for other in range(self.count) if other != zone}
        if s[self.start + zone] in taken:
            s[self.start + zone] = min(set(range(self.count)) - taken)

    def join(self, base: Slots, private: list[Slots], players: int) -> None:
        """At the end of a secret block: what each player mixed among own zones is mixed for all."""
        for player in range(players):
            own = [z for z in range(self.count) if self.owner(z) == player]
            s = private[player]
            for zone in own:
                if not any(s[self.bases[zone] : self.bases[zone] + self.widths[zone]]):
                    self.leave(base, zone)
            for zone in own:
                for other in own:
                    if s[self.start + zone] == s[self.start + other] != base[self.start + zone]:
                        if base[self.start + zone] != base[self.start + other]:
                            self.unite(base, zone, other)

    def owner(self, zone: int) -> int | None:
        """The player that a zone belongs to."""
        place, cell = self.layout.zones[zone]
        if place.field.owner != PLAYER:
            return None
        return cell // (place.cells // place.field.owners)

    def sees(self, player: int, zone: int) -> bool:
        return self.layout.zones[zone][0].field.visibility == "secret" and self.owner(zone) == player

    def sample(self, s: Slots, player: int, random: Random) -> None:
        """Deal everything that the player does not see anew, each assignment being as likely as any other."""
        pools: dict[int, list[int]] = {}
        for zone in range(self.count):
            if not self.sees(player, zone):
                pools.setdefault(s[self.start + zone], []).append(zone)
        for zones in pools.values():
            if len(zones) > 1:
                self.deal(s, zones, random)

    def deal(self, s: Slots, zones: list[int], random: Random) -> None:
        cards: list[int] = []
        sizes: list[int] = []
        for zone in zones:
            counts = s[self.bases[zone] : self.bases[zone] + self.widths[zone]]
            sizes.append(sum(counts))
            for kind, count in enumerate(counts):
                cards += [kind] * count
        for last in range(len(cards) - 1, 0, -1):
            other = random.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        position = 0
        for zone, size in zip(zones, sizes, strict=True):
            base, width = self.bases[zone], self.widths[zone]
            s[base : base + width] = [0] * width
            for kind in cards[position : position + size]:
                s[base + kind] += 1
            position += size
