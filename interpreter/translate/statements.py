"""Blocks of the tree to IR: what runs when, with the locals of a body."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.types import PLAYER, OrderType, number
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN, Context, Scope
from chocolatl.interpreter.translate.decisions import DecisionTranslator
from chocolatl.interpreter.translate.expressions import ExpressionTranslator

MAX_TIMES = 1_000_000
"""So often a loop with a limit of its own goes round at most."""


class StatementTranslator(DecisionTranslator):
    """Translates one block. `path` is its place in the procedure, `loops` whether a loop is around it."""

    def __init__(self, context: Context, scope: Scope, path: str = "", loops: bool = False) -> None:
        super().__init__(context, scope)
        self.path = path
        self.loops = loops

    def block(self, statements: t.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for position, node in enumerate(statements, start=1):
            if self.context.findings.is_full:
                break
            self.here = f"{self.path}.{position}" if self.path else str(position)
            if isinstance(node, t.If):
                result += self.branch(node)
            elif (translated := self.statement(node)) is not None:
                result.append(translated)
        return tuple(result)

    def nested(self, statements: t.Block, scope: Scope, loop: bool = False, part: str = "") -> ir.Block:
        """A block inside this one; what it declares ends with it."""
        return StatementTranslator(self.context, dict(scope), self.here + part, self.loops or loop).block(statements)

    def statement(self, node: t.Statement) -> ir.Statement | None:
        match node:
            case t.Becomes():
                return self.becomes(node)
            case t.Gains():
                return self.gains(node)
            case t.Let():
                return self.let(node)
            case t.Do():
                return self.do(node)
            case t.Announce():
                return self.announce(node)
            case t.Move():
                return self.move(node)
            case t.Alter():
                return self.alter(node)
            case t.Choose():
                return self.choose(node)
            case t.Roll():
                return self.roll(node)
            case t.Draw():
                return self.draw(node)
            case t.ForEach():
                return self.for_each(node)
            case t.InTurn():
                return self.in_turn(node)
            case t.Repeat():
                limit = self.limit(node.limit)
                until = self.condition(node.until)
                return ir.Repeat(node.span, self.here, until, limit, self.nested(node.body, self.scope, loop=True))
            case t.Nothing():
                return None
            case t.Stop():
                if not self.loops:
                    self.error("E408", "`stop when` leaves a loop, and there is none around it", node.span)
                return ir.Stop(node.span, self.here, self.condition(node.condition))
            case t.Secretly():
                return self.secretly(node)
            case t.Contest():
                return self.contest(node)
            case t.If():
                raise AssertionError("a branch may become several statements, or none")
            case _:
                assert_never(node)

    def condition(self, node: t.Expression) -> ir.Expression:
        """The condition of a statement."""
        translated = self.truth(node)
        self.context.condition(node.span, translated)
        return translated

    def limit(self, node: t.Expression) -> int:
        value = self.number(node)
        if isinstance(value, ir.Constant):
            if value.value >= 0:
                self.few(value.value, MAX_TIMES, "times", node.span)
                return value.value
            self.error("E503", f"a loop cannot go round {value.value} times", node.span)
        else:
            self.error("E306", "a limit is a number that the parameters fix", node.span)
        return 1

    def branch(self, node: t.If) -> ir.Block:
        """All branches are checked; those that the parameters rule out are left out."""
        result = self.nested(node.otherwise, self.scope, part=f".{len(node.branches) + 1}")
        for position in range(len(node.branches), 0, -1):
            condition, body = node.branches[position - 1]
            translated = self.condition(condition)
            then = self.nested(body, self.scope, part=f".{position}")
            if isinstance(translated, ir.Constant):
                self.context.settled[condition.span] = bool(translated.value)
                result = then if translated.value else result
            else:
                result = (ir.If(condition.span, self.here, translated, then, result),)
        return result

    def for_each(self, node: t.ForEach) -> ir.Statement | None:
        sound = node.variable.text != "round" or "round" not in self.program.broken
        found = self.elements(node.domain, node.start) if sound else None
        if node.start is not None and not (found and isinstance(found[0], ir.Whole) and found[1].family == PLAYER):
            if found is not None:
                self.error("E402", "only players sit in a circle and can start `from` a seat", node.start.span)
            return None
        counter = self.program.fields.get((None, "round")) if node.variable.text == "round" else None
        local = self.context.local(node.variable.text, found[1] if found else UNKNOWN)
        scope = self.scope if counter is not None else self.inner(node.variable, local).scope
        where = ExpressionTranslator(self.context, scope).truth(node.where) if node.where is not None else None
        backwards = self.backwards(node.backwards)
        body = self.nested(node.body, scope, loop=True)
        if found is None:
            return None
        return ir.ForEach(node.span, self.here, local, found[0], backwards, where, body, counter)

    def backwards(self, node: t.Backwards | None) -> bool:
        if node is None or node.condition is None:
            return node is not None
        condition = self.truth(node.condition)
        if not isinstance(condition, ir.Constant):
            self.error("E306", "whether it goes backwards must follow from the parameters", node.span)
            return False
        return bool(condition.value)

    def in_turn(self, node: t.InTurn) -> ir.Statement:
        start, limit = self.player(node.start), self.limit(node.limit)
        local = self.context.local(node.variable.text, self.program.domains[PLAYER].type)
        scope = self.inner(node.variable, local).scope
        where = ExpressionTranslator(self.context, scope).truth(node.where) if node.where is not None else None
        body = self.nested(node.body, scope, loop=True)
        return ir.InTurn(node.span, self.here, local, start, where, limit, body)

    def secretly(self, node: t.Secretly) -> ir.Statement | None:
        if node.domain.text != PLAYER:
            self.error("E401", "only players choose secretly", node.domain.span, "write `every player p secretly`")
            return None
        local = self.context.local(node.variable.text, self.program.domains[PLAYER].type)
        scope = self.inner(node.variable, local).scope
        body = StatementTranslator(self.context, dict(scope), self.here, False).block(node.body)
        return ir.Secretly(node.span, self.here, local, body, ())

    def contest(self, node: t.Contest) -> ir.Statement | None:
        order = self.order(node.ranking)
        if order is None:
            return None
        if not isinstance(order[0], ir.Ranked):
            self.error("E401", "a contest needs a ranking, and this is the order of another one", node.ranking.span)
            return None
        if order[1].family != PLAYER:
            self.error("E401", f"players contend, and this ranks {order[1]}", node.ranking.span)
            return None
        most = self.length(order[0])
        local = self.context.local(node.name.text if node.name else "order", OrderType(order[1], most))
        scope = dict(self.scope)
        if node.name is not None:
            self.unshadowed(node.name)
            scope[node.name.text] = local
        clauses = []
        for position, clause in enumerate(node.clauses, start=1):
            winner = self.context.local(clause.variable.text, order[1])
            inner = dict(ExpressionTranslator(self.context, scope).inner(clause.variable, winner).scope)
            sharers = None
            if clause.sharers is not None:
                sharers = self.context.local(clause.sharers.text, number(2, max(2, most)))
                inner = dict(ExpressionTranslator(self.context, inner).inner(clause.sharers, sharers).scope)
            body = self.nested(clause.body, inner, part=f".{position}")
            clauses.append(ir.Clause(clause.place, winner, clause.sharing, sharers, body, clause.span))
        if self.backwards(node.backwards):
            clauses.reverse()
        return ir.Contest(node.span, self.here, _label(order[0]), local, order[0], tuple(clauses))


def _label(ranking: ir.Ranked) -> ir.Prompt:
    """What a contest is called: `bidders(quay)`."""
    parts: list[str | ir.Expression] = [ranking.name]
    for position, argument in enumerate(ranking.arguments):
        parts += [", " if position else "(", argument]
    return ir.Prompt((*parts, ")") if ranking.arguments else tuple(parts))
