"""A policy learned by playing (actor and critic in a league): from a game to quantised weights.

All is decided by the seed and the number of updates: what is played, by whom, and every sum. Games are dealt out to
threads, since native code plays them; how many there are changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

import numpy as np

from chocolatl.interpreter.learning.critic import MOST_CRITIC_WEIGHT, Judged, judged, no_critic
from chocolatl.interpreter.learning.gradients import GradientSums, Reals, gradient, no_gradient
from chocolatl.interpreter.learning.league import GameGroup, League, against
from chocolatl.interpreter.learning.optimizer import Optimizer
from chocolatl.interpreter.learning.resuming import TrainingState, restore, state_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.integers import MOST_WEIGHT, WEIGHT_UNIT
from chocolatl.interpreter.policy.trace import Trace
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales
from chocolatl.interpreter.system.signals import uninterrupted

CRITIC_RATE = 0.03
"""Of the steps of a critic, at most."""


class Tracer(Protocol):
    """Who plays games and writes down their draws."""

    def __call__(
        self, seats: Sequence[PolicyWeights], seed: int, first: int, count: int, traced: Sequence[bool], /
    ) -> Trace: ...


@dataclass(frozen=True)
class Recipe:
    """How a policy is trained. A file holds it, so that the same can be done again."""

    updates: int
    seed: int
    games: int = 1_000
    """In each batch."""
    rate: tuple[float, float] = (0.1, 0.004)
    """Of steps in octaves, at first and in the end."""
    entropy: tuple[float, float] = (0.03, 0.01)
    """What it is worth to be hard to predict, at first and in the end."""
    exploiting: tuple[float, float] = (0.01, 0.001)
    """The same for exploiters, who have nobody to fear: the less of it, the more they win in the end."""
    averaged: float = 0.15
    """Weights are the mean over this part of the updates, the last one."""
    snapshots: int = 40
    exploiters: int = field(kw_only=True)
    exploiter_updates: int = field(kw_only=True)
    """Of each of them: a part of the learner's own (`chocolatl.interpreter.learning.recipes`)."""


@dataclass(frozen=True, eq=False)
class TrainingNews:
    """How far training is: what share of games the learner won lately where others sat, too."""

    update: int
    of: int
    share: float
    exploiter: int = 0
    """The number of the exploiter that learns just now; 0 for the learner itself."""


Report = Callable[[TrainingNews], object]


@dataclass(eq=False)
class Learner:
    """Weights that learn, and their critic."""

    form: PolicyForm
    scales: Scales
    optimizer: Optimizer
    critic: Optimizer
    lately: list[float] = field(default_factory=list)

    @classmethod
    def fresh(cls, form: PolicyForm, scales: Scales, start: PolicyWeights | None = None) -> Learner:
        """From uniform play, or from weights."""
        from chocolatl.interpreter.policy.weights import uniform_weights

        begin = start if start is not None else uniform_weights(form, scales)
        values = [np.asarray(part / WEIGHT_UNIT, np.float64) for part in (*begin.kinds, *begin.terms)]
        critic = Optimizer([no_critic(len(form.common))], MOST_CRITIC_WEIGHT / WEIGHT_UNIT)
        return cls(form, scales, Optimizer(values, MOST_WEIGHT / WEIGHT_UNIT), critic)

    def weights(self, values: Sequence[Reals] | None = None) -> PolicyWeights:
        """Quantised: as they are now, or of given values."""
        chosen = values if values is not None else self.optimizer.values
        tables = len(self.form.tables)
        return PolicyWeights.from_floats(self.form, self.scales, chosen[:tables], chosen[tables:])

    def learn(
        self, groups: Sequence[GameGroup], trace: Tracer, seed: int, rate: float, entropy: float, threads: Threads
    ) -> None:
        """One update from one batch."""
        now, players = self.weights(), len(groups[0].weights)
        critic = np.rint(self.critic.values[0] * WEIGHT_UNIT)

        def looked_at(group: GameGroup) -> tuple[GradientSums, Judged, float | None]:
            games = trace(group.weights, seed, group.first, group.count, group.learning)
            judgement = judged(games, critic, players)
            won = games.shares[:, list(group.learning)].mean() if not all(group.learning) else None
            return gradient(self.form, now, games, judgement.advantages, entropy), judgement, won

        sums, critic_sums, moments, shares = no_gradient(now), np.zeros(critic.shape), 0, []
        for found, judgement, won in threads.map(looked_at, groups):
            sums.add(found)
            critic_sums += judgement.sums
            moments += judgement.moments
            if won is not None:
                shares.append(float(won))
        draws = max(1, sum(group.count for group in groups))
        self.optimizer.step([part / draws for part in (*sums.kinds, *sums.terms)], rate)
        self.critic.step([critic_sums / max(1, moments)], min(rate, CRITIC_RATE))
        self.lately = [*self.lately[-19:], *([sum(shares) / len(shares)] if shares else [])]

    @property
    def steps(self) -> int:
        """After how many updates."""
        return self.optimizer.steps

    @property
    def share(self) -> float:
        return sum(self.lately) / max(1, len(self.lately))


class Threads:
    """Work that is dealt out, its results in the order of the work."""

    def __init__(self, jobs: int) -> None:
        self.pool = ThreadPoolExecutor(jobs) if jobs > 1 else None

    def map(
        self, work: Callable[[GameGroup], tuple[GradientSums, Judged, float | None]], groups: Sequence[GameGroup]
    ) -> Iterable[tuple[GradientSums, Judged, float | None]]:
        return map(work, groups) if self.pool is None else self.pool.map(work, groups)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, eq=False)
class TrainedPolicy:
    """Weights, and after how many updates; fewer than the recipe has if it was interrupted."""

    weights: PolicyWeights
    recipe: Recipe
    updates: int
    games: int
    state: TrainingState
    """What is needed to go on."""

    @property
    def interrupted(self) -> bool:
        return self.updates < self.recipe.updates


class PolicyTraining:
    """One training from its beginning to its end."""

    def __init__(
        self, form: PolicyForm, scales: Scales, players: int, recipe: Recipe, trace: Tracer,
        jobs: int = 1, report: Report | None = None, start: PolicyWeights | None = None,
    ) -> None:  # fmt: skip
        self.form, self.scales, self.players, self.recipe = form, scales, players, recipe
        self.trace, self.report = trace, report
        self.learner = Learner.fresh(form, scales, start)
        self.rival: Learner | None = None
        """The exploiter that learns just now."""
        self.league = League(players)
        self.random = Random(recipe.seed, 0, 0)
        self.threads = Threads(jobs)
        self.played = 0
        self.done = 0

    def run(self) -> TrainedPolicy:
        """All updates; if the user has had enough, what is learned by then: an update that is not over never was."""
        state = state_of(self)
        try:
            while self.done < self.recipe.updates:
                self.update(self.done)
                with uninterrupted():
                    self.done += 1
                    state = state_of(self)
        except KeyboardInterrupt:
            if not state.at.done:
                raise
            restore(self, state)
        finally:
            self.threads.close()
        return TrainedPolicy(self.weights(), self.recipe, self.done, self.played, state)

    def timed(self) -> tuple[float, float]:
        """How long an update of the learner takes, and one of an exploiter; the training is used up by it."""
        self.update(0)
        begin = perf_counter()
        self.update(1)
        middle = perf_counter()
        self.exploiter(self.learner.weights())
        self.threads.close()
        return middle - begin, (perf_counter() - middle) / self.recipe.exploiter_updates

    def weights(self) -> PolicyWeights:
        return self.learner.weights(self.learner.optimizer.average())

    def update(self, number: int) -> None:
        recipe = self.recipe
        if is_turn(number, recipe.snapshots, recipe.updates):
            self.league.snapshots.append(self.learner.weights())
        if recipe.exploiters:
            self.exploit(number)
        part = number / max(1, recipe.updates - 1)
        groups = self.league.batch(self.learner.weights(), self.begun(), recipe.games, self.random)
        self.improve(self.learner, groups, part, recipe.entropy)
        if number >= recipe.updates * (1 - recipe.averaged):
            self.learner.optimizer.keep()
        self.tell(TrainingNews(number + 1, recipe.updates, self.learner.share))

    def exploit(self, number: int) -> None:
        """An exploiter learns beside the learner, from what that is at the moment. When its time is over it stays as it
        is, and another one begins from nothing."""
        recipe, league = self.recipe, self.league
        if self.rival is None or is_turn(number, recipe.exploiters, recipe.updates):
            if self.rival is not None:
                league.exploiters.append(self.rival.weights())
            self.rival = Learner.fresh(self.form, self.scales)
        which = number * recipe.exploiters // recipe.updates
        begin, end = (-(-each * recipe.updates // recipe.exploiters) for each in (which, which + 1))
        fixed = self.learner.weights()
        while self.rival.steps < (number + 1 - begin) * recipe.exploiter_updates // (end - begin):
            self.respond(self.rival, fixed, which + 1)
        league.rival = self.rival.weights()

    def exploiter(self, fixed: PolicyWeights) -> PolicyWeights:
        """Trained from nothing against players who stay as they are."""
        fresh = Learner.fresh(self.form, self.scales)
        while fresh.steps < self.recipe.exploiter_updates:
            self.respond(fresh, fixed, 1)
        return fresh.weights()

    def respond(self, learner: Learner, fixed: PolicyWeights, which: int) -> None:
        """One update of an exploiter."""
        recipe = self.recipe
        part = learner.steps / max(1, recipe.exploiter_updates - 1)
        groups = against(learner.weights(), fixed, self.players, self.begun(), recipe.games)
        self.improve(learner, groups, part, recipe.exploiting)
        self.tell(TrainingNews(learner.steps, recipe.exploiter_updates, learner.share, which))

    def improve(self, learner: Learner, groups: Sequence[GameGroup], part: float, entropy: tuple[float, float]) -> None:
        rate = between(self.recipe.rate, part)
        learner.learn(groups, self.trace, self.recipe.seed, rate, between(entropy, part), self.threads)

    def begun(self) -> int:
        """The number of the next game of the series."""
        self.played += self.recipe.games
        return self.played - self.recipe.games

    def tell(self, news: TrainingNews) -> None:
        if self.report is not None:
            self.report(news)


def is_turn(number: int, times: int, of: int) -> bool:
    """Whether an update is one of so many that lie evenly among all of them."""
    return number * times // of != (number - 1) * times // of


def between(ends: tuple[float, float], part: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * part
