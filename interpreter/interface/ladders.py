"""Who is stronger at a game, as an object: shares of victory among one another, and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chocolatl.interpreter.commands.ladder import compile_level
from chocolatl.interpreter.interface.errors import told
from chocolatl.interpreter.interface.tabulating import Row, Rowed
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.simulation.ladder import Ladder, LadderPlan, Meeting, play_ladder
from chocolatl.interpreter.simulation.series import SeriesPlan
from chocolatl.interpreter.terminal.reports.ladder import LadderReport, Rung
from chocolatl.solver.players import make_player


@dataclass(frozen=True)
class PlayedLadder(Rowed):
    """A ladder that was played."""

    report: LadderReport = field(repr=False)

    def __repr__(self) -> str:
        return f"<{self.report.title}: {', '.join(row['type'] for row in self.rows)}>"

    @property
    def rows(self) -> list[Row]:
        """The types by rating, the strongest first; 400 points more are ten times the odds."""
        ratings, rungs = self.report.ladder.ratings(), self.report.rungs
        return [
            {
                "type": rungs[number].name,
                "rating": ratings[number].mean,
                "rating_low": ratings[number].low,
                "rating_high": ratings[number].high,
            }
            for number in self.report.order
        ]

    def as_json(self) -> dict[str, Any]:
        """What `chocolatl ladder --json` prints."""
        return self.report.as_json()


def played_ladder(
    game: Game, settings: Mapping[str, object] | None, types: Mapping[str, str], most: int, seed: int, jobs: int
) -> PlayedLadder:
    """Each type among each other one, until it is clear who is stronger; types with their names on the ladder."""
    series = SeriesPlan(game.files.path, game.players, (), seed, make=make_player, settings=settings)
    plan, meetings = LadderPlan(series, tuple(types), most, compile_level), list[Meeting]()
    with told():
        for meeting in play_ladder(plan, jobs):
            if meeting.failure is not None:
                raise RuleError(*meeting.failure)
            meetings.append(meeting)
    return PlayedLadder(
        LadderReport(game, Ladder(plan, meetings), [Rung(type_, name) for type_, name in types.items()])
    )
