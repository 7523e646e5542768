"""What a shell completes: asked of bash itself, by the script that is printed for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.commands.completion import SHELLS, followings, parsers, script
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics.pages import codes

ASKED = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _shtab_chocolatl; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a script, a game and a position in it."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "script").write_text(script("bash"), encoding="utf-8")
    (folder / "mine").mkdir()
    (folder / "mine.yaml").touch()
    return folder


def completed(line: str, place: Path) -> list[str]:
    """What bash offers for the last word of a line."""
    program = ASKED.format(script=place / "script", words=f"chocolatl {line}")
    done = subprocess.run([str(shutil.which("bash")), "-c", program], capture_output=True, text=True, cwd=place)
    assert not done.stderr, done.stderr
    return done.stdout.split()


def options(command: str) -> list[str]:
    parser, _ = parsers()[command]
    return [option for action in parser._actions for option in action.option_strings if option.startswith("--")]


GAMES = games_in(rules_folder())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("''", list(cli.COMMANDS)),
        ("ch", ["check"]),
        ("so", ["solve"]),
        ("solve --", options("solve")),
        ("solve mine.yaml --player p1 --", options("solve")),
        ("solve --obj", ["--objective"]),
        ("solve --objective ''", ["points", "margin", "win", "win:half"]),
        ("solve mine.yaml --player p1 --objective m", ["margin"]),
        ("solve --engine e", ["enumeration", "exact"]),
        ("solve --against kn", ["known"]),
        ("solve --against mi", ["mine", "mine.yaml"]),
        ("solve --valuation n", ["none"]),
        ("solve mi", ["mine", "mine.yaml"]),
        ("check --format gith", ["github"]),
        ("check --format ''", ["text", "json", "sarif", "github"]),
        ("check mine mi", ["mine", "mine.yaml"]),
        ("explain --fo", []),
        ("explain E30", [code for code in codes() if code.startswith("E30")]),
        ("deal ''", [*GAMES, "mine", "mine.yaml", "script"]),
        ("deal goof", ["goofspiel"]),
        ("deal mi", ["mine", "mine.yaml"]),
        ("deal goofspiel --seed 1 -o mi", ["mine", "mine.yaml"]),
        ("deal goofspiel --seed ''", []),
        ("dump goof", ["goofspiel"]),
        ("dump goofspiel --stage nat", ["native"]),
        ("simulate goofspiel --players ''", ["random", "greedy", "learned", "solver"]),
        ("simulate goofspiel --players random,gr", ["random,greedy"]),
        ("simulate --players random,greedy goof", ["goofspiel"]),
        ("play --players y", ["you"]),
        ("completion ''", list(SHELLS)),
    ],
)
def test_bash_offers_what_can_follow(line: str, expected: list[str], place: Path) -> None:
    assert sorted(completed(line, place)) == sorted(expected)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for name in cli.COMMANDS:
        assert name in text
        assert all(option.removeprefix("--") in text for option in options(name)), name
    assert all(code in text for code in codes()) and all(game in text for game in GAMES)


def test_it_is_said_of_each_value_what_can_stand_for_it() -> None:
    actions = [action for parser, _ in parsers().values() for action in parser._actions]
    wanted = {str(action.metavar) for action in actions if action.choices is None and action.nargs != 0}
    assert set(followings()) == wanted
    assert set(parsers()) == set(cli.COMMANDS)
