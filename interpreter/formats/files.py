"""Text files written whole or not at all (atomic replacement), and what a user is told where one cannot be written."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from chocolatl.interpreter.source import UnreadableFile
from chocolatl.interpreter.system.atomic import OURS, replacing


class UnwritableFile(UnreadableFile):
    """A file that cannot be written. The message says why and names the file."""


def write_text(path: Path, text: str) -> None:
    """Write a whole text file, UTF-8; line ends stay as they are."""
    with writing(path) as file:
        file.write(text)


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """A text file to write into; it appears under its name when the block is left without an error."""
    if not _is_replaceable(path):
        with _directly(path) as file:
            yield file
        return
    target = os.path.realpath(path)  # a link stays a link; what it leads to is replaced
    try:
        with replacing(target) as raw:
            file = io.TextIOWrapper(raw, encoding="utf-8", newline="\n", write_through=True)
            yield file
            file.detach()
    except OSError as error:
        if error.filename == target or OURS.fullmatch(os.path.basename(str(error.filename))):
            raise _unwritable(path, error) from None
        raise


def _is_replaceable(path: Path) -> bool:
    """Whether there is an ordinary file or none; devices, pipes and folders are neither."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except ValueError as error:  # no name that a file can have
        raise _unwritable(path, error) from None
    except OSError:
        return True


@contextmanager
def _directly(path: Path) -> Iterator[IO[str]]:
    """A device or a pipe, which cannot be replaced."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file
    except IsADirectoryError:
        raise UnwritableFile(f"{path}: this is a folder, a file is needed") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError | ValueError) -> UnwritableFile:
    if isinstance(error, FileNotFoundError):
        return UnwritableFile(f"{path}: cannot be written (there is no folder {path.parent})")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return UnwritableFile(f"{path}: cannot be written ({reason})")
