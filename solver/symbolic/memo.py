"""What is worked out once for a game and used in all its runs (memoisation)."""

from __future__ import annotations

from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from chocolatl.interpreter.lowered.lowered_game import LoweredGame


class OncePerProgram:
    """A class of which there is one for each program, made when it is first asked for."""

    made: ClassVar[WeakKeyDictionary[LoweredGame, Any]]

    def __init_subclass__(cls) -> None:
        cls.made = WeakKeyDictionary()

    def __init__(self, program: LoweredGame) -> None: ...

    @classmethod
    def of(cls, program: LoweredGame) -> Self:
        if program not in cls.made:
            cls.made[program] = cls(program)
        found: Self = cls.made[program]
        return found
