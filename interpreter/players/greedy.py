"""The `greedy` player: one step of looking ahead at the own score, for any game.

Each candidate answer is tried in the same few worlds that the player cannot tell from the true one, and each world is
played on at random; the answer with the best score on average is chosen, the first of equals in canonical order. All
candidates meet the same random numbers, so that they differ by what they do and not by luck. The player sees the
position through `game.sample_unknown` alone.

A world is played on to the end of the game if that is near, else to the end of a round, which is where scores can be
compared: it goes on while fewer than `DECISIONS` decisions were made in it, and then to the end of the round. A game
without rounds, or with a very long one, is left in the middle.
"""

from __future__ import annotations

from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import play_on, streams
from interpreter.players.uniform import RandomPlayer
from interpreter.random import Random

WORLDS = 16
"""In how many worlds each candidate is tried."""

CANDIDATES = 24
"""How many answers are tried at most: all of them if there are no more, else so many drawn at random."""

DECISIONS = 60
"""How far a world is played on before the end of a round is near enough."""

LONGEST = 400
"""How far it is played on in search of that end."""


class GreedyPlayer:
    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        candidates = _candidates(decision, random)
        if len(candidates) == 1:
            return candidates[0]
        me = decision.player
        players = [RandomPlayer()] * game.player_count
        totals = [0] * len(candidates)
        for _ in range(WORLDS):
            world = game.sample_unknown(position, me, random)
            luck = streams(random.next_u32(), 0, game.player_count)
            for number, answer in enumerate(candidates):
                after = game.answer(world, me, answer)
                randoms = [stream.copy() for stream in luck]
                end = play_on(game, after, players, randoms, until=_Horizon(game, after)).position
                totals[number] += game.scores(end)[me]
        return candidates[totals.index(max(totals))]


def _candidates(decision: Decision, random: Random) -> list[Answer]:
    """Answers to try, in canonical order."""
    answers = decision.answers
    count = answers.count()
    if count <= CANDIDATES:
        return list(answers)
    numbers = {_below(count, random) for _ in range(CANDIDATES)}
    return [answers.nth(number) for number in sorted(numbers)]


def _below(count: int, random: Random) -> int:
    """A number below a count of any size."""
    value, bits = random.next_u32(), 32
    while count >> bits - 16:  # so many more bits than the count has that no number is noticeably more likely
        value, bits = value << 32 | random.next_u32(), bits + 32
    return value * count >> bits


class _Horizon:
    """Says when a world has been played on far enough."""

    def __init__(self, game: Game, position: Position) -> None:
        self.game = game
        self.round = game.round(position)

    def __call__(self, world: Position, decisions: int) -> bool:
        if not self.game.has_rounds:
            return decisions >= DECISIONS
        before, self.round = self.round, self.game.round(world)
        return decisions >= LONGEST or (decisions >= DECISIONS and self.round != before)
