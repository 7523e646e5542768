"""Statements that never wait for anybody, as plain Python (code generation): `if`, `for` and assignments.

Only what can reach a decision or a roll of the dice has to be cut into steps (`chocolatl.interpreter.engine.steps`).
"""

from __future__ import annotations

from typing import Literal, assert_never

from chocolatl.interpreter.engine.expressions import PythonExpressionEmitter, element_of
from chocolatl.interpreter.engine.watch import BRANCH, STATEMENT, excerpt, is_written
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import SetChange, Sharing
from chocolatl.interpreter.ir.walk import fields_read
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.lowered.layout import JOURNAL, Layout
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.program.model import MANY, Field
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.source import Span

ByElement = Literal[SetChange.ADD, SetChange.REMOVE]


class PythonStatementEmitter(PythonExpressionEmitter):
    """Appends lines of Python to `lines`. `texts` collects the texts that log entries refer to by number."""

    def __init__(self, layout: Layout, sites: Sites, literal: bool = False) -> None:
        super().__init__(layout, sites, literal)
        self.lines: list[str] = []
        self.texts: list[ir.Prompt | None] = []
        self.procedures = {name: position for position, name in enumerate(layout.game.procedures)}
        self.here: Span | None = None
        """The statement at hand."""
        self.watched = [fields_read(latch.condition, layout.game) for latch in layout.game.latches]
        self.guarded = [fields_read(each.condition, layout.game) for each in layout.game.invariants]
        self.due: dict[int, None] = {}
        """Invariants that read what has been changed since they were last looked at."""

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # ------------------------------------------------------------ changes

    def changed(self, depth: int, *written: Field | None) -> None:
        """After a change: ask every latch whose condition the change may have met."""
        keys = {field.key for field in written if field is not None}
        touched = set(keys)
        for position, watched in enumerate(self.watched):
            if watched & keys:
                self.line(depth, f"latch_{position}(s)")
                touched.add(self.layout.game.latches[position].field.key)
        self.due |= {position: None for position, read in enumerate(self.guarded) if read & touched}
        if self.watch is not None and self.here is not None and keys:
            self.line(depth, f"wrote(s, {self.watch.add_change(self.here)})")

    def checkpoint(self, depth: int, following: ir.Block = ()) -> None:
        """The invariants that are due, unless another change follows directly: changes in a row are one step."""
        if following and isinstance(following[0], ir.Change):
            return
        for position in self.due:
            invariant = self.layout.game.invariants[position]
            assert self.here is not None
            site = self.site(self.here, f"after this, {invariant.called} does not hold any more; see {invariant.place}")
            self.line(depth, f"invariant_{position}(s, {site})")
        self.due = {}

    def reached(self, kind: str, span: Span, depth: int) -> None:
        """In a literal program, count how often this place is reached."""
        for line in self.seen(kind, excerpt(span), span):
            self.line(depth - 1, line)

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block, depth: int) -> None:
        if not block:
            self.line(depth, "pass")
        for number, statement in enumerate(block, start=1):
            self.statement(statement, depth)
            self.checkpoint(depth, block[number : number + 1])

    def statement(self, s: ir.Statement, depth: int) -> None:
        self.reached(STATEMENT, s.span, depth)
        self.here = s.span
        match s:
            case ir.SetLocal():
                assert isinstance(s.local.type, Scalar)
                name = self.where.setdefault(s.local.number, f"v{s.local.number}")
                self.line(depth, f"{name} = {self.stored(s.value, s.local.type, f'`{s.local.name}`')}")
                for line in self.lies(s.local, ir.LocalZone(s.local, s.span)):
                    self.line(depth, line)
            case ir.Store():
                assert isinstance(s.target.field.type, Scalar)
                address = self.address(s.target.field, s.target.owner, s.target.indices)
                value = self.stored(s.value, s.target.field.type, f"`{s.target.field.name}`")
                self.line(depth, f"s[{address}] = {value}")
                self.changed(depth, s.target.field)
            case ir.Award():
                self.award(s, depth)
            case ir.CopyZone():
                type_ = ir.set_type(s.target)
                if type_.most is not None:
                    site = self.site(s.span, f"this set holds up to {type_.most} values, and these are {{}}")
                    self.line(depth, f"check(len({self.zone(s.source)}), 0, {type_.most}, {site})")
                # All see a copy, as if what is copied had come out into the open and gone back.
                everything = f"elements({self.zone(s.source)})"
                for one, other in ((s.source, s.target), (s.target, s.source)):
                    for line in self.note(one, other, everything):
                        self.line(depth, line)
                self.line(depth, f"{self.zone(s.target)} = {self.zone(s.source)}")
                self.changed(depth, ir.field_of(s.target))
            case ir.ChangeSet():
                self.change_set(s, depth)
            case ir.MoveElement():
                self.move(s, depth)
            case ir.MoveAll():
                self.move_all(s.source, s.target, depth)
            case ir.If():
                self.branch(s, depth)
            case ir.ForEach():
                self.for_each(s, depth)
            case ir.InTurn():
                self.in_turn(s, depth)
            case ir.Repeat():
                site = self.site(s.span, f"this was repeated {s.limit} times, and its end was not reached")
                count = self.fresh()
                self.line(depth, f"{count} = 0")
                self.line(depth, f"while not {self.emit(s.until)}:")
                self.line(depth + 1, f"{count} += 1")
                self.line(depth + 1, f"if {count} > {s.limit}: fail({site})")
                self.block(s.body, depth + 1)
            case ir.Stop():
                self.line(depth, f"if {self.way(self.emit(s.condition), s.condition.span)}: break")
            case ir.Call():
                self.line(depth, f"procedure_{self.procedures[s.procedure]}({self.call_arguments(s)})")
            case ir.Contest():
                self.contest(s, depth)
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw() | ir.Secretly():
                raise AssertionError(f"{type(s).__name__} waits, so it is no plain statement")
            case _:
                assert_never(s)

    def fresh(self) -> str:
        return f"n{len(self.lines)}"

    def stored(self, value: ir.Expression, type_: Scalar, what: str) -> str:
        """A value on its way into a variable: in range, and yes/no as a number."""
        if type_.holds(value.type):
            return self.integer(value)
        return self.checked(value, type_, what)

    def call_arguments(self, s: ir.Call) -> str:
        parts = ["s", "log"]
        for parameter, argument in zip(self.layout.game.procedures[s.procedure].parameters, s.arguments, strict=True):
            assert isinstance(parameter.type, Scalar)
            parts.append(self.stored(argument, parameter.type, f"`{parameter.name}`"))
        return ", ".join(parts)

    def award(self, s: ir.Award, depth: int) -> None:
        score = s.target.field.type
        assert isinstance(score, Scalar) and s.target.owner is not None
        breakdown = self.layout.places["player", "breakdown"]
        items, points = breakdown.cells // breakdown.field.owners, breakdown.field.type
        assert isinstance(points, Scalar)
        site = self.site(s.span, f"`{s.target.field.name}` becomes {{}}, outside of {score}")
        beyond = self.site(s.span, complaints.outside_of_source(points))
        players = self.layout.game.domains["player"].type
        self.line(depth, f"p = {self.checked(s.target.owner, players, 'the player')}")
        item = f"{s.names!r}[{self.emit(s.item)}]" if len(s.names) > 1 else str(s.names[0])
        self.line(depth, f"i = {item}")
        least = self.emit(s.least) if s.least is not None else "None"
        most = self.emit(s.most) if s.most is not None else "None"
        base = self.layout.places[s.target.field.key].base
        self.line(
            depth,
            f"d = award(s, {base} + p, {self.emit(s.amount)}, {least}, {most}, {score.low}, {score.high}, "
            f"{breakdown.base} + p * {items} + i, {points.high}, {site}, {beyond})",
        )
        self.texts.append(s.text)
        text = len(self.texts) - 1
        self.line(depth, f'if log is not None: log.append(("award", p, i, d, {text}, {self.told(s.text)}))')
        self.changed(depth, s.target.field)

    # ------------------------------------------------------------ zones

    def note(self, source: ir.Zone, target: ir.Zone, cards: str, how: str = "0", ordered: bool = False) -> list[str]:
        """A line for the journal, if one of the zones is not open and it is not the same one, or its order changes."""
        start, end = self.zone_number(source), self.zone_number(target)
        if start == end and (start == "-1" or not ordered):
            return []
        apart = f" and {start} != {end}" if ir.field_of(source) == ir.field_of(target) and not ordered else ""
        line = f"s[{JOURNAL}] = Journal((s[{JOURNAL}], ({start}, {end}, {cards}, {how})))"
        return [f"if s[{JOURNAL}] is not None{apart}: {line}"]

    def move(self, s: ir.MoveElement, depth: int) -> None:
        source, target = self.zone_slot(s.source), self.zone_slot(s.target)
        site = self.site(s.span, "this is not there to be moved")
        self.line(depth, f"k = {self.kind(s.element, s.source)}")
        self.line(depth, f"move(s, {source}, {target}, k, {site})")
        under = self.under(s.source)
        how = "1" if s.under else "0"
        if under is not None:
            back = f", {source} == {target}" if s.under else ""
            self.line(depth, f"h = take(s, {source}, {under}, k{back})")
            how = "-h or 1" if s.under else "h"
        if s.under:
            self.line(depth, f"put_under(s, {self.under(s.target)}, k)")
        for line in self.note(s.source, s.target, "(k,)", how, s.under):
            self.line(depth, line)
        if isinstance(s.element, ir.Read):
            for line in self.lies(s.element.local, s.target):
                self.line(depth, line)
        self.bounded(s.target, depth)
        self.changed(depth, ir.field_of(s.source), ir.field_of(s.target))

    def change_set(self, s: ir.ChangeSet, depth: int) -> None:
        short = ir.set_type(s.zone).short
        self.line(depth, f"a = {self.zone_slot(s.zone)}")
        if s.how is SetChange.CLEAR:
            self.line(depth, "s[a] = ()" if short else "s[a] = 0")
        else:
            assert s.element is not None
            full = self.site(s.span, f"this set holds up to {ir.set_type(s.zone).most} values, and it is full")
            missing = self.site(s.span, "this is not in the set, so it cannot be removed")
            if short:
                self.change_short(s, s.element, s.how, depth, full, missing)
            else:
                self.change_counts(s, s.element, s.how, depth, missing)
        self.changed(depth, ir.field_of(s.zone))

    def change_short(
        self, s: ir.ChangeSet, element: ir.Expression, how: ByElement, depth: int, full: int, missing: int
    ) -> None:
        """A short set is a sorted tuple."""
        type_ = ir.set_type(s.zone)
        value = self.checked(element, type_.element, "this")
        match how:
            case SetChange.ADD:
                self.line(depth, f"s[a] = added(s[a], {value}, {type_.most}, {full})")
            case SetChange.REMOVE:
                self.line(depth, f"s[a] = removed(s[a], {value}, {missing})")
            case _:
                assert_never(how)

    def change_counts(self, s: ir.ChangeSet, element: ir.Expression, how: ByElement, depth: int, missing: int) -> None:
        """Of a longer one there are the counts."""
        self.line(depth, f"k = {self.kind(element, s.zone)}")
        match how:
            case SetChange.ADD:
                self.line(depth, "s[a] += bag((k,))")
            case SetChange.REMOVE:
                self.line(depth, f"if not count(s[a], k): fail({missing})")
                self.line(depth, "s[a] -= bag((k,))")
            case _:
                assert_never(how)
        self.bounded(s.zone, depth)

    def lies(self, local: ir.Local, zone: ir.Zone) -> list[str]:
        """A line that notes where what a local holds lies, if it is in a field, where locals outlive a decision."""
        return []

    def bounded(self, zone: ir.Zone, depth: int) -> None:
        """Components cannot become more; of plain values, such as dice, a set holds so many and no more."""
        if element_of(zone).family not in self.layout.game.totals:
            site = self.site(zone.span, f"a set holds at most {MANY} values, and this would be {{}}")
            self.line(depth, f"check(size({self.zone(zone)}), 0, {MANY}, {site})")

    def move_all(self, source: ir.Zone, target: ir.Zone, depth: int) -> None:
        under = self.under(source)
        self.line(depth, f"f = {self.zone_slot(source)}")
        self.line(depth, f"t = {self.zone_slot(target)}")
        self.line(depth, "z = s[f]")
        self.line(depth, "if z:")
        # Of a deck, the known bottom comes first: that is how the journal tells it from the rest.
        everything = "elements(z)" if under is None else f"deck(s, z, {under})"
        for line in self.note(source, target, everything, "-1", under is not None):
            self.line(depth + 1, line)
        self.line(depth + 1, "s[f] = 0")
        self.line(depth + 1, "s[t] += z")
        if under is not None:
            self.line(depth + 1, f"s[{under}:{under} + 1 + s[{under}]] = [0] * (1 + s[{under}])")
        self.bounded(target, depth + 1)
        self.changed(depth, ir.field_of(source), ir.field_of(target))

    # ------------------------------------------------------------ control

    def branch(self, s: ir.If, depth: int) -> None:
        self.line(depth, f"if {self.condition(s)}:")
        self.block(s.then, depth + 1)
        if s.otherwise:
            self.line(depth, "else:")
            self.block(s.otherwise, depth + 1)

    def condition(self, s: ir.If) -> str:
        return self.way(self.emit(s.condition), s.span) if is_written(s) else self.emit(s.condition)

    def for_each(self, s: ir.ForEach, depth: int) -> None:
        name = f"v{s.local.number}"
        elements = self.elements(s.domain)
        self.where.setdefault(s.local.number, name)
        self.line(depth, f"for {name} in {f'reversed({elements})' if s.backwards else elements}:")
        if self.where[s.local.number] != name:
            self.line(depth + 1, f"{self.where[s.local.number]} = {name}")
        if s.counter is not None:
            self.line(depth + 1, f"s[{self.layout.places[s.counter.key].base}] = {name}")
            self.changed(depth + 1, s.counter)
            self.checkpoint(depth + 1)
        if s.where is not None:
            self.line(depth + 1, f"if not {self.emit(s.where)}: continue")
        self.block(s.body, depth + 1)

    def in_turn(self, s: ir.InTurn, depth: int) -> None:
        players = self.layout.game.player_count
        seat, turns, name = self.fresh() + "a", self.fresh() + "b", f"v{s.local.number}"
        held = self.where.setdefault(s.local.number, name)
        site = self.site(s.span, f"after {s.limit} turns it is still somebody's turn")
        start = self.checked(s.start, self.layout.game.domains["player"].type, "the first player")
        self.line(depth, f"{seat} = {start}")
        self.line(depth, f"{turns} = 0")
        self.line(depth, "while True:")
        self.line(depth + 1, f"for d in range({players}):")
        self.line(depth + 2, f"{held} = ({seat} + d) % {players}")
        self.line(depth + 2, f"if {self.emit(s.where) if s.where is not None else 'True'}: break")
        self.line(depth + 1, "else: break")
        self.line(depth + 1, f"{turns} += 1")
        self.line(depth + 1, f"if {turns} > {s.limit}: fail({site})")
        self.line(depth + 1, f"{seat} = ({held} + 1) % {players}")
        self.block(s.body, depth + 1)

    def contest(self, s: ir.Contest, depth: int) -> None:
        order = f"v{s.order.number}"
        self.where[s.order.number] = order  # nothing waits in here, so that it need not lie in slots
        self.line(depth, f"{order} = {self.order(s.ranking)}")
        self.note_contest(s, order, depth)
        for clause in s.clauses:
            name = f"v{clause.local.number}"
            self.where.setdefault(clause.local.number, name)
            found = self.fresh()
            self.line(depth, f"{found} = at_place({order}, {clause.place})")
            depth_inside = depth
            asked = sharing_test(clause.sharing)
            if asked is not None:
                self.line(depth, f"if len({found}) {asked[0]}:")
                depth_inside += 1
            if clause.sharers is not None:
                held = self.where.setdefault(clause.sharers.number, f"v{clause.sharers.number}")
                self.line(depth_inside, f"{held} = len({found})")
            self.line(depth_inside, f"for {name} in {found}:")
            if self.where[clause.local.number] != name:
                self.line(depth_inside + 1, f"{self.where[clause.local.number]} = {name}")
            self.reached(BRANCH, clause.span, depth_inside + 1)
            self.block(clause.body, depth_inside + 1)
        self.note_settled(depth)

    def note_contest(self, s: ir.Contest, order: str, depth: int) -> None:
        self.texts.append(s.label)
        text = len(self.texts) - 1
        ranking = self.rankings[s.ranking.name]
        label = self.prompt(s.label)
        noted = f'("contest", {ranking}, {order}, {text}, {label})'
        self.line(depth, f"if log is not None: {order} = contested(log, {order}, {noted})")

    def note_settled(self, depth: int) -> None:
        """What is awarded from here on is not the contest's."""
        self.line(depth, 'if log is not None: log.append(("settled",))')


def sharing_test(sharing: Sharing) -> tuple[str, str] | None:
    """What has to be true of how many have a place, and the opposite; None if that is all the same."""
    match sharing:
        case Sharing.ANYBODY:
            return None
        case Sharing.ALONE:
            return "== 1", "!= 1"
        case Sharing.SHARED:
            return "> 1", "< 2"
        case _:
            assert_never(sharing)
