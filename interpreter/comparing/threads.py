"""Work that is done by several threads and handed over in order (a thread pool whose threads nobody waits for).

Native code leaves the interpreter's lock alone, so that threads run side by side. Nothing can interrupt it, so that the
main thread does none of it, and waits for no thread when it is interrupted: a game from a stranger may take longer than
anybody waits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias, TypeVar

from chocolatl.interpreter.simulation.workers import TooManyThreads

Done = TypeVar("Done")
Asked: TypeAlias = "SimpleQueue[tuple[Future[Done], Callable[[], Done]] | None]"


def in_threads(work: Sequence[Callable[[], Done]], jobs: int) -> Generator[Done]:
    """What each piece of work gives, in order."""
    asked: Asked[Done] = SimpleQueue()
    futures: list[Future[Done]] = [Future() for _ in work]
    try:
        for _ in range(max(1, min(jobs, len(work)))):
            Thread(target=_serve, args=(asked,), daemon=True).start()
    except RuntimeError:  # that is how Python tells it
        raise TooManyThreads from None
    try:
        for given in zip(futures, work, strict=True):
            asked.put(given)
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
        for _ in range(max(1, jobs)):
            asked.put(None)


def _serve(asked: Asked[Done]) -> None:
    """Do one piece after the other, until there is none."""
    while (given := asked.get()) is not None:
        future, work = given
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
