"""How much rules can do between two questions: a bound from the text alone (static cost analysis).

Loops are bounded, but loops in one another multiply, and so do formulas over sets. Rules that could keep the program
busy for longer than anybody waits, without asking a player or chance for anything, are refused where that begins.
"""

from __future__ import annotations

from collections import Counter
from typing import assert_never, get_args

from msgspec import Struct

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.ir.survey import PROCEDURE, RANKING, VALUE, Surveys
from chocolatl.interpreter.ir.walk import Evaluating, changed, fields_read, inside, stops
from chocolatl.interpreter.program.model import FieldKey

MAX_STEPS = 1_000_000_000
EVALUATING = frozenset(get_args(Evaluating))
CHANGES = frozenset(get_args(ir.Change))


class WorkBound(Struct, frozen=True):
    """The most steps of a piece of the rules without a question: from its beginning to its end, if there is such a way;
    from its beginning; to its end; and anywhere in it."""

    through: int | None
    before: int
    after: int
    most: int

    def then(self, other: WorkBound) -> WorkBound:
        """First this, then the other."""
        if self.most == self.through and other.most == other.through:  # nothing is asked in either
            return plain(self.most + other.most)
        return WorkBound(
            None if self.through is None or other.through is None else self.through + other.through,
            self.before if self.through is None else max(self.before, self.through + other.before),
            other.after if other.through is None else max(other.after, self.after + other.through),
            max(self.most, other.most, self.after + other.before),
        )

    def otherwise(self, other: WorkBound) -> WorkBound:
        """This or the other."""
        ways = [way for way in (self.through, other.through) if way is not None]
        before, after = max(self.before, other.before), max(self.after, other.after)
        return WorkBound(max(ways, default=None), before, after, max(self.most, other.most))

    def times(self, count: int, stops: bool = False) -> WorkBound:
        """This again and again; if it `stops`, it may be left on the way."""
        if not count:
            return NOTHING
        once, left = self.through or 0, self.before if stops else 0
        rest = once * (count - 1)
        before, after = rest + max(self.before, once + left), self.after + rest + left
        twice = self.after + rest - once + self.before if count > 1 else 0
        return WorkBound(once * count + left, before, after, max(self.most, before, after, twice))


NOTHING = WorkBound(0, 0, 0, 0)


def plain(steps: int) -> WorkBound:
    """Something in which nothing is asked."""
    return WorkBound(steps, steps, steps, steps) if steps else NOTHING


def check_work(game: ir.GameRules, findings: Findings, surveys: Surveys) -> None:
    """Report where rules can take too many steps without a question."""
    CostAnalysis(game, findings, surveys).reckon()


class CostAnalysis:
    """The steps of each declaration of a game, after those of all that it calls. What was reckoned for another game is
    taken over where the declaration reaches the very same, and what is counted in the whole game is the same."""

    def __init__(self, game: ir.GameRules, findings: Findings, surveys: Surveys) -> None:
        self.game = game
        self.findings = findings
        self.surveys = surveys
        self.order = surveys.reaches(game).numbers
        self.formulas: dict[str, int] = {}
        self.procedures: dict[str, WorkBound] = {}
        self.watched: Counter[FieldKey] = Counter()
        """The steps that follow a change of a field: of latches, and of what always holds."""

    def reckon(self) -> None:
        game, order = self.game, self.order
        counted = game.player_count, tuple(game.totals.items())
        known = self.surveys.reckoned.setdefault(counted, {})
        for callee, reach in order.items():
            if callee.startswith(PROCEDURE):
                continue
            if reach not in known:
                kind, name = callee.split(" ", 1)
                known[reach] = (
                    self.steps(game.values[name].body) if kind == "value" else self.ranking(game.rankings[name])
                )
            self.formulas[callee] = known[reach]
        conditions = [watch.condition for watch in game.latches] + [watch.condition for watch in game.invariants]
        for condition in conditions:
            self.watched.update(dict.fromkeys(fields_read(condition, game), self.steps(condition)))
        known = self.surveys.reckoned.setdefault((counted, tuple(self.watched.items())), {})
        for callee, reach in order.items():
            if callee.startswith(PROCEDURE):
                name = callee.removeprefix(PROCEDURE)
                before = len(self.findings.items)
                work = known.get(reach) or self.block(game.procedures[name].body)
                self.procedures[name] = work
                if len(self.findings.items) == before:
                    known[reach] = work

    # ------------------------------------------------------------ formulas

    def steps(self, *nodes: object) -> int:
        """The most steps that something evaluated takes: one for each node, but for those that evaluate others."""
        steps, known = 0, self.surveys.sizes
        for node in nodes:
            if id(node) in known:
                steps += known[id(node)][1]
            elif node is not None:
                found = inside(node, closed=EVALUATING)
                others = [self.others(each) for each in found if type(each) in EVALUATING]
                steps += len(found) + sum(others)
                if not others:
                    known[id(node)] = node, len(found)
        return steps

    def others(self, node: Evaluating) -> int:
        match node:
            case ir.CallValue():
                return self.steps(*node.arguments) + self.formulas[VALUE + node.name]
            case ir.Ranked():
                return self.steps(*node.arguments) + self.formulas[RANKING + node.name]
            case ir.Aggregate():
                return self.steps(node.domain) + self.count(node.domain) * (1 + self.steps(node.where, node.body))
            case _:
                assert_never(node)

    def ranking(self, ranking: ir.Ranking) -> int:
        each = 1 + self.steps(ranking.where, *[key.expression for key in ranking.keys])
        return self.steps(ranking.domain) + self.count(ranking.domain) * each

    def count(self, domain: ir.Elements) -> int:
        return most_elements(domain, self.game)

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block) -> WorkBound:
        """The statements in a row. Where one takes too long it is reported, and not again with what is around it."""
        found, plainly = NOTHING, 0
        for statement in block:
            work = self.statement(statement)
            if work.most > MAX_STEPS:
                message = f"this can take more than {MAX_STEPS:,} steps before anything is asked"
                hint = "let loops and formulas run through less, or ask for a decision in between"
                self.findings.error("E505", message, statement.span, hint)
            elif work.most == work.through:  # nothing is asked in it
                plainly += work.most
            else:
                found = found.then(plain(plainly)).then(work)
                plainly = 0
        return found.then(plain(plainly))

    def statement(self, s: ir.Statement) -> WorkBound:
        if type(s) in CHANGES:  # most of them
            return self.change(s)
        match s:
            case ir.If():
                return plain(self.steps(s.condition)).then(self.block(s.then).otherwise(self.block(s.otherwise)))
            case ir.ForEach():
                body = self.block(s.body)
                if s.where is not None:
                    body = plain(self.steps(s.where)).then(body.otherwise(NOTHING))
                return plain(self.steps(s.domain)).then(
                    plain(1).then(body).times(self.count(s.domain), bool(stops(s.body)))
                )
            case ir.InTurn():
                look = plain(1 + self.steps(s.start) + self.game.player_count * (1 + self.steps(s.where)))
                return look.then(self.block(s.body)).times(s.limit, bool(stops(s.body))).then(look)
            case ir.Repeat():
                look = plain(1 + self.steps(s.until))
                return look.then(self.block(s.body)).times(s.limit, bool(stops(s.body))).then(look)
            case ir.Secretly():
                return self.block(s.body).times(self.game.player_count)
            case ir.Call():
                return plain(1 + self.steps(*s.arguments)).then(self.procedures[s.procedure])
            case ir.Contest():
                found = plain(self.steps(s.ranking))
                for clause in s.clauses:
                    found = found.then(self.block(clause.body).times(self.game.player_count))
                return found
            case ir.Choose():
                answers = 1
                for pick in s.picks:
                    answers *= max(self.count(pick.domain), 1)
                domains = self.steps(*[pick.domain for pick in s.picks])
                return self.question(s, answers * (1 + domains + self.steps(s.where)))
            case ir.ChooseSet():
                return self.question(s, self.count(ir.ZoneElements(s.source)) * (1 + self.steps(s.where)))
            case ir.Roll():
                outcome = 1 + self.steps(s.where) + self.steps(s.odds)
                return self.question(s, self.steps(s.domain) + self.count(s.domain) * outcome)
            case ir.Draw():
                return self.question(s, 1)
            case ir.Stop():
                return plain(self.steps(s.condition))
            case _:
                if not isinstance(s, ir.Change):
                    assert_never(s)
                return self.change(s)

    def change(self, s: ir.Statement) -> WorkBound:
        return plain(self.steps(s) - 1 + self.follow(s))

    def question(self, s: ir.Statement, steps: int) -> WorkBound:
        after = 1 + self.follow(s)
        return WorkBound(None, steps, after, max(steps, after))

    def follow(self, s: ir.Statement) -> int:
        """The steps of what is looked at after a statement."""
        return sum([self.watched[target.field.key] for target in changed(s)])
