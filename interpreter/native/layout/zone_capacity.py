"""How many copies of a kind a zone can hold in a game that is played from its start (reachability over moves).

Components are moved, never made. What lies in a zone came from where it was at first, by the moves in the rules. Moves
between zones of the same owner keep to what that owner has, so the bound of a player's zone is what that player begins
with, and what can come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import Layout
from chocolatl.interpreter.lowered.zones import counts
from chocolatl.interpreter.program.model import FieldKey
from chocolatl.interpreter.program.types import Multiset


class ZoneCapacities:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.within: dict[FieldKey, set[FieldKey]] = {}
        """For each zone, those from which something comes that has the same owner."""
        self.across: dict[FieldKey, set[FieldKey]] = {}
        """Those from which anything may come."""
        for source, target in moves(layout.game):
            if isinstance(source, ir.FieldZone) and isinstance(target, ir.FieldZone):
                kept = source.field.owner == target.field.owner and _same(source.owner, target.owner)
                (self.within if kept else self.across).setdefault(target.field.key, set()).add(source.field.key)
            else:  # by way of a local: from anywhere
                family = ir.set_type(source).element.family
                anywhere = {key for key, place in layout.places.items() if self._family(key) == family}
                for key in anywhere:
                    self.across.setdefault(key, set()).update(anywhere)

    def _family(self, key: FieldKey) -> str:
        type_ = self.layout.places[key].field.type
        return type_.element.family if isinstance(type_, Multiset) else ""

    def most(self, key: FieldKey) -> int:
        """Of the kind that there can be most of in one such zone, how many copies."""
        own = _closure({key}, [self.within])
        foreign = _closure({source for zone in own for source in self.across.get(zone, ())}, [self.within, self.across])
        shared = sum(self._content(zone, 0, 1) for zone in foreign)
        owners = self.layout.places[key].field.owners
        totals = [shared + sum(self._content(zone, owner, owners) for zone in own - foreign) for owner in range(owners)]
        return max((count for total in totals for count in counts(total)), default=0)

    def _content(self, key: FieldKey, part: int, parts: int) -> int:
        """What lies in the zones of an owner at the start, or in all of them (one part of one)."""
        place = self.layout.places[key]
        each = place.cells // parts
        start = place.base + part * each
        return sum(self.layout.defaults[start : start + each])


def moves(game: ir.GameRules) -> Iterator[tuple[ir.Zone, ir.Zone]]:
    """From where to where components are moved."""
    for procedure in game.procedures.values():
        for s in procedure.statements:
            match s:
                case ir.MoveElement() | ir.MoveAll() | ir.Draw() | ir.ChooseSet():
                    yield s.source, s.target
                case ir.SetLocal() | ir.Store() | ir.Award() | ir.Choose() | ir.Stop() | ir.Call():
                    pass
                case ir.CopyZone() | ir.ChangeSet() | ir.Roll():
                    pass  # of values that are no components
                case ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Secretly() | ir.Contest():
                    pass  # what is inside of it comes by itself
                case _:
                    assert_never(s)


def _same(a: ir.Expression | None, b: ir.Expression | None) -> bool:
    """Whether two owners are the same always."""
    if a is None or b is None:
        return a is b
    return isinstance(a, ir.Read) and isinstance(b, ir.Read) and a.local == b.local


def _closure(start: set[FieldKey], ways: list[dict[FieldKey, set[FieldKey]]]) -> set[FieldKey]:
    """Zones from which something comes to one of these, by way of any number of others."""
    found, left = set(start), list(start)
    while left:
        key = left.pop()
        new = {source for way in ways for source in way.get(key, ())} - found
        found |= new
        left += new
    return found
