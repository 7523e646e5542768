"""What of the rules a set of scenarios has run: declarations, choices and chance, each with its place.

The emitted functions call one another by name, so it is enough to put a counter in front of them. A declaration that
several variants share is one, told by its place; one that a variant replaces is the variant's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from interpreter.engine.compile import Program
from interpreter.game import Game
from interpreter.ir import nodes as ir
from interpreter.ir.windows import declared
from interpreter.source import Span


@dataclass(frozen=True)
class Part:
    """Something in the rules that can run."""

    kind: str
    name: str
    span: Span


@dataclass
class Coverage:
    """How often each part of the rules ran."""

    runs: dict[Part, int] = field(default_factory=dict)

    def watch(self, game: Game) -> None:
        """Count what runs in this game from now on."""
        program = game.program = game.program.literal
        for name, procedure in game.ir.procedures.items():
            if name != game.ir.main:
                self._watch_procedure(program, name, Part("procedure", declared(name), procedure.span))
        for number, (name, value) in enumerate(game.ir.values.items()):
            self._watch(program, f"value_{number}", Part("value", name, value.span))
        for number, (name, ranking) in enumerate(game.ir.rankings.items()):
            kind = "ranking" if name != game.ir.winner else "winner"
            self._watch(program, f"ranking_{number}", Part(kind, name, ranking.span))
        for pc, stop in program.stops.items():
            if isinstance(stop.node, (ir.Choose, ir.ChooseSet)):
                part = Part("choice", stop.node.name, stop.node.span)
            elif isinstance(stop.node, (ir.Roll, ir.Draw)):
                part = Part("chance", stop.node.local.name, stop.node.span)
            else:
                continue
            program.store[pc] = self._counted(program.store[pc], part)

    def parts(self) -> list[tuple[Part, int]]:
        """All parts by place, with how often they ran."""
        return sorted(
            self.runs.items(), key=lambda entry: (entry[0].span.source.name, entry[0].span.line, entry[0].name)
        )

    def _watch_procedure(self, program: Program, name: str, part: Part) -> None:
        """A procedure that can wait is entered by its first step, any other by its function."""
        if name in program.stepped:
            entry = program.entries[name]
            step = program.steps[entry]
            assert step is not None
            program.steps[entry] = self._counted(step, part)
        else:
            self._watch(program, f"procedure_{program.plain[name]}", part)

    def _watch(self, program: Program, function: str, part: Part) -> None:
        program.functions[function] = self._counted(program.functions[function], part)

    def _counted(self, function: Callable[..., Any], part: Part) -> Callable[..., Any]:
        self.runs.setdefault(part, 0)

        def counted(*arguments: Any) -> Any:
            self.runs[part] += 1
            return function(*arguments)

        return counted
