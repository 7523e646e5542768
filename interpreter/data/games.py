"""The games that are shipped, and what games and variants a folder has, by their names.

It imports nothing of the stages: the help of each command names a game.
"""

from __future__ import annotations

from pathlib import Path

from chocolatl.interpreter.system.shipped import shipped


def rules_folder() -> Path:
    """The shipped games."""
    return shipped("rules")


def games_in(root: Path) -> list[str]:
    """The games of a root folder, by the names of their folders."""
    return sorted(path.parent.name for path in root.glob("*/game.yaml"))


def variants_in(folder: Path) -> list[str]:
    """The variants of a game, by the names of their files."""
    return sorted(path.stem for path in folder.glob("variants/*.yaml"))
