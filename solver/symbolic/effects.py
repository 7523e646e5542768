"""What a statement may change (side-effect analysis), found once for each game.

A statement that changes nothing anybody asks for need not be carried out. So a run puts statements off, and has to know
which slots and locals wait for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import LogicOperator
from chocolatl.interpreter.ir.walk import blocks, fields_read
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.model import Field, FieldKey
from chocolatl.interpreter.program.types import Multiset
from chocolatl.solver.symbolic.memo import OncePerProgram
from chocolatl.solver.symbolic.state import kinds_of

Keys = tuple[int, ...]
"""Slots of fields, and locals by their negated numbers."""

FieldKeys = tuple[FieldKey, ...]

WriteTarget = ir.Load | ir.Zone | ir.Local | Field | None
"""What a statement writes: a cell, a set, a local, the field of a loop that counts; or nothing."""


class LatchWatch:
    """A latch, and the parts of its condition, of which any one is enough, by the fields that they read."""

    def __init__(self, latch: ir.Latch, game: ir.GameRules) -> None:
        self.latch = latch
        self.parts = [(part, fields_read(part, game)) for part in alternatives(latch.condition, game)]

    def by_change(self, fields: FieldKeys) -> list[ir.Expression]:
        """The parts that may hold after a change of some fields, though they have not held before."""
        return [part for part, reads in self.parts if not reads.isdisjoint(fields)]


def alternatives(e: ir.Expression, game: ir.GameRules) -> list[ir.Expression]:
    """What a condition is the disjunction of. Any condition is that of itself."""
    if isinstance(e, ir.Logic) and e.operator is LogicOperator.OR:
        return [*alternatives(e.left, game), *alternatives(e.right, game)]
    if isinstance(e, ir.CallValue) and not e.arguments:
        return alternatives(game.values[e.name].body, game)
    return [e]


class Effects(OncePerProgram):
    """The statements of a game that can be put off, and what they may change."""

    def __init__(self, program: LoweredGame) -> None:
        self.game = program.game
        self.places = program.layout.places
        self.kinds = kinds_of(program.layout)
        self.found: dict[int, tuple[ir.Statement, Keys | None]] = {}
        self.procedures: dict[str, frozenset[int]] = {}
        self.latches = [(latch.field, fields_read(latch.condition, program.game)) for latch in program.game.latches]
        self.watches = [LatchWatch(latch, program.game) for latch in program.game.latches]
        self.met: dict[FieldKeys, list[tuple[LatchWatch, list[ir.Expression]]]] = {}

    def watching(self, changed: FieldKeys) -> list[tuple[LatchWatch, list[ir.Expression]]]:
        """The latches that a change of some fields may turn, each with the parts of its condition that it may meet."""
        if changed not in self.met:
            parts = [(watch, watch.by_change(changed)) for watch in self.watches]
            self.met[changed] = [(watch, found) for watch, found in parts if found]
        return self.met[changed]

    def changed(self, s: ir.Statement) -> Keys | None:
        """What a statement may change; None if it has to be carried out at once, since it may leave the loop around
        it."""
        found = self.found.get(id(s))
        if found is None:
            keys = None if leaves(s) else tuple(sorted(self.by_statement(s)))
            found = self.found[id(s)] = s, keys
        return found[1]

    def by_statement(self, s: ir.Statement) -> set[int]:
        result: set[int] = set()
        for target in targets(s):
            match target:
                case ir.Local():
                    result.add(-target.number)
                case ir.Load() | ir.FieldZone():
                    result |= self.slots(target.field.key)
                case Field():
                    result |= self.slots(target.key)
                case ir.LocalZone() | None:  # a set in a local has no model
                    pass
                case _:
                    assert_never(target)
        if isinstance(s, ir.Call):
            result |= self.by_procedure(s.procedure)
        for block in blocks(s):
            for inner in block:
                result |= self.by_statement(inner)
        return result

    def by_procedure(self, name: str) -> frozenset[int]:
        """The fields that a procedure may change. Its locals are nobody's after it."""
        if name not in self.procedures:
            keys = {key for s in self.game.procedures[name].body for key in self.by_statement(s)}
            self.procedures[name] = frozenset(key for key in keys if key >= 0)
        return self.procedures[name]

    def slots(self, field: FieldKey) -> set[int]:
        """The slots of a field, and of the latches that watch it."""
        place = self.places[field]
        type_ = place.field.type
        result = (
            set() if isinstance(type_, Multiset) and type_.short else set(range(place.base, place.base + place.cells))
        )
        for latch, reads in self.latches:
            if field in reads:
                result.add(self.places[latch.key].base)
        return result


def targets(s: ir.Statement) -> Iterator[WriteTarget]:
    """What a statement itself writes."""
    match s:
        case ir.SetLocal() | ir.InTurn() | ir.Secretly():
            yield s.local
        case ir.ForEach():
            yield from (s.local, s.counter)
        case ir.Store() | ir.Award() | ir.CopyZone():
            yield s.target
        case ir.ChangeSet():
            yield s.zone
        case ir.MoveElement() | ir.MoveAll():
            yield from (s.source, s.target)
        case ir.Choose():
            for pick in s.picks:
                yield from (pick.local, pick.field)
        case ir.ChooseSet():
            yield from (s.source, s.target)
        case ir.Roll():
            yield from (s.local, s.target)
        case ir.Draw():
            yield from (s.local, s.source, s.target)
        case ir.Contest():
            for clause in s.clauses:
                yield from (clause.local, clause.sharers)
        case ir.If() | ir.Repeat() | ir.Stop() | ir.Call():  # others may, inside of it
            pass
        case _:
            assert_never(s)


def leaves(s: ir.Statement) -> bool:
    """Whether a statement may leave the loop around it."""
    match s:
        case ir.Stop():
            return True
        case ir.If() | ir.Contest() | ir.Secretly():
            return any(leaves(inner) for block in blocks(s) for inner in block)
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Call():  # what leaves inside of it leaves it, or is an error
            return False
        case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
            return False
        case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
            return False
        case _:
            assert_never(s)


def as_loop(s: ir.Statement) -> ir.Loop | None:
    """A statement that is a loop."""
    match s:
        case ir.ForEach() | ir.InTurn() | ir.Repeat():
            return s
        case ir.If() | ir.Contest() | ir.Secretly() | ir.Call() | ir.Stop():
            return None
        case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
            return None
        case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
            return None
        case _:
            assert_never(s)
