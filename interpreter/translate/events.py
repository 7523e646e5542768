"""Events and reactions, as procedures and a queue (desugaring): what is announced, and what follows.

An event becomes a procedure. It first asks every reaction to it whether its condition holds, then carries out those
for which it did, in the order of the text. So what a reaction changes comes too late for the others. An event that is
announced while another one is at work waits until that is done; after it, those that wait follow in the order of their
declarations.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.operations import ArithmeticOperator, ComparisonOperator
from chocolatl.interpreter.ir.walk import rewritten
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import YES_NO, Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN, Context, Procedures
from chocolatl.interpreter.translate.expressions import ExpressionTranslator
from chocolatl.interpreter.translate.statements import StatementTranslator


def translate_events(context: Context, result: Procedures) -> None:
    """A procedure for each reaction, and one for each event."""
    for event in context.program.events.values():
        result |= context.memoised(_event, event, context)


def _event(event: t.Event, context: Context) -> Procedures:
    result: Procedures = {}
    name = event.name.text
    parameters, _ = context.parameters(event.parameters)
    guards: list[ir.Statement] = []
    calls: list[ir.Statement] = []
    reactions = context.program.reactions.get(name, [])
    for position, reaction in enumerate(reactions, start=1):
        scope = context.renamed(reaction.event, reaction.names, parameters)
        if scope is None:
            continue
        result[reaction.name.text] = _reaction(reaction, parameters, context)
        path = str(len(reactions) + position)
        arguments = tuple(_read(parameter, reaction.span) for parameter in parameters)
        if reaction.condition is None:
            calls.append(ir.Call(reaction.name.span, path, reaction.name.text, arguments))
            continue
        guard = context.local(reaction.name.text, YES_NO)
        condition = ExpressionTranslator(context, scope).truth(reaction.condition)
        guards.append(ir.SetLocal(reaction.condition.span, str(position), guard, condition))
        call = ir.Call(reaction.name.span, f"{path}.1", reaction.name.text, arguments)
        calls.append(ir.If(reaction.condition.span, path, _read(guard, reaction.span), (call,), ()))
    return {**result, name: ir.Procedure(name, parameters, (*guards, *calls), "", event.name.span)}


def _reaction(node: t.Reaction, parameters: tuple[ir.Local, ...], context: Context) -> ir.Procedure:
    own = tuple(context.local(name.text, p.type) for name, p in zip(node.names, parameters, strict=True))
    body = StatementTranslator(context, {local.name: local for local in own}).block(node.body)
    return ir.Procedure(node.name.text, own, body, node.text.text if node.text else "", node.name.span)


def _read(local: ir.Local, span: Span) -> ir.Read:
    return ir.Read(span, local.type if isinstance(local.type, Scalar) else UNKNOWN, local)


# ---------------------------------------------------------------- events that wait


def queue_events(context: Context, procedures: Procedures) -> Procedures:
    """Let events that a reaction announces wait until the event is done that it reacts to."""
    program = context.program
    reactions = [reaction.name.text for group in program.reactions.values() for reaction in group]
    started = reachable([name for name in reactions if name in procedures], procedures)
    waiting = [name for name in program.events if name in started]
    if not waiting:
        return procedures
    queue = _Queue(context, procedures, waiting)
    queued = {}
    for name, procedure in procedures.items():
        body = rewritten(procedure.body, queue.announcement)
        if name in program.events:
            body = queue.event(name, procedure, body)
        queued[name] = ir.Procedure(name, procedure.parameters, body, procedure.text, procedure.span)
    return queued


class _Queue:
    """Fields of the table that nobody can name: whether an event is at work, and which ones wait with what."""

    def __init__(self, context: Context, procedures: Procedures, waiting: list[str]) -> None:
        self.procedures = procedures
        self.busy = self.field(context, "event at work", YES_NO, context.program.events[waiting[0]].name.span)
        self.waits: dict[str, ir.Load] = {}
        self.held: dict[str, list[ir.Load]] = {}
        for name in waiting:
            span = context.program.events[name].name.span
            self.waits[name] = self.field(context, f"{name} waits", number(0, 1), span)
            self.held[name] = [
                self.field(context, f"{name} waits with {p.name}", p.type, span)
                for p in procedures[name].parameters
                if isinstance(p.type, Scalar)
            ]

    def field(self, context: Context, name: str, type_: Scalar, span: Span) -> ir.Load:
        initial = type_.none if type_.optional else type_.low
        field = Field(None, name, 1, (), type_, "open", (), initial, span)
        context.program.fields[field.key] = field
        return ir.Load(span, type_, field, None, ())

    def announcement(self, s: ir.Statement) -> ir.Block:
        """An event is announced: at once, or later if another one is at work."""
        if not isinstance(s, ir.Call) or s.procedure not in self.waits:
            return (s,)
        waits = self.waits[s.procedure]
        noted = [
            ir.Store(s.span, f"{s.path}.1.{step}", held, argument)
            for step, (held, argument) in enumerate(zip(self.held[s.procedure], s.arguments, strict=True), start=2)
        ]
        now = ir.Call(s.span, f"{s.path}.2.1", s.procedure, s.arguments)
        one = ir.Constant(s.span, number(1, 1), 1)
        # A second one that waits is out of range.
        more = ir.Arithmetic(s.span, number(1, 2), ArithmeticOperator.ADD, waits, one)
        later = (ir.Store(s.span, f"{s.path}.1.1", waits, more), *noted)
        return (ir.If(s.span, s.path, self.busy, later, (now,)),)

    def event(self, name: str, procedure: ir.Procedure, body: ir.Block) -> ir.Block:
        """The event itself, then those that it has made wait."""
        span = procedure.span
        rest: list[ir.Statement] = []
        after = reachable([name], self.procedures) - {name}
        for step, other in enumerate((other for other in self.waits if other in after), start=len(body) * 2 + 3):
            waits = self.waits[other]
            start = ir.Call(span, f"{step}.2", other, tuple(self.held[other]))
            nothing = ir.Constant(span, number(0, 0), 0)
            ready = ir.Comparison(span, YES_NO, ComparisonOperator.MORE, waits, nothing)
            rest.append(ir.If(span, str(step), ready, (ir.Store(span, f"{step}.1", waits, nothing), start), ()))
        begin = _set(self.busy, True, span, str(len(body) * 2 + 1))
        end = _set(self.busy, False, span, str(len(body) * 2 + 2))
        return (begin, *body, end, *rest)


def _set(load: ir.Load, value: bool, span: Span, path: str) -> ir.Store:
    return ir.Store(span, path, load, ir.Constant(span, YES_NO, int(value)))
