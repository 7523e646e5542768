"""Cacao a second time, in plain Python: independent evidence that the rule file says what the rules are.

It was written from the rules of the game alone and shares nothing with the interpreter, which it does not import: no
rule file, no data, no random numbers. It plays nothing by itself. At any time it has a `table` and a `question` with
all its legal answers; it is given the events of a game (what chance brought, what the players chose) one by one and
complains about one that does not answer its question. Who compares its tables and questions with those of the
interpreter finds any rule that the two understand differently.

Cells are pairs (x, y); x grows to the east, y to the south. Where x + y is even, jungle tiles lie, elsewhere workers.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from tests.reference.events import Disagreement, Event

Cell = tuple[int, int]
Edges = tuple[int, ...]
"""The workers on the four edges of a tile, clockwise from the north."""

SIDES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class WorkerKind(NamedTuple):
    edges: Edges
    number: int
    removed: dict[int, int]  # number of players -> how many of them each one puts back


class JungleKind(NamedTuple):
    site: str
    worth: int
    number: int
    removed_for_two: int


WORKERS = {
    "1-1-1-1": WorkerKind((1, 1, 1, 1), 4, {3: 1, 4: 1}),
    "2-1-0-1": WorkerKind((2, 1, 0, 1), 5, {4: 1}),
    "3-0-0-1": WorkerKind((3, 0, 0, 1), 1, {}),
    "3-1-0-0": WorkerKind((3, 1, 0, 0), 1, {}),
}
JUNGLE = {
    "plantation1": JungleKind("plantation", 1, 6, 2),
    "plantation2": JungleKind("plantation", 2, 2, 0),
    "market2": JungleKind("market", 2, 2, 0),
    "market3": JungleKind("market", 3, 4, 1),
    "market4": JungleKind("market", 4, 1, 0),
    "mine1": JungleKind("mine", 1, 2, 1),
    "mine2": JungleKind("mine", 2, 1, 0),
    "water": JungleKind("water", 1, 3, 1),
    "sun": JungleKind("sun", 1, 2, 1),
    "temple": JungleKind("temple", 0, 5, 1),
}
START: dict[Cell, str] = {(0, 0): "plantation1", (1, 1): "market2"}
HAND, DISPLAY, BEANS, SUNS = 3, 2, 5, 3
WATER = (-10, -4, -1, 0, 2, 4, 7, 11, 16)
TEMPLE_FIRST, TEMPLE_SECOND = 6, 3
SOURCES = ("market", "mine", "temples", "suns", "water")

RULINGS: dict[str, Any] = {
    "activation.optional": True,
    "overbuild.when": "pile_and_display_empty",
    "overbuild.per_cell": 1,
    "overbuild.owner": "self",
    "hand.hidden": True,
}
"""Every ruling that has alternatives, with its default. Whether hands are hidden changes nothing on the table."""


@dataclass(frozen=True)
class Question:
    """Who has to say what. Chance brings each of its answers, some of which may be alike, with equal probability."""

    is_chance: bool
    who: str | None
    name: str
    answers: tuple[Any, ...]


T = TypeVar("T")
Course = Generator[Question, Any, T]
"""A part of the game: it asks questions, is sent their answers, and comes to a result."""


class Tile(NamedTuple):
    """A worker tile on the table, as it is turned, and how many tiles lie under it."""

    owner: str
    kind: str
    edges: Edges
    covered: int = 0


@dataclass(frozen=True)
class Table:
    """All that there is when a question is asked; what players have, in the order of the seats."""

    gold: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]  # the gold by its source, in the order of SOURCES
    beans: tuple[int, ...]
    suns: tuple[int, ...]
    water: tuple[int, ...]  # how many fields the carrier has gone, 0 to 8
    hands: tuple[tuple[str, ...], ...]
    stacks: tuple[int, ...]
    workers: dict[Cell, Tile]
    jungle: dict[Cell, str]
    display: tuple[str, ...]
    pile: int


def around(cell: Cell) -> Iterator[Cell]:
    """The cells on the four sides, clockwise from the north."""
    return ((cell[0] + x, cell[1] + y) for x, y in SIDES.values())


def reading_order(cell: Cell) -> tuple[int, int]:
    return cell[1], cell[0]


def turned(kind: str, turn: int) -> Edges:
    """The edges after some clockwise quarter turns: what was north is then east, and so on."""
    edges = WORKERS[kind].edges
    return tuple(edges[side - turn] for side in range(4))


def temple_gold(workers: dict[str, int]) -> dict[str, int]:
    """What a temple pays to the players who have workers at it."""
    most = max(workers.values(), default=0)
    first = [player for player, number in workers.items() if number == most]
    rest = {player: number for player, number in workers.items() if number < most}
    paid = dict.fromkeys(first, TEMPLE_FIRST // max(1, len(first)))
    if len(first) == 1 and rest:
        second = [player for player, number in rest.items() if number == max(rest.values())]
        paid |= dict.fromkeys(second, TEMPLE_SECOND // len(second))
    return paid


class Reference:
    """One game. `asks_at_temples`: whether workers at temples are asked for as well, though they do nothing.
    `not_asked`: the names of choices that are made without asking where there is but one answer."""

    def __init__(
        self,
        players: Sequence[str],
        rulings: dict[str, Any] | None = None,
        asks_at_temples: bool = True,
        not_asked: Collection[str] = (),
    ) -> None:
        count = len(players)
        self.players = list(players)
        self.ruling = {**RULINGS, **(rulings or {})}
        self.asks_at_temples = asks_at_temples
        self.not_asked = not_asked
        self.winners: list[str] = []
        self.points = {player: dict.fromkeys(SOURCES, 0) for player in players}
        self.beans = dict.fromkeys(players, 0)
        self.suns = dict.fromkeys(players, 0)
        self.water = dict.fromkeys(players, 0)
        self.hands: dict[str, list[str]] = {player: [] for player in players}
        self.stacks = {
            player: [name for name, kind in WORKERS.items() for _ in range(kind.number - kind.removed.get(count, 0))]
            for player in players
        }
        self.workers: dict[Cell, Tile] = {}
        self.jungle = dict(START)
        self.display: list[str] = []
        self.pile = [
            name
            for name, kind in JUNGLE.items()
            for _ in range(kind.number - (kind.removed_for_two if count == 2 else 0))
        ]
        for name in START.values():
            self.pile.remove(name)
        self.follow(self.game())

    # ------------------------------------------------------------ questions and tables

    def follow(self, course: Course[None]) -> None:
        """Go on with this part of the game: a test may set up a table of its own and begin in the middle."""
        self.course = course
        self.question: Question | None = None  # None: it is over
        self.question = next(course, None)

    def take(self, event: Event) -> None:
        """Go on to the next question. The event has to answer this one."""
        question = self.question
        if question is None:
            raise Disagreement(f"the game is over, but there follows {event}")
        if (event.is_chance, event.who, event.name) != (question.is_chance, question.who, question.name):
            raise Disagreement(f"{question.name} of {question.who} has to follow, but there follows {event}")
        if event.value not in question.answers:
            raise Disagreement(f"{event} is none of {question.answers}")
        try:
            self.question = self.course.send(event.value)
        except StopIteration:
            self.question = None

    def choice(self, player: str, name: str, answers: Iterable[Any]) -> Course[Any]:
        legal = tuple(answers)
        if len(legal) == 1 and name in self.not_asked:
            return legal[0]
        return (yield Question(False, player, name, legal))

    def drawn(self, name: str, stack: list[str], owner: str | None = None) -> Course[str]:
        kind: str = yield Question(True, owner, name, tuple(stack))
        stack.remove(kind)
        return kind

    def gold(self, player: str) -> int:
        return sum(self.points[player].values())

    def table(self) -> Table:
        def by_seat(values: dict[str, int]) -> tuple[int, ...]:
            return tuple(values[player] for player in self.players)

        return Table(
            gold=tuple(self.gold(player) for player in self.players),
            points=tuple(tuple(self.points[player].values()) for player in self.players),
            beans=by_seat(self.beans),
            suns=by_seat(self.suns),
            water=by_seat(self.water),
            hands=tuple(tuple(sorted(self.hands[player])) for player in self.players),
            stacks=tuple(len(self.stacks[player]) for player in self.players),
            workers=dict(self.workers),
            jungle=dict(self.jungle),
            display=tuple(sorted(self.display)),
            pile=len(self.pile),
        )

    # ------------------------------------------------------------ the course of the game

    def game(self) -> Course[None]:
        for player in self.players:
            for _ in range(HAND):
                yield from self.draw_worker(player)
        yield from self.refill_display()
        while any(self.hands.values()):
            for player in self.players:
                yield from self.turn(player)
        self.score_finally()

    def turn(self, player: str) -> Course[None]:
        cell = yield from self.place(player)
        overbuilt = self.workers[cell].covered > 0
        filled = [] if overbuilt else (yield from self.fill(player, cell))
        seat = self.players.index(player)
        for owner in self.players[seat:] + self.players[:seat]:
            yield from self.activate(owner, cell, filled)
        yield from self.draw_worker(player)
        yield from self.refill_display()

    def draw_worker(self, player: str) -> Course[None]:
        if self.stacks[player]:
            kind = yield from self.drawn("hand", self.stacks[player], player)
            self.hands[player].append(kind)

    def refill_display(self) -> Course[None]:
        while self.pile and len(self.display) < DISPLAY:
            kind = yield from self.drawn("display", self.pile)
            self.display.append(kind)

    # ------------------------------------------------------------ placing a worker tile

    def place(self, player: str) -> Course[Cell]:
        cells = {cell for tile in self.jungle for cell in around(tile) if cell not in self.workers}
        if self.suns[player] and self.may_overbuild():
            cells |= {cell for cell, tile in self.workers.items() if self.may_cover(player, tile)}
        answer = yield from self.choice(
            player,
            "placement",
            (
                {"tile": kind, "turn": turn, "cell": list(cell)}
                for kind in sorted(set(self.hands[player]))
                for turn in range(4)
                if turned(kind, turn) not in [turned(kind, less) for less in range(turn)]
                for cell in sorted(cells, key=reading_order)
            ),
        )
        x, y = answer["cell"]
        covered = 0
        if (x, y) in self.workers:
            self.suns[player] -= 1
            covered = self.workers[x, y].covered + 1
        self.workers[x, y] = Tile(player, answer["tile"], turned(answer["tile"], answer["turn"]), covered)
        self.hands[player].remove(answer["tile"])
        return x, y

    def may_overbuild(self) -> bool:
        return not self.pile and (self.ruling["overbuild.when"] == "pile_empty" or not self.display)

    def may_cover(self, player: str, tile: Tile) -> bool:
        per_cell: int = self.ruling["overbuild.per_cell"]
        return tile.covered < per_cell and (tile.owner == player or self.ruling["overbuild.owner"] == "any")

    # ------------------------------------------------------------ filling the jungle

    def fill(self, player: str, new: Cell) -> Course[list[Cell]]:
        """Lay jungle tiles beside the new worker tile: those of the display, then those of the pile."""
        gaps = sorted((cell for cell in around(new) if self.must_be_filled(cell)), key=reading_order)
        filled: list[Cell] = []

        def lay(kind: str, gap: Cell) -> None:
            self.jungle[gap] = kind
            gaps.remove(gap)
            filled.append(gap)

        while gaps and self.display:
            pairs = [{"tile": kind, "gap": list(gap)} for kind in sorted(set(self.display)) for gap in gaps]
            answer = yield from self.choice(player, "filling", pairs)
            self.display.remove(answer["tile"])
            lay(answer["tile"], tuple(answer["gap"]))
        while gaps and self.pile:
            kind = yield from self.drawn("top_tile", self.pile)
            lay(kind, gaps[0])
        return filled

    def must_be_filled(self, cell: Cell) -> bool:
        return cell not in self.jungle and sum(side in self.workers for side in around(cell)) >= 2

    # ------------------------------------------------------------ activating workers

    def activate(self, owner: str, new: Cell, filled: Collection[Cell]) -> Course[None]:
        """The owner's workers on the new tile, and those on older ones at what was just filled."""
        pending = {
            (cell, side): (touched, workers)
            for cell, tile in sorted(self.workers.items(), key=lambda item: reading_order(item[0]))
            for side, touched, workers in zip(SIDES, around(cell), tile.edges, strict=True)
            if tile.owner == owner and workers and touched in self.jungle and (cell == new or touched in filled)
            if self.asks_at_temples or self.jungle[touched] != "temple"
        }
        while pending:
            edges = [{"cell": list(cell), "side": side} for cell, side in pending]
            answer = yield from self.choice(owner, "edge", edges)
            touched, workers = pending.pop((tuple(answer["cell"]), answer["side"]))
            kind = JUNGLE[self.jungle[touched]]
            least = (
                0 if self.ruling["activation.optional"] is True or kind.site in ("plantation", "market") else workers
            )
            working = yield from self.choice(owner, "working", range(least, workers + 1))
            self.work(owner, kind, working)

    def may_decline(self, kind: JungleKind) -> bool:
        return self.ruling["activation.optional"] is True or kind.site in ("plantation", "market")

    def work(self, player: str, kind: JungleKind, workers: int) -> None:
        if kind.site == "plantation":
            self.beans[player] = min(BEANS, self.beans[player] + workers * kind.worth)
        elif kind.site == "market":
            sold = min(workers, self.beans[player])
            self.beans[player] -= sold
            self.points[player]["market"] += sold * kind.worth
        elif kind.site == "mine":
            self.points[player]["mine"] += workers * kind.worth
        elif kind.site == "water":
            self.water[player] = min(len(WATER) - 1, self.water[player] + workers)
        elif kind.site == "sun":
            self.suns[player] = min(SUNS, self.suns[player] + workers)

    # ------------------------------------------------------------ final scoring

    def score_finally(self) -> None:
        for cell, kind in self.jungle.items():
            if kind == "temple":
                for player, gold in temple_gold(self.workers_at(cell)).items():
                    self.points[player]["temples"] += gold
        for player in self.players:
            self.points[player]["suns"] = self.suns[player]
            self.points[player]["water"] = WATER[self.water[player]]
        best = max((self.gold(player), self.beans[player]) for player in self.players)
        self.winners = [player for player in self.players if (self.gold(player), self.beans[player]) == best]

    def workers_at(self, cell: Cell) -> dict[str, int]:
        """How many workers those players have who have any on the edges that touch a cell."""
        present: dict[str, int] = {}
        for side, beside in enumerate(around(cell)):
            tile = self.workers.get(beside)
            workers = tile.edges[(side + 2) % 4] if tile else 0
            if tile and workers:
                present[tile.owner] = present.get(tile.owner, 0) + workers
        return present
