"""What stands in the cells of a grid, from a view alone: words in the middle, and at the sides what lies at the sides.

A cell says what has changed since the start: whom it belongs to, what lies on it, numbers with their names. What has a
value for each side of the grid (the faces of a tile, walls) stands where the neighbour at that side lies. Pieces of
players and of the table that are somewhere, sets of cells, and what can be chosen are shown in their cells as well.
`chocolatl.interpreter.terminal.board.grid` draws the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chocolatl.interpreter.engine.state import TABLE
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Decision, Game, RuleError
from chocolatl.interpreter.program.model import Domain, Field, FieldKey
from chocolatl.interpreter.program.space import NOWHERE
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, Multiset, Scalar
from chocolatl.interpreter.terminal.output.console import GOOD, PLAYERS
from chocolatl.interpreter.terminal.output.words import spaced, value_text

Direction = tuple[int, int]
MARKS = "·○+×◇□"
"""Signs for sets of cells, in the order of their declaration."""

CHOICE = "*"
"""What can be chosen, where a cell shows something else than how it is called."""

SET = "x"
"""A side at which something is that is there or not."""


@dataclass(frozen=True)
class CellWord:
    text: str
    style: str = ""


@dataclass
class DrawnCell:
    """`sides` holds what stands at the sides and corners, by the direction in which they lie."""

    words: list[CellWord] = field(default_factory=list)
    sides: dict[Direction, list[CellWord]] = field(default_factory=dict)
    marks: list[CellWord] = field(default_factory=list)
    name: CellWord | None = None
    """How the cell is called, if it can be chosen and nothing else is shown in it."""


@dataclass(frozen=True)
class Content:
    """The cells of a grid in which something stands, by number, and what has to be said about them."""

    grid: Domain
    cells: dict[int, DrawnCell]
    legend: tuple[str, ...]


def is_pictured(game: Game, domain: Domain) -> bool:
    """Whether a domain is a grid that can be drawn on paper, and something can stand in its cells."""
    if not domain.sides or len(domain.parts) > 2:
        return False
    types = [f.type.element if isinstance(f.type, Multiset) else f.type for f in game.ir.fields]
    return any(f.owner == domain.name for f in game.ir.fields) or any(t.family == domain.name for t in types)


def player_style(seat: int) -> str:
    return PLAYERS[seat % len(PLAYERS)]


def directions(game: Game, grid: Domain) -> dict[int, Direction]:
    """Where the neighbour at each side lies in the picture: the first coordinate runs to the right, the second down.

    Nothing if the steps are not those from a cell of a picture to the eight around it."""
    count = game.ir.domains[grid.sides].size
    found: dict[int, Direction] = {}
    for side in range(count):
        steps: Counter[Direction] = Counter()
        for cell in range(grid.size):
            neighbour = grid.neighbours[cell * count + side]
            if neighbour != NOWHERE:
                steps[_step(grid.split(cell), grid.split(neighbour))] += 1
        # A board without edges goes on at the other end, which is another step.
        (step, times), *_ = steps.most_common(1) or [((0, 0), 0)]
        if times * 2 <= steps.total() or max(map(abs, step)) != 1 or step in found.values():
            return {}
        found[side] = step
    return found


def _step(here: Sequence[int], there: Sequence[int]) -> Direction:
    x, y, *_ = *(b - a for a, b in zip(here, there, strict=True)), 0
    return x, y


def content(game: Game, grid: Domain, state: dict[str, Any], decisions: Sequence[Decision]) -> Content:
    """What a view shows in the cells of a grid, with what can be chosen now."""
    return _CellReader(game, grid, state).read(decisions)


class _CellReader:
    def __init__(self, game: Game, grid: Domain, state: dict[str, Any]) -> None:
        self.game = game
        self.grid = grid
        self.state = state
        self.directions = directions(game, grid)
        self.fields = [field for field in game.ir.fields if field.owner == grid.name]
        numbers = [f for f in self.fields if not isinstance(f.type, Multiset) and f.type.family == NUMBER]
        alone = len(numbers) == 1 and not numbers[0].indices and not any(map(self.has_sides, self.fields))
        self.only_number = numbers[0] if alone else None
        self.cells: dict[int, DrawnCell] = {}
        self.at_sides: dict[str, None] = {}
        self.legend: dict[str, None] = {}

    def read(self, decisions: Sequence[Decision]) -> Content:
        labels = {str(label): number for number, label in enumerate(self.grid.labels)}
        for label, record in self.state.get(self.grid.name, {}).items():
            for field_ in self.fields:
                self.field(self.cell(labels[label]), field_, record[field_.name])
        self.pieces()
        from_ = {key for decision in decisions for key in _sources(decision)}
        self.marks(from_)
        self.choices(decisions)
        sides = [f"at the sides: {', '.join(self.at_sides)}"] if self.at_sides else []
        return Content(self.grid, self.cells, (*sides, *self.legend))

    def cell(self, number: int) -> DrawnCell:
        return self.cells.setdefault(number, DrawnCell())

    def has_sides(self, field_: Field) -> bool:
        """Whether a field can put something at the sides of a cell."""
        type_ = field_.type.element if isinstance(field_.type, Multiset) else field_.type
        domain = self.game.ir.domains.get(type_.family)
        attributes = domain.attributes.values() if domain is not None else ()
        indices = [*field_.indices, *(a.index for a in attributes if a.index is not None)]
        return any(index.family == self.grid.sides for index in indices)

    # ------------------------------------------------------------ what a cell has

    def field(self, cell: DrawnCell, field_: Field, value: Any) -> None:
        if field_.indices:
            self.indexed(cell, field_, value)
        elif isinstance(field_.type, Multiset):
            if value and value != {"size": 0}:
                cell.words.append(CellWord(value_text(self.game, field_.type, value)))
        else:
            self.scalar(cell, field_, field_.type, value)

    def scalar(self, cell: DrawnCell, field_: Field, type_: Scalar, value: Any) -> None:
        number = self.game.codec.decode(type_, value)
        if number == field_.initial:
            return
        name = spaced(field_.name)
        if value is None:
            cell.words.append(CellWord(f"no {name}"))
        elif type_.family == TRUTH:
            cell.words.append(CellWord(name if value else f"not {name}"))
        elif type_.family == NUMBER:
            if field_ is self.only_number:
                cell.words.append(CellWord(str(value)))
                self.legend[f"numbers: {name}"] = None
            else:
                cell.words.append(CellWord(f"{name} {value}"))
        elif type_.family == PLAYER:
            self.belongs(cell, number, str(value))
        else:
            self.thing(cell, type_, number, str(value))

    def belongs(self, cell: DrawnCell, seat: int, name: str) -> None:
        """All that stands in the cell of a player has that player's colour."""
        style = player_style(seat)
        cell.words = [CellWord(word.text, word.style or style) for word in cell.words]
        cell.sides = {at: [CellWord(w.text, w.style or style) for w in words] for at, words in cell.sides.items()}
        cell.words.insert(0, CellWord(name, f"bold {style}"))

    def thing(self, cell: DrawnCell, type_: Scalar, number: int, label: str) -> None:
        """A member or a component. One that is called by what stands at its sides needs no other name."""
        domain = self.game.ir.domains.get(type_.family)
        sided = {
            name: attribute
            for name, attribute in (domain.attributes.items() if domain is not None else ())
            if self.directions and attribute.index is not None and attribute.index.family == self.grid.sides
        }
        name = label.partition(" turned ")[0] if type_.family.startswith("turned ") else label
        for attribute_name, attribute in sided.items():
            assert attribute.index is not None
            width = attribute.index.size
            for side in range(width):
                shown = self.game.codec.encode(attribute.type, attribute.values[number * width + side])
                self.side(cell, side, attribute.type, shown)
            self.at_sides[spaced(attribute_name)] = None
        if sided and domain is not None and len(sided) == len(domain.attributes):
            if sorted(name.split("-")) == sorted(word.text for words in cell.sides.values() for word in words):
                return
        cell.words.append(CellWord(spaced(name)))

    def indexed(self, cell: DrawnCell, field_: Field, values: dict[str, Any]) -> None:
        """A field with a value for each side, or for each of something else."""
        type_ = field_.type
        if isinstance(type_, Multiset):
            filled = {key: v for key, v in values.items() if v and v != {"size": 0}}
            cell.words += [CellWord(f"{spaced(key)}: {value_text(self.game, type_, v)}") for key, v in filled.items()]
            return
        changed = {k: v for k, v in values.items() if self.game.codec.decode(type_, v) != field_.initial}
        if self.directions and len(field_.indices) == 1 and field_.indices[0].family == self.grid.sides:
            for side, (key, value) in enumerate(values.items()):
                if key in changed:
                    self.side(cell, side, type_, value)
                    self.at_sides[spaced(field_.name)] = None
            return
        cell.words += [CellWord(f"{spaced(key)} {value_text(self.game, type_, v)}") for key, v in changed.items()]

    def side(self, cell: DrawnCell, side: int, type_: Scalar, value: Any) -> None:
        style = "dim" if value == 0 else player_style(self.game.codec.decode(type_, value)) if _is_seat(type_) else ""
        if type_.family == TRUTH:
            shown = SET if value else ""
        else:
            shown = "" if value is None else spaced(str(value))
        if shown:
            cell.sides.setdefault(self.directions[side], []).append(CellWord(shown, style))

    # ------------------------------------------------------------ what lies in the cells, is marked, can be chosen

    def pieces(self) -> None:
        """What has a place on the grid, by the name of its owner or of the field."""
        for field_ in self.game.ir.fields:
            if isinstance(field_.type, Multiset) or field_.type.family != self.grid.name or field_.indices:
                continue
            records = self.state[field_.owner or TABLE]
            for seat, (owner, record) in enumerate({"": records}.items() if not field_.owner else records.items()):
                if record[field_.name] is None:
                    continue
                cell = self.cell(self.game.codec.decode(field_.type, record[field_.name]))
                if field_.owner == PLAYER:
                    cell.words.append(CellWord(owner, f"bold {player_style(seat)}"))
                else:
                    cell.words.append(CellWord(spaced(owner or field_.name)))

    def marks(self, chosen_from: set[FieldKey]) -> None:
        for sign, field_ in zip(MARKS, sets_of_cells(self.game, self.grid), strict=False):
            assert isinstance(field_.type, Multiset)
            value = self.state[TABLE][field_.name]
            if not value or field_.key in chosen_from:
                continue
            for element in value:
                self.cell(self.game.codec.decode(field_.type.element, element)).marks.append(CellWord(sign, "dim"))
            self.legend[f"{sign} {spaced(field_.name)}"] = None

    def choices(self, decisions: Sequence[Decision]) -> None:
        for cell, side in _choosable(decisions, self.grid):
            shown = self.cell(cell)
            if side is not None and self.directions:
                words = shown.sides.setdefault(self.directions[side], [])
                if not any(word.text == CHOICE for word in words):
                    words.append(CellWord(CHOICE, GOOD))
                self.legend[f"{CHOICE} can be chosen"] = None
            elif shown.words or shown.sides:
                if not any(word.text == CHOICE for word in shown.marks):
                    shown.marks.append(CellWord(CHOICE, GOOD))
                self.legend[f"{CHOICE} can be chosen"] = None
            else:
                shown.name = CellWord(str(self.grid.labels[cell]), GOOD)


def sets_of_cells(game: Game, grid: Domain) -> list[Field]:
    """The sets of cells of the table, which a picture marks; those beyond the last sign are left to tables."""
    found = [
        field
        for field in game.ir.fields
        if isinstance(field.type, Multiset) and field.type.element.family == grid.name
        if field.owner is None and not field.indices and field.visibility == "open"
    ]
    return found[: len(MARKS)]


def _is_seat(type_: Scalar) -> bool:
    return type_.family == PLAYER


def _sources(decision: Decision) -> Iterator[FieldKey]:
    """The fields that a decision is made from."""
    if isinstance(decision.node, ir.ChooseSet):
        zones = [decision.node.source]
    else:
        zones = [pick.domain.zone for pick in decision.node.picks if isinstance(pick.domain, ir.ZoneElements)]
    yield from (zone.field.key for zone in zones if isinstance(zone, ir.FieldZone))


def _choosable(decisions: Sequence[Decision], grid: Domain) -> Iterator[tuple[int, int | None]]:
    """The cells, or sides of cells, that occur in legal answers."""
    for decision in decisions:
        try:
            answers: Any = decision.answers
        except RuleError:
            continue
        if isinstance(decision.node, ir.ChooseSet):
            element = decision.game.element(decision.node.source)
            columns = [(element, [answers.low + kind for kind, count in enumerate(answers.counts) if count])]
        else:
            types = [pick.local.type for pick in decision.node.picks]
            legal = [answer if len(types) > 1 else (answer,) for answer in answers]
            columns = [(t, sorted({a[i] for a in legal})) for i, t in enumerate(types) if isinstance(t, Scalar)]
        for type_, values in columns:
            values = [value for value in values if value != type_.none]
            if type_.family == grid.name:
                yield from ((value, None) for value in values)
                continue
            domain = decision.game.ir.domains.get(type_.family)
            names = [part.family for _, part in domain.parts] if domain is not None and not domain.sides else []
            if domain is not None and grid.name in names:
                cell, side = names.index(grid.name), names.index(grid.sides) if grid.sides in names else None
                for value in values:
                    parts = domain.split(value)
                    yield parts[cell], parts[side] if side is not None else None
