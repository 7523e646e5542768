"""The best answer to the decisions at hand, with its proof (a stochastic program as one model).

One model holds a symbolic run for each scenario; the player's answers are the same in all of them. What is found is
played again by the interpreter before anybody sees it, and has to be worth what the model claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.collecting import uncollected
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.cpsat import Progress, Proof, Solution
from chocolatl.solver.methods.foreseeing import foreseen
from chocolatl.solver.methods.improving import improved
from chocolatl.solver.methods.portfolio import CLIMBING, searched
from chocolatl.solver.methods.portfolio import ENGINE as ENGINE
from chocolatl.solver.methods.portfolio import ENUMERATION as ENUMERATION
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.model.linear import LinearExpression, SymbolicNumber
from chocolatl.solver.model.model import Model
from chocolatl.solver.model.thresholds import add_thresholds
from chocolatl.solver.symbolic.answers import ScenarioAnswers
from chocolatl.solver.symbolic.plan import AnswerPlan, unlike
from chocolatl.solver.symbolic.resume import ResumedRun, lazily_or_not
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.contests import AnswerValues
from chocolatl.solver.worth.objective import gained
from chocolatl.solver.worth.outcome import POINTS, OutcomeMeasure
from chocolatl.solver.worth.refusals import NoAnswer

if TYPE_CHECKING:  # who needs no table does not wait for what it is made with
    from chocolatl.solver.backends.climbing import Climber
    from chocolatl.solver.backends.enumeration import AnswerTable

MAKING = 0.5
"""This share of the time may be spent on making a model."""

HELPING = 0.1
"""This share of the rest may be spent on what only makes a search faster."""

BEST, SEARCHING = 0.6, 0.9
"""These shares of the rest are for the search for the best answer, before it is played again and others are sought; and
for the search if only the best one is wanted."""

IMPROVING = 0.5
"""This share of what is left after a search without a proof is for improving its answer, piece by piece."""

MORE = 10
"""So many seconds longer than three times as long as for the best one nobody waits for what is second best."""

Given = TypeVar("Given")


class NotFound(NoAnswer):
    """There may be an answer, but the search has not found one in the time; or there is none at all."""

    def __init__(self, why: str = "", in_time: bool = True) -> None:
        self.in_time = in_time
        super().__init__(f"no answer was found {'in the time' if in_time else 'at all'}{why}")


class NotModelled(NotFound):
    """The time was not enough to make a model, not even of one scenario."""

    def __init__(self) -> None:
        super().__init__(": no scenario became a model")


class Disagreement(AssertionError):
    """The interpreter finds another value than the model: a bug of the solver."""


@dataclass(frozen=True)
class Best:
    """`value` and `bound` are means over the scenarios in which it was played again, nearly always all of them;
    `answers` are as the engine knows them, `choices` as people. The bound is infinite if not all became a model."""

    choices: tuple[tuple[str, object], ...]
    answers: AnswerValues
    value: float
    bound: float
    status: str
    seconds: float
    scenarios: int
    variables: int
    constraints: int
    alternatives: tuple[Best, ...] = field(default=())
    engine: str = ENGINE
    modelled: int = 0
    """So many of the scenarios became a model in the time, and were looked at in the search."""
    left_out: tuple[str, ...] = ()
    """What there was no time for."""
    proof: Proof = Proof.PLAIN
    """What it rests on that nothing is better, if that is proved."""

    @property
    def gap(self) -> float:
        return self.bound - self.value


@dataclass
class ModelledProblem:
    """A model of all scenarios, ready to be solved."""

    game: Game
    player: int
    scenarios: list[FixedScenario]
    objective: str
    valuation: Valuation
    model: Model
    plan: AnswerPlan
    parts: list[SymbolicNumber]
    """What each scenario adds, by its weight; if the time was short, the first ones."""
    seconds: float = 0.0
    """What it has taken to make the model."""
    policy: LaterPolicy = FIRST_LEGAL
    """How the player decides after the answer."""
    table: AnswerTable | None = None
    """All answers with their values, once somebody has made it."""
    climber: Climber | None = None
    """Code for what answers are worth, likewise."""
    rules: int = field(init=False)
    """So many constraints say what can be answered; others say which answers are meant."""

    def __post_init__(self) -> None:
        self.rules = len(self.model.constraints)

    @property
    def total(self) -> SymbolicNumber:
        return self.model.total(self.parts)

    @property
    def goal(self) -> LinearExpression:
        """What is maximised. Whatever is answered may come to the same."""
        total = self.total
        return self.model.integer(total, total) if isinstance(total, int) else total

    @property
    def weight(self) -> int:
        return sum(scenario.weight for scenario in self.scenarios)

    @property
    def unit(self) -> int:
        return self.measure.unit

    @cached_property
    def measure(self) -> OutcomeMeasure:
        return OutcomeMeasure(self.game, self.player, self.objective, self.valuation)

    def answers(self, solution: tuple[int, ...]) -> AnswerValues:
        """The answers of a solution, as the engine knows them."""
        return tuple(self.plan.fixed(solution))

    def later(self, answers: AnswerValues) -> list[AnswerValues] | None:
        """What the player answers in later secret blocks, for each scenario, if that is sought, too."""

    def value(self, answers: AnswerValues) -> int:
        """What answers are worth, by the interpreter, summed over the scenarios by weight."""
        return sum(self.values(answers, Deadline()))

    def values(self, answers: AnswerValues, deadline: Deadline, among: slice = slice(None)) -> list[int]:
        """What answers are worth in each scenario, or each among some, by its weight: in the first ones, if the time is
        short, and `TimeIsUp` if there is none at all."""

        def played(given: tuple[FixedScenario, AnswerValues]) -> int:
            scenario, more = given
            end = playout.to_horizon(
                self.game, scenario, self.player, answers, later=lambda _: more, policy=self.policy
            )
            return scenario.weight * self.measure(scenario.position, end)

        later = self.later(answers) or [()] * len(self.scenarios)
        return deadline.each([*zip(self.scenarios, later, strict=True)][among], played)

    @property
    def is_foreseen(self) -> bool:
        """Whether anything that learned players decide later was found out beforehand."""
        return any(scenario.foreseen for scenario in self.scenarios)

    def decided_anew(self, answers: AnswerValues, deadline: Deadline) -> float | None:
        """What answers are worth in the mean where learned players decide, and not what was foreseen of them; None if
        nothing was."""
        if not self.is_foreseen:
            return None

        def played(scenario: FixedScenario) -> int:
            truly = replace(scenario, foreseen=None)
            end = playout.to_horizon(self.game, truly, self.player, answers, policy=self.policy)
            return scenario.weight * self.measure(scenario.position, end)

        return sum(deadline.each(self.scenarios, played, whole=True)) / (self.weight * self.unit)

    def improved(self, answers: AnswerValues, deadline: Deadline) -> AnswerValues:
        """Answers changed piece by piece for as long as that is better in all scenarios, and as there is time."""
        return improved(self, answers, deadline)

    def again(self, best: Best, answers: AnswerValues, deadline: Deadline) -> Best:
        """What another answer than the best one is worth."""
        values = self.values(answers, deadline)
        share = self.unit * sum(scenario.weight for scenario in self.scenarios[: len(values)])
        choices = playout.named(self.game, self.scenarios[0].position, self.player, answers)
        return replace(best, choices=choices, answers=answers, value=sum(values) / share, scenarios=len(values))

    def searched(self, deadline: Deadline, progress: Progress | None, engine: str | None) -> tuple[Solution, str]:
        """The best by the model, by any engine or just by one, and who has found it."""
        return searched(self, deadline, progress, engine)


def formulate(
    game: Game,
    player: int,
    scenarios: list[FixedScenario],
    objective: str = POINTS,
    valuation: Valuation = (),
    deadline: Deadline | None = None,
    policy: LaterPolicy = FIRST_LEGAL,
) -> ModelledProblem:
    """A model of what the player can answer and what follows, in every scenario, or in as many as half of the time is
    enough for: `NotModelled` if it is for none. Of players with a policy it is found out first what they do."""
    limit = deadline or Deadline()
    start = limit.clock()
    known: dict[int, FixedScenario] = {}
    if not any(decision.player == player for decision in game.pending(scenarios[0].position)):
        raise NoAnswer(f"{game.players[player]} has nothing to decide here")

    def made(lazy: bool) -> ModelledProblem:
        model, plan = Model(oracle=cpsat.conflict), AnswerPlan()
        parts: list[SymbolicNumber] = []

        def add(number: int) -> None:
            if number not in known:
                known[number] = foreseen(game, scenarios[number], player, policy)
            scenario = known[number]
            answers = ScenarioAnswers(plan, player, scenario, policy)
            run = ResumedRun(game.program, model, scenario.position, player, answers, lazy)
            run.to_horizon()
            parts.append(gained(run, game, scenario, player, objective, valuation))

        added(model, range(len(scenarios)), add, limit)
        if len(scenarios) > 1:
            helped(model, plan, parts, limit)
        took = limit.clock() - start
        given = [known.get(number, scenario) for number, scenario in enumerate(scenarios)]
        return ModelledProblem(game, player, given, objective, valuation, model, plan, parts, took, policy)

    with uncollected():
        return lazily_or_not(game.program, made)


def added(model: Model, given: Iterable[Given], add: Callable[[Given], None], deadline: Deadline) -> None:
    """Add one after the other to a model, for its share of the time. What it is not enough for is no part of the model,
    also if it was begun."""
    share = deadline.share(MAKING)

    def whole(each: Given) -> None:
        rules = model.constraints.copy()
        try:
            add(each)
        except TimeIsUp:
            model.constraints[:] = rules
            raise

    try:
        with model.deadline.within(share):
            share.each(given, whole)
    except TimeIsUp:
        raise NotModelled from None


def helped(model: Model, plan: AnswerPlan, parts: list[SymbolicNumber], deadline: Deadline) -> None:
    """Add what makes a search faster, if there is time for that."""
    rules, share = len(model.constraints), deadline.share(HELPING)
    with suppress(TimeIsUp), model.deadline.within(share), share.enforced():
        add_thresholds(model, plan.variables, model.total(parts))
    del model.constraints[rules:]


def solve(
    problem: ModelledProblem,
    deadline: Deadline,
    alternatives: int = 0,
    progress: Progress | None = None,
    engine: str | None = None,
) -> Best:
    """The best answer, and the best ones that clearly differ from it, by any engine or just by one."""
    start = deadline.clock()
    best = solved(problem, deadline, progress, engine, BEST)
    found: list[Best] = []
    patience = deadline.share(0.5).at_most(3 * (deadline.clock() - start) + MORE)
    exist = True
    while len(found) < alternatives and exist and not patience.is_over:
        other, exist = further(problem, (best, *found), patience, engine)
        found += [other] if other else []
    # Where not all scenarios became a model, another answer may be better in all of them.
    best, *found = sorted([best, *found], key=lambda each: -each.value)
    left_out = list(best.left_out)
    if exist and len(found) < alternatives:
        left_out.append(f"alternatives: {len(found)} of {alternatives} were found in the time")
    return replace(best, alternatives=tuple(found), left_out=tuple(left_out))


def further(
    problem: ModelledProblem,
    known: Sequence[Best],
    deadline: Deadline,
    engine: str | None,
    more: Sequence[LinearConstraint] = (),
) -> tuple[Best | None, bool]:
    """The best answer that clearly differs from known ones, and keeps to some more; and whether there may be one, if
    there was no time."""
    model = problem.model
    kept = len(model.constraints)
    model.constraints += [*more, *(unlike(model, problem.plan, each.answers) for each in known)]
    try:
        return solved(problem, deadline, None, engine), True
    except NotFound as error:
        return None, error.in_time
    except NoAnswer:
        return None, False
    finally:
        del model.constraints[kept:]


def instead(problem: ModelledProblem, best: Best, answers: AnswerValues, deadline: Deadline) -> Best:
    """Another answer in the place of the best one, with the same bound; `NotFound` if there is no time to play it. It
    is proved as well if it comes to the same."""
    try:
        found = problem.again(best, answers, deadline)
    except TimeIsUp:
        raise NotFound from None
    alike = found.scenarios == best.scenarios
    if alike and best.status == cpsat.OPTIMAL and found.value > best.value:
        raise Disagreement(f"{best.value} is proved to be the best, and another answer comes to {found.value}")
    others = (replace(best, alternatives=()), *best.alternatives)
    return replace(
        found, bound=max(best.bound, found.value) if alike else math.inf,
        status=best.status if alike and found.value == best.value else cpsat.FEASIBLE,
        proof=best.proof, engine=best.engine, left_out=best.left_out,
        alternatives=tuple(o for o in others if o.answers != answers),
    )  # fmt: skip


def fixed(problem: ModelledProblem, best: Best, answers: AnswerValues, deadline: Deadline) -> Best:
    """What a model knows of one answer: where later ones have to be found that go with it."""
    model = problem.model
    kept = len(model.constraints)
    for decision, answer in problem.plan.matched(answers):
        for variable, amount in decision.given(answer).items() if answer is not None else ():
            model.constraints.append(LinearConstraint(((variable, 1),), amount, amount))
    try:
        found = solved(problem, deadline)
    finally:
        del model.constraints[kept:]
    return replace(found, seconds=best.seconds + found.seconds)


def solved(
    problem: ModelledProblem,
    deadline: Deadline,
    progress: Progress | None = None,
    engine: str | None = None,
    searching: float = SEARCHING,
) -> Best:
    """The best answer alone, played again: `NotFound` if there was no time for that. A share of the time is for the
    search."""
    share = problem.weight * problem.unit
    means: Progress | None = progress and (lambda value, bound: progress(value / share, bound / share))
    try:
        solution, engine = problem.searched(deadline.share(searching), means, engine)
        if solution.values is None:
            raise NotFound(in_time=solution.status == cpsat.UNKNOWN)
        answers = problem.answers(solution.values)
        values = problem.values(answers, deadline)
    except TimeIsUp:
        raise NotFound from None
    asked, played = len(problem.scenarios), len(values)
    modelled = len(problem.parts) if solution.parts is None else solution.parts
    value, found = sum(values), sum(values[:modelled])
    if found != solution.objective and modelled <= played:
        raise Disagreement(f"the model claims {solution.objective}, and the interpreter finds {found}")
    claimed = answers
    if solution.status != cpsat.OPTIMAL and not (solution.is_top and modelled == asked) and played == asked:
        answers = problem.improved(answers, deadline.share(IMPROVING))
    if answers != claimed:
        values = problem.values(answers, Deadline())
        value, engine = sum(values), CLIMBING
    share = problem.unit * sum(scenario.weight for scenario in problem.scenarios[:played])
    status, bound = solution.status, solution.bound
    left_out: list[str] = []
    if modelled < asked:  # what another answer brings in the others is not known
        status, bound = cpsat.FEASIBLE, math.inf
        left_out.append(f"model: {modelled} of {asked} scenarios were modelled and searched")
    elif bound is None or status == cpsat.OPTIMAL:
        bound = value
    if played < asked:
        status, bound = cpsat.FEASIBLE, math.inf
        left_out.append(f"scenarios: the answer was played again in {played} of {asked}")
    choices = playout.named(problem.game, problem.scenarios[0].position, problem.player, answers)
    return Best(
        choices, answers, value / share, max(bound, value) / share, status,
        problem.seconds + solution.seconds, played, solution.variables, solution.constraints,
        engine=engine, modelled=modelled, left_out=tuple(left_out), proof=solution.proof,
    )  # fmt: skip
