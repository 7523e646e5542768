"""What second implementations of games have in common: the events that they are given, and their complaint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """Chance brought, or a player (`who`) chose, a value. What chance brings for somebody has a `who` as well."""

    is_chance: bool
    who: str | None
    name: str
    value: Any


class Disagreement(Exception):
    """An event that the rules do not ask for at this point, or one that is missing."""
