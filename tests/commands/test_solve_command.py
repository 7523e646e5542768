"""`chocolatl solve`: what it prints, and what it says when it cannot."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.commands import solve
from chocolatl.interpreter.commands.shared.question import option_of
from chocolatl.interpreter.data.schema import problems
from chocolatl.solver.advice import SolverQuestion
from chocolatl.solver.worth.refusals import QuestionPart, QuestionSetting
from tests.conftest import ROOT


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def position(tmp_path: Path) -> Path:
    """Two colonels before they divide their coins."""
    path = tmp_path / "position.yaml"
    assert cli.main(["deal", "blotto", "--players", "2", "--seed", "1", "-o", str(path)]) == 0
    return path


def line(second: int, third: int, weight: int = 1) -> str:
    choices = [
        {"player": "p2", "choice": f"troops[{field}]", "value": value}
        for field, value in ((1, 10 - second - third), (2, second), (3, third))
    ]
    return json.dumps({"weight": weight, "choices": choices}) + "\n"


# ---------------------------------------------------------------- answers


def test_the_answer_for_people(position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "others.jsonl").write_text(line(0, 0, weight=2) + line(5, 5))
    code, out, err = run(capsys, "solve", position, "--player", "p1", "--against", tmp_path / "others.jsonl")
    assert (code, err) == (0, "")
    words = re.sub(r"\s+", " ", out)
    assert words.startswith("Colonel Blotto: the best answer of p1 choice answer")
    assert "armies (1)" in words and "contest laid bid first second last points margin one more" in words
    assert "worth 2.00 in these 2 scenarios = 2.00 points by contests + 0.00 elsewhere" in words
    assert (
        "proved: the best of all answers in these 2 scenarios (value 2.000 there), if later decisions are made so: "
        "the first legal answer" in words
    )
    assert "nothing is fresh: 2 lines are too few to divide, it takes 100" in words
    assert words.count("troops[3]") >= 3 and "\x1b" not in out  # the answer, and others that are compared


def test_the_answer_for_programs(position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "others.jsonl").write_text(line(0, 0, weight=3) + "\n" + line(10, 0))
    against = ("--against", tmp_path / "others.jsonl")
    code, out, err = run(capsys, "solve", position, "--player", "p1", *against, "--objective", "margin", "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    assert problems(found, "solve_results") == []
    known = json.loads((ROOT / "schemas/solve_results.schema.json").read_text())["properties"]
    assert set(found) == set(known) - {"file"}, "which is told of several"
    assert found["player"] == "p1" and found["objective"] == "margin" and found["scenarios"] == 2
    assert found["status"] == "optimal" and found["gap"] == 0 and found["bound"] == found["value"]
    assert [choice["choice"] for choice in found["choices"]] == ["troops[1]", "troops[2]", "troops[3]"]
    assert sum(choice["value"] for choice in found["choices"]) == 10
    # Against everything on field 1: two fields, and one is lost. Against everything on field 2 the same, if field 1
    # was not left empty.
    assert found["value"] == 1
    assert len(found["by_contest"]) == 3 and len(found["alternatives"]) == 1, "which wins something else"
    assert found["fresh"] is None and "2 lines are too few to divide, it takes 100" in found["why_not_fresh"]
    assert found["parts"] is None, "a margin has none"
    assert (found["against"], found["proved"]) == (str(tmp_path / "others.jsonl"), None)


def test_what_was_laid_and_what_one_more_would_be_worth(
    position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field goes to whoever has more there, and to nobody if both have the same."""
    others = [((2, 5, 3), 2), ((4, 1, 5), 1), ((4, 0, 6), 1)]
    (tmp_path / "others.jsonl").write_text("".join(line(b, c, weight) for (_, b, c), weight in others))
    against = ("--against", tmp_path / "others.jsonl")
    found = json.loads(run(capsys, "solve", position, "--player", "p1", *against, "--json")[1])
    mine = [choice["value"] for choice in found["choices"]]
    assert [contest["laid"] for contest in found["by_contest"]] == mine
    for field, contest in enumerate(found["by_contest"]):
        gained = [w * ((mine[field] + 1 > o[field]) - (mine[field] > o[field])) for o, w in others]
        assert contest["one_more"] == contest["one_more_points"] == pytest.approx(sum(gained) / 4)
    assert any(contest["one_more"] for contest in found["by_contest"])


def test_the_same_seed_gives_the_same_answer(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _ in range(2):
        answer = json.loads(run(capsys, "solve", position, "--player", "p2", "--seed", 7, "--json")[1])
        answer.pop("seconds")
        found.append(answer)
    assert found[0] == found[1]


def test_an_idea_is_compared_with_the_best_answer(
    position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against everything on the first field, 5 coins on each other one win two fields, and 10 on the second win one."""
    (tmp_path / "others.jsonl").write_text(line(0, 0))
    asked = ("solve", position, "--player", "p1", "--against", tmp_path / "others.jsonl", "--compare")
    idea = ("troops[3]=0", "troops[1]=0", "troops[2]=10")
    found = json.loads(run(capsys, *asked, *idea, "--json")[1])
    assert problems(found, "solve_results") == []
    assert [choice["value"] for choice in found["compared"]["choices"]] == [0, 10, 0]
    assert (found["value"], found["compared"]["mean"], found["compared"]["behind"]["mean"]) == (2, 1, 1)
    out = re.sub(r"\s+", " ", run(capsys, *asked, *idea)[1])
    assert "your idea, troops[1] 0, troops[2] 10, troops[3] 0: 1.00 ± 0.00, 1.00 ± 0.00 behind the best answer" in out


def test_the_rest_of_an_idea_is_found(position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing on the first field, and 8 on the second, 2 are left."""
    (tmp_path / "others.jsonl").write_text(line(0, 0))
    asked = ("solve", position, "--player", "p1", "--against", tmp_path / "others.jsonl", "--compare", "troops[2]=8")
    found = json.loads(run(capsys, *asked, "--json")[1])
    assert problems(found, "solve_results") == []
    compared = found["compared"]
    assert [choice["value"] for choice in compared["choices"]] == [0, 8, 2] or compared["mean"] == 2
    assert (compared["given"], compared["rest"], compared["behind"]["mean"]) == (["troops[2]"], "optimal", 0)
    out = re.sub(r"\s+", " ", run(capsys, *asked)[1])
    assert re.search(
        r"your idea, troops\[2\] 8, with the best rest \(troops\[1\] \d, troops\[3\] \d\): 2.00 ± 0.00, as good", out
    )


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "p9"], "--player: there is no player `p9` (they are: p1, p2)"),
        (["--player", "p1", "--scenarios", "0"], "--scenarios: at least 1 is needed; found 0"),
        (["--player", "p1", "--scenarios", "-3"], "--scenarios: at least 1 is needed; found -3"),
        (["--player", "p1", "--samples", "1"], "--samples: at least 2 are needed; found 1"),
        (["--player", "p1", "--engine", "magic"], "--engine is auto, model, enumeration, sampling, exact; found magic"),
        (["--player", "p1", "--compare", "troops"], "--compare: an answer is written CHOICE=VALUE"),
        (["--player", "p1", "--compare", "troops[1]=1", "troops[1]=2"], "`troops[1]` is answered twice"),
        (["--player", "p1", "--compare", "troops=1"], "--compare: p1 is not asked `troops` here; did you mean"),
        (["--player", "p1", "--compare", "troops[1]=x"], "--compare: `troops[1]`: "),
        (
            ["--player", "p1", "--compare", "troops[1]=9", "troops[2]=2", "troops[3]=0"],
            "--compare: p1 cannot answer `troops[2]` with 2",
        ),
        (
            ["--player", "p1", "--compare", "troops[1]=9", "troops[2]=1", "troops[3]=0", "bid=1"],
            "--compare: p1 is not asked `bid` here",
        ),
        (["--player", "p1", "--time-limit", "0"], "--time-limit: more than 0 seconds are needed; found 0"),
        (["--player", "p1", "--time-limit", "nan"], "--time-limit: more than 0 seconds are needed; found nan"),
        (["--player", "p1", "--objective", "fun"], "--objective is points, margin, win, win:half; found fun"),
        (["--player", "p1", "--valuation", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (
            ["--player", "p1", "--against", "known"],
            "the position does not say what p2 will answer, which `--against known` needs; `--against random` reckons "
            "with anything",
        ),
        (
            ["--player", "p1", "--against", "gredy"],
            "--against is known, random, greedy, learned or a file; there is no file `gredy`; did you mean `greedy`?",
        ),
        (
            ["--player", "p1", "--against", "greedy", "--engine", "exact"],
            "--engine exact: it has to be known how likely the others answer what, as of `--against random` or "
            "`--against learned`",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(run(capsys, "solve", position, *arguments), message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no scenario"),
        ("not json\n", ':1: a line is {"weight": 1, "choices": [...]} in JSON'),
        ("\n[1]\n", ':2: a line is {"weight": 1, "choices": [...]} in JSON'),
        ('{"choices": 3}\n', ":1: `choices` is a list"),
        ('{"weight": 0, "choices": []}\n', ":1: the weight is 0, and a whole number from 1 on is needed"),
        ('{"weight": true, "choices": []}\n', ":1: the weight is True, and a whole number from 1 on is needed"),
        ('{"choices": []}\n', ":1: not all others answer"),
        ('{"choices": [5]}\n', ":1: a choice has `player`, `choice` and `value`"),
        ('{"choices": [{"player": "p2", "choice": "troops[2]", "value": 1}]}', ":1: p2 is not asked `troops[2]` here"),
        ('{"choices": [{"player": "p2", "choice": "troops[1]", "value": 11}]}', ":1: 11 is not a number from 0 to 10"),
        (line(9, 9).replace("-8", "1"), ":1: p2 cannot answer `troops[3]` with 9"),
        ('{"choices": [{"player": "p2", "choice": "troops[1]", "value": "x"}]}', ":1: "),
        ('{"choices": [{"player": "p1", "choice": "troops[1]", "value": 1}]}', ":1: what p1 answers is sought"),
    ],
)
def test_a_broken_file(
    content: str, message: str, position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "others.jsonl"
    path.write_text(content)
    assert_refused(run(capsys, "solve", position, "--player", "p1", "--against", path), message)


def test_each_part_of_a_question_that_is_refused_is_an_option() -> None:
    parser = argparse.ArgumentParser()
    solve.configure(parser)
    for part in QuestionPart:
        assert part.value in {field.name for field in fields(SolverQuestion)}
        option = option_of(QuestionSetting(part))
        assert option in parser.format_help() and option_of(QuestionSetting(part, "x")) == f"{option} x"


def test_a_file_that_is_no_text(position: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "others.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    assert_refused(run(capsys, "solve", position, "--player", "p1", "--against", path), "cannot be read as text")


def assert_refused(found: tuple[int, str, str], message: str) -> None:
    """One line on standard error, and nothing else."""
    code, out, err = found
    assert (code, out) == (2, "")
    assert message in err and err.startswith("chocolatl: ") and err.count("\n") == 1


def test_it_is_not_the_players_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "position.yaml"
    run(capsys, "deal", "kuhn_poker", "--players", 2, "--seed", 1, "-o", path)
    who = re.search(r"pending: \[\{player: (p\d)", path.read_text(encoding="utf-8"))
    assert who is not None
    other = {"p1": "p2", "p2": "p1"}[who[1]]
    message = f"{other} has nothing to decide in this position; {who[1]} can"
    assert_refused(run(capsys, "solve", path, "--player", other), message)


def test_a_rule_that_no_model_can_be_made_of_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "position.yaml"
    run(capsys, "deal", "cacao", "--players", 2, "--seed", 1, "-o", path)
    found = run(capsys, "solve", path, "--player", "p1", "--scenarios", 1, "--engine", "model")
    assert_refused(found, "a set of values with a limit has no form in a model")
    assert re.search(r"cacao\.rules:\d+:\d+: no model can be made of this rule: ", found[2])
    code, out, _ = run(capsys, "solve", path, "--player", "p1", "--samples", 2, "--json")
    answer = json.loads(out)
    assert code == 0 and problems(answer, "solve_results") == []
    assert answer["engine"] == "sampling" and answer["bound"] is None and answer["status"] == "feasible"
    assert re.search(r"cacao\.rules:\d+:\d+: a set of values with a limit", answer["why_no_model"])


def test_winning_is_not_asked_before_the_last_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "position.yaml"
    run(capsys, "deal", "goofspiel", "--players", 2, "--seed", 1, "-o", path)
    found = run(capsys, "solve", path, "--player", "p1", "--objective", "win")
    assert_refused(found, "`--objective win` has no meaning yet")


def test_a_position_that_breaks_the_rules(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position.write_text(position.read_text(encoding="utf-8").replace("left: 10", "left: 99", 1), encoding="utf-8")
    code, out, err = run(capsys, "solve", position, "--player", "p1")
    assert code == 2 and out == "" and "99" in err and "Traceback" not in err


def test_no_answer_in_the_time(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "solve", position, "--player", "p1", "--time-limit", "1e-9")
    assert (code, out) == (1, "") and err.count("\n") == 1 and "no answer was found in the time" in err
