"""Policies at every width of vectors: code for a processor with shorter ones, or with none but the oldest, draws the
same."""

from __future__ import annotations

import random
from functools import cache

import pytest

from chocolatl.interpreter.native.llvm import compile as compiling
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK, processor
from chocolatl.interpreter.native.policy import player
from chocolatl.interpreter.native.policy.player import PolicyKernel
from tests.conftest import Evidence, base_seed, scaled
from tests.games import tables
from tests.policy.drawing import form_of, weights_at_random
from tests.policy.test_native_policy import assert_same, game_of

SHIPPED = sorted({table.game for table in tables()})

WIDTHS = {"512 bits": (), "256 bits": ("avx512", "avx10", "evex"), "128 bits": ("avx", "evex", "fma", "f16c", "xop")}
"""By width, what a processor does not have that has no longer vectors; elsewhere these have no names, and all are
alike."""

BATCH = 50


def without(features: str, missing: tuple[str, ...]) -> str:
    """Features of a processor, some of which it does not have."""
    parts = [each for each in features.split(",") if each]
    return ",".join(f"-{each[1:]}" if any(word in each for word in missing) else each for each in parts)


@cache
def kernel_of(name: str, width: str, level: int) -> PolicyKernel:
    """Code for that width; what it was made for stands in its text or is told to the compiler."""
    called, features = processor()
    with pytest.MonkeyPatch.context() as patch:
        narrow = (called, without(features, WIDTHS[width]))
        patch.setattr(compiling, "processor", lambda: narrow)
        patch.setattr(player, "processor", lambda: narrow)
        game = game_of(name)
        return PolicyKernel(game, form_of(game), level)


def tried() -> list[str]:
    """All games; in a slice, one of them."""
    return scaled(1, 0) * SHIPPED or [random.Random(base_seed()).choice(SHIPPED)]


def test_policies_draw_the_same_at_every_width(evidence: Evidence) -> None:
    level = scaled(FAST, QUICK)
    for name in tried():
        game = game_of(name)
        for seed in evidence.cases("batches of games by policies, at every width of vectors", full=200, slice=1):
            weights = [weights_at_random(game, seed % 11), weights_at_random(game, seed % 11 + 1, 0.05)]
            seats = [weights[seat % 2] for seat in range(game.player_count)]
            first, *others = (kernel_of(name, width, level).trace(seats, seed, 0, BATCH) for width in WIDTHS)
            evidence.count("games at every width", BATCH)
            for other in others:
                assert_same(first, other)


def test_a_narrow_processor_has_no_long_vectors() -> None:
    features = "+sse2,+avx,+avx2,+avx512bw,+fma,-xop"
    assert without(features, WIDTHS["512 bits"]) == features
    assert without(features, WIDTHS["256 bits"]) == "+sse2,+avx,+avx2,-avx512bw,+fma,-xop"
    assert without(features, WIDTHS["128 bits"]) == "+sse2,-avx,-avx2,-avx512bw,-fma,-xop"
