"""Who calls whom. A procedure that reaches itself would not have to end, so it is an error."""

from __future__ import annotations

from interpreter.diagnostics import Findings
from interpreter.ir import nodes as ir
from interpreter.ir.walk import statements


def callees(procedure: ir.Procedure) -> list[ir.Call]:
    return [s for s in statements(procedure.body) if isinstance(s, ir.Call)]


def check_recursion(procedures: dict[str, ir.Procedure], findings: Findings) -> None:
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in done or name not in procedures:
            return
        for call in callees(procedures[name]):
            if call.procedure in (*above, name):
                findings.error(
                    "E311", f"`{call.procedure}` would be carried out inside itself", call.span,
                    "use `repeat until ..., at most N times`",
                )  # fmt: skip
            else:
                visit(call.procedure, (*above, name))
        done.add(name)

    for name in procedures:
        visit(name, ())
