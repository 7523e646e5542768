"""What of a pass through a ranking does not depend on the place (loop-invariant hoisting): found once for each game.

Everybody has one pass in such a loop. What a pass does first often looks only at things that no other pass changes: its
own fields, or what the loop leaves alone. It can be carried out before anybody is ranked, once for each element and not
once for each place that it may have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import blocks, fields_read, inside, statements
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.model import Field, FieldKey
from chocolatl.solver.symbolic.effects import targets
from chocolatl.solver.symbolic.memo import OncePerProgram

Locals = frozenset[int]

First = ir.SetLocal | ir.If | ir.Choose
"""Statements that may be carried out before. Any other waits for its place, which is right of all."""

InvariantPart = First | ir.PickOne | ir.Prompt | ir.Expression | ir.Elements | ir.Zone | ir.OrderSource
"""What there is inside of those."""


class LoopInvariants(OncePerProgram):
    def __init__(self, program: LoweredGame) -> None:
        self.game = program.game
        self.latches = [(latch.field.key, fields_read(latch.condition, program.game)) for latch in program.game.latches]
        self.found: dict[int, tuple[ir.ForEach, int]] = {}

    def statements(self, s: ir.ForEach) -> int:
        """How many statements, from the first one on, a pass can carry out before its place is known."""
        found = self.found.get(id(s))
        if found is None:
            found = self.found[id(s)] = s, self.counted(s)
        return found[1]

    def counted(self, s: ir.ForEach) -> int:
        if s.where is not None or s.counter is not None:
            return 0
        mine = frozenset([s.local.number])
        written = dict[FieldKey, bool]()
        for key, own in self.writes(s.body, mine):
            written[key] = own and written.get(key, True)
        for latch, reads in self.latches:
            if reads & written.keys():
                written[latch] = False
        later = {t.number for inner in statements(s.body) for t in targets(inner) if isinstance(t, ir.Local)}
        for number, statement in enumerate(s.body):
            if not self.is_early(statement, written, later, mine):
                return number
            later -= {t.number for t in targets(statement) if isinstance(t, ir.Local)}
        return len(s.body)

    def writes(self, block: ir.Block, mine: Locals) -> Iterator[tuple[FieldKey, bool]]:
        """The fields that a block writes, and whether they are those of the element."""
        for s in statements(block):
            for target in targets(s):
                match target:
                    case ir.Load() | ir.FieldZone():
                        yield target.field.key, is_mine(target.owner, mine)
                    case Field():
                        yield target.key, False
                    case ir.Local() | ir.LocalZone() | None:
                        pass
                    case _:
                        assert_never(target)
            if isinstance(s, ir.Call):
                procedure = self.game.procedures[s.procedure]
                yield from self.writes(procedure.body, passed(procedure.parameters, s.arguments, mine))

    def is_early(self, s: ir.Statement, written: dict[FieldKey, bool], later: set[int], mine: Locals) -> bool:
        """Whether a statement writes only locals, and reads nothing that another pass may have changed."""
        if not isinstance(s, First):
            return False
        if any(not isinstance(target, ir.Local) for target in targets(s) if target is not None):
            return False
        return self.is_apart(s, written, later, mine) and all(
            self.is_early(inner, written, later, mine) for block in blocks(s) for inner in block
        )

    def is_apart(self, node: InvariantPart, written: dict[FieldKey, bool], later: set[int], mine: Locals) -> bool:
        """Whether a statement or a formula reads nothing that another pass may have changed."""
        return all(self.is_apart_itself(part, written, later, mine) for part in inside(node))

    def is_apart_itself(
        self, part: InvariantPart, written: dict[FieldKey, bool], later: set[int], mine: Locals
    ) -> bool:
        """Whether it does not by itself; what is inside of it is asked, too."""
        match part:
            case ir.Read():
                return part.local.number in mine or part.local.number not in later
            case ir.Load() | ir.FieldZone():
                own = written.get(part.field.key)
                return own is None or (own and is_mine(part.owner, mine))
            case ir.CallValue():
                declared = self.game.values[part.name]
                theirs = passed(declared.parameters, part.arguments, mine)
                return self.is_apart(declared.body, written, later, theirs)
            case ir.Ranked():
                return fields_read(part, self.game).isdisjoint(written)
            case ir.LocalZone() | ir.HeldOrder():
                return False
            case ir.Constant() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Arithmetic() | ir.Comparison():
                return True
            case ir.Logic() | ir.Not() | ir.Conditional() | ir.Required() | ir.Narrowed() | ir.Aggregate():
                return True
            case ir.ZoneSize() | ir.ZoneCount() | ir.PlaceOf() | ir.RankOf():
                return True
            case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.Listing() | ir.OrderElements():
                return True
            case ir.SetLocal() | ir.If() | ir.Choose() | ir.PickOne() | ir.Prompt():
                return True
            case _:
                assert_never(part)


def is_mine(owner: ir.Expression | None, mine: Locals) -> bool:
    return isinstance(owner, ir.Read) and owner.local.number in mine


def passed(parameters: tuple[ir.Local, ...], arguments: tuple[ir.Expression, ...], mine: Locals) -> Locals:
    """The parameters that are the element, where it is given as an argument."""
    return frozenset([p.number for p, a in zip(parameters, arguments, strict=True) if is_mine(a, mine)])
