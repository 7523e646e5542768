"""A model handed to CP-SAT. This is the only module that knows OR-Tools, which takes a while to import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from solver.linear import Expression, Literal
from solver.model import Clause, Linear, Model, Product, Quotient

OPTIMAL, FEASIBLE, UNKNOWN, IMPOSSIBLE = "optimal", "feasible", "unknown", "impossible"
FEW = 2000
"""Up to so many constraints the plainest search is the fastest: one worker, no presolve, no linear relaxation."""


@dataclass(frozen=True)
class Solution:
    """`values` of the variables are there unless nothing was found; `bound` is proved."""

    status: str
    objective: int | None
    bound: float | None
    values: tuple[int, ...] | None
    seconds: float


def solve(
    model: Model,
    objective: Expression,
    seconds: float,
    hint: dict[int, int] | None = None,
    progress: Callable[[float, float], None] | None = None,
    workers: int = 1,
) -> Solution:
    """Maximise an expression over a model."""
    from ortools.sat.python import cp_model

    built = cp_model.CpModel()
    write(model, built.proto, objective)
    for variable, value in (hint or {}).items():
        built.proto.solution_hint.vars.append(variable)
        built.proto.solution_hint.values.append(value)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.max_time_in_seconds = seconds
    parameters.num_workers = workers
    if len(model.constraints) <= FEW and workers == 1:
        parameters.cp_model_presolve = False
        parameters.linearization_level = 0
    status = solver.solve(built, _watcher(progress) if progress is not None else None)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    word = {cp_model.OPTIMAL: OPTIMAL, cp_model.FEASIBLE: FEASIBLE, cp_model.INFEASIBLE: IMPOSSIBLE}.get(
        status, UNKNOWN
    )
    # Of a status without a solution neither value means anything.
    values = tuple(solver.response_proto.solution) if found else None
    bound = solver.best_objective_bound if word != IMPOSSIBLE else None
    return Solution(word, round(solver.objective_value) if found else None, bound, values, solver.wall_time)


def _watcher(progress: Callable[[float, float], None]) -> Any:
    from ortools.sat.python import cp_model

    class Watcher(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            progress(self.objective_value, self.best_objective_bound)

    return Watcher()


def write(model: Model, proto: Any, objective: Expression) -> None:
    """The model in the solver's own form."""
    for lowest, highest in model.bounds:
        proto.variables.add().domain.extend([lowest, highest])
    for constraint in model.constraints:
        written = proto.constraints.add()
        match constraint:
            case Linear():
                linear = written.linear
                linear.vars.extend([variable for variable, _ in constraint.terms])
                linear.coeffs.extend([coefficient for _, coefficient in constraint.terms])
                linear.domain.extend(_domain(constraint))
                written.enforcement_literal.extend([_index(literal) for literal in constraint.only_if])
            case Clause(exactly=True):
                written.exactly_one.literals.extend([_index(literal) for literal in constraint.literals])
            case Clause():
                written.bool_or.literals.extend([_index(literal) for literal in constraint.literals])
            case Product():
                _expression(written.int_prod.target, Expression({constraint.target: 1}, 0, 0, 0))
                _expression(written.int_prod.exprs.add(), constraint.left)
                _expression(written.int_prod.exprs.add(), constraint.right)
            case Quotient():
                # The dividend is d * quotient + rest, which needs no division.
                terms = dict(constraint.dividend.terms)
                terms[constraint.target] = terms.get(constraint.target, 0) - constraint.divisor
                written.linear.vars.extend(terms.keys())
                written.linear.coeffs.extend(terms.values())
                start = -constraint.dividend.constant
                written.linear.domain.extend([start, start + constraint.divisor - 1])
    proto.objective.vars.extend(objective.terms.keys())
    proto.objective.coeffs.extend([-coefficient for coefficient in objective.terms.values()])
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


def _index(literal: Literal) -> int:
    return literal.variable if literal.positive else -literal.variable - 1


def _expression(target: Any, expression: Expression) -> None:
    target.vars.extend(expression.terms.keys())
    target.coeffs.extend(expression.terms.values())
    target.offset = expression.constant
