"""Files that are written whole or not at all (atomic replacement): a temporary file takes the place of the old one.

A temporary file is locked as long as it is written (flock). One that nobody holds was left by a process that was
killed: the next one that writes into the folder removes it. A signal that can be caught removes it by itself.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import IO, Any

from chocolatl.interpreter.system.signals import cleared

LOCKS = True
try:
    import fcntl
except ImportError:  # not on this system: nothing is locked, and nothing swept
    LOCKS = False

OURS = re.compile(r"\..+\.[0-9a-f]{12}\.chocolatl\.tmp", re.DOTALL)
LONGEST = 100
"""Bytes of the file's own name in that of its temporary file: the system allows 255 in all."""


@contextmanager
def replacing(path: str | os.PathLike[str], rights: int = 0o666) -> Iterator[IO[bytes]]:
    """A file to write bytes into; it appears under its name when the block is left without an error.

    A new file gets these rights, as far as the user's mask allows them; one that is replaced keeps its own. An OSError
    of this file names it or the temporary one; one that names another file, or none, comes from the block."""
    folder, name = os.path.split(os.fspath(path))
    sweep(folder or ".")
    start = os.fsdecode(os.fsencode(name)[:LONGEST])
    temporary = os.path.join(folder, f".{start}.{os.urandom(6).hex()}.chocolatl.tmp")
    handle: int | None = None
    with cleared(lambda: os.unlink(temporary)):
        try:
            while handle is None:
                handle = _claimed(temporary, rights)
            with io.BufferedWriter(NamedFile(handle, temporary)) as file:
                yield file
                file.flush()
                with _naming(temporary):
                    os.fsync(handle)
            with suppress(FileNotFoundError):
                os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
            if not LOCKS:  # there an open file cannot be renamed
                os.close(handle)
                handle = None
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        finally:
            if handle is not None:
                with suppress(OSError):  # all of it was written out
                    os.close(handle)


class NamedFile(io.FileIO):
    """An open file whose failures tell its name."""

    def __init__(self, handle: int, name: str) -> None:
        super().__init__(handle, "w", closefd=False)
        self.path = name

    def write(self, data: Any) -> int:
        with _naming(self.path):
            return super().write(data)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """What fails in the block fails because of this file."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def _claimed(temporary: str, rights: int) -> int | None:
    """A new file that is locked; None if somebody has swept it before it was."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, rights)
    try:
        if not LOCKS:
            return handle
        with suppress(OSError):  # a file system without locks: nobody can sweep there, either
            fcntl.flock(handle, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.lstat(temporary)):
                return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


@cache
def sweep(folder: str) -> None:
    """Remove what killed processes of this user have left in a folder; once is enough for a process."""
    if not LOCKS:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if OURS.fullmatch(entry.name):
                with suppress(OSError):
                    _sweep(entry.path)


def _sweep(path: str) -> None:
    """Remove a temporary file, unless somebody else has made it, or holds it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        about = os.fstat(handle)
        if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and about.st_nlink == 1:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(about, os.lstat(path)):
                os.unlink(path)
    finally:
        os.close(handle)
