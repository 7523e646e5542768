"""The tree written back as rules, in one canonical form (unparsing): the reverse of
`chocolatl.interpreter.syntax.parser`.

Parsing the result gives an equal tree, up to places. Comments are not in the tree and so not in the result. Without
the texts for people the printed form is what the hash of the rules is made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    BinaryOperator,
    ComparisonOperator,
    LogicOperator,
    Membership,
    SetChange,
    UnaryOperator,
)
from chocolatl.interpreter.syntax import tree as t

INDENT = "    "
PLACES = {-1: "last", 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}

# How tightly an expression binds, by the productions of the grammar from loosest to tightest.
EXPRESSION, CONDITION, CONJUNCTION, NEGATION, COMPARISON, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(10)


def print_rules(tree: t.RuleFile, texts: bool = True) -> str:
    """A rule file in canonical layout, with or without the texts for people."""
    printer = _RulePrinter(texts)
    parts = [f"language {tree.language}\ngame {tree.game.text}\n"]
    parts += ["\n".join(printer.declaration(declaration)) + "\n" for declaration in tree.declarations]
    return "\n".join(parts)


def print_declaration(declaration: t.Declaration, texts: bool = True) -> str:
    return "\n".join(_RulePrinter(texts).declaration(declaration)) + "\n"


class _RulePrinter:
    def __init__(self, texts: bool) -> None:
        self.texts = texts

    def text(self, text: t.Text | None) -> str:
        return f' "{text.text}"' if text and self.texts else ""

    # ------------------------------------------------------------ declarations

    def declaration(self, node: t.Declaration) -> list[str]:
        match node:
            case t.Enumeration(name=name, members=members, cyclic=cyclic):
                members_ = ", ".join(m.name.text + self.text(m.text) for m in members)
                return [f"{'cyclic ' if cyclic else ''}enum {name.text} = {members_}"]
            case t.Grid(name=name, axes=axes, sides=sides, steps=steps):
                ranges = ", ".join(f"{a.name.text} : {print_expression(a.type)}" for a in axes)
                lines = (f"{s.side.text} : ({_list(s.coordinates)})" for s in steps)
                return [f"grid {name.text} ({ranges}) by {sides.text}", *_indented(lines)]
            case t.Component(name=name, attributes=attributes):
                typed = [f"{a.name.text}{_indices(a.indices)}{_after(' : ', a.type)}" for a in attributes]
                return [f"component {name.text} ({', '.join(typed)})"]
            case t.Holder(name=name, text=text):
                return [f"owner {name.text}{self.text(text)}"]
            case t.Modifier():
                head = f"modifier {node.name.text} changes {node.value.text}{_names(node.names)}"
                return [f"{head} by {print_expression(node.amount, SUM)}{_after(' while ', node.condition)}"]
            case t.Event(name=name, parameters=parameters):
                return [f"event {name.text}{_parameters(parameters)}"]
            case t.Reaction():
                head = f"reaction {node.name.text}{self.text(node.text)} to {node.event.text}{_names(node.names)}"
                return [f"{head}{_after(' while ', node.condition)}", *self.block(node.body)]
            case t.Window():
                head = f"window {node.name.text} of {node.variable.text}{_where(node.where)}"
                return [f"{head}, at most {print_expression(node.limit, SUM)} times", *self.block(node.body)]
            case t.Item(name=name, text=text):
                return [f"item {name.text}{self.text(text)}"]
            case t.State(owner=owner, fields=fields):
                return [f"each {owner.text} has" if owner else "table has", *_indented(map(_field, fields))]
            case t.Value(name=name, parameters=parameters, type=type_, body=body):
                typed_ = _after(" : ", type_)
                return [f"value {name.text}{_parameters(parameters)}{typed_} = {print_expression(body)}"]
            case t.Ranking():
                head = f"ranking {node.name.text}{_parameters(node.parameters)} of {node.variable.text}"
                head += f" in {_domain(node.domain)}{_where(node.where)}{', strict' if node.strict else ''}"
                return [head, *_indented(_keys(node.keys))]
            case t.Procedure(name=name, parameters=parameters, text=text, body=body):
                return [f"procedure {name.text}{_parameters(parameters)}{self.text(text)}", *self.block(body)]
            case t.Latch(name=name, text=text, condition=condition):
                return [f"latch {name.text}{self.text(text)} when {print_expression(condition)}"]
            case t.Invariant(name=name, text=text, condition=condition):
                return [f"always {name.text}{self.text(text)} : {print_expression(condition)}"]
            case t.Play(body=body):
                return ["play", *self.block(body)]
            case t.FinalScoring(variable=variable, items=items):
                lines = (f"{i.name.text}{self.text(i.text)} : {print_expression(i.expression)}" for i in items)
                return [f"final scoring of {variable.text}", *_indented(lines)]
            case t.Winner(variable=variable, keys=keys):
                return [f"winner {variable.text}", *_indented(_keys(keys))]
            case _:
                assert_never(node)

    # ------------------------------------------------------------ statements

    def block(self, statements: t.Block) -> list[str]:
        return _indented(line for statement in statements for line in self.statement(statement))

    def statement(self, node: t.Statement) -> list[str]:
        match node:
            case t.If(branches=branches, otherwise=otherwise):
                lines = []
                for number, (condition, body) in enumerate(branches):
                    lines += [f"{'else if' if number else 'if'} {print_expression(condition)}", *self.block(body)]
                return lines + (["else", *self.block(otherwise)] if otherwise else [])
            case t.ForEach():
                head = f"for each {node.variable.text} in {_domain(node.domain)}"
                head += _after(" from ", node.start, SUM) + _backwards(node.backwards, last=node.where is None)
                return [head + _where(node.where), *self.block(node.body)]
            case t.InTurn():
                head = f"in turn {node.variable.text} from {print_expression(node.start, SUM)}{_where(node.where)}"
                return [f"{head}, at most {print_expression(node.limit, SUM)} turns", *self.block(node.body)]
            case t.Repeat(until=until, limit=limit, body=body):
                head = f"repeat until {print_expression(until)}, at most {print_expression(limit, SUM)} times"
                return [head, *self.block(body)]
            case t.Secretly(domain=domain, variable=variable, body=body):
                return [f"every {domain.text} {variable.text} secretly", *self.block(body)]
            case t.Contest(ranking=ranking, backwards=backwards, name=name, clauses=clauses):
                head = f"contest {print_expression(ranking, POSTFIX)}{_backwards(backwards)}{_as(name)}"
                return [head, *_indented(line for clause in clauses for line in self.clause(clause))]
            case _:
                return [self.simple(node)]

    def clause(self, node: t.Clause) -> list[str]:
        sharing = f" shared by {node.sharers.text}" if node.sharers else f" {node.sharing}" if node.sharing else ""
        return [f"{PLACES[node.place]} {node.variable.text}{sharing}", *self.block(node.body)]

    def simple(self, node: t.SimpleStatement) -> str:
        """A statement of one line."""
        match node:
            case t.Becomes(target=target, value=value):
                return f"{print_expression(target, POSTFIX)} becomes {print_expression(value)}"
            case t.Gains():
                line = f"{print_expression(node.subject, POSTFIX)} {'loses' if node.loses else 'gains'}"
                line += f" {print_expression(node.amount, SUM)} {node.field.text}{_indices(node.indices)}"
                line += _after(" for ", node.item, POSTFIX) + self.text(node.text)
                return line + (f", at {node.limit[0]} {print_expression(node.limit[1], SUM)}" if node.limit else "")
            case t.Choose():
                line = f"{print_expression(node.player, POSTFIX)} {'may choose' if node.optional else 'chooses'} "
                line += ", ".join(map(_pick, node.picks)) + _where(node.where)
                return line + _after(" into ", node.into, POSTFIX) + _as(node.name) + self.text(node.text)
            case t.Roll():
                count = f"{print_expression(node.count, POSTFIX)} " if node.count else ""
                line = f"roll {count}{print_expression(node.target, POSTFIX)}"
                line += f" from {_domain(node.domain)}{_where(node.where)}"
                return line + _after(" odds ", node.odds, SUM) + _after(" for ", node.owner, POSTFIX)
            case t.Draw():
                line = f"draw {node.name.text} from {print_expression(node.source, POSTFIX)}"
                return line + _after(" into ", node.target, POSTFIX) + _after(" for ", node.owner, POSTFIX)
            case t.Move():
                return _move(node)
            case t.Alter():
                return _alter(node)
            case t.Let(name=name, type=type_, value=value):
                return f"let {name.text}{_after(' : ', type_)} = {print_expression(value)}"
            case t.Do(name=name, arguments=arguments):
                return f"do {name.text}" + (f"({_list(arguments)})" if arguments else "")
            case t.Announce(name=name, arguments=arguments):
                return f"announce {name.text}" + (f"({_list(arguments)})" if arguments else "")
            case t.Nothing():
                return "nothing"
            case t.Stop(condition=condition):
                return f"stop when {print_expression(condition)}"
            case _:
                assert_never(node)


def _move(node: t.Move) -> str:
    source, target = print_expression(node.source, POSTFIX), print_expression(node.target, POSTFIX)
    element = _after("", node.element, SUM)
    match node.how:
        case t.Movement.MOVE:
            return f"move {element} from {source} to {target}"
        case t.Movement.ALL:
            return f"move all {source} to {target}"
        case t.Movement.REVEAL:
            return f"reveal {source} into {target}"
        case t.Movement.UNDER:
            return f"put {element} from {source} under {target}"
        case _:
            assert_never(node.how)


def _pick(node: t.Pick) -> str:
    name = f" {node.name.text}" if node.name else ""
    count = f"{print_expression(node.target, SUM)}{_after('..', node.most, SUM)}{name}"
    return f"{'up to ' if node.up_to else ''}{count} from {_domain(node.domain)}"


def _backwards(node: t.Backwards | None, last: bool = True) -> str:
    if node is None or node.condition is None:
        return " backwards" if node else ""
    return f" backwards when {print_expression(node.condition, CONDITION, last)}"


def _field(node: t.Field) -> str:
    line = f"{node.name.text}{_indices(node.indices)} : {print_expression(node.type)}"
    if node.visibility:
        line += f" {node.visibility.word}{_after(' when ', node.visibility.condition, CONDITION)}"
    if node.every:
        return f"{line} = every {node.every.text}{_after(' in ', node.listed, POSTFIX)}"
    return line + _after(" = ", node.initial)


def _parameters(parameters: tuple[t.Parameter, ...]) -> str:
    parts = [
        p.name.text + (_after(" : ", p.type) or " = " + " or ".join(m.text for m in p.members)) for p in parameters
    ]
    return f"({', '.join(parts)})" if parts else ""


def _names(names: tuple[t.Name, ...]) -> str:
    return f"({', '.join(name.text for name in names)})" if names else ""


def _keys(keys: tuple[t.Key, ...]) -> list[str]:
    lines = []
    for number, key in enumerate(keys):
        line = print_expression(key.expression)
        if key.order is not t.KeyOrder.YES:
            line = f"{key.order} {line}"
        elif line.startswith("-"):
            line = f"({line})"  # a line that begins with an operator would go on with the one before
        line += _after(" when ", key.when, CONDITION)
        lines.append(f"then {line}" if number else line)
    return lines


# ---------------------------------------------------------------- expressions


def print_expression(node: t.Expression, needed: int = EXPRESSION, last: bool = True) -> str:
    """An expression, in parentheses where it binds less tightly than its place needs.

    `last` says that no operator and no `where` follow: `some ... has` and `every ... has` reach as far as they can."""
    text, binding = _bound(node, last)
    if binding >= needed and (last or not _is_quantifier(node)):
        return text
    return f"({_bound(node, True)[0]})"


def _is_quantifier(node: t.Expression) -> bool:
    """Whether it is `some ... has` or `every ... has`, which ends in a condition."""
    if not isinstance(node, t.Aggregate):
        return False
    match node.kind:
        case AggregateKind.SOME | AggregateKind.EVERY:
            return True
        case AggregateKind.NUMBER | AggregateKind.SUM | AggregateKind.HIGHEST | AggregateKind.LOWEST:
            return False
        case _:
            assert_never(node.kind)


def _bound(node: t.Expression, last: bool) -> tuple[str, int]:
    """An expression without parentheses around it, and how tightly it binds."""
    match node:
        case t.Number(value=value):
            return str(value), ATOM
        case t.Literal(word=word):
            return word, ATOM
        case t.Reference(name=name):
            return name, ATOM
        case t.Call(name=called, arguments=arguments):
            return f"{called.text}({_list(arguments)})", ATOM
        case t.Listed(items=items):
            return f"[{_list(items)}]", ATOM
        case t.Attribute(subject=subject, name=attribute):
            return f"{print_expression(subject, POSTFIX)}.{attribute.text}", POSTFIX
        case t.Indexed(subject=subject, indices=indices):
            return f"{print_expression(subject, POSTFIX)}{_indices(indices)}", POSTFIX
        case t.SizeOf(zone=zone):
            return f"size of {print_expression(zone, POSTFIX)}", UNARY
        case t.RankOf(element=element, ranking=ranking):
            return f"rank of {print_expression(element, POSTFIX)} in {print_expression(ranking, POSTFIX)}", UNARY
        case t.Placed(place=place, ranking=ranking):
            return f"{PLACES[place]} of {print_expression(ranking, POSTFIX)}", UNARY
        case t.Opposite(side=side):
            return f"opposite of {print_expression(side, POSTFIX)}", UNARY
        case t.Neighbour(cell=cell, side=side):
            return f"neighbour of {print_expression(cell, POSTFIX)} at {print_expression(side, UNARY)}", UNARY
        case t.TurnsOf(component=component):
            return f"turns of {print_expression(component, POSTFIX)}", UNARY
        case t.TurnedBy(subject=turned, steps=steps):
            return f"{print_expression(turned, POSTFIX)} turned by {print_expression(steps, UNARY)}", UNARY
        case t.Pair(parts=parts):
            return f"({_list(parts)})", ATOM
        case t.Unary():
            return _unary(node, last)
        case t.Binary(operator=operator, left=left, right=right):
            word, own, to_the_left, to_the_right = _binary(operator)
            front = print_expression(left, to_the_left, last=False)
            return f"{front} {word} {print_expression(right, to_the_right, last)}", own
        case t.Conditional(then=then, condition=condition, otherwise=otherwise):
            choice = f"{print_expression(then, CONDITION, last=False)} if {print_expression(condition, CONDITION)}"
            return f"{choice} else {print_expression(otherwise)}", EXPRESSION
        case t.Aggregate():
            return _aggregate(node), NEGATION if _is_quantifier(node) else EXPRESSION
    return _type(node), EXPRESSION


def _alter(node: t.Alter) -> str:
    element, target = _after("", node.element, SUM), print_expression(node.target, POSTFIX)
    match node.how:
        case SetChange.ADD:
            return f"add {element} to {target}"
        case SetChange.REMOVE:
            return f"remove {element} from {target}"
        case SetChange.CLEAR:
            return f"clear {target}"
        case _:
            assert_never(node.how)


def _unary(node: t.Unary, last: bool) -> tuple[str, int]:
    match node.operator:
        case UnaryOperator.NOT:
            return f"not {print_expression(node.operand, NEGATION, last)}", NEGATION
        case UnaryOperator.NEGATIVE:
            return f"-{print_expression(node.operand, UNARY)}", UNARY
        case _:
            assert_never(node.operator)


def _binary(operator: BinaryOperator) -> tuple[str, int, int, int]:
    """How an operator is written, how tightly it binds, and how tightly its left and right side have to."""
    match operator:
        case LogicOperator.OR:
            return operator, CONDITION, CONDITION, CONJUNCTION
        case LogicOperator.AND:
            return operator, CONJUNCTION, CONJUNCTION, NEGATION
        case Membership():
            return operator, COMPARISON, SUM, SUM
        case ComparisonOperator():
            return operator.word, COMPARISON, SUM, SUM
        case ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT:
            return operator, SUM, SUM, PRODUCT
        case ArithmeticOperator.MULTIPLY | ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO:
            return operator, PRODUCT, PRODUCT, UNARY
        case ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:
            raise AssertionError(f"`{operator}` is written as a call")
        case _:
            assert_never(operator)


def _aggregate(node: t.Aggregate) -> str:
    over = f"{node.variable.text} in {_domain(node.domain)}"
    match node.kind:
        case AggregateKind.SOME | AggregateKind.EVERY:
            return f"{node.kind} {over}{_after(' has ', node.body)}"
        case AggregateKind.NUMBER:
            return f"number of {over}{_where(node.where)}"
        case AggregateKind.SUM:
            word = "sum of"
        case AggregateKind.HIGHEST | AggregateKind.LOWEST:
            word = node.kind
        case _:
            assert_never(node.kind)
    return f"{word} {_after('', node.body, SUM)} for {over}{_where(node.where)}"


def _type(node: t.TypeNode) -> str:
    match node:
        case t.Range(low=low, high=high):
            return f"{print_expression(low, SUM)}..{print_expression(high, SUM)}"
        case t.YesNo():
            return "yes/no"
        case t.SetOf(element=element, most=most):
            return f"set of {print_expression(element)}{_after(' up to ', most, SUM)}"
        case t.Turned(component=component):
            return f"turned {component.text}"
        case t.OrNone(base=base, word=word):
            return f"{print_expression(base)} or {word}"
        case _:
            assert_never(node)


def _domain(node: t.Expression) -> str:
    return _type(node) if isinstance(node, t.Range | t.YesNo) else print_expression(node, SUM)


def _after(words: str, node: t.Expression | None, needed: int = EXPRESSION) -> str:
    return words + print_expression(node, needed) if node else ""


def _where(node: t.Expression | None) -> str:
    return _after(" where ", node, CONDITION)


def _as(name: t.Name | None) -> str:
    return f" as {name.text}" if name else ""


def _indices(indices: tuple[t.Expression, ...]) -> str:
    return f"[{_list(indices)}]" if indices else ""


def _list(nodes: tuple[t.Expression, ...]) -> str:
    return ", ".join(print_expression(node) for node in nodes)


def _indented(lines: Iterable[str]) -> list[str]:
    return [INDENT + line for line in lines]
