"""The beginning of the next round, up to where somebody is asked (forward data-flow analysis): then comes the horizon.

The interpreter goes on until a player or chance has to speak, so what the rules do at the beginning of a round without
asking anybody belongs to the round before. What of it nobody asks for is not carried out. Which fields it may change is
found by a forward analysis that ends where a game surely waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ComparisonOperator, LogicOperator
from chocolatl.interpreter.ir.walk import blocks
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.waits import Waiting, is_waiting
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.source import Span
from chocolatl.solver.model.linear import BooleanLiteral, Truth
from chocolatl.solver.symbolic.domains import Element
from chocolatl.solver.symbolic.effects import Effects, Keys, leaves
from chocolatl.solver.symbolic.memo import OncePerProgram
from chocolatl.solver.symbolic.run import SymbolicRun
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported

NOWHERE = -1
"""No number of open ways: if the game waits any more, it has no model."""


class Reached(Exception):
    """A run ahead is where the game waits."""


class Beginnings(OncePerProgram):
    """What may change in a pass through the loop of rounds before the game waits."""

    def __init__(self, program: LoweredGame) -> None:
        self.game = program.game
        self.waiting = set(program.stepped)
        self.effects = Effects.of(program)

    def changed(self, s: ir.ForEach) -> Keys | None:
        """The fields that the beginning of a pass may change; None if the pass may end without waiting."""
        changed, waits = self.before(s.body)
        if s.where is not None or s.counter is None or not waits:
            return None
        return tuple(sorted(changed | self.effects.slots(s.counter.key)))

    def before(self, block: ir.Block) -> tuple[set[int], bool]:
        """What a block may change before it waits, and whether it surely waits. Locals are nobody's by then."""
        changed, surely = set[int](), True
        for s in block:
            surely = surely and not leaves(s)
            found, waits = self.by_statement(s)
            changed |= found
            if waits:
                return changed, surely
        return changed, False

    def by_statement(self, s: ir.Statement) -> tuple[set[int], bool]:
        if not is_waiting(s, self.waiting):
            return {key for key in self.effects.by_statement(s) if key >= 0}, False
        inner = ways(self.game.procedures[s.procedure]) if isinstance(s, ir.Call) else blocks(s)
        parts = [self.before(block) for block in inner]
        changed = set[int]().union(*(found for found, _ in parts))
        waits = all(waits for _, waits in parts)
        match s:
            case ir.Secretly():  # until all have answered, nothing of it has happened
                return (set(), True) if waits else (changed | self.effects.by_statement(s), False)
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                return set(), True
            case ir.If() | ir.Call():
                return changed, waits
            case ir.ForEach(where=None) if has_elements(s.domain):
                return changed, waits
            case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Contest():
                return changed, False
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.Stop():
                raise AssertionError("it never waits")
            case ir.MoveElement() | ir.MoveAll():
                raise AssertionError("it never waits")
            case _:
                assert_never(s)


def ways(procedure: ir.Procedure) -> list[ir.Block]:
    """The blocks of which a procedure carries out just one: where it selects by its first parameter, one for each
    case."""
    found: list[ir.Block] = []
    cases: list[int] = []
    for s in procedure.body:
        if not isinstance(s, ir.If) or s.otherwise:
            return [procedure.body]
        found.append(s.then)
        cases += tested(s.condition, procedure.parameters[:1])
    type_ = procedure.parameters[0].type if procedure.parameters else None
    whole = isinstance(type_, Scalar) and sorted(cases) == list(range(type_.low, type_.high + 1))
    return found if whole else [procedure.body]


def tested(e: ir.Expression, parameter: tuple[ir.Local, ...]) -> list[int]:
    """For which values of a parameter a condition surely holds: those that it names, if it is about nothing else."""
    match e:
        case ir.Logic(operator=LogicOperator.OR):
            return tested(e.left, parameter) + tested(e.right, parameter)
        case ir.Comparison(
            operator=ComparisonOperator.EQUAL, left=ir.Read(local=local), right=ir.Constant(value=value)
        ):
            return [value] if (local,) == parameter else []
    return []


def has_elements(domain: ir.Elements) -> bool:
    """Whether a loop surely has a pass."""
    match domain:
        case ir.Whole() | ir.Listing():
            return True
        case ir.Numbers(ir.Constant(value=low), ir.Constant(value=high)):
            return low <= high
        case ir.Numbers() | ir.ZoneElements() | ir.OrderElements():
            return False
        case _:
            assert_never(domain)


class RunToNextQuestion(SymbolicRun):
    """A run that can also go on just to where the game waits next."""

    ahead: int | None = None
    """While it does so: how many ways were open when it began to."""

    def to_first_stop(self, s: ir.ForEach, elements: Sequence[Element]) -> bool:
        """The rest of a loop, up to where the game waits; whether it does at all."""
        return self.stops(0, lambda: self.through(s, elements))

    def stops(self, deeper: int, run: Callable[[], object]) -> bool:
        """Whether the game waits somewhere in what is run, so many ways deeper than here."""
        held = self.ahead, self.trail.copy(), self.again, self.secret
        self.ahead = len(self.state.written) + deeper
        try:
            run()
        except Reached:
            return True
        finally:
            self.ahead, self.trail, self.again, self.secret = held
        return False

    def statement(self, s: ir.Statement) -> Truth:
        if self.ahead is not None and is_waiting(s, Beginnings.of(self.program).waiting):
            return self.carried_out(s)
        return super().statement(s)

    def put_off(self, run: Callable[[], object], changed: Keys) -> None:
        def by_itself() -> None:
            held, self.ahead = self.ahead, None
            try:
                run()
            finally:
                self.ahead = held

        super().put_off(by_itself, changed)

    def carried_out(self, s: ir.Statement) -> Truth:
        if self.ahead is None or self.together or not isinstance(s, Waiting):
            return super().carried_out(s)
        if isinstance(s, ir.Secretly) and not any(self.asks(s, player) for player in range(self.game.player_count)):
            return super().carried_out(s)
        self.reached(s.span)
        return False

    def reached(self, span: Span) -> None:
        if len(self.state.written) != self.ahead:
            raise Unsupported(span, ModelGap.NEXT_QUESTION)
        raise Reached

    def branch(self, s: ir.If) -> Truth:
        """Ahead, the game waits on both ways, or it goes on on both."""
        condition = self.truth(s.condition) if self.ahead is not None else True
        if not isinstance(condition, BooleanLiteral) or not is_waiting(s, Beginnings.of(self.program).waiting):
            return super().branch(s)
        found: list[Truth] = [False, False]
        stopped = [False, False]

        def way(number: int, block: ir.Block) -> None:
            def run() -> None:
                found[number] = self.block(block)

            stopped[number] = self.stops(0, run)

        self.state.branch(condition, lambda: way(0, s.then), lambda: way(1, s.otherwise))
        if all(stopped):
            self.reached(s.span)
        if any(stopped):
            raise Unsupported(s.span, ModelGap.NEXT_QUESTION)
        return self.model.some([self.model.every((condition, found[0])), self.model.every((~condition, found[1]))])

    def asks(self, s: ir.Secretly, player: int) -> bool:
        """Whether a secret block has a question to a player."""
        return self.stops(1, lambda: self.alone(lambda: self.privately(s, player)))
