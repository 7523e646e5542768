"""Randomness: the published algorithms, the documented seeding, and numbers that never change again."""

from __future__ import annotations

import pickle

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.lowered.random import Random, State, game_seed, mix, splitmix64

WORDS = st.integers(0, 2**32 - 1)
STATES = st.tuples(WORDS, WORDS, WORDS, WORDS).filter(any)
BIG = st.integers(-(2**70), 2**70)


def reference(state: State, draws: int) -> list[int]:
    """xoshiro128++ once more, as its authors write it in C, with numpy's 32-bit words."""
    s = numpy.array(state, dtype=numpy.uint32)

    def rotate(x: numpy.uint32, k: int) -> numpy.uint32:
        return numpy.uint32((x << numpy.uint32(k)) | (x >> numpy.uint32(32 - k)))

    results = []
    with numpy.errstate(over="ignore"):
        for _ in range(draws):
            results.append(int(rotate(s[0] + s[3], 7) + s[0]))
            t = s[1] << numpy.uint32(9)
            s[2] ^= s[0]
            s[3] ^= s[1]
            s[1] ^= s[2]
            s[0] ^= s[3]
            s[2] ^= t
            s[3] = rotate(s[3], 11)
    return results


def test_splitmix64_gives_the_published_numbers() -> None:
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [splitmix64(1234567, index) for index in range(1, 6)] == published


def test_xoshiro128_gives_the_published_numbers() -> None:
    generator = Random.from_state((1, 2, 3, 4))
    published = [641, 1573767, 3222811527, 3517856514, 836907274, 4247214768, 3867114732, 1355841295]
    assert [generator.next_u32() for _ in published] == published


@given(STATES)
def test_xoshiro128_agrees_with_a_second_implementation(state: State) -> None:
    generator = Random.from_state(state)
    assert [generator.next_u32() for _ in range(30)] == reference(state, 30)


@given(STATES, st.integers(1, 2**32))
def test_a_bounded_number_is_one_draw(state: State, n: int) -> None:
    bounded, plain = Random.from_state(state), Random.from_state(state)
    for _ in range(5):
        number = bounded.below(n)
        assert number == plain.next_u32() * n >> 32
        assert 0 <= number < n
        assert bounded == plain


@given(BIG, st.integers(0, 2**40), st.integers(0, 9))
def test_the_seeding_is_the_documented_one(seed: int, game: int, stream: int) -> None:
    start = splitmix64(seed, game + 1) ^ stream
    w0, w1 = splitmix64(start, 1), splitmix64(start, 2)
    generator = Random(seed, game, stream)
    assert generator.state() == (w0 % 2**32, w0 // 2**32, w1 % 2**32, w1 // 2**32)
    assert generator == Random(game_seed(seed, game), 0, stream) == Random(seed % 2**64, game, stream)
    assert game_seed(seed, 0) == seed % 2**64


def test_the_numbers_of_a_seed_stay_as_they_are() -> None:
    """Transcripts in the world rely on these. A change here is a new format."""
    expected = {
        (0, 0, 0): [2603235439, 1],
        (7, 0, 1): [2622317581, 0],
        (-1, 5, 2): [1929123201, 10],
    }
    for key, numbers in expected.items():
        generator = Random(*key)
        assert [generator.next_u32(), generator.below(13)] == numbers


def test_streams_and_games_of_one_seed_all_differ() -> None:
    states = {Random(seed, game, stream).state() for seed in range(30) for game in range(30) for stream in range(6)}
    assert len(states) == 30 * 30 * 6


def test_mix_is_one_to_one_where_it_matters() -> None:
    """Zero comes from zero only, so no seed can lead to the state of four zeros."""
    assert mix(0) == 0
    assert splitmix64(0, 1) != 0


@given(STATES)
def test_a_generator_is_saved_and_goes_on(state: State) -> None:
    generator = Random.from_state(state)
    generator.next_u32()
    restored = Random.from_state(list(generator.state()))
    assert restored == generator
    others = [generator.copy(), restored, pickle.loads(pickle.dumps(generator))]
    numbers = [generator.next_u32() for _ in range(5)]
    for other in others:
        assert [other.next_u32() for _ in range(5)] == numbers
    assert eval(repr(generator)) == generator


@pytest.mark.parametrize("state", [(0, 0, 0, 0), (1, 2, 3), (1, 2, 3, 2**32), (1, 2, 3, -1), (1, 2, 3, 4.0)])
def test_a_state_that_is_none_is_refused(state: State) -> None:
    with pytest.raises(ValueError, match="expected four integers"):
        Random.from_state(state)


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_bound_out_of_range_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="expected a bound"):
        Random(1).below(n)


def test_bounded_numbers_are_even(seed: int) -> None:
    """Each of 13 numbers comes up about as often as the others: the chi-square of 12 degrees stays below 1 in 10^6."""
    generator = Random(seed)
    counts = [0] * 13
    for _ in range(13_000):
        counts[generator.below(13)] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 52
