"""Random decisions that are the same for a seed on every platform and with every version of Python.

Of `random.Random` only `getrandbits` is used, which is the Mersenne Twister itself; how a number below a bound, an
element or a sample comes of it is said here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Chance:
    def __init__(self, seed: int) -> None:
        self.bits = random.Random(seed).getrandbits

    def below(self, bound: int) -> int:
        return self.bits(64) * bound >> 64

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def percent(self, share: int) -> bool:
        return self.below(100) < share

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[int, Item]]) -> Item:
        """One of several, each as likely as its weight says."""
        ticket = self.below(sum(weight for weight, _ in items))
        for weight, item in items:
            ticket -= weight
            if ticket < 0:
                return item
        raise AssertionError("the ticket is below the sum of all weights")

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]

    def several(self, items: Sequence[Item], count: int) -> list[Item]:
        return self.shuffled(items)[:count]
