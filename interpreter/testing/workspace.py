"""Where the scenarios of a game are tried again and again while its files change: which of them, and with what.

`chocolatl.interpreter.testing.mutation` changes the files. A `ScenarioWorkspace` belongs to one state of them, a
`ScenarioReach` to the game unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import Translator
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.formats.scenario import Games, Scenario, load_scenario
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.testing.coverage import Coverage
from chocolatl.interpreter.testing.mutants import Mutant
from chocolatl.interpreter.testing.suite import run_watched
from chocolatl.interpreter.translate.reuse import TranslationMemo


class ScenarioWorkspace:
    """The scenarios of a game as its files are now: what they share is translated once."""

    def __init__(self) -> None:
        self.translator = Translator(TranslationMemo())
        self.shared = Games(self.translator)

    def load(self, path: Path) -> Scenario | None:
        """A scenario, or None when `check` would refuse it or its game."""
        try:
            return load_scenario(path, Findings(), self.shared)
        except Rejected:
            return None

    def games(self, files: GameFiles) -> list[ir.GameRules] | None:
        """The IR for every number of players, or None when `check` would refuse it."""
        findings = Findings()
        games = [self.translator.game(files, count, findings) for count in range(files.minimum, files.maximum + 1)]
        return None if findings.has_errors else [game for game in games if game is not None]


@dataclass(frozen=True)
class ScenarioReach:
    """The lines of the rules that each scenario reaches, by file, and the declarations as stretches of lines. Those
    that share a program follow one another, the most frequent program first."""

    lines: dict[str, frozenset[int]]
    declarations: tuple[tuple[int, int], ...]

    def declaration(self, mutant: Mutant) -> range:
        """The lines of the declaration that a mutant changes; none where it changes data."""
        stretches = () if mutant.name else self.declarations
        first, last = next((d for d in stretches if d[0] <= mutant.line <= d[1]), (1, 0))
        return range(first, last + 1)

    def scenarios(self, mutant: Mutant, rules: str) -> list[str]:
        """All of them, the most promising first."""
        changed = {mutant.line}
        if mutant.name:
            word = re.compile(rf"(?<![\w.]){re.escape(mutant.name)}(?![\w.])")
            changed = {number for number, line in enumerate(rules.split("\n"), start=1) if word.search(line)}
        stretch = frozenset(self.declaration(mutant))

        def distance(name: str) -> int:
            lines = self.lines[name]
            return 0 if changed & lines else 1 if stretch & lines else 2

        return sorted(self.lines, key=distance)

    def runs(self, name: str, stretch: range) -> bool:
        """Whether a scenario runs something of a stretch; of a declaration that nobody runs, all may tell."""
        return stretch not in self.run or not self.lines[name].isdisjoint(stretch)

    @cached_property
    def run(self) -> set[range]:
        """The declarations that any scenario runs."""
        stretches = (range(first, last + 1) for first, last in self.declarations)
        return {s for s in stretches if any(not lines.isdisjoint(s) for lines in self.lines.values())}


def reach_of(scenarios: dict[str, Scenario], declarations: Iterable[tuple[int, int]]) -> ScenarioReach:
    """What each scenario reaches; one that fails before anything is changed is left out."""
    lines: dict[str, frozenset[int]] = {}
    for name, scenario in scenarios.items():
        coverage = Coverage()
        if not run_watched(scenario, coverage):
            lines[name] = frozenset(part.span.line for part, runs in coverage.runs.items() if runs)
    programs = {name: (scenarios[name].files.key, len(scenarios[name].players)) for name in lines}
    sizes = Counter(programs.values())  # in the order in which they come
    rank = {program: number for number, (program, _) in enumerate(sizes.most_common())}
    order = sorted(lines, key=lambda name: rank[programs[name]])
    return ScenarioReach({name: lines[name] for name in order}, tuple(declarations))
