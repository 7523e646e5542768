"""Rankings of what lies in a zone by what the kinds are: nothing is sorted, bits are scanned and counts are added up
(prefix sums).

What comes first in a zone is known without sorting where the keys depend on nothing but the kind.
"""

from __future__ import annotations

from itertools import pairwise

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.checks import value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_arguments
from chocolatl.interpreter.native.emit.values_and_rankings.keys import open_ranking
from chocolatl.interpreter.native.emit.values_and_rankings.zones import (
    copies_of,
    present_kinds,
    vector_intrinsic,
    zone_address,
)
from chocolatl.interpreter.native.layout.memory import CHUNK, Shape
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import Scalar

FEW_KINDS = 16
"""So many counts are added up at once."""


ZONE_ORDERS = Pass(
    "zone orders", "What lies in a zone is ranked by what the kinds are, in the order of their numbers or against it."
)
PREFIX_SUMS = Pass(
    "prefix sums", "Somebody at a place in such a zone of few kinds: the counts of all are added up at once."
)


def zone_direction(context: EmitContext, ranking: ir.Ranking) -> int:
    """1 or -1 if the kinds in a zone are ranked as they are numbered, or the other way round; 0 if that depends."""
    return _direction(context, ranking) or 0


@ZONE_ORDERS.function
def _direction(context: EmitContext, ranking: ir.Ranking) -> int:
    if ranking.name not in context.directions:
        context.directions[ranking.name] = _find_direction(context, ranking)
    return context.directions[ranking.name]


def _find_direction(context: EmitContext, ranking: ir.Ranking) -> int:
    if context.closely or not ranking.strict or ranking.where is not None:
        return 0
    if not isinstance(ranking.domain, ir.ZoneElements):
        return 0
    type_ = ir.set_type(ranking.domain.zone)
    if type_.short or type_.element.size > CHUNK:
        return 0
    rows: list[tuple[int, ...]] = []
    for value in range(type_.element.low, type_.element.high + 1):
        known: dict[int, ir.Expression] = {ranking.local.number: ir.Constant(ranking.span, type_.element, value)}
        keys = [context.fold(key.expression, known) for key in ranking.keys]
        numbers = [key.value for key in keys if isinstance(key, ir.Constant)]
        if len(numbers) < len(keys):
            return 0
        rows.append(tuple(-n if key.descending else n for n, key in zip(numbers, ranking.keys, strict=True)))
    pairs = list(pairwise(rows))
    return 1 if all(a < b for a, b in pairs) else -1 if all(a > b for a, b in pairs) else 0


def place_in_zone(context: EmitContext, e: ir.PlaceOf, source: ir.Ranked, site: int) -> str:
    f = context.f
    ranking = context.game.rankings[source.name]
    given = emit_arguments(context, ranking, source.arguments)
    name = {1: "first", -1: "last"}.get(e.place, "place")
    if name == "place":
        given += f", i64 {e.place}"
    found = f.op(f"call i64 @{name}_{context.rankings[source.name]}({given})")
    found = value_or_failure(context, f.compare("sge", found, "0"), found, 0, site, told="0")
    assert isinstance(ranking.local.type, Scalar)
    return f.add(found, str(ranking.local.type.low))


def zone_place_texts(context: EmitContext, number: int, ranking: ir.Ranking) -> list[str]:
    """Functions for the kind at a place, -1 if there is none: the first, the last, any."""
    assert isinstance(ranking.domain, ir.ZoneElements)
    texts = []
    for name, direction in (("first", zone_direction(context, ranking)), ("last", -zone_direction(context, ranking))):
        f = open_ranking(context, f"{name}_{number}", ranking, [], "i64")
        word = present_kinds(context, *zone_address(context, ranking.domain.zone))
        edge = edge_bit(context, word, direction)
        f.leave(f"i64 {f.select(f.compare('eq', word, '0'), '-1', edge)}")
        texts.append(f.text())
    f = open_ranking(context, f"place_{number}", ranking, [("i64", "%place")], "i64")
    zone = zone_address(context, ranking.domain.zone)
    if not place_by_sums(context, *zone, zone_direction(context, ranking)):
        place_by_kinds(context, *zone, zone_direction(context, ranking))
    return [*texts, f.text()]


@PREFIX_SUMS.function
def place_by_sums(context: EmitContext, pointer: str, shape: Shape, tag: str, direction: int) -> bool:
    """How many there are up to each kind, for all kinds at once; nothing that has to be foreseen depends on it."""
    if shape.planes or shape.padded > FEW_KINDS:
        return False
    f, lanes = context.f, Lanes(context.f, shape.padded, shape.unit)
    sums = f.op(f"load {shape.vector}, ptr {pointer}, align {shape.alignment}{tag}")
    steps = [1 << power for power in range(shape.padded.bit_length() - 1)]
    for step in steps:
        sums = vector_intrinsic(context, "uadd.sat", lanes, sums, lanes.moved(sums, step * direction))
    reached = f.op(f"icmp uge {lanes.type} {sums}, {lanes.spread('%place')}")
    word = f.op(f"zext i{lanes.count} {f.op(f'bitcast {lanes.truth} {reached} to i{lanes.count}')} to i64")
    f.leave(f"i64 {f.select(f.compare('eq', word, '0'), '-1', edge_bit(context, word, direction))}")
    return True


def place_by_kinds(context: EmitContext, pointer: str, shape: Shape, tag: str, direction: int) -> None:
    """One kind after the other, until there are enough."""
    f = context.f
    word, left, head, some, found, none = f.variable(), f.variable(), *(f.block() for _ in range(4))
    f.store(present_kinds(context, pointer, shape, tag), word)
    f.store("%place", left)
    f.begin(head)
    now = f.load(word)
    f.branch(f.compare("ne", now, "0"), some, none)
    f.begin(some)
    kind = edge_bit(context, now, direction)
    f.store(f.differing(now, f.op(f"shl i64 1, {kind}")), word)
    over = f.change(left, f.sub("0", copies_of(context, pointer, shape, tag, kind)))
    f.branch(f.compare("sle", over, "0"), found, head)
    f.begin(found)
    f.leave(f"i64 {kind}")
    f.begin(none)
    f.leave("i64 -1")


def edge_bit(context: EmitContext, word: str, direction: int) -> str:
    """The lowest bit of a word, or its highest one."""
    if direction > 0:
        return context.f.op(f"call i64 @llvm.cttz.i64(i64 {word}, i1 false)")
    return context.f.op(f"sub i64 63, {context.f.op(f'call i64 @llvm.ctlz.i64(i64 {word}, i1 false)')}")
