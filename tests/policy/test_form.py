"""Policies of any rules: every rule file has a form, a policy sees what its player may see, and without weights it
plays the games of random players."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.traced import traced_games
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.policy.integers import MOST_FEATURES, MOST_MULTIPLIERS, MOST_SCALED, MOST_TERMS, TOP
from chocolatl.interpreter.policy.weights import uniform_weights
from tests.conftest import Evidence, base_seed
from tests.games import Table, tables, walk, write_game
from tests.policy.drawing import decided, form_of, scales_of, weights_at_random

SHIPPED = sorted({table.game for table in tables()})


def one_table(name: str) -> Table:
    return random.Random(base_seed()).choice([table for table in tables() if table.game == name])


@pytest.mark.parametrize("name", SHIPPED)
def test_every_game_has_a_form_within_its_bounds(name: str) -> None:
    form = form_of(one_table(name).load())
    assert form.features[0].name == "1"
    assert len({feature.name for feature in form.features}) == len(form.features)
    assert len({table.name for table in form.tables}) == len(form.tables)
    for table in form.tables:
        assert len(table.features) <= MOST_FEATURES
        assert 0 < len(table.terms) <= MOST_TERMS
        assert len(table.multipliers) <= MOST_MULTIPLIERS


@pytest.mark.parametrize("name", SHIPPED)
def test_without_weights_a_policy_plays_the_games_of_random_players(name: str, evidence: Evidence) -> None:
    game = one_table(name).load()
    form = form_of(game)
    seats = [uniform_weights(form, scales_of(game))] * game.player_count
    for seed in evidence.cases("policies without weights", full=1000, slice=2):
        trace = traced_games(game, form, seats, seed, 0, 1)
        end = play_game(game, [RandomPlayer()] * game.player_count, seed)
        assert tuple(trace.scores[0]) == game.result(end.position).scores


@pytest.mark.parametrize("name", SHIPPED)
def test_a_policy_depends_on_nothing_that_its_player_may_not_know(name: str, evidence: Evidence) -> None:
    game = one_table(name).load()
    for seed in evidence.cases("policies among other secrets", full=300, slice=2):
        weights = weights_at_random(game, seed)
        asked = [(p, d) for p in walk(game, seed) for d in game.pending(p)]
        for position, decision in random.Random(seed).sample(asked, min(6, len(asked))):
            other = game.sample_unknown(position, decision.player, Random(seed))
            same = game.decision(other, decision.player)
            assert same is not None
            here, there = (
                decided(game, weights, where, what, seed) for where, what in ((position, decision), (other, same))
            )
            evidence.count("decisions")
            assert [(d.context, d.multipliers, list(d.odds)) for d in here] == [
                (d.context, d.multipliers, list(d.odds)) for d in there
            ]


def test_a_trace_tells_what_a_policy_saw_and_drew() -> None:
    game = one_table("chocolatl").load()
    form, weights = form_of(game), weights_at_random(game, 1)
    trace = traced_games(game, form, [weights, *[None] * (game.player_count - 1)], 3, 0, 2, scales=weights.scales)
    assert trace.shares.sum(axis=1).tolist() == [1.0, 1.0]
    orders = sorted(int(order) for rows in trace.decisions for order in rows["order"][rows["game"] == 0])
    assert orders == list(range(len(orders))), "each draw of a game has its number"
    for table, rows in zip(form.tables, trace.decisions, strict=True):
        assert (rows["x"][:, 0] == 64).all() and (abs(rows["x"]) <= MOST_SCALED).all()
        assert (rows["weight"] > 0).all() and (rows["weight"] <= rows["total"]).all()
        if table.elements is not None:
            assert (rows["legal"] >> rows["taken"].astype("u8") & 1).all(), "what was taken is legal"
        random_rows = rows[rows["seat"] > 0]
        assert (random_rows["weight"] == TOP).all() and (random_rows["total"] == TOP * random_rows["answers"]).all()
    assert {int(seat) for seat in trace.moments["seat"]} == set(range(game.player_count))


VALUED = """
each player has
    score : 0..99
    level : 0..20

value toll(n : 1..4) = 3 * n mod 5

value worth(p : player, n : 0..20) = p.level * n

play
    for each p in player
        p chooses n from 1..4 as step
        p gains toll(n) score for walking
        p.level becomes n

item walking "Walking"
"""


def test_a_number_is_meant_by_a_parameter_of_its_own_bounds(tmp_path: Path) -> None:
    """A step is no amount that something is worth, though it lies between the bounds of one."""
    form = form_of(load(write_game(tmp_path, VALUED), 2))
    (steps,) = form.tables
    assert {term.feature.called for term in steps.terms} == {"it", "toll(n)"}
