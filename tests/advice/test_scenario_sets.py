"""Three sets of scenarios: what is searched, what is chosen by and what is reported have nothing in common.

So the headline is no better than the answer is, however few scenarios were searched.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from math import sqrt
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver import by_model
from chocolatl.solver.advice import MODEL, SAMPLING, Advice, SolverQuestion, advise
from chocolatl.solver.asking import ChoiceTable, PositionQuestion
from chocolatl.solver.methods import best
from chocolatl.solver.methods.continuations import by_policy
from chocolatl.solver.methods.sampling import LONGEST
from chocolatl.solver.methods.sampling import MOST as OPTIONS
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.scenario_sets import (
    AT_FIRST,
    CHOICE,
    DIVIDED,
    LEFT,
    MOST,
    MOST_CHOICE,
    REPORT,
    RULES,
    TRIAL,
    ScenarioSets,
    spread,
)
from tests.conftest import Evidence
from tests.games import loaded, write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import dealt

LUCK = """\
item won "Won"

each player has
    score : 0..8
    bid : 1..8

play
    every player p secretly
        p chooses p.bid from 1..8
    roll number from 1..8
    for each p in player
        if p.bid is number
            p gains 8 score for won
"""
"""Whatever is chosen: the number comes up once in eight rolls, and pays 8. So every answer is worth 1."""


@pytest.fixture(scope="module")
def luck(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return loaded(write_game(tmp_path_factory.mktemp("luck"), LUCK), 2)


@pytest.fixture
def battle(tmp_path: Path) -> Path:
    path = tmp_path / "battle.yaml"
    assert cli.main(["deal", "blotto", "--players", "2", "--seed", "1", "-o", str(path)]) == 0
    return path


def lines(count: int, seed: int = 1, weight: Callable[[int], int] = lambda _: 1) -> str:
    """What the other colonel may do: anything."""
    numbers, found = random.Random(seed), []
    for number in range(count):
        one = numbers.randint(0, 10)
        two = numbers.randint(0, 10 - one)
        troops = enumerate((one, two, 10 - one - two), start=1)
        choices = [{"player": "p2", "choice": f"troops[{field}]", "value": value} for field, value in troops]
        found.append(json.dumps({"weight": weight(number), "choices": choices}) + "\n")
    return "".join(found)


def solved(capsys: pytest.CaptureFixture[str], position: Path, *more: object) -> dict[str, Any]:
    capsys.readouterr()
    assert cli.main(["solve", str(position), "--player", "p1", "--json", *map(str, more)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert problems(found, "solve_results") == []
    found.pop("seconds")
    return found


# ---------------------------------------------------------------- nothing in common


def test_no_scenario_is_in_two_sets(luck: Game) -> None:
    sets = ScenarioSets(luck, luck.initial(), 0, "random", seed=5)
    sets.drawn = lambda number: number  # type: ignore[assignment, return-value]
    search, choice, report = (set(found) for found in (sets.search(MOST), sets.choice(MOST), sets.report(MOST)))
    assert (len(search), len(choice), len(report)) == (MOST, MOST_CHOICE, MOST)
    assert max(map(int, search)) < CHOICE and not (search & choice or choice & report or search & report)  # type: ignore[arg-type]
    assert max(map(int, choice)) < TRIAL and min(map(int, report)) == REPORT > TRIAL + 1  # type: ignore[arg-type]
    # However many options are left out by halves before that, their scenarios are those of a search.
    assert LONGEST * OPTIONS.bit_length() < CHOICE


def test_what_is_drawn_for_an_answer_is_apart(luck: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """All numbers that a model and a sample ask for; those of the report are asked for last."""
    noted: list[int] = []
    made = ScenarioSets.__init__

    def noting(self: ScenarioSets, *given: Any) -> None:
        made(self, *given)
        drawn = self.drawn
        self.drawn = lambda number: noted.append(number) or drawn(number)  # type: ignore[func-returns-value]

    monkeypatch.setattr(ScenarioSets, "__init__", noting)
    for engine in (MODEL, SAMPLING):
        noted.clear()
        advise(luck, luck.initial(), 0, SolverQuestion(scenarios=3, samples=5, engine=engine))
        beginnings = {0: "search", CHOICE: "choice", TRIAL: "trial", REPORT: "report", RULES: "rules"}
        sets = [beginnings[max(first for first in beginnings if first <= number)] for number in noted]
        assert {"search", "choice", "report"} <= set(sets) and sets[-5:] == ["report"] * 5
        assert sets.count("report") == 5 and sets.count("choice") in {MODEL: [5], SAMPLING: [5, 10, 20, 25]}[engine]


@pytest.mark.parametrize("count", [DIVIDED, 101, 240])
@pytest.mark.parametrize("asked", [None, 1, 7, 60])
def test_the_lines_of_a_file_are_divided(count: int, asked: int | None, battle: Path, tmp_path: Path) -> None:
    game = loaded(rules_folder() / "blotto", 2)
    (tmp_path / "others.jsonl").write_text(lines(count))
    sets = ScenarioSets(game, game.initial(), 0, str(tmp_path / "others.jsonl"), 0, asked)
    search = sets.search(99)
    seeds = [[each.seed for each in found] for found in (search, list(sets.choice(MOST)), list(sets.report(MOST)))]
    assert sets.is_fresh and len(search) == (count // 2 if asked is None else asked)
    assert sorted(chain(*seeds)) == list(range(1, count + 1)), "a line is in one set, and no line is lost"
    assert abs(len(seeds[1]) - len(seeds[2])) <= 1 and min(map(len, seeds[1:])) >= LEFT // 2
    assert max(seeds[0]) > count // 2 or asked == 1, "lines are spread over the file"


def test_numbers_are_evenly_spread() -> None:
    assert spread(10, 5) == [0, 2, 4, 6, 8] and spread(3, 3) == [0, 1, 2] and spread(7, 2) == [0, 3]


# ---------------------------------------------------------------- the headline is unbiased


@pytest.mark.parametrize("engine", [MODEL, SAMPLING])
def test_the_headline_is_unbiased(engine: str, luck: Game, evidence: Evidence) -> None:
    """Every answer is worth 1. The best of eight in 4 scenarios seems to be worth 2 at least: one of the numbers that
    come up was chosen. In scenarios of its own it is worth what it is, and its standard error is what it varies by."""
    fresh, fitted = list[Estimate](), list[float]()
    for seed in evidence.cases(f"the headline is unbiased where all is luck: {engine}", full=8000, slice=60):
        # One seed's scenarios are not those of the next one.
        question = SolverQuestion(scenarios=4, samples=6, seed=50 * seed, engine=engine, alternatives=0)
        advice = advise(luck, luck.initial(), 0, question)
        assert advice.fresh is not None
        fresh.append(advice.fresh)
        fitted.append(advice.proved.value if advice.proved is not None else advice.value or 0)
    found = Estimate.of([each.mean for each in fresh])
    assert abs(found.mean - 1) < 4 * found.error < 9 / sqrt(len(fresh)), found
    told = Estimate.of([each.error**2 - (each.mean - 1) ** 2 for each in fresh])
    assert abs(told.mean) < 4 * told.error, "what is said of the error is true"
    if engine == MODEL:
        assert min(fitted) >= 2, "what was searched says more than is true"


# ---------------------------------------------------------------- what is chosen, and what is proved


def test_the_proved_answer_stands_beside_the_chosen_one() -> None:
    """In two scenarios something is the best that is not elsewhere."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    question = SolverQuestion(scenarios=2, samples=60, valuation=valuation_of(game))
    found = advise(game, position, 0, question)
    assert found.proved is not None and found.status == "feasible" and found.value is not None
    assert found.proved.status == "optimal" and found.proved.answers != found.answers
    assert found.bound == found.proved.value > found.value and found.gap == found.bound - found.value
    assert (found.proved.choices, found.proved.value, "optimal") in found.alternatives
    # Both are what the interpreter finds in the scenarios of the search.
    asked = PositionQuestion(game, position, 0, question)
    problem = by_model.model_of(asked)
    for answers, value in ((found.answers, found.value), (found.proved.answers, found.proved.value)):
        assert problem.value(tuple(answers)) == pytest.approx(2 * problem.unit * value)
    # The chosen one is the best of the candidates in the scenarios of the choice, and told first.
    assert found.options[0].answers == found.answers
    assert found.proved.answers in [option.answers for option in found.options]


def test_nothing_is_better_than_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the chosen answer is worth more in the search than the best of all, one of both is wrong."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    right = best.solve

    def wrong(*given: Any) -> best.Best:
        return replace(right(*given), value=1.0)

    monkeypatch.setattr(best, "solve", wrong)
    with pytest.raises(best.Disagreement, match="proved to be the best"):
        advise(game, position, 0, SolverQuestion(scenarios=2, samples=60, valuation=valuation_of(game)))


def test_of_equals_the_first_candidate_is_chosen(luck: Game) -> None:
    """The proved one is the first of all candidates, so that ties go to it."""
    asked = PositionQuestion(luck, luck.initial(), 0, SolverQuestion(samples=3, seed=1))
    run = by_policy(luck, 0, Deadline())
    table = ChoiceTable(asked.sampler(run, Deadline()), list(asked.sets.choice(3)))
    answers = [(bid,) for bid in (5, 3, 8, 1, 2, 4, 6, 7)]
    ranking = table.ranked(answers, Deadline())
    totals = {each: sum(table.known[each]) for each in answers}
    assert len(set(totals.values())) > 1
    assert ranking == sorted(answers, key=lambda each: -totals[each])
    assert table.ranked(answers[::-1], Deadline()) == sorted(answers[::-1], key=lambda each: -totals[each])


def test_what_is_proved_in_more_scenarios_gives_way_only_beyond_doubt(luck: Game) -> None:
    """Where the choice has fewer scenarios than the search: a lead of two standard errors, or as the proof has it."""
    asked = PositionQuestion(luck, luck.initial(), 0, SolverQuestion(samples=40, seed=1))
    proved, other, third = (1,), (2,), (3,)
    for lead, searched, first in (
        ([1.0] * 21 + [0.0] * 19, 41, other),
        ([1.0, -1.0] * 19 + [1.0, 1.0], 41, proved),
        ([1.0, -1.0] * 19 + [1.0, 1.0], 40, other),
        ([0.0] * 40, 41, proved),
    ):
        table = ChoiceTable(asked.sampler(by_policy(luck, 0, Deadline()), Deadline()), list(asked.sets.choice(40)))
        table.known = {proved: [0.0] * 40, other: lead, third: [each - 1 for each in lead]}
        ranking = table.ranked([proved, third, other], Deadline(), proved, searched)
        assert ranking[0] == first and ranking.index(other) < ranking.index(third), (lead, searched)


def test_fresh_lines_that_are_few_do_not_outvote_a_proof_in_many(
    battle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "many.jsonl").write_text(lines(400))
    for seed in range(2, 5):
        (tmp_path / "fresh.jsonl").write_text(lines(LEFT, seed=seed))
        asked = "--against", tmp_path / "many.jsonl", "--fresh", tmp_path / "fresh.jsonl", "--engine", "model"
        found = solved(capsys, battle, *asked)
        assert (found["scenarios"], found["fresh"]["samples"]) == (400, LEFT // 2)
        assert found["status"] == "optimal" and found["proved"] is None


# ---------------------------------------------------------------- where nothing is fresh


def test_a_small_file_has_no_fresh_headline(battle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "others.jsonl").write_text(lines(DIVIDED - 1, weight=lambda number: 1 + number % 3))
    found = solved(capsys, battle, "--against", tmp_path / "others.jsonl")
    assert found["fresh"] is None and found["scenarios"] == DIVIDED - 1
    assert found["why_not_fresh"] == "nothing is fresh: 99 lines are too few to divide, it takes 100"
    assert found["parts"]["total"] == pytest.approx(found["value"], abs=1e-9)
    assert found["status"] == "optimal" and found["proved"] is None
    (tmp_path / "others.jsonl").write_text(lines(1))
    found = solved(capsys, battle, "--against", tmp_path / "others.jsonl")
    assert found["why_not_fresh"] == "nothing is fresh: 1 line is too few to divide, it takes 100"
    (tmp_path / "others.jsonl").write_text(lines(120))
    found = solved(capsys, battle, "--against", tmp_path / "others.jsonl", "--scenarios", "90")
    assert "120 lines are too few to divide, it takes 130" in found["why_not_fresh"] and found["scenarios"] == 120


def test_a_large_file_is_its_own_judge(battle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "others.jsonl").write_text(lines(120, weight=lambda number: 1 + number % 3))
    found = solved(capsys, battle, "--against", tmp_path / "others.jsonl", "--scenarios", "20")
    assert (found["scenarios"], found["fresh"]["samples"], found["why_not_fresh"]) == (20, 50, None)
    assert found["parts"]["total"] == pytest.approx(found["fresh"]["mean"], abs=1e-9)
    assert found["against"] == str(tmp_path / "others.jsonl")


def test_what_is_known_is_one_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    (world,) = PositionQuestion(game, position, 0, SolverQuestion()).sets.search(1)
    found = advise(game, world.position, 0, SolverQuestion(against="known"))
    assert (found.fresh, found.scenarios, found.status) == (None, 1, "optimal")
    assert found.why_not_fresh is not None and "this one scenario, and nothing is fresh" in found.why_not_fresh
    assert found.parts is not None and found.parts.total == pytest.approx(found.value, abs=1e-9)


def test_fresh_lines_can_be_given(battle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "few.jsonl").write_text(lines(3))
    (tmp_path / "fresh.jsonl").write_text(lines(LEFT, seed=2))
    asked = "--against", tmp_path / "few.jsonl", "--fresh"
    found = solved(capsys, battle, *asked, tmp_path / "fresh.jsonl")
    assert (found["fresh"]["samples"], found["scenarios"], found["why_not_fresh"]) == (LEFT // 2, 3, None)
    (tmp_path / "fresh.jsonl").write_text(lines(LEFT - 1, seed=2))
    found = solved(capsys, battle, *asked, tmp_path / "fresh.jsonl")
    assert found["fresh"]["samples"] == LEFT - 1 and found["status"] == "optimal", "too few to choose by"
    capsys.readouterr()
    (tmp_path / "one.jsonl").write_text(lines(1))
    for wrong, message in (
        ("nowhere.jsonl", "--fresh: there is no file `"),
        ("battle.yaml", ":1: a line is "),
        ("one.jsonl", "--fresh: one line is too few"),
    ):
        command = ["solve", str(battle), "--player", "p1", "--fresh", str(tmp_path / wrong)]
        assert cli.main(command) == 2 and message in capsys.readouterr().err


# ---------------------------------------------------------------- as many scenarios as it takes


def test_scenarios_grow_until_the_answer_is_stable() -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    question = SolverQuestion(samples=40)
    grown = advise(game, position, 0, question)
    assert grown.branches is not None and grown.scenarios == grown.branches >= 2 * AT_FIRST
    again = advise(game, position, 0, replace(question, scenarios=grown.branches))
    half = advise(game, position, 0, replace(question, scenarios=grown.branches // 2))
    assert half.answers == grown.answers

    def told(advice: Advice) -> object:
        model = advice.model
        assert model is not None and advice.report is not None
        kept = (
            advice.choices,
            advice.value,
            advice.bound,
            advice.status,
            advice.fresh,
            advice.options,
            advice.contests,
        )
        return *kept, advice.parts, advice.proved and advice.proved.choices, advice.alternatives, advice.branches

    assert told(again) == told(grown)


@pytest.mark.parametrize("slow", [True, False])
def test_it_is_repeated_however_long_the_proof_takes(slow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is so slow that the search does not grow, and one that is slow when the same is asked again."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 2)
    assert position is not None
    question, right = SolverQuestion(samples=40), best.solve

    def slower(*given: Any) -> best.Best:
        sleep(0.3)
        return right(*given)

    if slow:
        monkeypatch.setattr(best, "solve", slower)
        monkeypatch.setattr(by_model, "GROWTH", 1e9)
    grown = advise(game, position, 0, question)
    monkeypatch.setattr(best, "solve", right if slow else slower)
    again = advise(game, position, 0, replace(question, scenarios=grown.branches))
    assert grown.branches is not None and (grown.branches == AT_FIRST) == slow
    assert grown.left_out == again.left_out == () and grown.proof == again.proof
    assert again.answers == grown.answers and again.fresh == grown.fresh and again.options == grown.options
    assert (again.value, again.bound, again.alternatives) == (grown.value, grown.bound, grown.alternatives)


def test_what_the_clock_has_cut_short_is_told(luck: Game) -> None:
    """So that whoever asks again knows when the answer may be another one."""
    asked = PositionQuestion(luck, luck.initial(), 0, SolverQuestion(samples=3, seed=1))
    table = ChoiceTable(asked.sampler(by_policy(luck, 0, Deadline()), Deadline()), list(asked.sets.choice(2)))
    table.ranked([(1,), (2,)], Deadline())
    assert table.left_out(3) == ["choice: candidates were compared in 2 of 3 scenarios"] and table.left_out(2) == []


def test_who_comes_too_late_to_be_compared_leaves_the_others_as_they_are(
    luck: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer takes a second and a scenario. The second candidate has time for one of three scenarios."""
    asked, now = PositionQuestion(luck, luck.initial(), 0, SolverQuestion(samples=3, seed=1)), [0.0]
    table = ChoiceTable(asked.sampler(by_policy(luck, 0, Deadline()), Deadline()), list(asked.sets.choice(3)))
    worth = table.sampler.worth

    def slow(*given: Any) -> list[float]:
        now[0] += 1
        return worth(*given)

    monkeypatch.setattr(table.sampler, "worth", slow)
    first = table.ranked([(1,), (2,)], Deadline(60, lambda: now[0]))
    assert table.left_out(3) == [] and table.seen == 3
    assert table.ranked([*first, (8,)], Deadline(0.5, lambda: now[0])) == [*first, (8,)]
    assert table.seen == 3 and set(table.known) == set(first)
    assert table.left_out(3) == ["choice: candidates that were found last were not compared"]
    table.ranked([*first, (8,)], Deadline(60, lambda: now[0]))
    assert table.left_out(3) == [] and len(table.known[8,]) == 3


def test_in_as_many_scenarios_as_were_searched_candidates_are_compared(
    luck: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what is proved in many would give way to luck in fewer. What was compared before is not played again."""
    right, compared, played = ChoiceTable.ranked, list[tuple[int, int]](), list[int]()

    def watched(table: ChoiceTable, *given: Any) -> list[Any]:
        before = {each: len(rows) for each, rows in table.known.items()}
        ranking = right(table, *given)
        compared.append((table.seen, len(ranking)))
        played.append(sum(len(rows) - before.get(each, 0) for each, rows in table.known.items()))
        assert all(len(table.known[each]) >= table.seen for each in ranking)
        return ranking

    monkeypatch.setattr(ChoiceTable, "ranked", watched)
    asked = SolverQuestion(samples=3, engine="model")
    assert advise(luck, luck.initial(), 0, replace(asked, scenarios=20)).branches == compared[0][0] == 20
    compared, played = [], []
    grown = advise(luck, luck.initial(), 0, asked)
    assert [seen for seen, _ in compared] == sorted(seen for seen, _ in compared) and compared[-1][0] == grown.branches
    assert sum(played) <= compared[-1][0] * max(count for _, count in compared)


def test_the_command_repeats_what_it_has_recorded(battle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = solved(capsys, battle, "--samples", "20", "--seed", "4", "--scenarios", "auto", "--engine", "model")
    count = found["repeat"]["scenarios"]
    assert count == found["scenarios"] >= 2 * AT_FIRST and found["repeat"]["seed"] == 4
    again = solved(capsys, battle, "--samples", "20", "--scenarios", count, "--seed", "4", "--engine", "model")
    assert again == found


def test_there_is_no_growth_without_a_proof_or_without_time(luck: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    right = best.solve

    def unproved(*given: Any) -> best.Best:
        return replace(right(*given), status="feasible")

    monkeypatch.setattr(best, "solve", unproved)
    found = advise(luck, luck.initial(), 0, SolverQuestion(samples=4, engine=MODEL))
    assert (found.scenarios, found.status, found.proved) == (AT_FIRST, "feasible", None)
    monkeypatch.setattr(best, "solve", right)
    monkeypatch.setattr(by_model, "GROWTH", 1e9)
    assert advise(luck, luck.initial(), 0, SolverQuestion(samples=4, engine=MODEL)).scenarios == AT_FIRST
