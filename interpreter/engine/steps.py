"""Procedures that can wait, cut into steps (continuations as numbers): the last lowering, where jumps appear.

A step is a Python function that runs until the next one is known and returns its number. Decisions, chance and secret
blocks are steps without a function: there the machine stops, and what it needs to go on is a `SuspensionPoint`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from chocolatl.interpreter.analysis.endings import EndingNode, endings
from chocolatl.interpreter.engine.expressions import element_of
from chocolatl.interpreter.engine.statements import PythonStatementEmitter
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.conditions import own_conditions
from chocolatl.interpreter.lowered.layout import END_OF_START, JOURNAL, Frame, may_hold
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.waits import SuspensionPoint, Waiting, is_waiting
from chocolatl.interpreter.lowered.zones import SHIFT
from chocolatl.interpreter.program.types import Multiset, Scalar
from chocolatl.interpreter.translate.windows import declared


class PythonStepEmitter(PythonStatementEmitter, ABC):
    """Collects steps; what a block does is left to `chocolatl.interpreter.engine.control`."""

    def __init__(self, lowered: LoweredGame, literal: bool = False) -> None:
        super().__init__(lowered.layout, lowered.sites, literal)
        self.waiting, self.texts = lowered.stepped, lowered.texts
        self.steps: list[list[str] | None] = [None] * (END_OF_START + 1)
        self.stops, self.entries, self.returns = lowered.stops, lowered.entries, lowered.returns
        self.loop_sites = lowered.loop_sites
        self.functions: list[str] = []
        self.frame: Frame | None = None
        self.procedure = ""
        self.current = -1
        self.loops: list[int] = []
        self.outer: frozenset[int] = frozenset()
        """Locals that were there before the statement at hand."""
        found = enumerate(endings(lowered.game)) if literal else ()
        self.endings = {id(ending.node): (number, ending) for number, ending in found}

    @abstractmethod
    def stepped_block(self, block: ir.Block) -> None:
        """Emit a block, cut where it waits."""

    def new_step(self) -> int:
        self.steps.append([])
        return len(self.steps) - 1

    def begin(self, pc: int) -> None:
        lines = self.steps[pc]
        assert lines is not None
        self.current, self.lines = pc, lines

    def goto(self, pc: int) -> None:
        self.line(1, f"return {pc}")

    def slots(self, count: int, low: int, high: int) -> int:
        assert self.frame is not None
        return self.layout.add_slots(self.frame, count, (min(low, 0), max(high, 0)))  # 0 while it is not in use

    def emit_procedure(self, procedure: ir.Procedure) -> None:
        """A procedure with all its steps; what it calls has been emitted before."""
        self.frame = self.layout.open_frame(procedure)
        self.procedure, self.loops = procedure.name, []
        self.outer = frozenset(p.number for p in procedure.parameters)
        for local in self.frame.named:
            slot = self.frame.locals[local.number]
            self.where[local.number] = f"s[{slot}]" if isinstance(local.type, Scalar) else str(slot)
        entry = self.new_step()
        self.entries[procedure.name] = entry
        self.begin(entry)
        if procedure.name != self.layout.game.main:
            self.lines += self.seen("procedure", declared(procedure.name), procedure.span)
        self.stepped_block(procedure.body)
        self.line(1, f"return leave_{self.procedures[procedure.name]}(s)")

    def leaving(self, name: str) -> list[str]:
        """The end of a procedure: its slots are cleared, so that equal positions are equal lists."""
        frame = self.layout.frames[name]
        size = frame.end - frame.back
        return [
            f"def leave_{self.procedures[name]}(s):",
            f"    back = s[{frame.back}]",
            f"    s[{frame.back}:{frame.end}] = {[0] * size}",
            "    return back",
        ]

    def is_waiting(self, s: ir.Statement) -> bool:
        return is_waiting(s, self.waiting)

    def stop(self, s: Waiting, body: int = -1) -> tuple[int, int]:
        """A step where the machine waits, and the one that goes on."""
        self.steps.append(None)
        pc = len(self.steps) - 1
        after = self.new_step()
        self.stops[pc] = SuspensionPoint(pc, s, self.procedure, after, body)
        self.goto(pc)
        return pc, after

    def lies(self, local: ir.Local, zone: ir.Zone) -> list[str]:
        slot = self.frame.lies.get(local.number) if self.frame is not None else None
        if slot is None:
            return []
        known = isinstance(zone, ir.FieldZone) and may_hold(local, zone.field)
        return [f"s[{slot}] = {f'1 + {self.zone_number(zone)}' if known else 0}"]

    def ended(self, node: EndingNode) -> str:
        """In a literal program, what tells that a latch falls or a loop is left here."""
        if id(node) not in self.endings:
            return ""
        number, ending = self.endings[id(node)]
        asked = "".join(f"lambda: {self.emit(each.condition)}, " for each in ending.alternatives)
        self.function(f"alternatives_{number}(s)", f"return ({asked})")
        return f"ended(s, {number})"

    def ending(self, condition: str, node: EndingNode) -> str:
        """A condition that lets a latch fall or leaves a loop."""
        told = self.ended(node)
        return f"{condition} and {told}" if told else condition

    def function(self, header: str, *lines: str) -> None:
        self.functions += [f"def {header}:", *("    " + line for line in lines)]

    def call(self, s: ir.Call) -> None:
        frame = self.layout.frames[s.procedure]
        callee = self.layout.game.procedures[s.procedure]
        for parameter, argument in zip(callee.parameters, s.arguments, strict=True):
            assert isinstance(parameter.type, Scalar)
            value = self.stored(argument, parameter.type, f"`{parameter.name}`")
            self.line(1, f"s[{frame.locals[parameter.number]}] = {value}")
        after = self.new_step()
        self.returns[after] = (self.procedure, s.path)
        self.line(1, f"s[{frame.back}] = {after}")
        self.goto(self.entries[s.procedure])
        self.begin(after)

    def secretly(self, s: ir.Secretly) -> None:
        body = self.new_step()
        _, after = self.stop(s, body)
        self.begin(body)
        outer, self.loops = self.loops, []
        self.stepped_block(s.body)
        self.loops = outer
        self.line(1, "return 1")
        self.begin(after)
        self.here = s.span
        self.changed(1, *s.writes)

    def choose(self, s: ir.Choose) -> None:
        pc, after = self.stop(s)
        self.function(f"legal_{pc}(s)", *self.combinations(s))
        names = [f"v{pick.local.number}" for pick in s.picks]
        player = self.checked(s.player, self.layout.game.domains["player"].type, "who chooses")
        self.function(f"player_{pc}(s)", f"return {player}")
        self.function(f"index_{pc}(s)", f"return {self.prompt(ir.Prompt(s.indices))}")
        self.function(f"prompt_{pc}(s)", f"return {self.told(s.text)}")
        stores = []
        for position, pick in enumerate(s.picks):
            given = "a" if len(names) == 1 else f"a[{position}]"
            target = self.where[pick.local.number]
            stores.append(f"{target} = {given}")
            nowhere = ir.LocalZone(pick.local, pick.span)
            stores += self.lies(pick.local, pick.domain.zone if isinstance(pick.domain, ir.ZoneElements) else nowhere)
            if pick.field is not None:
                address = self.address(pick.field.field, pick.field.owner, pick.field.indices)
                low, high = pick.field.type.bounds
                site = self.site(pick.span, f"`{pick.field.field.name}` is {{}}, outside of {pick.field.type}")
                stores.append(f"s[{address}] = check({given}, {low}, {high}, {site})")
        self.function(f"store_{pc}(s, a)", *stores)
        self.begin(after)
        self.lines += self.seen("choice", s.name, s.span)
        self.changed(1, *(pick.field.field for pick in s.picks if pick.field is not None))

    def combinations(self, s: ir.Choose) -> list[str]:
        """Lines that list the answers to a choice; all numbers from one to another stay a range, which is never listed.

        The first conditions are often about one pick alone, such as the place of a tile and not its turn. They are
        asked once for each of its elements, before the combinations are made."""
        held = {pick.local.number: self.where[pick.local.number] for pick in s.picks}
        owned, conditions = own_conditions(s)
        filters, loops = [], []
        for pick, about in zip(s.picks, owned, strict=True):
            number = pick.local.number
            domain = self.elements(pick.domain, distinct=True)
            if isinstance(pick.domain, ir.OrderElements):
                domain = f"dict.fromkeys({domain})"
            self.where[number] = f"v{number}"
            if about:
                asked = " and ".join(map(self.emit, about))
                filters.append(f"d{number} = [v{number} for v{number} in {domain} if {asked}]")
            loops.append(f"for v{number} in " + (f"d{number}" if about else domain))
        if len(s.picks) == 1 and not conditions and isinstance(s.picks[0].domain, ir.Numbers):
            self.where.update(held)
            return [f"return {domain}"]
        condition = f" if {' and '.join(map(self.emit, conditions))}" if conditions else ""
        names = [f"v{pick.local.number}" for pick in s.picks]
        answer = names[0] if len(names) == 1 else f"({', '.join(names)})"
        self.where.update(held)
        return [*filters, f"return [{answer} {' '.join(loops)}{condition}]"]

    def choose_set(self, s: ir.ChooseSet) -> None:
        pc, after = self.stop(s)
        low = element_of(s.source).low
        choice = self.zone(s.source)
        if s.where is not None:
            each = f"v{s.element.number}"
            self.where[s.element.number] = each
            fitting = f"for {each}, n in {self.counted(s.source, self.zone(s.source))} if {self.emit(s.where)}"
            choice = f"sum([n << ({each} - {low} << {SHIFT}) {fitting}])"
        self.function(f"legal_{pc}(s)", f"return {choice}, {low}, {self.emit(s.least)}, {self.emit(s.most)}")
        player = self.checked(s.player, self.layout.game.domains["player"].type, "who chooses")
        self.function(f"player_{pc}(s)", f"return {player}")
        self.function(f"index_{pc}(s)", f"return {self.prompt(ir.Prompt(s.indices))}")
        self.function(f"prompt_{pc}(s)", f"return {self.told(s.text)}")
        site = self.site(s.span, "this is not there to be moved")
        self.function(
            f"store_{pc}(s, a)",
            f"f = {self.zone_slot(s.source)}",
            f"t = {self.zone_slot(s.target)}",
            *([f"a = tuple([k - {low} for k in a])"] if low else []),
            "if not a: return",
            *self.taken(s, site),
        )
        self.begin(after)
        self.lines += self.seen("choice", s.name, s.span)
        self.bounded(s.target, 1)
        self.changed(1, ir.field_of(s.source), ir.field_of(s.target))

    def taken(self, s: ir.ChooseSet, site: int) -> list[str]:
        """What is chosen, moved; from a deck with a known bottom one by one, since that may shrink each time."""
        under = self.under(s.source)
        if under is None:
            return [f"for k in a: move(s, f, t, k, {site})", *self.note(s.source, s.target, "a")]
        lines = [
            f"move(s, f, t, k, {site})",
            f"h = take(s, f, {under}, k)",
            *self.note(s.source, s.target, "(k,)", "h"),
        ]
        return ["for k in a:", *("    " + line for line in lines)]

    def chance(self, pc: int, owner: ir.Expression | None, *zones: ir.Zone) -> None:
        """Whose chance it is, and which zones it touches, by number; -1 is one that all see."""
        numbers = "".join(f"{self.zone_number(zone)}, " for zone in zones) or "-1, "
        self.function(f"touched_{pc}(s)", f"return ({numbers})")
        text = "-1"
        if owner is not None:
            text = self.checked(owner, self.layout.game.domains["player"].type, "whose chance it is")
        self.function(f"player_{pc}(s)", f"return {text}")

    def roll(self, s: ir.Roll) -> None:
        pc, after = self.stop(s)
        name = f"v{s.element.number}"
        domain = self.elements(s.domain)
        self.where[s.element.number] = name
        condition = f" if {self.emit(s.where)}" if s.where is not None else ""
        odds = self.emit(s.odds) if s.odds is not None else "1"
        self.function(f"outcomes_{pc}(s)", f"return [({name}, {odds}) for {name} in {domain}{condition}]")
        self.function(f"count_{pc}(s)", f"return {self.emit(s.count) if s.count is not None else 1}")
        self.chance(pc, s.owner, *([s.target] if isinstance(s.target, ir.FieldZone) else []))
        if isinstance(s.local.type, Multiset):
            low = s.local.type.element.low
            zone = ir.LocalZone(s.local, s.span) if s.target is None else s.target
            assert not isinstance(zone, ir.Load)
            lines = [
                *self.note_roll(zone, pc, low),
                f"{self.zone(zone)} = bag({f'[v - {low} for v in a]' if low else 'a'})",
            ]
        elif isinstance(s.target, ir.Load):
            lines = [f"s[{self.address(s.target.field, s.target.owner, s.target.indices)}] = a"]
        else:
            lines = [f"{self.where[s.local.number]} = a", *self.lies(s.local, ir.LocalZone(s.local, s.span))]
        self.function(f"store_{pc}(s, a)", *lines)
        self.begin(after)
        self.lines += self.seen("chance", s.local.name, s.span)
        if not isinstance(s.target, ir.Load) and isinstance(s.local.type, Multiset):
            self.bounded(s.target or ir.LocalZone(s.local, s.span), 1)
        self.changed(1, s.target.field if isinstance(s.target, (ir.Load, ir.FieldZone)) else None)

    def note_roll(self, zone: ir.Zone, pc: int, low: int) -> list[str]:
        """A line for the journal, when the zone that is rolled into is not open: what could be, and not what came."""
        number = self.zone_number(zone)
        if number == "-1":
            return []
        faces = f"die(tuple([(v - {low}, n) for v, n in outcomes_{pc}(s)]))"
        return [
            f"if s[{JOURNAL}] is not None: s[{JOURNAL}] = Journal((s[{JOURNAL}], Rolled({number}, {faces}, len(a))))"
        ]

    def draw(self, s: ir.Draw) -> None:
        pc, after = self.stop(s)
        low = element_of(s.source).low
        under = self.under(s.source)
        drawn = self.counted(s.source, self.zone(s.source))
        if under is not None:
            drawn = f"[({low} + k, n) for k, n in weights(s, {self.zone(s.source)}, {under})]"
        self.function(f"outcomes_{pc}(s)", f"return {drawn}")
        self.function(f"count_{pc}(s)", "return 1")
        self.chance(pc, s.owner, s.source, s.target)
        site = self.site(s.span, "this is not there to be drawn")
        self.function(
            f"store_{pc}(s, a)",
            f"{self.where[s.local.number]} = a",
            f"f = {self.zone_slot(s.source)}",
            f"move(s, f, {self.zone_slot(s.target)}, a - {low}, {site})",
            *([f"h = take(s, f, {under}, a - {low})"] if under is not None else []),
            *self.note(s.source, s.target, f"(a - {low},)", "h" if under is not None else "0"),
            *self.lies(s.local, s.target),
        )
        self.begin(after)
        self.lines += self.seen("chance", s.local.name, s.span)
        self.bounded(s.target, 1)
        self.changed(1, ir.field_of(s.source), ir.field_of(s.target))
