"""Games that nobody watches are played in place; they go the same way as those that somebody does."""

from __future__ import annotations

import random

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.lowered.layout import JOURNAL
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import is_uniform, play_game, play_on, streams
from chocolatl.interpreter.play.playout import Horizon, Playout, played_on
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.conftest import base_seed
from tests.games import Table, loaded, tables, walk


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


@pytest.mark.parametrize("table", [table for table in tables() if table.variant is None], ids=str)
@pytest.mark.parametrize("least", [0, 7])
def test_it_stops_at_the_end_of_a_round(table: Table, least: int) -> None:
    """The same as asking after every event whether the number of the round is another one."""
    game = table.load()
    positions = list(walk(game, base_seed()))
    for position in random.Random(base_seed()).sample(positions, min(5, len(positions))):
        rounds = [game.round(position)]

        def ends(world: Position, decisions: int, rounds: list[int] = rounds) -> bool:
            rounds.append(game.round(world))
            return rounds[-1] != rounds[-2] and decisions >= least

        luck = [streams(base_seed(), 0, game.player_count) for _ in range(2)]
        asked = play_on(game, position, [Asked()] * game.player_count, luck[0], until=ends).position
        found = played_on(game, position, luck[1], Horizon(least)).slots
        assert found[JOURNAL + 1 :] == asked.slots[JOURNAL + 1 :] and found[:JOURNAL] == asked.slots[:JOURNAL]


def test_it_stops_after_so_many_decisions_in_the_open() -> None:
    game = loaded(rules_folder() / "kuhn_poker", 3)
    for most in (1, 2):
        playout = Playout(game, game.initial(), Random(1), [Random(2)] * 3, Horizon(most=most))
        playout.run()
        assert playout.decisions == most


def test_only_the_random_player_is_not_asked() -> None:
    assert is_uniform(RandomPlayer())
    assert not is_uniform(GreedyPlayer()) and not is_uniform(Asked())
