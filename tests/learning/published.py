"""What a learned table plays, as a policy of OpenSpiel: history by history, so that its best responses judge it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyspiel
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import Policy, UniformRandomPolicy

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.tabular import TabularPolicy

Answers = Callable[[Any, int], list[Any]]
"""What an action of a state of theirs is here: answers to one decision after the other, as people write them."""

KUHN = ("pass", "bet")


def card(state: Any, action: int) -> list[Any]:
    return [action + 1]


def decision(state: Any, action: int) -> list[Any]:
    return [KUHN[action]]


def allocation(state: Any, action: int) -> list[Any]:
    return list(json.loads(state.action_to_string(state.current_player(), action)))


def theirs(name: str, **parameters: object) -> Any:
    return pyspiel.load_game_as_turn_based(name, parameters)


def uniform_loss(other: Any) -> float:
    """Their NashConv of uniform play."""
    return float(nash_conv(other, UniformRandomPolicy(other)))


def loss(game: Game, table: TabularPolicy, other: Any, answers: Answers) -> float:
    """Their NashConv of a table."""
    return float(nash_conv(other, Translated(game, table, other, answers)))


class Translated(Policy):  # type: ignore[misc]  # OpenSpiel has no types
    """A table in the words of OpenSpiel, for each of its histories."""

    def __init__(self, game: Game, table: TabularPolicy, other: Any, answers: Answers) -> None:
        super().__init__(other, list(range(other.num_players())))
        self.ours, self.table, self.answers = game, table, answers
        self.known: dict[str, dict[int, float]] = {}
        self.walk(game.initial(), other.new_initial_state())

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        return self.known[state.history_str()]

    def walk(self, position: Position, state: Any) -> None:
        if state.is_terminal():
            return
        player = state.current_player()
        if player != pyspiel.PlayerId.CHANCE:
            self.known[state.history_str()] = {
                action: self.likely(position, player, self.answers(state, action)) for action in state.legal_actions()
            }
        for action in state.legal_actions():
            after = position
            if player == pyspiel.PlayerId.CHANCE:
                chance = self.ours.chance(position)
                assert chance is not None
                after = self.ours.resolve(position, chance.decode(action + 1))
            else:
                for value in self.answers(state, action):
                    decision = self.ours.decision(after, player)
                    assert decision is not None
                    after = self.ours.answer(after, player, decision.decode(value))
            self.walk(after, state.child(action))

    def likely(self, position: Position, player: int, values: list[Any]) -> float:
        """The share of some answers, one after the other."""
        share = 1.0
        for value in values:
            decision = self.ours.decision(position, player)
            assert decision is not None
            weights = self.table.weights(position, decision)
            answer = decision.decode(value)
            share *= weights[list(decision.answers).index(answer)] / sum(weights)
            position = self.ours.answer(position, player, answer)
        return share
