"""Whole games from their beginning: what can be shorter where nobody waits and, unless it is asked for, nobody watches.

A build that is watched notes every event, in the order of the interpreter. One that is not may let players who answer
secretly take turns in another order, since nobody can tell; if a game fails there, the watched build says how.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.walk import statements, stops
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.idle_loops import idle_turn
from chocolatl.interpreter.native.emit.inspection import counted_bytes
from chocolatl.interpreter.native.emit.keys import length_of
from chocolatl.interpreter.native.emit.questions import NotedStop
from chocolatl.interpreter.native.emit.vector_statements import TogetherEmitter, is_everyone
from chocolatl.interpreter.native.layout.memory import SECRET, Memory
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.statistics.occurrences import Occurrences

TURNS, STATEMENTS = 5, 12
"""A loop of so many turns and statements is written out."""

BRIEF = 2_000
"""A loop of at most so many statements runs to its end even if the game has failed."""


class WholeGameEmitter(TogetherEmitter):
    def __init__(
        self, memory: Memory, sites: Sites, closely: bool = False, noted: bool = False, inspected: bool = False
    ) -> None:
        super().__init__(memory, sites, closely)
        self.noted = noted
        self.guards = closely or inspected
        if inspected and not noted:
            self.occurrences = Occurrences(self.game)
        self.lasting: dict[str, int] = {}

    def _note(
        self, stop: NotedStop, who: str, indices: tuple[ir.Expression, ...], room: int, put: Callable[[str], str]
    ) -> None:
        if self.noted:
            super()._note(stop, who, indices, room, put)

    @property
    def extent(self) -> int:
        return self.memory.size + counted_bytes(self.occurrences)

    def counts(self) -> str:
        """Behind the state."""
        size = self.memory.size
        return self.f.part("%s", size, Region(Access.OCCURRENCES, counted_bytes(self.occurrences), size))

    # ------------------------------------------------------------ loops

    def give_up(self, s: ir.Loop, after: str) -> None:
        if self.duration(s) > BRIEF:
            super().give_up(s, after)

    def duration(self, s: ir.Statement) -> int:
        """How many statements are run at most until one is done."""
        match s:
            case ir.ForEach():
                return most_elements(s.domain, self.game) * self.all_of(s.body)
            case ir.InTurn() | ir.Repeat():
                return s.limit * self.all_of(s.body)
            case ir.Contest():
                return self.game.player_count * sum(self.all_of(clause.body) for clause in s.clauses)
            case ir.Secretly():
                return self.game.player_count * self.all_of(s.body)
            case ir.If():
                return 1 + max(self.all_of(s.then), self.all_of(s.otherwise))
            case ir.Call():
                if s.procedure not in self.lasting:
                    self.lasting[s.procedure] = self.all_of(self.game.procedures[s.procedure].body)
                return self.lasting[s.procedure]
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award():
                return 1
            case ir.MoveElement() | ir.MoveAll() | ir.Stop():
                return 1
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                return 1
            case _:
                assert_never(s)

    def all_of(self, block: ir.Block) -> int:
        return 1 + sum(self.duration(statement) for statement in block)

    def contest(self, s: ir.Contest) -> None:
        """Where exactly one has each place, no clause is a loop."""
        ranking = self.game.rankings[s.ranking.name]
        plain = all(clause.sharing is Sharing.ANYBODY for clause in s.clauses)
        if not ranking.strict or length_of(ranking) is None or not plain:
            super().contest(s)
            return
        f = self.f
        self.strict[s.order.number], self.lengths[s.order.number] = True, length_of(ranking)
        order = self.ranked(s.ranking, self.pointer(s.order))
        for clause in s.clauses:
            first, count = self.at_place(order, clause.place)
            if clause.sharers is not None:
                self.set_local(clause.sharers, count)
            if count == "1":
                self.set_local(clause.local, f.load(f.element(self.elements(order), first)))
                self.block(clause.body)

    def for_each(self, s: ir.ForEach) -> None:
        if is_everyone(s) and self.all_do(s.body, s.local):
            self.together(s.body, s.local)
        elif isinstance(s.domain, ir.OrderElements) and self.is_short(s):
            self.one_by_one(s)
        else:
            super().for_each(s)

    def is_short(self, s: ir.ForEach) -> bool:
        """Whether a loop over an order is written out, turn by turn: it is known beforehand how many there will be."""
        assert isinstance(s.domain, ir.OrderElements)
        if not isinstance(s.domain.order, ir.Ranked) or s.counter is not None:
            return False
        length = length_of(self.game.rankings[s.domain.order.name])
        return length is not None and int(length) <= TURNS and len(statements(s.body)) <= STATEMENTS

    def one_by_one(self, s: ir.ForEach) -> None:
        f, after = self.f, self.f.block()
        assert isinstance(s.domain, ir.OrderElements) and isinstance(s.domain.order, ir.Ranked)
        self.if_idle(s, s.domain.order, after)
        order = self.order(s.domain.order)
        assert order.count is not None
        turns = range(int(order.count))
        elements = [f.load(f.element(self.elements(order), str(position))) for position in turns]
        for element in reversed(elements) if s.backwards else elements:
            following = f.block()
            self.set_local(s.local, element)
            self.one_pass(s, following, after)
        f.begin(after)

    def if_idle(self, s: ir.ForEach, source: ir.Ranked, after: str) -> None:
        """If nobody has anything to do in a loop, it does not matter in which order, as long as there is one."""
        f, ranking = self.f, self.game.rankings[source.name]
        idle = idle_turn(s, self.fold) if s.where is None else None
        ranked = ranking.strict and self.is_ranked_abreast(ranking)
        if idle is None or not ranked or not self.is_abreast(idle.unless, s.local):
            return
        busy, passing = f.block(), f.block()
        f.branch(self.anyone(idle.unless, s.local), busy, passing)
        f.begin(passing)
        self.unordered.add(source.name)
        f.do(f"call void @unlike_{self.rankings[source.name]}({self.arguments(ranking, source.arguments)})")
        for _ in range(self.game.player_count):
            self.body(idle.body, after)
        f.goto(after)
        f.begin(busy)

    # ------------------------------------------------------------ secret blocks

    def secretly(self, s: ir.Secretly) -> None:
        """A loop that is the same for all players is gone through once, by all of them: none waits for the numbers that
        another one draws."""
        if not self.kept(s) and self.all_do(s.body, s.local):
            self.together(s.body, s.local)
            return
        loop = s.body[0] if len(s.body) == 1 else None
        if self.noted or not isinstance(loop, ir.ForEach) or not self.is_common(s, loop):
            super().secretly(s)
            return
        self.set_head(SECRET, "1")
        with (
            self.each(loop.domain, loop.local),
            self.counting("0", str(self.game.player_count - 1)) as player,
        ):
            self.set_local(s.local, player.value)
            self.block(loop.body)
        self.set_head(SECRET, "0")
        self.latches(*s.writes)

    def is_common(self, s: ir.Secretly, loop: ir.ForEach) -> bool:
        """Whether all players go through the same elements, and nothing but their own state is left of each turn."""
        fixed = isinstance(loop.domain, ir.Whole) and loop.domain.start is None
        plain = loop.where is None and loop.counter is None and not loop.backwards
        return fixed and plain and not stops(loop.body) and not self.kept(s) and not self.peeks(s)
