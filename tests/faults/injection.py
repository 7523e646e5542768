"""A line that fails when it is reached for the n-th time, as if the machine had refused what it asks for (a tracer).

Python calls a tracer before each line of a function; what that raises comes out of the line. So a fault needs nothing
in the program, and can be had wherever there is a site. A process that the command starts gets it by the environment.
"""

from __future__ import annotations

import errno
import os
import pickle
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from tests.faults.sites import Kind, Site

FAULT, RECORD, SITES = "CHOCOLATL_FAULT", "CHOCOLATL_FAULT_RECORD", "CHOCOLATL_FAULT_SITES"
"""What fails (site, number of the occurrence, failure), the file that gets a line for each site that is reached, and
the one that has all sites."""

SEEN = 30
"""So many occurrences of a site are written down."""

FAILURES: dict[Kind, tuple[str, ...]] = {
    Kind.FILE: ("ENOSPC", "EACCES", "EIO"),
    Kind.STREAM: ("ENOSPC", "EIO"),
    Kind.PROCESS: ("EAGAIN", "ENOMEM", "killed"),
    Kind.PIPE: ("ECONNRESET",),
    Kind.THREAD: ("no thread",),
    Kind.MEMORY: ("no memory",),
}


class Tracer:
    """Writes down which sites are reached, and lets one of them fail."""

    def __init__(self) -> None:
        self.site, number, self.failure = (os.environ.get(FAULT) or "\t0\t").split("\t")
        self.number = int(number)
        self.reached = Counter[str]()
        self.sites: dict[str, dict[int, list[Site]]] = pickle.loads(Path(os.environ[SITES]).read_bytes())
        self.record = os.open(os.environ[RECORD], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def install(self) -> None:
        threading.settrace(self.call)
        sys.settrace(self.call)

    def call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self.line if frame.f_code.co_filename in self.sites else None

    def line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            for site in self.sites[frame.f_code.co_filename].get(frame.f_lineno, ()):
                self.reach(site, frame)
        return self.line

    def reach(self, site: Site, frame: FrameType) -> None:
        about = _looked_up(site, frame)
        messages = sys.stderr, getattr(sys.stderr, "beneath", sys.stderr)
        if site.in_lambda != (frame.f_code.co_name == "<lambda>") or any(about is stream for stream in messages):
            return  # what cannot be told on standard error is no failure
        self.reached[site.key] += 1
        number = self.reached[site.key]
        if number <= SEEN:
            os.write(self.record, f"{site.key}\n".encode())
        if (site.key, number) != (self.site, self.number):
            return
        if self.failure == "killed":
            threading.Thread(target=_kill, args=(frame,), daemon=True).start()
        else:
            raise failure(self.failure, about if site.kind is Kind.FILE else None)


def failure(name: str, about: object) -> Exception:
    """The exception that Python raises where the machine refuses something."""
    if name == "no memory":
        return MemoryError()
    if name == "no thread":
        return RuntimeError("can't start new thread")
    number: int = getattr(errno, name)
    return OSError(number, os.strerror(number), *([os.fspath(about)] if isinstance(about, (str, Path)) else []))


def _looked_up(site: Site, frame: FrameType) -> object:
    """The file or stream that a site is about."""
    if site.argument is None:
        return None
    try:
        return eval(site.argument, frame.f_globals, frame.f_locals)
    except NameError:
        return None


def _kill(frame: FrameType) -> None:
    """End a process from outside as soon as it is there."""
    while (process := frame.f_locals.get("process")) is None or process.pid is None:
        pass
    os.kill(process.pid, signal.SIGKILL)
