"""`compare`: what differs in the rules and in play, by both engines, in words, as JSON and as Markdown; revisions."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from chocolatl.cli import main
from chocolatl.interpreter.comparing.figures import compared_figures, figure_values
from chocolatl.interpreter.comparing.pairs import InterpretedPairs, NativePairs, compare_play
from chocolatl.interpreter.comparing.rule_changes import ChangeKind, rule_changes
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT
from tests.games import Table, tables, write_game

RULES = """
each player has
    score : 0..99

item luck

play
    for each p in player
        roll thrown from 1..6 for p
        p gains thrown score for luck
"""


def compared(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["compare", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "schemas" / "compare_results.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(found)
    return found


# ---------------------------------------------------------------- rules


def test_a_variant_differs_by_what_it_says() -> None:
    one, other = (load(Table("goofspiel", variant, 2).path, 2) for variant in (None, "short"))
    changes = rule_changes(one.files, other.files)
    assert changes.declarations == () and not changes.same_program
    assert [value.name for value in changes.values]
    for value in changes.values:
        assert value.before != value.after


def test_declarations_are_added_removed_changed_and_reworded(tmp_path: Path) -> None:
    more = '\nvalue double(n : 0..9) = 2 * n\n\nprocedure rest "A rest"\n    nothing\n'
    one = write_game(tmp_path / "one", RULES + more)
    other = write_game(
        tmp_path / "other",
        RULES.replace("1..6", "1..7") + more.replace("A rest", "Nothing").replace("double", "twice"),
    )
    changes = rule_changes(load(one, 2).files, load(other, 2).files)
    found = {change.name.split()[-1]: change.kind for change in changes.declarations}
    assert found == {
        "play": ChangeKind.CHANGED, "double": ChangeKind.REMOVED, "twice": ChangeKind.ADDED,
        "rest": ChangeKind.REWORDED,
    }  # fmt: skip
    changed = next(change for change in changes.declarations if change.kind is ChangeKind.CHANGED)
    assert changed.lines == (1, 1)
    assert "-        roll thrown from 1..6 for p" in changed.diff


def test_layout_and_comments_are_no_difference(tmp_path: Path) -> None:
    one = write_game(tmp_path / "one", RULES)
    other = write_game(tmp_path / "other", RULES.replace("from 1..6 for p", "from  1..6 for p   # a die"))
    changes = rule_changes(load(one, 2).files, load(other, 2).files)
    assert changes.same_program and not changes.declarations and not changes.values


# ---------------------------------------------------------------- play


@pytest.mark.parametrize("table", [t for t in tables() if t.variant is None][::2], ids=str)
def test_both_engines_give_the_same_rows(table: Table) -> None:
    game = table.load()
    interpreted, native = InterpretedPairs(game, 3).rows(0, 4), NativePairs(game, 3, QUICK).rows(0, 4)
    assert np.array_equal(interpreted, native)


def test_figures_are_what_they_say(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, RULES), 2)
    rows = np.array([[0, 0, 2, 5, 3, 1, 0, 5, 3], [0, 0, 0, 4, 4, 1, 1, 4, 4]], np.int64)
    found = {key: values.tolist() for key, values in figure_values(game, rows).items()}
    assert found["score"] == [4, 4] and found["best_score"] == [5, 4] and found["margin"] == [2, 0]
    assert found["shared"] == [0, 1] and found["wins.1"] == [1, 0.5] and found["wins.2"] == [0, 0.5]
    assert found["source.luck"] == [4, 4]
    assert {figure.key for figure in compared_figures(game, game)} <= found.keys()


def test_a_game_beside_itself_never_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_game(tmp_path, RULES)
    found = compared(capsys, path, path, "--most", 2000)
    assert found["rules"] == {"same_program": True, "values": [], "declarations": []}
    for figure in found["figures"]:
        assert figure["difference"]["mean"] == 0 and figure["finding"] in ("same", "open")


def test_the_number_of_jobs_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (compared(capsys, "blotto", "blotto/armistice", "--jobs", jobs, "--seed", 4) for jobs in (1, 2))
    assert one == two


def test_more_luck_is_seen_and_told_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = write_game(tmp_path / "one", RULES), write_game(tmp_path / "other", RULES.replace("1..6", "2..7"))
    found = compared(capsys, one, other, "--smallest", "score=0.5")
    score = next(figure for figure in found["figures"] if figure["key"] == "score")
    assert score["finding"] == "more" and score["difference"]["low"] <= 1 <= score["difference"]["high"]
    assert score["words"].startswith("higher by ") and score["smallest"] == 0.5
    margin = next(figure for figure in found["figures"] if figure["key"] == "margin")
    assert margin["finding"] == "same" and margin["words"].startswith("no difference larger than")


def test_a_screen_is_enough(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["compare", "chocolatl", "chocolatl/french", "--players", "3", "--most", "2000"]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 30


def test_a_comment_for_a_review(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comment = tmp_path / "comment.md"
    assert main(["compare", "blotto", "blotto/armistice", "--markdown", str(comment)]) == 0
    text = comment.read_text()
    assert text.startswith("## blotto/armistice beside blotto, 2 players\n")
    assert "| score | **higher by " in text and "```diff\n" in text and "+ " not in text.split("```diff")[0]


def test_a_pair_that_goes_another_way_is_written_and_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pair.jsonl"
    assert main(["compare", "goofspiel", "goofspiel/carry", "--transcripts", str(file), "--most", "10"]) == 0
    headers = [json.loads(line) for line in file.read_text().splitlines() if '"rules"' in line]
    assert [header["variant"] for header in headers] == [None, "carry"]
    assert headers[0]["seed"] == headers[1]["seed"] and all(header["pairing"] == 1 for header in headers)
    assert main(["replay", str(file), "--check-seed"]) == 0
    assert "2 games" in capsys.readouterr().out


def test_a_rule_that_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_game(tmp_path, RULES.replace("0..99", "0..5"))
    assert main(["compare", str(path), str(path)]) == 1
    assert "score" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        ("blotto", "nowhere"), ("blotto", "blotto", "--smallest", "luck=1"), ("blotto@", "blotto"),
        ("blotto@-x", "blotto"), ("rules/blotto@no-such-revision", "blotto"), ("blotto", "chocolatl", "--players", "2"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# ---------------------------------------------------------------- revisions


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def test_a_revision_of_a_folder_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = write_game(tmp_path / "games", RULES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    rules = next(game.glob("*.rules"))
    rules.write_text(rules.read_text().replace("1..6", "2..7"))
    found = compared(capsys, f"{game}@HEAD", game)
    assert [change["change"] for change in found["rules"]["declarations"]] == ["changed"]
    git(tmp_path, "commit", "-q", "-a", "-m", "two")
    again = compared(capsys, f"{game}@HEAD~1", f"{game}@HEAD")
    assert again["figures"] == found["figures"]
    assert main(["compare", f"{game}@HEAD~7", str(game)]) == 2


def test_a_folder_that_is_gone_can_still_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = write_game(tmp_path / "games", RULES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    kept = write_game(tmp_path / "kept", RULES)
    for path in sorted(game.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    game.rmdir()
    assert compared(capsys, f"{game}@HEAD", kept)["rules"]["same_program"]


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    game = write_game(tmp_path / "games", RULES)
    secret = tmp_path / "secret.rules"
    secret.write_text("language 1\n")
    rules = next(game.glob("*.rules"))
    rules.unlink()
    rules.symlink_to(secret)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    assert main(["compare", f"{game}@HEAD", str(game)]) in (1, 2)


def test_pairs_stop_at_a_look(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, RULES), 2)
    play = compare_play(NativePairs(game, 0, QUICK), NativePairs(game, 0, QUICK), 1500)
    assert play.pairs in (1000, 1500) and play.looks == 2
