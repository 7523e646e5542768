"""What a proof rests on: one that came from a search with presolve is sought once more without it, and a library that
is wrong is found out."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.cpsat import IMPOSSIBLE, OPTIMAL, Proof, Solution
from chocolatl.solver.methods import best
from chocolatl.solver.methods.best import formulate, solved
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.unmodelled import Unsupported
from chocolatl.solver.worth.outcome import MARGIN, OBJECTIVES, POINTS
from tests.conftest import Evidence
from tests.games import tables, walk
from tests.solver.solving import Case, any_rules
from tests.solver.test_solver import case

SECONDS = 120.0


def sumprod(factors: tuple[int, ...], amounts: tuple[int, ...]) -> int:
    return sum(factor * amount for factor, amount in zip(factors, amounts, strict=True))


MOST, WEIGHTS, GAINS, LIMIT = 3, (3, 4, 5), (5, 6, 8), 14
BEST = max(
    sumprod(GAINS, amounts) for amounts in product(range(MOST + 1), repeat=3) if sumprod(WEIGHTS, amounts) <= LIMIT
)


def knapsack() -> tuple[Model, LinearExpression]:
    """Three numbers that share a limit."""
    model = Model()
    numbers = [model.integer(0, MOST) for _ in GAINS]
    sizes = [(next(iter(number.terms)), weight) for number, weight in zip(numbers, WEIGHTS, strict=True)]
    model.constraints.append(LinearConstraint(tuple(sizes), 0, LIMIT))
    total = model.total([model.scaled(number, gain) for number, gain in zip(numbers, GAINS, strict=True)])
    assert isinstance(total, LinearExpression)
    return model, total


def with_presolve_alone(model: Model, total: LinearExpression) -> Solution:
    """Without the plainest search, which would settle so small a question."""
    return [*cpsat.solutions(model, total, Deadline(SECONDS), stages=cpsat.STAGES[1:])][-1]


def lying(monkeypatch: pytest.MonkeyPatch, lie: Any) -> None:
    """A library whose presolve makes another model of what it is given."""
    honest = cpsat._searched

    def searched(proto: Any, parameters: Any, progress: Any = None) -> Any:
        if parameters.cp_model_presolve:
            changed = cpsat._library().CpModelProto()
            changed.copy_from(proto)
            lie(changed)
            return honest(changed, parameters, progress)
        return honest(proto, parameters, progress)

    monkeypatch.setattr(cpsat, "_searched", searched)


def test_a_proof_with_presolve_is_found_again_without_it() -> None:
    model, total = knapsack()
    found = with_presolve_alone(model, total)
    assert (found.status, found.objective, found.proof) == (OPTIMAL, BEST, Proof.CONFIRMED)


def test_a_plain_proof_needs_no_other() -> None:
    model, total = knapsack()
    found = cpsat.solve(model, total, Deadline(SECONDS))
    assert (found.status, found.objective, found.proof) == (OPTIMAL, BEST, Proof.PLAIN)


def test_a_wrong_optimum_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(proto: Any) -> None:
        for variable in proto.variables:  # nothing is taken twice
            variable.domain[1] = 1

    lying(monkeypatch, cut_off)
    model, total = knapsack()
    found = with_presolve_alone(model, total)
    assert (found.status, found.objective, found.proof) == (OPTIMAL, BEST, Proof.PLAIN)


def test_what_is_wrongly_called_impossible_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def contradict(proto: Any) -> None:
        proto.constraints.add().bool_or.literals.extend([])

    lying(monkeypatch, contradict)
    model, total = knapsack()
    found = with_presolve_alone(model, total)
    assert (found.status, found.objective, found.proof) == (OPTIMAL, BEST, Proof.PLAIN)


def test_what_is_impossible_is_so_without_presolve_too() -> None:
    model, total = knapsack()
    model.constraints.append(LinearConstraint(tuple(total.terms.items()), BEST + 1, 100))
    assert with_presolve_alone(model, total).status == IMPOSSIBLE


def test_what_has_brought_wrong_proofs_is_switched_off() -> None:
    for presolve in (False, True):
        assert cpsat._parameters(presolve, 2).presolve_inclusion_work_limit == 0


def test_engines_agree(evidence: Evidence) -> None:
    """Each way of CP-SAT by itself and a table of all answers come to the same best value."""
    for seed in evidence.cases("engines agree on the best value", full=300, slice=4):
        choice = random.Random(seed)
        held = case(choice.choice(["three_locations", "four_locations"]), seed, choice.choice([1, 2, 4]))
        assert_agreed(held, valued=choice.random() < 0.5)


PLAYED = [table for table in tables() if table.game in ("goofspiel", "kuhn_poker")]


def test_engines_agree_elsewhere(evidence: Evidence) -> None:
    """The same where numbers, cards and single decisions are sought, in games of other kinds."""
    for seed in evidence.cases("engines agree on the best value in other games", full=300, slice=12):
        choice = random.Random(seed)
        while (held := coins(choice, seed) if seed % 3 == 0 else midway(choice, seed)) is None:
            pass
        assert_agreed(held, valued=False)


def coins(choice: random.Random, seed: int) -> Case:
    """A number for each of some fields."""
    settings: dict[str, object] = {"coins": choice.randint(5, 12), "fields": choice.randint(2, 4)}
    game = load(rules_folder() / "blotto", choice.choice([2, 3]), settings)
    objective = choice.choice(OBJECTIVES)
    return Case.at(game, game.initial(), 0, choice.choice([1, 4, 16]), seed, objective)


def midway(choice: random.Random, seed: int) -> Case | None:
    """Somewhere in a game that is played at random, if that has a model."""
    game = choice.choice(PLAYED).load()
    asked = [position for position in walk(game, choice.randrange(1000)) if game.pending(position)]
    position = choice.choice(asked)
    player = choice.choice(game.pending(position)).player
    policy, objective = any_rules(game, player, seed), choice.choice([POINTS, MARGIN])
    held = Case.at(game, position, player, choice.choice([1, 2, 4, 8]), seed, objective, policy)
    try:
        formulate(game, player, held.scenarios, objective, policy=policy)
    except Unsupported:
        return None
    return held


def assert_agreed(held: Case, valued: bool) -> None:
    valuation = valuation_of(held.game) if valued else ()
    problem = formulate(held.game, held.player, held.scenarios, held.objective, valuation)
    table = solved(problem, Deadline(SECONDS), engine=best.ENUMERATION)
    values = {table.value}
    for stage in cpsat.STAGES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cpsat, "FIRST_STEPS", float("inf"))
            *_, found = cpsat.solutions(problem.model, problem.goal, Deadline(SECONDS), stages=(stage,))
        assert found.status == OPTIMAL and found.objective is not None
        values.add(found.objective / problem.weight / problem.unit)
    assert len(values) == 1
