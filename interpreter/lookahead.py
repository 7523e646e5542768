"""Looking ahead: where answers lead when everybody plays on at random.

It stands after the match in the pipeline, for players and solvers that try answers before they give one. All answers
meet the same world and the same random numbers, so that they differ by what they do and not by luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import streams
from interpreter.playout import Horizon, played_on
from interpreter.random import Random

Answers = Sequence[Answer]
"""What a player answers to one decision after the other; more than one only in a secret block."""


def endings(
    game: Game, world: Position, player: int, options: Sequence[Answers], seed: int, horizon: Horizon
) -> Iterator[Position]:
    """Where each of several options leads in a world, with the random numbers of a seed."""
    luck = streams(seed, 0, game.player_count)
    for answers in options:
        after = world
        for answer in answers:
            after = game.answer(after, player, answer)
        yield played_on(game, after, [stream.copy() for stream in luck], horizon, world)


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
