"""What holdings are worth as people read it: a table for each number of players, how well it foretells; as a file, as
JSON, and as a drawing of what was foretold beside what came of it (calibration plot, SVG)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from chocolatl.interpreter.formats.valuation import PER_POINT
from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.escaping import one_line, visible
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.intervals import as_json, near
from chocolatl.interpreter.valuing.fitting import CalibrationBin, Fit

PANEL, MARGIN, TOP = 300, 60, 70
DOT, LINE, GRID = "#5b3a1e", "#ff9d45", "#dddddd"


@dataclass(frozen=True)
class ValuationReport:
    """All that is told of a valuation that was fitted."""

    game: Game
    items: Mapping[str, str]
    fits: Sequence[Fit]
    type: str
    games: int
    seed: int

    # ------------------------------------------------------------ on a screen

    def shown(self) -> Iterator[FoldingTable | VisibleText]:
        for fit in self.fits:
            yield self._title(fit)
            table = self._table(fit)
            if table.row_count:
                yield table
            yield VisibleText(self._told(fit))

    def _title(self, fit: Fit) -> VisibleText:
        """It stands alone: as that of a table it would be as narrow as the table is."""
        title = one_line(self.game.files.title)
        return VisibleText(f"{title}, {fit.players} players: points that one more still brings, by rounds left")

    def _table(self, fit: Fit) -> FoldingTable:
        table = FoldingTable()
        table.add_column("item")
        for each in fit.rounds:
            table.add_column(f"{each.left} left", justify="right", no_wrap=True)
        for number, name in enumerate(self.items):
            slopes = [each.regression.kept[number] for each in fit.rounds]
            if any(slopes):
                cells = [near(slope.interval) if slope is not None else "" for slope in slopes]
                table.add_row(*map(VisibleText, (one_line(name), *cells)))
        return table

    def _told(self, fit: Fit) -> str:
        nothing = [one_line(name) for number, name in enumerate(self.items) if not any(fit.worth(number))]
        rounds = ", ".join(f"{_percent(each.explained)} with {each.left} left" for each in fit.rounds)
        lines = [f"not surely worth anything: {', '.join(nothing)}"] if nothing else []
        lines.append(
            f"in {self.games // 2:,} other games of {one_line(self.type)} players it explains "
            f"{_percent(fit.explained)} of what varies in the points that are still made ({rounds})"
        )
        return "\n".join(lines)

    # ------------------------------------------------------------ as a file

    def as_file(self) -> dict[str, Json]:
        """The contents of a valuation. What is worth nothing to any number of players is left out, unless all is."""
        items: dict[str, Json] = {}
        for number, (name, what) in enumerate(self.items.items()):
            worth: dict[str, Json] = {str(fit.players): [*fit.worth(number)] for fit in self.fits}
            if any(any(fit.worth(number)) for fit in self.fits) or (not items and number == len(self.items) - 1):
                whole: Json = worth if len(worth) > 1 else next(iter(worth.values()))
                items[name] = {"what": what, "worth": whole, "source": self._source(number)}
        return {"kind": "valuation", "format": 1, "about": self._about(), "items": items}

    def _about(self) -> str:
        numbers = _listed([str(fit.players) for fit in self.fits])
        parts = _listed([_percent(fit.explained) for fit in self.fits])
        return (
            f"What one more still brought {self.type} players when a round began, by least squares: {self.games:,} "
            f"games with {numbers} players, seed {self.seed}. In {self.games // 2:,} other games it explains {parts} "
            "of what varies in the points that are still made. What may as well be nothing (99 %, errors by game) is "
            "0; rounds that nobody came to lie on the line between those that were seen."
        )

    def _source(self, number: int) -> str:
        slopes = [slope for fit in self.fits for each in fit.rounds if (slope := each.regression.kept[number])]
        if not slopes:
            return "Nothing that is surely not 0."
        errors = " to ".join(sorted({f"{pick(slope.error for slope in slopes):.2f}" for pick in (min, max)}))
        return f"`chocolatl value fit`, {self.type} players; standard errors of {errors} points."

    # ------------------------------------------------------------ as JSON

    def as_json(self, path: Path) -> dict[str, Any]:
        files = self.game.files
        return {
            "game": files.name if files.variant is None else f"{files.name}/{files.variant}",
            "rules": files.rules_hash,
            "type": self.type,
            "games": self.games,
            "fresh": self.games // 2,
            "seed": self.seed,
            "items": dict(self.items),
            "players": [self._fit_as_json(fit) for fit in self.fits],
            "file": str(path),
        }

    def _fit_as_json(self, fit: Fit) -> dict[str, Any]:
        return {
            "players": fit.players,
            "explained": fit.explained,
            "rounds": [
                {
                    "left": each.left,
                    "explained": each.explained,
                    "level": each.regression.level,
                    "worth": {name: each.hundredths(number) / PER_POINT for number, name in enumerate(self.items)},
                    "estimates": {
                        name: as_json(slope.interval) if slope is not None else None
                        for name, slope in zip(self.items, each.regression.all, strict=True)
                    },
                }
                for each in fit.rounds
            ],
            "calibration": [
                {"rows": each.rows, "foretold": each.foretold, "came": as_json(each.came)} for each in fit.calibration
            ],
        }

    # ------------------------------------------------------------ as a drawing

    def drawn(self) -> str:
        """A panel for each number of players; where all lies on the line, as much came as was foretold."""
        width, height = MARGIN + len(self.fits) * (PANEL + MARGIN), TOP + PANEL + MARGIN
        title = f"{self.game.files.title}: points that {self.type} players still made, beside what was foretold"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            'font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="{MARGIN}" y="24" font-size="15">{escape(title)}</text>',
        ]
        for place, fit in enumerate(self.fits):
            parts += _panel(fit, MARGIN + place * (PANEL + MARGIN))
        return visible("\n".join([*parts, "</svg>"]) + "\n")


def _panel(fit: Fit, left: int) -> Iterator[str]:
    ends = [
        end for each in fit.calibration for end in (each.foretold, each.came.low, each.came.high) if end is not None
    ]
    low, high = min(ends), max(ends)
    span = max(1e-9, high - low)

    def across(value: float) -> float:
        return left + PANEL * (value - low) / span

    def down(value: float) -> float:
        return TOP + PANEL - PANEL * (value - low) / span

    yield f'<text x="{left}" y="{TOP - 14}">{fit.players} players: {_percent(fit.explained)} explained</text>'
    yield f'<rect x="{left}" y="{TOP}" width="{PANEL}" height="{PANEL}" fill="none" stroke="{GRID}"/>'
    yield f'<path d="M{left} {TOP + PANEL}L{left + PANEL} {TOP}" stroke="{GRID}"/>'
    for each in fit.calibration:
        yield from _dot(each, across, down)
    for value in (low, high):
        yield f'<text x="{across(value):.1f}" y="{TOP + PANEL + 16}" text-anchor="middle">{value:.0f}</text>'
        yield f'<text x="{left - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.0f}</text>'
    yield f'<text x="{left + PANEL / 2:.1f}" y="{TOP + PANEL + 34}" text-anchor="middle">foretold</text>'


def _dot(each: CalibrationBin, across: Any, down: Any) -> Iterator[str]:
    x, came = across(each.foretold), each.came
    yield f'<path d="M{x:.1f} {down(came.low):.1f}V{down(came.high):.1f}" stroke="{LINE}" stroke-width="4"/>'
    yield (
        f'<circle cx="{x:.1f}" cy="{down(came.mean):.1f}" r="3.5" fill="{DOT}"><title>foretold {each.foretold:.2f}, '
        f"came {near(came)} in {each.rows:,}</title></circle>"
    )


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
