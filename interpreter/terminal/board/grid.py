"""The picture of a grid: small boxes with coordinates along the edges, readable without colours and in a pipe.

Of a large grid only the part is drawn in which something stands; a small board is drawn whole. Cells are as wide as
their words need, if there is room; longer words are cut, and the lines below the picture say what was cut. What is
still too wide is drawn in parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderResult

from chocolatl.interpreter.terminal.board.cells import CellWord, Content, DrawnCell
from chocolatl.interpreter.terminal.output.console import VisibleText

WHOLE = 10
"""A board of at most so many rows and columns is drawn with all its cells."""

NARROW, WIDE = 5, 13
"""How wide a cell is at least and at most."""

GAP = "   "
LINE = "dim"
BOXES = dict(zip(range(16), " ╵╷│╴┘┐┤╶└┌├─┴┬┼", strict=True))
"""Lines by where they lead to: 1 up, 2 down, 4 left, 8 right."""
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8


class GridPicture:
    """A grid with its content, drawn as wide as there is room."""

    def __init__(self, content: Content) -> None:
        self.content = content
        grid = content.grid
        self.places = {cell: _place(grid.split(cell)) for cell in content.cells}
        bounds = [range(part.low, part.high + 1) for _, part in grid.parts]
        columns, rows = bounds[0], bounds[1] if len(bounds) > 1 else range(1)
        self.has_rows = len(bounds) > 1
        self.whole = len(columns) <= WHOLE and len(rows) <= WHOLE
        if not self.whole:
            columns = _span(columns, [x for x, _ in self.places.values()])
            rows = _span(rows, [y for _, y in self.places.values()])
        self.columns, self.rows = columns, rows
        shown = {place: content.cells[cell] for cell, place in self.places.items()}
        if self.whole:
            shown = {(x, y): shown.get((x, y), DrawnCell()) for x in columns for y in rows}
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        short = Shortening()
        labels = max((len(str(y)) for y in self.rows), default=0) + 1 if self.has_rows else 0
        room = options.max_width - labels - 1
        needed = max((_needed(cell) for cell in self.shown.values()), default=0)
        needed = max(needed, *(len(str(x)) for x in self.columns), NARROW) if self.columns else NARROW
        fair = max(room // max(len(self.columns), 1) - 1, NARROW)
        width = min(needed, fair, WIDE)
        width += width % 2 == 0 and width < fair  # what is odd has a middle
        short.learn((word.text for cell in self.shown.values() for word in cell.words), width)
        per_part = max(room // (width + 1), 1)
        for first in range(0, len(self.columns), per_part):
            part = self.columns[first : first + per_part]
            yield from _Drawing(self, part, width, labels, short).lines()
        line = ""
        for words in [*self.content.legend, *short.explained()]:
            if line and len(line + GAP + words) > options.max_width:
                yield VisibleText(line, LINE)
                line = ""
            line = line + GAP + words if line else words
        yield VisibleText(line, LINE, end="\n" if line else "")


def _place(coordinates: list[int]) -> tuple[int, int]:
    return coordinates[0], coordinates[1] if len(coordinates) > 1 else 0


def _span(bounds: range, used: list[int]) -> range:
    return range(min(used), max(used) + 1) if used else bounds[:0]


def _needed(cell: DrawnCell) -> int:
    """How wide a cell has to be to show all of its words."""
    words = [len(word.text) for word in cell.words] or [0]
    if cell.name is not None:
        words.append(len(cell.name.text))
    if cell.sides:
        words[0] += 2 * max(_width(cell.sides.get((x, 0), [])) + 1 for x in (-1, 1))
        words += [_width(side) + 4 for side in cell.sides.values()]
    elif cell.marks and cell.words:
        words[0] += 2 * (len(cell.marks) + 1)
    return max(words)


def _width(words: list[CellWord]) -> int:
    return len(_joined(words))


def _joined(words: list[CellWord]) -> str:
    return "/".join(word.text for word in words).replace("/*", "*")


class _Drawing:
    """Some columns of a picture on a canvas of characters with styles."""

    def __init__(self, picture: GridPicture, columns: range, width: int, labels: int, short: Shortening) -> None:
        self.picture = picture
        self.columns = columns
        self.width = width
        self.labels = labels
        self.short = short
        self.canvas: dict[tuple[int, int], tuple[str, str]] = {}
        self.borders: dict[tuple[int, int], int] = {}

    def lines(self) -> Iterator[VisibleText]:
        """Coordinates, rows of cells as high as their highest cell, and the lines between them."""
        for number, x in enumerate(self.columns):
            self.write(0, self.left(number) + 1, str(x).center(self.width), LINE)
        top = 1
        used = [y for x, y in self.picture.shown if x in self.columns]
        for y in _span(self.picture.rows, used):
            row = [(n, self.picture.shown[x, y]) for n, x in enumerate(self.columns) if (x, y) in self.picture.shown]
            height = max([_height(cell, self.width) for _, cell in row], default=1)
            if self.picture.has_rows:
                self.write(top + 1 + (height - 1) // 2, 0, str(y).rjust(self.labels - 1), LINE)
            for number, cell in row:
                self.box(top, self.left(number), height)
                self.cell(cell, top + 1, self.left(number) + 1, height)
            top += height + 1
        for place, bits in self.borders.items():
            self.canvas[place] = BOXES[bits], LINE
        for line in range(top + 1):
            yield self.text(line)

    def text(self, line: int) -> VisibleText:
        last = max((column for row, column in self.canvas if row == line), default=-1)
        cells = [self.canvas.get((line, column), (" ", "")) for column in range(last + 1)]
        text = VisibleText(no_wrap=True)
        for style, run in groupby(cells, lambda cell: cell[1]):
            text.append("".join(sign for sign, _ in run), style)
        text.rstrip()
        return text

    def left(self, number: int) -> int:
        return self.labels + number * (self.width + 1)

    def write(self, line: int, column: int, text: str, style: str) -> None:
        for offset, sign in enumerate(text):
            if sign != " ":
                self.canvas[line, column + offset] = sign, style

    def box(self, top: int, left: int, height: int) -> None:
        bottom, right = top + height + 1, left + self.width + 1
        for column in range(left, right + 1):
            for line in (top, bottom):
                self.border(line, column, (LEFT if column > left else 0) | (RIGHT if column < right else 0))
        for line in range(top, bottom + 1):
            for column in (left, right):
                self.border(line, column, (UP if line > top else 0) | (DOWN if line < bottom else 0))

    def border(self, line: int, column: int, bits: int) -> None:
        self.borders[line, column] = self.borders.get((line, column), 0) | bits

    def cell(self, cell: DrawnCell, top: int, left: int, height: int) -> None:
        words = _words(cell)
        if cell.sides:  # they have the first line and the last one for themselves
            first = top + 1 + max(height - 2 - len(words), 0) // 2
        else:
            first = max(top + (height - len(words)) // 2, top + _own_line(cell, self.width))
        thirds = self.width // 3
        beside = {x: self.short.cut(_joined(cell.sides.get((x, 0), [])), thirds) for x in (-1, 1)}
        for (x, y), side in cell.sides.items():
            line = {-1: top, 0: first, 1: top + height - 1}[y]
            text = beside[x] if y == 0 else self.short.cut(_joined(side), self.width - 4 if x == 0 else thirds)
            column = {-1: 0, 0: (self.width - len(text)) // 2, 1: self.width - len(text)}[x]
            self.write(line, left + column, text, side[-1].style)
        for number, word in enumerate(words):
            around = max(map(len, beside.values())) if number == 0 else 0
            room = self.width - 2 * around
            text = self.short.cut(word.text, room - 2 if around and room > 4 else room)
            self.write(first + number, left + (self.width - len(text)) // 2, text, word.style)
        if words is not cell.marks:
            for offset, mark in enumerate(cell.marks):
                self.write(top, left + offset, mark.text, mark.style)


def _words(cell: DrawnCell) -> list[CellWord]:
    """What stands in the middle: how a cell that can be chosen is called; marks where there is nothing else."""
    if cell.name is not None:
        return [cell.name]
    return cell.words if cell.words or cell.sides else cell.marks


def _own_line(cell: DrawnCell, width: int) -> bool:
    """Whether the marks of a cell have no room beside its first word."""
    words = _words(cell)
    return words is not cell.marks and bool(cell.marks) and len(words[0].text) + 2 * len(cell.marks) > width


def _height(cell: DrawnCell, width: int) -> int:
    words = max(len(_words(cell)), 1)
    return words + 2 if cell.sides else words + _own_line(cell, width)


class Shortening:
    """Words that are too long for a cell, cut so that no two of them look alike."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        """Full words by what they are cut to."""

    def learn(self, words: Iterable[str], width: int) -> None:
        """Words that fit are taken: nothing else may be cut to them."""
        self.fitting = {word for word in words if len(word) <= width}

    def cut(self, word: str, room: int) -> str:
        if len(word) <= room:
            return word
        number = re.search(r"\d*$", word)
        tail = len(number[0]) if number is not None and len(number[0]) < room - 2 else 0
        for end in (*range(tail, room - 1), 0):
            cut = word[: max(room - 1 - end, 0)] + "…" + word[len(word) - end :]
            if self.known.get(cut, word) == word and cut not in self.fitting:
                break
        self.known[cut] = word
        return cut

    def explained(self) -> list[str]:
        return [f"{cut} = {word}" for cut, word in sorted(self.known.items())]
