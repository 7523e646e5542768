"""Looking ahead: where answers lead when everybody plays on at random.

It stands after the match in the pipeline, for players and solvers that try answers before they give one. All answers
meet the same world and the same random numbers, so that they differ by what they do and not by luck.

The interpreter plays, until so much time has gone into a game that native code pays; who plays changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING

from interpreter.engine.compile import Program
from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import streams
from interpreter.playout import Horizon, played_on
from interpreter.random import Random

if TYPE_CHECKING:  # the compiler is imported where it is used
    from interpreter.native.stepper import Stepper

Answers = Sequence[Answer]
"""What a player answers to one decision after the other; more than one only in a secret block."""

PATIENCE = 0.2
"""So many seconds of playing on are spent before a game is compiled, which takes about as long."""


@dataclass
class Effort:
    """How long a game has been played on by the interpreter, and the native code that does so from then on.

    It has no such code if `patience` is without end: where there is no compiler, the interpreter goes on."""

    spent: float = 0.0
    patience: float = PATIENCE
    stepper: Stepper | None = None

    def native(self, game: Game) -> Stepper | None:
        if self.stepper is None and self.spent > self.patience:
            try:
                from interpreter.native.compile import QUICK
                from interpreter.native.stepper import Stepper

                self.stepper = Stepper(game, QUICK)  # better code would not show: most time goes into the worlds
            except (ImportError, OSError):
                self.patience = float("inf")
        return self.stepper


@lru_cache(maxsize=16)
def effort(program: Program) -> Effort:
    """What has gone into a game so far."""
    return Effort()


def endings(
    game: Game, world: Position, player: int, options: Sequence[Answers], seed: int, horizon: Horizon
) -> Iterator[Position]:
    """Where each of several options leads in a world, with the random numbers of a seed. They are there to be read, not
    to go on from."""
    luck, so_far = streams(seed, 0, game.player_count), effort(game.program)
    stepper = so_far.native(game)
    if stepper is not None:
        yield from _natively(stepper, world, player, options, luck, horizon)
        return
    for answers in options:
        begin = thread_time()
        after = world
        for answer in answers:
            after = game.answer(after, player, answer)
        end = played_on(game, after, [stream.copy() for stream in luck], horizon, world)
        so_far.spent += thread_time() - begin
        yield end


def _natively(
    stepper: Stepper, world: Position, player: int, options: Sequence[Answers], luck: Sequence[Random], horizon: Horizon
) -> Iterator[Position]:
    table, now = stepper.load(world, luck), stepper.game.round(world)
    for answers in options:
        after = table.copy()
        for answer in answers:
            after.apply(player, answer)
        after.play_on(horizon, now)
        yield after.reading()


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
