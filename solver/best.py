"""The best answer to the decisions at hand, with its proof.

One model holds a symbolic run for each scenario; the player's answers are the same in all of them. What is found is
played again by the interpreter before anybody sees it, and has to be worth what the model claims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from interpreter.engine.compile import Log
from interpreter.formats.valuation import PER_POINT, Valuation
from interpreter.game import Game, Position
from interpreter.ir import nodes as ir
from solver import cpsat, playout
from solver.answers import POLICY, Plan, ScenarioAnswers
from solver.evaluate import Evaluator
from solver.linear import Literal, Number, Truth
from solver.model import Linear, Model
from solver.outcome import MARGIN, POINTS, Measure, rounds
from solver.resume import Resumed
from solver.scenario import Scenario
from solver.state import number

ENGINE = "CP-SAT"

Progress = Callable[[float, float], None]
Answers = tuple[object, ...]


class NoAnswer(Exception):
    """There is nothing to solve, or it cannot be solved. The message is a sentence for the user."""


class NotFound(NoAnswer):
    """There may be an answer, but the search has not found one."""


class Disagreement(AssertionError):
    """The interpreter finds another value than the model: a bug of the solver."""


@dataclass(frozen=True)
class Contest:
    """How the answer fares in one contest, over all scenarios, by weight."""

    name: str
    bid: int
    first: float
    second: float
    last: float
    points: float
    margin: int
    """By how much the own bid is better than the best other one, at the worst."""


@dataclass(frozen=True)
class Best:
    """`value` and `bound` are means over the scenarios; `answers` are as the engine knows them, `choices` as people."""

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
    measure: Measure
    model: Model
    plan: Plan
    total: Number
    weight: int

    @property
    def unit(self) -> int:
        return self.measure.unit

    def value(self, answers: Answers, log: list[Log] | None = None) -> int:
        """What answers are worth, by the interpreter, summed over the scenarios by weight."""
        found = 0
        for scenario in self.scenarios:
            notes: Log = []
            end = playout.to_horizon(self.game, scenario, self.player, answers, notes)
            found += scenario.weight * self.measure(scenario.position, end)
            if log is not None:
                log.append(notes)
        return found


def formulate(
    game: Game, player: int, scenarios: list[Scenario], objective: str = POINTS, valuation: Valuation = ()
) -> Problem:
    """A model of what the player can answer and what follows, in every scenario."""
    if not any(decision.player == player for decision in game.pending(scenarios[0].position)):
        raise NoAnswer(f"{game.players[player]} has nothing to decide here")
    model, plan = Model(oracle=cpsat.conflict), Plan()
    total: Number = 0
    for scenario in scenarios:
        run = Resumed(game.program, model, scenario.position, player, ScenarioAnswers(plan, player, scenario))
        run.to_horizon()
        gained = _objective(run, game, scenario.position, player, objective)
        if valuation:
            worth = _worth(run, game, scenario.position, player, valuation)
            gained = model.add(model.scaled(gained, PER_POINT), worth)
        total = model.add(total, gained, scenario.weight)
    weight = sum(scenario.weight for scenario in scenarios)
    measure = Measure(game, player, objective, valuation)
    return Problem(game, player, scenarios, objective, measure, model, plan, total, weight)


def solve(problem: Problem, seconds: float, alternatives: int = 0, progress: Progress | None = None) -> Best:
    """The best answer, and the best ones that clearly differ from it."""
    start = perf_counter()
    best = _solved(problem, seconds, progress)
    found: list[Best] = []
    seconds = min(seconds, 2 * (perf_counter() - start) + 1)  # nobody waits long for what is second best
    while len(found) < alternatives and perf_counter() - start < seconds:
        model = problem.model
        kept = len(model.constraints)
        for known in (best, *found):
            _unlike(problem, known)
        try:
            found.append(_solved(problem, max(0.1, seconds - (perf_counter() - start)), None))
        except NoAnswer:
            break
        finally:
            del model.constraints[kept:]
    contests = tuple(_contests(problem, best.answers))
    return Best(**{**vars(best), "contests": contests, "alternatives": tuple(found)})


def _solved(problem: Problem, seconds: float, progress: Progress | None) -> Best:
    model, total = problem.model, problem.total
    if isinstance(total, int):  # whatever is answered, it comes to the same
        total = model.integer(total, total)
    solution = cpsat.solve(model, total, seconds, progress=progress)
    if solution.values is None:
        word = "in the time" if solution.status == cpsat.UNKNOWN else "at all"
        raise NotFound(f"no answer was found {word}")
    answers = tuple(problem.plan.fixed(solution.values))
    value = problem.value(answers)
    if value != solution.objective:
        raise Disagreement(f"the model claims {solution.objective}, and the interpreter finds {value}")
    bound = solution.bound if solution.bound is not None and solution.status != cpsat.OPTIMAL else value
    share = problem.weight * problem.unit
    choices = playout.named(problem.game, problem.scenarios[0].position, problem.player, answers)
    return Best(
        choices, answers, value / share, max(bound, value) / share, solution.status,
        solution.seconds, len(problem.scenarios), solution.variables, solution.constraints,
    )  # fmt: skip


def _unlike(problem: Problem, known: Best) -> None:
    """Answers are clearly different when at least two parts of them are."""
    literals: list[tuple[int, int]] = []
    size = 0
    for decision, answer in zip(problem.plan.decisions, known.answers, strict=True):
        if decision.answers:
            values = answer if isinstance(answer, tuple) else (answer,)
            literals += [(literal.variable, 1) for given, literal in decision.answers if given == values]
            size += 1
        else:
            assert isinstance(answer, tuple)
            for kind, amount in decision.amounts:
                if answer.count(kind):
                    literals.append((next(iter(amount.terms)), 1))
                    size += answer.count(kind)
    apart = 2 if size > 2 else 1
    problem.model.constraints.append(Linear(tuple(literals), 0, size - apart))


# ---------------------------------------------------------------- objectives


def _objective(run: Resumed, game: Game, position: Position, player: int, objective: str) -> Number:
    base = game.program.layout.places[game.ir.score.key].base
    scores = [number(run.model, run.state.read(base + seat)) for seat in range(game.player_count)]
    if objective == POINTS:
        return run.model.shifted(scores[player], -playout.points(game, position, player))
    if objective == MARGIN:
        best: Number | None = None
        for seat, score in enumerate(scores):
            if seat != player:
                best = score if best is None else run.model.maximum(best, score)
        return run.model.add(scores[player], best if best is not None else 0, -1)
    if run.goes_on is not True:
        raise NoAnswer("whether the game ends in this round is open, so that `--objective win` has no meaning yet")
    order = run.order(ir.Ranked(game.ir.winner, (), game.ir.rankings[game.ir.winner].span))
    first: Truth = next((here for who, here in run.at_place(order, 1) if who == player), False)
    return run.model.number(first) if isinstance(first, Literal) else int(first)


# ---------------------------------------------------------------- valuation


def _worth(run: Resumed, game: Game, position: Position, player: int, valuation: Valuation) -> Number:
    """What the position at the horizon is worth beyond it, in hundredths; if the game is over, no round is left."""
    left = rounds(game) - game.round(position)
    return run.model.chosen(run.goes_on, _sum(run, player, valuation, 0), _sum(run, player, valuation, left))


def _sum(run: Evaluator, player: int, valuation: Valuation, left: int) -> Number:
    total: Number = 0
    for item in valuation:
        if item.each(left):
            run.state.values[-item.player.number] = player
            total = run.model.add(total, run.number(item.what), item.each(left))
    return total


# ---------------------------------------------------------------- contests


def _contests(problem: Problem, answers: Answers) -> list[Contest]:
    """Each contest of the horizon: the own bid, the places, and the points that it brought."""
    game, player, logs = problem.game, problem.player, list[Log]()
    problem.value(answers, logs)
    table: dict[str, list[_Round]] = {}
    for scenario, log in zip(problem.scenarios, logs, strict=True):
        current: _Round | None = None
        for entry in log:
            if entry[0] == "contest":
                _, ranking, (elements, places, keys), text, values = entry
                label = game.program.texts[text]
                current = None
                if label is not None and player in elements and keys:
                    mine = elements.index(player)
                    # The engine keeps what comes first in an order as the smaller number.
                    first = game.ir.rankings[game.program.rankings[ranking]].keys[0]
                    others = min((key[0] for seat, key in enumerate(keys) if seat != mine), default=keys[mine][0])
                    bid = -keys[mine][0] if first.descending else keys[mine][0]
                    is_last = places[mine] == places[-1]
                    current = _Round(scenario.weight, bid, places[mine], is_last, others - keys[mine][0])
                    table.setdefault(game.fill(label, values), []).append(current)
            elif entry[0] == "award" and entry[1] == player and current is not None:
                current.points += entry[3]
    return [_summary(name, rounds, problem.weight) for name, rounds in table.items()]


@dataclass
class _Round:
    """One contest in one scenario."""

    weight: int
    bid: int
    place: int
    is_last: bool
    margin: int
    points: int = 0


def _summary(name: str, rounds: list[_Round], weight: int) -> Contest:
    def share(counted: Callable[[_Round], bool]) -> float:
        return sum(r.weight for r in rounds if counted(r)) / weight

    points = sum(r.weight * r.points for r in rounds) / weight
    places = share(lambda r: r.place == 1), share(lambda r: r.place == 2), share(lambda r: r.is_last)
    return Contest(name, rounds[0].bid, *places, points, min(r.margin for r in rounds))
