"""A decision as a question in the terminal: what can be answered, and what a typed line means.

Words are offered by number and understood by number, name or beginning; numbers and cards are typed as they are; of
several elements one types them all (`12 0`); of a joint choice its parts in order (`2-1-0-1 1 1,0`).
"""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.play.game import Answer, Decision
from chocolatl.interpreter.program.types import NUMBER, Scalar
from chocolatl.interpreter.terminal.asking import joint
from chocolatl.interpreter.terminal.asking.typed import NOTHING, every, only, words_of
from chocolatl.interpreter.terminal.output.words import answer_text, element_type, elements_text, is_joint

FEW = 12
"""So many options are numbered at most."""

LISTED = 40
"""So many values are listed at most."""

EVERYTHING = 1_000_000


class NotUnderstood(Exception):
    """A typed line that is no answer; the message says what would be."""


@dataclass(frozen=True)
class TerminalQuestion:
    """`options` are the numbered answers; where there are none, `hint` says what to type."""

    decision: Decision
    options: tuple[Answer, ...]
    hint: str

    @property
    def lines(self) -> list[str]:
        """What can be answered, as lines below the prompt."""
        return self.listed(joint.LISTED)

    @property
    def all_lines(self) -> list[str]:
        """The same with nothing left out, however long it is."""
        return self.listed(EVERYTHING)

    def listed(self, most: int) -> list[str]:
        if self.options:
            return [f"{n:>2}  {answer_text(self.decision, answer)}" for n, answer in enumerate(self.options, start=1)]
        if not is_joint(self.decision):
            return [self.hint]
        parts = joint.Joint(self.decision)
        return [f"{self.hint}, for example `{parts.example}`", *parts.lines(most)]

    @property
    def only(self) -> Answer | None:
        """The answer, if there is just one."""
        return self.decision.answers.nth(0) if self.decision.answers.count() == 1 else None

    def understand(self, line: str) -> Answer:
        """The legal answer that a line means, or `NotUnderstood`."""
        numbers = [str(number) for number in range(1, len(self.options) + 1)]
        if line in numbers:
            return self.options[numbers.index(line)]
        try:
            answer = _parse(self.decision, line)
        except joint.WrongPart as error:
            raise NotUnderstood(f"`{line}` is no answer here: {error}") from None
        if answer is None or not self.decision.answers.contains(answer):
            raise NotUnderstood(f"`{line}` is no answer here{_flaw(self.decision, answer)}; {self.possible}")
        return answer

    @property
    def possible(self) -> str:
        return f"type a number from 1 to {len(self.options)}" if self.options else self.hint


def ask(decision: Decision) -> TerminalQuestion:
    """The question that a decision is."""
    answers = decision.answers
    if isinstance(answers, SeveralAnswers):
        return TerminalQuestion(decision, (), _several_hint(decision, answers))
    assert isinstance(decision.node, ir.Choose)
    few = answers.count() <= FEW
    if is_joint(decision):
        skip = ", or `none`" if decision.node.optional else ""
        return TerminalQuestion(decision, tuple(answers) if few else (), joint.Joint(decision).hint + skip)
    type_ = element_type(decision)
    numeric = all(_is_number(decision, type_, value) for value in answers if value != type_.none)
    if few and not numeric:
        return TerminalQuestion(decision, tuple(answers), "")
    return TerminalQuestion(decision, (), _values_hint(decision, type_, list(answers)))


# ---------------------------------------------------------------- what can be typed


def _values_hint(decision: Decision, type_: Scalar, values: list[Answer]) -> str:
    """What to type for one value; a long run of numbers is told by its ends."""
    without = [value for value in values if value != type_.none]
    skip = "" if len(without) == len(values) else ", or `none`"
    if not without:
        return "type `none`, or just press Enter"
    if type_.family == NUMBER and len(without) > 2 and without == list(range(without[0], without[0] + len(without))):
        return f"type a number from {without[0]} to {without[-1]}{skip}"
    shown = [decision.game.show(type_, value) for value in without[:LISTED]]
    if len(values) == 1:
        return f"only {shown[0]} is possible: type it, or just press Enter"
    if len(without) == 1:
        return f"type {shown[0]}{skip}"
    return f"type one of these{skip}: {' '.join(shown)}{' ...' if len(without) > LISTED else ''}"


def _several_hint(decision: Decision, answers: SeveralAnswers) -> str:
    """What to type for pieces of a zone: how many, with an example where that is more than one."""
    game, type_ = decision.game, element_type(decision)
    content = [game.show(type_, answers.low + kind) for kind, count in enumerate(answers.counts) for _ in range(count)]
    least, most = answers.least, min(answers.most, len(content))
    skip = "" if least else ", or `none`"
    shown = elements_text(content)
    if not most:
        return "nothing can be taken: type `none`, or just press Enter"
    if least == len(content):
        return f"only {shown} is possible: type it, or just press Enter"
    if most == 1:
        return f"type one of these{skip}: {shown}"
    number = f"{least}" if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"
    return f"type {number} of these, such as `{' '.join(content[:most])}`{skip}: {shown}"


def _is_number(decision: Decision, type_: Scalar, value: Answer) -> bool:
    return decision.game.show(type_, value).lstrip("-").isdecimal()


# ---------------------------------------------------------------- what was typed


def _parse(decision: Decision, line: str) -> Answer | None:
    """What a line means, be it legal or not; None if it means nothing, `WrongPart` if a part of it does."""
    node = decision.node
    if isinstance(node, ir.ChooseSet):
        if line.lower() in NOTHING:
            return ()
        elements = every(decision.game, element_type(decision), words_of(line))
        return tuple(sorted(elements)) if elements is not None else None
    if node.optional and line.lower() in NOTHING:
        return decision.none
    if is_joint(decision):
        return joint.Joint(decision).understand(line)
    return only(decision.game, element_type(decision), line)


def _flaw(decision: Decision, answer: Answer | None) -> str:
    """What is wrong with several elements that were understood one by one."""
    answers = decision.answers
    if answer is None or not isinstance(answers, SeveralAnswers):
        return ""
    if not answers.least <= len(answer) <= answers.most:
        return f", that is {len(answer)}"
    counts = dict(enumerate(answers.counts, start=answers.low))
    missing = [element for element in sorted(set(answer)) if answer.count(element) > counts.get(element, 0)]
    shown = elements_text([decision.game.show(element_type(decision), element) for element in missing])
    return f", {shown} cannot be taken{' so often' if all(counts.get(e, 0) for e in missing) else ''}"
