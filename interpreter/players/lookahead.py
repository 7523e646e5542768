"""Looking ahead (rollouts with common random numbers): where answers lead when everybody plays on at random.

It stands after the match in the pipeline, for players and solvers that try answers before they give one. All answers
meet the same world and the same random numbers, so that they differ by what they do and not by luck.

The interpreter plays on, until so much time has gone into a game that native code pays; then whoever is faster does. It
changes no answer who does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING

from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import Horizon, played_on

if TYPE_CHECKING:  # the compiler is imported where it is used
    from chocolatl.interpreter.native.builds.stepper import SteppedGame, Stepper

AnswerSequence = Sequence[Answer]
"""What a player answers to one decision after the other; more than one only in a secret block."""

PATIENCE = 0.2
"""So many seconds of playing on are spent before a game is compiled, which takes about as long."""

TRIED = 100
"""So many options are played on by each engine before the faster one goes on alone."""


@dataclass
class OptionPace:
    """How long an engine took for some options."""

    seconds: float = 0.0
    options: int = 0

    @property
    def each(self) -> float:
        return self.seconds / max(1, self.options)

    @contextmanager
    def watched(self, options: int) -> Iterator[None]:
        begin = thread_time()
        yield
        self.seconds += thread_time() - begin
        self.options += options


@dataclass
class LookaheadEffort:
    """What has gone into a game so far: how long each engine took, by how far it is looked ahead.

    The interpreter comes first. Once it pays to compile, native code is tried as well; going over to it takes a time of
    its own, which is lost where little is played on. Where there is no compiler, `patience` is without end."""

    patience: float = PATIENCE
    tried: float = TRIED
    stepper: Stepper | None = None
    interpreter: defaultdict[Horizon, OptionPace] = field(default_factory=lambda: defaultdict(OptionPace))
    native: defaultdict[Horizon, OptionPace] = field(default_factory=lambda: defaultdict(OptionPace))

    def faster(self, game: Game, horizon: Horizon) -> Stepper | None:
        """Native code, if it is to play on; else it is for the interpreter."""
        if self.stepper is None and sum(pace.seconds for pace in self.interpreter.values()) > self.patience:
            try:
                from chocolatl.interpreter.native.builds.stepper import Stepper
                from chocolatl.interpreter.native.llvm.compile import QUICK

                self.stepper = Stepper(game, QUICK)  # better code would not show: most time goes into the worlds
            except (ImportError, OSError, Refused):
                self.patience = float("inf")
        one, other = self.interpreter[horizon], self.native[horizon]
        if self.stepper is None or one.options < self.tried:
            return None
        return self.stepper if other.options < self.tried or not one.options or other.each < one.each else None


@lru_cache(maxsize=16)
def effort(program: LoweredGame) -> LookaheadEffort:
    """What has gone into a game so far."""
    return LookaheadEffort()


def endings(
    game: Game, world: Position, player: int, options: Sequence[AnswerSequence], seed: int, horizon: Horizon
) -> Iterator[Position]:
    """Where each of several options leads in a world, with the random numbers of a seed. They are there to be read, not
    to go on from."""
    luck, so_far = streams(seed, 0, game.player_count), effort(game.program)
    stepper = so_far.faster(game, horizon)
    pace = (so_far.interpreter if stepper is None else so_far.native)[horizon]
    if stepper is not None:
        with pace.watched(0):
            table, now = stepper.load(world, luck), game.round(world)
    for answers in options:
        with pace.watched(1):
            if stepper is not None:
                end = _natively(table.copy(), player, answers, horizon, now)
            else:
                after = world
                for answer in answers:
                    after = game.answer(after, player, answer)
                end = played_on(game, after, [stream.copy() for stream in luck], horizon, world)
        yield end


def _natively(table: SteppedGame, player: int, answers: AnswerSequence, horizon: Horizon, now: int) -> Position:
    for answer in answers:
        table.apply(player, answer)
    table.play_on(horizon, now)
    return table.reading()


def candidates(decision: Decision, most: int, random: Random) -> list[Answer]:
    """Answers to try, in canonical order: all of them if there are no more than so many, else some drawn at random."""
    answers = decision.answers
    count = answers.count()
    if count <= most:
        return list(answers)
    numbers = {below(count, random) for _ in range(most)}
    return [answers.nth(number) for number in sorted(numbers)]


def below(count: int, random: Random) -> int:
    """A number below a count of any size."""
    value, bits = random.next_u32(), 32
    while count >> bits - 16:  # so many more bits than the count has that no number is noticeably more likely
        value, bits = value << 32 | random.next_u32(), bits + 32
    return value * count >> bits
