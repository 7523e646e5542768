"""`chocolatl train`: the file that it writes, what it tells, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.policy_file import read_sections
from chocolatl.interpreter.learning.recipes import EXPLOITERS, affordable, exploiter_updates
from chocolatl.interpreter.terminal.reports.learning import drawn_curve
from tests.conftest import ROOT


def train(*arguments: object) -> int:
    return cli.main(["train", *map(str, arguments)])


def test_a_table_is_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "policy.yaml"
    assert train("kuhn_poker", "--updates", 200, "-o", file) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "best responses gain 0.0018 against it; 0.9167 against uniform play",
        f"written to {file}",
    ]
    assert cli.main(["check", str(file)]) == 0


def test_sections_for_other_numbers_of_players_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "policy.yaml"
    assert train("kuhn_poker", "--players", 3, "--updates", 1, "-o", file, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["method"] == "league" and told["updates"] == 1 and told["strength"]["games"] == 2_000
    weights = read_sections(file, "kuhn_poker", Findings())
    assert train("kuhn_poker", "--players", 2, "--updates", 50, "-o", file) == 0
    both = read_sections(file, "kuhn_poker", Findings())
    assert weights is not None and both is not None
    assert set(both) == {2, 3} and both[3] == weights[3] and "table" in both[2]


def test_the_same_seed_and_updates_give_the_same_file(tmp_path: Path) -> None:
    """On any number of processors."""

    def written(jobs: int) -> str:
        file = tmp_path / f"{jobs}.yaml"
        assert train("kuhn_poker", "--players", 3, "--updates", 1, "--seed", 1, "--jobs", jobs, "-o", file) == 0
        return file.read_text(encoding="utf-8")

    assert written(1) == written(2)


def test_what_was_learned_in_a_time_can_be_learned_again(tmp_path: Path) -> None:
    timed, again = tmp_path / "timed.yaml", tmp_path / "again.yaml"
    assert train("kuhn_poker", "--minutes", 0.002, "-o", timed) == 0
    sections = read_sections(timed, "kuhn_poker", Findings())
    assert sections is not None
    assert train("kuhn_poker", "--updates", sections[2]["recipe"]["updates"], "-o", again) == 0
    assert timed.read_text(encoding="utf-8") == again.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--updates", 5, "--minutes", 1), "--updates and --minutes exclude each other"),
        (("--minutes", 0), "expected a number of minutes above 0"),
        (("--updates", 0), "expected a whole number from 1 up"),
        (("--players", 9), "kuhn_poker is for 2 to 4 players, not 9"),
    ],
)
def test_arguments_that_make_no_sense(
    arguments: tuple[object, ...], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    try:
        code = train("kuhn_poker", *arguments, "-o", tmp_path / "policy.yaml")
    except SystemExit as stop:
        code = int(str(stop.code))
    assert code == 2 and message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_policy_of_the_game_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "policy.yaml"
    assert train("blotto", "--updates", 1, "-o", file) == 0
    before = file.read_bytes()
    assert train("kuhn_poker", "--updates", 1, "-o", file) == 2
    assert "this is a policy for `blotto`, not for `kuhn_poker`" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_who_has_had_enough_keeps_what_was_learned(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    command = [sys.executable, "cli.py", "train", "kuhn_poker", "--updates", "100000", "-o", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err.startswith("interrupted after ")
    sections = read_sections(file, "kuhn_poker", Findings())
    assert sections is not None and sections[2]["interrupted"]


@pytest.mark.parametrize(("seconds", "expected"), [(30.0, 119), (60.0, 171), (1800.0, 5_142), (0.01, 1)])
def test_as_many_updates_as_there_is_time_for(seconds: float, expected: int) -> None:
    """With 0.2 seconds for one of the learner and 0.1 for one of an exploiter, of which there are half as many
    again, or none where they would learn nothing."""
    updates = affordable(seconds, 0.2, 0.1)
    assert updates == pytest.approx(expected, rel=0.01)
    taken = updates * 0.2 + EXPLOITERS * exploiter_updates(updates) * 0.1
    assert taken <= max(seconds, 1.0) * 1.05


def test_a_curve_is_a_row_of_bars() -> None:
    assert drawn_curve([]) == ""
    assert drawn_curve([0.0, 0.5, 1.0]) == "▁▅█"
    assert len(drawn_curve([0.3] * 1000)) == 40
