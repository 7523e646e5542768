"""Verdicts on differences: how often they are wrong where nothing differs, how often they see what was planted, and
what an interval covers.

The games are tiny, and A and B have luck of their own in these tests: then each verdict has to come from the
statistics, and not from pairs in which nothing happens.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from chocolatl.interpreter.comparing.pairs import ComparedPlay, NativePairs, compare_play, looks_at
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.statistics.paired_differences import (
    Finding,
    PairedSums,
    interval_width,
    paired_verdict,
    round_down,
)
from tests.conftest import Evidence, base_seed
from tests.games import write_game

RULES = """
each player has
    score : 0..9999

item dice
item rare

play
    for each round in 1..9
        for each p in player
            roll thrown from 1..6 for p
            p gains thrown score for dice
        roll rest from 1..100
        stop when rest <= ENDS
    for each p in player
        roll lucky from 1..100 for p
        if lucky <= LUCKY
            p gains 20 score for rare
"""


def game(folder: Path, ends: int = 20, lucky: int = 2) -> Game:
    rules = RULES.replace("ENDS", str(ends)).replace("LUCKY", str(lucky))
    return load(write_game(folder / f"{ends}-{lucky}", rules), 2)


def compared(a: Game, b: Game, seed: int, most: int = 8_000, smallest: dict[str, float] | None = None) -> ComparedPlay:
    """With luck of their own."""
    return compare_play(NativePairs(a, seed, QUICK), NativePairs(b, seed + 1_000_003, QUICK), most, 1, smallest)


def findings(play: ComparedPlay) -> dict[str, Finding]:
    return {figure.key: play.verdict(figure).finding for figure in play.figures}


def test_where_nothing_differs_verdicts_are_seldom_wrong(tmp_path: Path, evidence: Evidence) -> None:
    same, tried, wrong = game(tmp_path), 0, 0
    for seed in evidence.cases("comparisons of a game with itself: no difference is claimed", full=200, slice=12):
        tried += 1
        found = findings(compared(same, same, seed))
        wrong += any(finding in (Finding.MORE, Finding.LESS) for finding in found.values())
    assert wrong <= max(2, 0.08 * tried)


def test_what_was_planted_is_seen_with_its_sign(tmp_path: Path, evidence: Evidence) -> None:
    """Twice of what matters: of the share of games with a rare gain, of points, of length."""
    tried = right = unseen = 0
    one, other = game(tmp_path, ends=20), game(tmp_path, ends=25)
    lengths = [sum((1 - ends / 100) ** n for n in range(9)) for ends in (20, 25)]
    effect = lengths[1] - lengths[0]
    smallest = {"rounds": -effect / 2, "source.dice": -3.5 * effect / 2, "decisions": 1.0}
    for seed in evidence.cases("planted effects of twice what matters: seen with their sign", full=200, slice=8):
        a, b, sign = (one, other, Finding.LESS) if seed % 2 else (other, one, Finding.MORE)
        found = findings(compared(a, b, seed, 64_000, smallest))
        for key in ("rounds", "source.dice"):
            tried += 1
            right += found[key] is sign
            unseen += found[key] is Finding.SAME
    assert right >= 0.95 * tried
    assert unseen <= 0.05 * tried


def test_a_difference_on_the_edge_is_seldom_called_none(tmp_path: Path, evidence: Evidence) -> None:
    """Exactly what matters: to say that nothing matters is wrong."""
    tried = wrong = 0
    one, other = game(tmp_path, lucky=2), game(tmp_path, lucky=4)
    smallest = {"source.rare": 20 * 0.02, "score": 20 * 0.02}
    for seed in evidence.cases("differences of exactly what matters: not called none", full=200, slice=8):
        found = findings(compared(one, other, seed, 32_000, smallest))
        tried += 1
        wrong += any(found[key] is Finding.SAME for key in smallest)
    assert wrong <= max(1, 0.05 * tried)


def test_intervals_hold_together_at_every_look(evidence: Evidence) -> None:
    """The means of five figures of known means, one of them hardly ever different from 0."""
    generator = np.random.default_rng(base_seed())
    true = np.array([0.0, 0.3, 0.0, 0.001, -1.0])
    looks, missed, tried = looks_at(16_000), 0, 0
    for _ in evidence.cases("intervals of five figures at all looks: all hold", full=1000, slice=60):
        values = np.column_stack(
            [
                generator.normal(0, 1, looks[-1]),
                generator.normal(0.3, 5, looks[-1]),
                generator.integers(0, 2, looks[-1]) - 0.5,
                generator.random(looks[-1]) < 0.001,
                generator.exponential(1, looks[-1]) - 2,
            ]
        ).astype(np.float64)
        tried += 1
        missed += any(not _holds(values[:look], true, 0.05 / (5 * len(looks))) for look in looks)
    assert missed <= max(3, 0.05 * tried)


def _holds(values: NDArray[np.float64], true: NDArray[np.float64], alpha: float) -> bool:
    for column, mean in zip(values.T, true, strict=True):
        sums = replace(sums_of(np.zeros(len(column)), column), highest=max(1.0, float(column.max())))
        if abs(sums.difference - mean) > interval_width(sums, alpha):
            return False
    return True


def sums_of(first: NDArray[np.float64], second: NDArray[np.float64]) -> PairedSums:
    return PairedSums(
        len(first),
        float(first.sum()),
        float(second.sum()),
        float(((second - first) ** 2).sum()),
        float(min(first.min(), second.min())),
        float(max(first.max(), second.max())),
        float((first**2).sum()),
        float((second**2).sum()),
    )


def test_an_interval_is_the_normal_one_and_a_little_more() -> None:
    generator = np.random.default_rng(1)
    first, second = generator.normal(0, 2, 4000), generator.normal(1, 2, 4000)
    sums = sums_of(first, second)
    differences = second - first
    normal = NormalDist().inv_cdf(0.9995) * differences.std(ddof=1) / 4000**0.5
    assert sums.difference == pytest.approx(differences.mean())
    assert sums.deviation == pytest.approx(differences.std(ddof=1))
    assert normal < interval_width(sums, 0.001) < 1.3 * normal
    assert sums.gain == pytest.approx((first.var(ddof=1) + second.var(ddof=1)) / differences.var(ddof=1))


def test_parts_make_the_whole() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.integers(0, 9, (2, 900)).astype(np.float64)
    whole = PairedSums()
    for start in range(0, 900, 300):
        whole = whole.merged(sums_of(first[start : start + 300], second[start : start + 300]))
    assert whole == sums_of(first, second)


def test_what_never_happened_is_not_taken_for_impossible() -> None:
    """In no pair a difference: of a figure that can be 1 in one of a hundred games that says little after a hundred."""
    none = np.zeros(100)
    ones = np.concatenate([none, np.ones(1)])
    sums = sums_of(np.concatenate([ones, ones]), np.concatenate([ones, ones]))
    assert paired_verdict(sums, 0.01, 0.001).finding is Finding.OPEN
    many = PairedSums(100_000, 1000.0, 1000.0, 0.0, 0.0, 1.0, 1000.0, 1000.0)
    assert paired_verdict(many, 0.01, 0.001).finding is Finding.SAME


@pytest.mark.parametrize(
    ("mean", "finding", "minor"),
    [
        (0.0, Finding.SAME, False), (0.02, Finding.SAME, False), (0.05, Finding.MORE, True),
        (-0.05, Finding.LESS, True), (0.2, Finding.MORE, False), (-0.2, Finding.LESS, False),
    ],
)  # fmt: skip
def test_each_verdict_has_its_place(mean: float, finding: Finding, minor: bool) -> None:
    n = 10_000
    sums = PairedSums(n, 0.0, mean * n, n * (mean**2 + 1), 0.0, 1e-6, 0.0, 0.0)
    verdict = paired_verdict(sums, 0.1, 0.001)
    assert (verdict.finding, verdict.minor, verdict.needed) == (finding, minor, None)
    assert verdict.low <= mean <= verdict.high


def test_the_number_of_pairs_that_it_would_take_is_enough() -> None:
    sums = PairedSums(1000, 0.0, 30.0, 1000 * (0.03**2 + 1), 0.0, 3.0, 0.0, 0.0)
    verdict = paired_verdict(sums, 0.1, 0.001)
    assert verdict.finding is Finding.OPEN and verdict.needed is not None
    for times, told in ((1.0, True), (0.7, False)):
        n = int(verdict.needed * times)
        later = PairedSums(n, 0.0, 0.03 * n, n * (0.03**2 + 1), 0.0, 3.0, 0.0, 0.0)
        assert (paired_verdict(later, 0.1, 0.001).finding is not Finding.OPEN) is told


@pytest.mark.parametrize(
    ("value", "found"),
    [(0.0, 0.0), (0.05, 0.05), (0.049, 0.02), (0.85, 0.5), (1.0, 1.0), (4.9, 2.0), (73.0, 50.0), (0.001, 0.001)],
)
def test_numbers_are_rounded_down_to_what_people_say(value: float, found: float) -> None:
    assert round_down(value) == pytest.approx(found)


def test_looks_double_up_to_the_last_one() -> None:
    assert looks_at(64_000) == [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000]
    assert looks_at(300) == [300]
    assert looks_at(5000) == [1000, 2000, 4000, 5000]
    assert all(later > look for look, later in zip(looks_at(9999), [*looks_at(9999)[1:], inf], strict=True))
