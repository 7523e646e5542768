"""Folders and files that nobody but this user can have written (opened by descriptor, so that no check comes too late).

A folder is opened once and looked at through its descriptor; what lies in it is reached from there, never through a
link, and looked at when it is open. So nobody can put something else in its place between the look and the use.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chocolatl.interpreter.system.signals import cleared

ABLE = os.name == "posix" and {os.open, os.link, os.unlink, os.stat, os.rename} <= os.supports_dir_fd
"""Whether this system can do all that."""

OTHERS_READ, OTHERS_WRITE = stat.S_IRWXG | stat.S_IRWXO, stat.S_IWGRP | stat.S_IWOTH

NOT_FOR_US = (errno.ELOOP, errno.EMLINK, errno.EACCES, errno.ENXIO)
"""What is said of a link, of a file that we may not read, and of a socket."""

STALE = 3600.0
"""Seconds; who writes a file is done with it long before."""


class Unusable(Exception):
    """A folder that others may have written, or that cannot be used for another reason, which the message tells."""


@contextmanager
def own_folder(path: Path) -> Iterator[int]:
    """The descriptor of a folder of this user's own, which is made if there is none."""
    if not ABLE:
        raise Unusable("this system does not tell whose files they are")
    called = ascii(str(path))
    if not path.is_absolute():
        raise Unusable(f"{called} is no absolute path")
    try:
        _make(path)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            about = os.fstat(folder)
            if about.st_uid != os.geteuid():
                raise Unusable(f"{called} belongs to somebody else")
            if about.st_mode & OTHERS_WRITE:
                raise Unusable(f"others can write into {called}")
            yield folder
        finally:
            os.close(folder)
    except OSError as error:
        reason = "a symbolic link" if os.path.islink(path) else error.strerror or type(error).__name__
        raise Unusable(f"{called}: {reason}") from None


def _make(path: Path) -> None:
    """A folder that others cannot even look into, and those around it that are missing."""
    for part in (*reversed(path.parents), path):
        if not os.path.lexists(part):
            with suppress(FileExistsError):
                os.mkdir(part, 0o700)


def read(folder: int, name: str, most: int, secret: bool = False) -> bytes | None:
    """What is in a file of a folder: None if it is not there, nothing if others may have written it (or, if it is a
    secret, read it), or if it has more bytes than it can have."""
    try:
        # A pipe must not be waited for, and a device may never end.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in NOT_FOR_US:
            return b""
        raise
    try:
        about = os.fstat(handle)
        own = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        if not own or about.st_mode & (OTHERS_READ if secret else OTHERS_WRITE) or about.st_size > most:
            return b""
        with suppress(OSError):
            os.utime(handle)  # it was used just now
        with open(handle, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(handle)


def put(folder: int, name: str, content: bytes, first: bool = False) -> None:
    """A file as a whole, for this user alone. Of several who write the `first` one, one does, and it lasts."""
    temporary = f"{name}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with cleared(lambda: os.unlink(temporary, dir_fd=folder)):
        handle = os.open(temporary, flags, 0o600, dir_fd=folder)
        try:
            with open(handle, "wb") as file:
                file.write(content)
                if first:
                    file.flush()
                    os.fsync(handle)
            if not first or not _linked(folder, temporary, name):
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise


def _linked(folder: int, temporary: str, name: str) -> bool:
    """Whether a finished file has got its name, or another one had it before; False where there are no links."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        pass
    except OSError:
        return False
    os.unlink(temporary, dir_fd=folder)
    return True


def prune(folder: int, ours: re.Pattern[str], kept: int) -> None:
    """Of the files that are called like ours only those stay that were used last; what was never finished goes."""
    used: dict[str, float] = {}
    for name in filter(ours.fullmatch, os.listdir(folder)):
        with suppress(FileNotFoundError):
            used[name] = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    stale = [name for name in used if name.endswith(".tmp") and used[name] < time.time() - STALE]
    finished = [name for name in used if not name.endswith(".tmp")]
    for name in (*stale, *sorted(finished, key=used.__getitem__, reverse=True)[kept:]):
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
