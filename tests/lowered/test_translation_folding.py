"""What the translation settles by constants and by ranges comes to what the rules say, failures included.

All back ends, the literal ones too, get what it has settled, so that none of them shows an error in it. The same
formulas over fields of wide ranges, where nothing can be settled, and a few lines of Python say what is right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.play.game import RuleError
from chocolatl.interpreter.play.library import load
from tests.conftest import Evidence
from tests.fuzzing.literally import literal
from tests.fuzzing.reckoned import ConstantMaker, Maker
from tests.fuzzing.settling import DATA, OPEN, RULES, SETTLED, Formula
from tests.fuzzing.solved import best_answer
from tests.fuzzing.tallies import Tally, outcome
from tests.games import write_game
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

FORMULAS = 12
"""So many in each program."""

Found = dict[int, int | tuple[int, str]]
"""What came out of each formula, or the line in which it failed, and how."""


def write(where: Path, maker: Maker, formulas: list[Formula], settled: bool) -> Path:
    values = [f"value f{number} = {formula.write(settled)}" for number, formula in enumerate(formulas)]
    return write_rules(where, "\n".join(maker.fields.lines[settled]), "\n".join(values))


def write_rules(where: Path, fields: str, values: str) -> Path:
    folder = where / "formulas"
    folder.mkdir(parents=True, exist_ok=True)
    text = RULES.format(fields=fields, values=values)
    (folder / "formulas.rules").write_text(text, encoding="utf-8")
    (folder / "game.yaml").write_text(DATA, encoding="utf-8")
    return folder


def evaluated(program: ExecutableGame, count: int) -> Found:
    names = list(program.game.values)
    found: Found = {}
    for number in range(count):
        value = program.functions[f"value_{names.index(f'f{number}')}"]
        try:
            found[number] = int(value(program.initial()))
        except RuleError as error:
            found[number] = (error.span.line, error.message)
    return found


def accepted(folder: Path, maker: Maker, formulas: list[Formula]) -> list[Formula]:
    """The formulas that `check` lets pass in both ways; it knows of some that they always fail."""
    for settled in (OPEN, SETTLED):
        try:
            load(write(folder, maker, formulas, settled), 2)
        except Rejected as rejected:
            lines = {finding.span.line for finding in rejected.diagnostics}
            text = (folder / "formulas" / "formulas.rules").read_text(encoding="utf-8").split("\n")
            formulas = [
                f for n, f in enumerate(formulas) if text.index(f"value f{n} = {f.write(settled)}") + 1 not in lines
            ]
    return formulas


def compare(seed: int, folder: Path) -> int:
    """How many formulas of a seed came out the same."""
    maker = Maker(seed)
    formulas = accepted(folder / "tried", maker, [maker.formula() for _ in range(FORMULAS)])
    games = [load(write(folder / name, maker, formulas, name == "settled"), 2) for name in ("open", "settled")]
    programs = [p for game in games for p in (literal(game).program, game.program)]
    expected, *others = [evaluated(program, len(formulas)) for program in programs]
    for number, formula in enumerate(formulas):
        texts = f"{formula.write(OPEN)}\n{formula.write(SETTLED)}"
        reckoned, found = formula.result(), expected[number]
        told = found if isinstance(found, int) else found[1]
        assert reckoned == told if isinstance(reckoned, int) else reckoned in str(told), f"{texts}\n{told}, {reckoned}"
        for other in others:
            assert other[number] == found, texts
    return len(formulas)


def test_a_formula_is_the_same_over_constants_and_over_fields(evidence: Evidence, tmp_path: Path) -> None:
    seeds = [*evidence.cases("formulas are the same over constants and over fields", full=3000, slice=12)]
    tried = sum(compare(seed, tmp_path) for seed in seeds)
    assert tried * 2 > len(seeds) * FORMULAS


def test_a_start_value_is_what_its_formula_comes_to(evidence: Evidence, tmp_path: Path) -> None:
    """Start values and the ends of ranges are evaluated by themselves, before anything is translated."""
    tried = []
    for seed in evidence.cases("start values are what their formulas come to", full=3000, slice=12):
        maker = ConstantMaker(seed)
        formulas = [maker.number(3, ()) for _ in range(FORMULAS)]
        texts = [f"    s{number} : -99999..99999 = {f.write(SETTLED)}" for number, f in enumerate(formulas)]
        refused: set[int] = set()
        try:
            load(write_rules(tmp_path, "\n".join(texts), ""), 2)
        except Rejected as rejected:
            first = RULES[: RULES.index("{fields}")].count("\n") + 1
            refused = {finding.span.line - first for finding in rejected.diagnostics}
        known = {number: formula for number, formula in enumerate(formulas) if number not in refused}
        game = load(write_rules(tmp_path, "\n".join(texts[number] for number in known), ""), 2)
        slots, places = game.program.initial(), game.program.layout.places
        found = {number: slots[places[None, f"s{number}"].base] for number in known}
        assert found == {number: formula.result() for number, formula in known.items()}
        tried.append(len(known))
    assert sum(tried) * 3 > len(tried) * FORMULAS


# ---------------------------------------------------------------- what was wrong once, in all back ends alike

ONE = """
item winnings

table has
    found : -9..9
    zero  : 0..9
    two   : 1..3 = 2
    maybe : 0..9 or none
    small : 1..9 or none = 2

each player has
    score : -9..9

value half(n : 0..9) = 6 / n
value always(n : 1..9) = 4
value is_none(n : 1..9 or none) = n is none

play
    {}
    for each p in player
        p gains found score for winnings
"""
GAPS = "tables:\n  gap: {value: [1, null, 3]}\n"
ZERO, NONE = "this divides by zero", "this is none, and a value is needed"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # A condition that ranges decide, or its other half, is left out only if it cannot fail.
        ("found becomes 1 if half(zero) < 7 else 0", ZERO),
        ("found becomes 1 if half(two) < 7 else 0", 1),
        ("found becomes 1 if half(zero) < 3 and 1 > 2 else 0", ZERO),
        ("found becomes 1 if half(zero) < 3 or 1 < 2 else 0", ZERO),
        ("found becomes 1 if 1 > 2 and half(zero) < 3 else 0", 0),
        # So are the arguments of a value that is always the same.
        ("found becomes always(6 / zero)", ZERO),
        ("found becomes always(zero)", "`n` is 0, outside of 1..9"),
        ("found becomes always(two)", 4),
        # An entry that is none is none, not the number that stands for it.
        ("found becomes 1 if gap[2] is none else 0", 1),
        ("found becomes gap[2]", NONE),
        ("found becomes gap[two]", NONE),
        ("found becomes gap[2] + 1", NONE),
        ("maybe becomes gap[2]\n    found becomes 1 if maybe is none else 0", 1),
        # So is a field, where there is room for that number.
        ("found becomes maybe", NONE),
        ("found becomes 1 if gap[zero] is 0 else 0", "the index is 0, outside of 1..3"),
        ("found becomes 1 if gap[two] is 6 / zero else 0", ZERO),
        ("found becomes 1 if 6 / zero is not gap[zero] else 0", ZERO),
        # A number that stands for none is no value of a type that begins above it.
        ("small becomes zero\n    found becomes 1 if small is none else 0", "`small` is 0, outside of 1..9 or none"),
        ("found becomes 1 if is_none(zero) else 0", "`n` is 0, outside of 1..9 or none"),
        ("small becomes none\n    found becomes 1 if is_none(small) else 0", 1),
    ],
)
def test_a_statement_has_its_outcome(statement: str, expected: int | str, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, ONE.format(statement), more=GAPS), 2)
    kernel = Kernel(game, QUICK)
    plays = [lambda each=each: each.result(each.initial()) for each in (game, literal(game))]
    for play in (*plays, lambda: kernel.play(1, 0).result):
        found = outcome(play)
        assert found[1] == expected if isinstance(found, tuple) else found.scores == (expected, expected)  # type: ignore[attr-defined]


DROPPED = """
enum colour = red, tan, sky

table has
    found : 0..9
    zero  : 0..9
    marks[1..3] : colour = tan

each player has
    score : 0..9

play
    if marks[zero] {} sky
        found becomes 1
"""


@pytest.mark.parametrize("word", ["is", "is not"])
def test_what_is_compared_with_a_member_that_a_variant_drops_can_fail(word: str, tmp_path: Path) -> None:
    folder = write_game(tmp_path, DROPPED.format(word))
    (folder / "variants").mkdir()
    variant = folder / "variants" / "fewer.yaml"
    variant.write_text(
        "kind: variant\nformat: 1\nextends: small\ntitle: Fewer\ndrop: {colour: [sky]}\n", encoding="utf-8"
    )
    for path in (folder, variant):
        game = load(path, 2)
        for each in (game, literal(game)):
            found = outcome(each.initial)
            assert isinstance(found, tuple) and found[1] == "the index is 0, outside of 1..3"


BIDDEN = """
item winnings

table has
    small : 1..9 or none = 2

each player has
    score : 0..99
    bid   : 0..9

play
    every player p secretly
        p chooses p.bid from 1..3
    for each p in player
        small becomes gap[p.bid]
        if {}
            p gains 5 score for winnings
        else
            p gains p.bid score for winnings
"""


@pytest.mark.parametrize("condition", ["gap[p.bid] is 0", "small is p.bid - 2", "not p.bid - 2 is not small"])
def test_the_number_that_stands_for_none_is_not_none_in_a_model(condition: str, tmp_path: Path) -> None:
    """Whoever takes the 0 of a bid of 2 for none, or none for it, finds a better answer than there is."""
    tally = Tally()
    best_answer(load(write_game(tmp_path, BIDDEN.format(condition), more=GAPS), 2), 1, tally)
    assert tally.counts["solver: proved"] == 1
