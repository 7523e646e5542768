"""Parts of a long work, done by several processes and handed over in order (a process pool).

Each process has a pipe of its own, so that it can be ended at any moment: nobody else waits for what it was about to
say. (The standard library's pool shares one queue of results, and waits forever for the rest of a broken message.)
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from errno import EAGAIN
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.resource_tracker import ensure_running
from typing import Any, TypeVar

from chocolatl.interpreter.system.children import begin_child

PARTS_AHEAD = 4
"""How many parts each process is given before it is done with the first one."""

Given = TypeVar("Given")
Done = TypeVar("Done")


class WorkerEnded(Exception):
    """A process has ended by itself, or somebody has ended it."""

    def __str__(self) -> str:
        return "a process was ended from outside, perhaps for want of memory"


class TooManyThreads(OSError):
    """The machine gives no more of them."""

    def __init__(self) -> None:
        super().__init__(EAGAIN, "there are too many threads")


def in_processes(
    prepare: Callable[[Given], Callable[..., Done]],
    given: Given,
    parts: Iterator[tuple[Any, ...]],
    jobs: int,
    ahead: int = PARTS_AHEAD,
) -> Generator[Done]:
    """What becomes of each part, in order. Every process prepares itself once, then works on one part after another.

    Processes are started anew, not copied from this one, which works the same everywhere."""
    context = multiprocessing.get_context("spawn")
    workers: list[tuple[Any, Connection]] = []
    asked: deque[Connection] = deque()

    def ask(pipe: Connection) -> None:
        for part in islice(parts, 1):
            pipe.send(part)
            asked.append(pipe)

    try:
        for _ in range(jobs):
            pipe, other = context.Pipe()
            process = context.Process(target=_serve, args=(other, prepare, given), daemon=True)
            workers.append((process, pipe))
            with never_interrupted():
                process.start()
            other.close()  # so that the end of the process is the end of the pipe
        for _ in range(ahead):
            for _, pipe in workers:
                ask(pipe)
        while asked:
            pipe = asked.popleft()
            done = pipe.recv()
            if isinstance(done, Exception):
                raise done
            ask(pipe)
            yield done
    except (EOFError, ConnectionError):
        raise WorkerEnded from None
    finally:
        for process, pipe in workers:
            pipe.close()
            if process.pid is not None:
                process.terminate()
                process.join()


@contextmanager
def never_interrupted() -> Iterator[None]:
    """What is started in the block is not interrupted, not even before it can say so itself. We are, afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    ensure_running()  # otherwise it would be started in the block, which ends there
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGALRM])  # which is one that waits
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, prepare: Callable[[Given], Callable[..., Done]], given: Given) -> None:
    begin_child()
    with suppress(EOFError, ConnectionError):  # nobody asks any more
        try:
            work = prepare(given)
            while True:
                pipe.send(work(*pipe.recv()))
        except (EOFError, ConnectionError):
            raise
        except Exception as error:
            pipe.send(error)
            while True:  # whoever has not heard of it yet may still ask
                pipe.recv()
