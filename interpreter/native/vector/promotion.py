"""What all players choose from, and the random numbers they choose by: kept out of memory while a loop runs (register
promotion, scalar replacement).

    every player p secretly
        for each here in location
            p chooses 2 from p.hand into p.sealed[here]

Each turn of such a loop waits for what the one before has left in the hands. So these are words, a few for each player,
which stay in registers; they return to their rows (`chocolatl.interpreter.native.layout.memory`) when the loop is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.layout.memory import STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.native.vector.formulas import lanes_of
from chocolatl.interpreter.program.model import FieldKey

RANDOM = ", !tbaa !2"


@contextmanager
def promoted(context: EmitContext, block: ir.Block) -> Iterator[None]:
    """While a block runs again and again, hold what is chosen from in it, unless a loop around it does so."""
    zones = {} if context.promoted_zones else promotable(context, block) or {}
    for key, zone in zones.items():
        words = lane_words(context, zone)
        context.promoted_zones[key] = [[context.f.variable() for _ in own] for own in words]
        set_lane_words(context, zone, words)
    if zones:
        rows = number_rows(context)
        context.promoted_numbers = [context.f.variable(number_lanes(context).type) for _ in rows]
        set_number_rows(context, rows)
    yield
    if zones:
        rows = number_rows(context)
        context.promoted_numbers = []
        set_number_rows(context, rows)
    for key, zone in zones.items():
        words = lane_words(context, zone)
        del context.promoted_zones[key]
        set_lane_words(context, zone, words)


def lane_words(context: EmitContext, zone: ir.FieldZone) -> list[list[str]]:
    """What lies in everybody's own zone: the words of each player, plane by plane."""
    if zone.field.key in context.promoted_zones:
        return [[context.f.load(variable) for variable in own] for own in context.promoted_zones[zone.field.key]]
    lanes, pointers, tag = lanes_of(context, zone)
    return [list(own) for own in zip(*(lanes.split(lanes.load(each, tag)) for each in pointers), strict=True)]


def set_lane_words(context: EmitContext, zone: ir.FieldZone, words: list[list[str]]) -> None:
    if zone.field.key in context.promoted_zones:
        for own, variables in zip(words, context.promoted_zones[zone.field.key], strict=True):
            for word, variable in zip(own, variables, strict=True):
                context.f.store(word, variable)
        return
    lanes, pointers, tag = lanes_of(context, zone)
    for plane, pointer in zip(zip(*words, strict=True), pointers, strict=True):
        lanes.store(lanes.gathered(plane), pointer, tag)


def number_lanes(context: EmitContext) -> Lanes:
    return Lanes(context.f, context.game.player_count, "i32")


def number_places(context: EmitContext) -> tuple[list[str], str]:
    """Where the random numbers of all players lie, row by row, and their tag."""
    if context.promoted_numbers:
        return context.promoted_numbers, ""
    streams = context.memory.streams
    starts = [STREAMS + streams.first_player + streams.step * number for number in range(4)]
    row = 4 * context.game.player_count
    return [context.f.part("%s", start, Region(Access.STREAM_ROW, row, start)) for start in starts], RANDOM


def number_rows(context: EmitContext) -> list[str]:
    pointers, tag = number_places(context)
    return [number_lanes(context).load(pointer, tag) for pointer in pointers]


def set_number_rows(context: EmitContext, rows: list[str]) -> None:
    pointers, tag = number_places(context)
    for row, pointer in zip(rows, pointers, strict=True):
        number_lanes(context).store(row, pointer, tag)


PROMOTION = Pass(
    "register promotion",
    "A loop that all players run at once chooses from zones of theirs in which nothing else happens.",
)


@PROMOTION.function
def promotable(context: EmitContext, block: ir.Block) -> dict[FieldKey, ir.FieldZone]:
    """The zones that components are chosen from, and in which nothing else happens in a block."""
    chosen: list[ir.Zone] = []
    others: list[ir.Zone] = []
    for s in statements(block):
        match s:
            case ir.ChooseSet():
                chosen.append(s.source)
                others.append(s.target)
            case ir.MoveAll():
                others += [s.source, s.target]
            case ir.Store() | ir.ForEach():
                pass
            case ir.Call():
                return {}  # nobody looks at what it does
            case ir.SetLocal() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.If():
                return {}  # not done by all at once
            case ir.InTurn() | ir.Repeat() | ir.Stop() | ir.Secretly() | ir.Contest():
                return {}
            case ir.Choose() | ir.Roll() | ir.Draw():
                return {}
            case _:
                assert_never(s)
    busy = {zone.field.key for zone in others if isinstance(zone, ir.FieldZone)}
    sources = [zone for zone in chosen if isinstance(zone, ir.FieldZone) and not zone.indices]
    return {zone.field.key: zone for zone in sources if zone.field.key not in busy}
