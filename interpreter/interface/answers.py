"""What the solver answers, as an object: the best choices, what they are worth, why, and a drawing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chocolatl.interpreter.interface.errors import ChocolatlError, told
from chocolatl.interpreter.interface.positions import TablePosition
from chocolatl.interpreter.interface.tabulating import Row, Rowed
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.answer import Advice
from chocolatl.solver.explanation import Understanding
from chocolatl.solver.question import SolverQuestion
from chocolatl.solver.worth.estimates import Estimate

EXPLAINING = 10.0
"""So many seconds are for an explanation, or for a drawing."""


@dataclass(frozen=True)
class SolvedAnswer(Rowed):
    """The best answer of a player. What `chocolatl solve --json` tells is in `as_json()`."""

    position: TablePosition
    player: str
    question: SolverQuestion
    advice: Advice = field(repr=False)

    def __repr__(self) -> str:
        laid = ", ".join(f"{name}: {value}" for name, value in self.choices.items())
        return f"<answer of {self.player}: {laid}; {self.headline}>"

    @property
    def choices(self) -> dict[str, Any]:
        """What to answer, choice by choice."""
        return dict(self.advice.choices)

    @property
    def value(self) -> float | None:
        """What it is worth in the scenarios of the search, where it was chosen: not the number to believe."""
        return self.advice.value

    @property
    def bound(self) -> float | None:
        """What no answer exceeds in the scenarios of the search."""
        return self.advice.bound

    @property
    def status(self) -> str:
        """`optimal` if that is proved, else `feasible` or `unknown`."""
        return self.advice.status

    @property
    def fresh(self) -> Estimate | None:
        """What it is worth in scenarios that nothing was fitted to: mean, error, samples."""
        return self.advice.fresh

    @property
    def headline(self) -> str:
        from chocolatl.interpreter.terminal.reports.worth import headline

        return headline(self.advice, self.question.objective)

    @property
    def rows(self) -> list[Row]:
        """The answer and the best others: choices, value with its standard error, and by how much each is behind."""
        options = [
            {"rank": rank, **dict(option.choices), "value": option.value.mean, "error": option.value.error,
             "behind": option.behind.mean}
            for rank, option in enumerate(self.advice.options, start=1)
        ]  # fmt: skip
        return options or [{"rank": 1, **self.choices, "value": self.value, "error": None, "behind": 0.0}]

    def as_json(self) -> dict[str, Any]:
        from chocolatl.interpreter.commands.solving.results import content

        return content(self.player, self.question, self.advice)

    @cached_property
    def _understanding(self) -> Understanding:
        game, seat = self.position.game, self.position.seat(self.player)
        deadline = Deadline(EXPLAINING)
        return Understanding(game, self.position.value, seat, self.question, self.advice, deadline)

    def explain(self) -> str:
        """Why it beats the runner-up."""
        from chocolatl.interpreter.terminal.reports.explaining import explanation_lines

        other = self.advice.runner_up
        if other is None:
            return "no other answer was compared with the best one"
        with told():
            if self._understanding.count < 2:
                return "the time was too short to say why it is the best"
            return "\n".join(explanation_lines(self._understanding.explanation(other)))

    def plot(self) -> str:
        """A drawing (SVG) of how bids fare in each contest."""
        from chocolatl.interpreter.terminal.reports.bids import drawn

        with told():
            found = self._understanding
            curves = found.curves()
            if not curves:
                raise ChocolatlError("no contest is decided before the horizon, so that there is nothing to draw")
            title = f"{self.position.game.files.title}: how bids fare, and what {self.player} lays"
            return drawn(title, self.headline, found.where, curves, self.advice.parts)
