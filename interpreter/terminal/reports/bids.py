"""How bids fare in each contest, as a drawing to pin up (SVG): a panel for each contest, a column for each bid.

Contests of one ranking have the same scale, so that a bid stands at the same place in each panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from chocolatl.interpreter.system.escaping import visible
from chocolatl.interpreter.terminal.reports.contest_table import contest_titles, shown_answer
from chocolatl.interpreter.terminal.reports.worth import hundredths, number, shown_parts

if TYPE_CHECKING:
    from chocolatl.solver.explanation import BidCurve
    from chocolatl.solver.worth.parts import ValueParts

ACROSS = 2
PANEL, TALL = 400, 150
"""Width and height of the columns of a panel."""
MARGIN, ABOVE, BELOW, HEAD, FOOT = 52, 50, 42, 58, 40
FIRST, SECOND, LAST, OWN = "#5b3a1e", "#d6b48c", "#c8553d", "#1f6f8b"
BETWEEN, FAINT = "#f1e9dd", "#666666"
PLACES = ((FIRST, "first"), (SECOND, "second"), (LAST, "last"))
TICKS = 14
"""So many numbers stand below a panel at most."""


def drawn(title: str, worth: str, where: str, curves: Sequence[BidCurve], parts: ValueParts | None) -> str:
    """The chance of every bid to be first, second and last, with the own bid marked. `worth` says what the own answer
    comes to, `where` in which scenarios, and `parts` what that is made of."""
    rows = -(-len(curves) // ACROSS)
    width = ACROSS * (PANEL + MARGIN) + MARGIN
    height = HEAD + rows * (ABOVE + TALL + BELOW) + FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="28" font-size="17">{escape(title)}</text>',
        f'<text x="{MARGIN}" y="46" fill="{OWN}">{escape(worth)}</text>',
    ]
    shown = {curve.name: hundredths(curve.points) for curve in curves}
    if parts is not None:
        shown |= shown_parts(parts).contests
    titles = contest_titles([curve.name for curve in curves])
    for place, (name, curve) in enumerate(zip(titles, curves, strict=True)):
        row, column = divmod(place, ACROSS)
        lines += _panel(
            name,
            curve,
            number(shown[curve.name], "+"),
            MARGIN + column * (PANEL + MARGIN),
            HEAD + row * (ABOVE + TALL + BELOW),
        )
    between = any(sum(shares) < 0.999 for curve in curves for _, *shares in curve.bids)
    lines += _legend(height - FOOT + 14, between, f"a column for each bid, {where}")
    return visible("\n".join([*lines, "</svg>"]) + "\n")


def _panel(name: str, curve: BidCurve, points: str, left: float, top: float) -> list[str]:
    step = PANEL / len(curve.bids)
    floor = top + ABOVE + TALL
    lowest, highest = curve.bids[0][0], curve.bids[-1][0]
    own = " or ".join(map(str, curve.own)) if len(curve.own) < 3 else f"{curve.own[0]} to {curve.own[-1]}"
    laid = f"lay {shown_answer(curve.laid)}: " if curve.laid is not None else ""
    parts = [
        f'<text x="{left}" y="{top + 18}" font-size="14" font-weight="bold">{escape(name)}</text>',
        f'<text x="{left}" y="{top + 35}" fill="{OWN}">{escape(laid)}bid {own}, first in {curve.first:.0%}, '
        f"{points} points</text>",
        f'<rect x="{left}" y="{top + ABOVE}" width="{PANEL}" height="{TALL}" fill="{BETWEEN}"/>',
    ]
    for percent in (0, 50, 100):
        y = floor - TALL * percent / 100
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="{FAINT}">{percent}%</text>')
    for bid, first, second, last in curve.bids:
        x = left + (bid - lowest) * step
        told = f"{bid}: first {first:.0%}, second {second:.0%}, last {last:.0%}"
        begins = floor
        for share, colour in ((first, FIRST), (second, SECOND)):
            begins -= share * TALL
            parts.append(_column(x, begins, step, share * TALL, colour, told))
        # With few players the second may be the last: then the column is full, and the mark of the last is a cap.
        parts.append(_column(x, top + ABOVE, step, min(last * TALL, max(4.0, begins - top - ABOVE)), LAST, told, last))
    parts.append(f'<path d="M{left} {floor}H{left + PANEL}" stroke="#000000"/>')
    for bid in curve.own:
        x = left + (bid - lowest + 0.5) * step
        parts.append(f'<path d="M{x:.1f} {floor + 2}l-5 9h10z" fill="{OWN}"/>')
    every = -(-len(curve.bids) // TICKS)
    for bid in range(-(-lowest // every) * every, highest + 1, every):
        x = left + (bid - lowest + 0.5) * step
        parts.append(f'<text x="{x:.1f}" y="{floor + 25}" text-anchor="middle">{bid}</text>')
    return [part for part in parts if part]


def _column(x: float, y: float, step: float, tall: float, colour: str, told: str, share: float = 1.0) -> str:
    if tall <= 0 or share <= 0:
        return ""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(step * 0.88, 0.5):.2f}" height="{tall:.2f}" fill="{colour}">'
        f"<title>{told}</title></rect>"
    )


def _legend(y: float, between: bool, about: str) -> list[str]:
    parts, x = [], MARGIN
    for colour, word in (*PLACES, *([(BETWEEN, "in between")] if between else [])):
        parts.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="{y}">{word}</text>')
        x += 40 + 7 * len(word)
    parts.append(f'<path d="M{x + 6} {y - 10}l-6 11h12z" fill="{OWN}"/><text x="{x + 18}" y="{y}">your bid</text>')
    parts.append(f'<text x="{x + 100}" y="{y}" fill="{FAINT}">{about}</text>')
    return parts
