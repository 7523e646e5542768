"""A table of all answers: each stands in it once, with the value that the interpreter finds; its best row is the one
that a search proves."""

from __future__ import annotations

import random
import sys
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chocolatl.interpreter.formats.valuation import Valuation, valuation_of
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import ENUMERATION, MODEL, SolverQuestion, advise
from chocolatl.solver.backends import cpsat, enumeration
from chocolatl.solver.backends.enumeration import AnswerTable, tabled
from chocolatl.solver.methods import best
from chocolatl.solver.methods.best import ModelledProblem, formulate, solve, solved
from chocolatl.solver.model.constraints import BooleanClause, Constraint, Implication, LinearConstraint
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan, SoughtDecision
from chocolatl.solver.worth.outcome import MARGIN, OBJECTIVES, POINTS
from chocolatl.solver.worth.refusals import NoAnswer
from tests.conftest import Evidence, scaled
from tests.games import Table as GameTable
from tests.games import tables, walk
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import Case, allocations, dealt
from tests.solver.test_solver import RED, case
from tests.solver.test_stages import GREEN

SECONDS = 120.0


def posed(held: Case, valuation: Valuation = ()) -> ModelledProblem:
    return formulate(held.game, held.player, held.scenarios, held.objective, valuation)


def table_of(problem: ModelledProblem) -> AnswerTable:
    solved(problem, Deadline(SECONDS), engine=best.ENUMERATION)
    assert problem.table is not None and problem.table.is_whole
    return problem.table


def assert_tabled(held: Case, valuation: Valuation = ()) -> None:
    """Every answer is a row, none is there twice, and the value of each is what comes of playing it."""
    problem = posed(held, valuation)
    table = table_of(problem)
    rows = [problem.answers(table.solution(row)) for row in range(len(table.values))]
    assert len(rows) == len({*rows}) and {*rows} == {*allocations(held.game, held.position, held.player)}
    for answers, value in zip(rows, table.values, strict=True):
        assert int(value) + table.objective.constant == problem.value(answers)


# ---------------------------------------------------------------- beside the interpreter


@pytest.mark.parametrize(("scenarios", "full", "few"), [(1, 60, 2), (8, 20, 1), (32, 4, 0)])
def test_every_answer_has_its_value(scenarios: int, full: int, few: int, evidence: Evidence) -> None:
    name = f"every answer has its value in a table: three locations, {scenarios} scenarios"
    for seed in evidence.cases(name, full=full, slice=few):
        held = case("three_locations", seed, scenarios)
        assert_tabled(held, valuation_of(held.game) if seed % 2 else ())


def test_answers_of_the_full_game_have_their_values(evidence: Evidence) -> None:
    """Of 7,484,400 rows some are played, from any round on; and a search proves the best one."""
    for seed in evidence.cases("rows of the full game have their values in a table", full=30, slice=1):
        choice = random.Random(seed)
        game = CHOCOLATL.load(choice.choice(CHOCOLATL.players), None, RED)
        rounds = [choice.randint(1, 7), 1]
        position = next(p for p in (dealt(game, seed, number) for number in rounds) if p is not None)
        problem = posed(Case.at(game, position, 0, 1, seed), valuation_of(game))
        table = table_of(problem)
        for row in choice.sample(range(len(table.values)), 200):
            value = int(table.values[row]) + table.objective.constant
            assert value == problem.value(problem.answers(table.solution(row)))
        found, proved = (
            solved(problem, Deadline(SECONDS), engine=engine) for engine in (best.ENUMERATION, best.ENGINE)
        )
        assert (proved.status, proved.value) == ("optimal", found.value)


SMALL = [table for table in tables() if table.game in ("blotto", "goofspiel") and table.players < 4]


@pytest.mark.parametrize("table", SMALL, ids=str)
def test_every_answer_of_a_small_game_has_its_value(table: GameTable, evidence: Evidence) -> None:
    """In Blotto what can be answered to one question depends on the answers before it."""
    game = table.load()
    for seed in evidence.cases("every answer has its value in a table: small games", full=10, slice=1):
        choice = random.Random(seed)
        open_ = [p for p in walk(game, seed) if len({d.player for d in game.pending(p)}) > 1]
        position = choice.choice(open_)
        player = choice.choice(game.pending(position)).player
        for objective in OBJECTIVES if table.game == "blotto" else (POINTS, MARGIN):
            assert_tabled(Case.at(game, position, player, 3, seed, objective))


# ---------------------------------------------------------------- beside CP-SAT


@pytest.mark.parametrize(
    ("variant", "scenarios", "full", "few"),
    [("three_locations", 32, 10, 1), ("four_locations", 8, 10, 1), ("five_locations", 1, 10, 1)],
)
def test_the_best_row_is_the_one_that_a_search_proves(
    variant: str, scenarios: int, full: int, few: int, evidence: Evidence
) -> None:
    name = f"the best row of a table is the one that CP-SAT proves: {variant}, {scenarios} scenarios"
    for seed in evidence.cases(name, full=full, slice=few):
        held = case(variant, seed, scenarios, only_red=True)
        valuation = valuation_of(held.game)
        found = solved(posed(held, valuation), Deadline(SECONDS), engine=best.ENUMERATION)
        proved = solved(posed(held, valuation), Deadline(SECONDS), engine=best.ENGINE)
        assert (found.engine, proved.engine) == (best.ENUMERATION, best.ENGINE)
        assert (found.status, proved.status) == ("optimal", "optimal")
        assert found.value == found.bound == proved.value


def test_alternatives_are_as_good_as_those_of_a_search(evidence: Evidence) -> None:
    for seed in evidence.cases("alternatives from a table are as good as CP-SAT's", full=10, slice=1):
        held = case("three_locations", seed, 2)
        by_table, by_search = (
            solve(posed(held), Deadline(SECONDS), 1, engine=engine) for engine in (best.ENUMERATION, best.ENGINE)
        )
        assert [other.engine for other in by_table.alternatives] == [best.ENUMERATION]
        assert [other.value for other in by_table.alternatives] == [other.value for other in by_search.alternatives]


def test_a_table_holds_all_answers_whenever_it_is_made() -> None:
    """The best answer was found without it, and only for an alternative it was needed."""
    problem = posed(case("three_locations", 1, 2, only_red=True))
    first = solved(problem, Deadline(SECONDS), engine=best.ENGINE)
    problem.model.constraints.append(LinearConstraint(tuple((v, 1) for v in problem.plan.variables[0]), 5, 6))
    with pytest.raises(best.NotFound, match="no answer was found at all"):
        solved(problem, Deadline(SECONDS), engine=best.ENUMERATION)
    del problem.model.constraints[problem.rules :]
    assert solved(problem, Deadline(SECONDS), engine=best.ENUMERATION).value == first.value


def test_the_full_game_against_many_scenarios_is_proved() -> None:
    """A search does not prove this in a minute."""
    game = CHOCOLATL.load(3, None, RED)
    position = dealt(game, 1)
    assert position is not None
    problem = posed(Case.at(game, position, 0, 16, 1), valuation_of(game))
    found = solve(problem, Deadline(SECONDS), 2)
    assert (found.engine, found.status, found.gap) == (best.ENUMERATION, "optimal", 0)
    assert problem.table is not None and len(problem.table.values) == 7_484_400
    for other in found.alternatives:
        alike = sum(len({*one} & {*two}) for one, two in zip(found.answers, other.answers, strict=True))  # type: ignore[misc]
        assert other.status == "optimal" and other.value <= found.value and alike <= 8


# ---------------------------------------------------------------- what is refused, and what the time does


def test_an_engine_that_cannot_answer_tells_why() -> None:
    """On six locations there are 665,280 ways to lay first cards."""
    game = CHOCOLATL.load(3, None, GREEN)
    position = dealt(game, 1)
    assert position is not None
    with pytest.raises(NoAnswer, match="engine enumeration: there are too many first answers to look at all of them"):
        advise(game, position, 0, SolverQuestion(scenarios=1, engine=ENUMERATION, samples=2, seconds=4))


def test_more_answers_than_can_be_looked_at_are_counted_and_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    held = case("three_locations", 1, 2, only_red=True)
    monkeypatch.setattr(enumeration, "MOST", 89)
    with pytest.raises(NoAnswer, match="engine enumeration: there are more than 89 answers"):
        solved(posed(held), Deadline(SECONDS), engine=best.ENUMERATION)
    monkeypatch.setattr(enumeration, "MOST", 90)
    assert solved(posed(held), Deadline(SECONDS), engine=best.ENUMERATION).status == "optimal"
    problem = posed(held)
    with pytest.raises(NoTable, match="looking at 90 answers takes longer than there is time"):
        tabled(problem.model, problem.plan, problem.parts, Deadline(1e-9))


def test_what_is_known_of_a_part_has_an_honest_gap() -> None:
    problem = posed(case("three_locations", 1, 2, only_red=True))
    table = table_of(problem)
    whole = table.best()
    values = [int(value) + table.objective.constant for value in table.values]
    for known in (0, 1, 40):
        table.known = known
        part = table.best()
        assert part.objective == max(values[:known], default=None)
        assert part.status == (cpsat.FEASIBLE if known else cpsat.UNKNOWN)
        assert part.bound == (table.objective.high if known else None)
    assert whole.objective is not None and part.bound is not None and part.objective is not None
    assert part.objective <= whole.objective < part.bound
    assert table.best(whole.objective).bound == whole.objective
    assert table.best(part.objective).status == cpsat.OPTIMAL


def test_progress_is_told_in_means_up_to_the_best() -> None:
    problem = posed(case("three_locations", 1, 3, only_red=True))
    told: list[tuple[float, float]] = []
    found = solved(problem, Deadline(SECONDS), lambda value, bound: told.append((value, bound)), best.ENUMERATION)
    assert told[-1][0] == found.value <= told[-1][1]


def test_without_a_compiler_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chocolatl.solver.backends.enumeration", None)
    monkeypatch.setattr(cpsat, "FIRST_STEPS", 0.0)
    held = case("three_locations", 1, 2, only_red=True)
    found = solved(posed(held), Deadline(SECONDS))
    assert (found.engine, found.status) == (best.ENGINE, "optimal")
    with pytest.raises(NoAnswer, match="engine enumeration: the compiler cannot be used here"):
        solved(posed(held), Deadline(SECONDS), engine=best.ENUMERATION)


def test_a_table_is_asked_for_where_a_plain_search_does_not_prove(monkeypatch: pytest.MonkeyPatch) -> None:
    held = case("three_locations", 1, 2, only_red=True)
    assert solved(posed(held), Deadline(SECONDS)).engine == best.ENGINE
    monkeypatch.setattr(cpsat, "FIRST_STEPS", 0.0)
    assert solved(posed(held), Deadline(SECONDS)).engine == best.ENUMERATION
    monkeypatch.setattr(enumeration, "MOST", 89)
    assert solved(posed(held), Deadline(SECONDS)).engine == best.ENGINE


def test_one_engine_can_be_asked_for() -> None:
    held = case("three_locations", 1, 1, only_red=True)
    asked = {
        engine: advise(held.game, held.position, held.player, SolverQuestion(scenarios=2, samples=2, engine=engine))
        for engine in (MODEL, ENUMERATION)
    }
    assert asked[MODEL].engine == "CP-SAT" and asked[ENUMERATION].engine == "enumeration"
    assert asked[MODEL].value == asked[ENUMERATION].value


def _total(problem: ModelledProblem) -> LinearExpression:
    assert isinstance(problem.total, LinearExpression)
    return problem.total


# ---------------------------------------------------------------- rows, and what they have to keep to


def laid(model: Model, sizes: list[list[int]]) -> tuple[AnswerPlan, list[int]]:
    """A plan with a decision for each list: how many there are of each kind at most."""
    plan = AnswerPlan()
    for number, highest in enumerate(sizes):
        amounts = [(kind, model.integer(0, most)) for kind, most in enumerate(highest)]
        plan.decisions.append(SoughtDecision(f"laid[{number}]", amounts=amounts))
    return plan, [variable for decision in plan.variables for variable in decision]


sums = st.tuples(st.lists(st.integers(-2, 3), min_size=4, max_size=4), st.integers(-3, 3), st.integers(0, 4))
"""The factors of four variables, the least sum, and how much more it may be."""


@settings(max_examples=scaled(full=300, slice=30))
@given(st.lists(st.integers(0, 2), min_size=4, max_size=4), st.lists(sums, max_size=3), st.booleans())
def test_rows_are_all_that_keeps_to_the_sums(
    highest: list[int], rules: list[tuple[list[int], int, int]], apart: bool
) -> None:
    model = Model()
    plan, variables = laid(model, [highest[:1], highest[1:]] if apart else [highest])
    for factors, low, more in rules:
        terms = tuple((v, f) for v, f in zip(variables, factors, strict=True) if f)
        model.constraints.append(LinearConstraint(terms, low, low + more))
    expected = {
        row
        for row in product(*(range(most + 1) for most in highest))
        if all(
            low <= sum(f * n for f, n in zip(factors, row, strict=True)) <= low + more for factors, low, more in rules
        )
    }
    table = tabled(model, plan, [0], Deadline(SECONDS))
    found = [tuple(table.solution(row)[v] for v in variables) for row in range(len(table.values))]
    assert len(found) == len(expected) and {*found} == expected


literals = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=3, unique_by=lambda pair: pair[0])


@settings(max_examples=scaled(full=300, slice=30))
@given(literals, literals, st.sampled_from(["clause", "exactly", "every", "linear", "gap"]), st.integers(-2, 2))
def test_rows_keep_to_every_other_kind_of_constraint(
    first: list[tuple[int, bool]], second: list[tuple[int, bool]], kind: str, target: int
) -> None:
    """Four amounts of 0 or 1, which are literals, too."""
    model = Model()
    plan, variables = laid(model, [[1, 1], [1, 1]])
    some, others = ([BooleanLiteral(variables[v], positive) for v, positive in each] for each in (first, second))
    terms = tuple((literal.variable, 1 if literal.positive else -1) for literal in some)
    rules: dict[str, Constraint] = {
        "clause": BooleanClause(tuple(some)),
        "exactly": BooleanClause(tuple(some), exactly=True),
        "every": Implication(tuple(some), others[0]),
        "linear": LinearConstraint(terms, target, target + 1, tuple(others)),
        "gap": LinearConstraint(terms, -4, 4, tuple(others[:1]), gap=target),
    }
    model.constraints.append(rules[kind])

    def keeps(row: tuple[int, ...]) -> bool:
        holds = [[(row[v] == 1) is positive for v, positive in each] for each in (first, second)]
        total = sum(row[v] if positive else -row[v] for v, positive in first)
        return {
            "clause": any(holds[0]),
            "exactly": sum(holds[0]) == 1,
            "every": all(holds[0]) or not holds[1][0],
            "linear": target <= total <= target + 1 or not all(holds[1]),
            "gap": total != target or not holds[1][0],
        }[kind]

    table = tabled(model, plan, [0], Deadline(SECONDS))
    found = {tuple(table.solution(row)[v] for v in variables) for row in range(len(table.values))}
    assert found == {row for row in product((0, 1), repeat=4) if keeps(row)}


def test_numbers_that_are_too_long_for_short_lanes_are_exact() -> None:
    for factor in (1_000, 100_000, 10**10):
        model = Model()
        plan, variables = laid(model, [[3], [3]])
        a, b = (LinearExpression({v: factor}, 0, 0, 3 * factor) for v in variables)
        worth = model.multiplied(model.chosen(model.at_least(a, b), a, model.scaled(b, 2)), 3)
        assert isinstance(worth, LinearExpression)
        table = tabled(model, plan, [worth], Deadline(SECONDS))
        for row, value in enumerate(table.values):
            x, y = (factor * table.solution(row)[v] for v in variables)
            assert int(value) + worth.constant == 3 * (x if x >= y else 2 * y)
