"""Where everything lies in the memory of the native kernel (record layout): the slots of the interpreter, as bytes.

A number takes as few bytes as its range needs, a zone is a vector of counts, a short set its length and its values.
In front stands a head: random numbers, the place in the program, where failures and events are told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from chocolatl.interpreter.lowered.layout import SEALED, Layout
from chocolatl.interpreter.lowered.zones import counts
from chocolatl.interpreter.native.layout.zone_capacity import ZoneCapacities
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.model import MANY, FieldKey
from chocolatl.interpreter.program.types import PLAYER, Multiset, Scalar

REPORT, LOG, DECISIONS, SECRET, AT, ENTERED, ASKED, STREAMS = 0, 8, 16, 24, 32, 40, 48, 64
"""Offsets in the head: where the first failure is reported, where events are noted (0: nowhere) or, in a build that can
be left at any decision, where they are counted, decisions made,
whether this is inside a secret block, the place in the program, how many secret blocks were entered, in a
byte each which latches were asked; then four words for each stream of random numbers."""

JOURNAL, ASIDE = ASKED, ASKED + 8
"""In a build that can be left at any decision latches are asked as a whole. There a word tells where moves are noted
for players who remember (0: nowhere), and one where is counted what happens in trials."""

CHUNK = 64
"""So many kinds of a zone are looked at as the bits of one word."""

PLANES = 6
"""With more copies of a kind than this number of bits can tell, a zone is a vector of counts."""


@dataclass(frozen=True)
class Shape:
    """How the content of a slot is laid out. A number has no `kinds`; a short set holds up to `most` values; a zone of
    components is `planes` of bits, any other a vector of counts. With several `lanes` the same plane of all owners is a
    row, so that all of them are reached at once."""

    unit: str
    kinds: int = 0
    most: int = -1
    planes: int = 0
    lanes: int = 1

    @property
    def padded(self) -> int:
        """Room for so many counts, so that a zone is a vector of a handy length."""
        if self.kinds > CHUNK:
            return -(-self.kinds // CHUNK) * CHUNK
        return next(size for size in (8, 16, 32, CHUNK) if size >= self.kinds)

    @property
    def is_wide(self) -> bool:
        """Whether its counts are too many for one vector: LLVM takes seconds for thousands, and gives up at more."""
        return not self.planes and self.most < 0 and self.kinds > CHUNK

    @property
    def kind(self) -> Access:
        """What a slot is as memory."""
        if self.most >= 0:
            return Access.SHORT_SET
        if self.planes:
            return Access.PLANE
        return Access.ZONE if self.kinds else Access.NUMBER

    @property
    def row(self) -> int:
        """How many bytes the same plane of all owners takes."""
        return self.lanes * int(self.unit[1:]) // 8

    @property
    def vector(self) -> str:
        assert not self.is_wide
        return f"<{self.padded} x {self.unit}>"

    @cached_property
    def size(self) -> int:
        """In bytes."""
        unit = int(self.unit[1:]) // 8
        if self.most >= 0:
            return unit * (1 + self.most)
        if self.planes:
            return unit * self.planes
        return unit * self.padded if self.kinds else unit

    @property
    def alignment(self) -> int:
        return min(self.size & -self.size, 16) if self.lanes == 1 else 16


def number_shape(low: int, high: int) -> Shape:
    """The smallest integer that holds a range."""
    bits = next(bits for bits in (8, 16, 32, 64) if -(1 << bits - 1) <= low and high < 1 << bits - 1)
    return Shape(f"i{bits}")


def count_unit(most: int) -> str:
    """The smallest integer that counts so many, without a sign."""
    return "i8" if most < 1 << 8 else "i16"


WORD = Shape("i64")


@dataclass(frozen=True)
class Streams:
    """How the random numbers of so many lie: the four words of each together or, in `rows`, each word of all of them,
    those of the players first and chance last."""

    count: int
    rows: bool

    @property
    def size(self) -> int:
        return 4 * self.step if self.rows else 16 * self.count

    @property
    def step(self) -> int:
        """How many bytes the words of one stream lie apart."""
        return _up(4 * self.count, 16) if self.rows else 4

    @property
    def apart(self) -> int:
        """How many bytes two streams lie apart."""
        return 4 if self.rows else 16

    @property
    def first_player(self) -> int:
        """Where those of the players begin."""
        return 0 if self.rows else 16

    def at(self, number: int) -> int:
        """Where a stream begins; 0 is chance, then come the players."""
        return self.apart * ((number - 1) % self.count if self.rows else number)

    def meant(self, number: int) -> Region:
        """A stream inside of a state. In rows it is its first word, and the others follow, each in its row."""
        return Region(Access.STREAM, self.apart, STREAMS + self.at(number))

    @property
    def of_players(self) -> Region:
        """Where the streams of players begin, inside of a state."""
        return Region(Access.STREAM, self.apart * (self.count - 1), STREAMS + self.first_player)


@dataclass(frozen=True)
class SlotRun:
    """Slots of one shape, one after the other."""

    slot: int
    count: int
    offset: int
    shape: Shape

    @property
    def meant(self) -> Region:
        """All of it, inside of a state."""
        return Region(self.shape.kind, self.count * self.shape.size, self.offset)

    def cell(self, number: int) -> Region:
        """One slot, inside of a state."""
        size = self.shape.size if 0 <= number < self.count else 0
        return Region(self.shape.kind, size, self.offset + number * size)


class Memory:
    """Where each slot lies. Frames, the slots of procedures that can wait, come last.

    Zones have room for what they can hold in a game that is played `from_start`, or in any position. Without `planes`
    all of them are vectors of counts."""

    def __init__(self, layout: Layout, from_start: bool = False, planes: bool = True) -> None:
        self.layout = layout
        self.game = layout.game
        self.from_start = from_start
        self.planes = planes
        self.copies = {family: self._copies(family) for family in layout.game.totals}
        self.runs: list[SlotRun] = []
        self.slots = SEALED + 1
        self.streams = Streams(layout.game.player_count + 1, from_start)
        self.body = self.size = _up(STREAMS + self.streams.size, 64)
        self.fields = {key: number for number, key in enumerate(layout.places)}
        self.places: dict[FieldKey, SlotRun] = {}
        pools = ZoneCapacities(layout) if from_start else None
        for key, place in layout.places.items():
            shape = self.shape(place.field.type)
            if pools is not None and shape.planes:
                lanes = place.field.owners if key[0] == PLAYER and key not in layout.unders else 1
                shape = replace(shape, planes=max(1, pools.most(key).bit_length()), lanes=lanes)
            self.places[key] = self._add(shape, place.cells)
        self.unders: dict[FieldKey, Region] = {}
        for key in layout.unders:
            place = layout.places[key]
            width = layout.under_width(place.field)
            run = self._add(Shape("i32"), place.cells * width)
            self.unders[key] = Region(Access.UNDER, 4 * run.count, run.offset)
        sets = {
            frame.locals[local.number]: self.shape(local.type)
            for frame in layout.frames.values()
            for local in frame.named
            if isinstance(local.type, Multiset)
        }
        self.frames: dict[int, int] = {}
        while self.slots < len(layout.defaults):
            following = min((slot for slot in sets if slot > self.slots), default=len(layout.defaults))
            count = 1 if self.slots in sets else following - self.slots
            run = self._add(sets.get(self.slots, WORD), count)
            self.frames.update({run.slot + n: run.offset + n * run.shape.size for n in range(count)})
        self.size = _up(self.size, 64)

    def _copies(self, family: str) -> int:
        """Of the kind of component that there is most of, how many copies the game has."""
        total = 0
        for place in self.layout.places.values():
            if isinstance(place.field.type, Multiset) and place.field.type.element.family == family:
                total += sum(self.layout.defaults[place.base : place.end])
        return max(counts(total), default=0)

    def _add(self, shape: Shape, count: int) -> SlotRun:
        run = SlotRun(self.slots, count, _up(self.size, shape.alignment), shape)
        self.runs.append(run)
        self.size = run.offset + count * shape.size
        self.slots += count
        return run

    @cached_property
    def run_of(self) -> list[int]:
        """The number of the run that each slot belongs to."""
        first = [0] * (SEALED + 1)
        return first + [number for number, run in enumerate(self.runs) for _ in range(run.count)]

    def stretch(self, begin: int, end: int) -> tuple[int, int]:
        """Where some slots of frames lie that follow one another: the first byte, and how many bytes."""
        last = next(run for run in self.runs if run.slot <= end - 1 < run.slot + run.count)
        first = self.frames[begin]
        return first, self.frames[end - 1] + last.shape.size - first

    def slots_at(self, slot: int, count: int = 1) -> Region:
        """Some slots of a frame, inside of a state."""
        first, size = self.stretch(slot, slot + count)
        return Region(Access.FRAME, size, first)

    def shape(self, type_: Scalar | Multiset) -> Shape:
        if isinstance(type_, Scalar):
            return number_shape(*type_.bounds)
        if type_.most is not None:
            return Shape("i64", most=type_.most)
        kinds = max(type_.element.size, 1)
        # Components cannot become more; of plain values as many as a set holds may come to as many before that is found
        # to be too many.
        if type_.element.family not in self.game.totals:
            return Shape(count_unit(2 * MANY), kinds=kinds)
        copies = self.copies[type_.element.family]
        if self.planes and kinds <= CHUNK and copies.bit_length() <= PLANES:
            return Shape("i32" if kinds <= 32 else "i64", kinds=kinds, planes=max(1, copies.bit_length()))
        return Shape(count_unit(copies), kinds=kinds)


def head_word(offset: int) -> Region:
    """What lies at an offset in the head."""
    return Region(Access.HEAD, 8, offset)


def _up(size: int, step: int) -> int:
    """A size rounded up."""
    return -(-size // step) * step
