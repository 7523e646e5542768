"""A game as native code whose players follow policies (a foreign function interface): many games, their sums or all
that was drawn in them.

    kernel = PolicyKernel(game, form)
    trace = kernel.trace([weights, weights, None], seed=7, first=0, count=2000)
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from threading import local
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.native.builds.limits import checked
from chocolatl.interpreter.native.builds.module import Module
from chocolatl.interpreter.native.builds.results import MASK, Buffer, counted
from chocolatl.interpreter.native.builds.series import Summed, Sums
from chocolatl.interpreter.native.emit.statements.occurrences import counted_bytes
from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.native.llvm.compile import FAST, LoadedCode, cached, processor
from chocolatl.interpreter.native.policy.control import PolicyControl, Seats
from chocolatl.interpreter.native.policy.layout import TRACE_WORDS, PolicyLayout, trace_words
from chocolatl.interpreter.native.policy.module import FUNCTIONS, policy_games
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.trace import Trace, decision_type, moment_type
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, default_scales, uniform_weights
from chocolatl.interpreter.statistics.occurrences import Occurrences

FIRST_ROWS = 64
"""Room for so many rows of a table in a game, before it turns out to be too little."""


class PolicyKernel:
    """An `inspected` one looks at what the rules say always holds, and counts what happens in games."""

    def __init__(self, game: Game, form: PolicyForm, level: int = FAST, inspected: bool = False) -> None:
        self.game, self.form, self.inspected = game, form, inspected
        self.occurrences = Occurrences(game.ir) if inspected else None
        self.layout = PolicyLayout(form)
        self.code = LoadedCode(cached(self.module.text, level, checked), *FUNCTIONS)
        words = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p)
        self._series = ctypes.CFUNCTYPE(ctypes.c_int64, *words)(self.code.address("series"))
        self._traced = ctypes.CFUNCTYPE(ctypes.c_int64, *words)(self.code.address("traced"))
        self.sums = Sums(game.ir, from_start=True)
        self.rows = [FIRST_ROWS] * (2 * len(form.tables) + 1)
        """For how many rows a game of a trace has room, by table: draws, listed answers; last, moments."""
        self.kept = local()
        """By thread, arrays that are used again."""
        self.blocks: WeakKeyDictionary[PolicyWeights, NDArray[np.uint8]] = WeakKeyDictionary()
        """Weights as native code reads them, as long as somebody has them: writing them takes as long as some games."""

    @cached_property
    def module(self) -> Module:
        return policy_games(self.form, processor()[1], self.inspected)

    def block(self, weights: PolicyWeights) -> NDArray[np.uint8]:
        found = self.blocks.get(weights)
        return found if found is not None else self.blocks.setdefault(weights, self.layout.block(weights))

    def series(self, seats: Seats, seed: int, first: int, count: int) -> Summed:
        """The sums of games number `first` and following, up to the first that fails."""
        table = _Table(self, seats)
        sums = (ctypes.c_int64 * self.sums.size)()
        sums[self.sums.shortest] = MASK >> 1
        self._series(table.state.address, seed & MASK, first & MASK, count, ctypes.addressof(sums))
        counts = counted(table.state, self.module.memory.size, self.occurrences)
        return Summed(list(sums), counts, table.failure())

    def trace(
        self,
        seats: Seats,
        seed: int,
        first: int,
        count: int,
        traced: Sequence[bool] | None = None,
        scales: Scales | None = None,
        reuse: bool = False,
    ) -> Trace:
        """The same games as those of `traced_games` by the interpreter, and the same rows; `RuleError` if one fails.

        With `reuse` they lie where those of the last such trace of this thread were, which is given up: memory that was
        used before is several times faster than new one."""
        if None in seats:
            none = uniform_weights(self.form, scales if scales is not None else default_scales(self.form))
            seats = [each or none for each in seats]
        table = _Table(self, seats, traced or [True] * self.game.player_count)
        players = self.game.player_count
        while True:
            held = _Room(self, count, getattr(self.kept, "arrays", None) if reuse else None)
            if reuse:
                self.kept.arrays = held.arrays
            table.hold(held)
            ends = np.zeros((count, 2 * players), np.int64)
            played = self._traced(table.state.address, seed & MASK, first & MASK, count, ends.ctypes.data)
            error = table.failure()
            if error is not None:
                raise error
            if played == count:
                return held.trace(first, ends)
            held.learn(max(1, played))


class FollowedPolicies:
    """A kernel with somebody in each seat: what plays a series."""

    def __init__(self, kernel: PolicyKernel, seats: Seats) -> None:
        self.kernel, self.seats = kernel, seats
        self.sums = kernel.sums

    def series(self, seed: int, first: int, count: int) -> Summed:
        return self.kernel.series(self.seats, seed, first, count)


class _Table:
    """What a run of native code needs of its own, so that several threads can play."""

    def __init__(self, kernel: PolicyKernel, seats: Seats, traced: Sequence[bool] | None = None) -> None:
        layout = kernel.layout
        self.kernel = kernel
        size = kernel.module.memory.size + counted_bytes(kernel.occurrences)
        self.state = Buffer(size)
        blocks = {weights: kernel.block(weights) for weights in seats if weights is not None}
        held = PolicyControl(layout, seats, blocks, traced)
        self.held, self.control = held, held.memory
        self.state.set_word(REPORT, held.address)

    def hold(self, room: _Room) -> None:
        self.control.set_word(0, 0)
        self.control.set_word(self.kernel.layout.trace, room.words.ctypes.data)

    def failure(self) -> RuleError | None:
        failed = self.control.word(0)
        if not failed:
            return None
        return self.kernel.module.failure(self.kernel.game.codec, failed - 1, self.control.word(8))


class _Room:
    """Arrays for the rows of a trace."""

    def __init__(self, kernel: PolicyKernel, games: int, kept: list[NDArray[Any]] | None) -> None:
        self.kernel, self.games, self.kept, form = kernel, games, kept, kernel.form
        self.words = np.zeros(trace_words(form) // 8, np.int64)
        self.arrays: list[NDArray[Any]] = []
        self.places: list[int] = []
        for table in form.tables:
            at = TRACE_WORDS * table.number // 8
            self._add(at, decision_type(table), ())
            self._add(at + 3, np.dtype(np.int16), (len(table.terms),) if table.constants is None else None)
        self._add(TRACE_WORDS * len(form.tables) // 8, moment_type(form), ())

    def _add(self, at: int, type_: np.dtype[Any], shape: tuple[int, ...] | None) -> None:
        room = 0 if shape is None else self.kernel.rows[len(self.arrays)] * self.games
        array = np.empty(0)
        if self.kept is not None:
            array = self.kept[len(self.arrays)]
        if self.kept is None or len(array) < room:
            array = np.empty((room, *(shape or ())), type_)
        room = len(array)
        self.words[at], self.words[at + 2] = array.ctypes.data, room
        self.arrays.append(array)
        self.places.append(at)

    def learn(self, games: int) -> None:
        """There was too little room for so many games: more is made where it was short."""
        for number, (array, at) in enumerate(zip(self.arrays, self.places, strict=True)):
            used = int(self.words[at + 1])
            if used * 4 > len(array) * 3 or used > len(array):
                self.kernel.rows[number] = max(2 * self.kernel.rows[number], 2 * used // games + 1)

    def trace(self, first: int, ends: NDArray[np.int64]) -> Trace:
        form, players = self.kernel.form, self.kernel.game.player_count
        held = [array[: int(self.words[at + 1])] for array, at in zip(self.arrays, self.places, strict=True)]
        listed = [rows.reshape(-1, len(t.terms)) for rows, t in zip(held[1:-1:2], form.tables, strict=True)]
        won = ends[:, players:].astype(np.float64)
        shares = won / np.maximum(1, won.sum(axis=1, keepdims=True))
        return Trace(
            form, first, self.games, tuple(held[:-1:2]), tuple(listed), held[-1], ends[:, :players].copy(), shares
        )
