"""Bounds on work: what must not take long, said without a clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SOON = 200
"""So many times the work of `_yardstick`: far more than any of these takes, and without a limit they take thousands."""


def _yardstick() -> int:
    return sum(number * number for number in range(1_000_000))


@contextmanager
def soon(times: int = 1) -> Iterator[None]:
    """What is done here is done soon. Both sides are processor time of this process, so that neither the speed of a
    machine nor what else it does matters."""
    begin = time.process_time()
    _yardstick()
    middle = time.process_time()
    yield
    assert time.process_time() - middle < times * SOON * (middle - begin)
