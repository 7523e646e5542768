"""Chocolatl at random: whatever is played keeps all cards, stones, dice and points together.

What the specification says is compared with the game in `test_specifications.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.closely import Recorded
from tests.conftest import Evidence
from tests.games import assert_explained, inventory, walk
from tests.shipped.specifications import CHOCOLATL, Settings

COMBINATIONS: dict[str, tuple[str | None, Settings]] = {
    **CHOCOLATL.combinations,
    "all alternatives, full sweeps": (None, {**dict(CHOCOLATL.alternatives), "dice.passes": "full_sweep"}),
    "12 cards on three locations": ("three_locations", {"cards.values": list(range(13))}),
}


# ---------------------------------------------------------------- variants


def test_the_reduced_boards_have_as_many_ways_to_lay_the_cards_as_they_say() -> None:
    for stem, count in (("three_locations", 90), ("four_locations", 2_520), ("five_locations", 113_400)):
        game = CHOCOLATL.load(3, stem)
        position = game.initial()
        while game.chance(position) or game.pending(position)[0].name != "sealed[temple]":
            position = next(iter(successors(game, position)))
        ways = 1
        while (decision := game.decision(position, 0)) is not None:
            ways *= decision.answers.count()
            position = game.answer(position, 0, decision.answers.nth(0))
        assert ways == count


def successors(game: Game, position: Position) -> Iterator[Position]:
    """The positions after each answer to the first question."""
    chance = game.chance(position)
    if chance is not None:
        yield from (game.resolve(position, outcome) for outcome, _ in chance.outcomes.odds())
        return
    decision = game.pending(position)[0]
    yield from (game.answer(position, decision.player, answer) for answer in decision.answers)


# ---------------------------------------------------------------- random games


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_random_games(combination: str, tmp_path: Path, evidence: Evidence) -> None:
    variant, settings = COMBINATIONS[combination]
    for players in CHOCOLATL.some_players(list(COMBINATIONS).index(combination)):
        game = CHOCOLATL.load(players, variant, settings)
        pieces = inventory(game, game.initial().slots)
        kind = f"Chocolatl, {combination}, {players} players"
        for number, seed in enumerate(evidence.cases(f"random games of {kind}", full=1000, slice=3)):
            log: Log = []
            recorded = Recorded(game, seed)
            played = play_game(game, [RandomPlayer()] * players, seed, observe=recorded.note, log=log)
            assert inventory(game, played.position.slots) == pieces
            assert_kept_together(game, played.position)
            assert_explained(game, played.position, log)
            assert_ended(game, played.position)
            recorded.look(number, kind, tmp_path, evidence)


@pytest.mark.parametrize("players", CHOCOLATL.players)
def test_every_position_of_a_game_keeps_its_pieces_together(players: int, evidence: Evidence) -> None:
    game = CHOCOLATL.load(players)
    pieces = inventory(game, game.initial().slots)
    for seed in evidence.cases(f"pieces at every position of Chocolatl, {players} players", full=100, slice=1):
        for position in walk(game, seed):
            if position.sealed is None:
                assert inventory(game, position.slots) == pieces
                assert_kept_together(game, position)


def assert_kept_together(game: Game, position: Position) -> None:
    """Black dice, stones, huts and discs are where they can be."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    table, players = state["table"], state["player"].values()
    assert table["supply"] + table["village_dice"] + sum(player["dice"] for player in players) == 7
    for player in players:
        assert player["stones"] == max(0, 9 - player["huts"] - sum(player["placed"].values()))
    sizes = game.files.tables["pyramid.rows"].value
    rows = [sum(player["placed"][str(row)] for player in players) for row in range(1, len(sizes) + 1)]
    for below, (stones, size) in enumerate(zip(rows, sizes, strict=True)):
        assert stones <= size and (stones == 0 or rows[:below] == sizes[:below])
    assert sum(player["huts"] for player in players) <= 7
    if table["moves"]:
        assert len({player["arrival"] for player in players}) == len(players)


def assert_ended(game: Game, position: Position) -> None:
    """The game was over for a reason: the last round, a full pyramid, the last stone, or points enough."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    players = state["player"].values()
    rows: list[int] = game.files.tables["pyramid.rows"].value
    before = [sum(points for item, points in player["breakdown"].items() if item in SOURCES) for player in players]
    assert (
        state["table"]["round"] == game.files.parameters["end.rounds"].value
        or sum(sum(player["placed"].values()) for player in players) == sum(rows)
        or any(player["stones"] == 0 for player in players)
        or max(before) >= 40 - 2  # reached once in the last round, and 2 of them lost again
    )


SOURCES = ("temple", "plantation", "village", "pyramid", "drink", "court", "row_bonus")
"""Where points come from during play."""
