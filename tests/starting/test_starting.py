"""New games and variants: they are sound from the first moment, and nothing is overwritten or half-written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from chocolatl import cli
from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.starting.settings import game_settings
from chocolatl.interpreter.starting.variants import variant_text
from tests.games import Table

GAMES = games_in(rules_folder())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: str) -> int:
    return cli.main(words.split())


def assert_sound(folder: str) -> None:
    for words in (f"check {folder} --fail-on warning", f"fmt --check {folder}", f"test {folder}"):
        assert run(words) == 0, words


def test_a_new_game_is_sound_and_can_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("new my_first") == 0
    assert_sound("my_first")
    for players in (2, 3, 4):
        assert run(f"simulate my_first --players {','.join(['random'] * players)} --games 50") == 0
    assert "My first" in capsys.readouterr().out
    assert "#" in Path("my_first/my_first.rules").read_text()


@pytest.mark.parametrize("like", ["goofspiel", "kuhn_poker"])
def test_a_copy_of_a_game_is_sound(like: str) -> None:
    assert run(f"new theirs --like {like} --in far/away") == 0
    assert_sound("far/away/theirs")
    copied, own = Path("far/away/theirs"), rules_folder() / like
    assert variants_in(copied) == variants_in(own)
    files, others = (load_game(path, Findings()) for path in (copied, own))
    assert files is not None and others is not None
    assert files.name == "theirs" and files.parameters.keys() == others.parameters.keys()
    assert not (copied / "policy.yaml").exists(), "what was learned is about another game"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("new Mine", "is no name of a game"),
        ("new 2nd", "is no name of a game"),
        ("new ../x", "is no name of a game"),
        ("new there", "there is there already"),
        ("new x --like gofspiel", "did you mean `goofspiel`"),
        ("new x --like goofspiel/short", "is a variant"),
        ("variant goofspiel a/b", "is no name of a variant"),
        ("variant goofspiel there", "there.yaml is there already"),
        ("rules gofspiel", "did you mean `goofspiel`"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_changes_nothing(
    words: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "there").mkdir()
    (folder / "there.yaml").write_text("theirs")
    assert run(words) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert {path.name for path in folder.iterdir()} == {"there", "there.yaml"}
    assert (folder / "there.yaml").read_text() == "theirs"


def test_a_game_that_cannot_be_written_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(self: Path, target: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", refuse)
    assert run("new mine") == 2
    assert "cannot be written" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("game", GAMES)
def test_all_that_a_new_variant_lists_can_be_set_as_it_stands(game: str, folder: Path) -> None:
    """Every comment taken away gives the very game, and each name that can be set is there."""
    assert run(f"variant {game} mine") == 0
    text = Path("mine.yaml").read_text()
    own = load_game(Table(game, None, 0).path, Findings())
    assert own is not None
    named = [*own.parameters, *own.tables]
    if named:
        lines = [
            re.sub(r"^# ?", "", line) if re.match(r"# (set:|  (?!#))", line) else line for line in text.splitlines()
        ]
        held = yaml.safe_load("\n".join(lines))
        assert list(held["set"]) == named
        Path("mine.yaml").write_text("\n".join(lines) + "\n")
        findings = Findings()
        files = load_game(Path("mine.yaml"), findings)
        assert files is not None and not findings.has_errors, [str(each) for each in findings.items]
        assert files.rules_hash == own.rules_hash
    assert len(list(game_settings(own))) == len(named)


def test_a_variant_of_ones_own_game_lies_beside_its_others() -> None:
    shutil.copytree(rules_folder() / "goofspiel", "goofspiel")
    assert run("variant goofspiel mine") == 0
    assert "extends: goofspiel" in Path("goofspiel/variants/mine.yaml").read_text()
    assert run("variant goofspiel/short other -o other.yaml") == 0
    text = Path("other.yaml").read_text()
    assert "extends: goofspiel/short" in text and "cards: 5" in text
    assert variant_text.__doc__


def test_nothing_extends_a_variant_that_lies_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("variant goofspiel mine") == 0
    assert run("variant mine.yaml other") == 2
    assert "lies apart from its game" in capsys.readouterr().err and not Path("other.yaml").exists()


def test_what_can_be_set_is_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert run("rules chocolatl/five_rounds") == 0
    told = " ".join(capsys.readouterr().out.split())
    for word in ("end.rounds", "R-19", "certain", "stones_per_player", "1 to 20"):
        assert word in told
