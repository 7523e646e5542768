"""What all players choose from, and the random numbers they choose by: kept out of memory while a loop runs.

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
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.latching import LatchEmitter
from chocolatl.interpreter.native.layout.memory import STREAMS, Memory
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.model import FieldKey

RANDOM = ", !tbaa !2"


class HoldingEmitter(LatchEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.held_zones: dict[FieldKey, list[list[str]]] = {}
        """The variables of zones that are held: those of each player, plane by plane."""
        self.held_numbers: list[str] = []
        """The variables of random numbers that are held, row by row."""

    @contextmanager
    def holding(self, block: ir.Block) -> Iterator[None]:
        """While a block runs again and again, hold what is chosen from in it, unless a loop around it does so."""
        zones = {} if self.held_zones else chosen_from(block)
        for key, zone in zones.items():
            words = self.words(zone)
            self.held_zones[key] = [[self.f.variable() for _ in own] for own in words]
            self.set_words(zone, words)
        if zones:
            rows = self.number_rows()
            self.held_numbers = [self.f.variable(self.number_lanes.type) for _ in rows]
            self.set_number_rows(rows)
        yield
        if zones:
            rows = self.number_rows()
            self.held_numbers = []
            self.set_number_rows(rows)
        for key, zone in zones.items():
            words = self.words(zone)
            del self.held_zones[key]
            self.set_words(zone, words)

    # ------------------------------------------------------------ zones

    def words(self, zone: ir.FieldZone) -> list[list[str]]:
        """What lies in everybody's own zone: the words of each player, plane by plane."""
        if zone.field.key in self.held_zones:
            return [[self.f.load(variable) for variable in own] for own in self.held_zones[zone.field.key]]
        lanes, pointers, tag = self.lanes_of(zone)
        return [list(own) for own in zip(*(lanes.split(lanes.load(each, tag)) for each in pointers), strict=True)]

    def set_words(self, zone: ir.FieldZone, words: list[list[str]]) -> None:
        if zone.field.key in self.held_zones:
            for own, variables in zip(words, self.held_zones[zone.field.key], strict=True):
                for word, variable in zip(own, variables, strict=True):
                    self.f.store(word, variable)
            return
        lanes, pointers, tag = self.lanes_of(zone)
        for plane, pointer in zip(zip(*words, strict=True), pointers, strict=True):
            lanes.store(lanes.gathered(plane), pointer, tag)

    # ------------------------------------------------------------ random numbers

    @property
    def number_lanes(self) -> Lanes:
        return Lanes(self.f, self.game.player_count, "i32")

    def number_places(self) -> tuple[list[str], str]:
        """Where the random numbers of all players lie, row by row, and their tag."""
        if self.held_numbers:
            return self.held_numbers, ""
        streams = self.memory.streams
        starts = [STREAMS + streams.first_player + streams.step * number for number in range(4)]
        row = 4 * self.game.player_count
        return [self.f.part("%s", start, Region(Access.STREAM_ROW, row, start)) for start in starts], RANDOM

    def number_rows(self) -> list[str]:
        pointers, tag = self.number_places()
        return [self.number_lanes.load(pointer, tag) for pointer in pointers]

    def set_number_rows(self, rows: list[str]) -> None:
        pointers, tag = self.number_places()
        for row, pointer in zip(rows, pointers, strict=True):
            self.number_lanes.store(row, pointer, tag)


def chosen_from(block: ir.Block) -> dict[FieldKey, ir.FieldZone]:
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
