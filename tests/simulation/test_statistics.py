"""Statistics: intervals against published values, exact sums, and tallies that merge in any order."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.statistics.estimates import (
    ConfidenceInterval,
    Tally,
    interval_from_sums,
    mean_interval,
    student,
    wilson,
)

SHARES = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
VALUES = st.one_of(st.integers(-999, 999), st.floats(-1e6, 1e6), SHARES)


def ends(interval: ConfidenceInterval) -> tuple[float, float]:
    assert interval.low is not None and interval.high is not None
    return interval.low, interval.high


def test_wilson_gives_the_published_interval() -> None:
    """Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (successes, n), expected in published.items():
        assert ends(wilson(successes, n)) == pytest.approx(expected, abs=5e-5)


@given(st.integers(1, 100_000), st.integers(0, 600_000))
def test_wilson_stays_around_the_share_and_inside_the_possible(n: int, sixths: int) -> None:
    successes = Fraction(sixths % (6 * n + 1), 6)
    interval = wilson(successes, n)
    low, high = ends(interval)
    assert interval.mean == float(successes / n)
    assert 0 <= low <= interval.mean <= high <= 1
    assert low < high


def test_wilson_of_nothing_and_of_all() -> None:
    assert wilson(0, 0) == ConfidenceInterval(None, 0.0, 1.0)
    assert wilson(0, 1).low == 0.0
    assert wilson(1, 1).high == 1.0
    assert wilson(0, 10**6).low == 0.0
    assert wilson(10**6, 10**6).high == 1.0


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_wilson_refuses_the_impossible(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="expected successes"):
        wilson(successes, n)


def test_student_gives_the_numbers_of_the_printed_tables() -> None:
    printed = {1: 12.706, 2: 4.303, 5: 2.571, 8: 2.306, 9: 2.262, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.0}
    for degrees, quantile in printed.items():
        assert student(degrees) == pytest.approx(quantile, abs=6e-4)
    quantiles = [student(degrees) for degrees in range(1, 200)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert student(10**9) == pytest.approx(1.959964, abs=1e-6)


def test_mean_interval_of_a_sample() -> None:
    """Mean 5, sample variance 32/7, eight values: half width 2.365 * sqrt(32/7/8)."""
    interval = mean_interval([2, 4, 4, 4, 5, 5, 7, 9])
    assert interval.mean == 5
    assert ends(interval) == pytest.approx((5 - 1.78749, 5 + 1.78749), abs=1e-4)


def test_mean_interval_of_few_values() -> None:
    assert mean_interval([]) == ConfidenceInterval(None, None, None)
    assert mean_interval([7]) == ConfidenceInterval(7.0, None, None)
    assert mean_interval([3, 3, 3]) == ConfidenceInterval(3.0, 3.0, 3.0)
    assert mean_interval([0.1] * 1000) == ConfidenceInterval(0.1, 0.1, 0.1)


def test_sums_of_no_sample_are_refused() -> None:
    with pytest.raises(ValueError, match="no 2 values"):
        interval_from_sums(2, 10, 1)


def test_large_values_do_not_cancel() -> None:
    shifted = mean_interval([10**15 + value for value in (2, 4, 4, 4, 5, 5, 7, 9)])
    low, high = ends(shifted)
    assert high - low == pytest.approx(2 * 1.78749, abs=0.3)


@given(st.lists(VALUES, max_size=30), st.integers(0, 30))
def test_tallies_merge_to_the_same_numbers_in_any_order(values: list[int | float | Fraction], cut: int) -> None:
    whole = Tally.of(values)
    first, second = Tally.of(values[cut:]), Tally.of(reversed(values[:cut]))
    first.merge(pickle.loads(pickle.dumps(second)))
    assert first == whole
    assert first.mean_interval() == whole.mean_interval() == mean_interval(values)


def test_shared_victories_add_up_exactly() -> None:
    tally = Tally.of([Fraction(1, 3)] * 300)
    assert tally.total == 100
    assert tally.share() == wilson(100, 300)


def test_the_intervals_hold_what_they_promise(seed: int) -> None:
    """Of 400 intervals around the mean of ten dice about 95 % contain 3.5."""
    generator = Random(seed)
    held = 0
    for _ in range(400):
        low, high = ends(mean_interval([generator.below(6) + 1 for _ in range(10)]))
        held += low <= 3.5 <= high
    assert 350 <= held <= 399
