"""What native code finds behind the report of failures: whose weights are where, and room to reckon in (control
block)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements, most_of_set
from chocolatl.interpreter.native.builds.results import Buffer
from chocolatl.interpreter.native.policy.layout import SEATS, PolicyLayout
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.weights import PolicyWeights

Seats = Sequence[PolicyWeights | None]
"""The weights of each seat; None is a random player."""


def most_picks(form: PolicyForm) -> int:
    """Of how many parts an answer that is listed can be."""
    nodes = [tables.site.node for tables in form.sites]
    return max([1, *(len(node.picks) for node in nodes if isinstance(node, ir.Choose))])


def most_answers(form: PolicyForm) -> int:
    """How many answers a choice can have that are listed."""
    most = [1]
    for tables in form.sites:
        node = tables.site.node
        if isinstance(node, ir.Choose):
            most.append(1 + prod(most_elements(pick.domain, form.game) for pick in node.picks))
        else:
            most.append(1 + most_of_set(ir.set_type(node.source), form.game))
    return max(most)


class PolicyControl:
    """The memory of one run. `blocks` are weights as native code reads them."""

    def __init__(
        self,
        layout: PolicyLayout,
        seats: Seats,
        blocks: dict[PolicyWeights, NDArray[np.uint8]],
        traced: Sequence[bool] | None = None,
    ) -> None:
        form = layout.form
        self.layout, self.blocks = layout, blocks
        self.memory = Buffer(layout.size)
        answers = most_answers(form)
        self.listed = np.zeros((answers, most_picks(form)), np.int64)
        self.memory.set_word(layout.answers, self.listed.ctypes.data)
        self.logits = np.zeros(answers, np.int32)
        self.memory.set_word(layout.logits, self.logits.ctypes.data)
        for seat, weights in enumerate(seats):
            if weights is not None:
                self.memory.set_word(SEATS + 8 * seat, blocks[weights].ctypes.data)
            self.memory.set_word(layout.traced + 8 * seat, int(bool(traced and traced[seat])))
        for scales in {weights.scales for weights in blocks}:
            for number in np.flatnonzero(scales.scales[: len(form.common)]).tolist():
                self.memory.view[layout.wanted + number] = 1

    @property
    def address(self) -> int:
        return self.memory.address
