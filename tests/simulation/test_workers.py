"""Work that is dealt out to processes: in order, with its errors, and never waited for in vain."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from chocolatl import cli
from chocolatl.interpreter.commands import simulate
from chocolatl.interpreter.simulation.workers import TooManyThreads, WorkerEnded, in_processes


def scaler(factor: int) -> Callable[[int], int]:
    return lambda number: factor * number if number != 13 else int("no number")


def speaker(size: int) -> Callable[[int], bytes]:
    return lambda number: bytes(size)


def listener(number: int) -> Callable[[int], bool]:
    return lambda part: is_deaf()


def is_deaf() -> bool:
    """Whether an interruption does not reach this process."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def leaver(code: int) -> Callable[[int], None]:
    return lambda number: os._exit(code)


def test_parts_come_in_order_whoever_has_done_them() -> None:
    assert list(in_processes(scaler, 3, ((n,) for n in range(13)), 3)) == [3 * n for n in range(13)]


def test_an_error_is_that_of_the_process() -> None:
    with pytest.raises(ValueError, match="no number"):
        list(in_processes(scaler, 3, ((n,) for n in range(20)), 2))


def test_an_error_is_told_to_whoever_asks_for_more_before_hearing_of_it() -> None:
    def parts() -> Iterator[tuple[int]]:
        yield (13,)
        time.sleep(1)  # by now it has failed
        yield (14,)

    with pytest.raises(ValueError, match="no number"):
        list(in_processes(scaler, 3, parts(), 1))


def test_processes_are_never_interrupted_not_even_while_they_start() -> None:
    """Somebody who presses Ctrl-C at that moment would see a trace of each."""
    assert list(in_processes(listener, 0, ((n,) for n in range(4)), 2)) == [True] * 4
    assert not is_deaf()


def test_a_process_that_is_ended_is_told() -> None:
    with pytest.raises(WorkerEnded):
        list(in_processes(leaver, 9, ((n,) for n in range(5)), 2))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (WorkerEnded(), "a process was ended from outside, perhaps for want of memory; try fewer --jobs"),
        (TooManyThreads(), "the machine refuses: there are too many threads; try fewer --jobs"),
    ],
)
def test_what_the_machine_does_not_give_is_told_with_what_to_try(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(arguments: object) -> int:
        raise error

    monkeypatch.setattr(simulate, "run", refuse)
    assert cli.main(["simulate", "goofspiel", "--players", "2"]) == cli.WRONG_USAGE
    assert capsys.readouterr().err == f"chocolatl: {told}\n"


def test_processes_can_be_left_in_the_middle_of_what_they_say() -> None:
    """Each has more to say than a pipe takes at once, so that it is ended in the middle of a message."""
    before = set(multiprocessing.active_children())
    parts = in_processes(speaker, 5_000_000, ((n,) for n in range(100)), 2)
    assert len(next(parts)) == 5_000_000
    parts.close()
    assert set(multiprocessing.active_children()) == before
