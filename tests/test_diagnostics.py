"""The corpus of `tests/diagnostics`: rule files with what is to be found in them written beside the line.

A file in `bad/` is a document about one kind of mistake. Behind each line that is wrong stands what `check` says of it:

    value poor = coin                               # error E301: there is nothing called `coin`

No other finding may come: one mistake is one finding. Lines that begin with `#:` are added to the `game.yaml` of the game.
A file in `good/` has no findings, and the game that it makes can be played to its end.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from interpreter.diagnostics import Diagnostic, Findings, in_order, render
from interpreter.game import check, load
from interpreter.source import Source, make_source
from interpreter.syntax.grammar import OPENERS, RESERVED, grammar, vocabulary
from interpreter.syntax.mistakes import EXAMPLES, FIRST_WORDS, SIGNS, whole
from interpreter.syntax.parser import parse_declaration, parse_rules
from interpreter.syntax.problems import FAILURES
from tests.conftest import ROOT, Evidence
from tests.games import walk

CORPUS = ROOT / "tests" / "diagnostics"
GAME = "sample"
DATA = f"kind: game\nformat: 1\nname: {GAME}\ntitle: Sample\n"
PLAYERS = "players: {min: 2, max: 3}\n"

EXPECTED = re.compile(r"# (error|warning) ([EW]\d{3}): (.*?)(?=\s*(?:# (?:error|warning) |$))")


@dataclass(frozen=True)
class Expected:
    line: int
    code: str
    message: str


def files(kind: str) -> list[Path]:
    return sorted((CORPUS / kind).glob("*.rules"))


def expected(text: str) -> list[Expected]:
    """What the comments of a file announce, in the order of the lines."""
    return [
        Expected(number, found[2], found[3])
        for number, line in enumerate(text.split("\n"), start=1)
        for found in EXPECTED.finditer(line)
    ]


def write(folder: Path, text: str) -> dict[str, list[int]]:
    """The folder of a game with these rules. For each file: the line of the text that each of its lines comes from."""
    folder.mkdir(parents=True, exist_ok=True)
    added = [(number, line[2:].removeprefix(" ")) for number, line in enumerate(text.split("\n"), 1) if line[:2] == "#:"]
    data = DATA + ("" if any(line.startswith("players:") for _, line in added) else PLAYERS)
    (folder / "game.yaml").write_text(data + "".join(f"{line}\n" for _, line in added), encoding="utf-8")
    (folder / f"{GAME}.rules").write_text(text, encoding="utf-8")
    return {
        "game.yaml": [0] * data.count("\n") + [number for number, _ in added],
        f"{GAME}.rules": list(range(1, text.count("\n") + 2)),
    }


def found_in(folder: Path) -> list[Diagnostic]:
    findings = Findings()
    check(folder, findings)
    return in_order(findings.items)


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.stem)
def test_every_mistake_is_found_once_at_its_line(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = write(tmp_path / GAME, text)
    found = [
        Expected(lines[Path(d.span.source.name).name][d.span.line - 1], d.code, d.message)
        for d in found_in(tmp_path / GAME)
    ]
    wanted = expected(text)
    assert wanted, "a bad file says what is wrong with it"
    assert sorted(found, key=_key) == sorted(wanted, key=_key)


def _key(entry: Expected) -> tuple[int, str, str]:
    return entry.line, entry.code, entry.message
