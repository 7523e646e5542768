"""Why a question has no answer, as data: words, and in between the parts of the question that are meant (structured
errors).

The solver does not know how it is asked. A caller who has other names for the parts of a question, such as the options
of a command, spells them in its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class QuestionPart(Enum):
    """The parts of a question that a refusal may point at: fields of `chocolatl.solver.advice.SolverQuestion`."""

    AGAINST = "against"
    OBJECTIVE = "objective"
    ENGINE = "engine"
    IDEA = "idea"
    FRESH = "fresh"
    HORIZON = "horizon"
    WORK = "work"
    BELIEFS = "beliefs"


@dataclass(frozen=True)
class QuestionSetting:
    """A part of a question, and which value of it is meant, if one is."""

    part: QuestionPart
    value: str = ""

    def __str__(self) -> str:
        return f"{self.part.value} {self.value}".rstrip()


class Refusal(Exception):
    """A question that cannot be answered as it was asked."""

    def __init__(self, *words: str | QuestionSetting) -> None:
        super().__init__(*words)
        self.words = words

    def told(self, spelled: Callable[[QuestionSetting], str]) -> str:
        """One sentence for the one who asks."""
        return "".join(spelled(word) if isinstance(word, QuestionSetting) else word for word in self.words)

    def __str__(self) -> str:
        return self.told(str)


class NoAnswer(Refusal):
    """There is nothing to solve, or it cannot be solved."""


class NoScenario(Refusal):
    """The scenarios that were asked for cannot be made."""


def nobody_won(objective: str) -> tuple[str, QuestionSetting, str]:
    """The end of a sentence that begins with why the winner may not be known at the horizon."""
    return " so that `", QuestionSetting(QuestionPart.OBJECTIVE, objective), "` has no meaning yet"
