"""`chocolatl check`: everything that can be found wrong with the files of games, in one run."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter import VERSION
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.project_paths import project_config, project_paths

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.checking.checker import Checker
    from chocolatl.interpreter.diagnostics import Diagnostic

EPILOG = """\
PATH is a folder of a game, a folder that holds games, or a single file: game.yaml, rules, variant, scenario, position.
A variant is checked as the whole game that it makes; a game for every number of players that it is made for.

Without PATH, what `paths` of `[tool.chocolatl]` in pyproject.toml names is checked, or else this folder. That table may
also set `exclude`, `format` and `fail-on`.

Exit code: 0 nothing found; 1 findings; 2 a file that is missing, binary or not UTF-8.

examples:
  chocolatl check rules
  chocolatl check rules/{game} --format sarif
  chocolatl check rules/{game}/game.yaml --fail-on warning
"""


FORMATS = ("text", "json", "sarif", "github")
ROUNDS = 20
"""So often are files mended and looked at again: behind a mistake that hid the rest of a line there may be another."""
SELDOM = 500_000
"""So many things are made before Python looks for circles among them. Nearly all are kept, and looking takes a fifth of
the time."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", type=Path, help="what to check; by default what is set, or ."
    )
    parser.add_argument("--format", choices=FORMATS, help="how findings are printed (text)")
    parser.add_argument("--fail-on", choices=("error", "warning"), help="the least finding for exit code 1 (error)")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without a change of meaning")


def run(arguments: argparse.Namespace) -> int:
    thresholds = gc.get_threshold()
    gc.set_threshold(SELDOM)
    try:
        return _run(arguments)
    finally:
        gc.set_threshold(*thresholds)


def _run(arguments: argparse.Namespace) -> int:
    config = project_config()
    paths = arguments.paths or project_paths(config)
    checker = _check(paths, config.exclude)
    mended = 0
    for _ in range(ROUNDS if arguments.fix else 0):
        from chocolatl.interpreter.checking.fixing import apply_safe

        made = apply_safe(checker.found())
        if not made:
            break
        mended += made
        checker = _check(paths, config.exclude)
    found = checker.found()
    _report(found, arguments.format or config.format)
    severities = Counter(diagnostic.severity for diagnostic in found)
    print(f"{checker.summary()}: {_told(found, severities, mended)}", file=sys.stderr)
    if checker.unreadable:
        return 2
    fail_on = arguments.fail_on or config.fail_on
    return 1 if severities["error"] + (severities["warning"] if fail_on == "warning" else 0) else 0


def _check(paths: Iterable[Path], exclude: tuple[Path, ...]) -> Checker:
    from chocolatl.interpreter.checking.checker import Checker, NothingToCheck

    checker = Checker(exclude)
    try:
        for path in paths:
            checker.check(path)
    except NothingToCheck as error:
        raise UsageError(str(error)) from None
    return checker


def _report(found: list[Diagnostic], form: str) -> None:
    """The findings on standard output, in one of the formats."""
    match form:
        case "json":
            from chocolatl.interpreter.diagnostics.records import as_json

            print(json.dumps(as_json(found), indent=2))
        case "sarif":
            from chocolatl.interpreter.diagnostics.sarif import as_sarif

            print(json.dumps(as_sarif(found, "chocolatl", VERSION), indent=2))
        case "github":
            from chocolatl.interpreter.diagnostics.annotations import as_annotation

            for diagnostic in found:
                print(as_annotation(diagnostic))
        case _:
            from chocolatl.interpreter.terminal.reports.findings import print_findings

            print_findings(found, sys.stdout)
    sys.stdout.flush()


def _told(found: list[Diagnostic], severities: Counter[str], mended: int) -> str:
    from chocolatl.interpreter.checking.checker import counted

    numbers = [counted(number, severity) for severity, number in sorted(severities.items())]
    safe = sum(diagnostic.fix is not None and diagnostic.fix.safe for diagnostic in found)
    parts = [", ".join(numbers) or "no findings"]
    parts += [f"{mended} mended"] if mended else []
    parts += [f"`--fix` can mend {safe}"] if safe else []
    return "; ".join(parts)
