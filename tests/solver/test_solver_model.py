"""The operations of a model, one by one: what a solver finds is what plain arithmetic gives.

Every example makes a few small variables, fixes them, and asks CP-SAT for the value of what an operation has built. It
must be the only one, and what the straight-line code of a table works out.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends import cpsat
from chocolatl.solver.backends.enumeration import tabled
from chocolatl.solver.model.booleans import BooleanBuilder
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.model.linear import (
    BooleanLiteral,
    LinearExpression,
    OneOf,
    SymbolicNumber,
    Truth,
    high,
    low,
    negated,
)
from chocolatl.solver.model.model import Model
from chocolatl.solver.model.thresholds import add_thresholds
from chocolatl.solver.symbolic.answers import lowest
from chocolatl.solver.symbolic.plan import AnswerPlan, SoughtDecision
from chocolatl.solver.symbolic.state import number
from tests.conftest import scaled

small = settings(max_examples=scaled(full=150, slice=15))
values = st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(-4, 4))
factors = st.integers(-3, 3)
linear = st.tuples(factors, factors, factors, st.integers(-5, 5))
"""The factors of three variables, and a constant."""


def made(model: Model, variables: list[LinearExpression], form: tuple[int, int, int, int]) -> SymbolicNumber:
    *coefficients, constant = form
    result: SymbolicNumber = constant
    for variable, factor in zip(variables, coefficients, strict=True):
        result = model.add(result, model.scaled(variable, factor))
    return result


def plain(form: tuple[int, int, int, int], fixed: tuple[int, int, int]) -> int:
    *coefficients, constant = form
    return constant + sum(factor * value for factor, value in zip(coefficients, fixed, strict=True))


def assert_value(
    fixed: tuple[int, int, int], build: Callable[[Model, list[LinearExpression]], SymbolicNumber], expected: int
) -> None:
    """With fixed variables, what was built is worth just this: the highest is the lowest."""
    for sign in (1, -1):
        model = Model()
        variables = [model.integer(-4, 4) for _ in fixed]
        built = build(model, variables)
        assert low(built) <= expected <= high(built)
        objective = model.scaled(built, sign)
        if isinstance(objective, int):
            assert objective == sign * expected
            continue
        for variable, value in zip(variables, fixed, strict=True):
            model.constraints.append(LinearConstraint(tuple(variable.terms.items()), value, value))
        solution = cpsat.solve(model, objective, Deadline(30))
        assert solution.status == cpsat.OPTIMAL and solution.objective == sign * expected
        plan = AnswerPlan(
            [
                SoughtDecision("a", amounts=[*enumerate(variables[:2])]),
                SoughtDecision("b", amounts=[*enumerate(variables[2:])]),
            ]
        )
        table = tabled(model, plan, [objective], Deadline(30))
        assert len(table.values) == 1 and table.best().objective == sign * expected


def as_number(model: Model, truth: Truth) -> SymbolicNumber:
    return model.number(truth)


@small
@given(values, linear, linear)
def test_sums_and_comparisons(fixed: tuple[int, int, int], a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = plain(a, fixed), plain(b, fixed)  # type: ignore[arg-type]

    def compare(name: str) -> Callable[[Model, list[LinearExpression]], SymbolicNumber]:
        def build(model: Model, variables: list[LinearExpression]) -> SymbolicNumber:
            first, second = made(model, variables, a), made(model, variables, b)  # type: ignore[arg-type]
            return as_number(model, getattr(model, name)(first, second))

        return build

    assert_value(fixed, lambda m, v: m.add(made(m, v, a), made(m, v, b), -2), x - 2 * y)  # type: ignore[arg-type]
    assert_value(fixed, lambda m, v: m.weighted((made(m, v, a), 5, made(m, v, b)), (3, -1, -2)), 3 * x - 5 - 2 * y)  # type: ignore[arg-type]
    assert_value(fixed, compare("at_least"), int(x >= y))
    assert_value(fixed, compare("equal"), int(x == y))
    assert_value(fixed, lambda m, v: as_number(m, m.not_positive(made(m, v, a))), int(x <= 0))  # type: ignore[arg-type]


@small
@given(values, linear, linear, st.integers(1, 5))
def test_products_quotients_and_extremes(
    fixed: tuple[int, int, int], a: tuple[int, ...], b: tuple[int, ...], divisor: int
) -> None:
    x, y = plain(a, fixed), plain(b, fixed)  # type: ignore[arg-type]

    def both(name: str) -> Callable[[Model, list[LinearExpression]], SymbolicNumber]:
        def build(model: Model, variables: list[LinearExpression]) -> SymbolicNumber:
            found: SymbolicNumber = getattr(model, name)(made(model, variables, a), made(model, variables, b))  # type: ignore[arg-type]
            return found

        return build

    assert_value(fixed, both("multiplied"), x * y)
    assert_value(fixed, both("maximum"), max(x, y))
    assert_value(fixed, both("minimum"), min(x, y))
    assert_value(fixed, lambda m, v: m.divided(made(m, v, a), divisor), x // divisor)  # type: ignore[arg-type]
    assert_value(fixed, lambda m, v: m.remainder(made(m, v, a), divisor), x % divisor)  # type: ignore[arg-type]


@small
@given(values, linear, linear, st.integers(-4, 4))
def test_choices_between_values(
    fixed: tuple[int, int, int], a: tuple[int, ...], b: tuple[int, ...], limit: int
) -> None:
    x, y = plain(a, fixed), plain(b, fixed)  # type: ignore[arg-type]
    meets = fixed[2] >= limit

    def build(model: Model, variables: list[LinearExpression]) -> SymbolicNumber:
        condition = model.at_least(variables[2], limit)
        return model.chosen(condition, made(model, variables, a), made(model, variables, b))  # type: ignore[arg-type]

    assert_value(fixed, build, x if meets else y)

    def cases(model: Model, variables: list[LinearExpression]) -> SymbolicNumber:
        low_, high_ = model.at_least(-1, variables[0]), model.at_least(variables[0], 2)
        options = [(low_, made(model, variables, a)), (high_, made(model, variables, b))]  # type: ignore[arg-type]
        return model.selected(options, variables[1])

    assert_value(fixed, cases, x if fixed[0] <= -1 else y if fixed[0] >= 2 else fixed[1])

    def element(model: Model, variables: list[LinearExpression]) -> SymbolicNumber:
        """One of several elements as a number: a position in a domain."""
        found = model.one_of([(7 + v, model.equal(variables[1], v)) for v in range(-4, 5)])
        assert isinstance(found, OneOf)
        return number(model, found)

    assert_value(fixed, element, 7 + fixed[1])


@small
@given(values)
def test_the_lowest_of_some_pieces(fixed: tuple[int, int, int]) -> None:
    """Three kinds, of which the variables say how many there are of two, and how many are taken in all."""
    counts, size = (fixed[0] + 4, 3, fixed[1] + 4), max(fixed[2], 0)

    def taken(model: Model, variables: list[LinearExpression]) -> list[SymbolicNumber]:
        first, second = (model.shifted(variable, 4) for variable in variables[:2])
        return lowest(model, (first, 3, second), model.maximum(variables[2], 0))

    pieces = [kind for kind, count in enumerate(counts) for _ in range(count)][:size]
    for kind in range(3):
        assert_value(fixed, lambda m, v, k=kind: taken(m, v)[k], pieces.count(kind))  # type: ignore[misc]
    model = Model()
    together = model.total(taken(model, [model.integer(-4, 4) for _ in fixed]))
    assert (low(together), high(together)) == (0, 4), "as many as are asked for, and no more"


@small
@given(values, st.lists(st.tuples(st.integers(0, 2), st.integers(-4, 4), st.booleans()), min_size=1, max_size=4))
def test_every_and_some(fixed: tuple[int, int, int], parts: list[tuple[int, int, bool]]) -> None:
    """Comparisons of a variable with a limit, some of them negated."""
    expected = [(fixed[which] >= limit) == positive for which, limit, positive in parts]

    def truths(model: Model, variables: list[LinearExpression]) -> list[Truth]:
        found = [model.at_least(variables[which], limit) for which, limit, _ in parts]
        return [t if positive else negated(t) for t, (_, _, positive) in zip(found, parts, strict=True)]

    assert_value(fixed, lambda m, v: as_number(m, m.every(truths(m, v))), int(all(expected)))
    assert_value(fixed, lambda m, v: as_number(m, m.some(truths(m, v))), int(any(expected)))


@small
@given(st.tuples(*[st.integers(0, 2)] * 4), st.integers(1, 3), st.integers(-3, 3), st.integers(-6, 12), st.booleans())
def test_thresholds_leave_every_answer_as_it_is(
    amounts: tuple[int, int, int, int], factor: int, more: int, limit: int, holds: bool
) -> None:
    """What is laid of four kinds, at most three pieces, times a factor, and something else, against a limit."""
    model = Model()
    laid = [model.integer(0, 2) for _ in amounts]
    variables = [next(iter(amount.terms)) for amount in laid]
    model.constraints.append(LinearConstraint(tuple((v, 1) for v in variables), 0, 3))
    other = model.literal()
    worth = model.total(model.scaled(amount, factor * value) for value, amount in enumerate(laid, start=1))
    objective = model.number(model.at_least(limit, model.add(worth, model.number(other), more)))
    add_thresholds(model, [variables], objective)
    for variable, amount in zip(variables, amounts, strict=True):
        model.constraints.append(LinearConstraint(((variable, 1),), amount, amount))
    model.require(other if holds else ~other)
    expected = int(limit >= factor * sum(v * a for v, a in enumerate(amounts, start=1)) + more * holds)
    if isinstance(objective, int):
        assert objective == expected
        return
    solution = cpsat.solve(model, objective, Deadline(30))
    assert (solution.objective == expected) if sum(amounts) <= 3 else (solution.status == cpsat.IMPOSSIBLE)


def test_a_sum_that_is_compared_has_one_chain_of_limits() -> None:
    model = Model()
    laid = [model.integer(0, 1) for _ in range(4)]
    variables = [next(iter(amount.terms)) for amount in laid]
    model.constraints.append(LinearConstraint(tuple((v, 1) for v in variables), 0, 2))
    worth = model.total(model.scaled(amount, value) for value, amount in enumerate(laid, start=1))
    objective = model.total(model.number(model.at_least(worth, limit)) for limit in (2, 3, 5))
    known = len(model.bounds)
    add_thresholds(model, [variables], objective)
    assert len(model.bounds) == known + 7, "two of 1, 2, 3, 4 are 7 at most"


def test_what_is_asked_twice_is_built_once() -> None:
    model = Model()
    a, b = model.integer(0, 9), model.integer(0, 9)
    truth = model.at_least(a, b)
    built = len(model.definitions)
    assert model.at_least(a, b) == truth
    assert model.at_least(model.shifted(b, -1), a) == negated(truth), "b > a is the opposite"
    assert model.at_least(model.scaled(a, 3), model.scaled(b, 3)) == truth
    assert len(model.definitions) == built == 1


def test_what_nothing_asks_for_is_left_out() -> None:
    model = Model()
    a, b = model.integer(0, 9), model.integer(0, 9)
    wanted = model.maximum(a, b)
    built = sum(map(len, model.definitions.values()))
    model.multiplied(model.maximum(a, 4), b)
    assert isinstance(wanted, LinearExpression)
    assert len(model.needed(wanted)) == built < sum(map(len, model.definitions.values()))


def test_of_literals_that_exclude_each_other_both_never_hold() -> None:
    model = Model()
    one, two = model.literal(), model.literal()
    assert isinstance(model.every((one, two)), BooleanLiteral)
    model.facts.group((one, two), complete=False)
    assert model.every((one, two)) is False


@pytest.mark.parametrize("complete", [True, False])
def test_some_of_a_group_and_the_rest_of_it_are_a_group_too(complete: bool) -> None:
    model = Model()
    one, two, three, four, outside = (model.literal() for _ in range(5))
    model.facts.group((one, two, three, four), complete)
    either, mixed = model.some((one, two)), model.some((one, outside))
    assert isinstance(either, BooleanLiteral) and isinstance(mixed, BooleanLiteral)
    assert model.every((either, three)) is False and model.every((either, four)) is False
    facts = model.facts
    assert set(facts.members[-1]) == {either, three, four}
    assert (len(facts.members) - 1 in facts.complete) is complete, "one of them holds, if one of the group does"
    assert isinstance(model.every((either, one)), BooleanLiteral), "one of those that it stands for may be it"
    assert isinstance(model.every((mixed, three)), BooleanLiteral), "what is outside may hold beside anything"


def test_some_of_a_group_are_one_only_where_it_is_a_group() -> None:
    model = Model()
    one, two, three, four = (model.literal() for _ in range(4))
    model.facts.enter(four)
    model.facts.group((one, two, three), complete=False)
    either = model.some((one, two))
    assert isinstance(either, BooleanLiteral) and model.facts.exclusive(either, three)
    model.facts.leave()
    assert not model.facts.exclusive(either, three) and isinstance(model.every((either, three)), BooleanLiteral)


def test_a_limit_decides_a_sum_that_cannot_lie_beyond_it_here() -> None:
    model = Model()
    a, b = model.integer(0, 9), model.integer(0, 9)
    sum_ = model.add(a, b)
    most, least = model.at_least(3, sum_), model.at_least(sum_, 3)
    assert isinstance(most, BooleanLiteral) and isinstance(least, BooleanLiteral)
    twice = model.shifted(model.scaled(sum_, -2), 10)
    assert model.meant(most, sum_) is sum_, "it may be less"
    model.facts.enter(least)
    assert (model.meant(most, sum_), model.meant(most, twice)) == (3, 4)
    assert model.meant(~most, sum_) is sum_ and model.meant(True, sum_) is sum_
    for other in (a, model.add(a, b, 2), model.add(sum_, model.integer(0, 1))):
        assert model.meant(most, other) is other, "no multiple of the sum"
    model.facts.leave()
    assert model.meant(most, sum_) is sum_, "elsewhere it may be less again"
    model.facts.enter(most)
    assert model.meant(least, sum_) == 3


def test_what_equals_a_number_is_that_number() -> None:
    model = Model()
    sum_ = model.add(model.integer(0, 9), model.integer(0, 9))
    five = model.equal(sum_, 5)
    assert isinstance(five, BooleanLiteral)
    assert model.meant(five, model.shifted(model.scaled(sum_, 3), -2)) == 13
    assert model.meant(~five, sum_) is sum_


def test_a_model_without_a_solution_has_no_value() -> None:
    model = Model()
    x = model.integer(0, 5)
    model.constraints.append(LinearConstraint(tuple(x.terms.items()), 7, 9))
    solution = cpsat.solve(model, x, Deadline(10))
    assert (solution.status, solution.objective, solution.values, solution.bound) == (
        cpsat.IMPOSSIBLE,
        None,
        None,
        None,
    )


def test_bounds_tell_that_literals_never_hold_together() -> None:
    model = Model()
    a, b, c = (model.integer(0, 9) for _ in range(3))
    first, second = model.at_least(a, model.shifted(b, 1)), model.at_least(b, model.shifted(c, 1))
    third = model.at_least(c, model.shifted(a, 1))
    assert isinstance(first, BooleanLiteral) and isinstance(second, BooleanLiteral)
    assert model.possible(first, (second,)) and model.possible(second, (third,)) and model.possible(first, (True,))
    assert not model.possible(first, (second, third)), "a > b > c > a"


def test_bounds_tell_it_of_clauses_and_groups() -> None:
    model = Model()
    one, two, three = (model.literal() for _ in range(3))
    both = model.every((one, two))
    assert isinstance(both, BooleanLiteral)
    assert not model.possible(~both, (one, two)) and model.possible(~both, (one, ~two))
    model.facts.group((one, two, three), complete=True)
    assert not model.possible(~one, (~two, ~three)) and not model.possible(three, (two,))


@small
@given(st.lists(st.tuples(linear, st.integers(-6, 6), st.booleans()), min_size=1, max_size=4))
def test_what_bounds_hold_for_impossible_is_so(parts: list[tuple[tuple[int, int, int, int], int, bool]]) -> None:
    model = Model()
    variables = [model.integer(-4, 4) for _ in range(3)]
    truths = [model.at_least(made(model, variables, form), limit) for form, limit, _ in parts]
    literals = [
        t if sign else ~t for t, (_, _, sign) in zip(truths, parts, strict=True) if isinstance(t, BooleanLiteral)
    ]
    if literals and not model.possible(literals[0], literals[1:]):
        assert cpsat.conflict(model, tuple(literals)) is not None


def test_what_cannot_hold_together_is_asked_once() -> None:
    asked = []

    def oracle(model: BooleanBuilder, literals: tuple[BooleanLiteral, ...]) -> frozenset[BooleanLiteral] | None:
        asked.append(literals)
        return cpsat.conflict(model, literals)

    model = Model(oracle=oracle)
    a, b, c, free = *(model.integer(0, 9) for _ in range(3)), model.literal()
    # An even number is an odd one: no bound tells that it is not.
    half = model.equal(model.scaled(a, 2), model.add(model.scaled(b, 2), c))
    odd = model.equal(model.remainder(c, 2), 1)
    assert isinstance(half, BooleanLiteral) and isinstance(odd, BooleanLiteral)
    assert model.possible(half, (odd,)) and not asked, "nobody is asked unasked"
    assert not model.possible(half, (odd,), ask=True) and not model.possible(half, (free, odd), ask=True)
    assert len(asked) == 1 and model.possible(half, (free,), ask=True) and len(asked) == 2
