"""A symbolic run from the middle of a game (resuming a continuation): from the decision at hand to the horizon.

The position says in which procedures the game is, and the engine's slots hold their locals and their places in loops.
From the statement that waits, the run goes on outwards: the rest of its block, the rest of the loop around it, the rest
of the procedure that called it. The horizon is where the game waits after the pass through the loop of rounds, or the
end of the game where the game ends with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import callees
from chocolatl.interpreter.ir.walk import blocks
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_START, PC, Slots
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.position import Position
from chocolatl.interpreter.lowered.waits import Waiting
from chocolatl.interpreter.program.types import OrderType as OrderType
from chocolatl.interpreter.program.types import Scalar
from chocolatl.solver.model.linear import SymbolicNumber, SymbolicValue, Truth, negated
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.domains import Element
from chocolatl.solver.symbolic.effects import Keys, as_loop
from chocolatl.solver.symbolic.memo import OncePerProgram
from chocolatl.solver.symbolic.next_round import NOWHERE, Beginnings, Reached, RunToNextQuestion
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.run import AnswerSource
from chocolatl.solver.symbolic.state import HeldValue, SlotKey, contents
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported

Made = TypeVar("Made")


@dataclass(frozen=True)
class WaitingFrame:
    """A procedure that is at work, and the statement at which it waits: a call of the next one, or a decision."""

    procedure: str
    node: Waiting | ir.Call


def stack(program: LoweredGame, slots: Slots) -> list[WaitingFrame]:
    """The procedures at work, outermost first."""
    stop = program.stops[slots[PC]]
    result = [WaitingFrame(stop.procedure, stop.node)]
    while True:
        back = slots[program.layout.frames[result[-1].procedure].back]
        if back in (END_OF_GAME, END_OF_START):
            return result[::-1]
        result.append(Paths.of(program).caller(back))


def lazily_or_not(program: LoweredGame, make: Callable[[bool], Made]) -> Made:
    """A model of runs that put statements off. These may wait for each other in a chain longer than Python's own
    stack is deep; then it is made again of runs that put nothing off."""
    for lazy in (True, False):
        try:
            return make(lazy)
        except RecursionError:
            continue
    raise Unsupported(program.layout.game.procedures["play"].span, ModelGap.TOO_DEEP)


class ResumedRun(RunToNextQuestion):
    """A run from a position. `player` is the one whose answers are sought; those of the others are in the position or
    come from `answers`."""

    def __init__(
        self,
        program: LoweredGame,
        model: Model,
        position: Position,
        player: int,
        answers: AnswerSource,
        lazy: bool = True,
    ) -> None:
        super().__init__(program, model, position.slots, answers)
        self.lazy = self.lazy and lazy
        self.position = position
        self.player = player
        self.source: Slots = position.slots
        self.goes_on: Truth = True
        """Whether there is anything to do after the round: not when the game goes on with the next one."""
        self.begun = 0
        """The round in which the game waits when it goes on."""
        self.following: tuple[Callable[[], object], Keys] | None = None
        """The beginning of the next round, and what it may change."""

    def to_horizon(self) -> None:
        places = stack(self.program, self.position.slots)
        try:
            self.procedure(places)
        except Reached:
            self.goes_on = False
        if self.following is not None:
            self.put_off(*self.following)

    def procedure(self, places: Sequence[WaitingFrame]) -> Truth:
        """The rest of a procedure, and before it the rest of what it has called."""
        self.load_locals(places[0].procedure)
        self.resumed_block(self.game.procedures[places[0].procedure].body, places)
        return False

    def load_locals(self, procedure: str) -> None:
        frame = self.layout.frames[procedure]
        for local in frame.named:
            slot = frame.locals[local.number]
            if isinstance(local.type, Scalar):
                self.bind(local, self.source[slot])
            elif isinstance(local.type, OrderType):
                self.orders[local.number] = self.held(slot, local.type.most)

    def held(self, slot: int, size: int) -> SymbolicOrder:
        """An order that a contest keeps."""
        length = self.source[slot]
        who = self.source[slot + 1 : slot + 1 + length]
        taken = self.source[slot + 1 + size : slot + 1 + size + length]
        places = dict(zip(who, taken, strict=True))
        before: dict[tuple[int, int], Truth] = {(a, b): places[a] < places[b] for a in places for b in places if a != b}
        copies: dict[int, SymbolicNumber] = (
            {element: who.count(element) for element in places} if len(places) < length else {}
        )
        return SymbolicOrder(tuple(places), dict.fromkeys(places, True), before, len(set(taken)) == length, copies)

    # ------------------------------------------------------------ outwards

    def resumed_block(self, block: ir.Block, places: Sequence[WaitingFrame]) -> Truth:
        """The rest of a block, from the statement that waits or holds the one that does."""
        position = next(i for i, s in enumerate(block) if _holds(s, places[0].node))
        left = self.resumed(block[position], places)
        rest = block[position + 1 :]
        if self.goes_on is not True:
            return self.when(self.model.every((self.goes_on, negated(left))), lambda: self.block(rest))
        return self.block(rest) if left is False else self.unless(left, lambda: self.block(rest))

    def waiting(self, node: Waiting | ir.Call, places: Sequence[WaitingFrame]) -> Truth:
        """The statement that waits, or the call of the procedure that holds it."""
        match node:
            case ir.Call():
                return self.along(node.path, lambda: self.procedure(places[1:]))
            case ir.Secretly():
                self.secret_block(node)
                return False
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                return self.sought(node)
            case _:
                assert_never(node)

    def resumed(self, s: ir.Statement, places: Sequence[WaitingFrame]) -> Truth:
        if s is places[0].node:
            return self.waiting(places[0].node, places)
        match s:
            case ir.If():
                return self.resumed_block(
                    next(b for b in blocks(s) if any(_holds(x, places[0].node) for x in b)), places
                )
            case ir.ForEach():
                self.rest_of_loop(s, places)
                return False
            case ir.InTurn():
                step = loop_step(self.program, self.source, places[0].procedure, s)
                seat = self.source[self.program.loop_sites[places[0].procedure, s.path].counter]
                left = self.along(step, lambda: self.resumed_block(s.body, places))
                if left is not False:
                    raise Unsupported(s.span, ModelGap.LAST_TURN)
                self.in_turn(s, seat, int(step))
                return False
            case ir.Repeat():
                step = loop_step(self.program, self.source, places[0].procedure, s)
                left = self.along(step, lambda: self.resumed_block(s.body, places))
                self.when(negated(left), lambda: self.repeat(s, int(step)))
                return False
            case ir.Contest():
                return self.rest_of_contest(s, places)
            case ir.Secretly():
                return self.resumed_block(s.body, places)
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.Stop() | ir.Call():
                raise AssertionError("it holds nothing that could wait")
            case ir.MoveElement() | ir.MoveAll() | ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                raise AssertionError("it holds nothing that could wait")
            case _:
                assert_never(s)

    def sought(self, s: ir.Statement) -> Truth:
        """The decision itself, unless it is inside a secret block, where all that follow are sought, too."""
        before, self.answers.seeking = self.answers.seeking, True
        left = self.statement(s)
        self.answers.seeking = before
        return left

    def rest_of_loop(self, s: ir.ForEach, places: Sequence[WaitingFrame]) -> None:
        site = self.program.loop_sites[places[0].procedure, s.path]
        if site.elements >= 0:
            begin = site.elements + 1
            listed = self.source[begin : begin + self.source[site.elements]]
            done = self.source[site.counter] + 1
            values = listed[done:]
            rest = [Element(value, number=listed[:at].count(value) + 1) for at, value in enumerate(values, start=done)]
        else:
            values = list(range(self.source[site.counter] + 1, self.source[site.counter + 1] + 1))
            rest = [Element(value) for value in values]
        step = loop_step(self.program, self.source, places[0].procedure, s)
        left = self.along(step, lambda: self.resumed_block(s.body, places))
        if s.counter is None:
            self.when(negated(left), lambda: self.through(s, rest))
        elif values:
            self.next_round(s, self.layout.places[s.counter.key].base, left, values)

    def for_each(self, s: ir.ForEach) -> Truth:
        """A loop from its beginning, which is not the one of the round that the position is in."""
        if s.counter is not None and self.position.slots[self.layout.places[s.counter.key].base]:
            raise Unsupported(s.span, ModelGap.ROUNDS_AGAIN)
        return super().for_each(s)

    def next_round(self, s: ir.ForEach, counter: int, left: Truth, rounds: Sequence[int]) -> None:
        """What follows a round that the loop is not left in. If the game surely waits soon, it is put off to the end,
        since what follows the loop happens on another way; if not, it is found out here and now."""
        rest, changed = [Element(value) for value in rounds], Beginnings.of(self.program).changed(s)
        stopped = [True]

        def begin() -> Truth:
            stopped[0] = self.to_first_stop(s, rest)
            if stopped[0] and changed is None:
                begun = self.state.read(counter)
                assert isinstance(begun, int), "no round is begun on one of two ways"
                self.begun = begun
            return False

        def go_on() -> None:
            self.when(negated(left), begin)

        self.begun = rounds[0]
        if changed is not None:
            self.following = go_on, changed
        else:
            go_on()
        if stopped[0]:
            self.goes_on = self.model.every((self.goes_on, left))
        else:
            self.after_rounds(self.state.read(counter), left)

    def after_rounds(self, begun: SymbolicValue, left: Truth) -> None:
        """What follows the loop happens in another round if none that was left asked anybody, so that the horizon is
        where the game waits next; if the answer decides which round it is, the game must not wait any more."""
        if left is False and isinstance(begun, int):
            self.begun, self.ahead = begun, len(self.state.written)
        else:
            self.ahead = NOWHERE

    def rest_of_contest(self, s: ir.Contest, places: Sequence[WaitingFrame]) -> Truth:
        number = next(i for i, c in enumerate(s.clauses) if any(_holds(x, places[0].node) for x in c.body))
        clause = s.clauses[number]
        who = [element for element, _ in self.at_place(self.contested(s), clause.place)]
        current = self.state.read(-clause.local.number)
        left = self.resumed_block(clause.body, places)
        for player in who[who.index(current) + 1 :] if isinstance(current, int) else ():
            self.when(negated(left), lambda p=player: self.won(clause, p))  # type: ignore[misc]
        return self.unless(left, lambda: self.clauses(s, s.clauses[number + 1 :]))

    def secret_block(self, s: ir.Secretly) -> None:
        """The secret block that is open: the others have answered, the player goes on from where he is."""
        assert self.position.sealed is not None
        ways: list[dict[SlotKey, HeldValue]] = []
        for player, private in enumerate(self.position.sealed):
            if player != self.player:
                ways.append(self.written_by(player, s, private.slots))
                continue

            def own(slots: Slots = private.slots) -> None:
                self.source = slots
                for key, value in self.written_by(self.player, s, slots).items():
                    self.state.write(key, value)
                self.inside(s, slots)

            ways.append(self.alone(own))
            self.source = self.position.slots
        self.reveal(s, ways)

    def inside(self, s: ir.Secretly, slots: Slots) -> None:
        """The rest of a secret block for the player."""
        whole = stack(self.program, slots)
        outer = len(stack(self.program, self.position.slots)) - 1
        places = whole[outer:]
        self.load_locals(places[0].procedure)
        self.answers.seeking = True
        self.resumed_block(s.body, places)
        self.answers.seeking = False

    def written_by(self, player: int, s: ir.Secretly, slots: Slots) -> dict[SlotKey, HeldValue]:
        """What a player has in the fields that the secret block writes."""
        result: dict[SlotKey, HeldValue] = {}
        for field in s.writes:
            place = self.layout.places[field.key]
            each = place.cells // field.owners
            result.update(contents(place, slots, range(player * each, (player + 1) * each)))
        return result


def loop_step(program: LoweredGame, slots: Slots, procedure: str, s: ir.Loop) -> str:
    """In which pass a loop is: the element and which copy of it, or the number of the pass."""
    site = program.loop_sites[procedure, s.path]
    match s:
        case ir.ForEach() if site.elements >= 0:
            elements = slots[site.elements + 1 : site.elements + 1 + slots[site.elements]]
            value = elements[slots[site.counter]]
            return f"{value}.{elements[: slots[site.counter]].count(value) + 1}"
        case ir.ForEach():
            return f"{slots[site.counter]}.1"
        case ir.InTurn():
            return str(slots[site.counter + 1])
        case ir.Repeat():
            return str(slots[site.counter])
        case _:
            assert_never(s)


class Paths(OncePerProgram):
    """Where the statements of a game stand: found out once for each."""

    def __init__(self, program: LoweredGame) -> None:
        self.procedures = program.game.procedures
        self.returns = program.returns
        self.callers: dict[int, WaitingFrame] = {}
        self.around: dict[tuple[str, str], list[ir.Loop]] = {}

    def caller(self, back: int) -> WaitingFrame:
        """The procedure that is gone back to, and its call."""
        if back not in self.callers:
            procedure, path = self.returns[back]
            call = next(call for call in callees(self.procedures[procedure]) if call.path == path)
            self.callers[back] = WaitingFrame(procedure, call)
        return self.callers[back]

    def loops(self, place: WaitingFrame) -> list[ir.Loop]:
        """The loops around a statement in its procedure, outermost first."""
        key = place.procedure, place.node.path
        if key not in self.around:
            block: ir.Block = self.procedures[place.procedure].body
            found: list[ir.Loop] = []
            while (s := next(x for x in block if _holds(x, place.node))) is not place.node:
                loop = as_loop(s)
                if loop is not None:
                    found.append(loop)
                block = next(b for b in blocks(s) if any(_holds(x, place.node) for x in b))
            self.around[key] = found
        return self.around[key]


def where(program: LoweredGame, slots: Slots) -> str:
    """The place in the rules where a game waits, as a scenario names it."""
    steps: list[str] = []
    paths = Paths.of(program)
    for place in stack(program, slots):
        steps += [loop_step(program, slots, place.procedure, s) for s in paths.loops(place)]
        steps.append(place.node.path)
    return "/".join(steps)


def _holds(s: ir.Statement, node: ir.Statement) -> bool:
    return s is node or any(_holds(inner, node) for block in blocks(s) for inner in block)
