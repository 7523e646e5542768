"""The program with something forgotten: a copy of it, and what the type checker says about the copy.

The checker is a daemon that has read everything once and then looks only at what was changed. It ends with the copy, or
by itself when nobody has asked for some minutes.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.operations.consumers import CLOSED, UNIONS, Consumer, Edit, edited, end_of, start_of

REPORT = re.compile(r"(?P<path>[^:\n]+):(?P<line>\d+): error: (?P<text>.*?)  \[(?P<code>[\w-]+)\]")
MORE = re.compile(r"<(\d+) more items?>")
NEVER = re.compile(r'to "assert_never" has incompatible type "(.*)"; expected "Never"')

IDLE_SECONDS = 300
PACKAGE = "chocolatl/"
CHECKED = ("--hide-error-context", "--no-pretty", "chocolatl")

OPERATIONS, NODES = "interpreter/ir/operations.py", "interpreter/ir/nodes.py"
BASES = {"Expression": "TypedNode", "Statement": "PlacedNode"}
"""What the classes of a list of nodes have in common."""

Forgotten = tuple[Consumer, frozenset[str]]
"""A consumer, and some of the operations that it names."""


@dataclass(frozen=True)
class Report:
    """What the type checker says of a line."""

    path: str
    line: int
    text: str
    code: str

    @property
    def left(self) -> frozenset[str]:
        """The operations that a match leaves over, as far as they are named; what is called by the name of its list is
        all that it has."""
        found = NEVER.search(self.text)
        words = [word.split(".") for word in re.findall(r"[\w.]+", MORE.sub("", found[1]))] if found else []
        names = [".".join(word[-2:]) if word[-2:-1] and word[-2] in CLOSED else word[-1] for word in words]
        return frozenset([one for name in names for one in CLOSED.get(name, (name,))]) - {"Literal"}

    @property
    def more(self) -> int:
        """How many it leaves over besides: of many, the type checker names some."""
        found = MORE.search(self.text)
        return int(found[1]) if found else 0

    def tells_of(self, names: Iterable[str]) -> set[str]:
        """Which of some operations it names."""
        return {name for name in names if re.search(rf"\b{name}\b", self.text)}


class Copy:
    """The Python of the program in a folder of its own, to be changed at will."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder, self.files, self.changed, self.moment = folder, files, set[str](), 0
        for path, text in files.items():
            self.place(path).parent.mkdir(parents=True, exist_ok=True)
            self.place(path).write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "pyproject.toml", folder)

    def place(self, path: str) -> Path:
        """A file where it lies in an installation, since a type checker looks for modules by their folders."""
        return self.folder / PACKAGE / path.removeprefix("src/chocolatl/")

    def change(self, changes: dict[str, str]) -> None:
        """These files are as given, all others as they were at first. Each change is made at a second of its own,
        since the type checker goes by that."""
        self.moment += 1
        for path in self.changed | changes.keys():
            self.place(path).write_text(changes.get(path, self.files[path]), encoding="utf-8")
            os.utime(self.place(path), (self.moment, self.moment))
        self.changed = set(changes)

    def ask(self, *arguments: str) -> str:
        daemon = [sys.executable, "-m", "mypy.dmypy", "--status-file", "daemon.json"]
        done = subprocess.run([*daemon, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr  # else it is about the type checker itself
        return done.stdout

    def reports(self) -> list[Report]:
        """What the daemon says, after it has begun or gone on."""
        return read(self.ask("run", "--timeout", str(IDLE_SECONDS), "--", *CHECKED))

    def reports_once(self) -> list[Report]:
        """What the type checker says when it begins with what is known of the program as it is, if that is known."""
        if (ROOT / ".mypy_cache").is_dir():
            shutil.copytree(ROOT / ".mypy_cache", self.folder / ".mypy_cache")
        command = [sys.executable, "-m", "mypy", *CHECKED]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return read(done.stdout)


def read(said: str) -> list[Report]:
    return [
        Report(m["path"].removeprefix(PACKAGE), int(m["line"]), m["text"], m["code"]) for m in REPORT.finditer(said)
    ]


@contextmanager
def copied(folder: Path, files: dict[str, str]) -> Iterator[Copy]:
    copy = Copy(folder, files)
    try:
        yield copy
    finally:
        if (folder / "daemon.json").exists():
            copy.ask("stop")


def rounds(found: list[Consumer], number: int) -> Iterator[list[Forgotten]]:
    """Each consumer forgets a part of what it names, in so many rounds: what one forgets does not hide what another
    does, and each has something left."""
    for first in range(number):
        each_forgets = [(consumer, frozenset(consumer.named[first::number])) for consumer in found]
        yield [(consumer, forgotten) for consumer, forgotten in each_forgets if forgotten]


def forgetful(files: dict[str, str], forgotten: list[Forgotten]) -> dict[str, str]:
    """The files in which something is forgotten, as they are then."""
    edits: dict[str, list[Edit]] = defaultdict(list)
    for consumer, operations in forgotten:
        edits[consumer.path] += consumer.without(operations)
    return {path: edited(files[path], some) for path, some in edits.items()}


def unnoticed(forgotten: list[Forgotten], reports: list[Report]) -> list[str]:
    """What is not reported of that which is forgotten: all of it, and nothing else, at its match."""
    said = {(report.path, report.line): report for report in reports if NEVER.search(report.text)}
    complaints: list[str] = []
    for consumer, operations in forgotten:
        report = said.get((consumer.path, consumer.never or 0))
        missing = {name for each in operations for name in CLOSED.get(each, (each,))}
        if report is None or not report.left <= missing or len(report.left) + report.more != len(missing):
            left = ", ".join(sorted(missing))
            complaints.append(f"{consumer.place}: nobody notices that it forgets {left}: {report and report.text}")
    return complaints


# ---------------------------------------------------------------- what is new

NEW = "FORGOTTEN"


def new_names() -> dict[str, str]:
    """What is added to each list."""
    return {name: f"New{name}" if name in UNIONS else f"{name}.{NEW}" for name in CLOSED}


def with_new_operations(files: dict[str, str]) -> dict[str, str]:
    """Each enumeration has one more member, each list of nodes one more class."""
    return files | {OPERATIONS: _with_members(files[OPERATIONS]), NODES: _with_classes(files[NODES])}


def without_texts(files: dict[str, str]) -> dict[str, str]:
    """Operations are no texts any more, so that the type checker sees where they are taken for some."""
    assert TEXTS in files[OPERATIONS]
    return files | {OPERATIONS: files[OPERATIONS].replace(TEXTS, TEXTS.replace("StrEnum", "Enum"))}


TEXTS = "class Operation(StrEnum):"
TAKEN_FOR_TEXT = ("comparison-overlap", "unreachable", "index", "call-overload")
"""How the type checker calls it when an operation is compared with a text, or looked up in a table of texts."""


def _with_members(text: str) -> str:
    """The member that comes last in a class once more, under another name."""
    edits: list[Edit] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name in CLOSED:
            last = [each for each in node.body if isinstance(each, ast.Assign)][-1]
            assert isinstance(last.value, ast.Tuple)
            rest = ", ".join(ast.unparse(each) for each in last.value.elts[1:])
            place = end_of(last.value)
            edits.append(Edit(place, place, f'\n    {NEW} = ("forgotten", {rest})'))
    return edited(text, edits)


def _with_classes(text: str) -> str:
    edits: list[Edit] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in UNIONS:
            name = node.targets[0].id
            before, place = (node.lineno, 0), start_of(node.value)
            new = f"class New{name}({BASES.get(name, 'Struct')}, frozen=True):\n    place: int\n\n\n"
            edits += [Edit(before, before, new), Edit(place, place, f"New{name} | ")]
    return edited(text, edits)
