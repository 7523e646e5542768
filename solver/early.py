"""What of a pass through a ranking does not depend on the place: found once for each game.

Everybody has one pass in such a loop. What a pass does first often looks only at things that no other pass changes: its
own fields, or what the loop leaves alone. It can be carried out before anybody is ranked, once for each element and not
once for each place that it may have.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.engine.compile import Program
from interpreter.ir import nodes as ir
from interpreter.ir.walk import blocks, fields_read, inside, statements
from solver.effects import targets
from solver.once import OncePerProgram

Key = tuple[str | None, str]
Locals = frozenset[int]


class Early(OncePerProgram):
    def __init__(self, program: Program) -> None:
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
        written = dict[Key, bool]()
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

    def writes(self, block: ir.Block, mine: Locals) -> Iterator[tuple[Key, bool]]:
        """The fields that a block writes, and whether they are those of the element."""
        for s in statements(block):
            for target in targets(s):
                if isinstance(target, (ir.Load, ir.FieldZone)):
                    yield target.field.key, is_mine(target.owner, mine)
            if isinstance(s, ir.ForEach) and s.counter is not None:
                yield s.counter.key, False
            if isinstance(s, ir.Call):
                procedure = self.game.procedures[s.procedure]
                yield from self.writes(procedure.body, passed(procedure.parameters, s.arguments, mine))

    def is_early(self, s: ir.Statement, written: dict[Key, bool], later: set[int], mine: Locals) -> bool:
        """Whether a statement writes only locals, and reads nothing that another pass may have changed."""
        if not isinstance(s, (ir.SetLocal, ir.If, ir.Choose)):
            return False
        if any(not isinstance(target, ir.Local) for target in targets(s) if target is not None):
            return False
        return self.is_apart(s, written, later, mine) and all(
            self.is_early(inner, written, later, mine) for block in blocks(s) for inner in block
        )

    def is_apart(self, node: object, written: dict[Key, bool], later: set[int], mine: Locals) -> bool:
        """Whether a formula reads nothing that another pass may have changed."""
        for part in inside(node):
            match part:
                case ir.Read() if part.local.number in later and part.local.number not in mine:
                    return False
                case ir.Load() | ir.FieldZone() if part.field.key in written:
                    if not (written[part.field.key] and is_mine(part.owner, mine)):
                        return False
                case ir.CallValue():
                    declared = self.game.values[part.name]
                    theirs = passed(declared.parameters, part.arguments, mine)
                    if not self.is_apart(declared.body, written, later, theirs):
                        return False
                case ir.Ranked() if fields_read(part, self.game) & written.keys():
                    return False
                case ir.LocalZone() | ir.HeldOrder():
                    return False
        return True


def is_mine(owner: ir.Expression | None, mine: Locals) -> bool:
    return isinstance(owner, ir.Read) and owner.local.number in mine


def passed(parameters: tuple[ir.Local, ...], arguments: tuple[ir.Expression, ...], mine: Locals) -> Locals:
    """The parameters that are the element, where it is given as an argument."""
    return frozenset([p.number for p, a in zip(parameters, arguments, strict=True) if is_mine(a, mine)])
