"""Where output for people goes: a Rich console that never reads a rule's words as markup or as a command.

Colours and cleared screens are for terminals only; `NO_COLOR` is respected (by Rich). Everything else that this
package prints reads the same in a pipe. Words are made visible before they are laid out (`VisibleText`), so that they
get the room they need, and once more when they are drawn (`VisibleConsole`), so that none can be forgotten.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, Any

import rich.text
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from chocolatl.interpreter.system.escaping import visible
from chocolatl.interpreter.terminal.output import screen

WIDEST = 100
"""Longer lines are hard to read, however wide the window is."""


HIGH = 25
"""Nothing is as high that has to fit."""


GOOD, NOTICE = "color(2)", "color(3)"
"""Colours by number: the terminal's own, whatever its theme makes of them. Names of colours are left to games."""


PLAYERS = ("color(6)", "color(5)", "color(3)", "color(4)", "color(1)", "color(2)")
"""The colours of players by seat, where a picture shows what belongs to whom."""


class VisibleText(rich.text.Text):
    """Rich's text, in which everything can be seen. (Rich drops some control characters and lets others pass.)"""

    def __init__(self, text: str = "", *args: Any, **more: Any) -> None:
        super().__init__(visible(text), *args, **more)

    def append(self, text: rich.text.Text | str, style: Any = None) -> VisibleText:
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self


class VisibleConsole(Console):
    """Rich's console, to whose file nothing comes but visible text and Rich's own commands."""

    def render_str(self, text: str, **options: Any) -> rich.text.Text:
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)

    def on_broken_pipe(self) -> None:
        """Where output goes nowhere any more, the command decides what to do, as with all that is not printed here."""
        raise BrokenPipeError


def make_console(file: IO[str] | None = None, width: int | None = None) -> Console:
    """A console on a file, stdout by default, at most `WIDEST` columns wide."""
    wide = min(screen.width(), WIDEST) if width is None else width
    below = screen.beneath(sys.stdout if file is None else file)
    # Given both, Rich does not look into the surroundings, where it would take anything for a number.
    return VisibleConsole(file=below, width=wide, height=HIGH, highlight=False, markup=False, emoji=False)


def show_lines(lines: Iterable[str]) -> None:
    """Lines on stdout; what does not fit goes on below where its line begins."""
    console = make_console()
    for line in lines:
        begin = " " * (len(line) - len(line.lstrip()))
        for part in VisibleText(line.strip()).wrap(console, console.width - len(begin)) or [VisibleText()]:
            console.print(VisibleText((begin + part.plain).rstrip()))
