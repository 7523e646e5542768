"""What a run of the tests writes down: counts if all cases were tried, and nothing if none was."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest

KNOWN = '{"properties": [\n{"name": "old", "seed": 1, "count": 5, "failures": 0}\n]}\n'


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
        stash={conftest._records: [{"name": "new", "seed": 2, "count": 3, "failures": 0}]},
    )
    conftest.pytest_terminal_summary(SimpleNamespace(write_line=lambda line: None), status, config)
    written = file.read_text(encoding="utf-8")
    if expected is None:
        assert written == KNOWN
    else:
        assert [entry["name"] for entry in json.loads(written)["properties"]] == expected
