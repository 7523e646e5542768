"""What both builds of the native code share in Python: memory, counts, results (buffers and marshalling)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from chocolatl.interpreter.native.layout.memory import Memory
from chocolatl.interpreter.play.game import Game, Result
from chocolatl.interpreter.program.types import PLAYER
from chocolatl.interpreter.statistics.occurrences import WORD, Occurrences

MASK = 2**64 - 1

NativeFunction = Callable[..., Any]
"""A function of native code; what it is first given is the address of a state."""

Around = Callable[[NativeFunction], NativeFunction]
"""What a build does around its functions."""


def as_it_is(function: NativeFunction) -> NativeFunction:
    """An ordinary build does nothing."""
    return function


class Buffer:
    """Memory of a size, at an address that suits vectors."""

    def __init__(self, size: int) -> None:
        self._held = ctypes.create_string_buffer(size + 63)
        start = ctypes.addressof(self._held)
        self.address = -(-start // 64) * 64
        self.view = memoryview(self._held)[self.address - start : self.address - start + size].cast("B")

    def word(self, offset: int, signed: bool = True) -> int:
        return int.from_bytes(self.view[offset : offset + 8], "little", signed=signed)

    def set_word(self, offset: int, value: int) -> None:
        self.view[offset : offset + 8] = (value & MASK).to_bytes(8, "little")


def counted(memory: Buffer, start: int, occurrences: Occurrences | None) -> int:
    """What was counted in games, as one number."""
    if occurrences is None:
        return 0
    return int.from_bytes(memory.view[start : start + WORD * occurrences.size], "little")


class Results:
    """Reads what came of a game out of its memory."""

    def __init__(self, game: Game, memory: Memory, winners: int, around: Around = as_it_is) -> None:
        """`winners` is the address of the function that ranks them."""
        self.game = game
        self.memory = memory
        self._winners = around(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(winners))

    def field(self, state: Buffer, key: tuple[str | None, str]) -> list[int]:
        """All cells of a field of numbers."""
        run = self.memory.places[key]
        size = run.shape.size
        data = bytes(state.view[run.offset : run.offset + run.count * size])
        return [int.from_bytes(data[at : at + size], "little", signed=True) for at in range(0, len(data), size)]

    def scores(self, state: Buffer) -> tuple[int, ...]:
        return tuple(self.field(state, self.game.ir.score.key))

    def of(self, state: Buffer) -> Result:
        code, players = self.game.ir, self.game.player_count
        ranked = (ctypes.c_int64 * (1 + 2 * players))()
        self._winners(state.address, ctypes.addressof(ranked))
        places = range(1, 1 + ranked[0])
        winners = tuple(sorted(ranked[at] for at in places if ranked[players + at] == 1))
        items = len(code.items)
        points = self.field(state, (PLAYER, "breakdown")) if (PLAYER, "breakdown") in self.memory.places else []
        breakdown = tuple(
            dict(zip(code.items, points[seat * items : (seat + 1) * items], strict=True)) for seat in range(players)
        )
        return Result(self.scores(state), winners, breakdown)
