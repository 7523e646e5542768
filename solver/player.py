"""The `solver` player: it asks the solver what to answer, with a budget of work for each decision.

What it asks is what everybody asks (`chocolatl.solver.question`): against players who follow the policy of the game, to
the end of the round, with what the valuation says lasts beyond it.

The budget is counted in decisions of games that are played on at random, not by the clock, so that the same seed gives
the same game on every machine. The player sees the position through `game.sample_unknown` and `game.view` alone. What
it draws at random depends on what it sees: the answers to a secret block are found together, when the first of them is
asked for.
"""

from __future__ import annotations

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.by_work import best_answers
from chocolatl.solver.question import HorizonKind, SolverQuestion, question_of

KEPT = 16
"""So many plans for secret blocks are remembered."""


class SolverPlayer:
    """`horizon` is how far it looks."""

    def __init__(self, budget: float = 0.1, horizon: HorizonKind = HorizonKind.ROUND) -> None:
        self.budget = budget
        self.horizon = horizon
        self.plans: dict[int, AnswerSequence] = {}
        self.questions: dict[int, tuple[Game, SolverQuestion]] = {}

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        if decision.answers.count() == 1:
            return decision.answers.nth(0)
        player = decision.player
        asked = PositionQuestion(game, position, player, self.question(game))
        if position.sealed is None:
            return best_answers(asked)[0]
        given = position.sealed[player].answers
        plan = self.plans.get(asked.seed, ())
        if plan[: len(given)] != given or len(plan) <= len(given):
            if len(self.plans) >= KEPT:
                self.plans.clear()
            self.plans[asked.seed] = plan = (*given, *best_answers(asked))
        return plan[len(given)]

    def question(self, game: Game) -> SolverQuestion:
        """What it asks at every decision of a game."""
        if id(game) not in self.questions:
            self.questions[id(game)] = game, question_of(game, work=self.budget, horizon=self.horizon)
        return self.questions[id(game)][1]
