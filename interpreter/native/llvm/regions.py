"""What an address is meant for: the kinds of memory that native code reads and writes (memory regions).

The state is one block, so that an index that is too large lands in the next field and nobody notices. That is why each
address comes with what it is meant for, beside the line that computes it (`Function.meant`, see
`chocolatl.interpreter.native.llvm.text`). Ordinary builds do not look at it; the one that checks every access does
(`chocolatl.interpreter.native.builds.bounds_checks`).
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Access(Enum):
    """A kind of memory that is read or written."""

    STATE = "a state as a whole"
    COPY = "the private copy of a player"
    START = "the state that all games of a series start from"
    BODY = "all that follows the head of a state"
    HEAD = "a word of the head"
    ASKED = "the byte of a latch"
    STREAM = "the random numbers of chance or of a player"
    STREAM_ROW = "a word of the random numbers of all players"
    NUMBER = "a field that is a number"
    NUMBER_ROW = "a number of all players"
    ZONE = "a zone of counts"
    COUNT = "the count of a kind in a zone"
    PLANE = "a plane of a zone"
    PLANE_ROW = "a plane of the zones of all players"
    SHORT_SET = "a short set"
    UNDER = "the known bottom of a deck"
    SHARE = "what a player has of a field"
    FRAME = "slots of a procedure that can wait"
    FRAMES = "all that a statement has declared"
    OCCURRED = "how often something occurred in the game at hand"
    OCCURRENCES = "what occurred in all games"
    ANSWERED = "how often each answer was given"
    PAIRING = "the key of a paired game, and how often each question was asked in it"
    VARIABLE = "a variable"
    LOCAL_SET = "a set in a variable"
    LIST = "a list of elements"
    KEYS = "the keys of those that are ranked"
    ORDER = "an order: its length, its elements, its places"
    ORDERED = "the elements of an order"
    PLACES = "the places of an order"
    DRAWN = "what was drawn or rolled"
    EVENT = "an event that is put together"
    LOG = "the log of events"
    LOG_PLACE = "where the log goes on and ends"
    REPORT = "the report of a failure"
    TABLE = "a constant table"
    SUMS = "the sums of a series"
    TALLY = "how often there was each of some numbers, among the sums of a series"
    GIVEN = "an answer from outside"
    ASKED_FOR = "what is told of legal answers"
    WORLD = "a world that a player holds for possible"
    TRIAL = "a world in which an answer is tried"
    PLAN = "what there is to deal in a world"
    ROOM = "cards that are being shuffled"
    OPTIONS = "the answers that are tried"
    DESK = "what is told of players who look ahead"
    JOURNAL = "notes of what has moved"
    BELIEF = "what a player concludes"
    GROUP = "cards that a player cannot tell apart"
    WAYS = "numbers of answers"


KINDS = list(Access)
"""In native code a kind is its place here."""


class Region(Struct, frozen=True):
    """So many bytes of a kind. They begin at an offset from the address that this one is computed from or, without one,
    at the address itself, which an index has led to; they lie inside of what the former is meant for."""

    kind: Access
    size: int
    offset: int | None = None
    times: str = ""
    """There are several, and only the operand says how many."""
    end: str = ""
    """Another address says where they end."""


class OffsetRegion(Struct, frozen=True):
    """The same as what the address is meant for that this one is computed from, so many bytes further on."""

    by: int


Meant = Region | OffsetRegion


class AccessKind(Enum):
    """What is done to memory."""

    LOAD = "load"
    STORE = "store"
    FILL = "fill"
    COPY_TO = "copy to"
    COPY_FROM = "copy from"


class MemoryAccess(Struct, frozen=True):
    """A place in the text where memory is reached."""

    function: str
    line: str
    how: AccessKind
    size: int
    """How many bytes are loaded or stored."""
    step: int
    """How many bytes the next element lies further on."""
    kind: Access | None
    """What it is meant for, unless that depends on who calls."""
