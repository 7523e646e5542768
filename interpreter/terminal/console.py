"""Where output for people goes: a Rich console that never reads a rule's words as markup.

Colours and cleared screens are for terminals only; `NO_COLOR` is respected (by Rich). Everything else that this
package prints reads the same in a pipe.
"""

from __future__ import annotations

from typing import IO

from rich.console import Console

WIDEST = 100
"""Longer lines are hard to read, however wide the window is."""


GOOD, NOTICE = "color(2)", "color(3)"
"""Colours by number: the terminal's own, whatever its theme makes of them. Names of colours are left to games."""


PLAYERS = ("color(6)", "color(5)", "color(3)", "color(4)", "color(1)", "color(2)")
"""The colours of players by seat, where a picture shows what belongs to whom."""


class Plain(Console):
    """Where output goes nowhere any more, the command decides what to do, as with all that is not printed by Rich."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(file: IO[str] | None = None, width: int | None = None) -> Console:
    """A console on a file, stdout by default, at most `WIDEST` columns wide."""
    console = Plain(file=file, width=width, highlight=False, markup=False, emoji=False)
    if width is None and console.width > WIDEST:
        console.width = WIDEST
    return console
