"""What a process does that was started to help another: it leaves interruptions to that one, and ends with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from multiprocessing.connection import wait
from threading import Thread

ORPHANED = 1


def begin_child() -> None:
    """The first thing that a child process does.

    It may be in native code for long, where no Python runs but in other threads: one of them waits for the end of the
    parent, whatever ends that (a dead man's switch)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is for the first process, which ends the others
    parent = multiprocessing.parent_process()
    if parent is not None:
        with suppress(RuntimeError):  # no thread is to be had: it ends when it has nobody to hand its work to
            Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(ORPHANED)
