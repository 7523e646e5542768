"""How the scores and the lengths of many games are distributed, as a drawing: one histogram below the other (SVG)."""

from __future__ import annotations

from collections import Counter
from itertools import count
from xml.sax.saxutils import escape

from chocolatl.interpreter.simulation.series import SeriesSetting
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.statistics.estimates import Tally
from chocolatl.interpreter.system.escaping import visible

WIDTH, HEIGHT, MARGIN, GAP = 720, 130, 50, 50
BARS, MEAN, GRID = "#5b3a1e", "#ff9d45", "#dddddd"
TICKS = 8
"""About so many numbers stand below a histogram."""


def drawn(setting: SeriesSetting, totals: Totals) -> str:
    """The scores of each player, all on the same scale, and then the rounds, if the game has any."""
    players = zip(setting.game.players, setting.plan.types, totals.spread, strict=True)
    scores = [(f"Score of {name} ({type_name})", spread) for name, type_name, spread in players if spread]
    values = [value for _, spread in scores for value in spread]
    most = max((times for _, spread in scores for times in spread.values()), default=1)
    histograms = [(label, spread, (min(values), max(values)), most) for label, spread in scores]
    if totals.lengths:
        lengths = totals.lengths
        histograms.append(("Rounds", lengths, (min(lengths), max(lengths)), max(lengths.values())))
    height = MARGIN + len(histograms) * (HEIGHT + GAP)
    title = f"{setting.game.files.title}: {totals.games:,} games, seed {setting.plan.seed}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="24" font-size="15">{escape(title)}</text>',
    ]
    for place, histogram in enumerate(histograms):
        parts += _histogram(*histogram, floor=MARGIN + place * (HEIGHT + GAP) + HEIGHT)
    return visible("\n".join([*parts, "</svg>"]) + "\n")


def _histogram(label: str, spread: Counter[int], ends: tuple[int, int], most: int, floor: int) -> list[str]:
    """A bar for each value, as high as it is common; lines at the mean and at the share of the most common one."""
    low, high = ends
    step, room, games = (WIDTH - 2 * MARGIN) / (high - low + 1), HEIGHT - 24, spread.total()
    mean = Tally.counted(spread).mean_interval().mean
    assert mean is not None

    def across(value: float) -> float:
        return MARGIN + (value - low + 0.5) * step

    top = floor - room
    parts = [
        f'<text x="{MARGIN}" y="{top - 10}">{escape(label)}, {mean:.1f} on average</text>',
        f'<path d="M{MARGIN} {top}H{WIDTH - MARGIN}" stroke="{GRID}"/>',
        f'<text x="{MARGIN - 6}" y="{top + 4}" text-anchor="end">{_percent(most / games)}</text>',
        f'<text x="{MARGIN - 6}" y="{floor + 4}" text-anchor="end">0</text>',
    ]
    for value, times in sorted(spread.items()):
        tall = room * times / most
        parts.append(
            f'<rect x="{across(value) - 0.45 * step:.2f}" y="{floor - tall:.2f}" width="{0.9 * step:.2f}" '
            f'height="{tall:.2f}" fill="{BARS}"><title>{value}: {times:,}</title></rect>'
        )
    parts.append(
        f'<path d="M{across(mean):.2f} {floor}V{top}" stroke="{MEAN}" stroke-width="2" stroke-dasharray="4 3"/>'
    )
    parts.append(f'<path d="M{MARGIN} {floor}H{WIDTH - MARGIN}" stroke="#000000"/>')
    for value in ticks(low, high):
        parts.append(f'<text x="{across(value):.1f}" y="{floor + 16}" text-anchor="middle">{value}</text>')
    return parts


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else "100 %"


def ticks(low: int, high: int) -> list[int]:
    """Round numbers between two, some of them."""
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    step = next(step for step in steps if high - low <= TICKS * step)
    return list(range(-(-low // step) * step, high + 1, step))
