"""Whether a file of ours is loaded as two modules, or under a name that it does not have (duplicate module detection).

Two copies of a module have two copies of its classes: what one makes, the other does not know. It happens when a folder
of the checkout is itself on the path, or when the file that a process begins with is imported besides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from chocolatl.interpreter.system.shipped import HOME
from tests.conftest import PACKAGE, ROOT

PROGRAM = (HOME / "interpreter", HOME / "solver", HOME / "cli.py", PACKAGE)
OURS = (*PROGRAM, ROOT / "tests", ROOT / "benchmarks", ROOT / "docs")


def complaints(modules: Mapping[str, ModuleType]) -> list[str]:
    """What is wrong with the modules that are loaded, by name."""
    found: dict[str, dict[int, str]] = {}
    wrong: list[str] = []
    for name, module in [*modules.items()]:
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not _is_in(file, OURS):
            continue
        found.setdefault(os.path.realpath(file), {}).setdefault(id(module), name)
        if _is_in(file, PROGRAM) and name.partition(".")[0] not in ("chocolatl", "__main__"):
            wrong.append(f"{file} is loaded as {name}")
    wrong += [f"{file} is loaded as {' and '.join(names.values())}" for file, names in found.items() if len(names) > 1]
    return sorted(wrong)


def _is_in(file: str, places: tuple[Path, ...]) -> bool:
    real = os.path.realpath(file)
    return any(real == place or real.startswith(f"{place}{os.sep}") for place in map(os.path.realpath, places))
