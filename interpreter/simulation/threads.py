"""Work that is done by several threads and handed over in order (a thread pool whose threads nobody waits for).

Native code leaves the interpreter's lock alone, so that threads run side by side. Nothing can interrupt it, so that the
main thread does none of it, and waits for no thread when it is interrupted: a game from a stranger may take longer than
anybody waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias, TypeVar

from chocolatl.interpreter.simulation.workers import PARTS_AHEAD, TooManyThreads

Done = TypeVar("Done")
Asked: TypeAlias = "SimpleQueue[tuple[Future[Done], Callable[[], Done]] | None]"


def in_threads(work: Iterable[Callable[[], Done]], jobs: int) -> Generator[Done]:
    """What each piece of work gives, in order. Only some pieces are done ahead, so that what they give takes no more
    room than that."""
    asked: Asked[Done] = SimpleQueue()
    pieces, ahead = iter(work), deque[Future[Done]]()

    def ask(count: int) -> None:
        for piece in islice(pieces, count):
            ahead.append(Future())
            asked.put((ahead[-1], piece))

    try:
        for _ in range(jobs):
            Thread(target=_serve, args=(asked,), daemon=True).start()
    except RuntimeError:  # that is how Python tells it
        raise TooManyThreads from None
    try:
        ask(jobs * PARTS_AHEAD)
        while ahead:
            done = ahead.popleft().result()
            ask(1)
            yield done
    finally:
        for future in ahead:
            future.cancel()
        for _ in range(jobs):
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
