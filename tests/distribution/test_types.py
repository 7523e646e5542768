"""The type checker reads every file of ours, each under its one name (a guard against an empty check).

It does not follow the path of the package, and finds its parts in a tree of links that the Makefile makes. Without that
tree it would check two files of the program and be content.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mypy.main import process_options

from tests.conftest import ROOT
from tests.project.test_architecture import module_name, text_files

AT_LEAST = 491
"""So many files were checked when all of them lay in plain sight."""


def checked() -> dict[str, str | None]:
    """Path inside the project -> name as a module, of all that `mypy` checks in the current folder."""
    sources, options = process_options([], stdout=io.StringIO(), stderr=io.StringIO())
    assert options.disallow_untyped_defs and options.strict_equality and options.warn_unused_ignores, "it is strict"
    return {os.path.relpath(os.path.realpath(source.path or ""), ROOT): source.module for source in sources}


def test_every_file_is_checked_under_its_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    files = [path for path, _ in text_files() if path.endswith(".py")]
    found = checked()
    assert sorted(found) == sorted(files) and len(found) >= AT_LEAST
    assert {path: name for path, name in found.items() if name != module_name(path)} == {}


def test_without_the_tree_of_links_nothing_is_called_right(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name in ("benchmarks", "docs", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.py").write_text('"""Nothing is wrong here."""\n', encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and ".venv/links/chocolatl" in done.stdout + done.stderr
