"""A symbolic run (symbolic execution): the statements of the IR, carried out over linear expressions.

Where a condition depends on the answer, both ways are run and merged; loops are unrolled; whoever may have won a
contest is taken in turn. A statement tells whether it leaves the loop around it, which may depend on the answer, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing, complete_nodes
from chocolatl.interpreter.lowered.layout import Slots
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.waits import is_waiting
from chocolatl.solver.model.linear import (
    BooleanLiteral,
    OneOf,
    SymbolicNumber,
    SymbolicValue,
    Truth,
    high,
    low,
    negated,
)
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.changes import SymbolicChanges
from chocolatl.solver.symbolic.domains import Element
from chocolatl.solver.symbolic.effects import Keys
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.ranking_loops import RankingLoop
from chocolatl.solver.symbolic.state import Anybody, DeferredStatement, DependsOnWho, HeldValue, SlotKey, number
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class AnswerSource(ABC):
    """Where answers come from: those that are sought, and those that a scenario fixes.

    `seeking` is set while the run is at the decisions whose answers are sought."""

    seeking = False

    @abstractmethod
    def choose(self, run: SymbolicRun, node: ir.Choose, player: int) -> list[SymbolicValue]:
        """One value for each part of a choice."""

    @abstractmethod
    def choose_set(self, run: SymbolicRun, node: ir.ChooseSet, player: int) -> list[SymbolicNumber]:
        """How many of each kind are moved."""

    @abstractmethod
    def roll(self, run: SymbolicRun, node: ir.Roll) -> list[SymbolicValue]:
        """What chance brings: one value, or how many of each."""

    @abstractmethod
    def draw(self, run: SymbolicRun, node: ir.Draw) -> SymbolicValue:
        """Which component chance draws."""


COMPOUND: frozenset[type] = frozenset((ir.Call, ir.Contest, ir.ForEach, ir.If, ir.InTurn, ir.Repeat))
"""Statements that are worth putting off. Others are carried out at once, which is right of any."""

PLAIN: frozenset[type] = frozenset((ir.SetLocal, ir.Store, ir.If, ir.Stop))
"""Statements that a pass for all at once may carry out. With others in it there is a pass for each, which is right of
any."""


class SymbolicRun(SymbolicChanges):
    lazy = True
    """Whether statements are put off until somebody asks."""

    def __init__(self, program: LoweredGame, model: Model, slots: Slots, answers: AnswerSource) -> None:
        super().__init__(program, model, slots)
        self.answers = answers
        self.again = False
        """Whether the run is in a pass of a loop that repeats, after the first one."""
        self.trail: list[str] = []
        """The calls and the passes of loops that led here."""

    def where(self, s: ir.Statement) -> str:
        """The place of a statement in the rules, as a scenario names it."""
        return "/".join([*self.trail, s.path])

    def along(self, step: str, run: Callable[[], Truth]) -> Truth:
        self.trail.append(step)
        left = run()
        self.trail.pop()
        return left

    # ------------------------------------------------------------ blocks

    def block(self, block: Sequence[ir.Statement]) -> Truth:
        """Carry out statements; whether the loop around them is left."""
        for position, statement in enumerate(block):
            left = self.statement(statement)
            if left is not False:
                return self.unless(left, lambda rest=block[position + 1 :]: self.block(rest))  # type: ignore[misc]
        return False

    def unless(self, left: Truth, rest: Callable[[], Truth]) -> Truth:
        """Go on where the loop has not been left; whether it has been left in the end."""
        return self.model.some((left, self.when(negated(left), rest)))

    def when(self, condition: Truth, rest: Callable[[], Truth]) -> Truth:
        """Go on where a condition holds; whether the loop is left there."""
        found: list[Truth] = [False]

        def run() -> None:
            found[0] = rest()

        self.state.branch(condition, run, lambda: None)
        return self.model.every((condition, found[0]))

    def statement(self, s: ir.Statement) -> Truth:
        """Carry out a statement, or put it off until somebody asks for what it may have changed."""
        if self.lazy and s.__class__ in COMPOUND and not (self.state.written or self.secret or self.answers.seeking):
            changed = self.effects.changed(s)
            if changed is not None:
                self.put_off(lambda: self.carried_out(s), changed)
                return False
        return self.carried_out(s)

    def put_off(self, run: Callable[[], object], changed: Keys) -> None:
        values = self.state.values
        before, trail, orders, way = values.copy(), self.trail.copy(), self.orders.copy(), self.model.facts.way

        def carry_out() -> None:
            state, facts = self.state, self.model.facts
            held = state.values, state.written, state.path, self.trail, self.orders, self.again, self.together
            asked_by = self.secret, self.answers.seeking  # who asks may be in a secret block, which this is not
            self.secret = self.answers.seeking = False
            self.switch(before, [], [], trail, orders, False, False)
            here = facts.go(way)
            try:
                run()
            finally:  # ways around it are left one by one, also if the rules have no model
                facts.go(here)
                self.switch(*held)
                self.secret, self.answers.seeking = asked_by

        values.update(dict.fromkeys(changed, DeferredStatement(before, carry_out)))

    def switch(
        self,
        values: dict[SlotKey, HeldValue],
        written: list[dict[SlotKey, HeldValue | None]],
        path: list[Truth],
        trail: list[str],
        orders: dict[int, SymbolicOrder],
        again: bool,
        together: bool,
    ) -> None:
        self.state.values, self.state.written, self.state.path = values, written, path
        self.trail, self.orders, self.again, self.together = trail, orders, again, together

    def carried_out(self, s: ir.Statement) -> Truth:
        if self.together and s.__class__ not in PLAIN:
            raise DependsOnWho
        model, outer = self.model, self.model.place
        model.deadline.look()
        model.place = s.span
        try:
            return STATEMENTS[s.__class__](self, s) or False
        finally:
            model.place = outer

    # ------------------------------------------------------------ control

    def branch(self, s: ir.If) -> Truth:
        condition = self.truth(s.condition)
        if isinstance(condition, BooleanLiteral) and self.is_long(s) and not self.possible(condition, self.again):
            condition = False
        if not isinstance(condition, BooleanLiteral):
            return self.block(s.then if condition else s.otherwise)
        if self.together:
            raise DependsOnWho
        found: list[Truth] = [False, False]

        def way(number_: int, block: ir.Block) -> None:
            found[number_] = self.block(block)

        self.state.branch(condition, lambda: way(0, s.then), lambda: way(1, s.otherwise))
        left = [self.model.every((condition, found[0])), self.model.every((~condition, found[1]))]
        return self.model.some(left)

    def possible(self, condition: BooleanLiteral, again: bool) -> bool:
        """Whether a condition can hold here. It is worth a second look where a loop goes on and on though it never
        does."""
        return self.model.possible(condition, self.state.path, again)

    def is_long(self, s: ir.If) -> bool:
        """Whether much hangs on a condition: in a loop that repeats, more than a question; elsewhere, a contest."""
        if self.again:
            return len(s.then) > 1
        calls = [self.game.procedures[inner.procedure].body for inner in s.then if isinstance(inner, ir.Call)]
        return any(isinstance(inner, ir.Contest) for block in (s.then, *calls) for inner in block)

    def for_each(self, s: ir.ForEach) -> Truth:
        if isinstance(s.domain, ir.OrderElements):
            RankingLoop(self, s, s.domain.order).carry_out()
            return False
        elements = [e for e in self.domain(s.domain) if e.there is not False]
        if s.backwards:
            elements.reverse()
        if isinstance(s.domain, ir.Listing) and is_waiting(s, self.program.stepped):
            elements = self.numbered(elements)
        return self.through(s, elements)

    def numbered(self, elements: list[Element]) -> list[Element]:
        """Of those that are listed more than once, which one each is."""
        model, earlier, result = self.model, dict[int, SymbolicNumber](), []
        for element in elements:
            before = earlier.get(element.value, 0)
            result.append(element._replace(number=model.shifted(before, 1)))
            earlier[element.value] = model.add(before, model.number(element.there))
        return result

    def through(self, s: ir.ForEach, elements: Sequence[Element]) -> Truth:
        """The rest of a loop, which leaves nothing but itself."""
        for position, element in enumerate(elements):
            if element.there is True and element.copies == 1 and isinstance(element.number, int):
                left = self.one_pass(s, element.value, element.number)
            else:
                left = self.when(element.there, lambda e=element: self.copies(s, e))  # type: ignore[misc]
            if left is not False:
                self.when(negated(left), lambda rest=elements[position + 1 :]: self.through(s, rest))  # type: ignore[misc]
                break
        return False

    def copies(self, s: ir.ForEach, element: Element) -> Truth:
        """One element of a loop, as often as there are copies of it."""
        left: Truth = False
        model, numbers = self.model, range(low(element.number), high(element.number) + 1)
        for copy, first in product(range(1, high(element.copies) + 1), numbers):
            here = model.at_least(element.copies, copy), model.equal(element.number, first)
            again = model.every((negated(left), *here))
            nth = copy + first - 1
            left = model.some((left, self.when(again, lambda n=nth: self.one_pass(s, element.value, n))))  # type: ignore[misc]
        return left

    def one_pass(self, s: ir.ForEach, value: int, copy: int = 1) -> Truth:
        return self.along(f"{value}.{copy}", lambda: self.body(s, value, s.body))

    def body(self, s: ir.ForEach, value: int | OneOf | Anybody, block: ir.Block) -> Truth:
        self.bind(s.local, value)
        if s.counter is not None:
            self.state.write(self.layout.places[s.counter.key].base, value)
            self.latch(s.counter)
        if s.where is not None:
            return self.when(self.truth(s.where), lambda: self.block(block))
        return self.block(block)

    def seat(self, s: ir.InTurn) -> int:
        start = self.value(s.start)
        if not isinstance(start, int):
            raise Unsupported(s.start.span, ModelGap.WHO_BEGINS)
        return start

    def in_turn(self, s: ir.InTurn, seat: int, turns: int = 0) -> None:
        players = self.game.player_count
        for turn in range(turns + 1, s.limit + 1):
            for offset in range(players):
                player = (seat + offset) % players
                self.bind(s.local, player)
                there = self.truth(s.where) if s.where is not None else True
                if isinstance(there, BooleanLiteral):
                    raise Unsupported(s.span, ModelGap.WHOSE_TURN)
                if there:
                    break
            else:
                return
            seat = (player + 1) % players
            left = self.along(str(turn), lambda: self.block(s.body))
            if isinstance(left, BooleanLiteral):
                raise Unsupported(s.span, ModelGap.LAST_TURN)
            if left:
                return

    def repeat(self, s: ir.Repeat, passes: int = 0) -> Truth:
        """What is left of a loop after so many passes."""
        over = self.truth(s.until)
        if over is True or passes == s.limit:
            return False
        if isinstance(over, BooleanLiteral) and not self.possible(~over, passes > 1):
            return False

        def once() -> Truth:
            before, self.again = self.again, passes > 0
            left = self.along(str(passes + 1), lambda: self.block(s.body))
            self.again = before
            if left is not True:
                self.when(negated(left), lambda: self.repeat(s, passes + 1))
            return False

        return self.when(negated(over), once)

    def call_procedure(self, s: ir.Call) -> None:
        procedure = self.game.procedures[s.procedure]
        given = [self.stored(a, p.type) for p, a in zip(procedure.parameters, s.arguments, strict=True)]  # type: ignore[arg-type]
        for parameter, value in zip(procedure.parameters, given, strict=True):
            self.bind(parameter, value)
        if s.procedure in self.program.stepped:
            self.along(s.path, lambda: self.block(procedure.body))
        else:
            self.block(procedure.body)

    def secretly(self, s: ir.Secretly) -> None:
        """All players on states of their own; then what they have written happens at once."""
        ways = [self.alone(lambda p=player: self.privately(s, p)) for player in range(self.game.player_count)]  # type: ignore[misc]
        self.reveal(s, ways)

    def privately(self, s: ir.Secretly, player: int) -> None:
        self.bind(s.local, player)
        self.block(s.body)

    def alone(self, run: Callable[[], None]) -> dict[SlotKey, HeldValue]:
        self.secret = True
        written = self.state.way(run)
        self.secret = False
        return written

    def reveal(self, s: ir.Secretly, ways: Sequence[dict[SlotKey, HeldValue]]) -> None:
        for written in ways:
            for key, value in written.items():
                if not isinstance(key, int) or key >= 0:  # locals are gone
                    self.state.write(key, value)
        self.latch(*s.writes)

    # ------------------------------------------------------------ contests

    def contest(self, s: ir.Contest) -> Truth:
        """A contest; where the answer decides what it is about, such as a row, each possible one in turn."""
        cases = self.arguments(s.ranking)
        if len(cases) == 1:
            return self.held_contest(s, cases[0][0])
        found: list[Truth] = []
        ways = []
        for given, here in cases:

            def way(given: tuple[int, ...] = given) -> None:
                found.append(self.held_contest(s, given))

            ways.append((here, self.state.way(way, here)))
        self.state.join(ways, complete=True)
        return self.model.some(self.model.every((here, left)) for (_, here), left in zip(cases, found, strict=True))

    def held_contest(self, s: ir.Contest, given: tuple[int, ...]) -> Truth:
        self.orders[s.order.number] = self.ranked(s.ranking, given)
        return self.clauses(s, s.clauses)

    def contested(self, s: ir.Contest) -> SymbolicOrder:
        """The order of a contest."""
        order = self.orders[s.order.number]
        if order.has_copies:
            raise Unsupported(s.span, ModelGap.TWICE_IN_CONTEST)
        return order

    def clauses(self, s: ir.Contest, clauses: Sequence[ir.Clause]) -> Truth:
        left: Truth = False
        for clause in clauses:
            left = self.model.some((left, self.when(negated(left), lambda c=clause: self.clause(s, c))))  # type: ignore[misc]
        return left

    def clause(self, s: ir.Contest, clause: ir.Clause) -> Truth:
        order = self.contested(s)
        who = self.at_place(order, clause.place)
        shared = any(order.before[a, b] is False and order.before[b, a] is False for a, b in order.before) or not all(
            _opposite(order.before[a, b], order.before[b, a]) for a, b in order.before
        )
        if not shared:
            return self.only_one(clause, who, complete=all(t is True for t in order.there.values()))
        together = self.model.total(self.model.number(t) for _, t in who)
        left: Truth = False
        for player, here in who:
            here = self.meant(clause.sharing, here, self.ranks.alone(order, clause.place, player))
            if clause.sharers is not None:  # who comes here shares the place; elsewhere it is a number, too
                self.bind(clause.sharers, self.model.maximum(together, 2))
            left = self.model.some((left, self.when(here, lambda p=player: self.won(clause, p))))  # type: ignore[misc]
        return left

    def meant(self, sharing: Sharing, here: Truth, alone: Truth) -> Truth:
        """Whether a clause is for somebody who may have its place, and perhaps alone."""
        match sharing:
            case Sharing.ANYBODY:
                return here
            case Sharing.ALONE:
                return alone
            case Sharing.SHARED:
                return self.model.every((here, negated(alone)))
            case _:
                assert_never(sharing)

    def only_one(self, clause: ir.Clause, who: list[tuple[int, Truth]], complete: bool) -> Truth:
        """A place that just one can have: the ways of all who may have it, side by side."""
        if self.meant(clause.sharing, True, True) is False:
            return False
        found: dict[int, Truth] = {}
        ways = []
        for player, here in who:

            def way(p: int = player) -> None:
                found[p] = self.won(clause, p)

            ways.append((here, self.state.way(way, here)))
        self.state.join(ways, complete=complete and len(who) > 0)
        return self.model.some(self.model.every((here, found[p])) for p, here in who)

    def won(self, clause: ir.Clause, player: int) -> Truth:
        self.bind(clause.local, player)
        return self.block(clause.body)

    # ------------------------------------------------------------ decisions and chance

    def for_each_player(self, who: ir.Expression, run: Callable[[int], None]) -> None:
        """Whoever may have to decide, in turn."""
        cases = [(p, t) for p, t in self.cases(self.value(who), who) if 0 <= p < self.game.player_count]
        if len(cases) == 1:
            run(cases[0][0])
            return
        ways = [(here, self.state.way(lambda p=player: run(p), here)) for player, here in cases]  # type: ignore[misc]
        self.state.join(ways, complete=True)

    def choose(self, s: ir.Choose, player: int) -> None:
        for pick, value in zip(s.picks, self.answers.choose(self, s, player), strict=True):
            self.bind(pick.local, value)
            if pick.field is not None:
                self.store(pick.field, value)

    def choose_set(self, s: ir.ChooseSet, player: int) -> None:
        chosen = enumerate(self.answers.choose_set(self, s, player))
        amounts = {kind: amount for kind, amount in chosen if amount != 0}
        self.take(s.source, amounts)
        self.shift(s.target, amounts)
        self.latch(ir.field_of(s.source), ir.field_of(s.target))

    def roll(self, s: ir.Roll) -> None:
        brought = self.answers.roll(self, s)
        match s.target:
            case ir.FieldZone():
                self.set_counts(s.target, [number(self.model, count) for count in brought])
            case ir.LocalZone():
                raise Unsupported(s.span, ModelGap.LOCAL_SET)
            case ir.Load():
                self.store(s.target, brought[0])
            case None if s.count is None:
                self.bind(s.local, brought[0])
            case None:
                raise Unsupported(s.span, ModelGap.LOCAL_SET)
            case _:
                assert_never(s.target)

    def draw(self, s: ir.Draw) -> None:
        drawn = self.answers.draw(self, s)
        self.bind(s.local, drawn)
        self.move_amounts(s.source, s.target, self.amounts(drawn, _read(s), s.source))


STATEMENTS: Mapping[type, Callable[[SymbolicRun, Any], Truth | None]] = complete_nodes(
    ir.Statement,
    {
        ir.SetLocal: SymbolicRun.set_local,
        ir.Store: SymbolicRun.stored_field,
        ir.Award: SymbolicRun.award,
        ir.CopyZone: SymbolicRun.copy_zone,
        ir.ChangeSet: SymbolicRun.change_set,
        ir.MoveElement: SymbolicRun.move,
        ir.MoveAll: SymbolicRun.move_all,
        ir.If: lambda run, s: run.branch(s),  # which a run ahead does in its own way
        ir.ForEach: lambda run, s: run.for_each(s),  # as does one from the middle of a game
        ir.InTurn: lambda run, s: run.in_turn(s, run.seat(s)),
        ir.Repeat: SymbolicRun.repeat,
        ir.Stop: lambda run, s: run.truth(s.condition),
        ir.Call: SymbolicRun.call_procedure,
        ir.Secretly: SymbolicRun.secretly,
        ir.Contest: SymbolicRun.contest,
        ir.Choose: lambda run, s: run.for_each_player(s.player, lambda player: run.choose(s, player)),
        ir.ChooseSet: lambda run, s: run.for_each_player(s.player, lambda player: run.choose_set(s, player)),
        ir.Roll: SymbolicRun.roll,
        ir.Draw: SymbolicRun.draw,
    },
    __name__,
)
"""How each kind of statement is carried out: whether it leaves the loop around it, if it may."""


def _read(s: ir.Draw) -> ir.Read:
    return ir.Read(s.span, ir.set_type(s.source).element, s.local)


def _opposite(a: Truth, b: Truth) -> bool:
    return negated(a) == b if isinstance(a, BooleanLiteral) else not isinstance(b, BooleanLiteral) and a != b
