"""Whether two answers differ in kind: in what they win, and not in how places are lost (outcome signatures).

Answers are played in the same scenarios with a log of every contest. They are of one kind if each contest is won about
as often with the one as with the other: two lost places exchanged, or a bid that is one more. Where there are no
contests, answers are of one kind if they come to the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.best import Best, ModelledProblem, further
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.symbolic.plan import lone
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.contests import held

APART = 0.25
"""If the chance to win a contest differs by so much, it is another kind of answer."""

SEEN = 32
"""In so many scenarios at most it is seen what answers win."""


@dataclass(frozen=True)
class WonContests:
    """What an answer comes to: the chance to be first in each contest, and the value of each scenario."""

    firsts: Mapping[str, float]
    values: tuple[float, ...]


@dataclass
class AnswerKinds:
    """What answers win in some scenarios. Each is played once; what there is no time for is of a kind of its own."""

    sampler: Sampler
    player: int
    scenarios: Sequence[FixedScenario]
    deadline: Deadline
    known: dict[AnswerSequence, WonContests] = field(default_factory=dict)

    def alike(self, one: AnswerSequence, other: AnswerSequence) -> bool:
        """Whether two answers to several questions are of one kind. Of a single question each answer is its own."""
        if len(one) < 2 or not self.scenarios:
            return False
        try:
            first, second = self.won(one), self.won(other)
        except TimeIsUp:
            return False
        names = {*first.firsts, *second.firsts}
        if not names:
            return first.values == second.values
        return all(abs(first.firsts.get(name, 0.0) - second.firsts.get(name, 0.0)) < APART for name in names)

    def won(self, answers: AnswerSequence) -> WonContests:
        if answers not in self.known:
            self.known[answers] = self.played(answers)
        return self.known[answers]

    def played(self, answers: AnswerSequence) -> WonContests:
        sampler, firsts = self.sampler, dict[str, float]()
        weights = sum(scenario.weight for scenario in self.scenarios)

        def play(scenario: FixedScenario) -> float:
            end = sampler.run.logged(scenario, answers)
            for contest in held(sampler.game, self.player, end.log):
                share = scenario.weight / weights * (contest.place == 1)
                firsts[contest.name] = firsts.get(contest.name, 0.0) + share
            return sampler.worth(scenario, [end.position])[0]

        return WonContests(firsts, tuple(self.deadline.each(self.scenarios, play, whole=True)))

    def alternatives(self, problem: ModelledProblem, best: Best, count: int, engine: str | None) -> Best:
        """The best answer with alternatives of other kinds. If those that clearly differ all win the same, the best
        answers are sought that put no more than half as much into one of the decisions, for each in turn."""
        if len(best.answers) < 2 or not self.scenarios or not best.alternatives:
            return best
        pool, found = list(best.alternatives), self.of_other_kinds(best, best.alternatives)
        for limit in lesser(problem, best) if len(found) < count else ():
            if self.deadline.is_over:
                break
            other, _ = further(problem, [best], self.deadline, engine, [limit])
            pool += [other] if other is not None else []
            found = self.of_other_kinds(best, sorted(pool, key=lambda each: -each.value))
        return replace(best, alternatives=tuple(found[:count]))

    def of_other_kinds(self, best: Best, others: Sequence[Best]) -> list[Best]:
        by_answers = {other.answers: other for other in others}
        return [by_answers[tuple(answers)] for answers in self.apart(best.answers, list(by_answers))]

    def apart(
        self, chosen: AnswerSequence, others: Sequence[AnswerSequence], most: int | None = None
    ) -> list[AnswerSequence]:
        """Of others those that differ in kind from the chosen answer and from one another; the first of a kind, and no
        more than are wanted."""
        found: list[AnswerSequence] = []
        for other in others:
            if len(found) == most:
                break
            if not any(self.alike(other, known) for known in (chosen, *found)):
                found.append(other)
        return found


def lesser(problem: ModelledProblem, best: Best) -> Iterator[LinearConstraint]:
    """For each decision: no more than half as much as in the best answer. A piece counts by its kind, in the order of
    the rules, which is mostly that of what it is good for."""
    for decision, answer in problem.plan.matched(best.answers):
        given = {} if answer is None else decision.given(answer)
        weights = dict.fromkeys(given, 1)
        weights |= {lone(amount): kind for kind, amount in decision.amounts}
        weights |= {literal.variable: values[0] for values, literal in decision.answers}
        whole = sum(weights[variable] * amount for variable, amount in given.items())
        if whole > 0:
            yield LinearConstraint(tuple(weights.items()), problem.model.reach(weights.items())[0], whole // 2)
