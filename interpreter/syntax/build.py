"""From the parse tree to the tree of `chocolatl.interpreter.syntax.tree` (abstract syntax), one function for each
production."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chocolatl.interpreter.ir.operations import (
    WORDS,
    AggregateKind,
    ArithmeticOperator,
    BinaryOperator,
    ComparisonOperator,
    LogicOperator,
    Membership,
    SetChange,
    Sharing,
    UnaryOperator,
    complete,
    named,
)
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.automaton import ParseTree, Token

BINARY: dict[str, BinaryOperator] = {
    "either": LogicOperator.OR,
    "both": LogicOperator.AND,
    "equals": ComparisonOperator.EQUAL,
    "differs": ComparisonOperator.UNEQUAL,
    "contained": Membership.IN,
    "plus": ArithmeticOperator.ADD,
    "minus": ArithmeticOperator.SUBTRACT,
    "times": ArithmeticOperator.MULTIPLY,
    "divided": ArithmeticOperator.DIVIDE,
    "modulo": ArithmeticOperator.MODULO,
}
"""Productions of the grammar with two operands."""

OVER_SETS = complete(
    AggregateKind,
    {
        AggregateKind.SOME: "some",
        AggregateKind.EVERY: "every",
        AggregateKind.NUMBER: "number_of",
        AggregateKind.SUM: "sum_of",
        AggregateKind.HIGHEST: "extreme",
        AggregateKind.LOWEST: "extreme",
    },
    __name__,
)
"""The production of each formula over elements."""
LITERALS = ("yes", "no", "none", "nobody")
PLACES = {"last": -1, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


class Builder:
    """Builds nodes bottom up. Every production has a method of its name, called with its children.

    `above` is the number of lines of the source above the text that was parsed."""

    def __init__(self, source: Source, above: int = 0) -> None:
        self.source = source
        self.above = above

    def build(self, parsed: Any) -> Any:
        if parsed is None:
            return None
        if isinstance(parsed, Token):
            return self.token(parsed)
        children = [self.build(child) for child in parsed.children]
        span = self.span(parsed)
        name = parsed.data
        if name in BINARY:
            return t.Binary(span, BINARY[name], *children)
        if name in LITERALS:
            return t.Literal(span, name)
        method: Callable[..., Any] = getattr(self, name)
        return method(span, *children)

    def span(self, parsed: ParseTree | Token) -> Span:
        if parsed.place is None:  # nothing was written, not even a word that is left out of the tree
            return Span(self.source, 1, 1, 1, 1)
        line, column, end_line, end_column = parsed.place
        return Span(self.source, line + self.above, column, end_line + self.above, end_column)

    def token(self, token: Token) -> t.Name | t.Text:
        if token.type == "TEXT":
            return t.Text(self.span(token), token.text[1:-1])
        return t.Name(self.span(token), token.text)

    # ------------------------------------------------------------ declarations

    def start(self, span: Span, header: tuple[int, t.Name], *declarations: t.Declaration) -> t.RuleFile:
        return t.RuleFile(span, header[0], header[1], declarations)

    def header(self, span: Span, language: t.Name, game: t.Name) -> tuple[int, t.Name]:
        return int(language.text), game

    def enumeration(self, span: Span, cyclic: t.Name | None, name: t.Name, *members: t.Member) -> t.Enumeration:
        return t.Enumeration(span, name, members, cyclic is not None)

    def member(self, span: Span, name: t.Name, text: t.Text | None) -> t.Member:
        return t.Member(span, name, text)

    def grid(self, span: Span, name: t.Name, *rest: Any) -> t.Grid:
        axes = tuple(part for part in rest if isinstance(part, t.Axis))
        return t.Grid(span, name, axes, rest[len(axes)], tuple(rest[len(axes) + 1 :]))

    def axis(self, span: Span, name: t.Name, type_: t.Expression) -> t.Axis:
        return t.Axis(span, name, type_)

    def step(self, span: Span, side: t.Name, coordinates: tuple[t.Expression, ...]) -> t.Step:
        return t.Step(span, side, coordinates)

    def component(self, span: Span, name: t.Name, *attributes: t.ComponentAttribute) -> t.Component:
        return t.Component(span, name, attributes)

    def attribute(
        self, span: Span, name: t.Name, indices: tuple[t.Expression, ...] | None, type_: t.Expression | None
    ) -> t.ComponentAttribute:
        return t.ComponentAttribute(span, name, indices or (), type_)

    def holder(self, span: Span, name: t.Name, text: t.Text | None) -> t.Holder:
        return t.Holder(span, name, text)

    def item(self, span: Span, name: t.Name, text: t.Text | None) -> t.Item:
        return t.Item(span, name, text)

    def state(self, span: Span, owner: t.Name | None, *fields: t.Field) -> t.State:
        return t.State(span, owner, fields)

    def table(self, span: Span) -> None:
        return None

    def each(self, span: Span, name: t.Name) -> t.Name:
        return name

    def field(
        self,
        span: Span,
        name: t.Name,
        indices: tuple[t.Expression, ...] | None,
        type_: t.Expression,
        visibility: t.Visibility | None,
        initial: tuple[t.Name | None, t.Expression | None, t.Expression | None] | None,
    ) -> t.Field:
        return t.Field(span, name, indices or (), type_, visibility, *(initial or (None, None, None)))

    def indices(self, span: Span, *types: t.Expression) -> tuple[t.Expression, ...]:
        return types

    def visibility(self, span: Span, word: t.Name, condition: t.Expression | None) -> t.Visibility:
        return t.Visibility(span, word.text, condition)

    def every_component(
        self, span: Span, name: t.Name, listed: t.Expression | None
    ) -> tuple[t.Name, t.Expression | None, None]:
        return name, listed, None

    def initial_value(self, span: Span, value: t.Expression) -> tuple[None, None, t.Expression]:
        return None, None, value

    def range(self, span: Span, low: t.Expression, high: t.Expression) -> t.Range:
        return t.Range(span, low, high)

    def yes_no(self, span: Span, word: t.Name) -> t.YesNo:
        return t.YesNo(span)

    def named(self, span: Span, name: t.Name) -> t.Reference:
        return t.Reference(span, name.text)

    def set_of(self, span: Span, element: t.Expression, up_to: t.Name | None, most: t.Expression | None) -> t.SetOf:
        return t.SetOf(span, element, most)

    def turned(self, span: Span, name: t.Name) -> t.Turned:
        return t.Turned(span, name)

    def or_none(self, span: Span, base: t.Expression) -> t.OrNone:
        return t.OrNone(span, base, "none")

    def or_nobody(self, span: Span, base: t.Expression) -> t.OrNone:
        return t.OrNone(span, base, "nobody")

    def value(
        self, span: Span, name: t.Name, parameters: tuple[t.Parameter, ...] | None, type_: t.Expression | None,
        body: t.Expression,
    ) -> t.Value:  # fmt: skip
        return t.Value(span, name, parameters or (), type_, body)

    def value_body(self, span: Span, body: t.Expression) -> t.Expression:
        return body

    def parameters(self, span: Span, *parameters: t.Parameter) -> tuple[t.Parameter, ...]:
        return parameters

    def parameter(self, span: Span, name: t.Name, type_: t.Expression) -> t.Parameter:
        return t.Parameter(span, name, type_)

    def pattern(self, span: Span, name: t.Name, *members: t.Name) -> t.Parameter:
        return t.Parameter(span, name, None, members)

    def modifier(
        self, span: Span, name: t.Name, value: t.Name, names: tuple[t.Name, ...] | None, amount: t.Expression,
        condition: t.Expression | None,
    ) -> t.Modifier:  # fmt: skip
        return t.Modifier(span, name, value, names or (), amount, condition)

    def names(self, span: Span, *names: t.Name) -> tuple[t.Name, ...]:
        return names

    def during(self, span: Span, condition: t.Expression) -> t.Expression:
        return condition

    def ranking(
        self,
        span: Span,
        name: t.Name,
        parameters: tuple[t.Parameter, ...] | None,
        variable: t.Name,
        domain: t.Expression,
        where: t.Expression | None,
        strict: t.Name | None,
        keys: tuple[t.Key, ...],
    ) -> t.Ranking:
        return t.Ranking(span, name, parameters or (), variable, domain, where, strict is not None, keys)

    def keys(self, span: Span, *keys: t.Key) -> tuple[t.Key, ...]:
        return keys

    def number_key(self, span: Span, order: t.Name, expression: t.Expression, when: t.Expression | None) -> t.Key:
        return t.Key(span, named(t.KeyOrder, order.text), expression, when)

    def yes_key(self, span: Span, expression: t.Expression, when: t.Expression | None) -> t.Key:
        return t.Key(span, t.KeyOrder.YES, expression, when)

    def when(self, span: Span, condition: t.Expression) -> t.Expression:
        return condition

    def procedure(
        self,
        span: Span,
        name: t.Name,
        parameters: tuple[t.Parameter, ...] | None,
        text: t.Text | None,
        body: t.Block,
    ) -> t.Procedure:
        return t.Procedure(span, name, parameters or (), text, body)

    def event(self, span: Span, name: t.Name, parameters: tuple[t.Parameter, ...] | None) -> t.Event:
        return t.Event(span, name, parameters or ())

    def reaction(
        self, span: Span, name: t.Name, text: t.Text | None, event: t.Name, names: tuple[t.Name, ...] | None,
        condition: t.Expression | None, body: t.Block,
    ) -> t.Reaction:  # fmt: skip
        return t.Reaction(span, name, text, event, names or (), condition, body)

    def window(
        self, span: Span, name: t.Name, variable: t.Name, where: t.Expression | None, limit: t.Expression, body: t.Block
    ) -> t.Window:
        return t.Window(span, name, variable, where, limit, body)

    def latch(self, span: Span, name: t.Name, text: t.Text | None, condition: t.Expression) -> t.Latch:
        return t.Latch(span, name, text, condition)

    def invariant(self, span: Span, name: t.Name, text: t.Text | None, condition: t.Expression) -> t.Invariant:
        return t.Invariant(span, name, text, condition)

    def play(self, span: Span, body: t.Block) -> t.Play:
        return t.Play(span, body)

    def final_scoring(self, span: Span, variable: t.Name, *items: t.FinalItem) -> t.FinalScoring:
        return t.FinalScoring(span, variable, items)

    def final_item(self, span: Span, name: t.Name, text: t.Text | None, value: t.Expression) -> t.FinalItem:
        return t.FinalItem(span, name, text, value)

    def winner(self, span: Span, variable: t.Name, keys: tuple[t.Key, ...]) -> t.Winner:
        return t.Winner(span, variable, keys)

    # ------------------------------------------------------------ statements

    def block(self, span: Span, *statements: t.Statement) -> t.Block:
        return statements

    def becomes(self, span: Span, target: t.Expression, value: t.Expression) -> t.Becomes:
        return t.Becomes(span, target, value)

    def gains(
        self,
        span: Span,
        subject: t.Expression,
        word: t.Name,
        amount: t.Expression,
        field: t.Name,
        indices: tuple[t.Expression, ...] | None,
        item: t.Expression | None,
        text: t.Text | None,
        limit: tuple[t.Limit, t.Expression] | None,
    ) -> t.Gains:
        return t.Gains(span, subject, word.text == "loses", amount, field, indices or (), limit, item, text)

    def indexing(self, span: Span, indices: tuple[t.Expression, ...]) -> tuple[t.Expression, ...]:
        return indices

    def limit(self, span: Span, word: t.Name, bound: t.Expression) -> tuple[t.Limit, t.Expression]:
        return named(t.Limit, word.text), bound

    def for_item(self, span: Span, item: t.Expression) -> t.Expression:
        return item

    def choose(self, span: Span, player: t.Expression, word: t.Name, *rest: Any) -> t.Choose:
        *picks, where, into, name, text = rest
        return t.Choose(span, player, word.text.startswith("may"), tuple(picks), where, into, name, text)

    def pick(
        self,
        span: Span,
        up_to: t.Name | None,
        target: t.Expression,
        most: t.Expression | None,
        name: t.Name | None,
        domain: t.Expression,
    ) -> t.Pick:
        return t.Pick(span, target, up_to is not None, most, name, domain)

    def into(self, span: Span, target: t.Expression) -> t.Expression:
        return target

    def as_name(self, span: Span, name: t.Name) -> t.Name:
        return name

    def roll(
        self, span: Span, count: t.Expression | None, target: t.Expression, domain: t.Expression, *rest: Any
    ) -> t.Roll:
        return t.Roll(span, count, target, domain, *rest)

    def roll_count(self, span: Span, count: t.Expression) -> t.Expression:
        return count

    def odds(self, span: Span, odds: t.Expression) -> t.Expression:
        return odds

    def owner_of_chance(self, span: Span, owner: t.Expression) -> t.Expression:
        return owner

    def draw(
        self, span: Span, name: t.Name, source: t.Expression, target: t.Expression, owner: t.Expression | None
    ) -> t.Draw:
        return t.Draw(span, name, source, target, owner)

    def move(self, span: Span, element: t.Expression, source: t.Expression, target: t.Expression) -> t.Move:
        return t.Move(span, t.Movement.MOVE, element, source, target)

    def move_all(self, span: Span, source: t.Expression, target: t.Expression) -> t.Move:
        return t.Move(span, t.Movement.ALL, None, source, target)

    def reveal(self, span: Span, source: t.Expression, target: t.Expression) -> t.Move:
        return t.Move(span, t.Movement.REVEAL, None, source, target)

    def put_under(self, span: Span, element: t.Expression, source: t.Expression, target: t.Expression) -> t.Move:
        return t.Move(span, t.Movement.UNDER, element, source, target)

    def add(self, span: Span, element: t.Expression, target: t.Expression) -> t.Alter:
        return t.Alter(span, SetChange.ADD, element, target)

    def remove(self, span: Span, element: t.Expression, target: t.Expression) -> t.Alter:
        return t.Alter(span, SetChange.REMOVE, element, target)

    def clear(self, span: Span, target: t.Expression) -> t.Alter:
        return t.Alter(span, SetChange.CLEAR, None, target)

    def let(self, span: Span, name: t.Name, type_: t.Expression | None, value: t.Expression) -> t.Let:
        return t.Let(span, name, type_, value)

    def do(self, span: Span, name: t.Name, arguments: tuple[t.Expression, ...] | None) -> t.Do:
        return t.Do(span, name, arguments or ())

    def announce(self, span: Span, name: t.Name, arguments: tuple[t.Expression, ...] | None) -> t.Announce:
        return t.Announce(span, name, arguments or ())

    def nothing(self, span: Span) -> t.Nothing:
        return t.Nothing(span)

    def stop(self, span: Span, condition: t.Expression) -> t.Stop:
        return t.Stop(span, condition)

    def branch(self, span: Span, condition: t.Expression, body: t.Block, *rest: Any) -> t.If:
        *others, otherwise = rest
        return t.If(span, ((condition, body), *others), otherwise or ())

    def else_if(self, span: Span, condition: t.Expression, body: t.Block) -> tuple[t.Expression, t.Block]:
        return condition, body

    def otherwise(self, span: Span, body: t.Block) -> t.Block:
        return body

    def for_each(self, span: Span, variable: t.Name, domain: t.Expression, *rest: Any) -> t.ForEach:
        return t.ForEach(span, variable, domain, *rest)

    def backwards(self, span: Span, condition: t.Expression | None) -> t.Backwards:
        return t.Backwards(span, condition)

    def start_at(self, span: Span, start: t.Expression) -> t.Expression:
        return start

    def in_turn(self, span: Span, variable: t.Name, start: t.Expression, *rest: Any) -> t.InTurn:
        return t.InTurn(span, variable, start, *rest)

    def repeat(self, span: Span, until: t.Expression, limit: t.Expression, body: t.Block) -> t.Repeat:
        return t.Repeat(span, until, limit, body)

    def secretly(self, span: Span, domain: t.Name, variable: t.Name, body: t.Block) -> t.Secretly:
        return t.Secretly(span, domain, variable, body)

    def contest(
        self,
        span: Span,
        ranking: t.Expression,
        backwards: t.Backwards | None,
        name: t.Name | None,
        *clauses: t.Clause,
    ) -> t.Contest:
        return t.Contest(span, ranking, backwards, name, clauses)

    def clause(
        self, span: Span, place: t.Name, variable: t.Name, sharing: t.Name | Sharing | None, body: t.Block
    ) -> t.Clause:
        sharers = sharing if isinstance(sharing, t.Name) else None
        word = Sharing.SHARED if isinstance(sharing, t.Name) else sharing or Sharing.ANYBODY
        return t.Clause(span, PLACES[place.text], variable, word, sharers, body)

    def alone(self, span: Span) -> Sharing:
        return Sharing.ALONE

    def shared_by(self, span: Span, number: t.Name) -> t.Name:
        return number

    # ------------------------------------------------------------ expressions

    def conditional(
        self, span: Span, then: t.Expression, condition: t.Expression, otherwise: t.Expression
    ) -> t.Conditional:
        return t.Conditional(span, then, condition, otherwise)

    def some(self, span: Span, variable: t.Name, domain: t.Expression, body: t.Expression) -> t.Aggregate:
        return t.Aggregate(span, AggregateKind.SOME, variable, domain, None, body)

    def every(self, span: Span, variable: t.Name, domain: t.Expression, body: t.Expression) -> t.Aggregate:
        return t.Aggregate(span, AggregateKind.EVERY, variable, domain, None, body)

    def number_of(self, span: Span, variable: t.Name, domain: t.Expression, where: t.Expression | None) -> t.Aggregate:
        return t.Aggregate(span, AggregateKind.NUMBER, variable, domain, where, None)

    def sum_of(
        self, span: Span, term: t.Expression, variable: t.Name, domain: t.Expression, where: t.Expression | None
    ) -> t.Aggregate:
        return t.Aggregate(span, AggregateKind.SUM, variable, domain, where, term)

    def extreme(
        self,
        span: Span,
        word: t.Name,
        term: t.Expression,
        variable: t.Name,
        domain: t.Expression,
        where: t.Expression | None,
    ) -> t.Aggregate:
        return t.Aggregate(span, named(AggregateKind, word.text), variable, domain, where, term)

    def negated(self, span: Span, operand: t.Expression) -> t.Unary:
        return t.Unary(span, UnaryOperator.NOT, operand)

    def negative(self, span: Span, operand: t.Expression) -> t.Unary:
        return t.Unary(span, UnaryOperator.NEGATIVE, operand)

    def compared(self, span: Span, left: t.Expression, operator: t.Name, right: t.Expression) -> t.Binary:
        return t.Binary(span, WORDS[operator.text], left, right)

    def size_of(self, span: Span, zone: t.Expression) -> t.SizeOf:
        return t.SizeOf(span, zone)

    def rank_of(self, span: Span, element: t.Expression, ranking: t.Expression) -> t.RankOf:
        return t.RankOf(span, element, ranking)

    def placed(self, span: Span, words: t.Name, ranking: t.Expression) -> t.Placed:
        return t.Placed(span, PLACES[words.text.split()[0]], ranking)

    def opposite(self, span: Span, side: t.Expression) -> t.Opposite:
        return t.Opposite(span, side)

    def neighbour(self, span: Span, cell: t.Expression, side: t.Expression) -> t.Neighbour:
        return t.Neighbour(span, cell, side)

    def turns_of(self, span: Span, component: t.Expression) -> t.TurnsOf:
        return t.TurnsOf(span, component)

    def turned_by(self, span: Span, subject: t.Expression, steps: t.Expression) -> t.TurnedBy:
        return t.TurnedBy(span, subject, steps)

    def pair(self, span: Span, *parts: t.Expression) -> t.Pair:
        return t.Pair(span, parts)

    def attribute_of(self, span: Span, subject: t.Expression, name: t.Name) -> t.Attribute:
        return t.Attribute(span, subject, name)

    def indexed(self, span: Span, subject: t.Expression, indices: tuple[t.Expression, ...]) -> t.Indexed:
        return t.Indexed(span, subject, indices)

    def number(self, span: Span, digits: t.Name) -> t.Number:
        return t.Number(span, int(digits.text))

    def name(self, span: Span, name: t.Name) -> t.Reference:
        return t.Reference(span, name.text)

    def call(self, span: Span, name: t.Name, arguments: tuple[t.Expression, ...]) -> t.Call:
        return t.Call(span, name, arguments)

    def listed(self, span: Span, items: tuple[t.Expression, ...]) -> t.Listed:
        return t.Listed(span, items)

    def grouped(self, span: Span, inner: t.Expression) -> t.Expression:
        return inner

    def arguments(self, span: Span, *arguments: t.Expression) -> tuple[t.Expression, ...]:
        return arguments

    def where(self, span: Span, condition: t.Expression) -> t.Expression:
        return condition
