"""Commands as on a terminal, or in a pipe, in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

import pytest

from chocolatl import cli
from tests.fuzzing.front_door import Ran

SURROUNDINGS = {"COLUMNS": "100", "TERM": "xterm-256color"}
NOT_THERE = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "LINES")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For the tests that import it: a terminal of the usual kind, and a folder of their own."""
    for name in NOT_THERE:
        monkeypatch.delenv(name, raising=False)
    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(*words: object, typed: str = "", terminal: bool = False) -> Ran:
    """One command in this process, on a terminal or not."""
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed.encode("utf-8", "surrogateescape")), "utf-8")
    given = tuple(map(str, words))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(given)
    finally:
        sys.stdin = stdin
    return Ran(given, code, out.getvalue(), err.getvalue())
