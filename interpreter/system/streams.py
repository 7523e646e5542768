"""Standard streams that are always there, whatever a shell has closed (`<&-`, `>&-`, `2>&-`).

A closed input is at its end. A closed output refuses what is written, as a full disk does: a result that nobody can
have got is no success. What cannot be told on standard error is lost, and changes nothing else: not the exit code.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Literal, TextIO


def complete() -> None:
    """Put something in the place of each stream that is closed, and make standard error one that never fails."""
    # In the order of their numbers, of which the system gives the lowest: so that no other file is taken for a stream,
    # here or in a child process.
    if sys.stdin is None:
        sys.stdin = _nowhere(os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _nowhere(os.O_RDONLY, "w")  # open for reading alone: every write is refused
    if sys.stderr is None:
        sys.stderr = _nowhere(os.O_WRONLY, "w")
    elif sys.__stderr__ is sys.stderr:
        raw = LossyFile(sys.__stderr__.fileno(), "w", closefd=False)
        encoding = sys.__stderr__.encoding
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(raw), encoding, "replace", line_buffering=True)


def settle(code: int) -> None:
    """Before the process ends: Python would try once more to write what could not be written, and tell another code."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stderr.flush()
        os._exit(code)


def _nowhere(flags: int, mode: Literal["r", "w"]) -> TextIO:
    handle = os.open(os.devnull, flags)
    os.set_inheritable(handle, True)
    return open(handle, mode, encoding="utf-8", closefd=False)


class LossyFile(io.FileIO):
    """A file that takes everything, and loses what the system does not take."""

    def write(self, data: Any) -> int:
        try:
            written = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written
