"""What `interpreter/ir/operations.py` says of each operation is true: its name, its operands, its range, its failure.

What operations do is compared elsewhere: `test_fold.py`, `test_native.py`, `test_solver.py`.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.failing import Failures
from chocolatl.interpreter.ir.operations import (
    ANY,
    DIVIDING,
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    ElementsKind,
    ExpressionKind,
    LogicOperator,
    Operation,
    complete,
    written_types,
)
from chocolatl.interpreter.ir.ranges import Interval
from chocolatl.interpreter.ir.walk import inside, statements
from chocolatl.interpreter.play.library import load
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import Evidence
from tests.fuzzing.programs import generate
from tests.games import write_game
from tests.operations.operations import KINDS, OPERATORS

# ---------------------------------------------------------------- names and operands


@pytest.mark.parametrize("union", KINDS, ids=lambda union: KINDS[union].__name__)
def test_every_kind_is_the_name_of_one_class_and_every_class_is_a_kind(union: object) -> None:
    classes = [each.__name__ for each in get_args(union)]
    assert sorted(kind.value for kind in KINDS[union]) == sorted(classes)
    assert [kind.name for kind in KINDS[union]] == [
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.value).upper() for kind in KINDS[union]
    ]


def operands(node: type) -> int:
    """How many formulas a node always has; any number, if some are optional or in a list."""
    types = list(written_types(node).values())
    if any(type_ in ("Expression | None", "tuple[Expression, ...]", "tuple[PickOne, ...]") for type_ in types):
        return ANY
    return types.count("Expression")


@pytest.mark.parametrize("union", KINDS, ids=lambda union: KINDS[union].__name__)
def test_a_node_has_as_many_operands_as_declared(union: object) -> None:
    classes = {each.__name__: each for each in get_args(union)}
    assert {kind.value: kind.arity for kind in KINDS[union]} == {name: operands(c) for name, c in classes.items()}


def test_only_cells_and_zones_are_of_a_field() -> None:
    """So that `walk.fields_read` need not ask the others."""
    of_a_field = [c for c in get_args(ir.Evaluated) if any("Field" in written for written in written_types(c).values())]
    assert of_a_field == [ir.Load, ir.FieldZone]


def test_every_operation_has_a_sentence_of_its_own() -> None:
    for kinds in Operation.__subclasses__():
        assert len({kind.sentence for kind in kinds}) == len(kinds) and all(kind.sentence for kind in kinds)


# ---------------------------------------------------------------- ranges, by enumeration

SMALL = [(low, high) for low in range(-3, 4) for high in range(low, 4)]


def outcomes(apply: Callable[[int, int], int], a: Interval, b: Interval, divides: bool = False) -> list[int]:
    """All that an operator makes of two ranges, in order; what divides by zero makes nothing."""
    pairs = itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1))
    return sorted({apply(x, y) for x, y in pairs if y or not divides})


@pytest.mark.parametrize("operator", ArithmeticOperator)
def test_the_range_of_a_result_is_that_of_all_results(operator: ArithmeticOperator) -> None:
    """No wider, except for a remainder, which depends on more than the ends."""
    for a, b in itertools.product(SMALL, SMALL):
        found = outcomes(operator.apply, a, b, operator in DIVIDING)
        low, high = operator.interval(a, b)
        if not found:
            assert (low, high) == (0, 0)
        elif operator is ArithmeticOperator.MODULO:
            assert low <= found[0] <= found[-1] <= high, (a, b)
        else:
            assert (low, high) == (found[0], found[-1]), (a, b)


@pytest.mark.parametrize("operator", ComparisonOperator)
def test_what_ranges_decide_holds_for_all_values(operator: ComparisonOperator) -> None:
    """And whatever two ranges that do not touch decide is decided."""
    for a, b in itertools.product(SMALL, SMALL):
        found, decided = outcomes(operator.apply, a, b), operator.decided(a, b)
        assert decided is None or found == [decided], (a, b)
        if a[1] < b[0] or b[1] < a[0]:
            assert decided is not None, (a, b)


Terms = Sequence[int]
MEANING: Mapping[AggregateKind, Callable[[Terms], int | None]] = complete(
    AggregateKind,
    {
        AggregateKind.SOME: lambda terms: any(term > 0 for term in terms),
        AggregateKind.EVERY: lambda terms: all(term > 0 for term in terms),
        AggregateKind.NUMBER: len,
        AggregateKind.SUM: sum,
        AggregateKind.HIGHEST: lambda terms: max(terms, default=None),
        AggregateKind.LOWEST: lambda terms: min(terms, default=None),
    },
    __name__,
)
"""What each is of some terms, of which those above 0 hold; None for a failure."""


@pytest.mark.parametrize("kind", AggregateKind)
def test_the_range_of_a_formula_over_elements_is_that_of_all_of_its_values(kind: AggregateKind) -> None:
    """No wider, if its terms can be both: hold, and not hold."""
    for (low, high), most in itertools.product(SMALL, range(4)):
        sizes = [itertools.combinations_with_replacement(range(low, high + 1), size) for size in range(most + 1)]
        values = [value for terms in itertools.chain(*sizes) if (value := MEANING[kind](terms)) is not None]
        least, greatest = kind.interval((low, high), most)
        assert all(least <= value <= greatest for value in values), (low, high, most)
        if values and most and low <= 0 < high:
            assert (least, greatest) == (min(values), max(values)), (low, high, most)


def test_what_fails_without_elements_is_what_is_declared_to() -> None:
    assert {kind for kind in AggregateKind if MEANING[kind](()) is None} == {k for k in AggregateKind if k.fails}
    assert {operator for operator in ArithmeticOperator if operator.fails} == set(DIVIDING)


# ---------------------------------------------------------------- failures and operands, in games


def parts(game: ir.GameRules) -> Iterator[Any]:
    """Everything that the rules of a game do."""
    roots: list[object] = [s for p in game.procedures.values() for s in statements(p.body)]
    roots += [value.body for value in game.values.values()] + [latch.condition for latch in game.latches]
    yield from (part for root in [*roots, *game.rankings.values()] for part in inside(root))


def operation(node: Any) -> Operation | None:
    """What is declared of a node: of one that does one of several things, which of them."""
    if type(node) in OPERATORS:
        return getattr(node, OPERATORS[type(node)][0])  # type: ignore[no-any-return]
    kinds = {kind.value: kind for several in KINDS.values() for kind in several}
    return kinds.get(type(node).__name__)


def may_fail(node: Any, failures: Failures) -> bool:
    """Whether a formula fails of itself; the zone that it is about belongs to it."""
    zone = getattr(node, "zone", None)
    return failures.of_itself(node) or (zone is not None and failures.of_itself(zone))


def look_at(game: ir.GameRules) -> tuple[set[Operation], set[Operation]]:
    """The formulas that a game has, and those of them that can fail; each has the operands that are declared."""
    present, failing, failures = set[Operation](), set[Operation](), Failures(game.domains, game.values)
    for node in parts(game):
        declared = operation(node)
        if isinstance(node, get_args(ir.Expression) + get_args(ir.Elements)):
            assert declared is not None
            present.add(declared)
            failing |= {declared} if may_fail(node, failures) else set()
        match node:
            case ir.Aggregate():
                assert (node.body is not None) == node.kind.arity, node.kind
            case ir.ChangeSet():
                assert (node.element is not None) == node.how.arity, node.how
    return present, failing


CARELESS = """
enum way = on, back

grid spot (n : 0..3) by way
    on   : (n + 1)
    back : (n - 1)

each spot has
    pile : set of card

each player has
    score : 0..99
    size  : 0..9

table has
    here   : spot or none
    leader : player or nobody

item winnings

ranking sorted of p in player
    highest p.score

play
    for each p in player from leader
        p.size becomes 9 / p.score + 9 mod p.score + (size of here.pile) + (number of c in here.pile)
        here becomes spot(p.size)
        if first of sorted is p and rank of p in sorted is 1
            p gains 1 score for winnings
"""
"""Rules that are careless about what they divide by, and about what is there."""


def test_what_is_found_to_fail_is_declared_to(tmp_path: Path, evidence: Evidence) -> None:
    """And the other way round: whatever is declared to fail is found to do so in some rules."""
    present, failing = set[Operation](), set[Operation]()
    games = [load(write_game(tmp_path, CARELESS), 2).ir]
    for number, path in enumerate(files("good")):
        write(tmp_path / str(number) / GAME, text_of(path))
        games.append(load(tmp_path / str(number) / GAME, 2).ir)
    for seed in evidence.cases("programs in which declared failures were looked for", full=500, slice=5):
        program = generate(seed)
        with contextlib.suppress(Rejected):
            games.append(load(program.write(tmp_path / str(seed)), program.players).ir)
    for game in games:
        one, other = look_at(game)
        present, failing = present | one, failing | other
    assert failing == {each for each in present if each.fails}
    wanted = {kind for kind in (*ExpressionKind, *ElementsKind) if kind.value not in [c.__name__ for c in OPERATORS]}
    assert wanted | {*ArithmeticOperator, *ComparisonOperator, *LogicOperator, *AggregateKind} == present
