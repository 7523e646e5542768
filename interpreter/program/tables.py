"""What the data of the game say, as typed constants: parameters and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chocolatl.interpreter.data.model import DataPath as Path
from chocolatl.interpreter.data.model import ParameterData
from chocolatl.interpreter.data.model import TableData as TableData
from chocolatl.interpreter.diagnostics import Findings, nearest
from chocolatl.interpreter.program.model import Domain, Label, Program, Table, TypedParameter
from chocolatl.interpreter.program.types import NUMBER, YES_NO, Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax.parser import parse_type

MAX_KINDS = 10_000
MAX_PIECES = 60_000


def declare_parameter(parameter: ParameterData, program: Program) -> None:
    """A parameter's value as a constant. That it is one of the allowed values has been checked with the data."""
    value = parameter.value
    if isinstance(value, bool):
        program.constants[parameter.name] = TypedParameter(YES_NO, int(value))
        return
    options = parameter.options or (value,)
    if all(option is None or (isinstance(option, int) and not isinstance(option, bool)) for option in options):
        numbers = [option for option in options if isinstance(option, int)]
        if None in options:
            type_ = Scalar(NUMBER, min(numbers, default=0), max(numbers, default=0), optional=True)
            program.constants[parameter.name] = TypedParameter(type_, type_.none if value is None else int(value or 0))
        else:
            program.constants[parameter.name] = TypedParameter(
                number(int(value or 0), int(value or 0)), int(value or 0)
            )
        return
    family = f"option of {parameter.name}"
    program.options[family] = tuple(options)
    program.constants[parameter.name] = TypedParameter(Scalar(family, 0, len(options) - 1), options.index(value))


def _entries(value: Any) -> Iterator[Any]:
    """All entries of a table, whatever the lists and maps that they stand in."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
        return
    for entry in inner:
        yield from _entries(entry)


class TableReader:
    """Reads tables and components, whose entries are numbers or elements of the program's domains."""

    def __init__(self, program: Program, findings: Findings, resolver: Any) -> None:
        self.program = program
        self.findings = findings
        self.resolve_type = resolver

    # ------------------------------------------------------------ tables

    def declare_table(self, data: TableData) -> None:
        element: Scalar | None = None
        if data.type is not None:
            element = self.type(data.type, data.span)
            if element is None:
                return
        indices = self.indices(data, self.grid(element))
        if indices is None:
            return
        cells: list[int | None] = []
        if not self.flatten(data.value, list(indices), element, data, (), cells):
            return
        found = [c for c in cells if c is not None]
        if element is None:
            low, high = (min(found), max(found)) if found else (0, 0)
            truths = [isinstance(entry, bool) for entry in _entries(data.value) if entry is not None]
            if any(truths) and not all(truths):
                hint = "for truths write `true` or `false` everywhere"
                self.findings.error("E402", f"{data.called} mixes numbers with `true` or `false`", data.span, hint)
                return
            element = YES_NO if any(truths) else number(low, high)
        if None in cells:
            element = Scalar(element.family, element.low, element.high, optional=True)
        none = element.none
        self.program.tables[data.name] = Table(indices, element, tuple(none if c is None else c for c in cells))

    def grid(self, element: Scalar | None) -> Domain | None:
        """The grid whose cells are the entries: in data, a cell is a list."""
        domain = self.program.domains.get(element.family) if element is not None else None
        return domain if domain is not None and domain.sides else None

    def indices(self, data: TableData, grid: Domain | None) -> tuple[Scalar, ...] | None:
        if data.index is not None:
            types = [self.type(text, data.span) for text in data.index]
            return tuple(x for x in types if x is not None) if None not in types else None
        result = []
        value = data.value
        while isinstance(value, list):
            result.append(number(1, len(value)))
            value = value[0] if value else None
        if grid is not None and result:
            result.pop()
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
        self, value: Any, indices: list[Scalar], element: Scalar | None, data: TableData, path: Path,
        cells: list[int | None],
    ) -> bool:  # fmt: skip
        """Adds the entries of a value, which stands at a path of the table, to the cells; False after a finding."""
        if not indices:
            encoded = None if value is None else self.encode(value, element, data.place(*path))
            cells.append(encoded)
            return value is None or encoded is not None
        entries = self.entries(value, indices[0], data, path)
        if entries is None:
            return False
        sound = (self.flatten(e, indices[1:], element, data, (*path, key), cells) for key, e in entries)
        return all(list(sound) if len(indices) == 1 else sound)  # all entries that are wrong, but one row

    def entries(self, value: Any, index: Scalar, data: TableData, path: Path) -> list[tuple[Label, Any]] | None:
        """The values of one level with their keys, in the order of its index, complete."""
        place = data.place(*path)
        if isinstance(value, list):
            if len(value) != index.size:
                entries = "1 entry" if len(value) == 1 else f"{len(value)} entries"
                message = f"{data.called} has {entries} where {index.size} are needed"
                named = index.family != NUMBER
                hint = f"one for each {index}: {', '.join(map(str, self.program.labels(index)[:9]))}" if named else ""
                self.findings.error("E403", message, place, hint)
                return None
            return list(enumerate(value))
        if not isinstance(value, dict):
            self.findings.error("E402", f"{data.called} needs a list or a map here", place)
            return None
        wanted: list[Label] = list(range(index.low, index.high + 1))
        if index.family != NUMBER:
            wanted = list(self.program.labels(index))
        missing = [str(w) for w in wanted if w not in value]
        surplus = [str(k) for k in value if k not in wanted]
        if surplus:
            hint = nearest(surplus[0], [str(w) for w in wanted])
            key = next(k for k in value if str(k) == surplus[0])
            message = f"{data.called} has an entry for {self.what(index)} `{surplus[0]}`, which there is not"
            self.findings.error("E301", message, data.place(*path, key), hint)
        elif missing:
            self.findings.error("E403", f"{data.called} has no entry for {', '.join(missing)}", place)
        return None if missing or surplus else [(w, value[w]) for w in wanted]

    def what(self, type_: Scalar) -> str:
        return "the number" if type_.family == NUMBER else f"the {type_}"

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
        grid = self.grid(element)
        if grid is not None:
            return self.cell(value, grid, span)
        hint = "" if element else "give the table a `type:`, such as the enum that it is a member of"
        expected = self.what(element).replace("the ", "a ") if element else "a number"
        self.findings.error("E402", f"`{value}` is not {expected}", span, hint)
        return None

    def cell(self, value: Any, grid: Domain, span: Span) -> int | None:
        """A cell, written as the list of its coordinates."""
        written = f"[{', '.join(name for name, _ in grid.parts)}]"
        if not isinstance(value, list) or len(value) != len(grid.parts):
            self.findings.error("E402", f"`{value}` is not a {grid.name}", span, f"a {grid.name} is written {written}")
            return None
        for coordinate, (name, part) in zip(value, grid.parts, strict=True):
            if type(coordinate) is not int or not part.low <= coordinate <= part.high:
                message = f"the `{name}` of a {grid.name} is {part}, never {coordinate}"
                self.findings.error("E503", message, span)
                return None
        return grid.join(value)

    def type(self, text: str, span: Span) -> Scalar | None:
        node = parse_type(text, span, self.findings)
        resolved = self.resolve_type(node) if node is not None else None
        if resolved is not None and not isinstance(resolved, Scalar):
            self.findings.error("E402", f"`{text}` cannot stand in a table", span)
            return None
        return resolved
