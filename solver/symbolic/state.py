"""The state of a symbolic run: what each slot and local holds, and how ways are merged (path merging).

A branch is run on the one state there is. What it writes is noted, taken back, and merged with what the other ways
wrote: not at once, but when somebody asks for it, since much is never asked for. A field goes by its slot in the
engine's layout, a local by its negated number. Of a zone there is how many of each kind lie in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from chocolatl.interpreter.lowered.layout import FieldSlots, Layout
from chocolatl.interpreter.lowered.zones import count
from chocolatl.interpreter.program.types import NUMBER, TRUTH, Multiset, Scalar
from chocolatl.solver.model import facts
from chocolatl.solver.model.linear import BooleanLiteral, Counts, OneOf, SymbolicNumber, SymbolicValue, Truth
from chocolatl.solver.model.model import Model, same

SlotKey = Hashable
NUMERIC, TRUE_OR_FALSE, THING = "number", "truth", "thing"
Thunk = Callable[[], object]


def kind_of(type_: object) -> str:
    """How values of a type are merged."""
    if not isinstance(type_, Scalar) or type_.family == NUMBER:
        return NUMERIC
    return TRUE_OR_FALSE if type_.family == TRUTH else THING


def kinds_of(layout: Layout) -> dict[SlotKey, str]:
    """How the values of all scalar fields are merged."""
    return {
        slot: kind_of(place.field.type)
        for place in layout.places.values()
        if not isinstance(place.field.type, Multiset)
        for slot in range(place.base, place.end)
    }


def contents(place: FieldSlots, slots: Sequence[Any], cells: Iterable[int]) -> Iterator[tuple[SlotKey, int | Counts]]:
    """What the slots of some cells of a field hold, by key. Short sets of values have no form in a model."""
    type_ = place.field.type
    for cell in cells:
        slot = place.base + cell
        if not isinstance(type_, Multiset):
            yield slot, slots[slot]
        elif not type_.short:
            kinds = range(type_.element.size)
            yield slot, tuple([count(slots[slot], kind) for kind in kinds]) if slots[slot] else (0,) * len(kinds)


class MergedPaths:
    """What a slot holds after several ways, worked out when it is asked for."""

    __slots__ = ("cases", "otherwise", "result", "way")

    def __init__(self, cases: list[tuple[Truth, HeldValue]], otherwise: HeldValue | None, way: facts.PathFacts) -> None:
        self.cases = cases
        self.otherwise = otherwise
        self.way = way
        self.result: SymbolicValue | Counts | None = None


class JoinedZones:
    """What lies in two zones, likewise; the second one has another key."""

    __slots__ = ("first", "key", "result", "second")

    def __init__(self, first: HeldValue, second: HeldValue, key: SlotKey) -> None:
        self.first = first
        self.second = second
        self.key = key
        self.result: Counts | None = None


class DeferredStatement:
    """What the slots hold that a statement may change which was put off. It changes the state that it was put off in,
    when somebody asks for one of them."""

    __slots__ = ("carry_out", "values")

    def __init__(self, values: dict[SlotKey, HeldValue], carry_out: Thunk) -> None:
        self.values = values
        self.carry_out: Thunk | None = carry_out

    @property
    def is_open(self) -> bool:
        """Whether nobody has asked for any of it."""
        return self.carry_out is not None

    def held(self, key: SlotKey) -> HeldValue:
        if self.carry_out is not None:
            carry_out, self.carry_out = self.carry_out, None
            carry_out()
        value = self.values[key]
        if value.__class__ is DeferredStatement:
            value = self.values[key] = value.held(key)
        return value


class DependsOnWho(Exception):
    """What happens depends on who it is."""


class Anybody:
    """Whoever it is, of several: nothing may depend on it."""

    __slots__ = ()


ANYBODY = Anybody()

HeldValue = SymbolicValue | Counts | MergedPaths | JoinedZones | DeferredStatement | Anybody
"""A value, or one that is still to be worked out."""

LAZY = frozenset((MergedPaths, JoinedZones, DeferredStatement, Anybody))


class SymbolicState:
    def __init__(self, model: Model, layout: Layout, slots: Sequence[int], kinds: dict[SlotKey, str]) -> None:
        self.model = model
        self.values: dict[SlotKey, HeldValue] = {}
        self.kinds = kinds
        """How values are merged; the same for all runs of a game."""
        for place in layout.places.values():
            if isinstance(place.field.type, Multiset):
                self.values.update(contents(place, slots, range(place.cells)))
            else:
                self.values.update(zip(range(place.base, place.end), slots[place.base : place.end], strict=True))
        self.written: list[dict[SlotKey, HeldValue | None]] = []
        self.path: list[Truth] = []
        """What holds on the way that is run."""

    def read(self, key: SlotKey) -> SymbolicValue:
        """A scalar field, or a local."""
        value = self.found(key)
        assert not isinstance(value, tuple)
        return value

    def counts(self, key: SlotKey) -> Counts:
        """A zone."""
        value = self.found(key)
        assert isinstance(value, tuple)
        return value

    def found(self, key: SlotKey) -> SymbolicValue | Counts:
        value = self.values[key]
        if value.__class__ in LAZY:
            value = self.values[key] = self.worked_out(key, value)
        return value  # type: ignore[return-value]

    def worked_out(self, key: SlotKey, value: HeldValue) -> SymbolicValue | Counts:
        """What ways have made of a slot, with what was known where they met."""
        if isinstance(value, DeferredStatement):
            value = value.held(key)
        if isinstance(value, Anybody):
            raise DependsOnWho
        if not isinstance(value, (MergedPaths, JoinedZones)):
            return value  # type: ignore[return-value]
        if value.result is None:
            value.result = self.added(key, value) if isinstance(value, JoinedZones) else self.joined(key, value)
        return value.result

    def joined(self, key: SlotKey, value: MergedPaths) -> SymbolicValue | Counts:
        cases = [(truth, self.worked_out(key, case)) for truth, case in value.cases]
        otherwise = None if value.otherwise is None else self.worked_out(key, value.otherwise)
        here = self.model.facts.go(value.way)
        zones = isinstance(cases[0][1], tuple)
        merge: Any = self.merged_zones if zones else partial(self.merged, key)
        try:
            found: SymbolicValue | Counts = merge(cases, otherwise)
        finally:
            self.model.facts.go(here)
        return found

    def added(self, key: SlotKey, value: JoinedZones) -> Counts:
        first: Any = self.worked_out(key, value.first)
        second: Any = self.worked_out(value.key, value.second)
        if not any(first):  # what is moved mostly comes to an empty place
            return second  # type: ignore[no-any-return]
        return tuple([self.model.add(a, b) for a, b in zip(first, second, strict=True)])

    def merged_zones(self, cases: list[tuple[Truth, Any]], otherwise: Any) -> Counts:
        """What lies in a zone came from another one: as the same variables, the two sums stay what they were."""
        result: list[SymbolicNumber] = []
        for kind, first in enumerate(cases[0][1]):
            base = None if otherwise is None else otherwise[kind]
            if all(same(zone[kind], first) for _, zone in cases) and (base is None or same(base, first)):
                result.append(first)
            else:
                numbers = [(truth, zone[kind]) for truth, zone in cases]
                result.append(self.model.selected(numbers, base, by_term=True))
        return tuple(result)

    def write(self, key: SlotKey, value: HeldValue) -> None:
        if self.written:
            self.written[-1].setdefault(key, self.values.get(key))
        self.values[key] = value

    # ------------------------------------------------------------ branches

    def way(self, run: Thunk, condition: Truth = True) -> dict[SlotKey, HeldValue]:
        """What a way writes that is gone on a condition; the state is as before."""
        self.written.append({})
        self.path.append(condition)
        self.model.facts.enter(condition)
        try:
            run()
        finally:
            self.model.facts.leave()
            self.path.pop()
            before = self.written.pop()
            after = {key: self.values[key] for key in before}
            for key, value in before.items():
                if value is None:
                    del self.values[key]
                else:
                    self.values[key] = value
        return after

    def branch(self, condition: Truth, then: Thunk, otherwise: Thunk) -> None:
        condition = self.model.here(condition)
        if not isinstance(condition, BooleanLiteral):
            (then if condition else otherwise)()
            return
        ways = [(condition, self.way(then, condition)), (~condition, self.way(otherwise, ~condition))]
        self.join(ways, complete=True)

    def join(self, ways: Sequence[tuple[Truth, dict[SlotKey, HeldValue]]], complete: bool) -> None:
        """Merge ways of which at most one is gone; if they are complete, one surely is."""
        for key in dict.fromkeys(key for _, after in ways for key in after):
            old = self.values.get(key)
            cases = [(truth, after.get(key, old)) for truth, after in ways]
            known = [(truth, value) for truth, value in cases if value is not None]
            if not complete and old is not None:
                known = [case for case in known if not same(case[1], old)]
                merged = self.met(known, old) if known else old
            else:  # what was not there before matters on no way that has not set it
                merged = self.met(known, None)
            self.write(key, merged)

    def met(self, cases: list[tuple[Truth, HeldValue]], otherwise: HeldValue | None) -> HeldValue:
        first = cases[0][1]
        if otherwise is None and all(same(value, first) for _, value in cases):
            return first
        return MergedPaths(cases, otherwise, self.model.facts.way)

    def merged(
        self, key: SlotKey, cases: list[tuple[Truth, SymbolicValue]], otherwise: SymbolicValue | None
    ) -> SymbolicValue:
        kind = self.kinds.get(key, NUMERIC)
        first = cases[0][1]
        if otherwise is None and all(same(value, first) for _, value in cases):
            return first
        if kind == NUMERIC:
            numbers = [(truth, number(self.model, value)) for truth, value in cases]
            base = None if otherwise is None else number(self.model, otherwise)
            return self.model.selected(numbers, base)
        rest = [] if otherwise is None else [(self.none_of(cases), otherwise)]
        if kind == TRUE_OR_FALSE:
            return from_truth(self.model.some(self.both(c, truth(v)) for c, v in (*cases, *rest)))
        options = [(v, self.both(c, t)) for c, value in (*cases, *rest) for v, t in alternatives(value)]
        return self.model.one_of(options)

    def none_of(self, cases: list[tuple[Truth, SymbolicValue]]) -> Truth:
        return self.model.every(~c if isinstance(c, BooleanLiteral) else not c for c, _ in cases)

    def both(self, a: Truth, b: Truth) -> Truth:
        return self.model.every((a, b))


class ElementWrites:
    """What the passes of a loop write for each element, of which every one has just one pass, at a place unknown."""

    def __init__(self, state: SymbolicState) -> None:
        self.state = state
        self.passes: dict[int, list[tuple[Truth, dict[SlotKey, HeldValue]]]] = {}
        self.writers: dict[SlotKey, set[int]] = {}
        self.original: dict[SlotKey, HeldValue | None] = {}

    def way(self, element: int, here: Truth, run: Thunk) -> dict[SlotKey, HeldValue]:
        """What a pass writes. It finds what is the element's own as it was before the loop."""
        values = self.state.values
        hidden: dict[SlotKey, HeldValue] = {}
        for key, writers in self.writers.items():
            original = self.original[key]
            if writers == {element} and original is not None:
                hidden[key] = values[key]
                values[key] = original
        after = self.state.way(run, here)
        self.note(after, [(element, here)])
        values.update(hidden)
        return after

    def note(self, after: dict[SlotKey, HeldValue], elements: Sequence[tuple[int, Truth]]) -> None:
        """Note what was written in a pass that is that of one of some elements."""
        for key in after:
            self.writers.setdefault(key, set()).update([element for element, _ in elements])
            self.original.setdefault(key, self.state.values.get(key))
        for element, here in elements:
            self.passes.setdefault(element, []).append((here, after))

    def settle(self) -> None:
        """After the loop: what is an element's own, by its one pass."""
        for key, writers in self.writers.items():
            original = self.original[key]
            if len(writers) == 1 and original is not None:
                (element,) = writers
                cases = [(here, after.get(key, original)) for here, after in self.passes[element]]
                self.state.write(key, self.state.met(cases, None))


# ---------------------------------------------------------------- values as numbers, truths, alternatives


def number(model: Model, value: SymbolicValue) -> SymbolicNumber:
    """A value as a number: an element of a domain is its position."""
    if isinstance(value, OneOf):
        return model.selected([(truth, element) for element, truth in value.cases], None)
    return model.number(value) if isinstance(value, BooleanLiteral) else value


def truth(value: SymbolicValue) -> Truth:
    assert isinstance(value, (int, BooleanLiteral)), "a yes/no is a truth"
    return value if isinstance(value, BooleanLiteral) else bool(value)


def from_truth(value: Truth) -> SymbolicValue:
    return value if isinstance(value, BooleanLiteral) else int(value)


def alternatives(value: SymbolicValue) -> tuple[tuple[int, Truth], ...]:
    """What an element of a domain can be, and when."""
    if isinstance(value, OneOf):
        return value.cases
    assert isinstance(value, int), "an element of a domain is one of several"
    return ((value, True),)
