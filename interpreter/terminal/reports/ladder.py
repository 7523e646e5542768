"""A ladder as people read it: who wins how much among whom, what is clear, and ratings beside it (a league table); as
JSON, and as a drawing (SVG)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.simulation.ladder import SURE, Ladder, Meeting
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval
from chocolatl.interpreter.system.escaping import one_line, visible
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.intervals import as_json, share

WIDTH, LEFT, TOP, ROW, RIGHT = 720, 170, 70, 28, 40
POINTS = "points"
"""What tables are made for where what one gains the others lose."""

DOT, LINE, GRID = "#5b3a1e", "#ff9d45", "#dddddd"


@dataclass(frozen=True)
class Rung:
    """A type of player by the name that it has on the ladder; of one who learned for it, how long that was."""

    type: str
    name: str
    seconds: float | None = None
    updates: int | None = None
    wants: str | None = None
    """What a table was made for."""


@dataclass(frozen=True)
class LadderReport:
    """All that is told of a ladder."""

    game: Game
    ladder: Ladder
    rungs: Sequence[Rung]

    @property
    def order(self) -> list[int]:
        """The types by rating, the highest first."""
        ratings = self.ladder.ratings()
        return sorted(range(len(self.rungs)), key=lambda number: -(ratings[number].mean or 0.0))

    @property
    def title(self) -> str:
        files = self.game.files
        return f"{files.title}, {self.game.player_count} players: who is stronger"

    # ------------------------------------------------------------ on a screen

    def shown(self) -> list[FoldingTable | VisibleText]:
        return [self._table(), VisibleText("\n".join(self._verdicts()))]

    def _table(self) -> FoldingTable:
        """A row for each who sits alone, with its share among those of each column."""
        table = FoldingTable(title=VisibleText(one_line(self.title)), title_justify="left", caption_justify="left")
        table.add_column("one player", overflow="fold")
        for number in self.order:
            table.add_column(
                VisibleText(f"among {one_line(self.rungs[number].name)}"), justify="right", overflow="fold"
            )
        table.add_column("rating", justify="right")
        ratings, meetings = self.ladder.ratings(), {(each.one, each.others): each for each in self.ladder.meetings}
        for one in self.order:
            cells = [self._cell(meetings.get((one, others)), meetings.get((others, one))) for others in self.order]
            table.add_row(*map(VisibleText, (one_line(self.rungs[one].name), *cells, _rating(ratings[one]))))
        fair = 100 / self.game.player_count
        games = sum(meeting.won.n for meeting in self.ladder.meetings)
        table.caption = VisibleText(
            f"shares of victory in {games:,} games (fair: {fair:.1f} %); all intervals together are {100 * SURE:.0f} % "
            "sure, though games end when it is clear who is stronger. Ratings are fitted to these shares (400 more: "
            f"ten times the odds; {one_line(self.rungs[0].name)} has 0)"
        )
        return table

    def _cell(self, meeting: Meeting | None, other: Meeting | None) -> str:
        if meeting is not None:
            return share(self.ladder.share(meeting))
        if other is not None and self.game.player_count == 2:  # what one does not win the other does
            found = self.ladder.share(other)
            assert found.mean is not None and found.low is not None and found.high is not None
            return share(ConfidenceInterval(1 - found.mean, 1 - found.high, 1 - found.low))
        return ""

    def _verdicts(self) -> Iterator[str]:
        for one in self.order:
            name = one_line(self.rungs[one].name)
            beaten = [one_line(self.rungs[n].name) for n in self.order if n != one and self.ladder.stronger(one, n)]
            if beaten:
                yield f"{name} is stronger than {' and '.join(beaten)}"
        unclear = [
            f"{one_line(self.rungs[one].name)} and {one_line(self.rungs[other].name)}"
            for place, one in enumerate(self.order)
            for other in self.order[place + 1 :]
            if not self.ladder.stronger(one, other) and not self.ladder.stronger(other, one)
        ]
        for rung in self.rungs:
            if rung.wants == POINTS:
                yield f"{one_line(rung.name)} follows a table that was made to gain points; here victories count"
        if unclear:
            yield f"not clear after so many games: {'; '.join(unclear)}"

    # ------------------------------------------------------------ as JSON

    def as_json(self) -> dict[str, Any]:
        files, plan = self.game.files, self.ladder.plan
        ratings = self.ladder.ratings()
        return {
            "game": files.name if files.variant is None else f"{files.name}/{files.variant}",
            "rules": files.rules_hash,
            "players": self.game.player_count,
            "seed": plan.series.seed,
            "sure": SURE,
            "types": [
                {
                    "name": rung.name,
                    "rating": as_json(rating),
                    "stronger_than": [
                        other.name for place, other in enumerate(self.rungs)
                        if place != number and self.ladder.stronger(number, place)
                    ],
                    **({"seconds": rung.seconds, "updates": rung.updates} if rung.seconds is not None else {}),
                }
                for number, (rung, rating) in enumerate(zip(self.rungs, ratings, strict=True))
            ],
            "meetings": [
                {
                    "one": self.rungs[meeting.one].name,
                    "among": self.rungs[meeting.others].name,
                    "games": meeting.won.n,
                    "win_share": as_json(self.ladder.share(meeting)),
                    "sign": self.ladder.sign(meeting).value,
                }
                for meeting in self.ladder.meetings
            ],
        }  # fmt: skip

    # ------------------------------------------------------------ as a drawing

    def drawn(self) -> str:
        """A row for each type, with its rating and the interval around it."""
        ratings = self.ladder.ratings()
        ends = [end for rating in ratings for end in (rating.low, rating.high) if end is not None]
        low, high = min(ends), max(ends)
        span, height = max(1.0, high - low), TOP + ROW * len(ratings) + 30

        def across(rating: float | None) -> float:
            assert rating is not None
            return LEFT + (WIDTH - LEFT - RIGHT) * (rating - low) / span

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            'font-size="12">',
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            f'<text x="16" y="24" font-size="15">{escape(self.title)}</text>',
            '<text x="16" y="44">rating (400 more: ten times the odds) with its 95 % interval</text>',
        ]
        for place, number in enumerate(self.order):
            y, rating = TOP + ROW * place + ROW // 2, ratings[number]
            parts += [
                f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{GRID}"/>',
                f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(self.rungs[number].name[-24:])}</text>',
                f'<path d="M{across(rating.low):.1f} {y}H{across(rating.high):.1f}" stroke="{LINE}" stroke-width="6"/>',
                f'<circle cx="{across(rating.mean):.1f}" cy="{y}" r="4" fill="{DOT}"><title>{_rating(rating)}</title>'
                "</circle>",
                f'<text x="{across(rating.mean):.1f}" y="{y - 8}" text-anchor="middle">{rating.mean:.0f}</text>',
            ]
        return visible("\n".join([*parts, "</svg>"]) + "\n")


def _rating(rating: ConfidenceInterval) -> str:
    assert rating.mean is not None and rating.low is not None and rating.high is not None
    return f"{rating.mean:.0f}" + (f" ({rating.low:.0f} to {rating.high:.0f})" if rating.low < rating.high else "")
