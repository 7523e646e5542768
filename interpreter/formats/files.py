"""Files that are written whole or not at all: a temporary file in the same folder takes the place of the old one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from interpreter.source import UnreadableFile


class UnwritableFile(UnreadableFile):
    """A file that cannot be written. The message says why and names the file."""


def write_text(path: Path, text: str) -> None:
    """Write a whole text file, UTF-8 with LF."""
    with writing(path) as file:
        file.write(text)


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """A text file to write into; it appears under its name when the block is left without an error."""
    if os.path.exists(path) and not os.path.isfile(path):
        with _directly(path) as file:
            yield file
        return
    # A link stays a link; what it leads to is replaced.
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        # `x` makes the file with the rights that a new file has for this user.
        file = open(temporary, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _unwritable(path, error) from None
        raise


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
