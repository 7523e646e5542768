"""The spanned tree of a rule file (abstract syntax tree): what was written, before names and types are known.

One class for each production of `grammar.lark`. `chocolatl.interpreter.syntax.parser` builds it,
`chocolatl.interpreter.syntax.printer` writes it back as rules.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never, get_args

from chocolatl.interpreter.ir.operations import AggregateKind, BinaryOperator, SetChange, Sharing, UnaryOperator
from chocolatl.interpreter.records import dataclass
from chocolatl.interpreter.source import Span


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
class ExpressionNode(Node):
    """What all expressions are; `Expression` below is the closed list of them."""


@dataclass(frozen=True)
class Number(ExpressionNode):
    value: int


@dataclass(frozen=True)
class Literal(ExpressionNode):
    """`yes`, `no`, `none` or `nobody`."""

    word: str


@dataclass(frozen=True)
class Reference(ExpressionNode):
    name: str


@dataclass(frozen=True)
class Call(ExpressionNode):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Attribute(ExpressionNode):
    """`p.score`, or a parameter with a dotted name."""

    subject: Expression
    name: Name


@dataclass(frozen=True)
class Indexed(ExpressionNode):
    subject: Expression
    indices: tuple[Expression, ...]


@dataclass(frozen=True)
class Listed(ExpressionNode):
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Unary(ExpressionNode):
    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True)
class Binary(ExpressionNode):
    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(ExpressionNode):
    then: Expression
    condition: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Aggregate(ExpressionNode):
    """A formula over a domain.

    `body` is the condition of a quantifier or the term of a sum; `number` has none."""

    kind: AggregateKind
    variable: Name
    domain: Expression
    where: Expression | None
    body: Expression | None


@dataclass(frozen=True)
class SizeOf(ExpressionNode):
    zone: Expression


@dataclass(frozen=True)
class RankOf(ExpressionNode):
    element: Expression
    ranking: Expression


@dataclass(frozen=True)
class Placed(ExpressionNode):
    """`first of bidders(here)`: the place is 1; that of `last` is -1."""

    place: int
    ranking: Expression


@dataclass(frozen=True)
class Opposite(ExpressionNode):
    """`opposite of s`: half a circle on."""

    side: Expression


@dataclass(frozen=True)
class Neighbour(ExpressionNode):
    """`neighbour of here at s`."""

    cell: Expression
    side: Expression


@dataclass(frozen=True)
class TurnsOf(ExpressionNode):
    """`turns of tile`: by how much it can be turned and looks different."""

    component: Expression


@dataclass(frozen=True)
class TurnedBy(ExpressionNode):
    """`s turned by 1` of a member of a cyclic enum, `tile turned by 3` of a component."""

    subject: Expression
    steps: Expression


@dataclass(frozen=True)
class Pair(ExpressionNode):
    """`(here, north)`; as a type, `(cell, side)`."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Range(ExpressionNode):
    low: Expression
    high: Expression


@dataclass(frozen=True)
class YesNo(ExpressionNode):
    """The type with the two values `yes` and `no`."""


@dataclass(frozen=True)
class SetOf(ExpressionNode):
    """`most` is given for a short set of values."""

    element: Expression
    most: Expression | None


@dataclass(frozen=True)
class Turned(ExpressionNode):
    """The type of a component that lies turned: `turned tile`."""

    component: Name


@dataclass(frozen=True)
class OrNone(ExpressionNode):
    """`card or none`, `player or nobody`."""

    base: Expression
    word: str


TypeNode = Range | YesNo | SetOf | Turned | OrNone
"""What can only be a type, or stand for all values of one."""

Expression = (
    Number | Literal | Reference | Call | Attribute | Indexed | Listed | Unary | Binary | Conditional | Aggregate
    | SizeOf | RankOf | Placed | Opposite | Neighbour | TurnsOf | TurnedBy | Pair | TypeNode
)  # fmt: skip
"""A closed list, so that a type checker sees where one is left out."""


# ---------------------------------------------------------------- statements


@dataclass(frozen=True)
class StatementNode(Node):
    """What all statements are; `Statement` below is the closed list of them."""


@dataclass(frozen=True)
class Becomes(StatementNode):
    target: Expression
    value: Expression


class Limit(StrEnum):
    """Where a change of a number ends."""

    MOST = "most"
    LEAST = "least"


@dataclass(frozen=True)
class Gains(StatementNode):
    subject: Expression
    loses: bool
    amount: Expression
    field: Name
    indices: tuple[Expression, ...]
    limit: tuple[Limit, Expression] | None
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
class Choose(StatementNode):
    player: Expression
    optional: bool
    picks: tuple[Pick, ...]
    where: Expression | None
    into: Expression | None
    name: Name | None
    text: Text | None


@dataclass(frozen=True)
class Roll(StatementNode):
    count: Expression | None
    target: Expression
    domain: Expression
    where: Expression | None
    odds: Expression | None
    owner: Expression | None


@dataclass(frozen=True)
class Draw(StatementNode):
    name: Name
    source: Expression
    target: Expression
    owner: Expression | None


class Movement(StrEnum):
    """How components change their place: one or all of them, into the open, under a deck."""

    MOVE = "move"
    ALL = "all"
    REVEAL = "reveal"
    UNDER = "under"


@dataclass(frozen=True)
class Move(StatementNode):
    """Moves one element, or all."""

    how: Movement
    element: Expression | None
    source: Expression
    target: Expression


@dataclass(frozen=True)
class Alter(StatementNode):
    """A set of values changes; only `clear` has no element."""

    how: SetChange
    element: Expression | None
    target: Expression


@dataclass(frozen=True)
class Let(StatementNode):
    name: Name
    type: Expression | None
    value: Expression


@dataclass(frozen=True)
class Do(StatementNode):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Announce(StatementNode):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Nothing(StatementNode):
    pass


@dataclass(frozen=True)
class Stop(StatementNode):
    condition: Expression


@dataclass(frozen=True)
class If(StatementNode):
    """`branches` are (condition, block) in order; `otherwise` may be empty."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


@dataclass(frozen=True)
class Backwards(Node):
    """The other way round, always or when a parameter says so."""

    condition: Expression | None


@dataclass(frozen=True)
class ForEach(StatementNode):
    variable: Name
    domain: Expression
    start: Expression | None
    backwards: Backwards | None
    where: Expression | None
    body: Block


@dataclass(frozen=True)
class InTurn(StatementNode):
    variable: Name
    start: Expression
    where: Expression | None
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Repeat(StatementNode):
    until: Expression
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Secretly(StatementNode):
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
class Contest(StatementNode):
    ranking: Expression
    backwards: Backwards | None
    name: Name | None
    clauses: tuple[Clause, ...]


SimpleStatement = Becomes | Gains | Choose | Roll | Draw | Move | Alter | Let | Do | Announce | Nothing | Stop
"""Statements of one line, which hold no others."""

LINES = frozenset(get_args(SimpleStatement))

Statement = SimpleStatement | If | ForEach | InTurn | Repeat | Secretly | Contest
"""A closed list, too."""

Block = tuple[Statement, ...]


def blocks_of(statement: Statement) -> list[Block]:
    """The blocks inside a statement."""
    if type(statement) in LINES:
        return []
    match statement:
        case If():
            return [block for _, block in statement.branches] + [statement.otherwise]
        case Contest():
            return [clause.body for clause in statement.clauses]
        case ForEach() | InTurn() | Repeat() | Secretly():
            return [statement.body]
        case _:
            if not isinstance(statement, SimpleStatement):
                assert_never(statement)
            return []


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True)
class DeclarationNode(Node):
    """What all declarations are; `Declaration` below is the closed list of them."""


@dataclass(frozen=True)
class Member(Node):
    name: Name
    text: Text | None


@dataclass(frozen=True)
class Enumeration(DeclarationNode):
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
class Grid(DeclarationNode):
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
class Component(DeclarationNode):
    name: Name
    attributes: tuple[ComponentAttribute, ...]


@dataclass(frozen=True)
class Holder(DeclarationNode):
    """Somebody who can own things and never decides: `owner bank`."""

    name: Name
    text: Text | None


@dataclass(frozen=True)
class Item(DeclarationNode):
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
class State(DeclarationNode):
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
class Value(DeclarationNode):
    name: Name
    parameters: tuple[Parameter, ...]
    type: Expression | None
    body: Expression


@dataclass(frozen=True)
class Modifier(DeclarationNode):
    """Adds an amount to a value while a condition holds; `names` stand for the value's parameters."""

    name: Name
    value: Name
    names: tuple[Name, ...]
    amount: Expression
    condition: Expression | None


class KeyOrder(StrEnum):
    """Who comes first by a key: whoever has the most, the least, or meets a condition."""

    HIGHEST = "highest"
    LOWEST = "lowest"
    YES = "yes"


@dataclass(frozen=True)
class Key(Node):
    order: KeyOrder
    expression: Expression
    when: Expression | None


@dataclass(frozen=True)
class Ranking(DeclarationNode):
    name: Name
    parameters: tuple[Parameter, ...]
    variable: Name
    domain: Expression
    where: Expression | None
    strict: bool
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Procedure(DeclarationNode):
    name: Name
    parameters: tuple[Parameter, ...]
    text: Text | None
    body: Block


@dataclass(frozen=True)
class Event(DeclarationNode):
    """Something that happens, to which reactions listen."""

    name: Name
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Reaction(DeclarationNode):
    """What follows an event while a condition holds; `names` stand for the event's parameters."""

    name: Name
    text: Text | None
    event: Name
    names: tuple[Name, ...]
    condition: Expression | None
    body: Block


@dataclass(frozen=True)
class Window(DeclarationNode):
    """What a player may do before each of his decisions, again and again while a condition holds."""

    name: Name
    variable: Name
    where: Expression | None
    limit: Expression
    body: Block


@dataclass(frozen=True)
class Latch(DeclarationNode):
    name: Name
    text: Text | None
    condition: Expression


@dataclass(frozen=True)
class Invariant(DeclarationNode):
    name: Name
    text: Text | None
    condition: Expression


@dataclass(frozen=True)
class Play(DeclarationNode):
    body: Block


@dataclass(frozen=True)
class FinalItem(Node):
    name: Name
    text: Text | None
    expression: Expression


@dataclass(frozen=True)
class FinalScoring(DeclarationNode):
    variable: Name
    items: tuple[FinalItem, ...]


@dataclass(frozen=True)
class Winner(DeclarationNode):
    variable: Name
    keys: tuple[Key, ...]


Declaration = (
    Enumeration | Grid | Component | Holder | Item | State | Value | Modifier | Ranking | Procedure | Event | Reaction
    | Window | Latch | Invariant | Play | FinalScoring | Winner
)  # fmt: skip
"""A closed list, too."""


def body_of(declaration: Declaration) -> Block:
    """The statements of a declaration."""
    match declaration:
        case Procedure() | Reaction() | Window() | Play():
            return declaration.body
        case Enumeration() | Grid() | Component() | Holder() | Item() | State() | Value() | Modifier() | Ranking():
            return ()
        case Event() | Latch() | Invariant() | FinalScoring() | Winner():
            return ()
        case _:
            assert_never(declaration)


@dataclass(frozen=True)
class RuleFile(Node):
    """`lost` are the words that declarations which could not be read may have declared; None if nobody can tell."""

    language: int
    game: Name
    declarations: tuple[Declaration, ...]
    lost: frozenset[str] | None = frozenset()


SubNode = (
    Name | Text | Pick | Backwards | Clause | Member | Axis | Step | ComponentAttribute | Visibility | Field | Parameter
    | Key | FinalItem
)  # fmt: skip
"""What stands in statements and declarations beside expressions."""

Tree = Expression | Statement | SubNode | Declaration | RuleFile
"""All nodes."""
