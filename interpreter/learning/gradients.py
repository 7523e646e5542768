"""How the weights of a policy should change after some games (policy gradient, with an entropy bonus).

Each draw of the trace is looked at once more, with the integers that it was made by: an answer that did better than was
expected should have been more likely, the others less. All sums are of whole numbers that doubles hold exactly, so
that the result depends neither on the order in which they are taken nor on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable
from chocolatl.interpreter.policy.integers import (
    FRACTION_BITS,
    FRACTIONS,
    MOST_SCALED,
    MOST_SHIFT,
    MOST_SLOPE,
    OCTAVE_BITS,
    SCALE_BITS,
    SLOPE_BITS,
    UNIT,
    WEIGHT_BITS,
)
from chocolatl.interpreter.policy.trace import Trace
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales

Reals = NDArray[np.float64]

GRAIN = float(1 << 20)
"""What is added up are whole numbers of this part of a nat."""

COARSER = float(1 << 10)
"""After the multiplication with the terms of answers they are rounded to so many of them: the sums stay exact."""

MOST_ROWS = 1 << 10
"""So many rows are looked at together: they stay in the processor's cache, and their sums stay exact."""

MOST_LISTED = 1 << 12
"""So many listed answers are, or those of one row."""

OCTAVE = log(2) / (1 << OCTAVE_BITS)
"""What one unit of a logit is in nats."""

_FRACTIONS = np.array(FRACTIONS, np.int32)


@dataclass
class GradientSums:
    """Sums over draws, by table; of whole numbers in doubles."""

    kinds: list[Reals]
    terms: list[Reals]
    draws: int = 0
    entropy: float = 0.0

    def add(self, other: GradientSums) -> None:
        for mine, theirs in zip([*self.kinds, *self.terms], [*other.kinds, *other.terms], strict=True):
            mine += theirs
        self.draws += other.draws
        self.entropy += other.entropy


def no_gradient(weights: PolicyWeights) -> GradientSums:
    return GradientSums([np.zeros(k.shape) for k in weights.kinds], [np.zeros(w.shape) for w in weights.terms])


def basis(table: PolicyTable, scales: Scales) -> Reals:
    """The scaled terms of the answers of a table that has them known beforehand."""
    assert table.constants is not None
    found = np.zeros((len(table.constants), len(table.terms)), np.int64)
    for column, term in enumerate(table.terms):
        number = term.feature.number
        raw = np.array([values[column] for values in table.constants], np.int64)
        each = ((raw - scales.offsets[number]) * scales.scales[number] >> SCALE_BITS).clip(-MOST_SCALED, MOST_SCALED)
        found[:, column] = (each * each // UNIT).clip(-MOST_SCALED, MOST_SCALED) if term.squared else each
    return found.astype(np.float64)


def gradient(
    form: PolicyForm, weights: PolicyWeights, trace: Trace, advantages: Sequence[Reals], entropy: float
) -> GradientSums:
    """What some games say; `advantages` by table and row: how much better than expected it went from there."""
    found = no_gradient(weights)
    for table, rows, listed, better in zip(form.tables, trace.decisions, trace.listed, advantages, strict=True):
        known = basis(table, weights.scales) if table.constants is not None else None
        for part in _parts(table, rows):
            _TableGradient(table, weights, known, rows[part], listed, better[part], entropy).add_to(found)
    return found


def _parts(table: PolicyTable, rows: NDArray[Any]) -> Iterator[slice]:
    """The rows of a table in parts."""
    begin, upto = 0, np.cumsum(rows["answers"], dtype=np.int64)
    while begin < len(rows):
        end = min(len(rows), begin + MOST_ROWS)
        if table.constants is None:
            before = upto[begin - 1] if begin else 0
            end = min(end, max(begin + 1, int(np.searchsorted(upto, before + MOST_LISTED, side="right"))))
        yield slice(begin, end)
        begin = end


class _TableGradient:
    """The draws at one table."""

    def __init__(
        self, table: PolicyTable, weights: PolicyWeights, known: Reals | None, rows: NDArray[Any],
        listed: NDArray[np.int16], better: Reals, entropy: float,
    ) -> None:  # fmt: skip
        self.table, self.known, self.rows, self.better, self.entropy = table, known, rows, better, entropy
        self.listed = listed
        self.own = weights.kinds[table.number].astype(np.float64)
        self.used = np.flatnonzero([weights.scales.scales[term.feature.number] for term in table.terms])
        x = rows["x"]
        self.seen = np.flatnonzero(x.any(axis=0))
        self.x = x[:, self.seen].astype(np.float64)
        self.y = rows["y"].astype(np.float64)
        by_term = weights.terms[table.number][:, self.used][:, :, self.seen].astype(np.float64)
        times = self.x @ by_term.reshape(-1, len(self.seen)).T
        total = (times.reshape(len(rows), len(by_term), -1) * self.y[:, :, None]).sum(axis=1)
        self.slopes = np.floor(total / (1 << SLOPE_BITS)).clip(-MOST_SLOPE, MOST_SLOPE)

    def add_to(self, found: GradientSums) -> None:
        """What never varies is left out: nothing is to be learned of it."""
        number = self.table.number
        if self.known is not None:
            kinds, terms = self.with_elements(self.known[:, self.used])
        else:
            kinds, terms = self.with_listed()
        found.kinds[number] += kinds
        times = (self.y[:, :, None] * terms[:, None, :]).reshape(len(terms), -1)
        here = np.ix_(np.arange(self.y.shape[1]), self.used, self.seen)
        found.terms[number][here] += (times.T @ self.x).reshape(self.y.shape[1], len(self.used), -1)
        found.draws += len(self.rows)

    def with_elements(self, terms: Reals) -> tuple[Reals, Reals]:
        """Each element is an answer with these terms, where it is legal."""
        count = len(terms)
        legal = (self.rows["legal"][:, None] >> np.arange(count, dtype=np.uint64)) & np.uint64(1) == 1
        logits = self.slopes @ terms.T + self.own * (1 << WEIGHT_BITS)
        best = np.where(legal, logits, -np.inf).max(axis=1, keepdims=True)
        below = np.where(legal, logits - best, 0)
        odds = odds_below(-below) * legal
        total = odds.sum(axis=1, keepdims=True)
        likely = odds / total
        mean = (odds * below).sum(axis=1, keepdims=True) / total
        wanted = -self.better[:, None] * likely - self.entropy * likely * (below - mean) * OCTAVE
        wanted[np.arange(len(self.rows)), self.rows["taken"]] += self.better
        whole = np.rint(wanted * GRAIN)
        return whole.sum(axis=0), np.rint(whole @ terms / COARSER)

    def with_listed(self) -> tuple[Reals, Reals]:
        """The answers are listed one after the other, row by row."""
        counts = self.rows["answers"].astype(np.int64)
        starts = np.cumsum(counts) - counts
        row = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(row)) - starts[row]
        terms = self.listed[self.rows["first"].astype(np.int64)[row] + place][:, self.used].astype(np.float64)
        logits = np.einsum("ij,ij->i", terms, self.slopes[row])
        elements = self.elements(row, place)
        if elements is not None:
            logits = logits + self.own[elements] * (1 << WEIGHT_BITS)
        best = np.maximum.reduceat(logits, starts)
        below = logits - best[row]
        odds = odds_below(-below)
        total = np.add.reduceat(odds, starts)
        likely = odds / total[row]
        mean = np.add.reduceat(odds * below, starts) / total
        wanted = -self.better[row] * likely - self.entropy * likely * (below - mean[row]) * OCTAVE
        wanted[starts + self.rows["taken"]] += self.better
        whole = np.rint(wanted * GRAIN)
        kinds = np.zeros(len(self.own))
        if elements is not None:
            kinds += np.bincount(elements, whole, len(self.own))
        return kinds, np.rint(np.add.reduceat(whole[:, None] * terms, starts, axis=0) / COARSER)

    def elements(self, row: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Which element each listed answer is, if answers have weights of their own."""
        if self.table.elements is None:
            return None
        legal = (self.rows["legal"][:, None] >> np.arange(len(self.own), dtype=np.uint64)) & np.uint64(1) == 1
        found: NDArray[np.int64] = np.nonzero(legal)[1]
        assert len(found) == len(row) == len(place)
        return found


def odds_below(below: Reals) -> Reals:
    """The odds of answers by how much less than the best one's their logits are."""
    less = np.minimum(below, MOST_SHIFT << OCTAVE_BITS).astype(np.int32)
    shift = np.minimum(less >> OCTAVE_BITS, MOST_SHIFT)
    return np.asarray(_FRACTIONS[less >> FRACTION_BITS & 63] >> shift, np.float64)
