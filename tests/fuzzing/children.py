"""Work in a child process of its own (isolation): a crash of native code is an answer, not the end of the tests.

A child is a fork: what is loaded already need not be loaded again. It writes what it found into a pipe, as JSON.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

from tests.conftest import ROOT

IDLE = 20
"""A child that waits for its processor is given so many times as long by the clock; then it waits for itself."""

ENDLESS = "it comes to no end"


class Died(Exception):
    """The child ended by a signal, or did not end in time."""


def in_child(work: Callable[[Callable[[Any], None]], None], seconds: float) -> list[Any]:
    """All that the work tells, in order; `Died` (which has it too) if it comes to no end in so many seconds of the
    processor: how much of that it gets is nothing that the work can do about."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        os.close(reading)
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.RLIM_INFINITY))
            work(lambda told: _write(writing, told))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    found, over = _read(reading, time.monotonic() + IDLE * seconds)
    if not over:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(reading)
    told = [json.loads(row) for row in found.splitlines()]
    if not over or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        raise Died(ENDLESS, told)
    if status:
        raise Died(f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "an exception", told)
    return told


def _write(pipe: int, told: Any) -> None:
    row = json.dumps(told).encode() + b"\n"
    while row:
        row = row[os.write(pipe, row) :]


def _read(pipe: int, end: float) -> tuple[bytes, bool]:
    """What is written until the pipe is closed, and whether it was closed in time."""
    found = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        part = os.read(pipe, 1 << 16)
        if not part:
            return found, True
        found += part
    return found, False


def symptom(error: BaseException) -> str:
    """What two failures have in common that have the same cause: the kind of difference, or where it was raised."""
    if type(error).__name__ == "Difference":
        return re.sub(r"\d+", "N", str(error).partition(":")[0])
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(ROOT))]
    last = own[-1] if own else None
    place = f"{os.path.relpath(last.filename, ROOT)}, {last.name}" if last is not None else "nowhere"
    return f"{type(error).__name__} in {place}"
