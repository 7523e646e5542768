"""Whether a finding about a random program is right, found out by playing (metamorphic testing).

A condition that is said to be always so can be replaced by `yes`, one that is never so by `no`; a write to what nobody
reads can be left out: games of the same seed must go on as before. A finding after which any game goes another way is
wrong.
"""

from __future__ import annotations

import re
from pathlib import Path

from chocolatl.interpreter.checking.checker import Checker
from chocolatl.interpreter.diagnostics import Diagnostic, Rejected
from chocolatl.interpreter.play.library import load
from tests.fuzzing.comparing import by_interpreter
from tests.fuzzing.programs import Program
from tests.fuzzing.programs.tree import NAME
from tests.fuzzing.tallies import outcome

GAMES = 4


def findings_of(program: Program, folder: Path) -> list[Diagnostic]:
    checker = Checker()
    checker.check(program.write(folder))
    return checker.found()


def replaced(text: str, finding: Diagnostic, new: str) -> str:
    span = finding.span
    lines = text.split("\n")
    before = [*lines[: span.line - 1], lines[span.line - 1][: span.column - 1]]
    after = [lines[span.end_line - 1][span.end_column - 1 :], *lines[span.end_line :]]
    return "\n".join(before) + new + "\n".join(after)


def games(path: Path, players: int, seed: int) -> list[object] | None:
    try:
        game = load(path, players)
    except Rejected:
        return None
    return [outcome(lambda index=index: by_interpreter(game, seed, index)) for index in range(GAMES)]  # type: ignore[misc]


def without(program: Program, text: str, finding: Diagnostic) -> str | None:
    """The rules without what a finding says is for nothing; None if that cannot be told by playing."""
    span = finding.span
    if not span.source.name.endswith(".rules"):
        return None
    line = text.split("\n")[span.line - 1]
    match finding.code:
        case "W005":
            return replaced(text, finding, "yes" if "always" in finding.message else "no")
        case "W011" | "W012" if " changes " not in line.split("becomes")[0].split("gains")[0]:
            return _lines(text, {span.line: "nothing"})
        case "W013":
            return _lines(text, {span.line: ""})
        case "W009":
            name = line[span.column - 1 : span.end_column - 1]
            if re.search(rf"(chooses|may choose|roll)\b[^\n]*\b{name}\b", text):
                return None
            written = re.compile(rf"\s*(\S*\b{name}(\[.*\])? becomes |.* (gains|loses) .*\b{name}\b)")
            lines = text.split("\n")
            return _lines(text, {n: "nothing" for n, each in enumerate(lines, start=1) if written.match(each)})
    return None


def _lines(text: str, new: dict[int, str]) -> str:
    """The text with other lines, as far indented."""
    lines = text.split("\n")
    for number, words in new.items():
        line = lines[number - 1]
        lines[number - 1] = line[: len(line) - len(line.lstrip())] + words if words else ""
    return "\n".join(lines)


def is_wrong(program: Program, finding: Diagnostic, seed: int, folder: Path) -> bool | None:
    """Whether a game goes another way without what is said to be for nothing; None if that cannot be told."""
    path = program.write(folder)
    rules = path / f"{NAME}.rules"
    changed = without(program, rules.read_text(encoding="utf-8"), finding)
    if changed is None:
        return None
    expected = games(path, program.players, seed)
    rules.write_text(changed, encoding="utf-8")
    found = games(path, program.players, seed)
    if expected is None or found is None:
        return None  # the rest depends on the type of the condition
    # Where a game has failed, what failed may be what was replaced.
    return any(
        _told(a) != _told(b) for a, b in zip(expected, found, strict=True) if isinstance(a, tuple) and len(a) == 3
    )


def _told(played: object) -> object:
    """What went on in a game, and who has won: an item that pays nothing is only in the breakdown of one of two."""
    if not isinstance(played, tuple) or len(played) != 3:
        return played
    events, result, decisions = played
    return events, result.scores, result.winners, decisions
