"""Policy files: written and read again, followed by the player `learned` in both engines, and refused in one sentence
where they do not fit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.policy_file import load_sections, write_section
from chocolatl.interpreter.formats.policy_weights import section_weights, weights_section
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from tests.policy.drawing import form_of, weights_at_random

PLAYERS = 2
Change = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a shipped game, with a policy for two players beside it."""
    shutil.copytree(rules_folder() / "goofspiel", tmp_path / "goofspiel", ignore=shutil.ignore_patterns("policy.yaml"))
    game = load(tmp_path / "goofspiel", PLAYERS)
    write_section(tmp_path / "goofspiel" / "policy.yaml", game, section(game))
    return tmp_path / "goofspiel"


def section(game: Game) -> dict[str, object]:
    weights = weights_at_random(game, 1)
    return {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **weights_section(weights)}


def simulated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["simulate", *arguments, "--games", "20", "--seed", "3", "--jobs", "1"])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_weights_are_read_as_they_were_written(folder: Path) -> None:
    game = load(folder, PLAYERS)
    found = section_weights(form_of(game), load_sections(folder / "policy.yaml", game)[PLAYERS])
    written = weights_at_random(game, 1)
    assert all((a == b).all() for a, b in zip(found.terms, written.terms, strict=True))
    assert all((a == b).all() for a, b in zip(found.kinds, written.kinds, strict=True))
    assert (found.scales.scales == written.scales.scales).all()
    assert (found.scales.offsets == written.scales.offsets).all()


def test_a_section_takes_the_place_of_the_one_for_as_many_players(folder: Path) -> None:
    path, three = folder / "policy.yaml", load(folder, 3)
    before = load_sections(path, three)
    write_section(path, three, section(three))
    after = load_sections(path, three)
    assert sorted(after) == [2, 3] and after[2] == before[2]
    assert cli.main(["check", str(folder)]) == 0


def test_learned_players_play_the_same_games_in_both_engines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = []
    for engine in ("native", "interpreter"):
        code, out, _ = simulated(capsys, str(folder), "--players", "learned,random", "--engine", engine, "--json")
        assert code == 0
        results.append({k: v for k, v in json.loads(out).items() if k not in ("engine", "seconds", "games_per_second")})
    assert results[0] == results[1]


def test_games_of_learned_players_can_be_replayed(folder: Path, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    types = f"learned,b=learned:{folder / 'policy.yaml'}"
    given = ["simulate", str(folder), "--players", types, "--games", "2", "--transcripts", str(games)]
    assert cli.main(given) == 0
    assert cli.main(["replay", str(games), "--game", str(folder)]) == 0


def replaced(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def first_row(text: str, change: Change) -> str:
    """The text with its first row of weights changed."""
    start = text.index('"', text.index("weights:"))
    end = text.index('"', start + 1)
    return text[: start + 1] + change(text[start + 1 : end]) + text[end:]


REFUSED: dict[str, tuple[Change, str]] = {
    "another game": (replaced("game: goofspiel", "game: kuhn_poker"), "a policy for `kuhn_poker`"),
    "other players": (replaced("  2:", "  3:"), "is for 3 players, not for 2"),
    "no number of players": (replaced("  2:", "  many:"), "`many` is no number of players"),
    "other rules": (
        lambda text: text.replace(text.partition("rules: ")[2][:66].strip('"').split()[0].strip('"'), "0" * 64),
        "--accept-stale",
    ),
    "an unknown feature": (replaced("my score:", "my skore:"), "no feature `my skore` there"),
    "neither weights nor a table": (replaced("    weights:", "    strength:"), "policy.yaml:"),
    "features without weights": (lambda text: text[: text.index("    weights:")], "has a `table`, or else"),
    "a feature twice": (
        lambda text: text.replace("      player:", "      player: {}\n      player:", 1), "stands twice"
    ),
    "a huge scale": (replaced("my score: [", f"my score: [{10**9}, {10**9}]\n          other: ["), "policy.yaml:"),
    "a huge weight": (lambda text: first_row(text, lambda row: "9999" + row[row.index(" ") :]), "lies between -4095"),
    "too few weights": (lambda text: first_row(text, lambda row: row[row.index(" ") + 1 :]), "weights for"),
    "what are no weights": (lambda text: first_row(text, lambda row: "__import__('os') 1"), "policy.yaml:"),
    "half a file": (lambda text: text[: len(text) // 2], "policy.yaml:"),
    "nothing": (lambda text: "", "policy.yaml:"),
    "no text": (lambda text: "\x00\x01", "policy.yaml"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_in_one_sentence(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, said = REFUSED[name]
    path = folder / "policy.yaml"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    code, out, err = simulated(capsys, str(folder), "--players", f"learned:{path},random")
    assert code == 2 and out == ""
    assert said in err and "Traceback" not in err and "bug" not in err
    checked = cli.main(["check", str(path)])
    told = capsys.readouterr().out
    assert ("W904" in told) == (name == "other rules"), "a section for other rules is a warning"
    if name in ("other rules", "other players"):
        assert checked == 0
    else:
        assert checked == (2 if name == "no text" else 1)


def test_a_policy_for_other_rules_is_followed_if_that_is_accepted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = folder / "goofspiel.rules"
    rules.write_text(rules.read_text(encoding="utf-8").replace("bid    : 0..cards = 0", "bid    : 0..cards + 1 = 0"))
    players = f"learned:{folder / 'policy.yaml'},random"
    assert simulated(capsys, str(folder), "--players", players)[0] == 2
    code, _, err = simulated(capsys, str(folder), "--players", players, "--accept-stale")
    assert code == 0 and "learned for other rules" in err
    assert simulated(capsys, str(folder), "--players", "learned,random")[0] == 0, (
        "the policy beside the game is its own"
    )


def test_without_a_policy_the_player_says_how_to_get_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.yaml").unlink()
    code, _, err = simulated(capsys, str(folder), "--players", "learned,random")
    assert code == 2 and "chocolatl train goofspiel --players 2" in err


def test_a_policy_can_be_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(rules_folder() / "kuhn_poker" / "policy.yaml")
    code, out, _ = simulated(capsys, "kuhn_poker", "--players", f"learned,learned:{path}", "--json")
    assert code == 0 and json.loads(out)["engine"] == "interpreter"
    code, _, err = simulated(capsys, "kuhn_poker", "--players", "learned,random", "--engine", "native")
    assert code == 2 and "not by a table" in err
