"""What a change of rules does, as an object: a verdict for each figure, in words and in numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chocolatl.interpreter.commands.compare import loaded_pair, most_pairs, playing_pair
from chocolatl.interpreter.commands.shared.revisions import game_at
from chocolatl.interpreter.comparing.figures import compared_figures
from chocolatl.interpreter.comparing.pairs import compare_play
from chocolatl.interpreter.comparing.rule_changes import rule_changes
from chocolatl.interpreter.interface.errors import ChocolatlError, told
from chocolatl.interpreter.interface.games import SeriesProgress
from chocolatl.interpreter.interface.tabulating import Row, Rowed
from chocolatl.interpreter.terminal.reports.comparison import ComparisonReport


@dataclass(frozen=True)
class ComparedGames(Rowed):
    """Two games beside one another."""

    report: ComparisonReport = field(repr=False)

    def __repr__(self) -> str:
        return f"<{self.report.title}: {self.report.headline}>"

    @property
    def rows(self) -> list[Row]:
        """A row for each figure: its verdict in words, what it is in both, and the ends of what the difference is."""
        return [
            {
                "figure": figure["key"],
                "verdict": self.report.words(own),
                "a": figure["a"],
                "b": figure["b"],
                "low": figure["difference"]["low"],
                "high": figure["difference"]["high"],
                "unit": figure["unit"],
            }
            for own, figure in zip(self.report.play.figures, self.as_json()["figures"], strict=True)
        ]

    def as_json(self) -> dict[str, Any]:
        """What `chocolatl compare --json` prints."""
        return self.report.as_json()

    def markdown(self) -> str:
        """A comment for a review."""
        return self.report.markdown()


def compare(
    a: str | Path,
    b: str | Path,
    players: int | None = None,
    most: int | None = None,
    seed: int = 0,
    smallest: Mapping[str, float] | None = None,
    *,
    jobs: int | None = None,
    progress: SeriesProgress | None = None,
) -> ComparedGames:
    """What B does otherwise than A, as `chocolatl compare` tells it: games, variants, folders, or `path@revision`. Of
    `smallest` are the differences that matter, by figure; `progress` is told of pairs that were played."""
    with told(), ExitStack() as stack:
        names = str(a), str(b)
        one, other = loaded_pair([stack.enter_context(game_at(name)) for name in names], players)
        known = {figure.key for figure in compared_figures(one, other)}
        for key in smallest or {}:
            if key not in known:
                raise ChocolatlError(f"there is no figure {key}; there are: {', '.join(sorted(known))}")
        rows, native = playing_pair(one, other, seed)
        limit = most_pairs(most, native)
        play = compare_play(*rows, limit, jobs or os.cpu_count() or 1, dict(smallest or {}), progress)
        return ComparedGames(ComparisonReport(one, other, names, rule_changes(one.files, other.files), play, seed))
