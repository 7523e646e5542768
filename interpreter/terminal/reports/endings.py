"""What ended the games of a series, condition by condition: as JSON, and as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from rich.padding import Padding

from chocolatl.interpreter.analysis.endings import LATCH, OVER, Ending
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.simulation.series import SeriesSetting
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, wilson
from chocolatl.interpreter.statistics.occurrences import EndingCounts, OccurrenceCounts
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.intervals import as_json, share

BEFORE = "it had come true before"
"""What is said of a latch that a position was given with: who let it fall, nobody has seen."""


@dataclass(frozen=True)
class AlternativeShare:
    """An alternative of a condition, where it stands, and the share of games in which it held."""

    text: str
    span: Span | None
    held: ConfidenceInterval


@dataclass(frozen=True)
class ReportedEnding:
    """A condition and its alternatives. `title` is what people call it."""

    kind: str
    name: str
    title: str
    part: AlternativeShare
    alternatives: list[AlternativeShare]


def ends(setting: SeriesSetting, totals: Totals, inside: OccurrenceCounts) -> Iterator[ReportedEnding]:
    """Every condition that can end a game; if the rules have none, `play` just comes to its end."""
    game = setting.game.ir
    for number, came in enumerate(inside.ended):
        ending, games = came.ending, came.games
        alternatives = list(_alternatives(came, totals.games))
        if ending.kind == LATCH:
            games = totals.latched[number]
            if games > came.games:
                alternatives.append(AlternativeShare(BEFORE, None, wilson(games - came.games, totals.games)))
        part = AlternativeShare(ending.text, ending.span, wilson(games, totals.games))
        yield ReportedEnding(ending.kind, ending.name, _title(ending), part, alternatives)
    if not inside.ended:
        part = AlternativeShare("", game.procedures[game.main].span, wilson(totals.games, totals.games))
        yield ReportedEnding(OVER, game.main, f"{game.main}: to its end", part, [])


def _alternatives(came: EndingCounts, games: int) -> Iterator[AlternativeShare]:
    for alternative, held in zip(came.ending.alternatives, came.alternatives, strict=True):
        yield AlternativeShare(alternative.text, alternative.span, wilson(held, games))


def _title(ending: Ending) -> str:
    match ending.node:
        case ir.Latch():
            return f"{ending.node.text}: {ending.text}"
        case ir.Stop():
            return f"{ending.name}: stop when {ending.text}"
        case ir.InTurn():
            return f"{ending.name}: nobody is left"
        case ir.ForEach():
            return f"{ending.name}: to its end"
        case ir.Repeat():
            return ending.name
        case _:
            assert_never(ending.node)


# ---------------------------------------------------------------- as JSON and as a table


def ends_as_json(found: list[ReportedEnding]) -> list[dict[str, Any]]:
    return [
        {
            "kind": end.kind,
            "name": end.name,
            **_part_as_json(end.part),
            "alternatives": [_part_as_json(part) for part in end.alternatives],
        }
        for end in found
    ]


def _part_as_json(part: AlternativeShare) -> dict[str, Any]:
    place = {"file": Path(part.span.source.name).name, "line": part.span.line} if part.span is not None else {}
    return {"condition": part.text or None, **place, **as_json(part.held)}


def ends_table(found: list[ReportedEnding]) -> FoldingTable:
    """Each condition, and below it its alternatives, if there are several."""
    table = FoldingTable(title=VisibleText("How the games ended"), title_justify="left", caption_justify="left")
    table.add_column("condition", overflow="fold")
    table.add_column("line", justify="right")
    table.add_column("share of games", justify="right", no_wrap=True)
    if any(len(end.alternatives) > 1 for end in found):
        table.caption = VisibleText("of the parts of a condition, several may hold at once")
    for end in found:
        parts = [(end.title, 0, end.part)]
        parts += [(part.text, 2, part) for part in end.alternatives if len(end.alternatives) > 1]
        for text, indent, part in parts:
            line = str(part.span.line) if part.span is not None else ""
            table.add_row(Padding(VisibleText(text), (0, 0, 0, indent)), line, share(part.held))
    return table
