"""Who plays the games that are learned from: native code where it can, else the interpreter (the trajectory source)."""

from __future__ import annotations

from chocolatl.interpreter.learning.policy_training import Tracer
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.players.traced import traced_games
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.trace import measured_scales
from chocolatl.interpreter.policy.weights import Scales, default_scales, uniform_weights

SCALING_GAMES = 400
"""So many random games say how much features vary; twice, since the first time they are scaled by what is declared."""


def tracer_of(game: Game, form: PolicyForm) -> Tracer:
    """The fastest one that there is."""
    try:
        from chocolatl.interpreter.native.policy.pieces import TooManyKinds
        from chocolatl.interpreter.native.policy.player import PolicyKernel
    except (ImportError, OSError):
        return lambda seats, seed, first, count, traced: traced_games(game, form, seats, seed, first, count, traced)
    try:
        kernel = PolicyKernel(game, form)
        # Nobody keeps a trace when the same thread asks for the next one.
        return lambda seats, seed, first, count, traced: kernel.trace(seats, seed, first, count, traced, reuse=True)
    except (Refused, TooManyKinds):
        return lambda seats, seed, first, count, traced: traced_games(game, form, seats, seed, first, count, traced)


def scales_of(form: PolicyForm, players: int, trace: Tracer, seed: int) -> Scales:
    """How much features vary in random games."""
    scales = default_scales(form)
    for _ in range(2):
        plain = [uniform_weights(form, scales)] * players
        scales = measured_scales(form, trace(plain, seed, 0, SCALING_GAMES, [True] * players), scales)
    return scales
