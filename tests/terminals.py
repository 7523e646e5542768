"""Commands as on a terminal, or in a pipe, in this process."""

from __future__ import annotations

import contextlib
import io
import sys

import cli
from tests.fuzzing.bench import Ran

SURROUNDINGS = {"COLUMNS": "100", "TERM": "xterm-256color"}
NOT_THERE = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "LINES")


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
