"""A question about a position, with all that its engines need: scenarios, a measure, candidates to choose among.

Candidates are compared in scenarios of their own: the best one by a search, others that are nearly as good there, and
what a search by trial comes to (model selection by validation).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods import search
from chocolatl.solver.methods.continuations import Continuation, at_random
from chocolatl.solver.methods.sampling import NoComparison, Sampler, narrowed
from chocolatl.solver.question import SolverQuestion
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenario_sets import ScenarioSets

LISTED = 12
"""So many options of a single decision are all tried, whatever a model says of them, and so many of a tree."""

TRIES, TRIED = 40, 8
"""So many whole answers are tried in the search by trial, each in so many scenarios."""


@dataclass(frozen=True)
class PositionQuestion:
    """A question, and what it is asked about."""

    game: Game
    position: Position
    player: int
    question: SolverQuestion

    @cached_property
    def sets(self) -> ScenarioSets:
        asked = self.question
        return ScenarioSets(
            self.game, self.position, self.player, asked.against, asked.seed, asked.scenarios, asked.fresh
        )

    @cached_property
    def measure(self) -> OutcomeMeasure:
        return OutcomeMeasure(self.game, self.player, self.question.objective, self.question.valuation)

    def sampler(self, run: Continuation, deadline: Deadline) -> Sampler:
        return Sampler(self.game, lru_cache(maxsize=64)(self.sets.drawn), run, self.measure, deadline)

    def by_trial(self, deadline: Deadline) -> list[AnswerSequence]:
        """What is worth trying without a model: all of few options, or the best of those that were tried."""
        decision = self.game.decision(self.position, self.player)
        assert decision is not None
        sampler = self.sampler(at_random(self.game, self.player, deadline=deadline), deadline)
        random = Random(self.question.seed)
        block = self.game.sample_unknown(self.position, self.player, random)
        with suppress(NoComparison):  # where there is a model, it knows whether victories have a meaning
            if block.sealed is not None and len(search.whole(self.game, block, self.player, random)) > 1:
                return search.searched(sampler, self.position, self.player, TRIES, TRIED, random)[:1]
            if decision.answers.count() > LISTED:
                asked = self.position, self.player, self.question.samples, self.question.seed
                return narrowed(sampler, *asked).options
            return [(answer,) for answer in decision.answers]
        return []


@dataclass
class ChoiceTable:
    """What answers are worth in the scenarios of the choice. Each is played once, however often it is a candidate."""

    sampler: Sampler
    scenarios: Sequence[FixedScenario]
    known: dict[AnswerSequence, list[float]] = field(default_factory=dict)

    def ranked(self, candidates: Sequence[AnswerSequence], deadline: Deadline) -> list[AnswerSequence]:
        """Candidates, best first, and the first of equals first; as far as there is time for all of them alike."""
        answers = list(dict.fromkeys(candidates))
        new = [each for each in answers if each not in self.known]
        rows: list[list[float]] = []
        if new:
            try:
                rows = deadline.each(
                    self.scenarios, lambda scenario: self.sampler.worth(scenario, self.sampler.run.ends(scenario, new))
                )
            except TimeIsUp:
                return answers
            self.known.update(zip(new, map(list, zip(*rows, strict=True)), strict=True) if rows else [])
        if not all(each in self.known for each in answers):
            return answers
        count = min(len(self.known[each]) for each in answers)
        weights = [scenario.weight for scenario in self.scenarios[:count]]

        def total(each: AnswerSequence) -> float:
            return sum(weight * value for weight, value in zip(weights, self.known[each], strict=False))

        return sorted(answers, key=lambda each: -total(each))
