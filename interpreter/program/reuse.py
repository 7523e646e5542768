"""Programs that were declared before (memoisation by noted lookups): few declarations ask for what a scenario sets.

Where no declaration asked for a parameter or table that is different now, they all come out as they did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.program.declare import declare
from chocolatl.interpreter.program.fields import resolve_type
from chocolatl.interpreter.program.model import Program, Table, TypedParameter
from chocolatl.interpreter.program.tables import TableReader, declare_parameter

MANY = 1000


V = TypeVar("V")


class NotedLookups(dict[str, V]):
    """Parameters or tables that note which of them were asked for. Those who go through all report a mistake."""

    def __init__(self, names: set[object]) -> None:
        super().__init__()
        self.names = names

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> V:
        self.names.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.names.add(key)
        return super().__contains__(key)


class _DeclaredProgram(Struct, frozen=True):
    program: Program
    asked: frozenset[object]


class DeclaredPrograms:
    """The programs of one run that had no findings."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[_DeclaredProgram]] = {}

    def declare(self, files: GameFiles, player_count: int, findings: Findings) -> Program:
        """Resolve all declarations of a game for a number of players."""
        key = (id(files.rules), player_count)
        for known in self._known.get(key, ()):
            changed = _changed(known, files)
            program = _with(known.program, files, changed) if changed is not None else None
            if program is not None:
                return program
        before = len(findings.items)
        names: set[object] = set()
        constants, tables = NotedLookups[TypedParameter](names), NotedLookups[Table](names)
        program = declare(files, player_count, findings, constants, tables)
        if len(findings.items) == before:
            if len(self._known) > MANY:
                self._known.clear()
            # As it is before anybody changes it.
            first = replace(program, constants=dict(constants), tables=dict(tables))
            self._known.setdefault(key, []).append(_DeclaredProgram(first, frozenset(names)))
            return replace(first)
        return program


def _changed(known: _DeclaredProgram, files: GameFiles) -> list[str] | None:
    """The parameters and tables that are others now; None if that or anything else may matter to a declaration."""
    earlier = known.program.files
    if not _same(earlier.components, files.components) or earlier.dropped != files.dropped:
        return None
    if list(earlier.parameters) != list(files.parameters) or list(earlier.tables) != list(files.tables):
        return None
    changed = [name for name, parameter in files.parameters.items() if parameter is not earlier.parameters[name]]
    if any(files.parameters[name].options != earlier.parameters[name].options for name in changed):
        return None
    changed += [name for name, table in files.tables.items() if table is not earlier.tables[name]]
    return changed if known.asked.isdisjoint(changed) else None


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return list(one) == list(other) and all([a is b for a, b in zip(one.values(), other.values(), strict=True)])


def _with(program: Program, files: GameFiles, changed: list[str]) -> Program | None:
    """The same program with some other parameters and tables; None if there is something to say about these."""
    if not changed:
        return replace(program, files=files)
    result = replace(program, files=files, constants=dict(program.constants), options=dict(program.options))
    result.tables = dict(program.tables)
    findings = Findings()
    reader = TableReader(result, findings, lambda node: resolve_type(node, result, findings))
    for name in changed:
        if name in files.parameters:
            declare_parameter(files.parameters[name], result)
        else:
            reader.declare_table(files.tables[name])
    return result if not findings.items else None
