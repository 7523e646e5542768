"""What the game's data say, as typed constants: parameters, tables, kinds of components."""

from __future__ import annotations

import itertools
from typing import Any

from interpreter.data.model import ComponentData, Parameter
from interpreter.data.model import Table as TableData
from interpreter.diagnostics import Findings, nearest
from interpreter.program.constants import evaluate
from interpreter.program.model import Constant, Domain, Label, Program, Table
from interpreter.program.types import NUMBER, YES_NO, Scalar, number
from interpreter.source import Span
from interpreter.syntax import tree as t
from interpreter.syntax.parser import parse_expression, parse_type

MAX_KINDS = 10_000


def declare_parameter(parameter: Parameter, program: Program) -> None:
    """A parameter's value as a constant. That it is one of the allowed values has been checked with the data."""
    value = parameter.value
    if isinstance(value, bool):
        program.constants[parameter.name] = Constant(YES_NO, int(value))
        return
    options = parameter.options or (value,)
    if all(option is None or (isinstance(option, int) and not isinstance(option, bool)) for option in options):
        numbers = [option for option in options if isinstance(option, int)]
        if None in options:
            type_ = Scalar(NUMBER, min(numbers, default=0), max(numbers, default=0), optional=True)
            program.constants[parameter.name] = Constant(type_, type_.none if value is None else int(value or 0))
        else:
            program.constants[parameter.name] = Constant(number(int(value or 0), int(value or 0)), int(value or 0))
        return
    family = f"option of {parameter.name}"
    program.options[family] = tuple(options)
    program.constants[parameter.name] = Constant(Scalar(family, 0, len(options) - 1), options.index(value))


class TableReader:
    """Reads tables and components, whose entries are numbers or elements of the program's domains."""

    def __init__(self, program: Program, findings: Findings, resolver: Any) -> None:
        self.program = program
        self.findings = findings
        self.resolve_type = resolver

    # ------------------------------------------------------------ tables

    def declare_table(self, data: TableData) -> None:
        indices = self.indices(data)
        if indices is None:
            return
        element: Scalar | None = None
        if data.type is not None:
            element = self.type(data.type, data.span)
            if element is None:
                return
        cells: list[int | None] = []
        if not self.flatten(data.value, list(indices), element, data, cells):
            return
        found = [c for c in cells if c is not None]
        if element is None:
            low, high = (min(found), max(found)) if found else (0, 0)
            element = YES_NO if self.is_truth(data.value) else number(low, high)
        if None in cells:
            element = Scalar(element.family, element.low, element.high, optional=True)
        none = element.none
        self.program.tables[data.name] = Table(indices, element, tuple(none if c is None else c for c in cells))

    def indices(self, data: TableData) -> tuple[Scalar, ...] | None:
        if data.index is not None:
            types = [self.type(text, data.span) for text in data.index]
            return tuple(x for x in types if x is not None) if None not in types else None
        result = []
        value = data.value
        while isinstance(value, list):
            result.append(number(1, len(value)))
            value = value[0] if value else None
        if not result:
            keys = list(value) if isinstance(value, dict) else []
            if keys and all(isinstance(k, int) for k in keys):
                return (number(min(keys), max(keys)),)
            self.findings.error(
                "E402", f"table `{data.name}` needs a list, or a map with `index:`", data.span,
                "for example `index: site` with an entry for each site",
            )  # fmt: skip
            return None
        return tuple(result)

    def flatten(
        self, value: Any, indices: list[Scalar], element: Scalar | None, data: TableData, cells: list[int | None]
    ) -> bool:
        if not indices:
            if value is None:
                cells.append(None)
                return True
            encoded = self.encode(value, element, data.span)
            cells.append(encoded)
            return encoded is not None
        index, rest = indices[0], indices[1:]
        entries = self.entries(value, index, data)
        return entries is not None and all(self.flatten(e, rest, element, data, cells) for e in entries)

    def entries(self, value: Any, index: Scalar, data: TableData) -> list[Any] | None:
        """The values of one level in the order of its index, complete."""
        if isinstance(value, list):
            if len(value) != index.size:
                self.findings.error(
                    "E403", f"table `{data.name}` has {len(value)} entries where {index.size} are needed", data.span
                )
                return None
            return value
        if not isinstance(value, dict):
            self.findings.error("E402", f"table `{data.name}` needs a list or a map here", data.span)
            return None
        wanted: list[Label] = list(range(index.low, index.high + 1))
        if index.family != NUMBER:
            wanted = list(self.program.labels(index))
        missing = [str(w) for w in wanted if w not in value]
        surplus = [str(k) for k in value if k not in wanted]
        if surplus:
            hint = nearest(surplus[0], [str(w) for w in wanted])
            self.findings.error("E301", f"table `{data.name}`: there is no {index} `{surplus[0]}`", data.span, hint)
        elif missing:
            self.findings.error("E403", f"table `{data.name}` has no entry for {', '.join(missing)}", data.span)
        return None if missing or surplus else [value[w] for w in wanted]

    def is_truth(self, value: Any) -> bool:
        while isinstance(value, (list, dict)) and value:
            value = value[0] if isinstance(value, list) else next(iter(value.values()))
        return isinstance(value, bool)

    def encode(self, value: Any, element: Scalar | None, span: Span) -> int | None:
        """One entry as an integer of its type; without a type it must be a number or true/false."""
        if isinstance(value, bool):
            if element is None or element == YES_NO:
                return int(value)
        elif isinstance(value, int):
            if element is None:
                return value
            if element.family == NUMBER and element.low <= value <= element.high:
                return value
            if element.family in self.program.domains and value in self.program.labels(element):
                return self.program.labels(element).index(value)
            if element.family == NUMBER:
                self.findings.error("E503", f"{value} is outside {element}", span)
                return None
        elif isinstance(value, str) and element is not None and element.family in self.program.domains:
            labels = self.program.labels(element)
            if value in labels:
                return labels.index(value)
            hint = nearest(value, [str(x) for x in labels])
            self.findings.error("E301", f"there is no {element} `{value}`", span, hint)
            return None
        expected = str(element) if element else "a number (or give the table a `type:`)"
        self.findings.error("E402", f"`{value}` is not {expected}", span)
        return None

    def type(self, text: str, span: Span) -> Scalar | None:
        node = parse_type(text, span, self.findings)
        resolved = self.resolve_type(node) if node is not None else None
        if resolved is not None and not isinstance(resolved, Scalar):
            self.findings.error("E402", f"`{text}` cannot stand in a table", span)
            return None
        return resolved

    # ------------------------------------------------------------ components

    def declare_component(self, declaration: t.Component, data: ComponentData) -> None:
        """The kinds of a component; kinds with equal attributes are one kind with more copies."""
        types: dict[str, Scalar | None] = {}
        for attribute in declaration.attributes:
            resolved = self.resolve_type(attribute.type) if attribute.type is not None else None
            types[attribute.name.text] = resolved if isinstance(resolved, Scalar) else None
        rows = self.rows(declaration, data, types)
        if rows is None:
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
        if len(set(labels)) != len(labels):
            self.findings.error("E404", f"two kinds of `{declaration.name.text}` have the same name", data.span)
            return
        self.program.domains[declaration.name.text] = Domain(
            declaration.name.text, labels, declaration.name.span, (), attributes, tuple(c for _, c in kinds.values())
        )

    def rows(
        self, declaration: t.Component, data: ComponentData, types: dict[str, Scalar | None]
    ) -> list[tuple[tuple[int, ...], str | None, int]] | None:
        names = list(types)
        if data.ranges:
            spans = self.range_bounds(data, names)
            if spans is None:
                return None
            return [(values, None, 1) for values in itertools.product(*(spans[name] for name in names))]
        rows = []
        for kind in data.kinds:
            if set(kind.attributes) != set(names):
                wrong = sorted(set(kind.attributes) ^ set(names))
                self.findings.error(
                    "E403", f"a kind of `{data.name}` must give {', '.join(names)}; check {', '.join(wrong)}",
                    kind.span, nearest(wrong[0], names),
                )  # fmt: skip
                return None
            values = [self.encode(kind.attributes[n], types[n], kind.span) for n in names]
            copies = self.copies(kind.copies, kind.span)
            if None in values or copies is None:
                return None
            rows.append((tuple(v for v in values if v is not None), kind.name, copies))
        return rows

    def range_bounds(self, data: ComponentData, names: list[str]) -> dict[str, range] | None:
        if set(data.ranges) != set(names):
            self.findings.error("E403", f"`{data.name}` must give a range for {', '.join(names)}", data.span)
            return None
        result: dict[str, range] = {}
        total = 1
        for name, text in data.ranges.items():
            type_ = self.type(text, data.span)
            if type_ is None or type_.family != NUMBER:
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
        return evaluate(node, self.program, self.findings) if node is not None else None

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
