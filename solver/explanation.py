"""Why an answer is good (counterfactual bids): how bids fare in each contest, and where it beats the runner-up.

Answers are played in the same fresh scenarios to the horizon, with a log of every contest. From it follows what any
other bid would have come to there, and by which contests two answers differ.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean

from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.advice import Advice, SolverQuestion, ValuedAnswer
from chocolatl.solver.methods import exact, nested, sampling
from chocolatl.solver.methods.sampling import FRESH, LUCK, Estimate
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.contests import PlayedContest, held, laid_for
from chocolatl.solver.worth.outcome import WIN, OutcomeMeasure
from chocolatl.solver.worth.scenarios import source

SCENARIOS = 60
"""In so many fresh scenarios answers are played, if that many were asked for."""

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
    """In points; 0 where victories are counted, which are no sum of them."""


class Understanding:
    """The best answer of an advice, and others, played with a log. If the time is up, there are fewer scenarios, maybe
    none: two are needed to explain anything."""

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
        self.position = position
        self.player = player
        self.question = question
        self.advice = advice
        self.measure = OutcomeMeasure(game, player, question.objective, question.valuation)
        drawn = source(game, position, player, question.against, question.seed)
        self.again = advice.policy in (nested.POLICY, exact.POLICY)
        self.asked = count = min(question.samples, FEW if self.again else SCENARIOS)
        self.known: dict[tuple[int, AnswerSequence], tuple[float, list[PlayedContest]]] = {}
        self.scenarios: list[FixedScenario] = []
        self.deadline = deadline or Deadline()
        compared = [advice.answers, *([advice.runner_up.answers] if advice.runner_up is not None else [])]

        def add(number: int) -> None:
            scenario = drawn(FRESH + number)
            for answers in compared:
                self.played(scenario, answers)
            self.scenarios.append(scenario)

        with suppress(TimeIsUp):
            self.deadline.each(range(count), add)

    def played(self, scenario: FixedScenario, answers: AnswerSequence) -> tuple[float, list[PlayedContest]]:
        """What answers are worth in a scenario, and the contests there. It is played once."""
        if (scenario.seed, answers) not in self.known:
            self.known[scenario.seed, answers] = self.play(scenario, answers)
        return self.known[scenario.seed, answers]

    def play(self, scenario: FixedScenario, answers: AnswerSequence) -> tuple[float, list[PlayedContest]]:
        log: Log = []
        if self.advice.engine == sampling.ENGINE:
            end = at_random(self.game, scenario, self.player, answers, log)
        else:
            goal = self.question.objective, self.question.valuation
            asked = self.game, self.player, self.question.against, *goal
            later = nested.answers_again(*asked, scenario, self.deadline)
            end = playout.to_horizon(self.game, scenario, self.player, answers, log, later if self.again else None)
        return self.measure(scenario.position, end) / self.measure.unit, held(self.game, self.player, log)

    def curves(self) -> list[BidCurve]:
        """Every contest of the horizon, in the order in which they come. Those of one ranking are about the same
        bids."""
        found: dict[str, list[PlayedContest]] = {}
        bids: dict[str, set[int]] = {}
        for scenario in self.scenarios:
            for contest in self.played(scenario, self.advice.answers)[1]:
                found.setdefault(contest.name, []).append(contest)
                known = bids.setdefault(contest.ranking.name, set())
                known |= {contest.bid, *(contest.sign * key[0] for key in contest.others)}
        return [self.curve(name, contests, bids[contests[0].ranking.name]) for name, contests in found.items()]

    def curve(self, name: str, contests: Sequence[PlayedContest], bids: Set[int]) -> BidCurve:
        rows = []
        for bid in range(min(bids), max(bids) + 1):
            places = [(contest.place_of(bid), 1 + len(contest.others)) for contest in contests]
            shares = [
                fmean(place == 1 for place, _ in places),
                fmean(place == 2 for place, _ in places),
                fmean(place == last for place, last in places),
            ]
            rows.append((bid, *shares))
        laid = laid_for(self.game, contests[0], self.advice.choices)
        own = tuple(sorted({contest.bid for contest in contests}))
        first, points = fmean(c.place == 1 for c in contests), fmean(c.points for c in contests)
        return BidCurve(name, laid, tuple(rows), own, first, points)  # type: ignore[arg-type]

    def explanation(self, other: ValuedAnswer) -> Explanation:
        """Where the best answer is ahead of another one."""
        names = list[str]()
        ahead: list[float] = []
        table: list[dict[str, list[PlayedContest]]] = [{}, {}]
        answers = [self.advice.answers, other.answers]
        for scenario in self.scenarios:
            worth = []
            for side, given in enumerate(answers):
                value, contests = self.played(scenario, given)
                worth.append(value)
                for contest in contests:
                    table[side].setdefault(contest.name, []).append(contest)
                    if contest.name not in names:
                        names.append(contest.name)
            ahead.append(worth[0] - worth[1])
        found = [self.difference(name, table[0].get(name, []), table[1].get(name, [])) for name in names]
        found.sort(key=lambda difference: -abs(difference.gain))
        estimate, objective = Estimate.of(ahead), self.question.objective
        rest = 0.0 if objective == WIN else estimate.mean - sum(d.gain for d in found)
        return Explanation(other.choices, objective, estimate, tuple(found), rest)

    def difference(
        self, name: str, ours: Sequence[PlayedContest], theirs: Sequence[PlayedContest]
    ) -> ContestDifference:
        count = len(self.scenarios)

        def mean(contests: Sequence[PlayedContest]) -> float:
            return fmean(c.bid for c in contests) if contests else 0.0

        return ContestDifference(
            name,
            (mean(ours), mean(theirs)),
            (sum(c.place == 1 for c in ours) / count, sum(c.place == 1 for c in theirs) / count),
            (sum(c.is_last for c in ours) / count, sum(c.is_last for c in theirs) / count),
            (sum(c.points for c in ours) / count, sum(c.points for c in theirs) / count),
        )


def at_random(game: Game, scenario: FixedScenario, player: int, answers: AnswerSequence, log: Log) -> Position:
    """A scenario played on as sampling does it, with the same random numbers, and with a log."""
    position, start = scenario.position, game.round(scenario.position)
    luck: tuple[Random, ...] = streams(scenario.seed + LUCK, 0, game.player_count)
    for answer in answers:
        position = game.answer(position, player, answer, log)
    while not game.is_over(position) and (not start or game.round(position) == start):
        chance = game.chance(position)
        if chance is not None:
            position = game.resolve(position, chance.outcomes.sample(luck[0]), log)
        else:
            decision = game.pending(position)[0]
            answer = decision.answers.sample(luck[1 + decision.player])
            position = game.answer(position, decision.player, answer, log)
    return position
