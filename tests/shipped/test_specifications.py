"""Every game as its specification has it: each number and ruling is data, each worked example is a scenario, each
alternative can be set and makes a difference.

That the scenarios hold, and that a changed number in any of them fails, is shown for all games in `test_scenarios.py`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.scenario import load_scenario
from chocolatl.interpreter.testing.scenario_run import run_scenario
from tests.shipped.specifications import SPECIFICATIONS, Specification

every_game = pytest.mark.parametrize("game", SPECIFICATIONS, ids=str)


@cache
def content(path: Path) -> dict[str, Any]:
    value = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


# ---------------------------------------------------------------- numbers and rulings are data


@every_game
def test_every_ruling_has_its_parameter_with_the_default_and_the_alternatives(game: Specification) -> None:
    for name, (default, *alternatives) in game.rulings.items():
        entry = game.declared[name]
        assert entry["value"] == default and type(entry["value"]) is type(default), name
        options = entry.get("options", [True, False])
        assert sorted(map(repr, options)) == sorted(map(repr, [default, *alternatives])), name


@every_game
def test_every_printed_number_is_a_parameter_or_a_table(game: Specification) -> None:
    assert {name: game.declared[name]["value"] for name in game.printed} == game.printed


@every_game
def test_each_says_what_it_is_where_it_comes_from_and_how_sure_that_is(game: Specification) -> None:
    for name, entry in game.declared.items():
        assert all(entry.get(key) for key in ("about", "source", "confidence")), name


@every_game
def test_each_ruling_is_cited_where_it_is_decided(game: Specification) -> None:
    wanted = {f"R-{number:02}" for number in range(1, game.cited + 1)}
    in_data = {found for entry in game.declared.values() for found in re.findall(r"R-\d\d", entry["source"])}
    in_rules = set(re.findall(r"R-\d\d", (game.folder / f"{game}.rules").read_text(encoding="utf-8")))
    assert in_data == wanted - set(game.without_parameter)
    assert set(game.without_parameter) <= in_rules


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in SPECIFICATIONS for name in game.rulings if name not in game.open_rulings],
    ids=str,
)
def test_a_ruling_without_alternatives_refuses_anything_else(game: Specification, name: str) -> None:
    findings = Findings()
    assert load_game(game.folder, findings, settings={name: "otherwise"}) is None
    (default,) = game.rulings[name]
    (message,) = [found.message.replace("`", "") for found in findings.items]
    shown = "null" if default is None else str(default).lower()
    assert message == f"{name} cannot be the text otherwise; it is always {shown}"


@every_game
def test_the_rules_are_short(game: Specification) -> None:
    lines = (game.folder / f"{game}.rules").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip() and not line.lstrip().startswith("#")]) < game.lines


@pytest.mark.parametrize(
    "path", [path for game in SPECIFICATIONS for path in (game.folder, *game.variants)], ids=lambda path: path.stem
)
def test_game_and_variants_have_no_findings(path: Path) -> None:
    findings = Findings()
    check(path, findings)
    assert findings.items == []


# ---------------------------------------------------------------- worked examples and alternatives are scenarios


@pytest.mark.parametrize(
    ("game", "example"), [(game, example) for game in SPECIFICATIONS for example in game.examples], ids=str
)
def test_a_worked_example_is_a_scenario(game: Specification, example: str) -> None:
    in_file_names = re.sub(r"[^a-z0-9]+", "-", example.lower()).strip("-")
    named = [path for path in game.scenarios if content(path)["name"].startswith(f"{example} ")]
    assert named
    assert all(path.name.startswith(f"{in_file_names}-") for path in named)


@every_game
def test_no_scenario_names_an_example_that_does_not_exist(game: Specification) -> None:
    rulings = {f"R-{number:02}" for number in range(1, game.cited + 1)}
    for path in game.scenarios:
        found = re.match(r"[A-Z]{1,2}-\d+|10\.\d \(\w+\)", content(path)["name"])
        assert found is None or found[0] in {*game.examples, *rulings}, path.name


@pytest.mark.parametrize(
    ("game", "name", "value"), [(game, *pair) for game in SPECIFICATIONS for pair in game.alternatives], ids=str
)
def test_an_alternative_has_a_scenario_that_fails_under_the_default(
    game: Specification, name: str, value: Any, tmp_path: Path
) -> None:
    failing = []
    for path in game.scenarios:
        scenario = content(path)
        if name in scenario.get("set", {}) and scenario["set"][name] == value:
            rest = {key: part for key, part in scenario["set"].items() if key != name}
            (tmp_path / path.name).write_text(json.dumps({**scenario, "set": rest}), encoding="utf-8")
            changed = load_scenario(tmp_path / path.name, Findings())
            # Without the alternative a choice that it brings along may not even exist.
            if changed is None or run_scenario(changed):
                failing.append(path.name)
    assert failing
