"""What an answer is worth, in words: points by contests, points elsewhere and what is held afterwards, which add up.

Numbers are rounded so that the digits that are shown add up, too (by largest remainders): a whole is rounded first, and
its parts get what is left of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:
    from chocolatl.interpreter.play.game import Game, Position
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.question import SolverQuestion
    from chocolatl.solver.worth.estimates import Estimate
    from chocolatl.solver.worth.parts import ValueParts

UNITS = {
    "points": "points",
    "margin": "points of margin",
    "win": "victories",
    "win:half": "victories (a shared one is a half)",
}

NO_PARTS = {
    "margin": "a margin is no sum of parts: it takes off what the best other player has",
    "win": "victories are no sum of parts",
    "win:half": "victories are no sum of parts",
}


@dataclass(frozen=True)
class ShownParts:
    """A value and its parts in hundredths, as they are shown."""

    total: int
    by_contests: int
    elsewhere: int
    held: int
    contests: dict[str, int]
    holdings: dict[str, int]


def hundredths(value: float) -> int:
    """A value in hundredths. A mean and the sum of its parts may differ by what floating point adds; not here."""
    return round(round(100 * value, 6))


def apportioned(whole: int, parts: Sequence[float]) -> list[int]:
    """Parts of a whole, in hundredths: each is rounded up or down, and they add up to the whole."""
    exact = [round(100 * part, 6) for part in parts]
    found = [floor(part) for part in exact]
    order = sorted(range(len(parts)), key=lambda number: found[number] - exact[number])
    for number in order[: max(0, whole - sum(found))]:
        found[number] += 1
    return found


def shown_parts(parts: ValueParts) -> ShownParts:
    total = hundredths(parts.total)
    by_contests, elsewhere, held = apportioned(total, [parts.by_contests, parts.elsewhere, parts.held])
    return ShownParts(
        total, by_contests, elsewhere, held,
        _by_name(by_contests, parts.contests), _by_name(held, parts.holdings),
    )  # fmt: skip


def _by_name(whole: int, parts: Mapping[str, float]) -> dict[str, int]:
    return dict(zip(parts, apportioned(whole, list(parts.values())), strict=True))


def number(value: int, sign: str = "") -> str:
    """Hundredths as people read them."""
    return f"{value / 100:{sign}.2f}"


def estimate(found: Estimate) -> str:
    """A mean with its standard error."""
    return f"{number(hundredths(found.mean))} ± {found.error:.2f}"


def split(parts: ValueParts) -> str:
    """What a value is the sum of; nothing, if it is points alone, and no contest has paid any of them."""
    shown = shown_parts(parts)
    terms = [(shown.elsewhere, "points")]
    if parts.contests:
        terms = [(shown.by_contests, "points by contests"), (shown.elsewhere, "elsewhere")]
    if parts.holdings:
        items = ", ".join(f"{one_line(name)} {number(item)}" for name, item in shown.holdings.items() if item)
        terms.append((shown.held, "held afterwards" + (f" ({items})" if items else "")))
    (first, what), *more = terms
    added = [f" {'-' if value < 0 else '+'} {number(abs(value))} {word}" for value, word in more]
    return "".join([f" = {number(first)} {what}", *added]) if more else ""


def worth(found: Estimate, parts: ValueParts | None, objective: str, where: str, sure: bool = False) -> str:
    """The headline: what an answer is worth, where that was seen, and what it is made of."""
    value = number(hundredths(found.mean)) if sure else estimate(found)
    made = split(parts) if parts is not None else ""
    return f"worth {value}{'' if made else ' ' + UNITS[objective]}{where}{made}"


def headline(advice: Advice, objective: str) -> str:
    """What is said first of an answer."""
    report = advice.report
    if report is None:
        if advice.status == "optimal" and advice.model is None and advice.fresh is not None:
            where = f" over all {advice.scenarios:,} histories {opponents(advice)}"
            return worth(advice.fresh, advice.parts, objective, where, sure=True)
        if advice.value is None:
            return "value not known: the time was up before the answer was played; any other may be better"
        once = "played once" if advice.model is None else f"in the {counted(advice.scenarios)} of the search"
        return f"worth {advice.value:.2f} {UNITS[objective]}, {once}"
    samples = report.value.samples
    if advice.fresh is not None:
        return worth(advice.fresh, report.parts, objective, f" in {_fresh(samples)} {opponents(advice)}")
    if advice.model is None:
        return worth(report.value, report.parts, objective, f", played on {samples} times")
    searched = "this one scenario" if samples == 1 else f"these {samples} scenarios"
    return worth(report.value, report.parts, objective, f" in {searched}", sure=True)


def counted(scenarios: int) -> str:
    return "1 scenario" if scenarios == 1 else f"{scenarios} scenarios"


def _fresh(samples: int) -> str:
    return "1 fresh scenario" if samples == 1 else f"{samples} fresh scenarios"


def opponents(advice: Advice) -> str:
    """Whom the scenarios are about."""
    if advice.fresh_file is not None:
        return f"of {one_line(advice.fresh_file)}"
    return f"against {one_line(advice.against)} players" if advice.is_drawn else f"of {one_line(advice.against)}"


def rests_on(question: SolverQuestion, advice: Advice) -> list[str]:
    """What else an answer rests on: on whom, where nobody said it; and on how what lies unseen was drawn."""
    lines = [one_line(question.instead)] if question.instead is not None else []
    held = advice.beliefs
    if held is None:
        return lines
    if held.worlds is not None:
        told = f"{len(held.worlds.shares):,} worlds, by how likely the policy makes what was seen"
        return [*lines, f"what lies unseen: drawn from {told}; they say as much as {held.worlds.effective:.1f} alike"]
    return [*lines, f"what lies unseen: drawn evenly{'; ' + held.why_not if held.why_not else ''}"]


def until_when(game: Game, position: Position, question: SolverQuestion, farther: str) -> str:
    """How far a value counts, and whether what lasts beyond that is worth anything; `farther` is how to look there."""
    from chocolatl.solver.worth.horizons import LEAST, HorizonKind, horizon_of

    if not horizon_of(game, position, question.horizon).rounds:
        return "counted until the end of the game"
    if question.horizon == HorizonKind.FAR:
        until = f"counted until the end of a round that is at least {LEAST} decisions away"
    else:
        until = "counted until the end of the round"
    if question.valuation:
        return until
    beyond = f"; {farther} looks beyond it" if question.horizon == HorizonKind.ROUND else ""
    return f"{until}, and without a valuation what lasts longer counts for nothing{beyond}"
