"""The program (a symbol table): every declaration with resolved names and types, before any body is translated.

`chocolatl.interpreter.program.declare` makes it from the tree and the tables; `chocolatl.interpreter.ir` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from msgspec import Struct, field

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.program.types import PLAYER, YES_NO, Multiset, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t

Label = int | str

FieldKey = tuple[str | None, str]
"""The owner and the name of a field: what it is known by."""

MANY = 255
"""How many values a set has at most that are no components."""


class DomainAttribute(Struct, frozen=True):
    """What each element of a domain has: its values in order, for each element one, or one for each index."""

    type: Scalar
    values: tuple[int, ...]
    index: Scalar | None = None


class Turning(Struct, frozen=True):
    """A component that can be turned: `ring` are its sides, `periods` after how many turns each kind looks the same
    again, `faces` the number of the face of each kind after each turn."""

    ring: Scalar
    faces: tuple[int, ...]
    periods: tuple[int, ...]


class Domain(Struct, frozen=True, dict=True):
    """A finite set of things: the players, the members of an enum, the kinds of a component, cells, pairs.

    `copies` counts components of each kind. What is made of parts, a cell of its coordinates or a pair, has them by
    name in `parts`, and its number is that of their combination. A grid knows its neighbours by cell and side."""

    name: str
    labels: tuple[Label, ...]
    span: Span | None = None
    texts: tuple[str, ...] = ()
    attributes: dict[str, DomainAttribute] = field(default_factory=dict)
    copies: tuple[int, ...] = ()
    cyclic: bool = False
    parts: tuple[tuple[str, Scalar], ...] = ()
    sides: str = ""
    neighbours: tuple[int, ...] = ()
    turning: Turning | None = None

    @cached_property
    def size(self) -> int:
        return prod(part.size for _, part in self.parts) if self.parts else len(self.labels)

    @cached_property
    def type(self) -> Scalar:
        return Scalar(self.name, 0, self.size - 1)

    @property
    def is_enum(self) -> bool:
        return bool(self.texts)

    @property
    def written(self) -> str:
        """How to write a cell of this grid."""
        return f"write `{self.name}({', '.join(name for name, _ in self.parts)})`"

    def miscounted(self, given: int) -> str:
        """What is wrong with a cell of this grid that has a number of coordinates."""
        wanted = "1 coordinate" if len(self.parts) == 1 else f"{len(self.parts)} coordinates"
        return f"a {self.name} has {wanted}, and {given} {'is' if given == 1 else 'are'} given"

    def split(self, element: int) -> list[int]:
        """The parts of an element."""
        result: list[int] = []
        for _, part in reversed(self.parts):
            element, position = divmod(element, part.size)
            result.append(part.low + position)
        return result[::-1]

    def join(self, parts: Sequence[int]) -> int:
        """The element that is made of parts."""
        element = 0
        for value, (_, part) in zip(parts, self.parts, strict=True):
            element = element * part.size + value - part.low
        return element


class TypedParameter(Struct, frozen=True):
    """A parameter: a number, yes/no, an option by its position, or none."""

    type: Scalar
    value: int


class Table(Struct, frozen=True):
    """Values from the game's data, in row order of the indices."""

    indices: tuple[Scalar, ...]
    type: Scalar
    values: tuple[int, ...]


class Field(Struct, frozen=True):
    """A piece of state. `owner` is a domain, or nothing for the table; `filled` says what lies in a zone at first."""

    owner: str | None
    name: str
    owners: int
    indices: tuple[Scalar, ...]
    type: Scalar | Multiset
    visibility: str
    filled: tuple[int, ...]
    initial: int
    span: Span

    @property
    def key(self) -> FieldKey:
        return self.owner, self.name


class Program(Struct):
    """`procedures` maps a name to its clauses: one without patterns, or one for each member of an enum; `modifiers`
    maps a value, `reactions` an event, to those that are about it, in the order of the text."""

    files: GameFiles
    player_count: int
    domains: dict[str, Domain] = field(default_factory=dict)
    members: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    options: dict[str, tuple[Label | None, ...]] = field(default_factory=dict)
    constants: dict[str, TypedParameter] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    fields: dict[FieldKey, Field] = field(default_factory=dict)
    values: dict[str, t.Value] = field(default_factory=dict)
    modifiers: dict[str, list[t.Modifier]] = field(default_factory=dict)
    rankings: dict[str, t.Ranking] = field(default_factory=dict)
    procedures: dict[str, list[t.Procedure]] = field(default_factory=dict)
    events: dict[str, t.Event] = field(default_factory=dict)
    reactions: dict[str, list[t.Reaction]] = field(default_factory=dict)
    windows: dict[str, t.Window] = field(default_factory=dict)
    latches: dict[str, t.Latch] = field(default_factory=dict)
    invariants: dict[str, t.Invariant] = field(default_factory=dict)
    play: t.Play | None = None
    final: t.FinalScoring | None = None
    winner: t.Winner | None = None
    places: dict[str, Span] = field(default_factory=dict)
    """Where each global name was declared first."""
    broken: set[str] = field(default_factory=set)
    """Names whose declaration has a finding: what uses them is not wrong because of it."""

    @property
    def seats(self) -> int:
        """How many players there are, as the rules see it: by the players."""
        return len(self.domains[PLAYER].labels)

    def labels(self, scalar: Scalar) -> tuple[Label, ...]:
        """What people call the values of a type of elements, from its lowest to its highest."""
        return ("no", "yes") if scalar.family == YES_NO.family else self.domains[scalar.family].labels

    def label(self, scalar: Scalar, value: int) -> Label | bool | None:
        """What people call one value of a type."""
        if scalar.optional and value == scalar.none:
            return None
        if scalar.family == "number":
            return value
        if scalar.family == "yes/no":
            return bool(value)
        domain = self.domains.get(scalar.family)
        if domain is not None and not domain.labels:
            return " ".join(str(self.label(p, v)) for (_, p), v in zip(domain.parts, domain.split(value), strict=True))
        if domain is not None:
            return domain.labels[value]
        return self.options[scalar.family][value]

    def total(self, family: str) -> int:
        """How many components of a domain the game holds, at most; for other sets, a fixed bound."""
        domain = self.domains.get(family)
        if domain is None or not domain.copies:
            return MANY
        return sum(
            f.owners * prod(index.size for index in f.indices) * sum(f.filled)
            for f in self.fields.values()
            if isinstance(f.type, Multiset) and f.type.element.family == family
        )
