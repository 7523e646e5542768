"""What a literal program tells of its run (instrumentation): which parts of the rules were reached, which statement
changed what, and what ended.

The emitter of a literal program puts a probe at each declaration, statement and branch. A part of the rules that is
there several times in the code, such as a procedure with and without windows, has several probes with the same part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.source import Span

YES, NO = "yes", "no"
STATEMENT, BRANCH = "statement", "branch"

Changed = Callable[[list[int], Span], None]
"""It is told of the slots after a change, and of the statement that made it."""

EndingListener = Callable[[list[int], int], object]
"""It is told of the slots where something ended, and of its number among the endings of the game."""


@dataclass(frozen=True)
class ProbedPart:
    """Something in the rules that can be reached. Of a branch, `way` says how its condition came out."""

    kind: str
    name: str
    span: Span
    way: str = ""


class Probes:
    """The probes of one program, and how often each was passed. `changed` is told of changes and `ending` of what ends,
    if anybody asks."""

    def __init__(self) -> None:
        self.parts: list[ProbedPart] = []
        self.runs: list[int] = []
        self.changes: list[Span] = []
        self.changed: Changed | None = None
        self.ending: EndingListener | None = None

    def add(self, *parts: ProbedPart) -> int:
        """Probes in a row; the number of the first one."""
        self.parts += parts
        self.runs += [0] * len(parts)
        return len(self.parts) - len(parts)

    def add_change(self, span: Span) -> int:
        """A statement that changes something; its number."""
        self.changes.append(span)
        return len(self.changes) - 1

    def names(self) -> dict[str, Callable[..., object]]:
        """What the emitted code calls."""
        return {"seen": self.seen, "way": self.way, "wrote": self.wrote, "ended": self.ended}

    def seen(self, probe: int) -> None:
        self.runs[probe] += 1

    def way(self, truth: object, probe: int) -> object:
        self.runs[probe if truth else probe + 1] += 1
        return truth

    def wrote(self, s: list[int], change: int) -> None:
        if self.changed is not None:
            self.changed(s, self.changes[change])

    def ended(self, s: list[int], number: int) -> bool:
        if self.ending is not None:
            self.ending(s, number)
        return True


def excerpt(span: Span, most: int = 70) -> str:
    """The words of the rules at a place, the first line of them."""
    line = span.source.line(span.line)
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    text = line[span.column - 1 : end].strip()
    return text if len(text) <= most else text[: most - 3] + "..."


def is_written(s: ir.If) -> bool:
    """Whether the rules have this branch; the others come from the translation, which puts all of one at one place."""
    return not s.then or s.then[0].span != s.span
