"""Numbers that are chosen are numbers in a model: within what the rules leave, and as good as every answer tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.numbers import COINS, FIELDS, Division, divisions, hill_climb, write_variant
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends import cpsat
from chocolatl.solver.methods import best, portfolio
from chocolatl.solver.methods.best import formulate, solve
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.outcome import OBJECTIVES
from chocolatl.solver.worth.scenarios import scenarios
from tests.conftest import Evidence
from tests.games import write_game
from tests.solver import allocating
from tests.solver.solving import Answers, Case, allocations, worth


@pytest.fixture(scope="module")
def war(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A hundred coins on nine fields: 352,025,629,371 answers."""
    return load(write_variant(tmp_path_factory.mktemp("rules")), 2)


def others(war: Game, count: int) -> tuple[list[FixedScenario], list[Division]]:
    """Scenarios against opponents who divide their coins in any way, and what they laid."""
    laid = divisions(count, seed=count)
    found = []
    for number, division in enumerate(laid):
        given = war.initial()
        for coins in division:
            given = war.answer(given, 1, coins)
        found.append(FixedScenario(given, number))
    return found, laid


def best_division(laid: list[Division], margin: bool) -> int:
    """The best value by a table over the coins that are left: field by field, for every number of coins sent there."""
    worth_of = [
        [sum((mine > their[f]) - (margin and mine < their[f]) for their in laid) for mine in range(COINS + 1)]
        for f in range(FIELDS)
    ]
    best_with = [0] + [-(10**9)] * COINS
    for field in worth_of:
        best_with = [
            max(best_with[spent - mine] + field[mine] for mine in range(spent + 1)) for spent in range(COINS + 1)
        ]
    return best_with[COINS]


@pytest.mark.parametrize("objective", ["points", "margin"])
def test_a_hundred_coins_on_nine_fields_are_proved(war: Game, objective: str) -> None:
    for count in (1, 50):
        given, laid = others(war, count)
        found = solve(formulate(war, 0, given, objective), Deadline(60), alternatives=2)
        assert found.status == "optimal" and found.engine == portfolio.SEPARATELY
        assert round(found.value * count) == best_division(laid, objective == "margin") == round(found.bound * count)
        assert len(found.alternatives) == 2 and all(other.status == "optimal" for other in found.alternatives)
        for other in found.alternatives:
            assert sum(a != b for a, b in zip(other.answers, found.answers, strict=True)) >= FIELDS / 3


def test_a_chosen_number_is_one_variable_within_what_the_rules_leave(war: Game) -> None:
    problem = formulate(war, 0, scenarios(war, war.initial(), 0, "random", 1, 1))
    numbers = [number for decision in problem.plan.decisions for number in decision.numbers]
    assert len(numbers) == FIELDS
    assert all(isinstance(n, LinearExpression) and len(n.terms) == 1 and (n.low, n.high) == (0, COINS) for n in numbers)
    assert all(0 <= low <= high <= COINS for low, high in problem.model.bounds)
    closure, used = problem.model.closure(problem.goal)
    assert len(used) <= 3 * FIELDS and len(closure) <= 5 * FIELDS


def test_scenarios_share_what_they_ask_about_a_number(war: Game) -> None:
    """Whether there are more coins than so many on a field is one literal, however many ask."""
    given, laid = others(war, 100)
    problem = formulate(war, 0, given)
    asked = {(field, coins) for each in laid for field, coins in enumerate(each)}
    assert len(problem.model.closure(problem.goal)[1]) <= FIELDS + len(asked) < 400


# ---------------------------------------------------------------- victories


def test_where_nothing_is_proved_the_answer_is_no_worse_than_a_hill_climb(
    war: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The share of victories is no sum over the fields. The bound is that of scenarios in groups, or better."""
    monkeypatch.setattr(cpsat, "FIRST_STEPS", 0.01)
    monkeypatch.setattr(cpsat, "BOUNDING", ())
    monkeypatch.setattr(portfolio, "GROUP", 40)
    given, laid = others(war, 200)
    found = best.solved(formulate(war, 0, given, "win"), Deadline(90))
    assert found.engine == portfolio.CLIMBING and found.status == "feasible"
    assert hill_climb(laid, restarts=20, seed=1)[0] / len(laid) <= found.value <= found.bound <= 1


@pytest.mark.full_counts
def test_a_thousand_scenarios_in_a_minute(war: Game) -> None:
    """With the time that the command gives to the search. The trivial bound is that all are won."""
    given, laid = others(war, 1000)
    found = best.solved(formulate(war, 0, given, "win"), Deadline(40))
    assert found.value * len(laid) >= hill_climb(laid, restarts=1000, seed=1)[0]
    assert found.value <= found.bound < 1


# ---------------------------------------------------------------- against all answers


def test_numbers_in_random_games_are_as_good_as_all_answers(tmp_path: Path, evidence: Evidence) -> None:
    """By dynamic programming, by CP-SAT and by a table, for each objective."""
    for seed in evidence.cases("numbers that are chosen: the best answer is that of enumeration", full=400, slice=12):
        rules, tables = allocating.rules(seed)
        game = load(write_game(tmp_path / str(seed), rules, more=tables), 2)
        objective = OBJECTIVES[seed % len(OBJECTIVES)]
        case = Case.at(game, game.initial(), 0, 1 + seed % 3, seed, objective)
        try:
            answers = list(allocations(game, case.position, 0))
            expected = max(worth(game, case.scenarios, 0, each, objective) for each in answers)
        except RuleError:
            continue
        for engine in (None, best.ENGINE, best.ENUMERATION):
            found = best.solved(formulate(game, 0, case.scenarios, objective), Deadline(60), engine=engine)
            assert found.status == "optimal", (seed, engine)
            value, bound = (round(2 * each * case.weight) for each in (found.value, found.bound))
            assert value == 2 * expected == bound, (seed, engine)
            assert found.answers in answers


ASKED_PERHAPS = """\
item won "Won"

each player has
    score : 0..99 = 0
    bid   : 0..9 = 0
    more  : 0..9 = 0
    hand  : set of card = every card
    pile  : set of card

play
    every player p secretly
        p chooses p.bid from 0..9
        if p.bid > 4
            {question}
    for each p in player
        p gains (20 if p.bid is {bid} else 10 + 2 * p.more + size of p.pile - p.bid) score for won
"""


@pytest.mark.parametrize(
    ("question", "bid", "expected"),
    [
        ("p chooses p.more from 10 - p.bid..p.bid", 3, (3,)),
        ("p chooses p.more from 10 - p.bid..p.bid", 10, (9, 9)),
        ("p chooses p.bid - 4 from p.hand into p.pile as laid", 3, (3,)),
        ("p chooses card from p.hand where card.value > p.bid - 7", 3, (3,)),
    ],
)
def test_a_question_that_is_not_asked_has_no_answer(question: str, bid: int, expected: Answers, tmp_path: Path) -> None:
    """What it would have to keep to does not matter then."""
    rules = ASKED_PERHAPS.format(question=question, bid=bid)
    game = load(write_game(tmp_path, rules, "{value: 1..9}"), 2)
    case = Case.at(game, game.initial(), 0, 2, 1)
    assert case.assert_solved().answers == expected


def test_conditions_that_tell_values_apart_one_by_one_have_a_model(tmp_path: Path) -> None:
    """Whether a number divides another one is asked of each value by itself."""
    question = "p chooses n from 1..9 where 12 mod n is 0\n            p.more becomes n"
    game = load(write_game(tmp_path, ASKED_PERHAPS.format(question=question, bid=10)), 2)
    assert Case.at(game, game.initial(), 0, 1, 1).assert_solved().answers == (5, 6)
