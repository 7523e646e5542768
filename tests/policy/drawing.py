"""What tests of policies share: a form, weights at random, and what a policy sees in a decision."""

from __future__ import annotations

from functools import cache

import numpy as np

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.players.deciding import PolicyDecider, PolicyDraw, PolicyReader
from chocolatl.interpreter.players.traced import traced_games
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.trace import measured_scales
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, default_scales, uniform_weights


@cache
def form_of(game: Game) -> PolicyForm:
    return policy_form(game.ir)


@cache
def scales_of(game: Game) -> Scales:
    """Scales measured on a few random games."""
    form = form_of(game)
    trace = traced_games(game, form, [None] * game.player_count, 5, 0, 3)
    return measured_scales(form, trace, default_scales(form))


def weights_at_random(game: Game, seed: int, size: float = 0.2) -> PolicyWeights:
    return drawn_weights(form_of(game), scales_of(game), seed, size)


def weights_of_declared_scales(form: PolicyForm, seed: int) -> PolicyWeights:
    """The same without a game having been played before."""
    return drawn_weights(form, default_scales(form), seed, 0.1)


def drawn_weights(form: PolicyForm, scales: Scales, seed: int, size: float) -> PolicyWeights:
    generator = np.random.default_rng(seed)
    shapes = uniform_weights(form, scales)
    kinds = [generator.normal(size=each.shape) for each in shapes.kinds]
    terms = [generator.normal(0, size, each.shape) for each in shapes.terms]
    return PolicyWeights.from_floats(form, scales, kinds, terms)


def decided(game: Game, weights: PolicyWeights, position: Position, decision: Decision, seed: int) -> list[PolicyDraw]:
    """All draws of a decision."""
    found: list[PolicyDraw] = []
    reader = PolicyReader(game, weights.form)
    PolicyDecider(reader, weights).choose(position, decision, Random(seed), found.append)
    return found
