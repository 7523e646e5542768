"""However narrow a terminal is, nothing that is shown is cut off: lines are wrapped, and wide tables are parted."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.checking.hostile_texts import World
from tests.conftest import ROOT
from tests.terminals import run, surroundings  # noqa: F401  # a fixture for all tests here

SHOWN: dict[str, tuple[object, ...]] = {
    "who wins": ("simulate", "chocolatl", "--players", 5, "--games", 4, "--jobs", 1, "--details"),
    "who wins on a board": ("simulate", "quetzal", "--players", 2, "--games", 1, "--jobs", 1,
                            "--engine", "interpreter", "--details"),
    "a table": ("deal", "chocolatl", "--players", 5, "--seed", 1, "--to-round", 2, "--board"),
    "a grid": ("deal", "cacao", "--players", 4, "--seed", 1, "--board"),
    "places that hold much": ("deal", "quetzal", "--players", 5, "--seed", 1, "--board"),
    "a position": ("dump", "{position}", "--stage", "position"),
    "a game": ("replay", "{games}", "--tell", "--board", "--stop-after", 60),
    "playing": ("play", "chocolatl", "--players", "you,random,random", "--seed", 1, "--save", "left.yaml"),
    "a best answer": ("solve", "{position}", "--player", "p1", "--explain", "--samples", 4, "--scenarios", 2,
                      "--seed", 1, "--time-limit", 60),
    "what a policy likes": ("train", "--explain", ROOT / "rules" / "kuhn_poker" / "policy.yaml"),
    "scenarios": ("test", "{scenario}"),
    "findings": ("check", "{mistake}"),
}  # fmt: skip
PLAIN = ("scenarios", "findings", "playing")
"""They print lines that are copied or read by programs; the terminal wraps these itself."""
TYPED = "help\nlook\n\n1\n1 2 3\nquit\n"
FRAMES = re.compile(r"[\s│┃─━┏┓┗┛┡┩┳┻╇┴┬├┤┼┌┐└┘╷╵╴╶]+")
"""What stands between words."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    names = {"position": folder / "position.yaml", "games": folder / "games.jsonl", "scenario": folder / "wrong.yaml"}
    names["mistake"] = folder / "mistake.yaml"
    names["mistake"].write_text("kind: scenario\nformat: 1\nnaem: One\ngame: goofspiel\n", encoding="utf-8")
    assert run("deal", "goofspiel", "--players", 3, "--seed", 1, "-o", names["position"]).code == 0
    game = ("simulate", "chocolatl", "--players", 3, "--games", 1, "--jobs", 1, "--engine", "interpreter")
    assert run(*game, "--transcripts", names["games"]).code == 0
    names["scenario"].write_text(
        "kind: scenario\nformat: 1\nname: Something that is not so at all, as everybody knows who has seen the game\n"
        "game: goofspiel\nplayers: [A, B]\nthen: {table: {stack: [1, 2], offer: [3, 4, 5]}}\n",
        encoding="utf-8",
    )
    return names


def shown(words: tuple[object, ...], files: dict[str, Path]) -> str:
    ran = run(*(str(word).format(**files) for word in words), typed=TYPED)
    assert ran.code in (0, 1) and ran.out and not ran.trouble, ran
    return re.sub(r"\d+\.\d+ s\b", "", ran.out)


def words_of(text: str) -> Counter[str]:
    return Counter(word for word in FRAMES.split(text) if word and word not in ("0", "-"))


@pytest.mark.parametrize("what", SHOWN)
def test_a_narrow_terminal_shows_the_same_words(
    what: str, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = words_of(shown(SHOWN[what], files))
    for columns in (50, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        text = shown(SHOWN[what], files)
        assert what in PLAIN or max(map(cell_len, text.splitlines())) <= columns
        narrow = words_of(text)
        cut = {word.partition("=")[0].strip() for word in re.findall(r"\S*…\S* =", text)}
        assert all(word in cut for word in narrow if "…" in word), "what is cut in a picture is told below it"
        parts = [word for word in narrow if len(word) > 5]
        for word, times in wide.items():
            broken = any(word.startswith(part) for part in parts if len(part) >= columns // 2 - 8)
            assert narrow[word] >= times or "…" in word or broken, (columns, word, text)


def test_a_very_narrow_terminal_is_never_written_beyond(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    for what, words in SHOWN.items():
        if what not in PLAIN:
            assert max(map(cell_len, shown(words, files).splitlines())) <= 20


@pytest.mark.parametrize("columns", ["0", "-5", "junk", "", "\u0663", "1e9", "9" * 5000, " 0 ", "00"])
def test_a_width_that_is_none_is_the_usual_one(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(descriptor: int) -> os.terminal_size:
        raise OSError

    monkeypatch.setattr(os, "get_terminal_size", unknown)
    words = ("deal", "chocolatl", "--players", 3, "--seed", 1, "--board")
    monkeypatch.setenv("COLUMNS", "80")
    usual, help_text = run(*words).out, run("solve", "--help").out
    assert usual and help_text
    monkeypatch.setenv("COLUMNS", columns)
    assert run(*words).out == usual and run("solve", "--help").out == help_text
    assert run(*words, terminal=True).out.count("\n") == usual.count("\n")
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size((0, 0)))
    assert run(*words).out == usual


@pytest.mark.parametrize("columns", ["1", "7", "19"])
def test_no_terminal_is_narrower_than_twenty_columns(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("deal", "goofspiel", "--players", 2, "--seed", 1, "--board")
    monkeypatch.setenv("COLUMNS", "20")
    narrow = run(*words).out
    monkeypatch.setenv("COLUMNS", columns)
    assert run(*words).out == narrow and run("solve", "--help").code == 0


def test_a_long_title_is_shown_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, "", " of many words" * 20, "")
    for columns in ("50", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        for words in (("deal", "--seed", 1, "--board"), ("simulate", "--games", 2, "--engine", "interpreter")):
            ran = run(
                words[0], world.game, "--players", 2, *words[1:], *(("--jobs", 1) if words[0] == "simulate" else ())
            )
            title = "".join(ran.out.split()).replace("│", "").partition("──")[0]
            assert ("Thefair" + "ofmanywords" * 20) in title, ran.out
