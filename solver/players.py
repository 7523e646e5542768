"""Types of players by name, the solver's among them: `solver`, or `solver:3` with a budget of its own."""

from __future__ import annotations

from chocolatl.interpreter.play.match import Player
from chocolatl.interpreter.players import registry

SOLVER = "solver"


def make_player(type_name: str) -> Player:
    """A player of a type."""
    word, colon, budget = type_name.partition(":")
    if word != SOLVER:
        return registry.make_player(type_name)
    from chocolatl.solver.player import SolverPlayer

    return SolverPlayer(float(budget)) if colon else SolverPlayer()
