"""Half-open rounds on boards of two locations: answers of nested samples beside the exact value of every answer.

Each player has five cards, offers one, and lays two pairs, a card after the other. All that the others may hold, lay at
first and lay then is played, and every own answer to it: 36,000 histories after a first round in which cards were seen,
and half a million before it.
"""

from __future__ import annotations

import pytest

from tests.advice.two_locations import Boards, Losses, board, boards_in, compared, sampled
from tests.conftest import Evidence
from tests.solver.test_stages import GOLD, GREEN


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Boards:
    return boards_in(tmp_path_factory.mktemp("rules") / "chocolatl")


def test_first_cards_by_nested_samples_are_nearly_the_best(boards: Boards, evidence: Evidence) -> None:
    """A tree of 12 branches alone, and the answer that was picked in fresh samples, lose little beside any answer."""
    losses = Losses()
    for seed in evidence.cases("half-open: nested samples against exact values", full=24, slice=1):
        compared(board(boards, seed, GREEN), seed, 2, losses)
    print(losses)  # for the log of the evidence
    assert losses.are_small("answer", 0.1) and losses.are_small("tree", 0.25), losses


@pytest.mark.full_counts
def test_the_same_in_the_first_round(boards: Boards, evidence: Evidence) -> None:
    losses = Losses()
    for seed in evidence.cases("half-open: nested samples against exact values of the first round", full=4, slice=4):
        compared(board(boards, seed, GREEN), seed, 1, losses)
    print(losses)
    assert losses.are_small("answer", 0.1), losses


def test_one_by_one_a_sampled_continuation_is_nearly_the_best(boards: Boards, evidence: Evidence) -> None:
    """Pairs of cards, at one location after the other."""
    losses = Losses()
    for seed in evidence.cases("one by one: sampling against exact values, pairs of cards", full=24, slice=1):
        sampled(board(boards, seed, GOLD), seed, losses)
    print(losses)
    assert losses.are_small("sampled", 0.25), losses
