"""What stands between the program and a terminal: streams through which only visible text passes (output encoding).

Whatever a command prints may hold words of a file, so all of it is made visible here and nowhere can it be forgotten.
What the program itself has to say to a terminal, such as colours, goes to the stream beneath:
`chocolatl.interpreter.terminal.output.console` makes the words visible first, and styles them afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import IO, Any

from chocolatl.interpreter.system.escaping import visible

USUAL = 80
NARROWEST, MOST = 20, 9999
"""Nobody has a window that is narrower; a number beyond these is a mistake, not a width."""


class Screen:
    """A text stream that shows what is written to it; all else is as it is with the stream beneath it."""

    def __init__(self, beneath: IO[str]) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        self.beneath.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


class Screened:
    """In the block, standard output and standard error show what is written to them. A closed stream stays closed."""

    def __enter__(self) -> None:
        self.before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = map(_screen, self.before)

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self.before


def _screen(stream: IO[str] | None) -> Any:
    return stream if stream is None or isinstance(stream, Screen) else Screen(stream)


def beneath(stream: IO[str]) -> IO[str]:
    """Where what the program itself says to a terminal goes. No word of a file may be written to it as it is."""
    return stream.beneath if isinstance(stream, Screen) else stream


def width() -> int:
    """How many columns there are: `COLUMNS`, or as many as the terminal has, or the usual number."""
    given = os.environ.get("COLUMNS", "").strip()
    if given.isdecimal() and given.isascii() and len(given) < 10 and int(given):
        return max(NARROWEST, min(int(given), MOST))
    for descriptor in (1, 2, 0):
        try:
            columns = os.get_terminal_size(descriptor).columns
        except (OSError, ValueError):
            continue
        if columns:
            return max(NARROWEST, min(columns, MOST))
    return USUAL
