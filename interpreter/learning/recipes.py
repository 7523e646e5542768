"""How a game is to be learned by playing: how many games a batch has, how long the steps are, how many updates there is
time for (hyperparameters), all by what the game itself takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chocolatl.interpreter.learning.policy_training import PolicyTraining, Recipe, Tracer
from chocolatl.interpreter.policy.form import PolicyForm

if TYPE_CHECKING:  # numpy takes time to load
    from chocolatl.interpreter.policy.weights import PolicyWeights, Scales

EXPLOITERS = 3
"""So many there are, one after the other: each has the time to find what takes long to find."""

EXPLOITING = 1.5
"""Together they have so many updates for each one of the learner, and so keep up with it."""

LEAST_EXPLOITING = 60_000
"""Who learns from fewer games beats nobody, so that there are no exploiters then."""

MOST_GAMES, LEAST_GAMES = 1_000, 50
STEPS = 0.1, 0.004
"""The rate of steps by a batch of the most games."""

MOST_LISTED = 150_000
"""A batch has fewer than the most games where more answers than these would be listed."""

TRIAL = 2
"""So many updates are timed to see how many there is time for."""


def recipe_of(updates: int, seed: int, games: int) -> Recipe:
    """So many updates by batches of so many games."""
    each = exploiter_updates(updates, games)
    exploiters = EXPLOITERS if each else 0
    return Recipe(updates, seed, games, rate(games), exploiters=exploiters, exploiter_updates=each)


def batch_games(trace: Tracer, weights: PolicyWeights, players: int, seed: int) -> int:
    """How many games make a batch."""
    tried = trace([weights] * players, seed, 0, LEAST_GAMES, [True] * players)
    listed = sum(map(len, tried.listed)) / LEAST_GAMES
    return max(LEAST_GAMES, min(MOST_GAMES, int(MOST_LISTED / max(1, listed))))


def rate(games: int) -> tuple[float, float]:
    """Of steps, at first and in the end: a small batch says less, and steps by it are shorter."""
    first, last = STEPS
    return min(first, games / 5_000), min(last, games / 50_000)


def exploiter_updates(updates: int, games: int = MOST_GAMES) -> int:
    """How many updates each exploiter gets, from batches of so many games; 0 if there are none."""
    each = int(updates * EXPLOITING) // EXPLOITERS
    return each if each * games >= LEAST_EXPLOITING else 0


def timed(
    form: PolicyForm, scales: Scales, players: int, seed: int, games: int, trace: Tracer, jobs: int
) -> tuple[float, float]:
    """How many seconds an update of the learner takes, and one of an exploiter."""
    tried = Recipe(TRIAL, seed, games, exploiters=0, exploiter_updates=TRIAL)
    return PolicyTraining(form, scales, players, tried, trace, jobs).timed()


def affordable(seconds: float, learner: float, exploiter: float, games: int = MOST_GAMES) -> int:
    """How many updates there is time for, if one of the learner and one of an exploiter take so long."""
    found = int(seconds / (learner + EXPLOITING * exploiter))
    if exploiter_updates(found, games):
        return found
    least = int(-(-LEAST_EXPLOITING // games) * EXPLOITERS / EXPLOITING)
    return max(1, min(int(seconds / learner), least - 1))


def needs(updates: int, learner: float, exploiter: float, games: int = MOST_GAMES) -> float:
    """How many seconds so many updates take, if one of the learner and one of an exploiter take so long."""
    return updates * learner + EXPLOITERS * exploiter_updates(updates, games) * exploiter
