"""Keys of rankings: all keys of an element and the element itself are one number, if they fit (key packing)."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import parameters, receive_parameters, set_local
from chocolatl.interpreter.native.emit.passes import Pass, applied
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import Scalar

WIDEST = 62
"""So many bits of keys and element fit into one number."""


EQUAL = "two are equal in every key, and the ranking is strict"


NETWORKS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: (),
    2: ((0, 1),),
    3: ((0, 2), (0, 1), (1, 2)),
    4: ((0, 2), (1, 3), (0, 1), (2, 3), (1, 2)),
    5: ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)),
}
"""Which positions to compare, in turn, so that so many numbers are sorted."""


def open_ranking(
    context: EmitContext, name: str, ranking: ir.Ranking, more: list[tuple[str, str]], result: str = "void"
) -> Function:
    f = context.open(Function(name, [("ptr", "%s"), *parameters(ranking.parameters), *more], result))
    receive_parameters(context, ranking.parameters)
    return f


def packed_key(
    context: EmitContext, ranking: ir.Ranking, element: str, known: dict[int, ir.Expression] | None = None
) -> str:
    """The keys of an element and the element as one number; the lowest comes first."""
    f, shifts = context.f, packed(context, ranking)
    assert shifts is not None and isinstance(ranking.local.type, Scalar)
    number = f.sub(element, str(ranking.local.type.low))
    for key, shift in zip(ranking.keys, shifts, strict=True):
        value, (least, most) = emit(context, context.fold(key.expression, known)), key.expression.type.bounds
        distance = f.sub(str(most), value) if key.descending else f.sub(value, str(least))
        number = f.add(number, f.mul(distance, str(1 << shift)))
    return number


def element_of_key(context: EmitContext, ranking: ir.Ranking, number: str) -> str:
    """The element that a number stands for."""
    assert isinstance(ranking.local.type, Scalar)
    return context.f.add(context.f.both(number, str((1 << bits_of(ranking)) - 1)), str(ranking.local.type.low))


def all_keys(context: EmitContext, ranking: ir.Ranking) -> list[str]:
    """The keys of all, written out."""
    assert isinstance(ranking.domain, ir.Whole) and isinstance(ranking.local.type, Scalar)
    found: list[str] | None = applied(context, ranking)
    if found is not None:
        return found
    words = []
    for value in range(ranking.domain.type.low, ranking.domain.type.high + 1):
        constant = ir.Constant(ranking.span, ranking.local.type, value)
        set_local(context, ranking.local, str(value))
        words.append(packed_key(context, ranking, str(value), {ranking.local.number: constant}))
    return words


def key_formulas(context: EmitContext, ranking: ir.Ranking) -> list[ir.Expression]:
    return [context.fold(key.expression) for key in ranking.keys]


def length_of(ranking: ir.Ranking) -> str | None:
    """How many are ranked, where that is the same always."""
    return str(ranking.domain.type.size) if ranking.where is None and isinstance(ranking.domain, ir.Whole) else None


def bits_of(ranking: ir.Ranking) -> int:
    """So many bits hold an element."""
    assert isinstance(ranking.local.type, Scalar)
    return max(1, (ranking.local.type.size - 1).bit_length())


PACKING = Pass(
    "packed keys",
    f"The keys of a ranking and its elements fit into {WIDEST} bits: one number each is sorted, not rows.",
)


@PACKING.function
def packed(context: EmitContext, ranking: ir.Ranking) -> list[int] | None:
    """By how many bits each key is to be shifted, so that all of them and the element are one number, if they fit."""
    shifts, used = [], bits_of(ranking)
    for key in reversed(ranking.keys):
        low, high = key.expression.type.bounds
        shifts.append(used)
        used += (high - low).bit_length()
    return shifts[::-1] if used <= WIDEST else None


COUNTED_RANKS = Pass(
    "counted ranks", "The rank of one of a few who may be equal: those before are counted, and nobody is sorted."
)


@COUNTED_RANKS.function
def is_counted(context: EmitContext, ranking: ir.Ranking, element: ir.Expression | None) -> bool:
    """Whether a rank is found by counting those before: all of a few are ranked, the element too, and may be equal."""
    local = ranking.local.type
    within = element is None or (isinstance(local, Scalar) and local.holds(element.type))
    few = length_of(ranking) is not None and 0 < most_elements(ranking.domain, context.game) <= max(NETWORKS)
    return within and few and not ranking.strict and packed(context, ranking) is not None
