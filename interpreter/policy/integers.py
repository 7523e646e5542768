"""The integers of a policy: how features are scaled, weights multiplied, and made odds (fixed-point softmax, base 2).

Every step is exact or rounds down, and fits 64 bits whatever a file holds, so that the interpreter and native code, on
any platform and with vectors of any width, give the same odds.

    scaled      X = clamp((value - offset) * scale >> 16, -512, 512)                       64 stands for 1
    slope       T = clamp(sum over m, c of Y[m] * W[m, c] * X[c] >> 10, -32767, 32767)     W: 256 stands for 1; T: 1024
    logit       L = sum over b of T[b] * P[b] + (K << 8)                                in octaves: 65536 is one
    odds        O = FRACTIONS[D >> 10 & 63] >> min(D >> 16, 31)  of D, the greatest L less this one

X, Y and P are scaled features of the position, of the pieces already taken, and of the answer; K is an answer's own
weight. An answer that is one octave better is twice as likely; one that is 17 octaves worse never comes.
"""

from __future__ import annotations

from collections.abc import Sequence

UNIT = 64
"""A scaled feature that stands for 1."""

MOST_SCALED = 512
MOST_VALUE = MOST_OFFSET = 1 << 29
"""No feature has a greater value: so a value less its offset fits 32 bits."""

MOST_SCALE = 1 << 24

WEIGHT_UNIT = 256
MOST_WEIGHT = 4095
MOST_SLOPE = 32767

MOST_FEATURES = 256
MOST_MULTIPLIERS = 8
MOST_TERMS = 63
"""So many terms, each at most 512 * 32767, add up to less than 2**30: a logit and a difference of two fit 32 bits."""

SCALE_BITS, SLOPE_BITS, WEIGHT_BITS, FRACTION_BITS, OCTAVE_BITS = 16, 10, 8, 10, 16
TOP = 1 << 16
"""The odds of the best answer."""

MOST_SHIFT = 31
FEW_ANSWERS = 1 << 16
"""Of more answers than these the odds are halved until they add up to 2**32 at most."""


def _root(octaves: int, number: int) -> int:
    """The greatest whole number whose 64th power is at most 2**(64 * octaves - number)."""
    bound = 1 << (64 * octaves - number)
    low, high = 0, 1 << octaves
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**64 <= bound else (low, middle - 1)
    return low


FRACTIONS: tuple[int, ...] = tuple(_root(16, number) for number in range(64))
"""2**16 * 2**(-n / 64), rounded down, by whole numbers alone."""


def clamped(value: int, most: int) -> int:
    return max(-most, min(most, value))


def scaled(value: int, offset: int, scale: int) -> int:
    """A feature of a position as a small number."""
    return clamped((value - offset) * scale >> SCALE_BITS, MOST_SCALED)


def squared(term: int) -> int:
    """The square of a scaled number, as a scaled number."""
    return clamped(term * term // UNIT, MOST_SCALED)


def fewer_bits(answers: int) -> int:
    """By how many bits the odds of so many answers are lower."""
    return max(0, (answers - 1).bit_length() - FEW_ANSWERS.bit_length() + 1)


def odds(logits: Sequence[int]) -> list[int]:
    """The odds of answers; those of the best one are never 0."""
    best, bits = max(logits), fewer_bits(len(logits))
    return [
        FRACTIONS[best - each >> FRACTION_BITS & 63] >> min(best - each >> OCTAVE_BITS, MOST_SHIFT) >> bits
        for each in logits
    ]


def drawn(weights: Sequence[int], ticket: int) -> int:
    """The position of the answer that a number below the sum of the odds stands for."""
    for position, weight in enumerate(weights):
        ticket -= weight
        if ticket < 0:
            return position
    raise AssertionError("a ticket within the total always finds its answer")
