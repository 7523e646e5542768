"""Rules made at random go the same way in all back ends: to the same results, and to the same failures at the same
lines, whether they are played as a whole, closely checked, compiled with care, or left and resumed.

The slice of `make test` tries a few; what was found once is kept in fuzzing/corpus and tried always. `make evidence`
tries all of them in parts of at most an hour, and goes on with those that are left: see tests/README.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.diagnostics import Findings
from tests.conftest import ROOT, Evidence, base_seed
from tests.fuzzing import coverage
from tests.fuzzing.batches import Tried, parts, tried, tried_part
from tests.fuzzing.children import ENDLESS, Died, in_child
from tests.fuzzing.comparing import compare
from tests.fuzzing.programs import Line, Program, generate, read_kept
from tests.fuzzing.shrinking import shrunk
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

SAME = "rules made at random go the same way in all back ends"
PROGRAMS, PARTS = 50_000, 25
COVERED = 5_000
"""So many are looked at for the kinds of IR and the native passes in them."""
OFTEN = 100
CORPUS = sorted((ROOT / "tests" / "fuzzing" / "corpus").glob("*.rules"))

COVER = (0, 15, 19, 20, 52, 57, 73, 80, 108, 113)
"""Seeds whose programs have every kind of IR and go through every native pass; `python -m tests.fuzzing.coverage`
finds some."""


def assert_same(found: Tried) -> None:
    """Nothing is wrong, nearly all programs pass `check` (of a few, two may not), and most of their games come to an
    end."""
    counts = found.counts
    assert found.wrong == {}
    assert counts["rejected"] <= max(2, counts["programs"] // 9)
    assert counts["games that end"] * 3 >= counts["games"]
    assert counts["refused"] * 100 <= max(counts["programs"], 100)


def test_rules_made_at_random_go_the_same_way(evidence: Evidence) -> None:
    assert_same(tried([*evidence.cases(SAME, full=20, slice=8)]))


def test_nearly_all_programs_pass_check(seed: int, tmp_path: Path) -> None:
    """Of so many that chance cannot matter: nine of ten, as in a part."""
    passed = 0
    for number in range(60):
        path, findings = generate(seed * 1_000 + number).write(tmp_path), Findings()
        check(path, findings)
        passed += not findings.has_errors
    assert passed >= 54


@pytest.mark.full_counts
@pytest.mark.parametrize("number", parts(SAME, PARTS))
def test_so_do_all_of_a_part(number: int, evidence: Evidence) -> None:
    assert_same(tried_part(evidence, SAME, number, PARTS, PROGRAMS))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_found_once_goes_the_same_way(path: Path, tmp_path: Path) -> None:
    shows, program = read_kept(path.read_text(encoding="utf-8"))
    assert shows and program.kept(shows) == path.read_text(encoding="utf-8")
    assert compare(program, 0, tmp_path, fast=True, solved=True)


def test_a_child_without_end_is_ended() -> None:
    def spin(tell: Callable[[Any], None]) -> None:
        tell("begun")
        while True:
            pass

    with pytest.raises(Died) as died:
        in_child(spin, 1)
    assert died.value.args == (ENDLESS, ["begun"])


def test_a_child_that_waits_is_waited_for() -> None:
    def wait(tell: Callable[[Any], None]) -> None:
        time.sleep(0.3)
        tell("done")

    assert in_child(wait, 0.1) == ["done"]


# ---------------------------------------------------------------- the generator


def test_a_program_is_the_same_for_a_seed() -> None:
    assert generate(7) == generate(7) != generate(8)


def test_every_kind_of_ir_and_every_native_pass_occurs() -> None:
    """A node or a pass that the generator does not know fails here."""
    kinds, passes = coverage.apart(COVER)
    assert [name for name, count in (kinds | passes).items() if not count] == []


@pytest.mark.full_counts
def test_each_of_them_occurs_often(evidence: Evidence) -> None:
    evidence.record("programs in which kinds of IR and native passes were counted", COVERED)
    kinds, passes = coverage.apart(range(base_seed() * 1_000_000, base_seed() * 1_000_000 + COVERED))
    evidence.tell("kinds of IR, by the number of programs", dict(kinds))
    evidence.tell("native passes, by the number of programs", dict(passes))
    assert {name: count for name, count in (kinds | passes).items() if count < OFTEN} == {}


def test_a_program_is_shrunk_to_what_it_shows() -> None:
    """A program that shows something as long as it has a certain word is shrunk to a line with it."""
    program = generate(3)
    assert program.size > 1000

    def shows(candidate: Program) -> bool:
        return "becomes" in candidate.rules

    small = shrunk(program, shows)
    assert len(small.lines) == 1 and small.players == 1 and not small.data
    assert len(small.rules) < 60


def test_a_kept_program_is_read_as_it_was() -> None:
    program = generate(11)
    assert read_kept(program.kept("what it shows")) == ("what it shows", program)
    assert isinstance(program.lines[0], Line)
