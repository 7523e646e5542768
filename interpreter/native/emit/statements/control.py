"""Blocks, branches and calls (structured control flow).

A procedure is a function. What a game needs to remember while it waits lies in variables, since nobody but the random
players is ever waited for here.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import parameters, receive_parameters
from chocolatl.interpreter.native.emit.passes import applied
from chocolatl.interpreter.native.emit.statements.invariants import check_invariants, written
from chocolatl.interpreter.native.emit.statements.occurrences import count_beginning
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit, emit_condition
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import Scalar


def emit_block(context: EmitContext, block: ir.Block) -> None:
    """Statements in a row, as the build has them."""
    context.build.block(context, block)


def plain_block(context: EmitContext, block: ir.Block) -> None:
    """Statements in a row, which nobody leaves in the middle."""
    for number, statement in enumerate(block, start=1):
        emit_statement(context, statement)
        check_invariants(context, written(statement), statement.span, block[number : number + 1])


def emit_statement(context: EmitContext, s: ir.Statement) -> None:
    """A statement: by the first pass that applies, else as the build's table has it."""
    start = len(context.f.lines)
    if applied(context, s) is None:
        context.build.statements[s.__class__](context, s)
    context.f.beside(start, f"line {s.span.line}")


def emit_if(context: EmitContext, s: ir.If) -> None:
    f = context.f
    condition = emit_condition(context, s.condition)
    then, otherwise, after = f.block(), f.block(), f.block()
    f.branch(condition, then, otherwise)
    for start, block in ((then, s.then), (otherwise, s.otherwise)):
        if condition in ("true", "false") and (condition == "true") != (start == then):
            continue  # nobody comes here
        f.begin(start)
        emit_block(context, block)
        f.goto(after)
    f.begin(after)


def emit_call(context: EmitContext, s: ir.Call) -> None:
    given = ["ptr %s"]
    for parameter, argument in zip(context.game.procedures[s.procedure].parameters, s.arguments, strict=True):
        assert isinstance(parameter.type, Scalar)
        given.append(f"i64 {checked(context, argument, parameter.type, f'`{parameter.name}`')}")
    context.f.do(f"call void @procedure_{context.procedures[s.procedure]}({', '.join(given)})")


def procedure_text(context: EmitContext, procedure: ir.Procedure) -> str:
    name = f"procedure_{context.procedures[procedure.name]}"
    context.open(Function(name, [("ptr", "%s"), *parameters(procedure.parameters)]))
    context.loops, context.procedure = [], procedure.name
    receive_parameters(context, procedure.parameters)
    count_beginning(context, procedure.name)
    emit_block(context, procedure.body)
    context.f.leave()
    return context.f.text()


def value_text(context: EmitContext, value: ir.Value) -> str:
    context.open(Function(f"value_{context.values[value.name]}", [("ptr", "%s"), *parameters(value.parameters)], "i64"))
    receive_parameters(context, value.parameters)
    context.f.leave(f"i64 {emit(context, value.body)}")
    return context.f.text()
