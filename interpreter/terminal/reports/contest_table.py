"""How an answer fares in each contest, as a table for people, with what has to be said beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.board.fields import plain_table
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.worth import UNITS, apportioned, hundredths, number, shown_parts

if TYPE_CHECKING:
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.worth.contests import ContestReport

MOST_CONTESTS = 12
"""Of more contests, those that pay most have a line each."""

SHARED = "whoever shares a place, or is alone in a contest, may be first and last at once"

LUCK = 2
"""What differs from 0 by fewer standard errors may be luck."""


def contest_table(advice: Advice) -> FoldingTable:
    """How the answer fares in each contest. The points are those of the headline: with all that no contest pays, they
    add up to it."""
    table = plain_table()
    judged = any(contest.one_more is not None for contest in advice.contests) or advice.model is not None
    columns = ["contest", "laid", "bid", "first", "second", "last", "points", "margin", *["one more"] * judged]
    for title in columns:
        table.add_column(title, justify="left" if title in ("contest", "laid") else "right", overflow="fold")
    shown = None if advice.parts is None else shown_parts(advice.parts)
    titles = contest_titles([contest.name for contest in advice.contests])
    most = sorted(advice.contests, key=lambda contest: -abs(contest.points))[:MOST_CONTESTS]
    left_out = [contest for contest in advice.contests if contest not in most]
    for title, contest in zip(titles, advice.contests, strict=True):
        if contest in left_out:
            continue
        places = [f"{share:.0%}" for share in (contest.first, contest.second, contest.last)]
        laid = "" if contest.laid is None else shown_answer(contest.laid)
        more = "?" if contest.one_more is None else number(hundredths(contest.one_more), "+")
        points = hundredths(contest.points) if shown is None else shown.contests[contest.name]
        figures = number(points, "+"), f"{contest.margin:+}", *[more] * judged
        low, high = contest.lowest_bid, contest.highest_bid
        table.add_row(title, laid, str(low) if low == high else f"{low}..{high}", *places, *figures)
    if left_out:
        paid = sum(hundredths(c.points) if shown is None else shown.contests[c.name] for c in left_out)
        table.add_row(f"{len(left_out)} others", *[""] * 5, number(paid, "+"), *[""] * (1 + judged))
    if shown is not None:
        held = [(f"held: {one_line(name)}", item) for name, item in shown.holdings.items() if item]
        for title, points in [("elsewhere", shown.elsewhere), *held, ("sum", shown.total)]:
            table.add_row(title, *[""] * 5, number(points, "+"), *[""] * (1 + judged))
    return table


def contest_titles(names: Sequence[str]) -> list[str]:
    """What each contest is about, a place for example. The ranking that most of them have goes without saying, but a
    number alone says nothing."""
    parts = [name.removesuffix(")").partition("(") for name in names]
    usual = Counter(ranking for ranking, _, about in parts if about and not about.isdecimal()).most_common(1)
    unsaid = usual[0][0] if usual else None
    return [
        about if about and not about.isdecimal() and ranking == unsaid else f"{ranking} ({about})" if about else ranking
        for ranking, _, about in parts
    ]


def contest_notes(advice: Advice, objective: str) -> list[str]:
    """What somebody who sees the table for the first time has to be told."""
    titles = contest_titles([contest.name for contest in advice.contests])
    lines = [SHARED] * any(c.first + c.last > 1.001 or c.first + c.second + c.last > 1.501 for c in advice.contests)
    for title, contest in zip(titles, advice.contests, strict=True):
        if contest.one_more is not None and hundredths(contest.one_more) < 0:
            lines.append(_less(title, contest, objective))
    return lines


def _less(title: str, contest: ContestReport, objective: str) -> str:
    """Why one more may be less."""
    assert contest.one_more is not None and contest.one_more_error is not None
    whole, error = hundredths(contest.one_more), contest.one_more_error
    told = (
        f"{title}, one more: a better place there leads to less than the present one, by {number(-whole)} ± {error:.2f}"
    )
    told += f" {UNITS[objective]}"
    if contest.one_more_points is not None:
        points, rest = apportioned(whole, [contest.one_more_points, contest.one_more - contest.one_more_points])
        told += f" ({number(points, '+')} points, {number(rest, '+')} held afterwards)" if rest else ""
    return told + ("; that may be luck" if -contest.one_more < LUCK * error else "")


def shown_answer(value: object) -> str:
    """An answer as people read it."""
    if isinstance(value, list):
        return one_line(" ".join(map(str, value))) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{one_line(name)} {shown_answer(part)}" for name, part in value.items())
    return "none" if value is None else one_line(str(value))
