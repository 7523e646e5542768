"""Policy files that are damaged, or a stranger's: whatever stands in them, they are followed or refused in a
sentence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.formats.policy_file import write_section
from chocolatl.interpreter.formats.policy_weights import weights_section
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.source import UnreadableFile
from tests.conftest import base_seed
from tests.policy.drawing import weights_at_random

JUNK: Any = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-(10**30), 10**30), st.floats(), st.text(max_size=12),
    st.sampled_from(["", "0", "-1 " * 50, "pass 10000", "pass 1, pass 1", "9" * 5000, "\x1b[2J", "!!python/object:os"]),
    st.lists(st.integers(), max_size=4), st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)  # fmt: skip


@cache
def game_of(name: str) -> Game:
    return load(rules_folder() / name, 2)


@cache
def text_of(name: str, folder: Path) -> str:
    """A policy with weights, or the table that is shipped."""
    game = game_of(name)
    if name == "kuhn_poker":
        return (rules_folder() / name / "policy.yaml").read_text(encoding="utf-8")
    section = weights_section(weights_at_random(game, 1))
    path = folder / "whole.yaml"
    write_section(path, game, {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **section})
    return path.read_text(encoding="utf-8")


def followed_or_refused(name: str, path: Path) -> None:
    """One of both, and nothing else."""
    player, game = LearnedPlayer(path), game_of(name)
    try:
        player.seated(game)
    except Rejected:
        return
    except UnreadableFile as error:
        assert str(path) in str(error)
        return
    play_game(game, [player] * 2, base_seed())


def places(held: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", ["blotto", "kuhn_poker"])
@given(data=st.data())
def test_bytes_that_are_others(name: str, tmp_path: Path, data: st.DataObject) -> None:
    whole = text_of(name, tmp_path).encode()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 60)))
    path = tmp_path / "damaged.yaml"
    path.write_bytes(whole[:start] + data.draw(st.binary(max_size=12)) + whole[end:])
    followed_or_refused(name, path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", ["blotto", "kuhn_poker"])
@given(data=st.data())
def test_parts_that_are_others(name: str, tmp_path: Path, data: st.DataObject) -> None:
    document = yaml.safe_load(text_of(name, tmp_path))
    for place in data.draw(st.lists(st.sampled_from(places(document)[1:]), min_size=1, max_size=3)):
        held = document
        try:
            for key in place[:-1]:
                held = held[key]
            if data.draw(st.booleans()):
                held[place[-1]] = data.draw(JUNK)
            else:
                del held[place[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # it has gone with the place before
    path = tmp_path / "damaged.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    followed_or_refused(name, path)


@pytest.mark.parametrize("command", ["simulate", "train --measure", "train --explain", "train --from", "check"])
def test_every_command_refuses_a_damaged_file(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = text_of("blotto", tmp_path)
    path = tmp_path / "damaged.yaml"
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    given = {
        "simulate": ["simulate", "blotto", "--players", f"learned:{path},random", "--games", "1"],
        "check": ["check", str(path)],
        "train --from": ["train", "blotto", "--players", "2", "--from", str(path), "-o", str(tmp_path / "new.yaml")],
    }.get(command, [*command.split(), str(path)])
    assert cli.main(given) == (1 if command == "check" else 2)
    told = "".join(capsys.readouterr())
    assert "damaged.yaml" in told and "Traceback" not in told and "bug" not in told


@pytest.mark.parametrize("part", ["games: 0", "games: -5", "games: [1]", "games: 100001", "updates: x", "updates: -1"])
def test_a_recipe_that_makes_no_sense_is_refused(part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.yaml"
    text = text_of("blotto", tmp_path)
    assert text.count("method: league") == 1
    path.write_text(text.replace("method: league", f"method: league, {part}"), encoding="utf-8")
    assert cli.main(["train", "--measure", str(path)]) == 2
    told = capsys.readouterr().err
    assert f"`{part.partition(':')[0]}`" in told and "bug" not in told
