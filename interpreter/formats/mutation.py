"""Mutation: does any scenario notice when a rule changes? Each mutant of a game is checked, and its scenarios are run.

A mutant lives in a copy of the game's folder, of which one file changes at a time: all other files are read once. Only
scenarios that reach the changed declaration are run, those that reach the very line first, up to the first that fails.
A mutant whose rules hash is that of the game is none.
"""

from __future__ import annotations

import multiprocessing
import random
import shutil
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from interpreter.data.load import load_document, load_game
from interpreter.diagnostics import Findings, Rejected
from interpreter.formats.coverage import Coverage
from interpreter.formats.mutants import Mutant, data_mutants, rule_mutants
from interpreter.formats.scenario import load_scenario
from interpreter.formats.scenario_run import run_scenario
from interpreter.formats.suite import run_watched, scenarios_in
from interpreter.source import Source, Span
from interpreter.syntax import tree
from interpreter.translation import check

SURVIVED, BY_CHECK, SAME = "survived", "check", "same"
CHUNK = 8


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: the scenario that failed, or one of the words above."""

    mutant: Mutant
    fate: str

    @property
    def survived(self) -> bool:
        return self.fate == SURVIVED


@dataclass(frozen=True)
class Reach:
    """The lines of the rules that each scenario reaches, by file, and the declarations as stretches of lines."""

    lines: dict[str, frozenset[int]]
    declarations: tuple[tuple[int, int], ...]

    def scenarios(self, mutant: Mutant) -> list[str]:
        """Those worth running, the most promising first."""
        if mutant.span.source.name.endswith((".yaml", ".yml")):
            return list(self.lines)
        first, last = next((d for d in self.declarations if d[0] <= mutant.line <= d[1]), (1, 0))
        stretch = frozenset(range(first, last + 1))
        if not any(stretch & lines for lines in self.lines.values()):
            return list(self.lines)  # nothing that runs: state, or an item
        near = [name for name, lines in self.lines.items() if stretch & lines]
        return sorted(near, key=lambda name: mutant.line not in self.lines[name])


class Laboratory:
    """A copy of a game's folder in which one file changes at a time."""

    def __init__(self, folder: Path, copy: Path) -> None:
        self.folder = folder
        self.game = copy / folder.name
        shutil.copytree(folder, self.game, symlinks=False)
        findings = Findings()
        files = load_game(self.game, findings)
        findings.reject_errors()
        assert files is not None
        self.files = files
        self.reach = self._reach()

    def _reach(self) -> Reach:
        lines: dict[str, frozenset[int]] = {}
        for path in scenarios_in(self.game):
            findings = Findings()
            scenario = load_scenario(path, findings)
            findings.reject_errors()
            assert scenario is not None
            coverage = Coverage()
            if run_watched(scenario, coverage):
                continue  # it fails before anything is changed
            lines[path.name] = frozenset(part.span.line for part, runs in coverage.runs.items() if runs)
        starts = [d.span.line for d in self.files.rules.declarations if d.span.source == self.files.rules_source]
        ends = [after - 1 for _, after in pairwise(starts)]
        return Reach(lines, tuple(zip(starts, [*ends, self.files.rules_source.text.count("\n") + 1], strict=True)))

    def mutants(self) -> Iterator[Mutant]:
        yield from rule_mutants(self.files.rules_source)
        document = load_document(self.game / "game.yaml", "game", Findings())
        if document is not None:
            yield from data_mutants(document)

    def judge(self, mutant: Mutant) -> Verdict:
        path = Path(mutant.span.source.name)
        path.write_text(mutant.text(), encoding="utf-8")
        try:
            return Verdict(self._shown(mutant), self._fate(mutant))
        finally:
            path.write_text(mutant.span.source.text, encoding="utf-8")

    def _fate(self, mutant: Mutant) -> str:
        findings = Findings()
        files = load_game(self.game, findings)
        if files is None or findings.has_errors:
            return BY_CHECK
        if files.rules_hash == self.files.rules_hash:
            return SAME
        for name in self.reach.scenarios(mutant):
            findings = Findings()
            try:
                scenario = load_scenario(self.game / "scenarios" / name, findings)
                if scenario is None or run_scenario(scenario):
                    return name if scenario is not None else BY_CHECK
            except Rejected:
                return BY_CHECK
        check(self.game, findings)
        return BY_CHECK if findings.has_errors else SURVIVED

    def _shown(self, mutant: Mutant) -> Mutant:
        """The mutant at its place in the game itself."""
        span = mutant.span
        name = str(self.folder / Path(span.source.name).relative_to(self.game))
        source = Source(name, span.source.text)
        return Mutant(Span(source, span.line, span.column, span.end_line, span.end_column), mutant.old, mutant.new)


def mutate(folder: Path, sample: int | None = None, seed: int = 0, jobs: int = 1) -> Iterator[Verdict]:
    """The fate of each mutant of a game, or of a random sample of them."""
    with tempfile.TemporaryDirectory() as place:
        laboratory = Laboratory(folder, Path(place))
        numbers = list(range(sum(1 for _ in laboratory.mutants())))
        if sample is not None and sample < len(numbers):
            numbers = sorted(random.Random(seed).sample(numbers, sample))
        if jobs < 2:
            mutants = list(laboratory.mutants())
            yield from (laboratory.judge(mutants[number]) for number in numbers)
            return
    chunks = [numbers[first : first + CHUNK] for first in range(0, len(numbers), CHUNK)]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start, (folder,)) as executor:
        for verdicts in executor.map(_judge, chunks):
            yield from verdicts


_laboratory: tuple[Laboratory, list[Mutant], tempfile.TemporaryDirectory[str]] | None = None
"""What this process works in, if it is one of several."""


def _start(folder: Path) -> None:
    global _laboratory
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is for the first process, which ends the others
    place = tempfile.TemporaryDirectory()
    laboratory = Laboratory(folder, Path(place.name))
    _laboratory = laboratory, list(laboratory.mutants()), place


def _judge(numbers: list[int]) -> list[Verdict]:
    assert _laboratory is not None
    laboratory, mutants, _ = _laboratory
    return [laboratory.judge(mutants[number]) for number in numbers]


def stub(mutant: Mutant, rules: tree.RuleFile, game: str) -> str:
    """The beginning of a scenario that could tell a survivor from the rules."""
    inside = [
        d for d in rules.declarations if d.span.source.name == mutant.span.source.name and d.span.line <= mutant.line
    ]
    last = inside[-1] if inside else None
    lines = ["kind: scenario", "format: 1", f"name: What line {mutant.line} does", f"game: {game}"]
    if isinstance(last, tree.Procedure):
        members = last.parameters[0].members if last.parameters else ()
        given = [f"{p.name.text}: {members[0].text if p.members else '?'}" for p in last.parameters]
        lines.append(
            f"start: {{procedure: {last.name.text}" + (f", with: {{{', '.join(given)}}}" if given else "") + "}"
        )
    return "\n".join([*lines, "given: {}", "when: []", "then: {}"]) + "\n"
