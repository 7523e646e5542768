"""Players that are functions of their user: what they see, what they may answer, and from where they may come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import chocolatl as ch
from chocolatl import cli
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.players.programs import AskedChoice

MODULE = """\
def highest(view, asked, random):
    return asked.legal[-1]

def wrong(view, asked, random):
    return 99

def failing(view, asked, random):
    return 1 / 0
"""


def highest(view: dict[str, Any], asked: AskedChoice, random: Random) -> object:
    return asked.legal[-1]


def some(view: dict[str, Any], asked: AskedChoice, random: Random) -> object:
    return asked.legal[random.below(asked.count)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "their_players.py").write_text(MODULE)
    return tmp_path


def test_a_function_plays() -> None:
    game = ch.load("goofspiel/short", 2)
    runs = game.simulate([highest, "random"], games=50, seed=2)
    assert runs.rows == game.simulate([highest, "random"], games=50, seed=2).rows
    assert runs.rows[0]["win_share"] > 0.5
    # Functions of one name are told apart.
    lowest, best = (lambda view, asked, random: asked.legal[0]), (lambda view, asked, random: asked.legal[-1])
    both = game.simulate([lowest, best], games=20)
    assert both.rows[1]["win_share"] > both.rows[0]["win_share"]


def test_whoever_draws_a_legal_answer_is_a_random_player() -> None:
    """The numbers are those of the seat, so that the games are the very ones."""
    game = ch.load("goofspiel/short", 3)
    own, its = (game.simulate([type_] * 3, games=40, seed=5) for type_ in (some, "random"))
    assert [row["score"] for row in own.rows] == [row["score"] for row in its.rows]


def test_it_sees_what_its_player_may_know() -> None:
    seen: list[tuple[dict[str, Any], str]] = []

    def watching(view: dict[str, Any], asked: AskedChoice, random: Random) -> object:
        seen.append((view, asked.player))
        return asked.legal[0]

    ch.load("kuhn_poker", ["ann", "bob"]).simulate([watching, watching], games=5, seed=1)
    assert seen and all(view["player"] == player for view, player in seen)
    assert not any("their" in str(view) for view, _ in seen)


def test_what_it_answers_wrongly_is_told() -> None:
    game = ch.load("goofspiel/short", 2)

    def wrong(view: dict[str, Any], asked: AskedChoice, random: Random) -> object:
        return 99

    def failing(view: dict[str, Any], asked: AskedChoice, random: Random) -> object:
        raise ZeroDivisionError("of their own")

    with pytest.raises(ch.ChocolatlError, match="wrong answered `bid`: 99 is not a card"):
        game.simulate([wrong, "random"], games=1)
    with pytest.raises(ZeroDivisionError, match="of their own"):
        game.simulate([failing, "random"], games=1)
    with pytest.raises(ch.ChocolatlError, match="leave `jobs` away"):
        game.simulate([highest, "random"], games=1, jobs=2)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_takes_functions_of_modules(jobs: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"simulate goofspiel/short --players python:their_players:highest,random --games 20 --jobs {jobs} --json"
    assert cli.main(words.split()) == 0
    assert '"type": "python:their_players:highest"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("python:their_players:wrong", "answered `bid`: 99 is not a card"),
        ("python:their_players:failing", "failed: ZeroDivisionError: division by zero"),
        ("python:their_players:missing", "has no attribute 'missing'"),
        ("python:no_such_module:x", "No module named 'no_such_module'"),
        ("python:their_players:MODULE.x", "`python:module:function`"),
        ("python", "`python:module:function`"),
        ("python:os", "`python:module:function`"),
    ],
)
def test_what_is_wrong_with_a_function_is_one_sentence(
    type_: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["simulate", "goofspiel/short", "--players", f"{type_},random", "--games", "1"]) == 2
    assert message in capsys.readouterr().err


FILES = {
    "position": ("solve", "p.yaml", "--player", "p1", "--against", "python:their_players:highest"),
    "names": ("deal", "goofspiel", "--players", "p1=python:their_players:highest,p2=random", "--seed", "1"),
}


@pytest.mark.parametrize("words", FILES.values(), ids=FILES)
def test_elsewhere_no_program_is_taken(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["deal", "goofspiel/short", "--players", "2", "--seed", "1", "-o", "p.yaml"]) == 0
    assert cli.main([*words]) == 2
    assert "python" in capsys.readouterr().err


def test_no_file_can_name_a_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No format has a place for a type of player: wherever one is written, the file is refused."""
    assert cli.main(["deal", "goofspiel/short", "--players", "2", "--seed", "1", "-o", "p.yaml"]) == 0
    (folder / "their_players.py").write_text("raise SystemExit('a file ran a program')\n")
    for line in ("players: [python:their_players:highest, p2]", "types: [python:their_players:highest, random]"):
        text = (folder / "p.yaml").read_text()
        kept = [row for row in text.splitlines() if not row.startswith(line.partition(":")[0])]
        (folder / "q.yaml").write_text("\n".join([*kept, line]) + "\n")
        for words in ("solve q.yaml --player p1", "simulate --from q.yaml --players 2 --games 1", "check q.yaml"):
            assert cli.main(words.split()) in (1, 2), (line, words)
            assert "a file ran a program" not in capsys.readouterr().err
