"""Space: boards, circles, turned tiles, pairs and short sets do what a few lines of Python say they should.

Most games here ask for nothing: they compute into fields for all cells, members or kinds, and the position at their end
is compared with the same computation in Python.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.diagnostics import Findings, in_order
from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.formats import position as position_format
from chocolatl.interpreter.formats.position import dump_position, load_position
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT, Evidence
from tests.data.test_data import assert_round_trip, parsed
from tests.games import walk

HEADER = "kind: game\nformat: 1\nname: small\ntitle: Small\nplayers: {min: 2, max: 2}\n"
RULES = "language 1\ngame small\n\neach player has\n    score : 0..99\n"
WINNER = "\nwinner p\n    highest p.score\n"
FOUR = "cyclic enum side = up, right, down, left\n"
SQUARE = """
grid cell (x : 1..3, y : -1..2) by side
    up    : (x, y - 1)
    right : (x + 1, y)
    down  : (x, y + 1)
    left  : (x - 1, y)
"""


def write(folder: Path, rules: str, data: str = "") -> Path:
    place = folder / "small"
    place.mkdir(parents=True, exist_ok=True)
    (place / "game.yaml").write_text(HEADER + data, encoding="utf-8")
    (place / "small.rules").write_text(RULES + rules + WINNER, encoding="utf-8")
    return place


def made(folder: Path, rules: str, data: str = "") -> Game:
    return load(write(folder, rules, data), 2)


def state(game: Game, position: Position | None = None) -> Any:
    """All fields, of every cell."""
    slots = (position if position is not None else game.initial()).slots
    grids = {domain.name: list(domain.labels) for domain in game.ir.domains.values() if domain.sides}
    return encode_state(game.program.layout, game.codec, slots, named=grids)


def findings(folder: Path) -> list[tuple[str, str]]:
    found = Findings()
    check(folder, found)
    return [(d.code, d.message) for d in in_order(found.items)]


# ---------------------------------------------------------------- boards

Steps = dict[str, Callable[..., tuple[int, ...]]]

BOARDS: dict[str, tuple[str, str, dict[str, tuple[int, int]], dict[str, str], Steps]] = {
    # name: the enum, the coordinates as rules, as Python; the steps as rules, as Python
    "square": (
        FOUR, "x : 1..3, y : -1..2", {"x": (1, 3), "y": (-1, 2)},
        {"up": "(x, y - 1)", "right": "(x + 1, y)", "down": "(x, y + 1)", "left": "(x - 1, y)"},
        {
            "up": lambda x, y: (x, y - 1), "right": lambda x, y: (x + 1, y),
            "down": lambda x, y: (x, y + 1), "left": lambda x, y: (x - 1, y),
        },
    ),
    "torus": (
        FOUR, "x : 1..4, y : 1..3", {"x": (1, 4), "y": (1, 3)},
        {
            "up": "(x, (y - 2) mod 3 + 1)", "right": "((x mod 4) + 1, y)",
            "down": "(x, (y mod 3) + 1)", "left": "((x - 2) mod 4 + 1, y)",
        },
        {
            "up": lambda x, y: (x, (y - 2) % 3 + 1), "right": lambda x, y: (x % 4 + 1, y),
            "down": lambda x, y: (x, y % 3 + 1), "left": lambda x, y: ((x - 2) % 4 + 1, y),
        },
    ),
    "hexagons": (
        "cyclic enum side = e, se, sw, w, nw, ne\n", "q : -2..2, r : -2..2", {"q": (-2, 2), "r": (-2, 2)},
        {
            "e": "(q + 1, r)", "se": "(q, r + 1)", "sw": "(q - 1, r + 1)",
            "w": "(q - 1, r)", "nw": "(q, r - 1)", "ne": "(q + 1, r - 1)",
        },
        {
            "e": lambda q, r: (q + 1, r), "se": lambda q, r: (q, r + 1), "sw": lambda q, r: (q - 1, r + 1),
            "w": lambda q, r: (q - 1, r), "nw": lambda q, r: (q, r - 1), "ne": lambda q, r: (q + 1, r - 1),
        },
    ),
    "track": (
        "cyclic enum side = on, back\n", "n : 0..9", {"n": (0, 9)},
        {"on": "(n + 1)", "back": "(n - 1)"}, {"on": lambda n: (n + 1,), "back": lambda n: (n - 1,)},
    ),
    "three ways": (
        "cyclic enum side = ahead, behind, left, right, above, below\n", "x : 0..1, y : 0..2, z : 5..6",
        {"x": (0, 1), "y": (0, 2), "z": (5, 6)},
        {
            "ahead": "(x, y + 1, z)", "behind": "(x + 1, y, z)", "left": "(x, y, z + 1)",
            "right": "(x, y - 1, z)", "above": "(x - 1, y, z)", "below": "(x, y, z - 1)",
        },
        {
            "ahead": lambda x, y, z: (x, y + 1, z), "behind": lambda x, y, z: (x + 1, y, z),
            "left": lambda x, y, z: (x, y, z + 1), "right": lambda x, y, z: (x, y - 1, z),
            "above": lambda x, y, z: (x - 1, y, z), "below": lambda x, y, z: (x, y, z - 1),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("board", BOARDS)
def test_a_neighbour_is_where_its_step_leads_and_the_way_back_is_the_opposite_one(board: str, tmp_path: Path) -> None:
    enum, axes, ranges, steps, model = BOARDS[board]
    coordinates = list(ranges)
    rules = (
        f"{enum}\ngrid cell ({axes}) by side\n"
        + "".join(f"    {side} : {step}\n" for side, step in steps.items())
        + "\neach cell has\n    beside[side] : cell or none\n    back[side] : cell or none\n    same : cell\n"
        + "".join(f"    own_{name} : -9..9\n" for name in coordinates)
        + "\nplay\n    for each c in cell\n"
        + "".join(f"        c.own_{name} becomes c.{name}\n" for name in coordinates)
        + f"        c.same becomes cell({', '.join(f'c.{name}' for name in coordinates)})\n"
        + "        for each s in side\n            c.beside[s] becomes neighbour of c at s\n"
        + "            if neighbour of c at s is not none\n"
        + "                c.back[s] becomes neighbour of (neighbour of c at s) at opposite of s\n"
    )
    cells = state(made(tmp_path, rules))["cell"]
    everywhere = list(itertools.product(*(range(low, high + 1) for low, high in ranges.values())))
    assert list(cells) == [",".join(map(str, cell)) for cell in everywhere]
    for cell, record in zip(everywhere, cells.values(), strict=True):
        assert record["same"] == list(cell)
        assert [record[f"own_{name}"] for name in coordinates] == list(cell)
        for side, step in model.items():
            there = step(*cell)
            assert record["beside"][side] == (list(there) if there in everywhere else None)
            assert record["back"][side] == (list(cell) if there in everywhere else None)


def test_steps_may_name_parameters(tmp_path: Path) -> None:
    numbers = "leap: {value: 2, min: 1, max: 9, about: How far.}, length: {value: 6, min: 1, max: 9, about: How long.}"
    data = f"parameters: {{{numbers}}}\n"
    rules = (
        "enum way = on, back\ngrid stair (n : 1..length) by way\n    on : (n + leap)\n"
        "    back : (1 if n <= leap else n - leap)\n"
        "each stair has\n    next : stair or none\n    last : stair or none\n"
        "play\n    for each s in stair\n        s.next becomes neighbour of s at on\n"
        "        s.last becomes neighbour of s at back\n"
    )
    stairs = state(made(tmp_path, rules, data))["stair"]
    assert [record["next"] for record in stairs.values()] == [[3], [4], [5], [6], None, None]
    assert [record["last"] for record in stairs.values()] == [[1], [1], [1], [2], [3], [4]]


def test_data_may_list_cells(tmp_path: Path) -> None:
    rules = (
        FOUR + SQUARE + "component pawn (home : cell)\nenum way = on, back\n"
        "each cell has\n    starts : 0..9\n    marked : yes/no\n    pawns : 0..9\n"
        "play\n    for each n in 1..size of starts\n        starts[n].starts becomes starts[n].starts + n\n"
        "    for each w in way\n        marks[w].marked becomes yes\n"
        "    for each p in pawn\n        p.home.pawns becomes p.home.pawns + 1\n"
    )
    data = (
        "tables:\n  starts: {type: cell, value: [[1, -1], [3, 2], [3, 2]]}\n"
        "  marks: {type: cell, index: way, value: {on: [1, 0], back: [2, 2]}}\n"
        "components: {pawn: {kinds: [{name: a, home: [2, 0], copies: 2}]}}\n"
    )
    cells = state(made(tmp_path, rules, data))["cell"]
    assert {key: record["starts"] for key, record in cells.items() if record["starts"]} == {"1,-1": 1, "3,2": 5}
    assert [key for key, record in cells.items() if record["marked"]] == ["1,0", "2,2"]
    assert [key for key, record in cells.items() if record["pawns"]] == ["2,0"]


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("[[1, 0], [1]]", "E402", "`[1]` is not a cell"),
        ("[[1, 0], [4, 0]]", "E503", "the `x` of a cell is 1..3, never 4"),
        ("[[1, 0], [1, true]]", "E503", "the `y` of a cell is -1..2, never True"),
        ("[1, 2]", "E402", "table `starts` needs a list, or a map with `index:`"),
    ],
)
def test_cells_in_data_are_checked(value: str, code: str, message: str, tmp_path: Path) -> None:
    rules = FOUR + SQUARE + "play\n    nothing\n"
    data = f"tables:\n  starts: {{type: cell, value: {value}}}\n"
    assert findings(write(tmp_path, rules, data)) == [(code, message)]


# ---------------------------------------------------------------- circles and tiles


@pytest.mark.parametrize("size", range(1, 8))
def test_a_circle_goes_round(size: int, tmp_path: Path) -> None:
    members = [f"m{number}" for number in range(size)]
    rules = (
        f"cyclic enum ring = {', '.join(members)}\n"
        "each ring has\n    turned_by[-9..9] : ring\n    there_and_back[-9..9] : ring\n    across : ring or none\n"
        "play\n    for each m in ring\n"
        + ("        m.across becomes opposite of m\n" if size % 2 == 0 else "")
        + "        for each n in -9..9\n            m.turned_by[n] becomes m turned by n\n"
        "            m.there_and_back[n] becomes (m turned by n) turned by -n\n"
    )
    found = state(made(tmp_path, rules))["ring"]
    for place, member in enumerate(members):
        for turn in range(-9, 10):
            assert found[member]["turned_by"][str(turn)] == members[(place + turn) % size]
            assert found[member]["there_and_back"][str(turn)] == member
        assert found[member]["across"] == (None if size % 2 else members[(place + size // 2) % size])


TILES = """
each tile has
    roads_at[0..{last}, side] : 0..9
    ponds_at[0..{last}, side] : 0..9
    worth_at[0..{last}]       : 0..9
    lies[-9..9]               : turned tile
    ways                      : 0..9

play
    for each t in tile
        t.ways becomes number of n in turns of t
        for each n in -9..9
            t.lies[n] becomes t turned by n
        for each n in 0..{last}
            t.worth_at[n] becomes (t turned by n).worth
            for each s in side
                t.roads_at[n, s] becomes (t turned by n).roads[s]
                t.ponds_at[n, s] becomes (t turned by n).ponds[s]
"""


def check_tiles(folder: Path, kinds: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    """Faces and turns of tiles with two attributes at each side, against turning them in Python."""
    size = len(kinds[0][0])
    sides = [f"s{number}" for number in range(size)]
    listed = [
        f"{{name: k{n}, roads: {list(roads)}, ponds: {dict(zip(sides, ponds, strict=True))}, worth: {n % 10}}}"
        for n, (roads, ponds) in enumerate(kinds)
    ]
    data = "components: {tile: {kinds: [" + ", ".join(listed).replace("'", "") + "]}}\n"
    rules = (
        f"cyclic enum side = {', '.join(sides)}\n"
        "component tile (roads[side] : 0..9, ponds[side] : 0..9, worth : 0..9)\n" + TILES.format(last=size - 1)
    )
    found = state(made(folder, rules, data))["tile"]
    for n, kind in enumerate(kinds):
        record = found[f"k{n}"]
        faces = [tuple(tuple(p[(s - turn) % size] for s in range(size)) for p in kind) for turn in range(size)]
        period = next(p for p in range(1, size + 1) if p == size or faces[p] == faces[0])
        assert record["ways"] == period == len(set(faces))
        for turn in range(-9, 10):
            shown = turn % period
            assert record["lies"][str(turn)] == (f"k{n} turned {shown}" if shown else f"k{n}")
        for turn, (roads, ponds) in enumerate(faces):
            assert [record["roads_at"][f"{turn},{side}"] for side in sides] == list(roads)
            assert [record["ponds_at"][f"{turn},{side}"] for side in sides] == list(ponds)
            assert record["worth_at"][str(turn)] == n % 10


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_all_small_tiles_turn_as_they_do_by_hand(size: int, tmp_path: Path) -> None:
    patterns = list(itertools.product(range(2), repeat=size))
    check_tiles(tmp_path, list(itertools.product(patterns, patterns)))


@given(
    st.integers(2, 6).flatmap(
        lambda size: st.lists(
            st.tuples(*[st.tuples(*[st.integers(0, 3)] * size)] * 2), min_size=1, max_size=8, unique=True
        )
    )
)
def test_any_tiles_turn_as_they_do_by_hand(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> None:
    check_tiles(tmp_path_factory.mktemp("tiles"), kinds)


def test_an_attribute_may_have_an_index_that_is_no_circle(tmp_path: Path) -> None:
    data = "components: {die: {kinds: [{name: a, pips: [1, 2, 4], odd: {heads: true, tails: false}}]}}\n"
    rules = (
        "enum coin = heads, tails\ncomponent die (pips[1..3] : 0..9, odd[coin] : yes/no)\n"
        "each die has\n    total : 0..99\n    heads_odd : yes/no\n    tails_odd : yes/no = yes\n"
        "play\n    for each d in die\n        d.total becomes sum of d.pips[n] for n in 1..3\n"
        "        d.heads_odd becomes d.odd[heads]\n        d.tails_odd becomes d.odd[tails]\n"
    )
    game = made(tmp_path, rules, data)
    assert state(game)["die"] == {"a": {"total": 7, "heads_odd": True, "tails_odd": False}}


# ---------------------------------------------------------------- pairs


def test_a_pair_has_the_parts_that_it_was_made_of(tmp_path: Path) -> None:
    rules = (
        FOUR + SQUARE + "table has\n"
        "    pairs : 0..99\n    triples : 0..999\n    first : (cell, side)\n    list[(cell, side)] : 0..9\n"
        "each cell has\n    edge[side] : (cell, side)\n    whose[player] : (player, cell, side)\n"
        "value same(e : (cell, side), c : cell, s : side) = e.cell is c and e.side is s and e is (c, s)\n"
        "value three(e : (player, cell, side), p : player, c : cell, s : side) =\n"
        "    e.player is p and e.cell is c and e.side is s and e.cell.x is c.x\n"
        "play\n    for each c in cell\n        for each s in side\n"
        "            c.edge[s] becomes (c, s)\n            list[(c, s)] becomes c.x\n"
        "            pairs becomes pairs + (1 if same((c, s), c, s) and same(c.edge[s], c, s) else 0)\n"
        "            for each p in player\n                c.whose[p] becomes (p, c, s)\n"
        "                triples becomes triples + (1 if three(c.whose[p], p, c, s) else 0)\n"
    )
    found = state(made(tmp_path, rules))
    assert (found["table"]["pairs"], found["table"]["triples"]) == (48, 96)
    assert found["table"]["first"] == [[1, -1], "up"]
    assert found["cell"]["2,0"]["edge"]["down"] == [[2, 0], "down"]
    assert found["cell"]["2,0"]["whose"]["p2"] == ["p2", [2, 0], "left"]
    assert found["table"]["list"]["3,2 left"] == 3 and len(found["table"]["list"]) == 48


# ---------------------------------------------------------------- sets of values

SETS = (
    FOUR
    + SQUARE
    + """
enum act = put, take, wipe, copy, put_die, take_die, wipe_dice

table has
    few    : set of cell up to 4
    more   : set of cell up to 6
    edges  : set of (cell, side) up to 3
    dice   : set of 1..3
    size_of_few : 0..4
    copies_here : 0..4
    in_few : yes/no

play
    for each n in 1..60
        for each p in player
            p chooses act from act, here from cell, die from 1..3, s from side
                where (act is not put or size of few < 4) and (act is not take or here in few)
                and (act is not take_die or die in dice) as deed
            if act is put
                add here to few
            else if act is take
                remove here from few
            else if act is wipe
                clear few
            else if act is copy
                more becomes few
            else if act is put_die
                add die to dice
            else if act is take_die
                remove die from dice
            else
                clear dice
            if (here, s) in edges
                remove (here, s) from edges
            else if size of edges is 3
                clear edges
            else
                add (here, s) to edges
            size_of_few becomes size of few
            copies_here becomes number of c in few where c is here
            in_few becomes here in few
"""
)
ACTS = ("put", "take", "wipe", "copy", "put_die", "take_die", "wipe_dice")
CELLS = [[x, y] for x in (1, 2, 3) for y in (-1, 0, 1, 2)]
SIDES = ("up", "right", "down", "left")


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return made(tmp_path_factory.mktemp("sets"), SETS)


@given(
    deeds=st.lists(
        st.tuples(
            st.sampled_from((*ACTS, "put", "put", "put")), st.sampled_from(CELLS[:5]), st.integers(1, 3),
            st.sampled_from(SIDES),
        ),
        max_size=100,
    )
)  # fmt: skip
def test_sets_of_values_are_multisets(sets: Game, deeds: list[tuple[str, list[int], int, str]]) -> None:
    position = sets.initial()
    few: Counter[int] = Counter()
    more: Counter[int] = Counter()
    dice: Counter[int] = Counter()
    edges: list[list[Any]] = []
    for act, here, die, side in deeds:
        (decision,) = sets.pending(position)
        answer = {"act": act, "here": here, "die": die, "s": side}
        place = CELLS.index(here)
        illegal = (act == "put" and few.total() == 4) or (act == "take" and not few[place])
        if illegal or (act == "take_die" and not dice[die]):
            assert not decision.answers.contains(decision.decode(answer))
            continue
        position = sets.answer(position, decision.player, decision.decode(answer))
        few.update({place: {"put": 1, "take": -1}.get(act, 0)})
        dice.update({die: {"put_die": 1, "take_die": -1}.get(act, 0)})
        few, dice = (Counter() if act == "wipe" else few), (Counter() if act == "wipe_dice" else dice)
        more = few.copy() if act == "copy" else more
        edge = [here, side]
        if edge in edges:
            edges.remove(edge)
        else:
            edges = [] if len(edges) == 3 else [*edges, edge]
        table = state(sets, position)["table"]
        assert table["few"] == [CELLS[n] for n in sorted(few.elements())]
        assert table["more"] == [CELLS[n] for n in sorted(more.elements())]
        assert table["dice"] == sorted(dice.elements())
        assert table["edges"] == sorted(edges, key=lambda e: (CELLS.index(e[0]), SIDES.index(e[1])))
        assert (table["size_of_few"], table["copies_here"]) == (few.total(), few[place])
        assert table["in_few"] is (few[place] > 0)


def test_a_set_that_is_too_large_for_a_short_one_is_not_copied(tmp_path: Path) -> None:
    rules = (
        FOUR + SQUARE + "table has\n    few : set of cell up to 2\n    more : set of cell up to 6\n"
        "play\n    for each c in cell where c.x is 1\n        add c to more\n    few becomes more\n"
    )
    with pytest.raises(RuleError) as stopped:
        made(tmp_path, rules).initial()
    assert stopped.value.message == "this set holds up to 2 values, and these are 4"


SECRET = (
    FOUR
    + SQUARE
    + """
each player has
    marks : set of cell up to 3
    dice  : set of 1..6

play
    for each n in 1..2
        every player p secretly
            p chooses here from cell where not here in p.marks
            add here to p.marks
            add here.x to p.dice
            p chooses again from yes/no
            if again
                remove here from p.marks
                clear p.dice
"""
)


def test_what_is_added_in_a_secret_block_is_seen_when_it_ends(tmp_path: Path) -> None:
    game = made(tmp_path, SECRET)
    position = game.initial()
    first = game.decision(position, 0)
    assert first is not None
    position = game.answer(position, 0, first.decode([1, 0]))
    again = game.decision(position, 0)
    assert again is not None
    position = game.answer(position, 0, again.decode(False))
    for viewer in (0, 1):
        seen: Any = game.view(position, viewer)["state"]
        assert seen["player"]["p1"]["marks"] == ([[1, 0]] if viewer == 0 else [])
    assert state(game, position)["player"]["p1"]["marks"] == []  # it happens for all at once
    for value in ([2, 1], True):
        decision = game.decision(position, 1)
        assert decision is not None
        position = game.answer(position, 1, decision.decode(value))
    players = state(game, position)["player"]
    assert (players["p1"]["marks"], players["p1"]["dice"]) == ([[1, 0]], [1])
    assert (players["p2"]["marks"], players["p2"]["dice"]) == ([], [])


def test_a_secret_block_adds_only_to_own_sets(tmp_path: Path) -> None:
    rules = (
        FOUR + SQUARE + "table has\n    shared : set of cell up to 3\n"
        "each player has\n    marks : set of cell up to 3\n"
        "play\n    every player p secretly\n        p chooses here from cell\n        add here to shared\n"
        "        for each q in player\n            clear q.marks\n"
    )
    assert findings(write(tmp_path, rules)) == [
        ("E411", "a secret block changes only what its own player has, not `shared`"),
        ("E411", "a secret block changes only what its own player has, not `marks`"),
    ]


# ---------------------------------------------------------------- choices whose parts depend on one another

LAYING = (
    FOUR
    + SQUARE
    + """
component tile (roads[side] : 0..1, worth : 0..3)

each cell has
    tile  : turned tile or none
    owner : player or nobody

table has
    bag   : set of tile = every tile
    laid  : set of tile
    spots : set of cell up to 12
    edges : set of (cell, side) up to 48

play
    add cell(2, 0) to spots
    in turn p from first_player where size of spots > 0 and size of bag > 0, at most 12 turns
        p chooses tile from bag, turn from turns of tile, here from spots, coins from 0..tile.worth + turn
            where coins mod 2 is (here.x + turn) mod 2 or (tile turned by turn).roads[up] is 1 as placement
        move tile from bag to laid
        here.tile becomes tile turned by turn
        here.owner becomes p
        remove here from spots
        for each s in side where here.tile.roads[s] is 1
            add (here, s) to edges
            if neighbour of here at s is not none
                if (neighbour of here at s).tile is none and not neighbour of here at s in spots
                    add neighbour of here at s to spots
        p may choose edge from edges, far from player where far is not edge.cell.owner or edge.side is up as gift
        if edge is not none
            remove edge from edges

table has
    first_player : player
"""
)
KINDS = {
    "bend": ([1, 1, 0, 0], 1, 4),
    "line": ([1, 0, 1, 0], 3, 3),
    "star": ([1, 1, 1, 1], 0, 2),
    "end": ([0, 0, 1, 0], 2, 3),
}
LAYING_DATA = "components: {tile: {kinds: [" + ", ".join(
    f"{{name: {name}, roads: {roads}, worth: {worth}, copies: {copies}}}"
    for name, (roads, worth, copies) in KINDS.items()
) + "]}}\n"  # fmt: skip


def legal_placements(now: Any) -> list[dict[str, Any]]:
    """All answers to the first choice by trying everything."""
    found = []
    for name, (roads, worth, _) in KINDS.items():
        if name not in now["table"]["bag"]:
            continue
        for turn in range(4):
            face = [roads[(side - turn) % 4] for side in range(4)]
            if any([roads[(side - less) % 4] for side in range(4)] == face for less in range(turn)):
                continue
            for here in now["table"]["spots"]:
                for coins in range(worth + turn + 1):
                    if coins % 2 == (here[0] + turn) % 2 or face[0] == 1:
                        found.append({"tile": name, "turn": turn, "here": here, "coins": coins})
    return found


def legal_gifts(now: Any) -> list[dict[str, Any] | None]:
    cells = now["cell"]
    edges = [edge for n, edge in enumerate(now["table"]["edges"]) if edge not in now["table"]["edges"][:n]]
    return [None] + [
        {"edge": edge, "far": far}
        for edge in edges
        for far in ("p1", "p2")
        if cells[f"{edge[0][0]},{edge[0][1]}"]["owner"] != far or edge[1] == "up"
    ]


def test_the_answers_to_a_joint_choice_are_those_that_brute_force_finds(tmp_path: Path, evidence: Evidence) -> None:
    game = made(tmp_path, LAYING, LAYING_DATA)
    for seed in evidence.cases("joint choices against brute force", full=300, slice=5):
        for position in walk(game, seed):
            for decision in game.pending(position):
                answers = decision.answers
                listed = [decision.encode(answers.nth(n)) for n in range(answers.count())]
                now = state(game, position)
                expected = legal_placements(now) if decision.name == "placement" else legal_gifts(now)
                assert sorted(map(str, listed)) == sorted(map(str, expected))


# ---------------------------------------------------------------- positions, printers, stages


@pytest.mark.parametrize(("rules", "data"), [(LAYING, LAYING_DATA), (SECRET, ""), (SETS, "")])
def test_positions_with_boards_survive_yaml(
    rules: str, data: str, tmp_path: Path, evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = made(tmp_path, rules, data)
    monkeypatch.setattr(position_format, "load", lambda path, players: game)
    choice = random.Random(1)
    for seed in evidence.cases("positions with boards survive YAML", full=50, slice=2):
        for position in walk(game, seed):
            if choice.random() < 0.3 or game.is_over(position):
                file = tmp_path / "position.yaml"
                file.write_text(dump_position(game, position), encoding="utf-8")
                found = Findings()
                again = load_position(file, found)
                assert again is not None and not found.items, [(d.message, d.span.line) for d in found.items]
                assert again.position == position


def test_a_cell_that_is_as_at_the_start_is_not_written(tmp_path: Path) -> None:
    game = made(tmp_path, LAYING, LAYING_DATA)
    position = game.initial()
    assert "  cell: {}\n" in dump_position(game, position)
    (decision,) = game.pending(position)
    answer = decision.decode({"tile": "bend", "turn": 1, "here": [2, 0], "coins": 1})
    after = dump_position(game, game.answer(position, decision.player, answer))
    assert '  cell: {"2,0": {tile: bend turned 1, owner: p1}}\n' in after
    assert "    edges: [[[2, 0], right], [[2, 0], down]]\n" in after


ROUND_TRIP = """
cyclic enum side = up "Up", right, down, left
enum way = on, back

grid cell (x : -reach..reach * 2, y : 1..8) by side
    up    : (x, y - 1)
    right : ((x mod 8) + 1, y)
    down  : (x if y > 3 else x + 1, (y + 1) mod (2 + size of rows))
    left  : (-x, -(y - 1))

grid track (n : 0..9) by way
    on   : (n + 1)
    back : (min(n, 3) - 1)

component tile (roads[side] : 0..3, worth, ends[1..4])

table has
    e[cell, (cell, side)] : (cell, side, player) or none
    s : set of (cell, side) up to 2 * reach + 1
    f : set of turned tile
    t : turned tile or none
    c : cell = cell(1, 1 + reach)

value a(e : (cell, side)) = (neighbour of e.cell at opposite of e.side).roads[e.side turned by -1]
value b = neighbour of (neighbour of c at up) at opposite of (down turned by 2)
value d(t : tile) = (t turned by 1 + 2).roads[(opposite of up) turned by 1] - (1 - 2)
value f = (c, up) in s and size of s > 0 or not (c, up, first of order) is e[c, (c, up)]
value g = neighbour of cell(1, 2 * 3) at up turned by -(1 + 2)
value h = opposite of (up if b is none else down)

play
    p chooses tile from bag, turn from turns of tile, here from s where here.cell is c as x "Where, {here}?"
    add neighbour of c at up to spots
    add (c, up) to s
    add 1 + 2 to dice
    remove (c, (up turned by 1)) from p.s[c]
    clear p.s[c]
    for each n in turns of (first of order)
        c.t becomes tile turned by -n
"""


def test_what_is_printed_reads_as_it_was() -> None:
    assert_round_trip(parsed("language 1\ngame small\n" + ROUND_TRIP))
    for path in (ROOT / "tests/diagnostics/good/space.rules", ROOT / "rules/cacao/cacao.rules"):
        assert_round_trip(parsed(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("stage", ["tree", "program", "ir", "python"])
def test_every_stage_can_be_shown(stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, LAYING, LAYING_DATA)
    assert cli.main(["dump", str(folder), "--stage", stage]) == 0
    shown = capsys.readouterr().out
    wanted = {"tree": "TurnsOf", "program": "turned tile", "ir": "add", "python": "added("}[stage]
    assert wanted in shown


def test_a_position_with_a_board_can_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = made(tmp_path, LAYING, LAYING_DATA)
    *_, end = walk(game, 3)
    file = tmp_path / "position.yaml"
    file.write_text(dump_position(game, end), encoding="utf-8")
    assert cli.main(["dump", str(file), "--stage", "position"]) == 0
    assert "laid" in capsys.readouterr().out


# ---------------------------------------------------------------- variants

VARIANT = "kind: variant\nformat: 1\nextends: small\ntitle: Other\n"


def variant(folder: Path, text: str, rules: str = LAYING, data: str = LAYING_DATA) -> Path:
    file = write(folder, rules, data) / "variants" / "other.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(VARIANT + text, encoding="utf-8")
    return file


def test_a_variant_may_have_another_board(tmp_path: Path) -> None:
    grid = SQUARE.strip().replace("1..3", "1..5").replace("\n", "\n    ")
    file = variant(tmp_path, f"replace:\n  cell: |\n    {grid}\n")
    assert findings(file) == []
    game = load(file, 2)
    *_, end = walk(game, 1)
    assert len(state(game, end)["cell"]) == 20


def test_a_variant_may_have_other_tiles(tmp_path: Path) -> None:
    kinds = "[{name: all, roads: [1, 1, 1, 1], worth: 3, copies: 12}]"
    game = load(variant(tmp_path, f"set: {{tile: {kinds}}}\n"), 2)
    *_, end = walk(game, 1)
    assert set(state(game, end)["table"]["laid"]) == {"all"}


def test_a_dropped_side_leaves_with_its_steps_and_what_is_printed_there(tmp_path: Path) -> None:
    rules = (
        FOUR + SQUARE + "component tile (roads[side] : 0..1, worth : 0..3)\n"
        "each tile has\n    ways : 0..9\n    third : 0..1\n    lies : turned tile\n"
        "play\n    for each t in tile\n        t.ways becomes number of n in turns of t\n"
        "        t.third becomes t.roads[left]\n        t.lies becomes t turned by 2\n"
    )
    data = "components: {tile: {kinds: [{name: a, roads: [1, 0, 1, 1], worth: 1}, " \
        "{name: b, roads: {up: 0, right: 1, down: 1, left: 1}, worth: 2}]}}\n"  # fmt: skip
    file = variant(tmp_path, "drop: {side: [down]}\n", rules, data)
    assert findings(file) == []
    game = load(file, 2)
    assert state(game)["tile"] == {
        "a": {"ways": 3, "third": 1, "lies": "a turned 2"},
        "b": {"ways": 3, "third": 1, "lies": "b turned 2"},
    }


def test_a_side_that_is_dropped_and_needed_is_told(tmp_path: Path) -> None:
    # It is an error where it names what is no longer there; to compare with it is just never true.
    assert findings(variant(tmp_path, "drop: {side: [up]}\n")) == [("E301", "there is nothing called `up`")]
    grid = "grid cell (x : 1..3) by sides\n        up : (x)"
    assert findings(variant(tmp_path, f"replace:\n  cell: |\n    {grid}\n"))[0] == (
        "E301", "there is no enum `sides`",
    )  # fmt: skip
