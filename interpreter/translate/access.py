"""Names in expressions (name resolution): parameters, tables, fields, attributes, and whose they are."""

from __future__ import annotations

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.constants import dotted
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, OWNER, PLAYER, Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.words import OPENERS, RESERVED
from chocolatl.interpreter.translate.context import UNKNOWN
from chocolatl.interpreter.translate.scope import Scoped


class AccessTranslator(Scoped):
    def parameter(self, name: str, span: Span, expected: Scalar | None) -> ir.Expression:
        """A parameter; one whose value is a member's name is that member where a member is expected."""
        found = self.program.constants[name]
        domain = self.program.domains.get(expected.family) if expected is not None else None
        if domain is not None and found.type.family in self.program.options:
            word = self.program.options[found.type.family][found.value]
            if word in domain.labels:
                return self.constant(span, domain.type, domain.labels.index(word))
        return self.constant(span, found.type, found.value)

    def missing(self, name: str, span: Span, expected: Scalar | None = None) -> None:
        program = self.program
        if name in program.broken:
            return
        if name in program.places or name in program.domains:
            grid = program.domains.get(name)
            hint = f"for one of them, {grid.written}" if grid is not None and grid.sides else ""
            self.error("E401", f"`{name}` is not a value", span, hint)
            return
        known = [*self.scope, *program.constants, *program.values, *program.members, *program.tables, "player_count"]
        known += [field for owner, field in program.fields if owner is None]
        if expected is not None and expected.family in program.options:
            known = [str(option) for option in program.options[expected.family]]
            hint = nearest(name, known) or "one of " + ", ".join(known)
            self.error("E302", f"`{name}` is not an option of this parameter", span, hint)
            return
        from chocolatl.interpreter.syntax.mistakes import word_advice  # with the whole parser, which only mistakes need

        hint = nearest(name, known) or word_advice(name)
        owners = sorted({str(owner) for owner, field in program.fields if field == name and owner is not None})
        if owners:
            hint = f"each {owners[0]} has one: write whose, for example `p.{name}`"
        self.error("E301", f"there is nothing called `{name}`", span, hint)

    def unshadowed(self, name: t.Name) -> None:
        if name.text in self.program.broken:
            return
        if name.text in self.scope:
            self.error("E305", f"`{name.text}` has a meaning here already", name.span, "choose another name")
        elif name.text in (PLAYER, "player_count", "round", "table") or name.text in RESERVED | OPENERS:
            self.error("E304", f"`{name.text}` has a meaning of its own", name.span, "choose another name")

    def access(self, node: t.Expression, expected: Scalar | None = None) -> ir.Expression:
        """A parameter, an entry of a table, a field or an attribute."""
        indices = node.indices if isinstance(node, t.Indexed) else ()
        subject = node.subject if isinstance(node, t.Indexed) else node
        name = dotted(subject)
        root = name.split(".")[0] if name else ""
        if name is not None and root not in self.scope:
            if name in self.program.broken:
                return self.unknown(node.span)
            if name in self.program.tables:
                return self.lookup(name, indices, node.span)
            if name in self.program.constants and not indices:
                return self.parameter(name, node.span, expected)
            program = self.program
            known = program.constants, program.values, program.members
            if "." in name and not any([root in names for names in known]) and (None, root) not in program.fields:
                self.missing_dotted(name, subject)
                return self.unknown(node.span)
        owner: ir.Expression | None = None
        if isinstance(subject, t.Attribute):
            owner = self.expression(subject.subject)  # once: in a chain of dots each would double the work of the next
            attribute = self.attribute(owner, subject, indices)
            if attribute is not None:
                return attribute
        located = self.locate(node, owner)
        if located is None:
            return self.unknown(node.span)
        field, owner, expressions = located
        if not isinstance(field.type, Scalar):
            self.error("E413", f"`{field.name}` is a {field.type}, and a single value is needed", node.span)
            return self.unknown(node.span)
        return ir.Load(node.span, field.type, field, owner, expressions)

    def lookup(self, name: str, indices: tuple[t.Expression, ...], span: Span) -> ir.Expression:
        table = self.program.tables[name]
        if len(indices) != len(table.indices):
            wanted = ", ".join(str(i) for i in table.indices)
            self.error("E406", f"the table `{name}` needs the index [{wanted}]", span)
            return self.unknown(span)
        found = tuple(self.fitting(e, i, "this index") for e, i in zip(indices, table.indices, strict=True))
        return self.entry(table.values, table.indices, found, table.type, span)

    def entry(
        self, values: tuple[int, ...], bounds: tuple[Scalar, ...], indices: tuple[ir.Expression, ...],
        type_: Scalar, span: Span,
    ) -> ir.Expression:  # fmt: skip
        if all(isinstance(i, ir.Constant) and b.holds(i.type) for i, b in zip(indices, bounds, strict=True)):
            position = 0
            for index, bound in zip(indices, bounds, strict=True):
                assert isinstance(index, ir.Constant)
                position = position * bound.size + index.value - bound.low
            value = values[position]
            exact = type_.family == NUMBER and not type_.optional
            return self.constant(span, number(value, value) if exact else type_, value)
        return ir.Lookup(span, type_, values, bounds, indices)

    def attribute(
        self, subject: ir.Expression, node: t.Attribute, indices: tuple[t.Expression, ...]
    ) -> ir.Expression | None:
        """`c.value` of a component, `c.x` of a cell; None when the subject has no such attribute."""
        domain = self.program.domains.get(subject.type.family)
        if subject.type.family == UNKNOWN.family:
            return subject
        if domain is None:
            hint = "a range has two dots, as in `1..9`" if isinstance(node.subject, t.Number) else ""
            self.error("E401", f"{self.a(subject.type)} has no `{node.name.text}`", node.span, hint)
            return self.unknown(node.span)
        name = node.name.text
        for position, (part, part_type) in enumerate(domain.parts):
            if part == name and indices:
                self.error("E406", f"the `{name}` of a {domain.name} has no index", node.span)
                return self.unknown(node.span)
            if part == name:
                bounds = tuple(bound for _, bound in domain.parts)
                if isinstance(subject, ir.Constant) and not subject.type.optional:
                    return self.constant(node.span, part_type, domain.split(subject.value)[position])
                return ir.Part(node.span, part_type, self.required(subject), bounds, position)
        attribute = domain.attributes.get(name)
        if attribute is None:
            return None
        if len(indices) != (attribute.index is not None):
            wanted = f"needs the index [{attribute.index}]" if attribute.index is not None else "has no index"
            self.error("E406", f"the `{name}` of a {domain.name} {wanted}", node.span)
            return self.unknown(node.span)
        if attribute.index is None:
            return self.entry(attribute.values, (domain.type,), (subject,), attribute.type, node.span)
        side = self.fitting(indices[0], attribute.index, "this index")
        bounds = (domain.type, attribute.index)
        return self.entry(attribute.values, bounds, (subject, side), attribute.type, node.span)

    def missing_dotted(self, name: str, node: t.Expression) -> None:
        """A dotted name that no parameter or table has, and that begins with nothing that has parts."""
        program = self.program
        first = node
        while isinstance(first, t.Attribute):
            first = first.subject
        root = name.split(".")[0]
        alike = [known for known in (*program.constants, *program.tables) if known.startswith(root + ".")]
        if name in program.broken or root in program.broken:
            return
        if alike:
            self.error("E301", f"there is no parameter `{name}`", node.span, nearest(name, alike))
        elif root in program.places or root in program.domains:
            letter = "p" if root == PLAYER else "x"
            hint = f"name one of them, as in `some {letter} in {root} has {letter}.{name.split('.')[1]} ...`"
            self.error("E401", f"`{root}` is not a value", first.span, hint if root in program.domains else "")
        else:
            known = [*self.scope, *program.constants, *program.tables]
            self.error("E301", f"there is nothing called `{root}`", first.span, nearest(root, known))

    def locate(
        self, node: t.Expression, owner: ir.Expression | None = None
    ) -> tuple[Field, ir.Expression | None, tuple[ir.Expression, ...]] | None:
        """The field that is meant, whose it is (translated already, if it is given), and its indices; None after a
        finding."""
        indices = node.indices if isinstance(node, t.Indexed) else ()
        subject = node.subject if isinstance(node, t.Indexed) else node
        field: Field | None
        if dotted(subject) in self.program.broken:
            return None
        if isinstance(subject, t.Reference):
            field = self.program.fields.get((None, subject.name))
            if field is None or subject.name in self.scope:
                if subject.name in self.scope and self.scope[subject.name].type == UNKNOWN:
                    return None
                if subject.name in self.scope:
                    self.error("E401", f"`{subject.name}` is {self.scope[subject.name].type}, not a field", node.span)
                else:
                    self.missing(subject.name, subject.span)
                return None
        elif isinstance(subject, t.Attribute):
            owner = owner or self.expression(subject.subject)
            if owner.type.family == OWNER and (OWNER, subject.name.text) not in self.program.fields:
                owner = self.narrowed(owner)
            family = owner.type.family
            if family == UNKNOWN.family:
                return None
            field = self.program.fields.get((family, subject.name.text))
            if field is None and subject.name.text in self.program.broken:
                return None
            if field is None:
                known = [name for of, name in self.program.fields if of == family] + list(self.program.broken)
                if family in self.program.domains:
                    domain = self.program.domains[family]
                    fixed = [*domain.attributes, *(part for part, _ in domain.parts)]
                    if subject.name.text in fixed:
                        message = f"the `{subject.name.text}` of {self.a(owner.type.required)} is fixed and no field"
                        self.error("E410", message, subject.name.span)
                        return None
                    known += fixed
                name = dotted(subject) or ""
                alike = [other for other in self.program.constants if other.split(".")[0] == name.split(".")[0]]
                hint = nearest(subject.name.text, known) or nearest(name, alike)
                beside = [grid.name for grid in self.program.domains.values() if grid.sides == family]
                if any((grid, subject.name.text) in self.program.fields for grid in beside):
                    hint = f"for that of a neighbour write `(neighbour of ... at ...).{subject.name.text}`"
                self.error("E301", f"{self.a(owner.type)} has no `{subject.name.text}`", subject.name.span, hint)
                return None
        else:
            self.error("E402", "this does not name a field", node.span)
            return None
        if len(indices) != len(field.indices):
            wanted = ", ".join(str(i) for i in field.indices)
            text = f"`{field.name}` needs the index [{wanted}]" if wanted else f"`{field.name}` has no index"
            self.error("E406", text, node.span)
            return None
        found = tuple(self.fitting(e, i, "this index") for e, i in zip(indices, field.indices, strict=True))
        return field, owner, found

    def arguments(
        self, name: str, parameters: tuple[ir.Local, ...], given: tuple[t.Expression, ...], span: Span
    ) -> tuple[ir.Expression, ...] | None:
        if len(parameters) != len(given):
            wanted = ", ".join(f"{p.name} : {p.type}" for p in parameters)
            takes = f"`{name}` takes {len(parameters) or 'no'} argument{'s' if len(parameters) != 1 else ''}"
            hint = f"it is declared with ({wanted})" if wanted else ""
            self.error(
                "E406", f"{takes}, and {len(given) or 'none'} {'is' if len(given) < 2 else 'are'} given", span, hint
            )
            return None
        result = []
        for parameter, argument in zip(parameters, given, strict=True):
            assert isinstance(parameter.type, Scalar)
            result.append(self.fitting(argument, parameter.type, f"`{parameter.name}`"))
        return tuple(result)
