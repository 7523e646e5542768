"""Rules made at random go the same way in all back ends: to the same results, and to the same failures at the same
lines, whether they are played as a whole, closely checked, compiled with care, or left and resumed.

The slice of `make test` tries a few; what was found once is kept in fuzzing/corpus and tried always.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT, Evidence
from tests.fuzzing.comparing import compare
from tests.fuzzing.programs import generate, read_kept
from tests.fuzzing.tallies import Tally
from tests.test_native import own_cache  # noqa: F401  # a fixture for all tests here

CORPUS = sorted((ROOT / "tests" / "fuzzing" / "corpus").glob("*.rules"))


def test_rules_made_at_random_go_the_same_way(tmp_path: Path, evidence: Evidence) -> None:
    tally = Tally()
    for seed in evidence.cases("rules made at random go the same way in both back ends", full=3000, slice=6):
        compare(generate(seed), seed, tmp_path, seed % 4 == 0, seed % 10 == 0, tally)
    assert tally.counts["programs"] > 0


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_found_once_goes_the_same_way(path: Path, tmp_path: Path) -> None:
    shows, program = read_kept(path.read_text(encoding="utf-8"))
    assert shows and program.kept(shows) == path.read_text(encoding="utf-8")
    assert compare(program, 0, tmp_path, fast=True)


def test_a_program_is_the_same_for_a_seed() -> None:
    assert generate(7) == generate(7) != generate(8)
