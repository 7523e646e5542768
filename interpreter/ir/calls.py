"""Who calls whom."""

from __future__ import annotations

from collections.abc import Iterable

from interpreter.ir import nodes as ir
from interpreter.ir.walk import statements


def callees(procedure: ir.Procedure) -> list[ir.Call]:
    return [s for s in statements(procedure.body) if isinstance(s, ir.Call)]


def reachable(names: Iterable[str], procedures: dict[str, ir.Procedure]) -> set[str]:
    """These procedures and all that they call, directly or through others."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name in procedures:
            found.add(name)
            waiting += [call.procedure for call in callees(procedures[name])]
    return found
