"""Space: grids of cells with neighbours, pairs, and components that lie turned (finite domains, precomputed tables).

All three are finite domains like an enum. A cell or a pair is one number made of its parts; a turned component is one
of the faces that its kinds can show. What lies beside what, and which turn shows which face, are tables that are
computed here once, so that nothing is turned or searched while a game runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import astuple

from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.program.constants import evaluate
from chocolatl.interpreter.program.model import Domain, DomainAttribute, Label, Program, Turning
from chocolatl.interpreter.program.types import LARGEST, NUMBER, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t

MAX_CELLS_OF_GRID = 10_000
SIDES = "for example `cyclic enum side = north, east, south, west`"
NOWHERE = -1
"""The neighbour of a cell at the edge: there is none."""


def declare_grid(node: t.Grid, axes: Sequence[Scalar], program: Program, findings: Findings) -> Domain | None:
    """The cells of a grid with their neighbours, None after a finding."""
    sides = program.domains.get(node.sides.text)
    if sides is None:
        enums = [name for name, domain in program.domains.items() if domain.is_enum]
        if node.sides.text not in program.broken:
            hint = nearest(node.sides.text, enums) or SIDES
            findings.error("E301", f"there is no enum `{node.sides.text}`", node.sides.span, hint)
        return None
    if not sides.is_enum:
        message = f"the sides of a cell are the members of an enum, and `{sides.name}` is none"
        findings.error("E402", message, node.sides.span, SIDES)
        return None
    parts = tuple((axis.name.text, type_) for axis, type_ in zip(node.axes, axes, strict=True))
    grid = Domain(node.name.text, (), node.name.span, parts=parts, sides=sides.name)
    if grid.size > MAX_CELLS_OF_GRID:
        message = f"`{grid.name}` has {grid.size:,} cells; up to {MAX_CELLS_OF_GRID:,} are possible"
        findings.error("E504", message, node.name.span)
        return None
    steps = _steps(node, grid, sides, findings)
    if steps is None:
        return None
    columns = [_neighbours(step, grid, program, findings) for step in steps]
    sound = [column for column in columns if column is not None]
    if len(sound) < len(columns):
        return None
    neighbours = tuple(itertools.chain.from_iterable(zip(*sound, strict=True)))
    return Domain(grid.name, _labels(_ranges(grid)), grid.span, parts=parts, sides=sides.name, neighbours=neighbours)


def _ranges(grid: Domain) -> tuple[range, ...]:
    """The numbers of each coordinate."""
    return tuple(range(part.low, part.high + 1) for _, part in grid.parts)


@lru_cache(maxsize=16)
def _labels(ranges: tuple[range, ...]) -> tuple[str, ...]:
    """What the cells of a grid are called; worked out once, since all variants have the same."""
    return tuple([",".join(map(str, cell)) for cell in itertools.product(*ranges)])


def _steps(node: t.Grid, grid: Domain, sides: Domain, findings: Findings) -> list[t.Step] | None:
    """The step of each side, in the order of the sides."""
    known = [str(label) for label in sides.labels]
    axes = ", ".join(axis.name.text for axis in node.axes)
    given: dict[str, t.Step] = {}
    sound = True
    for step in node.steps:
        side, count = step.side.text, len(step.coordinates)
        if side not in known:
            hint = nearest(side, [name for name in known if name not in given]) or f"one of {', '.join(known)}"
            findings.error("E301", f"there is no {sides.name} `{side}`", step.side.span, hint)
        elif side in given:
            first = (Related(given[side].span, "the first one"),)
            findings.error("E305", f"the step `{side}` stands twice", step.side.span, related=first)
        elif count != len(node.axes):
            hint = f"write `{side} : ({axes})`, with the cell that lies there"
            findings.error("E406", grid.miscounted(count), step.span, hint)
        sound = sound and side in known and side not in given and count == len(node.axes)
        given.setdefault(side, step)
    missing = [side for side in known if side not in given]
    if sound and missing:
        hint = f"add a line `{missing[0]} : ({axes})`, with the cell that lies there"
        findings.error("E309", f"`{node.name.text}` has no step for {', '.join(missing)}", node.name.span, hint)
    return [given[side] for side in known] if sound and not missing else None


def _neighbours(step: t.Step, grid: Domain, program: Program, findings: Findings) -> list[int] | None:
    """The neighbour of each cell at one side. A step by its coordinates alone is the same in every variant."""
    if not _is_plain(step.coordinates, {name for name, _ in grid.parts}):
        return _worked_out(step, grid, program, findings)
    key = step, grid.parts
    if key not in _plain_steps:
        column = _worked_out(step, grid, program, findings)
        if column is None:
            return None
        if len(_plain_steps) >= MANY_STEPS:
            _plain_steps.clear()
        _plain_steps[key] = column
    return _plain_steps[key]


MANY_STEPS = 64
_plain_steps: dict[tuple[t.Step, tuple[tuple[str, Scalar], ...]], list[int]] = {}


def _is_plain(node: object, coordinates: set[str]) -> bool:
    """Whether an expression is arithmetic with coordinates and written numbers."""
    match node:
        case tuple():
            return all(_is_plain(part, coordinates) for part in node)
        case t.Reference():
            return node.name in coordinates
        case t.Unary():
            return _is_plain(node.operand, coordinates)
        case t.Binary():
            return _is_plain((node.left, node.right), coordinates)
    return isinstance(node, t.Number)


def _worked_out(step: t.Step, grid: Domain, program: Program, findings: Findings) -> list[int] | None:
    names, ranges = [name for name, _ in grid.parts], _ranges(grid)
    cells = list(itertools.product(*ranges))
    columns: list[list[int]] = []
    for expression in step.coordinates:
        mentioned = _names(expression)
        used = [place for place, name in enumerate(names) if name in mentioned]
        known: dict[tuple[int, ...], int] = {}
        column: list[int] = []
        for cell in cells:
            key = tuple([cell[place] for place in used])
            if key not in known:
                value = evaluate(expression, program, findings, bound=dict(zip(names, cell, strict=True)))
                if value is None:
                    return None
                known[key] = value
            column.append(known[key])
        columns.append(column)
    numbers = {cell: number for number, cell in enumerate(cells)}
    return [numbers.get(neighbour, NOWHERE) for neighbour in zip(*columns, strict=True)]


def _names(node: object) -> set[str]:
    if isinstance(node, t.Reference):
        return {node.name}
    if isinstance(node, tuple):
        return set().union(*map(_names, node))
    return set().union(*map(_names, astuple(node))) if isinstance(node, t.Node) else set()


def pair(parts: Sequence[Scalar], program: Program, span: Span, findings: Findings) -> Scalar | None:
    """The type of pairs of two or more things, None after a finding. Its parts go by the names of their types."""
    names = [part.family for part in parts]
    wrong = next((part for part in parts if part.family not in program.domains or part.optional), None)
    if wrong is not None:
        what = "numbers" if wrong.family == NUMBER else str(wrong)
        grid = next((d for d in program.domains.values() if d.sides and len(d.parts) == len(parts)), None)
        written = ", ".join(name for name, _ in grid.parts) if grid is not None else ""
        numbers = all(part.family == NUMBER for part in parts)
        hint = f"a cell is written `{grid.name}({written})`" if grid is not None and numbers else ""
        findings.error("E402", f"a pair is made of players, members, components or cells, not of {what}", span, hint)
        return None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"this pair would have two parts called `{twice}`"
        findings.error("E402", message, span, "a part goes by the name of its type")
        return None
    name = f"({', '.join(names)})"
    if name not in program.domains:
        domain = Domain(name, (), parts=tuple(zip(names, parts, strict=True)))
        if domain.size > LARGEST:
            findings.error("E504", f"there are more {name} than a number of 64 bits can count", span)
            return None
        program.domains[name] = domain
    return program.domains[name].type


def turned(name: str, program: Program) -> Domain | None:
    """The faces of a component that can be turned, None when it cannot."""
    component = program.domains.get(name)
    if component is None or component.turning is None:
        return None
    return program.domains[face_name(name)]


def unturned(component: Domain, program: Program) -> tuple[str, str]:
    """Why a component cannot be turned, and what to do about it."""
    indexed = [(name, a.index.family) for name, a in component.attributes.items() if a.index is not None]
    rings = {ring: name for name, ring in indexed if _is_circle(ring, program)}
    if len(rings) > 1:
        (first, one), (second, other), *_ = rings.items()
        message = f"a {component.name} has the circles `{first}` and `{second}`, so it is not clear how it turns"
        return message, f"`{one}` and `{other}` need the same index"
    for name, index in indexed:
        if index in program.domains and program.domains[index].is_enum:
            message = f"the `{name}` of a {component.name} is no circle, so it cannot be turned"
            return message, f"declare `cyclic enum {index} = ...`"
    hint = f"give it an attribute for each side: `component {component.name} (edge[side] : 0..3)`"
    return f"a {component.name} has no sides and cannot be turned", f"{hint}, with a `cyclic enum side`"


def declare_faces(component: Domain, program: Program) -> Domain:
    """A component with attributes for each side of a circle can be turned: declares its faces."""
    rings = {a.index.family: a.index for a in component.attributes.values() if a.index is not None}
    rings = {family: ring for family, ring in rings.items() if _is_circle(family, program)}
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
    attributes = {n: DomainAttribute(a.type, tuple(columns[n]), a.index) for n, a in component.attributes.items()}
    name = face_name(component.name)
    program.domains[name] = Domain(name, tuple(labels), component.span, attributes=attributes)
    turning = Turning(ring, tuple(faces), tuple(periods))
    return Domain(
        component.name, component.labels, component.span, (), component.attributes, component.copies, turning=turning
    )


def _is_circle(family: str, program: Program) -> bool:
    return family in program.domains and program.domains[family].cyclic


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
