"""What is told of the chosen answer: a report with its contests, other options, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods.completing import CompletedIdea
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.report import MOST_JUDGED, AnswerReport, ValuedAnswer, beside, reported, valued, with_contests
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth import playout

REPORTING, JUDGING = 0.7, 0.6
"""These shares of what is left are for the report, and for what one more would bring in a contest."""


def told_report(
    asked: PositionQuestion,
    sampler: Sampler,
    answers: AnswerSequence,
    others: Sequence[AnswerSequence],
    scenarios: Iterable[FixedScenario],
    deadline: Deadline,
) -> AnswerReport | None:
    """What is told of the chosen answer, if there is time for that: a standard error needs two samples."""
    found = reported(sampler, asked.player, answers, others, scenarios, deadline.share(REPORTING))
    if found is None or (asked.sets.is_fresh and len(found.played) < 2):
        return None
    if not asked.contests:
        return found
    choices = playout.named(asked.game, asked.position, asked.player, answers)
    return with_contests(found, choices, deadline.share(JUDGING))


def told_options(
    asked: PositionQuestion, report: AnswerReport | None, alike: Sequence[AnswerSequence] = ()
) -> tuple[ValuedAnswer, ...]:
    """Answers as people write them; some may win the same as the chosen one."""
    told = () if report is None else valued(asked.game, asked.position, asked.player, report.options)
    return tuple(replace(option, alike=option.answers in alike) for option in told)


def compared_idea(
    asked: PositionQuestion, report: AnswerReport | None, idea: CompletedIdea | None, deadline: Deadline
) -> ValuedAnswer | None:
    """The player's idea beside the chosen answer, if there is time. It may be ahead: then `behind` is negative."""
    option = None if report is None or idea is None else beside(report, idea.answers, deadline)
    return None if option is None else valued(asked.game, asked.position, asked.player, [option])[0]


def not_in_time(
    asked: PositionQuestion, report: AnswerReport | None, expected: int, compared: ValuedAnswer | None
) -> list[str]:
    """Whether there was time for all that was asked for."""
    found, fresh = [], asked.sets.is_fresh
    if report is None and fresh:
        found.append("fresh scenarios: none, so that it is not known what the answer is worth elsewhere")
    elif report is None:
        found.append("parts and contests: there was no time to play the answer for them")
    elif len(report.played) < expected:
        told = f"{len(report.played)} of {expected}"
        found.append(f"fresh scenarios: {told}" if fresh else f"parts and contests: in {told} scenarios")
    if report is not None and 0 < len(report.contests) <= MOST_JUDGED and report.judged < len(report.played):
        told = f"{report.judged} of {len(report.played)} scenarios"
        found.append(f"contests: what one more would bring is seen in {told}")
    if asked.question.idea and compared is None:
        found.append("your idea: there was no time to compare it")
    return found
