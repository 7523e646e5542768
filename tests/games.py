"""What tests of whole games share: every shipped game at hand, small games written in a test, and random play.

A test that runs through all shipped games is written `@pytest.mark.parametrize("table", tables(), ids=str)`, so that
a game that is added to `rules/` is tested without further ado.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.lowered.layout import FieldSlots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import elements
from chocolatl.interpreter.play.game import Answer, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.program.types import PLAYER, Multiset

Result = TypeVar("Result")


@dataclass(frozen=True)
class Table:
    """A shipped game or variant with a number of players."""

    game: str
    variant: str | None
    players: int

    @property
    def path(self) -> Path:
        folder = rules_folder() / self.game
        return folder / "variants" / f"{self.variant}.yaml" if self.variant else folder

    def __str__(self) -> str:
        return f"{self.game}/{self.variant}-{self.players}" if self.variant else f"{self.game}-{self.players}"

    def load(self) -> Game:
        return loaded(self.path, self.players)


@cache
def loaded(path: Path, players: int, settings: str = "{}") -> Game:
    """A game, compiled once for all tests; `settings` are JSON."""
    return load(path, players, json.loads(settings))


def paths() -> list[tuple[str, str | None]]:
    """Each shipped game, followed by its variants."""
    found: list[tuple[str, str | None]] = []
    for game in games_in(rules_folder()):
        found += [(game, None), *((game, variant) for variant in variants_in(rules_folder() / game))]
    return found


@cache
def tables() -> list[Table]:
    """Every shipped game and variant with every number of players."""
    found = []
    for game, variant in paths():
        files = load_game(Table(game, variant, 0).path, Findings())
        # A game that cannot be read gets an entry too, so that its tests fail with the findings.
        counts = range(files.minimum, files.maximum + 1) if files is not None else range(1)
        found += [Table(game, variant, players) for players in counts]
    return found


# ---------------------------------------------------------------- small games


def write_game(folder: Path, rules: str, cards: str = "{value: 1..3}", more: str = "", players: int = 2) -> Path:
    """A folder with a game called `small`: its rules without header and winner, and the kinds of its cards."""
    place = folder / "small"
    place.mkdir(parents=True, exist_ok=True)
    header = f"kind: game\nformat: 1\nname: small\ntitle: Small\nplayers: {{min: {players}, max: {players}}}\n"
    (place / "game.yaml").write_text(f"{header}components:\n  card: {{kinds: {cards}}}\n{more}", encoding="utf-8")
    text = f"language 1\ngame small\n\ncomponent card (value)\n\n{rules}\n\nwinner p\n    highest p.score\n"
    (place / "small.rules").write_text(text, encoding="utf-8")
    return place


ENDLESS = """
each player has
    score : 0..9

item winnings

play
    for each a in 1..90000
        roll one from 1..2
        for each b in 1..90000
            roll two from 1..2
            for each c in 1..90000
                roll three from 1..2
"""
"""A game that takes years, in which nobody is asked."""

HALF_OPEN = """\
enum place = left, right

item won "Prizes"

table has
    prize[place] : 0..9

each player has
    score        : 0..20 = 0
    hand         : set of card secret = every card
    laid[place]  : set of card secret
    shown[place] : set of card

value bid(p : player, here : place) = sum of card.value for card in p.shown[here]

ranking bidders(here : place) of p in player
    highest bid(p, here)

play
    prize[left] becomes 4
    prize[right] becomes 5
    every player p secretly
        for each here in place
            p chooses 1 from p.hand into p.laid[here] as first_card
    do turn_up
    every player p secretly
        for each here in place
            p chooses 1 from p.hand into p.laid[here] as second_card
    do turn_up
    for each here in place
        contest bidders(here)
            first p alone
                p gains prize[here] score for won

procedure turn_up "Cards are turned up"
    for each here in place
        for each p in player
            reveal p.laid[here] into p.shown[here]
"""
"""Two players, two places, two cards for each: one is laid, all are turned up, the other is laid."""


# ---------------------------------------------------------------- random play


def successor(game: Game, position: Position, choice: random.Random) -> Position:
    """One random event further. In a secret block any player may be the next one to answer."""
    source = Random(choice.getrandbits(63))
    chance = game.chance(position)
    if chance is not None:
        return game.resolve(position, chance.outcomes.sample(source))
    decision = choice.choice(game.pending(position))
    return game.answer(position, decision.player, decision.answers.sample(source))


def answered(game: Game, position: Position, value: object) -> Position:
    """One event further, whether chance or a single player brings this value, written as in files."""
    chance = game.chance(position)
    if chance is not None:
        return game.resolve(position, chance.decode(value))
    (decision,) = game.pending(position)
    return game.answer(position, decision.player, decision.decode(value))


def walk(game: Game, seed: int) -> Iterator[Position]:
    """All positions of a random game, the last one included."""
    choice = random.Random(seed)
    position = game.initial()
    yield position
    while not game.is_over(position):
        position = successor(game, position, choice)
        yield position


def many(table: Table) -> int:
    """How many games to try for the evidence: about as many positions of each, so fewer games of a long one."""
    return max(3, 800 // sum(1 for _ in walk(table.load(), 0)))


def legal_answers(game: Game, position: Position, player: int, most: int = 500) -> tuple[str, list[Answer], int] | None:
    """What a player has to answer and may answer, written out up to a number; the last entry counts all."""
    decision = game.decision(position, player)
    if decision is None:
        return None
    answers = decision.answers
    return decision.name, [answers.nth(n) for n in range(min(answers.count(), most))], answers.count()


def same_question(game: Game, one: Position, other: Position, player: int) -> bool:
    """Whether a player has to answer the same in two positions, and may answer the same."""
    here, there = game.decision(one, player), game.decision(other, player)
    if here is None or there is None:
        return here is there
    if here.name != there.name or type(here.answers) is not type(there.answers):
        return False
    # What the legal answers follow from is equal, or else they are written out.
    return vars(here.answers) == vars(there.answers) or list(here.answers) == list(there.answers)


# ---------------------------------------------------------------- all random numbers at once


class Scripted(Random):
    """Random numbers that are prescribed; where the script ends it goes on with zeros. Notes what was asked for."""

    __slots__ = ("bounds", "script")

    def __init__(self, script: list[int]) -> None:
        super().__init__(0)
        self.script = script
        self.bounds: list[int] = []

    def below(self, n: int) -> int:
        assert n > 0
        self.bounds.append(n)
        if len(self.bounds) > len(self.script):
            self.script.append(0)
        return self.script[len(self.bounds) - 1]


def all_draws(sample: Callable[[Random], Result]) -> Iterator[tuple[Result, tuple[int, ...]]]:
    """What sampling gives for all random numbers, with the bounds of those that were asked for."""
    script: list[int] = []
    while True:
        random = Scripted(script)
        result = sample(random)
        assert len(random.bounds) == len(script)
        yield result, tuple(random.bounds)
        while script and script[-1] == random.bounds[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


# ---------------------------------------------------------------- zones


def zones(game: Game) -> list[FieldSlots]:
    """All fields that hold components."""
    return [
        place
        for place in game.program.layout.places.values()
        if isinstance(place.field.type, Multiset) and place.field.type.element.family in game.ir.totals
    ]


def is_seen(place: FieldSlots, cell: int, player: int) -> bool:
    """Whether a player sees what lies in a cell of a field, by its declaration alone."""
    if place.field.visibility != "secret":
        return place.field.visibility == "open"
    return place.field.owner == PLAYER and cell // (place.cells // place.field.owners) == player


def inventory(game: Game, slots: list[int]) -> dict[str, list[int]]:
    """How many components of each kind there are, wherever they lie."""
    found: dict[str, list[int]] = {}
    for place in zones(game):
        assert isinstance(place.field.type, Multiset)
        element = place.field.type.element
        counts = found.setdefault(element.family, [0] * element.size)
        for slot in range(place.base, place.end):
            for kind in elements(slots[slot]):
                counts[kind] += 1
    return found


# ---------------------------------------------------------------- points


def assert_explained(game: Game, position: Position, log: Log) -> None:
    """Every point is in the breakdown, and every entry of the breakdown is a sum of awards."""
    result = game.result(position)
    awards: Counter[tuple[int, str]] = Counter()
    for kind, *entry in log:
        if kind == "award":
            player, item, points = entry[:3]
            awards[player, game.ir.items[item]] += points
    for player, (score, breakdown) in enumerate(zip(result.scores, result.breakdown, strict=True)):
        assert score == sum(breakdown.values())
        assert breakdown == {item: awards[player, item] for item in game.ir.items}
    best = max(result.scores)
    assert {result.scores[winner] for winner in result.winners} == {best}
