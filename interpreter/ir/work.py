"""How much rules can do between two questions: a bound that is reckoned from the text alone, without running it.

Loops are bounded, but loops in one another multiply, and so do formulas over sets. Rules that could keep the program
busy for longer than anybody waits, without asking a player or chance for anything, are refused where that begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from interpreter.diagnostics import Findings
from interpreter.ir import nodes as ir
from interpreter.ir.survey import PROCEDURE, RANKING, VALUE, Callee, Surveys
from interpreter.ir.walk import blocks, changed, fields_read, parts
from interpreter.program.types import Order

MAX_STEPS = 1_000_000_000
MANY = 255
"""So many elements a set of plain values holds at most."""
LOOPS = (ir.ForEach, ir.InTurn, ir.Repeat)


@dataclass(frozen=True)
class Work:
    """The most steps of a piece of the rules without a question: from its beginning to its end, if there is such a way;
    from its beginning; to its end; and anywhere in it."""

    through: int | None
    before: int
    after: int
    most: int

    def then(self, other: Work) -> Work:
        """First this, then the other."""
        return Work(
            None if self.through is None or other.through is None else self.through + other.through,
            self.before if self.through is None else max(self.before, self.through + other.before),
            other.after if other.through is None else max(other.after, self.after + other.through),
            max(self.most, other.most, self.after + other.before),
        )

    def otherwise(self, other: Work) -> Work:
        """This or the other."""
        ways = [way for way in (self.through, other.through) if way is not None]
        before, after = max(self.before, other.before), max(self.after, other.after)
        return Work(max(ways, default=None), before, after, max(self.most, other.most))

    def times(self, count: int, stops: bool = False) -> Work:
        """This again and again; if it `stops`, it may be left on the way."""
        if not count:
            return NOTHING
        once, left = self.through or 0, self.before if stops else 0
        rest = once * (count - 1)
        before, after = rest + max(self.before, once + left), self.after + rest + left
        twice = self.after + rest - once + self.before if count > 1 else 0
        return Work(once * count + left, before, after, max(self.most, before, after, twice))


def plain(steps: int) -> Work:
    """Something in which nothing is asked."""
    return Work(steps, steps, steps, steps)


NOTHING = plain(0)


def check_work(game: ir.Game, findings: Findings, surveys: Surveys) -> None:
    """Report where rules can take too many steps without a question."""
    Reckoning(game, findings, surveys)


class Reckoning:
    """The steps of each declaration of a game, after those of all that it calls."""

    def __init__(self, game: ir.Game, findings: Findings, surveys: Surveys) -> None:
        self.game = game
        self.findings = findings
        self.formulas: dict[Callee, int] = {}
        self.procedures: dict[str, Work] = {}
        self.watched: Counter[tuple[str | None, str]] = Counter()
        """The steps that follow a change of a field: of latches, and of what always holds."""
        order = surveys.reaches(game).numbers
        for kind, name in order:
            if kind == VALUE:
                self.formulas[kind, name] = self.steps(game.values[name].body)
            elif kind == RANKING:
                self.formulas[kind, name] = self.ranking(game.rankings[name])
        for condition in [watch.condition for watch in game.latches] + [watch.condition for watch in game.invariants]:
            self.watched.update(dict.fromkeys(fields_read(condition, game), self.steps(condition)))
        for kind, name in order:
            if kind == PROCEDURE:
                self.procedures[name] = self.block(game.procedures[name].body)

    # ------------------------------------------------------------ formulas

    def steps(self, node: object) -> int:
        """The most steps that something evaluated takes."""
        match node:
            case None | str():
                return 0
            case ir.CallValue():
                return 1 + self.all(node.arguments) + self.formulas[VALUE, node.name]
            case ir.Ranked():
                return 1 + self.all(node.arguments) + self.formulas[RANKING, node.name]
            case ir.Aggregate():
                each = 1 + self.steps(node.where) + self.steps(node.body)
                return 1 + self.steps(node.domain) + self.count(node.domain) * each
        return 1 + self.all(parts(node))

    def all(self, nodes: Iterable[object]) -> int:
        return sum(map(self.steps, nodes))

    def ranking(self, ranking: ir.Ranking) -> int:
        each = 1 + self.steps(ranking.where) + self.all(key.expression for key in ranking.keys)
        return self.steps(ranking.domain) + self.count(ranking.domain) * each

    def count(self, domain: ir.Elements) -> int:
        """The most elements of a domain."""
        match domain:
            case ir.Numbers():
                return max(domain.high.type.high - domain.low.type.low + 1, 0)
            case ir.Whole():
                return domain.type.size
            case ir.Listing():
                return len(domain.items)
            case ir.ZoneElements():
                held = ir.set_type(domain.zone)
                return held.most or self.game.totals.get(held.element.family, MANY)
            case ir.OrderElements(order=ir.Ranked() as order):
                return self.count(self.game.rankings[order.name].domain)
            case ir.OrderElements(order=ir.HeldOrder(local=ir.Local(type=Order(element=element)))):
                return self.game.totals.get(element.family, element.size)
        raise AssertionError(domain)

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block) -> Work:
        """The statements in a row. Where one takes too long it is reported, and not again with what is around it."""
        found = NOTHING
        for statement in block:
            work = self.statement(statement)
            if work.most <= MAX_STEPS:
                found = found.then(work)
            else:
                message = f"this can take more than {MAX_STEPS:,} steps before anything is asked"
                hint = "let loops and formulas run through less, or ask for a decision in between"
                self.findings.error("E505", message, statement.span, hint)
        return found

    def statement(self, s: ir.Statement) -> Work:
        match s:
            case ir.If():
                return plain(self.steps(s.condition)).then(self.block(s.then).otherwise(self.block(s.otherwise)))
            case ir.ForEach():
                body = self.block(s.body)
                if s.where is not None:
                    body = plain(self.steps(s.where)).then(body.otherwise(NOTHING))
                return plain(self.steps(s.domain)).then(plain(1).then(body).times(self.count(s.domain), _stops(s.body)))
            case ir.InTurn():
                look = plain(1 + self.steps(s.start) + self.game.player_count * (1 + self.steps(s.where)))
                return look.then(self.block(s.body)).times(s.limit, _stops(s.body)).then(look)
            case ir.Repeat():
                look = plain(1 + self.steps(s.until))
                return look.then(self.block(s.body)).times(s.limit, _stops(s.body)).then(look)
            case ir.Secretly():
                return self.block(s.body).times(self.game.player_count)
            case ir.Call():
                return plain(1 + self.all(s.arguments)).then(self.procedures[s.procedure])
            case ir.Contest():
                found = plain(self.steps(s.ranking))
                for clause in s.clauses:
                    found = found.then(self.block(clause.body).times(self.game.player_count))
                return found
            case ir.Choose():
                answers = 1
                for pick in s.picks:
                    answers *= max(self.count(pick.domain), 1)
                domains = self.all(pick.domain for pick in s.picks)
                return self.question(s, answers * (1 + domains + self.steps(s.where)))
            case ir.ChooseSet():
                return self.question(s, self.count(ir.ZoneElements(s.source)) * (1 + self.steps(s.where)))
            case ir.Roll():
                outcome = 1 + self.steps(s.where) + self.steps(s.odds)
                return self.question(s, self.steps(s.domain) + self.count(s.domain) * outcome)
            case ir.Draw():
                return self.question(s, 1)
        return plain(self.all(parts(s)) + self.follow(s))

    def question(self, s: ir.Statement, steps: int) -> Work:
        after = 1 + self.follow(s)
        return Work(None, steps, after, max(steps, after))

    def follow(self, s: ir.Statement) -> int:
        """The steps of what is looked at after a statement."""
        return sum(self.watched[target.field.key] for target in changed(s))


def _stops(block: ir.Block) -> bool:
    """Whether the loop that a block belongs to can be left in it."""
    return any(isinstance(s, ir.Stop) or (not isinstance(s, LOOPS) and any(map(_stops, blocks(s)))) for s in block)
