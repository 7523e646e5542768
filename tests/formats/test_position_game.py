"""A position is used from any folder: its game lies where the file says, and has to be the game it was written with."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from tests.fuzzing.front_door import Ran
from tests.games import write_game
from tests.terminals import run, surroundings

__all__ = ["surroundings"]

RULES = """
item winnings

each player has
    score : 0..2 * most = 0
    bid   : 0..most = 0

play
    for each round in 1..2
        every player p secretly
            p chooses p.bid from 1..most
        for each p in player
            p gains p.bid score for winnings
"""

HIGHER = "kind: variant\nformat: 1\nextends: {}\ntitle: Higher\nset: {{most: 4}}\n"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A folder of games far from here: a game, a variant in its folder, and one beside it."""
    folder = tmp_path / "far" / "games"
    write_game(folder, RULES, more="parameters: {most: {value: 3, min: 1, max: 9}}\n")
    (folder / "small/variants").mkdir()
    (folder / "small/variants/higher.yaml").write_text(HIGHER.format("small"))
    (folder / "beside.yaml").write_text(HIGHER.format("small"))
    return folder


GAMES = {"small": "small", "small/variants/higher.yaml": "higher", "beside.yaml": "beside"}


def deal(game: Path, position: Path) -> Path:
    position.parent.mkdir(parents=True, exist_ok=True)
    assert run("deal", game, "--players", 2, "--seed", 1, "-o", position).code == 0
    return position


def read_by_all(position: object) -> list[Ran]:
    """Every command that reads positions."""
    return [
        run("check", position),
        run("dump", position, "--stage", "position"),
        run("solve", position, "--player", "p1", "--scenarios", 1, "--samples", 2),
        run("simulate", "--from", position, "--players", 2, "--games", 2, "--engine", "interpreter"),
        run("play", "--from", position, "--players", "you,random", "--save", "left.yaml", typed="quit\n"),
    ]


@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_used_where_it_lies_and_from_anywhere(
    game: str, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = deal(games / game, tmp_path / "elsewhere/deep/position.yaml")
    assert f'path: "../../far/games/{game}"\n' in position.read_text()
    for folder in (tmp_path, position.parent, games / "small", Path("/")):
        monkeypatch.chdir(folder)
        assert [run("check", position).code, run("dump", position, "--stage", "position").code] == [0, 0]
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [ran.code for ran in read_by_all("deep/position.yaml")] == [0] * 5
    again = Path("left.yaml").read_text()
    assert f'path: "../far/games/{game}"\n' in again, "seen from where it was saved"


def test_a_position_of_a_shipped_game_needs_no_path(tmp_path: Path) -> None:
    position = deal(Path("blotto"), tmp_path / "a/position.yaml")
    assert "path" not in position.read_text() and run("check", position).code == 0
    given = deal(rules_folder() / "goofspiel/variants/short.yaml", tmp_path / "a/variant.yaml")
    assert "path" not in given.read_text() and run("check", given).code == 0


def test_what_is_printed_is_meant_for_the_folder_one_stands_in(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(games)
    assert "\npath: small\n" in run("deal", "small", "--players", 2, "--seed", 1).out


def test_a_position_of_a_stopped_replay_has_a_path(games: Path, tmp_path: Path) -> None:
    small, record = games / "small", tmp_path / "record.jsonl"
    assert run("simulate", small, "--players", "2", "--games", 1, "--seed", 1, "--transcripts", record).code == 0
    position = tmp_path / "elsewhere/position.yaml"
    position.parent.mkdir()
    assert run("replay", record, "--game", small, "--stop-after", 1, "-o", position).code == 0
    assert '\npath: "../far/games/small"\n' in position.read_text()
    assert run("check", position).code == 0


def test_a_position_and_its_game_are_moved_together(games: Path, tmp_path: Path) -> None:
    deal(games / "small/variants/higher.yaml", tmp_path / "far/tables/position.yaml")
    shutil.move(tmp_path / "far", tmp_path / "further")
    assert [ran.code for ran in read_by_all("further/tables/position.yaml")] == [0] * 5


def test_a_link_to_a_position_means_the_position(games: Path, tmp_path: Path) -> None:
    position = deal(games / "small", tmp_path / "elsewhere/deep/position.yaml")
    (tmp_path / "link.yaml").symlink_to(position)
    assert run("check", "link.yaml").code == 0


def test_a_position_without_a_path_is_read_as_before(games: Path, tmp_path: Path) -> None:
    """Beside its game, in it, or from the folder that holds the game."""
    for place in (games / "position.yaml", games / "small/position.yaml", tmp_path / "position.yaml"):
        position = deal(games / "small", place)
        position.write_text(re.sub(r"path: .*\n", "", position.read_text()))
    assert run("check", games / "position.yaml", games / "small/position.yaml").code == 0
    found = run("check", tmp_path / "position.yaml")
    assert found.code == 1 and "position.yaml:3:7: error E608: there is no game `small`" in found.out
    shutil.copytree(games / "small", tmp_path / "small")
    assert run("check", tmp_path / "position.yaml").code == 0


def test_of_games_with_one_name_that_with_the_same_rules_is_taken(games: Path, tmp_path: Path) -> None:
    """A path that leads nowhere any more, and another game of the name that is nearer."""
    position = deal(games / "small", tmp_path / "near/position.yaml")
    shutil.copytree(games / "small", tmp_path / "near/small")
    changed = tmp_path / "near/small/game.yaml"
    changed.write_text(changed.read_text().replace("value: 3", "value: 5"))
    shutil.move(games / "small", tmp_path / "small")
    assert run("check", position).code == 0
    shutil.rmtree(tmp_path / "small")
    assert "E607" in run("check", position).out


def test_a_position_of_other_rules_is_refused_by_every_command(games: Path, tmp_path: Path) -> None:
    position = deal(games / "small", tmp_path / "elsewhere/position.yaml")
    data = games / "small/game.yaml"
    data.write_text(data.read_text().replace("value: 3", "value: 5"))
    found = read_by_all(position)
    assert [ran.code for ran in found] == [1, 2, 2, 2, 2]
    message = "error E607: this position was written with other rules than those in "
    assert all(message + str(games / "small") in ran.out + ran.err for ran in found)
    assert not Path("left.yaml").exists()
    position.write_text(re.sub(r"rules: .*\n", "", position.read_text()))  # as the message says
    assert [ran.code for ran in read_by_all(position)] == [0] * 5


def test_a_game_that_is_gone_is_told_by_every_command(games: Path, tmp_path: Path) -> None:
    position = deal(games / "small", tmp_path / "elsewhere/position.yaml")
    shutil.move(games / "small", tmp_path / "hidden")
    found = read_by_all(position)
    assert [ran.code for ran in found] == [1, 2, 2, 2, 2]
    message = "position.yaml:5:7: error E608: the game `small` is not there, seen from this file"
    assert all(message in ran.out + ran.err for ran in found), [ran.err for ran in found]


def test_no_line_of_another_file_is_shown(games: Path, tmp_path: Path) -> None:
    """A position from a stranger may point anywhere."""
    position = deal(games / "small", tmp_path / "elsewhere/position.yaml")
    (tmp_path / "secret").write_text("password: sesame\n")
    position.write_text(
        re.sub(r"game: .*\n", "game: gone\n", re.sub(r"path: .*\n", "path: ../secret\n", position.read_text()))
    )
    found = read_by_all(position)
    assert all("E608" in ran.out + ran.err and "sesame" not in ran.out + ran.err for ran in found)


def test_a_variant_that_is_gone_is_told_with_its_name(games: Path, tmp_path: Path) -> None:
    position = deal(games / "small/variants/higher.yaml", tmp_path / "elsewhere/position.yaml")
    (games / "small/variants/higher.yaml").unlink()
    assert "E608: the game `small/higher` is not there" in run("check", position).out


@pytest.mark.parametrize("path", ["/etc", "C:\\games", "a\\b", "", "3", "../" * 400])
def test_a_path_that_is_none_is_refused(path: str, games: Path, tmp_path: Path) -> None:
    position = deal(games / "small", tmp_path / "elsewhere/position.yaml")
    given = path if path == "3" else f"'{path}'"
    position.write_text(re.sub(r"path: .*\n", lambda _: f"path: {given}\n", position.read_text()))
    found = run("check", position)
    assert found.code == 1 and "position.yaml:5:7: error E" in found.out
