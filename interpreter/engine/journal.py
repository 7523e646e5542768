"""What players may remember of the way to a position: a list of notes that grows without being copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Journal:
    """A value: the first notes of a list which the journals of later positions go on writing.

    The first one to go on does so in the same list; another one, from the same position, begins a list of its own."""

    __slots__ = ("_length", "_list")
    __hash__ = None  # type: ignore[assignment]  # nothing looks up what was remembered

    def __init__(self, notes: Iterable[Any] = ()) -> None:
        self._list = list(notes)
        self._length = len(self._list)

    def notes(self) -> list[Any]:
        return self._list[: self._length]

    def followed_by(self, notes: Iterable[Any]) -> Journal:
        """The journal with more notes at its end."""
        after = Journal.__new__(Journal)
        after._list = self._list if len(self._list) == self._length else self.notes()
        after._list += notes
        after._length = len(after._list)
        return after

    def __eq__(self, other: object) -> bool:
        return self.notes() == other.notes() if isinstance(other, Journal) else NotImplemented
