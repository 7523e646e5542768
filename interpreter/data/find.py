"""Where games are: the GAME argument of commands, and the root folder that a game lies in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.source import UnreadableFile

GAME = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(?:/([A-Za-z0-9][A-Za-z0-9_.-]*))?")


def files_below(
    folder: Path, told: Callable[[Path, UnreadableFile], object] = lambda path, error: None
) -> Iterator[Path]:
    """The files in a folder and in those inside it, by name, without hidden ones.

    The folder may be a stranger's: what is no file, or a link that leads out of it, is left out and told."""
    root = GamesRoot(folder.resolve(), folder)
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue  # a folder that nobody may look into
        inner: list[Path] = []
        for entry in entries:
            path = place / entry.name
            if entry.is_dir():
                if not (entry.is_symlink() or entry.name.startswith((".", "__"))):
                    inner.append(path)
                continue
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_symlink():
                    root.require(path)
                elif not entry.is_file():
                    raise UnreadableFile(f"{path}: this is not an ordinary file")
                yield path
            except UnreadableFile as error:
                told(path, error)
        waiting += reversed(inner)


def find_game(argument: str) -> Path:
    """The folder or variant file that GAME means: an existing path, or else a shipped game or `game/variant`.

    Raises `UnreadableFile` with a sentence for the user when it means nothing."""
    path = Path(argument)
    if os.path.exists(argument):
        if path.is_dir() and not os.path.exists(path / "game.yaml"):
            raise UnreadableFile(f"{argument}: this folder holds no game (it has no game.yaml)")
        return path
    if argument.startswith((".", "~")) or path.is_absolute():
        raise UnreadableFile(f"{argument}: there is no such file or folder")
    return _shipped(argument)


def _shipped(argument: str) -> Path:
    root = rules_folder()
    games = games_in(root)
    named = GAME.fullmatch(argument)
    game, variant = (named[1], named[2]) if named else (argument, None)
    if game not in games:
        known = ", ".join(games) or "none"
        message = f"there is no game `{argument}`: no such path, and no shipped game (they are: {known})"
        raise UnreadableFile(_with_hint(message, nearest(game, games)))
    if variant is None:
        return root / game
    variants = variants_in(root / game)
    if variant not in variants:
        known = ", ".join(variants) or "none"
        message = f"the game `{game}` has no variant `{variant}` (its variants are: {known})"
        raise UnreadableFile(_with_hint(message, nearest(variant, variants)))
    return root / game / "variants" / f"{variant}.yaml"


def _with_hint(message: str, hint: str) -> str:
    return f"{message}; {hint}" if hint else message


class GamesRoot(Struct, frozen=True):
    """The folder that holds game folders. Nothing outside it is read on behalf of a game in it.

    `real` is its true place; `shown` leads to it in the words of whoever named the game."""

    real: Path
    shown: Path

    def contains(self, path: Path) -> bool:
        """Whether a path stays inside, symbolic links followed."""
        return path.resolve().is_relative_to(self.real)

    def require(self, path: Path) -> None:
        if not self.contains(path):
            raise UnreadableFile(f"{path}: this leads out of the folder {self.shown}")


def root_of(path: Path) -> GamesRoot:
    """The root of a game folder, or of a variant file (in `<game>/variants/`, in `<game>/` or in the root itself)."""
    real = path.resolve()
    levels = 1
    if not real.is_dir() and real.parent.name == "variants" and (real.parents[1] / "game.yaml").is_file():
        levels = 3
    elif not real.is_dir() and (real.parent / "game.yaml").is_file():
        levels = 2
    shown = Path(os.path.normpath(os.path.join(path, *[os.pardir] * levels)))
    root = real.parents[min(levels, len(real.parents)) - 1] if real.parents else real
    # Beyond a symbolic link `..` leads elsewhere than the text of a path suggests.
    return GamesRoot(root, shown if shown.resolve() == root else root)
