"""The files of a new game: a small one with comments, or a copy of another one under a name of its own."""

from __future__ import annotations

import re
from pathlib import Path

from chocolatl.interpreter.data.find import files_below
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.system.shipped import shipped

TEMPLATE = "interpreter/starting/small_game"
"""Where the small game lies; `my_game` in its texts stands for the name."""

STANDS_FOR_NAME = "my_game"

NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
"""Names of games are names of the rule language, too."""


def small_game(name: str) -> dict[str, str]:
    """The texts of a small game, by their place in its folder."""
    folder = shipped(TEMPLATE)
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".yaml", ".rules"):
            place = path.relative_to(folder).as_posix().replace(STANDS_FOR_NAME, name)
            text = path.read_text(encoding="utf-8").replace(STANDS_FOR_NAME, name)
            found[place] = text.replace("My game", _title(name))
    return found


def copied_game(files: GameFiles, name: str) -> dict[str, str]:
    """The texts of another game under a new name: rules, tables, variants and scenarios; what was learned or fitted for
    it is not copied."""
    old, found = files.name, dict[str, str]()
    for path in files_below(files.folder):
        place = path.relative_to(files.folder)
        if path.suffix == ".rules":
            text = re.sub(
                rf"^game {old}$", f"game {name}", path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE
            )
            found[f"{name}.rules"] = text
        elif place.as_posix() == "game.yaml" or place.parts[0] in ("variants", "scenarios", "text"):
            found[place.as_posix()] = _renamed(path, old, name)
    return found


def _renamed(path: Path, old: str, new: str) -> str:
    """A YAML file in which the game has another name wherever it is named as a whole value."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(rf"^(name|game|extends): {old}(?=/|$)", rf"\1: {new}", text, flags=re.MULTILINE)
    return (
        re.sub(r"^title: .*$", f"title: {_title(new)}", text, flags=re.MULTILINE) if path.name == "game.yaml" else text
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
