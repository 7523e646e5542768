"""Small games that learn in a test: their forms, scales, and who plays and traces them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from chocolatl.interpreter.learning.policy_training import Tracer
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.players.traced import traced_games
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.trace import Trace, measured_scales
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, default_scales
from tests.shipped.test_openspiel import ours

GAMES = {
    "blotto": lambda: ours("blotto", 2, coins=5),
    "goofspiel": lambda: ours("goofspiel", 3, cards=4),
    "kuhn_poker": lambda: ours("kuhn_poker", 3),
    "quetzal": lambda: ours("quetzal", 2),
}


def tracer(game: Game, form: PolicyForm) -> Tracer:
    def trace(weights: Sequence[PolicyWeights], seed: int, first: int, count: int, traced: Sequence[bool]) -> Trace:
        return traced_games(game, form, weights, seed, first, count, traced)

    return trace


@cache
def learner_of(name: str) -> tuple[Game, PolicyForm, Scales]:
    """A game, the form of its policies, and scales from some random games."""
    game = GAMES[name]()
    form = policy_form(game.ir)
    scales = default_scales(form)
    count = 3 if name == "quetzal" else 60
    return game, form, measured_scales(form, traced_games(game, form, [None] * game.player_count, 3, 0, count), scales)
