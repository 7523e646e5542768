"""A question about a position, with all that its engines need: scenarios, a measure, candidates to choose among.

Candidates are compared in scenarios of their own: the best one by a search, others that are nearly as good there, and
what a search by trial comes to (model selection by validation).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.registry import LEARNED
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods import search
from chocolatl.solver.methods.best import ModelledProblem
from chocolatl.solver.methods.completing import CompletedIdea, completed
from chocolatl.solver.methods.continuations import Continuation, at_random
from chocolatl.solver.methods.native_rows import NativeRows
from chocolatl.solver.methods.neighbours import SecretBlock
from chocolatl.solver.methods.response import AnswerOdds
from chocolatl.solver.methods.sampling import NoComparison, Sampler, narrowed
from chocolatl.solver.methods.search import TriedAnswers
from chocolatl.solver.methods.starting_answers import policy_answers, starting_answers
from chocolatl.solver.question import RANDOM, BeliefKind, SolverQuestion
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.weighing import held_beliefs
from chocolatl.solver.worth.beliefs import HeldBeliefs
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.opponents import LearnedConduct, conduct_of, is_learned, opponents
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.proposed_answers import Proposal, proposal_of
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting
from chocolatl.solver.worth.scenario_sets import ScenarioSets, spread

if TYPE_CHECKING:  # numpy takes time to load
    from chocolatl.interpreter.policy.weights import PolicyWeights

LISTED = 12
"""So many options of a single decision are all tried, whatever a model says of them, and so many of a tree."""

SEARCHED, DRAWING = 16, 0.2
"""Without a model whole answers are sought in so many scenarios; this share of the time is for drawing them."""

WEIGHING = 0.2
"""This share of the time may be spent on weighing worlds."""

TRIES, TRIED = 40, 8
"""So many whole answers are tried in the search by trial, each in so many scenarios."""


DRAWN = 4
"""So many whole answers are drawn by the policy of learned players, where these are reckoned with."""

BEYOND_DOUBT = 2
"""Ahead by so many standard errors is beyond doubt."""


@dataclass(frozen=True)
class PositionQuestion:
    """A question, and what it is asked about."""

    game: Game
    position: Position
    player: int
    question: SolverQuestion
    contests: bool = True
    """Whether anybody wants to know how bids fare in contests."""

    @cached_property
    def sets(self) -> ScenarioSets:
        asked = self.question
        return ScenarioSets(
            self.game, self.position, self.player, asked.against, self.seed, asked.scenarios, asked.fresh,
            self.beliefs.worlds,
        )  # fmt: skip

    @cached_property
    def seed(self) -> int:
        """The seed of all that is drawn. Who has a budget asks at one decision after the other, and meets other luck at
        each: it follows from what the player sees; in a secret block, from what was seen at its beginning."""
        if self.question.work is None:
            return self.question.seed
        seen = str(self.game.view(Position(self.position.slots), self.player)["state"])
        return self.question.seed + int.from_bytes(blake2b(seen.encode(), digest_size=6).digest(), "big")

    @cached_property
    def conduct(self) -> LearnedConduct | None:
        """How the players go on whom the question is about, if they follow a policy."""
        against = self.question.against
        return conduct_of(self.game, opponents(self.game, against)) if is_learned(against) else None

    @cached_property
    def weights(self) -> PolicyWeights | None:
        """Of that policy, as native code follows it; None where it is a table."""
        return None if self.conduct is None else self.conduct.player.weights(self.game)

    @cached_property
    def beliefs(self) -> HeldBeliefs:
        """How likely is what the player does not see; `NoAnswer` if it is to be weighed by a policy, and none is
        meant."""
        asked = self.question
        if asked.beliefs is BeliefKind.UNIFORM:
            return HeldBeliefs()
        if self.odds is None:
            message = ": worlds are weighed by a policy, as with `"
            meant = QuestionSetting(QuestionPart.BELIEFS, asked.beliefs.value)
            raise NoAnswer(meant, message, QuestionSetting(QuestionPart.AGAINST, LEARNED), "`")
        limit = Deadline(WEIGHING * asked.seconds) if asked.work is None else Deadline()
        return held_beliefs(self.game, self.position, self.player, self.odds, limit)

    @cached_property
    def told_beliefs(self) -> HeldBeliefs | None:
        """The same, if there is anything that the player does not see and that is drawn."""
        groups = self.game.program.knowledge.belief(self.position.slots, self.player).groups
        hidden = any(group.dice or (len(group.zones) > 1 and len(group.cards) > 1) for group in groups)
        return self.beliefs if hidden and self.sets.is_drawn else None

    @property
    def odds(self) -> AnswerOdds | None:
        """How likely the others answer what, if they follow a policy."""
        return None if self.conduct is None else self.conduct.odds

    def at_random(self, deadline: Deadline) -> Continuation:
        """Everybody goes on at random, or as learned players do, to the horizon of the question."""
        return at_random(self.game, self.player, self.question.horizon, deadline)

    @cached_property
    def measure(self) -> OutcomeMeasure:
        return OutcomeMeasure(self.game, self.player, self.question.objective, self.question.valuation)

    @cached_property
    def proposal(self) -> Proposal | None:
        """What the player thinks of answering, if that is asked about; `NoAnswer` if it makes no sense."""
        idea = self.question.idea
        return proposal_of(self.game, self.position, self.player, idea) if idea else None

    def completed(self, sampler: Sampler, deadline: Deadline, problem: ModelledProblem | None) -> CompletedIdea | None:
        """The player's idea, with the rest of it if it is a part."""
        if self.proposal is None:
            return None
        return completed(sampler, self.position, self.player, self.proposal, self.question.seed, deadline, problem)

    def sampler(self, run: Continuation, deadline: Deadline) -> Sampler:
        found = Sampler(self.game, lru_cache(maxsize=64)(self.sets.drawn), run, self.measure, deadline)
        weights, drawn_evenly = self.weights, self.beliefs.worlds is None
        if run.policy is None and drawn_evenly and (weights is not None or self.question.against == RANDOM):
            found.natively = NativeRows(
                self.game, self.position, self.player, self.seed, self.question.horizon, self.measure, weights
            )
        return found

    @cached_property
    def block(self) -> SecretBlock | None:
        """The secret block, if several choices of the player are left in it: these are one answer."""
        found = SecretBlock(self.game, self.game.sample_unknown(self.position, self.player, Random(0)), self.player)
        return found if found.position.sealed is not None and len(found.answers(())) > 1 else None

    def by_climbing(self, block: SecretBlock, sampler: Sampler, deadline: Deadline) -> TriedAnswers:
        """The best whole answers to a secret block without a model, in the scenarios of the search."""
        count = SEARCHED if self.question.scenarios is None else self.question.scenarios
        lines = self.sets.lines
        try:
            luck = deadline.share(DRAWING).each(range(0 if lines else count), self.sets.drawn)
        except TimeIsUp:
            return TriedAnswers([], 0, False, [])
        scenarios = luck or [lines[number] for number in spread(len(lines), min(count, len(lines)))]
        given = [*self.by_policy(block.position), *starting_answers(self.game, self.player, scenarios)]
        return search.tops(sampler, block, scenarios, given, Random(self.question.seed), deadline)

    def by_policy(self, block: Position) -> list[AnswerSequence]:
        """What the player may answer who follows the policy of the others."""
        if self.conduct is None:
            return []
        random = Random(self.question.seed)
        drawn = (policy_answers(self.game, block, self.player, self.conduct, random) for _ in range(DRAWN))
        return list(dict.fromkeys(drawn))

    def by_trial(self, deadline: Deadline) -> list[AnswerSequence]:
        """What is worth trying without a model: all of few options, or the best of those that were tried."""
        decision = self.game.decision(self.position, self.player)
        assert decision is not None
        sampler = self.sampler(self.at_random(deadline), deadline)
        with suppress(NoComparison):  # where there is a model, it knows whether victories have a meaning
            if self.block is not None:
                random = Random(self.question.seed)
                tried = search.searched(sampler, self.position, self.player, TRIES, TRIED, random).options[:1]
                return [*tried, *self.by_policy(self.block.position)]
            if decision.answers.count() > LISTED:
                asked = self.position, self.player, self.question.samples, self.question.seed
                return narrowed(sampler, *asked).options
            return [(answer,) for answer in decision.answers]
        return []


@dataclass
class ChoiceTable:
    """What answers are worth in the scenarios of the choice. Each is played once, however often it is a candidate, and
    all of them in the same scenarios: whoever comes later is played in all of these, or not compared."""

    sampler: Sampler
    scenarios: Sequence[FixedScenario]
    known: dict[AnswerSequence, list[float]] = field(default_factory=dict)
    """Of some maybe more than is seen, or less: from a choice in fewer scenarios, the first of these."""
    seen: int = 0
    """In so many scenarios answers were compared."""
    late: set[AnswerSequence] = field(default_factory=set)
    """What there was no time to compare."""

    def wider(self, scenarios: Sequence[FixedScenario]) -> ChoiceTable:
        """A choice in these scenarios and in more, which has not begun."""
        return ChoiceTable(self.sampler, [*self.scenarios, *scenarios], self.known)

    def left_out(self, wanted: int) -> list[str]:
        """Whether there was time for as many scenarios as were wanted, and for all candidates."""
        told = f"choice: candidates were compared in {self.seen} of {wanted} scenarios"
        late = "choice: candidates that were found last were not compared"
        return [told] * (self.seen < wanted) + [late] * bool(self.late and self.seen)

    def ranked(
        self, candidates: Sequence[AnswerSequence], deadline: Deadline, proved: AnswerSequence = (), searched: int = 0
    ) -> list[AnswerSequence]:
        """Candidates, best first, and the first of equals first; as far as there is time for all of them alike. What is
        proved to be the best in more scenarios than are seen here gives way only to what is ahead beyond doubt."""
        answers = list(dict.fromkeys(candidates))
        try:
            rows = self._played(answers, deadline)
        except TimeIsUp:
            self.late.update(answers)
            return answers
        self.late.difference_update(answers)
        self.known.update(rows)
        self.seen = self.seen or min(map(len, rows.values()))
        weights = [scenario.weight for scenario in self.scenarios[: self.seen]]

        def total(each: AnswerSequence) -> float:
            return sum(weight * value for weight, value in zip(weights, rows[each], strict=False))

        ranking = sorted(answers, key=lambda each: -total(each))
        if 0 < self.seen < searched and proved in rows:
            ahead = [best - own for best, own in zip(rows[ranking[0]], rows[proved], strict=False)][: self.seen]
            lead = Estimate.of(ahead, weights)
            if self.seen < 2 or lead.mean < BEYOND_DOUBT * lead.error:
                ranking.sort(key=lambda each: each != proved)
        return ranking

    def _played(self, answers: Sequence[AnswerSequence], deadline: Deadline) -> dict[AnswerSequence, list[float]]:
        """What answers are worth, scenario by scenario: in those that were seen, or in as many as there is time for."""
        rows = {each: list(self.known.get(each, ())) for each in answers}

        def play(number: int) -> None:
            new = [each for each in answers if len(rows[each]) <= number]
            scenario = self.scenarios[number]
            values = self.sampler.worth(scenario, self.sampler.run.ends(scenario, new)) if new else []
            for each, value in zip(new, values, strict=True):
                rows[each].append(value)

        deadline.each(range(self.seen or len(self.scenarios)), play, whole=self.seen > 0)
        return rows
