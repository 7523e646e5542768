"""What is said of an answer: all of it comes from one pass over scenarios that neither search nor choice has seen.

The answer is played with a log, so that its value, what the value is made of, and how it fares in each contest are
about the very same games and add up. Other answers meet the same scenarios: by how much they are behind is known better
than what they are worth (common random numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.continuations import PlayedEnd
from chocolatl.solver.methods.sampling import ComparedOption, Sampler
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.contests import Choices, ContestReport, PlayedContest, held, summaries
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.marginal_value import OneMore, PlayedWith, one_more
from chocolatl.solver.worth.parts import ScenarioParts, ValueParts, mean_parts, parts_of

MOST_JUDGED = 12
"""Of more contests nobody looks at what one more would bring in each: they are not about the answer at hand."""


@dataclass(frozen=True)
class PlayedScenario:
    """A scenario, and what one answer has come to in it."""

    scenario: FixedScenario
    worth: float
    parts: ScenarioParts | None
    contests: list[PlayedContest]
    later: AnswerSequence | None

    @property
    def names(self) -> frozenset[str]:
        """The contests in which the player took part."""
        return frozenset(contest.name for contest in self.contests)


@dataclass(frozen=True)
class AnswerReport:
    """What an answer is worth, what that is made of, and how it fares in contests; `judged` is in how many scenarios it
    was seen what one more would bring there. `options` are the same answer and others, in the same scenarios."""

    sampler: Sampler
    player: int
    answers: AnswerSequence
    played: list[PlayedScenario]
    options: tuple[ComparedOption, ...]
    contests: tuple[ContestReport, ...] = ()
    judged: int = 0

    @property
    def weights(self) -> list[int]:
        return [each.scenario.weight for each in self.played]

    @property
    def value(self) -> Estimate:
        return Estimate.of([each.worth for each in self.played], self.weights)

    @property
    def parts(self) -> ValueParts | None:
        parts = [(each.scenario.weight, each.parts) for each in self.played if each.parts is not None]
        return mean_parts(self.sampler.measure, parts) if parts else None


def played(sampler: Sampler, player: int, scenario: FixedScenario, answers: AnswerSequence) -> PlayedScenario:
    """One answer in a scenario. The log is about contests; where there are none, the end alone will do."""
    game = sampler.game
    if has_contests(game):
        end = sampler.run.logged(scenario, answers)
    else:
        end = PlayedEnd(sampler.run.ends(scenario, [answers])[0], Log())
    contests = held(game, player, end.log)
    parts = parts_of(sampler.measure, scenario.position, end.position, contests)
    return PlayedScenario(scenario, sampler.worth(scenario, [end.position])[0], parts, contests, end.later)


def has_contests(game: Game) -> bool:
    procedures = game.ir.procedures.values()
    return any(isinstance(statement, ir.Contest) for procedure in procedures for statement in procedure.statements)


def reported(
    sampler: Sampler,
    player: int,
    answers: AnswerSequence,
    others: Sequence[AnswerSequence],
    scenarios: Iterable[FixedScenario],
    deadline: Deadline,
) -> AnswerReport | None:
    """The report of an answer, without its contests, beside others; in as many scenarios as there is time for, and None
    if there is for none."""

    def play(scenario: FixedScenario) -> tuple[PlayedScenario, list[float]]:
        ends = sampler.run.ends(scenario, others) if others else []
        return played(sampler, player, scenario, answers), sampler.worth(scenario, ends)

    try:
        rows = deadline.each(scenarios, play)
    except TimeIsUp:
        return None
    if not rows:
        return None
    report = AnswerReport(sampler, player, answers, [mine for mine, _ in rows], ())
    best = [each.worth for each in report.played]
    columns = [best, *(list(column) for column in zip(*(worth for _, worth in rows), strict=True))]
    options = tuple(
        ComparedOption(
            given,
            Estimate.of(column, report.weights),
            Estimate.of([one - other for one, other in zip(best, column, strict=True)], report.weights),
        )
        for given, column in zip([answers, *others], columns, strict=True)
    )
    return AnswerReport(sampler, player, answers, report.played, options)


def with_contests(report: AnswerReport, choices: Choices, deadline: Deadline) -> AnswerReport:
    """The same with what is said of contests; what one more would bring, in as many scenarios as there is time for."""
    sampler, scenarios = report.sampler, [each.scenario for each in report.played]
    contests = summaries(sampler.game, choices, scenarios, [each.contests for each in report.played])
    if len(contests) > MOST_JUDGED:
        return replace(report, contests=tuple(contests))
    more, judged = one_more(sampler.measure, [(each.scenario, again(report, each)) for each in report.played], deadline)
    return replace(report, contests=tuple(_judged(each, more.get(each.name)) for each in contests), judged=judged)


def again(report: AnswerReport, played: PlayedScenario) -> PlayedWith:
    """The same answers in the same scenario, with a log; as far as the player decides later at random, by the numbers
    of the scenario."""
    game, run = report.sampler.game, report.sampler.run

    def play(log: Log) -> Position:
        later = None if played.later is None else lambda _: played.later or ()
        given = played.scenario, report.player, report.answers
        return playout.to_horizon(game, *given, log, later, run.policy, run.horizon)

    return play


def _judged(contest: ContestReport, more: OneMore | None) -> ContestReport:
    if more is None:
        return contest
    return replace(contest, one_more=more.value.mean, one_more_error=more.value.error, one_more_points=more.points)


def beside(report: AnswerReport, answers: AnswerSequence, deadline: Deadline) -> ComparedOption | None:
    """Another answer in the same scenarios, in as many as there is time for; None if there is for none."""
    sampler = report.sampler

    def play(each: PlayedScenario) -> tuple[int, float, float]:
        (worth,) = sampler.worth(each.scenario, sampler.run.ends(each.scenario, [answers]))
        return each.scenario.weight, worth, each.worth - worth

    with suppress(TimeIsUp):
        weights, values, behind = zip(*deadline.each(report.played, play), strict=True)
        return ComparedOption(answers, Estimate.of(values, weights), Estimate.of(behind, weights))
    return None


# ---------------------------------------------------------------- over all histories


@dataclass(frozen=True)
class HistoryReport:
    """What the chosen answer comes to over all histories: its parts and contests, which add up to its exact value.
    `played` brings the histories of any answer, those that come to the same as one, by how likely they are."""

    parts: ValueParts | None
    contests: tuple[ContestReport, ...]
    played: Callable[[AnswerSequence], list[PlayedScenario]]


# ---------------------------------------------------------------- as people write it


@dataclass(frozen=True)
class ValuedAnswer:
    """An answer as people write it, with what it is worth, and by how much it is behind the best one."""

    choices: tuple[tuple[str, object], ...]
    answers: AnswerSequence
    value: Estimate
    behind: Estimate
    parts: ValueParts | None = None
    """What the value is made of, if that was looked at."""
    alike: bool = False
    """Whether it is known to win the same as the best one."""


def valued(game: Game, position: Position, player: int, options: Sequence[ComparedOption]) -> tuple[ValuedAnswer, ...]:
    """Options as people write them."""
    return tuple(
        ValuedAnswer(playout.named(game, position, player, option.answers), option.answers, option.value, option.behind)
        for option in options
    )
