"""The best answer, for people: what to answer, how it fares in each contest, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from interpreter.game import Game
from interpreter.terminal.board import plain_table
from interpreter.terminal.console import GOOD

if TYPE_CHECKING:
    from solver.best import Best

WHAT = {
    "points": "points until the end of the round or the game",
    "margin": "points ahead of the best other player",
    "win": "share of victory",
}


def show_best(game: Game, player: str, objective: str, best: Best, console: Console) -> None:
    console.print(Text(f"{game.files.title}: the best answer of {player}", "bold"))
    answers = plain_table()
    answers.add_column("choice")
    answers.add_column("answer")
    for name, value in best.choices:
        answers.add_row(name, _shown(value))
    console.print(answers)
    if best.contests:
        contests = plain_table()
        for title in ("contest", "bid", "first", "second", "last", "points", "margin"):
            contests.add_column(title, justify="left" if title == "contest" else "right")
        for contest in best.contests:
            places = [f"{share:.0%}" for share in (contest.first, contest.second, contest.last)]
            contests.add_row(contest.name, str(contest.bid), *places, f"{contest.points:+.2f}", f"{contest.margin:+}")
        console.print(contests)
    scenarios = "1 scenario" if best.scenarios == 1 else f"{best.scenarios} scenarios"
    proof = "proved: no answer is better" if best.status == "optimal" else f"not proved: at most {best.bound:.3f}"
    console.print(Text(f"value {best.value:.3f} ({WHAT[objective]}, {scenarios}); {proof}", GOOD))
    console.print(
        f"{best.variables:,} variables, {best.constraints:,} constraints, {best.seconds:.2f} s; played again by the "
        f"interpreter; own later decisions: {best.policy}",
        style="dim",
    )
    for other in best.alternatives:
        told = ", ".join(f"{name} {_shown(value)}" for name, value in other.choices)
        console.print(Text(f"also {other.value:.3f}: {told}", "dim"))


def _shown(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    return "none" if value is None else str(value)
