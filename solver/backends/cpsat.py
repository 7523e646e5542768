"""A model handed to CP-SAT. This is the only module that knows OR-Tools.

The model is written in CP-SAT's own form and handed to the library below `cp_model`, which would import pandas: that
takes longer than most questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, assert_never

from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.model.booleans import BooleanBuilder
from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
)
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression
from chocolatl.solver.model.model import Model

OPTIMAL, FEASIBLE, UNKNOWN, IMPOSSIBLE = "optimal", "feasible", "unknown", "impossible"


class SearchStage(NamedTuple):
    """How CP-SAT is asked: with presolve, with how much of a linear relaxation, for which share of the time that is
    left, and whether it only brings the bound down."""

    presolve: bool
    relaxation: int
    share: float
    bounding: bool = False


PLAIN = SearchStage(False, 0, 1.0)
STAGES = PLAIN, SearchStage(True, 0, 0.5), SearchStage(True, 2, 1.0)
"""The plainest search is the fastest for a known sealed round; presolve makes 32 scenarios provable, where a relaxation
only costs; with a valuation only the full one brings the bound down."""

BOUNDING = (SearchStage(True, 2, 1.0, bounding=True),)
"""For a good answer that is known: what any other is worth at most, by a search from the best relaxation on."""

LEAST = 0.05
"""No search is begun for less time, in seconds."""

FIRST_STEPS = 1.0
"""How far the plainest search goes, in steps of the search: which way finds the answer to a small question should not
depend on the machine."""

CAREFULLY = {"presolve_inclusion_work_limit": 0}
"""What is known to be wrong in the library that is pinned is switched off: this part of presolve has brought a wrong
optimum (google/or-tools#5293). It costs nothing here."""

PROBE = 0.2
"""How long a question on the way to a model may take, in steps of the search: the same on every machine."""

Progress = Callable[[float, float], None]
"""It is told of the best value so far, and of the bound."""


class Proof(Enum):
    """What it rests on that nothing is better."""

    LISTED = "a look at every answer"
    SUMMED = "dynamic programming over all sums of answers"
    PLAIN = "a search without presolve"
    CONFIRMED = "a search with presolve, and another one without it"
    PRESOLVED = "a search with presolve; another one without it took too long"


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
    parts: int | None = None
    """So many of the parts that are summed up count in it, the first ones; None: all."""
    proof: Proof = Proof.PLAIN
    """What it rests on, if it is proved."""
    is_top: bool = False
    """Whether it is known that no change in one or two decisions is better."""


def solve(
    model: Model,
    objective: LinearExpression,
    deadline: Deadline,
    progress: Progress | None = None,
) -> Solution:
    """Maximise an expression over a model."""
    return [*solutions(model, objective, deadline, progress)][-1]


def solutions(
    model: Model,
    objective: LinearExpression,
    deadline: Deadline,
    progress: Progress | None = None,
    plainly: float = 1.0,
    helped: bool = True,
    stages: Sequence[SearchStage] = STAGES,
    hint: Mapping[int, int] | None = None,
) -> Iterator[Solution]:
    """Maximise an expression over a model: by the plainest search at first, then with all that CP-SAT has. What is
    known after each stage is handed on, until it is proved or the time is up. The plainest search gets no more than a
    share of it; what helps to prove something may be left out, if just any answer is wanted. A hint is an answer that
    is known, with all that follows from it."""
    begin = deadline.clock()
    library = _library()
    proto = library.CpModelProto()
    constraints, used = model.closure(objective, helped)
    numbers = numbered(used)
    write(model, constraints, numbers, proto, objective)
    size = len(numbers), len(constraints)
    deadline.look()
    best: Any = None
    bound: float = objective.high
    if hint is not None:
        _put_hint(proto, [(number, hint[variable]) for variable, number in numbers.items() if variable in hint])
    for presolve, relaxation, share, bounding in stages:
        parameters = _parameters(presolve, relaxation)
        parameters.optimize_with_lb_tree_search = bounding
        parameters.max_time_in_seconds = max(LEAST, (share if presolve else plainly) * deadline.left)
        if not presolve:
            parameters.max_deterministic_time = FIRST_STEPS
        searching = deadline.clock()
        found = _searched(proto, parameters, progress)
        status, proof = found.status, Proof.PRESOLVED if presolve else Proof.PLAIN
        if presolve and status in (library.OPTIMAL, library.INFEASIBLE):
            known = [round(each.objective_value) for each in (best, found) if each is not None and each.solution]
            patience = min(deadline.clock() - searching, deadline.left)
            confirmed, better = _once_more(proto, objective, numbers, max(known, default=None), patience)
            proof = Proof.CONFIRMED if confirmed else proof
            if better is not None:  # presolve has made another model of it, and no bound so far is to be believed
                found, status, bound, proof = better, better.status, objective.high, Proof.PLAIN
        spent = deadline.clock() - begin
        # Of a status without a solution neither value nor bound means anything.
        if status in (library.OPTIMAL, library.FEASIBLE):
            bound = min(bound, found.best_objective_bound)
            if best is None or found.objective_value > best.objective_value:
                best = found
        if best is None:
            impossible = status == library.INFEASIBLE and proof is not Proof.PRESOLVED
            yield Solution(IMPOSSIBLE if impossible else UNKNOWN, None, None, None, spent, *size)
        else:
            value = round(best.objective_value)
            proved = status == library.OPTIMAL or bound <= value
            values = _values(model, numbers, best.solution)
            yield Solution(OPTIMAL if proved else FEASIBLE, value, bound, values, spent, *size, proof=proof)
        if status in (library.OPTIMAL, library.INFEASIBLE) or deadline.left < LEAST:
            break
        if best is found:
            _put_hint(proto, list(enumerate(found.solution)))


def _put_hint(proto: Any, values: list[tuple[int, int]]) -> None:
    proto.clear_solution_hint()
    proto.solution_hint.vars.extend([number for number, _ in values])
    proto.solution_hint.values.extend([value for _, value in values])


def _once_more(
    proto: Any, objective: LinearExpression, numbers: dict[int, int], value: int | None, patience: float
) -> tuple[bool, Any]:
    """Whether it is proved without presolve, too, that nothing is worth more than a value, or that there is no answer
    at all; and an answer if there is one."""
    library = _library()
    asked = library.CpModelProto()
    asked.copy_from(proto)
    asked.clear_solution_hint()
    if value is not None:
        more = asked.constraints.add().linear
        more.vars.extend([numbers[variable] for variable in objective.terms])
        more.coeffs.extend(list(objective.terms.values()))
        more.domain.extend([value + 1 - objective.constant, max(value + 1, objective.high) - objective.constant])
    parameters = _parameters(presolve=False, relaxation=0)
    parameters.max_time_in_seconds = max(LEAST, patience)
    found = _searched(asked, parameters)
    better = found if found.status in (library.OPTIMAL, library.FEASIBLE) else None
    return found.status == library.INFEASIBLE, better


def conflict(model: BooleanBuilder, literals: tuple[BooleanLiteral, ...]) -> frozenset[BooleanLiteral] | None:
    """Which of some literals cannot hold together, whatever is answered; None if they may, or if it is hard to tell."""
    library = _library()
    together = LinearExpression({literal.variable: 1 for literal in literals}, 0, 0, len(literals))
    constraints, used = model.closure(together)
    numbers = numbered(used)
    proto = library.CpModelProto()
    write(model, constraints, numbers, proto, None)
    assumed = {index(numbers, literal): literal for literal in literals}
    proto.assumptions.extend(list(assumed))
    parameters = _parameters(presolve=False, relaxation=0)
    parameters.max_deterministic_time = PROBE
    found = _searched(proto, parameters)
    if found.status != library.INFEASIBLE:
        return None
    core = found.sufficient_assumptions_for_infeasibility
    return frozenset(assumed[number] for number in core) or frozenset(literals)


def _library() -> Any:
    from ortools.sat.python import cp_model_helper

    return cp_model_helper


def _parameters(presolve: bool, relaxation: int) -> Any:
    parameters = _library().SatParameters()
    parameters.num_workers = 1
    parameters.cp_model_presolve = presolve
    parameters.linearization_level = relaxation
    for name, value in CAREFULLY.items():
        setattr(parameters, name, value)
    return parameters


def _searched(proto: Any, parameters: Any, progress: Progress | None = None) -> Any:
    """What CP-SAT answers; how far it is, each time it has found something better."""
    search = _library().SolveWrapper()
    search.set_parameters(parameters)
    if progress is None:
        return search.solve(proto)
    watcher = _watcher(progress)
    search.add_solution_callback(watcher)
    found = search.solve(proto)
    search.clear_solution_callback(watcher)
    return found


def _watcher(progress: Progress) -> Any:
    class Watcher(_library().SolutionCallback):  # type: ignore[misc]
        def OnSolutionCallback(self) -> None:
            progress(self.ObjectiveValue(), self.BestObjectiveBound())

    return Watcher()


def numbered(used: set[int]) -> dict[int, int]:
    """The variables that a solver has to know of, by their numbers in the model."""
    return {variable: number for number, variable in enumerate(sorted(used))}


def _values(model: Model, numbers: dict[int, int], found: Sequence[int]) -> tuple[int, ...]:
    """A value for each variable of the model; what nothing depends on is as low as it can be."""
    return tuple(found[numbers[v]] if v in numbers else lowest for v, (lowest, _) in enumerate(model.bounds))


def index(numbers: dict[int, int], literal: BooleanLiteral) -> int:
    """A literal as the solver writes it."""
    number = numbers[literal.variable]
    return number if literal.positive else -number - 1


def write(
    model: BooleanBuilder,
    constraints: list[Constraint],
    numbers: dict[int, int],
    proto: Any,
    objective: LinearExpression | None,
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
            case LinearConstraint():
                put(written.linear, constraint.terms)
                written.linear.domain.extend(_domain(constraint))
                if constraint.only_if:
                    written.enforcement_literal.extend([index(numbers, literal) for literal in constraint.only_if])
            case BooleanClause(exactly=True):
                written.exactly_one.literals.extend([index(numbers, literal) for literal in constraint.literals])
            case BooleanClause():
                written.bool_or.literals.extend([index(numbers, literal) for literal in constraint.literals])
            case Implication():
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
            case _:
                assert_never(constraint)
    if objective is None:
        return
    put(proto.objective, [(variable, -coefficient) for variable, coefficient in objective.terms.items()])
    proto.objective.offset = -objective.constant
    proto.objective.scaling_factor = -1.0


def _domain(constraint: LinearConstraint) -> list[int]:
    if constraint.gap is None:
        return [constraint.low, constraint.high]
    result: list[int] = []
    if constraint.low < constraint.gap:
        result += [constraint.low, constraint.gap - 1]
    if constraint.gap < constraint.high:
        result += [constraint.gap + 1, constraint.high]
    return result
