"""Statements that change something, to IR: assignments, points, moves, calls."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ArithmeticOperator, SetChange
from chocolatl.interpreter.program.fields import resolve_type
from chocolatl.interpreter.program.types import NUMBER, PLAYER, Multiset, OrderType, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN, Context, Scope
from chocolatl.interpreter.translate.expressions import ExpressionTranslator


class ChangeTranslator(ExpressionTranslator):
    """`here` is the path of the statement at hand."""

    def __init__(self, context: Context, scope: Scope) -> None:
        super().__init__(context, scope)
        self.here = ""

    def bind(self, name: t.Name, type_: Scalar | Multiset | OrderType) -> ir.Local:
        """A new local for the rest of this block."""
        self.unshadowed(name)
        local = self.context.local(name.text, type_)
        self.scope[name.text] = local
        return local

    def becomes(self, node: t.Becomes) -> ir.Statement | None:
        if isinstance(node.target, t.Reference) and node.target.name in self.scope:
            local = self.scope[node.target.name]
            if not isinstance(local.type, Scalar):
                self.error("E401", f"`{local.name}` is a {local.type} and cannot be changed so", node.target.span)
                return None
            if local.type.low == local.type.high and local.type.family == NUMBER:
                self.error(
                    "E503", f"`{local.name}` can only be {local.type.low}, so it cannot be changed", node.target.span,
                    f"give it a range where it is declared: `let {local.name} : 0..9 = ...`",
                )  # fmt: skip
                return None
            value = self.fitting(node.value, local.type, f"`{local.name}`")
            return ir.SetLocal(node.span, self.here, local, value)
        located = self.locate(node.target)
        if located is None:
            return None
        field, owner, indices = located
        if field == self.context.score:
            self.error(
                "E409", f"`{field.name}` is the score: every change of it says what for", node.span,
                f"write `p gains N {field.name} for ITEM`, or `loses`",
            )  # fmt: skip
            return None
        if field.owner is None and (field.name == "round" or field.name in self.program.latches):
            hint = "its loop counts it" if field.name == "round" else "a latch turns yes by itself"
            self.error("E410", f"`{field.name}` is not changed by hand", node.span, hint)
            return None
        if isinstance(field.type, Multiset):
            return self.becomes_set(node, ir.FieldZone(field, owner, indices, node.target.span))
        value = self.fitting(node.value, field.type, f"`{field.name}`")
        return ir.Store(node.span, self.here, ir.Load(node.target.span, field.type, field, owner, indices), value)

    def becomes_set(self, node: t.Becomes, target: ir.FieldZone) -> ir.Statement | None:
        source = self.zone(node.value)
        if source is None:
            return None
        element = self.zone_type(target)
        if self.is_piece(element):
            self.error(
                "E410", "components are moved, not copied", node.span, "write `move all A to B` or `move c from A to B`"
            )
            return None
        if ir.set_type(source).short != ir.set_type(target).short or self.zone_type(source) != element:
            self.error("E401", f"a {ir.set_type(source)} is no {ir.set_type(target)}", node.span)
            return None
        if self.is_unseen(target, node.span):
            return None
        return ir.CopyZone(node.span, self.here, target, source)

    def gains(self, node: t.Gains) -> ir.Statement | None:
        field_name = t.Attribute(node.subject.span.to(node.field.span), node.subject, node.field)
        target = t.Indexed(field_name.span, field_name, node.indices) if node.indices else field_name
        located = self.locate(target)
        amount = self.number(node.amount)
        limit = self.number(node.limit[1]) if node.limit else None
        if isinstance(limit, ir.Constant) and limit.type.optional and limit.value == limit.type.none:
            limit = None  # a parameter that says: no limit
        elif limit is not None:
            limit = self.required(limit)
        if located is None:
            return None
        field, owner, indices = located
        if not isinstance(field.type, Scalar) or field.type.family != NUMBER or field.type.optional:
            what = f"a {field.type}" if isinstance(field.type, Multiset) else self.a(field.type)
            self.error("E401", f"`{field.name}` is {what}; only numbers grow", node.field.span)
            return None
        load = ir.Load(target.span, field.type, field, owner, indices)
        if node.loses:
            nothing = self.number_constant(node.amount.span, 0)
            amount = self.bounded(self.arithmetic(ArithmeticOperator.SUBTRACT, nothing, amount, node.amount.span))
        value = self.bounded(self.arithmetic(ArithmeticOperator.ADD, load, amount, node.span))
        least, most = _limits(node.limit[0], limit) if node.limit else (None, None)
        if field == self.context.score:
            if node.item is None:
                self.error(
                    "E409", f"`{field.name}` is the score: say what for", node.span,
                    f"add it, as in `{field.name} for winnings`: an `item`, or a member of an enum",
                )  # fmt: skip
                return None
            item = self.item(node.item)
            if item is None:
                return None
            text = self.prompt(node.text)
            return ir.Award(node.span, self.here, load, amount, least, most, item[0], item[1], text)
        if node.item is not None and self.context.score is not None:
            self.error("E409", f"`for` explains points, and `{field.name}` is not the score", node.item.span)
        if most is not None:
            value = self.arithmetic(ArithmeticOperator.MINIMUM, value, most, node.span)
        if least is not None:
            value = self.arithmetic(ArithmeticOperator.MAXIMUM, value, least, node.span)
        return ir.Store(node.span, self.here, load, value)

    def item(self, node: t.Expression) -> tuple[ir.Expression, tuple[int, ...]] | None:
        """An entry of the breakdown: a declared item, or an element of an enum by its name."""
        if isinstance(node, t.Reference) and node.name not in self.scope and node.name in self.program.items:
            return self.number_constant(node.span, 0), (self.context.item(node.name),)
        if isinstance(node, t.Reference) and node.name not in self.scope and node.name not in self.program.members:
            known = [*self.program.items, *self.program.members, *self.scope]
            hint = nearest(node.name, known) or f'declare it: `item {node.name} "What it is"`'
            self.error("E301", f"there is no item `{node.name}`", node.span, hint)
            return None
        found = self.expression(node)
        domain = self.program.domains.get(found.type.family)
        if domain is None or not domain.is_enum:
            if found.type.family != UNKNOWN.family:
                self.error("E401", f"an item is needed, and this is {self.a(found.type)}", node.span)
            return None
        if isinstance(found, ir.Constant):
            label = str(domain.labels[found.value])
            return self.number_constant(node.span, 0), (self.context.item(label),)
        return found, tuple(self.context.item(str(label)) for label in domain.labels)

    def let(self, node: t.Let) -> ir.Statement | None:
        if node.type is not None:
            declared = resolve_type(node.type, self.program, self.context.findings)
            type_ = declared if isinstance(declared, Scalar) else UNKNOWN
            if isinstance(declared, Multiset):
                self.error("E402", "`let` holds a single value, not a set", node.type.span)
                self.bind(node.name, UNKNOWN)
                return None
            value = self.fitting(node.value, type_, f"`{node.name.text}`")
        else:
            value = self.expression(node.value)
            type_ = value.type
        return ir.SetLocal(node.span, self.here, self.bind(node.name, type_), value)

    def do(self, node: t.Do) -> ir.Statement | None:
        clauses = self.program.procedures.get(node.name.text)
        window = self.program.windows.get(node.name.text)
        if window is not None:
            who = (ir.Local(0, window.variable.text, self.program.domains[PLAYER].type),)
            given = self.arguments(node.name.text, who, node.arguments, node.span)
            return ir.Call(node.span, self.here, node.name.text, given) if given is not None else None
        if clauses is None:
            hint = nearest(node.name.text, [*self.program.procedures, *self.program.windows])
            if node.name.text in self.program.events:
                hint = f"an event is announced: `announce {node.name.text}`"
            if node.name.text in self.program.values:
                hint = f"`{node.name.text}` is a value, and stands in formulas"
            if node.name.text not in self.program.broken:
                self.error("E301", f"there is no procedure `{node.name.text}`", node.name.span, hint)
            return None
        names = tuple(ir.Local(0, p.name.text, self.parameter_type(p, clauses)) for p in clauses[0].parameters)
        arguments = self.arguments(node.name.text, names, node.arguments, node.span)
        return ir.Call(node.span, self.here, node.name.text, arguments) if arguments is not None else None

    def announce(self, node: t.Announce) -> ir.Statement | None:
        event = self.program.events.get(node.name.text)
        if event is None:
            if node.name.text not in self.program.broken:
                hint = nearest(node.name.text, self.program.events)
                self.error("E301", f"there is no event `{node.name.text}`", node.name.span, hint)
            return None
        names = tuple(ir.Local(0, p.name.text, self.parameter_type(p, [])) for p in event.parameters)
        arguments = self.arguments(node.name.text, names, node.arguments, node.span)
        return ir.Call(node.span, self.here, node.name.text, arguments) if arguments is not None else None

    def parameter_type(self, parameter: t.Parameter, clauses: list[t.Procedure]) -> Scalar:
        if parameter.type is None:
            domain = self.context.selected(clauses)
            return domain.type if domain is not None else UNKNOWN
        resolved = resolve_type(parameter.type, self.program, self.context.findings)
        return resolved if isinstance(resolved, Scalar) else UNKNOWN

    def move(self, node: t.Move) -> ir.Statement | None:
        zones = self.pieces(node.source, node.target)
        if zones is None:
            return None
        source, target = zones
        element = self.zone_type(source)
        if element != self.zone_type(target):
            self.error("E401", f"a set of {element} and a set of {self.zone_type(target)} do not mix", node.span)
            return None
        if node.how is t.Movement.REVEAL:
            hidden = isinstance(source, ir.FieldZone) and source.field.visibility != "open"
            seen = isinstance(target, ir.FieldZone) and target.field.visibility == "open"
            conditional = isinstance(source, ir.FieldZone) and self.was_conditional(source)
            if not (seen and (hidden or conditional)):
                self.error("E405", "`reveal` goes from a secret or hidden set into an open one", node.span)
        under = node.how is t.Movement.UNDER
        if under and not isinstance(target, ir.FieldZone):
            self.error("E402", "only a set that the table or a player has can be a deck", node.target.span)
            return None
        if under and not self.is_piece(element):
            # Values come and go by themselves; an order of them would not stay what it was.
            message = f"only pieces keep their place under a set, and this is a set of {element}"
            self.error("E402", message, node.target.span, "`move` puts plain values into a set")
            return None
        match node.how:
            case t.Movement.ALL | t.Movement.REVEAL:
                return ir.MoveAll(node.span, self.here, source, target)
            case t.Movement.MOVE | t.Movement.UNDER:
                assert node.element is not None
                moved = self.fitting(node.element, element, "what lies in the set")
                return ir.MoveElement(node.span, self.here, moved, source, target, under)
            case _:
                assert_never(node.how)

    def alter(self, node: t.Alter) -> ir.Statement | None:
        """A set of values changes. Components cannot come from nowhere, so these are moved."""
        zone = self.zone(node.target)
        if zone is None:
            return None
        type_ = self.zone_type(zone)
        if self.is_piece(type_):
            verb, words = _moved_instead(node.how)
            self.error("E410", f"a {type_} is a piece: it {verb} another set", node.span, f"write `{words}`")
            return None
        if self.is_unseen(zone, node.span):
            return None
        element = self.fitting(node.element, type_, "what lies in the set") if node.element is not None else None
        return ir.ChangeSet(node.span, self.here, node.how, zone, element)

    def is_piece(self, element: Scalar) -> bool:
        """Whether it is a component, which is moved and never made."""
        domain = self.program.domains.get(element.family)
        return domain is not None and bool(domain.copies)

    def is_unseen(self, zone: ir.Zone, span: Span) -> bool:
        """Report that a set is not open. Knowledge follows what is moved or rolled; of a value that comes from nowhere,
        others could tell nothing."""
        if not isinstance(zone, ir.FieldZone) or zone.field.visibility == "open":
            return False
        message = f"`{zone.field.name}` is {zone.field.visibility}, and values come and go in the open"
        self.error("E405", message, span, "what others must not see is moved or rolled there")
        return True

    def was_conditional(self, zone: ir.FieldZone) -> bool:
        """A zone whose secrecy a parameter switched off may still be revealed: nothing changes by it."""
        for declaration in self.program.files.rules.declarations:
            if isinstance(declaration, t.State):
                for field in declaration.fields:
                    if field.name.span == zone.field.span:
                        return field.visibility is not None
        return False


def _moved_instead(how: SetChange) -> tuple[str, str]:
    """What a piece does that would change a set of values so, and how that is written."""
    match how:
        case SetChange.ADD:
            return "comes from", "move c from A to B"
        case SetChange.REMOVE:
            return "goes to", "move c from A to B"
        case SetChange.CLEAR:
            return "goes to", "move all A to B"
        case _:
            assert_never(how)


def _limits(which: t.Limit, bound: ir.Expression | None) -> tuple[ir.Expression | None, ir.Expression | None]:
    """The least and the most that a number becomes."""
    match which:
        case t.Limit.LEAST:
            return bound, None
        case t.Limit.MOST:
            return None, bound
        case _:
            assert_never(which)
