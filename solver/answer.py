"""The answer to a question, whichever engine found it: what to choose, what that is worth, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.backends.cpsat import OPTIMAL
from chocolatl.solver.methods.best import Best
from chocolatl.solver.methods.completing import CompletedIdea
from chocolatl.solver.question import RANDOM
from chocolatl.solver.report import AnswerReport, HistoryReport, ValuedAnswer
from chocolatl.solver.worth.beliefs import HeldBeliefs
from chocolatl.solver.worth.contests import ContestReport
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.parts import ValueParts

HISTORIES = "all histories"
"""What a proof without a model rests on."""


@dataclass(frozen=True)
class Advice:
    """The chosen answer. `fresh` is what it is worth in scenarios that had no part in finding or choosing it; None if
    there are none, or if there was no time. `value`, `bound` and `status` are about the scenarios of the search, and
    about the same answer: another one may be the best there."""

    choices: tuple[tuple[str, object], ...]
    answers: AnswerSequence
    value: float | None
    bound: float | None
    status: str
    engine: str
    policy: str
    """How the player goes on after it, in words."""
    scenarios: int
    seconds: float
    fresh: Estimate | None
    options: tuple[ValuedAnswer, ...]
    """The chosen answer first, and others in the same scenarios: those of the report, or else of the search."""
    why: str | None = None
    """Why there is no model."""
    model: Best | None = None
    compared: ValuedAnswer | None = None
    """The player's own idea, and by how much it is behind the chosen answer in the same scenarios."""
    idea: CompletedIdea | None = None
    """The same as it was given, and as it was completed."""
    asked: int = 0
    """So many fresh scenarios were asked for. There are fewer if the time was up."""
    left_out: tuple[str, ...] = ()
    """What there was no time for."""
    report: AnswerReport | None = None
    """The pass over scenarios that all of this is from."""
    histories: HistoryReport | None = None
    """The same over all histories, where these were played."""
    proved: Best | None = None
    """What is the best answer in the scenarios of the search, with proof, if it is not the chosen one."""
    against: str = RANDOM
    is_drawn: bool = True
    """Whether `against` is a type of players."""
    fresh_file: str | None = None
    """Where fresh scenarios are from, if they were given."""
    why_not_fresh: str | None = None
    """Why there is nothing fresh to be had."""
    branches: int | None = None
    """What `scenarios` of a question has to be, so that it is answered in the same way; None if it does not matter."""
    seed: int = 0
    rules: tuple[tuple[str, str], ...] = ()
    """The rules of thumb of later choices that came up: the name of the choice, and the rule in words."""

    beliefs: HeldBeliefs | None = None
    """How what lies unseen was drawn; None where nothing does, or where others give the scenarios."""
    is_foreseen: bool = False
    """Whether in the search learned players decide later as it was foreseen for the model."""
    decided_anew: float | None = None
    """What the answer comes to in the same scenarios if the policy itself decides; None where that is not known."""

    @property
    def proof(self) -> str | None:
        """What it rests on that no answer is better in the scenarios of the search, if that is proved."""
        if self.status != OPTIMAL and self.proved is None:
            return None
        return HISTORIES if self.model is None else self.model.proof.value

    @property
    def gap(self) -> float | None:
        return None if self.bound is None or self.value is None else self.bound - self.value

    @property
    def parts(self) -> ValueParts | None:
        """What the value in the report is made of; None where it has no parts."""
        told = self.report or self.histories
        return None if told is None else told.parts

    @property
    def alternatives(self) -> list[tuple[tuple[tuple[str, object], ...], float, str]]:
        """The best other answers: choices, value and whether that is proved."""
        if self.model is not None:
            return [(other.choices, other.value, other.status) for other in self.model.alternatives]
        return [(option.choices, option.value.mean, self.status) for option in self.options[1:]]

    @property
    def runner_up(self) -> ValuedAnswer | None:
        """The best other answer, as it is reported: of another kind, if there is one, and one that came to just the
        same there only if there is no other."""
        others = sorted(self.options[1:], key=lambda option: (option.alike, -option.value.mean))
        told = self.options[0].value if self.options else None
        return next((option for option in others if option.value != told), others[0] if others else None)

    @property
    def contests(self) -> tuple[ContestReport, ...]:
        told = self.report or self.histories
        return () if told is None else told.contests
