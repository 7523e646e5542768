"""What came of many games: as JSON, and as tables for the terminal."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from rich.table import Table
from rich.text import Text

from interpreter.formats.series import Setting, Totals
from interpreter.occurrences import Chosen, Given, Inside
from interpreter.statistics import Interval, Tally, wilson
from interpreter.terminal.words import item_titles, spaced

MODES, ANSWERS = 40, 3
"""So many rows, and so many answers in a row, are shown; `--json` has all of them."""


def json_results(setting: Setting, totals: Totals, inside: Inside, seconds: float) -> dict[str, Any]:
    """The contract of `simulate --json`."""
    game = setting.game
    return {
        "game": _full_name(setting),
        "rules": game.files.rules_hash,
        "games": totals.games,
        "seed": setting.plan.seed,
        "engine": "interpreter" if setting.native is None else "native",
        "seconds": round(seconds, 6),
        "games_per_second": round(totals.games / max(seconds, 1e-9), 3),
        "decisions": _as_json(totals.decisions.mean_interval()),
        "lengths": {
            "shortest": totals.shortest,
            "longest": totals.longest,
            "rounds": {str(length): totals.lengths[length] for length in sorted(totals.lengths)},
        },
        "ended": {name: _as_json(share) for name, share in _ends(setting, totals)},
        "types": {name: _as_json(share) for name, share in _types(setting, totals)},
        "players": [
            {
                "seat": seat + 1,
                "name": name,
                "type": setting.plan.types[seat],
                "win_share": _as_json(totals.wins[seat].share()),
                "score": _as_json(totals.scores[seat].mean_interval()),
                "points": {
                    item: _as_json(tally.mean_interval())
                    for item, tally in zip(game.ir.items, totals.items[seat], strict=True)
                },
                "distribution": {str(score): totals.spread[seat][score] for score in sorted(totals.spread[seat])},
            }
            for seat, name in enumerate(game.players)
        ],
        "procedures": {name: _as_json(times.mean_interval()) for name, times in inside.procedures.items()},
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
    return {**_as_json(chosen.times.mean_interval()), **told, **({"parts": found} if found else {})}


def _full_name(setting: Setting) -> str:
    files = setting.game.files
    return files.name if files.variant is None else f"{files.name}/{files.variant}"


def _ends(setting: Setting, totals: Totals) -> Iterator[tuple[str, Interval]]:
    """In how many games each end condition had come true."""
    for latch, count in zip(setting.game.ir.latches, totals.latched, strict=True):
        yield latch.text or latch.field.name, wilson(count, totals.games)


def _types(setting: Setting, totals: Totals) -> Iterator[tuple[str, Interval]]:
    """The share of victory of all players of a type together."""
    for name in dict.fromkeys(setting.plan.types):
        wins = [totals.wins[seat].total for seat, type_name in enumerate(setting.plan.types) if type_name == name]
        yield name, wilson(sum(wins), totals.games)


def _as_json(interval: Interval) -> dict[str, float | None]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


# ---------------------------------------------------------------- tables


def tables(setting: Setting, totals: Totals, inside: Inside) -> list[Table]:
    """Who wins and with how many points, where these come from, and what happens in a game."""
    games = f"{totals.games:,} game" + ("s" if totals.games > 1 else "")
    table = _table(f"{setting.game.files.title}: {games}, seed {setting.plan.seed}")
    table.add_column("seat", justify="right")
    table.add_column("player")
    table.add_column("type")
    table.add_column("share of victory", justify="right")
    table.add_column("score", justify="right")
    for seat, name in enumerate(setting.game.players):
        wins, score = totals.wins[seat].share(), totals.scores[seat].mean_interval()
        cells = (str(seat + 1), name, setting.plan.types[seat], _shown(wins, 100, " %"), _shown(score, 1, ""))
        table.add_row(*map(Text, cells))
    lines = [_lengths("decisions", totals.decisions, totals.shortest, totals.longest) + "; intervals hold 95 %"]
    if totals.lengths:
        rounds = Tally.counted(totals.lengths)
        lines.append(_lengths("rounds", rounds, min(totals.lengths), max(totals.lengths)))
    lines += [f"{_shown(share, 100, ' %')}: {name}" for name, share in _ends(setting, totals)]
    types = list(_types(setting, totals))
    lines += [f"{_shown(share, 100, ' %')}: victory of {name}" for name, share in types if len(types) > 1]
    table.caption, table.caption_justify = Text("\n".join(lines)), "left"
    more = [_spreads(setting, totals)] if all(totals.spread) else []
    more += [_sources(setting, totals)] if setting.game.ir.items else []
    return [table, *more, *_inside(inside)]


def _inside(inside: Inside) -> Iterator[Table]:
    """How often each clause of a procedure that is declared member by member ran, each choice came up, and how it was
    answered."""
    modes = {name: times for name, times in inside.procedures.items() if "(" in name}
    if modes:
        table = _table("What ran")
        table.add_column("procedure")
        table.add_column("times a game", justify="right")
        for name, times in list(modes.items())[:MODES]:
            table.add_row(Text(name), _shown(times.mean_interval(), 1, ""))
        yield table
    if inside.choices:
        table = _table("What was chosen")
        for column in ("choice", "times a game", "part", "most often"):
            table.add_column(column, justify="right" if column.startswith("times") else "left", overflow="fold")
        for name, chosen in list(inside.choices.items())[:MODES]:
            told = (name, _shown(chosen.times.mean_interval(), 1, ""))
            for part, counts in chosen.parts.items() or [("", Counter())]:
                table.add_row(*map(Text, (*told, spaced(part), _most_often(counts))))
                told = ("", "")
        yield table


def _most_often(counts: Counter[Given]) -> str:
    """The most common answers, with their shares."""
    total = counts.total()
    return "; ".join(f"{given.text}: {100 * count / total:.0f} %" for given, count in counts.most_common(ANSWERS))


def _sources(setting: Setting, totals: Totals) -> Table:
    """What each item has paid; those that never did are left out."""
    table, titles = _table("Points by source"), item_titles(setting.game)
    table.add_column("source", overflow="fold")
    for name in setting.game.players:
        table.add_column(Text(name), justify="right")
    for number, item in enumerate(setting.game.ir.items):
        paid = [tallies[number] for tallies in totals.items]
        if any(tally.squares for tally in paid):
            table.add_row(Text(titles[item]), *(_near(tally.mean_interval()) for tally in paid))
    return table


def _spreads(setting: Setting, totals: Totals) -> Table:
    """How the scores are distributed: those that a quarter, half and three quarters of the games do not exceed."""
    table = _table("Scores")
    table.add_column("player")
    for column in ("lowest", "lower quartile", "median", "upper quartile", "highest"):
        table.add_column(column, justify="right")
    for name, spread in zip(setting.game.players, totals.spread, strict=True):
        scores, places = sorted(spread), list(accumulate(spread[score] for score in sorted(spread)))
        quartiles = (scores[bisect_left(places, quarter * totals.games / 4)] for quarter in range(1, 4))
        table.add_row(Text(name), *map(str, (scores[0], *quartiles, scores[-1])))
    return table


def _table(title: str) -> Table:
    return Table(title=Text(title), title_justify="left")


def _lengths(what: str, tally: Tally, least: int | None, most: int | None) -> str:
    return f"{_shown(tally.mean_interval(), 1, '')} {what} a game, from {least} to {most}"


def _near(interval: Interval) -> str:
    """`15.28 ±0.05`; one game alone has no interval."""
    assert interval.mean is not None
    return f"{interval.mean:.2f}" + (f" ±{interval.high - interval.mean:.2f}" if interval.high is not None else "")


def _shown(interval: Interval, factor: int, unit: str) -> str:
    """`52.1 % (50.2 to 54.0)`; one game alone has no interval."""
    assert interval.mean is not None
    mean = f"{interval.mean * factor:.1f}{unit}"
    if interval.low is None or interval.high is None:
        return mean
    return f"{mean} ({interval.low * factor:.1f} to {interval.high * factor:.1f})"
