"""What one more would bring in a contest: a better rank, and all that follows from it; for a model and by sampling."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.lifted_log import LiftedLog
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.terminal.reports.contest_table import contest_notes
from chocolatl.interpreter.terminal.reports.worth import hundredths, number
from chocolatl.solver.advice import MODEL, SAMPLING, SolverQuestion, advise
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.question import HorizonKind
from chocolatl.solver.report import MOST_JUDGED, again
from chocolatl.solver.telling import not_in_time
from chocolatl.solver.worth.contests import held
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.playout import to_horizon
from tests.games import loaded, write_game
from tests.solver.solving import dealt

SECOND_IS_BETTER = """\
item won "Won"

each player has
    score : 0..99
    bid : 0..9

ranking bidders of p in player
    highest p.bid

play
    every player p secretly
        p chooses p.bid from 2..9
    contest bidders
        first p alone
            p gains 2 score for won
        first p shared by n
            p gains 8 / n score for won
        second p alone
            p gains 9 score for won
    roll number from 1..2
    for each p in player where number is 1
        p gains 1 score for won
"""
"""A bid has no other use than its rank, so that one more is the same as to bid one more."""


@pytest.mark.parametrize("engine", [MODEL, SAMPLING])
@pytest.mark.parametrize("objective", ["points", "margin"])
def test_one_more_is_worth_what_a_higher_bid_is_worth(engine: str, objective: str, tmp_path: Path) -> None:
    game = loaded(write_game(tmp_path, SECOND_IS_BETTER, players=3), 3)
    question = SolverQuestion(scenarios=4, samples=40, engine=engine, objective=objective, seed=2)
    advice = advise(game, game.initial(), 0, question)
    assert advice.report is not None and advice.report.judged == 40
    (bid,) = advice.answers
    assert isinstance(bid, int) and bid < 9
    measure = OutcomeMeasure(game, 0, objective)
    gained = 0
    for each in advice.report.played:
        plain, more = (to_horizon(game, each.scenario, 0, (answer,)) for answer in (bid, bid + 1))
        gained += measure(each.scenario.position, more) - measure(each.scenario.position, plain)
    (contest,) = advice.contests
    assert contest.one_more == pytest.approx(gained / 40) and contest.one_more_error is not None
    assert contest.one_more_points == (contest.one_more if objective == "points" else None)


def test_what_is_below_0_is_said_in_words(tmp_path: Path) -> None:
    """Second is worth more than first, and the best bid is one that is mostly second."""
    game = loaded(write_game(tmp_path, SECOND_IS_BETTER, players=3), 3)
    advice = advise(game, game.initial(), 0, SolverQuestion(scenarios=4, samples=200, seed=2, engine=MODEL))
    (contest,) = advice.contests
    assert contest.one_more is not None and contest.one_more < 0
    told = " ".join(contest_notes(advice, "points"))
    less = f"{number(-hundredths(contest.one_more))} ± {contest.one_more_error:.2f} points"
    assert f"bidders, one more: a better place there leads to less than the present one, by {less}" in told


def test_whoever_ranks_as_one_more_has_the_place_of_a_better_key() -> None:
    """Compared with ranking anew, for all orders of some keys."""
    for keys in permutations([3, 4, 4, 6]):
        ranked = sorted(zip(keys, range(4), strict=True))
        order = (
            tuple(who for _, who in ranked),
            tuple(1 + sum(other < key for other in keys) for key, _ in ranked),
            tuple((key,) for key, _ in ranked),
        )
        for who in range(4):
            lifted = [key - (number == who) for number, key in enumerate(keys)]
            elements, places, found = LiftedLog(0, who, strict=False).ranked(order)
            assert [lifted[element] for element in elements] == sorted(lifted) == [key for (key,) in found]
            assert list(places) == [1 + sum(other < lifted[element] for other in lifted) for element in elements]
        later = LiftedLog(1, 0, strict=False)
        assert later.ranked(order) == order != later.ranked(order)
        assert LiftedLog(0, 0, strict=True).ranked(order)[1] == (1, 2, 3, 4)


@pytest.mark.parametrize("engine", [MODEL, SAMPLING])
def test_it_is_told_in_how_many_scenarios_it_was_seen(engine: str, tmp_path: Path) -> None:
    game = loaded(write_game(tmp_path, SECOND_IS_BETTER, players=3), 3)
    question = SolverQuestion(scenarios=2, samples=6, engine=engine)
    asked, report = (
        PositionQuestion(game, game.initial(), 0, question),
        advise(game, game.initial(), 0, question).report,
    )
    assert report is not None and report.judged == 6 and not_in_time(asked, report, 6, None) == []
    told = ["contests: what one more would bring is seen in 4 of 6 scenarios"]
    assert not_in_time(asked, replace(report, judged=4), 6, None) == told
    assert not_in_time(asked, replace(report, judged=0, contests=report.contests * (MOST_JUDGED + 1)), 6, None) == []


@pytest.mark.parametrize("horizon", HorizonKind)
def test_it_is_looked_at_as_far_as_the_answer_looks(horizon: HorizonKind) -> None:
    game = loaded(rules_folder() / "goofspiel", 2)
    position = dealt(game, 1)
    assert position is not None
    report = advise(game, position, 0, SolverQuestion(samples=4, engine=SAMPLING, horizon=horizon)).report
    assert report is not None and report.judged == 4
    for each in report.played:
        log = Log()
        assert game.is_over(again(report, each)(log)) == (horizon == HorizonKind.FAR)
        assert len(held(game, 0, log)) == len(each.contests)
