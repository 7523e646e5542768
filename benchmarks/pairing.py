"""What keyed numbers are worth (variance reduction by common random numbers): the variance of differences of
independent games by that of paired ones, for every shipped variant beside its game; and the same for the contract's
generator with equal seeds.

    python -m benchmarks.pairing

prints the table of docs/comparing.md, of which `tests/comparing/test_gains.py` looks at every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.module import Module, whole_games
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.paired.game_rows import GameRow, rows_text
from chocolatl.interpreter.native.paired.kernel import PairedKernel
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load

PAIRS, SEED, MOST_PLAYERS = 4_000, 7, 3
NONE = "-"


@dataclass(frozen=True)
class Gain:
    """Of the score of the first seat and of the margin; None where it is the same in both games always."""

    variant: str
    score: float | None
    margin: float | None


def compared() -> Iterator[tuple[Path, Path, str]]:
    """Each variant beside its game."""
    for name in games_in(rules_folder()):
        folder = rules_folder() / name
        for variant in variants_in(folder):
            yield folder, folder / "variants" / f"{variant}.yaml", f"{name}/{variant}"


def gain(game: Path, variant: Path, name: str, keyed: bool = True) -> Gain:
    files = load_game(game, Findings())
    assert files is not None
    players = max(files.minimum, min(MOST_PLAYERS if files.minimum > 2 else 2, files.maximum))
    one, other = (_kernel(load(path, players), keyed) for path in (game, variant))
    first, second = (kernel.rows(SEED, 0, PAIRS).rows.astype(np.float64) for kernel in (one, other))
    return Gain(name, *(_ratio(first[:, at], second[:, at]) for at in (one.row.scores, one.row.lead)))


def _ratio(first: Any, second: Any) -> float | None:
    own = float((second - first).var())
    return float(first.var() + second.var()) / own if own > 0 else None


def _kernel(game: Game, keyed: bool) -> PairedKernel:
    return PairedKernel(game, QUICK, make=None if keyed else _with_rows)


def _with_rows(
    game: ir.GameRules, features: str, closely: bool, watched: bool, inspected: bool, without: Iterable[str]
) -> Module:
    """Games by the contract's generator, in rows."""

    def more(context: EmitContext) -> list[str]:
        return [rows_text(context, GameRow(game))]

    return whole_games(game, features, closely, watched, inspected, without, more=more)


def shown(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def row(found: Gain, plain: Gain) -> str:
    cells = (f"`{found.variant}`", *map(shown, (found.score, found.margin, plain.score, plain.margin)))
    return f"| {' | '.join(cells)} |"


def medians(found: list[Gain]) -> tuple[float, float]:
    """Over the variants in which a figure differs in some pair."""
    scores = [each.score for each in found if each.score is not None]
    margins = [each.margin for each in found if each.margin is not None]
    return median(scores), median(margins)


def main() -> None:
    pairs = list(compared())
    keyed = [gain(*each) for each in pairs]
    plain = [gain(*each, keyed=False) for each in pairs]
    print("| variant | score of a seat | margin | score, first generator | margin, first generator |")
    print("|---|---:|---:|---:|---:|")
    for each in zip(keyed, plain, strict=True):
        print(row(*each))
    last = Gain("median", *medians(keyed)), Gain("median", *medians(plain))
    print(row(*last).replace("`", ""))


if __name__ == "__main__":
    main()
