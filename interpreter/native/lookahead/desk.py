"""What native code needs beside the state to play games of players who look ahead: where it lies (memory layout).

In front are four states: the game under way, a world, a trial, and the position that all games of a series start from.
Behind them comes what this module lays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.lowered.layout import Layout
from chocolatl.interpreter.native.builds.stops import words_told
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.noting import JOURNAL_BYTES
from chocolatl.interpreter.program.types import Multiset

STATES = 4
"""The game under way, a world, a trial, and the start."""

MOST_CARDS = 1 << 12
"""So many components are counted in what players conclude."""

MOST_WAYS = 1 << 14
"""So many words a table has by which the answers to a choice of several elements are numbered."""

GIVEN = 1 << 10
"""So many words of answers are kept in a secret block."""


class Unseatable(Exception):
    """Games of these rules cannot be played whole: something is dealt or rolled unseen in a way that only the
    interpreter follows, or there is too much of it."""


@dataclass(frozen=True)
class BeliefForm:
    """How the conclusions of a player lie: how many groups there are; of each how many cards of each kind, then how
    many of them lie in each zone, the known bottoms of decks behind the others; then, for each deck that can have one,
    how many cards its bottom has, and which, -1 for an unknown one."""

    zones: int
    kinds: int
    groups: int
    decks: tuple[int, ...]
    width: int

    @classmethod
    def of(cls, layout: Layout) -> BeliefForm:
        game = layout.game
        kinds = cards = 0
        for place in {field.field.key: field for field, _ in layout.zones}.values():
            assert isinstance(place.field.type, Multiset)
            kinds = max(kinds, place.field.type.element.size)
            if place.field.type.element.family not in game.totals:
                raise Unseatable
        families = {place.field.type.element.family for place, _ in layout.zones}  # type: ignore[union-attr]
        cards = sum(game.totals[family] for family in families)
        if cards > MOST_CARDS:
            raise Unseatable
        decks = tuple(zone for zone, (place, _) in enumerate(layout.zones) if place.field.key in layout.unders)
        width = max((layout.under_width(layout.zones[zone][0].field) for zone in decks), default=1)
        return cls(len(layout.zones), kinds, max(1, cards), decks, width)

    @property
    def step(self) -> int:
        """How many bytes a group takes."""
        return max(16, -(-2 * (self.kinds + 2 * self.zones) // 16) * 16)

    @property
    def bottoms(self) -> int:
        return 16 + self.groups * self.step

    @property
    def size(self) -> int:
        return -(-(self.bottoms + 4 * self.width * len(self.decks)) // 16) * 16

    @property
    def planned(self) -> int:
        """How many words a plan of what there is to deal has at most."""
        return 2 + len(self.decks) * (2 + self.width) + 5 * self.groups


def check_seatable(game: ir.GameRules) -> None:
    """Whether all that moves unseen is noted by native code: `Unseatable`, if it is not."""
    for procedure in game.procedures.values():
        for s in statements(procedure.body):
            match s:
                case ir.CopyZone():
                    touched: tuple[object, ...] = (s.source, s.target)
                case ir.ChangeSet():
                    touched = (s.zone,)
                case ir.Roll():
                    touched = (s.target,)
                case ir.Draw() | ir.MoveElement() | ir.MoveAll() | ir.ChooseSet():
                    continue  # these are noted
                case ir.Store() | ir.SetLocal() | ir.Award() | ir.Choose() | ir.Call() | ir.Stop():
                    continue
                case ir.If() | ir.ForEach() | ir.InTurn() | ir.Secretly() | ir.Repeat() | ir.Contest():
                    continue  # what is inside of them comes by itself
                case _:
                    assert_never(s)
            if any(isinstance(zone, ir.FieldZone) and zone.field.visibility != "open" for zone in touched):
                raise Unseatable


def ways(s: ir.ChooseSet, game: ir.GameRules) -> int:
    """How many words number the answers: for each kind and each number of elements."""
    return (1 + ir.set_type(s.source).element.size) * (1 + most_of_set(ir.set_type(s.source), game))


def width_of(s: ir.Choice, game: ir.GameRules) -> int:
    """How many words an answer has, with its length in front."""
    return 1 + (len(s.picks) if isinstance(s, ir.Choose) else max(1, most_of_set(ir.set_type(s.source), game)))


class Desk:
    """Where it lies. Words that are told: whether a game is left to the interpreter, how far answers are looked at."""

    WORDS = ("left", "worlds", "tries", "candidates", "least", "most", "answered")

    def __init__(self, layout: Layout, whole: int, choices: list[ir.Choice]) -> None:
        game, self.players = layout.game, layout.game.player_count
        self.belief = BeliefForm.of(layout)
        check_seatable(game)
        self.ways = max((ways(s, game) for s in choices if isinstance(s, ir.ChooseSet)), default=1)
        if self.ways > MOST_WAYS:
            raise Unseatable
        self.width = max((width_of(s, game) for s in choices), default=1)
        self.start = (STATES - 1) * whole
        self.size = STATES * whole
        self.words = self._room(8 * len(self.WORDS))
        self.seats = self._room(8 * self.players)
        self.journals = self._room(JOURNAL_BYTES * (1 + self.players))
        self.beliefs = self._room(self.belief.size * self.players)
        self.first_beliefs = self._room(self.belief.size * self.players)
        self.settled = self._room(self.belief.size)
        self.order, self.keys = (self._room(8 * self.belief.groups) for _ in range(2))
        self.plan = self._room(8 * self.belief.planned)
        self.shuffled = max(self.belief.groups, GIVEN)
        self.room = self._room(8 * self.shuffled)
        self.given = self._room(8 * GIVEN)
        self.options = MOST_OPTIONS * self.width
        self.listed = self._room(8 * self.options)
        self.numbers = self._room(8 * MOST_OPTIONS)
        self.told = max(map(words_told, choices), default=1)
        self.asked = self._room(8 * self.told)
        self.table = self._room(8 * self.ways)
        self.report = self._room(16)

    def _room(self, size: int) -> int:
        start = -(-self.size // 64) * 64
        self.size = start + size
        return start

    def word(self, name: str) -> tuple[int, Region]:
        offset = self.words + 8 * self.WORDS.index(name)
        return offset, Region(Access.DESK, 8, offset)


MOST_OPTIONS = 64
"""So many options are tried at most."""
