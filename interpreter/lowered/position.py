"""A position as a value (an immutable state): the common slots, and in a secret block a private copy for each player.

A private copy is the position as it was at entry; nothing of it is in the common slots until the last player has
finished. So neither a view nor a rule can see what is still being chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chocolatl.interpreter.lowered.layout import JOURNAL, Slots

Answer = Any
"""An integer for one element, a tuple of integers for several (sorted) or for a joint choice."""


@dataclass(slots=True)
class PrivateCopy:
    """One player in a secret block: the private copy, and what was answered so far. Its journal tells what the player
    did in the block."""

    slots: Slots
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, eq=False)
class Position:
    """A value: nothing changes it. Two equal ones go on in the same way; what players remember of the way there may
    differ."""

    slots: Slots
    sealed: tuple[PrivateCopy, ...] | None = None

    def key(self) -> tuple[object, ...]:
        """All that the future depends on."""
        inner = tuple((*_state(p.slots), *p.answers) for p in self.sealed) if self.sealed is not None else None
        return (*_state(self.slots), inner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


def _state(slots: Slots) -> tuple[int, ...]:
    return (*slots[:JOURNAL], *slots[JOURNAL + 1 :])
