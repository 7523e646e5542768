"""A zone as one integer (packed counters): its digit number k, to the base of 2**16, counts the copies of kind k.

So putting two zones together is an addition, a zone is copied, compared and emptied as one number, and what only
depends on the content of a zone can be remembered by that number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import compress
from struct import Struct

BITS = 16
DIGIT = (1 << BITS) - 1
SHIFT = 4
"""`k << SHIFT` is the number of bits below digit k."""

GONE = -2
"""The number of a zone for what lies nowhere any more: values that were unseen when others took their place."""

MEMORY = 1 << 13
"""How many contents are remembered for each question. Those of small zones come again and again."""


@cache
def _unpack(digits: int) -> Callable[[bytes], tuple[int, ...]]:
    return Struct(f"<{digits}H").unpack


def counts(zone: int) -> tuple[int, ...]:
    """How many copies of each kind there are, up to the last kind that is there."""
    digits = zone.bit_length() + BITS - 1 >> SHIFT
    return _unpack(digits)(zone.to_bytes(digits << 1, "little"))


def pack(copies: Iterable[int]) -> int:
    """The zone with so many copies of each kind."""
    return sum(count << (kind << SHIFT) for kind, count in enumerate(copies))


def bag(kinds: Iterable[int]) -> int:
    """The zone with one copy for each mention of a kind."""
    return sum([1 << (kind << SHIFT) for kind in kinds])


def size(zone: int) -> int:
    """The sum of the digits: the base is 1 modulo the base less one, so the zone is congruent to it."""
    return zone % DIGIT


def count(zone: int, kind: int) -> int:
    return zone >> (kind << SHIFT) & DIGIT


@lru_cache(MEMORY)
def copies(zone: int) -> tuple[tuple[int, int], ...]:
    """The kinds in a zone, each with the number of its copies."""
    return tuple([(kind, number) for kind, number in enumerate(counts(zone)) if number])


@lru_cache(MEMORY)
def kinds(zone: int) -> tuple[int, ...]:
    """The kinds in a zone, each once."""
    found = counts(zone)
    return (*compress(range(len(found)), found),)


@lru_cache(MEMORY)
def elements(zone: int) -> tuple[int, ...]:
    """The kinds in a zone, copies counted."""
    return tuple([kind for kind, number in copies(zone) for _ in range(number)])
