"""What a policy likes to do, in words and as a picture: for each choice a row of shades by round, darker where an
answer is more common, or where answers lie farther from the middle of what is legal (a heat map, SVG)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from chocolatl.interpreter.learning.leanings import Leaning
from chocolatl.interpreter.players.information import BETWEEN, SEAT
from chocolatl.interpreter.players.tabular import PARTS, weights_of
from chocolatl.interpreter.system.escaping import one_line, visible

SHOWN, LISTED = 3, 64
"""So many answers are named in a line, and drawn at most."""

TELLING, NOTABLE = 1.2, 0.02
"""An answer is liked that is given so many times as often as chance would, and in at least this part of all cases."""

FEW_STATES = 40
"""A table with no more information states is told one by one."""

DEVIATION = 0.1
"""A term is named that lies so far from the middle of what is legal."""

LEFT, TOP, CELL, ROW, GAP = 230, 76, 22, 18, 26
DARK, LESS, TEXT = (91, 58, 30), (24, 78, 119), "#1f2328"
FRAME, NO_FRAME = "#ff9d45", "#dddddd"

LEGEND = (
    "answers, darker: more common; a frame: at least half as often again as by chance",
    "what is counted of answers, brown: more than in the middle of what is legal; blue: less",
)

TERMS = 16
"""So many terms of a joint choice are drawn, the most telling ones."""

LETTERS = 44
"""So many letters of a name are drawn, each of which takes some room."""


def words(leanings: Sequence[Leaning], has_rounds: bool) -> Iterator[str]:
    """A line for each round, below the name of each choice."""
    for choice, rounds in groupby(leanings, key=lambda leaning: leaning.choice):
        yield one_line(choice)
        for leaning in rounds:
            yield one_line(f"  {when(leaning, has_rounds)}, {leaning.times:,} times: {sentence(leaning)}")


def when(leaning: Leaning, has_rounds: bool) -> str:
    """The round; games without rounds have stretches of as many decisions."""
    return f"round {leaning.round}" if has_rounds else f"stretch {leaning.round + 1}"


def sentence(leaning: Leaning) -> str:
    """What is liked and what is not."""
    shares = leaning.shares()
    if not shares:
        return terms_told(leaning)
    if len(shares) == 1:
        return f"always {shares[0][0]}"
    liked = [each for each in shares if each[1] >= TELLING * each[2] and each[1] >= NOTABLE][:SHOWN]
    avoided = [each for each in reversed(shares) if each[1] * TELLING <= each[2] and each[2] >= NOTABLE][:SHOWN]
    told = []
    if liked:
        told.append("likes " + ", ".join(map(_share, liked)))
    if avoided:
        told.append("avoids " + ", ".join(map(_share, avoided)))
    return "; ".join(told) or "nothing more than chance would"


def _share(each: tuple[str, float, float]) -> str:
    name, given, evenly = each
    return f"{name} ({100 * given:.0f} %, by chance {100 * evenly:.0f} %)"


def terms_told(leaning: Leaning) -> str:
    """Of a joint choice."""
    telling = [(name, by) for name, by in leaning.liked() if abs(by) >= DEVIATION][:SHOWN]
    told = ", ".join(f"{'more' if by > 0 else 'less'} {name} ({by:+.1f} deviations)" for name, by in telling)
    return told or "nothing more than chance would"


def table_words(table: dict[str, Any]) -> Iterator[str]:
    """What a table does in each information state of a choice that has few of them, in the order of their names."""
    for choice, content in table["choices"].items():
        states = {_state(content["by"], state): text for state, text in content["states"].items()}
        if len(states) <= FEW_STATES:
            yield one_line(choice)
            for state in sorted(states):
                answers = sorted(weights_of(choice, states[state]).items(), key=lambda item: -item[1])
                told = ", ".join(f"{answer} {100 * weight / PARTS:.0f} %" for answer, weight in answers if weight)
                yield one_line(f"  {state}: {told}")


def _state(by: Sequence[str], state: str) -> str:
    """`p1, staked 2, hand of p1 [1]`: what is known; what is not is left out."""
    known = [(path, value) for path, value in zip(by, state.split(BETWEEN), strict=False) if not value.startswith("?")]
    return ", ".join(value if path == SEAT else f"{_place(path)} {value}" for path, value in known)


def _place(path: str) -> str:
    """`staked` of `table.staked`, `hand of p1` of `player.p1.hand`."""
    owner, *parts = path.split(".")
    if owner == "table" or not parts:
        return ".".join(parts) or owner
    return f"{'.'.join(parts[1:])} of {parts[0]}" if parts[1:] else path


def as_json(leanings: Sequence[Leaning]) -> list[dict[str, Any]]:
    return [
        {
            "choice": each.choice,
            "round": each.round,
            "times": each.times,
            "answers": [
                {"answer": name, "share": round(given, 6), "by_chance": round(evenly, 6)}
                for name, given, evenly in each.shares()
            ],
            "terms": {name: round(by, 6) for name, by in each.liked()},
        }
        for each in leanings
    ]


# ---------------------------------------------------------------- picture


@dataclass(frozen=True)
class ShadedCell:
    """A cell of the picture: how dark it is, from 0 to 1."""

    shade: float
    dark: tuple[int, int, int]
    frame: str
    told: str

    def text(self, left: int, top: int) -> str:
        colour = ",".join(str(round(255 + (dark - 255) * self.shade)) for dark in self.dark)
        return (
            f'<rect x="{left}" y="{top}" width="{CELL - 2}" height="{ROW - 2}" fill="rgb({colour})" '
            f'stroke="{self.frame}"><title>{escape(self.told)}</title></rect>'
        )


def drawn(title: str, leanings: Sequence[Leaning], has_rounds: bool) -> str:
    """Of each choice a block: a row for each round, a column for each answer or term; below it the names of these."""
    parts: list[str] = []
    top, width = TOP, LEFT
    for choice, group in groupby(leanings, key=lambda leaning: leaning.choice):
        rounds = list(group)
        cells = _of_answers if any(each.evenly for each in rounds) else _of_terms
        columns = _answers(rounds) if cells is _of_answers else _terms(rounds)
        width = max(width, LEFT + CELL * len(columns))
        parts.append(f'<text x="16" y="{top + 13}" font-weight="bold">{escape(choice[:LETTERS])}</text>')
        for leaning in rounds:
            called = when(leaning, has_rounds)
            parts.append(f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">{called}</text>')
            found = cells(leaning)
            parts += [
                found[name].text(LEFT + CELL * number, top) for number, name in enumerate(columns) if name in found
            ]
            top += ROW
        parts += [
            f'<text transform="translate({LEFT + CELL * number + 8} {top + 8}) rotate(60)">'
            f"{escape(name[:LETTERS])}</text>"
            for number, name in enumerate(columns)
        ]
        top += GAP + 6 * max((len(name[:LETTERS]) for name in columns), default=0)
    width = max(width + 6 * LETTERS // 2, 32 + 9 * len(title), 32 + 7 * max(map(len, LEGEND)))
    begin = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" font-family="sans-serif" '
        f'font-size="11" fill="{TEXT}">',
        f'<rect width="{width}" height="{top}" fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="15">{escape(title)}</text>',
        *(f'<text x="16" y="{42 + 16 * number}">{line}</text>' for number, line in enumerate(LEGEND)),
    ]
    return visible("\n".join([*begin, *parts, "</svg>"]) + "\n")


def _answers(rounds: Sequence[Leaning]) -> list[str]:
    """The answers of a choice in a good order: numbers by size, words as they are spelt."""
    names = {name for leaning in rounds for name in leaning.evenly}
    return sorted(names, key=lambda name: (not _is_number(name), int(name) if _is_number(name) else 0, name))[:LISTED]


def _is_number(name: str) -> bool:
    return name.lstrip("-").isascii() and name.lstrip("-").isdigit() and len(name) < 12


def _of_answers(leaning: Leaning) -> dict[str, ShadedCell]:
    found = {}
    for name, given, evenly in leaning.shares():
        frame = FRAME if given >= 1.5 * evenly and given >= NOTABLE else NO_FRAME
        told = f"{name}: {100 * given:.1f} %, by chance {100 * evenly:.1f} %"
        if evenly:
            found[name] = ShadedCell(given**0.5, DARK, frame, told)
    return found


def _terms(rounds: Sequence[Leaning]) -> list[str]:
    """The terms that tell most in any round, the most telling first."""
    most: dict[str, float] = {}
    for leaning in rounds:
        for name, by in leaning.terms.items():
            most[name] = max(most.get(name, 0.0), abs(by))
    return [name for name in sorted(most, key=lambda name: (-most[name], name)) if most[name] >= DEVIATION][:TERMS]


def _of_terms(leaning: Leaning) -> dict[str, ShadedCell]:
    return {
        name: ShadedCell(min(1.0, abs(by) / 2), DARK if by > 0 else LESS, NO_FRAME, f"{name}: {by:+.1f} deviations")
        for name, by in leaning.terms.items()
    }
