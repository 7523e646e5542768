"""The figures that two games are compared by: what each is, in what unit, and what difference would matter (smallest
effect sizes of interest)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.native.paired.game_rows import GameRow
from chocolatl.interpreter.play.game import Game

FigureColumn = NDArray[np.float64]


class FigureKind(Enum):
    """What a figure is about: how it is worded, and what matters."""

    LENGTH = "length"
    POINTS = "points"
    SHARE = "share"


SHARE_MATTERS = 0.01
"""Of shares a percentage point matters."""

DEVIATIONS = 0.05
"""Of all else a twentieth of the standard deviation of the figure in games of A matters, rounded down to 1, 2 or 5
times a power of ten. (Cohen calls a fifth small.)"""


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of single games."""

    key: str
    name: str
    kind: FigureKind
    unit: str
    about: str


def compared_figures(a: Game, b: Game) -> list[ComparedFigure]:
    """Those of two games among as many players, in the order in which they are told."""
    found = []
    if a.has_rounds and b.has_rounds:
        found.append(ComparedFigure("rounds", "rounds", FigureKind.LENGTH, "rounds", "the round in which a game ends"))
    found.append(ComparedFigure("decisions", "decisions", FigureKind.LENGTH, "decisions", "decisions of all players"))
    found.append(ComparedFigure("score", "score", FigureKind.POINTS, "points", "the mean score of the players"))
    if a.player_count > 1:
        found += [
            ComparedFigure("best_score", "highest score", FigureKind.POINTS, "points", "the highest score of a game"),
            ComparedFigure(
                "margin", "margin", FigureKind.POINTS, "points", "how far the highest score lies above the next one"
            ),
            ComparedFigure(
                "shared", "shared victories", FigureKind.SHARE, "% of games", "games with more than one winner, of all"
            ),
        ]
        found += [
            ComparedFigure(
                f"wins.{seat + 1}",
                f"seat {seat + 1} wins",
                FigureKind.SHARE,
                "% of games",
                "shared victories count as parts",
            )
            for seat in range(a.player_count)
        ]
    for item in dict.fromkeys([*a.ir.items, *b.ir.items]):
        about = "points from this source, the mean of the players"
        found.append(ComparedFigure(f"source.{item}", f"points: {item}", FigureKind.POINTS, "points", about))
    return found


def figure_values(game: Game, rows: NDArray[np.int64]) -> dict[str, FigureColumn]:
    """The figures of games, by key; each row is a game."""
    row, words = GameRow(game.ir), rows.astype(np.float64)
    scores, won = words[:, row.scores : row.won], words[:, row.won : row.points]
    shares = won / np.maximum(1.0, won.sum(axis=1, keepdims=True))
    found = {
        "rounds": words[:, row.round],
        "decisions": words[:, row.decisions],
        "score": scores.mean(axis=1),
        "best_score": scores.max(axis=1),
        "margin": words[:, row.lead],
        "shared": (won.sum(axis=1) > 1).astype(np.float64),
        **{f"wins.{seat + 1}": shares[:, seat] for seat in range(row.players)},
    }
    for number, item in enumerate(game.ir.items if row.items else ()):
        found[f"source.{item}"] = words[:, row.points + number :: row.items][:, : row.players].mean(axis=1)
    return found
