"""Many games, as an object: what came of them for each seat, and all that `chocolatl simulate --json` tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from chocolatl.interpreter.interface.tabulating import Row, Rowed
from chocolatl.interpreter.terminal.reports.simulation import SimulationReport


@dataclass(frozen=True)
class SimulatedSeries(Rowed):
    """Games of one seed."""

    report: SimulationReport = field(repr=False)
    notes: tuple[str, ...] = ()
    """What its user should know about the players."""

    def __repr__(self) -> str:
        shares = ", ".join(f"{row['player']} {row['win_share']:.3f}" for row in self.rows)
        return f"<{self.games:,} games: {shares}>"

    @property
    def games(self) -> int:
        return self.report.played.totals.games

    @property
    def rows(self) -> list[Row]:
        """A row for each seat: share of victories and score, with ends of their 95 % intervals."""
        return [
            {
                "seat": told["seat"],
                "player": told["name"],
                "type": told["type"],
                **_interval("win_share", told["win_share"]),
                **_interval("score", told["score"]),
            }
            for told in self.as_json()["players"]
        ]

    def as_json(self) -> dict[str, Any]:
        return self.report.as_json()


def _interval(name: str, told: dict[str, float | None]) -> Row:
    return {name: told["mean"], f"{name}_low": told["low"], f"{name}_high": told["high"]}
