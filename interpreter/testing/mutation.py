"""Mutation testing: does any scenario notice when a rule changes? Mutants are checked, and their scenarios are run.

A mutant lives in a copy of the game's folder, of which one file changes at a time: all other files are read once.
Scenarios are run up to the first that fails, those that reach the changed line first; one that does not reach the
declaration is left out where nothing else has changed in its game.
A mutant whose rules hash is that of the game is none, nor is one whose IR is the same for every number of players and
in every scenario.
"""

from __future__ import annotations

import random
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from msgspec import structs

from chocolatl.interpreter.data.load import load_document, load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.equivalence import alike
from chocolatl.interpreter.simulation.workers import in_processes
from chocolatl.interpreter.source import Source
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.system.signals import cleared
from chocolatl.interpreter.testing.mutants import Mutant, data_mutants, rule_mutants
from chocolatl.interpreter.testing.scenario_run import run_scenario
from chocolatl.interpreter.testing.suite import scenarios_in
from chocolatl.interpreter.testing.workspace import ScenarioReach, ScenarioWorkspace, reach_of

SURVIVED, BY_CHECK, SAME = "survived", "check", "same"
CHUNK = 8


@dataclass(frozen=True)
class MutantVerdict:
    """What became of a mutant: the scenario that failed, or one of the words above."""

    mutant: Mutant
    fate: str

    @property
    def survived(self) -> bool:
        return self.fate == SURVIVED


class Laboratory:
    """A copy of a game's folder in which one file changes at a time."""

    def __init__(self, folder: Path, copy: Path, reach: ScenarioReach | None = None) -> None:
        self.folder = folder
        self.game = copy / folder.name
        shutil.copytree(folder, self.game, symlinks=False)
        findings = Findings()
        files = load_game(self.game, findings)
        findings.reject_errors()
        assert files is not None
        self.files = files
        self.killers: dict[tuple[str, int], str] = {}
        """What failed last when a line was changed: it is likely to fail again."""
        bench = ScenarioWorkspace()
        found = {str(path.relative_to(self.game)): bench.load(path) for path in scenarios_in(self.game)}
        scenarios = {name: scenario for name, scenario in found.items() if scenario is not None}
        self.games = bench.games(files)
        self.codes = {name: scenario.code for name, scenario in scenarios.items()}
        self.reach = reach or reach_of(scenarios, self._declarations())

    def _declarations(self) -> Iterator[tuple[int, int]]:
        """The first and the last line of each declaration."""
        source = self.files.rules_source
        starts = [d.span.line for d in self.files.rules.declarations if d.span.source == source]
        return ((first, after - 1) for first, after in pairwise([*starts, source.text.count("\n") + 2]))

    def mutants(self) -> Iterator[Mutant]:
        yield from rule_mutants(self.files.rules_source)
        document = load_document(self.game / "game.yaml", "game", Findings())
        if document is not None:
            yield from data_mutants(document)

    def judge(self, mutant: Mutant) -> MutantVerdict:
        path = Path(mutant.span.source.name)
        path.write_text(mutant.text(), encoding="utf-8")
        try:
            return MutantVerdict(self._shown(mutant), self._fate(mutant))
        finally:
            path.write_text(mutant.span.source.text, encoding="utf-8")

    def _fate(self, mutant: Mutant) -> str:
        findings = Findings()
        files = load_game(self.game, findings)
        if files is None or findings.has_errors:
            return BY_CHECK
        if files.rules_hash == self.files.rules_hash:
            return SAME
        bench = ScenarioWorkspace()
        stretch = self.reach.declaration(mutant)
        likely = self.killers.get((mutant.span.source.name, mutant.line))
        names = self.reach.scenarios(mutant, self.files.rules_source.text)
        known: dict[object, bool] = {}
        for name in sorted(names, key=lambda name: name != likely):
            scenario = bench.load(self.game / name)
            if scenario is None:
                return BY_CHECK
            if not self.reach.runs(name, stretch):
                # It may tell nevertheless, where a constant was worked out beforehand in what it runs.
                program = (scenario.files.key, len(scenario.players))
                if program not in known:
                    known[program] = alike(self.codes[name], scenario.code, stretch)
                if known[program]:
                    continue
            if run_scenario(scenario.literal()):  # that program takes half the time to make
                self.killers[mutant.span.source.name, mutant.line] = name
                return name
        games = bench.games(files)
        if games is None:
            return BY_CHECK
        return SAME if self._is_same(bench, games) else SURVIVED

    def _is_same(self, bench: ScenarioWorkspace, games: list[ir.GameRules]) -> bool:
        """Whether the mutant is the game itself, in all that players and scenarios make of it."""
        if self.games is None or len(self.games) != len(games) or not all(map(alike, self.games, games)):
            return False
        scenarios = ((code, bench.load(self.game / name)) for name, code in self.codes.items())
        return all(scenario is not None and alike(code, scenario.code) for code, scenario in scenarios)

    def _shown(self, mutant: Mutant) -> Mutant:
        """The mutant at its place in the game itself."""
        span = mutant.span
        name = str(self.folder / Path(span.source.name).relative_to(self.game))
        source = Source(name, span.source.text)
        return replace(mutant, span=structs.replace(span, source=source))


def mutate(folder: Path, sample: int | None = None, seed: int = 0, jobs: int = 1) -> Iterator[MutantVerdict]:
    """The fate of each mutant of a game, or of a random sample of them."""
    with _workshop() as place:
        laboratory = Laboratory(folder, place)
        numbers = list(range(sum(1 for _ in laboratory.mutants())))
        if sample is not None and sample < len(numbers):
            numbers = sorted(random.Random(seed).sample(numbers, sample))
        if jobs < 2:
            mutants = list(laboratory.mutants())
            yield from (laboratory.judge(mutants[number]) for number in numbers)
            return
        chunks = [numbers[first : first + CHUNK] for first in range(0, len(numbers), CHUNK)]
        given = folder, place, laboratory.reach
        for verdicts in in_processes(_judge, given, ((chunk,) for chunk in chunks), min(jobs, len(chunks)), ahead=1):
            yield from verdicts


@contextmanager
def _workshop() -> Iterator[Path]:
    """A folder for all processes, which is gone in the end."""
    place = Path(tempfile.gettempdir(), f"chocolatl-{secrets.token_hex(8)}")
    with cleared(lambda: shutil.rmtree(place, ignore_errors=True)):
        try:
            place.mkdir(0o700)
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _judge(given: tuple[Path, Path, ScenarioReach]) -> Callable[[list[int]], list[MutantVerdict]]:
    """What a process of its own does with the numbers of some mutants."""
    folder, place, reach = given
    laboratory = Laboratory(folder, Path(tempfile.mkdtemp(dir=place)), reach)
    mutants = list(laboratory.mutants())
    return lambda numbers: [laboratory.judge(mutants[number]) for number in numbers]


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
