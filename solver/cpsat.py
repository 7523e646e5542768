"""A model handed to CP-SAT. This is the only module that knows OR-Tools, which takes a while to import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from solver.constraints import Clause, Constraint, Every, Linear, Product, Quotient
from solver.linear import Expression, Literal
from solver.model import Model

OPTIMAL, FEASIBLE, UNKNOWN, IMPOSSIBLE = "optimal", "feasible", "unknown", "impossible"
WAYS = ((False, 0), (True, 0), (True, 2))
"""Presolve and linear relaxation. The plainest search is the fastest for a known sealed round; presolve makes 32
scenarios provable, where a relaxation only costs; with a valuation only the full one brings the bound down."""

SHARES = (1.0, 0.5, 1.0)
"""By which share of the time a way has to be done."""

FIRST_STEPS = 1.0
"""How far the plainest search goes, in steps of the search: which way finds the answer to a small question should not
depend on the machine."""

PROBE = 0.2
"""How long a question on the way to a model may take, in steps of the search: the same on every machine."""


@dataclass(frozen=True)
class Solution:
    """`values` of the variables are there unless nothing was found; `bound` is proved."""

    status: str
    objective: int | None
    bound: float | None
    values: tuple[int, ...] | None
    seconds: float
    variables: int
    constraints: int


def solve(
    model: Model,
    objective: Expression,
    seconds: float,
    progress: Callable[[float, float], None] | None = None,
) -> Solution:
    """Maximise an expression over a model."""
    return [*solutions(model, objective, seconds, progress)][-1]


def solutions(
    model: Model,
    objective: Expression,
    seconds: float,
    progress: Callable[[float, float], None] | None = None,
) -> Iterator[Solution]:
    """Maximise an expression over a model: by the plainest search at first, then with all that CP-SAT has. What is
    known after each way is handed on, until it is proved or the time is up."""
    from ortools.sat.python import cp_model

    built = cp_model.CpModel()
    constraints, used = model.closure(objective)
    numbers = numbered(used)
    write(model, constraints, numbers, built.proto, objective)
    size = len(numbers), len(constraints)
    spent = 0.0
    best: Any = None
    bound: float = objective.high
    for (presolve, relaxation), share in zip(WAYS, SHARES, strict=True):
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = min(seconds, max(0.1, share * seconds - spent))
        if not presolve:
            solver.parameters.max_deterministic_time = FIRST_STEPS
        solver.parameters.cp_model_presolve = presolve
        solver.parameters.linearization_level = relaxation
        status = solver.solve(built, _watcher(progress) if progress is not None else None)
        spent += solver.wall_time
        # Of a status without a solution neither value nor bound means anything.
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bound = min(bound, solver.best_objective_bound)
            if best is None or solver.objective_value > best.objective_value:
                best = solver
        if best is None:
            yield Solution(IMPOSSIBLE if status == cp_model.INFEASIBLE else UNKNOWN, None, None, None, spent, *size)
        else:
            value = round(best.objective_value)
            proved = status == cp_model.OPTIMAL or bound <= value
            values = _values(model, numbers, best.response_proto.solution)
            yield Solution(OPTIMAL if proved else FEASIBLE, value, bound, values, spent, *size)
        if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) or spent >= seconds:
            break
        if best is solver:
            built.clear_hints()  # type: ignore[no-untyped-call]
            built.proto.solution_hint.vars.extend(range(len(solver.response_proto.solution)))
            built.proto.solution_hint.values.extend(solver.response_proto.solution)


def conflict(model: Model, literals: tuple[Literal, ...]) -> frozenset[Literal] | None:
    """Which of some literals cannot hold together, whatever is answered; None if they may, or if it is hard to tell."""
    from ortools.sat.python import cp_model

    together = Expression({literal.variable: 1 for literal in literals}, 0, 0, len(literals))
    constraints, used = model.closure(together)
    numbers = numbered(used)
    built = cp_model.CpModel()
    write(model, constraints, numbers, built.proto, None)
    assumed = {index(numbers, literal): literal for literal in literals}
    built.proto.assumptions.extend(list(assumed))
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = PROBE
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = False
    solver.parameters.linearization_level = 0
    if solver.solve(built) != cp_model.INFEASIBLE:
        return None
    core = solver.response_proto.sufficient_assumptions_for_infeasibility
    return frozenset(assumed[number] for number in core) or frozenset(literals)


def _watcher(progress: Callable[[float, float], None]) -> Any:
    from ortools.sat.python import cp_model

    class Watcher(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            progress(self.objective_value, self.best_objective_bound)

    return Watcher()


def numbered(used: set[int]) -> dict[int, int]:
    """The variables that a solver has to know of, by their numbers in the model."""
    return {variable: number for number, variable in enumerate(sorted(used))}


def _values(model: Model, numbers: dict[int, int], found: Sequence[int]) -> tuple[int, ...]:
    """A value for each variable of the model; what nothing depends on is as low as it can be."""
    return tuple(found[numbers[v]] if v in numbers else lowest for v, (lowest, _) in enumerate(model.bounds))


def index(numbers: dict[int, int], literal: Literal) -> int:
    """A literal as the solver writes it."""
    number = numbers[literal.variable]
    return number if literal.positive else -number - 1


def write(
    model: Model, constraints: list[Constraint], numbers: dict[int, int], proto: Any, objective: Expression | None
) -> None:
    """The model in the solver's own form."""

    def put(target: Any, terms: Iterable[tuple[int, int]]) -> None:
        pairs = list(terms)
        target.vars.extend([numbers[variable] for variable, _ in pairs])
        target.coeffs.extend([coefficient for _, coefficient in pairs])

    for variable in numbers:
        proto.variables.add().domain.extend(model.bounds[variable])
    for constraint in constraints:
        written = proto.constraints.add()
        match constraint:
            case Linear():
                put(written.linear, constraint.terms)
                written.linear.domain.extend(_domain(constraint))
                if constraint.only_if:
                    written.enforcement_literal.extend([index(numbers, literal) for literal in constraint.only_if])
            case Clause(exactly=True):
                written.exactly_one.literals.extend([index(numbers, literal) for literal in constraint.literals])
            case Clause():
                written.bool_or.literals.extend([index(numbers, literal) for literal in constraint.literals])
            case Every():
                written.enforcement_literal.append(index(numbers, constraint.only_if))
                written.bool_and.literals.extend([index(numbers, literal) for literal in constraint.literals])
            case Product():
                put(written.int_prod.target, [(constraint.target, 1)])
                for factor in (constraint.left, constraint.right):
                    expression = written.int_prod.exprs.add()
                    put(expression, factor.terms.items())
                    expression.offset = factor.constant
            case Quotient():
                # The dividend is d * quotient + rest, which needs no division.
                terms = dict(constraint.dividend.terms)
                terms[constraint.target] = terms.get(constraint.target, 0) - constraint.divisor
                put(written.linear, terms.items())
                start = -constraint.dividend.constant
                written.linear.domain.extend([start, start + constraint.divisor - 1])
    if objective is None:
        return
    put(proto.objective, [(variable, -coefficient) for variable, coefficient in objective.terms.items()])
    proto.objective.offset = -objective.constant
    proto.objective.scaling_factor = -1.0


def _domain(constraint: Linear) -> list[int]:
    if constraint.gap is None:
        return [constraint.low, constraint.high]
    result: list[int] = []
    if constraint.low < constraint.gap:
        result += [constraint.low, constraint.gap - 1]
    if constraint.gap < constraint.high:
        result += [constraint.gap + 1, constraint.high]
    return result
