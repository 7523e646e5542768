"""The command line as a whole: help, exit codes, and what a mistake of the user looks like. Never a traceback."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.commands.shared import errors
from tests.conftest import PACKAGE, ROOT
from tests.games import ENDLESS, write_game

HEAVY = (
    "lark",
    "yaml",
    "jsonschema",
    "msgspec",
    "rich",
    "shtab",
    "importlib.metadata",
    "numpy",
    "ortools",
    "llvmlite",
    "chocolatl.interpreter.play.game",
)
"""What a command imports when it runs, and not to show its help."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, with nothing on its standard input unless `typed` says otherwise."""

    def run_command(*arguments: str | Path, typed: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        assert code != errors.OUR_BUG, captured.err
        return Outcome(code, captured.out, captured.err)

    return run_command


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small classics, in the folder that the command is run in."""
    monkeypatch.chdir(tmp_path)
    for name in ("blotto", "goofspiel", "kuhn_poker"):
        shutil.copytree(ROOT / "rules" / name, tmp_path / "rules" / name)
    return tmp_path / "rules"


# ---------------------------------------------------------------- help


def test_without_a_command_the_commands_are_listed(run: Run) -> None:
    help_ = run("--help")
    assert help_.code == 0
    assert list(re.findall(r"^  (\w+)  ", help_.out, re.MULTILINE)) == list(cli.COMMANDS)
    alone = run()
    assert (alone.code, alone.out) == (2, help_.out)


def test_every_command_has_a_module_and_every_module_a_command() -> None:
    modules = {path.stem for path in (ROOT / "interpreter/commands").glob("*.py")} - {"__init__", "errors"}
    assert modules >= set(cli.COMMANDS)
    with_run = {name for name in modules if "def configure(" in (ROOT / f"interpreter/commands/{name}.py").read_text()}
    assert with_run == set(cli.COMMANDS)


def examples(help_text: str) -> list[list[str]]:
    lines = help_text.partition("examples:\n")[2].splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("  chocolatl ")]


def test_the_examples_in_the_help_of_every_command_work(run: Run, rules: Path) -> None:
    for name in cli.COMMANDS:
        help_ = run(name, "--help")
        assert help_.code == 0
        assert "{" not in help_.out.partition("examples:")[2]
        found = examples(help_.out)
        assert any(words[0] == name for words in found), f"the help of {name} has no example of {name}"
        for words in found:
            least = "60" if name == "value" else "3"
            few = [
                least if before == "--games" else word for before, word in zip(["", *words[:-1]], words, strict=True)
            ]
            outcome = run(*few)
            assert outcome.code == 0, (words, outcome)


def test_help_imports_nothing_that_takes_long() -> None:
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    for arguments in (["--help"], ["--version"], *([name, "--help"] for name in cli.COMMANDS)):
        code = f"import sys; from chocolatl import cli; cli.main({arguments!r}); print(*sys.modules, file=sys.stderr)"
        command = [sys.executable, "-S", "-c", code]
        process = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        loaded = set(process.stderr.split())
        assert process.stdout
        assert not loaded & set(HEAVY), arguments


COMPILING = {"simulate", "play", "solve", "train", "ladder", "value", "compare"}
"""Commands that play many games, or look ahead by playing them."""


def test_commands_that_do_not_simulate_import_neither_compiler_nor_solver(rules: Path, tmp_path: Path) -> None:
    game, games, position = str(rules / "kuhn_poker"), str(tmp_path / "games.jsonl"), str(tmp_path / "position.yaml")
    made = ["simulate", game, "--players", "2", "--games", "2", "--transcripts", games]
    lines = {
        "check": [game],
        "explain": ["W001"],
        "fmt": [game, "--check"],
        "test": [game],
        "mutate": [game, "--sample", "1"],
        "deal": [game, "--players", "2", "--seed", "1", "-o", position],
        "replay": [games],
        "dump": [game, "--stage", "ir"],
        "completion": ["bash"],
        "new": ["my_game", "--in", str(tmp_path)],
        "variant": [game, "mine"],
        "rules": [game],
    }
    assert set(lines) == set(cli.COMMANDS) - COMPILING
    for arguments in (made, *([name, *line] for name, line in lines.items())):
        heavy = "*({'llvmlite', 'numpy', 'ortools'} & set(sys.modules))"
        code = (
            f"import sys; from chocolatl import cli; print('exit', cli.main({arguments!r}), {heavy}, file=sys.stderr)"
        )
        process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
        expected = "exit 0 llvmlite" if arguments is made else "exit 0"
        assert process.stderr.splitlines()[-1] == expected, (arguments, process.stderr)


def test_the_version_is_that_of_the_distribution(run: Run) -> None:
    held = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, version = held["project"], held["tool"]["hatch"]["version"]
    found = re.search(version["pattern"], (ROOT / version["path"]).read_text(encoding="utf-8"))
    assert found is not None and project["dynamic"] == ["version"] and "version" not in project
    assert run("--version").out == f"chocolatl {found['version']}\n"
    assert project["scripts"]["chocolatl"] == "chocolatl.__main__:main"


# ---------------------------------------------------------------- wrong usage: 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("chek rules", "there is no command `chek`; did you mean `check`?"),
        ("--colour", "there is no option `--colour`"),
        ("frobnicate", "see `chocolatl --help`"),
        ("check rules --format xml", "invalid choice: 'xml'"),
        ("check rules --form json", "unrecognized arguments"),
        ("check nowhere", "nowhere: there is no such file"),
        ("deal", "required"),
        ("deal goofspeil --players 2 --seed 1", "did you mean `goofspiel`?"),
        ("deal goofspiel/cary --players 2 --seed 1", "did you mean `carry`?"),
        ("deal ./goofspiel --players 2 --seed 1", "./goofspiel: there is no such file or folder"),
        ("deal goofspiel --players 2 --seed one", "invalid int value: 'one'"),
        ("deal goofspiel --players 5 --seed 1", "goofspiel is for 2 to 4 players, not 5"),
        ("deal goofspiel --players 0 --seed 1", "--players"),
        ("deal goofspiel --players grady,random --seed 1", "did you mean `greedy`?"),
        ("deal goofspiel --players a=random,a=random --seed 1", "two players are called `a`"),
        ("deal goofspiel --players 2 --seed 1 --to-round 0", "rounds count from 1"),
        ("deal blotto --players 2 --seed 1 --to-round 1", "blotto has no rounds"),
        ("deal goofspiel --players 2 --seed 1 -o no/such/folder", "no/such/folder: cannot be written"),
        ("play", "name a GAME to play, or a position with --from"),
        ("play goofspiel --players greedy,random", "nobody is `you`"),
        ("play goofspiel --players you", "goofspiel is for 2 to 4 players, not 1"),
        ("play --from nowhere.yaml", "nowhere.yaml: there is no such file"),
        ("dump goofspiel", "--stage"),
        ("dump goofspiel --stage position", "--stage position needs a position file"),
        ("dump goofspiel --stage ir --players 9", "goofspiel is for 2 to 4 players, not 9"),
        ("dump goofspiel --stage ir --players 0", "--players"),
        ("simulate goofspiel --players random --games 1", "goofspiel is for 2 to 4 players, not 1"),
        ("replay nowhere.jsonl", "nowhere.jsonl: there is no such file"),
        ("replay nowhere.jsonl --board --json", "they do not go with --json"),
        ("test nowhere.yaml", "nowhere.yaml"),
    ],
)
def test_wrong_usage_is_told_in_one_line(run: Run, arguments: str, message: str) -> None:
    outcome = run(*arguments.split())
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == "" and len(outcome.err.splitlines()) <= 2


# ---------------------------------------------------------------- files that are wrong


def spoil(rules: Path, change: Callable[[bytes], bytes], name: str = "goofspiel.rules") -> Path:
    file = rules / "goofspiel" / name
    file.write_bytes(change(file.read_bytes()))
    return file


UNREADABLE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "binary junk": (lambda text: bytes(range(256)) * 20, "this is a binary file"),
    "a NUL byte": (lambda text: text + b"\0", "this is a binary file"),
    "another encoding": (lambda text: text + b"# caf\xe9\n", "the file is not UTF-8 text"),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), "this is a binary file"),
    "50 MB": (lambda text: text + b"# more\n" * 7_500_000, "the file has 52,50"),
}


@pytest.mark.parametrize("name", ["goofspiel.rules", "game.yaml", "variants/carry.yaml"])
@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_file_that_is_no_text_is_2_for_every_command(run: Run, rules: Path, fault: str, name: str) -> None:
    change, message = UNREADABLE[fault]
    file = spoil(rules, change, name)
    game = file if "variants" in name else rules / "goofspiel"
    for arguments in (["check", game], ["deal", game, "--players", "2", "--seed", "1"]):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert str(file) in outcome.err and message in outcome.err
        assert outcome.out == ""


DEEP = 3_000

WRONG: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "a syntax error": ("goofspiel.rules", lambda t: t.replace(b"secretly", b"secretely"), "`secretely`"),
    "an unknown name": ("goofspiel.rules", lambda t: t.replace(b"p gains points", b"p gains pionts"), "`points`"),
    "an empty file": ("goofspiel.rules", lambda t: b"", "the rules do not say of which game they are"),
    "deep brackets": ("goofspiel.rules", lambda t: t + b"value v = " + b"(" * DEEP + b"1" + b")" * DEEP, "more than"),
    "a long chain": ("goofspiel.rules", lambda t: t + b"value v = 1" + b" + 1" * DEEP, "more than"),
    "deep lists": ("game.yaml", lambda t: t + b"x: " + b"[" * DEEP, "nested more than"),
    "deep blocks": ("game.yaml", lambda t: t + b"".join(b" " * i + b"x:\n" for i in range(300)), "nested more than"),
    "an alias bomb": (
        "game.yaml",
        lambda t: (
            t
            + b"a: &a [x, x, x, x, x, x, x, x, x]\n"
            + b"".join(
                b"%c: &%c [%s]\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
            )
        ),
        "not allowed",
    ),
    "a key twice": ("game.yaml", lambda t: t + b"name: again\n", "stands twice"),
    "a huge number": ("game.yaml", lambda t: t.replace(b"value: 13", b"value: " + b"9" * 5000), "64 bits"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_rules_that_are_wrong_are_1_for_check_and_2_for_all_others(run: Run, rules: Path, fault: str) -> None:
    name, change, message = WRONG[fault]
    file = spoil(rules, change, name)
    checked = run("check", "rules/goofspiel/game.yaml")
    assert checked.code == 1
    assert f"rules/goofspiel/{name}:" in checked.out and message in checked.out
    others: list[list[str]] = [
        ["deal", "rules/goofspiel", "--players", "2", "--seed", "1"],
        ["play", "rules/goofspiel", "--players", "2"],
        ["dump", "rules/goofspiel", "--stage", "ir"],
        ["simulate", "rules/goofspiel", "--players", "2", "--games", "1"],
    ]
    for arguments in others:
        outcome = run(*arguments)
        assert outcome.code == 2
        assert str(file.relative_to(rules.parent)) in outcome.err and message in outcome.err
        assert outcome.out == ""


def deal(run: Run, game: str = "goofspiel", players: int = 2) -> str:
    return run("deal", game, "--players", str(players), "--seed", "1").out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p1: {score: 0,", "p1: {score: -1,", "score"),
        ("hand: [1, 2,", "hand: [1, 1,", "there are"),
        ("bid: 0", "bit: 0", "did you mean `bid`?"),
        ("choice: bid}", "choice: bluff}", "pending"),
        ("players: [p1, p2]", "players: [p1]", ""),
        ("game: goofspiel", "gaem: goofspiel", "`gaem`"),
        ("kind: position", "kind: possition", "did you mean `position`?"),
    ],
)
def test_a_position_that_breaks_the_rules(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = deal(run)
    assert old in text.replace("p1:\n      score: 0\n      ", "p1: {score: 0, ") or old in text
    changed = text.replace(old, new, 1)
    if changed == text:  # the layout depends on the length of a line
        changed = re.sub(r"p1:\n      score: 0", "p1:\n      score: -1", text)
    assert changed != text
    Path("position.yaml").write_text(changed, encoding="utf-8")
    checked = run("check", "position.yaml")
    assert checked.code == 1, checked
    assert "position.yaml:" in checked.out and message in checked.out
    for arguments in (["play", "--from", "position.yaml"], ["dump", "position.yaml", "--stage", "position"]):
        outcome = run(*arguments)
        assert outcome.code == 2, outcome
        assert outcome.out == ""


def test_rules_that_cannot_go_on_say_where(run: Run, rules: Path) -> None:
    spoil(rules, lambda text: text.replace(b"let points = stake", b"let points = stake / (stake - stake)"))
    for arguments in (
        ["simulate", "rules/goofspiel", "--players", "2", "--games", "1"],
        ["deal", "rules/goofspiel", "--players", "2", "--seed", "1", "--to-round", "2"],
    ):
        outcome = run(*arguments)
        assert outcome.code == 1
        line = next(
            number
            for number, text in enumerate((rules / "goofspiel/goofspiel.rules").read_text().splitlines(), start=1)
            if "let points" in text
        )
        assert f"rules/goofspiel/goofspiel.rules:{line}:" in outcome.err and "^" in outcome.err


def test_a_round_that_is_not_reached_is_1(run: Run) -> None:
    outcome = run("deal", "goofspiel/short", "--players", "2", "--seed", "1", "--to-round", "6")
    assert outcome.code == 1
    assert "no decision in a round 6" in outcome.err and outcome.out == ""


# ---------------------------------------------------------------- deal and dump


def test_the_same_seed_deals_the_same_position_and_the_round_is_the_one_asked_for(run: Run) -> None:
    first = run("deal", "goofspiel", "--players", "3", "--seed", "5", "--to-round", "4")
    again = run("deal", "goofspiel", "--players", "3", "--seed", "5", "--to-round", "4")
    other = run("deal", "goofspiel", "--players", "3", "--seed", "6", "--to-round", "4")
    assert first == again != other
    assert "round: 4" in first.out and "answered: {p1: [], p2: [], p3: []}" in first.out


def test_every_stage_of_every_shipped_game_can_be_dumped(run: Run) -> None:
    for game in sorted(path.parent.name for path in (ROOT / "rules").glob("*/game.yaml")):
        for stage in ("tree", "program", "ir", "python"):
            outcome = run("dump", game, "--stage", stage)
            assert outcome.code == 0 and len(outcome.out.splitlines()) > 10


def test_a_dumped_position_shows_everything(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "position.yaml"
    run("deal", "kuhn_poker", "--players", "3", "--seed", "7", "-o", path)
    hidden = re.findall(r"hand: \[(\d)\]", path.read_text(encoding="utf-8"))
    shown = run("dump", path, "--stage", "position").out
    assert [line.split()[2] for line in shown.splitlines() if re.match(r"p\d  ", line)] == hidden
    assert "unseen" not in shown


# ---------------------------------------------------------------- interruptions and our own bugs


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "cli.py", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGHUP, -1)])
def test_a_game_that_is_interrupted_is_saved(number: signal.Signals, code: int, tmp_path: Path) -> None:
    with start("play", "goofspiel", "--players", "you,random", "--save", str(tmp_path / "left.yaml")) as process:
        assert process.stdout is not None and process.stderr is not None
        while "type one of" not in (process.stdout.readline() or "type one of"):
            pass
        time.sleep(0.05)  # now it waits for an answer
        process.send_signal(number)
        out, err = process.stdout.read(), process.stderr.read()
        process.wait(timeout=60)
    assert process.returncode == code
    assert "Saved: " in out and "Traceback" not in err and ("interrupted" in err) == (number == signal.SIGINT)
    assert (tmp_path / "left.yaml").is_file()


@pytest.mark.parametrize("more", [("--jobs", "1"), ("--jobs", "2"), ("--jobs", "1", "--transcripts", os.devnull)])
def test_a_game_in_native_code_that_takes_years_can_be_interrupted(
    more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    game = write_game(tmp_path, ENDLESS)
    with start("simulate", str(game), "--players", "2", "--games", "9", *more) as process:
        while not list(tmp_path.glob("cache/*.o")):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.2)  # it is compiled, and now it plays
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "") and err.endswith("chocolatl: interrupted\n")


def test_a_full_disk_is_no_bug_of_ours() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "cli.py", "dump", "goofspiel", "--stage", "ir"]
        process = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == 2 and process.stderr == "chocolatl: the machine refuses: No space left on device\n"


@pytest.mark.parametrize(("game", "stage"), [("goofspiel", "python"), ("chocolatl", "native")])
def test_a_reader_who_leaves_early_is_no_error(game: str, stage: str) -> None:
    with start("dump", game, "--stage", stage) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_a_bug_of_ours_is_called_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import chocolatl.interpreter.commands.check as command

    def broken(arguments: object) -> int:
        raise KeyError("something")

    monkeypatch.setattr(command, "run", broken)
    monkeypatch.delenv("CHOCOLATL_DEBUG", raising=False)
    assert cli.main(["check", str(tmp_path)]) == 70
    quiet = capsys.readouterr().err
    assert "this is a bug of ours" in quiet and "KeyError" in quiet and "Traceback" not in quiet
    monkeypatch.setenv("CHOCOLATL_DEBUG", "1")
    assert cli.main(["check", str(tmp_path)]) == 70
    assert "Traceback" in capsys.readouterr().err


# ---------------------------------------------------------------- the table for people


def test_a_dealt_table_is_shown_instead_of_written_or_beside_it(run: Run, tmp_path: Path) -> None:
    arguments = ("deal", "cacao", "--players", "2", "--seed", "1")
    shown = run(*arguments, "--board")
    assert shown.code == 0 and "│plantation1│    1,0    │" in shown.out and "kind: position" not in shown.out
    both = run(*arguments, "--board", "-o", tmp_path / "position.yaml")
    assert both.out == shown.out and "written" in both.err
    assert (tmp_path / "position.yaml").read_text(encoding="utf-8") == run(*arguments).out
    assert run("dump", tmp_path / "position.yaml", "--stage", "position").out == shown.out


def test_a_replayed_game_is_told_and_its_table_shown(run: Run, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    run("simulate", "cacao", "--players", "2", "--games", "2", "--seed", "1", "--transcripts", games)
    whole = run("replay", games, "--number", "2", "--tell", "--board")
    assert whole.code == 0 and whole.out.endswith("all of it is legal\n")
    assert re.search(r"^  p1: placement \d-\d-\d-\d, turn \d, here -?\d+,-?\d+$", whole.out, re.MULTILINE)
    assert re.search(r"^  p2: work -?\d+,-?\d+ (north|east|south|west), working \d$", whole.out, re.MULTILINE)
    assert re.search(r"^  p\d: filling \w+, gap -?\d+,-?\d+$", whole.out, re.MULTILINE)
    assert "at the sides: workers" in whole.out and re.search(r"wins\.|share the victory\.", whole.out)
    begun = run("replay", games, "--stop-after", "10", "--tell")
    assert whole.out != begun.out and "kind: position" not in begun.out
    assert "p1: placement" in begun.out and "│" not in begun.out
    table = run("replay", games, "--stop-after", "10", "--board", "-o", tmp_path / "position.yaml")
    assert "│plantation1│" in table.out and (tmp_path / "position.yaml").is_file()
    assert run("replay", games, "--number", "3", "--board").code == 1
