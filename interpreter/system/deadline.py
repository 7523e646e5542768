"""When work has to be done: one deadline for all that a command does, handed down from stage to stage (cancellation).

A stage gets a share of the time that is left, asks for it in every loop that may be long, and hands on what it has when
it is over. What does not ask, such as the rules themselves, is interrupted by a timer (a watchdog). A deadline that
never comes looks at no clock: players have budgets of work, and play the same games on every machine.
"""

from __future__ import annotations

import gc
import math
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import FrameType
from typing import TypeVar
from weakref import WeakKeyDictionary, WeakSet

Given = TypeVar("Given")
Made = TypeVar("Made")

GRACE = 0.05
"""So many seconds after its time work is interrupted that has not asked for it."""

AGAIN = 0.5
"""So many seconds later it is, once more, if it goes on: what is raised while an object is finalized gets lost."""

TICK = 0.02
"""After so many seconds of work it is seen whether the time is over."""

FORGETTING = (WeakKeyDictionary.__init__.__code__.co_filename, WeakSet.__init__.__code__.co_filename)
"""Here it is forgotten what has gone."""


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
        """For work that may not ask: it ends with `TimeIsUp` soon after the time is over, wherever it is, but not in
        the middle of native code. Only the main thread can be interrupted, and where there is such a timer."""
        if self.never or self.clock is not _clock or not _can_interrupt():
            yield
            return
        outer = signal.signal(signal.SIGPROF, Interruption(self))
        timer = signal.setitimer(signal.ITIMER_PROF, TICK, TICK)

        def end() -> None:
            signal.setitimer(signal.ITIMER_PROF, *timer)
            signal.signal(signal.SIGPROF, outer if callable(outer) else _idle)

        try:
            yield
        finally:
            try:
                end()
            except TimeIsUp:  # it came just now, and does not come again so soon
                end()


class Interruption:
    """What is done at each tick of a timer. It ticks while the process works: the timer that goes by the clock is for
    interruptions by the user, which may have to wait for a moment."""

    def __init__(self, deadline: Deadline) -> None:
        self.due = deadline.until + GRACE

    def __call__(self, _: int, frame: FrameType | None) -> None:
        now = perf_counter()
        if now < self.due:
            return
        collecting = [getattr(called, "__code__", None) for called in gc.callbacks]
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return  # a module that was imported in part is of no use later
            if frame.f_code.co_name == "__del__" or frame.f_code.co_filename in FORGETTING:
                return  # what is raised there is lost
            if frame.f_code in collecting:
                return  # and there, where somebody is told that memory is collected
            frame = frame.f_back
        self.due = now + AGAIN
        raise TimeIsUp


def _idle(*_: object) -> None:
    """A tick that comes too late."""


def _can_interrupt() -> bool:
    return hasattr(signal, "SIGPROF") and threading.current_thread() is threading.main_thread()
