"""Who calls whom (the call graph)."""

from __future__ import annotations

from collections.abc import Iterable

from chocolatl.interpreter.ir import nodes as ir


def callees(procedure: ir.Procedure) -> tuple[ir.Call, ...]:
    return procedure.calls


def reachable(names: Iterable[str], procedures: dict[str, ir.Procedure]) -> set[str]:
    """These procedures and all that they call, directly or through others."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name in procedures:
            found.add(name)
            waiting += procedures[name].callees
    return found
