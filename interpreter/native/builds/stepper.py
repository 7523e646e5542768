"""A game as native code that can be left and gone on with at any decision, from and to the interpreter's positions
(suspend and resume).

    stepper = Stepper(game)
    table = stepper.load(position)
    for question in table.pending:
        print(question.name, question.answers.count(), question.answers.nth(0))
    table.apply(question.player, answer)
    print(table.position(), table.is_over, table.result())

A table is one game under way. Unlike a position it changes; `copy` makes a second one, which is a copy of bytes. What
players remember of the way is not kept: a position that comes from a table has an empty journal.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never, cast

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_START, PC, SEALED, Slots
from chocolatl.interpreter.lowered.position import PrivateCopy
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.native.builds.limits import checked
from chocolatl.interpreter.native.builds.module import Module, MoreTexts, stepwise
from chocolatl.interpreter.native.builds.questions import NativeQuestion
from chocolatl.interpreter.native.builds.results import MASK, Buffer, NativeFunction, Results, as_it_is, counted
from chocolatl.interpreter.native.builds.resumable import RESUMABLE
from chocolatl.interpreter.native.builds.series import Summed, Sums
from chocolatl.interpreter.native.builds.stops import first_kind
from chocolatl.interpreter.native.emit.context import Build
from chocolatl.interpreter.native.emit.statements.occurrences import counted_bytes
from chocolatl.interpreter.native.layout.contents import SlotsInMemory, read, write
from chocolatl.interpreter.native.layout.memory import AT, DECISIONS, ENTERED, LOG, REPORT, SECRET, STREAMS
from chocolatl.interpreter.native.llvm.compile import FAST, LoadedCode, cached, processor
from chocolatl.interpreter.play.game import CHOICES, Answer, Game, Position, Result
from chocolatl.interpreter.play.playout import WHOLE_GAME, Horizon
from chocolatl.interpreter.program.types import Multiset, OrderType
from chocolatl.interpreter.statistics.occurrences import Occurrences

STATE, NUMBER, POINTER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p

FUNCTIONS = ("winners", "settle", "run", "apply", "play_on", "who", "labels", "legal", "series")


@dataclass(frozen=True)
class MoreFunctions:
    """Functions that work on the same state: what writes them, and the names of those that are called from outside."""

    texts: MoreTexts
    names: tuple[str, ...]
    build: Build = RESUMABLE
    """What the code of the rules is made with."""
    report: int = 16
    """How many bytes there are where failures are reported: whatever else the code looks for behind them is 0."""


class Stepper:
    """`closely` is a build that checks every range, those that were proved included; an `inspected` one, which plays a
    series, looks at what the rules say always holds and counts what happens in games; a `guarded` one checks every
    access to memory. `without` names passes that are not applied to its code
    (`chocolatl.interpreter.native.builds.passes`); `more` are functions that it has besides."""

    def __init__(
        self, game: Game, level: int = FAST, closely: bool = False, inspected: bool = False, guarded: bool = False,
        without: Iterable[str] = (), more: MoreFunctions | None = None,
    ) -> None:  # fmt: skip
        self.game = game
        self.more = more
        self.report = more.report if more is not None else 16
        self.closely = closely
        self.inspected = inspected
        self.guarded = guarded
        self.without = frozenset(without)
        self.occurrences = Occurrences(game.ir) if inspected else None
        self.program = game.program
        self.memory = self.module.memory
        self.size = self.memory.size
        self.whole = (1 + game.player_count) * self.size
        names = (*FUNCTIONS, *(more.names if more is not None else ()))
        if guarded:
            from chocolatl.interpreter.native.builds.trespass import guarded_code

            self.code, self.guard = guarded_code(self.module, level, *names)
            self.around = self.guard.around
        else:
            self.code = LoadedCode(cached(self.module.text, level, checked), *names)
            self.around = as_it_is
        self.results = Results(game, self.memory, self.code.address("winners"), self.around)
        self.settle = self.function("settle", None)
        self.run = self.function("run", None)
        self.apply = self.function("apply", None, NUMBER, POINTER, NUMBER)
        self.play_on = self.function("play_on", None, NUMBER, NUMBER, ctypes.c_bool, NUMBER, ctypes.c_bool)
        self.who = self.function("who", NUMBER)
        self.labels = self.function("labels", None, POINTER)
        self.legal = self.function("legal", NUMBER, NUMBER, POINTER)
        self.series = self.function("series", NUMBER, ctypes.c_uint64, ctypes.c_uint64, NUMBER, POINTER)
        self.sums = Sums(game.ir)

    def function(self, name: str, result: type | None, *given: type) -> NativeFunction:
        return self.around(ctypes.CFUNCTYPE(result, STATE, *given)(self.code.address(name)))

    @cached_property
    def module(self) -> Module:
        """The text of the code, by which the cache knows it, and what its numbers stand for."""
        more, build = (self.more.texts, self.more.build) if self.more is not None else (None, RESUMABLE)
        given = (self.program, processor()[1], self.closely, self.inspected, self.without)
        if not self.guarded:
            return stepwise(*given, more=more, build=build)
        from chocolatl.interpreter.native.builds import guarded

        return guarded.stepwise(*given, more=more, build=build)

    # ------------------------------------------------------------ tables

    def load(self, position: Position, randoms: Sequence[Random] | None = None) -> SteppedGame:
        """The game from a position on; random numbers of chance, then of each seat, if any are to be drawn."""
        table = SteppedGame(self, None)
        table.write(0, position.slots)
        table.after(self.settle)
        if position.sealed is not None:
            table.answers = tuple(private.answers for private in position.sealed)
            for player, private in enumerate(position.sealed):
                if private.answers:  # who has answered nothing stands where the block has just been entered
                    table.write(1 + player, private.slots)
        if randoms is not None:
            table.set_randoms(randoms)
        return table

    def start(self, randoms: Sequence[Random]) -> SteppedGame:
        """The game from its beginning, at its first decision or chance."""
        table = SteppedGame(self, None)
        table.write(0, self.program.initial())
        table.set_randoms(randoms)
        return table.after(self.settle)


@dataclass(frozen=True)
class Resumed:
    """A series of random games from one position."""

    stepper: Stepper
    start: Position

    @property
    def sums(self) -> Sums:
        return self.stepper.sums

    def series(self, seed: int, first: int, count: int) -> Summed:
        """Games number `first` and following, up to the first that fails."""
        words = (ctypes.c_int64 * self.sums.size)()
        words[self.sums.shortest] = MASK >> 1
        # The state that is played on lies in front of the one that all games start from.
        whole, table = self.stepper.whole, self.stepper.load(self.start)
        state, counts = Buffer(2 * whole), Buffer(counted_bytes(self.stepper.occurrences))
        state.view[whole:] = table.state.view[:whole]
        for start in range(whole, 2 * whole, self.stepper.size):
            state.set_word(start + LOG, counts.address)
        self.stepper.series(state.address, seed & MASK, first & MASK, count, ctypes.addressof(words))
        return Summed(list(words), counted(counts, 0, self.stepper.occurrences), table.failure())


class SteppedGame:
    """One game under way: the common position and, in a secret block, the private copy of each player."""

    def __init__(self, stepper: Stepper, answers: tuple[tuple[Answer, ...], ...] | None) -> None:
        self.stepper = stepper
        self.state = Buffer(stepper.whole + stepper.report)
        self.answers = answers
        """What each player has answered in the secret block that is open, if one is."""
        # Private copies are made of the common position, so that it is enough to say it there.
        self.state.set_word(REPORT, self.state.address + stepper.whole)
        self.counts = Buffer(counted_bytes(stepper.occurrences))
        self.state.set_word(LOG, self.counts.address)

    def copy(self) -> SteppedGame:
        other, size = SteppedGame(self.stepper, self.answers), self.stepper.size
        own = bytes(other.state.view[REPORT : LOG + 8])
        for start in range(0, self.stepper.whole if self.is_sealed else size, size):
            other.state.view[start : start + size] = self.state.view[start : start + size]
            other.state.view[start + REPORT : start + LOG + 8] = own
        return other

    # ------------------------------------------------------------ from and to the interpreter

    def write(self, number: int, slots: Slots) -> None:
        """Put slots into the common position (0) or a private copy."""
        start = number * self.stepper.size
        write(self.stepper.memory, slots, self.state.view[start : start + self.stepper.size])
        self.state.set_word(start + AT, slots[PC])
        self.state.set_word(start + SECRET, slots[SEALED])

    def read(self, number: int) -> Slots:
        start = number * self.stepper.size
        slots = read(self.stepper.memory, self.state.view[start : start + self.stepper.size])
        slots[PC], slots[SEALED] = self.state.word(start + AT), self.state.word(start + SECRET)
        return slots

    def position(self) -> Position:
        if self.answers is None:
            return Position(self.read(0))
        return Position(
            self.read(0), tuple(PrivateCopy(self.read(1 + p), given) for p, given in enumerate(self.answers))
        )

    def reading(self) -> Position:
        """The common position, read as far as it is looked at, as long as the table stays as it is."""
        return Position(cast(Slots, SlotsInMemory(self.stepper.memory, self.state.view[: self.stepper.size], self.at)))

    def set_randoms(self, randoms: Sequence[Random]) -> None:
        """The random numbers of chance, then of each seat."""
        words = b"".join(word.to_bytes(4, "little") for random in randoms for word in random.state())
        for start in range(STREAMS, self.stepper.whole, self.stepper.size):
            self.state.view[start : start + len(words)] = words

    def randoms(self) -> tuple[Random, ...]:
        return tuple(self._random(stream) for stream in range(self.stepper.game.player_count + 1))

    def _random(self, stream: int) -> Random:
        """While a secret block is open, a player's lie in the player's copy."""
        start = STREAMS + 16 * stream + (stream * self.stepper.size if self.is_sealed else 0)
        words = self.state.view[start : start + 16].cast("I")
        return Random.from_state(list(words))

    # ------------------------------------------------------------ what is asked

    @property
    def at(self) -> int:
        return self.state.word(AT)

    @property
    def is_over(self) -> bool:
        return self.at in (END_OF_GAME, END_OF_START)

    @property
    def is_sealed(self) -> bool:
        return self.answers is not None

    @property
    def is_chance(self) -> bool:
        """Whether chance has to speak; `run` lets it."""
        stop = self.stepper.program.stops.get(self.at)
        if stop is None:
            return False
        match stop.node:
            case ir.Roll() | ir.Draw():
                return True
            case ir.Choose() | ir.ChooseSet() | ir.Secretly():
                return False
            case _:
                assert_never(stop.node)

    @property
    def pending(self) -> tuple[NativeQuestion, ...]:
        """Who has to answer what; several players in a secret block, nobody when chance is next or all is over."""
        copies = range(1, 1 + self.stepper.game.player_count) if self.is_sealed else range(1)
        found = (self._question(number) for number in copies)
        return tuple(question for question in found if question is not None)

    def _question(self, number: int) -> NativeQuestion | None:
        start = number * self.stepper.size
        stop = self.stepper.program.stops.get(self.state.word(start + AT))
        if stop is None or not isinstance(stop.node, CHOICES):
            return None
        return NativeQuestion(self, self.state.address + start, stop)

    def question(self, player: int) -> NativeQuestion | None:
        """What one player has to answer, if anything."""
        if self.is_sealed:
            return self._question(1 + player)
        return next((question for question in self.pending if question.player == player), None)

    # ------------------------------------------------------------ the course of the game

    def apply(self, player: int, answer: Answer) -> SteppedGame:
        """The game goes on after a legal answer, up to the next decision or chance."""
        question = self.question(player)
        if question is None or not question.answers.contains(answer):
            raise ValueError(f"player {player} cannot answer {answer!r} now")
        low = first_kind(question.node)
        if self.answers is not None:
            mine = (*self.answers[player], answer)
            self.answers = (*self.answers[:player], mine, *self.answers[player + 1 :])
        return self._apply(player, [value - low for value in (answer if isinstance(answer, tuple) else (answer,))])

    def resolve(self, outcome: Answer) -> SteppedGame:
        """The game goes on after a possible outcome of chance. Whether it is one is not looked at, only its range and
        that it does not bring more than is ever rolled."""
        stop = self.stepper.program.stops.get(self.at)
        if stop is None or not isinstance(stop.node, (ir.Roll, ir.Draw)):
            raise ValueError("chance does not speak now")
        type_ = stop.node.local.type
        assert not isinstance(type_, OrderType)
        element, values = (type_.element, outcome) if isinstance(type_, Multiset) else (type_, (outcome,))
        several = stop.node.count if isinstance(stop.node, ir.Roll) else None
        fitting = several is None or len(values) <= several.type.high
        if not fitting or not all(isinstance(value, int) and element.low <= value <= element.high for value in values):
            raise ValueError(f"chance cannot bring {outcome!r}")
        low = first_kind(stop.node)
        return self._apply(-1, [value - low for value in values])

    def _apply(self, player: int, values: Sequence[int]) -> SteppedGame:
        words = (ctypes.c_int64 * max(1, len(values)))(*values)
        return self.after(self.stepper.apply, player, ctypes.addressof(words), len(values))

    def run(self) -> SteppedGame:
        """Let chance speak until a decision is pending or the game is over."""
        return self.after(self.stepper.run)

    def play_on(self, horizon: Horizon = WHOLE_GAME, round: int | None = None) -> int:
        """Everybody answers at random up to a horizon; how many decisions that took. `round` is the one that has to
        end: the one at hand, if none is given. A secret block at the horizon has not been entered; `run` does that."""
        game = self.stepper.game
        if round is None:
            round = self.results.field(self.state, (None, "round"))[0] if game.has_rounds else 0
        most = -1 if horizon.most is None else horizon.most
        self.after(self.stepper.play_on, horizon.least, most, horizon.rounds, round, self.is_sealed)
        self.answers = None
        return self.state.word(DECISIONS)

    def after(self, function: NativeFunction, *given: int) -> SteppedGame:
        """The table after native code has changed it; `RuleError` if the rules fail."""
        before = self.state.word(ENTERED)
        function(self.state.address, *given)
        error = self.failure()
        if error is not None:
            raise error
        stop = self.stepper.program.stops.get(self.at)
        if stop is None or not isinstance(stop.node, ir.Secretly):
            self.answers = None
        elif self.state.word(ENTERED) != before:
            self.answers = ((),) * self.stepper.game.player_count
        return self

    def failure(self) -> RuleError | None:
        site = self.state.word(self.stepper.whole)
        if not site:
            return None
        value = self.state.word(self.stepper.whole + 8)
        return self.stepper.module.failure(self.stepper.game.codec, site - 1, value)

    def check(self) -> None:
        """`RuleError` if the rules failed where something was only asked: the table is as it was, and fails no more."""
        error = self.failure()
        if error is not None:
            self.state.set_word(self.stepper.whole, 0)
            raise error

    # ------------------------------------------------------------ results

    @property
    def results(self) -> Results:
        return self.stepper.results

    def scores(self) -> tuple[int, ...]:
        return self.results.scores(self.state)

    def result(self) -> Result:
        """`RuleError` if the rules fail where they say who wins."""
        found = self.results.of(self.state)
        self.check()
        return found
