"""Tables of the rules as constant arrays (lookup tables), each once, of the smallest integers that hold it."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import flat_index
from chocolatl.interpreter.native.layout.memory import number_shape
from chocolatl.interpreter.native.llvm.text import constant


def emit_lookup(context: EmitContext, e: ir.Lookup) -> str:
    position = flat_index(context, e.indices, e.bounds)
    number = constant(position)
    if number is not None and 0 <= number < len(e.values):
        return str(e.values[number])
    return table_entry(context, e.values, position)


def table_entry(context: EmitContext, values: tuple[int, ...], position: str) -> str:
    """A value of a constant table."""
    unit = table_unit(values)
    name = context.tables.setdefault(values, f"@table_{len(context.tables)}")
    return context.f.load(context.f.element(name, position, unit), unit)


def table_unit(values: tuple[int, ...]) -> str:
    return number_shape(min(values, default=0), max(values, default=0)).unit


def table_lines(context: EmitContext) -> list[str]:
    """The constant tables as globals. One without entries has one all the same, for what has failed."""
    lines = []
    for values, name in context.tables.items():
        unit = table_unit(values)
        entries = ", ".join(f"{unit} {value}" for value in values or (0,))
        lines.append(f"{name} = internal constant [{max(1, len(values))} x {unit}] [{entries}]")
    return lines
