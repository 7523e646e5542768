"""Who calls whom."""

from __future__ import annotations

from interpreter.ir import nodes as ir
from interpreter.ir.walk import statements


def callees(procedure: ir.Procedure) -> list[ir.Call]:
    return [s for s in statements(procedure.body) if isinstance(s, ir.Call)]
