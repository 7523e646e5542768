"""A program as a value: a tree of lines and the data beside it, so that it can be written, compared and made smaller.

A line holds the lines that are indented below it. Nothing else of the language is known here, so that any rule file can
be taken apart and shrunk (`tests.fuzzing.shrinking`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "made"
"""What every program is called."""


@dataclass(frozen=True)
class Line:
    text: str
    inner: tuple[Line, ...] = ()

    def written(self, margin: int = 0) -> str:
        return "    " * margin + self.text + "\n" + "".join(line.written(margin + 1) for line in self.inner)


def line(text: str, *inner: Line | Iterable[Line]) -> Line:
    """A line with others below it, given one by one or several at once."""
    found: list[Line] = []
    for each in inner:
        found += [each] if isinstance(each, Line) else each
    return Line(text, tuple(found))


@dataclass(frozen=True)
class Program:
    """The rules without their header, and what stands in game.yaml beside name and players."""

    players: int
    data: Mapping[str, Any]
    lines: tuple[Line, ...]

    @property
    def rules(self) -> str:
        return f"language 1\ngame {NAME}\n\n" + "\n".join(each.written() for each in self.lines)

    @property
    def table(self) -> str:
        """game.yaml; JSON is YAML, too."""
        players = {"min": self.players, "max": self.players}
        head = {"kind": "game", "format": 1, "name": NAME, "title": "Made at random", "players": players}
        return json.dumps(head | dict(self.data), indent=1, ensure_ascii=False) + "\n"

    def write(self, folder: Path) -> Path:
        """A folder with the game."""
        place = folder / NAME
        place.mkdir(parents=True, exist_ok=True)
        (place / "game.yaml").write_text(self.table, encoding="utf-8")
        (place / f"{NAME}.rules").write_text(self.rules, encoding="utf-8")
        return place

    @property
    def size(self) -> int:
        """How much there is to read."""
        return len(self.rules) + len(self.table) + self.players

    # ------------------------------------------------------------ as one file

    def kept(self, shows: str) -> str:
        """The program as a file of the corpus: what it showed, its data, its rules."""
        data = json.dumps({"players": self.players, **self.data}, ensure_ascii=False)
        return f"# {shows}\n# {data}\n{self.rules}"


def read_kept(text: str) -> tuple[str, Program]:
    """What a file of the corpus shows, and its program."""
    shows, data, *rules = text.splitlines()
    held = json.loads(data.removeprefix("# "))
    players = held.pop("players")
    lines, _ = _nested([each for each in rules[2:] if each.strip()], 0, 0)
    return shows.removeprefix("# "), Program(players, held, lines)


def _nested(rows: list[str], start: int, margin: int) -> tuple[tuple[Line, ...], int]:
    """The rows from a number on that stand at a margin or below it, as a tree, and the number of the next one."""
    found: list[Line] = []
    while start < len(rows):
        depth = (len(rows[start]) - len(rows[start].lstrip())) // 4
        if depth < margin:
            break
        text = rows[start].strip()
        inner, start = _nested(rows, start + 1, margin + 1)
        found.append(Line(text, inner))
    return tuple(found), start
