"""What of the rules a set of scenarios has run (statement and branch coverage): declarations, choices, chance too.

A condition that the parameters of a scenario decide counts as run when its declaration was. A part that several
variants share is one, told by its place; one that a variant replaces is the variant's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from chocolatl.interpreter.engine.watch import BRANCH, NO, STATEMENT, YES, ProbedPart, excerpt
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.system.escaping import one_line


@dataclass
class Coverage:
    """How often each part of the rules ran. It can be sent to another process and added to another one."""

    runs: Counter[ProbedPart] = field(default_factory=Counter)

    def begin(self, game: Game) -> None:
        """Forget what has run so far in a game, whose program is a literal one."""
        watch = game.program.watch
        assert watch is not None
        watch.runs = [0] * len(watch.parts)

    def add(self, game: Game) -> None:
        """What has run in a game since it was begun."""
        watch = game.program.watch
        assert watch is not None
        for part, runs in zip(watch.parts, watch.runs, strict=True):
            self.runs[part] += runs
        declarations = [
            (part.span, runs) for part, runs in zip(watch.parts, watch.runs, strict=True) if _declares(part)
        ]
        for span, truth in game.ir.settled.items():
            ran = max((d for d in declarations if _before(d[0], span)), key=lambda d: d[0].line, default=(span, 0))[1]
            self.runs[ProbedPart(BRANCH, excerpt(span), span, YES)] += ran if truth else 0
            self.runs[ProbedPart(BRANCH, excerpt(span), span, NO)] += 0 if truth else ran

    def merge(self, other: Coverage) -> None:
        for part, runs in other.runs.items():
            self.runs[part] += runs

    def parts(self) -> list[tuple[ProbedPart, int]]:
        """Declarations, choices, chance and branches by place, with how often they ran."""
        found = [(part, runs) for part, runs in self.runs.items() if part.kind != STATEMENT]
        return sorted(found, key=lambda entry: _place(entry[0]))

    def missed(self) -> list[ProbedPart]:
        return [part for part, runs in self.parts() if not runs]

    def sources(self) -> Iterator[tuple[Source, dict[int, list[ProbedPart]], set[int]]]:
        """Each file of rules: what was missed on each line, and which lines ran."""
        for source in sorted({part.span.source for part in self.runs}, key=lambda source: source.name):
            missed: dict[int, list[ProbedPart]] = {}
            ran: set[int] = set()
            for part, runs in sorted(self.runs.items(), key=lambda entry: _place(entry[0])):
                if part.span.source == source:
                    if runs:
                        ran.add(part.span.line)
                    else:
                        missed.setdefault(part.span.line, []).append(part)
            yield source, missed, ran


def _declares(part: ProbedPart) -> bool:
    return part.kind not in (BRANCH, STATEMENT, "choice", "chance")


def _before(declaration: Span, span: Span) -> bool:
    return declaration.source == span.source and declaration.line <= span.line


def _place(part: ProbedPart) -> tuple[str, int, int, str, str]:
    return part.span.source.name, part.span.line, part.span.column, part.name, part.way


def described(part: ProbedPart) -> str:
    """A part that did not run, for people."""
    if part.way:
        return f"`{part.name}` came out as {part.way} in no scenario"
    what = f"`{part.name}`" if part.kind in (BRANCH, STATEMENT) else f"the {part.kind} `{part.name}`"
    return f"no scenario ran {what}"


def as_json(coverage: Coverage) -> list[dict[str, Any]]:
    """The contract of `coverage` in `test --json`."""
    return [
        {"file": p.span.source.name, "line": p.span.line, "kind": p.kind, "name": p.name, "way": p.way, "runs": runs}
        for p, runs in coverage.parts()
    ]


def as_text(coverage: Coverage) -> str:
    """What no scenario ran, and the shares."""
    parts, missed = coverage.parts(), coverage.missed()
    lines = [one_line(f"{part.span.source.name}:{part.span.line}: {described(part)}") for part in missed]
    for what, branches in (("declarations, choices and chance events", False), ("branches", True)):
        total = sum((part.kind == BRANCH) == branches for part, _ in parts)
        ran = total - sum((part.kind == BRANCH) == branches for part in missed)
        share = f" ({100 * ran / total:.1f} %)" if total else ""
        lines.append(f"coverage: {ran} of {total} {what}{share}")
    return "\n".join(lines) + "\n"
