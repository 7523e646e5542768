"""A game as native code, ready to be played (a foreign function interface): whole random games, with their results and,
if asked for, their events.

    kernel = Kernel(game)
    played = kernel.play(seed=7, index=0)
    print(played.result, played.decisions)

The same seed gives the same game as `chocolatl.interpreter.play.match.play_game` with random players, event by event.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.native.builds.limits import checked
from chocolatl.interpreter.native.builds.module import Module, whole_games
from chocolatl.interpreter.native.builds.results import MASK, Buffer, Results, as_it_is, counted
from chocolatl.interpreter.native.builds.series import Summed, Sums
from chocolatl.interpreter.native.emit.context import NotedStop
from chocolatl.interpreter.native.emit.statements.occurrences import counted_bytes
from chocolatl.interpreter.native.layout.memory import DECISIONS, LOG, REPORT
from chocolatl.interpreter.native.llvm.compile import FAST, LoadedCode, cached, processor
from chocolatl.interpreter.play.game import Game, Result
from chocolatl.interpreter.play.match import ChanceEvent, ChoiceEvent, PlayedEvent
from chocolatl.interpreter.statistics.occurrences import Occurrences

FUNCTIONS = ("play", "series", "winners")

EVENTS = 1 << 14
"""Room for the events of a game, in words, before it turns out to be too little."""


@dataclass(frozen=True)
class NativeGame:
    """How a game ended, and how many decisions it took."""

    result: Result
    decisions: int


@dataclass(frozen=True)
class OtherGames:
    """Whole games that are made in another way: what writes the module, and what writes one that checks every access
    to memory; how many bytes it needs behind the state and the counts, and the names of more functions."""

    make: Callable[..., Module]
    guarded: Callable[..., Module]
    behind: int
    functions: tuple[str, ...]


class Kernel:
    """`closely` is a build that checks every range, those that were proved included; a `watched` one notes events; an
    `inspected` one looks at what the rules say always holds and, unless it is watched, counts what happens in games; a
    `guarded` one checks every access to memory. `without` names passes that are not applied to its code
    (`chocolatl.interpreter.native.builds.passes`)."""

    def __init__(
        self, game: Game, level: int = FAST, closely: bool = False, watched: bool = False, inspected: bool = False,
        guarded: bool = False, without: Iterable[str] = (), other: OtherGames | None = None,
    ) -> None:  # fmt: skip
        self.game = game
        self.other = other
        self.level = level
        self.closely = closely
        self.watched = watched
        self.inspected = inspected
        self.guarded = guarded
        self.without = frozenset(without)
        self.lock = Lock()
        self.memory = self.module.memory
        functions = (*FUNCTIONS, *(other.functions if other is not None else ()))
        # What is watched is made after the same code without notes, and keeps no more on the stack than that.
        if guarded:
            from chocolatl.interpreter.native.builds.trespass import guarded_code

            self.code, self.guard = guarded_code(self.module, level, *functions)
            around = self.guard.around
        else:
            data = cached(self.module.text, level, str if watched else checked)
            self.code, around = LoadedCode(data, *functions), as_it_is
        words = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
        self._play = around(ctypes.CFUNCTYPE(None, *words)(self.code.address("play")))
        self.results = Results(game, self.memory, self.code.address("winners"), around)
        many = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p)
        self._series = around(ctypes.CFUNCTYPE(ctypes.c_int64, *many)(self.code.address("series")))
        self.sums = Sums(game.ir, from_start=True)
        self.occurrences = Occurrences(game.ir) if inspected and not watched else None
        behind = other.behind if other is not None else 0
        self.size = self.memory.size + counted_bytes(self.occurrences) + behind
        self.state = Buffer(self.size)
        self.report = Buffer(16)
        self.state.set_word(REPORT, self.report.address)

    @cached_property
    def module(self) -> Module:
        """The text of the code, by which the cache knows it, and what its numbers stand for."""
        if self.other is not None:
            make = self.other.guarded if self.guarded else self.other.make
        elif self.guarded:
            from chocolatl.interpreter.native.builds import guarded

            make = guarded.whole_games
        else:
            make = whole_games
        return make(self.game.ir, processor()[1], self.closely, self.watched, self.inspected, self.without)

    @cached_property
    def watching(self) -> Kernel:
        """The build that notes events; it is made when somebody asks for them, or for a failure."""
        if self.watched:
            return self
        return Kernel(self.game, self.level, self.closely, True, self.inspected, self.guarded, self.without, self.other)

    def play(self, seed: int, index: int = 0) -> NativeGame:
        """Game number `index` of a series, to its end; `RuleError` if its rules fail."""
        self.state.set_word(LOG, 0)
        self._run(seed, index)
        return NativeGame(self.result(), self.state.word(DECISIONS))

    def _run(self, seed: int, index: int) -> None:
        self.report.set_word(0, 0)
        self._play(self.state.address, seed & MASK, index & MASK)
        failed = self.report.word(0)
        if failed:
            if self.watched:
                raise self.module.failure(self.game.codec, failed - 1, self.report.word(8))
            raise self.failure_of(seed, index)

    def failure_of(self, seed: int, index: int) -> RuleError:
        """Why a game fails: who of those who answered secretly was the first to fail shows only if it is watched."""
        try:
            with self.lock:
                self.watching.play(seed, index)
        except RuleError as error:
            return error
        raise AssertionError("a game fails or it does not")

    def series(self, seed: int, first: int, count: int) -> Summed:
        """Games number `first` and following, up to the first that fails."""
        words = (ctypes.c_int64 * self.sums.size)()
        words[self.sums.shortest] = MASK >> 1
        state, report = Buffer(self.size), Buffer(16)  # of its own, so that several threads can play
        state.set_word(REPORT, report.address)
        self._series(state.address, seed & MASK, first & MASK, count, ctypes.addressof(words))
        error = self.failure_of(seed, first + words[self.sums.games]) if report.word(0) else None
        return Summed(list(words), counted(state, self.memory.size, self.occurrences), error)

    def result(self) -> Result:
        """Of the game that was played last; `RuleError` if the rules fail where they say who wins."""
        found = self.results.of(self.state)
        failed = self.report.word(0)
        if failed:
            raise self.module.failure(self.game.codec, failed - 1, self.report.word(8))
        return found

    # ------------------------------------------------------------ events

    def events(self, seed: int, index: int = 0) -> list[PlayedEvent]:
        """The events of a game, in the words of the rules; its result can be asked for afterwards."""
        if not self.watched:
            events = self.watching.events(seed, index)
            self.state.view[: self.memory.size] = self.watching.state.view[: self.memory.size]
            self.state.set_word(REPORT, self.report.address)
            self.report.set_word(0, 0)
            return events
        room = EVENTS
        while True:
            log, event, control = Buffer(8 * room), Buffer(8 * self.module.longest), Buffer(24)
            control.set_word(0, log.address)
            control.set_word(8, log.address + 8 * room)
            control.set_word(16, event.address)
            self.state.set_word(LOG, control.address)
            self._run(seed, index)
            used = control.word(0, signed=False) - log.address
            if used <= 8 * room:
                return list(self._told(log.view[:used].cast("q")))
            room = used // 8

    def _told(self, words: memoryview) -> Iterator[PlayedEvent]:
        at = 0
        while at < len(words):
            stop: NotedStop = self.module.stops[words[at]]
            node, who, count = stop.node, words[at + 1], words[at + 2]
            indices = node.indices if isinstance(node, (ir.Choose, ir.ChooseSet)) else ()
            start = at + 3 + len(indices)
            labels = tuple(words[at + 3 : start])
            values = tuple(words[start : start + count])
            at = start + count
            match node:
                case ir.Choose():
                    yield self._chosen(node, who, labels, values if len(values) > 1 else values[0])
                case ir.ChooseSet():
                    low = ir.set_type(node.source).element.low
                    yield self._chosen(node, who, labels, tuple(low + kind for kind in values))
                case ir.Roll():
                    yield self._brought(node, who, values if node.count is not None else values[0])
                case ir.Draw():
                    yield self._brought(node, who, values[0])
                case ir.Secretly():
                    raise AssertionError("what is answered in it is told, not the block")
                case _:
                    assert_never(node)

    def _chosen(self, node: ir.Choice, who: int, labels: tuple[int, ...], answer: object) -> PlayedEvent:
        game = self.game
        name = game.codec.choice_name(node, labels)
        return ChoiceEvent(game.players[who], name, game.codec.encode_answer(node, answer))

    def _brought(self, node: ir.ChanceNode, who: int, outcome: object) -> PlayedEvent:
        owner = self.game.players[who] if who >= 0 else None
        return ChanceEvent(node.local.name, self.game.codec.encode_outcome(node, outcome), owner)
