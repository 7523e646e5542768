"""What native code is told of a decision (value objects): how many worlds it may take, and what there is to deal."""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.play.playout import Horizon

UNKNOWN = -1
"""A card at the bottom of a deck that the player does not know."""


@dataclass(frozen=True)
class Halving:
    """In how many worlds options are tried before half of them are left: in so many at least, and so many tries."""

    worlds: int
    tries: int


@dataclass(frozen=True)
class Lookahead:
    """How a player looks ahead: how many answers it tries at most, in how many worlds, and how far."""

    candidates: int
    halving: Halving
    horizon: Horizon


@dataclass(frozen=True)
class Plan:
    """What there is to deal in a world, in words (see `chocolatl.interpreter.native.lookahead.dealing`), and for how
    many cards there has to be room while they are shuffled."""

    words: list[int]
    cards: int
