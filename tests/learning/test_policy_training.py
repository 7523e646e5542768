"""Policies learned by playing: gradients against differences, sums in any order, and whether it learns at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from chocolatl.interpreter.learning.critic import FADING, judged, no_critic
from chocolatl.interpreter.learning.gradients import COARSER, GRAIN, gradient
from chocolatl.interpreter.learning.league import League, against
from chocolatl.interpreter.learning.optimizer import Optimizer
from chocolatl.interpreter.learning.policy_training import Learner, PolicyTraining, Recipe, TrainedPolicy
from chocolatl.interpreter.learning.strength import share_among
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.integers import UNIT, WEIGHT_UNIT
from chocolatl.interpreter.policy.trace import Trace
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, uniform_weights
from tests.learning.learners import GAMES, learner_of, tracer


def any_weights(form: PolicyForm, scales: Scales, seed: int) -> PolicyWeights:
    random = np.random.default_rng(seed)
    plain = uniform_weights(form, scales)
    kinds = tuple(random.integers(-120, 120, each.shape) for each in plain.kinds)
    terms = tuple(random.integers(-12, 12, each.shape) for each in plain.terms)
    return PolicyWeights(form, scales, kinds, terms)


def likelihood(form: PolicyForm, weights: PolicyWeights, trace: Trace, better: Sequence[NDArray[np.float64]]) -> float:
    """The logarithm of how likely what was done is, each draw counted by how much better it was: in plain floats, draw
    by draw, from the sentence in docs/policies.md."""
    total = 0.0
    for table, rows, listed, advantages in zip(form.tables, trace.decisions, trace.listed, better, strict=True):
        kinds, terms = weights.kinds[table.number], weights.terms[table.number]
        for row, advantage in zip(rows, advantages, strict=True):
            theta = np.einsum("m,mbc,c->b", row["y"] / UNIT, terms / WEIGHT_UNIT, row["x"] / UNIT)
            if table.constants is not None:
                basis = known_terms(form, weights.scales, table.number)
                logits = basis @ theta + kinds / WEIGHT_UNIT
                legal = [bool(int(row["legal"]) >> place & 1) for place in range(len(logits))]
            else:
                logits = listed[row["first"] : row["first"] + row["answers"]] / UNIT @ theta
                legal = [True] * len(logits)
                if table.elements is not None:
                    own = [k for place, k in enumerate(kinds) if int(row["legal"]) >> place & 1]
                    logits = logits + np.array(own) / WEIGHT_UNIT
            logits = np.where(legal, logits, -np.inf) * log(2)
            total += advantage * (logits[row["taken"]] - np.log(np.exp(logits).sum()))
    return total


def known_terms(form: PolicyForm, scales: Scales, number: int) -> NDArray[np.float64]:
    table = form.tables[number]
    assert table.constants is not None
    columns = []
    for column, term in enumerate(table.terms):
        each = [values[column] for values in table.constants]
        offset, scale = scales.offsets[term.feature.number], scales.scales[term.feature.number]
        plain = [max(-512, min(512, (value - int(offset)) * int(scale) >> 16)) for value in each]
        columns.append([max(-512, min(512, x * x // UNIT)) if term.squared else x for x in plain])
    return np.array(columns).T / UNIT


@pytest.mark.parametrize("name", GAMES)
def test_the_gradient_is_that_of_the_likelihood(name: str) -> None:
    """Against differences of a likelihood that is reckoned draw by draw in floats, along some directions."""
    game, form, scales = learner_of(name)
    weights = any_weights(form, scales, 3)
    trace = tracer(game, form)(
        [weights] * game.player_count, 5, 0, 1 if name == "quetzal" else 12, [True] * game.player_count
    )
    random = np.random.default_rng(2)
    better = [random.normal(0, 0.3, len(rows)) for rows in trace.decisions]
    found = gradient(form, weights, trace, better, 0.0)
    for table in range(len(form.tables)):
        if not len(trace.decisions[table]):
            continue
        for part, step in (("kinds", 16), ("terms", 2)):
            arrays = getattr(weights, part)
            if not arrays[table].size:
                continue
            direction = random.choice([-1, 1], arrays[table].shape)
            direction *= random.random(direction.shape) < 60 / direction.size

            def moved(
                sign: int, part: str = part, table: int = table, along: NDArray[np.int64] = step * direction
            ) -> float:
                changed = list(getattr(weights, part))
                changed[table] = changed[table] + sign * along
                kinds, terms = (changed, weights.terms) if part == "kinds" else (weights.kinds, changed)
                other = PolicyWeights(form, scales, tuple(kinds), tuple(terms))
                return likelihood(form, other, trace, better)

            slope = (moved(1) - moved(-1)) / (2 * step / WEIGHT_UNIT) / log(2)
            found_ = float((getattr(found, part)[table] * direction).sum())
            found_ /= GRAIN if part == "kinds" else GRAIN / COARSER * UNIT**3
            spread = sum(abs(each).sum() for each in better)
            assert found_ == pytest.approx(slope, abs=0.02 * max(1.0, spread), rel=0.05), (table, part)


def test_sums_do_not_depend_on_how_games_are_grouped() -> None:
    game, form, scales = learner_of("goofspiel")
    weights, trace = any_weights(form, scales, 3), tracer(game, form)
    critic = np.random.default_rng(4).integers(-200, 200, no_critic(len(form.common)).shape).astype(np.float64)

    def sums(parts: Sequence[tuple[int, int]]) -> list[bytes]:
        totals: list[NDArray[np.float64]] = []
        for first, count in parts:
            games = trace([weights] * 3, 5, first, count, [True, False, True])
            judgement = judged(games, critic, 3)
            found = gradient(form, weights, games, judgement.advantages, 0.03)
            new = [*found.kinds, *found.terms, judgement.sums]
            totals = new if not totals else [a + b for a, b in zip(totals, new, strict=True)]
        return [each.tobytes() for each in totals]

    assert sums([(0, 30)]) == sums([(17, 13), (5, 12), (0, 5)])


def test_entropy_alone_leads_to_uniform_play() -> None:
    game, form, scales = learner_of("blotto")
    learner = Learner.fresh(form, scales, any_weights(form, scales, 5))
    trace = tracer(game, form)

    def spread() -> float:
        rows = trace([learner.weights()] * 2, 6, 0, 40, [True, True]).decisions[0]
        return float(np.var(rows["weight"] / rows["total"]))

    before = spread()
    for step in range(40):
        games = trace([learner.weights()] * 2, 7, 40 * step, 40, [True, True])
        found = gradient(form, learner.weights(), games, [np.zeros(len(rows)) for rows in games.decisions], 1.0)
        learner.optimizer.step([*found.kinds, *found.terms], 0.05)
    assert spread() < before / 4


def test_a_draw_is_judged_by_what_comes_after_it() -> None:
    """By hand: without weights every player has the same chance at each moment, so that only the end counts, the less
    the earlier a round is."""
    game, form, scales = learner_of("goofspiel")
    trace = tracer(game, form)([uniform_weights(form, scales)] * 3, 8, 0, 5, [True] * 3)
    advantages = judged(trace, no_critic(len(form.common)), 3).advantages[0]
    rows = trace.decisions[0]
    for row, advantage in zip(rows, advantages, strict=True):
        expected = (trace.shares[row["game"], row["seat"]] - 1 / 3) * FADING ** (4 - row["round"])
        assert advantage == pytest.approx(expected)


def test_steps_follow_the_gradient_and_stay_within_bounds() -> None:
    optimizer = Optimizer([np.array([0.0, 0.0, 0.0])], 1.0)
    for _ in range(200):
        optimizer.step([np.array([1.0, -0.001, 0.0])], 0.02)
    assert optimizer.values[0].tolist() == [1.0, -1.0, 0.0]
    assert [value.tolist() for value in optimizer.average()] == [[1.0, -1.0, 0.0]]
    optimizer.keep()
    for _ in range(20):
        optimizer.step([np.array([-1.0, 0.0, 0.0])], 0.1)
    optimizer.keep()
    assert -1 <= optimizer.average()[0][0] < 1


# ---------------------------------------------------------------- who plays


def test_everybody_sits_everywhere() -> None:
    _, form, scales = learner_of("goofspiel")
    learner, old, exploiter = (any_weights(form, scales, seed) for seed in range(3))
    groups = League(3, [old], [exploiter]).batch(learner, 100, 2_000, Random(1))
    assert [group.first for group in groups] == list(range(100, 2_100, 100))
    assert sum(group.count for group in groups) == 2_000
    for number, group in enumerate(groups):
        assert group.weights[number % 3] is learner
        assert group.learning == tuple(each is learner for each in group.weights)
    others = [each for group in groups for each in group.weights if each is not learner]
    assert {id(each) for each in others} == {id(old), id(exploiter)}
    assert 0.3 < len(others) / (2 * len(groups)) < 0.9
    (alone,) = {sum(group.learning) for group in against(learner, old, 3, 0, 2_000)}
    assert alone == 1


def test_a_share_is_that_of_all_seats() -> None:
    """Among players like oneself it is one part of all, and it is the same whoever begins."""
    game, form, scales = learner_of("goofspiel")
    same = uniform_weights(form, scales)
    share = share_among(tracer(game, form), same, same, 3, 11, 900)
    assert share.low is not None and share.high is not None and share.low < 1 / 3 < share.high


# ---------------------------------------------------------------- learning


def trained(name: str, recipe: Recipe, jobs: int = 1) -> TrainedPolicy:
    game, form, scales = learner_of(name)
    return PolicyTraining(form, scales, game.player_count, recipe, tracer(game, form), jobs).run()


SHORT = Recipe(4, 1, games=40, snapshots=2, exploiters=1, exploiter_updates=2)


def test_any_number_of_threads_learns_the_same() -> None:
    def numbers(policy: TrainedPolicy) -> list[bytes]:
        return [each.tobytes() for each in (*policy.weights.kinds, *policy.weights.terms)]

    one = trained("goofspiel", SHORT)
    assert numbers(one) == numbers(trained("goofspiel", SHORT, 3))
    assert numbers(one) != numbers(trained("goofspiel", replace(SHORT, seed=2)))
    assert one.games == 6 * 40 and not one.interrupted


def test_what_is_learned_beats_random_players_and_its_beginning() -> None:
    game, form, scales = learner_of("blotto")
    policy = trained("blotto", Recipe(20, 1, games=100, snapshots=5, exploiters=1, exploiter_updates=5))
    games = tracer(game, form)([policy.weights, uniform_weights(form, scales)], 9, 0, 600, [False, False])
    share = games.shares[:, 0].mean()
    assert share - 1.96 * games.shares[:, 0].std() / 600**0.5 > 0.5


def test_an_interrupted_training_gives_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    game, form, scales = learner_of("blotto")
    training = PolicyTraining(form, scales, 2, SHORT, tracer(game, form))
    update = training.update

    def impatient(number: int) -> None:
        if number == 3:
            raise KeyboardInterrupt
        update(number)

    monkeypatch.setattr(training, "update", impatient)
    policy = training.run()
    assert policy.interrupted and policy.updates == 3
    now = training.learner.weights()
    assert all(np.array_equal(*each) for each in zip(policy.weights.terms, now.terms, strict=True))
