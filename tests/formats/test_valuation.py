"""What a position is worth beyond the round: a table beside a game, read, checked and counted by the solver."""

from __future__ import annotations

from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.valuation import FILE, Valuation, check_valuation, load_valuation
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods.best import ModelledProblem, formulate, solve
from chocolatl.solver.worth.scenarios import scenarios
from tests.conftest import ROOT
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import allocations, dealt

FOLDER = ROOT / "rules" / "chocolatl"


def valuation(game: Game, path: Path = FOLDER / FILE) -> Valuation:
    findings = Findings()
    found = load_valuation(path, game.files, game.player_count, findings)
    assert found is not None and not findings.items
    return found


def problem(game: Game, position: Position, seed: int, counted: Valuation) -> ModelledProblem:
    return formulate(game, 0, scenarios(game, position, 0, "random", 2, seed), valuation=counted)


@pytest.mark.parametrize("number", [1, 3])
def test_no_answer_is_worth_more(number: int, seed: int) -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, seed, number)
    assert position is not None
    asked = problem(game, position, seed, valuation(game))
    best = solve(asked, Deadline(60))
    assert best.status == "optimal"
    everything = (asked.value(tuple(answers)) for answers in allocations(game, position, 0))
    assert round(best.value * asked.weight * asked.unit) == max(everything)


def test_a_position_with_more_is_worth_more(tmp_path: Path, seed: int) -> None:
    game = CHOCOLATL.load(3, "three_locations")
    text = "kind: valuation\nformat: 1\nitems:\n  stone: {what: p.stones, worth: [0, N], source: a test}\n"
    position, values = dealt(game, seed), []
    assert position is not None
    for worth in (0, 300):
        (tmp_path / FILE).write_text(text.replace("N", str(worth)), encoding="utf-8")
        values.append(solve(problem(game, position, seed, valuation(game, tmp_path / FILE)), Deadline(60)).value)
    assert values[1] > values[0]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("p.hutts", "a player has no `hutts`"),
        ("p.huts +", "this ends too early"),
        ("p is figure", "this is yes or no, and a number is needed"),
        ("q.huts", "there is nothing called `q`"),
    ],
)
def test_a_formula_that_makes_no_sense_is_found_in_its_line(what: str, message: str, tmp_path: Path) -> None:
    text = f"kind: valuation\nformat: 1\nitems:\n  hut:\n    what: {what}\n    worth: [0]\n    source: a test\n"
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    findings = Findings()
    game = CHOCOLATL.load(3)
    assert load_valuation(tmp_path / FILE, game.files, 3, findings) is None
    (finding,) = findings.items
    assert message in finding.message and finding.span.line == 5


def test_the_shipped_table_is_sound() -> None:
    findings = Findings()
    check_valuation(FOLDER / FILE, findings)
    assert findings.items == []
