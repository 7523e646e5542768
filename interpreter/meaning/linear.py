"""Sums of unknowns with whole coefficients: whether some can all be at most 0 (Fourier-Motzkin elimination).

An unknown is a number that stands for a term of the rules, such as `p.coins` or a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import gcd

LinearForm = tuple[int, tuple[tuple[int, int], ...]]
"""A constant, and each unknown with its coefficient, by their numbers."""

ZERO: LinearForm = (0, ())
MOST_CONSTRAINTS = 60
MOST_UNKNOWNS = 12


def constant(value: int) -> LinearForm:
    return value, ()


def unknown(number: int) -> LinearForm:
    return 0, ((number, 1),)


def plus(a: LinearForm, b: LinearForm, factor: int = 1) -> LinearForm:
    """One sum and another one, taken so many times."""
    if not b[1]:
        return a[0] + factor * b[0], a[1]
    terms = dict(a[1])
    for each, coefficient in b[1]:
        terms[each] = terms.get(each, 0) + factor * coefficient
    return a[0] + factor * b[0], tuple(sorted([(each, c) for each, c in terms.items() if c]))


def minus(a: LinearForm, b: LinearForm) -> LinearForm:
    return plus(a, b, -1)


def times(a: LinearForm, factor: int) -> LinearForm:
    return plus(ZERO, a, factor)


BoundsOf = Callable[[int], tuple[tuple[LinearForm, ...], tuple[LinearForm, ...]]]
"""What an unknown is never below, and what it is never above."""


def impossible(forms: Iterable[LinearForm], bounds: BoundsOf) -> bool:
    """Whether it is certain that these cannot all be at most 0, each unknown within its bounds."""
    rows, seen = [*forms], set[int]()
    alone = _alone(rows, bounds)
    if alone is not None:
        return alone
    waiting = [each for _, terms in rows for each, _ in terms]
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        low, high = bounds(each)
        own = [minus(form, unknown(each)) for form in low] + [minus(unknown(each), form) for form in high]
        rows += own
        waiting += [other for _, terms in own for other, _ in terms]
    return len(seen) <= MOST_UNKNOWNS and _contradict([*dict.fromkeys(map(_tight, rows))], seen)


def _alone(forms: list[LinearForm], bounds: BoundsOf) -> bool | None:
    """The same where each unknown stands in one form and has numbers for bounds, so that each form is by itself; None
    where that is not so. Most conditions are of this kind."""
    seen, found = set[int](), False
    for value, terms in forms:
        lowest: int | None = value
        for each, coefficient in terms:
            low, high = bounds(each)
            if each in seen or len(low) > 1 or len(high) > 1 or any([form[1] for form in (*low, *high)]):
                return None
            seen.add(each)
            end = low if coefficient > 0 else high
            lowest = lowest + coefficient * end[0][0] if end and lowest is not None else None
        found = found or (lowest is not None and lowest > 0)
    return found


def _contradict(rows: list[LinearForm], left: set[int]) -> bool:
    """Eliminate one unknown after the other: what remains are constants that would have to be at most 0."""
    left = set(left)
    while True:
        if any(not terms and value > 0 for value, terms in rows):
            return True
        rows = [row for row in rows if row[1]]
        if not rows or not left or len(rows) > MOST_CONSTRAINTS:
            return False
        uses: dict[int, tuple[list[LinearForm], list[LinearForm]]] = {each: ([], []) for each in left}
        for row in rows:
            for each, coefficient in row[1]:
                uses[each][coefficient > 0].append(row)
        chosen = min(left, key=lambda each: (len(uses[each][0]) * len(uses[each][1]), each))
        below, above = uses[chosen]
        left.discard(chosen)
        rows = [row for row in rows if all(each != chosen for each, _ in row[1])]
        for a in above:
            for b in below:
                up, down = dict(a[1])[chosen], -dict(b[1])[chosen]
                rows.append(_tight(plus(times(a, down), b, up)))
        rows = [*dict.fromkeys(rows)]


def _tight(form: LinearForm) -> LinearForm:
    """The same for whole numbers, divided by what all coefficients share."""
    value, terms = form
    if len(terms) == 0:
        return form
    shared = gcd(*[c for _, c in terms])
    if shared == 1:
        return form
    return -(-value // shared), tuple([(each, c // shared) for each, c in terms])
