"""Statements that wait for somebody: choices of players and outcomes of chance."""

from __future__ import annotations

from math import prod

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.types import Multiset, Scalar, number
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.changes import ChangeTranslator
from chocolatl.interpreter.translate.context import UNKNOWN
from chocolatl.interpreter.translate.expressions import ExpressionTranslator

MAX_JOINT = 1_000_000
"""So many combinations a choice of several things together has at most."""
MAX_ROLLED = 10_000
"""So many dice are rolled at once."""
MAX_ODDS = 1 << 32
"""The odds of a roll add up to so much: one random number has 32 bits."""


class DecisionTranslator(ChangeTranslator):
    def choose(self, node: t.Choose) -> ir.Statement | None:
        player = self.player(node.player)
        if node.into is not None:
            return self.choose_set(node, player)
        scope = dict(self.scope)
        picks: list[ir.PickOne] = []
        name = ""
        indices: tuple[ir.Expression, ...] = ()
        for pick in node.picks:
            if pick.up_to or pick.most is not None or pick.name is not None or isinstance(pick.target, t.Number):
                self.error("E402", "a choice of several elements moves them and needs `into`", pick.span)
                return None
            found = ExpressionTranslator(self.context, scope).elements(
                pick.domain
            )  # a later one may name an earlier one
            if isinstance(pick.target, t.Reference) and (None, pick.target.name) not in self.program.fields:
                target = t.Name(pick.target.span, pick.target.name)
                element = found[1] if found else UNKNOWN
                local = self.chosen_local(target, element, node.optional)
                scope[target.text] = local
                name = name or target.text
                if found is not None:
                    picks.append(ir.PickOne(local, found[0], None, pick.span))
                continue
            located = self.locate(pick.target)
            if located is None or found is None:
                continue
            field, owner, field_indices = located
            if field == self.context.score or not isinstance(field.type, Scalar):
                self.error("E410", f"`{field.name}` cannot be chosen", pick.span)
                continue
            if found[1].family != field.type.family:
                self.error("E401", f"`{field.name}` is {self.a(field.type)}, not {self.a(found[1])}", pick.span)
                continue
            load = ir.Load(pick.target.span, field.type, field, owner, field_indices)
            picks.append(ir.PickOne(self.context.local(field.name, found[1]), found[0], load, pick.span))
            name, indices = name or field.name, indices or field_indices
        where = ExpressionTranslator(self.context, scope).truth(node.where) if node.where is not None else None
        text = self.prompt(node.text)
        if len(picks) < len(node.picks):
            self.scope.update(scope)
            return None
        sizes = [self.most(pick.domain) for pick in picks]
        self.few(prod(sizes), MAX_JOINT, "answers", node.span)
        # An optional choice yields none, so that what follows sees the wider type.
        for position, chosen in enumerate(picks):
            if node.optional and chosen.field is None and chosen.local.name not in self.scope:
                assert isinstance(chosen.local.type, Scalar)
                type_ = Scalar(chosen.local.type.family, chosen.local.type.low, chosen.local.type.high, True)
                wider = ir.Local(chosen.local.number, chosen.local.name, type_)
                picks[position] = ir.PickOne(wider, chosen.domain, None, chosen.span)
            elif node.optional and chosen.field is not None:
                picks[position] = self.left_out(chosen, chosen.field)
            if chosen.field is None:
                scope[chosen.local.name] = picks[position].local
        self.scope.update(scope)
        if node.name is not None:
            name, indices = node.name.text, indices
        return ir.Choose(node.span, self.here, player, tuple(picks), where, node.optional, name, indices, text)

    def left_out(self, chosen: ir.PickOne, target: ir.Load) -> ir.PickOne:
        """What may be left out is none as the field has it, which lies below the range of the field."""
        assert isinstance(chosen.local.type, Scalar)
        if not target.type.optional:
            self.error("E412", f"`{target.field.name}` is never none, so it must be chosen", chosen.span)
            return chosen
        if not target.type.holds(chosen.local.type):
            message = f"{target.type} and {chosen.local.type} differ in what none is; give them one range"
            self.error("E412", message, chosen.span)
            return chosen
        return ir.PickOne(
            ir.Local(chosen.local.number, chosen.local.name, target.type), chosen.domain, target, chosen.span
        )

    def chosen_local(self, name: t.Name, element: Scalar, optional: bool) -> ir.Local:
        """The local that gets the answer: a new one, or one that is there already and can hold it."""
        known = self.scope.get(name.text)
        if known is None:
            self.unshadowed(name)
            return self.context.local(name.text, element)
        wanted = Scalar(element.family, element.low, element.high, optional)
        if UNKNOWN in (known.type, element):
            return known
        if not isinstance(known.type, Scalar) or not known.type.holds(wanted):
            self.error("E401", f"`{name.text}` is {known.type} and cannot hold {wanted}", name.span)
        return known

    def choose_set(self, node: t.Choose, player: ir.Expression) -> ir.Statement | None:
        assert node.into is not None
        pick = node.picks[0]
        if len(node.picks) > 1 or node.optional:
            self.error(
                "E402", "a choice with `into` moves elements of one set, without `may` or a second set",
                node.span, "for a choice that may be left out write `up to 1 from ... into ...`",
            )  # fmt: skip
            return None
        least = self.number_constant(pick.span, 0) if pick.up_to else self.count(pick.target)
        most = self.count(pick.most if pick.most is not None else pick.target)
        zones = self.pieces(pick.domain, node.into)
        if zones is None:
            return None
        source, target = zones
        element = self.context.local(pick.name.text if pick.name else "element", self.zone_type(source))
        inner = self.inner(pick.name, element) if pick.name is not None else self
        if node.where is not None and pick.name is None:
            self.error(
                "E402", "`where` needs a name for the elements it is about", node.where.span,
                "for example `p chooses 2 c from p.hand where c.value > 3 into ...`",
            )  # fmt: skip
            return None
        where = inner.truth(node.where) if node.where is not None else None
        if self.zone_type(source) != self.zone_type(target):
            message = f"a set of {self.zone_type(source)} and a set of {self.zone_type(target)} do not mix"
            self.error("E401", message, node.span)
            return None
        name = target.field.name if isinstance(target, ir.FieldZone) else target.local.name
        indices = target.indices if isinstance(target, ir.FieldZone) else ()
        if node.name is not None:
            name = node.name.text
        text = self.prompt(node.text)
        return ir.ChooseSet(
            node.span, self.here, player, element, where, source, target, least, most, name, indices, text
        )

    def count(self, node: t.Expression) -> ir.Expression:
        """How many are chosen or rolled. What may be none or less than 0 is checked whenever it is asked for, so that
        no back end ever meets such a count."""
        found = self.required(self.number(node))
        if found.type == UNKNOWN or found.type.low >= 0:
            return found
        return ir.Narrowed(found.span, number(0, max(0, found.type.high)), found)

    def roll(self, node: t.Roll) -> ir.Statement | None:
        count = self.count(node.count) if node.count is not None else None
        if count is not None:
            self.few(count.type.high, MAX_ROLLED, "rolls at once", count.span)
        found = self.elements(node.domain)
        owner = self.player(node.owner) if node.owner is not None else None
        element_type = found[1] if found else UNKNOWN
        result: Scalar | Multiset = Multiset(element_type) if count is not None else element_type
        target: ir.Load | ir.Zone | None = None
        name = t.Name(node.target.span, node.target.name if isinstance(node.target, t.Reference) else "roll")
        in_field = not isinstance(node.target, t.Reference) or (None, node.target.name) in self.program.fields
        if in_field:
            located = self.locate(node.target)
            if located is None or found is None:
                return None
            field = located[0]
            name = t.Name(node.target.span, field.name)
            fits = field.type == result if isinstance(result, Multiset) else (
                isinstance(field.type, Scalar) and field.type.holds(result)
            )  # fmt: skip
            if field == self.context.score:
                self.error("E410", f"`{field.name}` is the score and cannot be rolled", node.target.span)
                return None
            if not fits:
                self.error("E401", f"`{field.name}` is {field.type} and cannot hold {result}", node.target.span)
                return None
            target = (
                ir.FieldZone(*located, node.target.span) if isinstance(field.type, Multiset)
                else ir.Load(node.target.span, field.type, *located)
            )  # fmt: skip
        element = self.context.local(name.text, element_type)
        inner = ExpressionTranslator(self.context, {**self.scope, name.text: element})
        where = inner.truth(node.where) if node.where is not None else None
        odds = inner.number(node.odds) if node.odds is not None else None
        if odds is not None and found is not None and odds.type != UNKNOWN:
            self.few(odds.type.high * self.most(found[0]), MAX_ODDS, "odds in all", odds.span)
        local = self.context.local(name.text, result) if in_field else self.bind(name, result)
        if found is None:
            return None
        if count is not None and self.is_piece(element_type):
            message = f"a {element_type} is a piece: it comes from another set"
            self.error("E410", message, node.span, "write `draw c from A into B`")
            return None
        return ir.Roll(node.span, self.here, local, target, found[0], element, where, odds, count, owner)

    def draw(self, node: t.Draw) -> ir.Statement | None:
        zones = self.pieces(node.source, node.target)
        owner = self.player(node.owner) if node.owner is not None else None
        local = self.bind(node.name, self.zone_type(zones[0]) if zones is not None else UNKNOWN)
        if zones is None:
            return None
        source, target = zones
        if self.zone_type(source) != self.zone_type(target):
            message = f"a set of {self.zone_type(source)} and a set of {self.zone_type(target)} do not mix"
            self.error("E401", message, node.span)
            return None
        return ir.Draw(node.span, self.here, local, source, target, owner)
