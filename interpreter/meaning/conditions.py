"""Conditions that come out the same however the game goes, at each place where one can stand (abstract interpretation).

Beside the ranges of numbers and the members that something can be, a condition is held against what is known where it
stands: what the branches before it have left, what is around it, what the other side of an `and` says. What statements
change is known no longer. A finding is about the smallest part that leaves no choice, and labels what it follows from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from msgspec import Struct

from chocolatl.interpreter.diagnostics import Diagnostic, Findings, Related
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ComparisonOperator,
    LogicOperator,
    Membership,
    Sharing,
    UnaryOperator,
)
from chocolatl.interpreter.meaning import formulas
from chocolatl.interpreter.meaning.formulas import AllClaims, AtMostZero, Formula, IsMember, IsSo, contradicts, denied
from chocolatl.interpreter.meaning.kinds import (
    NONE,
    NUMBER,
    PLAYER,
    SOMEBODY,
    UNKNOWN,
    YES_OR_NO,
    Kind,
    LocalName,
    LocalScope,
)
from chocolatl.interpreter.meaning.linear import constant
from chocolatl.interpreter.meaning.reading import Reader
from chocolatl.interpreter.meaning.world import World, all_statements, last_name, targets
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import nodes

ALWAYS, IMPOSSIBLE, ITSELF, NOTHING, UNASKED = "W005", "W008", "W011", "W012", "W017"
DEEPEST = 3
"""So many facts with several alternatives are held against a condition at a time."""


class Fact(Struct, frozen=True):
    """What is known at a place, where it was said, and which names it depends on."""

    formula: Formula
    span: Span
    words: frozenset[str]


FactsHere = tuple[Fact, ...]


def report_conditions(world: World, declarations: Iterable[t.Declaration], findings: Findings) -> None:
    """Report the conditions in some declarations that are always or never so."""
    walk = ConditionWalk(world, findings)
    for declaration in declarations:
        walk.declaration(declaration)


class ConditionWalk:
    """The way through all declarations; `made` counts the locals."""

    def __init__(self, world: World, findings: Findings) -> None:
        self.world = world
        self.reader = Reader(world)
        self.findings = findings
        self.made = 0
        self.body: t.Block = ()
        """The statements of the declaration at hand."""
        self.open: dict[Hashable, Span] = {}
        """Answers that may be none, each with the place at which it is asked for."""
        self.behind: tuple[Span, Span] | None = None
        """A condition, and where it goes on if that does not hold."""

    # ------------------------------------------------------------ declarations

    def declaration(self, d: t.Declaration) -> None:
        self.body = t.body_of(d)
        match d:
            case t.Value():
                self.look(d.body, self.reader.parameters(d.parameters, d), ())
            case t.Ranking():
                scope = self.reader.parameters(d.parameters, d)
                inner = {**scope, d.variable.text: self.local(self.reader.element(d.domain, scope))}
                facts = self.asked(d.where, inner, ())
                for key in d.keys:
                    self.look(key.expression, inner, facts)
                    self.asked(key.when, inner, ())
            case t.Winner():
                inner = {d.variable.text: self.local(SOMEBODY)}
                for key in d.keys:
                    self.look(key.expression, inner, ())
            case t.Procedure():
                self.block(d.body, self.reader.parameters(d.parameters, d), ())
            case t.Play():
                self.block(d.body, {}, ())
            case t.Reaction():
                event = self.world.events.get(d.event.text)
                kinds = self.reader.parameters(event.parameters, event) if event is not None else {}
                scope = {name.text: self.local(each.kind) for name, each in zip(d.names, kinds.values(), strict=False)}
                self.block(d.body, scope, self.asked(d.condition, scope, ()))
            case t.Modifier():
                value = self.world.values.get(d.value.text)
                kinds = self.reader.parameters(value.parameters, value) if value is not None else {}
                scope = {name.text: self.local(each.kind) for name, each in zip(d.names, kinds.values(), strict=False)}
                self.look(d.amount, scope, self.asked(d.condition, scope, ()))
            case t.Window():
                scope = {d.variable.text: self.local(SOMEBODY)}
                self.block(d.body, scope, self.asked(d.where, scope, ()))
            case t.Latch() | t.Invariant():
                self.look(d.condition, {}, ())
            case t.FinalScoring():
                for item in d.items:
                    self.look(item.expression, {d.variable.text: self.local(SOMEBODY)}, ())
            case t.Enumeration() | t.Grid() | t.Component() | t.Holder() | t.Item() | t.State() | t.Event():
                pass

    def local(self, kind: Kind) -> LocalName:
        self.made += 1
        return LocalName(("local", self.made), kind)

    # ------------------------------------------------------------ statements

    def block(self, block: t.Block, scope: LocalScope, facts: FactsHere) -> FactsHere:
        """Follow a block; what is known behind it."""
        scope = dict(scope)
        for position, statement in enumerate(block, start=1):
            before = len(self.findings.items)
            facts = self.statement(statement, scope, facts)
            if isinstance(statement, t.Stop) and position < len(block):
                self.left(statement, block[position], before)
        return facts

    def left(self, stop: t.Stop, behind: t.Statement, before: int) -> None:
        """What was found of a loop that is always left is told of what stands behind it."""
        for index, found in enumerate(self.findings.items[before:], start=before):
            if found.span == stop.condition.span and found.message.startswith("this is always"):
                message = "nothing comes here: the line above always leaves the loop"
                because = (Related(found.span, "this is always so"), *found.related)
                self.findings.items[index] = Diagnostic("W006", message, behind.span, "", because)

    def statement(self, s: t.Statement, scope: LocalScope, facts: FactsHere) -> FactsHere:
        match s:
            case t.If():
                return self.branch(s, scope, facts)
            case t.Stop():
                self.look(s.condition, scope, facts)
                return self.with_fact(s.condition, scope, facts, holds=False)
            case t.ForEach():
                self.look(s.domain, scope, facts)
                left = self.without(facts, (s,))
                inner = {**scope, s.variable.text: self.local(self.reader.element(s.domain, scope))}
                if s.variable.text == "round":
                    inner = {**scope, "round": LocalName("round", self.reader.element(s.domain, scope))}
                self.block(s.body, inner, self.asked(s.where, inner, left))
                return left
            case t.InTurn():
                left = self.without(facts, s.body)
                inner = {**scope, s.variable.text: self.local(SOMEBODY)}
                self.block(s.body, inner, self.asked(s.where, inner, left))
                return left
            case t.Repeat():
                left = self.without(facts, s.body)
                self.look(s.until, scope, left)
                self.block(s.body, scope, self.with_fact(s.until, scope, left, holds=False))
                return left
            case t.Secretly():
                left = self.without(facts, s.body)
                self.block(s.body, {**scope, s.variable.text: self.local(SOMEBODY)}, left)
                return left
            case t.Contest():
                return self.contest(s, scope, facts)
            case t.Choose():
                left = self.without(facts, (s,))
                inner = dict(scope)
                for pick in s.picks:
                    kind = self.reader.element(pick.domain, inner)
                    self.look(pick.domain, inner, ())
                    named = pick.target if s.into is None else pick.name
                    if isinstance(named, t.Name):
                        inner[named.text] = self.local(kind)
                    elif isinstance(named, t.Reference) and named.name not in scope and not self.is_field(named.name):
                        inner[named.name] = self.local(kind)
                        if s.into is None:
                            scope[named.name] = self.answer(kind, s) if s.optional else inner[named.name]
                self.asked(s.where, inner, ())
                return left
            case t.Roll():
                kind = self.reader.element(s.domain, scope)
                inner = dict(scope)
                if (
                    isinstance(s.target, t.Reference)
                    and not self.is_field(s.target.name)
                    and s.target.name not in scope
                ):
                    inner[s.target.name] = self.local(kind)
                    scope[s.target.name] = self.local(Kind("set", holds=kind) if s.count is not None else kind)
                elif isinstance(s.target, t.Attribute | t.Indexed | t.Reference):
                    inner[last_name(s.target)] = self.local(kind)
                self.asked(s.where, inner, ())
                return self.without(facts, (s,))
            case t.Draw():
                held = self.reader.kind(s.source, scope).holds
                scope[s.name.text] = self.local(held or UNKNOWN)
                return self.without(facts, (s,))
            case t.Let():
                self.look(s.value, scope, facts)
                kind = self.reader.of_type(s.type, scope) if s.type is not None else self.reader.kind(s.value, scope)
                if s.type is None and self.is_set(s.name.text):
                    kind = Kind(kind.family)  # what it is at first says nothing of what it becomes
                scope[s.name.text] = self.local(kind)
                return self.set(t.Reference(s.name.span, s.name.text), s.value, scope, facts, s.span)
            case t.Becomes():
                self.look(s.value, scope, facts)
                self.look_inside(s.target, scope, facts)
                self.itself(s, scope)
                left = self.without(facts, (s,))
                return self.set(s.target, s.value, scope, left, s.span)
            case t.Gains() | t.Do() | t.Announce() | t.Alter() | t.Move() | t.Nothing():
                if isinstance(s, t.Gains) and self.reader.form(s.amount, scope) == (0, ()) and not self.cuts(s, scope):
                    word = "loses" if s.loses else "gains"
                    self.findings.warning(NOTHING, f"this {word} nothing", s.amount.span, "leave it out")
                for part in _formulas(s):
                    self.look(part, scope, facts)
                    if not isinstance(s, t.Do | t.Announce):
                        self.needs(part, scope, facts)
                for target in _changed(s):
                    self.look_inside(target, scope, facts)
                return self.without(facts, (s,))

    def answer(self, kind: Kind, s: t.Choose) -> LocalName:
        """The answer to a question that may be left without one."""
        members = kind.members | {NONE} if kind.members is not None else None
        found = self.local(Kind(kind.family, members, kind.low, kind.high, True, kind.holds))
        self.open[found.key] = s.picks[0].target.span
        return found

    def needs(self, node: t.Expression | None, scope: LocalScope, facts: FactsHere) -> None:
        """Report an answer that is used here as if there were one, and may be none."""
        if not isinstance(node, t.Reference) or node.name not in scope:
            return
        key = scope[node.name].key
        if key in self.open:
            none: Formula = ((IsMember(key, NONE, True),),)
            if not self.excluded(none, _near(none, facts)):
                asked = Related(self.open.pop(key), "here it may be left out")
                message = f"`{node.name}` may be none here, and nobody has asked"
                self.findings.warning(UNASKED, message, node.span, f"ask `if {node.name} is not none` first", (asked,))

    def itself(self, s: t.Becomes, scope: LocalScope) -> None:
        """Report what becomes what it is."""
        same = self.reader.term(s.target, scope) == self.reader.term(s.value, scope)
        if not same and isinstance(s.value, t.Binary) and self.reader.kind(s.target, scope).family == NUMBER:
            same = self.reader.form(s.target, scope) == self.reader.form(s.value, scope)
        if same:
            self.findings.warning(ITSELF, "this becomes what it is", s.span, "leave it out, or say what it becomes")

    def is_set(self, name: str) -> bool:
        """Whether a statement of the declaration at hand gives something of this name a value, other than `let`."""
        return any(name in set(targets(statement)) for statement in all_statements(self.body))

    def cuts(self, s: t.Gains, scope: LocalScope) -> bool:
        """Whether the limit of a gain may cut off what was there before."""
        if s.limit is None:
            return False
        target: t.Expression = t.Attribute(s.span, s.subject, s.field)
        if s.indices:
            target = t.Indexed(s.span, target, s.indices)
        has, end = self.reader.form(target, scope), self.reader.form(s.limit[1], scope)
        beyond = formulas.below(end, has, True) if s.limit[0] is t.Limit.MOST else formulas.below(has, end, True)
        return not self.excluded(beyond, ())

    def is_field(self, name: str) -> bool:
        return (None, name) in self.world.fields

    def branch(self, s: t.If, scope: LocalScope, facts: FactsHere) -> FactsHere:
        here = facts
        for position, (condition, body) in enumerate(s.branches, start=1):
            rest = s.branches[position][0] if position < len(s.branches) else s.otherwise[0] if s.otherwise else None
            self.behind = (condition.span, rest.span) if rest is not None else None
            self.look(condition, scope, here)
            self.behind = None
            self.block(body, scope, self.with_fact(condition, scope, here, holds=True))
            here = self.with_fact(condition, scope, here, holds=False)
        self.block(s.otherwise, scope, here)
        return self.without(facts, (s,))

    def contest(self, s: t.Contest, scope: LocalScope, facts: FactsHere) -> FactsHere:
        left = self.without(facts, (s,))
        ranking = self.reader.ranking_of(s.ranking, scope)
        for clause in s.clauses:
            if ranking is not None:
                self.place(clause.place, clause.sharing, ranking, clause.span)
            inner = {**scope, clause.variable.text: self.local(SOMEBODY)}
            if s.name is not None:
                inner[s.name.text] = self.local(UNKNOWN)
            if clause.sharers is not None:
                most = self.reader.unknown("player_count", self.reader.player_count())
                inner[clause.sharers.text] = self.local(Kind(NUMBER, low=(constant(2),), high=(most,)))
            self.block(clause.body, inner, left)
        return left

    def place(self, place: int, sharing: Sharing, ranking: t.Ranking, span: Span) -> None:
        """Report places that nobody can have."""
        head = Span(span.source, span.line, span.column, span.line, len(_code(span.source.line(span.line))) + 1)
        declared = Related(ranking.name.span, f"the ranking `{ranking.name.text}`")
        if sharing is Sharing.SHARED and ranking.strict:
            message = f"nobody shares a place of `{ranking.name.text}`, which is strict"
            hint = "leave `strict` out of the ranking, or this clause"
            self.findings.warning(IMPOSSIBLE, message, head, hint, (declared,))
        elif self.reader.ranked(ranking).family == PLAYER and place > self.world.files.maximum:
            message = f"nobody is at place {place}: there are {self.world.files.maximum} players at most"
            self.findings.warning(IMPOSSIBLE, message, head, "name a place that somebody can have", (declared,))

    # ------------------------------------------------------------ what is known

    def without(self, facts: FactsHere, block: t.Block) -> FactsHere:
        """The facts that statements leave."""
        if not facts:
            return facts
        written = self.world.written(block)
        return tuple([fact for fact in facts if written.isdisjoint(fact.words)])

    def with_fact(self, condition: t.Expression, scope: LocalScope, facts: FactsHere, holds: bool) -> FactsHere:
        if isinstance(condition, t.Binary) and condition.operator is (LogicOperator.AND if holds else LogicOperator.OR):
            facts = self.with_fact(condition.left, scope, facts, holds)
            return self.with_fact(condition.right, scope, facts, holds)
        if isinstance(condition, t.Unary) and condition.operator is UnaryOperator.NOT:
            return self.with_fact(condition.operand, scope, facts, not holds)
        formula = self.reader.formula(condition, scope)
        formula = formula if holds else denied(formula)
        if formula is None or not formula:
            return facts
        return (*facts, Fact(formula, condition.span, self.words(condition)))

    def set(
        self, target: t.Expression, value: t.Expression, scope: LocalScope, facts: FactsHere, span: Span
    ) -> FactsHere:
        """After a plain value was stored it is known."""
        words = self.words(target)
        if not isinstance(value, t.Number | t.Literal) or not isinstance(target, t.Reference | t.Attribute):
            return facts
        same = t.Binary(span, ComparisonOperator.EQUAL, target, value)
        formula = self.reader.formula(same, scope)
        return (*facts, Fact(formula, span, words)) if formula else facts

    def words(self, node: t.Expression) -> frozenset[str]:
        found = set[str]()
        for _, _, part in nodes(node):
            if isinstance(part, t.Reference):
                found.add(part.name)
            elif isinstance(part, t.Name):
                found.add(part.text)
        return self.world.behind(found)

    def asked(self, condition: t.Expression | None, scope: LocalScope, facts: FactsHere) -> FactsHere:
        """Look at a condition, which holds from there on."""
        if condition is None:
            return facts
        self.look(condition, scope, facts)
        return self.with_fact(condition, scope, facts, holds=True)

    # ------------------------------------------------------------ conditions

    def look(self, node: t.Expression, scope: LocalScope, facts: FactsHere) -> bool:
        """Look at all conditions in an expression; whether something was found."""
        match node:
            case t.Binary(operator=LogicOperator() as operator):
                found = self.look(node.left, scope, facts)
                holds = operator is LogicOperator.AND
                found |= self.look(node.right, scope, self.with_fact(node.left, scope, facts, holds))
                return found or self.judge(node, scope, facts)
            case t.Unary(operator=UnaryOperator.NOT):
                return self.look(node.operand, scope, facts)
            case t.Binary(operator=ComparisonOperator()):
                found = self.look(node.left, scope, facts) | self.look(node.right, scope, facts)
                return found or self.judge(node, scope, facts)
            case t.Binary(operator=Membership()):
                return self.look(node.left, scope, facts) or self.judge(node, scope, facts)
            case t.Binary():
                return self.look(node.left, scope, facts) | self.look(node.right, scope, facts)
            case t.Aggregate():
                inner = self.reader.over(node, scope)
                found = self.look(node.domain, scope, facts)
                if node.where is not None:
                    found |= self.look(node.where, inner, facts)
                if node.body is not None:
                    within = self.with_fact(node.where, inner, facts, True) if node.where is not None else facts
                    found |= self.look(node.body, inner, within)
                some = node.kind in (AggregateKind.SOME, AggregateKind.EVERY)
                return found or (some and self.judge(node, scope, facts))
            case t.Conditional():
                self.behind = node.condition.span, node.otherwise.span
                found = self.look(node.condition, scope, facts)
                self.behind = None
                found |= self.look(node.then, scope, self.with_fact(node.condition, scope, facts, holds=True))
                return found | self.look(
                    node.otherwise, scope, self.with_fact(node.condition, scope, facts, holds=False)
                )
            case t.Reference() | t.Attribute() | t.Indexed() | t.Call():
                found = self.look_inside(node, scope, facts)
                return found or (self.reader.kind(node, scope) == YES_OR_NO and self.judge(node, scope, facts))
            case t.Placed() if (ranking := self.reader.ranking_of(node.ranking, scope)) is not None:
                self.place(node.place, Sharing.ANYBODY, ranking, node.span)
                return False
        return self.look_inside(node, scope, facts)

    def look_inside(self, node: t.Expression, scope: LocalScope, facts: FactsHere) -> bool:
        """Look at what stands in an expression that is no condition, or in what is changed."""
        found = False
        for part in _below(node):
            found |= self.look(part, scope, facts)
            if isinstance(node, t.Attribute | t.Indexed):
                self.needs(part, scope, facts)
        return found

    def judge(self, node: t.Expression, scope: LocalScope, facts: FactsHere) -> bool:
        """Report a condition that leaves no choice."""
        formula = self.reader.formula(node, scope)
        other = denied(formula)
        if formula is None or other is None:
            return False
        near = _near(formula, facts)
        if not isinstance(node, t.Binary | t.Aggregate) and not near:
            return False  # a name by itself
        if near and self.excluded(formulas.ALWAYS, near):
            return False  # nothing comes here, which was said of what leads here
        value = not self.excluded(formula, near)
        if value and not self.excluded(other, near):
            return False
        because = (
            [] if self.excluded(other if value else formula, ()) else self.because(other if value else formula, near)
        )
        word = "always" if value else "never"
        message = f"this is {word} so, however the game goes" if not because else f"this is {word} so here"
        related = tuple([Related(fact.span, _said(fact.span, node.span)) for fact in because])
        if value and self.behind is not None and self.behind[0] == node.span:
            related += (Related(self.behind[1], "so that nothing comes here"),)
        hint = "leave it out, or compare with something else" if value else "what follows from it never happens"
        self.findings.warning(ALWAYS, message, node.span, hint, related)
        return True

    def because(self, formula: Formula, facts: FactsHere) -> FactsHere:
        """FactsHere that are enough to exclude a formula: the last one, if that is; else all."""
        for fact in reversed(facts):
            if self.excluded(formula, (fact,)):
                return (fact,)
        return facts

    def excluded(self, formula: Formula, facts: FactsHere) -> bool:
        """Whether none of the alternatives can be so."""
        plain: list[object] = [each for fact in facts if len(fact.formula) == 1 for each in fact.formula[0]]
        several = [fact.formula for fact in facts if len(fact.formula) > 1][-DEEPEST:]
        return all([self.fails((*alternative, *plain), several) for alternative in formula])  # type: ignore[arg-type]

    def fails(self, alternative: AllClaims, several: list[Formula]) -> bool:
        if contradicts(alternative, self.reader.bounds, self.reader.members, self.reader.can_be):
            return True
        if not several:
            return False
        first, *rest = several
        return all([self.fails((*alternative, *each), rest) for each in first])


def _said(fact: Span, span: Span) -> str:
    return "this has been asked already" if fact.line != span.line else "since this stands before it"


def _code(line: str) -> str:
    return line.split("#")[0].rstrip()


def _below(node: t.Expression) -> Iterator[t.Expression]:
    """The expressions directly inside of one that is no condition."""
    match node:
        case t.Attribute():
            yield node.subject
        case t.Indexed():
            yield from node.indices
        case t.Call():
            yield from node.arguments
        case t.Unary():
            yield node.operand
        case t.Listed():
            yield from node.items
        case t.Pair():
            yield from node.parts
        case t.Range():
            yield node.low
            yield node.high


def _changed(s: t.Statement) -> Iterator[t.Expression]:
    """What a statement changes, for what is looked at to find it."""
    match s:
        case t.Gains():
            yield s.subject
            yield from s.indices
        case t.Alter():
            yield s.target
        case t.Move():
            yield s.source
            yield s.target


def _formulas(s: t.Statement) -> Iterator[t.Expression]:
    match s:
        case t.Gains():
            yield s.amount
        case t.Do() | t.Announce():
            yield from s.arguments
        case t.Alter() | t.Move():
            if s.element is not None:
                yield s.element


def _atoms(formula: Formula) -> set[Hashable]:
    found = set[Hashable]()
    for alternative in formula:
        for each in alternative:
            match each:
                case AtMostZero():
                    found.update([number for number, _ in each.form[1]])
                case IsMember() | IsSo():
                    found.add(("term", each.term))
                case _:
                    found.add(each.terms)
    return found


def _near(formula: Formula, facts: FactsHere) -> FactsHere:
    """The facts that are about what a formula is about, or about what those are about."""
    if not facts:
        return facts
    atoms = [_atoms(fact.formula) for fact in facts]
    wanted, chosen = _atoms(formula), set[int]()
    growing = True
    while growing:
        growing = False
        for index, own in enumerate(atoms):
            if index not in chosen and not own.isdisjoint(wanted):
                chosen.add(index)
                wanted |= own
                growing = True
    return tuple([fact for index, fact in enumerate(facts) if index in chosen])
