"""How a scenario goes on after an answer up to the horizon (rollouts): as its players play, or by the policy of a
model.

Players who have no policy play at random. Each way can be had for many answers at once, where only their ends count,
and for one answer with all that is told on its way. Both come to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import Horizon, played_on
from chocolatl.interpreter.players.lookahead import AnswerSequence, endings
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, Conduct, FixedScenario, LaterPolicy
from chocolatl.solver.worth.horizons import HorizonKind, horizon_of
from chocolatl.solver.worth.playout import to_horizon

LUCK = 1 << 31
"""The random numbers that a scenario is played on with are not those that it was made with."""


@dataclass(frozen=True)
class PlayedEnd:
    """Where one answer has led, what was told on the way, and what the player answered in later secret blocks; None if
    that is not known as such."""

    position: Position
    log: Log
    later: AnswerSequence | None = ()


@dataclass(frozen=True)
class Continuation:
    """How a scenario goes on after answers: where each of several leads, and how one of them goes, told in full. The
    same answers come to the same either way."""

    ends: Callable[[FixedScenario, Sequence[AnswerSequence]], Sequence[Position]]
    logged: Callable[[FixedScenario, AnswerSequence], PlayedEnd]
    policy: LaterPolicy | None
    """How the player decides later; None if that is at random."""
    deadline: Deadline
    """Until when; whoever goes on with it later gives it the time for that."""
    horizon: HorizonKind = HorizonKind.ROUND


def at_random(
    game: Game, player: int, horizon: HorizonKind = HorizonKind.ROUND, deadline: Deadline | None = None
) -> Continuation:
    """Everybody answers at random, the player's own later decisions included, or as a policy does, if the scenario is
    about players who follow one; `TimeIsUp` if that takes too long."""
    limit = deadline or Deadline()

    def run(scenario: FixedScenario, answers: Sequence[AnswerSequence]) -> Sequence[Position]:
        far = horizon_of(game, scenario.position, horizon)
        ends: list[Position] = []
        if scenario.conduct is not None:
            for each in answers:
                ends.append(by_conduct(game, scenario, scenario.conduct, player, each, far))
                limit.look()
            return ends
        for end in endings(game, scenario.position, player, answers, scenario.seed + LUCK, far):
            ends.append(end)
            limit.look()
        return ends

    def logged(scenario: FixedScenario, answers: AnswerSequence) -> PlayedEnd:
        log: Log = []
        far = horizon_of(game, scenario.position, horizon)
        if scenario.conduct is not None:
            return PlayedEnd(by_conduct(game, scenario, scenario.conduct, player, answers, far, log), log, None)
        after, luck = scenario.position, streams(scenario.seed + LUCK, 0, game.player_count)
        for answer in answers:
            after = game.answer(after, player, answer, log)
        return PlayedEnd(played_on(game, after, luck, far, scenario.position, log), log, None)

    return Continuation(run, logged, None, limit, horizon)


def by_conduct(
    game: Game,
    scenario: FixedScenario,
    conduct: Conduct,
    player: int,
    answers: AnswerSequence,
    horizon: Horizon,
    log: Log | None = None,
) -> Position:
    """Where answers lead to when everybody goes on by the same policy. As in a match, chance and each seat have numbers
    of their own, and in a secret block players are asked by seat, each one to its end."""
    position, before = scenario.position, game.round(scenario.position)
    chance, *seats = streams(scenario.seed + LUCK, 0, game.player_count)
    for answer in answers:
        position = game.answer(position, player, answer, log)
    decided, block = 0, None
    while not game.is_over(position):
        if position.sealed is None or position.slots is not block:
            now = game.round(position)
            if horizon.ends(before, now, decided):
                break
            before, block = now, position.slots
        event = game.chance(position)
        if event is not None:
            position = game.resolve(position, event.outcomes.sample(chance), log)
            continue
        decision = game.pending(position)[0]
        answer = conduct.answer(position, decision, seats[decision.player])
        position, decided = game.answer(position, decision.player, answer, log), decided + 1
    return position


def by_policy(game: Game, player: int, deadline: Deadline, policy: LaterPolicy = FIRST_LEGAL) -> Continuation:
    """As a model continues: own later decisions follow a policy, and all else the numbers of the scenario."""

    def run(scenario: FixedScenario, options: Sequence[AnswerSequence]) -> Sequence[Position]:
        ends: list[Position] = []
        for answers in options:
            deadline.look()
            ends.append(to_horizon(game, scenario, player, answers, policy=policy))
        return ends

    def logged(scenario: FixedScenario, answers: AnswerSequence) -> PlayedEnd:
        log: Log = []
        return PlayedEnd(to_horizon(game, scenario, player, answers, log, policy=policy), log)

    return Continuation(run, logged, policy, deadline)
