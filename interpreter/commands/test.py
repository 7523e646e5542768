"""`chocolatl test`: scenarios run, with what came where something else was expected."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.commands.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from interpreter.diagnostics import Diagnostic
    from interpreter.formats.coverage import Coverage

EPILOG = """\
PATH is a scenario file, a game folder, any folder with games or scenarios in it, or the name of a shipped game. With
--coverage the declarations, choices and chance events of the rules that no scenario ran are listed.

Exit code: 0 all scenarios hold; 1 one does not, or its file is wrong; 2 wrong usage, a file that cannot be read, or
rules that fail `check`.

examples:
  chocolatl test rules
  chocolatl test {game} --coverage
  chocolatl test {game} --json
"""

SCENARIO = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*#[^\n]*\n|\s*\n)*kind:\s*[\"']?scenario\b")
FINE, NO, WRONG_RULES = 0, 1, 2


@dataclass(frozen=True)
class Outcome:
    """One scenario: its name, and what is wrong with it. `rules` are findings about the rules that it needs."""

    file: str
    name: str
    difference: str
    rules: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.difference


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a scenario, a game or a folder")
    parser.add_argument("--coverage", action="store_true", help="list what of the rules no scenario ran")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    from interpreter.formats.coverage import Coverage
    from interpreter.terminal.findings import print_findings

    files = list(dict.fromkeys(file for path in arguments.paths for file in find_scenarios(path)))
    coverage = Coverage() if arguments.coverage else None
    outcomes = [_run(file, coverage) for file in files]
    print_findings([finding for outcome in outcomes for finding in outcome.rules], sys.stderr)
    if arguments.json:
        print(json.dumps(_as_json(outcomes, coverage), indent=2))
    else:
        _print_outcomes(outcomes)
        if coverage is not None:
            _print_coverage(coverage)
    if any(outcome.rules for outcome in outcomes):
        return WRONG_RULES
    return FINE if all(outcome.ok for outcome in outcomes) else NO


# ---------------------------------------------------------------- which scenarios


def find_scenarios(argument: str) -> list[Path]:
    """The scenario files that a PATH means; a sentence for the user when there are none."""
    from interpreter.data.find import find_game

    path = Path(argument)
    if path.is_file():
        return [path]
    if not path.exists():
        path = find_game(argument)
        if path.is_file():
            raise UsageError(f"{argument} is a variant; its scenarios are those of its game")
    found = list(_scenarios_in(path))
    if not found:
        raise UsageError(f"{argument}: there is no scenario in this folder")
    return found


def _scenarios_in(folder: Path) -> Iterator[Path]:
    """Whatever lies in a folder `scenarios`, and elsewhere what says that it is one."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix in (".yaml", ".yml") and not name.startswith("."):
                if Path(place).name == "scenarios" or _says_so(path):
                    yield path


def _says_so(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return SCENARIO.match(file.read(2000)) is not None
    except OSError:
        return False


# ---------------------------------------------------------------- running


def _run(path: Path, coverage: Coverage | None) -> Outcome:
    from interpreter.diagnostics import Findings, in_order, render
    from interpreter.formats.scenario import load_scenario
    from interpreter.formats.scenario_run import run_scenario

    findings = Findings()
    scenario = load_scenario(path, findings)
    if scenario is None:
        errors = [finding for finding in in_order(findings.items) if finding.severity == "error"]
        own = [finding for finding in errors if finding.span.source.name == str(path)]
        rules = tuple(finding for finding in errors if finding not in own)
        text = "\n".join(render(finding) for finding in own) or "the rules of its game fail `check`"
        return Outcome(str(path), _name_in(path), text, rules)
    if coverage is not None:
        coverage.watch(scenario.game)
    differences = run_scenario(scenario)
    return Outcome(str(path), scenario.name, "\n".join(f"{path}:{d.line}: {d}" for d in differences))


def _name_in(path: Path) -> str:
    """The name of a scenario that could not be loaded, as far as it can be told."""
    from interpreter.data.strict_yaml import load
    from interpreter.diagnostics import Findings
    from interpreter.source import read_source

    document = load(read_source(path), Findings())
    name = document.value.get("name") if document is not None and isinstance(document.value, dict) else None
    return name if isinstance(name, str) else path.stem


# ---------------------------------------------------------------- results


def _as_json(outcomes: list[Outcome], coverage: Coverage | None) -> dict[str, Any]:
    """The contract of `test --json`."""
    result: dict[str, Any] = {
        "passed": sum(outcome.ok for outcome in outcomes),
        "failed": sum(not outcome.ok for outcome in outcomes),
        "scenarios": [
            {"file": o.file, "name": o.name, "ok": o.ok, "difference": o.difference or None} for o in outcomes
        ],
    }
    if coverage is not None:
        result["coverage"] = [
            {"file": p.span.source.name, "line": p.span.line, "kind": p.kind, "name": p.name, "runs": runs}
            for p, runs in coverage.parts()
        ]
    return result


def _print_outcomes(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if not outcome.ok:
            print(f"FAILED {outcome.file}: {outcome.name}")
            print("".join(f"  {line}\n" for line in outcome.difference.split("\n")))
    failed = sum(not outcome.ok for outcome in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed")


def _print_coverage(coverage: Coverage) -> None:
    parts = coverage.parts()
    missed = [part for part, runs in parts if not runs]
    for part in missed:
        print(f"{part.span.source.name}:{part.span.line}: no scenario ran the {part.kind} `{part.name}`")
    print(f"coverage: {len(parts) - len(missed)} of {len(parts)} declarations, choices and chance events")
