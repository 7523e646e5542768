"""What players see of the course of a game (observations): of a position, of a question, of an answer that is given.

What a player has seen one after the other is all that the player knows: histories that were seen alike are one
information set. In a secret block a player sees nothing of the others.
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import SEALED
from chocolatl.interpreter.lowered.zones import size
from chocolatl.interpreter.play.game import Decision, Game, Position

Seen = tuple[object, ...]
"""What a player has seen, compared and hashed as a whole."""


class Eyes:
    """One player, who looks at positions."""

    def __init__(self, game: Game, player: int) -> None:
        self.player = player
        self.knowledge = game.program.knowledge
        places = game.program.layout.places.values()
        self.fields = slice(SEALED + 1, max(place.end for place in places))
        unseen = [slot for zone, slot in enumerate(self.knowledge.slots) if not self.knowledge.sees(player, zone)]
        self.unseen = [slot - self.fields.start for slot in unseen]
        """Of the fields, what only its size is seen of."""

    def sight(self, position: Position) -> Seen:
        """What lies before the player's eyes, and what the player can conclude from moves that left no other trace."""
        slots = position.slots if position.sealed is None else position.sealed[self.player].slots
        shown = slots[self.fields]
        for slot in self.unseen:
            shown[slot] = size(shown[slot])
        return tuple(shown), *self.concluded(position)

    def concluded(self, position: Position) -> tuple[str, str]:
        """Which cards lie where they cannot be told apart, and what is known of the bottoms of decks."""
        belief = self.knowledge.belief(position.slots, self.player)
        groups = sorted(
            (sorted(g.cards.items()), sorted(g.dice.items()), sorted(g.zones.items())) for g in belief.groups
        )
        return str(groups), str(sorted(belief.bottoms.items()))


def question(decision: Decision) -> Seen:
    """What somebody is asked, and what can be answered."""
    return decision.name, decision.prompt, tuple(decision.answers)


def in_block(before: Position, after: Position) -> bool:
    """Whether a secret block goes on: until it ends, its positions share their common part."""
    return after.sealed is not None and after.slots is before.slots


def is_shown(decision: Decision) -> bool:
    """Whether all see what is chosen. What is chosen among pieces is seen where they lie."""
    match decision.node:
        case ir.Choose(picks=picks):
            return all(is_open(pick.domain) for pick in picks)
        case ir.ChooseSet():
            return False
        case _:
            assert_never(decision.node)


def is_open(domain: ir.Elements) -> bool:
    """Whether all see what is there to be chosen from."""
    match domain:
        case ir.ZoneElements(zone=zone):
            return isinstance(zone, ir.FieldZone) and zone.field.visibility == "open"
        case ir.Numbers() | ir.Whole() | ir.Listing() | ir.OrderElements():
            return True
        case _:
            assert_never(domain)
