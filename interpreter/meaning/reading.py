"""Expressions of the tree as terms, sums and formulas (symbolic evaluation): what is the same has the same term.

Numbers are sums over unknowns. Parameters and the number of players are unknowns like any other, so that what is found
to be so holds for all of their values.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.data.model import ParameterData
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    UnaryOperator,
)
from chocolatl.interpreter.meaning import formulas
from chocolatl.interpreter.meaning.formulas import AreSame, Formula, IsMember, IsSo, both, denied, either, literal
from chocolatl.interpreter.meaning.kinds import (
    NONE,
    NUMBER,
    PLAIN,
    PLAYER,
    SOMEBODY,
    TRUTH,
    UNKNOWN,
    YES_OR_NO,
    Kind,
    LocalName,
    LocalScope,
)
from chocolatl.interpreter.meaning.linear import LinearForm, constant, minus, plus, times, unknown
from chocolatl.interpreter.meaning.world import World
from chocolatl.interpreter.program.constants import dotted
from chocolatl.interpreter.syntax import tree as t

COUNT = "player_count"


class Reader:
    """Reads the expressions of one game. `terms` are the unknowns by their numbers."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.numbers: dict[Hashable, int] = {}
        self.kinds: list[Kind] = []
        self.member_kinds: dict[Hashable, frozenset[str] | None] = {}
        self.something: dict[Hashable, bool] = {}
        """Terms that are never none, if that is known."""
        self._declared: dict[Hashable, Kind] = {}
        self._begun: set[Hashable] = set()

    # ------------------------------------------------------------ unknowns

    def unknown(self, term: Hashable, kind: Kind) -> LinearForm:
        number = self.numbers.get(term)
        if number is None:
            number = self.numbers[term] = len(self.kinds)
            self.kinds.append(kind)
        return unknown(number)

    def bounds(self, number: int) -> tuple[tuple[LinearForm, ...], tuple[LinearForm, ...]]:
        kind = self.kinds[number]
        return (kind.low, kind.high) if not kind.optional else ((), ())

    def can_be(self, term: Hashable, member: str) -> bool:
        """Whether a term may be a member, or none."""
        known = self.member_kinds.get(term)
        if known is not None:
            return member in known
        return member != NONE or not self.something.get(term, False)

    def members(self, term: Hashable) -> frozenset[str] | None:
        return self.member_kinds.get(term)

    def extremes(self, form: LinearForm) -> tuple[tuple[LinearForm, ...], tuple[LinearForm, ...]]:
        """What a sum is never below and never above, over parameters alone."""
        low: LinearForm | None = constant(form[0])
        high: LinearForm | None = constant(form[0])
        for number, factor in form[1]:
            if self._is_fixed(number):
                below = above = unknown(number)
            else:
                lows, highs = self.bounds(number)
                below, above = (lows or (None,))[0], (highs or (None,))[0]  # type: ignore[assignment]
            if factor < 0:
                below, above = above, below
            low = plus(low, below, factor) if low is not None and below is not None else None
            high = plus(high, above, factor) if high is not None and above is not None else None
        return (() if low is None else (low,)), (() if high is None else (high,))

    def _is_fixed(self, number: int) -> bool:
        return self.kinds[number].family == "fixed"

    # ------------------------------------------------------------ kinds

    def of_type(self, node: t.Expression, scope: LocalScope) -> Kind:
        """The kind of what is declared with a type, or runs through a domain."""
        match node:
            case t.Range():
                low, _ = self.extremes(self.form(node.low, scope))
                _, high = self.extremes(self.form(node.high, scope))
                return Kind(NUMBER, low=low, high=high)
            case t.YesNo():
                return YES_OR_NO
            case t.OrNone():
                kind = self.of_type(node.base, scope)
                members = kind.members | {NONE} if kind.members is not None else None
                return replace(kind, optional=True, members=members)
            case t.SetOf():
                most = self.extremes(self.form(node.most, scope))[1] if node.most is not None else ()
                return Kind("set", high=most, holds=self.of_type(node.element, scope))
            case t.Turned():
                return Kind("turned " + node.component.text)
            case t.Reference() if node.name not in scope:
                return self._named_type(node.name)
        return UNKNOWN

    def _named_type(self, name: str) -> Kind:
        if name in self.world.enums:
            return Kind(name, members=frozenset(self.world.enums[name]))
        if name == PLAYER:
            return SOMEBODY
        if name in self.world.components or name in self.world.grids or name == "owner":
            return Kind(name)
        return UNKNOWN

    def element(self, domain: t.Expression, scope: LocalScope) -> Kind:
        """What kind of thing runs through a domain."""
        match domain:
            case t.Range() | t.YesNo() | t.Pair() | t.Turned():
                return self.of_type(domain, scope)
            case t.Listed():
                return self._one_of(domain.items, scope)
            case t.Placed() | t.TurnsOf():
                return UNKNOWN
        name = dotted(domain)
        root = name.split(".")[0] if name else ""
        if isinstance(domain, t.Reference | t.Call) and root not in scope:
            called = domain.name if isinstance(domain, t.Reference) else domain.name.text
            if called in self.world.rankings:
                return self.ranked(self.world.rankings[called])
            if isinstance(domain, t.Reference):
                named = self._named_type(called)
                if named is not UNKNOWN:
                    return named
        kind = self.kind(domain, scope)
        return kind.holds if kind.holds is not None else UNKNOWN

    def _one_of(self, items: tuple[t.Expression, ...], scope: LocalScope) -> Kind:
        kinds = [self.kind(item, scope) for item in items]
        families = {kind.family for kind in kinds}
        if len(families) != 1:
            return UNKNOWN
        known = [kind.members for kind in kinds]
        members = frozenset[str]().union(*[m or () for m in known]) if all(m is not None for m in known) else None
        return Kind(kinds[0].family, members=members)

    def ranked(self, ranking: t.Ranking) -> Kind:
        key = "ranking", ranking.name.text
        if key not in self._declared:
            self._declared[key] = UNKNOWN  # while it is being looked at
            self._declared[key] = self.element(ranking.domain, self.parameters(ranking.parameters, ranking))
        return self._declared[key]

    def parameters(self, parameters: tuple[t.Parameter, ...], holder: object) -> LocalScope:
        """The scope of a declaration's parameters."""
        scope: LocalScope = {}
        for each in parameters:
            if each.members:
                names = frozenset([member.text for member in each.members])
                owners = [e for e in self.world.member_of.get(each.members[0].text, ())]
                kind = Kind(owners[0] if len(owners) == 1 else PLAIN, members=names)
            else:
                kind = self.of_type(each.type, {}) if each.type is not None else UNKNOWN
            scope[each.name.text] = LocalName(("parameter", id(holder), each.name.text), kind)
        return scope

    def field(self, key: tuple[str | None, str]) -> Kind:
        if key not in self._declared:
            self._declared[key] = self.of_type(self.world.fields[key].type, {})
        return self._declared[key]

    def value(self, name: str) -> Kind:
        """The kind of a declared value, whatever its arguments are."""
        waiting = [name]
        while waiting:  # a chain may be longer than Python's own stack
            words = self.world.words[id(self.world.values[waiting[-1]])]
            below = [word for word in words if word in self.world.values and ("value", word) not in self._begun]
            self._begun.update([("value", word) for word in below])
            if below:
                waiting += below
            else:
                self._value(waiting.pop())
        return self._value(name)

    def _value(self, name: str) -> Kind:
        key = "value", name
        if key not in self._declared:
            self._declared[key] = UNKNOWN
            declared = self.world.values[name]
            scope = self.parameters(declared.parameters, declared)
            kind = self.of_type(declared.type, {}) if declared.type is not None else UNKNOWN
            if kind is UNKNOWN:
                kind = self.kind(declared.body, scope)
            if name in self.world.modified:
                kind = replace(kind, low=(), high=())
            self._declared[key] = kind
        return self._declared[key]

    def parameter(self, name: str) -> Kind:
        known = self._declared.get(("data", name))
        if known is None:
            known = self._declared["data", name] = self._parameter(self.world.files.parameters[name])
        return known

    def _parameter(self, data: ParameterData) -> Kind:
        options = data.options
        if isinstance(data.value, bool) and options is None:
            return YES_OR_NO
        if options is None:
            low = (constant(data.minimum),) if data.minimum is not None else ()
            high = (constant(data.maximum),) if data.maximum is not None else ()
            return Kind("fixed", low=low, high=high)
        if all(isinstance(option, int) and not isinstance(option, bool) for option in options):
            whole = [option for option in options if isinstance(option, int)]
            return Kind("fixed", low=(constant(min(whole)),), high=(constant(max(whole)),))
        if set(options) <= {True, False} and all(isinstance(option, bool) for option in options):
            return YES_OR_NO
        # A ruling that cannot be changed is told, and asking for it is no mistake.
        members = frozenset([_option(option) for option in options]) if len(options) > 1 else None
        if any(isinstance(option, int) and not isinstance(option, bool) for option in options):
            return UNKNOWN  # numbers beside something else
        return Kind("option " + data.name, members=members)

    def kind(self, node: t.Expression, scope: LocalScope) -> Kind:
        """The kind of what an expression gives."""
        match node:
            case t.Number():
                return Kind(NUMBER, low=(constant(node.value),), high=(constant(node.value),))
            case t.Literal():
                return YES_OR_NO if node.word in ("yes", "no") else Kind(members=frozenset([NONE]), optional=True)
            case t.Reference() | t.Attribute() | t.Indexed():
                return self._access(node, scope)
            case t.Call():
                name = node.name.text
                if name in self.world.values:
                    return self.value(name)
                if name in ("min", "max") and len(node.arguments) == 2:
                    return self._extreme(name == "min", node.arguments, scope)
                return Kind(name) if name in self.world.grids else UNKNOWN
            case t.Unary():
                return YES_OR_NO if node.operator is UnaryOperator.NOT else self._counted(node, scope)
            case t.Binary():
                return self._counted(node, scope) if isinstance(node.operator, ArithmeticOperator) else YES_OR_NO
            case t.Conditional():
                return self._joined(self.kind(node.then, scope), self.kind(node.otherwise, scope))
            case t.Aggregate():
                return self._aggregate(node, scope)
            case t.SizeOf():
                held = self.kind(node.zone, scope)
                return Kind(NUMBER, low=(constant(0),), high=held.high if held.family == "set" else ())
            case t.RankOf():
                ranking = self.ranking_of(node.ranking, scope)
                most = self.unknown(COUNT, self.player_count())
                is_player = ranking is not None and self.ranked(ranking).family == PLAYER
                return Kind(NUMBER, low=(constant(0),), high=(most,) if is_player else ())
            case t.Placed():
                ranking = self.ranking_of(node.ranking, scope)
                return self.ranked(ranking) if ranking is not None else UNKNOWN
            case t.Neighbour():
                return replace(self.kind(node.cell, scope), optional=True)
            case t.Opposite():
                return Kind(self.kind(node.side, scope).family)
            case t.Listed() | t.TurnsOf() | t.Range() | t.YesNo() | t.SetOf() | t.Turned() | t.OrNone():
                return UNKNOWN
            case t.TurnedBy() | t.Pair():
                return UNKNOWN
            case _:
                assert_never(node)

    def ranking_of(self, node: t.Expression, scope: LocalScope) -> t.Ranking | None:
        """The declared ranking that an expression names."""
        name = node.name.text if isinstance(node, t.Call) else node.name if isinstance(node, t.Reference) else ""
        return self.world.rankings.get(name) if name not in scope else None

    def player_count(self) -> Kind:
        files = self.world.files
        return Kind("fixed", low=(constant(files.minimum),), high=(constant(files.maximum),))

    def _counted(self, node: t.Expression, scope: LocalScope) -> Kind:
        low, high = self.extremes(self.form(node, scope))
        return Kind(NUMBER, low=low, high=high)

    def _joined(self, a: Kind, b: Kind) -> Kind:
        if {a.family, b.family} <= {NUMBER, "fixed"}:
            low, high = _hull(a.low, b.low, min), _hull(a.high, b.high, max)
            return Kind(NUMBER, low=low, high=high, optional=a.optional or b.optional)
        if a.family != b.family:
            missing = a.members == b.members == frozenset([NONE])
            other = b if a.members == frozenset([NONE]) else a if b.members == frozenset([NONE]) else UNKNOWN
            if missing or other is UNKNOWN:
                return UNKNOWN
            return replace(other, optional=True, members=other.members | {NONE} if other.members is not None else None)
        members = a.members | b.members if a.members is not None and b.members is not None else None
        return Kind(a.family, members=members, optional=a.optional or b.optional)

    def _extreme(self, smaller: bool, arguments: tuple[t.Expression, ...], scope: LocalScope) -> Kind:
        """The bounds of `min` or `max`: those of each argument bound it on one side."""
        low, high = zip(*[self.extremes(self.form(argument, scope)) for argument in arguments], strict=True)
        if smaller:
            return Kind(NUMBER, low=_hull(low[0], low[1], min), high=(*high[0], *high[1]))
        return Kind(NUMBER, low=(*low[0], *low[1]), high=_hull(high[0], high[1], max))

    def _aggregate(self, node: t.Aggregate, scope: LocalScope) -> Kind:
        if node.kind in (AggregateKind.SOME, AggregateKind.EVERY):
            return YES_OR_NO
        inner = self.over(node, scope)
        most = self._most(node.domain, scope)
        match node.kind:
            case AggregateKind.NUMBER:
                return Kind(NUMBER, low=(constant(0),), high=() if most is None else (most,))
            case AggregateKind.SUM:
                body = self.kind(node.body, inner) if node.body is not None else UNKNOWN
                low = (constant(0),) if body.low and body.low[0][0] >= 0 and not body.low[0][1] else ()
                one = body.high[0] if body.high else None
                high = (times(most, one[0]),) if most is not None and one is not None and not one[1] else ()
                return Kind(NUMBER, low=low, high=high if one is not None and one[0] >= 0 else ())
            case AggregateKind.HIGHEST | AggregateKind.LOWEST:
                body = self.kind(node.body, inner) if node.body is not None else UNKNOWN
                return Kind(NUMBER, low=body.low, high=body.high) if not body.optional else Kind(NUMBER)
            case _:
                assert_never(node.kind)

    def _most(self, domain: t.Expression, scope: LocalScope) -> LinearForm | None:
        """How many elements a domain has at most."""
        if isinstance(domain, t.Reference) and domain.name not in scope:
            if domain.name == PLAYER:
                return self.unknown(COUNT, self.player_count())
            if domain.name in self.world.enums:
                return constant(len(self.world.enums[domain.name]))
        if isinstance(domain, t.Listed):
            return constant(len(domain.items))
        if isinstance(domain, t.Range):
            low, high = self.extremes(self.form(domain.low, scope))[0], self.extremes(self.form(domain.high, scope))[1]
            if low and high:
                most = plus(minus(high[0], low[0]), constant(1))
                # A range that is empty has no elements, and not less than none.
                return most if not most[1] and most[0] >= 0 else None
        return None

    def over(self, node: t.Aggregate, scope: LocalScope) -> LocalScope:
        """The scope inside of a formula over elements."""
        depth = sum(isinstance(each.key, tuple) and each.key[0] == "bound" for each in scope.values())
        key = "bound", depth, self.term(node.domain, scope)
        return {**scope, node.variable.text: LocalName(key, self.element(node.domain, scope))}

    def _access(self, node: t.Reference | t.Attribute | t.Indexed, scope: LocalScope) -> Kind:
        subject = node.subject if isinstance(node, t.Indexed) else node
        name = dotted(subject)
        root = name.split(".")[0] if name else ""
        if name is not None and root not in scope:
            if name in self.world.files.parameters and not isinstance(node, t.Indexed):
                kind = self.parameter(name)
                return replace(kind, family=NUMBER) if kind.family == "fixed" else kind
            if name in self.world.files.tables:
                return UNKNOWN
        if isinstance(subject, t.Reference):
            if subject.name in scope:
                return scope[subject.name].kind
            if subject.name == COUNT:
                return replace(self.player_count(), family=NUMBER)
            if (None, subject.name) in self.world.fields:
                return self.field((None, subject.name))
            if subject.name in self.world.values:
                return self.value(subject.name)
            if subject.name in self.world.latches:
                return YES_OR_NO
            owners = self.world.member_of.get(subject.name, ())
            return Kind(owners[0], members=frozenset([subject.name])) if len(owners) == 1 else UNKNOWN
        if isinstance(subject, t.Attribute):
            return self._attribute(subject, scope)
        return UNKNOWN

    def _attribute(self, node: t.Attribute, scope: LocalScope) -> Kind:
        owner, name = self.kind(node.subject, scope), node.name.text
        if (owner.family, name) in self.world.fields:
            return self.field((owner.family, name))
        component = self.world.components.get(owner.family)
        if component is not None:
            types = [a.type for a in component.attributes if a.name.text == name]
            return self.of_type(types[0], {}) if types and types[0] is not None else UNKNOWN
        grid = self.world.grids.get(owner.family)
        if grid is not None:
            axes = [axis.type for axis in grid.axes if axis.name.text == name]
            return self.of_type(axes[0], {}) if axes else UNKNOWN
        declared = self.world.named.get(name, [])
        if owner.family in (PLAIN, "owner") and len(declared) == 1 and declared[0][0] == PLAYER:
            if not any(a.name.text == name for c in self.world.components.values() for a in c.attributes):
                return self.field(declared[0])
        return UNKNOWN

    # ------------------------------------------------------------ sums

    def form(self, node: t.Expression, scope: LocalScope) -> LinearForm:
        """A number as a sum."""
        match node:
            case t.Number():
                return constant(node.value)
            case t.Unary(operator=UnaryOperator.NEGATIVE):
                return times(self.form(node.operand, scope), -1)
            case t.Binary(operator=ArithmeticOperator.ADD):
                return plus(self.form(node.left, scope), self.form(node.right, scope))
            case t.Binary(operator=ArithmeticOperator.SUBTRACT):
                return minus(self.form(node.left, scope), self.form(node.right, scope))
            case t.Binary(operator=ArithmeticOperator.MULTIPLY):
                left, right = self.form(node.left, scope), self.form(node.right, scope)
                if not left[1] or not right[1]:
                    return times(left, right[0]) if not right[1] else times(right, left[0])
        name = dotted(node)
        if name is not None and name.split(".")[0] not in scope:
            if name == COUNT:
                return self.unknown(COUNT, self.player_count())
            if name in self.world.files.parameters:
                return self.unknown(("data", name), self.parameter(name))
        term = self.term(node, scope)
        if term in self.numbers:
            return unknown(self.numbers[term])
        kind = UNKNOWN
        if isinstance(node, t.Binary):
            kind = self._nonlinear(node, scope)
        elif not isinstance(node, t.Unary):
            kind = self.kind(node, scope)
        return self.unknown(term, kind)

    def _nonlinear(self, node: t.Binary, scope: LocalScope) -> Kind:
        """A product, a quotient or a remainder: bounds where both sides are at least 0."""
        left, right = self.form(node.left, scope), self.form(node.right, scope)
        (a, high), (b, most) = self.extremes(left), self.extremes(right)
        sound = bool(a and b) and not a[0][1] and not b[0][1] and a[0][0] >= 0 and b[0][0] >= 0
        if node.operator is ArithmeticOperator.MODULO and b and not b[0][1] and b[0][0] > 0:
            return Kind(NUMBER, low=(constant(0),), high=tuple([minus(form, constant(1)) for form in most]))
        if not sound:
            return UNKNOWN
        if node.operator is ArithmeticOperator.DIVIDE:
            return Kind(NUMBER, low=(constant(0),), high=high)
        return Kind(NUMBER, low=(constant(0),))

    # ------------------------------------------------------------ terms

    def term(self, node: t.Expression, scope: LocalScope) -> Hashable:
        """What is equal for expressions that say the same."""
        match node:
            case t.Number():
                return node.value
            case t.Literal():
                return NONE if node.word in ("none", "nobody") else node.word
            case t.Reference():
                return scope[node.name].key if node.name in scope else ("name", node.name)
            case t.Attribute():
                name = dotted(node)
                if name is not None and name.split(".")[0] not in scope and name in self.world.files.parameters:
                    return "data", name
                return "of", self.term(node.subject, scope), node.name.text
            case t.Indexed():
                return ("at", self.term(node.subject, scope), *[self.term(i, scope) for i in node.indices])
            case t.Call():
                return ("call", node.name.text, *[self.term(a, scope) for a in node.arguments])
            case t.Unary():
                if node.operator is UnaryOperator.NEGATIVE:
                    return "sum", self.form(node, scope)
                return "not", self.term(node.operand, scope)
            case t.Binary():
                operator = node.operator
                if operator in (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT):
                    return "sum", self.form(node, scope)
                return operator.value, self.term(node.left, scope), self.term(node.right, scope)
            case t.Conditional():
                parts = node.condition, node.then, node.otherwise
                return ("if", *[self.term(part, scope) for part in parts])
            case t.Aggregate():
                inner = self.over(node, scope)
                where = self.term(node.where, inner) if node.where is not None else None
                body = self.term(node.body, inner) if node.body is not None else None
                return "over", node.kind.value, inner[node.variable.text].key, where, body
            case t.SizeOf():
                return "size", self.term(node.zone, scope)
            case t.RankOf():
                return "rank", self.term(node.element, scope), self.term(node.ranking, scope)
            case t.Placed():
                return "place", node.place, self.term(node.ranking, scope)
            case t.Opposite():
                return "opposite", self.term(node.side, scope)
            case t.Neighbour():
                return "neighbour", self.term(node.cell, scope), self.term(node.side, scope)
            case t.TurnsOf():
                return "turns", self.term(node.component, scope)
            case t.TurnedBy():
                return "turned", self.term(node.subject, scope), self.term(node.steps, scope)
            case t.Listed():
                return ("list", *[self.term(item, scope) for item in node.items])
            case t.Pair():
                return ("pair", *[self.term(part, scope) for part in node.parts])
            case t.Range():
                return "range", self.term(node.low, scope), self.term(node.high, scope)
            case t.YesNo() | t.SetOf() | t.Turned() | t.OrNone():
                return "type", id(node)
            case _:
                assert_never(node)

    # ------------------------------------------------------------ conditions

    def formula(self, node: t.Expression, scope: LocalScope) -> Formula | None:
        """A condition; None if too much is said at once."""
        match node:
            case t.Binary(operator=LogicOperator.AND):
                return both(self.formula(node.left, scope), self.formula(node.right, scope))
            case t.Binary(operator=LogicOperator.OR):
                return either(self.formula(node.left, scope), self.formula(node.right, scope))
            case t.Unary(operator=UnaryOperator.NOT):
                return denied(self.formula(node.operand, scope))
            case t.Literal(word="yes"):
                return formulas.ALWAYS
            case t.Literal(word="no"):
                return formulas.NEVER
            case t.Binary(operator=ComparisonOperator() as operator):
                return self._comparison(node, operator, scope)
            case t.Conditional():
                condition = self.formula(node.condition, scope)
                then = both(condition, self.formula(node.then, scope))
                return either(then, both(denied(condition), self.formula(node.otherwise, scope)))
        return literal(IsSo(self.term(node, scope), True))

    def _comparison(self, node: t.Binary, operator: ComparisonOperator, scope: LocalScope) -> Formula | None:
        match operator:
            case ComparisonOperator.EQUAL:
                return self._equality(node, scope)
            case ComparisonOperator.UNEQUAL:
                return denied(self._equality(node, scope))
        left, right = self.form(node.left, scope), self.form(node.right, scope)
        match operator:
            case ComparisonOperator.LESS | ComparisonOperator.AT_MOST:
                return formulas.below(left, right, operator is ComparisonOperator.LESS)
            case ComparisonOperator.MORE | ComparisonOperator.AT_LEAST:
                return formulas.below(right, left, operator is ComparisonOperator.MORE)
            case _:
                assert_never(operator)

    def _equality(self, node: t.Binary, scope: LocalScope) -> Formula | None:
        for one, other in ((node.left, node.right), (node.right, node.left)):
            member = self._member(one, other, scope)
            if member is not None:
                return self._is(other, member, scope)
        left, right = self.kind(node.left, scope), self.kind(node.right, scope)
        if {left.family, right.family} & {NUMBER} and not (left.optional or right.optional):
            a, b = self.form(node.left, scope), self.form(node.right, scope)
            return both(formulas.below(a, b, strictly=False), formulas.below(b, a, strictly=False))
        one_term, other_term = self.term(node.left, scope), self.term(node.right, scope)
        if one_term == other_term:
            return formulas.ALWAYS
        if left.family == right.family == TRUTH:
            a_, b_ = self.formula(node.left, scope), self.formula(node.right, scope)
            return either(both(a_, b_), both(denied(a_), denied(b_)))
        for term, kind in ((one_term, left), (other_term, right)):
            if kind.members is not None or not kind.optional:
                self.member_kinds.setdefault(term, kind.members)
            self.something[term] = not kind.optional and kind.family != PLAIN
        return literal(AreSame(frozenset([one_term, other_term]), True))

    def _is(self, node: t.Expression, member: str, scope: LocalScope) -> Formula | None:
        kind = self.kind(node, scope)
        if member in ("yes", "no") and kind.family == TRUTH and not kind.optional:
            formula = self.formula(node, scope)
            return formula if member == "yes" else denied(formula)
        if member == NONE and not kind.optional and kind.members is None:
            return literal(IsSo(("none", self.term(node, scope)), True))
        term = self.term(node, scope)
        self.member_kinds[term] = kind.members if member != NONE or kind.members is not None else None
        return literal(IsMember(term, member, True))

    def _member(self, node: t.Expression, other: t.Expression, scope: LocalScope) -> str | None:
        """The member or option that an expression names, beside another expression."""
        if isinstance(node, t.Literal):
            return NONE if node.word in ("none", "nobody") else node.word
        if not isinstance(node, t.Reference) or node.name in scope:
            return None
        name, family = node.name, self.kind(other, scope).family
        if family in self.world.enums:
            return name if name in self.world.enums[family] else None
        if family.startswith("option ") or family == PLAIN:
            known = (None, name) in self.world.fields or name in self.world.values or name in self.world.roots
            if family == PLAIN:
                return name if name in self.world.member_of and not known else None
            members = self.kind(other, scope).members
            return name if not known or (members is not None and name in members) else None
        return None


def _option(option: object) -> str:
    if option is None:
        return NONE
    return ("yes" if option else "no") if isinstance(option, bool) else str(option)


def _hull(a: tuple[LinearForm, ...], b: tuple[LinearForm, ...], choose: object) -> tuple[LinearForm, ...]:
    """A bound for both of two: the farther one, where that can be told."""
    if not a or not b:
        return ()
    if a[0] == b[0]:
        return (a[0],)
    if not a[0][1] and not b[0][1]:
        return (constant(choose(a[0][0], b[0][0])),)  # type: ignore[operator]
    return ()
