"""Compiled code that is kept for the next time (a content-addressed cache with keyed checksums).

An entry is known by the digest of all that it was made from, and sealed with a key that only this user can read. The
key does not lie beside the entries: whoever is lured into a folder that somebody else has filled, as from an archive,
runs nothing of it. Without a key, a home or a folder to write into there is no cache, one note about it, and the same
results, later.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from chocolatl.interpreter.native.llvm.private import Unusable, own_folder, prune, put, read

NAME = "chocolatl"
MAGIC = b"chocolatl native 2\n"
KEPT = 100
"""So many entries stay; they have some 50 kB each."""
LARGEST = 1 << 28
"""Bytes; code that is compiled in any reasonable time has far fewer."""
ENTRIES, KEYS = re.compile(r"[0-9a-f]{32}\.(o|.+\.tmp)"), re.compile(r"key|key\..+\.tmp")
KEY, KEY_SIZE, SEAL_SIZE = "key", 32, 32

_noted = False


def folder() -> Path:
    """Where entries lie: `CHOCOLATL_CACHE`, or a folder of the user's own."""
    own = os.environ.get("CHOCOLATL_CACHE")
    return Path(own) if own else _base("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """Where the key lies."""
    return _base("XDG_STATE_HOME", ".local/state")


def _base(variable: str, usual: str) -> Path:
    given = os.environ.get(variable)
    try:
        return (Path(given) if given else Path.home() / usual) / NAME
    except RuntimeError:
        raise Unusable("there is no home folder") from None


def fetch(digest: bytes) -> bytes | None:
    """What was kept under a digest, if it is whole and of our own making."""
    with _told(), own_folder(folder()) as place:
        content = read(place, _name(digest), LARGEST)
        if content:
            start = len(MAGIC) + SEAL_SIZE
            data = content[start:]
            if compare_digest(content[:start], MAGIC + _seal(digest, data)):
                return data
    return None


def keep(digest: bytes, data: bytes) -> None:
    """Keep something under a digest, in place of what was used longest ago."""
    with _told(), own_folder(folder()) as place:
        put(place, _name(digest), MAGIC + _seal(digest, data) + data)
        prune(place, ENTRIES, KEPT)


def announce() -> None:
    """Say now if there is no cache: of processes that are started for a long work, none does."""
    with _told(), own_folder(folder()):
        _key()


def _name(digest: bytes) -> str:
    return f"{digest.hex()[:32]}.o"


def _seal(digest: bytes, data: bytes) -> bytes:
    return blake2b(digest + data, key=_key(), digest_size=SEAL_SIZE).digest()


def _key() -> bytes:
    """The user's key. It is made when there is none, and anew when others can have read or cut it."""
    with own_folder(state_folder()) as place:
        found = read(place, KEY, KEY_SIZE, secret=True)
        if found is not None and len(found) != KEY_SIZE:
            os.unlink(KEY, dir_fd=place)
            found = None
        if found is None:
            put(place, KEY, os.urandom(KEY_SIZE), first=True)
            prune(place, KEYS, 1)
            found = read(place, KEY, KEY_SIZE, secret=True)
        if found is None or len(found) != KEY_SIZE:
            raise Unusable(f"{str(state_folder() / KEY)!a} is no key")
        return found


@contextmanager
def _told() -> Iterator[None]:
    """What keeps us from having a cache is said once, by the first process of a command."""
    global _noted
    try:
        yield
    except Unusable as error:
        processes = sys.modules.get("multiprocessing.process")
        started = processes is not None and processes.parent_process() is not None
        if not _noted and not started and sys.stderr is not None:
            _noted = True
            with suppress(OSError, ValueError):
                print(f"note: compiled code is not kept ({error})", file=sys.stderr)
