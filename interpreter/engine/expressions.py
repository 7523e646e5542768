"""IR expressions to Python expressions over the flat list `s` (code generation).

Nothing a user wrote gets into the text: names become numbers, so that the emitted code can only compute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import assert_never

from chocolatl.interpreter.engine.watch import BRANCH, NO, YES, ProbedPart, Probes, excerpt
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    complete,
    is_equality,
    tells_apart,
)
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.lowered.fold import Folder
from chocolatl.interpreter.lowered.layout import FieldSlots, Layout
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import TRUTH, OrderType, Scalar
from chocolatl.interpreter.source import Span

COMPARED: Mapping[ComparisonOperator, str] = complete(ComparisonOperator, {
    ComparisonOperator.EQUAL: "==", ComparisonOperator.UNEQUAL: "!=",
    ComparisonOperator.LESS: "<", ComparisonOperator.AT_MOST: "<=",
    ComparisonOperator.MORE: ">", ComparisonOperator.AT_LEAST: ">=",
}, __name__)  # fmt: skip
JOINED: Mapping[LogicOperator, str] = complete(
    LogicOperator, {LogicOperator.AND: "and", LogicOperator.OR: "or"}, __name__
)
"""What Python writes."""


class PythonExpressionEmitter:
    """`where` maps the number of a local to the Python expression that holds it."""

    def __init__(self, layout: Layout, sites: Sites, literal: bool = False) -> None:
        self.layout = layout
        self.sites = sites
        self.values = {name: position for position, name in enumerate(layout.game.values)}
        self.rankings = {name: position for position, name in enumerate(layout.game.rankings)}
        self.where: dict[int, str] = {}
        self.tables: dict[tuple[int, ...], str] = {}
        folder = Folder(layout.game, literal)
        self.fold, self.written, self.fails = folder.fold, folder.written, folder.failures.of_itself
        self.can_fail = folder.failures.can_fail
        self.watch = Probes() if literal else None
        self.remembered: dict[str, str] = {}
        """Functions of the content of a zone alone, by what they compute."""

    # ------------------------------------------------------------ scalars

    def integer(self, e: ir.Expression) -> str:
        """An expression to be stored: yes and no as 1 and 0."""
        e = self.fold(e)
        text = self.emit(e)
        plain = isinstance(e, (ir.Constant, ir.Read, ir.Load, ir.Lookup))
        return text if e.type.family != TRUTH or plain else f"int({text})"

    def emit(self, e: ir.Expression) -> str:
        e = self.fold(e)
        match e:
            case ir.Constant():
                return str(e.value) if e.value >= 0 else f"({e.value})"
            case ir.Read():
                return self.where[e.local.number]
            case ir.Load():
                return f"s[{self.address(e.field, e.owner, e.indices)}]"
            case ir.Lookup():
                return self.lookup(e)
            case ir.Joined():
                return f"({self.joined(e)})"
            case ir.Part():
                return self.part(e)
            case ir.Arithmetic():
                return self.arithmetic(e)
            case ir.Comparison():
                return self.comparison(e)
            case ir.Logic():
                return f"({self.emit(e.left)} {JOINED[e.operator]} {self.emit(e.right)})"
            case ir.Not():
                return f"(not {self.emit(e.operand)})"
            case ir.Conditional():
                condition = self.way(self.emit(e.condition), e.condition.span)
                return f"({self.emit(e.then)} if {condition} else {self.emit(e.otherwise)})"
            case ir.Required():
                site = self.sites.add(e.span, complaints.absent(e.type, self.written(e.operand), self.layout.game))
                return f"required({self.emit(e.operand)}, {e.operand.type.none}, {site})"
            case ir.Narrowed():
                site = self.sites.add(e.span, complaints.narrowed(e))
                return f"check({self.emit(e.operand)}, {e.type.low}, {e.type.high}, {site})"
            case ir.Aggregate():
                return self.aggregate(e)
            case ir.ZoneSize() if ir.set_type(e.zone).short:
                return f"len({self.zone(e.zone)})"
            case ir.ZoneCount() if ir.set_type(e.zone).short:
                element = self.checked(e.element, ir.set_type(e.zone).element, "this")
                return f"{self.zone(e.zone)}.count({element})"
            case ir.ZoneSize():
                return f"size({self.zone(e.zone)})"
            case ir.ZoneCount():
                return f"count({self.zone(e.zone)}, {self.kind(e.element, e.zone)})"
            case ir.CallValue():
                return f"value_{self.values[e.name]}({self.arguments('s', e.arguments, e.name)})"
            case ir.PlaceOf():
                site = self.sites.add(e.span, "there is not exactly one at this place: {}")
                return f"place_of({self.order(e.order)}, {e.place}, {site})"
            case ir.RankOf():
                return f"rank_of({self.order(e.order)}, {self.emit(e.element)})"
            case _:
                assert_never(e)

    def way(self, condition: str, span: Span) -> str:
        """A condition that decides between two ways; of a literal program it is counted how it comes out."""
        if self.watch is None:
            return condition
        name = excerpt(span)
        number = self.watch.add(ProbedPart(BRANCH, name, span, YES), ProbedPart(BRANCH, name, span, NO))
        return f"way({condition}, {number})"

    def seen(self, kind: str, name: str, span: Span) -> list[str]:
        """In a literal program, a line that counts how often a part of the rules is reached."""
        return [] if self.watch is None else [f"    seen({self.watch.add(ProbedPart(kind, name, span))})"]

    def checked(self, e: ir.Expression, type_: Scalar, what: str) -> str:
        """A value that must be of a type; the check is left out where the ranges prove it."""
        e = self.fold(e)
        text = self.emit(e)
        if type_.holds(e.type):
            return text
        low, high = type_.bounds_for(e.type)
        written = self.written(e)
        site = self.sites.add(written.span, complaints.outside(written, type_, what, self.layout.game))
        return f"check({text}, {low}, {high}, {site})"

    def arguments(self, first: str, given: tuple[ir.Expression, ...], name: str) -> str:
        game = self.layout.game
        owner: ir.Value | ir.Ranking = game.values[name] if name in game.values else game.rankings[name]
        parts = [first]
        for parameter, argument in zip(owner.parameters, given, strict=True):
            assert isinstance(parameter.type, Scalar)
            parts.append(self.checked(argument, parameter.type, f"`{parameter.name}`"))
        return ", ".join(parts)

    def arithmetic(self, e: ir.Arithmetic) -> str:
        left, right = self.emit(e.left), self.emit(e.right)
        match e.operator:
            case ArithmeticOperator.ADD:
                return f"({left} + {right})"
            case ArithmeticOperator.SUBTRACT:
                return f"({left} - {right})"
            case ArithmeticOperator.MULTIPLY:
                return f"({left} * {right})"
            case ArithmeticOperator.MINIMUM:
                return f"min({left}, {right})"
            case ArithmeticOperator.MAXIMUM:
                return f"max({left}, {right})"
            case ArithmeticOperator.DIVIDE:
                sign, function = "//", "divide"
            case ArithmeticOperator.MODULO:
                sign, function = "%", "modulo"
            case _:
                assert_never(e.operator)
        if not self.fails(e):
            return f"({left} {sign} {right})"
        site = self.sites.add(e.span, "this divides by zero")
        return f"{function}({left}, {right}, {site})"

    def comparison(self, e: ir.Comparison) -> str:
        left, right = self.emit(e.left), self.emit(e.right)
        text = f"({left} {COMPARED[e.operator]} {right})"
        a, b = e.left.type, e.right.type
        if a.optional != b.optional and is_equality(e.operator):
            # The none of one side may be a number of the other.
            optional, other = (e.left, e.right) if a.optional else (e.right, e.left)
            none = optional.type.none
            if other.type.low <= none <= other.type.high and not isinstance(other, ir.Constant):
                held = self.emit(optional)
                return f"({text} or {held} == {none})" if tells_apart(e.operator) else f"({text} and {held} != {none})"
            if isinstance(other, ir.Constant) and other.value == none:
                return f"({self.emit(optional)} {COMPARED[e.operator]} {none - 1})"  # never so; yet it may fail
        return text

    def lookup(self, e: ir.Lookup) -> str:
        return f"{self.table(e.values)}[{self.position(e.indices, e.bounds)}]"

    def table(self, values: tuple[int, ...]) -> str:
        """A constant table: a short one as it stands, a long one by a name, so that it is there once."""
        if len(values) <= 32:
            return repr(values)
        return self.tables.setdefault(values, f"table_{len(self.tables)}")

    def joined(self, e: ir.Joined) -> str:
        domain = self.layout.game.domains[e.type.family]
        return self.position(e.parts, e.bounds, [complaints.part(domain, name) for name, _ in domain.parts])

    def position(
        self, indices: tuple[ir.Expression, ...], bounds: tuple[Scalar, ...], called: Sequence[str] = ()
    ) -> str:
        """The number of a combination of indices, in row order."""
        position = ""
        for index, bound, what in zip(indices, bounds, called or ["the index"] * len(indices), strict=True):
            text = self.checked(index, bound, what)
            step = f"{text} - {bound.low}" if bound.low > 0 else f"{text} + {-bound.low}" if bound.low else text
            position = f"({position}) * {bound.size} + {step}" if position else step
        return position

    def part(self, e: ir.Part) -> str:
        """A part of a joined value: of the number of a combination, one index."""
        stride = prod(bound.size for bound in e.bounds[e.position + 1 :])
        text = self.emit(e.whole)
        text = f"{text} // {stride}" if stride > 1 else text
        text = f"{text} % {e.bounds[e.position].size}" if e.position else text
        low = e.bounds[e.position].low
        return f"({text} + {low})" if low else f"({text})"

    def aggregate(self, e: ir.Aggregate) -> str:
        name = f"v{e.local.number}"
        zone = e.domain.zone if isinstance(e.domain, ir.ZoneElements) and not is_short(e.domain) else None
        alone = zone is not None and depends_on(e.local, e.where, e.body)
        domain = self.elements(e.domain)
        if zone is not None:
            domain = self.counted(zone, "z" if alone else self.zone(zone))
        self.where[e.local.number] = name
        body = self.emit(e.body) if e.body is not None else "1"
        if zone is not None:
            copies = f"n{e.local.number}"
            name, body = f"{name}, {copies}", _of_copies(e.kind, body, copies)
        condition = f" if {self.emit(e.where)}" if e.where is not None else ""
        inner = f"{body} for {name} in {domain}{condition}"
        match e.kind:
            case AggregateKind.SOME:
                text = f"any([{inner}])"
            case AggregateKind.EVERY:
                text = f"all([{inner}])"
            case AggregateKind.NUMBER | AggregateKind.SUM:
                text = f"sum([{inner}])"
            case AggregateKind.HIGHEST | AggregateKind.LOWEST:
                site = self.sites.add(e.span, f"there is nothing to find the {e.kind} of")
                text = f"extreme([{inner}], {e.kind is AggregateKind.HIGHEST}, {site})"
            case _:
                assert_never(e.kind)
        return self.remember(text, zone) if alone and zone is not None else text

    def remember(self, text: str, zone: ir.Zone) -> str:
        """What only depends on the content `z` of a zone, computed once for each content."""
        name = self.remembered.setdefault(text, f"content_{len(self.remembered)}")
        return f"{name}({self.zone(zone)})"

    # ------------------------------------------------------------ places

    def address(self, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]) -> str:
        """The slot of a field's cell: a number where everything is constant."""
        place, cell = self.cell(field, owner, indices)
        return str(place.base + cell) if isinstance(cell, int) else f"{place.base} + {cell}"

    def cell(
        self, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]
    ) -> tuple[FieldSlots, int | str]:
        """The place of a field and the number of one of its cells, as a number or as Python."""
        place = self.layout.places[field.key]
        dimensions: list[tuple[ir.Expression, Scalar]] = []
        if owner is not None:
            dimensions.append((owner, self.layout.game.domains[owner.type.family].type))
        dimensions += list(zip(indices, place.field.indices, strict=True))
        constant: int | None = 0
        text = ""
        for unfolded, bound in dimensions:
            expression = self.fold(unfolded)
            part = self.checked(expression, bound, "the index")
            if isinstance(expression, ir.Constant) and constant is not None and bound.holds(expression.type):
                constant = constant * bound.size + expression.value - bound.low
                text = str(constant)
                continue
            constant = None
            step = f"{part} - {bound.low}" if bound.low > 0 else f"{part} + {-bound.low}" if bound.low else part
            text = f"({text}) * {bound.size} + {step}" if text not in ("", "0") else step
        return place, constant if constant is not None else text

    def zone(self, zone: ir.Zone) -> str:
        """The integer that a zone is."""
        return f"s[{self.zone_slot(zone)}]"

    def zone_slot(self, zone: ir.Zone) -> str:
        if isinstance(zone, ir.FieldZone):
            return self.address(zone.field, zone.owner, zone.indices)
        return self.where[zone.local.number]

    def counted(self, zone: ir.Zone, content: str) -> str:
        """The elements of a zone with this content, each once, with the number of copies."""
        low = element_of(zone).low
        return f"[({low} + k, n) for k, n in copies({content})]" if low else f"copies({content})"

    def zone_number(self, zone: ir.Zone) -> str:
        """The number of a zone that is not open, -1 for the others."""
        if not isinstance(zone, ir.FieldZone) or zone.field.visibility == "open":
            return "-1"
        place, cell = self.cell(zone.field, zone.owner, zone.indices)
        return str(place.zone + cell) if isinstance(cell, int) else f"{place.zone} + {cell}"

    def under(self, zone: ir.Zone) -> str | None:
        """The slot of a deck's known bottom, None for a zone that has none."""
        if not isinstance(zone, ir.FieldZone) or zone.field.key not in self.layout.unders:
            return None
        base = self.layout.unders[zone.field.key]
        _, cell = self.cell(zone.field, zone.owner, zone.indices)
        width = self.layout.under_width(zone.field)
        return str(base + cell * width) if isinstance(cell, int) else f"{base} + ({cell}) * {width}"

    def listed(self, zone: ir.Zone, content: str, how: str = "elements") -> str:
        """The elements of a zone with this content."""
        low = element_of(zone).low
        return f"[{low} + k for k in {how}({content})]" if low else f"{how}({content})"

    def kind(self, element: ir.Expression, zone: ir.Zone) -> str:
        """An element as its position among the kinds of a zone."""
        type_ = element_of(zone)
        text = self.checked(element, type_, "this")
        return f"({text} - {type_.low})" if type_.low > 0 else f"({text} + {-type_.low})" if type_.low else text

    def order(self, source: ir.OrderSource) -> str:
        if isinstance(source, ir.Ranked):
            return f"ranking_{self.rankings[source.name]}({self.arguments('s', source.arguments, source.name)})"
        held = self.where[source.local.number]
        assert isinstance(source.local.type, OrderType)
        # In a procedure that never waits the order is a Python value, elsewhere it lies in slots.
        return held if held.startswith("v") else f"held(s, {held}, {source.local.type.most})"

    def elements(self, domain: ir.Elements, distinct: bool = False) -> str:
        """Something that Python can loop over. Choices see each element of a zone once."""
        match domain:
            case ir.Numbers():
                return f"range({self.emit(domain.low)}, {self.emit(domain.high)} + 1)"
            case ir.Whole(start=None):
                return f"range({domain.type.low}, {domain.type.high + 1})"
            case ir.Whole():
                assert domain.start is not None
                start = self.checked(domain.start, domain.type, "the start")
                return f"seats({start}, {domain.type.size})"
            case ir.Listing():
                items = ", ".join(self.emit(item) for item in domain.items)
                return f"sorted({{{items}}})" if distinct else f"({items},)"
            case ir.OrderElements():
                return f"{self.order(domain.order)}[0]"
            case ir.ZoneElements() if ir.set_type(domain.zone).short:
                held = self.zone(domain.zone)
                return f"dict.fromkeys({held})" if distinct else held
            case ir.ZoneElements():
                return self.listed(domain.zone, self.zone(domain.zone), "kinds" if distinct else "elements")
            case _:
                assert_never(domain)

    def prompt(self, prompt: ir.Prompt) -> str:
        """The values in a name, in order."""
        return _tuple([self.integer(p) for p in prompt.parts if isinstance(p, ir.Expression)])

    def told(self, prompt: ir.Prompt | None) -> str:
        """The values in a text for people, in order; None for what cannot be told. Nobody has to read a text, so that a
        game must not fail for one."""
        parts = [p for p in prompt.parts if isinstance(p, ir.Expression)] if prompt else []
        return _tuple([f"if_any(lambda: {self.integer(p)})" if self.can_fail(p) else self.integer(p) for p in parts])

    def site(self, span: Span, message: str) -> int:
        return self.sites.add(span, message)


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)},)" if parts else "()"


def _of_copies(kind: AggregateKind, body: str, copies: str) -> str:
    """What all copies of an element add to a formula, of which one adds `body`."""
    match kind:
        case AggregateKind.NUMBER:
            return copies
        case AggregateKind.SUM:
            return f"{copies} * {body}"
        case AggregateKind.SOME | AggregateKind.EVERY | AggregateKind.HIGHEST | AggregateKind.LOWEST:
            return body
        case _:
            assert_never(kind)


def element_of(zone: ir.Zone) -> Scalar:
    """The type of what lies in a zone."""
    return ir.set_type(zone).element


def is_short(domain: ir.ZoneElements) -> bool:
    return ir.set_type(domain.zone).short


def depends_on(local: ir.Local, *expressions: ir.Expression | None) -> bool:
    """Whether expressions read nothing but this local and what never changes; of all other kinds it is not known."""
    unchanging = (ir.Constant, ir.Lookup, ir.Arithmetic, ir.Comparison, ir.Logic, ir.Not, ir.Conditional)
    return all(
        isinstance(part, unchanging) or (isinstance(part, ir.Read) and part.local.number == local.number)
        for expression in expressions
        if expression is not None
        for part in inside(expression)
    )
