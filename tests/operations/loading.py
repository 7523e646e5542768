"""Tables over operations that lack an entry, while their module is loaded: what `complete` says then.

The modules are executed anew, beside those that are in use; only the function that makes their tables is another one.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import EnumType
from pathlib import Path
from types import CodeType
from typing import Any, get_args
from unittest.mock import patch

from chocolatl.interpreter.ir import operations
from tests.operations.consumers import MAKERS

Table = Mapping[Any, Any]
Change = Callable[[int, Table], Table]


def kinds_of(kinds: Any) -> list[Any]:
    """The kinds that a table is over: the members of an enumeration, or the classes of a closed list."""
    return [*kinds] if isinstance(kinds, EnumType) else [*get_args(kinds)]


def name_of(kind: Any) -> str:
    return str(kind.__name__ if isinstance(kind, type) else kind.name)


def code_of(module: str) -> CodeType:
    found = importlib.util.find_spec(module)
    assert found is not None and found.origin is not None
    return compile(Path(found.origin).read_text(encoding="utf-8"), found.origin, "exec")


def execute(code: CodeType, module: str, change: Change) -> list[list[Any]]:
    """Load a module with tables that are changed by their number; what they are over, in the order they are made."""
    made: list[list[Any]] = []

    def changing(real: Callable[..., Table]) -> Callable[..., Table]:
        def changed(kinds: Any, table: Table, name: str) -> Table:
            made.append(kinds_of(kinds))
            return real(kinds, change(len(made) - 1, table), name)

        return changed

    with patch.dict(vars(operations), {name: changing(getattr(operations, name)) for name in MAKERS}):
        exec(code, {"__name__": module})
    return made


def incomplete(module: str) -> Iterator[tuple[str, str]]:
    """Each kind of each table of a module, and what is said when the table has no entry for it."""
    importlib.import_module(module)
    code = code_of(module)
    for number, kinds in enumerate(execute(code, module, lambda number, table: table)):
        for kind in kinds:

            def without(at: int, table: Table, number: int = number, kind: Any = kind) -> Table:
                return table if at != number else {key: value for key, value in table.items() if key is not kind}

            try:
                execute(code, module, without)
            except operations.Forgotten as error:
                yield name_of(kind), str(error)
            else:
                yield name_of(kind), ""


PROGRAM = """
import importlib, sys
from chocolatl.interpreter.ir import operations

def telling(real):
    def told(kinds, table, module):
        try:
            return real(kinds, table, module)
        except operations.Forgotten as error:
            print(error)
            return table
    return told

for name in sys.argv[1].split():
    setattr(operations, name, telling(getattr(operations, name)))
for module in sys.argv[2:]:
    importlib.import_module(module)
"""


def told_by_loading(folder: Path, modules: list[str]) -> list[str]:
    """What the tables of some modules say in a copy of the program, all of them, though the first is enough to fail."""
    command = [sys.executable, "-c", PROGRAM, " ".join(MAKERS), *modules]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()
