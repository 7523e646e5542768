"""The intermediate representation: what the rules do, typed and bounded, with the place each node came from.

`docs/ir.md` describes it, `chocolatl.interpreter.ir.validate` checks it, `chocolatl.interpreter.ir.printer` shows it.
There is one IR for each game, variant and number of players. Control flow is structured; values are integers (see
`chocolatl.interpreter.program.types`); a zone is a vector of counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import assert_never

from msgspec import Struct

from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    SetChange,
    Sharing,
)
from chocolatl.interpreter.program.model import Domain, Field
from chocolatl.interpreter.program.types import Multiset, OrderType, Scalar
from chocolatl.interpreter.source import Span


class Local(Struct, frozen=True):
    """A variable of a procedure or of an expression; `number` tells apart those of the same name."""

    number: int
    name: str
    type: Scalar | Multiset | OrderType


# ---------------------------------------------------------------- expressions


class TypedNode(Struct, frozen=True):
    """What all expressions have; `Expression` below is the closed list of them."""

    span: Span
    type: Scalar


class Constant(TypedNode, frozen=True):
    value: int


class Read(TypedNode, frozen=True):
    """The value of a local."""

    local: Local


class Load(TypedNode, frozen=True):
    """The value of a scalar field; `owner` is absent for the table."""

    field: Field
    owner: Expression | None
    indices: tuple[Expression, ...]


class Lookup(TypedNode, frozen=True):
    """An entry of a constant table, or an attribute of a component: `values` in row order of `bounds`."""

    values: tuple[int, ...]
    bounds: tuple[Scalar, ...]
    indices: tuple[Expression, ...]


class Joined(TypedNode, frozen=True):
    """A value made of parts within bounds: a cell of its coordinates, a pair."""

    parts: tuple[Expression, ...]
    bounds: tuple[Scalar, ...]


class Part(TypedNode, frozen=True):
    """A part of a joined value, by its position: a coordinate of a cell."""

    whole: Expression
    bounds: tuple[Scalar, ...]
    position: int


class Arithmetic(TypedNode, frozen=True):
    operator: ArithmeticOperator
    left: Expression
    right: Expression


class Comparison(TypedNode, frozen=True):
    operator: ComparisonOperator
    left: Expression
    right: Expression


class Logic(TypedNode, frozen=True):
    """The right side is not evaluated when the left decides."""

    operator: LogicOperator
    left: Expression
    right: Expression


class Not(TypedNode, frozen=True):
    operand: Expression


class Conditional(TypedNode, frozen=True):
    condition: Expression
    then: Expression
    otherwise: Expression


class Required(TypedNode, frozen=True):
    """A value that is there; none is a run-time error."""

    operand: Expression


class Narrowed(TypedNode, frozen=True):
    """An owner that is a player, or a number that is a count; another owner, nobody, or less than 0 is a run-time
    error."""

    operand: Expression


class Aggregate(TypedNode, frozen=True):
    """A formula over the elements of a domain, copies counted."""

    kind: AggregateKind
    local: Local
    domain: Elements
    where: Expression | None
    body: Expression | None


class ZoneSize(TypedNode, frozen=True):
    zone: Zone


class ZoneCount(TypedNode, frozen=True):
    """How many copies of an element lie in a zone."""

    zone: Zone
    element: Expression


class CallValue(TypedNode, frozen=True):
    name: str
    arguments: tuple[Expression, ...]


class PlaceOf(TypedNode, frozen=True):
    """The element at a place; -1 is the last place. It is a run-time error when there is not exactly one."""

    order: OrderSource
    place: int


class RankOf(TypedNode, frozen=True):
    """The place of an element, 0 when it is not ranked."""

    order: OrderSource
    element: Expression


Expression = (
    Constant | Read | Load | Lookup | Joined | Part | Arithmetic | Comparison | Logic | Not | Conditional | Required
    | Narrowed | Aggregate | ZoneSize | ZoneCount | CallValue | PlaceOf | RankOf
)  # fmt: skip
"""A closed list, so that a type checker sees where one is left out; as `chocolatl.interpreter.ir.operations` has it."""


# ---------------------------------------------------------------- zones, orders, elements


class FieldZone(Struct, frozen=True):
    field: Field
    owner: Expression | None
    indices: tuple[Expression, ...]
    span: Span


class LocalZone(Struct, frozen=True):
    local: Local
    span: Span


Zone = FieldZone | LocalZone


def set_type(zone: Zone) -> Multiset:
    """The type of what lies in a zone."""
    type_ = zone.field.type if isinstance(zone, FieldZone) else zone.local.type
    assert isinstance(type_, Multiset)
    return type_


def field_of(zone: Zone) -> Field | None:
    """The field that a zone is, if it is one."""
    match zone:
        case FieldZone():
            return zone.field
        case LocalZone():
            return None
        case _:
            assert_never(zone)


class Ranked(Struct, frozen=True):
    """A ranking with its arguments, evaluated here and now."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span


class HeldOrder(Struct, frozen=True):
    """The order that a contest keeps."""

    local: Local


OrderSource = Ranked | HeldOrder


class Numbers(Struct, frozen=True):
    """Numbers from low to high, both evaluated once."""

    low: Expression
    high: Expression


class Whole(Struct, frozen=True):
    """Every value of a type; players may start from a seat."""

    type: Scalar
    start: Expression | None


class ZoneElements(Struct, frozen=True):
    zone: Zone


class Listing(Struct, frozen=True):
    items: tuple[Expression, ...]


class OrderElements(Struct, frozen=True):
    order: OrderSource


Elements = Numbers | Whole | ZoneElements | Listing | OrderElements
"""What a loop, an aggregate, a choice or a roll runs through."""


# ---------------------------------------------------------------- statements


class Prompt(Struct, frozen=True):
    """Words for people with values in between."""

    parts: tuple[str | Expression, ...]


Evaluated = Expression | Elements | Zone | OrderSource | Prompt
"""What there is inside of an expression, and words for people."""


class PlacedNode(Struct, frozen=True):
    """What all statements have; `Statement` below is the closed list of them.

    `path` is the place in the procedure: 2.1 is the first statement inside the second."""

    span: Span
    path: str


class SetLocal(PlacedNode, frozen=True):
    local: Local
    value: Expression


class CopyZone(PlacedNode, frozen=True):
    """A set of values that are not components, such as rolled dice, is kept in a field."""

    target: Zone
    source: Zone


class ChangeSet(PlacedNode, frozen=True):
    """A set of values gains an element, loses one or all."""

    how: SetChange
    zone: Zone
    element: Expression | None


class Store(PlacedNode, frozen=True):
    """A scalar field gets a value, checked against its range."""

    target: Load
    value: Expression


class Award(PlacedNode, frozen=True):
    """The score of a player changes by an amount, within an optional limit, and the breakdown says what for.

    `item` is an expression over `names`: which entry of the breakdown."""

    target: Load
    amount: Expression
    least: Expression | None
    most: Expression | None
    item: Expression
    names: tuple[int, ...]
    text: Prompt | None


class MoveElement(PlacedNode, frozen=True):
    """`under` puts it at the bottom of the target, in known order."""

    element: Expression
    source: Zone
    target: Zone
    under: bool


class MoveAll(PlacedNode, frozen=True):
    source: Zone
    target: Zone


class If(PlacedNode, frozen=True):
    condition: Expression
    then: Block
    otherwise: Block


class ForEach(PlacedNode, frozen=True):
    """The elements are fixed at entry; `where` is asked when one is reached.

    `counter` is the field of a loop of rounds, which holds the loop's number."""

    local: Local
    domain: Elements
    backwards: bool
    where: Expression | None
    body: Block
    counter: Field | None


class InTurn(PlacedNode, frozen=True):
    """By seat from `start`, again and again, whoever meets `where` at that moment; ends when nobody does."""

    local: Local
    start: Expression
    where: Expression | None
    limit: int
    body: Block


class Repeat(PlacedNode, frozen=True):
    until: Expression
    limit: int
    body: Block


class Stop(PlacedNode, frozen=True):
    """Leaves the innermost loop when the condition holds."""

    condition: Expression


class Call(PlacedNode, frozen=True):
    procedure: str
    arguments: tuple[Expression, ...]


class Secretly(PlacedNode, frozen=True):
    """Every player runs the body on a private copy; `writes` are the own fields that are joined at the end."""

    local: Local
    body: Block
    writes: tuple[Field, ...]


class PickOne(Struct, frozen=True):
    """One element for a local or for a field of the state."""

    local: Local
    domain: Elements
    field: Load | None
    span: Span


class Choose(PlacedNode, frozen=True):
    """A player's decision among the combinations of picks that meet `where`; optional ones may be left out."""

    player: Expression
    picks: tuple[PickOne, ...]
    where: Expression | None
    optional: bool
    name: str
    indices: tuple[Expression, ...]
    text: Prompt | None


class ChooseSet(PlacedNode, frozen=True):
    """A player moves between `least` and `most` elements that meet `where` from one zone to another."""

    player: Expression
    element: Local
    where: Expression | None
    source: Zone
    target: Zone
    least: Expression
    most: Expression
    name: str
    indices: tuple[Expression, ...]
    text: Prompt | None


class Roll(PlacedNode, frozen=True):
    """Chance picks one element, or `count` of them, each with its odds, into a local or a field."""

    local: Local
    target: Load | Zone | None
    domain: Elements
    element: Local
    where: Expression | None
    odds: Expression | None
    count: Expression | None
    owner: Expression | None


class Draw(PlacedNode, frozen=True):
    """Chance moves one element, each copy being as likely as any other."""

    local: Local
    source: Zone
    target: Zone
    owner: Expression | None


class Clause(Struct, frozen=True):
    """`place` -1 is the last. `sharers` gets the number of those who have the place."""

    place: int
    local: Local
    sharing: Sharing
    sharers: Local | None
    body: Block
    span: Span


class Contest(PlacedNode, frozen=True):
    """The order is fixed, then each clause runs for whoever has its place, in the order written."""

    label: Prompt
    order: Local
    ranking: Ranked
    clauses: tuple[Clause, ...]


Change = SetLocal | Store | CopyZone | ChangeSet | Award | MoveElement | MoveAll
"""What only changes something."""

Choice = Choose | ChooseSet
"""What a player decides."""

ChanceNode = Roll | Draw
"""What nobody decides."""

Flat = Change | Choice | ChanceNode | Stop | Call
"""Statements that hold no others."""

Loop = ForEach | InTurn | Repeat
"""What `stop when` leaves."""

Statement = Flat | If | Contest | Loop | Secretly
"""A closed list, too."""

Block = tuple[Statement, ...]


# ---------------------------------------------------------------- declarations


class Value(Struct, frozen=True):
    name: str
    parameters: tuple[Local, ...]
    body: Expression
    span: Span


class Key(Struct, frozen=True):
    """The smaller number comes first, or with `descending` the greater one."""

    descending: bool
    expression: Expression
    text: str


class Ranking(Struct, frozen=True):
    name: str
    parameters: tuple[Local, ...]
    local: Local
    domain: Elements
    where: Expression | None
    strict: bool
    keys: tuple[Key, ...]
    span: Span


class Procedure(Struct, frozen=True, dict=True):
    name: str
    parameters: tuple[Local, ...]
    body: Block
    text: str
    span: Span

    @cached_property
    def statements(self) -> list[Statement]:
        """All statements of its body, those inside others included; listed once, since many want to know."""
        from chocolatl.interpreter.ir.walk import statements  # which has to know the classes of this module

        return statements(self.body)

    @cached_property
    def kinds(self) -> frozenset[type]:
        """What statements there are in it."""
        return frozenset(map(type, self.statements))

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple([s for s in self.statements if isinstance(s, Call)])

    @cached_property
    def callees(self) -> tuple[str, ...]:
        """What it calls, by name."""
        return tuple([call.procedure for call in self.calls])


class Latch(Struct, frozen=True):
    field: Field
    condition: Expression
    text: str


class Invariant(Struct, frozen=True):
    """What the rules say of themselves. It changes nothing, so that a back end may leave it out."""

    name: str
    condition: Expression
    text: str
    span: Span

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"`{self.name}`" + (f" ({self.text})" if self.text else "")

    @property
    def place(self) -> str:
        return f"{self.span.source.name}:{self.span.line}"


class GameRules(Struct, frozen=True):
    """Everything a back end needs. `main` is the procedure that is the whole game, final scoring included."""

    name: str
    player_count: int
    domains: dict[str, Domain]
    options: dict[str, tuple[int | str | None, ...]]
    fields: tuple[Field, ...]
    items: tuple[str, ...]
    values: dict[str, Value]
    rankings: dict[str, Ranking]
    procedures: dict[str, Procedure]
    latches: tuple[Latch, ...]
    main: str
    winner: str
    score: Field
    totals: dict[str, int]
    """How many components of a domain there are, at most."""
    invariants: tuple[Invariant, ...]
    settled: dict[Span, bool]
    """Conditions that the parameters decide, for those who report on the text: no branch is left of them."""
