"""The pages for people are true: every game, command, mistake, table and link in them is tried.

A page is worked through from top to bottom in a folder of its own. What a block of it is, its first line says:

    rules PATH, yaml PATH     a file, written there; before the next command its game is checked and played
    jsonl PATH, toml PATH     a file, written there
    python                    a program, run as it stands, after those before it on the page
    sh                        commands; `# exit code 1` behind one that must fail
    text, json                what the commands above print (`...` stands for lines left out, `> ` for what is typed)
    text wrong A -> B         what comes when A is written instead of B
    json file PATH            what a command has written there
    rules-excerpt PATH        a part of a file of the project, word for word
    rules-part                a part of the game of the reference; all parts together are checked and played
    rules-wrong               added to that game, it gives the findings in its comments, and no other
    rules-stops               its last procedure, carried out alone, stops with the message in its comment
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lark import Lark

from chocolatl import cli
from chocolatl.interpreter import source
from chocolatl.interpreter.analysis import work
from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.commands import solve
from chocolatl.interpreter.data import load as loading
from chocolatl.interpreter.data import strict_yaml
from chocolatl.interpreter.data.games import games_in
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings, in_order
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_on, streams
from chocolatl.interpreter.players import registry
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.program import fields, space, tables
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax import layout
from chocolatl.interpreter.syntax.grammar import RuleIndenter
from chocolatl.interpreter.syntax.parser import parse_rules
from chocolatl.interpreter.translate import decisions, domains, statements
from tests.conftest import ROOT

PAGES = (
    "README.md",
    "docs/language.md",
    "docs/board.md",
    "docs/formats.md",
    "docs/performance.md",
    "docs/solver.md",
    "docs/policies.md",
    "docs/players.md",
    "docs/python.md",
    "docs/comparing.md",
)
PLAIN = ("rules-part", "rules-wrong", "rules-stops")
SCHEMA_OF = {
    "check": "findings",
    "test": "test_results",
    "simulate": "simulate_results",
    "solve": "solve_results",
    "train": "train_results",
    "ladder": "ladder_results",
    "compare": "compare_results",
    "value": "value_results",
}
HEADER = "language 1\ngame fair\n"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: `kind` and `words` stand behind its opening fence, `line` is that of the fence."""

    page: str
    line: int
    kind: str
    words: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def page_text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *kinds: str) -> list[Block]:
    text = page_text(page)
    found = []
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        kind, _, words = match[1].partition(" ")
        if not kinds or kind in kinds:
            found.append(Block(page, text.count("\n", 0, match.start()) + 1, kind, words.strip(), match[2]))
    return found


def cases(kind: str, *pages: str) -> pytest.MarkDecorator:
    """One test for each block of a kind, named by its place."""
    return pytest.mark.parametrize("block", [pytest.param(b, id=b.place) for p in pages for b in blocks(p, kind)])


# ---------------------------------------------------------------- games


def findings_of(folder: Path) -> Findings:
    findings = Findings()
    check(folder, findings)
    return findings


def play_through(game: Game, seed: int) -> None:
    """A whole game of random players."""
    players = [RandomPlayer()] * game.player_count
    end = play_on(game, game.initial(), players, streams(seed, 0, game.player_count))
    assert game.is_over(end.position)


def assert_playable(folder: Path, place: str) -> None:
    """A game without findings that can be played to its end by every number of players it is made for."""
    findings = findings_of(folder)
    assert not findings.items, f"{place}:\n" + "\n".join(map(render, in_order(findings.items)))
    files = load_game(folder, Findings())
    assert files is not None
    for count in range(files.minimum, files.maximum + 1):
        game = load(folder, count)
        for seed in range(3):
            play_through(game, seed)


# ---------------------------------------------------------------- pages, from top to bottom


def run_command(line: str, typed: str) -> tuple[int, str, str]:
    """A shell line in this process: exit code, standard output, standard error."""
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", page_text("Makefile"), re.MULTILINE), f"no such target: {line}"
        return 0, "", ""
    start = {"chocolatl": 1, "python": 2}[words[0]]
    assert start == 1 or words[1] == "cli.py"
    out, err = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words[start:])
    finally:
        sys.stdin = stdin
    if code < 2 and ("--json" in words or "json" in words):
        schema = json.loads(page_text(f"schemas/{SCHEMA_OF[words[start]]}.schema.json"))
        jsonschema.validate(json.loads(out.getvalue()), schema)
    return code, out.getvalue(), err.getvalue()


def matches(shown: str, found: str) -> bool:
    """Whether a text is as shown; a line `...` stands for any lines."""
    pattern = []
    for line in shown.rstrip("\n").split("\n"):
        pattern.append("(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"[ ]*\n")
    return re.fullmatch("".join(pattern), found.rstrip("\n") + "\n") is not None


def assert_shown(block: Block, found: str) -> None:
    assert matches(block.text, found), f"{block.place}: this is shown\n{block.text}\nand this is true:\n{found}"


class PageRun:
    """Works a page through in the current folder."""

    def __init__(self, page: str) -> None:
        self.blocks = blocks(page)
        self.fresh: set[Path] = set()
        """Games whose files were written since the last command."""
        self.rules = Path()
        self.last = self.result = self.messages = ""
        self.program: dict[str, Any] = {}
        """The names that the programs of the page have so far: one goes on where the other ended."""

    def run(self) -> None:
        for number, block in enumerate(self.blocks):
            following = self.blocks[number + 1] if number + 1 < len(self.blocks) else None
            match block.kind:
                case "rules" | "yaml" | "jsonl" | "toml":
                    self.write(block)
                case "python":
                    with contextlib.redirect_stdout(io.StringIO()) as printed:
                        exec(compile(block.text, block.place, "exec"), self.program)
                    self.result, self.messages = printed.getvalue(), ""
                case "sh":
                    shown = following if following is not None and following.kind in ("text", "json") else None
                    self.commands(block, shown)
                case "text" if block.words.startswith("wrong "):
                    self.mistake(block)
                case "text" if not block.words:
                    assert_shown(block, self.result + self.messages)
                case "json" if not block.words:
                    assert_shown(block, self.result)
                case "json" if block.words.startswith("file "):
                    assert_shown(block, Path(block.words.removeprefix("file ")).read_text(encoding="utf-8"))
                case "rules-excerpt":
                    assert block.text in page_text(block.words), f"{block.place} is not in {block.words}"
                case _:
                    assert block.kind in PLAIN, f"{block.place}: nobody tries a block of the kind `{block.kind}`"
        self.try_games("the end of the page")

    def write(self, block: Block) -> None:
        path = Path(block.words)
        assert block.words and not path.is_absolute(), f"{block.place}: say where the file is"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if block.kind == "rules":
            self.rules = path
        self.fresh |= {folder for folder in path.parents if (folder / f"{folder.name}.rules").exists()}

    def try_games(self, place: str) -> None:
        for folder in sorted(self.fresh):
            assert_playable(folder, place)
            for variant in sorted(folder.glob("variants/*.yaml")):
                assert_playable(variant, place)
        self.fresh.clear()

    def commands(self, block: Block, shown: Block | None) -> None:
        self.try_games(block.place)
        typed = "".join(line[2:] + "\n" for line in (shown.text if shown else "").split("\n") if line.startswith("> "))
        for line in block.text.splitlines():
            wanted = re.search(r"# exit code (\d+)", line)
            code, out, err = run_command(line, typed)
            assert code == int(wanted[1] if wanted else 0), f"{block.place}: {line}\nexit code {code}\n{out}\n{err}"
            self.last, self.result, self.messages = line, out, err

    def mistake(self, block: Block) -> None:
        """The check finds it; or else the last command does."""
        before, after = block.words.removeprefix("wrong ").split(" -> ")
        text = self.rules.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{block.place}: `{before}` does not stand there once"
        self.rules.write_text(text.replace(before, after), encoding="utf-8")
        code, out, err = run_command(f"chocolatl check {self.rules.parent}", "")
        if code == 0:
            code, out, err = run_command(self.last, "")
        self.rules.write_text(text, encoding="utf-8")
        assert code == 1
        assert_shown(block, out + err)


def readme_games() -> list[str]:
    """The small games that the README lists; the pages have copies of them to work with."""
    return re.findall(r"^\| \[`(\w+)`\]", page_text("README.md"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_happens(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for game in readme_games():
        shutil.copytree(ROOT / "rules" / game, tmp_path / "rules" / game)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    PageRun(page).run()


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("...\nd\n", "a\nd  \n", True),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "b\na\n", False),
    ],
)
def test_an_output_is_compared_line_by_line(shown: str, found: str, same: bool) -> None:
    assert matches(shown, found) is same


def test_the_tutorial_ends_with_the_shipped_game(tmp_path: Path) -> None:
    shipped = ROOT / "rules/goofspiel"
    last = blocks("docs/language.md", "rules")[-1]
    rules = last.text.replace("game my_goofspiel", "game goofspiel")
    assert rules == (shipped / "goofspiel.rules").read_text(encoding="utf-8")
    folder = tmp_path / "goofspiel"
    folder.mkdir()
    data = [b for b in blocks("docs/language.md", "yaml") if b.words == "my_goofspiel/game.yaml"][-1]
    (folder / "game.yaml").write_text(data.text.replace("name: my_goofspiel", "name: goofspiel"), encoding="utf-8")
    (folder / "goofspiel.rules").write_text(rules, encoding="utf-8")
    ours, theirs = load_game(folder, Findings()), load_game(shipped, Findings())
    assert ours is not None and theirs is not None
    assert {n: (p.options, p.minimum, p.maximum) for n, p in ours.parameters.items()} == {
        n: (p.options, p.minimum, p.maximum) for n, p in theirs.parameters.items()
    }
    assert len(re.findall(r"^### Step \d+:", page_text("docs/language.md"), re.MULTILINE)) == 10


# ---------------------------------------------------------------- the game of the reference


def reference_game(folder: Path, added: str = "", play: str = "") -> tuple[Path, int]:
    """The game that all parts make, with something added; the number of lines before the addition."""
    parts = [b.text for b in blocks("docs/language.md", "rules-part")]
    if play:
        parts = [play if part.startswith("play\n") else part for part in parts]
    rules = "\n".join(parts) + "\n"
    game = folder / "fair"
    game.mkdir()
    data = next(b for b in blocks("docs/language.md", "yaml") if b.words == "fair/game.yaml")
    (game / "game.yaml").write_text(data.text, encoding="utf-8")
    (game / "fair.rules").write_text(rules + added, encoding="utf-8")
    return game, rules.count("\n")


def test_the_parts_of_the_reference_make_a_game(tmp_path: Path) -> None:
    game, _ = reference_game(tmp_path)
    assert_playable(game, "the parts of docs/language.md")


@cases("rules-wrong", "docs/language.md")
def test_a_mistake_gives_the_findings_beside_it(block: Block, tmp_path: Path) -> None:
    game, before = reference_game(tmp_path, block.text)
    wanted = {
        (number, *match.groups())
        for number, line in enumerate(block.text.split("\n"), start=1)
        if (match := re.search(r"# ([EW]\d{3}): (.*)$", line))
    }
    found = {(d.span.line - before, d.code, d.message) for d in in_order(findings_of(game).items)}
    assert wanted and found == wanted


@cases("rules-stops", "docs/language.md")
def test_a_rule_stops_the_game_with_the_message_beside_it(block: Block, tmp_path: Path) -> None:
    name = re.findall(r"^procedure (\w+)", block.text, re.MULTILINE)[-1]
    game, before = reference_game(tmp_path, block.text, f"play\n    do {name}\n")
    assert not findings_of(game).items
    with pytest.raises(RuleError) as stopped:
        play_through(load(game, 3), 0)
    lines = block.text.split("\n")
    (wanted,) = [(n, m[1]) for n, line in enumerate(lines, 1) if (m := re.search(r"# stops: (.*)$", line))]
    assert (stopped.value.span.line - before, stopped.value.message) == wanted


# ---------------------------------------------------------------- the grammar


def grammar() -> Lark:
    return Lark(page_text("interpreter/syntax/grammar.lark"), parser="lalr", postlex=RuleIndenter())


def productions() -> Iterator[tuple[str, bool]]:
    """The names of the grammar, and whether a tree shows them (those that only pass on what is in them do not)."""
    for rule in grammar().rules:
        name = rule.alias or rule.origin.name
        if not name.startswith("_"):
            yield name, bool(rule.alias) or not rule.options.expand1
        if not rule.origin.name.startswith("_"):
            yield rule.origin.name, False


def test_the_index_of_the_reference_names_every_production() -> None:
    index = page_text("docs/language.md").partition("## Index of the grammar")[2]
    named = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in index.split("\n") if line.startswith("|")))
    assert len(named) == len(set(named))
    assert set(named) == {name for name, _ in productions()}


def test_the_reference_has_an_example_of_every_production() -> None:
    rules = "\n".join(block.text for block in blocks("docs/language.md", "rules-part"))
    used = {tree.data for tree in grammar().parse(rules).iter_subtrees()}
    assert {name for name, shown in productions() if shown} - used == set()


def parses(rules: str) -> Findings:
    findings = Findings()
    parse_rules(make_source("snippet", HEADER + rules), findings)
    return findings


NAMED = (
    """
each player has
    X : 0..3

play
    p.X becomes p.X + 1
    p gains 1 X
    p chooses p.X from 0..3
""",
    """
table has
    X : 0..3

play
    X becomes X + 1
    p chooses X from 0..3
    roll X from 1..6
""",
    """
enum colour = X, red

play
    let X : 0..3 = 1
    if X > 1 and sky is X
        X becomes X + 1
    do paint(X)
""",
    """
value X(p : player) = 1

play
    if X(p) is 1
        number becomes X(p) + 1
""",
)


def test_words_that_cannot_be_names() -> None:
    """Each word of the grammar is tried as a name in several places; those that are refused in one are listed."""
    grammar = re.sub(r"//.*", "", page_text("interpreter/syntax/grammar.lark"))
    terminals = " ".join(re.findall(r"^\w+(?:\.\d)?: (/.*/)$", grammar, re.MULTILINE))
    words = {*re.findall(r'"([a-z]+)"', grammar), *re.findall(r"[a-z]{2,}", terminals)}
    refused = {word for word in words if any(parses(text.replace("X", word)).items for text in NAMED)}
    listed = re.search(r"Better keep away from them:\n(.*?)\n\n", page_text("docs/language.md"), re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == refused


def longest_name() -> int:
    """The one length that every schema gives to names that lead to files or stand for players."""
    schemas = [
        json.loads(page_text(f"schemas/{kind}.schema.json")) for kind in ("game", "variant", "scenario", "position")
    ]
    found = {part["maxLength"] for schema in schemas for part in schema["$defs"].values() if "maxLength" in part}
    (longest,) = found
    return int(longest)


def test_the_limits_are_those_of_the_program() -> None:
    table = page_text("docs/language.md").partition("## Limits")[2].partition("## ")[0]
    rows = dict(re.findall(r"^\| (.*?) \| ([\d,]+) \|$", table, re.MULTILINE))
    assert rows == {
        "bytes of a file": f"{source.MAX_BYTES:,}",
        "words of a rule file": f"{layout.MAX_WORDS:,}",
        "words of a declaration": f"{layout.MAX_OWN_WORDS:,}",
        "characters of a line with code": f"{layout.MAX_LINE:,}",
        "blocks in one another": f"{layout.MAX_BLOCKS:,}",
        "blocks in one another, each `else if` above counted too": f"{layout.MAX_BRANCHES:,}",
        "brackets or operators in one another": f"{layout.MAX_DEPTH:,}",
        "formulas over sets in one another": f"{layout.MAX_SETS:,}",
        "values of one field, over all its owners and indices": f"{fields.MAX_CELLS:,}",
        "values of all fields together": f"{fields.MAX_VALUES:,}",
        "kinds of a component": f"{tables.MAX_KINDS:,}",
        "cells of a grid": f"{space.MAX_CELLS_OF_GRID:,}",
        "values in a short set": f"{fields.MAX_SHORT:,}",
        "numbers that a loop or formula runs through, or that are chosen or rolled from": f"{domains.MAX_RUN:,}",
        "combinations of a joint choice": f"{decisions.MAX_JOINT:,}",
        "dice of one roll": f"{decisions.MAX_ROLLED:,}",
        "odds of one roll, added up": f"{decisions.MAX_ODDS:,}",
        "times that `at most` allows": f"{statements.MAX_TIMES:,}",
        "steps between two decisions or chance events, reckoned from the text": f"{work.MAX_STEPS:,}",
        "characters of the name of a game, a variant or a player in a file": f"{longest_name():,}",
        "components of one name in a game": f"{tables.MAX_PIECES:,}",
        "players": f"{registry.MOST_PLAYERS:,}",
        "variants that extend one another": f"{loading.MAX_CHAIN:,}",
        "depth of a YAML file": f"{strict_yaml.MAX_DEPTH:,}",
        "values in a YAML file": f"{strict_yaml.MAX_NODES:,}",
    }


# ---------------------------------------------------------------- schemas, links, names


def schema_rows(root: dict[str, Any], node: dict[str, Any], path: str = "") -> Iterator[tuple[str, bool, str]]:
    """Key, whether it is needed, and what it is, for every key that a schema knows."""
    node = {**root["$defs"][node["$ref"].rpartition("/")[2]], **node} if "$ref" in node else node
    for option in [*node.get("oneOf", ()), *node.get("anyOf", ())]:
        front = f"{option['$ref'].rpartition('/')[2]}: " if node is root else path
        yield from schema_rows(root, option, front)
    for name, child in node.get("properties", {}).items():
        about = child.get("description") or root["$defs"][child["$ref"].rpartition("/")[2]]["description"]
        yield path + name, name in node.get("required", ()), about
        yield from schema_rows(root, child, f"{path}{name}.")
    for word, inner in (("NAME.", node.get("additionalProperties")), ("[].", node.get("items"))):
        if isinstance(inner, dict):
            yield from schema_rows(root, inner, (path.removesuffix(".") if word[0] == "[" else path) + word)


def schema_table(name: str) -> str:
    """The table of a schema's keys, as docs/formats.md shows it."""
    schema = json.loads(page_text(f"schemas/{name}.schema.json"))
    rows = dict.fromkeys(schema_rows(schema, schema))
    lines = [f"| `{key}` | {'yes' if needed else ''} | {about} |" for key, needed, about in rows]
    return "\n".join(["| key | needed | what it is |", "|---|---|---|", *lines])


def test_the_tables_of_keys_are_those_of_the_schemas() -> None:
    page = page_text("docs/formats.md")
    names = {path.name.split(".")[0] for path in (ROOT / "schemas").glob("*.schema.json")}
    named = re.findall(r"\(\.\./schemas/(\w+)\.schema\.json\)", page)
    assert sorted(named) == sorted(names)
    for name in named:
        after = page.partition(f"(../schemas/{name}.schema.json)")[2]
        found = re.search(r"^\| key .*?\n\n", after + "\n\n", re.MULTILINE | re.DOTALL)
        assert found is not None and found[0].strip() == schema_table(name), f"{name}:\n{schema_table(name)}"


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_table_of_options_is_that_of_the_command() -> None:
    """In the order of the help, with what goes without saying."""
    parser = argparse.ArgumentParser()
    solve.configure(parser)
    table = page_text("docs/solver.md").partition("<!-- options of solve -->")[2].partition("## ")[0]
    rows = re.findall(r"^\| `(--[a-z-]+).*?` \| (?:`(.*?)`)? ?\|", table, re.MULTILINE)
    told = {action.option_strings[0]: action for action in parser._actions if action.option_strings}
    del told["-h"]
    assert [name for name, _ in rows] == list(told)
    for name, default in rows:
        action = told[name]
        said = re.search(r"\(default: (.*)\)", action.help or "")
        if said is not None:
            assert default == said[1], name
        else:
            assert default == ("default" if name == "--valuation" else "") and not action.default, name


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", page_text(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        goal = (ROOT / page).parent / path if path else ROOT / page
        assert goal.exists(), f"{page}: there is no {target}"
        assert not anchor or anchor in anchors(goal), f"{page}: {goal.name} has no heading {anchor}"


def test_the_readme_names_what_is_there() -> None:
    page = page_text("README.md")
    assert set(re.findall(r"^\| `chocolatl (\w+)", page, re.MULTILINE)) == set(cli.COMMANDS)
    assert set(readme_games()) <= set(games_in(ROOT / "rules"))
