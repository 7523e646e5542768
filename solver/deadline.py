"""When work has to be done: one deadline for all that a command does, handed down from stage to stage.

A stage gets a share of the time that is left, asks for it in every loop that may be long, and hands on what it has when
it is over. What does not ask, such as the rules themselves, is interrupted by a watcher, a thread that raises an exception
in another one (a watchdog). A deadline that never comes looks at no clock: players have budgets of work, and play the same games on
every machine.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

GRACE = 0.05
"""So many seconds after its time work is interrupted that has not asked for it."""

AGAIN = 0.2
"""So many seconds later it is, once more, if it goes on."""


class TimeIsUp(Exception):
    """The time for a piece of work is over."""


def _clock() -> float:
    return perf_counter()


class Deadline:
    """So many seconds from now; at first, never."""

    __slots__ = ("clock", "until")

    def __init__(self, seconds: float = math.inf, clock: Callable[[], float] = _clock) -> None:
        self.clock = clock
        self.until = math.inf if math.isinf(seconds) else clock() + seconds

    @property
    def never(self) -> bool:
        return self.until == math.inf

    @property
    def left(self) -> float:
        """So many seconds are left; none, if it is over."""
        return math.inf if self.never else max(0.0, self.until - self.clock())

    @property
    def is_over(self) -> bool:
        return not self.never and self.clock() > self.until

    def look(self) -> None:
        if self.is_over:
            raise TimeIsUp

    def share(self, part: float) -> Deadline:
        """An earlier one, after a part of what is left."""
        return Deadline(part * self.left, self.clock)

    def at_most(self, seconds: float) -> Deadline:
        """The same, or so many seconds from now if that is earlier."""
        return Deadline(min(seconds, self.left), self.clock)

    def each(self, given: Iterable[Given], work: Callable[[Given], Made], whole: bool = False) -> list[Made]:
        """Work on one after the other, as far as the time goes; `TimeIsUp` if it is enough for none, or not for all."""
        made: list[Made] = []
        try:
            with self.enforced():
                for one in given:
                    self.look()
                    made.append(work(one))
        except TimeIsUp:
            if whole or not made:
                raise
        return made

    @contextmanager
    def within(self, other: Deadline) -> Iterator[None]:
        """For work until another one; what comes after has all the time."""
        self.clock, self.until = other.clock, other.until
        try:
            yield
        finally:
            self.until = math.inf

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """For work that may not ask: it ends with `TimeIsUp` soon after the time is over, wherever it is, but not in the
        middle of native code."""
        if self.never or self.clock is not _clock:
            yield
            return
        watcher = Watcher(self.left + GRACE)
        try:
            yield
        finally:
            watcher.end()


class Watcher:
    """Interrupts the thread that makes it after some seconds, and again and again until it ends: an exception that
    comes while an object is finalized is lost."""

    def __init__(self, seconds: float) -> None:
        import ctypes  # who is not watched does not wait for it

        self.interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
        self.target = ctypes.c_ulong(threading.get_ident())
        self.exception = ctypes.py_object(TimeIsUp)
        self.working = threading.Lock()
        self.working.acquire()
        self.thread = threading.Thread(target=self.watch, args=(seconds,), daemon=True)
        self.thread.start()

    def watch(self, seconds: float) -> None:
        while not self.working.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
            self.interrupt(self.target, self.exception)
            seconds = AGAIN

    def end(self) -> None:
        """The work is done. An interruption that comes just now is too late, and none comes after."""
        while self.thread.is_alive():
            with suppress(TimeIsUp):
                if self.working.locked():
                    self.working.release()
                self.thread.join()
        with suppress(TimeIsUp):
            self.interrupt(self.target, None)
