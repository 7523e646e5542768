"""Procedures that can be left at a decision and gone on with (coroutines as state machines).

All that a procedure has to remember while it waits lies in the slots that the interpreter has for it, and places in the
program have the interpreter's numbers. So a position goes over from one back end to the other as it is. A procedure
that can wait is a function from the place where it goes on to the place where it leaves off: a decision, chance or a
secret block, the first step of a procedure that it calls, or the place that it was called from. Whoever runs a game
(`chocolatl.interpreter.native.builds.driver`) calls one function after the other until somebody has to answer (a
trampoline).
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import stops
from chocolatl.interpreter.lowered.layout import END_OF_SEALED, locals_of
from chocolatl.interpreter.lowered.lifetimes import declared_in, is_nested
from chocolatl.interpreter.lowered.waits import SuspensionPoint, Waiting, is_waiting
from chocolatl.interpreter.native.emit.context import FRAMES, EmitContext, Steps
from chocolatl.interpreter.native.emit.frames import at_slot, can_be_left, forget_slots, load_head
from chocolatl.interpreter.native.emit.statements.control import (
    emit_block,
    emit_call,
    emit_if,
    emit_statement,
    plain_block,
    procedure_text,
)
from chocolatl.interpreter.native.emit.statements.invariants import check_invariants, written
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.occurrences import count_beginning, counted_bytes
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked, emit_condition
from chocolatl.interpreter.native.layout.memory import LOG
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.types import Scalar


def step_extent(context: EmitContext) -> int:
    """A state has a copy for each player, and behind it lies the one that games of a series start from."""
    return 2 * (1 + context.game.player_count) * context.memory.size


def step_counts(context: EmitContext) -> str:
    """Where the head says, since players have copies of the state."""
    counts = Region(Access.OCCURRENCES, counted_bytes(context.occurrences))
    return context.f.mean(context.f.op(f"inttoptr i64 {load_head(context, LOG)} to ptr"), counts)


def steps_text(context: EmitContext, procedure: ir.Procedure) -> str:
    """A procedure that can be left as a function from place to place; any other as it is in whole games."""
    stepping, name = context.stepping, procedure.name
    program = stepping.program
    if name not in program.stepped:
        context.frame = None
        return procedure_text(context, procedure)
    context.frame = frame = context.layout.frames[name]
    stepping.steps = Steps(f"steps_{context.procedures[name]}", program.entries[name])
    context.open(stepping.steps)
    context.loops, context.loose, context.plain = [], set(), False
    context.procedure, stepping.outer = name, frozenset(p.number for p in procedure.parameters)
    context.cursor = frame.loops
    stepping.stops = iter(sorted(pc for pc, stop in program.stops.items() if stop.procedure == name))
    stepping.returns = iter(sorted(pc for pc, (caller, _) in program.returns.items() if caller == name))
    count_beginning(context, name)
    emit_block(context, procedure.body)
    assert context.cursor == frame.end
    back = context.f.load(at_slot(context, frame.back), tag=FRAMES)
    forget_slots(context, frame.back, frame.end)
    context.f.leave(f"i64 {back}")
    stepping.entered[name] = list(stepping.steps.places)
    return context.f.text()


def next_stop(context: EmitContext, s: Waiting) -> SuspensionPoint:
    """The stop of a statement: both back ends come to them in the same order."""
    stop = context.stepping.program.stops[next(context.stepping.stops)]
    assert stop.node is s
    return stop


def wait(context: EmitContext, s: Waiting) -> None:
    """Leave off here; what follows is where it goes on. Answers are stored from outside, see
    `chocolatl.interpreter.native.builds.stops`."""
    stop = next_stop(context, s)
    context.f.leave(f"i64 {stop.pc}")
    context.stepping.steps.enter_at(stop.after)


def emit_steps(context: EmitContext, block: ir.Block) -> None:
    """Statements in a row, some of which may be left in the middle."""
    if not can_be_left(context):
        plain_block(context, block)
        return
    for number, statement in enumerate(block, start=1):
        if is_waiting(statement, context.stepping.program.stepped) or stops((statement,)):
            emit_stepped(context, statement)
            if is_nested(statement):
                continue
        else:
            context.plain = True
            emit_statement(context, statement)
            context.plain = False
        context.stepping.outer |= {local.number for local in locals_of((statement,))}
        check_invariants(context, written(statement), statement.span, block[number : number + 1])


def emit_stepped(context: EmitContext, s: ir.Statement) -> None:
    """A statement that may be left in the middle. What it declares is cleared when it ends."""
    assert context.frame is not None
    first, outer = context.cursor, context.stepping.outer
    emit_statement(context, s)
    context.stepping.outer = outer
    if is_nested(s):
        for begin, end in declared_in(s, context.layout, context.frame, outer, first, context.cursor):
            forget_slots(context, begin, end)


def emit_stepped_if(context: EmitContext, s: ir.If) -> None:
    """A branch in which somebody may wait."""
    if not can_be_left(context):
        emit_if(context, s)
        return
    f = context.f
    then, otherwise, after = f.block(), f.block(), f.block()
    f.branch(emit_condition(context, s.condition), then, otherwise)
    for start, block in ((then, s.then), (otherwise, s.otherwise)):
        f.begin(start)  # even if nobody comes here, so that all places are counted
        emit_block(context, block)
        f.goto(after)
    f.begin(after)


def emit_stepped_call(context: EmitContext, s: ir.Call) -> None:
    """A call of a procedure that can be left: whoever runs the game enters it, and comes back."""
    if s.procedure not in context.stepping.program.stepped:
        emit_call(context, s)
        return
    frame = context.layout.frames[s.procedure]
    for parameter, argument in zip(context.game.procedures[s.procedure].parameters, s.arguments, strict=True):
        assert isinstance(parameter.type, Scalar)
        value = checked(context, argument, parameter.type, f"`{parameter.name}`")
        context.f.store(value, at_slot(context, frame.locals[parameter.number]), tag=FRAMES)
    back = next(context.stepping.returns)
    assert context.stepping.program.returns[back] == (context.procedure, s.path)
    context.f.store(str(back), at_slot(context, frame.back), tag=FRAMES)
    context.f.leave(f"i64 {context.stepping.program.entries[s.procedure]}")
    context.stepping.steps.enter_at(back)


def emit_stepped_secretly(context: EmitContext, s: ir.Secretly) -> None:
    """Each player runs the body on a copy of everything; the driver makes them and joins them."""
    stop = next_stop(context, s)
    context.f.leave(f"i64 {stop.pc}")
    context.stepping.steps.enter_at(stop.body)
    outer, context.loops = context.loops, []
    emit_block(context, s.body)
    context.loops = outer
    context.f.leave(f"i64 {END_OF_SEALED}")
    context.stepping.steps.enter_at(stop.after)
    ask_latches(context, *s.writes)
