"""What a run of the tests writes down: counts if all cases were tried, and nothing if none was."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest

AUTHOR = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
RUN = '{"date": "2026-11-18", "commit": "abc", "python": "3.11.7", "seed": 1, "properties": ['
KNOWN = f'{{"runs": [\n{RUN}\n{{"name": "old", "count": 5, "failures": 0}}\n]}}\n]}}\n'


@pytest.mark.parametrize(
    ("options", "status", "expected"),
    [
        ({"--full-counts"}, pytest.ExitCode.OK, ["new"]),
        ({"--full-counts", "-k"}, pytest.ExitCode.OK, ["new", "old"]),
        ({"--full-counts", "--collect-only"}, pytest.ExitCode.OK, None),
        ({"--full-counts"}, pytest.ExitCode.INTERRUPTED, None),
        (set(), pytest.ExitCode.OK, None),
    ],
)
def test_only_a_run_that_has_tried_all_cases_is_written_down(
    options: set[str],
    status: pytest.ExitCode,
    expected: list[str] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "evidence.json"
    file.write_text(KNOWN, encoding="utf-8")
    monkeypatch.setattr(conftest, "ROOT", tmp_path)
    monkeypatch.setattr(conftest, "EVIDENCE_FILE", file)
    config: Any = SimpleNamespace(
        getoption=lambda name: name in options,
        args=["tests"],
        invocation_params=SimpleNamespace(dir=tmp_path),
        stash={conftest._told: [], conftest._records: [{"name": "new", "seed": 2, "count": 3, "failures": 0}]},
    )
    conftest.pytest_terminal_summary(SimpleNamespace(write_line=lambda line: None), status, config)
    written = file.read_text(encoding="utf-8")
    if expected is None:
        assert written == KNOWN
    else:
        assert sorted(conftest.known_evidence(file)) == expected


def test_what_is_written_down_depends_on_the_records_alone(tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    known = conftest.known_evidence(conftest.EVIDENCE_FILE)
    conftest.write_evidence(file, [], dict(reversed(known.items())))
    assert file.read_text(encoding="utf-8") == conftest.EVIDENCE_FILE.read_text(encoding="utf-8")


def test_a_property_that_is_tried_again_changes_no_line_of_others(tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    known = conftest.known_evidence(conftest.EVIDENCE_FILE)
    again = [{"name": min(known), "seed": 2, "count": 3, "failures": 0}]
    conftest.write_evidence(file, again, known)
    before, after = (each.read_text(encoding="utf-8").splitlines() for each in (conftest.EVIDENCE_FILE, file))
    changed = [line.rstrip(",") for line in {*before} ^ {*after} if f'"{min(known)}"' not in line]
    assert len(changed) <= 4, "the head of its run, or a comma"


@pytest.mark.parametrize(
    ("name", "failures", "commit", "done"),
    [
        ("hours of it, part 02 of 3", 0, "abc", True),
        ("hours of it, part 02 of 3", 1, "abc", False),
        ("hours of it, part 02 of 3", 0, "abc-dirty", False),
        ("hours of it, part 02 of 3", 0, "never landed", False),
        ("hours of it, part 03 of 3", 0, "abc", False),
    ],
)
def test_a_part_is_left_out_once_it_was_tried_without_a_failure(
    name: str, failures: int, commit: str, done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "is_in_history", lambda commit: commit == "abc")
    known = {name: [{"name": name, "failures": failures, "commit": commit}]}
    assert conftest.is_done(pytest.mark.part("hours of it", 1, 3).mark, known) is done
    assert not conftest.is_done(None, known)


def test_only_what_led_to_this_commit_is_in_its_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> str:
        told = subprocess.run(["git", *AUTHOR, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return told.stdout.strip()

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    first = git("rev-parse", "HEAD")
    git("commit", "--quiet", "--allow-empty", "-m", "second")
    second = git("rev-parse", "HEAD")
    git("reset", "--quiet", "--hard", first)
    monkeypatch.setattr(conftest, "ROOT", tmp_path)
    conftest.is_in_history.cache_clear()
    assert conftest.is_in_history(first)
    assert not any(map(conftest.is_in_history, (second, f"{first}-dirty", "0" * 40, "")))


def test_the_parts_of_a_property_have_all_of_its_cases() -> None:
    evidence = conftest.Evidence()
    seeds = [seed for number in range(3) for seed in evidence.part("hours of it", number, 3, full=100)]
    assert seeds == [*conftest.case_seeds(conftest.base_seed(), 100)]
    assert [record.count for record in evidence.records] == [34, 34, 32]
