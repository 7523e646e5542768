"""What is known of a value by samples: a mean with its standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True)
class Estimate:
    """A mean over samples, with its standard error."""

    mean: float
    error: float
    samples: int

    @classmethod
    def of(cls, values: Sequence[float], weights: Sequence[int] = ()) -> Estimate:
        """By weight, if there are weights: a ratio of two sums."""
        count, each = len(values), weights or [1] * len(values)
        whole = sum(each)
        mean = sum(weight * value for weight, value in zip(each, values, strict=True)) / whole
        if count == 1:
            return cls(mean, 0.0, 1)
        spread = sum((weight * (value - mean)) ** 2 for weight, value in zip(each, values, strict=True))
        return cls(mean, sqrt(spread * count / (count - 1)) / whole, count)
