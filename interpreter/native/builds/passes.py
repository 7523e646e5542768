"""All passes of native code, in the order in which they are consulted (the optimiser's pass list).

    whole_games(game, features, without=["register promotion"])
    Kernel(game, without=["sorting networks"])

Each can be switched off, here and not on the command line: to see what it does to the code, and to tell it from others
when a game goes wrong. Games go the same way without it.
"""

from __future__ import annotations

from collections.abc import Iterable

from chocolatl.interpreter.native.builds.whole_games import INTERCHANGE, STRAIGHT, UNROLLING
from chocolatl.interpreter.native.emit.decisions.answers import BITS as ANSWER_BITS
from chocolatl.interpreter.native.emit.decisions.answers import INDEPENDENT, WRITTEN
from chocolatl.interpreter.native.emit.decisions.chance import BITS as ROLL_BITS
from chocolatl.interpreter.native.emit.decisions.components import UNROLLING as DRAWS
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.iteration import BRIEF_LOOPS
from chocolatl.interpreter.native.emit.statements.latches import PARTS
from chocolatl.interpreter.native.emit.values_and_rankings.aggregates import FURTHEST, WEIGHTS
from chocolatl.interpreter.native.emit.values_and_rankings.arithmetic import HALF, SELECTION
from chocolatl.interpreter.native.emit.values_and_rankings.keys import COUNTED_RANKS, PACKING
from chocolatl.interpreter.native.emit.values_and_rankings.rankings import NETWORK
from chocolatl.interpreter.native.emit.values_and_rankings.zone_orders import PREFIX_SUMS, ZONE_ORDERS
from chocolatl.interpreter.native.emit.values_and_rankings.zones import EMPTINESS
from chocolatl.interpreter.native.vector.formulas import POPULATION
from chocolatl.interpreter.native.vector.keys import KEYS
from chocolatl.interpreter.native.vector.promotion import PROMOTION
from chocolatl.interpreter.native.vector.statements import VECTOR
from chocolatl.interpreter.native.vector.unswitching import UNSWITCHING

PLANES = Pass(
    "bit planes",
    "A zone of few kinds of components, of which there are few copies: its counts lie bit by bit in words.",
)
"""Consulted where memory is laid out (`chocolatl.interpreter.native.layout.memory`)."""

INLINING = Pass("inlining", "A function is short, or called from one place: it becomes part of those that call it.")
"""Consulted when all functions of whole games are written (`chocolatl.interpreter.native.llvm.inlining`)."""

PASSES: tuple[Pass, ...] = (
    # memory
    PLANES,
    # statements
    VECTOR,
    PROMOTION,
    UNROLLING,
    UNSWITCHING,
    INTERCHANGE,
    STRAIGHT,
    BRIEF_LOOPS,
    PARTS,
    # questions
    ANSWER_BITS,
    INDEPENDENT,
    WRITTEN,
    DRAWS,
    ROLL_BITS,
    # rankings
    PACKING,
    KEYS,
    POPULATION,
    NETWORK,
    COUNTED_RANKS,
    ZONE_ORDERS,
    PREFIX_SUMS,
    # formulas
    EMPTINESS,
    WEIGHTS,
    FURTHEST,
    SELECTION,
    HALF,
    # functions
    INLINING,
)


def known(without: Iterable[str]) -> frozenset[str]:
    """Names of passes, each of which there is."""
    names, wanted = [each.name for each in PASSES], frozenset(without)
    unknown = sorted(wanted - set(names))
    if unknown:
        raise ValueError(f"there is no pass {unknown[0]!r}; there are: {', '.join(names)}")
    return wanted
