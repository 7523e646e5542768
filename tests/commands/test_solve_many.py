"""Several positions or players in one call of `chocolatl solve`: a line for each, whatever becomes of the others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.commands.solving import many
from chocolatl.interpreter.commands.solving.answer import solved
from chocolatl.interpreter.data.schema import problems
from tests.fuzzing.front_door import Ran
from tests.terminals import run, surroundings

__all__ = ["surroundings"]

BRIEFLY = ("--scenarios", 1, "--samples", 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Positions at two places, beside other files."""
    found = tmp_path / "positions"
    (found / "inner").mkdir(parents=True)
    for seed, name in ((1, "b.yaml"), (2, "a.yaml"), (3, "inner/c.yml")):
        assert run("deal", "blotto", "--players", 2, "--seed", seed, "-o", found / name).code == 0
    (found / "variant.yaml").write_text("kind: variant\nformat: 1\nextends: blotto\n")
    (found / "notes.txt").write_text("kind: position\n")
    (found / "junk.yaml").write_bytes(b"\xff\x00")
    return found


def lines(ran: Ran) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in ran.out.splitlines()]
    for line in found:
        assert problems(line, "solve_failures" if "error" in line else "solve_results") == []
    return found


def keys(ran: Ran) -> list[tuple[str, str]]:
    return [(line["file"], line["player"]) for line in lines(ran)]


def test_all_positions_of_a_folder_and_all_players(folder: Path) -> None:
    ran = run("solve", "positions", "--player", "all", *BRIEFLY)
    files = ["positions/a.yaml", "positions/b.yaml", "positions/inner/c.yml"]
    assert (ran.code, ran.err) == (0, "")
    assert keys(ran) == [(file, player) for file in files for player in ("p1", "p2")]


def test_a_line_is_what_the_question_alone_is_answered(folder: Path) -> None:
    asked = ("--scenarios", 2, "--samples", 5, "--explain", "--compare", "troops[1]=4", "troops[2]=4", "troops[3]=2")
    together = lines(run("solve", folder / "a.yaml", folder / "b.yaml", "--player", "p2", "--player", "p1", *asked))
    assert len(together) == 4
    for line in together:
        alone = json.loads(run("solve", line.pop("file"), "--player", line["player"], *asked, "--json").out)
        assert {**line, "seconds": 0} == {**alone, "seconds": 0}


def test_each_question_is_asked_once(folder: Path) -> None:
    given = ("positions/a.yaml", "positions/inner", "positions/a.yaml")
    assert keys(run("solve", *given, "--player", "p1", "--player", "p1", *BRIEFLY)) == [
        ("positions/a.yaml", "p1"),
        ("positions/inner/c.yml", "p1"),
    ]


def test_what_goes_wrong_with_one_leaves_the_others_their_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken position, one in which the player has nothing to decide, a player who is not there, a missing file."""
    broken = folder / "a.yaml"
    broken.write_text(re.sub("left: 10", "left: 99", broken.read_text(), count=1))
    assert run("deal", "kuhn_poker", "--players", 2, "--seed", 1, "-o", folder / "k.yaml").code == 0
    ran = run("solve", "nowhere.yaml", "positions", "--player", "p2", "--player", "p9", *BRIEFLY)
    found = {(line["file"], line["player"]): line.get("error", "") for line in lines(ran)}
    assert ran.code == 2
    assert [key for key, error in found.items() if not error] == [
        ("positions/b.yaml", "p2"),
        ("positions/inner/c.yml", "p2"),
    ]
    assert found["nowhere.yaml", None] == "nowhere.yaml: there is no such file"
    assert re.match(r"positions/a.yaml:\d+:\d+: E601: .*99", found["positions/a.yaml", None])
    assert found["positions/b.yaml", "p9"] == "--player: there is no player `p9` (they are: p1, p2)"
    told = {error for error in found.values() if error}
    assert "p2 has nothing to decide in this position; p1 can" in told
    assert "chocolatl: positions/b.yaml, p9: --player: there is no player `p9`" in ran.err
    assert "positions/a.yaml:" in ran.err and "error E601" in ran.err and "Traceback" not in ran.err


def test_a_bug_of_ours_leaves_the_others_their_answers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = solved

    def failing(arguments: Any, loaded: Any, player: str, *more: Any) -> Any:
        if player == "p1":
            raise LookupError("oh")
        return real(arguments, loaded, player, *more)

    monkeypatch.setattr(many, "solved", failing)
    ran = run("solve", folder / "a.yaml", folder / "b.yaml", "--player", "all", *BRIEFLY)
    assert ran.code == 70 and [line.get("code", 0) for line in lines(ran)] == [70, 0, 70, 0]
    assert ran.err.count("this is a bug of ours, not a mistake of yours (LookupError: oh)") == 2


def test_the_exit_code_is_the_greatest(folder: Path) -> None:
    ran = run("solve", folder / "a.yaml", "--player", "all", "--time-limit", "0.5")
    assert ran.code == 1 and [line["code"] for line in lines(ran)] == [1, 1]
    assert "no answer was found in the time" in lines(ran)[0]["error"]


def test_everybody_is_whoever_has_something_to_decide(tmp_path: Path) -> None:
    for seed in range(2):
        assert run("deal", "kuhn_poker", "--players", 2, "--seed", seed, "-o", f"{seed}.yaml").code == 0
    (over,) = re.findall("player: (p.)", re.findall("pending: .*", Path("1.yaml").read_text())[0])
    assert keys(run("solve", "1.yaml", "--player", "all", *BRIEFLY)) == [("1.yaml", over)]


def test_who_is_called_all_is_asked(tmp_path: Path) -> None:
    assert run("deal", "blotto", "--players", "all=random,ben=random", "--seed", 1, "-o", "x.yaml").code == 0
    assert keys(run("solve", "x.yaml", "--player", "all", *BRIEFLY)) == [("x.yaml", "all")]


def test_progress_is_told_on_a_terminal(folder: Path) -> None:
    ran = run("solve", "positions", "--player", "p1", *BRIEFLY, terminal=True)
    assert "1 of 3: positions/a.yaml" in ran.err and "3 of 3: positions/inner/c.yml" in ran.err
    assert len(lines(ran)) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["positions", "--player", "p1", "--plot", "x.svg"], "--plot draws the answer to one question"),
        (["positions", "--player", "p1", "--compare", "bid"], "--compare: an answer is written CHOICE=VALUE"),
        (["empty", "--player", "p1"], "empty: this folder holds no position"),
    ],
)
def test_what_no_question_can_have_is_refused_at_once(
    arguments: list[str], message: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("solve", *arguments)
    assert (ran.code, ran.out) == (2, "") and message in ran.err and ran.err.count("\n") == 1
