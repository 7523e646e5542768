"""What becomes of a process that is sent a signal (signal handlers): interrupted, ended from outside, or let finish.

Ctrl-C is an exception, `KeyboardInterrupt`, so that a command can keep what it has. It is never raised in the middle of
an import or in a finalizer, where Python would lose it or show it to the user: there it comes a moment later.

SIGTERM and SIGHUP end the process as they always do, after what it would leave behind has been cleared away. Nothing
else of it runs, so that nothing can be in the way.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

MOMENT = 0.005
"""Seconds until an interruption that came at a bad time is tried again."""

WAITING = (signal.SIGALRM,) if hasattr(signal, "setitimer") else ()
"""What an interruption comes as when it is tried again."""

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_clearing: list[Callable[[], object]] = []


def raise_interruptions() -> None:
    """From here on Ctrl-C raises `KeyboardInterrupt`, unless whoever started us wants it ignored."""
    if not callable(signal.getsignal(signal.SIGINT)):
        return
    if not WAITING:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return
    sys.unraisablehook = _not_lost
    for number in (*WAITING, signal.SIGINT):
        signal.signal(number, _interrupt)


def die_of_interruptions() -> None:
    """From here on Ctrl-C ends the process without a word: it is about to end anyway."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            _later()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _not_lost(lost: Any) -> None:
    """An exception that Python can only tell and not raise, since it came in a finalizer."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _later()
    else:
        sys.__unraisablehook__(lost)


def _later() -> None:
    signal.setitimer(signal.ITIMER_REAL, MOMENT)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interruption inside the block comes at its end. It should be a short one."""
    if not _in_main_thread():  # others are not interrupted
        yield
        return
    caught: list[int] = []
    handlers = {n: signal.getsignal(n) for n in (signal.SIGINT, *WAITING) if signal.getsignal(n) is not None}
    for number in handlers:
        signal.signal(number, lambda number, frame: caught.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    handler = handlers.get(signal.SIGINT)
    if caught and callable(handler):
        handler(signal.SIGINT, None)


@contextmanager
def cleared(clear: Callable[[], object]) -> Iterator[None]:
    """If SIGTERM or SIGHUP ends the process inside the block, `clear` is called before. It must wait for nothing."""
    _clearing.append(clear)
    taken = [number for number in ENDING if _in_main_thread() and signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, _end)
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        _clearing.remove(clear)


def _end(number: int, frame: FrameType | None) -> None:
    for clear in list(_clearing):
        with suppress(Exception):
            clear()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def _in_main_thread() -> bool:
    from threading import current_thread, main_thread  # the start of a command need not wait for it

    return current_thread() is main_thread()
