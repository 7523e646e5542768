"""What a player concludes, as a plan of what native code has to deal (marshalling of beliefs)."""

from __future__ import annotations

from chocolatl.interpreter.engine.belief import Belief
from chocolatl.interpreter.engine.knowledge import Knowledge
from chocolatl.interpreter.lowered.layout import Slots
from chocolatl.interpreter.native.lookahead.requests import UNKNOWN, Plan


def plan(knowledge: Knowledge, s: Slots, player: int) -> Plan | None:
    """What a player does not see; None for what only the interpreter deals: dice, and what a rule holds of what lies
    unseen."""
    for frame in knowledge.layout.frames.values():
        for slot in frame.lies.values():
            if s[slot] and not knowledge.sees(player, s[slot] - 1):
                return None
    belief = knowledge.belief(s, player)
    if any([group.dice for group in belief.groups]):
        return None
    most = max([group.cards.total() for group in belief.groups], default=0)
    return Plan([*_bottoms(knowledge, belief), *_groups(belief)], most)


def _bottoms(knowledge: Knowledge, belief: Belief) -> list[int]:
    words = [len(belief.bottoms)]
    for zone, order in belief.bottoms.items():
        words += [zone - knowledge.count, len(order), *(UNKNOWN if card is None else card for card in order)]
    return words


def _groups(belief: Belief) -> list[int]:
    words = [len(belief.groups)]
    for group in belief.groups:
        words += [group.cards.total(), *sorted(group.cards.elements()), len(group.zones)]
        for zone in sorted(group.zones):
            words += [zone, group.zones[zone]]
    return words
