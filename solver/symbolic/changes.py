"""What statements change, in a symbolic run (guarded writes): fields, locals, sets, and the latches that follow.

Where the answer decides which cell is meant, each that may be is merged with what it held before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import SetChange
from chocolatl.interpreter.lowered.layout import Slots
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import TRUTH, Scalar
from chocolatl.solver.model.linear import (
    BooleanLiteral,
    LinearExpression,
    SymbolicNumber,
    SymbolicValue,
    Truth,
    high,
    low,
)
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.bounds import NO
from chocolatl.solver.symbolic.effects import Effects
from chocolatl.solver.symbolic.formulas import Evaluator
from chocolatl.solver.symbolic.state import Anybody, DependsOnWho, JoinedZones, SymbolicState, from_truth, kind_of
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class SymbolicChanges(Evaluator):
    def __init__(self, program: LoweredGame, model: Model, slots: Slots) -> None:
        self.effects = Effects.of(program)
        super().__init__(program, model, SymbolicState(model, program.layout, slots, self.effects.kinds))
        self.secret = False
        self.together = False
        """Whether a pass is tried for all who may have a place in an order at once."""
        look, values = self.formulas.bounds.look, self.state.values
        self.whole = {watch: look(watch.latch.condition)(values) != NO for watch in self.effects.watches}
        """Latches whose whole condition has to be looked at, since it may hold already."""

    def set_local(self, s: ir.SetLocal) -> None:
        self.bind(s.local, from_truth(self.truth(s.value)) if s.local.type == _truth(s.local) else self.value(s.value))

    def stored_field(self, s: ir.Store) -> None:
        self.store(s.target, self.stored(s.value, s.target.type))

    def copy_zone(self, s: ir.CopyZone) -> None:
        self.set_counts(s.target, self.counts(s.source))

    def bind(self, local: ir.Local, value: SymbolicValue | Anybody) -> None:
        key = -local.number
        if key not in self.state.kinds:
            self.state.kinds[key] = kind_of(local.type)
        self.state.write(key, value)

    def stored(self, e: ir.Expression, type_: Scalar) -> SymbolicValue:
        return from_truth(self.truth(e)) if type_.family == TRUTH else self.value(e)

    def store(self, target: ir.Load, value: SymbolicValue) -> None:
        if isinstance(value, LinearExpression) and not self.model.facts.given:
            # The interpreter stops where a number leaves its range, so that on the main way it never does.
            value = self.model.between(value, *target.type.bounds)
        self.write(self.slots(target), value)
        self.latch(target.field)

    def write(self, slots: list[tuple[int, Truth]], value: SymbolicValue) -> None:
        """A value into the one slot that is meant."""
        if self.together and len(slots) > 1:
            raise DependsOnWho
        for slot, meant in slots:
            if meant is True:
                self.state.write(slot, value)
            else:
                self.state.write(slot, self.state.merged(slot, [(meant, value)], self.state.read(slot)))

    def latch(self, *changed: Field | None) -> None:
        """After a change: every latch whose condition the change may have met."""
        if self.secret or not self.effects.watches:
            return
        keys = tuple([field.key for field in changed if field is not None])
        for watch, parts in self.effects.watching(keys):
            slot = self.layout.places[watch.latch.field.key].base
            before = self.state.read(slot)
            if before != 1:
                if self.whole[watch]:
                    parts = [watch.latch.condition]
                met = [self.truth(part) for part in parts]
                if any(truth is not False for truth in met):
                    was = before if isinstance(before, BooleanLiteral) else False
                    self.state.write(slot, from_truth(self.model.some([was, *met])))

    def award(self, s: ir.Award) -> None:
        # The entry in the breakdown is for people; no rule reads it.
        value = self.model.add(self.number(s.target), self.number(s.amount))
        if s.most is not None:
            value = self.model.minimum(value, self.number(s.most))
        if s.least is not None:
            value = self.model.maximum(value, self.number(s.least))
        self.store(s.target, value)

    def zone_at(self, zone: ir.Zone) -> int:
        """The first slot of a zone that no answer decides."""
        slots = self.zone_slots(zone)
        if len(slots) != 1:
            raise Unsupported(zone.span, ModelGap.WHICH_SET)
        return slots[0][0]

    def set_counts(self, zone: ir.Zone, counts: Sequence[SymbolicNumber]) -> None:
        self.state.write(self.zone_at(zone), tuple(counts))
        self.latch(ir.field_of(zone))

    def shift(self, zone: ir.Zone, amounts: Mapping[int, SymbolicNumber], sign: int = 1) -> None:
        """So many more of some kinds."""
        slot = self.zone_at(zone)
        counts = list(self.state.counts(slot))
        for kind, amount in amounts.items():
            counts[kind] = self.model.add(counts[kind], amount, sign)
        self.state.write(slot, tuple(counts))

    def take(self, zone: ir.Zone, amounts: Mapping[int, SymbolicNumber]) -> None:
        """So many fewer of some kinds, of each of which there are as many at least."""
        slot = self.zone_at(zone)
        counts = list(self.state.counts(slot))
        for kind, amount in amounts.items():
            left = self.model.add(counts[kind], amount, -1)
            counts[kind] = self.model.between(left, min(low(counts[kind]), 0), max(high(counts[kind]), 0))
        self.state.write(slot, tuple(counts))

    def move_amounts(self, source: ir.Zone, target: ir.Zone, amounts: Mapping[int, SymbolicNumber]) -> None:
        self.shift(source, amounts, -1)
        self.shift(target, amounts)
        self.latch(ir.field_of(source), ir.field_of(target))

    def amounts(self, element: SymbolicValue, e: ir.Expression, zone: ir.Zone) -> dict[int, SymbolicNumber]:
        """One element as how many of each kind."""
        first = ir.set_type(zone).element.low
        return {value - first: self.model.number(when) for value, when in self.cases(element, e)}

    def change_set(self, s: ir.ChangeSet) -> None:
        match s.how:
            case SetChange.ADD:
                self.change_by_one(s, 1)
            case SetChange.REMOVE:
                self.change_by_one(s, -1)
            case SetChange.CLEAR:
                self.set_counts(s.zone, [0] * ir.set_type(s.zone).element.size)
            case _:
                assert_never(s.how)

    def change_by_one(self, s: ir.ChangeSet, sign: int) -> None:
        assert s.element is not None
        self.shift(s.zone, self.amounts(self.value(s.element), s.element, s.zone), sign)
        self.latch(ir.field_of(s.zone))

    def move(self, s: ir.MoveElement) -> None:
        if s.under:
            raise Unsupported(s.span, ModelGap.DECK_ORDER)
        self.move_amounts(s.source, s.target, self.amounts(self.value(s.element), s.element, s.source))

    def move_all(self, s: ir.MoveAll) -> None:
        source, target = s.source, s.target
        from_, to = self.zone_at(source), self.zone_at(target)
        if from_ != to:
            values = self.state.values
            self.state.write(to, JoinedZones(values[to], values[from_], from_))
            self.state.write(from_, (0,) * ir.set_type(source).element.size)
            self.latch(ir.field_of(source), ir.field_of(target))


def _truth(local: ir.Local) -> object:
    """The type of a local if it is a yes/no, and nothing that equals it otherwise."""
    return local.type if isinstance(local.type, Scalar) and local.type.family == TRUTH else None
