"""Where the numbers of policies lie for native code: weights, what is remembered in a game, traces (record layout).

Code is compiled once for a game; weights are data that it is handed, one block for each seat. Native code finds all of
it behind the report of failures, whose address the head of a state holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable
from chocolatl.interpreter.policy.integers import MOST_MULTIPLIERS, MOST_TERMS, WEIGHT_BITS, scaled, squared
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales

LANES = 32
"""So many features are multiplied at once: the number of those of a table is rounded up."""

SCALED = 8
"""So many features are scaled at once."""

ELEMENTS = 16
"""So many answers are looked at at once."""

REPORT_WORDS = 16
SEATS = REPORT_WORDS
"""Behind the report, for each seat: where its weights are, 0 for a random player."""


def up(size: int, step: int) -> int:
    return -(-size // step) * step


@dataclass(frozen=True)
class TableLayout:
    """Where the parts of a table lie in a block of weights, from the table on: weights of terms by term, multiplier and
    feature; those of elements; constant terms by term and element."""

    features: int
    multipliers: int
    terms: int
    elements: int
    """The last three are as many as there are, the first and the last rounded up."""
    constant: bool

    @classmethod
    def of(cls, table: PolicyTable) -> TableLayout:
        elements = up(len(table.elements), ELEMENTS) if table.elements is not None else 0
        features = up(len(table.features), LANES)
        return cls(features, len(table.multipliers), len(table.terms), elements, table.constants is not None)

    @property
    def kinds(self) -> int:
        return 2 * self.terms * self.multipliers * self.features

    @property
    def constants(self) -> int:
        return self.kinds + 4 * self.elements

    @property
    def size(self) -> int:
        return up(self.constants + (2 * self.terms * self.elements if self.constant else 0), 64)


class PolicyLayout:
    def __init__(self, form: PolicyForm) -> None:
        self.form = form
        self.known: WeakKeyDictionary[Scales, dict[int, NDArray[np.int16]]] = WeakKeyDictionary()
        self.tables = [TableLayout.of(table) for table in form.tables]
        self.scales = up(4 * len(form.features), 64)
        """Where scales lie in a block of weights, behind the offsets."""
        at = 2 * self.scales
        self.table_offsets: list[int] = []
        for table in self.tables:
            self.table_offsets.append(at)
            at += table.size
        self.weights_size = at
        players = form.game.player_count
        self.row = 2 * max([up(len(form.common), LANES), *[table.features for table in self.tables]])
        """The bytes of a context."""
        self.trace = SEATS + 8 * players
        self.game, self.stretch, self.order = self.trace + 8, self.trace + 16, self.trace + 24
        self.weight, self.total = self.trace + 32, self.trace + 40
        self.logits, self.answers = self.trace + 48, self.trace + 56
        """Where answers that are listed are remembered, and their logits."""
        self.traced = self.trace + 64
        """For each seat whether its draws are traced."""
        self.multipliers = self.traced + 8 * players
        self.slopes = up(self.multipliers + 2 * MOST_MULTIPLIERS, 64)
        self.answer = self.slopes + 4 * (MOST_TERMS + 1)
        """The terms of one answer."""
        self.odds = up(self.answer + 2 * (MOST_TERMS + 1), 64)
        self.raw = self.odds + 4 * 64
        """Of the features of an answer: values, how much each counts and its square does, both scaled."""
        self.linear, self.squares, self.scaled_answer = (self.raw + 4 * 64 * part for part in (1, 2, 3))
        self.context = self.raw + 4 * 64 * 5
        self.entry = up(self.context + self.row, 64)
        """The contexts of all players at the entry of a secret block."""
        self.wanted = self.entry + players * up(self.row, 64)
        """By common feature a byte: whether anybody looks at it."""
        self.values_row = up(4 * len(form.common), 4 * SCALED)
        self.values = up(self.wanted + len(form.common), 64)
        """By player a row with the values of common features."""
        self.size = self.values + players * self.values_row + 64

    @cached_property
    def entry_step(self) -> int:
        return up(self.row, 64)

    def block(self, weights: PolicyWeights) -> NDArray[np.uint8]:
        """Weights as native code reads them."""
        block = np.zeros(self.weights_size + 64, np.uint8)
        start = -block.ctypes.data % 64
        found = block[start : start + self.weights_size]
        count = len(self.form.features)
        found[: 4 * count].view(np.int32)[:] = weights.scales.offsets
        found[self.scales : self.scales + 4 * count].view(np.int32)[:] = weights.scales.scales
        for table, layout, at in zip(self.form.tables, self.tables, self.table_offsets, strict=True):
            part = found[at : at + layout.size]
            terms = part[: layout.kinds].view(np.int16).reshape(layout.terms, layout.multipliers, layout.features)
            terms[:, :, : len(table.features)] = weights.terms[table.number].transpose(1, 0, 2)
            if table.elements is not None:
                kinds = part[layout.kinds : layout.constants].view(np.int32)
                kinds[: len(table.elements)] = weights.kinds[table.number] << WEIGHT_BITS
            if table.constants is not None:
                size = 2 * layout.terms * layout.elements
                constants = part[layout.constants : layout.constants + size].view(np.int16)
                rows = self.constants(table, weights.scales)
                constants.reshape(layout.terms, layout.elements)[:, : len(rows)] = rows.T
        return found

    def constants(self, table: PolicyTable, scales: Scales) -> NDArray[np.int16]:
        """The scaled terms of a table in which they are known beforehand; a training has one set of scales."""
        by_table = self.known.setdefault(scales, {})
        if table.number not in by_table:
            rows = np.array(constant_terms(table, scales), np.int16)
            by_table[table.number] = rows.reshape(-1, len(table.terms))
        return by_table[table.number]


def constant_terms(table: PolicyTable, known: Scales) -> list[list[int]]:
    """By element, the scaled terms of a table in which they are known beforehand."""
    offsets, scales = known.offsets, known.scales
    rows = []
    assert table.constants is not None
    for values in table.constants:
        row = []
        for term, value in zip(table.terms, values, strict=True):
            each = scaled(value, int(offsets[term.feature.number]), int(scales[term.feature.number]))
            row.append(squared(each) if term.squared else each)
        rows.append(row)
    return rows


TRACE_WORDS = 48
"""Of each table in a trace: where rows lie, how many there are, how many there is room for; the same of listed answers.
Behind the tables come the moments, and whether there was too little room."""


def trace_words(form: PolicyForm) -> int:
    return TRACE_WORDS * len(form.tables) + 32
