"""Rows of a comparison of answers, from the interpreter's positions (a foreign function interface)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from chocolatl.interpreter.native.builds.module import MoreTexts
from chocolatl.interpreter.native.builds.results import Buffer
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stepper import NUMBER, POINTER, MoreFunctions, Stepper
from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.native.lookahead.comparing import ROWS, CountedThing, rows_texts, told
from chocolatl.interpreter.native.lookahead.decider import listed, load_position, words_of
from chocolatl.interpreter.native.lookahead.requests import Plan
from chocolatl.interpreter.native.lookahead.trying import FAILED, UNFIT
from chocolatl.interpreter.native.policy.control import PolicyControl
from chocolatl.interpreter.native.policy.features import NativePolicy
from chocolatl.interpreter.native.policy.layout import PolicyLayout
from chocolatl.interpreter.native.policy.resuming import policy_texts, resumable_by
from chocolatl.interpreter.play.game import Answer, Game, Position
from chocolatl.interpreter.play.playout import Horizon
from chocolatl.interpreter.policy.weights import PolicyWeights

ARGUMENTS = {"ptr": POINTER, "i64": NUMBER, "i1": ctypes.c_bool}


@dataclass(frozen=True)
class ToldEnd:
    """What is told of an end: whether the game is over, the round, scores by seat, and how much there is of each thing
    that is counted."""

    over: bool
    round: int
    scores: tuple[int, ...]
    counts: tuple[int, ...]


class RowMaker:
    """A game as native code that compares answers, and the memory in which it does. With `weights` all others answer by
    a policy, and everybody goes on by it; else at random."""

    def __init__(
        self, game: Game, level: int, counted: Sequence[CountedThing] = (), guarded: bool = False,
        weights: PolicyWeights | None = None,
    ) -> None:  # fmt: skip
        self.weights = weights
        texts = partial(rows_texts, counted=counted)
        if weights is None:
            more = MoreFunctions(texts, ("rows",))
        else:
            more = _following(weights, texts)
        self.stepper = Stepper(game, level, guarded=guarded, more=more)
        self.players, self.told = game.player_count, told(game.player_count, len(counted))
        self.function = self.stepper.function("rows", NUMBER, *(ARGUMENTS[type_] for type_, _ in ROWS))
        self.state = Buffer(3 * self.stepper.whole)
        self.report = Buffer(16)
        if weights is not None:
            layout = PolicyLayout(weights.form)
            self.control = PolicyControl(layout, [weights] * self.players, {weights: layout.block(weights)})
            self.report = self.control.memory
        self.state.set_word(REPORT, self.report.address)

    def rows(
        self, position: Position, player: int, options: Sequence[Sequence[Answer]], plan: Plan, seed: int, luck: int,
        first: int, count: int, horizon: Horizon,
    ) -> list[list[ToldEnd]] | None:  # fmt: skip
        """Worlds number `first` and following, in each all options; None where it is for the interpreter. `RuleError`
        if the rules fail."""
        given = listed(() if position.sealed is None else position.sealed[player].answers, 0)
        each = [listed(answers, 0) for answers in options]
        width = 1 + max(map(len, each))
        words = [word for option in each for word in (len(option), *option, *[0] * (width - 1 - len(option)))]
        room, size = max(plan.cards, 1, len(given), width), count * len(options) * self.told
        load_position(self.stepper, self.state, position)
        out, mask = (ctypes.c_int64 * max(1, size))(), (1 << 64) - 1
        found: int = self.function(
            self.state.address, player, words_of(plan.words), len(plan.words), (ctypes.c_int64 * room)(), room,
            words_of(given), len(given), words_of(words), len(words), width,
            _signed(seed & mask), _signed(luck & mask), first, count,
            horizon.least, -1 if horizon.most is None else horizon.most, horizon.rounds, out, size,
        )  # fmt: skip
        site, value = self.report.word(0), self.report.word(8)
        self.report.set_word(0, 0)  # also where it was only asked whether an answer fits
        if found == UNFIT:
            return None
        if found == FAILED:
            raise self.stepper.module.failure(self.stepper.game.codec, site - 1, value)
        ends = self._ends(list(out))
        return [[next(ends) for _ in options] for _ in range(count)]

    def _ends(self, words: list[int]) -> Iterator[ToldEnd]:
        for start in range(0, len(words), self.told):
            over, round_, *numbers = words[start : start + self.told]
            yield ToldEnd(bool(over), round_, tuple(numbers[: self.players]), tuple(numbers[self.players :]))


def _following(weights: PolicyWeights, texts: MoreTexts) -> MoreFunctions:
    """What a build needs in which a policy is followed."""
    layout = PolicyLayout(weights.form)
    policy = NativePolicy(weights.form, layout)

    def all_texts(states: StateAccess) -> Iterator[str]:
        yield from texts(states)
        yield from policy_texts(states, policy)

    return MoreFunctions(all_texts, ("rows",), resumable_by(policy), layout.size)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
