"""Whole decisions of players that look ahead, from the interpreter's positions (a foreign function interface)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence

from chocolatl.interpreter.lowered.layout import PC
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.results import Buffer
from chocolatl.interpreter.native.builds.stepper import NUMBER, POINTER, MoreFunctions, Stepper
from chocolatl.interpreter.native.builds.stops import first_kind
from chocolatl.interpreter.native.layout.contents import write
from chocolatl.interpreter.native.layout.memory import AT, REPORT, STREAMS
from chocolatl.interpreter.native.lookahead.deciding import DECIDE, deciding_texts
from chocolatl.interpreter.native.lookahead.desk import MOST_OPTIONS
from chocolatl.interpreter.native.lookahead.requests import Halving, Plan
from chocolatl.interpreter.native.lookahead.trying import FAILED, UNFIT
from chocolatl.interpreter.play.game import Answer, Decision, Position
from chocolatl.interpreter.play.playout import Horizon
from chocolatl.interpreter.program.types import LARGEST, Scalar

DECIDING = MoreFunctions(deciding_texts, ("decide",))
"""What a `Stepper` needs besides."""

MOST_TRIES = 1 << 20
"""Scores of so many tries are added up."""


class Decider:
    """One game as native code that decides, and the memory in which it does."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        given = [POINTER if type_ == "ptr" else NUMBER for type_, _ in DECIDE]
        self.function = stepper.function("decide", NUMBER, *given)
        self.end = 3 * stepper.whole
        self.state = Buffer(self.end + 16)
        self.state.set_word(REPORT, self.state.address + self.end)
        score = stepper.game.ir.score.type
        assert isinstance(score, Scalar)
        self.fits = max(-score.low, score.high) <= LARGEST // MOST_TRIES
        """Whether the sum of many scores is a word."""

    def can_add(self, options: int) -> bool:
        """Whether there is room for so many options and their scores."""
        return self.fits and options <= MOST_OPTIONS

    def best(
        self, position: Position, decision: Decision, options: Sequence[Answer], plan: Plan, halving: Halving,
        horizon: Horizon, random: Random,
    ) -> int | None:  # fmt: skip
        """The number of the best option, after as many random numbers as the interpreter draws; None where the
        interpreter has to decide. `RuleError` if the rules fail."""
        player = decision.player
        given = () if position.sealed is None else position.sealed[player].answers
        answered = listed(given, 0)
        low = first_kind(decision.node)
        width = 1 + max(map(_length, options))
        written = listed(options, low, width)
        room = max(plan.cards, 1, len(answered))
        load_position(self.stepper, self.state, position)
        start = STREAMS + 16 * (1 + player)
        self.state.view[start : start + 16] = b"".join(word.to_bytes(4, "little") for word in random.state())
        found: int = self.function(
            self.state.address, player, words_of(plan.words), len(plan.words), (ctypes.c_int64 * room)(), room,
            words_of(answered), len(answered), words_of(written), len(written), width,
            halving.worlds, halving.tries, horizon.least, -1 if horizon.most is None else horizon.most,
        )  # fmt: skip
        site, value = self.state.word(self.end), self.state.word(self.end + 8)
        self.state.set_word(self.end, 0)  # also where it was only asked whether an answer fits
        if found == UNFIT:
            return None
        if found == FAILED:
            raise self.stepper.module.failure(self.stepper.game.codec, site - 1, value)
        random.go_on_from(list(self.state.view[start : start + 16].cast("I")))
        return found


def load_position(stepper: Stepper, state: Buffer, position: Position) -> None:
    """The common position; what is private in a secret block is found from it anew."""
    write(stepper.memory, position.slots, state.view[: stepper.size])
    state.set_word(AT, position.slots[PC])


def words_of(numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(1, len(numbers)))(*numbers)


def _length(answer: Answer) -> int:
    return len(answer) if isinstance(answer, tuple) else 1


def listed(answers: Iterable[Answer], low: int, width: int = 0) -> list[int]:
    """Answers as words, each with its length in front, and made as long as the width."""
    words: list[int] = []
    for answer in answers:
        values = answer if isinstance(answer, tuple) else (answer,)
        words += [len(values), *(value - low for value in values)]
        words += [0] * (width - 1 - len(values))
    return words
