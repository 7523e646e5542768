"""What needs what (topological order): values and rankings are translated after those that they need.

What needs itself would not have to end, so it is an error; so is a chain that is too long for Python to run.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import Context

MAX_CALLS = 100
"""How many procedures may be at work in one another."""
MAX_CHAIN = 300
"""How many values, and formulas over sets inside them, may wait for one another."""

Needs = dict[str, dict[str, Span]]


class DependencyOrder(Struct, frozen=True):
    """Names after all that they need, the needs that close a circle, and how long the chain below each name is."""

    names: list[str]
    circles: list[tuple[str, Span]]
    heights: dict[str, int]


def in_order(needs: Needs, weights: dict[str, int] | None = None) -> DependencyOrder:
    """Without recursion: a chain may be longer than Python's own stack."""
    order = DependencyOrder([], [], {})
    for root in needs:
        path: dict[str, Iterator[tuple[str, Span]]] = {}
        waiting = [root] if root not in order.heights else []
        while waiting:
            name = waiting[-1]
            if name not in path:
                path[name] = iter(needs[name].items())
            for other, span in path[name]:
                if other in path:
                    order.circles.append((other, span))
                elif other in needs and other not in order.heights:
                    waiting.append(other)
                    break
            else:
                below = [order.heights.get(other, 0) for other in needs[name]]
                order.heights[name] = max(below, default=0) + (weights[name] if weights else 1)
                order.names.append(name)
                del path[name]
                waiting.pop()
    return order


def ordered_values(context: Context) -> list[str]:
    """The names of all values and rankings, those that others need first; those that need themselves are reported."""
    program, memory = context.program, context.memory
    key = [id(memory.version[part]) for part in ("values", "rankings", "modifiers")] if memory is not None else []
    if memory is not None and ("values", *key) in memory.orders:
        return memory.orders["values", *key]
    before = len(context.findings.items)
    declared: dict[str, t.Value | t.Ranking] = {**program.values, **program.rankings}
    found = {name: context.memoised(_mentioned, declaration) for name, declaration in declared.items()}
    for name, modifiers in program.modifiers.items():
        for modifier in modifiers if name in found else ():
            found[name] = {**context.memoised(_mentioned, modifier), **found[name]}
    needs = {name: {other: span for other, span in all_.items() if other in declared} for name, all_ in found.items()}
    depths = {name: 1 + context.memoised(_nesting, declaration) for name, declaration in declared.items()}
    order = in_order(needs, depths)
    for name, span in order.circles:
        what = "computed from" if name in program.values else "ranked by"
        context.error("E311", f"`{name}` is {what} itself", span)
        (context.values if name in program.values else context.rankings)[name] = None
    _report_chain(order, {name: d.name.span for name, d in declared.items()}, MAX_CHAIN, "values", context.findings)
    if memory is not None and len(context.findings.items) == before:
        memory.orders["values", *key] = order.names
    return order.names


def check_calls(context: Context, procedures: dict[str, ir.Procedure]) -> None:
    """Report procedures that would be carried out inside themselves, or too deep inside one another."""
    memory, findings = context.memory, context.findings
    key = ("procedures", tuple(procedures), tuple([p.callees for p in procedures.values()]))
    if memory is not None and key in memory.orders:
        return
    order = in_order(
        {name: {call.procedure: call.span for call in reversed(p.calls)} for name, p in procedures.items()}
    )
    if memory is not None and not order.circles:
        memory.orders[key] = order.names
    for name, span in order.circles:
        hint = "use `repeat until ..., at most N times`"
        findings.error("E311", f"`{name}` would be carried out inside itself", span, hint)
    _report_chain(order, {name: p.span for name, p in procedures.items()}, MAX_CALLS, "procedures", findings)


def _report_chain(order: DependencyOrder, spans: dict[str, Span], most: int, what: str, findings: Findings) -> None:
    first = next((name for name in order.names if order.heights[name] > most), None)
    if first is not None and not order.circles:
        findings.error("E102", f"more than {most} {what} need one another in a row, down from `{first}`", spans[first])


def _mentioned(declaration: t.Value | t.Ranking | t.Modifier) -> dict[str, Span]:
    """The names in a declaration that can be values and rankings. One that is bound inside it may be something else."""
    bound = {declaration.variable.text} if isinstance(declaration, t.Ranking) else set()
    if isinstance(declaration, t.Modifier):
        bound |= {name.text for name in declaration.names}
    else:
        bound |= {parameter.name.text for parameter in declaration.parameters}
    found: dict[str, Span] = {}
    for node in _nodes(declaration):
        match node:
            case t.Aggregate():
                bound.add(node.variable.text)
            case t.Call():
                found.setdefault(node.name.text, node.span)
            case t.Reference():
                found.setdefault(node.name, node.span)
    return {name: span for name, span in found.items() if name not in bound}


def _nesting(declaration: t.Value | t.Ranking) -> int:
    """How many formulas over sets stand in one another."""
    deepest = 0
    waiting: list[tuple[object, int]] = [(declaration, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += isinstance(node, t.Aggregate)
        deepest = max(deepest, depth)
        waiting += [(child, depth) for child in _children(node)]
    return deepest


def _nodes(root: t.Node) -> Iterator[t.Node]:
    """All nodes, in the order of the text."""
    waiting: list[t.Node] = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(_children(node))


def _children(node: object) -> list[t.Node]:
    if not isinstance(node, t.Node):
        return []
    parts = [getattr(node, name) for name in _parts_of(type(node))]
    flat = [entry for part in parts for entry in (part if isinstance(part, tuple) else (part,))]
    return [part for part in flat if isinstance(part, t.Node)]


_PARTS: dict[type, tuple[str, ...]] = {}


def _parts_of(kind: type[t.Node]) -> tuple[str, ...]:
    if kind not in _PARTS:
        _PARTS[kind] = tuple(name for name in kind.__struct_fields__ if name != "span")
    return _PARTS[kind]
