"""Which packages only some commands need (extras of the distribution), and what to type where one is missing.

Linting, formatting, scenarios, playing and the interpreter's games need none. What needs one imports it when it is
needed; where it is not there, the user is told the packages by their own names, since these are what an index has.
"""

from __future__ import annotations

import sys
from enum import Enum, unique
from pathlib import Path
from typing import assert_never


@unique
class Extra(Enum):
    """An extra by its name."""

    NATIVE = "native"
    SOLVE = "solve"

    @property
    def packages(self) -> tuple[str, ...]:
        """What it installs."""
        match self:
            case Extra.NATIVE:
                return "llvmlite", "numpy"
            case Extra.SOLVE:
                return "ortools>=9.15", "numpy"
            case _:
                assert_never(self)

    @property
    def modules(self) -> tuple[str, ...]:
        """What is imported of it."""
        return tuple(package.partition(">")[0] for package in self.packages)

    @property
    def to_type(self) -> str:
        packages = " ".join(f"'{each}'" if ">" in each else each for each in self.packages)
        return f"{_python()} -m pip install {packages}"


def _python() -> str:
    """The Python that runs, as its user can call it."""
    from shutil import which

    found = which("python")
    return "python" if found is not None and Path(found).parent == Path(sys.executable).parent else sys.executable


def missing_extra(error: BaseException) -> Extra | None:
    """The first extra that brings the module which could not be imported."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    module = error.name.partition(".")[0]
    return next((extra for extra in Extra if module in extra.modules), None)


def why_not(error: ImportError | OSError) -> str:
    """Why something cannot be imported, and what to type."""
    extra = missing_extra(error)
    if extra is None or not isinstance(error, ImportError):
        return str(error)
    return f"{error.name} is not installed; type `{extra.to_type}`"
