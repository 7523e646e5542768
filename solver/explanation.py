"""Why an answer is good (counterfactual bids): how bids fare in each contest, and where it beats the runner-up.

Answers are played in the same scenarios to the horizon, those of the report, with a log of every contest. From it
follows what any other bid would have come to there, and by which contests two answers differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.answer import Advice
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods import exact, sampling
from chocolatl.solver.methods.continuations import Continuation, at_random
from chocolatl.solver.methods.deciding_again import deciding_again
from chocolatl.solver.question import SolverQuestion
from chocolatl.solver.report import PlayedScenario, ValuedAnswer, played
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.contests import PlayedContest, laid_for
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.outcome import POINTS, VICTORIES
from chocolatl.solver.worth.parts import mean_parts

WeighedContest = tuple[int, PlayedContest]
"""A contest, and the weight of its scenario."""

SCENARIOS = 60
"""In so many scenarios answers are played, if nothing is reported of them, and that many were asked for."""

FEW = 12
"""In so many, where later answers have to be found in each."""


@dataclass(frozen=True)
class BidCurve:
    """A contest: for each bid, the share of scenarios in which it is first, second and last; and the own bids."""

    name: str
    laid: object
    bids: tuple[tuple[int, float, float, float], ...]
    own: tuple[int, ...]
    first: float
    points: float


@dataclass(frozen=True)
class ContestDifference:
    """How two answers fare in a contest: bids, shares of first and last places, points; the better answer first."""

    name: str
    bids: tuple[float, float]
    first: tuple[float, float]
    last: tuple[float, float]
    points: tuple[float, float]
    held: tuple[float, float] = (1.0, 1.0)
    """In which share of the scenarios the player takes part in it."""

    @property
    def gain(self) -> float:
        return self.points[0] - self.points[1]


@dataclass(frozen=True)
class Explanation:
    """By how much the best answer is ahead of another one, by contest, and by what is no contest's."""

    other: tuple[tuple[str, object], ...]
    objective: str
    ahead: Estimate
    differences: tuple[ContestDifference, ...]
    rest: float
    """Points that no contest pays; of a margin all that is not points of contests; 0 where victories are counted, which
    are no sum of points."""
    holdings: dict[str, float]
    """What is held afterwards, by item of the valuation; of points alone."""
    where: str
    """In how many scenarios that was seen, or over all histories."""
    chosen: tuple[tuple[str, object], ...] = ()
    alike: bool = False
    """Whether the other one wins the same: nothing of another kind was compared."""


class Understanding:
    """The chosen answer of an advice, and others, played with a log in the scenarios of its report. If the time is up,
    there are fewer of them, maybe none: two are needed to explain anything."""

    def __init__(
        self,
        game: Game,
        position: Position,
        player: int,
        question: SolverQuestion,
        advice: Advice,
        deadline: Deadline | None = None,
    ) -> None:
        self.game = game
        self.player = player
        self.question = question
        self.advice = advice
        self.deadline = deadline or Deadline()
        self.known: dict[AnswerSequence, list[PlayedScenario]] = {}
        report = advice.report
        if advice.histories is not None:
            asked = PositionQuestion(game, position, player, question)
            self.sampler, self.asked = asked.sampler(self.continuation(), self.deadline), 0
            self.played(advice.answers)
        elif report is None:  # there was no time to look at more than values: some scenarios are played for it
            asked = PositionQuestion(game, position, player, question)
            self.sampler = asked.sampler(self.continuation(), self.deadline)
            self.asked = min(question.samples, FEW if advice.engine == exact.ENGINE else SCENARIOS)
            drawn: Iterable[FixedScenario] = asked.sets.report(self.asked)
            self.known[advice.answers] = self.play(drawn, advice.answers)
        else:
            self.sampler, self.asked = report.sampler, len(report.played)
            self.sampler.run.deadline.until = self.deadline.until  # that of the answer may be over
            self.known[advice.answers] = report.played
        if advice.runner_up is not None:
            self.played(advice.runner_up.answers)
        self.count = min(len(played) for played in self.known.values())
        if advice.histories is not None:
            self.count = advice.scenarios if self.count else 0
            self.asked = advice.scenarios

    @property
    def where(self) -> str:
        """About what all of it is."""
        return f"over all {self.count:,} histories" if self.advice.histories else f"in {self.count} scenarios"

    @property
    def scenarios(self) -> list[FixedScenario]:
        """Those in which the chosen answer was played."""
        return [each.scenario for each in self.known[self.advice.answers]]

    def continuation(self) -> Continuation:
        if self.advice.engine == sampling.ENGINE:
            return at_random(self.game, self.player, self.question.horizon, self.deadline)
        asked = self.question.against, self.question.objective, self.question.valuation
        return deciding_again(self.game, self.player, *asked, self.deadline)

    def played(self, answers: AnswerSequence) -> list[PlayedScenario]:
        """What answers come to in each scenario, or over all histories. They are played once."""
        if answers not in self.known and self.advice.histories is not None:
            self.known[answers] = []
            with suppress(TimeIsUp), self.deadline.enforced():
                self.known[answers] = self.advice.histories.played(answers)
        elif answers not in self.known:
            self.known[answers] = self.play(self.scenarios, answers)
        return self.known[answers]

    def play(self, scenarios: Iterable[FixedScenario], answers: AnswerSequence) -> list[PlayedScenario]:
        with suppress(TimeIsUp):
            return self.deadline.each(scenarios, lambda scenario: played(self.sampler, self.player, scenario, answers))
        return []

    def curves(self) -> list[BidCurve]:
        """Every contest of the horizon, in the order in which they come. Those of one ranking are about the same
        bids."""
        found: dict[str, list[WeighedContest]] = {}
        bids: dict[str, set[int]] = {}
        for each in self.known[self.advice.answers]:
            for contest in each.contests:
                found.setdefault(contest.name, []).append((each.scenario.weight, contest))
                known = bids.setdefault(contest.ranking.name, set())
                known |= {contest.bid, *(contest.sign * key[0] for key in contest.others)}
        return [self.curve(name, contests, bids[contests[0][1].ranking.name]) for name, contests in found.items()]

    def curve(self, name: str, contests: Sequence[WeighedContest], bids: Set[int]) -> BidCurve:
        held = sum(weight for weight, _ in contests)
        whole = sum(each.scenario.weight for each in self.known[self.advice.answers])

        def share(bid: int, place: int | None) -> float:
            """How often a bid would have a place; None: the last one."""
            return sum(w for w, c in contests if c.place_of(bid) == (place or 1 + len(c.others))) / held

        rows = [(bid, share(bid, 1), share(bid, 2), share(bid, None)) for bid in range(min(bids), max(bids) + 1)]
        laid = laid_for(self.game, contests[0][1], self.advice.choices)
        own = tuple(sorted({contest.bid for _, contest in contests}))
        first = sum(weight for weight, contest in contests if contest.place == 1) / held
        points = sum(weight * contest.points for weight, contest in contests) / whole
        return BidCurve(name, laid, tuple(rows), own, first, points)

    def explanation(self, other: ValuedAnswer) -> Explanation:
        """Where the chosen answer is ahead of another one, which may be ahead itself."""
        sides = [self.played(answers)[: self.count] for answers in (self.advice.answers, other.answers)]
        ahead = self.ahead(*sides)
        names = list(dict.fromkeys(c.name for side in sides for each in side for c in each.contests))
        found = [self.difference(name, *sides) for name in names]
        found.sort(key=lambda difference: -abs(difference.gain))
        measure, objective = self.sampler.measure, self.question.objective
        split = [
            mean_parts(measure, [(each.scenario.weight, each.parts) for each in side if each.parts is not None])
            for side in sides
            if objective == POINTS
        ]
        holdings: dict[str, float] = {}
        rest = 0.0 if objective in VICTORIES else ahead.mean - sum(d.gain for d in found)
        if split:
            ours, theirs = split
            rest = ours.elsewhere - theirs.elsewhere
            for name in dict.fromkeys([*ours.holdings, *theirs.holdings]):
                holdings[name] = ours.holdings.get(name, 0.0) - theirs.holdings.get(name, 0.0)
        return Explanation(
            other.choices, objective, ahead, tuple(found), rest, holdings, self.where,
            self.advice.choices, other.alike,
        )  # fmt: skip

    def ahead(self, ours: Sequence[PlayedScenario], theirs: Sequence[PlayedScenario]) -> Estimate:
        """By how much one answer is ahead of another one: in the same scenarios, or of all that may happen."""
        if self.advice.histories is None:
            weights = [each.scenario.weight for each in ours]
            return Estimate.of([one.worth - two.worth for one, two in zip(ours, theirs, strict=True)], weights)
        mine, other = (
            Estimate.of([e.worth for e in side], [e.scenario.weight for e in side]) for side in (ours, theirs)
        )
        return Estimate(mine.mean - other.mean, 0.0, self.count)

    def difference(
        self, name: str, ours: Sequence[PlayedScenario], theirs: Sequence[PlayedScenario]
    ) -> ContestDifference:
        bids, firsts, lasts, points, shares = (list[float]() for _ in range(5))
        for side in (ours, theirs):
            held = [(each.scenario.weight, c) for each in side for c in each.contests if c.name == name]
            whole, often = sum(each.scenario.weight for each in side), sum(weight for weight, _ in held)
            bids.append(sum(weight * c.bid for weight, c in held) / often if often else 0.0)
            firsts.append(sum(weight for weight, c in held if c.place == 1) / max(1, often))
            lasts.append(sum(weight for weight, c in held if c.is_last) / max(1, often))
            points.append(sum(weight * c.points for weight, c in held) / whole)
            shares.append(sum(each.scenario.weight for each in side if name in each.names) / whole)
        return ContestDifference(
            name, (bids[0], bids[1]), (firsts[0], firsts[1]), (lasts[0], lasts[1]), (points[0], points[1]),
            (shares[0], shares[1]),
        )  # fmt: skip
