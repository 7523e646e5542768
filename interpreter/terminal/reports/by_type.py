"""What types of players make of one game, side by side, and what follows from it, as JSON and on a screen (a summary
of a comparison)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chocolatl.interpreter.simulation.by_type import RANDOM, PlayedSeries, TypeOfPlay, is_of_weights
from chocolatl.interpreter.simulation.conclusions import (
    TRAININGS,
    Conclusions,
    Divergence,
    SeatAdvantage,
    Sign,
    concluded,
    divergences,
    figures,
)
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.output.words import item_titles
from chocolatl.interpreter.terminal.reports.intervals import as_json, share, shown
from chocolatl.interpreter.terminal.reports.policies import policy_lines

SEATS = 8
"""So many seats have a row."""


# ---------------------------------------------------------------- on a screen


def overview(types: Sequence[TypeOfPlay], left_out: str | None, title: str) -> list[FoldingTable | VisibleText]:
    """The figures of each type in a column, and below them what can be concluded."""
    found = [concluded(type_) for type_ in types]
    return [_figures(types, title), VisibleText("\n".join(_sentences(found, left_out)))]


def _figures(types: Sequence[TypeOfPlay], title: str) -> FoldingTable:
    table = FoldingTable(title=VisibleText(title), title_justify="left", caption_justify="left")
    table.add_column("", overflow="fold")
    for type_ in types:
        table.add_column(type_.name, justify="right", overflow="fold")
    wholes = [type_.whole for type_ in types]
    table.add_row("games", *map(_games, types))
    for name, estimate in figures(wholes[0]):
        table.add_row(name, *(VisibleText(_over_trainings(type_, estimate)) for type_ in types))
    names = wholes[0].setting.game.players
    for seat, name in enumerate(names[:SEATS] if len(names) > 1 else ()):
        cells = (share(whole.totals.wins[seat].share()) for whole in wholes)
        table.add_row(VisibleText(f"victory of {name}"), *map(VisibleText, cells))
    several = any(len(type_.series) > 1 for type_ in types)
    table.caption = VisibleText("intervals hold 95 %" + "; of several trainings, lowest to highest mean" * several)
    return table


def _games(type_: TypeOfPlay) -> str:
    games = f"{type_.series[0].totals.games:,}"
    return games if len(type_.series) == 1 else f"{len(type_.series)} trainings x {games}"


def _over_trainings(type_: TypeOfPlay, estimate: Any) -> str:
    """The mean of all games, with its interval or, of several trainings, with the lowest and the highest of them."""
    if len(type_.series) == 1:
        return shown(estimate(type_.series[0]))
    means = [estimate(series).mean for series in type_.series]
    return shown(ConfidenceInterval(estimate(type_.whole).mean, min(means), max(means)))


def _sentences(found: Sequence[Conclusions], left_out: str | None) -> Iterator[str]:
    for each in found:
        yield from (f"{each.type.name}: {sentence}" for sentence in _about(each))
    apart = [each for each in divergences(found) if len(found[0].seats) > 2 or each.seat in (None, 0)]
    yield from (f"random play misleads: {_told(each)}" for each in apart)
    if left_out is not None:
        yield f"not about competent players: {left_out}"


def _about(found: Conclusions) -> Iterator[str]:
    signs = [seat for seat in found.seats if seat.sign is not Sign.NEITHER]
    for seat in signs:
        yield _advantage(found, seat)
    if found.seats and not signs:
        all_ = " in all trainings" if found.trainings > 1 else ""
        yield f"no seat clearly wins more or less than its share{all_} ({100 / len(found.seats):.1f} %)"
    if found.source is not None and found.source.share < 1:
        title = item_titles(found.type.series[0].setting.game)[found.source.name]
        yield f"most points come from {title}: {100 * found.source.share:.0f} %"
    setting = found.type.series[0].setting
    yield from (line.partition(": ")[2] for line in policy_lines(setting))
    if found.type.name != RANDOM and is_of_weights(setting) and found.trainings < TRAININGS:
        one = "one training" if found.trainings == 1 else f"{found.trainings} trainings"
        yield f"all of this is from {one}; what {TRAININGS} show alike is more surely the game's"


def _advantage(found: Conclusions, seat: SeatAdvantage) -> str:
    """A sign, with the range over the trainings."""
    name = found.type.series[0].setting.game.players[seat.seat]
    how = "more" if seat.sign is Sign.MORE else "less"
    rests = f"in all of {found.trainings} trainings" if found.trainings > 1 else f"{100 / len(found.seats):.1f} %"
    return f"{name} wins {how} than its share ({rests}): {100 * seat.lowest:.1f} to {100 * seat.highest:.1f} %"


def _told(divergence: Divergence) -> str:
    first, second = divergence.first, divergence.second
    if divergence.seat is None:
        assert first.source is not None and second.source is not None
        titles = item_titles(first.type.series[0].setting.game)
        one, other = titles[first.source.name], titles[second.source.name]
        return f"most points come from {one} with {first.type.name} players, from {other} with {second.type.name} ones"
    name = first.type.series[0].setting.game.players[divergence.seat]
    one, other = (_stands(each, divergence.seat) for each in (first, second))
    return f"{name} wins {one} with {first.type.name} players, {other} with {second.type.name} ones"


def _stands(found: Conclusions, seat: int) -> str:
    sign = found.seats[seat].sign
    return "about its share" if sign is Sign.NEITHER else f"{sign.value} than its share"


# ---------------------------------------------------------------- as JSON


def conclusions_as_json(types: Sequence[TypeOfPlay]) -> list[dict[str, Any]]:
    """Each sign by type of player, and whether the types differ."""
    found = [concluded(type_) for type_ in types]
    apart = list(divergences(found))
    return [*_seats_as_json(found, apart), *_sources_as_json(found, apart)]


def _seats_as_json(found: Sequence[Conclusions], apart: Sequence[Divergence]) -> Iterator[dict[str, Any]]:
    for number, seat in enumerate(found[0].seats):
        yield {
            "figure": "win_share",
            "seat": seat.seat + 1,
            "types": {
                each.type.name: {
                    "sign": each.seats[number].sign.value,
                    "low": each.seats[number].lowest,
                    "high": each.seats[number].highest,
                    "trainings": each.trainings,
                }
                for each in found
            },
            "differ": any(each.seat == seat.seat for each in apart),
        }


def _sources_as_json(found: Sequence[Conclusions], apart: Sequence[Divergence]) -> Iterator[dict[str, Any]]:
    if any(each.source is not None for each in found):
        yield {
            "figure": "most_points",
            "types": {
                each.type.name: {"item": each.source.name, "share": each.source.share} if each.source else None
                for each in found
            },
            "differ": any(each.seat is None for each in apart),
        }


def trainings_as_json(type_: TypeOfPlay) -> list[dict[str, Any]]:
    """The figures of each training by itself."""
    return [_training(series) for series in type_.series]


def _training(series: PlayedSeries) -> dict[str, Any]:
    return {
        "seed": series.seed,
        "games": series.totals.games,
        **{name.replace(" ", "_"): as_json(estimate(series)) for name, estimate in figures(series)},
        "win_shares": [as_json(wins.share()) for wins in series.totals.wins],
    }
