"""Scenarios (determinization, common random numbers): what the others bid and what comes after, fixed in advance.

A scenario carries, for every player and every question that may come at a place in the rules, a number drawn in
advance; the answer is that number mapped onto the answers that are legal then. The same for chance. So a scenario says
what happens whatever the player answers now, and a model and the interpreter read it in the same way. A place in the
rules is the statement, the calls that led to it, and the passes of the loops around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from chocolatl.interpreter.lowered.answers import Outcomes
from chocolatl.interpreter.lowered.position import Position

BITS = 32


@dataclass(frozen=True)
class FixedScenario:
    """A position in which all others have answered what is open, and the seed of what comes after."""

    position: Position
    seed: int
    weight: int = 1

    def number(self, who: int, where: str, part: int = 0) -> int:
        """The number for a question to somebody, -1 being nobody, at a place in the rules.

        No name of the rules is in it: with other names it is the same scenario."""
        text = f"{self.seed}/{who}/{where}/{part}"
        return int.from_bytes(blake2b(text.encode(), digest_size=BITS // 8).digest(), "big")

    def unseen(self, who: int, where: str) -> None:
        """The player whose answers are sought does not see what chance has brought there."""

    def outcome(self, outcomes: Outcomes, who: int, where: str) -> object:
        """What chance brings."""
        found = [mapped(self.number(who, where, part), outcomes) for part in range(outcomes.times)]
        return tuple(sorted(found)) if outcomes.several else found[0]


def scaled(number: int, count: int) -> int:
    """A number mapped onto so many answers, by its place among them."""
    return number * count >> BITS


def mapped(number: int, outcomes: Outcomes) -> int:
    ticket = number * outcomes.total >> BITS
    for value, weight in outcomes.weights.items():
        ticket -= weight
        if ticket < 0:
            return value
    raise AssertionError("a ticket within the total always finds its value")
