"""Space in formulas: neighbours, sides of a circle, turned components, cells by their coordinates, pairs."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ArithmeticOperator
from chocolatl.interpreter.program import space
from chocolatl.interpreter.program.model import Domain, Turning
from chocolatl.interpreter.program.types import Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.access import AccessTranslator
from chocolatl.interpreter.translate.context import UNKNOWN


class SpaceTranslator(AccessTranslator):
    def neighbour(self, node: t.Neighbour) -> ir.Expression:
        cell = self.expression(node.cell)
        grid = self.program.domains.get(cell.type.family)
        if grid is None or not grid.sides:
            return self.wrong(cell, "a cell of a grid", node.cell.span)
        sides = self.program.domains[grid.sides].type
        side = self.fitting(node.side, sides, "what follows `at`")
        type_ = Scalar(grid.name, 0, grid.size - 1, optional=True)
        return self.entry(grid.neighbours, (grid.type, sides), (cell, side), type_, node.span)

    def opposite(self, node: t.Opposite) -> ir.Expression:
        side = self.expression(node.side)
        ring = self.ring(side)
        if ring is None:
            return self.wrong(side, "a member of a cyclic enum", node.side.span)
        if ring.size % 2:
            message = f"in `{ring.name}`, a circle of {ring.size}, nothing is opposite"
            self.error("E402", message, node.span, "`s turned by 1` is the next one in the circle")
            return self.unknown(node.span)
        members = tuple((member + ring.size // 2) % ring.size for member in range(ring.size))
        return self.entry(members, (ring.type,), (side,), ring.type, node.span)

    def turned_by(self, node: t.TurnedBy) -> ir.Expression:
        """A member so many places on in its circle, or a component that lies turned."""
        subject = self.expression(node.subject)
        turning = self.turning(subject)
        ring = self.ring(subject)
        if turning is not None:
            size, faces = turning.ring.size, turning.faces
            bounds = self.program.domains[subject.type.family].type, number(0, size - 1)
            type_ = self.program.domains[space.face_name(subject.type.family)].type
        elif ring is not None:
            size = ring.size
            faces = tuple((member + turn) % size for member in range(size) for turn in range(size))
            bounds = ring.type, number(0, size - 1)
            type_ = ring.type
        else:
            return self.wrong(subject, "a component with sides or a member of a cyclic enum", node.subject.span)
        steps = self.number(node.steps)
        turn = self.arithmetic(
            ArithmeticOperator.MODULO, steps, self.number_constant(node.steps.span, size), node.steps.span
        )
        if turn.type.family == UNKNOWN.family:
            return turn
        return self.entry(faces, bounds, (subject, turn), type_, node.span)

    def turns(self, node: t.TurnsOf) -> tuple[ir.Elements, Scalar] | None:
        """The turns after which a component looks different, as numbers from 0."""
        subject = self.expression(node.component)
        turning = self.turning(subject)
        if turning is None:
            self.wrong(subject, "a component with sides", node.component.span)
            return None
        domain = self.program.domains[subject.type.family]
        last = tuple(period - 1 for period in turning.periods)
        type_ = number(0, max(last, default=0))
        high = self.entry(last, (domain.type,), (subject,), type_, node.span)
        return ir.Numbers(self.number_constant(node.span, 0), high), type_

    def pair(self, node: t.Pair) -> ir.Expression:
        parts = tuple(self.required(self.expression(part)) for part in node.parts)
        if any(part.type.family == UNKNOWN.family for part in parts):
            return self.unknown(node.span)
        wholes = [self.program.domains[p.type.family].type if p.type.family in self.program.domains else p.type
                  for p in parts]  # fmt: skip
        type_ = space.pair(wholes, self.program, node.span, self.context.findings)
        return self.joined(self.program.domains[type_.family], parts, node.span) if type_ else self.unknown(node.span)

    def cell(self, grid: Domain, node: t.Call) -> ir.Expression:
        """`cell(0, 1)`: a cell by its coordinates."""
        if len(node.arguments) != len(grid.parts):
            self.error("E406", grid.miscounted(len(node.arguments)), node.span, grid.written)
            return self.unknown(node.span)
        parts = []
        for argument, (name, part) in zip(node.arguments, grid.parts, strict=True):
            found = self.number(argument)
            if found.type.family != UNKNOWN.family and (found.type.high < part.low or found.type.low > part.high):
                never = found.type.low if found.type.low == found.type.high else found.type
                self.error("E503", f"the `{name}` of a {grid.name} is {part}, never {never}", argument.span)
                found = self.unknown(argument.span)
            parts.append(found)
        if any(part.type.family == UNKNOWN.family for part in parts):
            return self.unknown(node.span)
        return self.joined(grid, tuple(parts), node.span)

    def joined(self, domain: Domain, parts: tuple[ir.Expression, ...], span: Span) -> ir.Expression:
        bounds = tuple(bound for _, bound in domain.parts)
        if all(isinstance(p, ir.Constant) and b.holds(p.type) for p, b in zip(parts, bounds, strict=True)):
            values = [part.value for part in parts if isinstance(part, ir.Constant)]
            return self.constant(span, domain.type, domain.join(values))
        return ir.Joined(span, domain.type, parts, bounds)

    def ring(self, side: ir.Expression) -> Domain | None:
        domain = self.program.domains.get(side.type.family)
        return domain if domain is not None and domain.cyclic else None

    def turning(self, component: ir.Expression) -> Turning | None:
        domain = self.program.domains.get(component.type.family)
        return domain.turning if domain is not None else None

    def wrong(self, found: ir.Expression, wanted: str, span: Span) -> ir.Expression:
        domain, hint = self.program.domains.get(found.type.family), ""
        if domain is not None and domain.is_enum and "cyclic" in wanted:
            hint = f"declare `cyclic enum {domain.name} = ...`"
        elif domain is not None and domain.copies and "component" in wanted:
            hint = space.unturned(domain, self.program)[1]
        if found.type.family != UNKNOWN.family:
            self.error("E401", f"this is {self.a(found.type)}, and {wanted} is needed", span, hint)
        return self.unknown(span)
