"""What one more would be worth (marginal value): the same scenario again, in which the own bid ranks as one better.

The interpreter plays it. In one contest the first key of the player counts as one better; all else follows from the
rules, so that a place gained early is felt in whatever it changes later. What is asked meanwhile is answered by the
numbers of the scenario or by a policy, so that nothing but the place makes a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.lowered.lifted_log import LiftedLog
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Position
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.contests import held
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.outcome import POINTS, OutcomeMeasure

JUDGED = 1_000
"""In so many scenarios at most it is seen what one more would bring."""

PlayedWith = Callable[[Log], Position]
"""Plays a scenario to the horizon with a log, which may change it."""


@dataclass(frozen=True)
class OneMore:
    """What the value would gain if the own bid ranked as one more in a contest; and how much of that would be points,
    where the objective is points."""

    value: Estimate
    points: float | None


def one_more(
    measure: OutcomeMeasure, scenarios: Sequence[tuple[FixedScenario, PlayedWith]], deadline: Deadline
) -> tuple[dict[str, OneMore], int]:
    """What one more would bring in each contest, in as many scenarios as there is time for; how many that were."""
    try:
        rows = deadline.each(scenarios[:JUDGED], lambda each: gains(measure, *each))
    except TimeIsUp:
        return {}, 0
    weights = [scenario.weight for scenario, _ in scenarios[: len(rows)]]
    found: dict[str, OneMore] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        columns = [row.get(name, (0.0, 0.0)) for row in rows]
        points = Estimate.of([own for _, own in columns], weights).mean if measure.objective == POINTS else None
        found[name] = OneMore(Estimate.of([own for own, _ in columns], weights), points)
    return found, len(rows)


def gains(measure: OutcomeMeasure, scenario: FixedScenario, play: PlayedWith) -> dict[str, tuple[float, float]]:
    """By contest, what one more adds to the value of a scenario, and to its points. Where it changes no place it adds
    nothing, and where the rules do not go on with it nobody knows."""
    log = Log()
    plain, before = play(log), scenario.position
    found: dict[str, tuple[float, float]] = {}
    for contest in held(measure.game, measure.player, log):
        value, points = found.get(contest.name, (0.0, 0.0))
        if contest.is_close:
            try:
                end = play(LiftedLog(contest.number, measure.player, contest.ranking.strict))
            except RuleError:
                continue
            value += (measure(before, end) - measure(before, plain)) / measure.unit
            points += measure.gained(before, end) - measure.gained(before, plain)
        found[contest.name] = value, points
    return found
