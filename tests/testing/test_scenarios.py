"""Scenarios: the shipped ones hold, a wrong expectation fails, and a mistake in a file is shown at its place."""

from __future__ import annotations

import json
import random as python_random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.engine.state import WrongState
from chocolatl.interpreter.formats.scenario import ANSWERS, Scenario, load_scenario
from chocolatl.interpreter.testing.scenario_run import run_scenario
from tests.conftest import ROOT, Evidence, scaled
from tests.play.test_players import write_sample

SHIPPED = sorted(ROOT.glob("rules/*/scenarios/*.yaml"))

Content = dict[str, Any]

BIDS = """\
kind: scenario
format: 1
name: The highest bid takes the point card
game: goofspiel
set: {cards: 4}
players: [A, B, C]
given:
  table: {stack: [1, 2, 3, 4]}
when:
  - {chance: prize, value: 3}
  - {player: A, choice: bid, value: 2}
  - {player: B, choice: bid, value: 4}
  - {player: C, choice: bid, value: 2}
  - {chance: prize, value: 1}
then:
  table: {stack: [2, 4], offer: [1], round: 2}
  player:
    A: {score: 0, hand: [1, 3, 4]}
    B: {score: 3, hand: [1, 2, 3]}
  pending: [{player: A, choice: bid}, {player: B, choice: bid}, {player: C, choice: bid}]
  legal: [{player: B, choice: bid, value: 1}]
  illegal: [{player: B, choice: bid, value: 4}, {player: B, choice: bid, value: 5}]
"""

FIELDS = """\
kind: scenario
format: 1
name: Two of three fields win
game: blotto
set: {coins: 4}
players: [A, B]
given:
  player: {A: {left: 3}}
start: {procedure: settle, with: {f: 2}}
then:
  player: {A: {score: 0, troops: {2: 0}}}
  winners: [A, B]
"""


RULES = str(find_game("goofspiel") / "goofspiel.rules")
DECIDED = next(
    (number, line.strip())
    for number, line in enumerate(Path(RULES).read_text().split("\n"), start=1)
    if "p gains points score" in line
)
"""The line that gives the points for the highest bid."""


def content(path: Path) -> Content:
    """What a scenario file says, as plain data."""
    scenario = load_scenario(path, Findings())
    assert scenario is not None
    value = scenario.document.value
    assert isinstance(value, dict)
    return value


def outcome(path: Path) -> list[str]:
    """What is wrong with a scenario: findings about its file, or differences."""
    findings = Findings()
    scenario = load_scenario(path, findings)
    if scenario is None:
        return [f"{found.span.line}:{found.span.column}: {found.message}; {found.hint}" for found in findings.items]
    assert not findings.items
    return [f"{difference.line}: {difference}" for difference in run_scenario(scenario)]


def write(path: Path, value: Content | str) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["test", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# ---------------------------------------------------------------- what holds


def test_there_are_shipped_scenarios_for_every_game() -> None:
    assert {path.parent.parent.name for path in SHIPPED} == set(games_in(rules_folder()))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_shipped_scenario_holds(path: Path) -> None:
    assert outcome(path) == []


def test_the_examples_of_this_file_hold(tmp_path: Path) -> None:
    assert outcome(write(tmp_path / "bids.yaml", BIDS)) == []
    assert outcome(write(tmp_path / "fields.yaml", FIELDS)) == []


def test_players_may_be_a_number_or_left_out(tmp_path: Path) -> None:
    three = BIDS.replace("[A, B, C]", "3")
    for old, new in (("A", "p1"), ("B", "p2"), ("C", "p3")):
        three = three.replace(f"player: {old}", f"player: {new}").replace(f"    {old}:", f"    {new}:")
    assert outcome(write(tmp_path / "three.yaml", three)) == []
    two: Content = {"kind": "scenario", "format": 1, "name": "n", "game": "blotto", "then": {"winners": []}}
    found = outcome(write(tmp_path / "two.yaml", two))
    expected = "expected the end of the game, came pending is p1 `troops[1]`, p2 `troops[1]`"
    assert found == [f"1: then.winners: {expected}"]


def test_in_a_secret_block_players_answer_in_any_order(tmp_path: Path) -> None:
    value = content(next(path for path in SHIPPED if path.stem == "two_of_three"))
    first, second = value["when"][:3], value["when"][3:]
    for order in ([*second, *first], [x for pair in zip(first, second, strict=True) for x in pair]):
        assert outcome(write(tmp_path / "order.yaml", {**value, "when": order})) == []
    found = outcome(write(tmp_path / "order.yaml", {**value, "when": [*first[::-1], *second]}))
    assert len(found) == 1 and "when[1]: A does not choose `troops[3]` now" in found[0]


def test_a_decision_that_is_not_listed_ends_the_run(tmp_path: Path) -> None:
    value = {**content(write(tmp_path / "bids.yaml", BIDS)), "when": [{"chance": "prize", "value": 3}]}
    value["then"] = {
        "table": {"offer": [3]},
        "pending": [{"player": name, "choice": "bid"} for name in "CAB"],
        "legal": [{"player": "C", "choice": "bid", "value": 4}],
    }
    assert outcome(write(tmp_path / "short.yaml", value)) == []
    value["when"] = []
    value["then"] = {"pending": [{"chance": "prize"}], "illegal": [{"player": "A", "choice": "bid", "value": 1}]}
    assert outcome(write(tmp_path / "shorter.yaml", value)) == []


# ---------------------------------------------------------------- what does not hold


def changed_numbers(value: Any) -> Iterator[Any]:
    """The same data with one number in it changed, for each number in turn."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in changed_numbers(part))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in changed_numbers(part))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield value - 1


def without_a_part(value: Any) -> Iterator[Any]:
    """The same data with one entry of a list taken out; what is not named is not expected, what is named is."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in without_a_part(part))
    elif isinstance(value, list):
        yield from (value[:place] + value[place + 1 :] for place in range(len(value)))


def worse(then: Content) -> Iterator[Content]:
    """Expectations that cannot hold if these do."""
    exact = {key: part for key, part in then.items() if key not in ("legal", "illegal")}
    yield from ({**then, **other} for other in changed_numbers(exact))
    yield from ({**then, **other} for other in without_a_part(exact))
    for answer in then.get("legal", []):
        yield {**then, "illegal": [*then.get("illegal", []), answer]}
    for answer in then.get("illegal", []):
        yield {**then, "legal": [*then.get("legal", []), answer]}


def holds(scenario: Scenario, then: Content) -> bool:
    """Whether a scenario would hold with another `then`. A value that cannot be does not hold."""
    own = scenario.document
    document = replace(own, value={**own.value, "then": then}, places=own.root)
    try:
        return not run_scenario(replace(scenario, document=document))
    except WrongState:
        return False


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_any_number_changed_in_then_makes_a_scenario_fail(path: Path, evidence: Evidence, seed: int) -> None:
    scenario = load_scenario(path, Findings())
    assert scenario is not None and holds(scenario, scenario.then)
    changes = list(worse(scenario.then))
    count = min(scaled(full=10_000, slice=20), len(changes))
    tried = python_random.Random(seed).sample(changes, count)
    assert [then for then in tried if holds(scenario, then)] == []
    evidence.record("a changed expectation makes a scenario fail", count)


def test_a_difference_says_what_was_expected_and_what_came(tmp_path: Path) -> None:
    wrong = BIDS.replace("B: {score: 3, hand: [1, 2, 3]}", "B: {score: 4, hand: [3, 2, 4]}").replace(
        "pending: [{player: A, choice: bid}, ", "pending: [{chance: prize}, "
    )
    wrong = wrong.replace("bid, value: 1}", "bid, value: 4}").replace("bid, value: 5}", "bid, value: 3}")
    assert outcome(write(tmp_path / "bids.yaml", wrong)) == [
        "19: then.player.B.score: expected 4, came 3",
        "19: then.player.B.hand: expected [2, 3, 4], came [1, 2, 3]",
        "20: then.pending: expected B `bid`, C `bid`, chance `prize`, came A `bid`, B `bid`, C `bid`",
        "21: then.legal[1]: expected to be legal, but `bid` cannot be 4 now; legal: 1, 2, 3",
        "22: then.illegal[2]: expected to be illegal, but B can answer `bid` with 3",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("B, choice: bid, value: 4}\n", "C, choice: bid, value: 4}\n", "13: when[4]: C does not choose `bid` now; pending is B `bid`"),  # noqa: E501
        ("{chance: prize, value: 1}", "{chance: prize, value: 3}", "14: when[5]: chance `prize` cannot be 3 now; possible: 1, 2, 4"),  # noqa: E501
        ("{player: A, choice: bid, value: 2}", "{chance: prize, value: 2}", "11: when[2]: chance does not decide `prize` now; pending is A `bid`, B `bid`, C `bid`"),  # noqa: E501
        ("round: 2}", "round: 3}", "16: then.table.round: expected 3, came 2"),
        ("stack: [1, 2, 3, 4]", "stack: []", "10: when[1]: the rules stop with an error:"),
    ],
)  # fmt: skip
def test_what_cannot_happen_is_a_difference(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in BIDS
    (found,) = outcome(write(tmp_path / "bids.yaml", BIDS.replace(old, new, 1)))
    assert found.startswith(message)


# ---------------------------------------------------------------- mistakes in the file


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("game: goofspiel", "game: goofspeil", "4:7", "there is no game `goofspeil`"),
        ("game: goofspiel", "game: goofspiel/shrot", "4:7", "has no variant `shrot`; did you mean `short`?"),
        ("cards: 4", "crads: 4", "5:7", "no parameter, table or component `crads` to set; did you mean `cards`?"),
        ("cards: 4", "cards: 40", "5:14", "40"),
        ("[A, B, C]", "[A, B, C, D, E]", "6:10", "goofspiel is for 2 to 4 players, not 5"),
        ("  table: {stack: [1", "  table: {stakc: [1", "8:11", "there is no field `stakc`; did you mean `stack`?"),
        ("  table: {stack: [1", "  tabel: {stack: [1", "8:3", "nothing in this game is called `tabel`; did you mean `table`?"),  # noqa: E501
        ("stack: [1, 2, 3, 4]", "stack: [1, 2, 3, 5]", "8:18", "5 is not a card (1, 2, 3, 4)"),
        ("{chance: prize, value: 3}", "{chance: prise, value: 3}", "10:14", "there is no chance event `prise`; did you mean `prize`?"),  # noqa: E501
        ("{chance: prize, value: 3}", "{chance: prize, value: 5}", "10:28", "5 is not a card"),
        ("{chance: prize, value: 3}", "{chance: prize, value: 3, for: E}", "10:36", "there is no player `E`"),
        ("choice: bid, value: 2", "choice: bdi, value: 2", "11:25", "there is no choice `bdi`; did you mean `bid`?"),
        ("choice: bid, value: 2", "choice: 'bid[1]', value: 2", "11:25", "`bid` has no index, found 1"),
        ("choice: bid, value: 2", "choice: bid, value: two", "11:37", "'two' is not a card"),
        ("{player: A, choice: bid, value", "{player: a, choice: bid, value", "11:14", "there is no player `a`; they are: A, B, C"),  # noqa: E501
        ("{player: A, choice: bid, value", "{plaer: A, choice: bid, value", "11:6", "did you mean `player`?"),
        ("table: {stack: [2, 4]", "table: {stock: [2, 4]", "16:11", "there is no field `stock`; did you mean `stack`?"),
        ("    B: {score: 3", "    D: {score: 3", "19:5", "there is no player `D`"),
        ("B: {score: 3", "B: {score: -1", "19:16", "-1 is not a number from 0 to 10"),
        ("{score: 3, hand: [1, 2, 3]}", "{score: 3, hand: 2}", "19:25", "2 is not a list"),
        ("pending: [{player: A, choice: bid}", "pending: [{player: A, choice: bids}", "20:33", "there is no choice `bids`"),  # noqa: E501
        ("legal: [{player: B", "legal: [{player: X", "21:20", "there is no player `X`"),
        ("choice: bid, value: 1", "choice: bid, value: 9", "21:43", "9 is not a card"),
        ("choice: bid, value: 5", "choice: bidd, value: 5", "22:69", "there is no choice `bidd`; did you mean `bid`?"),
        ("choice: bid, value: 5", "choice: bid, value: five", "22:81", "'five' is not a card"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_at_its_place(old: str, new: str, place: str, message: str, tmp_path: Path) -> None:
    assert old in BIDS
    found = outcome(write(tmp_path / "bids.yaml", BIDS.replace(old, new, 1)))
    assert len(found) == 1 and found[0].startswith(f"{place}: ") and message in found[0], found


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("procedure: settle", "procedure: setle", "9:20", "there is no procedure `setle`; did you mean `settle`?"),
        ("with: {f: 2}", "with: {g: 2}", "9:35", "the procedure `settle` has no parameter `g`"),
        ("with: {f: 2}", "with: {}", "9:1", "the procedure `settle` needs a value for `f`"),
        ("with: {f: 2}", "with: {f: 4}", "9:38", "4 is not a number from 1 to 3"),
        ("troops: {2: 0}", "troops: {4: 0}", "11:35", "`troops` has no entry `4`"),
        ("troops: {2: 0}", "troops: {2: -1}", "11:38", "-1 is not a number from 0 to 4"),
        ("winners: [A, B]", "winners: [A, C]", "12:16", "there is no player `C`"),
        ("winners: [A, B]", "result: {A: 0, C: 1}", "12:18", "there is no player `C`"),
        ("winners: [A, B]", "breakdown: {A: {field_wun: 1}}", "12:19", "there is no item `field_wun`; did you mean `field_won`?"),  # noqa: E501
        ("winners: [A, B]", "pending: [{player: A, choice: 'troops[4]'}]", "12:33", "there is no `troops` with the index `4`"),  # noqa: E501
        ("winners: [A, B]", "pending: [{player: A, choice: troops}]", "12:33", "`troops` has 1 index, found 0"),
    ],
)  # fmt: skip
def test_a_mistake_in_start_or_result(old: str, new: str, place: str, message: str, tmp_path: Path) -> None:
    assert old in FIELDS
    found = outcome(write(tmp_path / "fields.yaml", FIELDS.replace(old, new, 1)))
    assert found and found[0].startswith(f"{place}: ") and message in found[0], found


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    wrong = BIDS.replace("stack: [", "stakc: [").replace("hand: [", "hnad: [").replace("choice: bid", "choice: bod")
    found = outcome(write(tmp_path / "bids.yaml", wrong))
    assert len([text for text in found if "stakc" in text]) == 2
    assert len([text for text in found if "hnad" in text]) == 2
    assert len([text for text in found if "`bod`" in text]) == 3 + 3 + 1 + 2


def test_every_way_to_ask_can_be_named(tmp_path: Path) -> None:
    """Sets, optional and joint choices and several dice, beside the folder of the game."""
    write_sample(tmp_path)
    value: Content = {
        "kind": "scenario",
        "format": 1,
        "name": "sample",
        "game": "sample",
        "players": ["A", "B"],
        "when": [
            *({"chance": "deal", "value": card} for card in (9, 8, 1, 2)),
            {"player": "A", "choice": "laid[harbour]", "value": [9]},
            {"player": "A", "choice": "laid[market]", "value": []},
            {"player": "B", "choice": "laid[harbour]", "value": []},
            {"player": "B", "choice": "laid[market]", "value": [2]},
            {"chance": "throw", "value": [6, 1], "for": "A"},
            {"player": "A", "choice": "extra", "value": 3},
            {"player": "A", "choice": "spot", "value": {"a": "harbour", "b": 1}},
            {"chance": "throw", "value": [2, 2]},
            {"player": "B", "choice": "extra", "value": None},
        ],
        "then": {
            "player": {"A": {"score": 17, "hand": [8], "laid": {"harbour": [9], "market": []}}, "B": {"hand": [1]}},
            "legal": [{"player": "B", "choice": "spot", "value": {"a": "market", "b": 2}}],
            "illegal": [{"player": "B", "choice": "spot", "value": {"a": "harbour", "b": 2}}],
            "pending": [{"player": "B", "choice": "spot"}],
        },
    }
    path = tmp_path / "scenario.yaml"
    assert outcome(write(path, value)) == []
    value["when"][4]["choice"] = "laid[habour]"
    value["when"][-1]["value"] = 4
    value["then"]["illegal"][0]["value"]["a"] = "habour"
    assert [found.partition(": ")[2] for found in outcome(write(path, value))] == [
        "there is no `laid` with the index `habour`; did you mean `harbour`?",
        "4 is not a number from 1 to 3; ",
        "'habour' is not a place (harbour, market); did you mean `harbour`?",
    ]


# ---------------------------------------------------------------- the command


def test_test_runs_what_a_path_means(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    goofspiel = [path for path in SHIPPED if path.parent.parent.name == "goofspiel"]
    summary = f"{len(goofspiel)} passed, 0 failed\n"
    assert run(capsys, "goofspiel") == (0, summary, "")
    assert run(capsys, ROOT / "rules/goofspiel") == (0, summary, "")
    assert run(capsys, ROOT / "rules/goofspiel/scenarios", goofspiel[0]) == (0, summary, "")
    assert run(capsys, goofspiel[0]) == (0, "1 passed, 0 failed\n", "")
    write(tmp_path / "other.yaml", "kind: note\n")
    write(tmp_path / "mine.yaml", "# mine\n" + BIDS)
    assert run(capsys, tmp_path) == (0, "1 passed, 0 failed\n", "")


def test_a_failure_is_exit_code_1_with_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write(tmp_path / "a.yaml", BIDS), write(tmp_path / "b.yaml", BIDS.replace("score: 3", "score: 4"))
    code, out, err = run(capsys, tmp_path)
    assert (code, err) == (1, "")
    assert out == (
        f"FAILED {bad}: The highest bid takes the point card\n"
        f"  {bad}:19: then.player.B.score: expected 4, came 3\n"
        f"      decided at {RULES}:{DECIDED[0]}: {DECIDED[1]}\n\n1 passed, 1 failed\n"
    )
    code, out, _ = run(capsys, tmp_path, "--json")
    result = json.loads(out)
    assert code == 1 and problems(result, "test_results") == []
    assert (result["passed"], result["failed"]) == (1, 1)
    name = "The highest bid takes the point card"
    assert result["scenarios"][0] == {
        "file": str(good), "name": name, "ok": True, "difference": None, "differences": [],
    }  # fmt: skip
    (difference,) = result["scenarios"][1]["differences"]
    assert difference["path"] == "then.player.B.score" and difference["message"] == "expected 4, came 3"
    assert difference["rule"] == {"file": RULES, "line": DECIDED[0]}


def test_a_mistake_in_a_scenario_is_a_failure_with_carets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write(tmp_path / "b.yaml", BIDS.replace("stack: [2", "stakc: [2"))
    code, out, err = run(capsys, bad)
    assert (code, err) == (1, "")
    assert f"{bad}:16:11: error E702: there is no field `stakc`" in out and "^^^^^" in out
    assert "help: did you mean `stack`?" in out
    assert run(capsys, write(bad, "kind: scenario\nname: [\n"))[0] == 1


def test_rules_that_fail_check_are_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(find_game("goofspiel"), tmp_path / "goofspiel")
    rules = tmp_path / "goofspiel/goofspiel.rules"
    rules.write_text(rules.read_text().replace("sum of c.value", "sum of c.vlaue"))
    code, out, err = run(capsys, tmp_path)
    count = len(list(tmp_path.glob("goofspiel/scenarios/*.yaml")))
    assert code == 2 and f"0 passed, {count} failed" in out
    assert err.count("error E") == 1 and "vlaue" in err  # once, not for every scenario


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("missing.yaml", "there is no game `missing.yaml`"),
        ("./missing", "there is no such file or folder"),
        ("goofspiel/short", "is a variant; its scenarios are those of its game"),
        (".", "there is no game and no scenario in this folder"),
    ],
)
def test_usage(
    argument: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, argument)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


def test_a_binary_file_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_bytes(b"kind: scenario\0")
    code, out, err = run(capsys, tmp_path / "a.yaml")
    assert (code, out) == (2, "") and "binary" in err and err.count("\n") == 1


def test_coverage_tells_what_no_scenario_ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, write(tmp_path / "fields.yaml", FIELDS), "--coverage")
    rules = find_game("blotto") / "blotto.rules"
    assert code == 0 and f"{rules}:20: no scenario ran the choice `troops`\n" in out
    assert "`settle`" not in out and "`armies`" not in out
    assert "declarations, choices and chance events (100.0 %)" in run(capsys, "blotto", "--coverage")[1]
    found = json.loads(run(capsys, "goofspiel", "--coverage", "--json")[1])
    assert problems(found, "test_results") == []
    runs = {(part["kind"], part["name"]): part["runs"] for part in found["coverage"]}
    assert runs["choice", "bid"] > 20 and runs["chance", "prize"] and runs["procedure", "award"]
    assert runs["value", "single"] and runs["ranking", "bidders"] and runs["procedure", "turn_up"]


def test_what_then_may_say_is_what_the_schema_says() -> None:
    from chocolatl.interpreter.data.schema import schema

    said = set(schema("scenario")["properties"]["then"]["properties"])
    assert said == {*ANSWERS, "table", "player"}
