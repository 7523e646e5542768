"""Random numbers that are the same in every back end, on every platform, with any number of jobs (xoshiro128++).

A leaf beside the pipeline: it imports no stage, and the engine and everything after it may import it. The generator
is xoshiro128++ (four words of 32 bits), seeded by splitmix64 (one word of 64 bits). A native back end repeats this:

    GAMMA      = 0x9E3779B97F4A7C15
    mix(z)     : z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^ z >> 31
    own seed   = seed + game * GAMMA                the seed of one game of a series; game 0 has the seed of the series
    start      = mix(own seed + GAMMA) ^ stream     stream 0 is chance, stream i the player in seat i
    w0, w1     = mix(start + GAMMA), mix(start + 2 * GAMMA)
    s0..s3     = low half of w0, high half of w0, low half of w1, high half of w1

All modulo 2**64; seed, game and stream may be any integers and are taken modulo 2**64 too. So `mix(own seed + GAMMA)`
is output number game + 1 of splitmix64 started at `seed`, and w0, w1 are the first two outputs of splitmix64 started
at `start`. The state of four zeros, in which xoshiro would stay for ever, cannot arise: `mix` is one-to-one and its
two arguments differ, so w0 and w1 are not both 0.

Games that are to share their luck though their rules differ have numbers that are keyed by what they are for, see
`chocolatl.interpreter.play.pairing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

State: TypeAlias = tuple[int, int, int, int]

_GAMMA = 0x9E3779B97F4A7C15
_MASK_64 = 0xFFFF_FFFF_FFFF_FFFF
_LIMIT = 1 << 32


def mix(z: int) -> int:
    """The output function of splitmix64: a one-to-one scrambling of 64 bits."""
    z &= _MASK_64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK_64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK_64
    return z ^ z >> 31


def splitmix64(start: int, index: int) -> int:
    """Output number `index` (from 1) of splitmix64 started at `start`."""
    return mix(start + index * _GAMMA)


def game_seed(seed: int, game: int) -> int:
    """The own seed of game number `game` (from 0) of a series: `Random(game_seed(s, g), 0, i)` is `Random(s, g, i)`."""
    return (seed + game * _GAMMA) & _MASK_64


class Random:
    """One stream of random numbers. It changes with every draw; `state` and `from_state` make a value of it."""

    __slots__ = ("_state",)
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, seed: int, game: int = 0, stream: int = 0) -> None:
        start = splitmix64(game_seed(seed, game), 1) ^ (stream & _MASK_64)
        w0, w1 = splitmix64(start, 1), splitmix64(start, 2)
        self._state: State = (w0 & 0xFFFFFFFF, w0 >> 32, w1 & 0xFFFFFFFF, w1 >> 32)

    @classmethod
    def from_state(cls, state: Sequence[int]) -> Random:
        """The generator that goes on from a state that `state` gave."""
        if len(state) != 4 or not any(state) or not all(type(word) is int and 0 <= word < _LIMIT for word in state):
            raise ValueError(f"expected four integers from 0 to {_LIMIT - 1}, not all of them 0; found {state!r}")
        generator = cls.__new__(cls)
        s0, s1, s2, s3 = state
        generator._state = (s0, s1, s2, s3)
        return generator

    def state(self) -> State:
        return self._state

    def go_on_from(self, state: Sequence[int]) -> None:
        """Take over a state that others have come to with these numbers."""
        self._state = Random.from_state(state)._state

    def copy(self) -> Random:
        generator = type(self).__new__(type(self))
        generator._state = self._state
        return generator

    def next_u32(self) -> int:
        """The next number from 0 to 2**32 - 1."""
        return self.below(_LIMIT)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, for n up to 2**32. Always one draw, also for n = 1."""
        if not 0 < n <= _LIMIT:
            raise ValueError(f"expected a bound from 1 to {_LIMIT}; found {n!r}")
        s0, s1, s2, s3 = self._state
        x = s0 + s3 & 0xFFFFFFFF
        result = (x << 7 | x >> 25) + s0 & 0xFFFFFFFF
        s2 ^= s0
        s3 ^= s1
        self._state = (s0 ^ s3, s1 ^ s2, s2 ^ (s1 << 9 & 0xFFFFFFFF), (s3 << 11 | s3 >> 21) & 0xFFFFFFFF)
        return result * n >> 32

    def __eq__(self, other: object) -> bool:
        return self._state == other._state if isinstance(other, Random) else NotImplemented

    def __repr__(self) -> str:
        return f"Random.from_state({self._state})"
