"""Paired games at native speed (a foreign function interface): the same as
`chocolatl.interpreter.play.match.play_game` plays with `paired`.

    kernel = PairedKernel(game)
    rows = kernel.rows(seed=7, first=0, count=1000)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.native.builds.kernel import Kernel, OtherGames
from chocolatl.interpreter.native.builds.module import Module
from chocolatl.interpreter.native.builds.results import MASK, Buffer, as_it_is
from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.native.llvm.compile import FAST
from chocolatl.interpreter.native.paired.game_rows import GameRow
from chocolatl.interpreter.native.paired.keys import NativePairing
from chocolatl.interpreter.native.paired.module import guarded_paired_games, paired_games
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.match import PlayedEvent


@dataclass(frozen=True)
class PairedRows:
    """A row for each game that was played, and how the next one failed if it did."""

    rows: NDArray[np.int64]
    error: RuleError | None


class PairedKernel:
    """A `guarded` one checks every access to memory; `make` writes games of another kind, with their rows."""

    def __init__(
        self, game: Game, level: int = FAST, guarded: bool = False, make: Callable[..., Module] | None = None
    ) -> None:
        other = OtherGames(make or paired_games, guarded_paired_games, NativePairing(game.ir).size, ("rows",))
        self.kernel = Kernel(game, level, inspected=True, guarded=guarded, other=other)
        self.row = GameRow(game.ir)
        words = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p)
        around = self.kernel.guard.around if guarded else as_it_is
        self._rows = around(ctypes.CFUNCTYPE(ctypes.c_int64, *words)(self.kernel.code.address("rows")))

    def rows(self, seed: int, first: int, count: int) -> PairedRows:
        """What came of games number `first` and following, up to the first that fails. Several threads may ask."""
        found = np.empty((count, self.row.size), np.int64)
        state, report = Buffer(self.kernel.size), Buffer(16)
        state.set_word(REPORT, report.address)
        played = self._rows(state.address, seed & MASK, first & MASK, count, found.ctypes.data)
        failed = report.word(0)
        return PairedRows(found[:played], self.kernel.failure_of(seed, first + played) if failed else None)

    def events(self, seed: int, index: int = 0) -> list[PlayedEvent]:
        return self.kernel.events(seed, index)
