"""The spanned tree of a rule file: what was written, before names and types are known.

One class for each production of `grammar.lark`. `interpreter.syntax.parser` builds it, `interpreter.syntax.printer`
writes it back as rules.
"""

from __future__ import annotations

from interpreter.ir.operations import AggregateKind, BinaryOperator, SetChange, Sharing, UnaryOperator
from interpreter.records import dataclass
from interpreter.source import Span


@dataclass(frozen=True)
class Node:
    span: Span


@dataclass(frozen=True)
class Name(Node):
    """A word with its place: the name of a declaration, a variable, a field."""

    text: str


@dataclass(frozen=True)
class Text(Node):
    """Words for people, without the quotation marks; `{...}` holds an expression."""

    text: str


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True)
class Expression(Node):
    pass


@dataclass(frozen=True)
class Number(Expression):
    value: int


@dataclass(frozen=True)
class Literal(Expression):
    """`yes`, `no`, `none` or `nobody`."""

    word: str


@dataclass(frozen=True)
class Reference(Expression):
    name: str


@dataclass(frozen=True)
class Call(Expression):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Attribute(Expression):
    """`p.score`, or a parameter with a dotted name."""

    subject: Expression
    name: Name


@dataclass(frozen=True)
class Indexed(Expression):
    subject: Expression
    indices: tuple[Expression, ...]


@dataclass(frozen=True)
class Listed(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Unary(Expression):
    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    then: Expression
    condition: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Aggregate(Expression):
    """A formula over a domain.

    `body` is the condition of a quantifier or the term of a sum; `number` has none."""

    kind: AggregateKind
    variable: Name
    domain: Expression
    where: Expression | None
    body: Expression | None


@dataclass(frozen=True)
class SizeOf(Expression):
    zone: Expression


@dataclass(frozen=True)
class RankOf(Expression):
    element: Expression
    ranking: Expression


@dataclass(frozen=True)
class Placed(Expression):
    """`first of bidders(here)`: the place is 1; that of `last` is -1."""

    place: int
    ranking: Expression


@dataclass(frozen=True)
class Opposite(Expression):
    """`opposite of s`: half a circle on."""

    side: Expression


@dataclass(frozen=True)
class Neighbour(Expression):
    """`neighbour of here at s`."""

    cell: Expression
    side: Expression


@dataclass(frozen=True)
class TurnsOf(Expression):
    """`turns of tile`: by how much it can be turned and looks different."""

    component: Expression


@dataclass(frozen=True)
class TurnedBy(Expression):
    """`s turned by 1` of a member of a cyclic enum, `tile turned by 3` of a component."""

    subject: Expression
    steps: Expression


@dataclass(frozen=True)
class Pair(Expression):
    """`(here, north)`; as a type, `(cell, side)`."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Range(Expression):
    low: Expression
    high: Expression


@dataclass(frozen=True)
class YesNo(Expression):
    """The type with the two values `yes` and `no`."""


@dataclass(frozen=True)
class SetOf(Expression):
    """`most` is given for a short set of values."""

    element: Expression
    most: Expression | None


@dataclass(frozen=True)
class Turned(Expression):
    """The type of a component that lies turned: `turned tile`."""

    component: Name


@dataclass(frozen=True)
class OrNone(Expression):
    """`card or none`, `player or nobody`."""

    base: Expression
    word: str


# ---------------------------------------------------------------- statements


@dataclass(frozen=True)
class Statement(Node):
    pass


Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Becomes(Statement):
    target: Expression
    value: Expression


@dataclass(frozen=True)
class Gains(Statement):
    subject: Expression
    loses: bool
    amount: Expression
    field: Name
    indices: tuple[Expression, ...]
    limit: tuple[str, Expression] | None
    item: Expression | None
    text: Text | None


@dataclass(frozen=True)
class Pick(Node):
    """`target` is what gets the element, or how many to move: from `target` to `most`, called `name` one by one."""

    target: Expression
    up_to: bool
    most: Expression | None
    name: Name | None
    domain: Expression


@dataclass(frozen=True)
class Choose(Statement):
    player: Expression
    optional: bool
    picks: tuple[Pick, ...]
    where: Expression | None
    into: Expression | None
    name: Name | None
    text: Text | None


@dataclass(frozen=True)
class Roll(Statement):
    count: Expression | None
    target: Expression
    domain: Expression
    where: Expression | None
    odds: Expression | None
    owner: Expression | None


@dataclass(frozen=True)
class Draw(Statement):
    name: Name
    source: Expression
    target: Expression
    owner: Expression | None


@dataclass(frozen=True)
class Move(Statement):
    """Moves one element, or all; `how` is `move`, `all`, `reveal` or `under`."""

    how: str
    element: Expression | None
    source: Expression
    target: Expression


@dataclass(frozen=True)
class Alter(Statement):
    """A set of values changes; only `clear` has no element."""

    how: SetChange
    element: Expression | None
    target: Expression


@dataclass(frozen=True)
class Let(Statement):
    name: Name
    type: Expression | None
    value: Expression


@dataclass(frozen=True)
class Do(Statement):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Announce(Statement):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Nothing(Statement):
    pass


@dataclass(frozen=True)
class Stop(Statement):
    condition: Expression


@dataclass(frozen=True)
class If(Statement):
    """`branches` are (condition, block) in order; `otherwise` may be empty."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


@dataclass(frozen=True)
class Backwards(Node):
    """The other way round, always or when a parameter says so."""

    condition: Expression | None


@dataclass(frozen=True)
class ForEach(Statement):
    variable: Name
    domain: Expression
    start: Expression | None
    backwards: Backwards | None
    where: Expression | None
    body: Block


@dataclass(frozen=True)
class InTurn(Statement):
    variable: Name
    start: Expression
    where: Expression | None
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Repeat(Statement):
    until: Expression
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Secretly(Statement):
    domain: Name
    variable: Name
    body: Block


@dataclass(frozen=True)
class Clause(Node):
    """One place of a contest; `sharers` names the number of those who share it."""

    place: int
    variable: Name
    sharing: Sharing
    sharers: Name | None
    body: Block


@dataclass(frozen=True)
class Contest(Statement):
    ranking: Expression
    backwards: Backwards | None
    name: Name | None
    clauses: tuple[Clause, ...]


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True)
class Declaration(Node):
    pass


@dataclass(frozen=True)
class Member(Node):
    name: Name
    text: Text | None


@dataclass(frozen=True)
class Enumeration(Declaration):
    """The members of a cyclic one stand in a circle."""

    name: Name
    members: tuple[Member, ...]
    cyclic: bool = False


@dataclass(frozen=True)
class Axis(Node):
    name: Name
    type: Expression


@dataclass(frozen=True)
class Step(Node):
    """The coordinates of the neighbour at a side."""

    side: Name
    coordinates: tuple[Expression, ...]


@dataclass(frozen=True)
class Grid(Declaration):
    """Cells by their coordinates; `sides` is the enum of the directions in which they have neighbours."""

    name: Name
    axes: tuple[Axis, ...]
    sides: Name
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class ComponentAttribute(Node):
    name: Name
    indices: tuple[Expression, ...]
    type: Expression | None


@dataclass(frozen=True)
class Component(Declaration):
    name: Name
    attributes: tuple[ComponentAttribute, ...]


@dataclass(frozen=True)
class Holder(Declaration):
    """Somebody who can own things and never decides: `owner bank`."""

    name: Name
    text: Text | None


@dataclass(frozen=True)
class Item(Declaration):
    name: Name
    text: Text | None


@dataclass(frozen=True)
class Visibility(Node):
    word: str
    condition: Expression | None


@dataclass(frozen=True)
class Field(Node):
    """`every` names the component that fills the zone at the start, `listed` the table that says with which of them;
    `initial` is any other start value."""

    name: Name
    indices: tuple[Expression, ...]
    type: Expression
    visibility: Visibility | None
    every: Name | None
    listed: Expression | None
    initial: Expression | None


@dataclass(frozen=True)
class State(Declaration):
    """`owner` is the domain of `each ... has`, or nothing for the table."""

    owner: Name | None
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Parameter(Node):
    """Without a type it is a pattern: the `members` of an enum that this declaration is for."""

    name: Name
    type: Expression | None
    members: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Value(Declaration):
    name: Name
    parameters: tuple[Parameter, ...]
    type: Expression | None
    body: Expression


@dataclass(frozen=True)
class Modifier(Declaration):
    """Adds an amount to a value while a condition holds; `names` stand for the value's parameters."""

    name: Name
    value: Name
    names: tuple[Name, ...]
    amount: Expression
    condition: Expression | None


@dataclass(frozen=True)
class Key(Node):
    """`order` is `highest`, `lowest`, or `yes` for a condition that puts first whoever meets it."""

    order: str
    expression: Expression
    when: Expression | None


@dataclass(frozen=True)
class Ranking(Declaration):
    name: Name
    parameters: tuple[Parameter, ...]
    variable: Name
    domain: Expression
    where: Expression | None
    strict: bool
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Procedure(Declaration):
    name: Name
    parameters: tuple[Parameter, ...]
    text: Text | None
    body: Block


@dataclass(frozen=True)
class Event(Declaration):
    """Something that happens, to which reactions listen."""

    name: Name
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Reaction(Declaration):
    """What follows an event while a condition holds; `names` stand for the event's parameters."""

    name: Name
    text: Text | None
    event: Name
    names: tuple[Name, ...]
    condition: Expression | None
    body: Block


@dataclass(frozen=True)
class Window(Declaration):
    """What a player may do before each of his decisions, again and again while a condition holds."""

    name: Name
    variable: Name
    where: Expression | None
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Latch(Declaration):
    name: Name
    text: Text | None
    condition: Expression


@dataclass(frozen=True)
class Invariant(Declaration):
    name: Name
    text: Text | None
    condition: Expression


@dataclass(frozen=True)
class Play(Declaration):
    body: Block


@dataclass(frozen=True)
class FinalItem(Node):
    name: Name
    text: Text | None
    expression: Expression


@dataclass(frozen=True)
class FinalScoring(Declaration):
    variable: Name
    items: tuple[FinalItem, ...]


@dataclass(frozen=True)
class Winner(Declaration):
    variable: Name
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class RuleFile(Node):
    """`lost` are the words that declarations which could not be read may have declared; None if nobody can tell."""

    language: int
    game: Name
    declarations: tuple[Declaration, ...]
    lost: frozenset[str] | None = frozenset()
