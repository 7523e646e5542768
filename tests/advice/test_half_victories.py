"""A shared victory counted as a half (`win:half`): every engine, its report and what is told of it know it."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.solver.advice import EXACT, MODEL, SAMPLING, SolverQuestion, advise
from chocolatl.solver.worth.outcome import HALF_WIN, WIN
from tests.games import write_game
from tests.terminals import run

DUEL = """\
item won "Won"

each player has
    score : 0..9 = 0
    bid   : 0..4 = 0

play
    every player p secretly
        p chooses p.bid from 0..4
    for each p in player
        p gains (p.bid if p.bid < 4 else 0) score for won
"""


@pytest.fixture
def duel(tmp_path: Path) -> Game:
    """The higher bid wins, equal ones share, and nobody may bid 4, which is worth nothing."""
    return load(write_game(tmp_path, DUEL, players=3), 3)


def expected(bid: int, objective: str) -> float:
    """What a bid is worth against two others who bid anything."""
    total = 0.0
    for others in product(range(5), repeat=2):
        scores = [each if each < 4 else 0 for each in (bid, *others)]
        if scores[0] == max(scores):
            total += 0.5 if objective == HALF_WIN and scores.count(max(scores)) > 1 else 1.0
    return total / 25


@pytest.mark.parametrize("objective", [WIN, HALF_WIN])
def test_the_value_of_every_bid_is_that_of_all_that_may_happen(duel: Game, objective: str) -> None:
    found = advise(duel, duel.initial(), 0, SolverQuestion(engine=EXACT, objective=objective))
    values = {option.choices[0][1]: option.value.mean for option in found.options}
    assert values == pytest.approx({bid: expected(bid, objective) for bid in range(5)})


@pytest.mark.parametrize("engine", [MODEL, SAMPLING])
def test_scenarios_come_to_the_same(duel: Game, engine: str) -> None:
    asked = SolverQuestion(engine=engine, objective=HALF_WIN, scenarios=40, samples=400)
    found = advise(duel, duel.initial(), 0, asked)
    assert found.choices == (("bid", 3),) and found.fresh is not None
    assert abs(found.fresh.mean - expected(3, HALF_WIN)) < 5 * found.fresh.error
    assert found.fresh.mean * 2 * found.fresh.samples == pytest.approx(
        round(found.fresh.mean * 2 * found.fresh.samples)
    )
    assert found.parts is None


def test_a_victory_that_is_not_shared_is_worth_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against 4, 3, 3 coins one field and two shared ones are a shared victory; two fields are one alone."""
    monkeypatch.chdir(tmp_path)
    run("deal", "blotto", "--players", "2", "--seed", "1", "-o", "battle.yaml")
    line = [{"player": "p2", "choice": f"troops[{f}]", "value": n} for f, n in ((1, 4), (2, 3), (3, 3))]
    Path("one.jsonl").write_text(json.dumps({"choices": line}), encoding="utf-8")
    asked = ("solve", "battle.yaml", "--player", "p1", "--against", "one.jsonl", "--objective")
    for objective, mine, value in (("win:half", [4, 3, 3], 0.5), ("win", [4, 3, 3], 1.0), ("win:half", [5, 5, 0], 1.0)):
        compared = [f"troops[{f}]={n}" for f, n in enumerate(mine, start=1)]
        found = json.loads(run(*asked, objective, "--json", "--compare", *compared).out)
        assert (found["objective"], found["value"], found["status"]) == (objective, 1.0, "optimal")
        assert found["compared"]["mean"] == value
    told = run(*asked, "win:half").out
    assert "worth 1.00 victories (a shared one is a half) in this one scenario" in told
    shown = run("dump", "--stage", "model", "battle.yaml", *asked[2:], "win:half").out
    assert "win:half in 1 scenario" in shown and "which is 2 times the value" in shown
