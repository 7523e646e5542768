"""Draws in one piece of native code, by shape: against the integers of the format, number by number, for shapes that no
shipped game has as well."""

from __future__ import annotations

import ctypes
import random
from functools import cache

import numpy as np
import pytest

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.llvm.compile import FAST, LoadedCode, compiled, processor
from chocolatl.interpreter.native.policy.arithmetic import arithmetic
from chocolatl.interpreter.native.policy.draws import MOST_ROWS, DrawShape
from chocolatl.interpreter.native.policy.layout import ELEMENTS, LANES, TableLayout
from chocolatl.interpreter.native.runtime.random_numbers import RANDOM
from chocolatl.interpreter.policy.integers import (
    MOST_SCALED,
    MOST_SLOPE,
    MOST_WEIGHT,
    SLOPE_BITS,
    WEIGHT_BITS,
    clamped,
    drawn,
    odds,
)
from tests.conftest import base_seed

SHAPES = [(2, 2, 3, 2), (1, 1, 1, 1), (3, 3, 2, 1), (2, 8, 1, 4), (14, 1, 8, 1), (5, 2, 1, 3), (1, 5, 2, 2)]
"""Terms, multipliers, features and elements: the last two in vectors."""


def aligned(values: np.ndarray) -> np.ndarray:
    """The same numbers where vectors may be loaded from."""
    room = np.zeros(values.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    found = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    found[...] = values
    return found


@cache
def code(shape: DrawShape) -> LoadedCode:
    text, declared = arithmetic(processor()[1])
    below = RANDOM[: RANDOM.index("\n}\n") + 3].replace("STEP", "4").replace(", !tbaa !2", "")
    needed = declared | {
        "declare i32 @llvm.fshl.i32(i32, i32, i32)", "declare i64 @llvm.ctpop.i64(i64)",
        "declare i64 @llvm.smax.i64(i64, i64)", "declare i64 @llvm.smin.i64(i64, i64)",
        "declare i64 @llvm.ctlz.i64(i64, i1)",
    }  # fmt: skip
    whole = "\n".join([*sorted(needed), below, text, shape.text().replace("define internal", "define", 1)])
    return LoadedCode(compiled(whole, FAST), shape.name)


@pytest.mark.parametrize("parts", SHAPES, ids=str)
def test_a_draw_follows_the_integers(parts: tuple[int, int, int, int]) -> None:
    terms, multipliers, features, elements = parts
    shape = DrawShape.of(TableLayout(features * LANES, multipliers, terms, elements * ELEMENTS, True))
    assert shape == DrawShape(*parts)
    chance = random.Random(base_seed())
    numbers = np.random.default_rng(base_seed())
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 5, ctypes.c_uint64, *[ctypes.c_void_p] * 3)(
        code(shape).address(shape.name)
    )
    for case in range(40):
        most = MOST_WEIGHT if case % 4 == 0 else 60
        weights = aligned(numbers.integers(-most, most, (terms, multipliers, features * LANES), np.int16, True))
        context = aligned(numbers.integers(-MOST_SCALED, MOST_SCALED, features * LANES, np.int16, True))
        y = aligned(numbers.integers(-MOST_SCALED, MOST_SCALED, multipliers, np.int16, True))
        own = aligned(numbers.integers(-most, most, elements * ELEMENTS, np.int32, True) << WEIGHT_BITS)
        constants = aligned(numbers.integers(-MOST_SCALED, MOST_SCALED, (terms, elements * ELEMENTS), np.int16, True))
        legal = chance.getrandbits(elements * ELEMENTS) or 1
        stream = Random(base_seed(), case, 1)
        state, held = np.array(stream.state(), np.uint32), aligned(np.zeros(64, np.int32))
        told = np.zeros(2, np.int64)

        dots = weights.astype(np.int64) @ context.astype(np.int64)
        slopes = [clamped(int(total) >> SLOPE_BITS, MOST_SLOPE) for total in dots @ y.astype(np.int64)]
        places = [place for place in range(elements * ELEMENTS) if legal >> place & 1]
        logits = [int(own[at]) + sum(s * int(constants[b, at]) for b, s in enumerate(slopes)) for at in places]
        expected = odds(logits)
        taken = drawn(expected, stream.below(sum(expected)))

        given = (each.ctypes.data for each in (weights, context, y, own, constants))
        place = call(*given, legal, state.ctypes.data, held.ctypes.data, told.ctypes.data)
        assert (place, told.tolist()) == (places[taken], [expected[taken], sum(expected)])
        assert tuple(state.tolist()) == stream.state(), "one number was drawn"


def test_tables_with_more_rows_than_lanes_are_drawn_in_steps() -> None:
    assert DrawShape.of(TableLayout(LANES, 1, MOST_ROWS, ELEMENTS, True)) is not None
    assert DrawShape.of(TableLayout(LANES, 3, MOST_ROWS // 4 + 1, ELEMENTS, True)) is None
    assert DrawShape.of(TableLayout(LANES, 1, 1, ELEMENTS, False)) is None
