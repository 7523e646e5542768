"""Learning by regrets (counterfactual regret minimisation, discounted): how a table is found for a small game.

In each round one player after the other looks back: how much better would each answer have done in each information
state, given how likely chance and the others lead there? Answers are then played in proportion to what is regretted
of them; earlier regrets fade, and what is played in the end is the mean over all rounds, later ones counting more. In
two-player games in which one gains what the other loses, that mean comes ever closer to an equilibrium; for others
there is no such promise.

Sums are taken in the order of the nodes, so that every machine comes to the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chocolatl.interpreter.learning.game_tree import CHANCE, GameTree

if TYPE_CHECKING:
    from chocolatl.interpreter.learning.game_tree import Numbers, Reals


class Regrets:
    """What is regretted and what was played so far."""

    def __init__(self, tree: GameTree, worth: Reals) -> None:
        self.tree = tree
        self.worth = worth
        self.rounds = 0
        self.regrets = np.zeros(tree.slots)
        self.played = np.zeros(tree.slots)
        self.groups = groups_of(tree)
        acting = np.where(tree.parent >= 0, tree.actor[np.maximum(tree.parent, 0)], CHANCE)
        self.edges = [np.flatnonzero(acting == seat) for seat in range(tree.players)]
        """The nodes that each player's answers lead to."""

    def improve(self) -> None:
        """One round: every player looks back once. If it is interrupted, it was not played."""
        regrets, played = self.regrets, self.played
        try:
            self._look_back(self.rounds + 1)
        except BaseException:
            self.regrets, self.played = regrets, played
            raise
        self.rounds += 1

    def _look_back(self, t: int) -> None:
        tree = self.tree
        for seat in range(tree.players):
            policy = self.policy()
            own, others = reaches(tree, policy, seat)
            worth = values(tree, policy, self.worth[:, seat])
            edges = self.edges[seat]
            parents, slots = tree.parent[edges], tree.slot[edges]
            gains = others[parents] * (worth[edges] - worth[parents])
            gained = np.bincount(slots, gains, tree.slots)
            mine = np.zeros(tree.slots, bool)
            mine[slots] = True
            kept = np.where(self.regrets > 0, (t - 1) ** 1.5 / ((t - 1) ** 1.5 + 1), 0.5)
            self.regrets = np.where(mine, self.regrets * kept + gained, self.regrets)
            weight = np.bincount(slots, own[parents], tree.slots) * policy
            self.played = np.where(mine, self.played * ((t - 1) / t) ** 2 + weight, self.played)

    def policy(self) -> Reals:
        """In proportion to what is regretted."""
        return shared_out(np.maximum(self.regrets, 0), self.groups)

    def mean(self) -> Reals:
        """What was played in the mean."""
        return shared_out(self.played, self.groups)


def groups_of(tree: GameTree) -> Numbers:
    """Of each slot, the number of its state."""
    return np.repeat(np.arange(len(tree.states)), [len(state.answers) for state in tree.states])


def shared_out(weights: Reals, groups: Numbers) -> Reals:
    """Weights in proportion, those of each group adding up to 1; all alike where there are none."""
    totals = np.bincount(groups, weights)[groups]
    even = 1 / np.bincount(groups)[groups]
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even)


def likelihoods(tree: GameTree, policy: Reals) -> Reals:
    """How likely each node follows on its parent."""
    return np.where(tree.slot >= 0, policy[np.maximum(tree.slot, 0)], tree.odds)


def reaches(tree: GameTree, policy: Reals, seat: int) -> tuple[Reals, Reals]:
    """How likely a player does the own part of a history up to each node, and all others theirs."""
    likely = likelihoods(tree, policy)
    own, others = np.ones(tree.nodes), np.ones(tree.nodes)
    for level in tree.levels[1:]:
        parents = tree.parent[level]
        mine = tree.actor[parents] == seat
        own[level] = own[parents] * np.where(mine, likely[level], 1)
        others[level] = others[parents] * np.where(mine, 1, likely[level])
    return own, others


def values(tree: GameTree, policy: Reals, worth: Reals) -> Reals:
    """What each node is worth to a player if all play by a policy."""
    return backed_up(tree, likelihoods(tree, policy), worth)


def backed_up(tree: GameTree, likely: Reals, worth: Reals) -> Reals:
    """What nodes are worth, from the ends to the beginning."""
    found = worth.copy()
    for above, level in reversed(list(zip(tree.levels, tree.levels[1:], strict=False))):
        parents = tree.parent[level] - above.start
        found[above] += np.bincount(parents, likely[level] * found[level], above.stop - above.start)
    return found


def quantised(policy: Sequence[float], parts: int) -> list[int]:
    """Shares in whole parts that add up (largest remainders); of equals the first gets more."""
    exact = [share * parts for share in policy]
    found = [int(share) for share in exact]
    order = sorted(range(len(found)), key=lambda number: (found[number] - exact[number], number))
    for number in order[: parts - sum(found)]:
        found[number] += 1
    return found
