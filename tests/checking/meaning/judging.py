"""Whether a finding about a random program is right, found out by playing (metamorphic testing).

A condition that is said to be always so can be replaced by `yes`, one that is never so by `no`; a write to what nobody
reads can be left out: games of the same seed must go on as before. A finding after which any game goes another way is
wrong.
"""

from __future__ import annotations

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


def constant_for(finding: Diagnostic) -> str:
    return "yes" if "always" in finding.message else "no"


def is_wrong(program: Program, finding: Diagnostic, seed: int, folder: Path) -> bool:
    """Whether a game goes another way where a condition gives way to what it is said to be."""
    path = program.write(folder)
    rules = path / f"{NAME}.rules"
    expected = games(path, program.players, seed)
    text = rules.read_text(encoding="utf-8")
    rules.write_text(replaced(text, finding, constant_for(finding)), encoding="utf-8")
    found = games(path, program.players, seed)
    if expected is None or found is None:
        return False  # the rest depends on the type of the condition, so that nothing can be told
    # Where a game has failed, what failed may be what was replaced.
    return any(a != b for a, b in zip(expected, found, strict=True) if isinstance(a, tuple) and len(a) == 3)
