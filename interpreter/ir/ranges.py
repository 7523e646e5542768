"""Interval arithmetic (abstract interpretation): the range of a result from the ranges of its operands.

`chocolatl.interpreter.ir.operations` says which operation has which rule.
"""

from __future__ import annotations

Interval = tuple[int, int]
"""The lowest and the highest value."""


def total(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def difference(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def minimum(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def maximum(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def quotient(a: Interval, b: Interval) -> Interval:
    """A zero divisor is left out, since it is an error when it occurs."""
    divisors = [d for d in (*b, -1, 1) if d != 0 and b[0] <= d <= b[1]]
    corners = [x // d for x in a for d in divisors]
    return (min(corners), max(corners)) if corners else (0, 0)


def remainder(a: Interval, b: Interval) -> Interval:
    if b == (0, 0):
        return 0, 0
    low, high = min(0, b[0] + 1), max(0, b[1] - 1)
    return low, min(high, a[1]) if a[0] >= 0 and b[0] > 0 else high


# ---------------------------------------------------------------- over elements: of the body, how many at most


def truth(body: Interval, most: int) -> Interval:
    return 0, 1


def count(body: Interval, most: int) -> Interval:
    return 0, most


def sums(body: Interval, most: int) -> Interval:
    return min(0, body[0] * most), max(0, body[1] * most)


def same(body: Interval, most: int) -> Interval:
    return body


# ---------------------------------------------------------------- comparisons that the ranges alone decide, or None


def equal(a: Interval, b: Interval) -> bool | None:
    return False if a[1] < b[0] or b[1] < a[0] else None


def unequal(a: Interval, b: Interval) -> bool | None:
    return True if a[1] < b[0] or b[1] < a[0] else None


def less(a: Interval, b: Interval) -> bool | None:
    return True if a[1] < b[0] else False if a[0] >= b[1] else None


def at_most(a: Interval, b: Interval) -> bool | None:
    return True if a[1] < b[0] else False if a[0] > b[1] else None


def more(a: Interval, b: Interval) -> bool | None:
    return less(b, a)


def at_least(a: Interval, b: Interval) -> bool | None:
    return at_most(b, a)
