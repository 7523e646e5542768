"""Keys of rankings for all players at once (vectorisation, SIMD)."""

from __future__ import annotations

from functools import reduce

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.native.emit.checks import add_site, fail
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.keys import (
    EQUAL,
    bits_of,
    key_formulas,
    length_of,
    open_ranking,
    packed,
)
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.native.vector.formulas import emit_lanes, is_vectorisable, lanes_for
from chocolatl.interpreter.program.types import PLAYER, Scalar

KEYS = Pass(
    "vector keys",
    "Players are ranked by sums over their zones and nothing in it can fail: a lane computes a player's key.",
)


@KEYS.function
def vector_keys(context: EmitContext, ranking: ir.Ranking) -> list[str] | None:
    """The keys of all players, written out; of what is no sum it takes too long to read a row of numbers just written
    one by one."""
    sums = any(isinstance(part, ir.Aggregate) for part in inside(*key_formulas(context, ranking)))
    if not sums or not is_vector_ranking(context, ranking):
        return None
    lanes, keys = key_lanes(context, ranking)
    step = str(1 << bits_of(ranking))
    return [context.f.add(context.f.mul(key, step), str(seat)) for seat, key in enumerate(lanes.split(keys))]


def is_vector_ranking(context: EmitContext, ranking: ir.Ranking) -> bool:
    """Whether all players are ranked, by what can be computed for all of them at once."""
    assert isinstance(ranking.local.type, Scalar)
    everyone = ranking.local.type.family == PLAYER and length_of(ranking) is not None
    several = everyone and context.game.player_count > 1 and packed(context, ranking) is not None
    return several and all(
        is_vectorisable(context, formula, ranking.local) for formula in key_formulas(context, ranking)
    )


def key_lanes(context: EmitContext, ranking: ir.Ranking) -> tuple[Lanes, str]:
    """The keys of all players, without the players themselves."""
    bits, shifts = bits_of(ranking), packed(context, ranking)
    assert shifts is not None
    formulas = key_formulas(context, ranking)
    least, most = ranking.keys[0].expression.type.bounds
    lanes = lanes_for(context, formulas, shifts[0] - bits + (most - least).bit_length())
    total = lanes.splat(0)
    for key, formula, shift in zip(ranking.keys, formulas, shifts, strict=True):
        value = emit_lanes(context, formula, ranking.local, lanes)
        least, most = key.expression.type.bounds
        bound = lanes.splat(most if key.descending else least)
        distance = lanes.op("sub", *((bound, value) if key.descending else (value, bound)))
        total = lanes.op("add", total, lanes.op("shl", distance, lanes.splat(shift - bits)))
    return lanes, total


def distinctness_text(context: EmitContext, number: int, ranking: ir.Ranking) -> str:
    """A function that finds out that no two players are equal, and not in which order they are. Mostly they differ
    in the last key already, which is there for those who are equal in all others."""
    f = open_ranking(context, f"unlike_{number}", ranking, [])
    alike, bad, good = f.block(), f.block(), f.block()
    last = key_formulas(context, ranking)[-1]
    if isinstance(last, ir.Load):
        row = Lanes(f, context.game.player_count, context.memory.places[last.field.key].shape.unit)
        f.branch(any_equal(context, row, emit_lanes(context, last, ranking.local, row)), alike, good)
    f.begin(alike)
    f.branch(any_equal(context, *key_lanes(context, ranking)), bad, good)
    f.begin(bad)
    fail(context, add_site(context, ranking.span, EQUAL))
    f.begin(good)
    f.leave()
    return f.text()


def any_equal(context: EmitContext, lanes: Lanes, keys: str) -> str:
    """Whether two players have the same."""
    f = context.f
    turned = [lanes.turned(keys, step) for step in range(1, lanes.count // 2 + 1)]
    equal = [f.op(f"icmp eq {lanes.type} {keys}, {others}") for others in turned]
    return lanes.any(reduce(lambda a, b: f.op(f"or {lanes.truth} {a}, {b}"), equal))
