"""Where the game of a position lies (path resolution): where its file says, or else where games of its name are.

A game that is not shipped is named by its path as well, seen from the position file, so that both can be moved together
and found from any folder. The hash of the rules then tells whether it is the same game.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import UnreadableFile

WRITABLE = re.compile(r"[^/\\\x00-\x1f\ud800-\udfff][^\\\x00-\x1f\ud800-\udfff]*")
"""A path that means the same on every system and can be written as text."""

VARIANTS = (".yaml", ".yml")
"""What the file of a variant ends with. Of no other file, wherever a position points, a message shows a line."""

LEVELS = 4
"""So many folders above a position are searched for its game."""


def path_to_game(files: GameFiles, folder: Path) -> str | None:
    """The game as it is found from a folder; None if its name is enough, or if no relative path leads there."""
    real = os.path.realpath(files.path)
    if Path(real).is_relative_to(os.path.realpath(rules_folder())):
        return None
    try:
        relative = Path(os.path.relpath(real, os.path.realpath(folder))).as_posix()
    except ValueError:  # they are on different drives
        return None
    return relative if WRITABLE.fullmatch(relative) and len(relative) <= 1000 else None


def games_of(path: Path, document: Document, findings: Findings) -> list[Path]:
    """The games that a position may belong to, the nearest first; none after a finding."""
    name, variant, said = (document.value.get(key) for key in ("game", "variant", "path"))
    if said is not None:
        place = Path(os.path.realpath(path)).parent / said
        if (place / "game.yaml").is_file() or (place.suffix in VARIANTS and place.is_file()):
            return [place.resolve()]
    found = list(dict.fromkeys(_by_name(path, name, variant)))
    if found:
        return found
    try:
        return [find_game(f"{name}/{variant}" if variant else name)]
    except UnreadableFile as error:
        if said is None:
            hint = "put the position beside its game, or say with `path` where the game is, seen from this file"
            findings.error("E608", str(error), document.span(("game",)), hint)
        else:
            whole = f"{name}/{variant}" if variant else name
            message = f"the game `{whole}` is not there, seen from this file, nor beside it, nor a shipped one"
            findings.error("E608", message, document.span(("path",)), "put it there, or correct the path")
        return []


def _by_name(path: Path, name: str, variant: str | None) -> Iterator[Path]:
    """Games of a name beside or above the file, in the folder one stands in, or shipped."""
    for folder in [*list(path.resolve().parents)[:LEVELS], Path.cwd(), rules_folder()]:
        for game in (folder, folder / name):
            place = game / "variants" / f"{variant}.yaml" if variant else game
            if game.name == name and (game / "game.yaml").is_file() and place.exists():
                yield place
