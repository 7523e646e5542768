"""Whether a game can go on from a place: all that was set on the way there has a value of its type (frame validation).

A position from a file may leave out a local, or say that a loop stands at an element that it never reaches. What is
read later is then some other number, and native code, which trusts the types of locals, would take it for an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import blocks, statements
from chocolatl.interpreter.lowered.layout import PC, Slots, locals_of
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.types import Scalar


def complaints(program: LoweredGame, slots: Slots) -> Iterator[str]:
    """What is missing, in the procedures that wait where a position stands, the innermost first."""
    stop = program.stops.get(slots[PC])
    if stop is None:
        return
    procedure, step = stop.procedure, stop.node.path
    while True:
        yield from _in_procedure(program, procedure, step, slots)
        back = slots[program.layout.frames[procedure].back]
        if back not in program.returns:
            return
        procedure, step = program.returns[back]


def _in_procedure(program: LoweredGame, procedure: str, step: str, slots: Slots) -> Iterator[str]:
    frame, body = program.layout.frames[procedure], program.game.procedures[procedure].body
    around = [s for s in statements(body) if step.startswith(s.path + ".")]
    needed = [*program.game.procedures[procedure].parameters, *set_before(body, step)]
    for statement in around:
        needed += _of_block(statement, step)
    for local in needed:
        if isinstance(local.type, Scalar) and not _fits(slots[frame.locals[local.number]], local.type):
            yield f"`{local.name}` of `{procedure}` needs a value here"
    for statement in around:
        if isinstance(statement, ir.ForEach) and not _is_inside(program, procedure, statement, slots):
            yield f"the loop over `{statement.local.name}` of `{procedure}` does not reach this place"


def set_before(body: ir.Block, step: str) -> list[ir.Local]:
    """The locals that statements above a step have set, in the blocks around it."""
    parts = step.split(".")
    above = [
        statement
        for statement in statements(body)
        if not any(blocks(statement)) and _is_above(statement.path.split("."), parts)
    ]
    return locals_of(tuple(above))


def _is_above(path: list[str], step: list[str]) -> bool:
    depth = len(path) - 1
    return depth < len(step) and path[:depth] == step[:depth] and int(path[depth]) < int(step[depth])


def _of_block(s: ir.Statement, step: str) -> list[ir.Local]:
    """The locals that a statement sets for the block inside it in which a step is."""
    if isinstance(s, ir.Flat):
        return []
    match s:
        case ir.ForEach() | ir.InTurn():
            return [s.local]
        case ir.Contest():
            clauses = [c for c in s.clauses if any(_is_at(step, inner.path) for inner in c.body)]
            return [local for clause in clauses for local in (clause.local, clause.sharers) if local is not None]
        case ir.If() | ir.Repeat() | ir.Secretly():
            return []  # whose private copy it is, is told elsewhere
        case _:
            assert_never(s)


def _is_at(step: str, path: str) -> bool:
    """Whether a step is a statement, or inside it."""
    return step == path or step.startswith(path + ".")


def _is_inside(program: LoweredGame, procedure: str, s: ir.ForEach, slots: Slots) -> bool:
    """Whether a loop is at one of its elements, and all that are to come are of its type."""
    site = program.loop_sites.get((procedure, s.path))
    if site is None:
        return True
    assert isinstance(s.local.type, Scalar)
    counter, second = slots[site.counter], slots[site.counter + 1]
    if site.elements < 0:
        return s.local.type.low <= counter <= second <= s.local.type.high
    elements = slots[site.elements + 1 : site.elements + 1 + second]
    return 0 <= counter < second and all(_fits(element, s.local.type) for element in elements)


def _fits(value: int, type_: Scalar) -> bool:
    low, high = type_.bounds
    return low <= value <= high
