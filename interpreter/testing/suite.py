"""Many scenarios run, in one process or in several: which files they are, what came of each, and what they have run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import Translator
from chocolatl.interpreter.data.find import files_below
from chocolatl.interpreter.data.strict_yaml import load
from chocolatl.interpreter.diagnostics import Diagnostic, Findings, in_order
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.engine.watch import excerpt
from chocolatl.interpreter.formats.scenario import Games, Scenario, load_scenario
from chocolatl.interpreter.simulation.workers import in_processes
from chocolatl.interpreter.source import read_source
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.testing.coverage import Coverage
from chocolatl.interpreter.testing.deciding_line import with_deciding_lines
from chocolatl.interpreter.testing.scenario_run import UnmetExpectation, run_scenario
from chocolatl.interpreter.translate.reuse import TranslationMemo

SCENARIO = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s*#[^\n]*\n|\s*\n)*kind:\s*[\"']?scenario\b")
PARTS_PER_JOB = 4


@dataclass(frozen=True)
class Outcome:
    """One scenario: its name, and what is wrong with it. `rules` are findings about the rules that it needs."""

    file: str
    name: str
    mistakes: tuple[Diagnostic, ...] = ()
    differences: tuple[UnmetExpectation, ...] = ()
    rules: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return not (self.mistakes or self.differences or self.rules)

    @property
    def difference(self) -> str:
        """What is wrong, line by line."""
        lines = [render(finding) for finding in self.mistakes]
        lines += [one_line(line) for difference in self.differences for line in self._lines(difference)]
        if self.rules and not lines:
            lines = ["the rules of its game fail `check`"]
        return "\n".join(lines)

    def _lines(self, difference: UnmetExpectation) -> Iterator[str]:
        yield f"{self.file}:{difference.line}: {difference}"
        rule = difference.rule
        if rule is not None and f"{rule}: " not in difference.message:
            yield f"    decided at {rule.source.name}:{rule.line}: {excerpt(rule)}"


def scenarios_in(folder: Path) -> Iterator[Path]:
    """Whatever lies in a folder `scenarios`, and elsewhere what says that it is one."""
    for path in files_below(folder):
        if path.suffix in (".yaml", ".yml") and (path.parent.name == "scenarios" or _says_so(path)):
            yield path


def _says_so(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return SCENARIO.match(file.read(2000)) is not None
    except OSError:
        return False


def name_in(path: Path) -> str:
    """The name of a scenario, as far as it can be told without its game."""
    document = load(read_source(path), Findings())
    name = document.value.get("name") if document is not None and isinstance(document.value, dict) else None
    return name if isinstance(name, str) else path.stem


def selected(paths: Iterable[Path], words: list[str]) -> list[Path]:
    """Those whose name or file has all of these words in it."""
    asked = [word.casefold() for word in words]
    return [
        path for path in paths
        if not asked or all(word in f"{path}\n{name_in(path)}".casefold() for word in asked)
    ]  # fmt: skip


def run_file(path: Path, coverage: Coverage | None = None, games: Games | None = None) -> Outcome:
    findings = Findings()
    scenario = load_scenario(path, findings, games)
    if scenario is None:
        errors = [finding for finding in in_order(findings.items) if finding.severity == "error"]
        own = tuple(finding for finding in errors if finding.span.source.name == str(path))
        return Outcome(str(path), name_in(path), own, (), tuple(finding for finding in errors if finding not in own))
    differences = run_watched(scenario, coverage) if coverage is not None else run_scenario(scenario)
    if differences:
        differences = with_deciding_lines(scenario, differences)
    return Outcome(str(path), scenario.name, (), tuple(differences))


def run_watched(scenario: Scenario, coverage: Coverage) -> list[UnmetExpectation]:
    """Run a scenario and add what it has run."""
    watched = scenario.literal()
    coverage.begin(watched.game)
    differences = run_scenario(watched)
    coverage.add(watched.game)
    return differences


def run_suite(paths: list[Path], coverage: Coverage | None, jobs: int = 1) -> list[Outcome]:
    """What came of each scenario, in the order given."""
    if min(jobs, len(paths)) < 2:
        games = Games(Translator(TranslationMemo()))
        return [run_file(path, coverage, games) for path in paths]
    # Neighbours mostly share a game, which each process then translates once.
    size = -(-len(paths) // (jobs * PARTS_PER_JOB))
    parts = [paths[first : first + size] for first in range(0, len(paths), size)]
    outcomes: list[Outcome] = []
    done = in_processes(_runner, coverage is not None, ((part,) for part in parts), min(jobs, len(parts)), ahead=1)
    for found, counted in done:
        outcomes += found
        if coverage is not None and counted is not None:
            coverage.merge(counted)
    return outcomes


def _runner(counted: bool) -> Callable[[list[Path]], tuple[list[Outcome], Coverage | None]]:
    """What a process of its own does with each part."""

    def run_part(paths: list[Path]) -> tuple[list[Outcome], Coverage | None]:
        coverage = Coverage() if counted else None
        return run_suite(paths, coverage), coverage

    return run_part
