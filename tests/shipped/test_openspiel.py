"""Lockstep with OpenSpiel: the same legal moves at every step and the same returns in the end as published code.

OpenSpiel plays the last, forced card of Goofspiel by itself, outside its history; here it is played like any other.
In Blotto it has one action for a whole allocation, which here is a choice for each field.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pyspiel
import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.play.game import Decision, Game, Position
from tests.conftest import Evidence
from tests.games import loaded


def ours(name: str, players: int, **settings: object) -> Game:
    return loaded(rules_folder() / name, players, json.dumps(settings))


def legal(decision: Decision) -> list[Json]:
    """All legal answers, as people write them."""
    return [decision.encode(answer) for answer in decision.answers]


def answered(game: Game, position: Position, player: int, value: Json) -> Position:
    decision = game.decision(position, player)
    assert decision is not None
    return game.answer(position, player, decision.decode(value))


def odds(game: Game, position: Position) -> dict[int, Fraction]:
    """The cards that chance can bring, with their probabilities."""
    chance = game.chance(position)
    assert chance is not None
    found: dict[int, Fraction] = {}
    for outcome, weight in chance.outcomes.odds():
        card = chance.encode(outcome)
        assert isinstance(card, int)
        found[card] = Fraction(weight, chance.outcomes.total)
    return found


def same_odds(game: Game, position: Position, state: Any) -> None:
    """Cards count from 1 here, from 0 there."""
    theirs = {action + 1: share for action, share in state.chance_outcomes()}
    found = odds(game, position)
    assert set(found) == set(theirs)
    assert all(abs(float(found[card]) - theirs[card]) < 1e-9 for card in theirs)


def resolved(game: Game, position: Position, value: int) -> Position:
    chance = game.chance(position)
    assert chance is not None
    return game.resolve(position, chance.decode(value))


def winners(returns: list[float]) -> tuple[int, ...]:
    return tuple(player for player, points in enumerate(returns) if points == max(returns))


# ---------------------------------------------------------------- Goofspiel

ORDERS = ("random", "ascending", "descending")


def their_goofspiel(players: int, cards: int, order: str, returns: str) -> Any:
    parameters = {"players": players, "num_cards": cards, "points_order": order, "returns_type": returns}
    return pyspiel.load_game("goofspiel", parameters)


def points(state: Any) -> list[int]:
    """The points so far, which OpenSpiel tells in words alone."""
    line = next(line for line in str(state).split("\n") if line.startswith("Points:"))
    return [int(word) for word in line.split()[1:]]


def bid_all(game: Game, position: Position, bids: list[int], choice: random.Random) -> Position:
    """All players bid, in any order."""
    for player in choice.sample(range(len(bids)), len(bids)):
        position = answered(game, position, player, bids[player])
    return position


def test_goofspiel_in_lockstep(evidence: Evidence) -> None:
    for seed in evidence.cases("Goofspiel in lockstep with OpenSpiel", full=1000, slice=40):
        choice = random.Random(seed)
        players, cards, order = choice.randint(2, 4), choice.randint(1, 13), choice.choice(ORDERS)
        game = ours("goofspiel", players, cards=cards, order=order, tie="discard")
        position = game.initial()
        state = their_goofspiel(players, cards, order, "total_points").new_initial_state()
        other = their_goofspiel(players, cards, order, "win_loss").new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                same_odds(game, position, state)
                action = choice.choice(state.legal_actions())
                state.apply_action(action)
                other.apply_action(action)
                position = resolved(game, position, action + 1)
                continue
            pending = game.pending(position)
            assert [decision.player for decision in pending] == list(range(players))
            for decision in pending:
                assert legal(decision) == [action + 1 for action in state.legal_actions(decision.player)]
            assert list(game.scores(position)) == points(state)
            actions = [choice.choice(state.legal_actions(player)) for player in range(players)]
            state.apply_actions(actions)
            other.apply_actions(actions)
            position = bid_all(game, position, [action + 1 for action in actions], choice)
        position = last_cards(game, position)
        assert game.is_over(position)
        assert list(game.result(position).scores) == state.returns()
        assert game.result(position).winners == winners(other.returns())


def last_cards(game: Game, position: Position) -> Position:
    """The end of the game after OpenSpiel's: everybody plays the last card, and nothing is left to decide."""
    if game.chance(position) is not None:
        ((card, share),) = odds(game, position).items()
        assert share == 1
        position = resolved(game, position, card)
    for decision in game.pending(position):
        (answer,) = decision.answers
        position = game.answer(position, decision.player, answer)
    return position


@pytest.mark.parametrize(
    ("players", "cards", "order"), [(2, 4, "ascending"), (2, 3, "random"), (2, 4, "descending"), (3, 3, "descending")]
)
def test_goofspiel_is_seen_as_openspiel_sees_it(players: int, cards: int, order: str) -> None:
    """All decisions of small games. OpenSpiel's information state forgets in which order cards were bid, so it lies
    between our view of the present and the memory of all our views: the memory tells apart all that OpenSpiel tells
    apart, and OpenSpiel all that our view does, the latest bids aside."""
    game = ours("goofspiel", players, cards=cards, order=order, tie="discard")
    start = their_goofspiel(players, cards, order, "total_points").new_initial_state()
    by_memory: dict[tuple[str, ...], str] = {}
    by_state: dict[str, str] = {}
    todo: list[tuple[Position, Any, tuple[str, ...]]] = [(game.initial(), start, ())]
    while todo:
        position, state, past = todo.pop()
        if state.is_chance_node():
            todo += [(resolved(game, position, a + 1), state.child(a), past) for a in state.legal_actions()]
            continue
        if state.is_terminal():
            continue
        view = game.view(position, 0)
        memory, theirs = (*past, str(view)), state.information_state_string(0)
        assert by_memory.setdefault(memory, theirs) == theirs
        present = str(without_bids(view)) + str(legal(game.pending(position)[0]))
        assert by_state.setdefault(theirs, present) == present
        for actions in product(*(state.legal_actions(player) for player in range(players))):
            after = state.clone()
            after.apply_actions(list(actions))
            bids = [action + 1 for action in actions]
            todo.append((bid_all(game, position, bids, random.Random(0)), after, memory))
    assert len(by_memory) >= len(by_state) > 20
    assert len(set(by_state.values())) > 15


def without_bids(view: Any) -> Any:
    """A view without the bids of the round before."""
    return {
        "table": view["state"]["table"],
        "player": [{k: v for k, v in record.items() if k != "bid"} for record in view["state"]["player"].values()],
    }


# ---------------------------------------------------------------- Blotto


def allocations(game: Game, position: Position, player: int) -> list[tuple[int, ...]]:
    """Everything that a player can lay out, choice by choice."""
    decision = game.decision(position, player)
    if decision is None:
        return [()]
    found = []
    for answer in decision.answers:
        rest = allocations(game, game.answer(position, player, answer), player)
        found += [(int(str(decision.encode(answer))), *more) for more in rest]
    return found


def their_allocations(state: Any) -> list[tuple[int, ...]]:
    """By action: OpenSpiel writes an allocation as `[0,1,3]`."""
    return [tuple(json.loads(state.action_to_string(0, action))) for action in state.legal_actions(0)]


@pytest.mark.parametrize(
    ("players", "coins", "fields"), [(2, 10, 3), (3, 4, 3), (2, 3, 4), (4, 5, 2), (2, 6, 1), (2, 1, 5)]
)
def test_blotto_has_the_same_allocations(players: int, coins: int, fields: int) -> None:
    game = ours("blotto", players, coins=coins, fields=fields)
    state = pyspiel.load_game("blotto", {"players": players, "coins": coins, "fields": fields}).new_initial_state()
    expected = their_allocations(state)
    assert len(expected) == len(set(expected))
    for player in range(players):
        assert sorted(allocations(game, game.initial(), player)) == sorted(expected)


def test_blotto_in_lockstep(evidence: Evidence) -> None:
    for seed in evidence.cases("Blotto in lockstep with OpenSpiel", full=1000, slice=40):
        choice = random.Random(seed)
        players, coins, fields = choice.randint(2, 4), choice.randint(1, 10), choice.randint(1, 4)
        game = ours("blotto", players, coins=coins, fields=fields)
        state = pyspiel.load_game("blotto", {"players": players, "coins": coins, "fields": fields}).new_initial_state()
        theirs = their_allocations(state)
        chosen = [choice.choice(theirs) for _ in range(players)]
        position = game.initial()
        laid: list[tuple[int, ...]] = [()] * players
        while any(len(part) < fields for part in laid):
            player = choice.choice([p for p in range(players) if len(laid[p]) < fields])
            decision = game.decision(position, player)
            assert decision is not None and decision.name == f"troops[{len(laid[player]) + 1}]"
            begun = [a for a in theirs if a[: len(laid[player])] == laid[player]]
            assert legal(decision) == sorted({a[len(laid[player])] for a in begun})
            coin = chosen[player][len(laid[player])]
            position = answered(game, position, player, coin)
            laid[player] += (coin,)
        assert game.is_over(position)
        state.apply_actions([state.legal_actions(0)[theirs.index(part)] for part in chosen])
        assert game.result(position).winners == winners(state.returns())
        won = [
            sum(1 for f in range(fields) if all(chosen[p][f] > chosen[q][f] for q in range(players) if q != p))
            for p in range(players)
        ]
        assert list(game.result(position).scores) == won


# ---------------------------------------------------------------- Kuhn poker

ACTIONS = ("pass", "bet")


def same_kuhn(game: Game, position: Position, state: Any) -> None:
    """Both sides wait for the same, and offer the same."""
    assert game.is_over(position) == state.is_terminal()
    if state.is_terminal():
        assert list(game.result(position).scores) == state.returns()
        assert game.result(position).winners == winners(state.returns())
    elif state.is_chance_node():
        same_odds(game, position, state)
    else:
        (decision,) = game.pending(position)
        assert decision.player == state.current_player()
        assert legal(decision) == [ACTIONS[action] for action in state.legal_actions()]


def next_kuhn(game: Game, position: Position, state: Any, action: int) -> Position:
    if state.is_chance_node():
        return resolved(game, position, action + 1)
    return answered(game, position, state.current_player(), ACTIONS[action])


def test_kuhn_poker_in_lockstep(evidence: Evidence) -> None:
    for seed in evidence.cases("Kuhn poker in lockstep with OpenSpiel", full=1000, slice=40):
        choice = random.Random(seed)
        players = choice.randint(2, 4)
        game, position = ours("kuhn_poker", players), ours("kuhn_poker", players).initial()
        state = pyspiel.load_game("kuhn_poker", {"players": players}).new_initial_state()
        same_kuhn(game, position, state)
        while not state.is_terminal():
            action = choice.choice(state.legal_actions())
            position = next_kuhn(game, position, state, action)
            state.apply_action(action)
            same_kuhn(game, position, state)


@pytest.mark.parametrize(("players", "decisions"), [(2, 12), (3, 48), (4, 160)])
def test_kuhn_poker_has_the_same_information_sets(players: int, decisions: int) -> None:
    """Every history: two positions look the same to the player to move exactly when they do in OpenSpiel."""
    game = ours("kuhn_poker", players)
    by_state: dict[str, str] = {}
    todo = [(game.initial(), pyspiel.load_game("kuhn_poker", {"players": players}).new_initial_state())]
    while todo:
        position, state = todo.pop()
        same_kuhn(game, position, state)
        if not state.is_terminal() and not state.is_chance_node():
            player = state.current_player()
            seen = str(game.view(position, player))
            assert by_state.setdefault(f"{player} {state.information_state_string()}", seen) == seen
        if not state.is_terminal():
            for action in state.legal_actions():
                todo.append((next_kuhn(game, position, state, action), state.child(action)))
    assert len(by_state) == decisions
    assert len(set(by_state.values())) == len(by_state)
