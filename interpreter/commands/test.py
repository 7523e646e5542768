"""`chocolatl test`: scenarios run, with what came where something else was expected, and the rule that decided it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import jobs
from chocolatl.interpreter.commands.shared.project_paths import project_config, project_paths, without_excluded
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.testing.coverage import Coverage
    from chocolatl.interpreter.testing.suite import Outcome

EPILOG = """\
PATH is a scenario file, a game folder, any folder with games or scenarios in it, or the name of a shipped game. A
scenario that fails is shown with what was expected, what came, and the line of the rules that decided it. Without PATH
it is what `paths` of `[tool.chocolatl]` in pyproject.toml names, or else this folder, but for what `exclude` names.

With --coverage the declarations, choices, chance events and branches of the rules that no scenario ran are listed;
--coverage-page writes the rule files as an HTML page with these lines marked. With --update the outcome of every
scenario that fails, or that has `then: {}`, is written beside it as NAME.observed.yaml, to be read and kept or thrown
away; the scenario itself stays as it is.

Exit code: 0 all scenarios hold; 1 one does not, or its file is wrong; 2 wrong usage, a file that cannot be read, or
rules that fail `check`.

examples:
  chocolatl test rules --jobs 4
  chocolatl test {game} --only shared
  chocolatl test {game} --coverage-page coverage.html
  chocolatl test {game} --junit results.xml --json
"""

FINE, NO, WRONG_RULES = 0, 1, 2


OBSERVED = "# What the rules did, as `chocolatl test --update` saw it. Read it before you keep it.\n"
"""The first line of a scenario that was written down."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="a scenario, a game or a folder; by default what is set, or ."
    )
    parser.add_argument(
        "--only", metavar="WORD", action="append", default=[], help="only scenarios with this in their name or file"
    )
    parser.add_argument("--jobs", metavar="J", type=jobs, default=1, help="how many processes (default 1)")
    parser.add_argument("--coverage", action="store_true", help="list what of the rules no scenario ran")
    parser.add_argument("--coverage-page", metavar="FILE", type=Path, help="write the coverage as an HTML page")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write the results as JUnit XML")
    parser.add_argument("--update", action="store_true", help="write what came as new scenarios beside those that fail")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.formats.files import write_text
    from chocolatl.interpreter.terminal.reports.findings import print_findings
    from chocolatl.interpreter.testing.coverage import Coverage, as_text
    from chocolatl.interpreter.testing.coverage_page import as_page
    from chocolatl.interpreter.testing.junit import as_junit
    from chocolatl.interpreter.testing.suite import run_suite, selected

    files = _meant(arguments.paths)
    chosen = selected(files, arguments.only)
    if not chosen and not arguments.only:
        print("there is no scenario yet", file=sys.stderr)
    elif not chosen:
        raise UsageError(f"--only: none of {len(files)} scenarios has {' and '.join(arguments.only)} in its name")
    coverage = Coverage() if arguments.coverage or arguments.coverage_page else None
    outcomes = run_suite(chosen, coverage, arguments.jobs)
    print_findings([finding for outcome in outcomes for finding in outcome.rules], sys.stderr)
    if arguments.update:
        _update(outcomes)
    if arguments.junit:
        write_text(arguments.junit, as_junit(outcomes))
    if arguments.coverage_page and coverage is not None:
        write_text(arguments.coverage_page, as_page(coverage))
    if arguments.json:
        print(json.dumps(_as_json(outcomes, coverage), indent=2))
    else:
        _print_outcomes(outcomes)
        if coverage is not None:
            sys.stdout.write(as_text(coverage))
    if any(outcome.rules for outcome in outcomes):
        return WRONG_RULES
    return FINE if all(outcome.ok for outcome in outcomes) else NO


def _meant(given: Sequence[str]) -> list[Path]:
    """The scenarios that arguments mean, each once."""
    if given:
        return list(dict.fromkeys(file for path in given for file in find_scenarios(path)))
    config = project_config()
    found = (file for path in project_paths(config) for file in find_scenarios(str(path)))
    return without_excluded(dict.fromkeys(found), config)


def find_scenarios(argument: str) -> list[Path]:
    """The scenario files that a PATH means; a sentence for the user when there are none."""
    from chocolatl.interpreter.data.find import files_below, find_game
    from chocolatl.interpreter.testing.suite import scenarios_in

    path = Path(argument)
    if path.is_file():
        return [path]
    if not path.exists():
        path = find_game(argument)
        if path.is_file():
            raise UsageError(f"{argument} is a variant; its scenarios are those of its game")
    found = list(scenarios_in(path))
    if not found and not any(file.suffix == ".rules" for file in files_below(path)):
        raise UsageError(f"{argument}: there is no game and no scenario in this folder")
    return found


def _update(outcomes: list[Outcome]) -> None:
    """Write what came; where a run does not come to its end, there is nothing to be written."""
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.events import RefusedEvent
    from chocolatl.interpreter.formats.files import write_text
    from chocolatl.interpreter.formats.scenario import load_scenario
    from chocolatl.interpreter.play.game import RuleError
    from chocolatl.interpreter.testing.recording import observed_file, observed_scenario

    for outcome in outcomes:
        scenario = load_scenario(Path(outcome.file), Findings())
        if scenario is None or (outcome.ok and scenario.then):
            continue
        target = observed_file(Path(outcome.file))
        try:
            write_text(target, OBSERVED + observed_scenario(scenario))
            print(one_line(f"written: {target}"), file=sys.stderr)
        except (RefusedEvent, RuleError) as error:
            why = f"since the run does not come to its end: {error}"
            print(one_line(f"not written: {target}, {why}"), file=sys.stderr)


def _as_json(outcomes: list[Outcome], coverage: Coverage | None) -> dict[str, Any]:
    """The contract of `test --json`."""
    from chocolatl.interpreter.testing.coverage import as_json

    result: dict[str, Any] = {
        "passed": sum(outcome.ok for outcome in outcomes),
        "failed": sum(not outcome.ok for outcome in outcomes),
        "scenarios": [
            {
                "file": outcome.file,
                "name": outcome.name,
                "ok": outcome.ok,
                "difference": outcome.difference or None,
                "differences": [
                    {
                        "line": d.line,
                        "path": d.path,
                        "message": d.message,
                        "rule": {"file": d.rule.source.name, "line": d.rule.line} if d.rule else None,
                    }
                    for d in outcome.differences
                ],
            }
            for outcome in outcomes
        ],
    }
    if coverage is not None:
        result["coverage"] = as_json(coverage)
    return result


def _print_outcomes(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if not outcome.ok:
            print(one_line(f"FAILED {outcome.file}: {outcome.name}"))
            print("".join(f"  {line}\n" for line in outcome.difference.split("\n")))
    failed = sum(not outcome.ok for outcome in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
