"""Scenarios in which later secret blocks are answered when they are due (rollouts that solve again).

The answers are the best ones to samples of what may follow, by what the player sees then.
"""

from __future__ import annotations

from collections.abc import Sequence

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods import best
from chocolatl.solver.methods.continuations import Continuation, PlayedEnd
from chocolatl.solver.methods.nested import AGAIN, TWIGS
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth.contests import AnswerValues
from chocolatl.solver.worth.opponents import RANDOM, is_type
from chocolatl.solver.worth.playout import LaterAnswers, to_horizon
from chocolatl.solver.worth.scenarios import scenarios

QUICK = 5.0
"""So many seconds may be spent on deciding again, once."""


def deciding_again(
    game: Game,
    player: int,
    against: str,
    objective: str,
    valuation: Valuation,
    deadline: Deadline | None = None,
    policy: LaterPolicy = FIRST_LEGAL,
) -> Continuation:
    """A scenario goes on with answers that are found when they are due, by what is seen then: the best ones to samples
    of what may follow, of which the scenario itself is none. `TimeIsUp` if there is no time to find them."""
    limit = deadline or Deadline()

    def run(scenario: FixedScenario, options: Sequence[AnswerSequence]) -> list[Position]:
        again = answers_again(game, player, against, objective, valuation, scenario, limit, policy)
        return [to_horizon(game, scenario, player, answers, later=again, policy=policy) for answers in options]

    def logged(scenario: FixedScenario, answers: AnswerSequence) -> PlayedEnd:
        again = answers_again(game, player, against, objective, valuation, scenario, limit, policy)
        log, later = Log(), list[object]()

        def noted(position: Position) -> Sequence[object]:
            found = again(position)
            later.extend(found)
            return found

        return PlayedEnd(to_horizon(game, scenario, player, answers, log, noted, policy), log, tuple(later))

    return Continuation(run, logged, policy, limit)


def answers_again(
    game: Game,
    player: int,
    against: str,
    objective: str,
    valuation: Valuation,
    scenario: FixedScenario,
    deadline: Deadline,
    policy: LaterPolicy = FIRST_LEGAL,
) -> LaterAnswers:
    """What the player answers in a later secret block."""
    others = against if is_type(against) else RANDOM  # what is given in a file or a position ends with the block

    def again(position: Position) -> AnswerValues:
        given = scenarios(game, position, player, others, TWIGS, scenario.seed + AGAIN, deadline)
        try:
            problem = best.formulate(game, player, given, objective, valuation, deadline, policy)
            return best.solved(problem, deadline.at_most(QUICK)).answers
        except best.NotFound:
            deadline.look()
            raise

    return again
