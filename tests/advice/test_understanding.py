"""Why an answer is good: what other bids would have come to, the differences to the runner-up, words and a drawing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.terminal.reports.contest_table import contest_titles
from chocolatl.solver.advice import MODEL, SAMPLING, Advice, SolverQuestion, advise
from chocolatl.solver.explanation import Understanding
from chocolatl.solver.methods.continuations import at_random
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.worth.contests import held
from chocolatl.solver.worth.outcome import POINTS, OutcomeMeasure
from chocolatl.solver.worth.playout import to_horizon
from tests.games import loaded, write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import dealt
from tests.solver.test_solver import RED

SMALL = SolverQuestion(scenarios=2, samples=12, seed=3)


NO_CONTEST = """\
item won "Cards laid"

each player has
    score : 0..9 = 0
    hand  : set of card secret = every card
    laid  : set of card

play
    every player p secretly
        p chooses 1 from p.hand into p.laid
    for each p in player
        p gains (sum of card.value for card in p.laid) score for won
"""


AFTER_A_CONTEST = """\
item won "Won"
item given "Given"

each player has
    score : 0..90
    bid : 0..9

ranking bidders of p in player
    highest p.bid

ranking others of p in player
    lowest p.bid

play
    every player p secretly
        p chooses p.bid from 1..3
    contest bidders
        first p
            p gains 5 score for won
            contest others
                first q
                    q gains 7 score for won
            p gains 10 score for won
    for each p in player
        p gains 20 score for given
"""
"""A contest within a contest, and points after both."""


@pytest.fixture(scope="module")
def board() -> tuple[Game, Position]:
    game = CHOCOLATL.load(3, "three_locations", RED)
    position = dealt(game, 1)
    assert position is not None
    return game, position


@pytest.fixture(scope="module")
def advice(board: tuple[Game, Position]) -> Advice:
    return advise(*board, 0, SMALL)


def test_another_bid_has_the_place_that_it_has_when_it_is_made(board: tuple[Game, Position], advice: Advice) -> None:
    """In the first contest nothing depends on what was laid before: the place of a bid that was not made is the one
    that it has in an answer that makes it, in the same scenario."""
    game, position = board
    seen = Understanding(game, position, 0, SMALL, advice)
    runner_up = advice.runner_up
    assert runner_up is not None
    for scenario in seen.scenarios:
        logs: list[list[object]] = [[], []]
        for answers, log in zip((advice.answers, runner_up.answers), logs, strict=True):
            to_horizon(game, scenario, 0, answers, log)  # type: ignore[arg-type]
        best, other = (held(game, 0, log)[0] for log in logs)  # type: ignore[arg-type]
        assert best.place_of(best.bid) == best.place and best.place_of(other.bid) == other.place
        assert best.place_of(99) == 1 and best.place_of(-99) == 3


def test_a_contest_has_paid_what_was_awarded_within_it(tmp_path: Path) -> None:
    """The outer contest 5 and 10 points, the inner one 7; 20 are given to all afterwards, by no contest."""
    game = loaded(write_game(tmp_path, AFTER_A_CONTEST), 2)
    position = game.initial()
    log: list[tuple[Any, ...]] = []
    for player, bid in ((0, 3), (1, 1)):
        position = game.answer(position, player, bid, log)
    assert list(game.scores(position)) == [35, 27]
    assert [(c.name, c.points) for c in held(game, 0, log)] == [("bidders", 15), ("others", 0)]
    assert [(c.name, c.points) for c in held(game, 1, log)] == [("bidders", 0), ("others", 7)]


def test_a_curve_rises_with_the_bid(board: tuple[Game, Position], advice: Advice) -> None:
    curves = Understanding(*board, 0, SMALL, advice).curves()
    assert [curve.laid for curve in curves] == [value for _, value in advice.choices]
    assert len({(curve.bids[0][0], curve.bids[-1][0]) for curve in curves}) == 1  # one scale for all places
    for curve in curves:
        firsts, lasts = [row[1] for row in curve.bids], [row[3] for row in curve.bids]
        assert firsts == sorted(firsts) and lasts == sorted(lasts, reverse=True)
        assert all(0 <= first + second <= 1 for _, first, second, _ in curve.bids)
        assert curve.bids[0][0] <= curve.own[0] <= curve.own[-1] <= curve.bids[-1][0]


def test_the_differences_add_up(board: tuple[Game, Position], advice: Advice) -> None:
    """By contest and for the rest, they come to the difference of the values in the same scenarios."""
    game, position = board
    assert advice.runner_up is not None
    found = Understanding(game, position, 0, SMALL, advice).explanation(advice.runner_up)
    assert sum(d.gain for d in found.differences) + found.rest == pytest.approx(found.ahead.mean)
    values = {str(option.choices): option.value.mean for option in advice.options}
    expected = values[str(advice.choices)] - advice.runner_up.value.mean
    assert found.ahead.mean == pytest.approx(expected) and found.ahead.samples == 12
    assert found.rest == pytest.approx(0)  # in these rounds all points are paid by contests


def test_what_was_sampled_is_played_with_the_same_luck() -> None:
    """The explanation of a sampled answer is about the very games that gave it its value."""
    game = loaded(rules_folder() / "goofspiel", 2)
    position = dealt(game, 2)
    assert position is not None
    found = advise(game, position, 0, SolverQuestion(samples=12, seed=3, engine=SAMPLING))
    seen = Understanding(game, position, 0, SMALL, found)
    sampler = Sampler(game, lambda number: seen.scenarios[number], at_random(game, 0), OutcomeMeasure(game, 0, POINTS))
    rows = sampler.table([found.answers], 0, 12)
    assert [each.worth for each in seen.played(found.answers)] == [row[0] for row in rows]


@pytest.mark.parametrize("engine", [SAMPLING, MODEL])
def test_there_is_time_to_explain_when_that_of_the_answer_is_over(engine: str) -> None:
    game = loaded(rules_folder() / "goofspiel", 2)
    position = dealt(game, 2)
    assert position is not None
    found = advise(game, position, 0, SolverQuestion(samples=6, seed=3, scenarios=3, engine=engine))
    assert found.report is not None and found.runner_up is not None
    found.report.sampler.run.deadline.until = 0.0
    assert Understanding(game, position, 0, SMALL, found, Deadline(0.0)).count == 0
    assert Understanding(game, position, 0, SMALL, found, Deadline(60.0)).count == 6


def test_the_usual_ranking_goes_without_saying() -> None:
    assert contest_titles(["bid(Temple)", "bid(Drink)", "rows(1)", "last"]) == ["Temple", "Drink", "rows (1)", "last"]
    assert contest_titles(["armies(1)", "armies(2)"]) == ["armies (1)", "armies (2)"]


def test_the_command_explains_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, picture = tmp_path / "p.yaml", tmp_path / "bids.svg"
    game = ["chocolatl/three_locations", "--players", "3", "--seed", "1", "--to-round", "1", "-o", str(place)]
    assert cli.main(["deal", *game]) == 0
    solve = ["solve", str(place), "--player", "p1", "--scenarios", "2", "--samples", "8", "--explain", "--json"]
    assert cli.main([*solve, "--plot", str(picture)]) == 0
    first, *others = json.loads(capsys.readouterr().out)["explanation"]
    assert first.startswith("in 8 scenarios the chosen answer is ") and "the runner-up, sealed[" in first
    named = (
        "- Temple of Chocolatl: ",
        "- Pyramid: ",
        "- Drink: ",
        "- builders (",
        "- points that",
        "- held afterwards, ",
    )
    assert all(line.startswith(named) for line in others)
    texts = [element.text for element in ElementTree.parse(picture).iter() if element.tag.endswith("text")]
    assert {"Temple of Chocolatl", "Pyramid", "Drink", "your bid"} <= set(texts)


@pytest.mark.parametrize(
    ("objective", "told"),
    [
        (
            "points",
            ["1.00 ± 0.00 points ahead of the runner-up, laid 2:", "- points that no contest pays: +1.00 points"],
        ),
        ("margin", ["1.00 ± 0.00 points of margin ahead of the runner-up, laid 2:", "{held}: +1.00 points"]),
        ("win", ["0.25 ± 0.25 victories ahead of the runner-up, laid 2"]),
    ],
)
def test_an_explanation_has_the_unit_of_its_objective(
    objective: str, told: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Victories, of which there is one more if the other one lays a 3, are no sum of points: of the rest nothing is
    said."""
    game, place = write_game(tmp_path, NO_CONTEST), tmp_path / "p.yaml"
    assert cli.main(["deal", str(game), "--players", "2", "--seed", "1", "-o", str(place)]) == 0
    capsys.readouterr()
    solve = ["solve", str(place), "--player", "p1", "--samples", "4", "--engine", "model", "--explain", "--json"]
    assert cli.main([*solve, "--objective", objective]) == 0
    first, *others = json.loads(capsys.readouterr().out)["explanation"]
    held = "- what is held at the horizon, what others have, and all that no contest pays"
    assert [first.removeprefix("in 4 scenarios the chosen answer is "), *others] == [
        line.format(held=held) for line in told
    ]


def test_without_a_contest_there_is_nothing_to_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, place = write_game(tmp_path, NO_CONTEST), tmp_path / "p.yaml"
    assert cli.main(["deal", str(game), "--players", "2", "--seed", "1", "-o", str(place)]) == 0
    solve = ["solve", str(place), "--player", "p1", "--samples", "4", "--explain"]
    assert cli.main(solve) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert (
        "the chosen answer is 1.00 ± 0.00 points ahead of the runner-up, laid 2: - points that no contest pays" in words
    )
    assert cli.main([*solve, "--plot", str(tmp_path / "none.svg")]) == 0
    told = capsys.readouterr()
    assert "none.svg was not written: no contest is decided before the horizon" in told.err
    assert "the chosen answer is 1.00" in told.out
    assert not (tmp_path / "none.svg").exists()
