"""The second implementation of Quetzal by itself: the worked examples of its rules, and what holds in any game."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Evidence
from tests.reference.events import Disagreement, Event
from tests.reference.quetzal_reference import (
    ACTIVE,
    ANNEXES,
    AUTOMATON,
    CARDS,
    EXCHANGES,
    FALLS,
    IMPROVEMENTS,
    PLANS,
    ROUNDS,
    RULINGS,
    TEAM,
    TRACK,
    VALUES,
    Plan,
    Question,
    Reference,
    Some,
    best_value,
    greedy_value,
)

ALTERNATIVES: dict[str, tuple[Any, ...]] = {
    "unique.multi": (True, False),
    "auction.returned_wild": ("chosen_colour", "wild"),
    "auction.self_raise": (False, True),
    "camp.per": ("meeple", "visit"),
    "harbour.combine": (False, True),
    "deck.reshuffle": (True, False),
    "delivery.partition": ("greedy", "best"),
    "delivery.bonus_once": (True, False),
    "improvement.discard_new": (True, False),
    "improvement.duplicate_check": ("active", "owned"),
    "roll.both": (True, False),
    "temple.colour": ("archaeologist", "adventurer"),
    "roll.edge_gold": (0, 1),
}
PLAYERS = ("P", "Q", "R", "S", "T")
ADVENTURER, ARCHAEOLOGIST, WILD, CHARACTER = "adventurer", "archaeologist", "wild", "character"


def table_of(players: int = 3, reserve: dict[str, list[str]] | None = None, **rulings: Any) -> Reference:
    """A table on which nothing was dealt or thrown yet, but for the meeples of some. The rulings with __ for a dot."""
    game = Reference(PLAYERS[:players], {name.replace("__", "."): value for name, value in rulings.items()})
    for player, meeples in (reserve or {}).items():
        game.reserve[player] = list(meeples)
    return game


def asked(game: Reference) -> Question:
    assert game.question is not None
    return game.question


def say(game: Reference, name: str, *values: Any) -> None:
    """Answer the question, whosever it is; it has to have this name. Several values: so many such questions."""
    for value in values:
        question = asked(game)
        assert question.name == name
        game.take(Event(question.is_chance, question.who, name, value))


def go(game: Reference, player: str, spot: str, slot: int = 1) -> None:
    """It is the player's turn, and he goes there."""
    game.follow(game.place(player))
    say(game, "place", {"spot": spot, "slot": slot})


def bid(game: Reference, player: str, spot: str, colour: str, meeples: list[str]) -> None:
    go(game, player, spot)
    say(game, "colour", colour)
    say(game, "meeples", meeples)
    assert game.question is None


def may_go(game: Reference, player: str, spot: str, slot: int = 1) -> bool:
    game.follow(game.place(player))
    return {"spot": spot, "slot": slot} in asked(game).answers


def slots_of(game: Reference, player: str, spot: str) -> list[int]:
    return [slot for slot in range(1, 6) if may_go(game, player, spot, slot)]


def deliver(game: Reference, player: str, objects: list[str]) -> None:
    """The player gets these objects and ships them."""
    game.hand[player] += objects
    game.holder["ship"] = player
    game.follow(game.activate())
    say(game, "delivered", objects)


# ---------------------------------------------------------------- the examples of the rulebook


def test_rb_1_what_meeples_count_as() -> None:
    game = table_of(4)
    game.follow(game.throw_all())
    say(game, "fallen", ["black", "black", "black", "white", "standing"])
    assert game.gold["P"] == 4 + 1
    say(game, "thrown", "edge")
    assert game.gold["P"] == 4 + 1
    assert game.table().reserve[0] == (ADVENTURER,) * 3 + (ARCHAEOLOGIST, CHARACTER, WILD)


def test_rb_2_a_slot_of_the_temple() -> None:
    game = table_of(reserve={"P": [ARCHAEOLOGIST], "Q": [ADVENTURER, ARCHAEOLOGIST]})
    game.gold["P"] = 5
    assert slots_of(game, "P", "temple") == [1, 2, 3, 4, 5]
    go(game, "Q", "temple", 2)
    assert asked(game).answers == (ARCHAEOLOGIST,)
    say(game, "meeple", ARCHAEOLOGIST)
    assert game.gold["Q"] == 5 - 4
    assert slots_of(game, "P", "temple") == [1, 3, 4, 5]
    assert slots_of(game, "Q", "temple") == [], "she has no archaeologist left"


def test_rb_3_an_auction() -> None:
    game = table_of(reserve={"P": [ADVENTURER] * 2, "Q": [ADVENTURER] * 3})
    bid(game, "P", "quarry", ADVENTURER, [ADVENTURER] * 2)
    go(game, "Q", "quarry")
    assert asked(game).answers == (ADVENTURER,)
    say(game, "colour", ADVENTURER)
    assert asked(game).answers == Some((ADVENTURER,) * 3, 3, 3)
    say(game, "meeples", [ADVENTURER] * 3)
    assert game.reserve == {"P": [ADVENTURER] * 2, "Q": [], "R": []}
    assert game.holder["quarry"] == "Q"


def test_rb_4_the_harbour_office_is_free() -> None:
    game = table_of(reserve={"Q": [ADVENTURER], "R": [ADVENTURER, ARCHAEOLOGIST]})
    for meeple, gold in ((ADVENTURER, 3), (ARCHAEOLOGIST, 1)):
        go(game, "R", "harbour")
        say(game, "meeples", [meeple])
        assert game.gold["R"] == gold
        assert may_go(game, "Q", "harbour")
    assert game.visits["R"] == 2


def test_rb_5_the_temple_from_the_top() -> None:
    game = table_of()
    game.cards["temple"] = ["pottery"] * 3 + ["weapon"] * 3 + ["mummy", "tablet"]
    game.slots["temple"] = [None, "Q", None, "P", "R"]
    game.follow(game.activate())
    assert (asked(game).who, asked(game).answers) == ("Q", ("mummy", "pottery", "tablet", "weapon"))
    say(game, "object", "mummy", "tablet")
    assert (asked(game).who, asked(game).answers) == ("P", ("pottery", "weapon"))
    say(game, "object", "pottery")
    assert asked(game).who == "P"
    say(game, "drawn", "statuette")
    assert asked(game).who == "R"
    say(game, "object", "weapon")
    assert game.question is None
    assert game.table().hand == (("pottery", "statuette"), ("mummy", "tablet"), ("weapon",))
    assert sorted(game.cards["temple"]) == ["pottery"] * 2 + ["weapon"] * 2


def test_rb_6_a_delivery() -> None:
    game = table_of()
    game.hand["R"] = ["statuette"]
    deliver(game, "R", ["statuette_discovery", "statuette_discovery", "statuette", "mummy", "mummy"])
    assert game.question is None
    assert game.points["R"] | {"collections": 8 + 6, "track": 1} == game.points["R"]
    assert (game.score("R"), game.discovery["R"], game.hand["R"]) == (15, 2, ["statuette"])


@pytest.mark.parametrize("kind", VALUES)
def test_rb_7_five_of_a_family(kind: str) -> None:
    game = table_of()
    deliver(game, "R", [kind] * 5)
    assert game.score("R") == VALUES[kind][2] + VALUES[kind][1]


def test_rb_8_final_scoring() -> None:
    game = table_of()
    game.points["P"]["collections"], game.gold["P"] = 34, 8
    game.active["P"], game.retired["P"] = ["trio", "extra_draw"], ["trio", "gain_gold", "reroll_all"]
    game.score_finally()
    assert game.score("P") == 34 + 2 + 2 + 5
    assert game.winners == ["P"]


def automaton(plan: Plan, monkeypatch: pytest.MonkeyPatch, players: int = 2, **reserve: list[str]) -> Reference:
    monkeypatch.setitem(PLANS, "plan1", plan)
    game = table_of(players, reserve)
    game.place_automaton("plan1")
    return game


SAMPLE = Plan((2, 5), "quarry", "black_market")


def test_rb_9_and_qz_16_the_automaton(monkeypatch: pytest.MonkeyPatch) -> None:
    game = automaton(SAMPLE, monkeypatch, P=[ADVENTURER, *[ARCHAEOLOGIST] * 4], Q=[ADVENTURER] * 2 + [ARCHAEOLOGIST])
    assert game.table().temple == (None, AUTOMATON, None, None, AUTOMATON)
    assert [game.holder[site] for site in game.auctions] == [AUTOMATON, None, None, AUTOMATON, None]
    assert [len(game.laid[site]) for site in game.auctions] == [3, 0, 0, 1, 0]
    game.gold["P"] = 9
    assert slots_of(game, "P", "temple") == [1, 3, 4]
    assert may_go(game, "P", "quarry") and not may_go(game, "Q", "quarry")
    assert may_go(game, "Q", "black_market") and not may_go(game, "P", "black_market")
    bid(game, "P", "quarry", ARCHAEOLOGIST, [ARCHAEOLOGIST] * 4)
    assert game.reserve == {"P": [ADVENTURER], "Q": [ADVENTURER] * 2 + [ARCHAEOLOGIST]}
    assert (game.holder["quarry"], game.laid["quarry"]) == ("P", [ARCHAEOLOGIST] * 4)


def test_qz_16_the_automaton_keeps_an_annex(monkeypatch: pytest.MonkeyPatch) -> None:
    game = automaton(SAMPLE, monkeypatch)
    game.cards["quarry"] = ["mummy", "tablet"]
    game.follow(game.activate())
    assert game.question is None
    assert (game.discard, game.cards["quarry"]) == (["mummy", "tablet"], [])
    assert game.table().score == (0, 0)


def test_rb_10_the_automaton_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    game = automaton(Plan((3, 5), "ruins", "ship"), monkeypatch)
    game.cards["temple"] = ["tablet_vp", "weapon", "tablet_discovery", "tablet"]
    game.follow(game.activate())
    assert game.discard == ["tablet_discovery"]
    assert asked(game).who is None
    say(game, "drawn", "mummy")
    assert game.discard == ["tablet_discovery", "mummy", "tablet_vp"]
    assert game.question is None


# ---------------------------------------------------------------- further scenarios


def test_qz_01_a_lone_character() -> None:
    reserve = {"P": [CHARACTER], "Q": [ARCHAEOLOGIST] * 2, "R": [ADVENTURER] * 3 + [ARCHAEOLOGIST] * 2}
    game = table_of(reserve=reserve)
    bid(game, "P", "ruins", ADVENTURER, [CHARACTER])
    assert game.table().sites["ruins"].colour is None
    bid(game, "Q", "ruins", ARCHAEOLOGIST, [ARCHAEOLOGIST] * 2)
    assert game.reserve["P"] == [CHARACTER]
    assert game.colour["ruins"] == ARCHAEOLOGIST
    assert not may_go(game, "R", "ruins")
    game.reserve["R"].append(ARCHAEOLOGIST)
    go(game, "R", "ruins")
    assert asked(game).answers == (ARCHAEOLOGIST,)
    say(game, "colour", ARCHAEOLOGIST)
    assert asked(game).answers == Some((ARCHAEOLOGIST,) * 3, 3, 3)


def test_qz_01_on_the_black_market_also_a_lone_character_is_followed_by_adventurers() -> None:
    game = table_of(reserve={"P": [CHARACTER], "Q": [ARCHAEOLOGIST] * 2, "R": [ADVENTURER] * 2})
    bid(game, "P", "black_market", ADVENTURER, [CHARACTER])
    assert not may_go(game, "Q", "black_market")
    assert may_go(game, "R", "black_market")


@pytest.mark.parametrize(
    ("meeples", "legal"),
    [
        ([ADVENTURER] * 2, False),
        ([ARCHAEOLOGIST] * 3, False),
        ([ADVENTURER] * 2 + [WILD], True),
        ([ADVENTURER] * 2 + [CHARACTER], True),
    ],
)
def test_qz_02_equal_number_or_wrong_colour(meeples: list[str], legal: bool) -> None:
    game = table_of(reserve={"P": [ADVENTURER] * 2, "Q": meeples})
    bid(game, "P", "ship", ADVENTURER, [ADVENTURER] * 2)
    assert may_go(game, "Q", "ship") == legal
    if legal:
        bid(game, "Q", "ship", ADVENTURER, meeples)
        assert (game.holder["ship"], game.colour["ship"]) == ("Q", ADVENTURER)


@pytest.mark.parametrize(("returned", "counts_as"), [("chosen_colour", ADVENTURER), ("wild", WILD)])
def test_qz_03_a_wild_meeple_driven_off(returned: str, counts_as: str) -> None:
    game = table_of(
        reserve={"P": [ADVENTURER, WILD], "Q": [ADVENTURER, WILD, CHARACTER]}, auction__returned_wild=returned
    )
    bid(game, "P", "ship", ADVENTURER, [ADVENTURER, WILD])
    bid(game, "Q", "ship", ADVENTURER, [ADVENTURER, WILD, CHARACTER])
    assert sorted(game.reserve["P"]) == sorted([ADVENTURER, counts_as])
    assert may_go(game, "P", "temple", 5) == (returned == "wild")


def test_qz_04_the_rotation_after_being_driven_off() -> None:
    game = table_of(reserve={"P": [ARCHAEOLOGIST] * 2, "Q": [ARCHAEOLOGIST] * 3, "R": [ADVENTURER]})
    bid(game, "P", "small_temple", ARCHAEOLOGIST, [ARCHAEOLOGIST] * 2)
    game.gold = dict.fromkeys(game.players, 0)
    game.follow(game.place_all())
    assert asked(game).who == "Q", "the reserve of P is empty"
    say(game, "place", {"spot": "small_temple", "slot": 1})
    say(game, "colour", ARCHAEOLOGIST)
    say(game, "meeples", [ARCHAEOLOGIST] * 3)
    assert game.reserve == {"P": [ARCHAEOLOGIST] * 2, "Q": [], "R": [ADVENTURER]}
    assert asked(game).who == "R"
    say(game, "place", {"spot": "camp", "slot": 1})
    say(game, "meeples", [ADVENTURER])
    assert game.gold["R"] == 1
    assert (asked(game).who, asked(game).name) == ("P", "place")
    say(game, "place", {"spot": "camp", "slot": 1})
    say(game, "meeples", [ARCHAEOLOGIST])
    assert game.gold["P"] == 1
    say(game, "thrown_again", [])
    assert asked(game).who == "P", "the others are skipped"
    say(game, "place", {"spot": "camp", "slot": 1})
    say(game, "meeples", [ARCHAEOLOGIST])
    assert game.question is None


def test_qz_05_the_camp_and_a_standing_meeple() -> None:
    game = table_of(reserve={"P": [ADVENTURER, ARCHAEOLOGIST]})
    game.gold["P"] = 3
    go(game, "P", "camp")
    say(game, "meeples", [ADVENTURER])
    assert asked(game).answers == Some((ARCHAEOLOGIST,), 0, 1)
    say(game, "thrown_again", [ARCHAEOLOGIST])
    say(game, "thrown", "standing")
    assert (game.gold["P"], game.reserve["P"]) == (5, [WILD])


def test_qz_06_the_stele() -> None:
    game = table_of(reserve={"P": [ARCHAEOLOGIST], "Q": [ARCHAEOLOGIST]})
    game.token = "Q"
    assert not may_go(game, "Q", "stele")
    go(game, "P", "stele")
    say(game, "meeple", ARCHAEOLOGIST)
    game.discovery["P"] = 1
    game.cards["temple"], game.slots["temple"][4] = ["mummy"], "Q"
    for player in "RQP":
        game.visits[player], game.hand[player] = 1, ["pottery"]
    game.follow(game.activate())
    assert asked(game).name == "object"
    assert (game.token, game.discovery["P"], game.score("P")) == ("P", 2, 1)
    say(game, "object", "mummy")
    for player in "PQR":
        assert asked(game).who == player
        say(game, "delivered", [])
    assert game.clockwise() == ["P", "Q", "R"]


def test_qz_07_discount_and_extra_draw() -> None:
    game = table_of(reserve={"P": [ARCHAEOLOGIST]})
    game.active["P"], game.gold["P"] = ["temple_discount", "extra_draw"], 0
    assert slots_of(game, "P", "temple") == [5]
    game.gold["P"] = 2
    go(game, "P", "temple", 3)
    assert game.gold["P"] == 0
    game.cards["temple"], game.deck = ["tablet", "weapon"], ["mummy", "pottery", "statuette"]
    game.follow(game.activate())
    say(game, "object", "tablet")
    say(game, "drawn", "mummy", "pottery")
    assert asked(game).answers == ("mummy", "pottery")
    say(game, "kept", "mummy")
    assert game.hand["P"] == ["tablet", "mummy"]
    assert (game.deck, game.under_deck, game.table().deck) == (["statuette"], ["pottery"], 2)


@pytest.mark.parametrize(("combine", "points", "gold"), [(False, 16, 2), (True, 13, 1)])
def test_qz_08_two_meeples_at_the_harbour_office(combine: bool, points: int, gold: int) -> None:
    game = table_of(reserve={"P": [ADVENTURER, ARCHAEOLOGIST]}, harbour__combine=combine)
    game.active["P"], game.hand["P"] = ["three_pottery"], ["pottery"] * 6
    go(game, "P", "harbour")
    assert asked(game).answers == Some((ADVENTURER, ARCHAEOLOGIST), 1, 2)
    say(game, "meeples", [ADVENTURER, ARCHAEOLOGIST])
    assert game.gold["P"] == 0
    game.follow(game.activate())
    for objects in [6] if combine else [3, 3]:
        say(game, "delivered", ["pottery"] * objects)
    assert game.question is None
    assert (game.score("P"), game.gold["P"]) == (points, gold)


@pytest.mark.parametrize(("improvement", "points", "gold"), [("trio", 17, 1), ("tablet_gold", 13, 5)])
def test_qz_09_seven_objects_on_a_ship(improvement: str, points: int, gold: int) -> None:
    game = table_of()
    game.active["P"], game.gold["P"] = ["extra_object", improvement], 0
    game.hand["P"] = ["mummy"]
    deliver(game, "P", ["pottery"] * 2 + ["pottery_vp"] + ["weapon"] * 2 + ["tablet", "tablet_gold"])
    assert (game.score("P"), game.gold["P"]) == (points, gold)


@pytest.mark.parametrize("given_up", ("trio", "extra_draw", "reroll_all"))
def test_qz_10_a_third_improvement(given_up: str) -> None:
    game = table_of()
    game.active["P"] = ["trio", "extra_draw"]
    game.follow(game.gain("P", "reroll_all"))
    assert asked(game).answers == ("extra_draw", "reroll_all", "trio")
    say(game, "given_up", given_up)
    assert game.retired["P"] == [given_up]
    assert sorted([*game.active["P"], given_up]) == ["extra_draw", "reroll_all", "trio"]


def test_qz_10_copies() -> None:
    game = table_of()
    game.active["P"] = ["trio", "extra_draw"]
    game.follow(game.gain("P", "trio"))
    assert game.question is None
    assert (game.active["P"], game.retired["P"]) == (["trio", "extra_draw"], ["trio"])
    game.active["P"] = ["extra_draw"]
    game.follow(game.gain("P", "trio"))
    assert (game.active["P"], game.retired["P"]) == (["extra_draw", "trio"], ["trio"])
    game.score_finally()
    assert game.points["P"]["improvements"] == 3


def test_qz_10_a_copy_of_one_that_was_owned_if_the_rulings_say_so() -> None:
    game = table_of(improvement__duplicate_check="owned")
    game.active["P"], game.retired["P"] = ["extra_draw"], ["trio"]
    game.follow(game.gain("P", "trio"))
    assert (game.active["P"], game.retired["P"]) == (["extra_draw"], ["trio", "trio"])


def test_qz_11_discovery_crossing_a_reward() -> None:
    game = table_of()
    game.discovery["P"] = 4
    game.follow(game.discover("P", 3))
    assert (game.discovery["P"], asked(game).name) == (6, "top_tile")
    say(game, "top_tile", "gain_gold")
    assert game.question is None
    assert (game.discovery["P"], game.gold["P"], game.retired["P"]) == (7, 4 + 5, ["gain_gold"])
    assert game.score("P") == 0


@pytest.mark.parametrize(("sold", "gold"), [("mummy_vp", 4 + 7), (None, 4)])
def test_qz_12_the_black_market(sold: str | None, gold: int) -> None:
    game = table_of()
    game.hand["P"], game.holder["black_market"] = ["mummy_vp"], "P"
    game.follow(game.activate())
    assert asked(game).answers == ("mummy_vp", None)
    say(game, "sold", sold)
    assert (game.gold["P"], game.score("P")) == (gold, 0)
    assert game.discard == ([sold] if sold else [])


def test_qz_13_passing_fifty() -> None:
    game = table_of()
    game.points["P"]["collections"] = 47
    deliver(game, "P", ["statuette"] * 3)
    assert divmod(game.score("P"), 50) == (1, 5)


@pytest.mark.parametrize(("exchanged", "points"), [(4, 4), (0, 2), (1, 3)])
def test_qz_14_gold_to_vp_at_the_end(exchanged: int, points: int) -> None:
    game = table_of()
    game.active["Q"], game.gold["Q"] = ["gold_to_vp"], 8
    game.follow(game.finish())
    say(game, "exchange", *["gold_to_vp"] * exchanged)
    if exchanged < 4:
        say(game, "exchange", None)
    assert game.question is None
    assert game.points["Q"]["exchanges"] + game.points["Q"]["gold"] == points


@pytest.mark.parametrize(("discovery", "winners"), [(6, ["Q"]), (9, ["P", "Q"])])
def test_qz_15_a_final_tie(discovery: int, winners: list[str]) -> None:
    game = table_of()
    game.points["P"]["collections"], game.gold["P"], game.retired["P"] = 48, 7, ["trio"] * 3
    game.points["Q"]["collections"], game.gold["Q"], game.retired["Q"] = 47, 11, ["trio"] * 5
    game.discovery |= {"P": discovery, "Q": 9}
    game.score_finally()
    assert game.table().score == (55, 55, 1)
    assert game.winners == winners


def test_qz_17_the_automaton_on_two_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    game = automaton(SAMPLE, monkeypatch)
    potteries = ["pottery", "pottery_gold", "pottery_vp", "pottery_vp", "pottery_gold"]
    game.cards["temple"] = ["mummy", "mummy_gold", "statuette_vp", *potteries]
    game.slots["temple"][2] = "P"
    game.follow(game.activate())
    assert game.discard == ["mummy_gold", "mummy"]
    assert asked(game).answers == ("pottery", "pottery_gold", "pottery_vp", "statuette_vp")
    say(game, "object", "statuette_vp")
    assert asked(game).who == "P"
    say(game, "drawn", "weapon")
    assert game.discard[2:] == ["pottery_vp"]


# ---------------------------------------------------------------- step 1


def test_chances_of_a_throw() -> None:
    game = table_of(5)
    game.follow(game.throw_all())
    question = asked(game)
    assert isinstance(question.answers, tuple)
    chances = {tuple(falls): weight for falls, weight in zip(question.answers, question.weights, strict=True)}
    assert sum(chances.values()) == 20 ** TEAM[5]
    assert Fraction(chances["black", "black", "white", "edge"], 20**4) == 12 * Fraction(40 * 40 * 40 * 15, 100**4)
    say(game, "fallen", ["black", "black", "white", "edge"])
    assert asked(game).weights == (8, 8, 3, 1)


@pytest.mark.parametrize(("edge_gold", "gold"), [(0, 4 + 1), (1, 4 + 3)])
def test_gold_for_meeples_on_their_edge(edge_gold: int, gold: int) -> None:
    game = table_of(5, roll__edge_gold=edge_gold)
    game.follow(game.throw_all())
    say(game, "fallen", ["black", "black", "edge", "standing"])
    say(game, "thrown", "edge")
    assert game.gold["P"] == gold


def test_all_throw_in_the_order_of_the_seats_and_again_clockwise_from_the_token() -> None:
    game = table_of(5)
    game.token = "S"
    game.active |= {"P": ["reroll_two"], "R": ["reroll_all"], "T": ["reroll_two"]}
    game.follow(game.round())
    for player in PLAYERS:
        assert asked(game).who == player
        say(game, "fallen", ["black"] * 4)
        say(game, "thrown", "black")
    for player in ("T", "P", "R"):
        assert asked(game).who == player
        say(game, "reroll", None)
    assert (asked(game).who, asked(game).name) == ("S", "place")


def test_meeples_thrown_again() -> None:
    game = table_of(2, {"Q": [CHARACTER, WILD, ARCHAEOLOGIST, ADVENTURER]})
    game.active["Q"] = ["reroll_two", "reroll_all"]
    game.follow(game.reroll("Q"))
    assert asked(game).answers == ("reroll_two", "reroll_all", None)
    say(game, "reroll", "reroll_two")
    assert asked(game).answers == Some((CHARACTER, WILD, ARCHAEOLOGIST, ADVENTURER), 0, 2)
    say(game, "thrown_again", [WILD, ADVENTURER])
    say(game, "thrown", "standing", "white")
    assert (game.gold["Q"], game.reserve["Q"]) == (6, [CHARACTER, ARCHAEOLOGIST, WILD, ARCHAEOLOGIST])
    assert asked(game).answers == ("reroll_all", None)
    say(game, "reroll", "reroll_all")
    say(game, "thrown", "black", "black", "standing", "standing")
    assert (game.gold["Q"], game.reserve["Q"]) == (8, [ADVENTURER, ADVENTURER, WILD, CHARACTER])
    assert game.question is None


def test_only_one_reroll_if_the_rulings_say_so() -> None:
    game = table_of(2, {"P": [CHARACTER]}, roll__both=False)
    game.active["P"] = ["reroll_two", "reroll_all"]
    game.follow(game.reroll("P"))
    say(game, "reroll", "reroll_two")
    say(game, "thrown_again", [])
    assert game.question is None


# ---------------------------------------------------------------- step 2


@pytest.mark.parametrize("multi", (True, False))
def test_several_slots_of_one_place(multi: bool) -> None:
    game = table_of(reserve={"P": [WILD] * 3}, unique__multi=multi)
    game.gold["P"] = 10
    for site in ("temple", "village"):
        go(game, "P", site, 2)
        say(game, "meeple", WILD)
    assert slots_of(game, "P", "temple") == ([1, 3, 4, 5] if multi else [])
    assert slots_of(game, "P", "village") == ([1, 3] if multi else [])
    assert game.gold["P"] == 10 - 4 - 1


def test_the_colour_at_the_temple() -> None:
    game = table_of(reserve={"P": [ADVENTURER], "Q": [ARCHAEOLOGIST]}, temple__colour=ADVENTURER)
    assert may_go(game, "P", "temple", 5) and not may_go(game, "Q", "temple", 5)
    assert may_go(game, "Q", "stele") and may_go(game, "P", "village")


@pytest.mark.parametrize("self_raise", (True, False))
def test_raising_ones_own_bid(self_raise: bool) -> None:
    game = table_of(reserve={"P": [WILD] + [ADVENTURER] * 2}, auction__self_raise=self_raise)
    bid(game, "P", "ruins", ADVENTURER, [WILD])
    assert may_go(game, "P", "ruins") == self_raise
    if self_raise:
        bid(game, "P", "ruins", ADVENTURER, [ADVENTURER] * 2)
        assert (game.laid["ruins"], game.reserve["P"]) == ([ADVENTURER] * 2, [ADVENTURER])


@pytest.mark.parametrize(("per", "times"), [("meeple", 2), ("visit", 1)])
def test_two_meeples_in_the_camp(per: str, times: int) -> None:
    game = table_of(reserve={"P": [ADVENTURER, ARCHAEOLOGIST, CHARACTER]}, camp__per=per)
    go(game, "P", "camp")
    say(game, "meeples", [ADVENTURER, ARCHAEOLOGIST])
    for _ in range(times):
        assert asked(game).answers == Some((CHARACTER,), 0, 1)
        say(game, "thrown_again", [CHARACTER])
        say(game, "thrown", "black")
    assert game.question is None
    assert (game.gold["P"], game.reserve["P"]) == (4 + times, [CHARACTER])


def test_the_harbour_office_takes_as_many_meeples_as_can_be_paid() -> None:
    game = table_of(reserve={"P": [WILD] * 4})
    game.gold["P"] = 1
    assert not may_go(game, "P", "harbour")
    game.gold["P"] = 7
    go(game, "P", "harbour")
    assert asked(game).answers == Some((WILD,) * 4, 1, 3)
    say(game, "meeples", [WILD] * 3)
    assert game.gold["P"] == 1


@pytest.mark.parametrize(("players", "ships", "village"), [(2, 1, 2), (3, 1, 3), (4, 2, 3), (5, 2, 3)])
def test_places_by_number_of_players(players: int, ships: int, village: int) -> None:
    game = table_of(players, {"Q": [WILD]})
    assert [may_go(game, "Q", "ship"), may_go(game, "Q", "second_ship")].count(True) == ships
    assert slots_of(game, "Q", "village") == [1, 2, 3][:village]
    assert game.table().gold == (4, 5, 5, 6, 6)[:players]


# ---------------------------------------------------------------- step 3


def test_annexes_and_ships_go_clockwise_from_the_token() -> None:
    game = table_of(4)
    game.token, game.discovery["Q"] = "Q", 5
    game.holder |= zip(game.auctions, ("P", "Q", "R", None, "P", "S"), strict=True)
    game.cards |= {"quarry": ["tablet"], "small_temple": ["weapon"], "ruins": ["pottery"]}
    game.hand["S"] = ["mummy"]
    game.follow(game.activate())
    assert game.table().hand == ((), ("weapon",), (), ("mummy",))
    say(game, "top_tile", "trio")
    assert game.table().hand == (("tablet",), ("weapon",), ("pottery",), ("mummy",))
    assert (game.table().score, game.gold["R"]) == ((1, 0, 0, 0), 5 + 1)
    for player in ("S", "P"):
        assert (asked(game).who, asked(game).name) == (player, "delivered")
        say(game, "delivered", [])
    assert game.question is None


@pytest.mark.parametrize(("reshuffle", "deck"), [(True, ["mummy", "tablet"]), (False, [])])
def test_an_empty_deck(reshuffle: bool, deck: list[str]) -> None:
    game = table_of(deck__reshuffle=reshuffle)
    game.deck, game.discard, game.offer = [], ["mummy", "tablet"], ["trio"] * 3
    game.follow(game.refill())
    if reshuffle:
        assert (asked(game).answers, game.table().discard) == (("mummy", "tablet"), 0)
        say(game, "new_object", "tablet", "mummy")
    assert game.question is None
    assert sorted(game.cards["temple"]) == deck


def test_cards_under_the_deck_come_last_and_in_their_order() -> None:
    game = table_of()
    game.deck, game.under_deck, game.offer = ["mummy"], ["tablet", "pottery"], ["trio"] * 3
    game.discard = ["weapon"]
    game.follow(game.refill())
    for card in ("mummy", "tablet", "pottery", "weapon"):
        assert asked(game).answers == (card,)
        say(game, "new_object", card)
    assert game.question is None


def test_the_village_from_the_top_while_there_is_something_on_offer() -> None:
    game = table_of()
    game.offer, game.slots["village"] = ["gain_gold", "trio"], ["Q", "P", "Q"]
    game.follow(game.activate())
    assert (asked(game).who, asked(game).answers) == ("Q", ("gain_gold", "trio"))
    say(game, "improvement", "gain_gold")
    assert asked(game).who == "P"
    say(game, "improvement", "trio")
    assert game.question is None
    assert (game.active["P"], game.retired["Q"], game.gold["Q"]) == (["trio"], ["gain_gold"], 10)


def test_nobody_without_objects_is_asked_what_to_deliver() -> None:
    game = table_of()
    game.holder["ship"], game.visits["P"] = "P", 2
    game.follow(game.activate())
    assert game.question is None


@pytest.mark.parametrize(("combine", "limit"), [(False, 4), (True, 7)])
def test_extra_object_counts_for_each_delivery_at_the_harbour_office(combine: bool, limit: int) -> None:
    game = table_of(harbour__combine=combine)
    game.active["P"], game.visits["P"], game.hand["P"] = ["extra_object"], 2, ["tablet"] * 9
    game.follow(game.activate())
    assert asked(game).answers == Some(("tablet",) * 9, 0, limit)


@pytest.mark.parametrize(("once", "points", "gold"), [(True, 4 + 3 + 2, 1 + 2), (False, 4 + 6 + 2, 2 + 2)])
def test_improvements_once_in_a_delivery(once: bool, points: int, gold: int) -> None:
    game = table_of(delivery__bonus_once=once)
    game.active["P"], game.gold["P"] = ["trio", "three_pottery", "three_weapons"], 0
    game.hand["P"] = ["pottery"] * 6 + ["weapon"] * 4 + ["tablet"]
    game.follow(game.deliver("P", 11))
    say(game, "delivered", list(game.hand["P"]))
    assert (game.score("P") - game.points["P"]["collections"], game.gold["P"]) == (points, gold)


def test_an_improvement_gained_or_given_up_in_a_delivery_does_not_change_it() -> None:
    game = table_of()
    game.active["P"], game.discovery["P"], game.gold["P"] = ["trio", "extra_draw"], 5, 0
    deliver(game, "P", ["pottery_discovery", "weapon", "tablet_gold"])
    assert game.gold["P"] == 1
    say(game, "top_tile", "tablet_gold")
    say(game, "given_up", "trio")
    assert (game.points["P"]["trios"], game.gold["P"]) == (4, 1)


def test_partitions() -> None:
    for kind, values in VALUES.items():
        for count in range(20):
            assert greedy_value(values, count) == best_value(values, count), kind
    assert [greedy_value((1, 5, 6), count) for count in range(7)] == [0, 1, 5, 6, 7, 11, 12]
    assert [best_value((1, 5, 6), count) for count in range(7)] == [0, 1, 5, 6, 10, 11, 15]


def test_points_beyond_the_track_are_lost() -> None:
    game = table_of()
    game.discovery["P"] = 13
    game.follow(game.discover("P", 5))
    assert (game.discovery["P"], game.score("P")) == (max(TRACK), 3 + 4)


def test_nothing_is_gained_from_an_empty_stack() -> None:
    game = table_of()
    game.discovery["P"], game.stack = 5, []
    game.follow(game.discover("P", 1))
    assert game.question is None
    assert (game.active["P"], game.retired["P"]) == ([], [])


def test_a_new_improvement_cannot_be_given_up_if_the_rulings_say_so() -> None:
    game = table_of(improvement__discard_new=False)
    game.active["P"] = ["trio", "extra_draw"]
    game.follow(game.gain("P", "reroll_all"))
    assert asked(game).answers == ("extra_draw", "trio")


# ---------------------------------------------------------------- exchanges


def test_exchanges_before_a_decision_change_what_is_legal() -> None:
    game = table_of(reserve={"P": [ARCHAEOLOGIST]})
    game.active["P"], game.gold["P"] = ["gold_to_vp"], 5
    game.follow(game.place("P"))
    say(game, "exchange", "gold_to_vp")
    assert asked(game).answers == ("gold_to_vp", None)
    say(game, "exchange", None)
    assert {"spot": "temple", "slot": 3} in asked(game).answers
    assert {"spot": "temple", "slot": 2} not in asked(game).answers
    say(game, "place", {"spot": "temple", "slot": 5})
    assert (asked(game).name, game.gold["P"]) == ("exchange", 2)


def test_within_an_exchange_there_is_no_other() -> None:
    game = table_of(reserve={"P": [CHARACTER]})
    game.active["P"], game.gold["P"], game.discovery["P"] = ["gold_to_vp", "gold_to_discovery"], 9, 5
    game.follow(game.place("P"))
    say(game, "exchange", "gold_to_discovery")
    say(game, "top_tile", "trio")
    assert asked(game).answers == ("gold_to_discovery", "gold_to_vp", "trio")
    say(game, "given_up", "gold_to_discovery")
    assert asked(game).answers == ("gold_to_vp", None)


def test_an_exchange_can_bring_the_copy_of_an_improvement_that_waits_for_its_place() -> None:
    game = table_of()
    game.active["P"], game.gold["P"], game.discovery["P"] = ["extra_draw", "gold_to_discovery"], 3, 5
    game.follow(game.gain("P", "trio"))
    say(game, "exchange", "gold_to_discovery")
    say(game, "top_tile", "trio")
    say(game, "given_up", "extra_draw")
    assert asked(game).answers == ("trio",)
    say(game, "given_up", "trio")
    assert game.active["P"] == ["gold_to_discovery", "trio"]
    assert game.retired["P"] == ["extra_draw", "trio"]


# ---------------------------------------------------------------- disagreements


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event(False, None, "new_object", "mummy"), "new_object of None has to follow"),
        (Event(True, "P", "new_object", "mummy"), "new_object of None has to follow"),
        (Event(True, None, "new_tile", "trio"), "new_object of None has to follow"),
        (Event(True, None, "new_object", "trio"), "is none of"),
    ],
)
def test_another_event_than_the_one_that_has_to_come(event: Event, message: str) -> None:
    with pytest.raises(Disagreement, match=message):
        Reference(PLAYERS).take(event)


def test_an_event_after_the_end() -> None:
    game = Reference(PLAYERS)
    play_randomly(game, random.Random(0))
    with pytest.raises(Disagreement, match="over"):
        game.take(Event(False, "P", "place", {}))


@pytest.mark.parametrize("meeples", ([], [WILD] * 3, [ADVENTURER], WILD, None))
def test_lists_that_cannot_be_taken(meeples: object) -> None:
    assert meeples not in Some((WILD, WILD), 1, 2)


# ---------------------------------------------------------------- what holds in any game


def any_answer(question: Question, draw: random.Random) -> Any:
    answers = question.answers
    if isinstance(answers, Some):
        return draw.sample(answers.pool, draw.randint(answers.least, answers.most))
    return draw.choices(answers, question.weights or None)[0]


def play_randomly(game: Reference, draw: random.Random) -> list[Event]:
    objects, tiles = Counter(game.deck), Counter(game.stack)
    events: list[Event] = []
    while game.question is not None:
        question = game.question
        assert_exchange_was_offered(game, question, events)
        events.append(Event(question.is_chance, question.who, question.name, any_answer(question, draw)))
        game.take(events[-1])
        assert_sound(game, objects, tiles)
    return events


def assert_exchange_was_offered(game: Reference, question: Question, events: list[Event]) -> None:
    if question.who is not None and not question.is_chance and question.name not in ("exchange", "given_up"):
        active, gold = game.active[question.who], game.gold[question.who]
        if any(tile in active and price <= gold for tile, price in EXCHANGES.items()):
            assert events[-1] == Event(False, question.who, "exchange", None)


IN_BETWEEN = ("drawn", "kept", "top_tile", "given_up", "exchange")
"""While these are asked for, a card or a tile may just be in somebody's hands."""


def assert_sound(game: Reference, objects: Counter[str], tiles: Counter[str]) -> None:
    """No object, tile or meeple comes or goes, nothing exceeds its limits, and nothing lies where it cannot."""
    question = game.question
    lying_objects = [game.deck, game.under_deck, game.discard, *game.cards.values(), *game.hand.values()]
    lying_tiles = [game.stack, game.offer, *game.active.values(), *game.retired.values()]
    for lying, whole in ((lying_objects, objects), (lying_tiles, tiles)):
        found = Counter(item for items in lying for item in items)
        assert found <= whole
        assert found == whole or (question is not None and question.name in IN_BETWEEN)
    for player in game.players:
        assert game.gold[player] >= 0
        assert 0 <= game.discovery[player] <= max(TRACK)
        assert len(set(game.active[player])) == len(game.active[player]) <= ACTIVE
    for site, cards in game.cards.items():
        assert len(cards) <= CARDS[site]
    for site in game.auctions:
        meeples, holder, colour = game.laid[site], game.holder[site], game.colour[site]
        assert bool(meeples) == (holder is not None)
        if colour is not None:
            assert set(meeples) <= {colour, WILD, CHARACTER} and meeples != [CHARACTER]
        elif meeples:
            assert meeples == [CHARACTER] or holder == AUTOMATON
    if question is not None and question.name == "place":
        its_own = game.slots["temple"].count(AUTOMATON)
        its_own += sum(len(game.laid[site]) for site in game.auctions if game.holder[site] == AUTOMATON)
        meeples = [meeple for place in (*game.laid.values(), *game.reserve.values()) for meeple in place]
        assert len(meeples) - its_own == len(game.players) * (TEAM[len(game.players)] + 1)
        assert meeples.count(CHARACTER) == len(game.players)
        assert question.who is not None and game.reserve[question.who]


def random_table(players: int, draw: random.Random) -> Reference:
    """Any mixture of rulings; sometimes so few objects, or so much to begin with, that rare things happen."""
    game = Reference(PLAYERS[:players], {name: draw.choice(values) for name, values in ALTERNATIVES.items()})
    if draw.random() < 0.3:
        game.deck = draw.sample(game.deck, draw.randint(5, 40))
    if draw.random() < 0.3:
        game.gold = {player: draw.randint(0, 30) for player in game.players}
    game.follow(game.game())
    return game


@pytest.mark.parametrize("players", TEAM)
def test_random_games_are_sound(players: int, evidence: Evidence) -> None:
    for seed in evidence.cases(f"the reference of Quetzal plays soundly, {players} players", full=200, slice=5):
        draw = random.Random(seed)
        game = random_table(players, draw)
        events = play_randomly(game, draw)
        names = Counter(event.name for event in events)
        assert names["fallen"] == ROUNDS * players
        assert names["card"] == (ROUNDS if players == 2 else 0)
        assert not any(game.reserve.values())
        table = game.table()
        assert max(table.score) == game.score(game.winners[0])
        assert [sum(points) for points in table.points] == list(table.score)


def test_what_is_rare_occurs() -> None:
    """In random games there is everything that can be asked for, and every ruling has something to say."""
    names = {
        *("new_object", "new_tile", "card", "fallen", "thrown", "reroll", "thrown_again", "place", "meeple", "meeples"),
        *("colour", "exchange", "object", "drawn", "kept", "top_tile", "given_up", "sold", "improvement", "delivered"),
    }
    wanted = names | {"reshuffled", "automaton driven off", "end of the track"}
    for seed in range(200):
        draw = random.Random(seed)
        game = random_table(2 + seed % 4, draw)
        for event in play_randomly(game, draw):
            wanted.discard(event.name)
        if any(game.discovery[player] == max(TRACK) for player in game.players):
            wanted.discard("end of the track")
        if game.ruling["deck.reshuffle"] and len(game.discard) < len(game.deck):
            wanted.discard("reshuffled")
        if len(game.players) == 2 and AUTOMATON not in [game.holder[annex] for annex in ANNEXES]:
            wanted.discard("automaton driven off")
        if not wanted:
            return
    assert not wanted


def test_every_ruling_has_its_default_among_the_alternatives() -> None:
    assert {name: values[0] for name, values in ALTERNATIVES.items()} == RULINGS


def test_what_there_is() -> None:
    game = Reference(PLAYERS)
    assert Counter(item.partition("_")[0] for item in game.deck) == Counter(
        pottery=21, weapon=18, tablet=15, statuette=12, mummy=9
    )
    assert sum(IMPROVEMENTS.values()) == 24
    assert PLANS["plan1"] == Plan((1, 2), "quarry", "black_market")
    assert PLANS["plan2"] == Plan((1, 3), "small_temple", "ship")
    assert PLANS["plan10"] == Plan((4, 5), "quarry", "ship")
    assert sum(FALLS.values()) == 20
