"""What came of many games: as JSON, and as tables for the terminal."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from chocolatl.interpreter.simulation.by_type import PlayedSeries, TypeOfPlay
from chocolatl.interpreter.simulation.series import SeriesSetting
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Tally, wilson
from chocolatl.interpreter.statistics.occurrences import AnswerLabel, Chosen, OccurrenceCounts
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.output.words import item_titles, spaced
from chocolatl.interpreter.terminal.reports.by_type import conclusions_as_json, overview, trainings_as_json
from chocolatl.interpreter.terminal.reports.endings import ends, ends_as_json, ends_table
from chocolatl.interpreter.terminal.reports.intervals import as_json, near, share, shown
from chocolatl.interpreter.terminal.reports.policies import policies_as_json, policy_lines

MODES, ANSWERS = 40, 3
"""So many rows, and so many answers in a row, are shown; `--json` has all of them."""

FRAME = 3
"""So much wider than its content a column is."""


@dataclass(frozen=True)
class SimulationReport:
    """All that is told of a series; and of the same game by types of players, where they are compared."""

    played: PlayedSeries
    types: Sequence[TypeOfPlay]
    left_out: str | None
    """Why players who have learned the game do not play it."""
    seconds: float

    @property
    def games_per_second(self) -> float:
        return self.played.totals.games / max(self.seconds, 1e-9)

    def as_json(self) -> dict[str, Any]:
        """The contract of `simulate --json`."""
        plan, game = self.played.setting.plan, self.played.setting.game
        return {
            "game": _full_name(self.played.setting),
            "rules": game.files.rules_hash,
            "games": self.played.totals.games,
            "seed": plan.seed,
            "engine": "interpreter" if self.played.setting.native is None else "native",
            "refused": plan.refused,
            "seconds": round(self.seconds, 6),
            "games_per_second": round(self.games_per_second, 3),
            **_figures(self.played),
            **(self._compared() if self.types else {}),
        }

    def _compared(self) -> dict[str, Any]:
        return {
            "by_type": {type_.name: _type(type_) for type_ in self.types},
            "conclusions": conclusions_as_json(self.types),
            "left_out": {"learned": self.left_out} if self.left_out is not None else {},
        }

    def headline(self) -> list[FoldingTable | VisibleText]:
        """What fits a screen."""
        title = f"{self.played.setting.game.files.title}: {_games(self.played)}"
        if self.types:
            return overview(self.types, self.left_out, title)
        return [_seats(self.played, title)]

    def details(self, width: int) -> list[FoldingTable]:
        """All the rest, of one type after the other."""
        series = [type_.whole for type_ in self.types] or [self.played]
        names = [f"{type_.name}: " for type_ in self.types] if len(self.types) > 1 else [""]
        return [table for each, name in zip(series, names, strict=True) for table in _tables(each, width, name)]


def _type(type_: TypeOfPlay) -> dict[str, Any]:
    whole = type_.whole
    return {"games": whole.totals.games, **_figures(whole), "trainings": trainings_as_json(type_)}


def _figures(played: PlayedSeries) -> dict[str, Any]:
    """What is told of any series."""
    setting, totals, inside = played.setting, played.totals, played.inside
    game = setting.game
    return {
        "decisions": as_json(totals.decisions.mean_interval()),
        "lead": as_json(totals.lead.mean_interval()),
        "lengths": {
            "shortest": totals.shortest,
            "longest": totals.longest,
            "rounds": {str(length): totals.lengths[length] for length in sorted(totals.lengths)},
        },
        "ended": {name: as_json(held) for name, held in _latched(setting, totals)},
        "ends": ends_as_json(list(ends(setting, totals, inside))),
        **({"policies": told} if (told := policies_as_json(setting)) else {}),
        "types": {name: as_json(wins) for name, wins in _types(setting, totals)},
        "players": [
            {
                "seat": seat + 1,
                "name": name,
                "type": setting.plan.types[seat],
                "win_share": as_json(totals.wins[seat].share()),
                "score": as_json(totals.scores[seat].mean_interval()),
                "points": {
                    item: as_json(tally.mean_interval())
                    for item, tally in zip(game.ir.items, totals.items[seat], strict=True)
                },
                "distribution": {str(score): totals.spread[seat][score] for score in sorted(totals.spread[seat])},
            }
            for seat, name in enumerate(game.players)
        ],
        "procedures": {name: as_json(times.mean_interval()) for name, times in inside.procedures.items()},
        "choices": {name: _choice(chosen) for name, chosen in inside.choices.items()},
    }


def _choice(chosen: Chosen) -> dict[str, Any]:
    """How often a choice came up in a game, and how often it was answered how: by itself, or part by part."""
    found = {
        name: [{"value": json.loads(given.json), "count": count} for given, count in counts.items()]
        for name, counts in chosen.parts.items()
    }
    answers = found.pop("", None)
    told = {"answers": answers} if answers is not None else {}
    return {**as_json(chosen.times.mean_interval()), **told, **({"parts": found} if found else {})}


def _full_name(setting: SeriesSetting) -> str:
    files = setting.game.files
    return files.name if files.variant is None else f"{files.name}/{files.variant}"


def _latched(setting: SeriesSetting, totals: Totals) -> Iterator[tuple[str, ConfidenceInterval]]:
    """In how many games each latch had come true."""
    for latch, count in zip(setting.game.ir.latches, totals.latched, strict=True):
        yield latch.text or latch.field.name, wilson(count, totals.games)


def _types(setting: SeriesSetting, totals: Totals) -> Iterator[tuple[str, ConfidenceInterval]]:
    """The share of victory of all players of a type together."""
    for name in dict.fromkeys(setting.plan.types):
        wins = [totals.wins[seat].total for seat, type_name in enumerate(setting.plan.types) if type_name == name]
        yield name, wilson(sum(wins), totals.games)


# ---------------------------------------------------------------- tables


def _games(played: PlayedSeries) -> str:
    count = played.totals.games
    return f"{count:,} game" + ("s" if count > 1 else "") + f", seed {played.setting.plan.seed}"


def _seats(played: PlayedSeries, title: str) -> FoldingTable:
    """Who wins and with how many points."""
    setting, totals = played.setting, played.totals
    table = _table(title)
    table.add_column("seat", justify="right")
    table.add_column("player")
    table.add_column("type")
    table.add_column("share of victory", justify="right")
    table.add_column("score", justify="right")
    for seat, name in enumerate(setting.game.players):
        wins, score = totals.wins[seat].share(), totals.scores[seat].mean_interval()
        cells = (str(seat + 1), name, setting.plan.types[seat], share(wins), shown(score))
        table.add_row(*map(VisibleText, cells))
    lines = [_lengths("decisions", totals.decisions, totals.shortest, totals.longest) + "; intervals hold 95 %"]
    if totals.lengths:
        rounds = Tally.counted(totals.lengths)
        lines.append(_lengths("rounds", rounds, min(totals.lengths), max(totals.lengths)))
    types = list(_types(setting, totals))
    lines += [f"{share(wins)}: victory of {name}" for name, wins in types if len(types) > 1]
    lines += policy_lines(setting)
    table.caption, table.caption_justify = VisibleText("\n".join(lines)), "left"
    return table


def _tables(played: PlayedSeries, width: int, name: str) -> list[FoldingTable]:
    """What ends a game, where points come from, and what happens in a game."""
    setting, totals, inside = played.setting, played.totals, played.inside
    found = [ends_table(list(ends(setting, totals, inside)))]
    found += [_spreads(setting, totals)] if all(totals.spread) else []
    found += [_sources(setting, totals, width)] if setting.game.ir.items else []
    found += _inside(inside)
    for table in found:
        table.title = VisibleText(f"{name}{table.title}")
    return found


def _inside(inside: OccurrenceCounts) -> Iterator[FoldingTable]:
    """How often each clause of a procedure that is declared member by member ran, each choice came up, and how it was
    answered."""
    modes = {name: times for name, times in inside.procedures.items() if "(" in name}
    if modes:
        table = _table("What ran")
        table.add_column("procedure")
        table.add_column("times a game", justify="right")
        for name, times in list(modes.items())[:MODES]:
            table.add_row(VisibleText(name), shown(times.mean_interval()))
        yield table
    if inside.choices:
        table = _table("What was chosen")
        for column in ("choice", "times a game", "part", "most often"):
            table.add_column(column, justify="right" if column.startswith("times") else "left", overflow="fold")
        for name, chosen in list(inside.choices.items())[:MODES]:
            told = (one_line(name), shown(chosen.times.mean_interval()))
            for part, counts in chosen.parts.items() or [("", Counter())]:
                table.add_row(*map(VisibleText, (*told, spaced(part), _most_often(counts))))
                told = ("", "")
        yield table


def _most_often(counts: Counter[AnswerLabel]) -> str:
    """The most common answers, with their shares."""
    total = counts.total()
    return "; ".join(
        f"{one_line(given.text)}: {100 * count / total:.0f} %" for given, count in counts.most_common(ANSWERS)
    )


def _sources(setting: SeriesSetting, totals: Totals, width: int) -> FoldingTable:
    """What each item has paid; those that never did are left out. Where many players do not fit side by side, intervals
    have a line of their own."""
    table, titles, names = _table("Points by source"), item_titles(setting.game), setting.game.players
    rows: dict[str, list[str]] = {}
    for number, item in enumerate(setting.game.ir.items):
        paid = [tallies[number] for tallies in totals.items]
        if any(tally.squares for tally in paid):
            rows[titles[item]] = [near(tally.mean_interval()) for tally in paid]
    columns = [max(map(len, (name, *cells))) for name, *cells in zip(names, *rows.values(), strict=True)]
    longest = max((len(word) for title in rows for word in title.split()), default=0)
    two_lines = longest + sum(columns) + FRAME * (len(columns) + 1) + 1 > width
    table.add_column("source", overflow="fold")
    for name in names:
        table.add_column(VisibleText(name), justify="right", overflow="fold")
    for title, cells in rows.items():
        table.add_row(
            VisibleText(title), *(VisibleText(cell.replace(" ", "\n") if two_lines else cell) for cell in cells)
        )
    return table


def _spreads(setting: SeriesSetting, totals: Totals) -> FoldingTable:
    """How the scores are distributed: those that a quarter, half and three quarters of the games do not exceed."""
    table = _table("Scores")
    table.add_column("player")
    for column in ("lowest", "lower quartile", "median", "upper quartile", "highest"):
        table.add_column(column, justify="right")
    for name, spread in zip(setting.game.players, totals.spread, strict=True):
        scores, places = sorted(spread), list(accumulate(spread[score] for score in sorted(spread)))
        quartiles = (scores[bisect_left(places, quarter * totals.games / 4)] for quarter in range(1, 4))
        table.add_row(VisibleText(name), *map(str, (scores[0], *quartiles, scores[-1])))
    return table


def _table(title: str) -> FoldingTable:
    return FoldingTable(title=VisibleText(title), title_justify="left")


def _lengths(what: str, tally: Tally, least: int | None, most: int | None) -> str:
    return f"{shown(tally.mean_interval())} {what} a game, from {least} to {most}"
