"""Control flow of procedures that can wait: branches, loops and contests as steps (a state machine)."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.engine.statements import sharing_test
from chocolatl.interpreter.engine.steps import PythonStepEmitter
from chocolatl.interpreter.engine.watch import BRANCH, STATEMENT
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.walk import stops
from chocolatl.interpreter.lowered.layout import locals_of
from chocolatl.interpreter.lowered.lifetimes import declared_in, is_nested
from chocolatl.interpreter.lowered.waits import LoopSite
from chocolatl.interpreter.program.types import OrderType, Scalar


class StepEmitter(PythonStepEmitter):
    def stepped_block(self, block: ir.Block) -> None:
        for number, statement in enumerate(block, start=1):
            if self.is_waiting(statement) or stops((statement,)):
                self.stepped(statement)
                if not is_nested(statement):
                    self.outer = self.outer | {local.number for local in locals_of((statement,))}
            else:
                self.statement(statement, 1)
                self.outer = self.outer | {local.number for local in locals_of((statement,))}
            self.checkpoint(1, block[number : number + 1])

    def stepped(self, s: ir.Statement) -> None:
        """One statement that waits. What it declares is cleared when it ends, so that nothing stale is left."""
        assert self.frame is not None
        first, outer = self.frame.end, self.outer
        self.reached(STATEMENT, s.span, 1)
        self.here = s.span
        self.dispatch(s)
        if isinstance(s, (ir.ForEach, ir.InTurn)) and (told := self.ended(s)):
            self.line(1, told)
        self.outer = outer
        if is_nested(s):
            for begin, end in declared_in(s, self.layout, self.frame, outer, first, self.frame.end):
                zeros = "0" if end == begin + 1 else str([0] * (end - begin))
                self.line(1, f"s[{begin}{'' if end == begin + 1 else f':{end}'}] = {zeros}")

    def dispatch(self, s: ir.Statement) -> None:
        match s:
            case ir.Choose():
                self.choose(s)
            case ir.ChooseSet():
                self.choose_set(s)
            case ir.Roll():
                self.roll(s)
            case ir.Draw():
                self.draw(s)
            case ir.Secretly():
                self.secretly(s)
            case ir.Call():
                self.call(s)
            case ir.If():
                self.stepped_if(s)
            case ir.ForEach():
                self.stepped_for(s)
            case ir.InTurn():
                self.stepped_turns(s)
            case ir.Repeat():
                self.stepped_repeat(s)
            case ir.Contest():
                self.stepped_contest(s)
            case ir.Stop():
                condition = self.way(self.emit(s.condition), s.condition.span)
                self.line(1, f"if {self.ending(condition, s)}: return {self.loops[-1]}")
            case ir.SetLocal() | ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award():
                raise AssertionError(f"{type(s).__name__} never waits")
            case ir.MoveElement() | ir.MoveAll():
                raise AssertionError(f"{type(s).__name__} never waits")
            case _:
                assert_never(s)

    def stepped_if(self, s: ir.If) -> None:
        then, otherwise, after = self.new_step(), self.new_step(), self.new_step()
        self.line(1, f"return {then} if {self.condition(s)} else {otherwise}")
        for pc, block in ((then, s.then), (otherwise, s.otherwise)):
            self.begin(pc)
            self.stepped_block(block)
            self.goto(after)
        self.begin(after)

    def loop(self, body: ir.Block, again: int, after: int) -> None:
        """The body of a loop; `stop when` goes to `after`."""
        self.loops.append(after)
        self.stepped_block(body)
        self.loops.pop()
        self.goto(again)

    def stepped_for(self, s: ir.ForEach) -> None:
        head, again, after = self.new_step(), self.new_step(), self.new_step()
        assert isinstance(s.local.type, Scalar)
        first, highest = s.local.type.low, s.local.type.high
        target = self.where[s.local.number]
        counted = isinstance(s.domain, ir.Numbers) or (isinstance(s.domain, ir.Whole) and s.domain.start is None)
        if counted and not s.backwards:
            counter, last = self.slots(1, first, highest + 1), self.slots(1, first - 1, highest)
            assert isinstance(s.domain, (ir.Numbers, ir.Whole))
            low = self.emit(s.domain.low) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.low)
            high = self.emit(s.domain.high) if isinstance(s.domain, ir.Numbers) else str(s.domain.type.high)
            self.function(f"loop_{head}(s)", f"s[{counter}] = {low}", f"s[{last}] = {high}")
            self.loop_sites[self.procedure, s.path] = LoopSite(s, head, counter)
            self.line(1, f"loop_{head}(s)")
            self.goto(head)
            self.begin(head)
            self.line(1, f"if s[{counter}] > s[{last}]: return {after}")
            self.line(1, f"{target} = s[{counter}]")
        else:
            most = most_elements(s.domain, self.layout.game)
            counter, length = self.slots(1, 0, most), self.slots(1, 0, most)
            self.slots(most, first, highest)
            elements = self.elements(s.domain)
            self.function(
                f"loop_{head}(s)",
                f"e = {f'list(reversed({elements}))' if s.backwards else elements}",
                f"s[{counter}] = 0",
                f"s[{length}] = len(e)",
                f"s[{length + 1}:{length + 1} + len(e)] = e",
            )
            self.loop_sites[self.procedure, s.path] = LoopSite(s, head, counter, length)
            self.line(1, f"loop_{head}(s)")
            self.goto(head)
            self.begin(head)
            self.line(1, f"if s[{counter}] >= s[{length}]: return {after}")
            self.line(1, f"{target} = s[{length + 1} + s[{counter}]]")
        if s.counter is not None:
            self.line(1, f"s[{self.layout.places[s.counter.key].base}] = {target}")
            self.changed(1, s.counter)
            self.checkpoint(1)
        if s.where is not None:
            self.line(1, f"if not {self.emit(s.where)}:")
            self.line(2, f"s[{counter}] += 1")
            self.line(2, f"return {head}")
        self.loop(s.body, again, after)
        self.begin(again)
        self.line(1, f"s[{counter}] += 1")
        self.goto(head)
        self.begin(after)

    def stepped_turns(self, s: ir.InTurn) -> None:
        players = self.layout.game.player_count
        head, after = self.new_step(), self.new_step()
        seat, turns = self.slots(1, 0, players - 1), self.slots(1, 0, s.limit)
        target = self.where[s.local.number]
        site = self.site(s.span, f"after {s.limit} turns it is still somebody's turn")
        start = self.checked(s.start, self.layout.game.domains["player"].type, "the first player")
        self.loop_sites[self.procedure, s.path] = LoopSite(s, head, seat)
        self.line(1, f"s[{seat}] = {start}")
        self.line(1, f"s[{turns}] = 0")
        self.goto(head)
        self.begin(head)
        self.line(1, f"for d in range({players}):")
        self.line(2, f"{target} = (s[{seat}] + d) % {players}")
        self.line(2, f"if {self.emit(s.where) if s.where is not None else 'True'}: break")
        self.line(1, f"else: return {after}")
        self.line(1, f"s[{turns}] += 1")
        self.line(1, f"if s[{turns}] > {s.limit}: fail({site})")
        self.line(1, f"s[{seat}] = ({target} + 1) % {players}")
        self.loop(s.body, head, after)
        self.begin(after)

    def stepped_repeat(self, s: ir.Repeat) -> None:
        head, after = self.new_step(), self.new_step()
        count = self.slots(1, 0, s.limit)
        self.loop_sites[self.procedure, s.path] = LoopSite(s, head, count)
        site = self.site(s.span, f"this was repeated {s.limit} times, and its end was not reached")
        self.line(1, f"s[{count}] = 0")
        self.goto(head)
        self.begin(head)
        self.line(1, f"if {self.ending(self.emit(s.until), s)}: return {after}")
        self.line(1, f"s[{count}] += 1")
        self.line(1, f"if s[{count}] > {s.limit}: fail({site})")
        self.loop(s.body, head, after)
        self.begin(after)

    def stepped_contest(self, s: ir.Contest) -> None:
        assert isinstance(s.order.type, OrderType)
        size, highest = s.order.type.most, s.order.type.element.size - 1
        slot = self.where[s.order.number]
        self.line(1, f"o = {self.order(s.ranking)}")
        self.note_contest(s, "o", 1)
        self.line(1, f"keep(s, {slot}, o, {size})")
        for clause in s.clauses:
            head, after = self.new_step(), self.new_step()
            counter, length = self.slots(1, 0, size), self.slots(1, 0, size)
            self.slots(size, 0, highest)
            self.line(1, f"e = at_place(held(s, {slot}, {size}), {clause.place})")
            asked = sharing_test(clause.sharing)
            if asked is not None:
                self.line(1, f"if len(e) {asked[1]}: e = ()")
            if clause.sharers is not None:
                self.line(1, f"{self.where[clause.sharers.number]} = len(e)")
            self.line(1, f"s[{counter}] = 0")
            self.line(1, f"s[{length}] = len(e)")
            self.line(1, f"s[{length + 1}:{length + 1} + len(e)] = e")
            self.goto(head)
            self.begin(head)
            self.line(1, f"if s[{counter}] >= s[{length}]: return {after}")
            self.line(1, f"{self.where[clause.local.number]} = s[{length + 1} + s[{counter}]]")
            self.line(1, f"s[{counter}] += 1")
            self.reached(BRANCH, clause.span, 1)
            self.stepped_block(clause.body)
            self.goto(head)
            self.begin(after)
        self.note_settled(1)
