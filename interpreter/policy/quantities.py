"""What can be counted of a thing that rules name: an element, a set, a field (feature extraction).

A quantity is a formula with a name. Of an element: its attributes, a number or one yes or no for each member of a small
enum; if things of its kind have fields, what lies in these. Of a set: its size, and of each attribute the sum and the
highest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.policy.writing import FormulaWriter
from chocolatl.interpreter.program.model import Domain, Field
from chocolatl.interpreter.program.types import NUMBER, OWNER, PLAYER, TRUTH, Multiset, Scalar

FEW = 8
"""Of an enum of so many members, or of so many kinds without attributes, each is a quantity of its own."""

CELLS = 12
"""So many cells of a field are looked at one by one."""

MOST_NUMBERS = 1 << 12
"""A type of more numbers is not listed."""

PEOPLE = (PLAYER, OWNER)


class AmongPlayers(Struct, frozen=True):
    """What a player's quantity is held against: that of the others, all of them added up or the highest; or their keys,
    of which the smaller one comes first, or with `True` the greater one. `own` are formulas about the player at hand.

    It says the same as the formula of the quantity, for those who look at all players at once."""

    own: tuple[ir.Expression, ...]
    kind: AggregateKind | None = None
    descending: tuple[bool, ...] = ()


class Quantity(Struct, frozen=True):
    """`numeric` is one of which more is a matter of degree; where it is `squared`, its square says something, too.

    Where there are too many, those of the lowest `rank` stay."""

    name: str
    formula: ir.Expression
    numeric: bool = True
    among: AmongPlayers | None = None
    squared: bool = True
    rank: int = 1


class ConstantAttribute(Struct, frozen=True):
    """What each element of a type has, known beforehand."""

    name: str
    values: tuple[int, ...]
    numeric: bool = True
    rank: int = 1
    of: str = ""
    """The attribute whose member it asks for."""


def constant_attributes(game: ir.GameRules, type_: Scalar) -> list[ConstantAttribute]:
    """What is known beforehand of the elements of a type. What none of them differ in is left out."""
    found = list(_attributes(game, type_))
    return [each for each in found if len(set(each.values)) > 1]


def _attributes(game: ir.GameRules, type_: Scalar) -> Iterator[ConstantAttribute]:
    values = range(type_.low, type_.high + 1)
    if type_.family == NUMBER:
        if type_.size <= MOST_NUMBERS:
            yield ConstantAttribute("", tuple(values))
        return
    if type_.family == TRUTH:
        yield ConstantAttribute("is yes", tuple(values), False)
        return
    domain = game.domains.get(type_.family)
    if domain is None:
        if type_.size <= FEW:
            for value in values:
                yield ConstantAttribute(f"is {value}", tuple(int(v == value) for v in values), False)
        return
    if type_.family in PEOPLE or domain.parts:
        return
    attributes = list(_declared(game, domain, type_))
    yield from attributes
    if type_.size <= (FEW if attributes and domain.is_enum else 0 if attributes else FEW + CELLS):
        rank = 2 if type_.size > FEW else 1
        for value in values:
            is_it = tuple(int(each == value) for each in values)
            yield ConstantAttribute(f"is {domain.labels[value]}", is_it, False, rank)


def _declared(game: ir.GameRules, domain: Domain, type_: Scalar) -> Iterator[ConstantAttribute]:
    for name, attribute in domain.attributes.items():
        width = attribute.index.size if attribute.index is not None else 1
        if width > FEW or (attribute.index is not None and _is_circle(game, attribute.index)):
            continue
        for position in range(width):
            called = name
            if attribute.index is not None:
                called = f"{name}[{element_name(game, attribute.index, attribute.index.low + position)}]"
            held = attribute.values[position::width][type_.low : type_.high + 1]
            if attribute.type.family == NUMBER and not attribute.type.optional:
                yield ConstantAttribute(called, held)
            elif attribute.type.size <= FEW + CELLS:
                rank = 2 if attribute.type.size > FEW else 1
                for value in range(attribute.type.low, attribute.type.high + 1):
                    member = element_name(game, attribute.type, value)
                    is_it = tuple(int(v == value) for v in held)
                    yield ConstantAttribute(f"{called} is {member}", is_it, False, rank, called)


def _is_circle(game: ir.GameRules, index: Scalar) -> bool:
    """Whether an attribute says what the sides show of a thing that can be turned: that depends on what lies beside it,
    which is for `chocolatl.interpreter.policy.surroundings`."""
    return index.family in game.domains and game.domains[index.family].cyclic


def element_name(game: ir.GameRules, type_: Scalar, value: int) -> str:
    """What people call an element."""
    if type_.optional and value == type_.none:
        return "none"
    if type_.family == TRUTH:
        return "yes" if value else "no"
    domain = game.domains.get(type_.family)
    if domain is not None and domain.labels:
        return str(domain.labels[value])
    if type_.family in game.options:
        return str(game.options[type_.family][value])
    return str(value)


class QuantityFinder:
    """`me` is the player who decides."""

    def __init__(self, writer: FormulaWriter, me: ir.Expression) -> None:
        self.writer, self.me = writer, me
        self.game = writer.game
        self._neighbours: dict[str, tuple[int, ...]] = {}

    # ------------------------------------------------------------ elements

    def of_element(self, name: str, e: ir.Expression, deep: bool = True) -> Iterator[Quantity]:
        """What can be counted of an element; with `deep`, what lies in the fields that things of its kind have."""
        type_, write = e.type, self.writer
        if type_.optional:
            yield Quantity(f"{name} is none", write.number_of(write.is_none(e)), False, rank=0)
        if type_.family in PEOPLE:
            yield Quantity(f"{name} is me", write.number_of(self.is_me(e)), False, rank=0)
        domain = self.game.domains.get(type_.family)
        if domain is not None and domain.parts and not type_.optional:
            yield from self._of_parts(name, e, domain, deep)
        if type_.family == NUMBER and not type_.optional:
            yield Quantity(name, e, rank=0)
            return
        for attribute in constant_attributes(self.game, type_.required):
            called = f"{name}.{attribute.name}" if attribute.numeric and attribute.name else f"{name} {attribute.name}"
            entry = write.entry(attribute.values, e)
            yield Quantity(called.strip(), entry, attribute.numeric, rank=attribute.rank - 1)
        if deep and domain is not None and not type_.optional:
            for field in self.game.fields:
                if field.owner == type_.family and (field.visibility == "open"):
                    yield from self._of_its_field(name, e, field)

    def neighbours(self, grid: Domain) -> tuple[int, ...]:
        """The neighbour of each cell at each side; at the edge of the grid the cell itself."""
        if grid.name not in self._neighbours:
            sides = self.game.domains[grid.sides].size
            found = [each if each >= 0 else at // sides for at, each in enumerate(grid.neighbours)]
            self._neighbours[grid.name] = tuple(found)
        return self._neighbours[grid.name]

    def is_me(self, e: ir.Expression) -> ir.Expression:
        return self.writer.equal(e, self.me)

    def _of_parts(self, name: str, e: ir.Expression, domain: Domain, deep: bool) -> Iterator[Quantity]:
        """Of a pair, what can be counted of its parts; a cell is more than its coordinates."""
        bounds = tuple(bound for _, bound in domain.parts)
        if all(bound.family == NUMBER for bound in bounds):
            return
        for position, (part, bound) in enumerate(domain.parts):
            yield from self.of_element(f"{name}.{part}", ir.Part(self.writer.span, bound, e, bounds, position), deep)

    def _of_its_field(self, name: str, e: ir.Expression, field: Field) -> Iterator[Quantity]:
        if field.name == "breakdown" or field.indices:
            return
        called = f"{name}.{field.name}"
        if isinstance(field.type, Multiset):
            yield from self.of_set(called, self.writer.zone(field, e), field)
            return
        held = self.writer.load(field, e)
        if e.type.family == PLAYER and field.type.family == NUMBER and not field.type.optional:
            yield Quantity(f"{called} - mine", self.writer.difference(held, self.writer.load(field, self.me)))
        else:
            yield from self.of_element(called, held, deep=False)

    # ------------------------------------------------------------ sets

    def of_set(self, name: str, zone: ir.Zone, field: Field, content: bool = True) -> Iterator[Quantity]:
        """Its size and, of one that is seen, what lies in it."""
        write, type_ = self.writer, ir.set_type(zone)
        yield Quantity(f"size of {name}", write.size(zone), rank=0)
        if not content:
            return
        for attribute in constant_attributes(self.game, type_.element):
            formula = self.formula_of(attribute, type_.element)
            called = f"{attribute.name} in {name}" if attribute.name else name
            total = write.over_set(AggregateKind.SUM, zone, formula)
            yield Quantity(f"sum of {called}", total, squared=attribute.numeric, rank=attribute.rank)
            if attribute.numeric:
                yield Quantity(f"highest {called}", write.over_set(AggregateKind.HIGHEST, zone, formula))

    def formula_of(self, attribute: ConstantAttribute, type_: Scalar) -> Callable[[ir.Expression], ir.Expression]:
        if type_.family == NUMBER:
            return lambda e: e
        return lambda e: self.writer.entry(attribute.values, e)


def chosen(
    found: Sequence[Quantity], most: int, size: Callable[[Quantity], int] = lambda quantity: 1
) -> list[Quantity]:
    """As many as there is room for, those of the lowest rank first, in the order in which they were found."""
    kept, room = set(), most
    for number in sorted(range(len(found)), key=lambda number: (found[number].rank, number)):
        needed = size(found[number])
        if needed > room:
            break
        kept.add(number)
        room -= needed
    return [quantity for number, quantity in enumerate(found) if number in kept]
