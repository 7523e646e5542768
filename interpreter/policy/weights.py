"""The numbers of a policy: scales of its features and weights of its tables, as small integers (quantisation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.integers import (
    MOST_OFFSET,
    MOST_SCALE,
    MOST_SCALED,
    MOST_WEIGHT,
    SCALE_BITS,
    UNIT,
    WEIGHT_UNIT,
)

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scales:
    """By feature of the form: what is taken off its value, and what the rest is multiplied with. A scale of 0 switches
    a feature off."""

    offsets: Integers
    scales: Integers


@dataclass(frozen=True, eq=False)
class PolicyWeights:
    """By table of the form: a weight of each answer that has one, and those of terms by multiplier, term, feature."""

    form: PolicyForm
    scales: Scales
    kinds: tuple[Integers, ...]
    terms: tuple[Integers, ...]

    @classmethod
    def from_floats(
        cls, form: PolicyForm, scales: Scales, kinds: Sequence[NDArray[Any]], terms: Sequence[NDArray[Any]]
    ) -> PolicyWeights:
        """The nearest weights to numbers in octaves."""

        def rounded(values: NDArray[Any]) -> Integers:
            nearest: Integers = np.rint(np.asarray(values) * WEIGHT_UNIT).astype(np.int64)
            return nearest.clip(-MOST_WEIGHT, MOST_WEIGHT)

        return cls(form, scales, tuple(map(rounded, kinds)), tuple(map(rounded, terms)))


def kinds_shape(form: PolicyForm, table: int) -> int:
    elements = form.tables[table].elements
    return 0 if elements is None else len(elements)


def terms_shape(form: PolicyForm, table: int) -> tuple[int, int, int]:
    found = form.tables[table]
    return len(found.multipliers), len(found.terms), len(found.features)


def uniform_weights(form: PolicyForm, scales: Scales) -> PolicyWeights:
    """All answers are equally likely: the games of random players."""
    tables = range(len(form.tables))
    kinds = tuple(np.zeros(kinds_shape(form, table), np.int64) for table in tables)
    terms = tuple(np.zeros(terms_shape(form, table), np.int64) for table in tables)
    return PolicyWeights(form, scales, kinds, terms)


# ---------------------------------------------------------------- scales


def default_scales(form: PolicyForm) -> Scales:
    """By what is declared alone: the range of a feature; of a term that is known beforehand, what its answers are."""
    offsets, scales = [], []
    for feature in form.features:
        low, high = feature.formula.type.bounds
        offsets.append((low + high) // 2 if low < high else low - 1)
        scales.append(_fitting(max(1.0, (high - low) / 2) / (MOST_SCALED / UNIT) if low < high else 1.0))
    result = Scales(np.array(offsets, np.int64), np.array(scales, np.int64))
    for table in form.tables:
        for feature in table.multiplying:
            result.offsets[feature.number] = 0
        if table.constants is not None:
            for term, values in zip(table.terms, zip(*table.constants, strict=True), strict=True):
                mean = sum(values) / len(values)
                deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
                _set(result, term.feature.number, mean, deviation)
    return result


def _fitting(deviation: float) -> int:
    """The scale at which a deviation stands for 1."""
    return max(1, min(MOST_SCALE, round(UNIT * (1 << SCALE_BITS) / deviation)))


def _set(scales: Scales, number: int, mean: float, deviation: float) -> None:
    scales.offsets[number] = max(-MOST_OFFSET, min(MOST_OFFSET, round(mean)))
    scales.scales[number] = _fitting(deviation) if deviation > 0 else 0
