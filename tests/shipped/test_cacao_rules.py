"""Cacao at random: no tile, token or worker is lost or counted twice, whatever is played.

Who worked when is told a second time here, from nothing but where and when tiles were laid: without the bookkeeping of
the rule file. What the specification says is compared with the game in `test_specifications.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import ChanceEvent, ChoiceEvent, PlayedEvent, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.closely import Recorded
from tests.conftest import Evidence
from tests.games import assert_explained, inventory, walk
from tests.shipped.specifications import CACAO

TURNS = {2: 22, 3: 30, 4: 36}
WORKER_TILES = {"1-1-1-1": 4, "2-1-0-1": 5, "3-0-0-1": 1, "3-1-0-0": 1}
WORKER_TILES_REMOVED: dict[int, dict[str, int]] = {2: {}, 3: {"1-1-1-1": 1}, 4: {"1-1-1-1": 1, "2-1-0-1": 1}}
JUNGLE_TILES = {
    **{"plantation1": 6, "plantation2": 2, "market2": 2, "market3": 4, "market4": 1},
    **{"mine1": 2, "mine2": 1, "water": 3, "sun": 2, "temple": 5},
}
JUNGLE_TILES_REMOVED: dict[int, dict[str, int]] = {
    2: {"plantation1": 2, "market3": 1, "mine1": 1, "water": 1, "sun": 1, "temple": 1},
    3: {},
    4: {},
}

# ---------------------------------------------------------------- the tiles


@pytest.mark.parametrize(("component", "copies"), [("worker_tile", WORKER_TILES), ("jungle_tile", JUNGLE_TILES)])
def test_there_are_so_many_tiles_of_each_kind(component: str, copies: dict[str, int]) -> None:
    kinds = CACAO.components[component]["kinds"]
    assert {kind["name"]: kind["copies"] for kind in kinds} == copies


def test_tiles_are_called_by_what_is_printed_on_them() -> None:
    for kind in CACAO.components["worker_tile"]["kinds"]:
        assert kind["name"] == "-".join(map(str, kind["workers"])) and sum(kind["workers"]) == 4
    for kind in CACAO.components["jungle_tile"]["kinds"]:
        assert kind["name"] in (kind["kind"], f"{kind['kind']}{kind['amount']}")


@pytest.mark.parametrize(
    ("table", "removed"), [("workers.removed", WORKER_TILES_REMOVED), ("jungle.removed", JUNGLE_TILES_REMOVED)]
)
def test_so_many_of_them_are_put_by(table: str, removed: dict[int, dict[str, int]]) -> None:
    for players, kinds in CACAO.declared[table]["value"].items():
        assert {kind: number for kind, number in kinds.items() if number} == removed[players]


# ---------------------------------------------------------------- random games


@pytest.mark.parametrize("combination", CACAO.combinations)
def test_random_games(combination: str, tmp_path: Path, evidence: Evidence) -> None:
    variant, settings = CACAO.combinations[combination]
    for players in CACAO.some_players(list(CACAO.combinations).index(combination)):
        game = CACAO.load(players, variant, settings)
        pieces = inventory(game, game.initial().slots)
        kind = f"Cacao, {combination}, {players} players"
        for number, seed in enumerate(evidence.cases(f"random games of {kind}", full=500, slice=4)):
            log: Log = []
            course, recorded = Course(), Recorded(game, seed)

            def observe(
                event: PlayedEvent, position: Position, course: Course = course, recorded: Recorded = recorded
            ) -> None:
                course.note(event, position)
                recorded.note(event, position)

            played = play_game(game, [RandomPlayer()] * players, seed, observe=observe, log=log)
            assert_explained(game, played.position, log)
            assert course.turns == {name: TURNS[players] // players for name in game.players}
            there = jungle(game, played.position)
            assert course.worked == Counter(dict.fromkeys(course.called(there), 1))
            assert_reckoned(game, played.position, course, there)
            for position in (played.position, *recorded.look(number, kind, tmp_path, evidence)):
                assert inventory(game, position.slots) == pieces
                assert_kept_together(game, position)


@pytest.mark.parametrize("players", CACAO.players)
def test_every_position_of_a_game_keeps_its_pieces_together(players: int, evidence: Evidence) -> None:
    game = CACAO.load(players)
    pieces = inventory(game, game.initial().slots)
    for seed in evidence.cases(f"pieces at every position of Cacao, {players} players", full=100, slice=1):
        for position in walk(game, seed):
            assert inventory(game, position.slots) == pieces
            assert_kept_together(game, position)


def assert_kept_together(game: Game, position: Position) -> None:
    """All tiles are where they can be, and villages hold what they can hold."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    table, cells = state["table"], state.get("cell", {})
    removed = Counter(JUNGLE_TILES_REMOVED[game.player_count])
    assert Counter(table["unused"]) == removed or not table["laid"]  # before the first draw nothing is put by
    assert Counter(table["laid"]) == Counter(cell["jungle"] for cell in cells.values() if cell["jungle"])
    assert len(table["display"]) <= 2 and len(table["gaps"]) <= 3
    own = Counter(WORKER_TILES)
    laid: list[str] = []
    for player in state["player"].values():
        assert Counter([*player["hand"], *player["stack"], *player["placed"], *player["put_by"]]) == own
        assert Counter(player["put_by"]) == Counter(WORKER_TILES_REMOVED[game.player_count])
        assert len(player["hand"]) <= 3 and 0 <= player["beans"] <= 5 and 0 <= player["suns"] <= 3
        assert 1 <= player["carrier"] <= 9
        laid += player["placed"]
    upper = [(name, cell) for name, cell in cells.items() if cell["workers"]]
    assert Counter(cell["workers"].split()[0] for _, cell in upper) <= Counter(laid)
    assert sum(1 + cell["covered"] for _, cell in upper) == len(laid)
    for name, cell in cells.items():
        x, y = map(int, name.split(","))
        assert (cell["jungle"] is None) if (x + y) % 2 else (cell["workers"] is None)
        assert (cell["workers"] is None) == (cell["owner"] is None)


def assert_reckoned(game: Game, position: Position, course: Course, jungle: dict[Cell, str]) -> None:
    """Every village holds what its workers brought, less what was sold and paid: no token comes or goes otherwise."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    for name, player in state["player"].items():
        beans = suns = steps = sold = mined = 0
        for place in course.deeds[name]:
            tile = jungle[place] if place is not None else "cover"
            kind = tile.rstrip("1234")
            amount = int(tile.removeprefix(kind) or 1)
            suns += {"sun": suns < 3, "cover": -1}.get(kind, 0)
            steps += kind == "water" and steps < 8
            mined += amount if kind == "mine" else 0
            sold += amount if kind == "market" and beans else 0
            beans += {"plantation": min(amount, 5 - beans), "market": -(beans > 0)}.get(kind, 0)
            assert suns >= 0
        assert (player["beans"], player["suns"], player["carrier"]) == (beans, suns, 1 + steps)
        assert (player["breakdown"]["market"], player["breakdown"]["mine"]) == (sold, mined)


# ---------------------------------------------------------------- who worked when, told a second time

Cell = tuple[int, int]
AROUND = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def beside(cell: Cell) -> Iterator[tuple[str, Cell]]:
    return ((side, (cell[0] + x, cell[1] + y)) for side, (x, y) in AROUND.items())


def jungle(game: Game, position: Position) -> dict[Cell, str]:
    """Where the jungle tiles lie."""
    cells: Any = encode_state(game.program.layout, game.codec, position.slots)["cell"]
    at: dict[Cell, str] = {}
    for name, cell in cells.items():
        if cell["jungle"]:
            x, y = map(int, name.split(","))
            at[x, y] = cell["jungle"]
    return at


@dataclass(frozen=True)
class Tile:
    """A worker tile: whose it is, when and where it was laid, the workers on its edges."""

    owner: str
    turn: int
    cell: Cell
    workers: dict[str, int]


@dataclass
class Course:
    """The course of a game: tiles in the order in which they were laid, jungle tiles with their turns, who worked.

    `deeds`: for every worker that worked, where it did; None for a sun token that was paid."""

    tiles: list[Tile] = field(default_factory=list)
    filled: dict[Cell, int] = field(default_factory=lambda: {(0, 0): 0, (1, 1): 0})
    from_the_pile: list[int] = field(default_factory=list)
    worked: Counter[tuple[int, str, Cell, str]] = field(default_factory=Counter)
    deeds: dict[str, list[Cell | None]] = field(default_factory=lambda: defaultdict(list))

    def note(self, event: PlayedEvent, position: Position) -> None:
        turn = len(self.tiles)
        if isinstance(event, ChanceEvent):
            if event.name == "top_tile":
                self.from_the_pile.append(turn)
            return
        self.answer(event, turn)

    def answer(self, event: ChoiceEvent, turn: int) -> None:
        value: Any = event.value
        if event.name == "placement":
            printed = [int(workers) for workers in value["tile"].split("-")]
            turned = {side: printed[number - value["turn"]] for number, side in enumerate(AROUND)}
            if any(tile.cell == tuple(value["here"]) for tile in self.tiles):
                self.deeds[event.player].append(None)
            self.tiles.append(Tile(event.player, turn + 1, tuple(value["here"]), turned))
        elif event.name == "filling":
            self.filled[tuple(value["gap"])] = turn
        else:
            (cell, side), working = value["edge"], value["working"]
            laid = next(tile for tile in reversed(self.tiles) if tile.cell == tuple(cell))
            assert laid.owner == event.player and 0 <= working <= laid.workers[side] > 0
            self.worked[turn, event.player, tuple(cell), side] += 1
            self.deeds[event.player] += [dict(beside(tuple(cell)))[side]] * working

    @property
    def turns(self) -> Counter[str]:
        return Counter(tile.owner for tile in self.tiles)

    def called(self, jungle: dict[Cell, str]) -> Iterator[tuple[int, str, Cell, str]]:
        """Each edge with workers at the jungle, with the turn in which it came to touch it; not those at temples."""
        grown = {**self.filled, **self.third_cells(jungle)}
        assert set(grown) == set(jungle)
        for tile in self.tiles:
            covered = min((t.turn for t in self.tiles if t.cell == tile.cell and t.turn > tile.turn), default=None)
            for side, cell in beside(tile.cell):
                if cell in jungle and jungle[cell] != "temple" and tile.workers[side]:
                    turn = max(tile.turn, grown[cell])
                    if covered is None or turn < covered:
                        yield turn, tile.owner, tile.cell, side

    def third_cells(self, jungle: dict[Cell, str]) -> dict[Cell, int]:
        """Where the tiles from the pile went: beside the tile of their turn, between two tiles."""
        found: dict[Cell, int] = {}
        for turn in self.from_the_pile:
            there = {tile.cell for tile in self.tiles[:turn]}
            (cell,) = (
                cell
                for _, cell in beside(self.tiles[turn - 1].cell)
                if cell in jungle and cell not in self.filled and cell not in found
                if sum(near in there for _, near in beside(cell)) >= 2
            )
            found[cell] = turn
        return found
