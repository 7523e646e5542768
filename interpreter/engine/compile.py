"""IR to a running program (code generation): emitted Python is assembled, compiled and wired to the runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property, lru_cache
from typing import Any

from chocolatl.interpreter.engine.belief import die
from chocolatl.interpreter.engine.control import StepEmitter
from chocolatl.interpreter.engine.expressions import PythonExpressionEmitter, depends_on
from chocolatl.interpreter.engine.fuse import fused
from chocolatl.interpreter.engine.knowledge import Knowledge, RolledNote
from chocolatl.interpreter.engine.runtime import Runtime
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import callees
from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.layout import PC, SEALED, Slots
from chocolatl.interpreter.lowered.lowered_game import Log, LoweredGame
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.lowered.zones import MEMORY
from chocolatl.interpreter.translate.windows import declared

StepFunction = Callable[[Slots, Log | None], int]


def _seats(start: int, count: int) -> list[int]:
    return [(start + seat) % count for seat in range(count)]


def _if_any(value: Callable[[], int]) -> int | None:
    """A value in a text, unless the rules fail to tell it."""
    try:
        return value()
    except RuleError:
        return None


class ExecutableGame(LoweredGame):
    """A game as Python code. `steps[pc]` is a function, or None where the game waits at `stops[pc]`.

    A literal one does the same in the same places, more slowly: each step and each value of the rules by itself."""

    def __init__(self, game: ir.GameRules, literal: bool = False) -> None:
        super().__init__(game)
        self.excused: frozenset[str] = frozenset()
        self.reduced: dict[frozenset[str], ExecutableGame] = {}
        emitter = StepEmitter(self, literal)
        self.source = _assemble(emitter, game, literal)
        self.knowledge = Knowledge(self.layout)
        self.code = compile(self.source, f"<rules of {game.name}>", "exec")
        self.names: dict[str, Any] = {
            **Runtime(self.sites).names(),
            "Journal": Journal,
            "Rolled": RolledNote,
            "die": die,
            "seats": _seats,
            "if_any": _if_any,
            **{name: values for values, name in emitter.tables.items()},
            "remembered": lru_cache(MEMORY) if not literal else lambda function: function,
            **(emitter.watch.names() if emitter.watch is not None else {}),
        }
        self.watch = emitter.watch
        self.waits = [lines is None for lines in emitter.steps]
        self._wire()
        self.plain = emitter.procedures

    def _wire(self) -> None:
        """Make the functions of the emitted code."""
        self.functions = dict(self.names)
        exec(self.code, self.functions)
        self.steps: list[StepFunction | None] = [
            None if waits else self.functions[f"step_{pc}"] for pc, waits in enumerate(self.waits)
        ]
        self.store = self._by_stop("store")
        self.player = self._by_stop("player")
        self.legal = self._by_stop("legal")
        self.index = self._by_stop("index")
        self.prompt = self._by_stop("prompt")
        self.outcomes = self._by_stop("outcomes")
        self.count = self._by_stop("count")
        self.touched = self._by_stop("touched")

    def broken(self, s: Slots) -> frozenset[str]:
        """The invariants that do not hold in a state. One that cannot be worked out is none: it stops the game."""
        found = []
        for number, invariant in enumerate(self.game.invariants):
            with suppress(RuleError):
                if not self.functions[f"holds_{number}"](s):
                    found.append(invariant.name)
        return frozenset(found)

    def without(self, invariants: frozenset[str]) -> ExecutableGame:
        """The same program, some invariants not looked at."""
        if invariants <= self.excused:
            return self
        if invariants not in self.reduced:
            self.reduced[invariants] = reduced = copy(self)
            reduced.excused, reduced.reduced = self.excused | invariants, {}
            reduced.__dict__.pop("literal", None)
            reduced._wire()
            for number, invariant in enumerate(self.game.invariants):
                if invariant.name in reduced.excused:
                    reduced.functions[f"holds_{number}"] = lambda s: True
        return self.reduced[invariants]

    @cached_property
    def literal(self) -> ExecutableGame:
        """The same program, for those who watch the rules at work."""
        return self if self.watch is not None else ExecutableGame(self.game, literal=True).without(self.excused)

    def _by_stop(self, name: str) -> dict[int, Callable[..., Any]]:
        """The emitted functions of one kind, by the place where the game waits."""
        return {pc: self.functions[f"{name}_{pc}"] for pc in self.stops if f"{name}_{pc}" in self.functions}

    def formula(self, local: ir.Local, expression: ir.Expression) -> Callable[[Slots, int], int]:
        """A formula that is no part of the rules, as a function of a position's slots and of its one local."""
        made = self.formulas((local,), (expression,))
        return lambda s, x: made(s, x)[0]

    def formulas(
        self, locals_: Sequence[ir.Local], expressions: Sequence[ir.Expression]
    ) -> Callable[..., tuple[int, ...]]:
        """Formulas that are no part of the rules, as one function of a position's slots and of their locals."""
        emitter = PythonExpressionEmitter(self.layout, self.sites)
        emitter.where |= {local.number: f"x{local.number}" for local in locals_}
        given = "".join(f", x{local.number}" for local in locals_)
        parts = "".join(f"{emitter.integer(each)}, " for each in expressions)
        body = f"def formulas(s{given}): return ({parts})\n"
        contents = [f"@remembered\ndef {name}(z): return {text}\n" for text, name in emitter.remembered.items()]
        names = {**self.functions, **{name: values for values, name in emitter.tables.items()}}
        exec(compile(body + "".join(contents), f"<formulas for {self.game.name}>", "exec"), names)
        made: Callable[..., tuple[int, ...]] = names["formulas"]
        return made

    def run(self, s: Slots, log: Log | None) -> None:
        """Go on until the game waits or ends; the slots are changed in place."""
        steps = self.steps
        pc = s[PC]
        step = steps[pc]
        while step is not None:
            pc = step(s, log)
            step = steps[pc]
        s[PC] = pc


def _assemble(emitter: StepEmitter, game: ir.GameRules, literal: bool) -> str:
    """The text of all functions. Procedures come after those they call, whose slots they fill."""
    for procedure in _callees_first(game):
        if procedure.name in emitter.waiting:
            emitter.emit_procedure(procedure)
    parts: list[str] = []
    for pc, lines in enumerate(emitter.steps if literal else fused(emitter.steps)):
        if lines is not None:
            parts += [f"def step_{pc}(s, log):", *lines]
    for name in sorted(emitter.waiting):  # a set, whose order is another one in each process
        parts += emitter.leaving(name)
    for name, procedure in game.procedures.items():
        if name not in emitter.waiting:
            emitter.lines = emitter.seen("procedure", declared(name), procedure.span)
            for parameter in procedure.parameters:
                emitter.where[parameter.number] = f"v{parameter.number}"
            emitter.block(procedure.body, 1)
            arguments = "".join(f", v{p.number}" for p in procedure.parameters)
            parts += [f"def procedure_{emitter.procedures[name]}(s, log{arguments}):", *emitter.lines]
    for name, value in game.values.items():
        for parameter in value.parameters:
            emitter.where[parameter.number] = f"v{parameter.number}"
        arguments = "".join(f", v{p.number}" for p in value.parameters)
        counted = emitter.seen("value", name, value.span)
        parts += [
            f"def value_{emitter.values[name]}(s{arguments}):",
            *counted,
            f"    return {emitter.emit(value.body)}",
        ]
    for name, ranking in game.rankings.items():
        parts += _ranking(emitter, name, ranking)
    for position, latch in enumerate(game.latches):
        slot = emitter.layout.places[latch.field.key].base
        met = emitter.ending(emitter.emit(latch.condition), latch)
        parts += [
            f"def latch_{position}(s):",
            f"    if not s[{slot}] and not s[{SEALED}] and {met}: s[{slot}] = 1",
        ]
    for position, invariant in enumerate(game.invariants):
        parts += [
            f"def holds_{position}(s):",
            f"    return {emitter.emit(invariant.condition)}",
            f"def invariant_{position}(s, site):",
            f"    if not s[{SEALED}] and not holds_{position}(s): fail(site)",
        ]
    for text, name in emitter.remembered.items():
        parts += ["@remembered", f"def {name}(z):", f"    return {text}"]
    return "\n".join(parts + emitter.functions) + "\n"


def _ranking(emitter: StepEmitter, name: str, ranking: ir.Ranking) -> list[str]:
    for parameter in ranking.parameters:
        emitter.where[parameter.number] = f"v{parameter.number}"
    variable = f"v{ranking.local.number}"
    domain = ranking.domain
    zone = domain.zone if isinstance(domain, ir.ZoneElements) and not ir.set_type(domain.zone).short else None
    alone = zone is not None and depends_on(ranking.local, ranking.where, *(k.expression for k in ranking.keys))
    elements = emitter.elements(domain) if zone is None else emitter.listed(zone, "z" if alone else emitter.zone(zone))
    emitter.where[ranking.local.number] = variable
    keys = "".join(f"{'-' if k.descending else ''}({emitter.emit(k.expression)}), " for k in ranking.keys)
    condition = f" if {emitter.emit(ranking.where)}" if ranking.where is not None else ""
    site = emitter.site(ranking.span, "two are equal in every key, and the ranking is strict")
    arguments = "".join(f", v{p.number}" for p in ranking.parameters)
    order = f"order([(({keys}), {variable}) for {variable} in {elements}{condition}], {ranking.strict}, {site})"
    if alone and zone is not None:
        order = emitter.remember(order, zone)
    counted = emitter.seen("winner" if name == emitter.layout.game.winner else "ranking", name, ranking.span)
    return [f"def ranking_{emitter.rankings[name]}(s{arguments}):", *counted, f"    return {order}"]


def _callees_first(game: ir.GameRules) -> list[ir.Procedure]:
    done: dict[str, ir.Procedure] = {}

    def visit(procedure: ir.Procedure) -> None:
        for call in callees(procedure):
            if call.procedure not in done:
                visit(game.procedures[call.procedure])
        done[procedure.name] = procedure

    for procedure in game.procedures.values():
        if procedure.name not in done:
            visit(procedure)
    return list(done.values())
