"""A game.yaml that follows its schema to the model, with the checks that a schema cannot make."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from chocolatl.interpreter.data.model import ComponentData, DataPath, KindData, ParameterData, TableData
from chocolatl.interpreter.data.schema_messages import found, shown
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.source import Span


class Data(Struct):
    """What a game.yaml says and variants change. The three maps share one space of names."""

    minimum: int
    maximum: int
    parameters: dict[str, ParameterData] = field(default_factory=dict)
    tables: dict[str, TableData] = field(default_factory=dict)
    components: dict[str, ComponentData] = field(default_factory=dict)

    def copy(self) -> Data:
        """The same, to be changed: what the maps hold is never changed itself."""
        return Data(self.minimum, self.maximum, dict(self.parameters), dict(self.tables), dict(self.components))

    def names(self) -> list[str]:
        return [*self.parameters, *self.tables, *self.components]


def read_data(document: Document, findings: Findings) -> Data:
    value = document.value
    players = value["players"]
    data = Data(players["min"], players["max"])
    if players["min"] > players["max"]:
        span = document.span(("players", "min"))
        findings.error("E205", f"`min` is {players['min']}, more than `max`, {players['max']}", span)
    for name, entry in value.get("parameters", {}).items():
        data.parameters[name] = _parameter(name, entry, document, findings)
    for name, entry in value.get("tables", {}).items():
        data.tables[name] = _table(name, entry, document)
    for name, entry in value.get("components", {}).items():
        path = ("components", name)
        empty = ComponentData(name, (), entry.get("about", ""), document.key_span(path))
        data.components[name] = with_kinds(empty, entry["kinds"], document, (*path, "kinds"))
    _check_names(document, findings)
    return data


def _check_names(document: Document, findings: Findings) -> None:
    """No name twice, and none that is the front part of another: `hut: {bonus: 2}` would mean two things."""
    first: dict[str, Span] = {}
    for section in ("parameters", "tables", "components"):
        for name in document.value.get(section, {}):
            span = document.key_span((section, name))
            if name in first:
                related = (Related(first[name], "the first one"),)
                findings.error("E205", f"the name `{name}` is declared twice", span, "", related)
            first.setdefault(name, span)
    for name, span in first.items():
        front = next((f for f in first if name.startswith(f + ".")), None)
        if front is not None:
            related = (Related(first[front], f"`{front}`"),)
            findings.error("E205", f"`{name}` cannot be told from a part of `{front}`", span, "rename one", related)


# ---------------------------------------------------------------- parameters


def _parameter(name: str, entry: dict[str, Any], document: Document, findings: Findings) -> ParameterData:
    path = ("parameters", name)
    options = tuple(entry["options"]) if "options" in entry else None
    about, source = entry.get("about", ""), entry.get("source", "")
    parameter = ParameterData(
        name, entry["value"], options, entry.get("min"), entry.get("max"), about, source,
        document.key_span(path), document, (*path, "value"),
    )  # fmt: skip
    wrong = _declaration_problem(parameter)
    if wrong:
        findings.error("E205", wrong[0], document.key_span(path), wrong[1])
    else:
        check_value(parameter, parameter.value, document, (*path, "value"), findings)
    return parameter


def _declaration_problem(parameter: ParameterData) -> tuple[str, str] | None:
    """A message and a hint about how the parameter is declared, whatever its value."""
    name, low, high = f"`{parameter.name}`", parameter.minimum, parameter.maximum
    if parameter.options is not None:
        if low is not None or high is not None:
            return f"{name} has `options` and also `min` or `max`", "`options` alone say what it can be"
    elif isinstance(parameter.value, bool):
        if low is not None or high is not None:
            return f"{name} is `true` or `false` and cannot have `min` or `max`", ""
    elif isinstance(parameter.value, int):
        if low is None or high is None:
            return f"the number {name} needs `min` and `max`, or `options`", "for example `min: 0, max: 20`"
        if low > high:
            return f"`min` of {name} is {low}, more than its `max`, {high}", ""
    else:
        return f"{name} is neither a number nor `true` or `false`, so it needs `options`", "list all its values"
    return None


def check_value(
    parameter: ParameterData, value: Any, document: Document, path: DataPath, findings: Findings,
    related: tuple[Related, ...] = (),
) -> bool:  # fmt: skip
    """Whether a parameter can have a value; if not, that is reported at its place."""
    name, low, high, hint = f"`{parameter.name}`", parameter.minimum, parameter.maximum, ""
    if parameter.options is not None:
        if any(same(value, option) for option in parameter.options):
            return True
        hint = nearest(value, [o for o in parameter.options if isinstance(o, str)]) if isinstance(value, str) else ""
        expected = ", ".join(shown(option) for option in parameter.options)
        expected = f"one of {expected}" if len(parameter.options) > 1 else f"always {expected}"
    elif low is not None and high is not None:
        if type(value) is int and low <= value <= high:
            return True
        expected = f"a whole number from {low} to {high}"
    else:
        if isinstance(value, bool):
            return True
        hint = "" if value not in ("yes", "no", "on", "off") else "write `true` or `false`"
        expected = "`true` or `false`"
    message = f"{name} cannot be {found(value)}; it is {expected}"
    findings.error("E206", message, document.span(path), hint, related)
    return False


def same(one: Any, other: Any) -> bool:
    """Equality of plain data that tells `true` from 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


# ---------------------------------------------------------------- tables and components


def _table(name: str, entry: dict[str, Any], document: Document) -> TableData:
    path = ("tables", name)
    index = entry.get("index")
    indices = None if index is None else (index,) if isinstance(index, str) else tuple(index)
    value = entry["value"]
    places = places_of(value, document, (*path, "value"))
    return TableData(name, indices, entry.get("type"), value, entry.get("about", ""), document.key_span(path), places)


def places_of(value: Any, document: Document, path: DataPath) -> dict[DataPath, Span]:
    """Where each part of a value stands, by its path inside the value."""
    result: dict[DataPath, Span] = {}
    waiting: list[tuple[DataPath, Any]] = [((), value)]
    while waiting:
        inner, part = waiting.pop()
        result[inner] = document.span((*path, *inner))
        entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [((*inner, key), entry) for key, entry in entries]
    return result


def with_kinds(component: ComponentData, value: Any, document: Document, path: DataPath) -> ComponentData:
    """The component with other kinds: a list takes the place of all, a map of ranges merges by attribute."""
    if isinstance(value, dict):
        spans = {name: document.span((*path, name)) for name in value}
        ranges, range_spans = {**component.ranges, **value}, {**component.range_spans, **spans}
        return replace(component, kinds=(), ranges=ranges, range_spans=range_spans)
    kinds = []
    for number, entry in enumerate(value):
        attributes: dict[str, Any] = {key: entry[key] for key in entry if key not in ("name", "copies")}
        span = document.span((*path, number))
        kinds.append(KindData(attributes, entry.get("name"), entry.get("copies", 1), span))
    return replace(component, kinds=tuple(kinds), ranges={}, range_spans={})
