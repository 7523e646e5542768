"""Formulas about a player, computed for all players at once: a vector has a lane for each of them.

That can be done where nothing can fail and what belongs to the players lies in rows: numbers without an index, and
zones of components (`chocolatl.interpreter.native.layout.memory`). A sum over a zone is counted bit by bit of what its
kinds are worth, where the processor counts the bits of a vector.
"""

from __future__ import annotations

from itertools import product
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.native.emit.aggregates import AggregateEmitter
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import number_shape
from chocolatl.interpreter.native.llvm.instructions import JOINING, PREDICATES, lanewise
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import mixes_none

NOT_ABREAST = "this is computed for one player after the other"


class AbreastEmitter(AggregateEmitter):
    counts_bits = False
    """Whether the processor counts the bits of all lanes at once."""

    # ------------------------------------------------------------ vectors

    def intrinsic(self, name: str, lanes: Lanes, *values: str) -> str:
        whole = f"@llvm.{name}.v{lanes.count}{lanes.unit}"
        self.intrinsics.add(f"declare {lanes.type} {whole}({', '.join([lanes.type] * len(values))})")
        return self.f.op(f"call {lanes.type} {whole}({', '.join(f'{lanes.type} {value}' for value in values)})")

    def lanes_of(self, zone: ir.Zone) -> tuple[Lanes, list[str], str]:
        """The lanes of a zone, where the plane of each number lies, and its tag."""
        assert isinstance(zone, ir.FieldZone)
        run = self.memory.places[zone.field.key]
        shape = run.shape
        start = self.row_at(run, self.position(zone.indices, zone.field.indices))
        pointers = [planes.plane_at(self.f, start, shape, number) for number in range(shape.planes)]
        return Lanes(self.f, shape.lanes, shape.unit), pointers, self.field_tag(zone.field)

    # ------------------------------------------------------------ what can be computed so

    def is_abreast(self, e: ir.Expression, player: ir.Local) -> bool:
        """Whether a formula about a player can be computed for all at once."""
        return not self.can_fail(e) and self._is_abreast(e, player)

    def _is_abreast(self, e: ir.Expression, player: ir.Local) -> bool:
        if is_common(e, player):
            return True
        match e:
            case ir.Read():
                return True
            case ir.Load():
                return e.indices == () and is_own(e.owner, player)
            case ir.Aggregate():
                return self.is_own_sum(e, player)
            case ir.Arithmetic():
                return lanewise(e.operator) is not None and self.are_abreast(player, e.left, e.right)
            case ir.Comparison():
                return not mixes_none(e.left.type, e.right.type) and self.are_abreast(player, e.left, e.right)
            case ir.Logic():
                return self.are_abreast(player, e.left, e.right)
            case ir.Not():
                return self.are_abreast(player, e.operand)
            case ir.Conditional():
                return self.are_abreast(player, e.condition, e.then, e.otherwise)
            case ir.Constant() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed():
                return False
            case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
                return False
            case _:
                assert_never(e)

    def are_abreast(self, player: ir.Local, *parts: ir.Expression) -> bool:
        return all(self._is_abreast(part, player) for part in parts)

    def is_own_sum(self, e: ir.Aggregate, player: ir.Local) -> bool:
        """Whether this is a sum over what lies in a zone of the player, in a row with those of the others."""
        if not isinstance(e.domain, ir.ZoneElements) or not isinstance(e.domain.zone, ir.FieldZone):
            return False
        zone = e.domain.zone
        rows = self.memory.places[zone.field.key].shape.lanes == self.game.player_count > 1
        common = all(is_common(index, player) for index in zone.indices)
        return rows and common and is_own(zone.owner, player) and self.weights(e) is not None

    # ------------------------------------------------------------ computing it

    def lanes_for(self, formulas: list[ir.Expression], bits: int = 0) -> Lanes:
        """Lanes with room for some formulas, all that is inside them, and so many bits."""
        types = [part.type for part in inside(*formulas) if isinstance(part, ir.TypedNode)]
        small = bits < 32 and all(number_shape(*type_.bounds).unit != "i64" for type_ in types)
        return Lanes(self.f, self.game.player_count, "i32" if small else "i64")

    def anyone(self, condition: ir.Expression, player: ir.Local) -> str:
        """Whether a condition holds for any player."""
        lanes = self.lanes_for([condition])
        return lanes.any(self.holds(condition, player, lanes))

    def abreast(self, e: ir.Expression, player: ir.Local, lanes: Lanes) -> str:
        """A formula for all players."""
        f = self.f
        if is_common(e, player):
            return lanes.spread(self.emit(e))
        match e:
            case ir.Read():
                return lanes.vector(range(e.type.low, e.type.low + lanes.count))
            case ir.Load():
                run = self.memory.places[e.field.key]
                pointer = f.part("%s", run.offset, replace(run.meant, kind=Access.NUMBER_ROW))
                return lanes.widened(run.shape.unit, pointer, self.field_tag(e.field))
            case ir.Arithmetic():
                left, right = (self.abreast(part, player, lanes) for part in (e.left, e.right))
                how = lanewise(e.operator)
                assert how is not None, NOT_ABREAST
                if how.is_intrinsic:
                    return self.intrinsic(how.name, lanes, left, right)
                return lanes.op(how.name, left, right)
            case ir.Conditional():
                then, otherwise = (self.abreast(part, player, lanes) for part in (e.then, e.otherwise))
                if is_common(e.condition, player):
                    return lanes.select("i1", self.condition(e.condition), then, otherwise)
                return lanes.select(lanes.truth, self.holds(e.condition, player, lanes), then, otherwise)
            case ir.Aggregate():
                return self.own_sums(e, lanes)
            case ir.Comparison() | ir.Logic() | ir.Not():
                return f.op(f"zext {lanes.truth} {self.holds(e, player, lanes)} to {lanes.type}")
            case ir.Constant() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed():
                raise AssertionError(NOT_ABREAST)
            case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
                raise AssertionError(NOT_ABREAST)
            case _:
                assert_never(e)

    def holds(self, e: ir.Expression, player: ir.Local, lanes: Lanes) -> str:
        """A condition for all players, as one bit for each."""
        f = self.f
        match e:
            case ir.Comparison():
                left, right = (self.abreast(part, player, lanes) for part in (e.left, e.right))
                return f.op(f"icmp {PREDICATES[e.operator]} {lanes.type} {left}, {right}")
            case ir.Logic():
                left, right = (self.holds(part, player, lanes) for part in (e.left, e.right))
                return f.op(f"{JOINING[e.operator]} {lanes.truth} {left}, {right}")
            case ir.Not():
                held = self.holds(e.operand, player, lanes)
                return f.op(f"icmp eq {lanes.truth} {held}, zeroinitializer")
            case (
                ir.Constant() | ir.Read() | ir.Load() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Arithmetic()
                | ir.Conditional() | ir.Required() | ir.Narrowed() | ir.Aggregate() | ir.ZoneSize() | ir.ZoneCount()
                | ir.CallValue() | ir.PlaceOf() | ir.RankOf()
            ):  # fmt: skip
                # Computed as a number: 1 is yes.
                return f.op(f"icmp ne {lanes.type} {self.abreast(e, player, lanes)}, zeroinitializer")
            case _:
                assert_never(e)

    def own_sums(self, e: ir.Aggregate, lanes: Lanes) -> str:
        """Sums over what lies in everybody's own zone, copies counted."""
        f, weights = self.f, self.weights(e)
        assert weights is not None and isinstance(e.domain, ir.ZoneElements)
        row, pointers, tag = self.lanes_of(e.domain.zone)
        held = [row.load(pointer, tag) for pointer in pointers]
        if not self.counts_bits or min(weights) < 0:
            own = [[row.word(plane, seat) for plane in held] for seat in range(row.count)]
            return lanes.gathered([planes.weighed(f, each, lambda plane: self.weight(plane, weights)) for each in own])
        total = lanes.splat(0)
        for (copies, plane), bit in product(enumerate(held), range(max(weights).bit_length())):
            kinds = row.splat(sum(1 << kind for kind, weight in enumerate(weights) if weight >> bit & 1))
            counted = row.resized(self.intrinsic("ctpop", row, row.op("and", plane, kinds)), lanes)
            total = lanes.op("add", total, lanes.op("shl", counted, lanes.splat(copies + bit)))
        return total


def is_common(e: ir.Expression, player: ir.Local) -> bool:
    """Whether a formula is the same whoever the player is."""
    return not any(is_own(part, player) for part in inside(e))


def is_own(part: object, player: ir.Local) -> bool:
    """Whether something is this very local."""
    return isinstance(part, ir.Read) and part.local == player
