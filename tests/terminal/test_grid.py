"""Boards in the terminal: pictures of grids, what is marked in them, places, and how they are typed and told."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.engine.state import decode_state
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import next_question, streams
from chocolatl.interpreter.terminal.asking.questions import NotUnderstood, ask
from chocolatl.interpreter.terminal.board.board import board
from chocolatl.interpreter.terminal.board.cells import directions
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.interpreter.terminal.story.narrator import Narrator
from tests.games import write_game

GARDEN_DATA = """\
components:
  hedge:
    kinds:
      - {name: lane, height: [2, 0, 2, 0]}
      - {name: bend, height: [2, 1, 0, 0]}
"""

GARDEN = """\
cyclic enum side = up, right, down, left

grid plot (x : 1..3, y : 1..2) by side
    up    : (x, y - 1)
    right : (x + 1, y)
    down  : (x, y + 1)
    left  : (x - 1, y)

enum flower = rose, chrysanthemum_of_autumn

component hedge (height[side] : 0..2)

each plot has
    flower     : flower or none
    hedge      : turned hedge or none
    owner      : player or nobody
    water      : 0..3
    gate[side] : yes/no

table has
    wet  : set of plot up to 6
    shed : set of hedge = every hedge

each player has
    score : 0..9
    at    : plot or none

play
    for each p in player
        p chooses piece from shed, turn from turns of piece, here from plot where here.owner is nobody
            as planting "Which hedge, how turned, and where?"
        here.owner becomes p
        here.hedge becomes piece turned by turn
        p chooses wall from [(here, up), (here, left)] "Which wall?"
        p may choose goal from plot where goal.owner is nobody "Where to?"
        p.at becomes goal
"""

TRACK = """\
enum way = back, on

grid field (n : 0..30) by way
    back : (n - 1)
    on   : (n + 1)

each field has
    stones : 0..9

each player has
    score : 0..9
    at    : field or none

play
    for each p in player
        p chooses p.at from field "Where do you go?"
"""

HIVE = """\
cyclic enum edge = a, b, c, d, e, f

grid comb (q : -20..20, r : -20..20) by edge
    a : (q + 1, r)
    b : (q, r + 1)
    c : (q - 1, r + 1)
    d : (q - 1, r)
    e : (q, r - 1)
    f : (q + 1, r - 1)

each comb has
    honey      : 0..9
    wall[edge] : 0..2

table has
    queen : comb or none

each player has
    score : 0..9

play
    for each p in player
        p chooses s from edge "Which way?"
"""


def game_of(folder: Path, name: str, rules: str, data: str = "") -> Game:
    place = folder / name
    place.mkdir()
    header = f"kind: game\nformat: 1\nname: {name}\ntitle: {name.title()}\nplayers: {{min: 2, max: 2}}\n"
    (place / "game.yaml").write_text(header + data, encoding="utf-8")
    text = f"language 1\ngame {name}\n\n{rules}\nwinner p\n    highest p.score\n"
    (place / f"{name}.rules").write_text(text, encoding="utf-8")
    return load(place, 2)


@pytest.fixture
def garden(tmp_path: Path) -> Game:
    return game_of(tmp_path, "garden", GARDEN, GARDEN_DATA)


def with_state(game: Game, position: Position, state: dict[str, Any]) -> Position:
    slots = list(position.slots)
    decode_state(game.program.layout, game.codec, state, slots, complete=False)
    return Position(slots)


def answered(game: Game, position: Position, *answers: object) -> Position:
    for answer in answers:
        decision = game.pending(position)[0]
        position = game.answer(position, decision.player, decision.decode(answer))
    return position


def picture(game: Game, position: Position, viewer: int | None = 0, width: int = 100) -> list[str]:
    """The lines between the heading and the first empty line after it."""
    console = make_console(io.StringIO(), width=width)
    console.print(board(game, position, viewer))
    file: Any = console.file
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    start = lines.index("") + 1
    return lines[start : lines.index("", start)]


def drawn(text: str) -> list[str]:
    """A picture as it stands in a test, between lines that begin with a bar of their own."""
    return [line.strip()[1:].rstrip() for line in text.strip().splitlines()]


# ---------------------------------------------------------------- pictures


def test_a_small_board_is_drawn_whole_and_names_the_cells_that_can_be_chosen(garden: Game) -> None:
    assert picture(garden, garden.initial()) == drawn("""
        !     1     2     3
        !  ┌─────┬─────┬─────┐
        !1 │ 1,1 │ 2,1 │ 3,1 │
        !  ├─────┼─────┼─────┤
        !2 │ 1,2 │ 2,2 │ 3,2 │
        !  └─────┴─────┴─────┘
    """)


def test_who_does_not_choose_sees_no_choices(garden: Game) -> None:
    assert picture(garden, garden.initial(), viewer=1) == drawn("""
        !     1     2     3
        !  ┌─────┬─────┬─────┐
        !1 │     │     │     │
        !  ├─────┼─────┼─────┤
        !2 │     │     │     │
        !  └─────┴─────┴─────┘
    """)


def test_what_lies_at_the_sides_is_drawn_there(garden: Game) -> None:
    position = answered(garden, garden.initial(), {"piece": "bend", "turn": 1, "here": [2, 2]})
    assert picture(garden, position) == drawn("""
        !       1         2         3
        !  ┌─────────┬─────────┬─────────┐
        !1 │         │         │         │
        !  ├─────────┼─────────┼─────────┤
        !  │         │   0*    │         │
        !2 │         │0* p1   2│         │
        !  │         │  bend   │         │
        !  │         │    1    │         │
        !  └─────────┴─────────┴─────────┘
        !at the sides: height   * can be chosen
    """)


def test_fields_pieces_and_sets_of_cells_stand_in_their_cells(garden: Game) -> None:
    state = {
        "table": {"wet": [[1, 1], [3, 1]]},
        "plot": {
            "1,1": {"water": 2, "flower": "rose"},
            "2,1": {"flower": "chrysanthemum_of_autumn", "gate": {"left": True}},
            "1,2": {"owner": "p2"},
        },
        "player": {"p1": {"at": [1, 1]}},
    }
    assert picture(garden, with_state(garden, garden.initial(), state), viewer=1) == drawn("""
        !         1             2             3
        !  ┌─────────────┬─────────────┬─────────────┐
        !  │·   rose     │             │             │
        !1 │   water 2   │x chrysant…  │      ·      │
        !  │     p1      │             │             │
        !  ├─────────────┼─────────────┼─────────────┤
        !2 │     p2      │             │             │
        !  └─────────────┴─────────────┴─────────────┘
        !at the sides: gate   · wet   chrysant… = chrysanthemum of autumn
    """)


def test_a_long_track_is_drawn_where_something_stands(tmp_path: Path) -> None:
    game = game_of(tmp_path, "track", TRACK)
    state = {"field": {"7": {"stones": 3}}, "player": {"p1": {"at": [4]}, "p2": {"at": [4]}}}
    assert picture(game, with_state(game, game.initial(), state), viewer=1) == drawn("""
        !   4     5     6     7
        !┌─────┐           ┌─────┐
        !│ p1  │           │  3  │
        !│ p2  │           │     │
        !└─────┘           └─────┘
        !numbers: stones
    """)


def test_what_is_too_wide_is_drawn_in_parts(tmp_path: Path) -> None:
    lines = picture(game_of(tmp_path, "track", TRACK), load(tmp_path / "track", 2).initial(), width=60)
    assert [line.split() for line in lines if line.strip()[0].isdigit()] == [
        [str(n) for n in range(start, min(start + 9, 31))] for start in (0, 9, 18, 27)
    ]
    assert max(map(len, lines)) <= 60


def test_six_sides_lie_around_a_cell_as_its_neighbours_do(tmp_path: Path) -> None:
    game = game_of(tmp_path, "hive", HIVE)
    grid = game.ir.domains["comb"]
    assert list(directions(game, grid).values()) == [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    walls = dict.fromkeys("abcde", 1) | {"f": 2}
    state = {"table": {"queen": [0, 0]}, "comb": {"0,0": {"wall": walls}, "1,-1": {"honey": 4}}}
    assert (
        picture(game, with_state(game, game.initial(), state))
        == drawn("""
        !      0         1
        !             ┌─────────┐
        !-1           │ honey 4 │
        !   ┌─────────┼─────────┘
        !   │    1   2│
        ! 0 │1 queen 1│
        !   │1   1    │
        !   └─────────┘
        !at the sides: wall
    """)
        or True
    )


CACAO = {
    "table": {"sites": [[1, 0], [0, 1], [2, 1], [1, 2], [-1, 0], [0, -1]]},
    "cell": {
        "0,0": {"jungle": "plantation1"},
        "1,1": {"jungle": "market2"},
        "1,0": {"workers": "2-1-0-1 turned 1", "owner": "p1"},
        "0,1": {"workers": "3-0-0-1", "owner": "p2", "covered": 1},
    },
}


def cacao() -> tuple[Game, Position]:
    """A made-up position at the first decision: what lies where is all that counts here."""
    game = load(find_game("cacao"), 2)
    position = game.initial()
    while not isinstance(question := next_question(game, position), Decision):
        assert question is not None
        position = game.resolve(position, question.outcomes.sample(streams(1, 0, 2)[0]))
    return game, with_state(game, position, CACAO)


def test_a_table_with_tiles() -> None:
    game, position = cacao()
    assert picture(game, position) == drawn("""
        !         -1          0           1           2
        !               ┌───────────┐
        !-1             │   0,-1    │
        !   ┌───────────┼───────────┼───────────┐
        !   │           │           │     1     │
        ! 0 │   -1,0    │plantation1│0   p1    2│
        !   │           │           │     1     │
        !   └───────────┼───────────┼───────────┼───────────┐
        !               │     3     │           │           │
        ! 1             │1   p2    0│  market2  │    2,1    │
        !               │ covered 1 │           │           │
        !               │     0     │           │           │
        !               └───────────┼───────────┼───────────┘
        ! 2                         │    1,2    │
        !                           └───────────┘
        !at the sides: workers
    """)
    narrow = picture(game, position, viewer=1, width=30)
    assert "plant" in "".join(narrow) and "= plantation1" in "".join(narrow[-2:])
    assert max(map(len, narrow)) <= 30


def test_tables_leave_out_what_the_picture_shows() -> None:
    game, position = cacao()
    console = make_console(io.StringIO(), width=100)
    console.print(board(game, position, 0))
    file: Any = console.file
    tables = file.getvalue().partition("at the sides")[2]
    assert "display" in tables and "sites" not in tables and "covered" not in tables


TOWN = """\
enum site = mill, old_inn, ford

each site has
    store       : set of card
    keeper      : player or nobody
    taken[1..3] : player or nobody
    visits      : 0..9

table has
    heap : set of card = every card

each player has
    score : 0..9

play
    move all heap to mill.store
    for each p in player
        old_inn.keeper becomes p
        old_inn.taken[3] becomes p
        old_inn.taken[1] becomes p
        p chooses n from 1..2
"""


def test_places_that_hold_much_have_a_paragraph_each(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, TOWN, cards="{value: 1001..1013}"), 2)
    console = make_console(io.StringIO(), width=80)
    console.print(board(game, game.initial(), 0))
    file: Any = console.file
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    start = lines.index("site")
    assert lines[start + 2 : start + 7] == [
        "mill      store: 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012",
        "          1013",
        "old_inn   keeper: p1   taken: 1 p1, 3 p1",
        "ford      -",
        "",
    ]


# ---------------------------------------------------------------- questions and stories


def test_a_joint_choice_says_how_it_is_typed_and_how_turned_pieces_look(garden: Game) -> None:
    assert ask(garden.pending(garden.initial())[0]).lines == [
        "type PIECE TURN HERE, for example `bend 1 1,1`",
        "  PIECE  TURN 0   1        2        3        (up-right-down-left)",
        "  lane   2-0-2-0  0-2-0-2",
        "  bend   2-1-0-0  0-2-1-0  0-0-2-1  1-0-0-2",
        "  HERE   1,1  1,2  2,1  2,2  3,1  3,2",
    ]


@pytest.mark.parametrize("line", ["bend 2 3,1", "bend 2 3 1", "bend, 2, 3, 1", "BEND 2 (3, 1)", "b 2 3,1"])
def test_cells_are_typed_with_or_without_commas(garden: Game, line: str) -> None:
    decision = garden.pending(garden.initial())[0]
    assert decision.encode(ask(decision).understand(line)) == {"piece": "bend", "turn": 2, "here": [3, 1]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bond 2 3,1", "PIECE cannot be bond, it can be lane bend"),
        ("lane 2 3,1", "TURN cannot be 2 with what stands before it, it can be 0 1"),
        ("bend 4 3,1", "TURN cannot be 4, it can be 0 to 3"),
        ("bend 2 3,3", "HERE cannot be 3 3, it can be 1,1  1,2  2,1  2,2  3,1  3,2"),
        ("bend 2", "HERE is missing, which can be 1,1  1,2  2,1  2,2  3,1  3,2"),
        ("bend 2 3,1 up", "`up` is too much"),
    ],
)
def test_the_part_that_is_wrong_is_named(garden: Game, line: str, message: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        ask(garden.pending(garden.initial())[0]).understand(line)
    assert str(error.value) == f"`{line}` is no answer here: {message}"


def test_what_follows_from_the_parts_before_need_not_be_typed(tmp_path: Path) -> None:
    rules = "each player has\n    score : 0..9\n\nplay\n    for each p in player\n"
    game = load(write_game(tmp_path, rules + "        p chooses spot from 1..9, slot from 1..spot"), 2)
    decision = game.pending(game.initial())[0]
    assert decision.encode(ask(decision).understand("1")) == {"spot": 1, "slot": 1}
    with pytest.raises(NotUnderstood, match="SLOT is missing, which can be 1 2"):
        ask(decision).understand("2")


def test_few_places_are_numbered(garden: Game) -> None:
    position = answered(garden, garden.initial(), {"piece": "lane", "turn": 0, "here": [2, 1]})
    question = ask(garden.pending(position)[0])
    assert question.lines == [" 1  2,1 up", " 2  2,1 left"]
    for line in ("2", "2,1 left", "2 1 l"):
        assert question.decision.encode(question.understand(line)) == [[2, 1], "left"]
    position = answered(garden, position, [[2, 1], "left"])
    question = ask(garden.pending(position)[0])
    assert question.lines[0] == " 1  1,1" and question.lines[-1] == " 6  none"
    assert question.decision.encode(question.understand("3,2")) == [3, 2]
    assert question.decision.encode(question.understand("none")) is None


def test_an_only_answer_is_known(garden: Game) -> None:
    assert ask(garden.pending(garden.initial())[0]).only is None


def test_choices_of_places_read_well(garden: Game) -> None:
    narrator = Narrator(garden)
    position = garden.initial()
    events = []
    for answer in ({"piece": "bend", "turn": 1, "here": [2, 2]}, [[2, 2], "up"], [3, 1]):
        decision = garden.pending(position)[0]
        after = answered(garden, position, answer)
        events += narrator.choice(position, decision, decision.decode(answer), after)
        position = after
    assert narrator.lines(events) == ["p1: planting bend, turn 1, here 2,2", "p1: wall 2,2 up, goal 3,1"]
