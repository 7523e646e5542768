"""What a native game asks: who has to answer, which answers are legal, numbered as by the interpreter (ranking and
unranking)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.lowered.zones import pack
from chocolatl.interpreter.native.builds.stops import COUNT, FIND
from chocolatl.interpreter.play.game import CHOICES, Answer

if TYPE_CHECKING:
    from chocolatl.interpreter.native.builds.stepper import SteppedGame

LIMIT = 1 << 63


class NativeQuestion:
    """Something that a player has to answer now. `RuleError` if it is nobody."""

    def __init__(self, table: SteppedGame, state: int, stop: SuspensionPoint) -> None:
        self.table = table
        self.state = state
        self.stop = stop
        assert isinstance(stop.node, CHOICES)
        self.node: ir.Choice = stop.node
        self.player: int = table.stepper.who(state)
        table.check()

    @property
    def name(self) -> str:
        """The name in the rules, with its index."""
        labels = (ctypes.c_int64 * max(1, len(self.node.indices)))()
        self.table.stepper.labels(self.state, ctypes.addressof(labels))
        self.table.check()
        return self.table.stepper.game.codec.choice_name(self.node, tuple(labels[: len(self.node.indices)]))

    @cached_property
    def answers(self) -> SingleNativeAnswers | SeveralAnswers:
        """The legal answers. That there is none is a mistake of the rules, and a `RuleError`."""
        answers = self._answers()
        self.table.check()
        if answers.empty:
            raise RuleError(self.node.span, f"there is no legal answer for `{self.name}`")
        return answers

    def _answers(self) -> SingleNativeAnswers | SeveralAnswers:
        match self.node:
            case ir.Choose():
                return SingleNativeAnswers(self)
            case ir.ChooseSet():
                return self._several(self.node)
            case _:
                assert_never(self.node)

    def _several(self, node: ir.ChooseSet) -> SeveralAnswers:
        element = ir.set_type(node.source).element
        words = (ctypes.c_int64 * (2 + element.size))()
        self.table.stepper.legal(self.state, COUNT, ctypes.addressof(words))
        return SeveralAnswers(pack(words[2:]), element.low, words[0], words[1])


class SingleNativeAnswers:
    """The legal answers to a choice of one element, or to a joint choice: the same as `SingleAnswers`."""

    def __init__(self, question: NativeQuestion) -> None:
        assert isinstance(question.node, ir.Choose)
        self.state = question.state
        self.legal = question.table.stepper.legal
        self.words = (ctypes.c_int64 * len(question.node.picks))()
        self.number: int = self._asked(COUNT)
        self.empty = not self.number

    def _asked(self, wanted: int) -> int:
        found: int = self.legal(self.state, wanted, ctypes.addressof(self.words))
        return found

    def count(self) -> int:
        return self.number

    def nth(self, position: int) -> Answer:
        if not 0 <= position < self.number:
            raise IndexError(position)
        self._asked(position)
        return self.words[0] if len(self.words) == 1 else tuple(self.words)

    def contains(self, answer: object) -> bool:
        values = answer if isinstance(answer, tuple) else (answer,)
        if len(values) != len(self.words):
            return False
        if not all(isinstance(value, int) and -LIMIT <= value < LIMIT for value in values):
            return False
        self.words[:] = list(values)
        return self._asked(FIND) >= 0

    def sample(self, random: Random) -> Answer:
        return self.nth(random.below(self.number))

    def __iter__(self) -> Iterator[Answer]:
        return (self.nth(position) for position in range(self.number))
