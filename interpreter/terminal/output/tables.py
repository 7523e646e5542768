"""Tables that lose nothing where there is little room: words are not broken, and too many columns are drawn in parts.

Rich shrinks columns until the table fits, cuts words and in the end lines. Here every column first gets the room of its
longest word and then its share of what is left (min-content and max-content widths, as in the layout of web pages).
Where the words do not fit side by side there are several tables below one another, each with the first column.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import rich.table
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Column

from chocolatl.interpreter.terminal.output.console import VisibleText


class FoldingTable(rich.table.Table):
    """Rich's table; a word that is longer than half of the room goes on in the next line."""

    def add_column(self, *header: Any, **more: Any) -> None:
        super().add_column(*header, **{"overflow": "fold", **more})

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        ranges = [self._range(console, options, column) for column in self.columns]
        if not ranges or self._around(len(ranges)) + sum(most for _, most in ranges) <= room:
            yield from super().__rich_console__(console, options)
            return
        half = max((room - self._around(min(2, len(ranges)))) // min(2, len(ranges)), 1)
        if self._around(len(ranges)) + sum(least for least, _ in ranges) > room:  # then even numbers may be parted
            loose = [replace(column, no_wrap=False) for column in self.columns]
            ranges = [self._range(console, options, column) for column in loose]
        ranges = [(min(least, half), most) for least, most in ranges]
        bands = self._bands([least for least, _ in ranges], room)
        for number, band in enumerate(bands):
            widths = _shared(room - self._around(len(band)), [ranges[column] for column in band])
            part = copy.copy(self)
            part.columns = [
                replace(self.columns[column], _index=place, width=width, min_width=None, no_wrap=False)
                for place, (column, width) in enumerate(zip(band, widths, strict=True))
            ]
            part.title = self.title if number == 0 else None
            part.caption = self.caption if number == len(bands) - 1 else None
            if (number and self.box is None) or (number and not self.show_edge):
                yield VisibleText()
            yield from rich.table.Table.__rich_console__(part, console, options)

    def _around(self, columns: int) -> int:
        """What is not content: the padding and the lines of so many columns."""
        _, right, _, left = self.padding
        padding = columns * (left + right) - (0 if self.pad_edge else left + right)
        return padding + (columns - 1 if self.box else 0) + (2 if self.box and self.show_edge else 0)

    def _range(self, console: Console, options: ConsoleOptions, column: Column) -> tuple[int, int]:
        """How wide the longest word of a column is, and its longest line."""
        cells: list[RenderableType] = list(column.cells)
        cells += [column.header] if self.show_header else []
        cells += [column.footer] if self.show_footer else []
        found = [Measurement.get(console, options, cell) for cell in cells]
        most = max((size.maximum for size in found), default=1)
        least = most if column.no_wrap else max((size.minimum for size in found), default=1)
        return max(least, 1), max(most, column.min_width or 1)

    def _bands(self, least: Sequence[int], room: int) -> list[list[int]]:
        """Which columns stand side by side; the first one says what a row is about, and is always there."""
        bands = [[0]]
        for column in range(1, len(least)):
            wanted = [*bands[-1], column]
            if len(wanted) > 2 and self._around(len(wanted)) + sum(least[c] for c in wanted) > room:
                bands.append([0])
            bands[-1].append(column)
        return bands


def _shared(room: int, ranges: Sequence[tuple[int, int]]) -> list[int]:
    """The widths of columns: what each needs at least, and of the rest in proportion to what it would like to have."""
    widths = [least for least, _ in ranges]
    rest = max(room - sum(widths), 0)
    wishes = [max(most - least, 0) for least, most in ranges]
    total = sum(wishes)
    if total <= rest:
        return [width + wish for width, wish in zip(widths, wishes, strict=True)]
    widths = [width + rest * wish // total for width, wish in zip(widths, wishes, strict=True)]
    for column in sorted(range(len(widths)), key=lambda column: -wishes[column])[: room - sum(widths)]:
        widths[column] += 1
    return widths


class WidthDependent:
    """What is laid out anew for each width: `make` gets the number of columns that there are."""

    def __init__(self, make: Callable[[int], RenderableType]) -> None:
        self.make = make

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.make(options.max_width)
