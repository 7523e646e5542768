"""How one position leads to the next: pure functions over flat lists of integers (a transition function).

In a secret block every player answers in a private copy of the position (see `chocolatl.interpreter.lowered.position`);
`join` brings them together when the last one has finished.
"""

from __future__ import annotations

from typing import Any

from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_SEALED, END_OF_START, JOURNAL, PC, SEALED, Slots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.position import Answer, Position, PrivateCopy
from chocolatl.interpreter.lowered.waits import SuspensionPoint


def start(program: ExecutableGame, log: Log | None = None) -> Position:
    return settle(program, program.initial(), log)


def settle(program: ExecutableGame, s: Slots, log: Log | None) -> Position:
    """Run until somebody has to decide, chance has to speak, or the end is reached."""
    while True:
        program.run(s, log)
        stop = program.stops.get(s[PC])
        if stop is None or not isinstance(stop.node, ir.Secretly):
            return Position(s)
        privates = enter(program, s, stop)
        if any(p.slots[PC] != END_OF_SEALED for p in privates):
            return Position(s, privates)
        join(program, s, stop, privates)


def enter(program: ExecutableGame, s: Slots, stop: SuspensionPoint) -> tuple[PrivateCopy, ...]:
    """A private copy for each player, run to the player's first decision."""
    node = stop.node
    assert isinstance(node, ir.Secretly)
    slot = program.layout.frames[stop.procedure].locals[node.local.number]
    privates = []
    for player in range(program.game.player_count):
        own: list[Any] = list(s)
        if own[JOURNAL] is not None:
            own[JOURNAL] = Journal()
        own[slot] = player
        own[PC], own[SEALED] = stop.body, 1
        program.run(own, None)
        privates.append(PrivateCopy(own))
    return tuple(privates)


def join(program: ExecutableGame, s: Slots, stop: SuspensionPoint, privates: tuple[PrivateCopy, ...]) -> None:
    """Everyone has finished: the fields that the block changes are taken over from their owners."""
    node = stop.node
    assert isinstance(node, ir.Secretly)
    program.knowledge.join(s, [p.slots for p in privates])
    for field in node.writes:
        for base, size in program.layout.stretches(field):
            width = size // field.owners
            for player, private in enumerate(privates):
                begin = base + player * width
                s[begin : begin + width] = private.slots[begin : begin + width]
    s[PC] = stop.after


def answer(
    program: ExecutableGame, position: Position, player: int, given: Answer, log: Log | None = None, reuse: bool = False
) -> Position:
    """The position after a player's answer, which must be legal.

    With `reuse` the old position is used up for the new one, which saves copying where nobody holds it any more."""
    if position.sealed is None:
        s = position.slots if reuse else list(position.slots)
        stop = program.stops[s[PC]]
        program.store[stop.pc](s, given)
        s[PC] = stop.after
        return settle(program, s, log)
    if not reuse:
        position = _renewed(position, player)
    assert position.sealed is not None
    private = position.sealed[player]
    advance(program, private, given)
    if private.slots[PC] != END_OF_SEALED or any([p.slots[PC] != END_OF_SEALED for p in position.sealed]):
        return position
    return finished(program, position, log, reuse)


def advance(program: ExecutableGame, private: PrivateCopy, given: Answer) -> None:
    """One player answers in a secret block; the private copy is changed."""
    own = private.slots
    stop = program.stops[own[PC]]
    program.store[stop.pc](own, given)
    own[PC] = stop.after
    program.run(own, None)
    private.answers += (given,)


def finished(program: ExecutableGame, position: Position, log: Log | None = None, reuse: bool = False) -> Position:
    """The position after a secret block in which all have answered."""
    assert position.sealed is not None
    s = position.slots if reuse else list(position.slots)
    join(program, s, program.stops[s[PC]], position.sealed)
    return settle(program, s, log)


def _renewed(position: Position, player: int) -> Position:
    """An equal position in which the private copy of one player may be changed."""
    assert position.sealed is not None
    privates = list(position.sealed)
    privates[player] = PrivateCopy(list(privates[player].slots), privates[player].answers)
    return Position(position.slots, tuple(privates))


def start_procedure(
    program: ExecutableGame, s: Slots, name: str, arguments: list[int], log: Log | None = None
) -> Position:
    """Run one procedure from a state, for a scenario; it ends when the procedure returns."""
    if name not in program.stepped:
        program.functions[f"procedure_{program.plain[name]}"](s, log, *arguments)
        s[PC] = END_OF_START
        return Position(s)
    frame = program.layout.frames[name]
    for parameter, value in zip(program.game.procedures[name].parameters, arguments, strict=True):
        s[frame.locals[parameter.number]] = value
    s[frame.back] = END_OF_START if name != program.game.main else END_OF_GAME
    s[PC] = program.entries[name]
    return settle(program, s, log)
