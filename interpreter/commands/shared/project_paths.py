"""What a command looks at that is given no path: what pyproject.toml names (`[tool.chocolatl]`), or this folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError

if TYPE_CHECKING:
    from chocolatl.interpreter.checking.config import Config


def project_config() -> Config:
    """What is set for this folder."""
    from chocolatl.interpreter.checking.config import WrongConfig, find_config

    try:
        return find_config(Path.cwd())
    except WrongConfig as error:
        raise UsageError(str(error)) from None


def project_paths(config: Config) -> Sequence[Path]:
    """The paths that are set, as they are told."""
    return [Path(os.path.relpath(path)) for path in config.paths] or [Path(".")]


def without_excluded(files: Iterable[Path], config: Config) -> list[Path]:
    """Files but for those that are set to be left out."""
    left_out = [path.resolve() for path in config.exclude]
    return [file for file in files if not any(file.resolve().is_relative_to(path) for path in left_out)]
