"""The best answer, for people: what to answer, how it fares in each contest, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.board.fields import plain_table
from chocolatl.interpreter.terminal.output.console import GOOD, NOTICE, VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.reports.worth import (
    NO_PARTS,
    UNITS,
    apportioned,
    counted,
    estimate,
    headline,
    hundredths,
    number,
    shown_parts,
    worth,
)

if TYPE_CHECKING:
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.explanation import ContestDifference, Explanation
    from chocolatl.solver.report import ValuedAnswer

MOST_CONTESTS = 12
"""Of more contests, those that pay most have a line each."""

NO_CONTEST = "what is held at the horizon, what others have, and all that no contest pays"


def show_advice(game: Game, player: str, objective: str, advice: Advice, console: Console) -> None:
    console.print(VisibleText(f"{game.files.title}: the best answer of {player}", "bold"))
    answers = plain_table()
    answers.add_column("choice")
    answers.add_column("answer")
    for name, value in advice.choices:
        answers.add_row(one_line(name), shown_answer(value))
    console.print(answers)
    console.print(VisibleText(headline(advice, objective), GOOD))
    if advice.contests:
        console.print(_contests(advice))
    for line in _proof(advice):
        console.print(VisibleText(line))
    if len(advice.options) > 1:
        console.print(_options(advice.options))
    if advice.compared is not None:
        told, behind = _told(advice.compared.choices), advice.compared.behind
        word = "as good" if behind.mean == 0 else f"{estimate(behind)} behind the best answer"
        console.print(VisibleText(f"your idea, {told}: {estimate(advice.compared.value)}, {word}", NOTICE))
    for line in _small_print(advice, objective):
        console.print(VisibleText(line, "dim"))


def _contests(advice: Advice) -> FoldingTable:
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
        more = "?" if contest.one_more is None else f"{contest.one_more:+.2f}"
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


def hint_lines(options: Sequence[ValuedAnswer]) -> list[str]:
    """What to answer, what that is worth, and what comes next to it."""
    best, *others = options
    lines = [f"{_told(best.choices)}: {worth(best.value, best.parts, 'points', '')}"]
    for other in others[:2]:
        behind, less = other.behind, "less" if other.behind.mean >= 0 else "more"
        told = f"{number(abs(hundredths(behind.mean)))} ± {behind.error:.2f} points {less}"
        lines.append(f"  then {_told(other.choices)}: {told}")
    return lines


def explanation_lines(explanation: Explanation) -> list[str]:
    """Why the chosen answer beats another one, in words; of points and margins, what is told adds up."""
    ahead = explanation.ahead
    unit = UNITS[explanation.objective]
    where = "ahead of" if ahead.mean > 0 else "behind"
    far = f"{number(abs(hundredths(ahead.mean)))} ± {ahead.error:.2f}"
    word = "level with" if ahead.mean == 0 else f"{far} {unit} {where}"
    other = _told(explanation.other)
    lines = [f"in {ahead.samples} scenarios the chosen answer is {word} the runner-up, {other}"]
    titles = contest_titles([difference.name for difference in explanation.differences])
    gains = [difference.gain for difference in explanation.differences]
    parts = [*gains, explanation.rest, *explanation.holdings.values()]
    if explanation.objective == "win":
        shown = [*map(hundredths, gains), 0]
    else:
        shown = apportioned(hundredths(ahead.mean), parts)
    for title, difference, gain in zip(titles, explanation.differences, shown, strict=False):
        if gain or _bid(difference.bids[0]) != _bid(difference.bids[1]):
            lines.append(f"- {title}: {_difference(difference)}: {number(gain, '+')} points")
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
    ours, theirs = map(_bid, difference.bids)
    bids = f"bids {ours} instead of {theirs}" if ours != theirs else f"bids {ours} in both"
    parts = [bids]
    for name, (mine, other) in (("first", difference.first), ("last", difference.last)):
        if mine != other:
            parts.append(f"is {name} in {mine:.0%} instead of {other:.0%}")
    return ", ".join(parts)


def _bid(mean: float) -> str:
    return f"{mean:.1f}".removesuffix(".0")


def _told(choices: tuple[tuple[str, object], ...]) -> str:
    return ", ".join(f"{one_line(name)} {shown_answer(value)}" for name, value in choices)


def _proof(advice: Advice) -> list[str]:
    """What is proved, and of what."""
    if advice.value is None:
        return []
    if advice.model is None:
        exact = advice.status == "optimal"
        return ["exact: the best of all answers" if exact else "by sampling, without proof"]
    searched = "this one scenario" if advice.scenarios == 1 else f"these {advice.scenarios} scenarios"
    so = f"if later decisions are made so: {advice.policy}"
    if advice.status == "optimal":
        return [f"proved: the best of all answers in {searched} (value {advice.value:.3f} there), {so}"]
    if advice.proved is not None:
        best = advice.proved
        return [
            f"proved: {_told(best.choices)} is the best of all answers in {searched} (value {best.value:.3f} there, "
            f"{advice.value:.3f} of the chosen one), {so}; the chosen one was better in other scenarios"
        ]
    if advice.bound is None:
        modelled = f"{advice.model.modelled} of {counted(advice.scenarios)} became a model"
        return [f"not proved: in the time {modelled} (value {advice.value:.3f} in all of them)"]
    return [
        f"not proved: in {searched} its value is {advice.value:.3f}, and that of any at most {advice.bound:.3f}, {so}"
    ]


def _options(options: tuple[ValuedAnswer, ...]) -> FoldingTable:
    """What else can be answered, and what it is worth in fresh scenarios."""
    table = plain_table()
    table.add_column("answer")
    table.add_column("value", justify="right")
    table.add_column("behind", justify="right")
    for place, option in enumerate(options):
        table.add_row(_told(option.choices), estimate(option.value), estimate(option.behind) if place else "")
    return table


def _small_print(advice: Advice, objective: str) -> list[str]:
    lines = [line for line in (advice.why_not_fresh, NO_PARTS.get(objective)) if line is not None]
    left_out = [f"left out: {what}" for what in advice.left_out]
    if advice.model is None:
        no_model = [f"no model: {advice.why}"] * (advice.why is not None)
        if advice.engine == "exact" and objective not in NO_PARTS:
            lines.append("of all histories no parts are told")
        return [*lines, *no_model, f"{advice.seconds:.2f} s; own later decisions: {advice.policy}", *left_out]
    size = f"{advice.model.variables:,} variables, {advice.model.constraints:,} constraints, {advice.seconds:.2f} s"
    lines += [f"the proof rests on {advice.proof}"] * (advice.proof is not None)
    return [*lines, f"{advice.engine}: {size}; played again by the interpreter", *left_out]


def shown_answer(value: object) -> str:
    """An answer as people read it."""
    if isinstance(value, list):
        return one_line(" ".join(map(str, value))) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{one_line(name)} {shown_answer(part)}" for name, part in value.items())
    return "none" if value is None else one_line(str(value))
