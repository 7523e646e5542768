"""Steps by what gradients were so far (Adam), with a rate that falls, and the mean of the last weights (averaging)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from chocolatl.interpreter.learning.gradients import Reals

FIRST, SECOND = 0.9, 0.99
"""How much of what is known of gradients and their squares is kept at each step."""

TINY = 1e-12


@dataclass(eq=False)
class Optimizer:
    """Numbers that are improved, in parts."""

    values: list[Reals]
    most: float
    """No number goes beyond it, up or down."""
    steps: int = 0
    first: float = 1.0
    second: float = 1.0
    """What is left of the time before the first step; products, since powers differ from machine to machine."""
    means: list[Reals] = field(default_factory=list)
    squares: list[Reals] = field(default_factory=list)
    kept: list[Reals] = field(default_factory=list)
    averaged: int = 0

    def __post_init__(self) -> None:
        self.means = [np.zeros(value.shape) for value in self.values]
        self.squares = [np.zeros(value.shape) for value in self.values]
        self.kept = [np.zeros(value.shape) for value in self.values]

    def step(self, gradients: list[Reals], rate: float) -> None:
        """One step upwards. A part that never had a gradient stays as it is."""
        self.steps += 1
        self.first, self.second = self.first * FIRST, self.second * SECOND
        for value, gradient, mean, square in zip(self.values, gradients, self.means, self.squares, strict=True):
            mean += (1 - FIRST) * (gradient - mean)
            square += (1 - SECOND) * (gradient * gradient - square)
            straight = mean / (1 - self.first)
            spread = np.sqrt(square / (1 - self.second))
            value += rate * straight / (spread + TINY)
            np.clip(value, -self.most, self.most, out=value)

    def keep(self) -> None:
        """The numbers as they are now count in the mean."""
        self.averaged += 1
        for kept, value in zip(self.kept, self.values, strict=True):
            kept += value

    def average(self) -> list[Reals]:
        """The mean of what was kept; the numbers as they are, if nothing was."""
        if not self.averaged:
            return [value.copy() for value in self.values]
        return [kept / self.averaged for kept in self.kept]
