"""What kind of thing an expression is, over all values of the parameters (type inference over symbolic ranges)."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from chocolatl.interpreter.meaning.linear import LinearForm

NUMBER, TRUTH, PLAYER, OWNER, PLAIN = "number", "yes/no", "player", "owner", "?"
NONE = "none"
"""The member that stands for nothing, or nobody."""


class Kind(Struct, frozen=True):
    """A number between bounds, a member, a component and so on. `members` is all that it can be, if that is known;
    `holds` is what lies in a set."""

    family: str = PLAIN
    members: frozenset[str] | None = None
    low: tuple[LinearForm, ...] = ()
    high: tuple[LinearForm, ...] = ()
    optional: bool = False
    holds: Kind | None = None


UNKNOWN = Kind()
SOMEBODY = Kind(PLAYER)
YES_OR_NO = Kind(TRUTH)


class LocalName(Struct, frozen=True):
    """A local: what tells it apart from all others, and of which kind it is."""

    key: Hashable
    kind: Kind


LocalScope = dict[str, LocalName]
