"""The code of paired games, as the text of a module (a translation unit)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.guarded import with_checks
from chocolatl.interpreter.native.builds.module import Module, Recorded, whole_games
from chocolatl.interpreter.native.builds.passes import PLANES
from chocolatl.interpreter.native.builds.whole_games import INTERCHANGE, WHOLE_GAMES, whole_extent
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.paired.drawing import paired_choose, paired_choose_set, paired_draw, paired_roll
from chocolatl.interpreter.native.paired.game_rows import GameRow, rows_text
from chocolatl.interpreter.native.paired.keys import FUNCTIONS, NativePairing
from chocolatl.interpreter.native.vector.promotion import PROMOTION
from chocolatl.interpreter.native.vector.statements import VECTOR

UNFIT = frozenset({VECTOR.name, PROMOTION.name, INTERCHANGE.name})
"""These draw numbers themselves, or draw them in another order."""


def paired_games(
    game: ir.GameRules, features: str, closely: bool = False, watched: bool = False, inspected: bool = False,
    without: Iterable[str] = (), recorded: Recorded | None = None,
) -> Module:  # fmt: skip
    """Whole games of random players with numbers that are keyed by what they are for."""
    pairing = NativePairing(game)

    def extent(context: EmitContext) -> int:
        return whole_extent(context) + pairing.size

    def choose(context: EmitContext, s: ir.Choose) -> None:
        paired_choose(context, pairing, s)

    def choose_set(context: EmitContext, s: ir.ChooseSet) -> None:
        paired_choose_set(context, pairing, s)

    def roll(context: EmitContext, s: ir.Roll) -> None:
        paired_roll(context, pairing, s)

    def draw(context: EmitContext, s: ir.Draw) -> None:
        paired_draw(context, pairing, s)

    def more(context: EmitContext) -> Iterable[str]:
        return [rows_text(context, GameRow(game))]

    own: dict[type, Callable[[EmitContext, Any], None]] = {
        ir.Choose: choose,
        ir.ChooseSet: choose_set,
        ir.Roll: roll,
        ir.Draw: draw,
    }
    build = replace(
        WHOLE_GAMES, statements={**WHOLE_GAMES.statements, **own}, unfit=UNFIT, extent=extent,
        begin_game=pairing.begin_game,
    )  # fmt: skip
    # What is drawn is looked for kind by kind, which is simplest where a zone is a vector of counts.
    module = whole_games(
        game, features, closely, watched, inspected, frozenset({PLANES.name, *without}), recorded, build, more
    )
    return replace(module, text=FUNCTIONS + module.text)


def guarded_paired_games(
    game: ir.GameRules, features: str, closely: bool = False, watched: bool = False, inspected: bool = False,
    without: Iterable[str] = (),
) -> Module:  # fmt: skip
    """The same code with every access to memory checked."""
    recorded: Recorded = {}
    made = paired_games(game, features, closely, watched, inspected, without, recorded)
    return with_checks(made, recorded)
