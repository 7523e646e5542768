"""A table learned for a small game: from its tree to the section of a policy file, with what it can lose (tabular CFR).

What is learned is rounded to whole weights first, and these are measured: how much players could gain by best responses
to what is in the file, beside what they could gain if everybody played at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.learning.game_tree import GameTree
from chocolatl.interpreter.players.information import key, telling
from chocolatl.interpreter.players.tabular import PARTS, weights_text
from chocolatl.interpreter.system.deadline import Deadline

if TYPE_CHECKING:
    from chocolatl.interpreter.learning.game_tree import Reals

POINTS, WIN = "points", "win"
"""What the players of a table want: points, or shares of victory."""

ENOUGH = 0.001
"""Learning ends when no more than this part of what uniform play can lose is left."""

STEP = 50
"""After so many rounds it is looked at what is left."""

MOST_ROUNDS = 2_000


@dataclass(frozen=True)
class LearnedTable:
    """What was learned in so many rounds; its NashConv and that of uniform play, in the unit of the objective."""

    tree: GameTree
    objective: str
    rounds: int
    interrupted: bool
    policy: Reals
    """The share of each answer, as the whole weights of the file give it."""
    weights: list[int]
    nash_conv: float
    uniform: float
    left: tuple[Reals, Reals]
    """What is regretted and what was played: what is needed to go on."""

    def section(self) -> dict[str, Any]:
        """The table as it stands in a file."""
        choices: dict[str, Any] = {}
        for choice in dict.fromkeys(state.choice for state in self.tree.states):
            states = [state for state in self.tree.states if state.choice == choice]
            by = telling([state.facts for state in states])
            written = {}
            for state in states:
                weights = self.weights[state.slot : state.slot + len(state.answers)]
                written[key(by, state.facts)] = weights_text(dict(zip(state.answers, weights, strict=True)))
            choices[choice] = {"by": by, "states": written}
        return {"objective": self.objective, "sets": len(self.tree.states), "choices": choices}


def learned_table(
    tree: GameTree,
    rounds: int | None = None,
    deadline: Deadline | None = None,
    progress: Callable[[int, float], object] | None = None,
    begun: tuple[int, Reals, Reals] | None = None,
) -> LearnedTable:
    """So many rounds, those that were `begun` with among them; or until the table is good, or time is over, or the user
    has had enough. `progress` is told of rounds, and which part of what uniform play can lose is left."""
    from chocolatl.interpreter.learning.exploitability import nash_conv, uniform
    from chocolatl.interpreter.learning.regrets import Regrets

    objective, worth = stakes(tree)
    regrets, base = Regrets(tree, worth), nash_conv(tree, uniform(tree), worth)
    if begun is not None:
        regrets.rounds, regrets.regrets, regrets.played = begun
    end, interrupted = rounds if rounds is not None else MOST_ROUNDS, False
    while regrets.rounds < end and not (deadline is not None and deadline.is_over):
        try:
            regrets.improve()
            if regrets.rounds % STEP == 0:
                left = nash_conv(tree, regrets.mean(), worth) / base if base else 0
                if progress is not None:
                    progress(regrets.rounds, left)
                if rounds is None and left <= ENOUGH:
                    break
        except KeyboardInterrupt:
            interrupted = True
            break
    weights, policy = rounded(tree, regrets.mean())
    return LearnedTable(
        tree, objective, regrets.rounds, interrupted, policy, weights, nash_conv(tree, policy, worth), base,
        (regrets.regrets, regrets.played),
    )  # fmt: skip


def stakes(tree: GameTree) -> tuple[str, Reals]:
    """What players play for: points, where the points of all add up to the same at each end, so that what one gains
    the others lose; shares of victory elsewhere."""
    ends = tree.shares.any(axis=1)
    totals = tree.scores[ends].sum(axis=1)
    if totals.min() == totals.max() and tree.scores.any():
        return POINTS, tree.scores
    return WIN, tree.shares


def rounded(tree: GameTree, policy: Reals) -> tuple[list[int], Reals]:
    """Whole weights for each answer, and the shares that they give."""
    import numpy as np

    from chocolatl.interpreter.learning.regrets import quantised

    weights: list[int] = []
    for state in tree.states:
        weights += quantised(policy[state.slot : state.slot + len(state.answers)].tolist(), PARTS)
    return weights, np.array(weights) / PARTS
