"""What learned players will answer later, found out before a model is made (sample-path fixing).

A model knows no odds of a policy. So a scenario is played some times beforehand, each time with other own answers,
drawn as the policy would answer: at each place in the rules that comes up, what is answered there is kept. The model
has it that this is answered there again if it is legal; else, or at a place that did not come up, others answer by the
number of the scenario, and the player takes the first legal answer.

This is the policy's play, as long as an answer leads to where these did. What is best by it is compared with others,
and reported, where the policy itself decides. Where nobody is asked anything later, nothing is foreseen, and both are
one.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth.playout import to_horizon

PLAYS = 4
"""So often a scenario is played beforehand."""

APART = 1 << 16
"""By so much the parts of a question differ from one play to the next, for the player whose answers are sought."""


@dataclass(frozen=True)
class _ForeseeingPlay(FixedScenario):
    """A scenario played with own answers of a number, which takes down what is answered after them."""

    of: FixedScenario = field(kw_only=True)
    player: int = field(kw_only=True)
    play: int = field(kw_only=True)
    known: dict[tuple[int, str], object] = field(kw_only=True, hash=False)

    def number(self, who: int, where: str, part: int = 0) -> int:
        return self.of.number(who, where, part + APART * self.play * (who == self.player))

    def answer(self, position: Position, decision: Any, where: str, own: bool = False) -> object:
        given = super().answer(position, decision, where, own)
        if not own or position.slots is not self.position.slots:  # what is sought is not foreseen
            self.known.setdefault((decision.player, where), given)
        return given


def foreseen(game: Game, scenario: FixedScenario, player: int, policy: LaterPolicy = FIRST_LEGAL) -> FixedScenario:
    """A scenario as a model can have it; the same, if nobody in it follows a policy."""
    if scenario.conduct is None:
        return scenario
    known: dict[tuple[int, str], object] = {}
    for number in range(PLAYS):
        play = _ForeseeingPlay(
            scenario.position, scenario.seed, scenario.weight, conduct=scenario.conduct,
            of=scenario, player=player, play=number, known=known,
        )  # fmt: skip
        with suppress(RuleError):
            to_horizon(game, play, player, (), policy=policy)
    return replace(scenario, foreseen=known)
