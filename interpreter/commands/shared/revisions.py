"""A game as it was at a revision of its repository (git): `rules/chocolatl@HEAD~1`.

Only ordinary files of the game's folder are taken, into a folder that is gone afterwards; no file of the working tree
is touched, and nothing in the repository can name a place outside of that folder.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.source import UnreadableFile

MOST_FILES, MOST_BYTES = 2_000, 50_000_000
"""What a game is no larger than."""


@contextmanager
def game_at(argument: str) -> Iterator[Path]:
    """The folder or variant file that is meant: as `find_game` finds it or, behind `@`, at a revision."""
    path, at, revision = argument.rpartition("@")
    if not at or os.path.exists(argument):
        yield find_game(argument)
        return
    if not path or not revision or revision.startswith("-"):
        raise UnreadableFile(f"{argument}: expected a path and a revision, such as rules/game@HEAD~1")
    with TemporaryDirectory(prefix="chocolatl-") as folder:
        yield _checked_out(Path(path), revision, Path(folder), argument)


def _checked_out(path: Path, revision: str, folder: Path, argument: str) -> Path:
    near = next(each for each in (path.absolute(), *path.absolute().parents) if each.is_dir())
    top = Path(os.fsdecode(_git(near, argument, "rev-parse", "--show-toplevel")).rstrip("\n"))
    try:
        inside = near.resolve().relative_to(top.resolve()) / path.absolute().relative_to(near)
    except ValueError:
        raise UnreadableFile(f"{argument}: {path} does not lie in a git repository") from None
    # The file of a variant lies in a folder of the game's folder.
    game = inside.parent.parent if inside.suffix in (".yaml", ".yml") else inside
    commit = os.fsdecode(
        _git(top, argument, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    )
    data = _git(top, argument, "archive", "--format=tar", commit.strip(), "--", game.as_posix())
    _unpack(data, folder, argument)
    found = folder / inside
    if not found.exists():
        raise UnreadableFile(f"{argument}: there is no {inside.as_posix()} in {revision}")
    return find_game(str(found))


def _git(folder: Path, argument: str, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise UnreadableFile(f"{argument}: git is needed to read a revision, and is not installed") from None
    if done.returncode:
        why = os.fsdecode(done.stderr).strip().splitlines()
        raise UnreadableFile(f"{argument}: git cannot read this ({why[-1] if why else 'there is no such revision'})")
    return done.stdout


def _unpack(data: bytes, folder: Path, argument: str) -> None:
    files = total = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            name = PurePosixPath(member.name)
            if not member.isfile() or name.is_absolute() or ".." in name.parts:
                continue
            files, total = files + 1, total + member.size
            if files > MOST_FILES or total > MOST_BYTES:
                raise UnreadableFile(f"{argument}: this is too large for a game")
            content = archive.extractfile(member)
            assert content is not None
            target = folder.joinpath(*name.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())
