"""Mistakes in meaning, and sound games beside them: how the files here are read, and what `check` makes of them.

A file in `mistakes/` or `made/` is about one class of mistakes, a file in `sound/` about games that must stay silent.
An entry is a change of a game: lines that begin with `@` name a file below `rules/` (or below `games/` here), those
with `-` are words that stand there once, those with `+` what stands in their place. In what was written by mistake, `«`
and `»` enclose the mistaken words. With `- .` a whole new file is written. A line with `~ play` says that only play
finds it. Entries have a blank line between them; `#` begins a comment.

A mistake counts as found if a finding, or another place that it labels, covers the mistaken words.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from chocolatl.interpreter.checking.checker import Checker
from chocolatl.interpreter.diagnostics import Diagnostic
from chocolatl.interpreter.source import Span
from tests.conftest import ROOT

HERE = Path(__file__).parent
WHOLE = "."
MOST_LINES = 4
"""What covers more lines points at nothing."""


@dataclass
class Change:
    """A file, the words that stand in it once, and those that are put there."""

    file: str
    old: str
    new: str


@dataclass
class Entry:
    """A change of a game; its class is the name of its file. `line` is where it begins there."""

    group: str
    line: int
    changes: list[Change] = field(default_factory=list)
    play: bool = False

    def __str__(self) -> str:
        return f"{self.group}:{self.line}"

    @property
    def game(self) -> str:
        return self.changes[0].file.split("/")[0]


@dataclass(frozen=True)
class Place:
    """The mistaken words: a file, a line, and from which column up to which."""

    file: str
    line: int
    column: int
    end: int


def entries(kind: str) -> Iterator[Entry]:
    """All entries of the files in a folder."""
    for path in sorted((HERE / kind).glob("*.txt")):
        yield from read(path.stem, path.read_text(encoding="utf-8"))


def read(group: str, text: str) -> Iterator[Entry]:
    """The entries of a file."""
    found: Entry | None = None
    file, last = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        sign, words = line[:1], line[2:]
        if not line.strip():
            if found is not None:
                yield found
            found = None
            continue
        if sign == "#":
            continue
        found = found or Entry(group, number)
        if sign == "~":
            found.play = words.strip() == "play"
        elif sign == "@":
            file = words.strip()
        elif sign == "-":
            if last == "-":
                found.changes[-1].old += "\n" + words
            else:
                found.changes.append(Change(file, words, ""))
        elif sign == "+":
            new = found.changes[-1].new
            found.changes[-1].new = f"{new}\n{words}" if last == "+" else words
        else:
            raise ValueError(f"{group}:{number}: {line!r}")
        last = sign
    if found is not None:
        yield found


def folder_of(game: str) -> Path:
    own = HERE / "games" / game
    return own if own.is_dir() else ROOT / "rules" / game


def write(entry: Entry, below: Path) -> tuple[list[Path], list[Place]]:
    """The game of an entry as files: those that changed, and the mistaken words in them."""
    place = below / entry.game
    if place.exists():
        shutil.rmtree(place)
    shutil.copytree(folder_of(entry.game), place, ignore=shutil.ignore_patterns("scenarios", "policy.yaml", "text"))
    texts: dict[str, str] = {}
    for change in entry.changes:
        path = below / change.file
        if change.old == WHOLE:
            texts[change.file] = change.new + "\n"
            continue
        text = texts.get(change.file) or path.read_text(encoding="utf-8")
        plain = text.replace("«", "").replace("»", "")
        if text.count(change.old) != 1:
            raise ValueError(f"{entry}: `{change.old}` stands {plain.count(change.old)} times in {change.file}")
        texts[change.file] = text.replace(change.old, change.new)
    places: list[Place] = []
    for name, text in texts.items():
        for number, line in enumerate(text.split("\n"), start=1):
            while (found := re.search("«(.*?)»", line)) is not None:
                places.append(Place(name, number, found.start() + 1, found.start() + 1 + len(found[1])))
                line = line[: found.start()] + found[1] + line[found.end() :]
        path = below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("«", "").replace("»", ""), encoding="utf-8")
    return [below / name for name in texts], places


_shared: dict[str, Checker] = {}


def findings(entry: Entry, below: Path) -> tuple[list[Diagnostic], list[Place]]:
    """All that `check` says of the game of an entry, and the mistaken words. What entries of a game share is translated
    once."""
    changed, places = write(entry, below)
    first = _shared.setdefault(entry.game, Checker())
    checker = Checker()
    checker.memory, checker.translator, checker.collector = first.memory, first.translator, first.collector
    checker.review = first.review
    checker.memory.conditions.clear()
    checker.check(below / entry.game / "game.yaml")
    for path in changed:
        if path.suffix == ".yaml" and path.name != "game.yaml":
            checker.check(path)
    return checker.found(), places


def is_found(found: list[Diagnostic], places: list[Place], below: Path) -> bool:
    spans = [span for d in found for span in (d.span, *(each.span for each in d.related))]
    return any(_covers(span, place, below) for span in spans for place in places)


def _covers(span: Span, place: Place, below: Path) -> bool:
    if Path(span.source.name).resolve() != (below / place.file).resolve() or span.end_line - span.line >= MOST_LINES:
        return False
    begins = (span.line, span.column) <= (place.line, place.column)
    inside = (place.line, place.column) <= (span.line, span.column) < (place.line, max(place.end, place.column + 1))
    ends = (span.end_line, span.end_column) > (place.line, place.column)
    return (begins and ends) or inside


def rates(results: dict[str, list[bool]]) -> str:
    """A table: class, how many, how many of them found."""
    lines = [f"{name:28} {sum(found):4} of {len(found):4}" for name, found in sorted(results.items())]
    counted = Counter(found for each in results.values() for found in each)
    return "\n".join([*lines, f"{'all':28} {counted[True]:4} of {sum(counted.values()):4}"])
