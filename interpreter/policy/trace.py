"""What happened in games, for those who learn from it: arrays with one row for each draw of a policy (trajectories).

Interpreter and native code fill the same arrays. `docs/policies.md` tells what stands in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable
from chocolatl.interpreter.policy.weights import Scales, _set, default_scales


def decision_type(table: PolicyTable) -> np.dtype[Any]:
    """A row of a table: `first` and `answers` say where the rows of listed answers are."""
    return np.dtype(
        [
            ("legal", "<u8"),
            ("total", "<i8"),
            ("first", "<i8"),
            ("game", "<i4"),
            ("taken", "<i4"),
            ("order", "<i4"),
            ("weight", "<i4"),
            ("answers", "<i4"),
            ("seat", "<i2"),
            ("round", "<i2"),
            ("y", "<i2", (len(table.multipliers),)),
            ("x", "<i2", (len(table.features),)),
        ],
        align=True,
    )


def moment_type(form: PolicyForm) -> np.dtype[Any]:
    return np.dtype(
        [
            ("game", "<i4"),
            ("order", "<i4"),
            ("seat", "<i2"),
            ("round", "<i2"),
            ("x", "<i2", (len(form.common),)),
        ],
        align=True,
    )


STRETCH = 4
"""In a game without rounds, a stretch of so many decisions for each player takes the place of a round."""


@dataclass(frozen=True, eq=False)
class Trace:
    """`decisions` and `listed` by table; of a listed answer, its scaled terms."""

    form: PolicyForm
    first: int
    count: int
    decisions: tuple[NDArray[Any], ...]
    listed: tuple[NDArray[np.int16], ...]
    moments: NDArray[Any]
    scores: NDArray[np.int64]
    shares: NDArray[np.float64]


def measured_scales(form: PolicyForm, trace: Trace, scales: Scales) -> Scales:
    """Scales at which features vary by about 1, from games in which they were scaled otherwise.

    A feature that never varied is switched off; what is known beforehand stays as it is."""
    one = default_scales(form)
    sums = np.zeros((3, len(form.features)))
    for table, rows, listed in zip(form.tables, trace.decisions, trace.listed, strict=True):
        if len(rows):
            _count(sums, np.array(table.features), rows["x"])
            multiplying = [feature.number for feature in table.multiplying]
            _count(sums, np.array(multiplying, int), rows["y"][:, 1:])
        if table.constants is None and len(listed):
            plain = [number for number, term in enumerate(table.terms) if not term.squared]
            _count(sums, np.array([table.terms[number].feature.number for number in plain], int), listed[:, plain])
    multipliers = {feature.number for table in form.tables for feature in table.multiplying}
    known = {term.feature.number for table in form.tables if table.constants is not None for term in table.terms}
    for number, (count, total, squares) in enumerate(sums.T):
        if number in known or number == 0 or not count:
            continue
        step = (1 << 16) / scales.scales[number] if scales.scales[number] else 0.0
        mean, deviation = total / count, max(0.0, squares / count - (total / count) ** 2) ** 0.5
        if number in multipliers:
            _set(one, number, 0, max(deviation, abs(mean)) * step)
            one.offsets[number] = 0
        else:
            _set(one, number, scales.offsets[number] + mean * step, deviation * step)
    return one


def _count(sums: NDArray[np.float64], numbers: NDArray[Any], values: NDArray[Any]) -> None:
    """Count, sum and squares of some features. One that stands for several columns is counted in each."""
    if not len(numbers):
        return
    exact = values.astype(np.float64)
    np.add.at(sums[0], numbers, len(values))
    np.add.at(sums[1], numbers, exact.sum(axis=0))
    np.add.at(sums[2], numbers, (exact**2).sum(axis=0))
