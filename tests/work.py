"""Bounds on work: what must not take long, said without a clock."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

SOON = 10_000_000
"""So many calls are a few times what any of these takes. Without a limit they take thousands of times as many."""


@contextmanager
def soon() -> Iterator[None]:
    """What is done here is done soon: it takes few calls of functions, which are as many on every machine. What goes
    beyond that is stopped at once."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1
        if calls > SOON:
            sys.settrace(None)
            pytest.fail(f"this takes more than {SOON:,} calls")

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
