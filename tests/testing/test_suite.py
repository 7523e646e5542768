"""`chocolatl test` over many scenarios: what decided a failure, filters, processes, JUnit, coverage, and what came,
written down. What a single scenario means is in test_scenarios.py."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from chocolatl.interpreter.testing.coverage import Coverage, as_text, described
from chocolatl.interpreter.testing.suite import run_file, run_suite, scenarios_in
from tests.conftest import ROOT
from tests.testing.test_scenarios import BIDS, FIELDS, run, write

GAME = """\
language 1
game branching

item work "Work"

table has
    total : 0..99 = 1

each player has
    score : 0..99

procedure count(amount : 0..9)
    if amount > 3
        total becomes total + amount
        total becomes total + 1
    else
        total becomes total - 1

value twice(amount : 0..99) = amount * 2 if doubled else amount

play
    roll number from 1..6
    do count(number)
    for each p in player
        p gains twice(total) score for work

winner p
    highest p.score
"""
DATA = """\
kind: game
format: 1
name: branching
title: Branching
players: {min: 2, max: 2}
parameters:
  doubled: {value: false, about: Whether points count twice., source: invented}
"""
CASE = """\
kind: scenario
format: 1
name: A high number
game: branching
when: [{chance: number, value: 5}]
then:
  table: {total: 7}   # five and one more
  player: {p1: {score: 7}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "branching"
    (place / "scenarios").mkdir(parents=True)
    write(place / "game.yaml", DATA)
    write(place / "branching.rules", GAME)
    write(place / "scenarios" / "high.yaml", CASE)
    return place


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(GAME.split("\n"), start=1) if text in line)


# ---------------------------------------------------------------- what decided


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("total: 7", "total: 8", "total becomes total + 1"),
        ("{p1: {score: 7}}", "{p1: {score: 8}}", "p gains twice"),
        ("player: {p1", "result: {p1: 6}\n  player: {p1", "p gains twice"),
        ("player: {p1", "winners: [p1]\n  player: {p1", "winner p"),
        ("player: {p1", "pending: [{chance: number}]\n  player: {p1", None),
        ("value: 5}]", "value: 5}, {chance: number, value: 5}]", None),
    ],
)
def test_a_difference_names_the_line_that_decided_it(old: str, new: str, rule: str | None, folder: Path) -> None:
    found = run_file(write(folder / "scenarios" / "high.yaml", CASE.replace(old, new)))
    (difference,) = found.differences
    assert (difference.rule.line if difference.rule else None) == (line_of(rule) if rule else None)
    assert ("decided at" in found.difference) == (rule is not None)


def test_an_event_that_cannot_happen_names_the_question(folder: Path) -> None:
    found = run_file(
        write(folder / "scenarios" / "high.yaml", CASE.replace("when: [{chance: number, value: 5}]\n", ""))
    )
    assert {d.rule.line for d in found.differences if d.rule} == set()  # nothing has changed the state yet
    text = BIDS.replace("B, choice: bid, value: 4}\n", "C, choice: bid, value: 4}\n")
    (difference,) = run_file(write(folder / "bids.yaml", text)).differences
    assert difference.rule is not None and "chooses" in difference.rule.source.line(difference.rule.line)


def test_in_a_secret_block_the_own_statement_is_named(folder: Path) -> None:
    text = BIDS.replace("hand: [1, 3, 4]", "hand: [2, 3, 4]")
    (difference,) = run_file(write(folder / "bids.yaml", text)).differences
    assert difference.rule is not None
    assert "move card from p.hand" in difference.rule.source.line(difference.rule.line)


# ---------------------------------------------------------------- which ones, and where


def test_only_takes_what_has_all_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "blotto", "--only", "FIELD", "--only", "forced")[1] == "1 passed, 0 failed\n"
    code, out, err = run(capsys, "blotto", "--only", "nowhere")
    assert (code, out) == (2, "") and "nowhere" in err


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    paths = [
        *scenarios_in(ROOT / "rules" / "blotto"),
        write(tmp_path / "bad.yaml", FIELDS.replace("score: 0", "score: 1")),
    ]
    alone, together = Coverage(), Coverage()
    first, second = run_suite(paths, alone), run_suite(paths, together, jobs=2)
    assert [(o.file, o.ok, o.difference) for o in first] == [(o.file, o.ok, o.difference) for o in second]
    assert alone.runs == together.runs and [o.ok for o in first] == [True] * (len(paths) - 1) + [False]


def test_junit_has_every_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "a.yaml", BIDS)
    bad = write(tmp_path / "b.yaml", BIDS.replace("score: 3", "score: 4").replace("The highest", '"<&\\u0001" The'))
    write(bad, bad.read_text().replace('name: "<&', 'name: "<&').replace('" The bid takes the point card', ' is"'))
    assert run(capsys, tmp_path, "--junit", tmp_path / "results.xml")[0] == 1
    root = ElementTree.parse(tmp_path / "results.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    good, failed = root.iter("testcase")
    assert good.find("failure") is None and failed.get("file") == str(bad)
    message = failed.find("failure")
    assert message is not None and "expected 4, came 3" in (message.get("message") or "")


# ---------------------------------------------------------------- coverage


def test_coverage_counts_both_ways_of_a_branch(folder: Path) -> None:
    coverage = Coverage()
    run_suite([folder / "scenarios" / "high.yaml"], coverage)
    run_suite([write(folder / "end.yaml", CASE + "  winners: [p1, p2]\n")], coverage)
    missed = {(part.span.line, part.way) for part in coverage.missed()}
    assert missed == {(line_of("if amount > 3"), "no"), (line_of("if doubled"), "yes")}
    low = write(folder / "scenarios" / "low.yaml", CASE.replace("value: 5", "value: 2").replace("7", "0"))
    twice = write(folder / "scenarios" / "twice.yaml", CASE.replace("score: 7", "score: 14") + "set: {doubled: true}\n")
    assert all(outcome.ok for outcome in run_suite([low, twice], coverage))
    assert coverage.missed() == []
    assert "coverage: 4 of 4 branches (100.0 %)" in as_text(coverage)


@pytest.mark.parametrize("name", ["chocolatl", "cacao", "quetzal"])
def test_the_scenarios_of_a_board_game_run_all_of_its_rules(name: str) -> None:
    coverage = Coverage()
    assert all(outcome.ok for outcome in run_suite(list(scenarios_in(ROOT / "rules" / name)), coverage))
    assert [described(part) for part in coverage.missed()] == []


def test_the_page_marks_the_lines_that_did_not_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = folder / "coverage.html"
    assert run(capsys, folder, "--coverage-page", page)[0] == 0
    text = page.read_text()
    rows = {int(row.split(":")[1].split(chr(34))[0]): row for row in text.split("<tr id=")[1:]}
    assert 'class="missed"' in rows[line_of("total - 1")] and "no scenario ran" in rows[line_of("total - 1")]
    assert 'class="ran"' in rows[line_of("total + 1")]
    assert 'class="part"' in rows[line_of("if amount > 3")] and "amount &gt; 3" in rows[line_of("if amount > 3")]
    assert "<script" not in text


# ---------------------------------------------------------------- what came, written down


def test_update_writes_what_came_beside_the_scenario(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder / "scenarios" / "high.yaml", CASE.replace("total: 7", "total: 9"))
    code, _, err = run(capsys, path, "--update")
    new = folder / "scenarios" / "high.observed.yaml"
    assert code == 1 and f"written: {new}" in err and path.read_text() == CASE.replace("total: 7", "total: 9")
    assert run_file(new).ok and "table: {total: 7}" in new.read_text()
    assert run(capsys, new, "--update")[0] == 0 and not list(folder.rglob("*.observed.observed.yaml"))


def test_update_fills_an_empty_then(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder / "scenarios" / "new.yaml", CASE.split("then:")[0] + "then: {}\n")
    assert run(capsys, path)[0] == 1
    assert run(capsys, path, "--update")[0] == 1
    text = path.with_name("new.observed.yaml").read_text()
    assert run_file(path.with_name("new.observed.yaml")).ok
    assert "total: 7" in text and "result: {p1: 7, p2: 7}" in text and "winners: [p1, p2]" in text


def test_update_of_every_kind_of_expectation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = BIDS.replace("B: {score: 3, hand: [1, 2, 3]}", "B: {score: 4, hand: [3, 2, 4]}").replace(
        "pending: [{player: A, choice: bid}, ", "pending: [{chance: prize}, "
    )
    wrong = wrong.replace("bid, value: 1}", "bid, value: 4}").replace("bid, value: 5}", "bid, value: 3}")
    path = write(tmp_path / "bids.yaml", wrong)
    run(capsys, path, "--update")
    assert run_file(tmp_path / "bids.observed.yaml").ok
    write(path, BIDS.replace("{chance: prize, value: 1}", "{chance: prize, value: 3}"))
    (tmp_path / "bids.observed.yaml").unlink()
    assert "not written" in run(capsys, path, "--update")[2] and not (tmp_path / "bids.observed.yaml").exists()
