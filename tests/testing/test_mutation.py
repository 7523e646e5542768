"""`chocolatl mutate`: what is changed, what is killed, and what is said of the survivors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.data.load import load_document
from chocolatl.interpreter.data.strict_yaml import load as yaml_document
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import make_source, read_source
from chocolatl.interpreter.testing.mutants import data_mutants, rule_mutants
from chocolatl.interpreter.testing.mutation import BY_CHECK, SAME, SURVIVED, mutate
from tests.conftest import ROOT, Evidence, scaled
from tests.testing.test_scenarios import write
from tests.testing.test_suite import CASE, DATA, GAME

NUMBER_OR_COMPARISON = re.compile(r"\b\d+\b|[<>]|\bis\b")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "branching"
    (place / "scenarios").mkdir(parents=True)
    write(place / "game.yaml", DATA)
    write(place / "branching.rules", GAME)
    write(place / "scenarios" / "high.yaml", CASE)
    return place


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_every_line_with_a_number_or_comparison_has_three_mutants(name: str) -> None:
    source = read_source(find_game(name) / f"{name}.rules")
    mutants = list(rule_mutants(source))
    for number, line in enumerate(source.text.split("\n"), start=1):
        code = re.sub(r'"[^"]*"|#.*', "", line)
        if NUMBER_OR_COMPARISON.search(code):
            assert sum(mutant.line == number for mutant in mutants) >= 3, line


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_every_line_of_data_with_a_number_has_three_mutants(name: str) -> None:
    document = load_document(find_game(name) / "game.yaml", "game", Findings())
    assert document is not None
    mutants = list(data_mutants(document))
    data = re.compile(r"    (value|kinds): .*(?<![\w.])-?\d|      - .*(?<![\w-])\d|players: ")
    lines = document.source.text.split("\n")
    numbered = [number for number, line in enumerate(lines, start=1) if data.match(line)]
    assert numbered
    for number in numbered:
        assert sum(mutant.line == number for mutant in mutants) >= 3, lines[number - 1]
    for mutant in mutants:
        changed = mutant.text().split("\n")
        assert [n for n, (a, b) in enumerate(zip(lines, changed, strict=True), start=1) if a != b] == [mutant.line]


def test_an_option_becomes_another_one_and_a_word_one_of_its_list() -> None:
    text = """\
kind: game
format: 1
players: {min: 2, max: 4}
parameters:
  order: {value: up, options: [up, down], about: from 1 to 2}
  open: {value: true}
tables:
  colours: {value: [red, red, blue]}
components:
  card: {kinds: {value: 1..12}}
"""
    document = yaml_document(make_source("game.yaml", text), Findings())
    assert document is not None
    found = [(m.line, m.old, m.new) for m in data_mutants(document) if m.line > 3]
    assert found == [
        (5, "up", "down"), (6, "true", "false"), (8, "red", "blue"), (8, "red", "blue"), (8, "blue", "red"),
        (10, "1", "2"), (10, "1", "0"), (10, "1", "3"), (10, "12", "13"), (10, "12", "11"), (10, "12", "0"),
    ]  # fmt: skip


def test_a_mutant_changes_one_place_and_no_comment_or_text() -> None:
    source = make_source("x.rules", 'play\n    do less("3 > 2")   # 3 > 2\n    a becomes b + 1\n')
    assert {(m.line, m.old, m.new) for m in rule_mutants(source)} == {
        (2, "do less(       )", "nothing"), (3, "a becomes b + 1", "nothing"), (3, "+", "-"),
        (3, "1", "2"), (3, "1", "0"), (3, "1", "3"),
    }  # fmt: skip
    assert [m.text().split("\n")[2] for m in rule_mutants(source) if m.old == "+"] == ["    a becomes b - 1"]


def test_what_scenarios_notice_is_killed_and_the_rest_survives(folder: Path) -> None:
    fates = {(v.mutant.line, v.mutant.old, v.mutant.new): v.fate for v in mutate(folder)}
    lines = GAME.split("\n")
    after = lines.index("        total becomes total + 1") + 1
    assert fates[after, "total becomes total + 1", "nothing"] == "scenarios/high.yaml"
    assert fates[after, "+", "-"] == "scenarios/high.yaml"
    low = lines.index("        total becomes total - 1") + 1
    assert fates[low, "-", "+"] == SURVIVED  # no scenario has a low number
    assert BY_CHECK in fates.values()
    assert all(v.mutant.span.source.name.startswith(str(folder)) for v in mutate(folder, sample=3))
    assert (folder / "branching.rules").read_text() == GAME


def test_a_mutant_with_the_same_ir_is_none(folder: Path) -> None:
    """`2 > 1` is folded away; places and numbers of locals differ in the code of a mutant, and nothing else may."""
    text = GAME.replace("total becomes total + 1", "total becomes total + (1 if 2 > 1 else 2)")
    write(folder / "branching.rules", text)
    line = text.split("\n").index("        total becomes total + (1 if 2 > 1 else 2)") + 1
    fates = {(v.mutant.old, v.mutant.new): v.fate for v in mutate(folder) if v.mutant.line == line}
    assert fates[">", ">="] == SAME and fates[">", "<"] == "scenarios/high.yaml"
    assert {key for key, fate in fates.items() if fate == SAME and key[0] == ">"} == {(">", ">=")}


def test_a_value_that_is_worked_out_beforehand_is_noticed_where_it_is_used(folder: Path) -> None:
    """No line of it runs: the number stands in the statement that reads it."""
    write(folder / "branching.rules", GAME.replace("+ 1\n", "+ step\n") + "\nvalue step = 1\n")
    fates = {
        v.mutant.new: v.fate for v in mutate(folder) if v.mutant.span.source.line(v.mutant.line) == "value step = 1"
    }
    assert fates == {"2": "scenarios/high.yaml", "0": "scenarios/high.yaml", "3": "scenarios/high.yaml"}


def test_the_command_lists_survivors_with_a_stub(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mutate", str(folder), "--jobs", "2"]) == 1
    out = capsys.readouterr().out
    assert "start: {procedure: count, with: {amount: ?}}" in out and "no scenario noticed" in out
    assert cli.main(["mutate", str(folder), "--at-least", "1", "--json", "--sample", "30", "--seed", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mutants"] - found["killed"] == len(found["survivors"])


# ---------------------------------------------------------------- the shipped board games

SHARES = {"chocolatl": 90, "cacao": 85, "quetzal": 85}
"""Per cent of the mutants that have to be killed, at least."""
ROW = re.compile(r"\| `(.+?)` \| (`.+?`(?:, `.+?`)*) \| .+ \|")


def explained(name: str) -> list[tuple[str, list[str]]]:
    """What may survive in a game, by the page about it: words of a line, and what is changed in it."""
    page = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    part = page.split(f"### What survives in {name.capitalize()}\n")[1].split("\n#")[0]
    rows = [ROW.fullmatch(line) for line in part.split("\n") if line.startswith("| `")]
    assert rows and all(rows)
    return [(row[1], row[2].strip("`").split("`, `")) for row in rows if row]


@pytest.mark.parametrize("name", SHARES)
def test_what_is_explained_is_still_there(name: str) -> None:
    folder = find_game(name)
    text = (folder / f"{name}.rules").read_text(encoding="utf-8") + (folder / "game.yaml").read_text(encoding="utf-8")
    lines = [" ".join(line.split()) for line in text.split("\n")]
    for words, changes in explained(name):
        assert any(words in line and all(old in line for old in changes) for line in lines), words


@pytest.mark.parametrize("name", SHARES)
def test_scenarios_notice_changes_of_the_rules(name: str, evidence: Evidence, seed: int) -> None:
    """All mutants for the evidence, a few of them every day. What survives is explained."""
    sample = scaled(full=0, slice=6) or None
    verdicts = [v for v in mutate(find_game(name), sample, seed) if v.fate != SAME]
    survivors = [v.mutant for v in verdicts if v.survived]
    evidence.record(f"mutants of {name}", len(verdicts))
    evidence.record(f"mutants of {name} that check or a scenario refuses", len(verdicts) - len(survivors))
    lines = {m: " ".join(m.span.source.line(m.line).split()) for m in survivors}
    listed = {m for m in survivors for words, changes in explained(name) if words in lines[m] and m.old in changes}
    assert [str(mutant) for mutant in survivors if mutant not in listed] == []
    assert 100 * len(survivors) <= (100 - SHARES[name] if sample is None else 50) * len(verdicts)
