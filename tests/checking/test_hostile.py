"""Folders from strangers, in a process that may take neither much memory nor much time: what is in them is told.

`test_fuzz.py` tries what nobody thought of; here is what an attacker would think of. The limits that the operating
system sets stand for a machine that has other things to do: without those of the program itself, these files would
take gigabytes or hours.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from tests.conftest import ROOT
from tests.games import write_game

MEMORY = 1 << 30
SECONDS = 60
"""Of the processor: about ten times what the slowest of these takes."""
LINES = 100_000


def limited(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command with limits on what it may use."""

    def set_limits() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, str(ROOT / "cli.py"), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, preexec_fn=set_limits)


def variant(extends: str, more: str = "") -> str:
    return f"kind: variant\nformat: 1\nextends: {extends}\ntitle: A variant\n{more}"


# ---------------------------------------------------------------- data

GAME = "kuhn_poker"
BOMB = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10) if n else 'x'}]\n" for n in range(10))
FILES: dict[str, tuple[str | bytes, str]] = {
    "circle_one": (variant(f"{GAME}/circle_two"), "E906"),
    "circle_two": (variant(f"{GAME}/circle_one"), "E906"),
    "itself": (variant(f"{GAME}/itself"), "E905"),
    **{f"chain{n}": (variant(f"{GAME}/chain{n + 1}" if n < 12 else GAME), "E906" if n < 3 else "") for n in range(13)},
    "outside": (variant("../../secret"), "E204"),
    "absolute": (variant("/etc/passwd"), "E204"),
    "long_name": (variant("x" * 5_000), "E204"),
    "nowhere": (variant("nothing/at_all"), "E905"),
    "aliases": (variant(GAME, BOMB), "E203"),
    "deep_lists": (variant(GAME, "set: " + "[" * LINES), "E203"),
    "deep_maps": (variant(GAME, "set:\n" + "".join(" " * n + "a:\n" for n in range(1, 2_000))), "E203"),
    "long_number": (variant(GAME, f"set: {{ante: {'9' * LINES}}}"), "E203"),
    "long_list": (variant(GAME, "set:\n  ante:\n" + "    - 1\n" * LINES), "E901"),
    "many_keys": (variant(GAME, "set:\n" + "".join(f"  a{n}: 1\n" for n in range(LINES))), "E203"),
    "many_values": (variant(GAME, f"set: {{ante: [{'0,' * 250_000}]}}"), "E203"),
    "tag": (variant(GAME, "set: !!python/object/apply:os.system [ls]"), "E203"),
    "nul": (variant(GAME, "why: a\0b"), "this is a binary file"),
    "utf16": (variant(GAME).encode("utf-16"), "this is a binary file"),
    "latin1": (variant(GAME, "why: é").encode("latin-1"), "the file is not UTF-8 text"),
    "large": (variant(GAME) + "# \n" * 4_000_000, "at most 10,000,000 are read"),
}
"""The variants of a folder, and what is to be said of each: the code of a finding, or words of a message."""


def test_a_folder_of_hostile_data(tmp_path: Path) -> None:
    root = tmp_path / "root"
    game = Path(shutil.copytree(rules_folder() / GAME, root / GAME, ignore=shutil.ignore_patterns("*s")))
    shutil.copy(rules_folder() / GAME / f"{GAME}.rules", game)
    (game / "variants").mkdir()
    for name, (content, _) in FILES.items():
        data = content.encode() if isinstance(content, str) else content
        (game / "variants" / f"{name}.yaml").write_bytes(data)
    (tmp_path / "secret.yaml").write_text(variant(GAME, "why: nobody may read this"))
    os.symlink(tmp_path / "secret.yaml", game / "variants" / "link.yaml")
    os.symlink(tmp_path, game / "variants" / "up")
    os.mkfifo(root / "pipe.yaml")
    ran = limited("check", "root", "--format", "json", folder=tmp_path)
    assert ran.returncode == 2, ran.stderr
    found: dict[str, set[str]] = {}
    for finding in json.loads(ran.stdout)["findings"]:
        found.setdefault(Path(finding["file"]).stem, set()).add(finding["code"])
    wrong = {
        name: (code, found.get(name))
        for name, (_, code) in FILES.items()
        if code[:1] == "E" and found.get(name) != {code}
    }
    assert wrong == {}
    told = {**{name: words for name, (_, words) in FILES.items()}, "link": "leads out", "pipe": "not an ordinary file"}
    for name, words in told.items():
        if words[:1] not in ("E", ""):
            assert any(f"{name}.yaml" in line and words in line for line in ran.stderr.splitlines()), name
    assert "nobody may read this" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("file", ["game.yaml", f"{GAME}.rules"])
def test_a_link_out_of_the_root_is_not_read(file: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: 12345\n")
    game = Path(shutil.copytree(rules_folder() / GAME, tmp_path / "root" / GAME))
    (game / file).unlink()
    os.symlink(tmp_path / "secret", game / file)
    for words in (
        ("check", str(game)),
        ("simulate", str(game), "--players", "2"),
        ("dump", str(game), "--stage", "tree"),
    ):
        ran = limited(*words, folder=tmp_path)
        assert ran.returncode == 2 and "leads out of the folder" in ran.stderr
        assert "12345" not in ran.stdout + ran.stderr


# ---------------------------------------------------------------- rules

HUGE = 9_223_372_036_854_775_807
RULES: dict[str, tuple[str, str]] = {
    "run": (f"    for each x in 1..{HUGE}\n        nothing", "E504"),
    "answers": (f"    for each p in player\n        p chooses x from 1..{HUGE}", "E504"),
    "combinations": ("    for each p in player\n        p chooses x from 1..99999, y from 1..99999", "E504"),
    "outcomes": (f"    roll x from 1..{HUGE} odds x", "E504"),
    "odds": ("    roll x from 1..2 odds 3000000000 * x", "E504"),
    "dice": ("    roll 1000000000 dice from 1..6", "E504"),
    "rounds": (f"    repeat until no, at most {HUGE} times\n        nothing", "E504"),
    "turns": (f"    in turn p from first_player, at most {HUGE} turns\n        nothing", "E504"),
    "formula": (f"    let x = some n in 1..{HUGE} has n is 0", "E504"),
    "field": ("    nothing\n\ntable has\n    marks[1..99999, 1..99999] : 0..9", "E504"),
    "fields": ("    nothing\n\ntable has\n" + "".join(f"    marks{n}[1..99999] : 0..9\n" for n in range(9)), "E504"),
    "sets": ("    nothing\n\ntable has\n    marks[1..9999] : set of 1..99999 up to 9999", "E504"),
    "grid": (
        "    nothing\n\nenum side = up\ngrid cell (x : 1..99999, y : 1..99999) by side\n    up : (x, y + 1)",
        "E504",
    ),
    "number": (f"    let x = {HUGE} + 1", "E501"),
    "lines": ("    nothing\n" * LINES, "E102"),
    "brackets": ("    let x = " + "(" * 1_000 + "1" + ")" * 1_000, "E102"),
}


def test_rules_that_ask_for_too_much(tmp_path: Path) -> None:
    for name, (play, _) in RULES.items():
        folder = tmp_path / name
        folder.mkdir()
        data = f"kind: game\nformat: 1\nname: {name}\ntitle: Much\nplayers: {{min: 2, max: 2}}\n"
        (folder / "game.yaml").write_text(data)
        fields = "table has\n    first_player : player\n\neach player has\n    score : 0..9\n"
        rest = f"{fields}\nwinner p\n    highest p.score\n"
        (folder / f"{name}.rules").write_text(f"language 1\ngame {name}\n\n{rest}\nplay\n{play}\n")
    ran = limited("check", ".", "--format", "json", folder=tmp_path)
    assert ran.returncode == 1, ran.stderr
    found: dict[str, set[str]] = {name: set() for name in RULES}
    for finding in json.loads(ran.stdout)["findings"]:
        if finding["severity"] == "error":
            found[Path(finding["file"]).stem].add(finding["code"])
    assert found == {name: {code} for name, (_, code) in RULES.items()}


def test_the_largest_state_can_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    rules = "".join(f"    marks{n}[1..99999] : 0..{HUGE}\n" for n in range(5))
    rules = f"table has\n{rules}\neach player has\n    score : 0..9\n\nplay\n    nothing"
    game = write_game(tmp_path, rules)
    for engine in ("interpreter", "native"):
        words = ("simulate", str(game), "--players", "2", "--games", "2", "--jobs", "1", "--engine", engine)
        ran = limited(*words, folder=tmp_path)
        assert ran.returncode == 0, ran.stderr[-1000:]


def test_what_needs_too_much_of_the_stack_is_left_to_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Native code would run over its end, and the process with it."""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    chosen = "".join(f"        p chooses up to 2 from deck into p.hand as s{n}\n" for n in range(99))
    fields = (
        "table has\n    deck : set of card = every card\n\neach player has\n    score : 0..9\n    hand : set of card\n"
    )
    game = write_game(tmp_path, f"{fields}\nplay\n    for each p in player\n{chosen}", "{value: 1..9000}")
    words = ("simulate", str(game), "--players", "2", "--games", "2", "--jobs", "1", "--json")
    ran = limited(*words, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["engine"], found["refused"]) == ("interpreter", "stack")
    assert ran.stderr.count("note: the interpreter plays") == 1
    ran = limited(*words, "--engine", "native", folder=tmp_path)
    assert ran.returncode == 2 and "these rules are too large for it" in ran.stderr


def test_rules_command_no_terminal(tmp_path: Path) -> None:
    game = Path(shutil.copytree(rules_folder() / GAME, tmp_path / GAME))
    with open(game / f"{GAME}.rules", "a", encoding="utf-8") as file:
        file.write("\nvalue lost = nothing_at_all  # \x1b[2J\x9b2J\n")
    ran = limited("check", str(game), folder=tmp_path)
    assert ran.returncode == 1 and "the invisible character U+001B is not allowed" in ran.stdout
    assert "\x1b" not in ran.stdout + ran.stderr and "\x9b" not in ran.stdout + ran.stderr


# ---------------------------------------------------------------- transcripts and positions

HEADER = {"game": GAME, "variant": None, "players": ["p1", "p2"], "seed": 1, "rules": "0" * 64, "format": 1}
EVENT = json.dumps({"player": "p1", "choice": "act", "value": "bet"}) + "\n"
TRANSCRIPTS: dict[str, tuple[str, int, str]] = {
    "many lines": (json.dumps(HEADER) + "\n" + EVENT * LINES, 1, "played by other rules"),
    "many headers": ((json.dumps(HEADER) + "\n") * LINES, 1, "played by other rules"),
    "a long line": ('{"chance": "' + "x" * 60_000_000, 1, "more than 1,000,000 bytes"),
    "a deep line": ('{"chance": ' + "[" * LINES + "]" * LINES + "}\n", 1, "nested"),
    "a long number": ('{"chance": "x", "value": ' + "9" * LINES + "}\n", 1, ""),
    "a wrong variant": (
        json.dumps({**HEADER, "variant": "../../../etc/passwd"}) + "\n",
        1,
        "not the name of a variant",
    ),
    "a nul": ('{"chance": "\0"}\n', 2, "binary"),
}


@pytest.mark.parametrize("case", TRANSCRIPTS)
def test_a_hostile_transcript(case: str, tmp_path: Path) -> None:
    text, code, words = TRANSCRIPTS[case]
    (tmp_path / "games.jsonl").write_text(text)
    ran = limited("replay", "games.jsonl", folder=tmp_path)
    assert ran.returncode == code and words in ran.stderr, ran.stderr[:1000]
    assert len(ran.stderr) < 10_000


def test_a_hostile_position(tmp_path: Path) -> None:
    head = f"kind: position\nformat: 1\ngame: {GAME}\nplayers: [p1, p2]\npending: [{{chance: x}}]\n"
    states = {
        "wide": "state:\n" + "".join(f"  f{n}: 1\n" for n in range(LINES)),
        "deep": "state: " + "{a: " * 35 + "1" + "}" * 35,
        "variant": "variant: ../../../secret\nstate: {}",
        "zero": 'variant: "\\0"\nstate: {}',
    }
    for name, state in states.items():
        (tmp_path / f"{name}.yaml").write_text(head + state)
    ran = limited("check", ".", "--format", "json", folder=tmp_path)
    found = [(Path(finding["file"]).stem, finding["code"]) for finding in json.loads(ran.stdout)["findings"]]
    assert found == [("deep", "E601"), ("variant", "E204"), ("wide", "E203"), ("zero", "E204")]
    assert ran.returncode == 1
    ran = limited("solve", "deep.yaml", "--player", "p1", folder=tmp_path)
    assert ran.returncode == 2 and "deep.yaml:6" in ran.stderr
