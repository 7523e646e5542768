"""Quetzal at random: no object, tile, card or meeple is lost or counted twice, whatever is played.

What the specification says is compared with the game in `test_specifications.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
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
from tests.shipped.specifications import QUETZAL

BONUSES = ("plain", "gold", "discovery", "vp")
OBJECTS = {
    "pottery": (9, 4, 4, 4),
    "weapon": (9, 3, 3, 3),
    "tablet": (6, 3, 3, 3),
    "statuette": (3, 3, 3, 3),
    "mummy": (3, 2, 2, 2),
}
"""How many there are of each family, by bonus."""
PERMANENT = (
    *("reroll_two", "reroll_all", "gold_to_vp", "gold_to_discovery", "tablet_gold", "trio"),
    *("three_pottery", "three_weapons", "temple_discount", "extra_object", "extra_draw"),
)
IMMEDIATE = ("gain_gold", "gain_discovery")
TRACK = {2: "vp1", 4: "gold2", 6: "tile", 8: "vp2", 10: "gold3", 12: "tile", 14: "vp3", 15: "vp4"}
PLACEHOLDERS = {
    *("annex.quarry", "annex.small_temple", "annex.ruins", "chance", "worth_of", "track.prizes", "track.amounts"),
    *("village.colour", "village.costs", "village.slots", "village.offer", "automaton.families", "automaton.bonuses"),
    *("automaton.meeples", "object", "improvement_tile", "plan"),
}
ANNEXES = ("quarry", "small_temple", "ruins")
AUCTIONS = (*ANNEXES, "black_market", "ship", "second_ship")
MEEPLES = {2: 7, 3: 7, 4: 6, 5: 5}

# ---------------------------------------------------------------- what is printed on the components


def kinds(component: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = QUETZAL.components[component]["kinds"]
    return found


def test_there_are_so_many_objects_of_each_family_with_each_bonus() -> None:
    found = {(kind["family"], kind["bonus"]): kind["copies"] for kind in kinds("object")}
    assert found == {(f, b): n for f, numbers in OBJECTS.items() for b, n in zip(BONUSES, numbers, strict=True)}
    of_families = Counter({family: sum(numbers) for family, numbers in OBJECTS.items()})
    assert of_families == Counter(pottery=21, weapon=18, tablet=15, statuette=12, mummy=9)


def test_there_are_24_improvements_of_a_point_each() -> None:
    found = [(kind["name"], kind["effect"], kind["permanent"], kind["copies"]) for kind in kinds("improvement_tile")]
    assert found == [(n, n, True, 2) for n in PERMANENT] + [(n, n, False, 1) for n in IMMEDIATE]
    assert {kind["vp"] for kind in kinds("improvement_tile")} == {1}


def test_the_cards_of_the_automaton_are_all_pairs_of_slots_with_annexes_in_rotation() -> None:
    for number, (kind, pair) in enumerate(zip(kinds("plan"), combinations(range(1, 6), 2), strict=True)):
        assert (kind["upper"], kind["lower"]) == pair
        assert kind["annex"] == ANNEXES[number % 3] and kind["colour"] == "wild"
        assert kind["other"] == ("ship" if number % 2 else "black_market")


def test_the_discovery_track_has_15_spaces() -> None:
    prizes, amounts = QUETZAL.declared["track.prizes"]["value"], QUETZAL.declared["track.amounts"]["value"]
    spaces = {
        space: prize if prize == "tile" else f"{prize}{amount}"
        for space, (prize, amount) in enumerate(zip(prizes, amounts, strict=True), start=1)
        if prize != "empty"
    }
    assert spaces == TRACK and len(prizes) == 15


def test_what_is_made_up_is_marked() -> None:
    declared = {**QUETZAL.declared, **QUETZAL.components}
    assert {name for name, entry in declared.items() if "placeholder" in entry["confidence"]} == PLACEHOLDERS


# ---------------------------------------------------------------- random games


@pytest.mark.parametrize("combination", QUETZAL.combinations)
def test_random_games(combination: str, tmp_path: Path, evidence: Evidence) -> None:
    variant, settings = QUETZAL.combinations[combination]
    for players in QUETZAL.some_players(list(QUETZAL.combinations).index(combination)):
        game = QUETZAL.load(players, variant, settings)
        pieces = inventory(game, game.initial().slots)
        kind = f"Quetzal, {combination}, {players} players"
        for number, seed in enumerate(evidence.cases(f"random games of {kind}", full=500, slice=2)):
            log: Log = []
            recorded = Recorded(game, seed)
            played = play_game(game, [RandomPlayer()] * players, seed, observe=recorded.note, log=log)
            assert_explained(game, played.position, log)
            assert_ended(game, played.position)
            for position in (played.position, *recorded.look(number, kind, tmp_path, evidence)):
                assert inventory(game, position.slots) == pieces
                assert_kept_together(game, position)


@pytest.mark.parametrize("players", QUETZAL.players)
def test_every_position_of_a_game_keeps_its_pieces_together(players: int, evidence: Evidence) -> None:
    game = QUETZAL.load(players)
    pieces = inventory(game, game.initial().slots)
    for seed in evidence.cases(f"pieces at every position of Quetzal, {players} players", full=50, slice=1):
        for position in walk(game, seed):
            assert inventory(game, position.slots) == pieces
            assert_kept_together(game, position)


def assert_kept_together(game: Game, position: Position) -> None:
    """Everything is where it can be; what is laid, taken or kept keeps within its limits."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    sites, players = state["site"], state["player"].values()
    open_cards = {"temple": 8, **dict.fromkeys(ANNEXES, 2)}
    for name, site in sites.items():
        assert len(site["cards"]) <= open_cards.get(name, 0)
        assert name in AUCTIONS or name == "stele" or site["holder"] is None
        if name in AUCTIONS:
            assert bool(site["laid"]) == (site["holder"] is not None)
            assert {site["colour"], "wild", "character"} >= set(site["laid"])
            assert site["colour"] or not site["laid"] or site["holder"] == "automaton" or site["laid"] == ["character"]
    for player in players:
        assert player["gold"] >= 0 and 0 <= player["discovery"] <= 15
        assert len(set(player["active"])) == len(player["active"]) <= 2
        assert not set(player["active"]) & set(IMMEDIATE)
        assert player["score"] == sum(player["breakdown"].values())
    assert sum(player["deliveries"] for player in players) == len(sites["harbour"]["laid"])
    pending = {decision.name for decision in game.pending(position)}
    if pending & {"place", "meeple", "meeples", "colour"} or game.is_over(position):  # no meeple is in the air
        assert_meeples_kept(game, state)


def assert_meeples_kept(game: Game, state: Any) -> None:
    """All meeples lie somewhere, the character of each player among them; those of the automaton are not counted."""
    sites, players = state["site"], state["player"].values()
    found = Counter(meeple for player in players for meeple in (*player["reserve"], *player["lifted"]))
    for site in sites.values():
        if site["holder"] != "automaton":
            found.update(site["laid"])
    found["archaeologist"] -= sum(holder == "automaton" for holder in sites["temple"]["taken"].values())
    assert found.total() == MEEPLES[game.player_count] * game.player_count
    assert found["character"] == game.player_count


def assert_ended(game: Game, position: Position) -> None:
    """The last round was played, nobody has a meeple left, and the winners are ahead on both tracks."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    rounds = game.files.parameters["rounds"].value
    assert state["table"]["round"] == rounds
    assert len(state["table"]["plans_used"]) == (rounds if game.player_count == 2 else 0)
    standing = {name: (player["score"], player["discovery"]) for name, player in state["player"].items()}
    winners = [game.players[seat] for seat in game.result(position).winners]
    assert winners == [name for name in game.players if standing[name] == max(standing.values())]
    for player in state["player"].values():
        assert not player["reserve"] and not player["lifted"] and not player["seen"] and not player["used"]
        assert player["breakdown"]["gold"] == player["gold"] // 3
        assert player["breakdown"]["improvements"] == len(player["active"]) + len(player["retired"])
    assert not state["table"]["crate"] and not state["table"]["gained"]
