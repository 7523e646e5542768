"""What a policy likes to do, in words and as a picture: a row of shades for each choice, darker where an answer is more
common (a heat map, SVG)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from chocolatl.interpreter.learning.leanings import Leaning
from chocolatl.interpreter.system.escaping import one_line, visible

SHOWN, LISTED = 3, 64
"""So many answers are named in a line, and drawn at most."""

TELLING, NOTABLE = 1.2, 0.02
"""An answer is liked that is given so many times as often as chance would, and in at least this part of all cases."""

DEVIATION = 0.1
"""A term is named that lies so far from the middle of what is legal."""

LEFT, TOP, CELL, ROW, GAP = 230, 60, 22, 18, 26
DARK, TEXT = (91, 58, 30), "#1f2328"


def words(leanings: Sequence[Leaning]) -> Iterator[str]:
    """A line for each round, below the name of each choice."""
    for choice, rounds in groupby(leanings, key=lambda leaning: leaning.choice):
        yield one_line(choice)
        for leaning in rounds:
            yield one_line(f"  round {leaning.round}, {leaning.times:,} times: {sentence(leaning)}")


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


def drawn(title: str, leanings: Sequence[Leaning]) -> str:
    """Of each choice a block: a row for each round, a column for each answer; below it the names of the answers."""
    parts, top, width = [], TOP, LEFT
    for choice, group in groupby((each for each in leanings if each.evenly), key=lambda leaning: leaning.choice):
        rounds = list(group)
        answers = _answers(rounds)
        width = max(width, LEFT + CELL * len(answers))
        parts.append(f'<text x="16" y="{top + 13}" font-weight="bold">{escape(choice)}</text>')
        for place, leaning in enumerate(rounds):
            parts += _row(leaning, answers, top + place * ROW)
        top += len(rounds) * ROW
        parts += [
            f'<text transform="translate({LEFT + CELL * number + 14} {top + 8}) rotate(60)">{escape(name[:24])}</text>'
            for number, name in enumerate(answers)
        ]
        top += GAP + 6 * max(len(name[:24]) for name in answers)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 120} {top}" font-family="sans-serif" '
        f'font-size="11" fill="{TEXT}">'
    )
    begin = [
        head,
        f'<rect width="{width + 120}" height="{top}" fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="15">{escape(title)}</text>',
        '<text x="16" y="42">darker: more common; a frame: at least half as often again as by chance</text>',
    ]
    return visible("\n".join([*begin, *parts, "</svg>"]) + "\n")


def _answers(rounds: Sequence[Leaning]) -> list[str]:
    """The answers of a choice in a good order: numbers by size, words as they are spelt."""
    names = {name for leaning in rounds for name in leaning.evenly}
    return sorted(names, key=lambda name: (not _is_number(name), int(name) if _is_number(name) else 0, name))[:LISTED]


def _is_number(name: str) -> bool:
    return name.lstrip("-").isascii() and name.lstrip("-").isdigit() and len(name) < 12


def _row(leaning: Leaning, answers: Sequence[str], top: int) -> Iterator[str]:
    shares = {name: (given, evenly) for name, given, evenly in leaning.shares()}
    yield f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">round {leaning.round}</text>'
    for number, name in enumerate(answers):
        given, evenly = shares.get(name, (0.0, 0.0))
        if not evenly:
            continue
        shade = ",".join(str(round(255 + (dark - 255) * given**0.5)) for dark in DARK)
        frame = "#ff9d45" if given >= 1.5 * evenly and given >= NOTABLE else "#dddddd"
        told = f"{escape(name)}: {100 * given:.1f} %, by chance {100 * evenly:.1f} %"
        yield (
            f'<rect x="{LEFT + CELL * number}" y="{top}" width="{CELL - 2}" height="{ROW - 2}" fill="rgb({shade})" '
            f'stroke="{frame}"><title>{told}</title></rect>'
        )
