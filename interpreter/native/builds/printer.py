"""Native code as text, with what it was made from beside it (an annotated listing): LLVM's language, or the machine's.

The text is the one that is compiled, line by line. What its numbers stand for is said in comments: which declaration a
function is, which field a line reads or writes, and what is wrong where a game fails. `chocolatl dump --stage native`
shows the code that `simulate` runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.waits import Waiting
from chocolatl.interpreter.native.builds.module import Module, stepwise, whole_games
from chocolatl.interpreter.native.emit.context import FIRST_FIELD
from chocolatl.interpreter.native.llvm.compile import FAST, assembly, processor
from chocolatl.interpreter.source import Span

DEFINED = re.compile(r"define .*?@(\w+)\(")
CALLED = re.compile(r"call \w+ @(\w+)\(")
FAILING = re.compile(r"call void @(?:fail|invariant_\d+)\(ptr %s, i64 (\d+)")
TAGGED = re.compile(r"!tbaa !(\d+)")
PARAMETER = re.compile(r"%v(\d+)")
LABEL = re.compile(r"_?([a-z]\w*):")
NUMBERED = re.compile(r"([a-z]+)_(\d+)")


@dataclass(frozen=True)
class Declared:
    """What the rules call something, where they declare it, and what it is given."""

    name: str
    span: Span
    parameters: tuple[ir.Local, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}, {_place(self.span)}"

    def given(self, header: str) -> str:
        """Which parameters of a function are those of the declaration."""
        found = {int(number) for number in PARAMETER.findall(header)}
        return "".join(f"; {p.name} is %v{p.number}" for p in self.parameters if p.number in found)


class NativeListing:
    """The code that plays games by the million, and counts what happens in them: from their beginning, or from any
    decision."""

    def __init__(self, program: LoweredGame, resumed: bool) -> None:
        self.program = program
        game, features = program.game, processor()[1]
        self.module: Module = (
            stepwise(program, features, inspected=True) if resumed else whole_games(game, features, inspected=True)
        )
        self.build = "goes on from any decision" if resumed else "plays whole games"
        names = [f"{owner}.{name}" if owner is not None else name for owner, name in self.module.memory.fields]
        self.fields = {FIRST_FIELD + 2 * number: name for number, name in enumerate([*names, "counts"])}

    def lines(self) -> Iterator[str]:
        """The text that is compiled, with comments."""
        yield f"; {self.title}"
        for line in self.module.text.splitlines():
            function = DEFINED.match(line)
            declared = self.declared(function[1]) if function is not None else None
            if declared is not None:
                yield f"; {declared}{declared.given(line)}"
            comments = list(self.comments(line)) if line.startswith("  ") else []
            yield f"{line}{'' if ' ; ' in line else '  '}; {'; '.join(comments)}" if comments else line

    def machine_lines(self) -> Iterator[str]:
        """What the compiler makes of it for this processor."""
        yield f"/* {self.title}, for {processor()[0]} */"
        for line in assembly(self.module.text, FAST).splitlines():
            label = LABEL.match(line)
            declared = self.declared(label[1]) if label is not None else None
            if declared is not None:
                yield f"/* {declared} */"
            yield line

    @property
    def title(self) -> str:
        game = self.program.game
        return f"{game.name} for {game.player_count} players: the code that {self.build}"

    def comments(self, line: str) -> Iterator[str]:
        """What the numbers of a line stand for."""
        failing, called, tagged = FAILING.search(line), CALLED.search(line), TAGGED.search(line)
        declared = self.declared(called[1]) if called is not None else None
        if declared is not None:
            yield declared.name
        if failing is not None:
            span, message = self.module.sites.known[int(failing[1])]
            yield f"{_place(span)}: {' '.join(message.split())}"
        if tagged is not None and int(tagged[1]) in self.fields:
            yield self.fields[int(tagged[1])]

    def declared(self, function: str) -> Declared | None:
        """The declaration that a function belongs to, if it belongs to one."""
        game = self.program.game
        numbered = NUMBERED.match(function)
        if numbered is None:
            return None
        kind, number = numbered[1], int(numbered[2])
        match kind:
            case "procedure" | "steps":
                return _procedure(list(game.procedures.values())[number])
            case "together":
                return _procedure(game.procedures[self.module.common[function]])
            case "value":
                value = list(game.values.values())[number]
                return Declared(f"value {value.name}", value.span, value.parameters)
            case "ranking" | "first" | "last" | "place" | "rank" | "unlike":
                ranking = list(game.rankings.values())[number]
                return Declared(f"ranking {ranking.name}", ranking.span, ranking.parameters)
            case "latch" | "ended":
                latch = game.latches[number]
                return Declared(f"latch {latch.field.name}", latch.field.span)
            case "invariant":
                invariant = game.invariants[number]
                return Declared(f"always {invariant.name}", invariant.span)
            case "who" | "store" | "draw" | "labels" | "legal":
                return _asked(self.program.stops[number].node)
        return None


def _procedure(procedure: ir.Procedure) -> Declared:
    return Declared(f"procedure {procedure.name}", procedure.span, procedure.parameters)


def _asked(node: Waiting) -> Declared | None:
    match node:
        case ir.Roll() | ir.Draw():
            return Declared(f"chance {node.local.name}", node.span)
        case ir.Choose() | ir.ChooseSet():
            return Declared(f"choice {node.name}", node.span)
        case ir.Secretly():
            return None  # it has no functions of its own
        case _:
            assert_never(node)


def _place(span: Span) -> str:
    return f"{Path(span.source.name).name}:{span.line}"
