"""Space: grids of cells with neighbours, pairs, and components that lie turned.

All three are finite domains like an enum. A cell or a pair is one number made of its parts; a turned component is one
of the faces that its kinds can show. What lies beside what, and which turn shows which face, are tables that are
computed here once, so that nothing is turned or searched while a game runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from interpreter.diagnostics import Findings, nearest
from interpreter.program.constants import evaluate
from interpreter.program.model import Attribute, Domain, Label, Program, Turning
from interpreter.program.types import NUMBER, Scalar
from interpreter.source import Span
from interpreter.syntax import tree as t

MAX_CELLS_OF_GRID = 10_000
NOWHERE = -1
"""The neighbour of a cell at the edge: there is none."""


def declare_grid(node: t.Grid, axes: Sequence[Scalar], program: Program, findings: Findings) -> Domain | None:
    """The cells of a grid with their neighbours, None after a finding."""
    sides = program.domains.get(node.sides.text)
    if sides is None or sides.copies or sides.parts:
        enums = [name for name, domain in program.domains.items() if domain.texts]
        if node.sides.text not in program.broken:
            hint = nearest(node.sides.text, enums) or "for example `cyclic enum side = north, east, south, west`"
            findings.error("E301", f"there is no enum `{node.sides.text}`", node.sides.span, hint)
        return None
    parts = tuple((axis.name.text, type_) for axis, type_ in zip(node.axes, axes, strict=True))
    grid = Domain(node.name.text, (), node.name.span, parts=parts, sides=sides.name)
    if grid.size > MAX_CELLS_OF_GRID:
        message = f"`{grid.name}` has {grid.size:,} cells; up to {MAX_CELLS_OF_GRID:,} are possible"
        findings.error("E504", message, node.name.span)
        return None
    steps = _steps(node, sides, findings)
    if steps is None:
        return None
    columns = [_neighbours(step, grid, program, findings) for step in steps]
    sound = [column for column in columns if column is not None]
    if len(sound) < len(columns):
        return None
    neighbours = tuple(itertools.chain.from_iterable(zip(*sound, strict=True)))
    labels = tuple(",".join(map(str, grid.split(cell))) for cell in range(grid.size))
    return Domain(grid.name, labels, grid.span, parts=parts, sides=sides.name, neighbours=neighbours)


def _steps(node: t.Grid, sides: Domain, findings: Findings) -> list[t.Step] | None:
    """The step of each side, in the order of the sides."""
    known = [str(label) for label in sides.labels]
    given: dict[str, t.Step] = {}
    for step in node.steps:
        if step.side.text not in known:
            message = f"there is no {sides.name} `{step.side.text}`"
            findings.error("E301", message, step.side.span, nearest(step.side.text, known))
            return None
        if step.side.text in given:
            findings.error("E305", f"the step `{step.side.text}` stands twice", step.side.span)
            return None
        if len(step.coordinates) != len(node.axes):
            wanted = ", ".join(axis.name.text for axis in node.axes)
            findings.error("E406", f"a cell is written ({wanted})", step.span)
            return None
        given[step.side.text] = step
    missing = [side for side in known if side not in given]
    if missing:
        findings.error("E309", f"`{node.name.text}` has no step for {', '.join(missing)}", node.name.span)
        return None
    return [given[side] for side in known]


def _neighbours(step: t.Step, grid: Domain, program: Program, findings: Findings) -> list[int] | None:
    """The neighbour of each cell at one side."""
    known: list[dict[tuple[int, ...], int]] = [{} for _ in step.coordinates]
    used = [_names(coordinate) for coordinate in step.coordinates]
    result: list[int] = []
    for cell in range(grid.size):
        bound = {name: value for (name, _), value in zip(grid.parts, grid.split(cell), strict=True)}
        coordinates: list[int] = []
        for expression, names, cache in zip(step.coordinates, used, known, strict=True):
            key = tuple(bound[name] for name in bound if name in names)
            if key not in cache:
                value = evaluate(expression, program, findings, bound=bound)
                if value is None:
                    return None
                cache[key] = value
            coordinates.append(cache[key])
        inside = all(part.low <= c <= part.high for c, (_, part) in zip(coordinates, grid.parts, strict=True))
        result.append(grid.join(coordinates) if inside else NOWHERE)
    return result


def _names(node: object) -> set[str]:
    if isinstance(node, t.Reference):
        return {node.name}
    if isinstance(node, tuple):
        return set().union(*map(_names, node))
    return set().union(*(_names(part) for part in vars(node).values())) if isinstance(node, t.Node) else set()


def pair(parts: Sequence[Scalar], program: Program, span: Span, findings: Findings) -> Scalar | None:
    """The type of pairs of two or more things, None after a finding. Its parts go by the names of their types."""
    names = [part.family for part in parts]
    wrong = next((part for part in parts if part.family not in program.domains or part.optional), None)
    if wrong is not None:
        findings.error("E402", f"a pair is made of players, members, components or cells, not of {wrong}", span)
        return None
    if len(set(names)) < len(names):
        findings.error("E402", f"a pair of `{names[0]}` and `{names[1]}` would have two parts of one name", span)
        return None
    name = f"({', '.join(names)})"
    if name not in program.domains:
        program.domains[name] = Domain(name, (), parts=tuple(zip(names, parts, strict=True)))
    return program.domains[name].type


def turned(name: str, program: Program) -> Domain | None:
    """The faces of a component that can be turned, None when it cannot."""
    component = program.domains.get(name)
    if component is None or component.turning is None:
        return None
    return program.domains[face_name(name)]


def declare_faces(component: Domain, program: Program) -> Domain:
    """A component with attributes for each side of a circle can be turned: declares its faces."""
    rings = {a.index.family: a.index for a in component.attributes.values() if a.index is not None}
    rings = {family: ring for family, ring in rings.items() if program.domains[family].cyclic}
    if len(rings) != 1:
        return component
    (ring,) = rings.values()
    labels: list[Label] = []
    columns: dict[str, list[int]] = {attribute: [] for attribute in component.attributes}
    faces, periods = [], []
    for kind, label in enumerate(component.labels):
        turns = [_face(component, kind, turn, ring) for turn in range(ring.size)]
        period = next(p for p in range(1, ring.size + 1) if p == ring.size or turns[p] == turns[0])
        faces += [len(labels) + turn % period for turn in range(ring.size)]
        periods.append(period)
        for turn in range(period):
            labels.append(f"{label} turned {turn}" if turn else label)
            for attribute, values in turns[turn].items():
                columns[attribute] += values
    attributes = {n: Attribute(a.type, tuple(columns[n]), a.index) for n, a in component.attributes.items()}
    name = face_name(component.name)
    program.domains[name] = Domain(name, tuple(labels), component.span, attributes=attributes)
    turning = Turning(ring, tuple(faces), tuple(periods))
    return Domain(
        component.name, component.labels, component.span, (), component.attributes, component.copies, turning=turning
    )


def _face(component: Domain, kind: int, turn: int, ring: Scalar) -> dict[str, list[int]]:
    """The attributes of a kind after a turn: what was at a side is now so many sides on."""
    result: dict[str, list[int]] = {}
    for name, attribute in component.attributes.items():
        width = attribute.index.size if attribute.index is not None else 1
        values = list(attribute.values[kind * width : (kind + 1) * width])
        if attribute.index == ring:
            values = [values[(side - turn) % ring.size] for side in range(ring.size)]
        result[name] = values
    return result


def face_name(component: str) -> str:
    return f"turned {component}"


def axis(type_: object, span: Span, findings: Findings) -> Scalar | None:
    """The type of a coordinate: a range of numbers; None after a finding."""
    if isinstance(type_, Scalar) and type_.family == NUMBER and not type_.optional:
        return type_
    findings.error("E402", "a coordinate is a range of numbers, such as `1..8`", span)
    return None
