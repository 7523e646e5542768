"""Where everything lies: a position of the game is one flat list (a static memory layout).

A slot holds an integer. A whole zone is one (see `chocolatl.interpreter.lowered.zones`); only a short set of values is
a sorted tuple. Slot 0 says where the program stands. Slot 1 is not a number but the journal of what players may
remember (see `chocolatl.interpreter.engine.knowledge`); no rule reads it. Slot 2 is 1 in the private copies of a secret
block. Then come the fields, the known bottoms of decks, and the locals of every procedure that can wait for a decision.
No procedure reaches itself, so each needs its locals once, and its return address is one slot.
"""

from __future__ import annotations

from typing import Any, assert_never

from msgspec import Struct, field

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import total_of
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.zones import pack
from chocolatl.interpreter.program.model import Field, FieldKey
from chocolatl.interpreter.program.types import PLAYER, Multiset, OrderType, Scalar

Slots = list[int]
"""A position of the game, apart from what is still secret."""

PC, JOURNAL, SEALED = 0, 1, 2
END_OF_GAME, END_OF_SEALED, END_OF_START = 0, 1, 2
"""Places in the program that are always there: the end of the game, of a secret block, of a single procedure."""


class FieldSlots(Struct, frozen=True):
    """A field's slots: one for each cell, in row order of owner and indices. Kind 0 of a zone is the element `low`."""

    field: Field
    base: int
    low: int
    zone: int
    """The number of its first cell among all zones that are not open, or -1."""

    @property
    def cells(self) -> int:
        count = self.field.owners
        for index in self.field.indices:
            count *= index.size
        return count

    @property
    def end(self) -> int:
        return self.base + self.cells


class Frame(Struct):
    """The slots of one procedure: the return address, each local, and its places in loops.

    `lies` are slots for locals that may hold what lies in a zone that is not open: in which one, by number from 1."""

    back: int
    locals: dict[int, int]
    lies: dict[int, int]
    named: list[ir.Local]
    end: int
    loops: int = 0
    """Where its places in loops begin."""
    bounds: list[tuple[int, int]] = field(default_factory=list)
    """The lowest and highest number in each slot of a loop."""


class Layout:
    def __init__(self, game: ir.GameRules) -> None:
        self.game = game
        self.places: dict[FieldKey, FieldSlots] = {}
        self.unders: dict[FieldKey, int] = {}
        self.frames: dict[str, Frame] = {}
        self.defaults: list[Any] = [END_OF_GAME, Journal(), 0]
        self.zones: list[tuple[FieldSlots, int]] = []
        for each in game.fields:
            self._add_field(each)
        for each in _deck_bottoms(game):
            self.unders[each.key] = len(self.defaults)
            place = self.places[each.key]
            self.defaults += [0] * (place.cells * self.under_width(each))

    def _add_field(self, field: Field) -> None:
        low = 0
        content: Any = field.initial
        if isinstance(field.type, Multiset) and field.type.short:
            content = ()
        elif isinstance(field.type, Multiset):
            low, content = field.type.element.low, pack(field.filled)
        zone = len(self.zones) if field.visibility != "open" else -1
        place = FieldSlots(field, len(self.defaults), low, zone)
        self.places[field.key] = place
        if zone >= 0:
            self.zones += [(place, cell_number) for cell_number in range(place.cells)]
        self.defaults += [content] * place.cells

    def open_frame(self, procedure: ir.Procedure) -> Frame:
        """Slots for a procedure. Its own translation may add more until the next one is opened."""
        inside = [local for local in locals_of(procedure.body) if local not in procedure.parameters]
        frame = Frame(len(self.defaults), {}, {}, [*procedure.parameters, *inside], 0)
        self.defaults.append(0)
        for local in frame.named:
            frame.locals[local.number] = len(self.defaults)
            self.defaults += [0] * self.local_width(local)
            if self._may_lie(local):
                frame.lies[local.number] = len(self.defaults)
                self.defaults.append(0)
        frame.end = frame.loops = len(self.defaults)
        self.frames[procedure.name] = frame
        return frame

    def _may_lie(self, local: ir.Local) -> bool:
        """Whether a local may hold what lies in a zone that is not open."""
        return any(may_hold(local, place.field) for place, _ in self.zones)

    def add_slots(self, frame: Frame, count: int, bounds: tuple[int, int]) -> int:
        """More slots for the place in a loop, each within bounds."""
        assert frame.end == len(self.defaults)
        slot = frame.end
        self.defaults += [0] * count
        frame.end += count
        frame.bounds += [bounds] * count
        return slot

    def local_width(self, local: ir.Local) -> int:
        return 1 + 2 * local.type.most if isinstance(local.type, OrderType) else 1

    def sight(self, player: int) -> list[bool]:
        """Whether a player sees each zone that is not open."""
        return [
            place.field.visibility == "secret"
            and place.field.owner == PLAYER
            and cell // (place.cells // place.field.owners) == player
            for place, cell in self.zones
        ]

    def stretches(self, field: Field) -> list[tuple[int, int]]:
        """All slots of a field, as many for each owner: where they begin and how many they are. A deck has its known
        bottom elsewhere."""
        place = self.places[field.key]
        found = [(place.base, place.end - place.base)]
        if field.key in self.unders:
            found.append((self.unders[field.key], place.cells * self.under_width(field)))
        return found

    def under_width(self, field: Field) -> int:
        """The known bottom of a deck: how many lie there, then which, the lowest last."""
        assert isinstance(field.type, Multiset)
        return 1 + total_of(field.type.element.family, self.game)


def locals_of(block: ir.Block) -> list[ir.Local]:
    """The variables of statements; those of expressions live only while these are computed."""
    found: dict[int, ir.Local] = {}

    def add(local: ir.Local | None) -> None:
        if local is not None:
            found[local.number] = local

    for s in statements(block):
        match s:
            case ir.SetLocal() | ir.ForEach() | ir.InTurn() | ir.Secretly() | ir.Draw():
                add(s.local)
            case ir.Roll():
                if s.target is None:
                    add(s.local)
            case ir.Choose():
                for pick in s.picks:
                    add(pick.local)
            case ir.Contest():
                add(s.order)
                for clause in s.clauses:
                    add(clause.local)
                    add(clause.sharers)
            case ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
                pass
            case ir.ChooseSet() | ir.If() | ir.Repeat() | ir.Stop() | ir.Call():
                pass
            case _:
                assert_never(s)
    return list(found.values())


def may_hold(local: ir.Local, field: Field) -> bool:
    """Whether a local may hold whatever lies in a field: one piece of it, or one value."""
    if not isinstance(local.type, Scalar) or not isinstance(field.type, Multiset):
        return False
    held, element = local.type, field.type.element
    return (held.family, held.low, held.high) == (element.family, element.low, element.high)


def _deck_bottoms(game: ir.GameRules) -> list[Field]:
    found: dict[Field, None] = {}
    for procedure in game.procedures.values():
        for s in procedure.statements:
            if isinstance(s, ir.MoveElement) and s.under and isinstance(s.target, ir.FieldZone):
                found[s.target.field] = None
    return list(found)
