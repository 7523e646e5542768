"""Players of the type `learned` by other rules than those their policy was learned for: they go on from it by a fixed
amount, keep what comes of it, and say so; none of it where it would take long."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats import policy_cache
from chocolatl.interpreter.formats.policy_file import load_sections, write_section
from chocolatl.interpreter.formats.policy_weights import weights_section
from chocolatl.interpreter.learning import catching_up, lessons, recipes
from chocolatl.interpreter.play.library import load
from tests.policy.drawing import weights_at_random

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little to learn, and a cache of its own."""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lessons, "MEASURED", 40)
    monkeypatch.setattr(recipes, "MOST_GAMES", 40)
    monkeypatch.setattr(recipes, "LEAST_GAMES", 40)
    monkeypatch.setattr(catching_up, "UPDATES", 2)


def with_policy(tmp_path: Path) -> Path:
    """A copy of a shipped game, with a policy for two players beside it."""
    folder = tmp_path / "goofspiel"
    shutil.copytree(rules_folder() / "goofspiel", folder, ignore=shutil.ignore_patterns("policy.yaml"))
    game = load(folder, 2)
    section = weights_section(weights_at_random(game, 1))
    write_section(
        folder / "policy.yaml", game, {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **section}
    )
    return folder


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """A game whose rules were edited after a policy was learned for them."""
    folder = with_policy(tmp_path)
    rules = folder / "goofspiel.rules"
    rules.write_text(rules.read_text(encoding="utf-8").replace("bid    : 0..cards = 0", "bid    : 0..cards + 1 = 0"))
    return folder


def simulated(game: object, players: str, *more: str) -> int:
    return cli.main(["simulate", str(game), "--players", players, "--games", "20", "--jobs", "1", *more])


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "policies").glob("*.yaml"))


def test_edited_rules_are_learned_once(edited: Path, tmp_path: Path, capsys: Captured) -> None:
    assert cli.main(["check", str(edited)]) == 0
    assert "W904" in capsys.readouterr().out
    assert simulated(edited, "learned,random") == 0
    first = capsys.readouterr()
    assert "learned for other rules than `goofspiel`; `learned` goes on from it by 2 updates" in first.err
    (policy,) = kept(tmp_path)
    assert "`learned` follows what was learned for `goofspiel`" in first.err and str(policy) in first.err
    before = policy.read_bytes()
    assert simulated(edited, "learned,random", "--engine", "interpreter") == 0
    again = capsys.readouterr()
    assert "goes on" not in again.err and policy.read_bytes() == before
    shares = [re.findall(r"[0-9.]+ % \([0-9. to]+\): victory of \w+", told) for told in (first.out, again.out)]
    assert len(shares[0]) == 2 and shares[0] == shares[1], "the same games, in both engines"


def test_everybody_comes_to_the_same_policy(edited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any number of processors; and as `train` does, which says from where it went on."""
    found = []
    for number, jobs in enumerate(("1", "2")):
        monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / str(number)))
        given = ["simulate", str(edited), "--players", "learned,random", "--games", "2", "--jobs", jobs]
        assert cli.main(given) == 0
        found += [path.read_bytes() for path in (tmp_path / str(number) / "policies").glob("*.yaml")]
    own = tmp_path / "own.yaml"
    start = str(edited / "policy.yaml")
    assert cli.main(["train", str(edited), "--players", "2", "--updates", "2", "--from", start, "-o", str(own)]) == 0
    assert len(found) == 2 and found[0] == found[1] == own.read_bytes()


def test_what_is_kept_is_made_anew_when_the_policy_is_another(edited: Path, tmp_path: Path, capsys: Captured) -> None:
    assert simulated(edited, "learned,random") == 0
    text = (edited / "policy.yaml").read_text(encoding="utf-8")
    row = text.index('"', text.index("weights:")) + 1
    (edited / "policy.yaml").write_text(text[:row] + "7" + text[text.index(" ", row) :], encoding="utf-8")
    before = kept(tmp_path)[0].read_bytes()
    assert simulated(edited, "learned,random") == 0
    assert capsys.readouterr().err.count("goes on") == 2
    assert kept(tmp_path)[0].read_bytes() != before


@pytest.mark.parametrize("damage", [b"\x00\xff", b"kind: policy\n"])
def test_what_was_kept_and_is_damaged_is_not_there(
    edited: Path, damage: bytes, tmp_path: Path, capsys: Captured
) -> None:
    assert simulated(edited, "learned,random") == 0
    (path,) = kept(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(damage)
    assert simulated(edited, "learned,random") == 0
    assert capsys.readouterr().err.count("goes on") == 2
    assert path.read_bytes() == whole


def test_nobody_waits_long_unasked(
    edited: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command to type is told, and makes what is followed from then on."""
    monkeypatch.setattr(catching_up, "PATIENCE", 1e-6)
    assert simulated(edited, "learned,random") == 2
    told = capsys.readouterr()
    assert told.out == "" and "`--accept-stale` to follow it as it is" in told.err and not kept(tmp_path)
    program, *command = shlex.split(re.search(r"type `([^`]+)`", told.err)[1])  # type: ignore[index]
    assert program == "chocolatl" and cli.main(command) == 0 and len(kept(tmp_path)) == 1
    assert simulated(edited, "learned,random") == 0
    assert "goes on" not in capsys.readouterr().err


def test_what_is_accepted_is_not_learned(edited: Path, tmp_path: Path, capsys: Captured) -> None:
    assert simulated(edited, "learned,random", "--accept-stale") == 0
    assert "followed as far as it fits" in capsys.readouterr().err and not kept(tmp_path)
    assert simulated(edited, f"learned:{edited / 'policy.yaml'},random") == 2
    assert "--accept-stale" in capsys.readouterr().err


def test_a_variant_starts_from_the_weights_of_its_game(tmp_path: Path, capsys: Captured) -> None:
    folder = with_policy(tmp_path)
    variant = folder / "variants" / "carry.yaml"
    assert simulated(variant, "learned,random") == 0
    assert "than `goofspiel/carry`; `learned` goes on from it" in capsys.readouterr().err
    game, parent = load(variant, 2), load(folder, 2)
    recipe = load_sections(kept(tmp_path)[0], game)[2]["recipe"]
    assert recipe["from"] == policy_cache.origin(load_sections(folder / "policy.yaml", parent)[2])


def test_a_table_is_made_anew(tmp_path: Path, capsys: Captured) -> None:
    assert simulated("kuhn_poker/misere", "learned,random") == 0
    told = capsys.readouterr().err
    assert "`learned` makes a table for these" in told and "updates" not in told
    assert "table" in load_sections(kept(tmp_path)[0], load(rules_folder() / "kuhn_poker", 2))[2]
