"""Legal answers and outcomes of chance: counted, numbered, tested and sampled as if they had been listed.

The lists are made here by brute force, and sampling is followed through all random numbers that it can be given, so
that its probabilities are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.lowered.answers import Outcomes, SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import pack
from tests.games import all_draws

COUNTS = st.lists(st.integers(0, 3), min_size=1, max_size=5)
LOW = st.integers(-3, 3)


@st.composite
def several(draw: st.DrawFn) -> SeveralAnswers:
    """A choice of some elements, with an answer or without."""
    counts = draw(COUNTS)
    least = draw(st.integers(0, 4))
    return SeveralAnswers(pack(counts), draw(LOW), least, draw(st.integers(least, 6)))


def brute_force(counts: Sequence[int], low: int, least: int, most: int) -> list[tuple[int, ...]]:
    """All multisets, by size, then as sorted lists."""
    bag = [low + kind for kind, copies in enumerate(counts) for _ in range(copies)]
    sizes = range(max(least, 0), min(most, len(bag)) + 1)
    return [answer for size in sizes for answer in sorted(set(combinations(bag, size)))]


def shares(sample: Callable[[Random], object]) -> dict[object, Fraction]:
    """The probability of each result."""
    found: dict[object, Fraction] = {}
    for result, bounds in all_draws(sample):
        found[result] = found.get(result, Fraction(0)) + Fraction(1, prod(bounds))
    assert sum(found.values()) == 1
    return found


# ---------------------------------------------------------------- several elements


@given(several())
def test_several_are_what_brute_force_lists(answers: SeveralAnswers) -> None:
    expected = brute_force(answers.counts, answers.low, answers.least, answers.most)
    assert list(answers) == expected
    assert answers.count() == len(expected)
    assert [answers.nth(n) for n in range(len(expected))] == expected
    for wrong in (-1, len(expected)):
        with pytest.raises(IndexError):
            answers.nth(wrong)


@given(several())
def test_several_contain_what_they_list_and_nothing_else(answers: SeveralAnswers) -> None:
    listed = set(answers)
    values = range(answers.low - 1, answers.low + len(answers.counts) + 1)
    for size in range(answers.most + 2):
        for tried in product(values, repeat=min(size, 4)):
            assert answers.contains(tried) == (tried in listed)
    for other in (None, 0, "a", [], [answers.low], (None,), ("a",)):
        assert not answers.contains(other)


@given(several())
def test_several_are_drawn_one_by_one_among_the_kinds_that_are_left(answers: SeveralAnswers) -> None:
    """A uniform size first, where there is a choice of sizes; then each draw is uniform among the kinds left."""
    counts = Counter({answers.low + kind: copies for kind, copies in enumerate(answers.counts)})
    if not answers.count():
        return
    sizes = range(answers.least, answers.most + 1)
    expected: dict[object, Fraction] = {}

    def draw(left: Counter[int], drawn: tuple[int, ...], size: int, share: Fraction) -> None:
        if len(drawn) == size:
            answer = tuple(sorted(drawn))
            expected[answer] = expected.get(answer, Fraction(0)) + share
            return
        kinds = sorted(kind for kind, copies in left.items() if copies)
        for kind in kinds:
            draw(left - Counter([kind]), (*drawn, kind), size, share / len(kinds))

    for size in sizes:
        draw(counts, (), size, Fraction(1, len(sizes)))
    assert shares(answers.sample) == expected


@pytest.mark.parametrize(
    ("counts", "least", "most", "asked"),
    [
        ([1, 1, 1], 2, 2, {(3, 2)}),  # two of three: no draw for the size
        ([2, 1], 2, 2, {(2, 2), (2, 1)}),  # equal cards are one kind
        ([1, 1], 0, 2, {(3,), (3, 2), (3, 2, 1)}),  # up to two: the size first
        ([1, 1], 0, 9, {(3,), (3, 2), (3, 2, 1)}),  # more than there are
        ([3], 0, 0, {()}),  # nothing to decide
    ],
)
def test_a_sample_asks_for_as_many_random_numbers_as_the_contract_says(
    counts: list[int], least: int, most: int, asked: set[tuple[int, ...]]
) -> None:
    answers = SeveralAnswers(pack(counts), 1, least, most)
    assert {bounds for _, bounds in all_draws(answers.sample)} == asked


def test_a_large_choice_is_counted_and_numbered_without_a_list() -> None:
    answers = SeveralAnswers(pack([1] * 60), 0, 30, 30)
    assert answers.count() == 118264581564861424
    assert answers.nth(0) == tuple(range(30))
    assert answers.nth(answers.count() - 1) == tuple(range(30, 60))
    numbers = range(0, answers.count(), answers.count() // 97)
    found = [answers.nth(n) for n in numbers]
    assert found == sorted(set(found)) and all(answers.contains(answer) for answer in found)


# ---------------------------------------------------------------- one element

SINGLES = st.lists(st.integers(-5, 9), unique=True, min_size=1, max_size=8).map(sorted)


@given(SINGLES, st.none() | st.just(-6))
def test_one_element_is_any_of_the_list_and_none_comes_last(values: list[int], none: int | None) -> None:
    answers = SingleAnswers(values, none)
    expected = values if none is None else [*values, none]
    assert list(answers) == expected == [answers.nth(n) for n in range(answers.count())]
    assert all(answers.contains(value) == (value in expected) for value in range(-8, 12))
    for wrong in (-1, len(expected)):
        with pytest.raises(IndexError):
            answers.nth(wrong)
    assert shares(answers.sample) == {value: Fraction(1, len(expected)) for value in expected}
    assert {bounds for _, bounds in all_draws(answers.sample)} == {(len(expected),)}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, min_size=1, max_size=6).map(sorted))
def test_a_joint_choice_is_one_answer(values: list[tuple[int, int]]) -> None:
    answers = SingleAnswers(values, (-1, -1))
    assert list(answers) == [*values, (-1, -1)]
    assert all(answers.contains(pair) == (pair in values) for pair in product(range(5), range(5)))
    assert shares(answers.sample) == dict.fromkeys([*values, (-1, -1)], Fraction(1, len(values) + 1))


# ---------------------------------------------------------------- chance

WEIGHTED = st.lists(st.tuples(st.integers(-2, 4), st.integers(0, 3)), min_size=1, max_size=5)


def possible(weighted: list[tuple[int, int]]) -> dict[int, int]:
    weights: Counter[int] = Counter()
    for value, weight in weighted:
        weights[value] += weight
    return {value: weight for value, weight in weights.items() if weight}


@given(WEIGHTED)
def test_one_outcome_is_as_likely_as_its_weight(weighted: list[tuple[int, int]]) -> None:
    outcomes, expected = Outcomes(weighted, 1, False), possible(weighted)
    assert dict(outcomes.odds()) == expected
    assert outcomes.total == sum(expected.values())
    assert outcomes.count() == len(expected)
    assert all(outcomes.contains(value) == (value in expected) for value in range(-4, 7))
    if expected:
        assert shares(outcomes.sample) == {v: Fraction(w, outcomes.total) for v, w in expected.items()}


@given(WEIGHTED, st.integers(0, 3))
def test_several_outcomes_at_once_are_a_sorted_roll(weighted: list[tuple[int, int]], times: int) -> None:
    outcomes, single = Outcomes(weighted, times, True), possible(weighted)
    expected: Counter[tuple[int, ...]] = Counter()
    for roll in product(single, repeat=times):
        weight = 1
        for value in roll:
            weight *= single[value]
        expected[tuple(sorted(roll))] += weight
    assert dict(outcomes.odds()) == dict(expected)
    assert [outcome for outcome, _ in outcomes.odds()] == sorted(expected)
    assert sum(weight for _, weight in outcomes.odds()) == outcomes.total**times
    assert outcomes.count() == len(expected)
    values = range(-3, 6)
    assert all(outcomes.contains(roll) == (roll in expected) for roll in product(values, repeat=times))
    assert not outcomes.contains(0) and not outcomes.contains((next(iter(single), 0),) * (times + 1))
    if single:
        assert shares(outcomes.sample) == {r: Fraction(w, outcomes.total**times) for r, w in expected.items()}
        assert {bounds for _, bounds in all_draws(outcomes.sample)} == {(outcomes.total,) * times}
