"""The best response to uniform play over whole small games, against OpenSpiel's and against values known by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.policy import UniformRandomPolicy

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.game import Game, Result
from chocolatl.interpreter.play.library import load
from chocolatl.solver.methods.response import Response, TooManyHistories, Utility, best_response, margin, points, win
from tests.conftest import base_seed, scaled
from tests.games import loaded, write_game


def ours(name: str, players: int, **settings: object) -> Game:
    return loaded(rules_folder() / name, players, json.dumps(settings))


def theirs(name: str, player: int, **parameters: object) -> float:
    """OpenSpiel's value of its own best response to uniform play."""
    game = pyspiel.load_game_as_turn_based(name, parameters)
    value: float = BestResponsePolicy(game, player, UniformRandomPolicy(game)).value(game.new_initial_state())
    return value


def assert_same(found: Response, value: float) -> None:
    assert abs(float(found.value) - value) < 1e-9


# ---------------------------------------------------------------- OpenSpiel


@pytest.mark.parametrize(
    ("players", "player", "value"),
    [
        (2, 0, Fraction(1, 2)),
        (2, 1, Fraction(5, 12)),
        (3, 0, Fraction(25, 32)),
        (3, 1, Fraction(31, 48)),
        (3, 2, Fraction(61, 96)),
    ],
)
def test_kuhn_poker(players: int, player: int, value: Fraction) -> None:
    found = best_response(ours("kuhn_poker", players), player)
    assert_same(found, theirs("kuhn_poker", player, players=players))
    assert found.value == value


def duel(result: Result, player: int) -> int:
    """1 for the only winner, 0 for all if there are two, else -1."""
    return 0 if len(result.winners) > 1 else 2 * win(result, player) - 1


def ahead_of_mean(result: Result, player: int) -> Fraction:
    return result.scores[player] - Fraction(sum(result.scores), len(result.scores))


RETURNS: dict[str, Utility] = {"win_loss": duel, "total_points": points, "point_difference": ahead_of_mean}


@pytest.mark.parametrize("returns", RETURNS)
@pytest.mark.parametrize(
    ("cards", "order"), [(3, "random"), (3, "ascending"), (3, "descending"), (4, "ascending"), (4, "descending")]
)
def test_goofspiel(cards: int, order: str, returns: str) -> None:
    game = ours("goofspiel", 2, cards=cards, order=order, tie="discard")
    for player in range(2):
        value = theirs("goofspiel", player, players=2, num_cards=cards, points_order=order, returns_type=returns)
        assert_same(best_response(game, player, RETURNS[returns]), value)


def test_goofspiel_with_four_cards_in_random_order() -> None:
    """A slice tries one seat and one kind of returns, another one every day."""
    game = ours("goofspiel", 2, cards=4, order="random", tie="discard")
    number = base_seed()
    for case in range(number, number + scaled(full=6, slice=1)):
        player, returns = case % 2, list(RETURNS)[case % 3]
        value = theirs("goofspiel", player, players=2, num_cards=4, points_order="random", returns_type=returns)
        assert_same(best_response(game, player, RETURNS[returns]), value)


@pytest.mark.parametrize(
    ("coins", "value", "reached"), [(10, Fraction(7, 22), [3, 3, 4]), (5, Fraction(2, 7), [1, 2, 2])]
)
def test_blotto(coins: int, value: Fraction, reached: list[int]) -> None:
    found = best_response(ours("blotto", 2, coins=coins), 0, margin)
    assert found.value == value
    assert_same(found, theirs("blotto", 0, players=2, coins=coins, fields=3))
    assert sorted(answers(found)) == reached


def answers(found: Response) -> list[Any]:
    """The answers of a player who never sees anything before the end."""
    given, plan = [], found.plan
    while plan:
        ((answer, plan),) = plan.values()
        given.append(answer)
    return given


# ---------------------------------------------------------------- what the player knows

FIELDS = """
item guessing "Guessing"

each player has
    score : 0..9 = 0
    hand  : set of card secret
    guess : 0..3 = 0

table has
    deck  : set of card hidden = every card
    pile  : set of card hidden
    shown : set of card

play
"""
PAUSE = """
    for each p in player
        p chooses pause from yes/no where pause
"""
GUESS = """
    for each p in player
        p chooses p.guess from 1..3
        if p.guess is secret_number
            p gains 1 score for guessing
"""
SAME = """
    if (number of p in player where p.guess is 1) is not 1 and (number of p in player where p.guess is 2) is not 1
        for each p in player
            p gains 1 score for guessing
"""


@pytest.mark.parametrize(
    ("fact", "play", "player", "value"),
    [
        ("a roll is seen by all", "    roll secret_number from 1..3" + PAUSE + GUESS, 0, Fraction(1)),
        (
            "what chance lays face down is seen by nobody",
            "    draw c from deck into pile\n    let secret_number = c.value" + GUESS,
            0,
            Fraction(1, 3),
        ),
        (
            "what was shown for a moment is not forgotten",
            "    draw c from deck into shown\n    let secret_number = c.value\n    move all shown to pile"
            + PAUSE
            + GUESS,
            0,
            Fraction(1),
        ),
        (
            "the own card tells what the other one cannot be",
            """
    for each p in player
        draw deal from deck into p.hand for p
    for each p in player
        p chooses p.guess from 1..3
        for each q in player where q is not p
            if p.guess is (highest c.value for c in q.hand)
                p gains 1 score for guessing
""",
            0,
            Fraction(1, 2),
        ),
        (
            "an answer in a secret block is not seen",
            """
    every player p secretly
        p chooses p.guess from 1..3
"""
            + SAME,
            1,
            Fraction(1, 3),
        ),
        (
            "an open answer is seen by those who come after",
            """
    for each p in player
        p chooses p.guess from 1..3
"""
            + SAME,
            1,
            Fraction(1),
        ),
        (
            "and not by those who came before",
            """
    for each p in player
        p chooses p.guess from 1..3
"""
            + SAME,
            0,
            Fraction(1, 3),
        ),
    ],
)
def test_a_player_uses_what_was_seen_and_nothing_else(
    tmp_path: Path, fact: str, play: str, player: int, value: Fraction
) -> None:
    game = load(write_game(tmp_path, FIELDS + play), 2)
    assert best_response(game, player).value == value, fact


# ---------------------------------------------------------------- limits


def test_a_game_with_too_many_histories_is_refused() -> None:
    with pytest.raises(TooManyHistories, match="more than 5,000 histories, too many to play it in every way"):
        best_response(ours("goofspiel", 2), 0, most=5000)
    game = ours("kuhn_poker", 2)
    assert best_response(game, 0, most=58).histories == 58
    with pytest.raises(TooManyHistories):
        best_response(game, 0, most=57)
