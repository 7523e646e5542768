"""Which cell is meant (symbolic indices, closure generation): formulas that read a field, an entry of a table, a set.

A formula becomes a function once for each game. Where an index is a plain number, so is the cell; where the answer
decides it, there are several, each with the truth that it is the one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, Never, TypeVar, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, TRUTH, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.solver.model.linear import BooleanLiteral, Counts, LinearExpression, SymbolicNumber, SymbolicValue, Truth
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.bounds import FormulaBounds
from chocolatl.solver.symbolic.memo import OncePerProgram
from chocolatl.solver.symbolic.orders import Orders, SymbolicOrder
from chocolatl.solver.symbolic.state import LAZY, SymbolicState, alternatives, from_truth, truth
from chocolatl.solver.symbolic.state import number as as_number
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


class EvaluationContext:
    """Where formulas are evaluated: a model, the state of a run over it, and the orders that contests keep."""

    def __init__(self, model: Model, state: SymbolicState) -> None:
        self.model = model
        self.state = state
        self.ranks = Orders(model)
        self.orders: dict[int, SymbolicOrder] = {}


MANY_VALUES = 200
"""So far apart values may lie that are told apart one by one."""

Node = TypeVar("Node")
Function = TypeVar("Function")
PossibleCell = tuple[int, Truth]
"""A cell that can be meant, and when."""

ToValue = Callable[[EvaluationContext], SymbolicValue]
ToNumber = Callable[[EvaluationContext], SymbolicNumber]
ToTruth = Callable[[EvaluationContext], Truth]
ToCells = Callable[[EvaluationContext], list[PossibleCell]]
ToCounts = Callable[[EvaluationContext], Counts]


class Index(NamedTuple):
    """One index of a cell, and between what it lies."""

    value: ToValue
    formula: ir.Expression
    low: int
    high: int
    size: int


class Cells(OncePerProgram):
    """Functions of what is read by index."""

    def __init__(self, program: LoweredGame) -> None:
        self.game = program.game
        self.layout = program.layout
        self.bounds = FormulaBounds.of(program)
        self.found: dict[tuple[object, int], tuple[object, Any]] = {}

    def kept(self, make: Callable[[Any, Node], Function], node: Node) -> Function:
        """A function of a part of the rules, made when it is first asked for."""
        key = make, id(node)
        if key not in self.found:
            self.found[key] = node, make(self, node)
        function: Function = self.found[key][1]
        return function

    @abstractmethod
    def value(self, e: ir.Expression) -> ToValue: ...

    # ------------------------------------------------------------ cells

    def indexed(self, formulas: Sequence[ir.Expression], bounds: Sequence[Scalar], base: int = 0) -> ToCells:
        """The combinations of indices that can be meant, by their numbers in row order from a base, and when."""
        indices = [Index(self.value(e), e, b.low, b.high, b.size) for e, b in zip(formulas, bounds, strict=True)]

        def cells(run: EvaluationContext) -> list[PossibleCell]:
            cell = 0
            for number, (find, _, low, high, size) in enumerate(indices):
                value = find(run)
                if value.__class__ is not int:
                    return several(run, indices[number:], value, cell, base)
                if not low <= value <= high:
                    return []
                cell = cell * size + value - low
            return [(base + cell, True)]

        return cells

    def slots(self, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]) -> ToCells:
        """The slots of the cells of a field."""
        bounds = [*([self.game.domains[owner.type.family].type] if owner is not None else []), *field.indices]
        formulas = (owner, *indices) if owner is not None else indices
        return self.indexed(formulas, bounds, self.layout.places[field.key].base)

    def target(self, target: ir.Load) -> ToCells:
        """The slots of what is written."""
        return self.slots(target.field, target.owner, target.indices)

    def load(self, e: ir.Load) -> ToValue:
        find, type_ = self.target(e), e.type
        if not e.indices and e.owner is None:
            return reader(self.layout.places[e.field.key].base)

        def load(run: EvaluationContext) -> SymbolicValue:
            cells = find(run)
            state = run.state
            if len(cells) == 1:
                value = state.values[cells[0][0]]
                return state.read(cells[0][0]) if value.__class__ in LAZY else value  # type: ignore[return-value]
            return selected(run, [(t, state.read(slot)) for slot, t in there(cells, e.span)], type_)

        return load

    def lookup(self, e: ir.Lookup) -> ToValue:
        find, values, type_ = self.indexed(e.indices, e.bounds), e.values, e.type
        return lambda run: selected(run, [(t, values[p]) for p, t in there(find(run), e.span)], type_)

    def joined(self, e: ir.Joined) -> ToValue:
        find = self.indexed(e.parts, e.bounds)
        return lambda run: run.model.one_of(there(find(run), e.span))

    def part(self, e: ir.Part) -> ToValue:
        stride = prod(bound.size for bound in e.bounds[e.position + 1 :])
        bound = e.bounds[e.position]
        whole, formula, type_ = self.value(e.whole), e.whole, e.type

        def part(run: EvaluationContext) -> SymbolicValue:
            options = cases(run, whole(run), formula)
            return selected(run, [(t, v // stride % bound.size + bound.low) for v, t in options], type_)

        return part

    # ------------------------------------------------------------ zones

    def zone(self, zone: ir.Zone) -> ToCells:
        """The slots of the sets that can be meant."""
        if ir.set_type(zone).short:
            return without_model(Unsupported(zone.span, ModelGap.LIMITED_SET))
        match zone:
            case ir.FieldZone():
                return self.slots(zone.field, zone.owner, zone.indices)
            case ir.LocalZone():
                return without_model(Unsupported(zone.span, ModelGap.LOCAL_SET))
            case _:
                assert_never(zone)

    def counts(self, zone: ir.Zone) -> ToCounts:
        """How many of each kind lie in a zone."""
        find = self.zone(zone)

        def counts(run: EvaluationContext) -> Counts:
            places = find(run)
            if len(places) == 1:
                return run.state.counts(places[0][0])
            return run.state.merged_zones([(t, run.state.counts(slot)) for slot, t in there(places, zone.span)], None)

        return counts

    def zone_size(self, e: ir.ZoneSize) -> ToValue:
        counts = self.counts(e.zone)
        return lambda run: run.model.total(counts(run))

    def zone_count(self, e: ir.ZoneCount) -> ToValue:
        find, element, formula, type_ = self.counts(e.zone), self.value(e.element), e.element, e.type
        first = ir.set_type(e.zone).element.low

        def zone_count(run: EvaluationContext) -> SymbolicValue:
            counts = find(run)
            options = [(v - first, t) for v, t in cases(run, element(run), formula) if 0 <= v - first < len(counts)]
            return selected(run, [(t, counts[kind]) for kind, t in there(options, e.span)], type_)

        return zone_count


def reader(key: int) -> ToValue:
    """What a slot or a local holds."""

    def read(run: EvaluationContext) -> SymbolicValue:
        value = run.state.values[key]
        return run.state.read(key) if value.__class__ in LAZY else value  # type: ignore[return-value]

    return read


def without_model(reason: Unsupported) -> Callable[[EvaluationContext], Never]:
    """A formula that has no model, which is told when it is evaluated."""

    def fail(run: EvaluationContext) -> Never:
        raise reason.with_traceback(None)

    return fail


def there(cells: list[PossibleCell], span: Span) -> list[PossibleCell]:
    """The cells that can be meant, one of which there has to be."""
    if not cells:
        raise Unsupported(span, ModelGap.NO_ENTRY)
    return cells


def several(
    run: EvaluationContext, indices: Sequence[Index], first: SymbolicValue, cell: int, base: int
) -> list[PossibleCell]:
    """The cells that can be meant if the first of the indices that are left has several values."""
    result: list[PossibleCell] = [(cell, True)]
    every = run.model.every
    value = first
    for number, (_, formula, low, high, size) in enumerate(indices):
        if number:
            value = indices[number].value(run)
        if isinstance(value, int):
            if not low <= value <= high:
                return []
            result = [(position * size + value - low, when) for position, when in result]
            continue
        options = [(v - low, t) for v, t in cases(run, value, formula) if low <= v <= high]
        if len(result) == 1 and result[0][1] is True:
            start = result[0][0] * size
            result = [(start + v, t) for v, t in options]
        else:
            result = [(position * size + v, every((when, t))) for position, when in result for v, t in options]
    return [(base + position, when) for position, when in result if when is not False]


def cases(run: EvaluationContext, value: SymbolicValue, e: ir.Expression) -> tuple[tuple[int, Truth], ...]:
    """What a value can be, and when: an element of a domain, or a number of few."""
    if isinstance(value, LinearExpression):
        if value.high - value.low > MANY_VALUES:
            raise Unsupported(e.span, ModelGap.MANY_VALUES)
        options = [(v, run.model.equal(value, v)) for v in range(value.low, value.high + 1)]
        return tuple([(v, t) for v, t in options if t is not False])
    if isinstance(value, BooleanLiteral):
        return ((1, value), (0, ~value))
    return alternatives(value)


def selected(run: EvaluationContext, options: list[tuple[Truth, SymbolicValue]], type_: Scalar) -> SymbolicValue:
    """The value of the case that holds."""
    if len(options) == 1:
        return options[0][1]
    model = run.model
    if type_.family == NUMBER:
        return model.selected([(t, as_number(model, v)) for t, v in options], None)
    if type_.family == TRUTH:
        return from_truth(model.some([model.every((t, truth(v))) for t, v in options]))
    return model.one_of([(v, model.every((t, u))) for t, value in options for v, u in alternatives(value)])
