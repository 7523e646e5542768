"""Players that are programs of their user: a Python function that sees a view and a choice (callback).

    def cautious(view, asked, random):
        return asked.legal[0]

`asked.legal` holds the legal answers as files write them, and one of these is returned. The function sees nothing else
of the game, and whatever is random has to come from `random`, so that the same seed gives the same game.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, NotAValue, Position

MOST = 2_000
"""So many legal answers are listed at most."""

PROGRAM = "python"
FROM_PROGRAM = f"{PROGRAM}:"


class IllegalAnswer(Exception):
    """An answer that is none, or not a legal one. The message is a sentence for the user."""


class FailedProgram(Exception):
    """A program of the user that cannot be found, or that failed. The message is a sentence for the user."""


class AskedChoice:
    """What a player has to decide."""

    def __init__(self, player: str, decision: Decision) -> None:
        self.player = player
        self._decision = decision

    def __repr__(self) -> str:
        return f"<{self.player} decides {self.name}: {self.count} answers>"

    @property
    def name(self) -> str:
        """The name of the choice in the rules, with its index."""
        return self._decision.name

    @property
    def question(self) -> str:
        """How the rules ask for it."""
        return self._decision.prompt

    @property
    def count(self) -> int:
        """How many answers are legal."""
        return self._decision.answers.count()

    @property
    def legal(self) -> list[Any]:
        """The legal answers, as they are written in files; the first ones, if there are very many."""
        answers = self._decision.answers
        return [self._decision.encode(answers.nth(number)) for number in range(min(self.count, MOST))]

    def answer(self, value: object) -> Answer:
        """A legal answer, written as in files; `IllegalAnswer` if it is none."""
        try:
            answer = self._decision.decode(value)
        except NotAValue as error:
            raise IllegalAnswer(f"`{self.name}`: {error}") from None
        if not self._decision.answers.contains(answer):
            raise IllegalAnswer(f"`{self.name}`: {value!r} is not legal here; {self._some}")
        return answer

    @property
    def _some(self) -> str:
        """Legal answers, as many as can be read."""
        some = ", ".join(map(repr, self.legal[:8]))
        return f"legal: {some}" if self.count <= 8 else f"{self.count} answers are, such as {some}"


PlayerFunction = Callable[[dict[str, Any], AskedChoice, Random], object]
"""The view of the player, what is asked, and where random numbers come from; it returns an answer as files write it."""


class ProgramPlayer:
    """Asks a program. `name` is what it is called if its answer is not legal."""

    def __init__(self, program: PlayerFunction, name: str, is_guarded: bool = False) -> None:
        self.program = program
        self.name = name
        self.is_guarded = is_guarded
        """Whether what it raises is told in a sentence; else it comes out as it is."""

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        asked = AskedChoice(game.players[decision.player], decision)
        try:
            return asked.answer(self.program(game.view(position, decision.player), asked, random))
        except IllegalAnswer as error:
            raise FailedProgram(f"{self.name} answered {error}") from None
        except Exception as error:
            if not self.is_guarded:
                raise
            raise FailedProgram(f"{self.name} failed: {type(error).__name__}: {error}") from error


def named_program(type_name: str) -> ProgramPlayer:
    """The player of `python:module:function`. The module is looked for in this folder, too."""
    module, colon, function = type_name.removeprefix(FROM_PROGRAM).partition(":")
    if not module or not colon or not function:
        raise FailedProgram(f"a program is named `{FROM_PROGRAM}module:function`; found `{type_name[:60]}`")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        program = getattr(import_module(module), function)
    except Exception as error:  # whatever the module of a user raises
        raise FailedProgram(f"{type_name}: {type(error).__name__}: {error}") from error
    if not callable(program):
        raise FailedProgram(f"{type_name}: `{function}` is no function")
    return ProgramPlayer(program, type_name, is_guarded=True)
