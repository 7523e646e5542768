"""What a policy likes to do: shares that add up, beside those of chance, in words, as JSON and as a picture."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.policy_file import write_section
from chocolatl.interpreter.formats.policy_weights import weights_section
from chocolatl.interpreter.learning.leanings import Leaning, leanings_of_weights
from chocolatl.interpreter.policy.weights import uniform_weights
from chocolatl.interpreter.terminal.reports.leanings import drawn, sentence, words
from tests.conftest import ROOT, base_seed
from tests.learning.learners import GAMES, learner_of, tracer

KUHN = str(rules_folder() / "kuhn_poker" / "policy.yaml")


@pytest.mark.parametrize("name", GAMES)
def test_without_weights_nothing_is_liked_more_than_by_chance(name: str) -> None:
    """Of every game: what chance would do is what a policy without weights does, up to chance."""
    game, form, scales = learner_of(name)
    games = 2 if name == "quetzal" else 60
    trace = tracer(game, form)
    found = leanings_of_weights(game, uniform_weights(form, scales), trace, base_seed(), games)
    assert found and {each.choice for each in found} <= {table.name for table in form.tables}
    for each in found:
        assert each.times > 0 and (each.evenly or each.terms)
        if each.evenly:
            assert sum(each.given.values()) == pytest.approx(each.times)
            assert sum(each.evenly.values()) == pytest.approx(each.times)
        for answer, given, evenly in each.shares():
            spread = (evenly * (1 - evenly) / each.times) ** 0.5
            assert abs(given - evenly) <= 6 * spread + 3 / each.times, (each.choice, each.round, answer)


def leaning() -> Leaning:
    made = Leaning("bid", 2, 100)
    made.given |= {"1": 70.0, "2": 30.0, "3": 0.0}
    made.evenly |= {"1": 40.0, "2": 30.0, "3": 30.0}
    return made


def test_what_is_liked_and_what_is_not() -> None:
    assert sentence(leaning()) == "likes 1 (70 %, by chance 40 %); avoids 3 (0 %, by chance 30 %)"
    joint = Leaning("place", 1, 10, terms={"it.value": 0.8, "it is me": -0.3, "x": 0.01})
    assert sentence(joint) == "more it.value (+0.8 deviations), less it is me (-0.3 deviations)"
    assert sentence(Leaning("place", 1, 10, terms={"x": 0.01})) == "nothing more than chance would"
    assert list(words([leaning(), joint], True))[::2] == ["bid", "place"]
    assert [next(islice(words([leaning()], rounds), 1, None)).split(",")[0] for rounds in (True, False)] == [
        "  round 2",
        "  stretch 3",
    ]


def test_a_picture_is_drawn() -> None:
    """A cell for each answer; of a joint choice one for each term that tells something, of two colours."""
    other = leaning()
    other.choice = "a < b & c"
    joint = Leaning("place", 1, 10, terms={"it.value": 0.8, "it is me": -0.3, "x": 0.01})
    root = ElementTree.fromstring(
        drawn("A <title> that is a good deal longer than what is drawn", [leaning(), other, joint], True)
    )
    cells = {each[0].text: each for each in root.iter() if each.tag.endswith("rect") and len(each)}
    assert "1: 70.0 %, by chance 40.0 %" in cells and len(cells) == 3 + 2, "two choices have the same answers"
    more, less = (
        [int(part) for part in str(cells[text].get("fill"))[4:-1].split(",")]
        for text in ("it.value: +0.8 deviations", "it is me: -0.3 deviations")
    )
    assert more[0] > more[2] and less[0] < less[2]
    width = int(str(root.get("viewBox")).split()[2])
    assert width > 7 * max(len(str(each.text)) for each in root.iter() if each.tag.endswith("text"))


def test_a_policy_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "kuhn.svg"
    assert cli.main(["train", "--explain", KUHN, "--plot", str(picture)]) == 0
    told = capsys.readouterr().out
    assert "best responses gain 0.0002 against the table" in told and "likes pass (6" in told
    assert "  p1, staked 2, hand of p1 [1]: pass 81 %, bet 19 %" in told, "each state of a small table"
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert cli.main(["train", "--explain", KUHN, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "schemas" / "policy_results.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(told)
    action = told["policies"][0]["leanings"][0]
    assert action["choice"] == "action" and sum(each["share"] for each in action["answers"]) == pytest.approx(1)


def test_weights_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, form, scales = learner_of("kuhn_poker")
    section = {"rules": game.files.rules_hash, "recipe": {"method": "league"}}
    file = tmp_path / "policy.yaml"
    write_section(file, game, {**section, **weights_section(uniform_weights(form, scales))})
    assert cli.main(["train", "--explain", str(file), "--players", "3"]) == 0
    assert "was not measured" in (out := capsys.readouterr().out) and "action" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plot", "x.svg"), "--plot goes with --explain"),
        (("--explain", "none.yaml"), "none.yaml"),
        (("--explain", KUHN, "--players", "4"), "for 2 players, not for 4"),
        (("goofspiel", "--explain", KUHN), "a policy for `kuhn_poker`, not for `goofspiel`"),
        (("kuhn_poker/misere", "--explain", KUHN), "learned for other rules"),
    ],
)
def test_what_cannot_be_explained(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err
