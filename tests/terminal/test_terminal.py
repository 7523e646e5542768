r"""No text of a file, and no name of one, acts on a terminal: it is shown.

The places are derived from the schemas and the syntax tree, the commands and their options from the command line: what
is added to them is tried here, or fails a test.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from msgspec.structs import asdict

from chocolatl import cli
from chocolatl.interpreter.commands.completion import parsers
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.syntax.parser import parse_rules
from chocolatl.interpreter.system.escaping import UNSEEN, one_line, visible
from chocolatl.interpreter.terminal.output.screen import Screen
from tests.checking.hostile_texts import (
    DOCUMENTS,
    INPUTS,
    LINE,
    NAME,
    OUTPUTS,
    PAYLOAD,
    RULES,
    TOLERATED,
    TRANSCRIPT,
    Place,
    World,
    described,
    documents_of,
    places,
    schema,
    seen,
    spoilt,
    text_types,
    tree_texts,
)
from tests.conftest import ROOT, Evidence
from tests.fuzzing.front_door import Ran
from tests.project.test_architecture import product_files
from tests.terminals import Terminal, run, surroundings  # noqa: F401  # a fixture for all tests here

# ---------------------------------------------------------------- what is not seen


KEPT = [0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13460)]
"""Signs that can be seen though their class says otherwise, and the soft hyphen, which shows where it breaks a word."""


def test_everything_that_cannot_be_seen_is_written_out() -> None:
    characters = "".join(map(chr, range(sys.maxunicode + 1)))
    unseen = {c for c in characters if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    unseen -= {*map(chr, KEPT), "\t", "\n"}
    changed = {*UNSEEN.findall(characters)}
    assert changed >= unseen and all(unicodedata.category(c)[0] in "CZ" for c in changed)
    assert visible("a\x1b[2J\u202e\U000e0041\udcff\n\t") == "a\\u001b[2J\\u202e\\U000e0041\\udcff\n\t"
    assert one_line("a\n\tb") == "a\\u000a\\u0009b"
    for character in sorted(changed - {*map(chr, range(0xD800, 0xE000))}):  # read back, it is what it was
        assert yaml.safe_load(f'"{visible(character)}"') == character
        assert ord(character) > 0xFFFF or json.loads(f'"{visible(character)}"') == character


def test_a_screen_is_a_stream() -> None:
    below = Terminal()
    screen: Any = Screen(below)
    assert print("\x1b[2J", end="", file=screen) is None and screen.write("\r") == 1
    screen.writelines(["a\x07", "b\n"])
    assert below.getvalue() == "\\u001b[2J\\u000da\\u0007b\n" and screen.isatty()
    before = sys.stdout, sys.stderr
    assert cli.main(["--version"]) == 0 and (sys.stdout, sys.stderr) == before


WAYS = {
    r"\bfrom rich\.(text|table) import (Text|Table)\b|\brich\.(text|table)\b": {"console.py", "tables.py"},
    r"\bConsole\(": {"console.py"},
    r"\bbeneath\(": {"screen.py", "console.py", "solve.py"},
    r"__std(out|err)__|std(out|err)\.buffer|os\.write\(": {"streams.py"},
}
"""Ways to a terminal past the screen, and who may go them: with words that are visible, or are the program's own."""


def test_nobody_goes_past_the_screen() -> None:
    for way, allowed in WAYS.items():
        found = {Path(path).name for path, text in product_files().items() if re.search(way, text)}
        assert found <= allowed, f"{way}: use chocolatl.interpreter.terminal.output.console"


# ---------------------------------------------------------------- every text, in every command


def test_the_places_are_all_that_the_schemas_and_the_language_know() -> None:
    assert {f"{kind}.schema.json" for kind in INPUTS + OUTPUTS} == {path.name for path in (ROOT / "schemas").iterdir()}
    for kind in INPUTS:
        whole = schema(kind)
        tried = {where for document in documents_of(kind) for where in described(whole, whole, "", document)}
        assert set(text_types(whole)) <= tried, f"{kind}: no document in hostile_texts.py has this text"
    rules = parse_rules(make_source("fair.rules", RULES), Findings())
    assert rules is not None
    assert tree_texts() == set(texts_in(rules)), "a text of the language is missing in hostile_texts.py"


def texts_in(node: Any) -> Iterator[tuple[str, str]]:
    for name, value in asdict(node).items() if isinstance(node, tree.Node) else ():
        if isinstance(value, tree.Text):
            yield type(node).__name__, name
        for inner in value if isinstance(value, tuple) else (value,):
            yield from texts_in(inner)


STAGES = ("tree", "program", "ir", "python", "native", "assembly")


def commands(world: World) -> dict[str, list[tuple[object, ...]]]:
    """Every command with every option, on the files of a world. Files that are written can be looked at as well."""
    game, folder = world.game, world.folder
    variant, scenario = game / "variants" / "rich.yaml", game / "scenarios" / "sale.yaml"
    position, games = folder / "dealt.yaml", folder / "games.jsonl"
    written = (folder / f"written{number}" for number in count())
    rest = ("--game", game)
    quick = ("--samples", 4, "--scenarios", 2, "--time-limit", 20)
    return {
        "check": [
            *(("check", folder, "--format", form) for form in ("text", "json", "sarif", "github")),
            ("check", folder, "--fail-on", "warning"), ("check", game, "--fix"), ("check", folder / "nothing"),
        ],
        "explain": [("explain",), ("explain", "E101"), ("explain", world.more)],
        "fmt": [
            ("fmt", folder, "--diff"), ("fmt", folder, "--check"), ("fmt", "-"), ("fmt", folder / "nothing"),
        ],
        "test": [
            ("test", game, "--only", "a", "--coverage", "--coverage-page", next(written), "--junit", next(written)),
            ("test", game, "--json", "--coverage", "--jobs", 1), ("test", scenario, "--update"),
            ("test", game, "--only", world.more),
        ],
        "mutate": [
            ("mutate", game, "--sample", 2, "--seed", 1, "--jobs", 1, "--at-least", 1),
            ("mutate", game, "--sample", 2, "--json"), ("mutate", variant),
        ],
        "deal": [
            ("deal", game, "--players", 2, "--seed", 1, "--output", position),
            ("deal", variant, "--players", 2, "--seed", 1, "--to-round", 2),
            ("deal", game, "--players", 2, "--seed", 1, "--board"),
            ("deal", game, "--players", world.more, "--seed", 1),
        ],
        "simulate": [
            ("simulate", game, "--players", 2, "--games", 3, "--seed", 1, "--jobs", 1, "--transcripts", games,
             "--engine", "interpreter", "--plot", next(written), "--failed", next(written)),
            ("simulate", variant, "--players", "random,greedy", "--games", 2, "--jobs", 1, "--json", "--details"),
            ("simulate", "--from", position, "--players", 2, "--games", 2, "--jobs", 1, "--engine",
             "interpreter"),
            ("simulate", game, "--players", "random,learned", "--games", 2, "--jobs", 1, "--accept-stale"),
        ],
        "play": [
            ("play", game, "--players", "you,greedy", "--seed", 1, "--save", next(written)),
            ("play", "--from", position, "--players", "you,you", "--save", next(written)),
            ("play", game, "--players", "you,learned", "--accept-stale", "--seed", 1, "--save", next(written)),
        ],
        "replay": [
            ("replay", games, *rest, "--tell", "--board", "--any-rules", "--check-seed", "--number", 1),
            ("replay", games, *rest, "--json"), ("replay", games, *rest, "--stop-after", 2),
            ("replay", games, *rest, "--stop-after", 2, "--output", next(written)),
            ("replay", games), ("replay", game / "fair.rules", *rest), ("replay", folder / "nothing"),
        ],
        "solve": [
            ("solve", position, "--player", "p1", "--explain", "--plot", next(written), "--engine", "sampling", *quick),
            ("solve", position, "--player", "p1", "--json", "--seed", 1, *quick),
            ("solve", position, "--player", "p1", "--horizon", "far", "--work", "0.001", *quick),
            ("solve", position, "--player", "p1", "--against", "learned", "--beliefs", "policy", *quick),
            ("solve", position, "--player", "p1", "--fresh", games, *quick),
            ("solve", position, "--player", "p1", "--compare", f"bid=one{world.more}", *quick),
            ("solve", position, "--player", "p1", "--against", "random", "--objective", "margin", "--valuation",
             game / "valuation.yaml", *quick),
            ("solve", position, "--player", world.more), ("solve", position, "--player", "p1", "--against", games),
        ],
        "ladder": [
            ("ladder", game, "--types", "random,greedy", "--players", 2, "--most", 2, "--seed", 1, "--plot",
             next(written)),
            ("ladder", variant, "--players", 2, "--most", 2, "--trace", "0.01", "--json"), ("ladder", world.more),
            ("ladder", game, "--types", f"random,learned:{game / 'policy.yaml'}", "--players", 3, "--jobs", 1),
            ("ladder", game, "--types", world.more),
        ],
        "compare": [
            ("compare", game, variant, "--players", 2, "--most", 60, "--seed", 1, "--jobs", 1, "--details",
             "--smallest", "score=1", "--markdown", next(written), "--transcripts", next(written)),
            ("compare", game, variant, "--players", 2, "--most", 60, "--json"),
            ("compare", f"{game}@{world.more}", game), ("compare", world.more, game),
            ("compare", game, game, "--smallest", f"{world.more}=1"), ("compare", game, game, "--smallest", world.more),
        ],
        "value": [
            ("value", "fit", game, "--type", "random", "--games", 60, "--seed", 1, "--jobs", 1, "--plot", next(written),
             "--output", next(written)),
            ("value", "fit", game, "--players", 2, "--type", "random", "--games", 60, "--jobs", 1, "--json", "--items",
             game / "valuation.yaml", "-o", next(written)),
            ("value", "fit", game, "--type", world.more), ("value", "fit", world.more),
        ],
        "train": [
            ("train", game, "--players", 2, "--updates", 1, "--seed", 1, "--jobs", 1, "--output", next(written)),
            ("train", variant, "--minutes", 0.001, "--json", "-o", next(written)), ("train", world.more),
            ("train", game, "--players", 3, "--from", game / "policy.yaml", "--updates", 1, "-o", next(written)),
            ("train", game, "--players", 2, "--updates", 1, "--jobs", 1, "--cache"),
            ("train", game, "--players", 3, "--updates", 1, "--again", "-o", game / "policy.yaml"),
            ("train", game, "--players", 2, "--resume", "-o", game / "policy.yaml"),
            ("train", "--explain", game / "policy.yaml", "--plot", next(written)), ("train", "--explain", game),
            ("train", "--measure", game / "policy.yaml", "--updates", 1, "--json"), ("train", "--measure", world.more),
        ],
        "completion": [("completion", "bash"), ("completion", world.more)],
        "dump": [
            *(("dump", game, "--stage", stage, "--players", 2) for stage in STAGES),
            ("dump", position, "--stage", "position"),
            ("dump", position, "--stage", "model", "--player", "p1", "--against", "random", "--scenarios", 1, "--seed",
             1, "--objective", "points", "--valuation", "none", "--beliefs", "uniform", "--time-limit", 20),
            ("dump", game, "--stage", world.more),
        ],
    }  # fmt: skip


ORDER = ("deal", "simulate")
"""They write what others read."""


def everything(world: World, terminal: bool) -> Iterator[Ran]:
    """What all commands print, and what they write into files."""
    table = commands(world)
    typed = f"help\nlook\n\n1\n{world.more}\n/hint\n1\nsave {world.folder}/saved\n1\nquit\n"
    for name in sorted(table, key=lambda name: name not in ORDER):
        for words in table[name]:
            text = world.rules.read_text(encoding="utf-8") if name == "fmt" else typed
            yield run(*words, typed=text, terminal=terminal)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), NAME, PAYLOAD, TOLERATED)


def test_every_command_and_option_is_tried(hostile: World) -> None:
    table = commands(hostile)
    assert set(table) == set(cli.COMMANDS)
    for name, (parser, _) in parsers().items():
        used = {word for words in table[name] for word in words}
        options = {action.option_strings[-1] for action in parser._actions if action.option_strings} - {"--help"}
        assert options <= used, f"{name}: an option is tried on no hostile text"


@pytest.mark.parametrize("terminal", [False, True], ids=["in a pipe", "on a terminal"])
def test_no_text_of_a_file_acts_on_a_terminal(hostile: World, terminal: bool) -> None:
    codes = set()
    for ran in everything(hostile, terminal):
        assert not ran.trouble, (ran.words, ran.trouble)
        for stream in (ran.out, ran.err):
            assert not seen(stream, terminal), (ran.words[:3], seen(stream, terminal), stream[:3000])
        codes.add((ran.words[0], ran.code))
        if {"--json", "json", "sarif"} & {*ran.words} and ran.code != 2:
            json.loads(ran.out)
    with contextlib.chdir(hostile.folder.parent):  # names of files that are not absolute are written in another way
        ran = run("check", hostile.folder.name, "--format", "sarif", terminal=terminal)
        assert ran.code == 1 and not seen(ran.out, terminal) and "%9B7m" in ran.out and "%FF/fair" in ran.out
    for name in set(cli.COMMANDS) - {"check", "test", "explain", "completion"}:
        assert (name, 0) in codes, f"{name} never came to its result"
    for path in hostile.folder.rglob("*"):
        if path.is_file() and path.name.startswith(("written", "dealt", "saved", "games")):
            text = path.read_text(encoding="utf-8")
            assert not seen(text, terminal=False), (path.name, text[:500])
            if text.startswith("<?xml") or text.startswith("<svg"):
                ElementTree.fromstring(text.encode())


def test_no_text_of_a_file_begins_a_line(tmp_path: Path) -> None:
    """A build server takes some lines for commands, and a person a line for ours."""
    world = World(tmp_path, LINE, LINE, "")
    for ran in everything(world, terminal=False):
        assert not ran.trouble, (ran.words, ran.trouble)
        lines = [line for line in (ran.out + ran.err).splitlines() if line.lstrip(" │-+").startswith("::error::FORGED")]
        assert not lines, (ran.words[:3], ran.out + ran.err)


TRIED: dict[str, tuple[tuple[str, ...], ...]] = {
    "game": (("check", "{}", "--format", "text"), ("check", "{}", "--format", "github"), ("dump", "{game}", "--stage",
             "program"), ("deal", "{game}", "--players", "2", "--seed", "1", "--board")),
    "variant": (("check", "{}"), ("fmt", "{}", "--diff"), ("dump", "{}", "--stage", "ir")),
    "scenario": (("check", "{}", "--format", "sarif"), ("test", "{}"), ("test", "{}", "--json")),
    "position": (("check", "{}"), ("dump", "{}", "--stage", "position"), ("solve", "{}", "--player", "p1")),
    "policy": (("check", "{}"), ("simulate", "{game}", "--players", "random,learned:{}", "--games", "1")),
    "valuation": (("check", "{}"), ("check", "{}", "--format", "json")),
    "transcript": (("replay", "{}", "--game", "{game}", "--any-rules", "--tell"), ("replay", "{}", "--json")),
}  # fmt: skip
"""What is run on a file that holds the payload in a single place, be it allowed there or not."""


def test_a_text_that_is_refused_is_shown_as_well(tmp_path: Path, evidence: Evidence) -> None:
    world = World(tmp_path, "", "", "")
    cases = [(kind, file, content, place, key) for kind, file, content in contents(world) for place in places(content)
             for key in (False, True) if not key or isinstance(place[-1], str)]  # fmt: skip
    chosen = Random(0)
    for seed in evidence.cases("no text acts on a terminal", full=3 * len(cases), slice=len(cases)):
        kind, file, content, place, key = cases[seed % len(cases)]
        more = (PAYLOAD, LINE)[chosen.randrange(2)]
        spoil(file, kind, spoilt(content, place, more, key))
        words = TRIED[kind][chosen.randrange(len(TRIED[kind]))]
        ran = run(*(word.format(file, game=world.game) for word in words))
        spoil(file, kind, content)
        assert not ran.trouble, (words, place, ran.trouble)
        assert not seen(ran.out + ran.err, terminal=False), (words, place, ran.out, ran.err)
        forged = [line for line in (ran.out + ran.err).splitlines() if line.lstrip().startswith("::error::FORGED")]
        assert not forged, (words, place, ran.out, ran.err)


def test_a_name_ends_where_its_line_does(tmp_path: Path) -> None:
    """To Python, `$` in a pattern is also before the end of a line."""
    world = World(tmp_path, "", "", "")
    names: dict[str, Place] = {"scenario": ("players", 0), "variant": ("extends",), "position": ("players", 1)}
    for kind, place in names.items():
        file, content = next((file, content) for found, file, content in contents(world) if found == kind)
        spoil(file, kind, spoilt(content, place, "\n"))
        assert "E204" in run("check", file).out, (kind, place)
        spoil(file, kind, content)


def contents(world: World) -> Iterator[tuple[str, Path, Any]]:
    """Every file of the world that is data, and a transcript."""
    for name, document in DOCUMENTS.items():
        yield document["kind"], world.folder / name, document
    file = world.folder / "games.jsonl"
    spoil(file, "transcript", TRANSCRIPT)
    yield "transcript", file, TRANSCRIPT


def spoil(file: Path, kind: str, content: Any) -> None:
    lines = content if kind == "transcript" else [content]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_no_argument_acts_on_a_terminal() -> None:
    """Every option of every command is given what makes no sense, and files that are not there."""
    wrong = NAME
    for name, (parser, _) in parsers().items():
        options = [action for action in parser._actions if action.option_strings and action.nargs != 0]
        given: list[tuple[str, ...]] = [(wrong,), (f"--{wrong}",), (wrong, wrong, wrong)]
        given += [(wrong, action.option_strings[-1], wrong) for action in options]
        for words in [*given, *((*words, LINE) for words in given)]:
            for terminal in (False, True):
                ran = run(name, *words, terminal=terminal)
                assert ran.code in (1, 2) and not ran.trouble, (ran.words, ran.trouble)
                assert not seen(ran.out + ran.err, terminal) and "\n::error" not in ran.out + ran.err, ran
    for words in ((wrong,), (f"--{wrong}",)):
        assert not seen(run(*words).err, terminal=False)


@pytest.mark.parametrize("table", ["{0} = 1", "format = {0}", "paths = [{0}]", "exclude = [{0}]", "paths = {0}", "{1}"])
def test_no_setting_acts_on_a_terminal(table: str, tmp_path: Path) -> None:
    text = table.format(json.dumps(PAYLOAD.replace("\x7f", "") + LINE), PAYLOAD)
    Path("pyproject.toml").write_text(f"[tool.chocolatl]\n{text}\n", encoding="utf-8", newline="")
    ran = run("check")
    assert ran.code == 2 and not ran.trouble
    assert not seen(ran.out + ran.err, terminal=False) and "\n::error" not in ran.err


def test_what_is_printed_to_be_kept_is_not_changed() -> None:
    """Rules that are formatted from standard input come out as they are, or not at all."""
    assert run("fmt", "-", typed=RULES).out == RULES
    ran = run("fmt", "-", typed=RULES.replace("The tax", "The \u202etax"))
    assert (ran.code, ran.out) == (2, "") and "U+202E" in ran.err
    assert "\\u202e" in run("fmt", "-", "--diff", typed=RULES.replace('"The tax" ', '"The \u202etax"    ')).out


def test_a_position_on_standard_output_can_be_read_back(hostile: World) -> None:
    """Names of kinds are the same after a way through YAML, though nothing of them acts."""
    ran = run("deal", hostile.game, "--players", 2, "--seed", 1)
    hand = yaml.safe_load(ran.out)["state"]["player"]["p1"]["hand"]
    assert set(hand) == {f"{name}{PAYLOAD}" for name in ("one", "two", "three")}
    saved = hostile.folder / "again.yaml"
    saved.write_text(ran.out, encoding="utf-8")
    assert run("dump", saved, "--stage", "position").code == 0


def test_a_real_terminal_gets_nothing_but_our_own_styles(hostile: World) -> None:
    """One process on a pseudo-terminal: what is faked elsewhere is real here."""
    import pty
    import subprocess

    lead, follow = pty.openpty()
    words = [sys.executable, "-m", "chocolatl", "check", str(hostile.game)]
    process = subprocess.Popen(words, stdout=follow, stderr=follow, stdin=subprocess.DEVNULL, cwd=ROOT)
    os.close(follow)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that nobody writes any more
        while part := os.read(lead, 65536):
            shown += part
    os.close(lead)
    assert process.wait() == 1
    text = shown.decode("utf-8")
    assert "\\u001b]52;c;QUFB\\u0007" in text and "\x1b[" in text and not seen(text, terminal=True), text
