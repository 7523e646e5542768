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

if TYPE_CHECKING:
    from chocolatl.solver.advice import Advice, ValuedAnswer
    from chocolatl.solver.explanation import ContestDifference, Explanation
    from chocolatl.solver.methods.sampling import Estimate

WHAT = {
    "points": "points until the end of the round or the game",
    "margin": "points ahead of the best other player",
    "win": "share of victory",
}
UNITS = {"points": "points", "margin": "points of margin", "win": "victories"}


def show_advice(game: Game, player: str, objective: str, advice: Advice, console: Console) -> None:
    console.print(VisibleText(f"{game.files.title}: the best answer of {player}", "bold"))
    answers = plain_table()
    answers.add_column("choice")
    answers.add_column("answer")
    for name, value in advice.choices:
        answers.add_row(one_line(name), shown(value))
    console.print(answers)
    if advice.contests:
        contests = plain_table()
        for title in ("contest", "laid", "bid", "first", "second", "last", "points", "margin", "one more"):
            contests.add_column(title, justify="left" if title in ("contest", "laid") else "right", overflow="fold")
        titles = contest_titles([contest.name for contest in advice.contests])
        for title, contest in zip(titles, advice.contests, strict=True):
            places = [f"{share:.0%}" for share in (contest.first, contest.second, contest.last)]
            laid = "" if contest.laid is None else shown(contest.laid)
            more = "?" if contest.one_more is None else f"{contest.one_more:+.2f}"
            figures = f"{contest.points:+.2f}", f"{contest.margin:+}", more
            low, high = contest.lowest_bid, contest.highest_bid
            contests.add_row(title, laid, str(low) if low == high else f"{low}..{high}", *places, *figures)
        console.print(contests)
    console.print(VisibleText(_value(advice, objective), GOOD))
    if len(advice.options) > 1:
        console.print(_options(advice.options))
    if advice.compared is not None:
        told, behind = _told(advice.compared.choices), advice.compared.behind
        word = "as good" if behind.mean == 0 else f"{_estimate(behind)} behind the best answer"
        console.print(VisibleText(f"your idea, {told}: {_estimate(advice.compared.value)}, {word}", NOTICE))
    for line in _small_print(advice):
        console.print(VisibleText(line, "dim"))


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
    """What to answer, how many points that is worth, and what comes next to it."""
    best, *others = options
    lines = [f"{_told(best.choices)}: {_estimate(best.value)} points"]
    return lines + [f"  then {_told(other.choices)}: {_estimate(other.behind)} points less" for other in others[:2]]


def explanation_lines(explanation: Explanation) -> list[str]:
    """Why the best answer beats another one, in words."""
    ahead = explanation.ahead
    unit = UNITS[explanation.objective]
    word = "level with" if ahead.mean == 0 else f"{_estimate(ahead)} {unit} ahead of"
    other = _told(explanation.other)
    lines = [f"in {ahead.samples} fresh scenarios the best answer is {word} the runner-up, {other}"]
    titles = contest_titles([difference.name for difference in explanation.differences])
    for title, difference in zip(titles, explanation.differences, strict=True):
        if difference.gain or _bid(difference.bids[0]) != _bid(difference.bids[1]):
            lines.append(f"- {title}: {_difference(difference)}")
    if abs(explanation.rest) >= 0.005:
        lines.append(f"- what is held at the horizon, and all that no contest pays: {explanation.rest:+.2f} points")
    end = ":" if len(lines) > 1 else ", in every contest" if ahead.mean == 0 else ""
    return [lines[0] + end, *lines[1:]]


def _difference(difference: ContestDifference) -> str:
    ours, theirs = map(_bid, difference.bids)
    bids = f"bids {ours} instead of {theirs}" if ours != theirs else f"bids {ours} in both"
    parts = [bids]
    for name, (mine, other) in (("first", difference.first), ("last", difference.last)):
        if mine != other:
            parts.append(f"is {name} in {mine:.0%} instead of {other:.0%}")
    return f"{', '.join(parts)}: {difference.gain:+.2f} points"


def _bid(mean: float) -> str:
    return f"{mean:.1f}".removesuffix(".0")


def _told(choices: tuple[tuple[str, object], ...]) -> str:
    return ", ".join(f"{one_line(name)} {shown(value)}" for name, value in choices)


def _value(advice: Advice, objective: str) -> str:
    scenarios = "1 scenario" if advice.scenarios == 1 else f"{advice.scenarios} scenarios"
    if advice.status == "optimal" and advice.model is None:
        return f"value {advice.value:.3f} ({WHAT[objective]}, all {advice.scenarios:,} histories); exact"
    if advice.value is None:
        return "value not known: the time was up before the answer was played; any other may be better"
    if advice.model is None and advice.fresh is None:
        return f"value {advice.value:.2f} ({WHAT[objective]}, played once); by sampling, without proof"
    if advice.model is None and advice.fresh is not None:
        return f"value {_estimate(advice.fresh)} ({WHAT[objective]}, {scenarios}); by sampling, without proof"
    assert advice.model is not None
    if advice.status == "optimal":
        proof = "proved: no answer is better"
    elif advice.bound is None:
        proof = f"not proved: in the time {advice.model.modelled} of them became a model"
    else:
        proof = f"not proved: at most {advice.bound:.3f}"
    return f"value {advice.value:.3f} ({WHAT[objective]}, {scenarios}); {proof}"


def _options(options: tuple[ValuedAnswer, ...]) -> FoldingTable:
    """What else can be answered, and what it is worth in fresh scenarios."""
    table = plain_table()
    table.add_column("answer")
    table.add_column("value", justify="right")
    table.add_column("behind", justify="right")
    for place, option in enumerate(options):
        table.add_row(_told(option.choices), _estimate(option.value), _estimate(option.behind) if place else "")
    return table


def _small_print(advice: Advice) -> list[str]:
    later = f"own later decisions: {advice.policy}"
    left_out = [f"left out: {what}" for what in advice.left_out]
    if advice.model is None:
        no_model = [f"no model: {advice.why}"] * (advice.why is not None)
        return [*no_model, f"{advice.seconds:.2f} s; {later}", *left_out]
    size = f"{advice.model.variables:,} variables, {advice.model.constraints:,} constraints, {advice.seconds:.2f} s"
    proof = [f"the proof rests on {advice.proof}"] * (advice.proof is not None)
    return [
        *_fresh(advice.fresh),
        *proof,
        f"{advice.engine}: {size}; played again by the interpreter; {later}",
        *left_out,
    ]


def _fresh(fresh: Estimate | None) -> list[str]:
    return [f"in {fresh.samples} fresh scenarios it is worth {_estimate(fresh)}"] if fresh is not None else []


def _estimate(estimate: Estimate) -> str:
    """A mean with its standard error."""
    return f"{estimate.mean:.2f} ± {estimate.error:.2f}"


def shown(value: object) -> str:
    """An answer as people read it."""
    if isinstance(value, list):
        return one_line(" ".join(map(str, value))) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{one_line(name)} {shown(part)}" for name, part in value.items())
    return "none" if value is None else one_line(str(value))
