"""Sets, orders and what is run through: zones, rankings, ranges, lists, types."""

from __future__ import annotations

from abc import abstractmethod
from typing import assert_never

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir import sizes
from chocolatl.interpreter.program.types import YES_NO, Multiset, OrderType, Scalar, number, union
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN
from chocolatl.interpreter.translate.space import SpaceTranslator

MAX_RUN = 100_000
"""So many numbers a loop or a formula runs through, and a player or chance chooses from."""


class DomainTranslator(SpaceTranslator):
    @abstractmethod
    def inner(self, name: t.Name, local: ir.Local) -> DomainTranslator:
        """The scope of an expression that binds one more name."""

    @abstractmethod
    def outside(self, scope: dict[str, ir.Local]) -> DomainTranslator:
        """A scope with nothing but these locals, for the body of another declaration."""

    def zone(self, node: t.Expression) -> ir.Zone | None:
        """A set that lies in a field or a local; None after a finding."""
        if isinstance(node, t.Reference) and node.name in self.scope:
            local = self.scope[node.name]
            if isinstance(local.type, Multiset):
                return ir.LocalZone(local, node.span)
            if local.type == UNKNOWN:
                return None
            self.error("E413", f"`{node.name}` is {local.type}, and a set is needed", node.span)
            return None
        if not isinstance(node, (t.Reference, t.Attribute, t.Indexed)):
            self.error("E413", "a set is needed here", node.span)
            return None
        located = self.locate(node)
        if located is None:
            return None
        field, owner, indices = located
        if not isinstance(field.type, Multiset):
            self.error("E413", f"`{field.name}` is {self.a(field.type)}, and a set is needed", node.span)
            return None
        return ir.FieldZone(field, owner, indices, node.span)

    def pieces(self, source: t.Expression, target: t.Expression) -> tuple[ir.Zone, ir.Zone] | None:
        """The sets that things are moved from and to; None after a finding."""
        zones = self.zone(source), self.zone(target)
        for zone in zones:
            if zone is not None and ir.set_type(zone).short:
                message = f"a {ir.set_type(zone)} is short, and nothing is moved into or out of it"
                self.error("E402", message, zone.span, "`add` and `remove` change a set of values")
                return None
        return (zones[0], zones[1]) if zones[0] is not None and zones[1] is not None else None

    def zone_type(self, zone: ir.Zone) -> Scalar:
        return ir.set_type(zone).element

    def capacity(self, zone: ir.Zone) -> int:
        return sizes.most_held(ir.set_type(zone), self.context.total)

    def length(self, order: ir.OrderSource) -> int:
        """The most elements that an order can have."""
        return sizes.reckoned_order(order, self.context.total, self.ranks)

    def most(self, domain: ir.Elements) -> int:
        """The most elements that a domain can have."""
        return sizes.reckoned(domain, self.context.total, self.ranks)

    def ranks(self, name: str) -> ir.Elements | None:
        """What a ranking ranks; None after a finding."""
        ranking = self.context.rankings[name]
        return ranking.domain if ranking is not None else None

    def order(self, node: t.Expression) -> tuple[ir.OrderSource, Scalar] | None:
        """A ranking evaluated here, or the order that a contest keeps; None after a finding."""
        if isinstance(node, t.Reference) and node.name in self.scope:
            local = self.scope[node.name]
            if isinstance(local.type, OrderType):
                return ir.HeldOrder(local), local.type.element
            if local.type == UNKNOWN:
                return None
            self.error("E401", f"`{node.name}` is {local.type}, and a ranking is needed", node.span)
            return None
        name = node.name.text if isinstance(node, t.Call) else node.name if isinstance(node, t.Reference) else None
        if name in self.program.broken:
            return None
        if name is None or name not in self.program.rankings:
            hint = nearest(name or "", self.program.rankings)
            if name is None:
                self.error("E402", "a ranking is needed here", node.span)
            else:
                self.error("E301", f"there is no ranking `{name}`", node.span, hint)
            return None
        ranking = self.ranking(name, node.span)
        if ranking is None:
            return None
        given = node.arguments if isinstance(node, t.Call) else ()
        arguments = self.arguments(name, ranking.parameters, given, node.span)
        assert isinstance(ranking.local.type, Scalar)
        return (ir.Ranked(name, arguments, node.span), ranking.local.type) if arguments is not None else None

    def ranking(self, name: str, span: Span) -> ir.Ranking | None:
        known = self.context.rankings
        if name in known:
            if name in self.context.busy:
                self.error("E311", f"`{name}` is ranked by itself", span)
            return known[name]
        known[name] = None
        self.context.busy.add(name)
        declared = self.program.rankings[name]
        known[name] = self.context.memoised(self.declared_ranking, declared)
        self.context.busy.remove(name)
        return known[name]

    def declared_ranking(self, d: t.Ranking) -> ir.Ranking | None:
        parameters, scope = self.context.parameters(d.parameters)
        return self.outside(scope).ranked(
            d.name.text, parameters, d.variable, d.domain, d.where, d.strict, d.keys, d.name.span
        )

    def ranked(
        self, name: str, parameters: tuple[ir.Local, ...], variable: t.Name, domain: t.Expression,
        where: t.Expression | None, strict: bool, keys: tuple[t.Key, ...], span: Span,
    ) -> ir.Ranking | None:  # fmt: skip
        """The body of a ranking; `winner` is one, too."""
        found = self.elements(domain)
        if found is None:
            return None
        local = self.context.local(variable.text, found[1])
        inner = self.inner(variable, local)
        condition = inner.truth(where) if where is not None else None
        translated = []
        for key in keys:
            asked = key.order is t.KeyOrder.YES
            body = inner.truth(key.expression) if asked else self.required(inner.number(key.expression))
            when = inner.truth(key.when) if key.when is not None else None
            if isinstance(when, ir.Constant) and not when.value:
                continue
            if when is not None and not isinstance(when, ir.Constant):
                nothing = self.constant(key.span, body.type, 0) if asked else self.number_constant(key.span, 0)
                body = ir.Conditional(key.span, union(body.type, nothing.type), when, body, nothing)
            text = "" if asked else f"{key.order} "
            text += (
                key.span.source.line(key.expression.span.line)[key.expression.span.column - 1 :].split("#")[0].strip()
            )
            translated.append(ir.Key(_descending(key.order), body, text))
        return ir.Ranking(name, parameters, local, found[0], condition, strict, tuple(translated), span)

    def elements(self, node: t.Expression, start: t.Expression | None = None) -> tuple[ir.Elements, Scalar] | None:
        """What is run through, and the type of one element; None after a finding."""
        match node:
            case t.YesNo():
                return ir.Whole(YES_NO, None), YES_NO
            case t.Range():
                low, high = self.number(node.low), self.number(node.high)
                if UNKNOWN.family in (low.type.family, high.type.family):
                    return None
                type_ = number(low.type.low, max(low.type.low, high.type.high))
                self.few(type_.size, MAX_RUN, "numbers to run through", node.span)
                return ir.Numbers(low, high), type_
            case t.Listed():
                items = [self.expression(node.items[0])]
                items += [self.expression(item, items[0].type) for item in node.items[1:]]
                if any(item.type.family == UNKNOWN.family for item in items):
                    return None
                element = items[0].type
                for item in items[1:]:
                    if item.type.family != element.family:
                        message = f"a list that begins with {self.a(element)} cannot hold {self.a(item.type)}"
                        self.error("E401", message, item.span)
                        return None
                    element = union(element, item.type)
                return ir.Listing(tuple(items)), element.required
            case t.Reference() if node.name not in self.scope and node.name in self.program.domains:
                type_ = self.program.domains[node.name].type
                return ir.Whole(type_, self.player(start) if start is not None else None), type_
            case t.TurnsOf():
                return self.turns(node)
            case t.Call():
                order = self.order(node)
                return (ir.OrderElements(order[0]), order[1]) if order else None
            case t.Reference() if node.name in self.program.rankings or (
                node.name in self.scope and isinstance(self.scope[node.name].type, OrderType)
            ):
                order = self.order(node)
                return (ir.OrderElements(order[0]), order[1]) if order else None
            case t.Reference() | t.Attribute() | t.Indexed():
                if isinstance(node, t.Reference) and node.name not in self.scope:
                    if (None, node.name) not in self.program.fields:
                        hint = nearest(node.name, [*self.program.domains, *self.program.rankings, *self.scope])
                        if node.name in self.program.broken:
                            return None
                        self.error("E301", f"there is nothing called `{node.name}` to run through", node.span, hint)
                        return None
                zone = self.zone(node)
                return (ir.ZoneElements(zone), self.zone_type(zone)) if zone is not None else None
        self.error("E402", "a type, a range, a set, a list or a ranking is needed here", node.span)
        return None

    def few(self, count: int, most: int, what: str, span: Span) -> None:
        """A finding when rules, which may come from a stranger, ask for more than a machine should be asked for."""
        if count > most:
            self.error("E504", f"these can be {count:,} {what}; {most:,} are possible", span)


def _descending(order: t.KeyOrder) -> bool:
    """Whether the greater key comes first; yes is greater than no."""
    match order:
        case t.KeyOrder.HIGHEST | t.KeyOrder.YES:
            return True
        case t.KeyOrder.LOWEST:
            return False
        case _:
            assert_never(order)
