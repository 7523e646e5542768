"""A scenario played by the interpreter itself, with given answers: the judge of every claim (replay, a test oracle)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.solver.symbolic.resume import where
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth.horizons import HorizonKind, horizon_of

LaterAnswers = Callable[[Position], Sequence[object]]
"""What a player answers in a secret block that comes later, by the position at its beginning."""


def to_horizon(
    game: Game,
    scenario: FixedScenario,
    player: int,
    answers: Sequence[object],
    log: Log | None = None,
    later: LaterAnswers | None = None,
    policy: LaterPolicy | None = FIRST_LEGAL,
    horizon: HorizonKind = HorizonKind.ROUND,
) -> Position:
    """The position at the horizon after the player's answers. What the player is asked besides is decided by a policy
    of rules; without one, as all that others decide, by the scenario: at random, or as its players do."""
    position = scenario.position
    far, before, block = horizon_of(game, position, horizon), game.round(position), position.slots
    own, decided = list(answers), 0
    while not game.is_over(position):
        if far.ends(before, game.round(position), decided):
            break
        before = game.round(position)
        chance = game.chance(position)
        if chance is not None:
            who = -1 if chance.owner is None else chance.owner
            here = where(game.program, position.slots)
            if not chance.seen_by(player):
                scenario.unseen(who, here)
            position = game.resolve(position, scenario.outcome(chance.outcomes, who, here), log)
            continue
        pending = game.pending(position)
        decision = next((d for d in pending if d.player == player), pending[0])
        is_own = decision.player == player
        if is_own and later is not None and position.sealed is not None and position.slots is not block:
            block = position.slots
            own = list(later(position))
        decided += not (is_own and own)
        if is_own and own:
            answer = own.pop(0)
        elif is_own and policy is not None and policy.decides(decision.node, decision.answers):
            answer = policy.answer(decision.node, decision.answers)
        else:
            answer = scenario.answer(position, decision, where(game.program, decision.slots), is_own)
        position = game.answer(position, decision.player, answer, log)
    return position


def later_blocks(game: Game, scenario: FixedScenario, player: int) -> list[ir.Statement]:
    """What a player is asked first in each secret block between the answer at hand and the horizon."""
    asked: list[ir.Statement] = []

    def note(position: Position) -> Sequence[object]:
        decision = game.decision(position, player)
        assert decision is not None
        asked.append(decision.node)
        return ()

    to_horizon(game, scenario, player, (), later=note)
    return asked


def named(game: Game, position: Position, player: int, answers: Sequence[object]) -> tuple[tuple[str, object], ...]:
    """Answers with the names of their choices, as people write them."""
    result: list[tuple[str, object]] = []
    for answer in answers:
        decision = game.decision(position, player)
        assert decision is not None
        result.append((decision.name, decision.encode(answer)))
        position = game.answer(position, player, answer)
    return tuple(result)


def points(game: Game, position: Position, player: int) -> int:
    """A player's score."""
    return position.slots[game.program.layout.places[game.ir.score.key].base + player]
