"""What all players do in the same way, done by all of them at once: one operation on vectors with a lane for each
(vectorisation, SIMD).

    every player p secretly                           for each p in player
        for each here in location                         reveal p.sealed[here] into p.shown[here]
            p chooses 2 from p.hand into p.sealed[here]

Each moves between zones of their own and draws numbers of their own, so nobody can tell in which order they do it. The
zones of all players lie in rows, and so do their random numbers (`chocolatl.interpreter.native.layout.memory`).
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.several import UNROLLED, fixed
from chocolatl.interpreter.native.emit.frames import parameters, receive_parameters, set_local
from chocolatl.interpreter.native.emit.kinds import is_uniform
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.control import emit_statement
from chocolatl.interpreter.native.emit.statements.occurrences import count_beginning, count_ending
from chocolatl.interpreter.native.emit.statements.secret_blocks import saved_locals
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import checked
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.vector.choices import add_to_row, vector_choose
from chocolatl.interpreter.native.vector.formulas import is_own, lanes_of
from chocolatl.interpreter.native.vector.promotion import (
    promoted,
)
from chocolatl.interpreter.program.types import PLAYER, Scalar

NOT_VECTORISED = "this is done by one player after the other"


VECTOR = Pass(
    "vector statements",
    "All players do the same with zones and numbers of their own, in a loop over them or in a secret block, and nobody"
    " looks at it meanwhile.",
)


@VECTOR.function
def vector_loop(context: EmitContext, s: ir.ForEach) -> bool | None:
    """A loop through all players."""
    if not is_everyone(s) or not can_vectorise(context, s.body, s.local):
        return None
    emit_vector_block(context, s.body, s.local)
    count_ending(context, s)
    return True


@VECTOR.function
def vector_secret_block(context: EmitContext, s: ir.Secretly) -> bool | None:
    """A secret block, in which none waits for the numbers that another one draws."""
    if saved_locals(context, s) or not can_vectorise(context, s.body, s.local):
        return None
    emit_vector_block(context, s.body, s.local)
    return True


def can_vectorise(context: EmitContext, block: ir.Block, player: ir.Local) -> bool:
    """Whether all players can go through a block at once."""
    return not context.closely and all(_can_vectorise_one(context, s, player) for s in block)


def _can_vectorise_one(context: EmitContext, s: ir.Statement, player: ir.Local) -> bool:
    """Whether all players can do this at once. What is not looked for is done by one after the other, so that
    nothing is wrong with a kind of statement that is not named."""
    match s:
        case ir.ChooseSet():
            count = fixed(s)
            own = not (context.noted or context.build.singly) and s.where is None and is_own(s.player, player)
            return own and count is not None and 0 < count <= UNROLLED and own_zones(context, s, player)
        case ir.MoveAll():
            return own_zones(context, s, player)
        case ir.Store(target=ir.Load(owner=ir.Read()) as target, value=ir.Constant()):
            own = is_own(target.owner, player) and all(_is_uniform(index, player) for index in target.indices)
            return own and not is_watched(context, {target.field.key})
        case ir.ForEach(domain=ir.Whole(start=None), where=None, counter=None, backwards=False):
            return can_vectorise(context, s.body, player)
        case ir.ForEach(domain=ir.Numbers() as row, where=None, counter=None, backwards=False):
            same = _is_uniform(row.low, player) and _is_uniform(row.high, player)
            return same and can_vectorise(context, s.body, player)
        case ir.Call():
            given = zip(context.game.procedures[s.procedure].parameters, s.arguments, strict=True)
            who = [parameter for parameter, argument in given if is_own(argument, player)]
            others = [argument for argument in s.arguments if not is_own(argument, player)]
            body = context.game.procedures[s.procedure].body
            return (
                len(who) == 1 and all(_is_uniform(e, player) for e in others) and can_vectorise(context, body, who[0])
            )
    return False


def own_zones(context: EmitContext, s: ir.ChooseSet | ir.MoveAll, player: ir.Local) -> bool:
    """Whether both zones are the player's own, in rows, and nobody looks at them."""
    keys = set()
    for zone in (s.source, s.target):
        if not isinstance(zone, ir.FieldZone) or zone.owner is None or not is_own(zone.owner, player):
            return False
        if context.memory.places[zone.field.key].shape.lanes != context.game.player_count:
            return False
        if not all(_is_uniform(index, player) for index in zone.indices):
            return False
        keys.add(zone.field.key)
    return not is_watched(context, keys)


def is_watched(context: EmitContext, keys: set[tuple[str | None, str]]) -> bool:
    """Whether a latch or an invariant looks at one of some fields when it has changed."""
    return any(looked & keys for looked in [*context.watched, *(context.guarded if context.guards else ())])


def emit_vector_block(context: EmitContext, block: ir.Block, player: ir.Local) -> None:
    for s in block:
        start = len(context.f.lines)
        match s:
            case ir.ChooseSet():
                vector_choose(context, s, player)
            case ir.MoveAll():
                vector_move(context, s)
            case ir.ForEach():
                with promoted(context, s.body), each_element(context, s.domain, s.local):
                    emit_vector_block(context, s.body, player)
            case ir.Store():
                for seat in range(context.game.player_count):
                    set_local(context, player, str(seat))
                    emit_statement(context, s)
            case ir.Call():
                vector_call(context, s, player)
            case ir.SetLocal() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.If():
                raise AssertionError(NOT_VECTORISED)
            case ir.InTurn() | ir.Repeat() | ir.Stop() | ir.Secretly() | ir.Contest():
                raise AssertionError(NOT_VECTORISED)
            case ir.Choose() | ir.Roll() | ir.Draw():
                raise AssertionError(NOT_VECTORISED)
            case _:
                assert_never(s)
        context.f.beside(start, f"line {s.span.line}")


def vector_call(context: EmitContext, s: ir.Call, player: ir.Local) -> None:
    """A procedure by all players, which is a function of its own."""
    given = list(zip(context.game.procedures[s.procedure].parameters, s.arguments, strict=True))
    who = next(parameter for parameter, argument in given if is_own(argument, player))
    name = context.requested.vector_procedures.setdefault(
        (s.procedure, who), f"together_{len(context.requested.vector_procedures)}"
    )
    values = ["ptr %s"]
    for parameter, argument in given:
        if parameter != who:
            assert isinstance(parameter.type, Scalar)
            values.append(f"i64 {checked(context, argument, parameter.type, f'`{parameter.name}`')}")
    context.f.do(f"call void @{name}({', '.join(values)})")


def vector_procedure_texts(context: EmitContext) -> list[str]:
    """The procedures that all players go through at once; one may call another."""
    texts: list[str] = []
    while len(texts) < len(context.requested.vector_procedures):
        (procedure, who), name = list(context.requested.vector_procedures.items())[len(texts)]
        given = tuple(p for p in context.game.procedures[procedure].parameters if p != who)
        context.open(Function(name, [("ptr", "%s"), *parameters(given)]))
        receive_parameters(context, given)
        for _ in range(context.game.player_count):
            count_beginning(context, procedure)
        emit_vector_block(context, context.game.procedures[procedure].body, who)
        context.f.leave()
        texts.append(context.f.text())
    return texts


def vector_move(context: EmitContext, s: ir.MoveAll) -> None:
    lanes, pointers, tag = lanes_of(context, s.source)
    content = [lanes.load(pointer, tag) for pointer in pointers]
    for pointer in pointers:
        lanes.store("0", pointer, tag)
    add_to_row(context, s.target, content)


def is_everyone(s: ir.ForEach) -> bool:
    """Whether a loop goes through all players."""
    local = s.local.type
    whole = isinstance(s.domain, ir.Whole) and s.domain.start is None
    plain = s.where is None and s.counter is None and not s.backwards
    return whole and plain and isinstance(local, Scalar) and local.family == PLAYER


def _is_uniform(e: ir.Expression, player: ir.Local) -> bool:
    """Whether a formula is the same for all players."""
    return all(is_uniform(part, player) for part in inside(e))
