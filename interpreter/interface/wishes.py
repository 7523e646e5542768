"""What a program wishes of a question to the solver, in the words of the command line (argument conversion)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any

from chocolatl.interpreter.formats.valuation import read_valuation
from chocolatl.interpreter.interface.errors import ChocolatlError
from chocolatl.interpreter.play.game import Game
from chocolatl.solver.question import SolverQuestion, question_of


def question_by(game: Game, wishes: Mapping[str, Any]) -> SolverQuestion:
    """A question with what is wished for, and else as `chocolatl solve` asks it."""
    defaults = {field.name: field.default for field in fields(SolverQuestion)}
    made: dict[str, Any] = {}
    for name, value in wishes.items():
        if name not in defaults:
            raise TypeError(f"a question has no `{name}` (it has: {', '.join(defaults)})")
        made[name] = _member(name, value, type(default)) if isinstance(default := defaults[name], Enum) else value
    for name in ("against", "fresh"):
        if isinstance(made.get(name), Path):
            made[name] = str(made[name])
    match made.get("valuation"):
        case "default":
            made.pop("valuation")
        case "none":
            made["valuation"] = ()
        case str() | Path() as path:
            made["valuation"] = read_valuation(Path(path), game)
    return question_of(game, **made)


def _member(name: str, value: Any, kinds: type[Enum]) -> Enum:
    """A word that an option takes, or the member that it stands for."""
    try:
        return kinds(value)
    except ValueError:
        words = " or ".join(str(kind.value) for kind in kinds)
        raise ChocolatlError(f"{name} is {words}; found {value!r}") from None
