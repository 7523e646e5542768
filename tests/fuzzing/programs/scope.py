"""What the generator knows while it writes: types with ranges, fields, names in scope and who may know them.

A formula is made for a type, over names whose types and ranges are known, so that nearly everything that is made passes
`check`. The ranges follow the interval arithmetic of the language, or are wider.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.fuzzing.programs.chance import Chance

NUMBER, TRUTH, PLAYER, OWNER = "number", "yes/no", "player", "owner"
ENUM, CYCLIC, GRID, COMPONENT, PAIR, TURNED = "enum", "cyclic", "grid", "component", "pair", "turned"
"""Kinds of domains, players and owners being a kind of their own."""

OPEN, HIDDEN = "", "*"
"""Who may know something: everybody; nobody. Otherwise it is the name of a player in scope."""

FAR = 2**61
"""Numbers beyond it are brought back, so that no formula leaves 64 bits."""


@dataclass(frozen=True)
class Type:
    """A single value: a number of a range, yes or no, or an element of a domain."""

    family: str
    low: int = 0
    high: int = 0
    optional: bool = False

    @property
    def written(self) -> str:
        name = f"{self.low}..{self.high}" if self.family == NUMBER else self.family
        word = "nobody" if self.family in (PLAYER, OWNER) else "none"
        return f"{name} or {word}" if self.optional else name

    @property
    def none(self) -> str:
        return "nobody" if self.family in (PLAYER, OWNER) else "none"

    @property
    def there(self) -> Type:
        return replace(self, optional=False)


YES_NO = Type(TRUTH)


def numbers(low: int, high: int) -> Type:
    return Type(NUMBER, low, high)


@dataclass(frozen=True)
class Set:
    """A zone; `most` says how many it holds if it is short."""

    element: Type
    most: int | None = None

    @property
    def written(self) -> str:
        return f"set of {self.element.written}" + (f" up to {self.most}" if self.most is not None else "")


@dataclass(frozen=True)
class Field:
    """A field of the table (no owner) or of each element of a domain."""

    name: str
    owner: str | None
    indices: tuple[Type, ...]
    type: Type | Set
    sight: str = "open"
    start: str = ""

    @property
    def written(self) -> str:
        indices = f"[{', '.join(i.written for i in self.indices)}]" if self.indices else ""
        sight = "" if self.sight == "open" else f" {self.sight}"
        return f"{self.name}{indices} : {self.type.written}{sight}" + (f" = {self.start}" if self.start else "")


@dataclass(frozen=True)
class Domain:
    """A finite type. `members` can be written down anywhere; `parts` are the coordinates, or the parts of a pair."""

    name: str
    kind: str
    size: int
    members: tuple[str, ...] = ()
    parts: tuple[tuple[str, Type], ...] = ()
    copies: int = 0
    """How many pieces there are in all of one set of every kind."""
    sides: str = ""
    """By which enum a grid, or an attribute with an index, goes."""

    @property
    def type(self) -> Type:
        return Type(self.name)


@dataclass(frozen=True)
class Attribute:
    component: str
    name: str
    type: Type
    index: str = ""


@dataclass(frozen=True)
class Named:
    """A value, procedure, event or table with parameters."""

    name: str
    parameters: tuple[Type, ...]
    type: Type
    secret: bool = False


@dataclass(frozen=True)
class Ranking:
    name: str
    parameters: tuple[Type, ...]
    element: Type
    most: int
    strict: bool
    secret: bool = False


@dataclass(frozen=True)
class Name:
    """A local name; `known` says who may know its value."""

    text: str
    type: Type
    known: str = OPEN
    settable: bool = False


@dataclass(frozen=True)
class Order:
    """The order that a contest keeps."""

    text: str


@dataclass(frozen=True)
class Scope:
    """Where something is written. `sees` is who may depend on it: everybody, one player, or None if it is told to all
    anyway; `own` is the player of a secret block; `loop` whether there is one to stop."""

    names: tuple[Name, ...] = ()
    orders: tuple[Order, ...] = ()
    sets: tuple[tuple[str, Set], ...] = ()
    """Local names of sets: what was rolled."""
    sees: str | None = OPEN
    own: str = ""
    loop: bool = False
    quiet: bool = False
    """Nobody is asked here."""
    announces: bool = True

    def with_names(self, *names: Name) -> Scope:
        return replace(self, names=(*self.names, *names))

    def seen_by(self, who: str | None) -> Scope:
        return replace(self, sees=who)

    def may_read(self, known: str) -> bool:
        return self.sees is None or known in (OPEN, self.sees)

    def of(self, family: str) -> list[Name]:
        """The names of a type that may be read here and are never none."""
        return [n for n in self.names if n.type.family == family and not n.type.optional and self.may_read(n.known)]


@dataclass
class World:
    """All that is declared so far, and the random decisions that the rest is made by."""

    chance: Chance
    players: int
    features: frozenset[str]
    domains: dict[str, Domain] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    constants: list[tuple[str, Type]] = field(default_factory=list)
    """Parameters, with what they can be."""
    symbols: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    tables: list[Named] = field(default_factory=list)
    lists: list[tuple[str, str]] = field(default_factory=list)
    """Tables of components that a set may begin with: name and component."""
    values: list[Named] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    procedures: list[Named] = field(default_factory=list)
    own_procedures: list[Named] = field(default_factory=list)
    """Those that can be done in a secret block: their first argument is its player."""
    loud_procedures: set[str] = field(default_factory=set)
    """Those that announce something."""
    loud: bool = False
    """Whether what is being written announces something."""
    events: list[Named] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)
    latches: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    rounds: bool = False
    made: int = 0
    room: int = 0
    """So many statements may still be written."""

    def new(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def has(self, feature: str) -> bool:
        return feature in self.features

    def kinds(self, *kinds: str) -> list[Domain]:
        return [domain for domain in self.domains.values() if domain.kind in kinds]

    def size(self, type_: Type) -> int:
        """How many values a type has."""
        if type_.family == NUMBER:
            return type_.high - type_.low + 1
        return 2 if type_.family == TRUTH else self.domains[type_.family].size

    def capacity(self, held: Set) -> int:
        """The most elements of a set, as `check` reckons or more."""
        domain = self.domains.get(held.element.family)
        if held.most is not None:
            return held.most
        return domain.copies * (4 + 3 * self.players) if domain is not None and domain.kind == COMPONENT else 255
