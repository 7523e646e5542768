"""The kinds of components, from the declaration in the rules and the data of the game."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from interpreter.data.model import ComponentData
from interpreter.diagnostics import Related, nearest
from interpreter.program.constants import evaluate
from interpreter.program.model import Domain, Label
from interpreter.program.tables import MAX_KINDS, TableReader
from interpreter.program.types import NUMBER, Scalar, number
from interpreter.source import Span
from interpreter.syntax import tree as t
from interpreter.syntax.parser import parse_expression


class ComponentReader(TableReader):
    def declare_component(self, declaration: t.Component, data: ComponentData) -> None:
        """The kinds of a component; kinds with equal attributes are one kind with more copies."""
        types = self.attribute_types(declaration)
        rows = self.rows(declaration, data, types) if types is not None else None
        if rows is None or types is None:
            return
        kinds: dict[tuple[int, ...], tuple[str | None, int]] = {}
        for values, name, copies in rows:
            known = kinds.get(values, (name, 0))
            kinds[values] = (known[0], known[1] + copies)
        attributes: dict[str, tuple[Scalar, tuple[int, ...]]] = {}
        for position, (attribute_name, type_) in enumerate(types.items()):
            column = tuple(values[position] for values in kinds)
            if type_ is None:
                type_ = number(min(column, default=0), max(column, default=0))
            attributes[attribute_name] = (type_, column)
        labels = self.labels(attributes, [name for name, _ in kinds.values()])
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            message = f"two different kinds of `{declaration.name.text}` are called `{twice}`"
            self.findings.error("E404", message, data.span)
            return
        self.program.domains[declaration.name.text] = Domain(
            declaration.name.text, labels, declaration.name.span, (), attributes, tuple(c for _, c in kinds.values())
        )

    def attribute_types(self, declaration: t.Component) -> dict[str, Scalar | None] | None:
        """The type of each attribute, None for one that the data tell; None after a finding."""
        types: dict[str, Scalar | None] = {}
        sound = True
        for attribute in declaration.attributes:
            name = attribute.name.text
            resolved = self.resolve_type(attribute.type) if attribute.type is not None else None
            if name in types:
                self.findings.error("E305", f"two attributes are called `{name}`", attribute.name.span)
            elif attribute.type is not None and resolved is not None and not isinstance(resolved, Scalar):
                self.findings.error("E402", "an attribute is a single value, not a set", attribute.type.span)
            sound = sound and name not in types and (attribute.type is None or isinstance(resolved, Scalar))
            types[name] = resolved if isinstance(resolved, Scalar) else None
        return types if sound else None

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
        self, declaration: t.Component, data: ComponentData, types: dict[str, Scalar | None]
    ) -> list[tuple[tuple[int, ...], str | None, int]] | None:
        names = list(types)
        if data.ranges:
            spans = self.range_bounds(declaration, data, types)
            if spans is None:
                return None
            return [(values, None, 1) for values in itertools.product(*(spans[name] for name in names))]
        rows = []
        for kind in data.kinds:
            if not self.attributes_agree(declaration, kind.attributes, kind.span):
                return None
            values = [self.encode(kind.attributes[n], types[n], kind.span) for n in names]
            copies = self.copies(kind.copies, kind.span)
            if None in values or copies is None:
                return None
            rows.append((tuple(v for v in values if v is not None), kind.name, copies))
        return rows

    def range_bounds(
        self, declaration: t.Component, data: ComponentData, types: dict[str, Scalar | None]
    ) -> dict[str, range] | None:
        if not self.attributes_agree(declaration, data.ranges, data.span):
            return None
        result: dict[str, range] = {}
        total = 1
        for name, text in data.ranges.items():
            span = data.range_spans.get(name, data.span)
            type_, declared = self.type(text, span), types[name]
            if type_ is None:
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

    def labels(
        self, attributes: dict[str, tuple[Scalar, tuple[int, ...]]], names: list[str | None]
    ) -> tuple[Label, ...]:
        """What people call a kind: its name, its only attribute, or its attributes joined."""
        result: list[Label] = []
        for position, name in enumerate(names):
            parts = [self.program.label(type_, column[position]) for type_, column in attributes.values()]
            if name is not None:
                result.append(name)
            elif len(parts) == 1 and isinstance(parts[0], (int, str)):
                result.append(parts[0])
            else:
                result.append("-".join(str(part) for part in parts))
        return tuple(result)
