"""Tables learned for small games: what they can lose, by OpenSpiel's best responses and by our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chocolatl.interpreter.learning import regrets
from chocolatl.interpreter.learning.exploitability import nash_conv, response_value, uniform
from chocolatl.interpreter.learning.game_tree import TooLargeForTable, game_tree
from chocolatl.interpreter.learning.regrets import Regrets, quantised
from chocolatl.interpreter.learning.table_training import learned_table
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import next_question
from chocolatl.interpreter.players.information import Informant, key, telling
from chocolatl.interpreter.players.tabular import TabularPolicy, WrongTable, weights_of
from chocolatl.solver.methods.response import best_response, points
from tests.conftest import Evidence
from tests.games import write_game
from tests.learning.published import Answers, allocation, card, decision, loss, theirs, uniform_loss
from tests.shipped.test_openspiel import ours

SMALL: dict[str, tuple[Callable[[], Game], Callable[[], Any], Answers]] = {
    "kuhn_poker": (lambda: ours("kuhn_poker", 2), lambda: theirs("kuhn_poker", players=2), decision),
    "blotto": (lambda: ours("blotto", 2), lambda: theirs("blotto", players=2, coins=10, fields=3), allocation),
    "goofspiel, 4 cards downwards": (
        lambda: ours("goofspiel", 2, cards=4, order="descending", tie="discard"),
        lambda: theirs("goofspiel", players=2, num_cards=4, points_order="descending"),
        card,
    ),
    "goofspiel, 3 cards": (
        lambda: ours("goofspiel", 2, cards=3, order="random", tie="discard"),
        lambda: theirs("goofspiel", players=2, num_cards=3, points_order="random"),
        card,
    ),
}


def learned(game: Game) -> tuple[Any, TabularPolicy]:
    table = learned_table(game_tree(game))
    return table, TabularPolicy.read(game, table.section())


@pytest.mark.parametrize("name", SMALL)
def test_what_a_table_can_lose_is_a_hundredth_of_what_uniform_play_can(name: str) -> None:
    """By OpenSpiel's best responses to what the file says, and by our own."""
    make, make_other, answers = SMALL[name]
    game, other = make(), make_other()
    table, policy = learned(game)
    most = uniform_loss(other)
    assert loss(game, policy, other, answers) < most / 100
    assert table.nash_conv < table.uniform / 100
    scale = 1 if table.objective == "points" else 2  # a share of victory is 0 or 1, where theirs win 1 and lose 1
    assert loss(game, policy, other, answers) == pytest.approx(scale * table.nash_conv, abs=1e-9)


@pytest.mark.full_counts
def test_four_cards_in_random_order() -> None:
    game = ours("goofspiel", 2, cards=4, order="random", tie="discard")
    other = theirs("goofspiel", players=2, num_cards=4, points_order="random")
    table, policy = learned(game)
    assert loss(game, policy, other, card) == pytest.approx(2 * table.nash_conv, abs=1e-9)
    assert table.nash_conv < table.uniform / 100


@pytest.mark.parametrize("players", [2, 3])
def test_the_best_response_is_that_of_the_solver(players: int) -> None:
    """Which plays all histories with exact fractions."""
    game = ours("kuhn_poker", players)
    tree = game_tree(game)
    for seat in range(players):
        exact = best_response(game, seat, points).value
        assert response_value(tree, uniform(tree), tree.scores[:, seat], seat) == pytest.approx(float(exact))


def test_the_equilibrium_of_kuhn_poker() -> None:
    """What is known of it: the value, when the second player bluffs and calls, and that the first one bets a king three
    times as often as a jack."""
    table, policy = learned(ours("kuhn_poker", 2))
    states = policy.choices["action"].states
    shares = {state: weights.get("bet", 0) / 10_000 for state, weights in states.items()}
    assert shares["p2; 2; ?1; [1]"] == pytest.approx(1 / 3, abs=0.02)
    assert shares["p2; 3; ?1; [2]"] == pytest.approx(1 / 3, abs=0.02)
    assert shares["p1; 2; [3]; ?1"] == pytest.approx(3 * shares["p1; 2; [1]; ?1"], abs=0.05)
    value = regrets.values(table.tree, table.policy, table.tree.scores[:, 0])[0]
    assert value == pytest.approx(-1 / 18, abs=0.002)


# ---------------------------------------------------------------- what is learned from


SHOWN = """
item guessing "Guessing"

each player has
    score : 0..9 = 0
    guess : 0..3 = 0

table has
    deck  : set of card hidden = every card
    pile  : set of card hidden
    shown : set of card

play
    draw c from deck into shown
    let secret_number = c.value
    move all shown to pile
    for each p in player
        p chooses p.guess from 1..3
        if p.guess is secret_number
            p gains 1 score for guessing
"""


def test_what_was_shown_for_a_moment_is_known(tmp_path: Path) -> None:
    """It lies in no field that can be seen; that the card is in the pile is what a player concludes."""
    table, policy = learned(load(write_game(tmp_path, SHOWN), 2))
    assert "concluded" in policy.choices["guess"].by
    assert table.nash_conv < 0.01


def test_what_a_player_may_not_know_changes_nothing(evidence: Evidence) -> None:
    """The weights of a decision are those in every world that the player cannot tell from this one."""
    game = ours("kuhn_poker", 3)
    _, policy = learned(game)
    for seed in evidence.cases("tables and what is hidden", full=300, slice=10):
        random = Random(seed)
        position = game.initial()
        while (asked := next_question(game, position)) is not None:
            if isinstance(asked, Decision):
                world = game.sample_unknown(position, asked.player, random)
                there = game.decision(world, asked.player)
                assert there is not None
                assert policy.weights(world, there) == policy.weights(position, asked)
                position = game.answer(position, asked.player, policy.choose(game, position, asked, random))
            else:
                position = game.resolve(position, asked.outcomes.sample(random))


def test_every_state_of_a_tree_is_found_again(tmp_path: Path) -> None:
    game = ours("goofspiel", 2, cards=3, order="random", tie="discard")
    tree = game_tree(game)
    by = telling([state.facts for state in tree.states])
    assert len({key(by, state.facts) for state in tree.states}) == len(tree.states) == 114
    assert by == ["player", "table.stack", "table.offer", "player.p1.hand", "player.p2.hand"]


def test_names_of_players_do_not_matter() -> None:
    game = ours("kuhn_poker", 2)
    other = game.with_players(("red", "blue"))
    position = game.initial()
    while (chance := game.chance(position)) is not None:
        position = game.resolve(position, next(iter(chance.outcomes.odds()))[0])
    one, two = game.pending(position)[0], other.pending(position)[0]
    assert Informant(game).facts(position, one) == Informant(other).facts(position, two)


# ---------------------------------------------------------------- learning


def test_the_same_rounds_give_the_same_table() -> None:
    tree = game_tree(ours("kuhn_poker", 2))
    first, again = learned_table(tree, 120), learned_table(tree, 120)
    assert first.section() == again.section() and first.rounds == 120


def test_an_interrupted_round_was_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = game_tree(ours("kuhn_poker", 2))
    regrets = Regrets(tree, tree.scores)
    for _ in range(20):
        regrets.improve()
    expected = regrets.mean()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("chocolatl.interpreter.learning.regrets.values", interrupted)
    with pytest.raises(KeyboardInterrupt):
        regrets.improve()
    assert np.array_equal(regrets.mean(), expected) and regrets.rounds == 20
    table = learned_table(tree)
    assert table.interrupted and table.rounds == 0


def test_more_rounds_lose_less() -> None:
    tree = game_tree(ours("blotto", 2, coins=5))
    regrets, lost = Regrets(tree, tree.shares), [nash_conv(tree, uniform(tree), tree.shares)]
    for _ in range(3):
        for _ in range(60):
            regrets.improve()
        lost.append(nash_conv(tree, regrets.mean(), tree.shares))
    assert lost[1] < lost[0] / 10 and lost[3] < lost[1] / 2


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLargeForTable, match="more than 150,000 histories"):
        game_tree(ours("goofspiel", 4))


@pytest.mark.parametrize(
    ("shares", "parts", "expected"),
    [([0.5, 0.5], 3, [2, 1]), ([1 / 3, 1 / 3, 1 / 3], 10, [4, 3, 3]), ([0.0, 1.0], 7, [0, 7])],
)
def test_weights_add_up(shares: list[float], parts: int, expected: list[int]) -> None:
    assert quantised(shares, parts) == expected


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize("text", ["", "pass", "pass -1", "pass 10001", "pass 1, pass 2", "pass x", "pass 1,bet"])
def test_damaged_weights_are_refused(text: str) -> None:
    with pytest.raises(WrongTable, match="is no list of answers and weights"):
        weights_of("action", text)


def test_a_state_that_a_table_does_not_know_is_played_at_random() -> None:
    game = ours("kuhn_poker", 2)
    policy = TabularPolicy.read(game, {"choices": {}})
    position: Position = game.initial()
    while (chance := game.chance(position)) is not None:
        position = game.resolve(position, next(iter(chance.outcomes.odds()))[0])
    assert policy.weights(position, game.pending(position)[0]) == [1, 1]
