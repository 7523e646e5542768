"""Scenarios (determinization, common random numbers): what the others bid and what comes after, fixed in advance.

A scenario carries, for every player and every question that may come at a place in the rules, a number drawn in
advance; the answer is that number mapped onto the answers that are legal then. The same for chance. So a scenario says
what happens whatever the player answers now, and a model and the interpreter read it in the same way. A place in the
rules is the statement, the calls that led to it, and the passes of the loops around it.

Where the others are players who do not answer at random, a number is mapped by the odds that they give to each answer
there. A model knows no odds: for it the answers that such players give are foreseen, place by place, and the number is
for places that nobody has foreseen.

The player's own later decisions follow rules of thumb, one for each choice (a parametric policy). A rule is an order of
preference, of which the first legal answer is taken. It looks at nothing else, so that it cannot know what will come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol, TypeVar

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import Outcomes, SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.position import Position
from chocolatl.interpreter.source import Span

BITS = 32

Legal = TypeVar("Legal")


ForeseenAnswers = Mapping[tuple[int, str], object]
"""By who is asked and the place in the rules: what is answered, if it is legal there."""


class NumberStream(Protocol):
    """Where random numbers come from, one after the other."""

    def below(self, n: int, /) -> int:
        """A number from 0 to n - 1."""


class Conduct(Protocol):
    """How players decide who do not answer at random: by odds, so that one number after the other says what they do."""

    def answer(self, position: Position, decision: Any, numbers: NumberStream) -> object:
        """What is answered to a decision in a position."""


@dataclass(frozen=True)
class FixedScenario:
    """A position in which all others have answered what is open, and the seed of what comes after."""

    position: Position
    seed: int
    weight: int = 1
    conduct: Conduct | None = field(default=None, kw_only=True, repr=False)
    """How all decide later; None if each answer is as likely."""
    foreseen: ForeseenAnswers | None = field(default=None, kw_only=True, hash=False, repr=False)
    """What was found out of that beforehand, for a model."""

    def number(self, who: int, where: str, part: int = 0) -> int:
        """The number for a question to somebody, -1 being nobody, at a place in the rules.

        No name of the rules is in it: with other names it is the same scenario."""
        text = f"{self.seed}/{who}/{where}/{part}"
        return int.from_bytes(blake2b(text.encode(), digest_size=BITS // 8).digest(), "big")

    def unseen(self, who: int, where: str) -> None:
        """The player whose answers are sought does not see what chance has brought there."""

    def answer(self, position: Position, decision: Any, where: str, own: bool = False) -> object:
        """What is answered to a decision at a place in the rules; `own`: by the player whose answers are sought."""
        answers, who = decision.answers, decision.player
        if self.foreseen is not None:
            given = self.foreseen.get((who, where))
            if given is not None and answers.contains(given):
                return given
            if own:
                return FIRST.answer(decision.node, answers)
        elif self.conduct is not None:
            return self.conduct.answer(position, decision, QuestionNumbers(self, who, where))
        return answers.nth(scaled(self.number(who, where), answers.count()))

    def outcome(self, outcomes: Outcomes, who: int, where: str) -> object:
        """What chance brings."""
        found = [mapped(self.number(who, where, part), outcomes) for part in range(outcomes.times)]
        return tuple(sorted(found)) if outcomes.several else found[0]


@dataclass
class QuestionNumbers:
    """The numbers of a scenario for one question, one after the other."""

    scenario: FixedScenario
    who: int
    where: str
    drawn: int = 0

    def below(self, n: int, /) -> int:
        number = self.scenario.number(self.who, self.where, self.drawn)
        self.drawn += 1
        return scaled(number, n)


def scaled(number: int, count: int) -> int:
    """A number mapped onto so many answers, by its place among them."""
    return number * count >> BITS


def mapped(number: int, outcomes: Outcomes) -> int:
    ticket = number * outcomes.total >> BITS
    for value, weight in outcomes.weights.items():
        ticket -= weight
        if ticket < 0:
            return value
    raise AssertionError("a ticket within the total always finds its value")


# ---------------------------------------------------------------- own later decisions


@dataclass(frozen=True)
class RuleOfThumb:
    """An order of preference: one answer before all others, and these from the first or from the last one on. Of
    several pieces, as few or as many as can be, the lowest or the highest ones."""

    preferred: tuple[int, ...] | None = None
    backwards: bool = False
    many: bool = False

    def ordered(
        self, node: ir.Choose, answers: Sequence[tuple[tuple[int, ...], Legal]]
    ) -> list[tuple[tuple[int, ...], Legal]]:
        """Answers in canonical order, by preference. To leave a choice out comes last, unless that is preferred."""
        elements = list(answers)
        left_out = [elements.pop()] if node.optional else []
        by_order = [*(elements[::-1] if self.backwards else elements), *left_out]
        return sorted(by_order, key=lambda answer: answer[0] != self.preferred)

    def answer(self, node: ir.Choice, answers: SingleAnswers | SeveralAnswers) -> object:
        """The first of the legal answers by preference."""
        if isinstance(answers, SeveralAnswers):
            size = answers.most if self.many else max(answers.least, 0)
            pieces = [answers.low + kind for kind, copies in enumerate(answers.counts) for _ in range(copies)]
            return tuple(pieces[len(pieces) - size :] if self.backwards else pieces[:size])
        assert isinstance(node, ir.Choose)
        if self.preferred is not None:
            whole = self.preferred if len(node.picks) > 1 else self.preferred[0]
            if answers.contains(whole):
                return whole
        return answers.nth(max(answers.count() - 1 - node.optional, 0) if self.backwards else 0)


FIRST = RuleOfThumb()


@dataclass(frozen=True)
class LaterPolicy:
    """How a player decides later: by a rule for each choice, known by where it stands in the rules; elsewhere by the
    first legal answer or, if it is `at_random`, as the scenario says: by any, or as its players do."""

    rules: Mapping[Span, RuleOfThumb] = field(default_factory=dict)
    at_random: bool = False

    def decides(self, node: ir.Choice, answers: SingleAnswers | SeveralAnswers) -> bool:
        """Whether there is a rule for a choice. If not, the scenario says what is answered."""
        return self.has_rule(node)

    def has_rule(self, node: ir.Choice) -> bool:
        return not self.at_random or node.span in self.rules

    def rule(self, node: ir.Choice) -> RuleOfThumb:
        return self.rules.get(node.span, FIRST)

    def answer(self, node: ir.Choice, answers: SingleAnswers | SeveralAnswers) -> object:
        return self.rule(node).answer(node, answers)


FIRST_LEGAL = LaterPolicy()
