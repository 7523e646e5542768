"""What lies beside a cell of a grid, as quantities of an answer that names one (neighbourhood features).

    beside     of all cells beside it together: what lies there, and whose it is
    towards    what the sides show that are turned to it: those of one's own things, and those of others
    sides      of a thing to be laid there, what its sides show, by what each of them meets; and whether they meet a
               cell where nothing lies, beside which something lies already
    beyond     of a cell and a side: what lies on the other side, and what the side shows

At the edge of a grid a cell is its own neighbour, so that no formula can fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind, LogicOperator
from chocolatl.interpreter.policy.quantities import CELLS, PEOPLE, Quantity, QuantityFinder, constant_attributes
from chocolatl.interpreter.program.model import Domain, Field, Turning
from chocolatl.interpreter.program.types import NUMBER, YES_NO, Multiset, Scalar

Shown = Callable[[ir.Expression], ir.Expression]
"""What a side shows, by the side."""

Face = Callable[[ir.Expression, ir.Expression], ir.Expression]
"""What the thing in a cell shows to a side, by the cell and the side."""

ReadPick = tuple[str, ir.Expression]


class Surroundings:
    """The quantities of answers to one choice, from what its parts are called and how they are read."""

    def __init__(self, finder: QuantityFinder) -> None:
        self.finder, self.writer, self.game = finder, finder.writer, finder.writer.game

    def of_answer(self, picks: Sequence[ReadPick]) -> Iterator[Quantity]:
        for name, e in picks:
            domain = self.game.domains.get(e.type.family)
            if domain is None or e.type.optional:
                continue
            if domain.sides:
                yield from self._of_cell(name, e, domain, picks)
            for cell, side in self._edges(domain):
                yield from self._beyond(name, e, domain, cell, side, picks)

    # ------------------------------------------------------------ a cell

    def _of_cell(self, name: str, cell: ir.Expression, grid: Domain, picks: Sequence[ReadPick]) -> Iterator[Quantity]:
        yield from self._beside(name, cell, grid)
        for called, towards in self._towards(grid, cell):
            yield self._sum(f"{called} towards {name}", grid, towards)
            for other, e in picks:
                for kind, is_it in self._kinds(other, e):
                    weighed = self.writer.product(self._total(grid, towards), is_it)
                    yield Quantity(f"{called} towards {name}, {kind}", weighed, squared=False, rank=0)
        for called, shown in self._laid(grid, picks):
            yield from self._sides(called, shown, name, cell, grid)

    def _sides(self, called: str, shown: Shown, name: str, cell: ir.Expression, grid: Domain) -> Iterator[Quantity]:
        """Of a thing to be laid in a cell, what its sides meet."""
        write = self.writer
        for field in self._things(grid):
            for kind, is_kind in self._held(field):

                def met(s: ir.Expression, is_kind: Shown = is_kind) -> ir.Expression:
                    return write.product(shown(s), is_kind(self._next(grid, cell, s)))

                yield self._sum(f"{called} of {name} at {field.name} {kind}", grid, met)
        for field in self._things(grid):
            for other in self._things(grid):

                def waits(s: ir.Expression, field: Field = field, other: Field = other) -> ir.Expression:
                    there = self._next(grid, cell, s)
                    empty = write.is_none(write.load(field, there))
                    some = self._some(grid, there, other)
                    return write.product(shown(s), write.number_of(self._both(empty, some)))

                yield self._sum(f"{called} of {name} at no {field.name} beside {other.name}", grid, waits)

    def _some(self, grid: Domain, cell: ir.Expression, field: Field) -> ir.Expression:
        """Whether something lies in a cell beside one."""
        side = self.writer.local("side", self._ring(grid).type)
        held = self.writer.load(field, self._next(grid, cell, self.writer.read(side)))
        there = ir.Not(self.writer.span, YES_NO, self.writer.is_none(held))
        return ir.Aggregate(
            self.writer.span, YES_NO, AggregateKind.SOME, side, ir.Whole(self._ring(grid).type, None), None, there
        )

    def _both(self, one: ir.Expression, other: ir.Expression) -> ir.Expression:
        return ir.Logic(self.writer.span, YES_NO, LogicOperator.AND, one, other)

    # ------------------------------------------------------------ a cell and a side

    def _edges(self, domain: Domain) -> Iterator[tuple[int, int]]:
        """Where a pair holds a cell and one of its sides."""
        for cell, (_, bound) in enumerate(domain.parts):
            grid = self.game.domains.get(bound.family)
            for side, (_, other) in enumerate(domain.parts):
                if grid is not None and grid.sides and other.family == grid.sides:
                    yield cell, side

    def _beyond(
        self, name: str, e: ir.Expression, pair: Domain, cell: int, side: int, picks: Sequence[ReadPick]
    ) -> Iterator[Quantity]:
        write, bounds = self.writer, tuple(bound for _, bound in pair.parts)
        grid = self.game.domains[bounds[cell].family]
        here, s = (ir.Part(write.span, bounds[at], e, bounds, at) for at in (cell, side))
        there = self._next(grid, here, s)
        for field in self._things(grid):
            for attribute, shown in self._faces(field):
                yield Quantity(f"{attribute} of {name}", shown(here, s), rank=0)
            for kind, is_kind in self._held(field):
                yield Quantity(f"{field.name} {kind} beyond {name}", is_kind(there), False, squared=False, rank=0)
                for other, number in picks:
                    if number.type.family == NUMBER and not number.type.optional:
                        times = write.product(number, is_kind(there))
                        yield Quantity(f"{other} for {field.name} {kind} beyond {name}", times, squared=False, rank=0)

    # ------------------------------------------------------------ what lies in cells

    def _fields(self, grid: Domain) -> Iterator[Field]:
        for field in self.game.fields:
            if field.owner == grid.name and field.visibility == "open" and not field.indices:
                if not isinstance(field.type, Multiset):
                    yield field

    def _things(self, grid: Domain) -> list[Field]:
        """The fields of cells in which a component lies, or none."""
        found = []
        for field in self._fields(grid):
            domain = self.game.domains.get(field.type.family)  # type: ignore[union-attr]
            if domain is not None and domain.attributes and field.type.optional:  # type: ignore[union-attr]
                found.append(field)
        return found

    def _beside(self, name: str, cell: ir.Expression, grid: Domain) -> Iterator[Quantity]:
        """What can be counted of the cells beside one: what lies there, but for what it shows to its sides."""
        write, ring = self.writer, self._ring(grid).type
        side = write.local("side", ring)
        there = self._next(grid, cell, write.read(side))
        for field in self._fields(grid):
            sided = tuple(f"{field.name}.{attribute}" for attribute, _ in self._faces(field))
            for quantity in self.finder.of_element(field.name, write.load(field, there), deep=False):
                if not (sided and quantity.name.startswith(sided)):
                    total = write.over(AggregateKind.SUM, side, ir.Whole(ring, None), quantity.formula)
                    yield Quantity(f"{quantity.name} beside {name}", total, squared=False, rank=0)

    def _held(self, field: Field) -> Iterator[tuple[str, Shown]]:
        """Whether a certain kind lies in a cell, of few kinds; if there are more, by their attributes."""
        type_ = field.type
        assert isinstance(type_, Scalar)
        if self._faces(field):
            return
        for kind, values in self._of_kinds(type_.required):

            def is_kind(cell: ir.Expression, values: tuple[int, ...] = values) -> ir.Expression:
                return self.writer.entry(values, self.writer.load(field, cell))

            yield kind, is_kind

    def _of_kinds(self, type_: Scalar) -> Iterator[tuple[str, tuple[int, ...]]]:
        domain = self.game.domains[type_.family]
        if type_.size > CELLS:
            for attribute in constant_attributes(self.game, type_):
                yield attribute.name, attribute.values
            return
        for value in range(type_.low, type_.high + 1):
            yield f"is {domain.labels[value]}", tuple(int(v == value) for v in range(type_.low, type_.high + 1))

    def _kinds(self, name: str, e: ir.Expression) -> Iterator[tuple[str, ir.Expression]]:
        """Of which kind a component of the answer is."""
        domain = self.game.domains.get(e.type.family)
        if domain is not None and domain.copies and not e.type.optional and domain.turning is None:
            for kind, values in self._of_kinds(e.type):
                yield f"{name} {kind}", self.writer.entry(values, e)

    # ------------------------------------------------------------ sides

    def _faces(self, field: Field) -> list[tuple[str, Face]]:
        """What the thing in a cell shows to each side, by attribute: a formula of the cell and the side."""
        found: list[tuple[str, Face]] = []
        assert isinstance(field.type, Scalar) and field.owner is not None
        domain, grid = self.game.domains.get(field.type.family), self.game.domains[field.owner]
        if domain is None:
            return []
        for name, attribute in domain.attributes.items():
            if attribute.index is not None and attribute.index.family == grid.sides and attribute.type.family == NUMBER:
                width = attribute.index.size

                def shown(
                    cell: ir.Expression, side: ir.Expression, values: tuple[int, ...] = attribute.values,
                    width: int = width,
                ) -> ir.Expression:  # fmt: skip
                    return self._side_of(values, width, self.writer.load(field, cell), side)

                found.append((name, shown))
        return found

    def _side_of(self, values: tuple[int, ...], width: int, thing: ir.Expression, side: ir.Expression) -> ir.Expression:
        """What a thing shows to a side; 0, if it is none."""
        whole = self.game.domains[thing.type.family].type
        if thing.type.optional:
            values, whole = (*[0] * width, *values), Scalar(whole.family, whole.low - 1, whole.high)
            thing = self.writer.retyped(thing, whole)
        return self.writer.table(values, (whole, Scalar(side.type.family, 0, width - 1)), (thing, side))

    def _towards(self, grid: Domain, cell: ir.Expression) -> Iterator[tuple[str, Shown]]:
        """What the things beside a cell show to it, by whose they are."""
        ring = self._ring(grid)
        if ring.size % 2 or not ring.cyclic:
            return
        half = tuple((member + ring.size // 2) % ring.size for member in range(ring.size))
        for field in self._things(grid):
            for attribute, shown in self._faces(field):
                for owner in self._fields(grid):
                    if owner.type.family not in PEOPLE:  # type: ignore[union-attr]
                        continue
                    for whose, mine in (("my", True), ("others'", False)):

                        def towards(s: ir.Expression, owner: Field = owner, mine: bool = mine) -> ir.Expression:
                            there = self._next(grid, cell, s)
                            facing = shown(there, self.writer.table(half, (ring.type,), (s,), ring.type))  # noqa: B023
                            return self.writer.product(facing, self._owned(owner, there, mine))

                        yield f"{whose} {attribute}", towards

    def _owned(self, field: Field, cell: ir.Expression, mine: bool) -> ir.Expression:
        """1 if what lies in a cell is mine; or if it is not, which counts nothing where there is nothing."""
        is_mine = self.finder.is_me(self.writer.load(field, cell))
        return self.writer.number_of(is_mine if mine else ir.Not(self.writer.span, YES_NO, is_mine))

    def _laid(self, grid: Domain, picks: Sequence[ReadPick]) -> Iterator[tuple[str, Shown]]:
        """What the sides show of a component of the answer, turned as the answer says."""
        for name, e in picks:
            domain = self.game.domains.get(e.type.family)
            if domain is None or domain.turning is None or e.type.optional or domain.turning.ring.family != grid.sides:
                continue
            for attribute, held in domain.attributes.items():
                if held.index is None or held.index.family != grid.sides or held.type.family != NUMBER:
                    continue
                turns = [
                    (text, turn) for text, turn in picks
                    if turn.type.family == NUMBER and 0 <= turn.type.low <= turn.type.high < domain.turning.ring.size
                ]  # fmt: skip
                if len(turns) == 1:
                    yield f"{name}.{attribute}", self._turned(held.values, domain.turning, e, turns[0][1])

    def _turned(self, values: tuple[int, ...], turning: Turning, e: ir.Expression, turn: ir.Expression) -> Shown:
        size = turning.ring.size
        table = tuple(
            values[kind * size + (side - turned) % size]
            for kind in range(len(values) // size) for turned in range(size) for side in range(size)
        )  # fmt: skip
        whole = self.game.domains[e.type.family].type
        circle = Scalar(NUMBER, 0, size - 1)

        def shown(side: ir.Expression) -> ir.Expression:
            return self.writer.table(table, (whole, circle, turning.ring), (e, turn, side))

        return shown

    # ------------------------------------------------------------ neighbours

    def _ring(self, grid: Domain) -> Domain:
        return self.game.domains[grid.sides]

    def _next(self, grid: Domain, cell: ir.Expression, side: ir.Expression) -> ir.Expression:
        """The neighbour of a cell; at the edge of the grid the cell itself."""
        values = self.finder.neighbours(grid)
        sides = self._ring(grid).type
        return self.writer.table(values, (grid.type, sides), (cell, side), grid.type)

    def _total(self, grid: Domain, formula: Shown) -> ir.Expression:
        side = self.writer.local("side", self._ring(grid).type)
        whole = ir.Whole(self._ring(grid).type, None)
        return self.writer.over(AggregateKind.SUM, side, whole, formula(self.writer.read(side)))

    def _sum(self, called: str, grid: Domain, formula: Shown) -> Quantity:
        return Quantity(called, self._total(grid, formula), squared=False, rank=0)
