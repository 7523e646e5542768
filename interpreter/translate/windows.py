"""Windows: what a player may do at any time, which means immediately before each of his decisions (desugaring).

A window becomes a procedure, and in front of every choice a call of it stands, guarded by its condition. No window
opens inside a window or inside a secret block: what these carry out is carried out by copies of the procedures, in
front of whose choices nothing stands.
"""

from __future__ import annotations

from typing import get_args

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.walk import rewritten, statements
from chocolatl.interpreter.program.types import PLAYER
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import Context, Procedures
from chocolatl.interpreter.translate.expressions import ExpressionTranslator
from chocolatl.interpreter.translate.statements import StatementTranslator

CHOICES: tuple[type, ...] = get_args(ir.Choice)


def translate_windows(context: Context, result: Procedures) -> None:
    """A procedure for each window: its body, again and again while its condition holds."""
    for name, node in context.program.windows.items():
        result[name] = context.memoised(_window, node, context)


def _window(node: t.Window, context: Context) -> ir.Procedure:
    local = context.local(node.variable.text, context.program.domains[PLAYER].type)
    scope = {node.variable.text: local}
    window = StatementTranslator(context, scope)
    window.here = "1"
    limit = window.limit(node.limit)
    closed = window.negation(_condition(node, scope, context), node.span)
    body = window.nested(node.body, scope, loop=True)
    repeat = ir.Repeat(node.name.span, "1", closed, limit, body)
    return ir.Procedure(node.name.text, (local,), (repeat,), "", node.name.span)


def open_windows(context: Context, procedures: Procedures) -> Procedures:
    """The procedures with the windows in front of their choices."""
    windows = context.program.windows
    if not windows:
        return procedures
    secret = [
        call.procedure
        for procedure in procedures.values()
        for block in (s.body for s in procedure.statements if isinstance(s, ir.Secretly))
        for call in statements(block)
        if isinstance(call, ir.Call)
    ]
    inner = (reachable([*windows, *secret], procedures) & _choosing(procedures)) - set(windows)
    closed = context.growing("closed", dict.fromkeys(inner, True))
    result: Procedures = {}
    for name, procedure in procedures.items():
        if name not in windows:
            asks = not procedure.kinds.isdisjoint((*CHOICES, ir.Secretly))
            result[name] = context.memoised(_opened, procedure, context, closed) if asks else procedure
    for name in (*(name for name in procedures if name in inner), *windows):  # in the order of declaration
        copy = _inside(name) if name in inner else name
        result[copy] = context.memoised(_copied, procedures[name], copy, closed)
    return result


def _choosing(procedures: Procedures) -> set[str]:
    """The procedures that choose, or call one that does."""
    callers: dict[str, list[str]] = {}
    for name, procedure in procedures.items():
        for callee in procedure.callees:
            callers.setdefault(callee, []).append(name)
    found: set[str] = set()
    waiting = [name for name, procedure in procedures.items() if not procedure.kinds.isdisjoint(CHOICES)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += callers.get(name, ())
    return found


def _opened(procedure: ir.Procedure, context: Context, closed: dict[str, bool]) -> ir.Procedure:
    """A procedure with the windows in front of its choices."""
    opener = _Opener(context, closed)
    return replace(procedure, body=rewritten(procedure.body, opener.statement, opener.secret))


def _copied(procedure: ir.Procedure, name: str, closed: dict[str, bool]) -> ir.Procedure:
    """A procedure in which no window opens."""
    return replace(procedure, name=name, body=rewritten(procedure.body, lambda s: _redirected(s, closed)))


class _Opener:
    def __init__(self, context: Context, closed: dict[str, bool]) -> None:
        self.context = context
        self.closed = closed

    def statement(self, s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Choice):
            return (s,)
        before: list[ir.Statement] = []
        for number, (name, node) in enumerate(self.context.program.windows.items(), start=1):
            path = f"{s.path}.0.{number}"
            if isinstance(s.player, ir.Read):
                local = s.player.local
            else:
                local = self.context.local(node.variable.text, self.context.program.domains[PLAYER].type)
                before.append(ir.SetLocal(s.span, path, local, s.player))
            who = ir.Read(s.player.span, self.context.program.domains[PLAYER].type, local)
            condition = _condition(node, {node.variable.text: local}, self.context)
            call = ir.Call(s.span, f"{path}.1", name, (who,))
            before.append(ir.If(s.span, path, condition, (call,), ()))
        return (*before, s)

    def secret(self, s: ir.Secretly) -> ir.Block:
        return (replace(s, body=rewritten(s.body, lambda inner: _redirected(inner, self.closed))),)


def _condition(node: t.Window, scope: dict[str, ir.Local], context: Context) -> ir.Expression:
    where = node.where if node.where is not None else t.Literal(node.span, "yes")
    return ExpressionTranslator(context, scope).truth(where)


def _redirected(s: ir.Statement, closed: dict[str, bool]) -> ir.Block:
    return (replace(s, procedure=_inside(s.procedure)),) if isinstance(s, ir.Call) and s.procedure in closed else (s,)


CLOSED = ", windows closed"


def _inside(name: str) -> str:
    """The name of the copy in which no window opens."""
    return name + CLOSED


def declared(name: str) -> str:
    """What a procedure or its copy is called in the rules."""
    return name.removesuffix(CLOSED)
