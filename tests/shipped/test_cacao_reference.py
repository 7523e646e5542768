"""The second implementation of Cacao by itself: the worked examples of its rules, and what holds in any game."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.conftest import Evidence
from tests.reference.cacao_reference import (
    BEANS,
    DISPLAY,
    HAND,
    JUNGLE,
    SUNS,
    WATER,
    WORKERS,
    Cell,
    Course,
    Edges,
    Question,
    Reference,
    Tile,
    around,
    temple_gold,
    turned,
)
from tests.reference.events import Disagreement, Event
from tests.shipped.specifications import CACAO

ALTERNATIVES = {name: CACAO.rulings[name] for name in CACAO.open_rulings}
COLOURS = ("Y", "R", "W", "P")
TURNS = {2: 22, 3: 30, 4: 36}


def asked(game: Reference) -> Question:
    assert game.question is not None
    return game.question


def say(game: Reference, name: str, value: Any) -> None:
    """Answer the question, whosever it is; it has to have this name."""
    question = asked(game)
    assert question.name == name
    game.take(Event(question.is_chance, question.who, name, value))


def lay(game: Reference, cell: Cell, kind: str, edges: Edges) -> None:
    turn = next(turn for turn in range(4) if turned(kind, turn) == edges)
    say(game, "placement", {"tile": kind, "turn": turn, "here": list(cell)})


def fill(game: Reference, gap: Cell, kind: str) -> None:
    say(game, "filling", {"tile": kind, "gap": list(gap)})


def work(game: Reference, cell: Cell, side: str, workers: int) -> None:
    say(game, "work", {"edge": [list(cell), side], "working": workers})


def cells_of(question: Question, part: str = "here") -> set[Cell]:
    return {(answer[part][0], answer[part][1]) for answer in question.answers}


def edges_of(question: Question) -> list[Any]:
    """The edges that can work, each as often as there are numbers of workers."""
    assert question.name == "work"
    return [answer["edge"] for answer in question.answers]


def turn_of(game: Reference, player: str) -> Course[None]:
    """A turn without what is drawn after it."""
    game.stacks[player] = []
    return game.turn(player)


def table_with(
    jungle: dict[Cell, str],
    workers: dict[Cell, Tile] | None = None,
    display: tuple[str, ...] = (),
    pile: tuple[str, ...] = (),
    rulings: dict[str, Any] | None = None,
) -> Reference:
    """Four players, each with every kind of tile in hand."""
    game = Reference(COLOURS, rulings)
    game.hands = {player: list(WORKERS) for player in COLOURS}
    game.jungle = dict(jungle)
    game.workers = dict(workers or {})
    game.display = list(display)
    game.pile = list(pile)
    return game


def four_ones(owner: str, covered: int = 0) -> Tile:
    return Tile(owner, "1-1-1-1", (1, 1, 1, 1), covered)


# ---------------------------------------------------------------- the examples of the rulebook


def test_rb_1_workers_are_activated_for_their_owners_also_out_of_turn() -> None:
    game = table_with({(0, 0): "plantation1"}, {(1, 0): four_ones("R")}, display=("market3",))
    game.beans["R"] = 1
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 1), "1-1-1-1", (1, 1, 1, 1))
    fill(game, (1, 1), "market3")
    work(game, (0, 1), "north", 1)
    work(game, (0, 1), "east", 1)
    assert asked(game).who == "R"
    work(game, (1, 0), "south", 1)
    assert game.question is None
    assert [game.gold(player) for player in ("Y", "R")] == [3, 3]
    assert game.beans["Y"] == game.beans["R"] == 0


def test_rb_2_overbuilding_costs_a_sun_and_activates_the_new_tile() -> None:
    jungle = {(0, -1): "plantation2", (1, 0): "market4", (0, 1): "water"}
    game = table_with(jungle, {(0, 0): four_ones("R"), (1, 1): four_ones("Y")})
    game.suns["R"] = 1
    game.follow(turn_of(game, "R"))
    lay(game, (0, 0), "2-1-0-1", (1, 2, 1, 0))
    assert game.suns["R"] == 0
    assert game.workers[0, 0] == Tile("R", "2-1-0-1", (1, 2, 1, 0), covered=1)
    for side, workers in (("north", 1), ("east", 2), ("south", 1)):
        work(game, (0, 0), side, workers)
    assert game.question is None
    assert (game.beans["R"], game.gold("R"), game.water["R"]) == (0, 8, 1)


def test_rb_3_two_players_share_a_temple() -> None:
    assert temple_gold({"Y": 2, "R": 2, "W": 1}) == {"Y": 3, "R": 3}


# ---------------------------------------------------------------- a running sequence


def dealt() -> Reference:
    game = Reference(COLOURS)
    for kind in ("2-1-0-1", "1-1-1-1", "1-1-1-1", "3-1-0-0"):
        for drawn in (kind, "2-1-0-1", "2-1-0-1"):
            say(game, "new_tile", drawn)
    say(game, "new_jungle", "water")
    say(game, "new_jungle", "temple")
    return game


def test_ca_01_to_04_the_first_four_turns() -> None:
    game = dealt()
    assert asked(game).who == "Y"
    assert cells_of(asked(game)) == {(0, -1), (1, 0), (0, 1), (-1, 0), (2, 1), (1, 2)}

    lay(game, (1, 0), "2-1-0-1", (1, 0, 1, 2))
    work(game, (1, 0), "west", 2)
    work(game, (1, 0), "south", 1)
    assert (game.beans["Y"], game.gold("Y")) == (1, 2)
    say(game, "new_tile", "3-0-0-1")

    assert asked(game).who == "R"
    lay(game, (0, -1), "1-1-1-1", (1, 1, 1, 1))
    assert cells_of(asked(game), "gap") == {(1, -1)}
    fill(game, (1, -1), "water")
    assert asked(game).who == "R"
    work(game, (0, -1), "south", 1)
    work(game, (0, -1), "east", 1)
    assert asked(game).who == "Y"
    work(game, (1, 0), "north", 1)
    assert game.beans["R"] == 1
    assert [WATER[game.water[player]] for player in COLOURS] == [-4, -4, -10, -10]
    say(game, "new_tile", "2-1-0-1")
    say(game, "new_jungle", "plantation2")

    assert asked(game).who == "W"
    lay(game, (2, -1), "1-1-1-1", (1, 1, 1, 1))
    assert cells_of(asked(game), "gap") == {(2, 0)}
    fill(game, (2, 0), "temple")
    work(game, (2, -1), "west", 1)
    assert WATER[game.water["W"]] == -4
    say(game, "new_tile", "2-1-0-1")
    say(game, "new_jungle", "mine1")

    assert asked(game).who == "P"
    lay(game, (1, -2), "3-1-0-0", (0, 0, 3, 1))
    assert cells_of(asked(game), "gap") == {(0, -2), (2, -2)}
    fill(game, (0, -2), "plantation2")
    fill(game, (2, -2), "mine1")
    work(game, (1, -2), "south", 3)
    work(game, (1, -2), "west", 1)
    assert asked(game).who == "R"
    work(game, (0, -1), "north", 1)
    assert asked(game).who == "W"
    work(game, (2, -1), "north", 1)
    assert asked(game).name == "new_tile"
    assert [game.beans[player] for player in COLOURS] == [1, 3, 0, 2]
    assert [game.gold(player) for player in COLOURS] == [2, 0, 1, 0]
    assert [WATER[game.water[player]] for player in COLOURS] == [-4, -4, -4, 0]


def test_ca_01_selling_first_there_is_nothing_to_sell() -> None:
    game = dealt()
    lay(game, (1, 0), "2-1-0-1", (1, 0, 1, 2))
    work(game, (1, 0), "south", 1)
    work(game, (1, 0), "west", 2)
    assert (game.beans["Y"], game.gold("Y")) == (2, 0)


# ---------------------------------------------------------------- further scenarios


@pytest.mark.parametrize(("order", "beans"), [(("east", "north"), 5), (("north", "east"), 4)])
def test_ca_05_the_order_of_edges_matters_and_each_is_done_at_once(order: tuple[str, str], beans: int) -> None:
    game = table_with({(0, -1): "plantation2", (1, 0): "market3"})
    game.beans["Y"] = 4
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 0), "2-1-0-1", (2, 1, 0, 1))
    workers = {"north": 2, "east": 1}
    for side in order:
        work(game, (0, 0), side, workers[side])
    assert game.question is None
    assert (game.beans["Y"], game.gold("Y")) == (beans, 3)


def activated(kind: str, workers: int, beans: int = 0, suns: int = 0, water: int = 0) -> Reference:
    """Three workers are laid at a tile, and so many of them work."""
    game = table_with({(0, -1): kind})
    game.beans["Y"], game.suns["Y"], game.water["Y"] = beans, suns, water
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 0), "3-1-0-0", (3, 1, 0, 0))
    work(game, (0, 0), "north", workers)
    assert game.question is None
    return game


def test_ca_06_nobody_sells_more_beans_than_there_are() -> None:
    game = activated("market4", 3, beans=1)
    assert (game.beans["Y"], game.gold("Y")) == (0, 4)


def test_ca_07_caps() -> None:
    assert WATER[activated("water", 3, water=WATER.index(11)).water["Y"]] == 16
    assert activated("sun", 3, suns=2).suns["Y"] == 3


def three_gaps(pile: tuple[str, ...]) -> Reference:
    workers = {(-1, -1): four_ones("R"), (1, 1): four_ones("R")}
    game = table_with({(0, 1): "temple"}, workers, ("water", "sun"), pile)
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 0), "1-1-1-1", (1, 1, 1, 1))
    assert cells_of(asked(game), "gap") == {(0, -1), (-1, 0), (1, 0)}
    fill(game, (1, 0), "sun")
    assert cells_of(asked(game), "gap") == {(0, -1), (-1, 0)}
    fill(game, (-1, 0), "water")
    return game


def test_ca_08_three_cells_at_once() -> None:
    game = three_gaps(pile=("mine1", "mine2"))
    say(game, "top_tile", "mine2")
    assert game.jungle == {(0, 1): "temple", (1, 0): "sun", (-1, 0): "water", (0, -1): "mine2"}
    assert asked(game).name == "work"


def test_ca_08_with_an_empty_pile_one_cell_stays_empty() -> None:
    game = three_gaps(pile=())
    assert asked(game).name == "work"
    assert (0, -1) not in game.jungle
    assert [[0, 0], "north"] not in edges_of(asked(game))


def test_ca_09_straight_across() -> None:
    game = table_with({(1, 0): "temple"}, {(0, -2): four_ones("R")}, ("water",))
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 0), "1-1-1-1", (1, 1, 1, 1))
    assert asked(game).answers == ({"tile": "water", "gap": [0, -1]},)


def test_ca_10_the_last_tile_fills_one_of_two_cells_by_choice() -> None:
    game = table_with({(0, 1): "temple"}, {(-1, -1): four_ones("R")}, ("mine1",))
    game.suns["R"] = 1
    game.follow(turn_of(game, "Y"))
    lay(game, (0, 0), "1-1-1-1", (1, 1, 1, 1))
    assert cells_of(asked(game), "gap") == {(0, -1), (-1, 0)}
    fill(game, (0, -1), "mine1")
    work(game, (0, 0), "north", 1)
    work(game, (-1, -1), "east", 1)
    assert game.question is None
    game.follow(turn_of(game, "R"))
    assert (-1, -1) in cells_of(asked(game))


@pytest.mark.parametrize(
    ("when", "display", "pile", "suns", "legal"),
    [
        ("pile_and_display_empty", 1, 0, 1, False),
        ("pile_and_display_empty", 0, 0, 1, True),
        ("pile_and_display_empty", 0, 0, 0, False),
        ("pile_empty", 2, 1, 1, False),
        ("pile_empty", 1, 0, 1, True),
        ("pile_empty", 1, 0, 0, False),
    ],
)
def test_ca_11_when_overbuilding_is_possible(when: str, display: int, pile: int, suns: int, legal: bool) -> None:
    workers = {(0, 0): four_ones("R")}
    game = table_with({(0, 1): "temple"}, workers, ("sun",) * display, ("sun",) * pile, {"overbuild.when": when})
    game.suns["R"] = suns
    game.follow(turn_of(game, "R"))
    assert ((0, 0) in cells_of(asked(game))) == legal


def test_ca_12_at_temples_only_the_upper_tile_counts() -> None:
    workers = {(0, 0): Tile("R", "2-1-0-1", (2, 1, 0, 1)), (1, -1): four_ones("Y")}
    game = table_with({(0, -1): "temple"}, workers)
    assert game.workers_at((0, -1)) == {"R": 2, "Y": 1}
    game.suns["R"] = 1
    game.follow(turn_of(game, "R"))
    lay(game, (0, 0), "2-1-0-1", (0, 1, 2, 1))
    assert game.question is None
    game.score_finally()
    assert [game.points[player]["temple"] for player in COLOURS] == [6, 0, 0, 0]


@pytest.mark.parametrize(
    ("workers", "gold"),
    [
        ((3, 3, 1), (3, 3, 0)),
        ((4, 2, 2), (6, 1, 1)),
        ((2, 2, 2, 2), (1, 1, 1, 1)),
        ((3, 1, 1, 1), (6, 1, 1, 1)),
        ((1, 0, 0), (6, 0, 0)),
        ((2, 1, 0), (6, 3, 0)),
        ((0, 0, 0), (0, 0, 0)),
    ],
)
def test_ca_13_temple_splits(workers: tuple[int, ...], gold: tuple[int, ...]) -> None:
    present = {player: number for player, number in zip(COLOURS, workers, strict=False) if number}
    paid = temple_gold(present)
    assert tuple(paid.get(player, 0) for player in COLOURS[: len(workers)]) == gold


@pytest.mark.parametrize("per_cell", (1, 2, 3))
def test_ca_14_a_position_is_covered_so_many_times(per_cell: int) -> None:
    workers = {(x, 0): four_ones("R", covered=x // 2) for x in (0, 2, 4, 6)}
    game = table_with({(0, 1): "temple"}, workers, rulings={"overbuild.per_cell": per_cell})
    game.suns["R"] = 1
    game.follow(turn_of(game, "R"))
    assert len(cells_of(asked(game)) & set(workers)) == per_cell


def finish(gold: int, suns: int, water: int, beans: int, game: Reference, player: str) -> None:
    game.points[player]["market"], game.suns[player], game.beans[player] = gold, suns, beans
    game.water[player] = WATER.index(water)


@pytest.mark.parametrize(("beans", "winners"), [(3, ["R"]), (1, ["Y", "R"])])
def test_ca_15_final_tie(beans: int, winners: list[str]) -> None:
    game = Reference(("Y", "R"))
    finish(34 + 6 + 3 + 1, 2, 4, 1, game, "Y")
    finish(45 + 6, 0, -1, beans, game, "R")
    game.score_finally()
    assert game.table().gold == (50, 50)
    assert game.winners == winners


def test_ca_16_who_never_used_water_loses_ten() -> None:
    game = Reference(("Y", "R"))
    finish(41, 1, -10, 0, game, "Y")
    game.score_finally()
    assert game.gold("Y") == 32


@pytest.mark.parametrize(("players", "own_tiles", "jungle_tiles"), [(2, 11, 19), (3, 10, 26), (4, 9, 26)])
def test_ca_17_tiles_in_the_game(players: int, own_tiles: int, jungle_tiles: int) -> None:
    game = Reference(COLOURS[:players])
    assert game.table().stacks == (own_tiles,) * players
    assert game.table().pile == jungle_tiles
    assert own_tiles * players == TURNS[players]


def test_tiles_are_turned_clockwise() -> None:
    assert [turned("3-1-0-0", turn) for turn in range(4)] == [(3, 1, 0, 0), (0, 3, 1, 0), (0, 0, 3, 1), (1, 0, 0, 3)]


# ---------------------------------------------------------------- rulings


def test_overbuilding_never_fills() -> None:
    """There is a cell to fill only on a table that no game comes to."""
    workers = {(0, 0): four_ones("R"), (1, 1): four_ones("Y")}
    game = table_with({(0, 1): "mine1"}, workers, ("sun",), rulings={"overbuild.when": "pile_empty"})
    game.suns["R"] = 1
    game.follow(turn_of(game, "R"))
    lay(game, (0, 0), "1-1-1-1", (1, 1, 1, 1))
    assert set(map(str, edges_of(asked(game)))) == {"[[0, 0], 'south']"}


def test_only_beans_and_sales_can_be_declined_if_the_rulings_say_so() -> None:
    for kind, site in JUNGLE.items():
        for optional in ALTERNATIVES["activation.optional"]:
            game = table_with({(0, -1): kind}, rulings={"activation.optional": optional})
            game.follow(turn_of(game, "Y"))
            lay(game, (0, 0), "3-1-0-0", (3, 1, 0, 0))
            if site.site == "temple":
                assert game.question is None
                continue
            free = optional is True or site.site in ("plantation", "market")
            assert edges_of(asked(game)) == [[[0, 0], "north"]] * (4 if free else 1)
            assert [answer["working"] for answer in asked(game).answers] == ([0, 1, 2, 3] if free else [3])


@pytest.mark.parametrize(("owner", "cells"), [("self", {(0, 0)}), ("any", {(0, 0), (2, 0)})])
def test_whose_tiles_can_be_covered(owner: str, cells: set[Cell]) -> None:
    workers = {(0, 0): four_ones("R"), (2, 0): four_ones("Y")}
    game = table_with({(0, 1): "temple"}, workers, rulings={"overbuild.owner": owner})
    game.suns["R"] = 1
    game.follow(turn_of(game, "R"))
    assert cells_of(asked(game)) & set(workers) == cells


# ---------------------------------------------------------------- disagreements


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event(False, "Y", "new_tile", "1-1-1-1"), "new_tile of Y has to follow"),
        (Event(True, "R", "new_tile", "1-1-1-1"), "new_tile of Y has to follow"),
        (Event(True, None, "new_jungle", "water"), "new_tile of Y has to follow"),
        (Event(True, "Y", "new_tile", "4-0-0-0"), "is none of"),
    ],
)
def test_another_event_than_the_one_that_has_to_come(event: Event, message: str) -> None:
    with pytest.raises(Disagreement, match=message):
        Reference(COLOURS).take(event)


def test_an_event_after_the_end() -> None:
    game = Reference(("Y", "R"))
    play_randomly(game, random.Random(0))
    with pytest.raises(Disagreement, match="over"):
        game.take(Event(False, "Y", "placement", {}))


# ---------------------------------------------------------------- what holds in any game


def play_randomly(game: Reference, draw: random.Random, for_the_rare: bool = False) -> list[Event]:
    events: list[Event] = []
    while game.question is not None:
        question = game.question
        assert question.answers, "there is always a legal answer"
        answers = towards_the_rare(game, question) if for_the_rare else question.answers
        events.append(Event(question.is_chance, question.who, question.name, draw.choice(answers)))
        game.take(events[-1])
        assert_sound(game)
    return events


def towards_the_rare(game: Reference, question: Question) -> tuple[Any, ...]:
    """Answers that lead to what random games hardly ever see: three cells to fill at once, and tiles on tiles on tiles.
    There are three cells where two arms of the jungle meet, and arms grow while not more than one cell is filled."""
    if question.name != "placement":
        return question.answers

    def preference(cell: Cell) -> int:
        if cell in game.workers:
            return 1 + game.workers[cell].covered
        empty = [beside for beside in around(cell) if beside not in game.jungle]
        gaps = sum(any(side in game.workers for side in around(beside)) for beside in empty)
        return 4 if gaps == 3 else 1 if gaps <= 1 else 0

    preferences = {cell: preference(cell) for cell in cells_of(question)}
    best = max(preferences.values())
    return tuple(answer for answer in question.answers if preferences[tuple(answer["here"])] == best)


def assert_sound(game: Reference) -> None:
    """No tile comes or goes, nothing exceeds its limits, and nothing lies where it cannot."""
    two = len(game.players) == 2
    tiles = Counter({name: kind.number - two * kind.removed_for_two for name, kind in JUNGLE.items()})
    assert Counter(game.jungle.values()) + Counter(game.display) + Counter(game.pile) == tiles
    held = sum(len(game.hands[player]) + len(game.stacks[player]) for player in game.players)
    assert held + sum(tile.covered + 1 for tile in game.workers.values()) == TURNS[len(game.players)]
    assert len(game.display) <= DISPLAY
    for player in game.players:
        assert 0 <= game.beans[player] <= BEANS and 0 <= game.suns[player] <= SUNS
        assert 0 <= game.water[player] < len(WATER)
        assert len(game.hands[player]) <= HAND
    assert all((x + y) % 2 == 0 for x, y in game.jungle) and all((x + y) % 2 == 1 for x, y in game.workers)
    assert all(any(side in game.jungle for side in around(cell)) for cell in game.workers)
    if game.question is not None and game.question.name == "placement" and (game.display or game.pile):
        gaps = {cell for tile in game.workers for cell in around(tile)}
        assert not any(game.must_be_filled(cell) for cell in gaps)


@pytest.mark.parametrize("players", TURNS)
def test_random_games_are_sound(players: int, evidence: Evidence) -> None:
    for seed in evidence.cases(f"the reference of Cacao plays soundly, {players} players", full=200, slice=5):
        draw = random.Random(seed)
        game = Reference(COLOURS[:players], {name: draw.choice(values) for name, values in ALTERNATIVES.items()})
        placed: Counter[Cell] = Counter()
        worked: set[tuple[Cell, int, str]] = set()
        turns: Counter[str | None] = Counter()
        for event in play_randomly(game, draw, for_the_rare=seed % 2 == 0):
            if event.name == "placement":
                placed[tuple(event.value["here"])] += 1
                turns[event.who] += 1
            elif event.name == "work":
                (x, y), side = event.value["edge"]
                edge = ((x, y), placed[x, y], side)
                assert edge not in worked, "workers are activated once"
                worked.add(edge)
        assert set(turns.values()) == {TURNS[players] // players}
        assert all(tile.covered + 1 == placed[cell] for cell, tile in game.workers.items())
        assert not any(game.hands.values()) and not any(game.stacks.values())
        assert game.winners
        assert max(game.table().gold) == game.gold(game.winners[0])


def test_what_is_rare_occurs() -> None:
    """In the games that seek it: a third cell is filled from the pile, a place is covered three times."""
    wanted = {"third cell", "covered thrice"}
    for seed in range(300):
        game = Reference(COLOURS, {"overbuild.per_cell": 3, "overbuild.owner": "any"})
        if any(event.name == "top_tile" for event in play_randomly(game, random.Random(seed), for_the_rare=True)):
            wanted.discard("third cell")
        if any(tile.covered == 3 for tile in game.workers.values()):
            wanted.discard("covered thrice")
        if not wanted:
            return
    assert not wanted
