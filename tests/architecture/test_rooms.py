"""What the rooms of the house say of themselves: each package tells in its docstring what it builds on (fitness
functions for the architecture).

A room is a folder with modules. Its docstring ends with "Builds on `ir`, `lowered`." or "Builds on nothing else.": that
has to be what its modules really import, read from their syntax trees. A folder of rooms may say "Nothing here builds
on `engine`.", and no module below it may then import from there. A test that fails says what the sentence should be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache

import pytest

from chocolatl import cli
from tests.project.test_architecture import imported, module_name, product_files, python_files

FOUNDATION = frozenset(["interpreter", "cli", "source", "diagnostics", "records", "system"])
"""What everybody may use and nobody needs to tell: places in files, findings, dataclasses, the machine; the version."""

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
"""The name of an option of the command line."""

NAMES_OPTIONS = {
    "cli.py": "it has the arguments",
    "interpreter/commands/": "a command has its options",
    "interpreter/checking/policies.py": "how to learn a policy again is part of what is told of one for other rules",
    "interpreter/players/learned.py": "what to do about a policy that cannot be followed is part of what is told of it",
    "interpreter/terminal/reports/policies.py": "how to measure a policy is part of what is told of one",
    "interpreter/testing/scenario_run.py": "what to do about a scenario without `then` is part of what is told of it",
}
"""Whose texts may name options, and why; a docstring may, wherever it is."""

FOR_OTHERS = {"solver/methods/response.py: best_response", "solver/methods/response.py: win"}
"""What we do not use ourselves: docs/solver.md and docs/policies.md give it to those who write Python."""

BACK_ENDS = ("engine", "native", "solver")
"""What carries out rules, each in its own way."""

MOST = 20
"""So many modules may lie in one folder."""


def rooms_of(files: Iterable[str]) -> dict[str, list[str]]:
    """The folders that hold modules beside `__init__.py`, and these."""
    found: dict[str, list[str]] = {}
    for path in files:
        folder, _, name = path.rpartition("/")
        if name != "__init__.py" and folder not in ("", "src/chocolatl", "interpreter"):
            found.setdefault(folder, []).append(path)
    return found


def called(room: str) -> str:
    """A room as the docstrings call it: `native/emit`, `solver/model`."""
    return room.removeprefix("interpreter/")


parsed = cache(ast.parse)


@cache
def names_in(path: str, text: str) -> frozenset[str]:
    """All that a module imports."""
    return frozenset(name for _, name in imported(path, text))


@cache
def docstring_of(text: str) -> str:
    """The docstring of a module on one line."""
    return " ".join((ast.get_docstring(parsed(text)) or "").split())


class House:
    """Who imports what, by room."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.rooms = rooms_of(files)
        self.modules = {module_name(path): path for path in files}

    def room_of(self, name: str) -> str:
        """Where something lies that is imported by this name; nothing if it is not of the house."""
        while name and name not in self.modules:
            name = name.rpartition(".")[0]
        path = self.modules.get(name, "").removesuffix("/__init__.py")
        folder = path.rpartition("/")[0]
        return folder if folder in self.rooms and path not in self.rooms else path

    def used(self, paths: Iterable[str], own: str) -> set[str]:
        """The other rooms, as they are called, that some modules import from."""
        found = {self.room_of(name) for path in paths for name in names_in(path, self.files[path])} - {"", own}
        return {called(room).removesuffix(".py") for room in found} - FOUNDATION

    def docstring(self, folder: str) -> str:
        return docstring_of(self.files.get(f"{folder}/__init__.py", ""))

    def complaints(self) -> list[str]:
        found = []
        for room, paths in self.rooms.items():
            own = [*paths, *([f"{room}/__init__.py"] if f"{room}/__init__.py" in self.files else [])]
            wanted = sentence(self.used(own, room))
            if not self.docstring(room).endswith(wanted):
                found.append(f"{room}/__init__.py: its docstring should end with: {wanted}")
        for path in self.files:
            folder = path.removesuffix("/__init__.py")
            if (closed := re.search(r"Nothing here builds on ([^.]*)\.", self.docstring(folder))) and folder != path:
                below = [other for other in self.files if other.startswith(folder + "/")]
                shut = set(re.findall(r"`([\w/]+)`", closed[1]))
                assert shut <= {called(room) for room in self.rooms} | {"native"}, f"{path}: there is no such room"
                broken = {room for room in self.used(below, "") if any(f"{room}/".startswith(f"{s}/") for s in shut)}
                found += [f"{path}: something here does build on `{room}`" for room in sorted(broken)]
        return found


def sentence(rooms: Iterable[str]) -> str:
    names = ", ".join(f"`{room}`" for room in sorted(rooms))
    return f"Builds on {names or 'nothing else'}."


def test_each_room_says_what_it_builds_on() -> None:
    assert House(product_files()).complaints() == []


MODULE = "interpreter/native/emit/planted.py"


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        (
            MODULE,
            "from chocolatl.interpreter.engine.compile import ExecutableGame",
            "emit/__init__.py: its docstring should",
        ),
        (
            MODULE,
            "from chocolatl.interpreter.engine import machine",
            "native/__init__.py: something here does build on `engine`",
        ),
        (MODULE, "def f():\n    import chocolatl.interpreter.syntax.tree", "something here does build on `syntax`"),
        ("interpreter/lowered/planted.py", "from ..engine import steps", "lowered/__init__.py: its docstring should"),
        ("solver/model/planted.py", "from chocolatl.interpreter.ir import nodes", "Builds on `ir`."),
        ("solver/symbolic/planted.py", "from chocolatl.interpreter.engine import machine", "symbolic/__init__.py"),
        ("interpreter/planted/one.py", "", "planted/__init__.py: its docstring should end with: Builds on nothing"),
    ],
)
def test_a_false_claim_is_found(path: str, text: str, complaint: str) -> None:
    complaints = House(product_files() | {path: text}).complaints()
    assert any(complaint in each for each in complaints), complaints


def test_a_claim_that_nothing_bears_out_any_more_is_found() -> None:
    path = "interpreter/lowered/__init__.py"
    files = product_files()
    files[path] = files[path].replace("`ir`", "`ir`, `play`")
    assert [complaint for complaint in House(files).complaints() if complaint.startswith(path)]


def test_what_is_lowered_is_shared() -> None:
    """Each module of it is used by two back ends at least; else it belongs to the one that uses it."""
    files = product_files()
    for path in rooms_of(files)["interpreter/lowered"]:
        users = {
            end
            for end in BACK_ENDS
            for other, text in files.items()
            if called(other).startswith(f"{end}/")
            and any(f"{name}.".startswith(f"{module_name(path)}.") for name in names_in(other, text))
        }
        assert len(users) > 1, (path, users)


def option_complaints(files: dict[str, str]) -> list[str]:
    """Texts with the name of an option: what is asked is not told how."""
    found = []
    for path, text in files.items():
        nodes = list(ast.walk(parsed(text)))
        told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found += [
            f"{path}:{node.lineno}: {option[0]} is the name of an option"
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
            for option in OPTION.finditer(node.value)
        ]
    return found


def test_only_commands_know_the_names_of_options() -> None:
    files = product_files()
    asked = {path: text for path, text in files.items() if not path.startswith(tuple(NAMES_OPTIONS))}
    assert option_complaints(asked) == []
    for place in NAMES_OPTIONS:
        assert option_complaints({path: text for path, text in files.items() if path.startswith(place)}), place


def test_the_name_of_an_option_is_found() -> None:
    text = '"""As `--json`."""\n# --json\nx = 1  \n"""Of --json."""\nraise E(f"--engine {x}: no")\ny = "---- a--b"\n'
    assert option_complaints({"a.py": text}) == ["a.py:5: --engine is the name of an option"]


def unused(files: dict[str, str]) -> set[str]:
    """Functions and classes of modules that no code of these files names. Python itself calls those in underscores."""
    made, named = set[tuple[str, str]](), set[str]()
    for path, text in files.items():
        made |= {(path, node.name) for node in parsed(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        for node in ast.walk(parsed(text)):
            match node:
                case ast.Name(name) | ast.Attribute(attr=name) | ast.alias(name):
                    named.add(name)
    return {f"{path}: {name}" for path, name in made if name not in named and not name.startswith("__")}


def test_what_only_the_demonstration_or_the_tests_use_lies_with_them() -> None:
    assert unused(product_files()) == FOR_OTHERS
    assert unused({"a.py": "def f(): ...\nclass A: ...", "b.py": "from a import f"}) == {"a.py: A"}


def test_no_room_is_a_corridor() -> None:
    rooms = rooms_of(python_files("interpreter", "solver", "tests", "benchmarks", "docs"))
    assert {room: len(paths) for room, paths in rooms.items() if len(paths) > MOST} == {}
    assert len(rooms) > 40
    assert len(rooms_of(f"interpreter/engine/{number}.py" for number in range(21))["interpreter/engine"]) > MOST


def test_a_command_is_one_module_with_its_arguments_and_its_work() -> None:
    for name in cli.COMMANDS:
        tree = ast.parse(product_files()[f"interpreter/commands/{name}.py"])
        assert {"configure", "run"} <= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name
