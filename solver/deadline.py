"""How long it may take to make a model.

A run of the rules over expressions looks at the clock with every statement, every variable and every conclusion from
bounds: one scenario alone can take longer than anybody waits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class TimeIsUp(Exception):
    """The time to make a model is over."""


class Deadline:
    """When work has to be done; at first, whenever it is."""

    __slots__ = ("until",)

    def __init__(self) -> None:
        self.until = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """For work that may take so long."""
        self.until = perf_counter() + seconds
        try:
            yield
        finally:
            self.until = math.inf

    def look(self) -> None:
        if perf_counter() > self.until:
            raise TimeIsUp
