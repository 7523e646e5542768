"""Why the chosen answer beats another one, in words that add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.reports.contest_table import contest_titles, shown_answer
from chocolatl.interpreter.terminal.reports.worth import UNITS, apportioned, hundredths, number

if TYPE_CHECKING:
    from chocolatl.solver.explanation import ContestDifference, Explanation
    from chocolatl.solver.worth.contests import Choices

MOST_DIFFERENCES = 8
"""So many contests have a line each: those that make the greatest difference."""

NO_CONTEST = "what is held at the horizon, what others have, and all that no contest pays"


def explanation_lines(explanation: Explanation) -> list[str]:
    """Why the chosen answer beats another one, in words; of points and margins, what is told adds up."""
    ahead = explanation.ahead
    unit = UNITS[explanation.objective]
    where = "ahead of" if ahead.mean > 0 else "behind"
    far = f"{number(abs(hundredths(ahead.mean)))} ± {ahead.error:.2f}"
    word = "level with" if ahead.mean == 0 else f"{far} {unit} {where}"
    other = told_beside(explanation.other, explanation.chosen)
    kind = ", which wins the same, since nothing of another kind was compared" if explanation.alike else ""
    elsewhere = "; it was chosen by other scenarios" if ahead.mean < 0 else ""
    lines = [f"{explanation.where} the chosen answer is {word} the runner-up, {other}{kind}{elsewhere}"]
    titles = contest_titles([difference.name for difference in explanation.differences])
    gains = [difference.gain for difference in explanation.differences]
    parts = [*gains, explanation.rest, *explanation.holdings.values()]
    if explanation.objective.startswith("win"):
        shown = [*map(hundredths, gains), 0]
    else:
        shown = apportioned(hundredths(ahead.mean), parts)
    rows = list(zip(titles, explanation.differences, shown, strict=False))
    for title, difference, gain in rows[:MOST_DIFFERENCES]:
        if gain or _bid(difference.bids[0]) != _bid(difference.bids[1]):
            lines.append(f"- {title}: {_difference(difference)}: {number(gain, '+')} points")
    if more := [gain for _, _, gain in rows[MOST_DIFFERENCES:]]:
        lines.append(f"- {len(more)} other contests, each with a smaller difference: {number(sum(more), '+')} points")
    rest, *items = shown[len(gains) :]
    if rest:
        what = "points that no contest pays" if explanation.objective == "points" else NO_CONTEST
        lines.append(f"- {what}: {number(rest, '+')} points")
    for name, item in zip(explanation.holdings, items, strict=True):
        if item:
            lines.append(f"- held afterwards, {one_line(name)}: {number(item, '+')} points")
    end = ":" if len(lines) > 1 else ", in every contest" if ahead.mean == 0 else ""
    return [lines[0] + end, *lines[1:]]


def _difference(difference: ContestDifference) -> str:
    mine, other = difference.held
    if not mine or not other:
        return "it takes part only with " + ("the chosen answer" if mine else "the other one")
    parts = [] if f"{mine:.0%}" == f"{other:.0%}" else [f"it takes part in {mine:.0%} instead of {other:.0%}"]
    ours, theirs = map(_bid, difference.bids)
    parts.append(f"bids {ours} instead of {theirs}" if ours != theirs else f"bids {ours} in both")
    for name, shares in (("first", difference.first), ("last", difference.last)):
        one, two = (f"{share:.0%}" for share in shares)
        if one != two:
            parts.append(f"is {name} in {one} instead of {two}")
    return ", ".join(parts)


def _bid(mean: float) -> str:
    return f"{mean:.1f}".removesuffix(".0")


def told_beside(choices: Choices, best: Choices) -> str:
    """An answer beside the best one: in what it differs, if that is the shorter way to say it."""
    others = tuple(choice for choice in choices if choice not in best)
    if 2 * len(others) <= len(choices) and [name for name, _ in choices] == [name for name, _ in best]:
        return f"the same but {told(others)}" if others else "the same"
    return told(choices)


def told(choices: Choices) -> str:
    return ", ".join(f"{one_line(name)} {shown_answer(value)}" for name, value in choices)
