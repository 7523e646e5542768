"""Games that nobody watches are played in place; they go the same way as those that somebody does."""

from __future__ import annotations

import random

import pytest

from interpreter.formats.position import dump_position
from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import is_uniform, play_game, play_on, streams
from interpreter.players.greedy import GreedyPlayer
from interpreter.players.uniform import RandomPlayer
from interpreter.random import Random
from tests.conftest import base_seed
from tests.games import Table, tables, walk


class Asked:
    """A random player that does not say so, and is asked."""

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return decision.answers.sample(random)


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_game_goes_the_same_way_unwatched(table: Table) -> None:
    game = table.load()
    for index in range(3):
        watched = play_game(game, [Asked()] * game.player_count, base_seed(), index)
        alone = play_game(game, [RandomPlayer()] * game.player_count, base_seed(), index)
        assert alone == watched


@pytest.mark.parametrize("table", tables(), ids=str)
def test_it_does_so_from_any_position_and_leaves_that_as_it_was(table: Table) -> None:
    game = table.load()
    positions = list(walk(game, base_seed()))
    for position in random.Random(base_seed()).sample(positions, min(5, len(positions))):
        before = dump_position(game, position)
        ends = [
            play_on(game, position, [player] * game.player_count, streams(base_seed(), 0, game.player_count))
            for player in (Asked(), RandomPlayer())
        ]
        assert ends[0] == ends[1]
        assert dump_position(game, position) == before


def test_only_the_random_player_is_not_asked() -> None:
    assert is_uniform(RandomPlayer())
    assert not is_uniform(GreedyPlayer()) and not is_uniform(Asked())
