"""The kinds of components, from the declaration in the rules and the data of the game."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from chocolatl.interpreter.data.model import ComponentData, TableData
from chocolatl.interpreter.diagnostics import Related, nearest
from chocolatl.interpreter.program.constants import evaluate
from chocolatl.interpreter.program.model import Domain, DomainAttribute, Label
from chocolatl.interpreter.program.space import declare_faces
from chocolatl.interpreter.program.tables import MAX_KINDS, TableReader
from chocolatl.interpreter.program.types import NUMBER, Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.parser import parse_expression

Values = tuple[tuple[int, ...], ...]
"""The values of a kind: of each attribute one, or one for each index."""
AttributeTypes = dict[str, tuple[Scalar | None, Scalar | None]]


class AttributeData(TableData, frozen=True):
    """The values of an attribute with an index, which are read like a table."""

    @property
    def called(self) -> str:
        return f"`{self.name}`"


class ComponentReader(TableReader):
    def declare_component(self, declaration: t.Component, data: ComponentData) -> None:
        """The kinds of a component; kinds with equal attributes are one kind with more copies."""
        types = self.attribute_types(declaration)
        rows = self.rows(declaration, data, types) if types is not None else None
        if rows is None or types is None:
            return
        kinds: dict[Values, tuple[str | None, int]] = {}
        for values, name, count in rows:
            known = kinds.get(values, (name, 0))
            kinds[values] = (known[0], known[1] + count)
        attributes: dict[str, DomainAttribute] = {}
        for position, (attribute_name, (type_, index)) in enumerate(types.items()):
            column = tuple(value for values in kinds for value in values[position])
            if type_ is None:
                type_ = number(min(column, default=0), max(column, default=0))
            attributes[attribute_name] = DomainAttribute(type_, column, index)
        labels = self.labels(attributes, [name for name, _ in kinds.values()])
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            message = f"two different kinds of `{declaration.name.text}` are called `{twice}`"
            self.findings.error("E404", message, data.span)
            return
        copies = tuple(total for _, total in kinds.values())
        component = Domain(declaration.name.text, labels, declaration.name.span, (), attributes, copies)
        self.program.domains[component.name] = declare_faces(component, self.program)

    def attribute_types(self, declaration: t.Component) -> AttributeTypes | None:
        """The type of each attribute, None for one that the data tell, and its index; None after a finding."""
        types: AttributeTypes = {}
        sound = True
        for attribute in declaration.attributes:
            name = attribute.name.text
            resolved = self.resolve_type(attribute.type) if attribute.type is not None else None
            if name in types:
                self.findings.error("E305", f"two attributes are called `{name}`", attribute.name.span)
            elif attribute.type is not None and resolved is not None and not isinstance(resolved, Scalar):
                self.findings.error("E402", "an attribute is a single value, not a set", attribute.type.span)
            index = self.attribute_index(attribute)
            sound = sound and name not in types and (attribute.type is None or isinstance(resolved, Scalar))
            sound = sound and (index is not None) == bool(attribute.indices)
            types[name] = resolved if isinstance(resolved, Scalar) else None, index
        return types if sound else None

    def attribute_index(self, attribute: t.ComponentAttribute) -> Scalar | None:
        """`workers[side]`: an attribute for each member of an enum; None without one or after a finding."""
        if not attribute.indices:
            return None
        index = self.resolve_type(attribute.indices[0])
        named = isinstance(index, Scalar) and not index.optional and self.is_listed(index)
        if len(attribute.indices) > 1 or (index is not None and not named):
            message = "an attribute has one index: an enum or a range"
            self.findings.error("E402", message, attribute.indices[-1].span)
            return None
        return index if isinstance(index, Scalar) else None

    def is_listed(self, index: Scalar) -> bool:
        """Whether the values of a type have names or numbers that data can list."""
        return index.family == NUMBER or (index.family in self.program.domains and bool(self.program.labels(index)))

    def attributes_agree(self, declaration: t.Component, given: Iterable[str], span: Span) -> bool:
        """Whether data give just the attributes that the rules declare; False after a finding."""
        component, names = declaration.name.text, [a.name.text for a in declaration.attributes]
        surplus = [name for name in given if name not in names]
        missing = [a.name for a in declaration.attributes if a.name.text not in given]
        if missing:
            message = f"game.yaml says nothing about the `{missing[0].text}` of a {component}"
            related = (Related(span, "what it says"),)
            self.findings.error("E403", message, missing[0].span, nearest(missing[0].text, surplus), related)
        elif surplus:
            message = f"the rules know no `{surplus[0]}` of a {component}"
            related = (Related(declaration.name.span, "its declaration"),)
            self.findings.error("E403", message, span, nearest(surplus[0], names), related)
        return not missing and not surplus

    def rows(
        self, declaration: t.Component, data: ComponentData, types: AttributeTypes
    ) -> list[tuple[Values, str | None, int]] | None:
        if data.ranges:
            spans = self.range_bounds(declaration, data, types)
            if spans is None:
                return None
            combinations = itertools.product(*(spans[name] for name in types))
            return [(tuple((value,) for value in values), None, 1) for values in combinations]
        rows = []
        for kind in data.kinds:
            if not self.attributes_agree(declaration, kind.attributes, kind.span):
                return None
            values = [self.attribute(kind.attributes[n], n, *types[n], kind.span) for n in types]
            copies = self.copies(kind.copies, kind.span)
            if None in values or copies is None:
                return None
            rows.append((tuple(v for v in values if v is not None), kind.name, copies))
        return rows

    def attribute(
        self, value: object, name: str, type_: Scalar | None, index: Scalar | None, span: Span
    ) -> tuple[int, ...] | None:
        """The values of one attribute of a kind: one, or one for each index, written as a list or a map."""
        if index is None and isinstance(value, (list, dict)) and self.grid(type_) is None:
            hint = f"write `{name} : 3`; or in the rules `{name}[side]`, for a value at each side"
            self.findings.error("E402", f"the `{name}` of a kind is one value", span, hint)
            return None
        if index is None:
            encoded = self.encode(value, type_, span)
            return None if encoded is None else (encoded,)
        cells: list[int | None] = []
        attribute = AttributeData(name, None, None, value, "", span, {})
        sound = self.flatten(value, [index], type_, attribute, (), cells)
        return tuple(c for c in cells if c is not None) if sound and None not in cells else None

    def range_bounds(
        self, declaration: t.Component, data: ComponentData, types: AttributeTypes
    ) -> dict[str, range] | None:
        if not self.attributes_agree(declaration, data.ranges, data.span):
            return None
        result: dict[str, range] = {}
        total = 1
        for name, text in data.ranges.items():
            span = data.range_spans.get(name, data.span)
            type_, (declared, index) = self.type(text, span), types[name]
            if type_ is None:
                return None
            if index is not None:
                message = f"`{name}` has a value for each {index}, so the kinds are listed one by one"
                self.findings.error("E402", message, span)
                return None
            if type_.family != NUMBER or type_.optional:
                self.findings.error("E402", f"`{text}` is not a range of numbers, such as `1..9`", span)
                return None
            if declared is not None and not declared.holds(type_):
                self.findings.error("E503", f"{type_} is not within {declared}, the `{name}` of the rules", span)
                return None
            total *= type_.size
            result[name] = range(type_.low, type_.high + 1)
        if not 0 < total <= MAX_KINDS:
            self.findings.error("E504", f"`{data.name}` has {total} kinds; 1 to {MAX_KINDS} are possible", data.span)
            return None
        return result

    def copies(self, copies: int | str, span: Span) -> int | None:
        if isinstance(copies, int):
            return copies
        node = parse_expression(copies, span, self.findings)
        count = evaluate(node, self.program, self.findings) if node is not None else None
        if count is not None and count < 0:
            self.findings.error("E503", f"there cannot be {count} copies", span)
            return None
        return count

    def labels(self, attributes: dict[str, DomainAttribute], names: list[str | None]) -> tuple[Label, ...]:
        """What people call a kind: its name, its only attribute, or its attributes joined."""
        result: list[Label] = []
        for position, name in enumerate(names):
            parts = [part for attribute in attributes.values() for part in self.parts(attribute, position)]
            if name is not None:
                result.append(name)
            elif len(parts) == 1 and isinstance(parts[0], (int, str)):
                result.append(parts[0])
            else:
                result.append("-".join(str(part) for part in parts))
        return tuple(result)

    def parts(self, attribute: DomainAttribute, kind: int) -> list[Label | bool | None]:
        width = attribute.index.size if attribute.index is not None else 1
        return [self.program.label(attribute.type, v) for v in attribute.values[kind * width : (kind + 1) * width]]
