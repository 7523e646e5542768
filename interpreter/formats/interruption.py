"""Work that is done as a whole: whoever interrupts it, with Ctrl-C, waits until it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interruption inside the block comes at its end. It should be a short one."""
    if current_thread() is not main_thread():  # others are not interrupted
        yield
        return
    caught: list[tuple[object, object]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught and callable(before):
        before(signal.SIGINT, None)
