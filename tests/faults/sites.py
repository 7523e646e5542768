"""Where the machine can refuse something: the sites of fault injection, read off the program's own text (static scan).

A site is a line that asks the system for something: a file, a stream, a process or a thread, memory for native code.
The list is made from the syntax trees of all files, so that a new line of this sort is a new site by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from tests.conftest import ROOT


class Kind(Enum):
    FILE = "file"
    STREAM = "stream"
    PROCESS = "process"
    PIPE = "pipe"
    THREAD = "thread"
    MEMORY = "memory"


@dataclass(frozen=True)
class Site:
    """A line of a file, what it asks for, and the expression of the file or stream that it is about."""

    path: str
    line: int
    function: str
    what: str
    kind: Kind
    argument: str | None = None

    @property
    def key(self) -> str:
        return f"{self.path}:{self.line} {self.what}"

    @property
    def name(self) -> str:
        """As people call it, whatever line it is on."""
        return f"{self.path} {self.function}: {self.what}"

    @property
    def in_lambda(self) -> bool:
        return self.function.endswith(LAMBDA)


LAMBDA = "<lambda>"

OS = {"open", "write", "replace", "rename", "link", "symlink", "unlink", "remove", "mkdir", "makedirs", "rmdir"}
OS |= {"chmod", "fchmod", "utime", "fsync", "truncate", "ftruncate", "pipe", "dup2", "scandir"}
MODULES = {
    "shutil": Kind.FILE,
    "tempfile": Kind.FILE,
    "subprocess": Kind.PROCESS,
    "np": Kind.MEMORY,
    "llvm": Kind.MEMORY,
}
"""Whatever is called of these modules asks for something."""

PATH_METHODS = {"write_text", "write_bytes", "mkdir", "touch", "unlink", "rename", "rmdir", "symlink_to", "chmod"}
STREAM_METHODS = {"write", "writelines", "flush", "print"}
COMPILER_METHODS = {"link", "create_target_machine", "emit_object", "emit_assembly", "verify"}

NO_STREAMS = {"self", "state", "table", "parser"}
"""What has methods of such names and is no stream."""


def sites() -> list[Site]:
    found = [site for path in _files() for site in sites_of(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))]
    return sorted(set(found), key=lambda site: (site.path, site.line, site.what))


def _files() -> list[Path]:
    return [*sorted((ROOT / "interpreter").rglob("*.py")), *sorted((ROOT / "solver").rglob("*.py")), ROOT / "cli.py"]


def sites_of(path: str, text: str) -> Iterator[Site]:
    """The sites of one file."""

    def walk(node: ast.AST, function: str) -> Iterator[Site]:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            function = LAMBDA if isinstance(node, ast.Lambda) else node.name
        if isinstance(node, ast.Call):
            kind = _kind(node)
            if kind is not None:
                about = _about(node, kind)
                argument = ast.unparse(about) if about is not None and _is_plain(about) else None
                yield Site(path, node.lineno, function, ast.unparse(node.func)[:40], kind, argument)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    return walk(ast.parse(text), "module")


def _kind(call: ast.Call) -> Kind | None:
    """What a call asks for, if it asks the machine for anything."""
    function = call.func
    if isinstance(function, ast.BinOp):  # (ctypes.c_int64 * n)()
        return Kind.MEMORY if "ctypes" in ast.unparse(function) or "NUMBER" in ast.unparse(function) else None
    if isinstance(function, ast.Name):
        return _kind_of_name(function.id, call)
    if not isinstance(function, ast.Attribute):
        return None
    owner, name = ast.unparse(function.value), function.attr
    if owner in ("os", "fcntl", "ctypes"):
        if owner == "ctypes":
            return Kind.MEMORY if name.startswith("create_") else None
        return Kind.FILE if name in OS or name == "flock" else None
    if owner in MODULES:
        return MODULES[owner]
    if name in ("Process", "Pipe", "Popen") or (name == "start" and owner == "process"):
        return Kind.PROCESS
    if name in ("send", "recv"):
        return Kind.PIPE
    if name == "start" and owner.startswith("Thread("):
        return Kind.THREAD
    if name in STREAM_METHODS and owner.split(".")[-1] not in NO_STREAMS and owner != "sys.stderr":
        return Kind.STREAM
    if name in COMPILER_METHODS:
        return Kind.MEMORY
    return Kind.FILE if name in PATH_METHODS and owner not in MODULES else None


def _kind_of_name(name: str, call: ast.Call) -> Kind | None:
    if name == "print":
        file = next((keyword.value for keyword in call.keywords if keyword.arg == "file"), None)
        return None if file is not None and ast.unparse(file) == "sys.stderr" else Kind.STREAM
    if name == "open":
        mode = ast.unparse(call.args[1]) if len(call.args) > 1 else "'r'"
        return None if set(mode) <= set("'rb") else Kind.FILE
    if name == "create_string_buffer":
        return Kind.MEMORY
    return Kind.PROCESS if name in ("Process", "Popen", "ProcessPoolExecutor", "Pool") else None


def _about(call: ast.Call, kind: Kind) -> ast.expr | None:
    """The expression of the file or the stream that a call is about."""
    if kind is Kind.STREAM:
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    return call.args[0] if kind is Kind.FILE and call.args else None


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression can be looked up without doing anything."""
    return all(isinstance(part, (ast.Name, ast.Attribute, ast.Load)) for part in ast.walk(node))


@cache
def by_file() -> dict[str, dict[int, list[Site]]]:
    """Absolute path -> line -> sites, as a tracer looks them up: where the file is, if its folder is a link."""
    found: dict[str, dict[int, list[Site]]] = {}
    for site in sites():
        found.setdefault(str((ROOT / site.path).resolve()), {}).setdefault(site.line, []).append(site)
    return found


if __name__ == "__main__":
    for site in sites():
        print(f"{site.kind.value:8} {site.key}")
    print(f"{len(sites())} sites")
