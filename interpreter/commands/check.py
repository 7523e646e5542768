"""`chocolatl check`: everything that can be found wrong with the files of games, in one run."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.commands.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from interpreter.diagnostics import Diagnostic, Findings
    from interpreter.source import Span

KINDS = ("game", "variant", "scenario", "position", "valuation")
DATA = (".yaml", ".yml")

EPILOG = """\
PATH is a folder of a game, a folder that holds games, or a single file: game.yaml, rules, variant, scenario, position.
A variant is checked as the whole game that it makes; a game for every number of players that it is made for.

Exit code: 0 nothing found; 1 findings; 2 a file that is missing, binary or not UTF-8.

examples:
  chocolatl check rules
  chocolatl check rules/{game} --format json
  chocolatl check rules/{game}/game.yaml --fail-on warning
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="what to check")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how findings are printed")
    parser.add_argument(
        "--fail-on", choices=("error", "warning"), default="error", help="the least finding for exit code 1"
    )


def run(arguments: argparse.Namespace) -> int:
    from interpreter.diagnostics import Findings, as_json, in_order
    from interpreter.terminal.findings import print_findings

    checker = Checker(Findings())
    for path in arguments.paths:
        checker.check(path)
    found = in_order(checker.findings.items)
    if arguments.format == "json":
        print(json.dumps(as_json(found), indent=2))
    else:
        print_findings(found, sys.stdout)
    sys.stdout.flush()
    severities = Counter(diagnostic.severity for diagnostic in found)
    counted = [_counted(number, severity) for severity, number in sorted(severities.items())]
    print(f"{checker.summary()}: {', '.join(counted) or 'no findings'}", file=sys.stderr)
    if checker.unreadable:
        return 2
    failing = severities["error"] + (severities["warning"] if arguments.fail_on == "warning" else 0)
    return 1 if failing else 0


class Checker:
    """Collects findings about one path after the other; what cannot be read is told at once."""

    def __init__(self, findings: Findings) -> None:
        from interpreter.ir.memory import Memory
        from interpreter.translation import Translator

        self.findings = findings
        self.translator = Translator(Memory())
        self.seen: set[Path] = set()
        self.counts: Counter[str] = Counter()
        self.unreadable = 0

    def check(self, path: Path) -> None:
        """One argument of the command: a file, a folder of a game, or a folder of folders."""
        if not path.is_dir():
            self.file(path)
            return
        found = list(_files(path))
        if not found:
            raise UsageError(f"{path}: this folder holds nothing to check")
        for file in found:
            self.file(file)

    def file(self, path: Path) -> None:
        from interpreter.source import UnreadableFile

        try:
            self.by_kind(path)
        except UnreadableFile as error:
            self.unreadable += 1
            print(f"chocolatl: {error}", file=sys.stderr)

    def by_kind(self, path: Path) -> None:
        """Find out what a file is, and check it as that."""
        from interpreter.data.schema import kind_of
        from interpreter.data.strict_yaml import load
        from interpreter.diagnostics import Findings, nearest
        from interpreter.source import read_source, whole_line

        if path.suffix == ".rules" or path.name == "game.yaml":
            self.checked(path.parent, "game")
            return
        own = Findings()
        document = load(read_source(path), own)
        if document is None:
            self.findings.items += own.items
            return
        kind = kind_of(document)
        if kind in KINDS:
            self.checked(path, kind)
            return
        message = f"`{kind}` is no kind of file" if kind is not None else "the file does not say what it is"
        hint = nearest(kind or "", KINDS) or f"begin with `kind:` and one of {', '.join(KINDS)}"
        span = document.span(("kind",)) if kind is not None else whole_line(document.source, 1)
        self.findings.error("E204", message, span, hint)

    def checked(self, path: Path, kind: str) -> None:
        """Check a file of a known kind, unless that was done already."""
        from interpreter.diagnostics import Findings, Rejected
        from interpreter.source import read_source, whole_line
        from interpreter.translation import WrongPlayerCount, check

        if path.resolve() in self.seen:
            return
        self.seen.add(path.resolve())
        own = Findings()  # errors elsewhere must not keep anybody from looking for those in this file
        try:
            if kind == "scenario":
                from interpreter.formats.scenario import load_scenario

                load_scenario(path, own, self.translator)
            elif kind == "position":
                from interpreter.formats.position import load_position

                load_position(path, own)
            elif kind == "valuation":
                from interpreter.formats.valuation import check_valuation

                check_valuation(path, own)
            else:
                check(path, own, self.translator)
        except Rejected as error:
            own.items += error.diagnostics
        except WrongPlayerCount as error:
            own.error("E601", str(error), whole_line(read_source(path), 1))
        self.counts[kind] += 1
        self.findings.items += [_as_given(diagnostic, path) for diagnostic in own.items]

    def summary(self) -> str:
        parts = [_counted(self.counts[kind], kind) for kind in KINDS if self.counts[kind]]
        return f"checked {', '.join(parts) or 'nothing'}"


def _as_given(diagnostic: Diagnostic, path: Path) -> Diagnostic:
    """With places in the words of the user: a game that was found by way of another file has a path of its own."""
    if path.is_absolute():
        return diagnostic
    nearby = list(path.resolve().parents)[:3]

    def given(span: Span) -> Span:
        name = Path(span.source.name)
        if not name.is_absolute() or not any(name.is_relative_to(folder) for folder in nearby):
            return span
        return replace(span, source=replace(span.source, name=os.path.relpath(name)))

    related = tuple(replace(other, span=given(other.span)) for other in diagnostic.related)
    return replace(diagnostic, span=given(diagnostic.span), related=related)


def _files(folder: Path) -> Iterator[Path]:
    """The files of games inside a folder. Outside of a game's folder a data file may be anybody's."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith("."):
                continue
            if path.suffix == ".rules" or (path.suffix in DATA and (_is_ours(path) or _says_kind(path))):
                yield path


def _is_ours(path: Path) -> bool:
    """Whether a file lies in the folder of a game."""
    return any((parent / "game.yaml").is_file() for parent in list(path.absolute().parents)[:2])


def _says_kind(path: Path) -> bool:
    """Whether a file begins as ours do."""
    try:
        with open(path, "rb") as file:
            return any(line.startswith(b"kind:") for line in file.read(1000).splitlines())
    except OSError:
        return True


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
