"""Text files and places in them (source spans): the first stage of the pipeline.

Every later stage keeps the `Span` of what it was made from, so that a message about a type, a broken range or a
refused transcript can point at the line that a person wrote.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from msgspec import Struct

MAX_BYTES = 10_000_000
"""Larger rule and data files are refused before they are read: no game needs them, a mistake or an attack does."""


class UnreadableFile(Exception):
    """A file that is missing, too large, binary or not UTF-8. The message says which and names the file."""


class Source(Struct, frozen=True, dict=True):
    """A text with the name people know it by. Line ends are LF, a byte order mark is gone."""

    name: str
    text: str

    def __repr__(self) -> str:
        return f"Source(name={self.name!r})"

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


class Span(Struct, frozen=True):
    """A stretch of a source: lines and columns count from 1, the end column is exclusive."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def to(self, other: Span) -> Span:
        """The stretch from the start of this one to the end of the other."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)


def whole_line(source: Source, number: int) -> Span:
    """The visible part of one line."""
    text = source.line(number)
    start = len(text) - len(text.lstrip()) + 1
    return Span(source, number, start, number, max(len(text.rstrip()) + 1, start + 1))


def make_source(name: str, text: str) -> Source:
    """A source from text in memory, with its line ends brought into the one form that the stages expect."""
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def read_source(path: Path, limit: int = MAX_BYTES) -> Source:
    """Read a UTF-8 text file, or raise `UnreadableFile` with a sentence for the user."""
    name = str(path)
    known = _held.get(name) if _held is not None else None
    if known is None:
        known = make_source(name, decoded(name, read_bytes(path, limit)))
        if _held is not None:
            _held[name] = known
    return known


_held: dict[str, Source] | None = None


@contextmanager
def each_file_once() -> Iterator[None]:
    """What is read in here is read once, however often it is asked for: for who looks and does not write."""
    global _held
    outer, _held = _held, {} if _held is None else _held
    try:
        yield
    finally:
        _held = outer


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """What a file holds, if it is one and not too large."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise UnreadableFile(f"{path}: this is not an ordinary file")
        size = status.st_size
        if size > limit:
            raise UnreadableFile(f"{path}: the file has {size:,} bytes; at most {limit:,} are read")
        return path.read_bytes()
    except IsADirectoryError:
        raise UnreadableFile(f"{path}: this is a folder, a file is needed") from None
    except FileNotFoundError:
        raise UnreadableFile(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnreadableFile(f"{path}: cannot be read ({reason})") from None


def decoded(name: str, data: bytes | str) -> str:
    """The text that bytes are, just as it was written."""
    if isinstance(data, str):
        return data
    if b"\0" in data:
        raise UnreadableFile(f"{name}: this is a binary file, text is needed")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(f"{name}:{line}: the file is not UTF-8 text; save it as UTF-8") from None
