"""A log that changes what it notes: in one contest somebody ranks as one more (an intervention, for counterfactuals).

A run tells its log of each contest before anything follows from it, and goes on with the order that the log gives back.
"""

from __future__ import annotations

from typing import Any

NotedOrder = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Elements best first, the place of each, and the keys that decided, of which the smaller one is the better."""


class LiftedLog(list[tuple[Any, ...]]):
    """A log in which the first key of somebody is one better in the contest of a number, counted from 0. In a strict
    order, whoever has the same keys then comes first."""

    def __init__(self, contest: int, who: int, strict: bool) -> None:
        super().__init__()
        self.left = contest
        self.who = who
        self.strict = strict

    def ranked(self, order: NotedOrder) -> NotedOrder:
        """The order that a contest goes on with."""
        self.left -= 1
        return self.lifted(order) if self.left == -1 else order

    def lifted(self, order: NotedOrder) -> NotedOrder:
        elements, _, keys = order
        found: list[tuple[tuple[int, ...], bool, int]] = []
        for element, key in zip(elements, keys, strict=True):
            is_own = element == self.who
            found.append(((key[0] - 1, *key[1:]) if is_own else key, is_own, element))
        found.sort()
        places: list[int] = []
        for number, (key, *_) in enumerate(found):
            alike = number > 0 and key == found[number - 1][0] and not self.strict
            places.append(places[-1] if alike else number + 1)
        return tuple(element for *_, element in found), tuple(places), tuple(key for key, *_ in found)
