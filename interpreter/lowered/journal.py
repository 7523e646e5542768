"""What players may remember of the way to a position: a chain of notes (a persistent linked list).

So positions share what they have in common, and a note is made without copying or changing anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ALL, MOVE, UNDER, BOTTOM = -1, 0, 1, 2
"""How something moved: everything at once, as usual, under a deck in known order, or from that known bottom, where the
number also tells the place: 2 is the first one. From such a bottom under a deck it is that number below 0."""


class Journal(tuple[Any, ...]):
    """Empty, or the journal before the last note and that note.

    A chain may be longer than recursion is deep, so whatever would follow it link by link is done here in a loop."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # nothing looks up what was remembered

    def notes(self) -> list[Any]:
        """All notes, the first one first."""
        found = []
        journal = self
        while journal:
            journal, note = journal
            found.append(note)
        return found[::-1]

    def followed_by(self, notes: Iterable[Any]) -> Journal:
        """The journal with more notes at its end."""
        journal = self
        for note in notes:
            journal = Journal((journal, note))
        return journal

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Journal) and self.notes() == other.notes())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"Journal().followed_by({self.notes()})"

    def __deepcopy__(self, memory: object) -> Journal:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _journal, (self.notes(),)


def _journal(notes: list[Any]) -> Journal:
    return Journal().followed_by(notes)
