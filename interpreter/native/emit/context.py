"""All that the functions which write code share: game, memory, the function under way (a code generation context).

A function of this package is given the context and a node. What a kind of node becomes stands in tables by node; what
differs between builds is named in `Build`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chocolatl.interpreter.analysis.score_bounds import most_paid
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import fields_read
from chocolatl.interpreter.lowered.fold import Folder
from chocolatl.interpreter.lowered.layout import Frame
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.waits import Waiting, waiting_procedures
from chocolatl.interpreter.native.layout.memory import Memory
from chocolatl.interpreter.native.llvm.regions import Meant
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.model import FieldKey
from chocolatl.interpreter.program.types import LARGEST
from chocolatl.interpreter.statistics.occurrences import Occurrences

HEAD, FRAMES = ", !tbaa !4", ", !tbaa !6"
FIRST_FIELD = 8
"""Numbers of tags, by which LLVM knows what cannot lie in the same place; fields follow in steps of two."""


@dataclass(frozen=True)
class NotedStop:
    """A place where the game asks a player or chance: `number` stands for it in notes of events."""

    number: int
    node: Waiting
    procedure: str


@dataclass(frozen=True)
class ExpressionTables:
    """What each kind of expression becomes, as a number and as a condition."""

    values: Mapping[type, Callable[[EmitContext, Any], str]]
    conditions: Mapping[type, Callable[[EmitContext, Any], str]]


@dataclass(frozen=True)
class MovedCards:
    """Cards that have moved: from where to where, what tells each kind, in order and copies counted, how (see
    `chocolatl.interpreter.lowered.journal`), and whether it matters even within one zone."""

    source: ir.Zone
    target: ir.Zone
    each: Callable[[Callable[[str], None]], None]
    how: str = "0"
    ordered: bool = False


@dataclass(frozen=True)
class Build:
    """What differs between the code that plays whole games and the code that can be left at any decision."""

    expressions: ExpressionTables
    statements: Mapping[type, Callable[[EmitContext, Any], None]]
    """What each kind of statement becomes."""
    passes: Mapping[type, tuple[Callable[[EmitContext, Any], Any], ...]]
    """What is tried first with a kind of node, in this order; each gives None where it does not apply."""
    block: Callable[[EmitContext, ir.Block], None]
    """Statements in a row."""
    procedure: Callable[[EmitContext, ir.Procedure], str]
    """The text of a procedure's function."""
    stop: Callable[[EmitContext, Waiting], NotedStop]
    """The number that a question has in notes."""
    note: Callable[[EmitContext, NotedStop, str, tuple[ir.Expression, ...], int, Callable[[str], str]], None]
    """Note an event: where it was asked, who, the indices, room for so many values, and what puts them there."""
    counts: Callable[[EmitContext], str]
    """Where the counts of what happens lie."""
    extent: Callable[[EmitContext], int]
    """How many bytes belong to the state that a series plays on."""
    moved: Callable[[EmitContext, MovedCards], None]
    """Note that cards have moved, for players who remember."""
    begin_game: Callable[[EmitContext], None] | None = None
    """What else is done when a game begins."""
    journals: int = 0
    """How many bytes further on the notes of each player lie in a secret block, in a build that notes moves."""
    unfit: frozenset[str] = frozenset()
    """Names of passes that are wrong here."""
    draws: Mapping[type, Callable[[EmitContext, Any], None]] = field(default_factory=dict)
    """In a build that waits, what becomes of a question where nobody is asked, if it is not answered at random."""
    entry: str = ""
    """A function that is called wherever a secret block is entered, if there is one."""
    singly: bool = False
    """Whether players choose one after the other, since it matters what they know."""


@dataclass
class Stepping:
    """Where the code of a procedure that can be left stands."""

    program: LoweredGame
    steps: Steps
    stops: Iterator[int] = field(default_factory=lambda: iter(()))
    """The places of the questions that are still to come, in the order of the interpreter."""
    returns: Iterator[int] = field(default_factory=lambda: iter(()))
    """The places that calls come back to."""
    outer: frozenset[int] = frozenset()
    """Locals that are declared outside of the statement at hand."""
    entered: dict[str, list[int]] = field(default_factory=dict)
    """Where each procedure can be entered."""


class Steps(Function):
    """A function that is entered at one of several places. The first one is its start."""

    def __init__(self, name: str, entry: int) -> None:
        super().__init__(name, [("ptr", "%s"), ("i64", "%at")], "i64")
        self.places: dict[int, str] = {entry: self.current}

    def enter_at(self, place: int) -> None:
        """What follows is where the function goes on from a place."""
        assert self.closed, "nothing runs into a place from above"
        self.places[place] = self.block()
        self.begin(self.places[place])

    def text(self) -> str:
        ways = " ".join(f"i64 {place}, label %{block}" for place, block in self.places.items())
        lines = [*self.entry, f"  switch i64 %at, label %nowhere [{ways}]", "nowhere:", "  unreachable"]
        return "\n".join([self.header + " nounwind {", "entry:", *lines, "start:", *self.lines, "}"])


LatchPart = tuple[int, tuple[int, ...], FieldKey | None]
"""A latch, some of its alternatives, and the field of which only one owner's was changed."""


@dataclass
class RequestedFunctions:
    """Functions that passes have asked for beside those of the declarations."""

    latch_parts: dict[LatchPart, str] = field(default_factory=dict)
    vector_procedures: dict[tuple[str, ir.Local], str] = field(default_factory=dict)
    """Those that all players go through at once, by the parameter that stands for the player."""
    rankings: dict[str, Callable[[EmitContext, int, ir.Ranking], str]] = field(default_factory=dict)
    """What is known of a ranking without evaluating it, by its name."""


class EmitContext:
    """A module under way. `closely` checks every range, those that were proved included; `noted` notes events."""

    f: Function
    """The function under way."""
    stepping: Stepping
    """Only where a game can be left at any decision."""

    def __init__(
        self, build: Build, memory: Memory, sites: Sites, closely: bool = False, inspected: bool = False,
        noted: bool = False, counting: bool = False, without: frozenset[str] = frozenset(), counts_bits: bool = False,
        recorded: dict[str, Mapping[str, Meant]] | None = None,
    ) -> None:  # fmt: skip
        self.build = build
        self.memory = memory
        self.layout = memory.layout
        self.game = game = memory.game
        self.sites = sites
        self.closely = closely
        self.noted = noted
        self.guards = closely or inspected
        """Whether invariants are looked at."""
        self.off = without | build.unfit
        """Names of passes that are not applied."""
        self.counts_bits = counts_bits
        """Whether the processor counts the bits of all lanes at once."""
        self.recorded = recorded
        """Of each function, what its addresses are meant for, where somebody wants to know that."""
        folder = Folder(game, closely)
        self.fold, self.written, self.failures = folder.fold, folder.written, folder.failures
        self.values = {name: position for position, name in enumerate(game.values)}
        self.rankings = {name: position for position, name in enumerate(game.rankings)}
        self.procedures = {name: position for position, name in enumerate(game.procedures)}
        self.waiting = waiting_procedures(game)
        self.watched = [fields_read(latch.condition, game) for latch in game.latches]
        self.guarded = [fields_read(each.condition, game) for each in game.invariants]
        self.paid = most_paid(game) if memory.from_start else LARGEST
        """So many points at most an item has paid or taken at any time."""
        self.occurrences = Occurrences(game) if counting else None
        """What is counted, in a build that counts."""

        # What is noted for the whole module.
        self.tables: dict[tuple[int, ...], str] = {}
        self.intrinsics: set[str] = set()
        self.directions: dict[str, int] = {}
        self.lasting: dict[str, int] = {}
        """How many statements a procedure runs at most."""
        self.stops: list[NotedStop] = []
        self.unanswered: dict[int, ir.Choice] = {}
        """The choices that fail at some sites, for want of an answer."""
        self.longest = 0
        """How many words an event has at most."""
        self.requested = RequestedFunctions()

        # Where the function under way stands.
        self.procedure = ""
        self.where: dict[int, str] = {}
        """Maps the number of a local to a pointer: to its variable, its zone or its order."""
        self.strict: dict[int, bool] = {}
        """Of each held order, whether nobody shares a place."""
        self.lengths: dict[int, str | None] = {}
        """How many it ranks, if that is known beforehand."""
        self.loops: list[str] = []
        """Where a loop is left to, the innermost last."""
        self.due: dict[int, None] = {}
        """Invariants that read what has been changed since they were last looked at."""
        self.frame: Frame | None = None
        """Of the procedure at hand, if it can wait."""
        self.cursor = 0
        """The next slot of the frame for what a loop has to remember."""
        self.loose: set[int] = set()
        """Locals of the frame that are variables all the same, since nobody waits while they are in use."""
        self.plain = False
        """Whether what is emitted is inside a statement that never waits."""
        self.promoted_zones: dict[FieldKey, list[list[str]]] = {}
        """The variables of zones that are kept out of memory: those of each player, plane by plane."""
        self.promoted_numbers: list[str] = []
        """The variables of random numbers that are kept out of memory, row by row."""

    def open(self, function: Function) -> Function:
        """Begin a function, in which no local has a place yet."""
        if self.recorded is not None:
            function.exact = True
            self.recorded[function.name] = function.meant
        self.f, self.where = function, {}
        return function
