"""Types of players by name, with those that only commands provide: `solver`, `solver:3` with a budget of its own, and
`python:module:function`, which runs a program of the user and is therefore never taken from a file."""

from __future__ import annotations

from chocolatl.interpreter.play.match import Player
from chocolatl.interpreter.players import registry
from chocolatl.interpreter.players.programs import PROGRAM, named_program

SOLVER = "solver"

PROVIDED = (SOLVER, PROGRAM)
"""Types that a command takes besides those of any player."""


def make_player(type_name: str) -> Player:
    """A player of a type."""
    word, colon, budget = type_name.partition(":")
    if word == PROGRAM:
        return named_program(type_name)
    if word != SOLVER:
        return registry.make_player(type_name)
    from chocolatl.solver.player import SolverPlayer

    return SolverPlayer(float(budget)) if colon else SolverPlayer()
