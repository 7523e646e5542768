"""The shape of the project: imports go one way, no game is known by name, one file wires up the solver.

Each check is a function from texts to complaints, so that the tests can also show that it complains when it should.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.syntax.parser import parse_rules
from tests.conftest import PACKAGE, ROOT

STAGES: tuple[tuple[str, ...], ...] = (
    ("chocolatl.interpreter.system",),
    ("chocolatl.interpreter.ir.ranges",),
    ("chocolatl.interpreter.ir.operations",),  # the tree of the syntax carries operations, too
    ("chocolatl.interpreter.source", "chocolatl.interpreter.diagnostics"),
    ("chocolatl.interpreter.syntax",),
    ("chocolatl.interpreter.data",),
    ("chocolatl.interpreter.program",),
    ("chocolatl.interpreter.ir",),
    ("chocolatl.interpreter.translate",),
    ("chocolatl.interpreter.analysis",),
    ("chocolatl.interpreter.meaning",),
    ("chocolatl.interpreter.lowered.random", "chocolatl.interpreter.statistics.estimates"),  # leaves: see LEAVES
    ("chocolatl.interpreter.lowered",),
    ("chocolatl.interpreter.statistics",),
    ("chocolatl.interpreter.policy",),
    ("chocolatl.interpreter.native.llvm",),
    ("chocolatl.interpreter.native.layout",),
    ("chocolatl.interpreter.native.runtime",),
    ("chocolatl.interpreter.native.emit.context",),
    (
        "chocolatl.interpreter.native.emit.passes",
        "chocolatl.interpreter.native.emit.checks",
        "chocolatl.interpreter.native.emit.frames",
    ),
    ("chocolatl.interpreter.native.emit.kinds",),
    ("chocolatl.interpreter.native.emit.values_and_rankings",),
    ("chocolatl.interpreter.native.emit.statements",),
    ("chocolatl.interpreter.native.emit.decisions",),
    ("chocolatl.interpreter.native.emit",),
    ("chocolatl.interpreter.native.vector",),
    ("chocolatl.interpreter.engine",),
    ("chocolatl.interpreter.play",),
    ("chocolatl.interpreter.native.builds",),  # a build is played by the game contract
    ("chocolatl.interpreter.native.policy",),
    ("chocolatl.interpreter.native.lookahead",),
    ("chocolatl.interpreter.native.paired",),
    ("chocolatl.interpreter.native",),
    ("chocolatl.interpreter.players", "chocolatl.interpreter.formats"),
    ("chocolatl.interpreter.simulation",),
    ("chocolatl.interpreter.comparing",),
    ("chocolatl.interpreter.learning",),
    ("chocolatl.interpreter.valuing",),
    ("chocolatl.interpreter.starting",),
    ("chocolatl.interpreter.testing",),
    ("chocolatl.interpreter.checking",),
    ("chocolatl.solver.model",),
    ("chocolatl.solver.symbolic",),
    ("chocolatl.solver.backends",),
    ("chocolatl.solver.worth",),
    ("chocolatl.solver.methods",),
    ("chocolatl.solver",),
    ("chocolatl.interpreter.terminal.output",),
    ("chocolatl.interpreter.terminal.board", "chocolatl.interpreter.terminal.story"),
    ("chocolatl.interpreter.terminal.asking", "chocolatl.interpreter.terminal.reports"),
    ("chocolatl.interpreter.terminal",),
    ("chocolatl.interpreter.commands",),
    ("chocolatl.interpreter.interface",),
    ("chocolatl.cli",),
    ("chocolatl.__main__",),
)
"""A module imports from its own line and from those above it; two on one line import one another in one way at most."""

LEAVES = ("chocolatl.interpreter.lowered.random", "chocolatl.interpreter.statistics.estimates")
"""These import no stage at all."""

HANDED_OVER = ("chocolatl.cli", "chocolatl.__main__")
"""As a script the first hands over to the second, which imports it."""

APART = (
    ("chocolatl.interpreter.engine", "chocolatl.interpreter.native"),
    ("chocolatl.interpreter.engine", "chocolatl.solver.model"),
    ("chocolatl.interpreter.engine", "chocolatl.solver.symbolic"),
    ("chocolatl.interpreter.engine", "chocolatl.solver.backends"),
    ("chocolatl.interpreter.play", "chocolatl.solver.model"),
    ("chocolatl.interpreter.play", "chocolatl.solver.symbolic"),
    ("chocolatl.interpreter.play", "chocolatl.solver.backends"),
)
"""The back ends import one another in neither direction, whatever their order: what they share is `lowered`."""

ORDINARY = frozenset(["player", "player_count", "round", "north", "south", "character", "plain", "empty"])
"""Words that a rule file may declare and Python may say all the same. Those of the grammar are found by themselves."""

PARTS = ("interpreter", "solver", "cli")
"""What lies at the top of a checkout and is imported from inside the package."""

DISTRIBUTION = "chocolatl"
"""The one name of a game that is allowed in Python, since it is also the name of the command."""


def python_files(*places: str) -> dict[str, str]:
    """Path inside the project -> text, for the Python files of some folders or files."""
    found: dict[str, str] = {}
    for place in places:
        start = ROOT / place
        for path in [start] if start.is_file() else sorted(start.rglob("*.py")):
            found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    return found


def product_files() -> dict[str, str]:
    own = {f"src/chocolatl/{path.name}": path for path in sorted(PACKAGE.glob("__*.py"))}
    files = {path: file.read_text(encoding="utf-8") for path, file in own.items()}
    return files | python_files("interpreter", "solver", "cli.py")


def module_name(path: str) -> str:
    name = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"chocolatl.{name}" if name.partition(".")[0] in PARTS else name


@cache
def imported(path: str, text: str) -> tuple[tuple[int, str], ...]:
    return tuple(_imported(path, text))


def _imported(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that a file imports, also inside functions and by a name in a string."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = ["chocolatl", *path.split("/")[: -node.level]]
                base = ".".join([*package, base] if base else package)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"(chocolatl|ortools)(\.\w+)+", node.value):
                yield node.lineno, node.value


def stage_of(module: str) -> tuple[int, str] | None:
    for level, stages in enumerate(STAGES):
        for stage in stages:
            if module == stage or module.startswith(stage + "."):
                return level, stage
    return None


def import_complaints(files: dict[str, str]) -> list[str]:
    complaints: list[str] = []
    peers: dict[tuple[str, str], str] = {}
    for path, text in files.items():
        own = stage_of(module_name(path))
        if own is None:
            if module_name(path) not in ("chocolatl", "chocolatl.interpreter"):
                complaints.append(f"{path}: this module has no place in the pipeline; give it one in STAGES")
            continue
        for line, name in imported(path, text):
            other = stage_of(name)
            if other is None or other[1] == own[1] or (own[1], other[1]) == HANDED_OVER:
                continue
            if other[0] > own[0] or own[1] in LEAVES or _are_apart(module_name(path), name):
                complaints.append(f"{path}:{line}: {own[1]} must not import {other[1]}")
            elif other[1] in LEAVES and own[0] < other[0]:
                complaints.append(f"{path}:{line}: {own[1]} comes before the engine and needs no {other[1]}")
            elif other[0] == own[0]:
                peers[own[1], other[1]] = f"{path}:{line}"
    for (importer, peer), place in peers.items():
        if (peer, importer) in peers:
            complaints.append(f"{place}: {importer} and {peer} import one another")
    return complaints


def _are_apart(one: str, other: str) -> bool:
    """Whether one module may never import another, nor that one the first."""
    return any(
        (_is_inside(one, first) and _is_inside(other, second)) or (_is_inside(one, second) and _is_inside(other, first))
        for first, second in APART
    )


def _is_inside(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def rule_words(texts: Iterable[str]) -> set[str]:
    """The enum members and component names that rule files declare, if they are long enough to mean something."""
    words: set[str] = set()
    for text in texts:
        rules = parse_rules(make_source("rules", text), Findings())
        assert rules is not None
        for declaration in rules.declarations:
            if isinstance(declaration, tree.Enumeration):
                words |= {member.name.text for member in declaration.members}
            elif isinstance(declaration, tree.Component):
                words.add(declaration.name.text)
    return {word for word in words if len(word) > 4}


def language_words() -> set[str]:
    """Words that mean something in the language, in Python or in the layout of the project, whatever a game does."""
    grammar = (ROOT / "interpreter/syntax/grammar.lark").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_]+", re.sub(r"//.*", "", grammar)))
    words |= {part for path in product_files() for part in module_name(path).split(".")}
    return words | set(dir(builtins)) | set(keyword.kwlist) | ORDINARY


def word_complaints(files: dict[str, str], words: Iterable[str]) -> list[str]:
    """Where a word stands in a text: alone, in a sentence, or as a part of a name in any spelling."""
    wanted = {word: "_" + re.sub(r"[^a-z0-9]+", "_", word.lower()) + "_" for word in words}
    complaints: list[str] = []
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), start=1):
            parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", line)
            spread = "_" + re.sub(r"[^a-z0-9]+", "_", parted.lower()) + "_"
            complaints += [
                f"{path}:{number}: `{word}` belongs to a game" for word, form in wanted.items() if form in spread
            ]
    return complaints


def importers(files: dict[str, str], package: str) -> set[str]:
    return {path for path, text in files.items() for _, name in imported(path, text) if name.split(".")[0] == package}


MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|home|Users|opt)/\w")
"""Absolute paths of one person's or one machine's folders."""


def text_files() -> Iterator[tuple[str, str]]:
    skipped = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis"}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skipped and not name.endswith(("_cache", ".egg-info"))]
        for name in names:
            path = Path(folder, name)
            data = path.read_bytes()
            if b"\0" not in data:
                yield path.relative_to(ROOT).as_posix(), data.decode("utf-8", errors="replace")


def test_imports_go_one_way() -> None:
    assert import_complaints(product_files()) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("interpreter/syntax/parser.py", "from chocolatl.interpreter.program.types import Type"),
        ("interpreter/syntax/parser.py", "from ..engine import machine"),
        ("interpreter/source.py", "def f():\n    from chocolatl.interpreter.play import game"),
        ("interpreter/play/game.py", "import_module('chocolatl.interpreter.commands.check')"),
        ("interpreter/engine/machine.py", "import chocolatl.solver.model.model"),
        ("interpreter/lowered/random.py", "from chocolatl.interpreter.source import Span"),
        ("interpreter/ir/nodes.py", "from chocolatl.interpreter.lowered.random import Random"),
        ("interpreter/native/emit/statements/control.py", "from chocolatl.interpreter.engine.steps import Steps"),
        ("interpreter/native/builds/kernel.py", "from chocolatl.interpreter.engine import machine"),
        (
            "interpreter/engine/machine.py",
            "from chocolatl.interpreter.native.emit.statements.control import emit",
        ),
        ("interpreter/engine/machine.py", "def f():\n    import chocolatl.interpreter.native.llvm.compile"),
        ("interpreter/lowered/waits.py", "from chocolatl.interpreter.engine.steps import Steps"),
        ("interpreter/statistics/occurrences.py", "from chocolatl.interpreter.play.game import Answer"),
        ("solver/symbolic/run.py", "from chocolatl.interpreter.engine.machine import advance"),
        ("solver/symbolic/run.py", "from chocolatl.interpreter.play.game import Game"),
        ("interpreter/surprise.py", ""),
    ],
)
def test_a_backward_import_is_found(path: str, text: str) -> None:
    assert len(import_complaints({path: text})) == 1


def test_forward_imports_are_fine_but_not_a_circle_of_peers() -> None:
    text = "from chocolatl.interpreter.formats import position\nfrom chocolatl.interpreter.play import game"
    one = {"interpreter/players/greedy.py": text}
    other = {"interpreter/formats/position.py": "from chocolatl.interpreter.players import greedy\nimport json"}
    assert import_complaints(one) == import_complaints(other) == []
    assert len(import_complaints(one | other)) == 2


def test_every_module_says_what_it_is_for() -> None:
    files = product_files() | python_files("tests", "benchmarks", "docs")
    assert [path for path, text in files.items() if not ast.get_docstring(ast.parse(text))] == []


def test_no_game_is_known_by_name() -> None:
    folders = sorted(path.parent for path in ROOT.glob("rules/*/game.yaml"))
    assert folders
    rules = [path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.rules")]
    words = (rule_words(rules) - language_words()) | {folder.name for folder in folders} - {DISTRIBUTION}
    assert word_complaints(product_files(), words) == []


def test_the_words_of_a_game_are_found() -> None:
    rules = "language 1\ngame sample\nenum site = temple, inn, player\ncomponent parchment (value)\n"
    assert rule_words([rules]) == {"temple", "player", "parchment"}
    assert "player" in language_words() and "winner" in language_words()
    text = {
        "a.py": "# the Temple\nx = is_temple(1)\nclass TempleBid: ...\ntemples = template\n'kuhn poker'\nkuhn_poker"
    }
    places = [complaint.split(": ")[0] for complaint in word_complaints(text, ["temple", "kuhn_poker"])]
    assert places == ["a.py:1", "a.py:2", "a.py:3", "a.py:5", "a.py:6"]


def test_one_file_at_most_wires_up_the_solver() -> None:
    assert len(importers(product_files(), "ortools")) <= 1
    found = importers(
        {"a.py": "from ortools.sat.python import cp_model", "b.py": "import_module('ortools.sat')"}, "ortools"
    )
    assert found == {"a.py", "b.py"}


def test_one_file_knows_where_the_program_lies() -> None:
    """So that what comes with it is found in a checkout and where the distribution is installed."""
    assert [path for path, text in product_files().items() if "__file__" in text] == [
        "src/chocolatl/__init__.py",
        "interpreter/system/shipped.py",
        "cli.py",
    ]


def test_one_file_reads_yaml_and_one_writes_scripts_for_shells() -> None:
    assert importers(product_files(), "yaml") == {"interpreter/data/strict_yaml.py"}
    assert importers(product_files(), "shtab") == {"interpreter/commands/completion.py"}


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    assert [f"{path}: {found[0]}" for path, text in text_files() for found in MACHINE_PATH.finditer(text)] == []
    for top in ("work", "root", "home"):
        assert MACHINE_PATH.search(f"see /{top}/x")
    assert not MACHINE_PATH.search("a/work/b, https://example.org/home/x, ~/work/x, the root/leaf")


def test_the_files_that_the_guide_to_the_tests_names_exist() -> None:
    guide = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+(?:\.\w+|/))`", guide)
    assert named
    assert [name for name in named if not (ROOT / name).exists() and not (ROOT / "tests" / name).exists()] == []
