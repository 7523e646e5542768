"""What differs between the rules of two games: declaration by declaration, and the data value by value (a structural
diff)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import Enum
from typing import Any

from chocolatl.interpreter.data.declarations import declaration_key
from chocolatl.interpreter.data.model import ComponentData, GameFiles
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.printer import print_declaration


class ChangeKind(Enum):
    """What was done to something."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REWORDED = "reworded"
    """Only words for people are others."""


@dataclass(frozen=True)
class DeclarationChange:
    """A declaration that only one has, or that reads differently."""

    name: str
    kind: ChangeKind
    diff: tuple[str, ...]

    @property
    def lines(self) -> tuple[int, int]:
        """How many lines only the one and only the other has."""
        return sum(line.startswith("-") for line in self.diff), sum(line.startswith("+") for line in self.diff)


@dataclass(frozen=True)
class ValueChange:
    """A value of the data; None where there is none."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class RuleChanges:
    declarations: tuple[DeclarationChange, ...]
    values: tuple[ValueChange, ...]
    same_program: bool
    """Whether the two have one hash: but for words for people they are the same."""


def rule_changes(before: GameFiles, after: GameFiles) -> RuleChanges:
    return RuleChanges(
        tuple(_declarations(before, after)), tuple(_values(before, after)), before.rules_hash == after.rules_hash
    )


# ---------------------------------------------------------------- declarations


def _declarations(before: GameFiles, after: GameFiles) -> Iterator[DeclarationChange]:
    ours, theirs = _by_name(before.rules), _by_name(after.rules)
    for name in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(name), theirs.get(name)
        old, new = _printed(one), _printed(other)
        if old == new:
            continue
        diff = tuple(line.rstrip() for line in list(unified_diff(old, new, n=2, lineterm=""))[3:])
        if one is None or other is None:
            kind = ChangeKind.ADDED if one is None else ChangeKind.REMOVED
        elif print_declaration(one, texts=False) == print_declaration(other, texts=False):
            kind = ChangeKind.REWORDED
        else:
            kind = ChangeKind.CHANGED
        yield DeclarationChange(name, kind, diff)


def _printed(declaration: t.Declaration | None) -> list[str]:
    return print_declaration(declaration).splitlines() if declaration is not None else []


def _by_name(rules: t.RuleFile) -> dict[str, t.Declaration]:
    """Declarations by what they are called; fields by whose they are, and what comes twice by number."""
    found: dict[str, t.Declaration] = {}
    for declaration in rules.declarations:
        kind = type(declaration).__name__.lower()
        name = declaration_key(declaration)
        called = f"{kind} {name}" if name is not None else print_declaration(declaration).splitlines()[0]
        number = 2
        while called in found:
            called, number = f"{called.rpartition(' #')[0] or called} #{number}", number + 1
        found[called] = declaration
    return found


# ---------------------------------------------------------------- data


def _values(before: GameFiles, after: GameFiles) -> Iterator[ValueChange]:
    ours, theirs = dict(_data(before)), dict(_data(after))
    for name in dict.fromkeys([*ours, *theirs]):
        old, new = ours.get(name), theirs.get(name)
        if old != new:
            yield ValueChange(name, old, new)


def _data(files: GameFiles) -> Iterator[tuple[str, str]]:
    yield "players", f"{files.minimum} to {files.maximum}"
    for parameter in files.parameters.values():
        yield parameter.name, _text(parameter.value)
    for table in files.tables.values():
        for path, value in _leaves(table.value):
            yield f"{table.name}{path}", value
    for component in files.components.values():
        yield from _component(component)
    for enum, members in files.dropped.items():
        yield f"{enum}, without", ", ".join(members)


def _component(component: ComponentData) -> Iterator[tuple[str, str]]:
    for kind in component.kinds:
        told = kind.name or ", ".join(f"{name} {_text(value)}" for name, value in kind.attributes.items())
        yield f"{component.name} {told}: copies", str(kind.copies)
        if kind.name is not None:
            for name, value in kind.attributes.items():
                yield f"{component.name} {told}: {name}", _text(value)
    for name, values in component.ranges.items():
        yield f"{component.name}: {name}", values


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}[{_text(key)}]")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value, start=1):
            yield from _leaves(inner, f"{path}[{number}]")
    else:
        yield path, _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)
