"""Legal answers and chance outcomes, counted, numbered and sampled without listing them (combinatorial unranking).

Canonical order: elements by their order of declaration, numbers upwards, none last; combinations of several elements
by size, then as sorted lists; joint choices by their first part, then the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import comb

from chocolatl.interpreter.lowered import zones
from chocolatl.interpreter.lowered.random import Random


class SingleAnswers:
    """One element, or one joint choice."""

    def __init__(self, values: Sequence[object], none: object | None) -> None:
        self.values = [*values, none] if none is not None else values
        self.empty = not self.values

    def count(self) -> int:
        return len(self.values)

    def nth(self, position: int) -> object:
        if not 0 <= position < len(self.values):
            raise IndexError(position)
        return self.values[position]

    def contains(self, answer: object) -> bool:
        return answer in self.values

    def sample(self, random: Random) -> object:
        return self.values[random.below(len(self.values))]

    def odds(self) -> Iterator[tuple[object, Fraction]]:
        """Every answer, and how likely `sample` draws it."""
        share = Fraction(1, len(self.values))
        return ((value, share) for value in self.values)

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)


class SeveralAnswers:
    """Between `least` and `most` elements of a zone, whose kind 0 is the element `low`."""

    def __init__(self, zone: int, low: int, least: int, most: int) -> None:
        self.zone = zone
        self.low = low
        self.size = size = zones.size(zone)
        self.least, self.most = least, most if most < size else size
        self.empty = not is_possible(size, least, most)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        return zones.counts(self.zone)

    @cached_property
    def table(self) -> list[list[int]]:
        """`table[k][n]`: how many multisets of n elements there are from element k on."""
        width = self.most + 1
        rows = [[1] + [0] * self.most]
        for copies in reversed(self.counts):
            below = rows[-1]
            rows.append([sum(below[n - i] for i in range(min(copies, n) + 1)) for n in range(width)])
        return rows[::-1]

    def count(self) -> int:
        return 0 if self.empty else sum(self.table[0][n] for n in range(self.least, self.most + 1))

    def nth(self, position: int) -> tuple[int, ...]:
        if position < 0 or self.empty:
            raise IndexError(position)
        for size in range(self.least, self.most + 1):
            if position < self.table[0][size]:
                return self.unrank(position, size)
            position -= self.table[0][size]
        raise IndexError(position)

    def unrank(self, position: int, size: int) -> tuple[int, ...]:
        result: list[int] = []
        for kind, copies in enumerate(self.counts):
            for taken in range(min(copies, size), -1, -1):  # more of the lower element comes first in sorted order
                ways = self.table[kind + 1][size - taken]
                if position < ways:
                    result += [self.low + kind] * taken
                    size -= taken
                    break
                position -= ways
        return tuple(result)

    def contains(self, answer: object) -> bool:
        if not isinstance(answer, tuple) or not self.least <= len(answer) <= self.most:
            return False
        if not all(isinstance(e, int) for e in answer) or list(answer) != sorted(answer):
            return False
        return all(
            0 <= e - self.low < len(self.counts) and answer.count(e) <= self.counts[e - self.low] for e in set(answer)
        )

    def sample(self, random: Random) -> tuple[int, ...]:
        return draw_several(self.zone, self.low, self.least, self.most, random)

    def odds(self) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """Every answer, and how likely `sample` draws it: all sizes alike, then piece by piece all kinds alike."""
        sizes = self.most - self.least + 1
        drawn = {(0,) * len(self.counts): Fraction(1, sizes)}
        for size in range(self.most + 1):
            following: dict[tuple[int, ...], Fraction] = {}
            for taken, share in drawn.items():
                if size >= self.least:
                    yield tuple([self.low + kind for kind, times in enumerate(taken) for _ in range(times)]), share
                left = [kind for kind, copies in enumerate(self.counts) if taken[kind] < copies]
                for kind in left:
                    more = (*taken[:kind], taken[kind] + 1, *taken[kind + 1 :])
                    following[more] = following.get(more, Fraction(0)) + share / len(left)
            drawn = following

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self.nth(position) for position in range(self.count()))


def is_possible(size: int, least: int, most: int) -> bool:
    """Whether between `least` and `most` elements can be chosen of so many. More than there are may be allowed, but not
    asked for."""
    return 0 <= least <= most and least <= size


def draw_several(zone: int, low: int, least: int, most: int, random: Random) -> tuple[int, ...]:
    """A uniform size first when there is a choice of sizes; then each draw uniform among the remaining kinds."""
    held = zones.size(zone)
    size = most if most < held else held
    if least < size:
        size = least + random.below(size - least + 1)
    left, below = [*zones.kinds(zone)], random.below
    if len(left) == held:  # one copy of each, as of cards in a hand: the inner loop of a simulation
        taken = [left.pop(below(len(left))) for _ in range(size)]
    else:
        taken = []
        for _ in range(size):
            place = below(len(left))
            kind = left[place]
            taken.append(kind)
            if taken.count(kind) == zones.count(zone, kind):
                del left[place]
    taken.sort()
    return tuple([low + kind for kind in taken] if low else taken)


class Outcomes:
    """What chance can bring: weighted values, one or several of them at once."""

    def __init__(self, weighted: Sequence[tuple[int, int]], count: int, several: bool) -> None:
        merged: dict[int, int] = {}
        for value, weight in weighted:
            if weight > 0:
                merged[value] = merged.get(value, 0) + weight
        self.weights = merged
        self.times = count
        self.several = several
        self.total = sum(merged.values())

    def contains(self, outcome: object) -> bool:
        if not self.several:
            return outcome in self.weights
        if not isinstance(outcome, tuple) or len(outcome) != self.times or list(outcome) != sorted(outcome):
            return False
        return all(value in self.weights for value in outcome)

    def one(self, random: Random) -> int:
        ticket = random.below(self.total)
        for value, weight in self.weights.items():
            ticket -= weight
            if ticket < 0:
                return value
        raise AssertionError("a ticket within the total always finds its value")

    def sample(self, random: Random) -> object:
        if not self.several:
            return self.one(random)
        return tuple(sorted(self.one(random) for _ in range(self.times)))

    def odds(self) -> Iterator[tuple[object, int]]:
        """Every outcome with its weight; the weights of all outcomes together make `total ** times`."""
        if not self.several:
            yield from self.weights.items()
            return
        values = sorted(self.weights)
        bag = SeveralAnswers(zones.pack([self.times] * len(values)), 0, self.times, self.times)
        for picks in bag:
            weight, left = 1, self.times
            for position, value in enumerate(values):
                taken = picks.count(position)
                weight *= comb(left, taken) * self.weights[value] ** taken
                left -= taken
            yield tuple(values[p] for p in picks), weight

    def count(self) -> int:
        kinds = len(self.weights)
        if not self.several:
            return kinds
        return comb(kinds + self.times - 1, self.times) if kinds else int(not self.times)
