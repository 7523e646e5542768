"""`chocolatl check`: everything that can be found wrong with the files of games, in one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from interpreter.commands.errors import UsageError

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
    from interpreter.checking.checker import Checker, NothingToCheck, counted
    from interpreter.diagnostics.records import as_json
    from interpreter.terminal.findings import print_findings

    checker = Checker()
    try:
        for path in arguments.paths:
            checker.check(path)
    except NothingToCheck as error:
        raise UsageError(str(error)) from None
    found = checker.found()
    if arguments.format == "json":
        print(json.dumps(as_json(found), indent=2))
    else:
        print_findings(found, sys.stdout)
    sys.stdout.flush()
    severities = Counter(diagnostic.severity for diagnostic in found)
    numbers = [counted(number, severity) for severity, number in sorted(severities.items())]
    print(f"{checker.summary()}: {', '.join(numbers) or 'no findings'}", file=sys.stderr)
    if checker.unreadable:
        return 2
    failing = severities["error"] + (severities["warning"] if arguments.fail_on == "warning" else 0)
    return 1 if failing else 0
