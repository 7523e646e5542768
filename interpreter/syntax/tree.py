"""The spanned tree of a rule file (abstract syntax tree): what was written, before names and types are known.

One class for each production of `grammar.lark`. `chocolatl.interpreter.syntax.parser` builds it,
`chocolatl.interpreter.syntax.printer` writes it back as rules.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never, get_args

from msgspec import Struct

from chocolatl.interpreter.ir.operations import AggregateKind, BinaryOperator, SetChange, Sharing, UnaryOperator
from chocolatl.interpreter.source import Span


class Node(Struct, frozen=True):
    span: Span


class Name(Node, frozen=True):
    """A word with its place: the name of a declaration, a variable, a field."""

    text: str


class Text(Node, frozen=True):
    """Words for people, without the quotation marks; `{...}` holds an expression."""

    text: str


# ---------------------------------------------------------------- expressions


class ExpressionNode(Node, frozen=True):
    """What all expressions are; `Expression` below is the closed list of them."""


class Number(ExpressionNode, frozen=True):
    value: int


class Literal(ExpressionNode, frozen=True):
    """`yes`, `no`, `none` or `nobody`."""

    word: str


class Reference(ExpressionNode, frozen=True):
    name: str


class Call(ExpressionNode, frozen=True):
    name: Name
    arguments: tuple[Expression, ...]


class Attribute(ExpressionNode, frozen=True):
    """`p.score`, or a parameter with a dotted name."""

    subject: Expression
    name: Name


class Indexed(ExpressionNode, frozen=True):
    subject: Expression
    indices: tuple[Expression, ...]


class Listed(ExpressionNode, frozen=True):
    items: tuple[Expression, ...]


class Unary(ExpressionNode, frozen=True):
    operator: UnaryOperator
    operand: Expression


class Binary(ExpressionNode, frozen=True):
    operator: BinaryOperator
    left: Expression
    right: Expression


class Conditional(ExpressionNode, frozen=True):
    then: Expression
    condition: Expression
    otherwise: Expression


class Aggregate(ExpressionNode, frozen=True):
    """A formula over a domain.

    `body` is the condition of a quantifier or the term of a sum; `number` has none."""

    kind: AggregateKind
    variable: Name
    domain: Expression
    where: Expression | None
    body: Expression | None


class SizeOf(ExpressionNode, frozen=True):
    zone: Expression


class RankOf(ExpressionNode, frozen=True):
    element: Expression
    ranking: Expression


class Placed(ExpressionNode, frozen=True):
    """`first of bidders(here)`: the place is 1; that of `last` is -1."""

    place: int
    ranking: Expression


class Opposite(ExpressionNode, frozen=True):
    """`opposite of s`: half a circle on."""

    side: Expression


class Neighbour(ExpressionNode, frozen=True):
    """`neighbour of here at s`."""

    cell: Expression
    side: Expression


class TurnsOf(ExpressionNode, frozen=True):
    """`turns of tile`: by how much it can be turned and looks different."""

    component: Expression


class TurnedBy(ExpressionNode, frozen=True):
    """`s turned by 1` of a member of a cyclic enum, `tile turned by 3` of a component."""

    subject: Expression
    steps: Expression


class Pair(ExpressionNode, frozen=True):
    """`(here, north)`; as a type, `(cell, side)`."""

    parts: tuple[Expression, ...]


class Range(ExpressionNode, frozen=True):
    low: Expression
    high: Expression


class YesNo(ExpressionNode, frozen=True):
    """The type with the two values `yes` and `no`."""


class SetOf(ExpressionNode, frozen=True):
    """`most` is given for a short set of values."""

    element: Expression
    most: Expression | None


class Turned(ExpressionNode, frozen=True):
    """The type of a component that lies turned: `turned tile`."""

    component: Name


class OrNone(ExpressionNode, frozen=True):
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


class StatementNode(Node, frozen=True):
    """What all statements are; `Statement` below is the closed list of them."""


class Becomes(StatementNode, frozen=True):
    target: Expression
    value: Expression


class Limit(StrEnum):
    """Where a change of a number ends."""

    MOST = "most"
    LEAST = "least"


class Gains(StatementNode, frozen=True):
    subject: Expression
    loses: bool
    amount: Expression
    field: Name
    indices: tuple[Expression, ...]
    limit: tuple[Limit, Expression] | None
    item: Expression | None
    text: Text | None


class Pick(Node, frozen=True):
    """`target` is what gets the element, or how many to move: from `target` to `most`, called `name` one by one."""

    target: Expression
    up_to: bool
    most: Expression | None
    name: Name | None
    domain: Expression


class Choose(StatementNode, frozen=True):
    player: Expression
    optional: bool
    picks: tuple[Pick, ...]
    where: Expression | None
    into: Expression | None
    name: Name | None
    text: Text | None


class Roll(StatementNode, frozen=True):
    count: Expression | None
    target: Expression
    domain: Expression
    where: Expression | None
    odds: Expression | None
    owner: Expression | None


class Draw(StatementNode, frozen=True):
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


class Move(StatementNode, frozen=True):
    """Moves one element, or all."""

    how: Movement
    element: Expression | None
    source: Expression
    target: Expression


class Alter(StatementNode, frozen=True):
    """A set of values changes; only `clear` has no element."""

    how: SetChange
    element: Expression | None
    target: Expression


class Let(StatementNode, frozen=True):
    name: Name
    type: Expression | None
    value: Expression


class Do(StatementNode, frozen=True):
    name: Name
    arguments: tuple[Expression, ...]


class Announce(StatementNode, frozen=True):
    name: Name
    arguments: tuple[Expression, ...]


class Nothing(StatementNode, frozen=True):
    pass


class Stop(StatementNode, frozen=True):
    condition: Expression


class If(StatementNode, frozen=True):
    """`branches` are (condition, block) in order; `otherwise` may be empty."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


class Backwards(Node, frozen=True):
    """The other way round, always or when a parameter says so."""

    condition: Expression | None


class ForEach(StatementNode, frozen=True):
    variable: Name
    domain: Expression
    start: Expression | None
    backwards: Backwards | None
    where: Expression | None
    body: Block


class InTurn(StatementNode, frozen=True):
    variable: Name
    start: Expression
    where: Expression | None
    limit: Expression
    body: Block


class Repeat(StatementNode, frozen=True):
    until: Expression
    limit: Expression
    body: Block


class Secretly(StatementNode, frozen=True):
    domain: Name
    variable: Name
    body: Block


class Clause(Node, frozen=True):
    """One place of a contest; `sharers` names the number of those who share it."""

    place: int
    variable: Name
    sharing: Sharing
    sharers: Name | None
    body: Block


class Contest(StatementNode, frozen=True):
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


class DeclarationNode(Node, frozen=True):
    """What all declarations are; `Declaration` below is the closed list of them."""


class Member(Node, frozen=True):
    name: Name
    text: Text | None


class Enumeration(DeclarationNode, frozen=True):
    """The members of a cyclic one stand in a circle."""

    name: Name
    members: tuple[Member, ...]
    cyclic: bool = False


class Axis(Node, frozen=True):
    name: Name
    type: Expression


class Step(Node, frozen=True):
    """The coordinates of the neighbour at a side."""

    side: Name
    coordinates: tuple[Expression, ...]


class Grid(DeclarationNode, frozen=True):
    """Cells by their coordinates; `sides` is the enum of the directions in which they have neighbours."""

    name: Name
    axes: tuple[Axis, ...]
    sides: Name
    steps: tuple[Step, ...]


class ComponentAttribute(Node, frozen=True):
    name: Name
    indices: tuple[Expression, ...]
    type: Expression | None


class Component(DeclarationNode, frozen=True):
    name: Name
    attributes: tuple[ComponentAttribute, ...]


class Holder(DeclarationNode, frozen=True):
    """Somebody who can own things and never decides: `owner bank`."""

    name: Name
    text: Text | None


class Item(DeclarationNode, frozen=True):
    name: Name
    text: Text | None


class Visibility(Node, frozen=True):
    word: str
    condition: Expression | None


class Field(Node, frozen=True):
    """`every` names the component that fills the zone at the start, `listed` the table that says with which of them;
    `initial` is any other start value."""

    name: Name
    indices: tuple[Expression, ...]
    type: Expression
    visibility: Visibility | None
    every: Name | None
    listed: Expression | None
    initial: Expression | None


class State(DeclarationNode, frozen=True):
    """`owner` is the domain of `each ... has`, or nothing for the table."""

    owner: Name | None
    fields: tuple[Field, ...]


class Parameter(Node, frozen=True):
    """Without a type it is a pattern: the `members` of an enum that this declaration is for."""

    name: Name
    type: Expression | None
    members: tuple[Name, ...] = ()


class Value(DeclarationNode, frozen=True):
    name: Name
    parameters: tuple[Parameter, ...]
    type: Expression | None
    body: Expression


class Modifier(DeclarationNode, frozen=True):
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


class Key(Node, frozen=True):
    order: KeyOrder
    expression: Expression
    when: Expression | None


class Ranking(DeclarationNode, frozen=True):
    name: Name
    parameters: tuple[Parameter, ...]
    variable: Name
    domain: Expression
    where: Expression | None
    strict: bool
    keys: tuple[Key, ...]


class Procedure(DeclarationNode, frozen=True):
    name: Name
    parameters: tuple[Parameter, ...]
    text: Text | None
    body: Block


class Event(DeclarationNode, frozen=True):
    """Something that happens, to which reactions listen."""

    name: Name
    parameters: tuple[Parameter, ...]


class Reaction(DeclarationNode, frozen=True):
    """What follows an event while a condition holds; `names` stand for the event's parameters."""

    name: Name
    text: Text | None
    event: Name
    names: tuple[Name, ...]
    condition: Expression | None
    body: Block


class Window(DeclarationNode, frozen=True):
    """What a player may do before each of his decisions, again and again while a condition holds."""

    name: Name
    variable: Name
    where: Expression | None
    limit: Expression
    body: Block


class Latch(DeclarationNode, frozen=True):
    name: Name
    text: Text | None
    condition: Expression


class Invariant(DeclarationNode, frozen=True):
    name: Name
    text: Text | None
    condition: Expression


class Play(DeclarationNode, frozen=True):
    body: Block


class FinalItem(Node, frozen=True):
    name: Name
    text: Text | None
    expression: Expression


class FinalScoring(DeclarationNode, frozen=True):
    variable: Name
    items: tuple[FinalItem, ...]


class Winner(DeclarationNode, frozen=True):
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


class RuleFile(Node, frozen=True):
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
