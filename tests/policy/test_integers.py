"""The integers of policies: as docs/policies.md tells them, near the numbers that they stand for, within bounds."""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.policy import integers
from tests.conftest import ROOT

LARGEST = 2**63 - 1


def test_the_page_has_the_table_of_fractions() -> None:
    rows = re.findall(r"^    ([0-9 ]+)$", (ROOT / "docs" / "policies.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(int(number) for row in rows for number in row.split()) == integers.FRACTIONS


def test_each_fraction_is_the_power_of_two_rounded_down() -> None:
    for number, fraction in enumerate(integers.FRACTIONS):
        assert fraction**64 <= 2 ** (16 * 64 - number) < (fraction + 1) ** 64


logits = st.lists(st.integers(-(2**30) + 1, 2**30 - 1), min_size=1, max_size=50)


@given(logits)
def test_an_answer_an_octave_better_is_twice_as_likely(given_: list[int]) -> None:
    found = integers.odds(given_)
    assert found[given_.index(max(given_))] == integers.TOP
    for logit, weight in zip(given_, found, strict=True):
        exact = 2.0 ** (16 - (max(given_) - logit) / 65536)
        assert weight <= exact * 1.011 and weight >= exact * 0.989 - 1


@given(st.integers(1, 10**6))
def test_the_odds_of_any_number_of_answers_can_be_drawn_by_one_random_number(answers: int) -> None:
    assert answers * (integers.TOP >> integers.fewer_bits(answers)) <= 2**32
    assert integers.TOP >> integers.fewer_bits(answers) > 0


def test_the_greatest_numbers_stay_within_their_bits() -> None:
    difference = integers.MOST_VALUE + integers.MOST_OFFSET
    assert difference < 2**31
    assert difference * integers.MOST_SCALE <= LARGEST
    summed = integers.MOST_MULTIPLIERS * integers.MOST_FEATURES * integers.MOST_SCALED**2 * integers.MOST_WEIGHT
    assert summed < 2**41 <= LARGEST
    inner = integers.MOST_FEATURES * integers.MOST_SCALED * integers.MOST_WEIGHT
    assert inner < 2**30, "a product of one multiplier fits 32 bits"
    highest = integers.MOST_TERMS * integers.MOST_SLOPE * integers.MOST_SCALED
    highest += integers.MOST_WEIGHT << integers.WEIGHT_BITS
    assert 2 * highest < 2**31


@given(st.integers(-(2**29), 2**29), st.integers(-(2**29), 2**29), st.integers(0, 2**24))
def test_scaling_rounds_down(value: int, offset: int, scale: int) -> None:
    exact = Fraction((value - offset) * scale, 2**16)
    found = integers.scaled(value, offset, scale)
    if abs(exact) < integers.MOST_SCALED:
        assert found <= exact < found + 1
    else:
        assert abs(found) == integers.MOST_SCALED


@given(st.lists(st.integers(0, 65536), min_size=1, max_size=9).filter(any), st.data())
def test_each_ticket_finds_its_answer(weights: list[int], data: st.DataObject) -> None:
    ticket = data.draw(st.integers(0, sum(weights) - 1))
    found = integers.drawn(weights, ticket)
    assert sum(weights[:found]) <= ticket < sum(weights[: found + 1])
