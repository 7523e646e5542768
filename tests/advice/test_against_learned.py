"""Questions about learned players: what the solver reckons with is what they play, to the horizon and by their odds."""

from __future__ import annotations

from collections import Counter

import pytest

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.play.playout import WHOLE_GAME
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.solver.methods.continuations import LUCK, by_conduct
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.opponents import conduct_of, opponents
from tests.games import loaded, walk

GAMES = games_in(rules_folder())
TABLES = [("kuhn_poker", 2), ("goofspiel", 3), ("blotto", 2), ("chocolatl", 3)]


@pytest.mark.parametrize("name", GAMES)
def test_playing_on_is_a_match_of_learned_players(name: str) -> None:
    """With the same numbers: chance and each seat have their own."""
    game = loaded(rules_folder() / name, 3 if name in ("chocolatl", "quetzal") else 2)
    player = LearnedPlayer()
    conduct = conduct_of(game, player)
    assert conduct is not None
    for seed in range(2):
        scenario = FixedScenario(game.initial(), seed - LUCK, conduct=conduct)
        end = by_conduct(game, scenario, conduct, 0, (), WHOLE_GAME)
        assert end == play_game(game, [player] * game.player_count, seed).position


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_odds_of_answers_are_those_they_are_drawn_by(name: str, players: int) -> None:
    game = loaded(rules_folder() / name, players)
    player = opponents(game, "learned")
    assert isinstance(player, LearnedPlayer)
    random, draws = Random(5), 300
    asked = [(at, game.pending(at)[0]) for at in walk(game, 3) if game.pending(at)]
    for position, decision in [each for each in asked if each[1].answers.count() > 1][:4]:
        odds = list(player.odds(game, position, decision))
        assert sum(share for _, share in odds) == 1
        assert len({answer for answer, _ in odds}) == len(odds)
        assert all(decision.answers.contains(answer) for answer, _ in odds)
        seen = Counter(player.choose(game, position, decision, random) for _ in range(draws))
        assert set(seen) <= {answer for answer, share in odds if share}
        for likely, share in sorted(odds, key=lambda each: -each[1])[:3]:
            error = (float(share * (1 - share)) / draws) ** 0.5
            assert abs(seen[likely] / draws - share) <= 5 * error
