"""Points are points: a value is told with what it is made of, and whatever is shown as a sum adds up."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.terminal.reports.explaining import explanation_lines
from chocolatl.interpreter.terminal.reports.hint import hint_lines
from chocolatl.interpreter.terminal.reports.worth import apportioned, headline, hundredths, shown_parts, split
from chocolatl.solver.advice import SAMPLING, Advice, SolverQuestion, advise, question_of
from chocolatl.solver.explanation import Explanation, Understanding
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.parts import ValueParts
from tests.advice.test_understanding import AFTER_A_CONTEST
from tests.games import loaded, write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import dealt

NUMBER = r"[+-]?\d+\.\d\d"


@pytest.fixture(scope="module")
def position(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The position that the front page solves."""
    path = tmp_path_factory.mktemp("points") / "position.yaml"
    game = ["chocolatl/three_locations", "--players", "3", "--seed", "1", "--to-round", "1", "-o", str(path)]
    assert cli.main(["deal", *game]) == 0
    return path


def solved(capsys: pytest.CaptureFixture[str], position: Path, *more: str) -> str:
    capsys.readouterr()
    assert cli.main(["solve", str(position), "--player", "p1", "--scenarios", "2", "--samples", "23", *more]) == 0
    return capsys.readouterr().out


# ---------------------------------------------------------------- numbers


def test_parts_are_rounded_so_that_they_add_up() -> None:
    assert apportioned(100, [1 / 3, 1 / 3, 1 / 3]) == [34, 33, 33]
    assert hundredths(110.86500000000001) == hundredths(110.86499999999998), "a mean, and the sum of its parts"
    assert apportioned(0, [0.005, -0.005]) == [1, -1]
    assert apportioned(0, []) == []
    numbers = random.Random(7)
    for _ in range(500):
        parts = [numbers.uniform(-5, 5) * numbers.choice([0, 0.001, 1]) for _ in range(numbers.randrange(1, 9))]
        found = apportioned(round(100 * sum(parts)), parts)
        assert sum(found) == round(100 * sum(parts))
        assert all(abs(shown - 100 * part) < 1 + 1e-6 for shown, part in zip(found, parts, strict=True))


def test_what_is_shown_of_a_value_adds_up_at_every_level() -> None:
    numbers = random.Random(8)
    for _ in range(300):
        contests = {str(n): numbers.uniform(-2, 2) for n in range(numbers.randrange(4))}
        holdings = {str(n): numbers.uniform(0, 9) for n in range(numbers.randrange(4))}
        shown = shown_parts(ValueParts(contests, numbers.choice([0.0, 1 / 3]), holdings))
        assert shown.total == shown.by_contests + shown.elsewhere + shown.held
        assert sum(shown.contests.values()) == shown.by_contests and sum(shown.holdings.values()) == shown.held


def test_a_value_of_points_alone_needs_no_sum() -> None:
    assert split(ValueParts({}, 3.0, {})) == ""
    assert split(ValueParts({}, 3.0, {"wood": 1.0})) == " = 3.00 points + 1.00 held afterwards (wood 1.00)"
    expected = " = 2.00 points by contests - 3.00 elsewhere + 0.00 held afterwards"
    assert split(ValueParts({"field": 2.0}, -3.0, {"wood": 0.0})) == expected


# ---------------------------------------------------------------- contests


def test_what_no_contest_pays_is_elsewhere(tmp_path: Path) -> None:
    game = loaded(write_game(tmp_path, AFTER_A_CONTEST), 2)
    found = advise(game, game.initial(), 0, SolverQuestion(scenarios=2, samples=6))
    assert found.parts is not None and found.fresh is not None
    assert found.parts.elsewhere == 20 and set(found.parts.contests) == {"bidders", "others"}
    assert found.parts.total == pytest.approx(found.fresh.mean, abs=1e-9)


# ---------------------------------------------------------------- one pass for all that is shown


@pytest.mark.parametrize("engine", ["auto", "sampling"])
def test_the_parts_add_up_to_the_headline(engine: str, position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(solved(capsys, position, "--json", "--engine", engine))
    parts = found["parts"]
    assert parts["total"] == pytest.approx(found["fresh"]["mean"], abs=1e-9)
    added = sum(parts["contests"].values()) + parts["elsewhere"] + sum(parts["holdings"].values())
    assert added == pytest.approx(found["fresh"]["mean"], abs=1e-9)
    assert parts["contests"] == {contest["name"]: contest["points"] for contest in found["by_contest"]}
    assert {"hut", "stone", "pip_in_hand"} <= set(parts["holdings"]) and parts["holdings"]["pip_in_hand"] > 5
    assert found["options"][0]["mean"] == found["fresh"]["mean"] and found["options"][0]["behind"]["mean"] == 0


def test_the_numbers_on_the_screen_add_up(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the column, and those of the sentence, in hundredths; and they are the same numbers."""
    out = solved(capsys, position)
    table = out[out.index("contest ") : out.index("proved")]
    rows = [round(100 * float(n)) for n in re.findall(rf"^.*?({NUMBER}) ", table + " ", re.MULTILINE)]
    *parts, total = rows
    assert len(parts) >= 5 and sum(parts) == total
    words = " ".join(out.split())
    said = re.search(rf"worth ({NUMBER}) ± {NUMBER} in 23 fresh scenarios against random players = ([^)]*\))", words)
    assert said is not None and round(100 * float(said[1])) == total
    terms, items = re.fullmatch(r"(.*) \((.*)\)", said[2]).groups()  # type: ignore[union-attr]
    numbers = [round(100 * float(n)) for n in re.findall(NUMBER, terms)]
    assert re.sub(NUMBER, "#", terms) == "# points by contests + # elsewhere + # held afterwards"
    assert sum(numbers) == total
    assert sum(round(100 * float(n)) for n in re.findall(NUMBER, items)) == numbers[2]


@pytest.mark.parametrize("objective", ["margin", "win"])
def test_other_objectives_have_no_parts_and_say_so(
    objective: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "battle.yaml"
    assert cli.main(["deal", "blotto", "--players", "2", "--seed", "1", "-o", str(path)]) == 0
    out = " ".join(solved(capsys, path, "--objective", objective).split())
    assert {"margin": "a margin is no sum of parts", "win": "victories are no sum of parts"}[objective] in out
    assert "elsewhere" not in out and "held" not in out and " = " not in out
    assert json.loads(solved(capsys, path, "--objective", objective, "--json"))["parts"] is None


def test_table_and_drawing_are_about_the_same_scenarios(
    position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "bids.svg"
    found = json.loads(solved(capsys, position, "--json", "--plot", str(picture)))
    text = picture.read_text(encoding="utf-8")
    drawn = re.findall(rf"first in (\d+)%, ({NUMBER}) points<", text)
    assert [f"{contest['first']:.0%}" for contest in found["by_contest"]] == [f"{first}%" for first, _ in drawn]
    worth = re.search(rf"worth {NUMBER} ± {NUMBER} in 23 fresh scenarios[^=]*= ({NUMBER}) points by contests", text)
    assert worth is not None
    assert sum(round(100 * float(points)) for _, points in drawn) == round(100 * float(worth[1]))


# ---------------------------------------------------------------- explanations and hints


def test_an_explanation_adds_up_to_what_an_option_is_behind() -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    question = SolverQuestion(scenarios=2, samples=30, seed=3, valuation=valuation_of(game))
    advice = advise(game, position, 0, question)
    assert advice.runner_up is not None
    found = Understanding(game, position, 0, question, advice).explanation(advice.runner_up)
    assert found.ahead == pytest.approx(advice.runner_up.behind)
    assert sum(d.gain for d in found.differences) + found.rest + sum(found.holdings.values()) == pytest.approx(
        found.ahead.mean, abs=1e-9
    )
    first, *lines = explanation_lines(found)
    ahead = re.search(rf"({NUMBER}) ± {NUMBER} points (ahead of|behind) the runner-up", first)
    assert ahead is not None
    signed = round(100 * float(ahead[1])) * (1 if ahead[2] == "ahead of" else -1)
    assert sum(round(100 * float(re.findall(NUMBER, line)[-1])) for line in lines) == signed


def test_words_of_an_explanation_of_level_answers() -> None:
    level = Explanation((("bid", 1),), "points", Estimate(0.0, 0.1, 9), (), 0.5, {"wood": -0.5}, "in 9 scenarios")
    assert explanation_lines(level) == [
        "in 9 scenarios the chosen answer is level with the runner-up, bid 1:",
        "- points that no contest pays: +0.50 points",
        "- held afterwards, wood: -0.50 points",
    ]


def test_a_hint_tells_points_from_what_is_held() -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    question = question_of(game, work=0.02)
    found = advise(game, position, 0, question)
    assert found.parts is not None and found.fresh is not None
    assert found.parts.total == pytest.approx(found.fresh.mean, abs=1e-9)
    *told, line, until, whom, unseen, one, other = hint_lines(game, position, 0, question, found)
    assert whom.startswith("against random players: the policy beside the game is for other rules")
    assert unseen == "what lies unseen: drawn evenly"
    assert len(told) == len(found.answers) and told[0].startswith("Which cards do you lay at the ")
    assert until == "counted until the end of the round" and line == headline(found, "points")
    said = re.search(rf"worth ({NUMBER}) ± {NUMBER} in 200 fresh scenarios [a-z ]+ = (.*) \((.*)\)$", line)
    assert said is not None and re.sub(NUMBER, "#", said[2]) == "# points by contests + # elsewhere + # held afterwards"
    assert round(100 * float(said[1])) == sum(round(100 * float(n)) for n in re.findall(NUMBER, said[2]))
    assert all(re.search(rf"^or: .*: {NUMBER} ± {NUMBER} (less|more)$", each) for each in (one, other))


def test_a_report_by_sampling_is_that_of_native_code() -> None:
    """What is told with a log is played by the interpreter, what it is compared with by whoever is faster."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 2)
    assert position is not None
    question = SolverQuestion(samples=20, seed=5, engine=SAMPLING, valuation=valuation_of(game))
    found: Advice = advise(game, position, 0, question)
    assert found.report is not None
    sampler = found.report.sampler
    for each in found.report.played:
        assert sampler.worth(each.scenario, sampler.run.ends(each.scenario, [found.answers])) == [each.worth]
