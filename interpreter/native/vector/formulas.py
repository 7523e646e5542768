"""Formulas about a player, computed for all players at once: a vector has a lane for each (vectorisation, SIMD).

That can be done where nothing can fail and what belongs to the players lies in rows: numbers without an index, and
zones of components (`chocolatl.interpreter.native.layout.memory`). A sum over a zone is counted bit by bit of what its
kinds are worth, where the processor counts the bits of a vector (bit-slicing).
"""

from __future__ import annotations

from itertools import product
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.native.emit.checks import can_fail
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.aggregates import kind_weights, plane_weight
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition, flat_index
from chocolatl.interpreter.native.emit.values_and_rankings.fields import row_at, tag_of_field
from chocolatl.interpreter.native.emit.values_and_rankings.zones import vector_intrinsic
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import number_shape
from chocolatl.interpreter.native.llvm.instructions import JOINING, PREDICATES, lanewise
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import mixes_none

NOT_LANEWISE = "this is computed for one player after the other"


def lanes_of(context: EmitContext, zone: ir.Zone) -> tuple[Lanes, list[str], str]:
    """The lanes of a zone, where the plane of each number lies, and its tag."""
    assert isinstance(zone, ir.FieldZone)
    run = context.memory.places[zone.field.key]
    shape = run.shape
    start = row_at(context, run, flat_index(context, zone.indices, zone.field.indices))
    pointers = [planes.plane_at(context.f, start, shape, number) for number in range(shape.planes)]
    return Lanes(context.f, shape.lanes, shape.unit), pointers, tag_of_field(context, zone.field)


def is_vectorisable(context: EmitContext, e: ir.Expression, player: ir.Local) -> bool:
    """Whether a formula about a player can be computed for all at once."""
    return not can_fail(context, e) and _is_lanewise(context, e, player)


def _is_lanewise(context: EmitContext, e: ir.Expression, player: ir.Local) -> bool:
    if is_player_invariant(e, player):
        return True
    match e:
        case ir.Read():
            return True
        case ir.Load():
            return e.indices == () and is_own(e.owner, player)
        case ir.Aggregate():
            return is_own_sum(context, e, player)
        case ir.Arithmetic():
            return lanewise(e.operator) is not None and _are_lanewise(context, player, e.left, e.right)
        case ir.Comparison():
            return not mixes_none(e.left.type, e.right.type) and _are_lanewise(context, player, e.left, e.right)
        case ir.Logic():
            return _are_lanewise(context, player, e.left, e.right)
        case ir.Not():
            return _are_lanewise(context, player, e.operand)
        case ir.Conditional():
            return _are_lanewise(context, player, e.condition, e.then, e.otherwise)
        case ir.Constant() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed():
            return False
        case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
            return False
        case _:
            assert_never(e)


def _are_lanewise(context: EmitContext, player: ir.Local, *parts: ir.Expression) -> bool:
    return all(_is_lanewise(context, part, player) for part in parts)


def is_own_sum(context: EmitContext, e: ir.Aggregate, player: ir.Local) -> bool:
    """Whether this is a sum over what lies in a zone of the player, in a row with those of the others."""
    if not isinstance(e.domain, ir.ZoneElements) or not isinstance(e.domain.zone, ir.FieldZone):
        return False
    zone = e.domain.zone
    rows = context.memory.places[zone.field.key].shape.lanes == context.game.player_count > 1
    common = all(is_player_invariant(index, player) for index in zone.indices)
    return rows and common and is_own(zone.owner, player) and kind_weights(context, e) is not None


def lanes_for(context: EmitContext, formulas: list[ir.Expression], bits: int = 0) -> Lanes:
    """Lanes with room for some formulas, all that is inside them, and so many bits."""
    types = [part.type for part in inside(*formulas) if isinstance(part, ir.TypedNode)]
    small = bits < 32 and all(number_shape(*type_.bounds).unit != "i64" for type_ in types)
    return Lanes(context.f, context.game.player_count, "i32" if small else "i64")


def any_player(context: EmitContext, condition: ir.Expression, player: ir.Local) -> str:
    """Whether a condition holds for any player."""
    lanes = lanes_for(context, [condition])
    return lanes.any(emit_lane_mask(context, condition, player, lanes))


def emit_lanes(context: EmitContext, e: ir.Expression, player: ir.Local, lanes: Lanes) -> str:
    """A formula for all players."""
    f = context.f
    if is_player_invariant(e, player):
        return lanes.spread(emit(context, e))
    match e:
        case ir.Read():
            return lanes.vector(range(e.type.low, e.type.low + lanes.count))
        case ir.Load():
            run = context.memory.places[e.field.key]
            pointer = f.part("%s", run.offset, replace(run.meant, kind=Access.NUMBER_ROW))
            return lanes.widened(run.shape.unit, pointer, tag_of_field(context, e.field))
        case ir.Arithmetic():
            left, right = (emit_lanes(context, part, player, lanes) for part in (e.left, e.right))
            how = lanewise(e.operator)
            assert how is not None, NOT_LANEWISE
            if how.is_intrinsic:
                return vector_intrinsic(context, how.name, lanes, left, right)
            return lanes.op(how.name, left, right)
        case ir.Conditional():
            then, otherwise = (emit_lanes(context, part, player, lanes) for part in (e.then, e.otherwise))
            if is_player_invariant(e.condition, player):
                return lanes.select("i1", emit_condition(context, e.condition), then, otherwise)
            return lanes.select(lanes.truth, emit_lane_mask(context, e.condition, player, lanes), then, otherwise)
        case ir.Aggregate():
            return lane_sums(context, e, lanes)
        case ir.Comparison() | ir.Logic() | ir.Not():
            return f.op(f"zext {lanes.truth} {emit_lane_mask(context, e, player, lanes)} to {lanes.type}")
        case ir.Constant() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed():
            raise AssertionError(NOT_LANEWISE)
        case ir.ZoneSize() | ir.ZoneCount() | ir.CallValue() | ir.PlaceOf() | ir.RankOf():
            raise AssertionError(NOT_LANEWISE)
        case _:
            assert_never(e)


def emit_lane_mask(context: EmitContext, e: ir.Expression, player: ir.Local, lanes: Lanes) -> str:
    """A condition for all players, as one bit for each."""
    f = context.f
    match e:
        case ir.Comparison():
            left, right = (emit_lanes(context, part, player, lanes) for part in (e.left, e.right))
            return f.op(f"icmp {PREDICATES[e.operator]} {lanes.type} {left}, {right}")
        case ir.Logic():
            left, right = (emit_lane_mask(context, part, player, lanes) for part in (e.left, e.right))
            return f.op(f"{JOINING[e.operator]} {lanes.truth} {left}, {right}")
        case ir.Not():
            held = emit_lane_mask(context, e.operand, player, lanes)
            return f.op(f"icmp eq {lanes.truth} {held}, zeroinitializer")
        case (
            ir.Constant() | ir.Read() | ir.Load() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Arithmetic()
            | ir.Conditional() | ir.Required() | ir.Narrowed() | ir.Aggregate() | ir.ZoneSize() | ir.ZoneCount()
            | ir.CallValue() | ir.PlaceOf() | ir.RankOf()
        ):  # fmt: skip
            # Computed as a number: 1 is yes.
            return f.op(f"icmp ne {lanes.type} {emit_lanes(context, e, player, lanes)}, zeroinitializer")
        case _:
            assert_never(e)


def lane_sums(context: EmitContext, e: ir.Aggregate, lanes: Lanes) -> str:
    """Sums over what lies in everybody's own zone, copies counted."""
    f, weights = context.f, kind_weights(context, e)
    assert weights is not None and isinstance(e.domain, ir.ZoneElements)
    row, pointers, tag = lanes_of(context, e.domain.zone)
    held = [row.load(pointer, tag) for pointer in pointers]
    counted = counted_lanes(context, row, held, weights, lanes)
    if counted is not None:
        return counted
    own = [[row.word(plane, seat) for plane in held] for seat in range(row.count)]
    return lanes.gathered(
        [planes.weighed(f, each, lambda plane: plane_weight(context, plane, weights)) for each in own]
    )


POPULATION = Pass(
    "population counts", "The processor counts the bits of a vector: sums of all players are counted bit by bit."
)


@POPULATION.function
def counted_lanes(context: EmitContext, row: Lanes, held: list[str], weights: list[int], lanes: Lanes) -> str | None:
    """The sums bit by bit of what kinds are worth (bit-slicing)."""
    if not context.counts_bits or min(weights) < 0:
        return None
    total = lanes.splat(0)
    for (copies, plane), bit in product(enumerate(held), range(max(weights).bit_length())):
        kinds = row.splat(sum(1 << kind for kind, weight in enumerate(weights) if weight >> bit & 1))
        counted = row.resized(vector_intrinsic(context, "ctpop", row, row.op("and", plane, kinds)), lanes)
        total = lanes.op("add", total, lanes.op("shl", counted, lanes.splat(copies + bit)))
    return total


def is_player_invariant(e: ir.Expression, player: ir.Local) -> bool:
    """Whether a formula is the same whoever the player is."""
    return not any(is_own(part, player) for part in inside(e))


def is_own(part: object, player: ir.Local) -> bool:
    """Whether something is this very local."""
    return isinstance(part, ir.Read) and part.local == player
