"""The best answer to the decisions at hand, with its proof.

One model holds a symbolic run for each scenario; the player's answers are the same in all of them. What is found is
played again by the interpreter before anybody sees it, and has to be worth what the model claims.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from interpreter.engine.compile import Log
from interpreter.formats.valuation import Valuation
from interpreter.game import Game
from solver import cpsat, playout
from solver.answers import POLICY, Plan, ScenarioAnswers, Sought
from solver.constraints import Linear
from solver.contests import Asked, Contest, summaries
from solver.cpsat import Solution
from solver.deadline import TimeIsUp
from solver.linear import Expression, Number
from solver.meaning import NoTable
from solver.model import Model
from solver.objective import NoAnswer, gained
from solver.outcome import POINTS, Measure
from solver.resume import Resumed
from solver.scenario import Scenario
from solver.thresholds import add_thresholds

if TYPE_CHECKING:  # who needs no table does not wait for what it is made with
    from solver.enumeration import Table

ENGINE, ENUMERATION = "CP-SAT", "enumeration"
LEAST = 0.1
"""The least time for a search, in seconds."""

MAKING = 0.5
"""This share of the time may be spent on making a model."""

Given = TypeVar("Given")
Progress = Callable[[float, float], None]
Answers = tuple[object, ...]


class NotFound(NoAnswer):
    """There may be an answer, but the search has not found one."""


class NotModelled(NotFound):
    """The time was not enough to make a model, not even of one scenario."""

    def __init__(self) -> None:
        super().__init__("no answer was found in the time: no scenario became a model")


class Disagreement(AssertionError):
    """The interpreter finds another value than the model: a bug of the solver."""


@dataclass(frozen=True)
class Best:
    """`value` and `bound` are means over the scenarios; `answers` are as the engine knows them, `choices` as people.
    The bound is infinite if not all scenarios became a model."""

    choices: tuple[tuple[str, object], ...]
    answers: Answers
    value: float
    bound: float
    status: str
    seconds: float
    scenarios: int
    variables: int
    constraints: int
    contests: tuple[Contest, ...] = ()
    alternatives: tuple[Best, ...] = field(default=())
    policy: str = POLICY
    engine: str = ENGINE
    modelled: int = 0
    """So many of the scenarios became a model in the time."""

    @property
    def gap(self) -> float:
        return self.bound - self.value


@dataclass
class Problem:
    """A model of all scenarios, ready to be solved."""

    game: Game
    player: int
    scenarios: list[Scenario]
    objective: str
    valuation: Valuation
    model: Model
    plan: Plan
    parts: list[Number]
    """What each scenario adds, by its weight; if the time was short, the first ones."""
    seconds: float = 0.0
    """What it has taken to make the model."""
    table: Table | None = None
    """All answers with their values, once somebody has made it."""
    rules: int = field(init=False)
    """So many constraints say what can be answered; others say which answers are meant."""

    def __post_init__(self) -> None:
        self.rules = len(self.model.constraints)

    @property
    def total(self) -> Number:
        return self.model.total(self.parts)

    @property
    def goal(self) -> Expression:
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
    def measure(self) -> Measure:
        return Measure(self.game, self.player, self.objective, self.valuation)

    def answers(self, solution: tuple[int, ...]) -> Answers:
        """The answers of a solution, as the engine knows them."""
        return tuple(self.plan.fixed(solution))

    def later(self, answers: Answers) -> list[Answers] | None:
        """What the player answers in later secret blocks, for each scenario, if that is sought, too."""

    def value(self, answers: Answers) -> int:
        """What answers are worth, by the interpreter, summed over the scenarios by weight."""
        return sum(self.values(answers))

    def values(self, answers: Answers, log: list[Log] | None = None) -> list[int]:
        """What answers are worth in each scenario, by its weight."""
        found: list[int] = []
        for scenario, more in zip(self.scenarios, self.later(answers) or [()] * len(self.scenarios), strict=True):
            notes: Log = []
            end = playout.to_horizon(self.game, scenario, self.player, answers, notes, lambda _, more=more: more)  # type: ignore[misc]
            found.append(scenario.weight * self.measure(scenario.position, end))
            if log is not None:
                log.append(notes)
        return found

    def searched(self, seconds: float, progress: Progress | None, engine: str | None) -> tuple[Solution, str]:
        """The best by the model, by any engine or just by one, and who has found it."""
        return _searched(self, seconds, progress, engine)


def formulate(
    game: Game,
    player: int,
    scenarios: list[Scenario],
    objective: str = POINTS,
    valuation: Valuation = (),
    seconds: float = math.inf,
) -> Problem:
    """A model of what the player can answer and what follows, in every scenario, or in as many as half of the time is
    enough for: `NotModelled` if it is for none."""
    start = perf_counter()
    if not any(decision.player == player for decision in game.pending(scenarios[0].position)):
        raise NoAnswer(f"{game.players[player]} has nothing to decide here")
    model, plan = Model(oracle=cpsat.conflict), Plan()
    parts: list[Number] = []

    def add(scenario: Scenario) -> None:
        run = Resumed(game.program, model, scenario.position, player, ScenarioAnswers(plan, player, scenario))
        run.to_horizon()
        parts.append(gained(run, game, scenario, player, objective, valuation))

    with uncollected():
        added(model, scenarios, add, seconds)
        if len(scenarios) > 1:
            add_thresholds(model, plan.variables, model.total(parts))
    took = perf_counter() - start
    return Problem(game, player, scenarios, objective, valuation, model, plan, parts, took)


def added(model: Model, given: Iterable[Given], add: Callable[[Given], None], seconds: float) -> None:
    """Add one after the other to a model, for its share of the time. What it is not enough for is no part of the model,
    also if it was begun."""
    done = 0
    with model.deadline.within(MAKING * seconds):
        for each in given:
            rules = model.constraints.copy()
            try:
                add(each)
            except TimeIsUp:
                model.constraints[:] = rules
                break
            done += 1
    if not done:
        raise NotModelled


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the garbage collector: a model is many small things that all stay, and looking through them takes
    longer than making them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def solve(
    problem: Problem,
    seconds: float,
    alternatives: int = 0,
    progress: Progress | None = None,
    engine: str | None = None,
) -> Best:
    """The best answer, and the best ones that clearly differ from it, by any engine or just by one. Making the model is
    part of the time."""
    start = perf_counter()
    seconds = max(LEAST, seconds - problem.seconds)
    best = solved(problem, seconds, progress, engine)
    found: list[Best] = []
    seconds = min(seconds, 3 * (perf_counter() - start) + 10)  # nobody waits long for what is second best
    while len(found) < alternatives and perf_counter() - start < seconds:
        model = problem.model
        kept = len(model.constraints)
        for known in (best, *found):
            _unlike(problem, known)
        try:
            found.append(solved(problem, max(LEAST, seconds - (perf_counter() - start)), None, engine))
        except NoAnswer:
            break
        finally:
            del model.constraints[kept:]
    return replace(best, contests=contests(problem, best), alternatives=tuple(found))


def contests(problem: Problem, best: Best) -> tuple[Contest, ...]:
    """How an answer fares in each contest."""
    logs = list[Log]()
    problem.values(best.answers, logs)
    asked = Asked(problem.game, problem.player, problem.scenarios, problem.objective, problem.valuation)
    whole = problem.weight * problem.unit
    return tuple(summaries(asked, best.answers, best.choices, logs, whole, problem.later(best.answers)))


def instead(problem: Problem, best: Best, answers: Answers, seconds: float) -> Best:
    """Another answer in the place of the best one, with the same bound."""
    model = problem.model
    kept = len(model.constraints)
    for decision, answer in zip(problem.plan.decisions, answers, strict=True):
        for variable, amount in given(decision, answer).items():
            model.constraints.append(Linear(((variable, 1),), amount, amount))
    try:
        found = solved(problem, seconds)
    finally:
        del model.constraints[kept:]
    others = (replace(best, contests=(), alternatives=()), *best.alternatives)
    status = best.status if found.value == best.value else cpsat.FEASIBLE
    return replace(
        found, bound=best.bound, status=status, engine=best.engine, seconds=best.seconds + found.seconds,
        contests=contests(problem, found), alternatives=tuple(o for o in others if o.answers != answers),
    )  # fmt: skip


def solved(problem: Problem, seconds: float, progress: Progress | None = None, engine: str | None = None) -> Best:
    """The best answer alone."""
    modelled, share = len(problem.parts), problem.weight * problem.unit
    means: Progress | None = progress and (lambda value, bound: progress(value / share, bound / share))
    solution, engine = problem.searched(seconds, means, engine)
    if solution.values is None:
        word = "in the time" if solution.status == cpsat.UNKNOWN else "at all"
        raise NotFound(f"no answer was found {word}")
    answers = problem.answers(solution.values)
    values = problem.values(answers)
    value, found = sum(values), sum(values[:modelled])
    if found != solution.objective:
        raise Disagreement(f"the model claims {solution.objective}, and the interpreter finds {found}")
    status, bound = solution.status, solution.bound
    if modelled < len(values):  # what another answer brings in the others is not known
        status, bound = cpsat.FEASIBLE, math.inf
    elif bound is None or status == cpsat.OPTIMAL:
        bound = value
    choices = playout.named(problem.game, problem.scenarios[0].position, problem.player, answers)
    return Best(
        choices, answers, value / share, max(bound, value) / share, status,
        problem.seconds + solution.seconds, len(values), solution.variables, solution.constraints,
        engine=engine, modelled=modelled,
    )  # fmt: skip


def _searched(problem: Problem, seconds: float, progress: Progress | None, engine: str | None) -> tuple[Solution, str]:
    """The best by the model, and who has found it: a plain search, or else a table of all answers, or else all that a
    search can do."""
    if problem.table is not None and engine != ENGINE:
        return problem.table.best(), ENUMERATION
    if engine == ENUMERATION:
        try:
            return _tabled(problem, seconds, progress).best(), engine
        except NoTable as error:
            raise NoAnswer(f"--engine {engine}: {error}") from None
    for number, solution in enumerate(cpsat.solutions(problem.model, problem.goal, seconds, progress)):
        if number == 0 and engine is None and solution.status in (cpsat.FEASIBLE, cpsat.UNKNOWN):
            with suppress(NoTable):
                found = _tabled(problem, seconds - solution.seconds, progress).best(solution.bound)
                if _worth(found) < _worth(solution):  # the time was up early
                    break
                return replace(found, seconds=solution.seconds + found.seconds), ENUMERATION
    return solution, ENGINE


def _worth(solution: Solution) -> float:
    return -math.inf if solution.objective is None else solution.objective


def _tabled(problem: Problem, seconds: float, progress: Progress | None) -> Table:
    """All answers with their values. If the time was enough for all of them, it will not be made again."""
    try:
        from solver.enumeration import tabled
    except (ImportError, OSError) as error:
        raise NoTable(f"the compiler cannot be used here ({error})") from None
    total = problem.total
    objective = total if isinstance(total, Expression) else Expression({}, total, total, total)
    table = tabled(problem.model, problem.plan, objective, seconds, progress, problem.rules)
    if table.is_whole:
        problem.table = table
    return table


def _unlike(problem: Problem, known: Best) -> None:
    """Answers are clearly different when a third of their parts are: of twelve cards four lie elsewhere."""
    alike: list[tuple[int, int]] = []
    size = 0
    for decision, answer in zip(problem.plan.decisions, known.answers, strict=True):
        amounts = given(decision, answer)
        alike += [(variable, 1) for variable, amount in amounts.items() if amount]
        size += sum(amounts.values())
    apart = -(-size // 3)
    problem.model.constraints.append(Linear(tuple(alike), 0, size - apart))


def given(decision: Sought, answer: object) -> dict[int, int]:
    """What an answer says about the variables of its decision."""
    values = answer if isinstance(answer, tuple) else (answer,)
    if decision.answers:
        return {literal.variable: 1 for legal, literal in decision.answers if legal == values}
    return {next(iter(amount.terms)): values.count(kind) for kind, amount in decision.amounts}
