"""Secret blocks: what may stand in them (an isolation check), and which fields their end joins.

Each player runs the block on a private copy, so it may change nothing but that player's own fields, read nothing that
another player changes in it, and hold no chance (whose outcome would be common knowledge).
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import blocks, changed, inside, rewritten
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import PLAYER, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.translate.context import Procedures


def check_sealed(procedure: ir.Procedure, procedures: Procedures, findings: Findings) -> ir.Procedure:
    """The procedure with the writes of its secret blocks filled in."""

    def checked(s: ir.Secretly) -> ir.Block:
        check = _SealedCheck(procedures, findings)
        check.block(s.body, frozenset({s.local}))
        check.foreign_reads()
        return (replace(s, writes=tuple(check.writes)),)

    return replace(procedure, body=rewritten(procedure.body, lambda s: (s,), checked))


class _SealedCheck:
    def __init__(self, procedures: Procedures, findings: Findings) -> None:
        self.procedures = procedures
        self.findings = findings
        self.writes: dict[Field, None] = {}
        self.reads: list[tuple[Field, Span]] = []

    def block(self, block: ir.Block, own: frozenset[ir.Local]) -> None:
        for statement in block:
            self.statement(statement, own)

    def statement(self, s: ir.Statement, own: frozenset[ir.Local]) -> None:
        match s:
            case ir.Roll() | ir.Draw() | ir.Secretly() | ir.Contest() | ir.InTurn():
                self.findings.error("E411", f"{_word(s)} cannot stand in a secret block", s.span)
                return
            case ir.Award():
                self.findings.error("E411", "points are given in the open, after the secret block", s.span)
                return
            case ir.Choose() | ir.ChooseSet():
                if not self.is_own(s.player, own):
                    self.findings.error("E411", "in a secret block only its own player chooses", s.span)
                    return
            case ir.Call():
                callee = self.procedures[s.procedure]
                passed = zip(callee.parameters, s.arguments, strict=True)
                self.called(s, callee, frozenset(p for p, a in passed if self.is_own(a, own)))
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.MoveElement() | ir.MoveAll():
                pass  # of all these it counts what they change and read
            case ir.Stop() | ir.If() | ir.ForEach() | ir.Repeat():
                pass
            case _:
                assert_never(s)
        targets = changed(s)
        for target in targets:
            self.write(target, own, s.span)
        for node in inside(s):
            if any(node is target for target in targets):
                continue
            if isinstance(node, (ir.Load, ir.FieldZone)) and node.field.owner == PLAYER:
                if node.owner is not None and not self.is_own(node.owner, own):
                    self.reads.append((node.field, node.span))
        for inner in blocks(s):
            self.block(inner, own)

    def called(self, call: ir.Call, callee: ir.Procedure, own: frozenset[ir.Local]) -> None:
        """The body of a procedure. What cannot stand there is fine elsewhere, so that it is the call that is wrong."""
        outer, self.findings = self.findings, Findings()
        earlier = len(self.reads)
        self.block(callee.body, own)
        inner, self.findings = self.findings, outer
        if inner.items:
            first = inner.items[0]
            message = f"`{callee.name}` cannot be done in a secret block"
            self.findings.error("E411", message, call.span, "", (Related(first.span, first.message), *first.related))
            del self.reads[earlier:]

    def write(self, target: ir.Load | ir.FieldZone, own: frozenset[ir.Local], span: Span) -> None:
        if target.owner is None or target.field.owner != PLAYER or not self.is_own(target.owner, own):
            self.findings.error(
                "E411", f"a secret block changes only what its own player has, not `{target.field.name}`", span
            )
        self.writes[target.field] = None

    def is_own(self, expression: ir.Expression, own: frozenset[ir.Local]) -> bool:
        if isinstance(expression, ir.Constant):  # of a single player it is known who that is
            return any(isinstance(p.type, Scalar) and p.type.size == 1 for p in own)
        return isinstance(expression, ir.Read) and expression.local in own

    def foreign_reads(self) -> None:
        for field, span in self.reads:
            if field in self.writes:
                self.findings.error(
                    "E411", f"this reads another player's `{field.name}`, which is being chosen secretly", span
                )


def _word(s: ir.ChanceNode | ir.Contest | ir.InTurn | ir.Secretly) -> str:
    match s:
        case ir.Roll():
            return "`roll`"
        case ir.Draw():
            return "`draw`"
        case ir.Contest():
            return "`contest`"
        case ir.InTurn():
            return "`in turn`"
        case ir.Secretly():
            return "a second secret block"
        case _:
            assert_never(s)
