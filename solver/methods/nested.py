"""Nested samples (two-stage stochastic programming): what to answer now, by one who will answer again, knowing more.

Some rules ask a player twice before anything is decided: cards are laid, all see them, more are laid. The second
answers will be good ones, so the first must not be judged as if they were any. A tree of scenarios says what can be
known when: a branch is what the others may answer now, and its twigs are what may come after that. The answers at hand
are the same in all scenarios; the later ones are the same in all twigs of a branch, and may differ between branches. So
no plan knows what its player cannot know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.system.collecting import uncollected
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.interpreter.system.extras import why_not
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.cpsat import Progress, Solution
from chocolatl.solver.methods import best
from chocolatl.solver.methods.best import ModelledProblem
from chocolatl.solver.methods.foreseeing import foreseen
from chocolatl.solver.methods.portfolio import TABLING
from chocolatl.solver.model.definitions import NoTable, TooLong
from chocolatl.solver.model.linear import BooleanLiteral, SymbolicNumber, SymbolicValue
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.answers import ScenarioAnswers
from chocolatl.solver.symbolic.plan import AnswerPlan
from chocolatl.solver.symbolic.resume import ResumedRun, lazily_or_not
from chocolatl.solver.symbolic.run import SymbolicRun
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported
from chocolatl.solver.worth.beliefs import WeighedWorlds
from chocolatl.solver.worth.contests import AnswerValues
from chocolatl.solver.worth.objective import gained
from chocolatl.solver.worth.outcome import POINTS
from chocolatl.solver.worth.playout import to_horizon
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

if TYPE_CHECKING:
    from chocolatl.solver.methods.branches import Branches

TWIGS = 3
"""So many ways in which each branch may go on."""

POLICY = f"in a later secret block the best answers to {TWIGS} samples of what may follow; elsewhere {{}}"

PATIENCE = 100
"""So many worlds are drawn at most in search of one in which the others can answer as they do in a branch."""

AGAIN = 1 << 33
"""What is drawn when the player decides again is not what was drawn before."""

SEARCH = "search"
"""The name of what looks at some first answers."""

BOUNDING = 5.0
"""So many seconds may be spent on a bound for what was not looked at."""

WorldSource = Callable[[Random], Position]
"""Draws a world that the player cannot tell from the others."""

SampleTree = list[list[FixedScenario]]
"""Branches, each with its twigs."""


# ---------------------------------------------------------------- the tree


@dataclass(frozen=True)
class Twig(FixedScenario):
    """A scenario that goes as its branch does until the player has to decide again, and then its own way."""

    branch: int = 0
    """The seed of the branch."""
    shared: frozenset[tuple[int, str]] = frozenset()
    """Who is asked what, by the place in the rules, before the player has to decide again; what chance brought unseen
    is not among it."""

    def number(self, who: int, where: str, part: int = 0) -> int:
        if (who, where) in self.shared:
            return FixedScenario(self.position, self.branch).number(who, where, part)
        return super().number(who, where, part)


@dataclass(frozen=True)
class _NotedScenario(FixedScenario):
    """A scenario that takes down what it is asked for, and what of it the player does not see."""

    notes: set[tuple[int, str]] = field(default_factory=set)
    hidden: set[tuple[int, str]] = field(default_factory=set)

    def unseen(self, who: int, where: str) -> None:
        self.hidden.add((who, where))

    def number(self, who: int, where: str, part: int = 0) -> int:
        self.notes.add((who, where))
        return super().number(who, where, part)


def branched(
    game: Game,
    position: Position,
    player: int,
    trunk: Sequence[FixedScenario],
    redrawn: bool,
    deadline: Deadline,
    policy: LaterPolicy = FIRST_LEGAL,
    worlds: WeighedWorlds | None = None,
) -> SampleTree:
    """A tree with a branch for each of some scenarios, or for as many as there is time for. `redrawn`: what the player
    does not see may be otherwise in each twig, by the weights of worlds or evenly."""

    def world(random: Random) -> Position:
        return game.sample_unknown(position, player, random) if worlds is None else worlds.drawn(random)

    return deadline.each(trunk, lambda branch: _twigs(game, player, branch, world if redrawn else None, policy))


def _twigs(
    game: Game, player: int, branch: FixedScenario, world: WorldSource | None, policy: LaterPolicy
) -> list[FixedScenario]:
    noted = _NotedScenario(branch.position, branch.seed, conduct=branch.conduct)
    before: list[frozenset[tuple[int, str]]] = []

    def asked_again(_: Position) -> tuple[()]:
        before.append(frozenset(noted.notes - noted.hidden))
        return ()

    to_horizon(game, noted, player, (), later=asked_again, policy=policy)
    found: list[FixedScenario] = []
    for number in range(TWIGS):
        random = Random(branch.seed, number, 1)
        alike = branch.position if world is None else _alike(game, world, player, branch.position, random)
        seed = random.next_u32() + AGAIN
        found.append(Twig(alike, seed, branch.weight, branch.seed, before[0], conduct=branch.conduct))
    return found


def foreseen_twigs(
    game: Game, twigs: list[FixedScenario], player: int, policy: LaterPolicy = FIRST_LEGAL
) -> list[FixedScenario]:
    """A branch as a model can have it: what players with a policy do is found out twig by twig. Until the player has to
    decide again all twigs go as the first one does."""
    first, *rest = [foreseen(game, twig, player, policy) for twig in twigs]
    return [first, *(_going_like(first, each) for each in rest)]


def _going_like(first: FixedScenario, twig: FixedScenario) -> FixedScenario:
    if first.foreseen is None or twig.foreseen is None or not isinstance(twig, Twig):
        return twig
    shared = {place: first.foreseen[place] for place in twig.shared if place in first.foreseen}
    return replace(twig, foreseen={**twig.foreseen, **shared})


def _alike(game: Game, world: WorldSource, player: int, branch: Position, random: Random) -> Position:
    """Another world in which the others answer as in a branch: any in which they can, as likely as it is drawn."""
    for _ in range(PATIENCE):
        found = _answered(game, world(random), player, branch)
        if found is not None:
            return found
    return branch


def _answered(game: Game, world: Position, player: int, branch: Position) -> Position | None:
    """A world after the others' answers of a branch, if they are legal there."""
    assert branch.sealed is not None
    for other, private in enumerate(branch.sealed):
        for answer in private.answers if other != player else ():
            decision = game.decision(world, other)
            if decision is None or not decision.answers.contains(answer):
                return None
            world = game.answer(world, other, answer)
    return world


# ---------------------------------------------------------------- the model


class StagedAnswers(ScenarioAnswers):
    """Sought are the answers at hand, and those to the secret block that follows: these in a plan of the branch."""

    def __init__(
        self, plan: AnswerPlan, later: AnswerPlan, player: int, scenario: FixedScenario, policy: LaterPolicy
    ) -> None:
        super().__init__(plan, player, scenario, policy)
        self.later = ScenarioAnswers(later, player, scenario)
        self.later.seeking = True

    def choose(self, run: SymbolicRun, node: ir.Choose, player: int) -> list[SymbolicValue]:
        if self.is_later(run, node, player):
            return self.later.choose(run, node, player)
        return super().choose(run, node, player)

    def choose_set(self, run: SymbolicRun, node: ir.ChooseSet, player: int) -> list[SymbolicNumber]:
        if self.is_later(run, node, player):
            return self.later.choose_set(run, node, player)
        return super().choose_set(run, node, player)

    def is_later(self, run: SymbolicRun, node: ir.Choose | ir.ChooseSet, player: int) -> bool:
        later = run.secret and player == self.player and not self.seeking
        if later and any(isinstance(condition, BooleanLiteral) for condition in run.state.path):
            raise Unsupported(node.span, ModelGap.ASKED_AGAIN)
        return later


@dataclass
class Nested(ModelledProblem):
    """A model of a tree. The scenarios are its twigs."""

    plans: list[AnswerPlan] = field(default_factory=list)
    """The later answers in each twig; the twigs of a branch share them."""
    found: dict[AnswerValues, list[AnswerValues]] = field(default_factory=dict)
    """What goes with the answers of solutions: the later ones, for each twig."""
    branches: Branches | None = None
    """The first answers that were tried."""
    bound: float | None = None
    """What first answers are worth at most, if it was asked for."""

    def answers(self, solution: tuple[int, ...]) -> AnswerValues:
        answers = super().answers(solution)
        self.found[answers] = [tuple(plan.fixed(solution)) for plan in self.plans]
        return answers

    def later(self, answers: AnswerValues) -> list[AnswerValues]:
        return self.found[answers]

    def decided_anew(self, answers: AnswerValues, deadline: Deadline) -> float | None:
        """Nobody knows: what goes with the answers later on was found for what is foreseen."""
        return None

    def improved(self, answers: AnswerValues, deadline: Deadline) -> AnswerValues:
        """First answers are changed piece by piece where they are looked at, each with the best later ones."""
        return answers

    def again(self, best_: best.Best, answers: AnswerValues, deadline: Deadline) -> best.Best:
        """With the later answers that go best with it."""
        return best.fixed(self, best_, answers, deadline)

    def searched(self, deadline: Deadline, progress: Progress | None, engine: str | None) -> tuple[Solution, str]:
        """First answers are looked at one by one, each with the best later ones; what any can be worth at most is asked
        CP-SAT, for a while. It does all of it where that cannot be done."""
        if engine == best.ENGINE:
            return super().searched(deadline, progress, engine)
        try:
            looked_at = self.looked_at(deadline.share(0.5))
            found = looked_at.best()
            if engine == best.ENUMERATION and not looked_at.are_few:
                raise NoTable("there are too many first answers to look at all of them")
        except NoTable as error:
            if engine is not None:
                if isinstance(error, TooLong):
                    raise TimeIsUp from None
                raise NoAnswer(QuestionSetting(QuestionPart.ENGINE, engine), f": {error}") from None
            return super().searched(deadline, progress, best.ENGINE)
        if found.status == cpsat.OPTIMAL:
            return found, best.ENUMERATION
        if self.bound is None:
            left = deadline.share(0.5).at_most(BOUNDING)
            bounds: list[float] = [self.goal.high]
            with suppress(TimeIsUp):
                bounds += [s.bound for s in cpsat.solutions(self.model, self.goal, left) if s.bound is not None]
            self.bound = min(bounds)
        return replace(found, bound=self.bound), best.ENUMERATION if looked_at.are_few else SEARCH

    def promising(self, count: int) -> list[AnswerValues]:
        """The first answers that are worth most in the tree, best first, as far as any were tried."""
        return self.branches.top(count) if self.branches is not None else []

    def looked_at(self, deadline: Deadline) -> Branches:
        """First answers, tried."""
        if self.branches is None:
            if deadline.left < TABLING:
                raise TooLong("making a table takes longer than there is time")
            try:
                from chocolatl.solver.methods.branches import Branches  # who needs it not does not wait for it
            except (ImportError, OSError) as error:
                raise NoTable(f"the compiler cannot be used here ({why_not(error)})") from None
            making = deadline.share(0.5)
            self.branches = Branches(self.model, self.rules, self.plan, self.plans, self.parts, making)
            random = Random(self.scenarios[0].seed)
            self.branches.try_all(self.game, self.scenarios[0].position, self.player, deadline, random)
        return self.branches


def formulate(
    game: Game,
    player: int,
    tree: SampleTree,
    objective: str = POINTS,
    valuation: Valuation = (),
    deadline: Deadline | None = None,
    policy: LaterPolicy = FIRST_LEGAL,
) -> Nested:
    """A model of what the player can answer, now and later, and what follows, in every twig; of the first branches
    alone, if half of the time is not enough for all, and `NotModelled` if it is for none."""
    limit = deadline or Deadline()
    start = limit.clock()
    known: dict[int, list[FixedScenario]] = {}

    def made(lazy: bool) -> Nested:
        model, plan = Model(oracle=cpsat.conflict), AnswerPlan()
        parts: list[SymbolicNumber] = []
        plans: list[AnswerPlan] = []
        given: list[FixedScenario] = []

        def add(number: int) -> None:
            if number not in known:
                known[number] = foreseen_twigs(game, tree[number], player, policy)
            twigs = known[number]
            later, own = AnswerPlan(), list[SymbolicNumber]()
            for twig in twigs:
                answers = StagedAnswers(plan, later, player, twig, policy)
                run = ResumedRun(game.program, model, twig.position, player, answers, lazy)
                run.to_horizon()
                own.append(gained(run, game, twig, player, objective, valuation))
            parts.extend(own)
            plans.extend([later] * len(twigs))
            given.extend(twigs)

        best.added(model, range(len(tree)), add, limit)
        took = limit.clock() - start
        return Nested(game, player, given, objective, valuation, model, plan, parts, took, policy, plans=plans)

    with uncollected():
        return lazily_or_not(game.program, made)
