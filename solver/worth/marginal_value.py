"""What one more would be worth (marginal value): the same answers again, the own bid ranked as if it were one better.

The rules are run over the answers as plain numbers. In one contest the first key of the player counts as one better;
all else follows from the rules, so that a place gained early is felt in whatever it changes later.
"""

from __future__ import annotations

from collections.abc import Sequence

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.solver.model.linear import SymbolicNumber, SymbolicValue
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.answers import ScenarioAnswers
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.plan import AnswerPlan
from chocolatl.solver.symbolic.resume import ResumedRun
from chocolatl.solver.symbolic.run import SymbolicRun
from chocolatl.solver.symbolic.scenario import FixedScenario


class GivenAnswers(ScenarioAnswers):
    """The answers that were sought are known: those at hand, and after them those to later secret blocks."""

    def __init__(self, answers: Sequence[object], player: int, scenario: FixedScenario) -> None:
        super().__init__(AnswerPlan(), player, scenario)
        self.left = list(answers)

    def choose(self, run: SymbolicRun, node: ir.Choose, player: int) -> list[SymbolicValue]:
        if not self.is_given(run, player):
            return super().choose(run, node, player)
        answer = self.left.pop(0)
        return list(answer) if isinstance(answer, tuple) else [answer]  # type: ignore[list-item]

    def choose_set(self, run: SymbolicRun, node: ir.ChooseSet, player: int) -> list[SymbolicNumber]:
        if not self.is_given(run, player):
            return super().choose_set(run, node, player)
        chosen = self.left.pop(0)
        assert isinstance(chosen, tuple)
        kinds = ir.set_type(node.source).element
        return [chosen.count(kind) for kind in range(kinds.low, kinds.high + 1)]

    def is_given(self, run: SymbolicRun, player: int) -> bool:
        return player == self.player and (self.seeking or (run.secret and bool(self.left)))


class LiftedRun(ResumedRun):
    """A run in which the player ranks one better in the contest of a number, counted from 0."""

    lazy = False  # contests are counted as they come

    def __init__(
        self, program: LoweredGame, scenario: FixedScenario, player: int, answers: Sequence[object], contest: int | None
    ) -> None:
        super().__init__(program, Model(), scenario.position, player, GivenAnswers(answers, player, scenario))
        self.contest_left = contest

    def ranked_for_contest(self, source: ir.Ranked, given: tuple[int, ...]) -> SymbolicOrder:
        lifted = self.contest_left == 0
        if self.contest_left is not None:
            self.contest_left -= 1
        return self.ranked(source, given, self.player if lifted else None)
