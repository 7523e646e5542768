"""A scenario played by the interpreter itself, with given answers: the judge of every claim."""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.game import Game, Position
from solver.scenario import Scenario, place


def to_horizon(game: Game, scenario: Scenario, player: int, answers: Sequence[object]) -> Position:
    """The position at the end of the round, or of the game, after the player's answers."""
    position = scenario.position
    start = game.round(position)
    asked: dict[tuple[str, int], int] = {}
    own = list(answers)
    while not game.is_over(position) and game.round(position) == start:
        chance = game.chance(position)
        if chance is not None:
            who = -1 if chance.owner is None else chance.owner
            time = asked.get(("chance " + chance.name, who), 0)
            asked["chance " + chance.name, who] = time + 1
            position = game.resolve(position, scenario.outcome(chance.outcomes, chance.name, who, time))
            continue
        pending = game.pending(position)
        decision = next((d for d in pending if d.player == player), pending[0])
        if decision.player == player and own:
            answer = own.pop(0)
        elif decision.player == player:
            answer = decision.answers.nth(0)
        else:
            key = (decision.node.name, decision.player)
            number = scenario.number(*key, asked.get(key, 0))
            asked[key] = asked.get(key, 0) + 1
            answer = decision.answers.nth(place(number, decision.answers.count()))
        position = game.answer(position, decision.player, answer)
    return position


def points(game: Game, position: Position, player: int) -> int:
    """A player's score."""
    return position.slots[game.program.layout.places[game.ir.score.key].base + player]
