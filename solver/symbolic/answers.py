"""Answers in a symbolic run: those that are sought are variables, the others come from a scenario.

The plan is shared by the runs of all scenarios: the player answers before knowing which one it is. Own decisions that
come later follow a policy: a rule of thumb for each choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import Outcomes, SeveralAnswers
from chocolatl.interpreter.lowered.zones import pack
from chocolatl.interpreter.program.types import Multiset, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.model.linear import BooleanLiteral, SymbolicNumber, SymbolicValue, Truth, high, low, negated
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.chosen_numbers import as_numbers, limit
from chocolatl.solver.symbolic.domains import Element
from chocolatl.solver.symbolic.plan import AnswerPlan, SoughtDecision
from chocolatl.solver.symbolic.run import AnswerSource, SymbolicRun
from chocolatl.solver.symbolic.scenario import FIRST, FIRST_LEGAL, FixedScenario, LaterPolicy, RuleOfThumb, scaled
from chocolatl.solver.symbolic.state import THING, from_truth, kind_of
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported

MANY = 5000
"""So many answers can be told apart one by one."""
WIDE = 64
"""So many sizes can be told apart: of what can be drawn from, and of what others choose."""


class ScenarioAnswers(AnswerSource):
    def __init__(
        self, plan: AnswerPlan, player: int, scenario: FixedScenario, policy: LaterPolicy = FIRST_LEGAL
    ) -> None:
        self.plan = plan
        self.player = player
        self.scenario = scenario
        self.policy = policy
        self.reached = 0

    # ------------------------------------------------------------ choices

    def choose(self, run: SymbolicRun, node: ir.Choose, player: int) -> list[SymbolicValue]:
        if player == self.player and self.seeking:
            return self.sought(run, node).values
        legal = combinations(run, node)
        cases = self.taken(run, node, player, legal)
        return [_joined(run, node, part, cases) for part in range(len(node.picks))]

    def sought(self, run: SymbolicRun, node: ir.Choose) -> SoughtDecision:
        if self.reached < len(self.plan.decisions):
            self.reached += 1
            return self.plan.decisions[self.reached - 1]
        decision = self.asked(run, node)
        decision.numbers = as_numbers(run, node, decision.only_if) or []
        decision.values = [*decision.numbers] or self.one_by_one(run, node, decision)
        self.add(run, decision)
        self.reached += 1
        return decision

    def one_by_one(self, run: SymbolicRun, node: ir.Choose, decision: SoughtDecision) -> list[SymbolicValue]:
        """A literal for each answer."""
        for values, legal in combinations(run, node):
            literal = run.model.literal()
            decision.answers.append((values, literal))
            if legal is not True:
                run.model.require(legal, (literal, *decision.only_if))
        if not decision.answers:
            raise nothing(node)
        run.model.exactly_one([literal for _, literal in decision.answers])
        cases: list[tuple[Truth, tuple[int, ...]]] = [(literal, values) for values, literal in decision.answers]
        return [_joined(run, node, part, cases) for part in range(len(node.picks))]

    def asked(self, run: SymbolicRun, node: ir.Choice) -> SoughtDecision:
        indices = [run.value(index) for index in node.indices]
        known = tuple(index for index in indices if isinstance(index, int))
        labels = known if len(known) == len(indices) else ()
        return SoughtDecision(node.name, node=node, labels=labels, asked=led_here(run))

    def add(self, run: SymbolicRun, decision: SoughtDecision) -> None:
        """Add a decision to the plan. What it is if it is not asked is fixed, so that it is one answer."""
        self.plan.decisions.append(decision)
        self.plan.definitions = run.model.definitions
        if isinstance(decision.asked, BooleanLiteral):
            for variable, value in decision.unasked.items():
                run.model.constraints.append(LinearConstraint(((variable, 1),), value, value, (~decision.asked,)))

    def taken(
        self, run: SymbolicRun, node: ir.Choose, player: int, legal: list[tuple[tuple[int, ...], Truth]]
    ) -> list[tuple[Truth, tuple[int, ...]]]:
        """Which of the answers is taken: the first one by the policy, the one that was foreseen, or the one at the
        scenario's number."""
        if player == self.player and self.policy.has_rule(node):
            return self.numbered(run, node, 0, self.policy.rule(node).ordered(node, legal))
        given, model = self.foreseen(run, node, player), run.model
        if player == self.player and self.scenario.foreseen is not None:
            others = self.numbered(run, node, 0, FIRST.ordered(node, legal))
        else:
            others = self.numbered(run, node, self.scenario.number(player, run.where(node)), legal)
        wanted = given if isinstance(given, tuple) else (given,)
        there = next((truth for values, truth in legal if values == wanted), False)
        if there is False:
            return others
        instead = [(model.every((negated(there), truth)), values) for truth, values in others]
        return [(there, wanted), *((truth, values) for truth, values in instead if truth is not False)]

    def foreseen(self, run: SymbolicRun, node: ir.Choice, player: int) -> Any:
        """What was foreseen for a place, if it came up."""
        return None if self.scenario.foreseen is None else self.scenario.foreseen.get((player, run.where(node)))

    def numbered(
        self, run: SymbolicRun, node: ir.Choose, number: int, legal: list[tuple[tuple[int, ...], Truth]]
    ) -> list[tuple[Truth, tuple[int, ...]]]:
        """Which of the answers is taken by a number."""
        if legal and all(truth is True for _, truth in legal):
            return [(True, legal[scaled(number, len(legal))][0])]
        model = run.model
        count = model.known_number(model.total(model.number(truth) for _, truth in legal))
        if high(count) < 1:
            raise nothing(node)
        before: SymbolicNumber = 0
        result: list[tuple[Truth, tuple[int, ...]]] = []
        counts = range(max(1, low(count)), high(count) + 1)
        wanted = model.selected([(model.equal(count, c), scaled(number, c)) for c in counts], None)
        for values, truth in legal:
            result.append((model.every((truth, model.equal(before, wanted))), values))
            before = model.add(before, model.number(truth))
        return [(t, values) for t, values in result if t is not False]

    # ------------------------------------------------------------ choices of several

    def choose_set(self, run: SymbolicRun, node: ir.ChooseSet, player: int) -> list[SymbolicNumber]:
        counts = fitting(run, node)
        least, most = run.number(node.least), run.number(node.most)
        if player == self.player and self.seeking:
            return self.sought_set(run, node, counts, least, most)
        if player == self.player and self.policy.has_rule(node):
            return by_rule(run.model, self.policy.rule(node), counts, least, most)
        given = self.foreseen(run, node, player)
        if player == self.player and self.scenario.foreseen is not None:
            return by_foresight(run.model, node, given, counts, least, most)
        if not all(isinstance(count, int) for count in counts):
            raise Unsupported(node.span, ModelGap.THEIR_CHOICE)
        if (high(least) - low(least) + 1) * (high(most) - low(most) + 1) > WIDE:
            raise Unsupported(node.span, ModelGap.HOW_MANY)
        zone, model = pack(c for c in counts if isinstance(c, int)), run.model
        number = self.scenario.number(player, run.where(node))
        cases: list[tuple[Truth, SeveralAnswers]] = []
        for fewest, greatest in product(range(low(least), high(least) + 1), range(low(most), high(most) + 1)):
            several = SeveralAnswers(zone, 0, fewest, greatest)
            if several.count():
                cases.append((model.every((model.equal(least, fewest), model.equal(most, greatest))), several))
        if not cases:
            raise nothing(node)
        first = ir.set_type(node.source).element.low
        kinds = () if given is None else tuple(element - first for element in given)
        chosen = [
            (
                truth,
                kinds
                if given is not None and several.contains(kinds)
                else several.nth(scaled(number, several.count())),
            )
            for truth, several in cases
        ]
        return [model.selected([(t, pieces.count(kind)) for t, pieces in chosen], None) for kind in range(len(counts))]

    def sought_set(
        self,
        run: SymbolicRun,
        node: ir.ChooseSet,
        counts: Sequence[SymbolicNumber],
        least: SymbolicNumber,
        most: SymbolicNumber,
    ) -> list[SymbolicNumber]:
        if self.reached < len(self.plan.decisions):
            decision = self.plan.decisions[self.reached]
        else:
            decision = self.asked(run, node)
            first = ir.set_type(node.source).element.low
            for kind, count in enumerate(counts):
                highest = count if isinstance(count, int) else count.high
                if highest > 0:
                    amount = run.model.integer(0, highest)
                    decision.amounts.append((first + kind, amount))
                    limit(run.model, run.model.add(amount, count, -1), decision.only_if)
            together = run.model.total(amount for _, amount in decision.amounts)
            missing, beyond = run.model.add(least, together, -1), run.model.add(together, most, -1)
            if low(missing) > 0 or low(beyond) > 0:
                raise nothing(node)
            limit(run.model, missing, decision.only_if)
            limit(run.model, beyond, decision.only_if)
            self.add(run, decision)
        self.reached += 1
        first = ir.set_type(node.source).element.low
        amounts = dict(decision.amounts)
        return [amounts.get(first + kind, 0) for kind in range(len(counts))]

    # ------------------------------------------------------------ chance

    def roll(self, run: SymbolicRun, node: ir.Roll) -> list[SymbolicValue]:
        weighted: list[tuple[int, int]] = []
        for element, there in run.bound(node.element, in_order(run, node.domain, node.span), node.where):
            odds = run.number(node.odds) if node.odds is not None else 1
            if there is not True or not isinstance(odds, int) or not isinstance(element.copies, int):
                raise Unsupported(node.span, ModelGap.OUTCOMES)
            weighted.append((element.value, odds * element.copies))
        several = node.count is not None
        count = run.number(node.count) if node.count is not None else 1
        if not isinstance(count, int):
            raise Unsupported(node.span, ModelGap.HOW_OFTEN)
        outcomes = Outcomes(weighted, count, several)
        brought = self.brought(run, node, outcomes)
        type_ = node.local.type
        if isinstance(type_, Scalar):
            return [brought]
        assert isinstance(type_, Multiset)
        kinds = range(type_.element.low, type_.element.high + 1)
        return [brought.count(kind) for kind in kinds]

    def draw(self, run: SymbolicRun, node: ir.Draw) -> SymbolicValue:
        counts = run.counts(node.source)
        first = ir.set_type(node.source).element.low
        weighted = [(first + kind, count) for kind, count in enumerate(counts) if isinstance(count, int) and count]
        if all(isinstance(count, int) for count in counts):
            drawn: int = self.brought(run, node, Outcomes(weighted, 1, False))
            return drawn
        return self.drawn(run, node, [(first + kind, count) for kind, count in enumerate(counts) if count != 0])

    def drawn(self, run: SymbolicRun, node: ir.Draw, counts: Sequence[tuple[int, SymbolicNumber]]) -> SymbolicValue:
        """What is drawn where the answer decides what can be: of the pieces, laid out by kind, the one at a place that
        follows from how many there are. The last kind is it if no other one is, so that one always is."""
        model = run.model
        total = model.total(count for _, count in counts)
        if high(total) - low(total) > WIDE:
            raise Unsupported(node.span, ModelGap.DRAWN)
        number = self.scenario.number(self.owner(run, node), run.where(node))
        sizes = range(low(total), high(total) + 1)
        ticket = model.selected([(model.equal(total, size), scaled(number, size)) for size in sizes], None)
        cases: list[tuple[int, Truth]] = []
        before: Truth = False
        reached: SymbolicNumber = 0
        for kind, count in counts[:-1]:
            reached = model.add(reached, count)
            by_now = model.at_least(reached, model.shifted(ticket, 1))
            cases.append((kind, model.every((by_now, negated(before)))))
            before = by_now
        return model.one_of([*cases, (counts[-1][0], negated(before))])

    def brought(self, run: SymbolicRun, node: ir.Roll | ir.Draw, outcomes: Outcomes) -> Any:
        if not outcomes.count():
            raise nothing(node)
        return self.scenario.outcome(outcomes, self.owner(run, node), run.where(node))

    def owner(self, run: SymbolicRun, node: ir.Roll | ir.Draw) -> int:
        who = run.value(node.owner) if node.owner is not None else -1
        if not isinstance(who, int):
            raise Unsupported(node.span, ModelGap.WHOSE_CHANCE)
        return who


def led_here(run: SymbolicRun) -> Truth:
    """Whether the run comes to where it is. On the way itself that is known, so that it is said from outside."""
    facts = run.model.facts
    here = facts.go(facts.main)
    asked = run.model.every(run.state.path)
    facts.go(here)
    return asked


# ---------------------------------------------------------------- legal answers


def nothing(node: ir.Choice | ir.Roll | ir.Draw) -> Unsupported:
    return Unsupported(node.span, ModelGap.NO_ANSWER)


def combinations(run: SymbolicRun, node: ir.Choose) -> list[tuple[tuple[int, ...], Truth]]:
    """Every answer to a choice in canonical order, and when it is legal."""
    result: list[tuple[tuple[int, ...], Truth]] = []
    model = run.model

    def visit(part: int, values: tuple[int, ...], so_far: Truth) -> None:
        if len(result) > MANY:
            raise Unsupported(node.span, ModelGap.MANY_ANSWERS)
        if part == len(node.picks):
            legal = model.every((so_far, run.truth(node.where) if node.where is not None else True))
            if legal is not False:
                result.append((values, legal))
            return
        pick = node.picks[part]
        for value, there in distinct(run, pick.domain, node.span):
            run.state.values[-pick.local.number] = value
            visit(part + 1, (*values, value), model.every((so_far, there)))

    held = [run.state.values.get(-pick.local.number) for pick in node.picks]
    visit(0, (), True)
    for pick, old in zip(node.picks, held, strict=True):
        if old is not None:
            run.state.values[-pick.local.number] = old
    if node.optional:
        result.append((tuple(pick.local.type.none for pick in node.picks), True))  # type: ignore[union-attr]
    return result


def distinct(run: SymbolicRun, domain: ir.Elements, span: Span) -> list[tuple[int, Truth]]:
    """What a choice is made from, each element once and in canonical order, and whether it is there."""
    found: dict[int, list[Truth]] = {}
    for element in in_order(run, domain, span):
        found.setdefault(element.value, []).append(element.there)
    values = canonical(domain, list(found))
    return [(v, t) for v, t in ((v, run.model.some(found[v])) for v in values) if t is not False]


def in_order(run: SymbolicRun, domain: ir.Elements, span: Span) -> list[Element]:
    """Elements in the order in which they are counted through."""
    match domain:
        case ir.OrderElements(order=order):
            if not run.order(order).is_known:
                raise Unsupported(span, ModelGap.ORDER_OF_ANSWERS)
        case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.Listing():
            pass
        case _:
            assert_never(domain)
    return run.domain(domain)


def canonical(domain: ir.Elements, values: list[int]) -> list[int]:
    """The elements of a domain as they are listed to be chosen from."""
    match domain:
        case ir.Listing():
            return sorted(values)
        case ir.Numbers() | ir.Whole() | ir.ZoneElements() | ir.OrderElements():
            return values
        case _:
            assert_never(domain)


def fitting(run: SymbolicRun, node: ir.ChooseSet) -> Sequence[SymbolicNumber]:
    """How many of each kind can be chosen."""
    counts = run.counts(node.source)
    if node.where is None:
        return counts
    first = ir.set_type(node.source).element.low
    result: list[SymbolicNumber] = []
    for kind, count in enumerate(counts):
        run.state.values[-node.element.number] = first + kind
        result.append(run.model.chosen(run.truth(node.where), count, 0))
    return result


def by_rule(
    model: Model, rule: RuleOfThumb, counts: Sequence[SymbolicNumber], least: SymbolicNumber, most: SymbolicNumber
) -> list[SymbolicNumber]:
    """What a rule of thumb takes where there are so many of each kind."""
    size = model.maximum(model.minimum(most, model.total(counts)) if rule.many else least, 0)
    return lowest(model, counts[::-1], size)[::-1] if rule.backwards else lowest(model, counts, size)


def by_foresight(
    model: Model,
    node: ir.ChooseSet,
    given: Sequence[int] | None,
    counts: Sequence[SymbolicNumber],
    least: SymbolicNumber,
    most: SymbolicNumber,
) -> list[SymbolicNumber]:
    """What was foreseen, where it can be taken; else as few of the lowest as possible."""
    otherwise = by_rule(model, FIRST, counts, least, most)
    if given is None:
        return otherwise
    first = ir.set_type(node.source).element.low
    wanted = [given.count(first + kind) for kind in range(len(counts))]
    there = model.every(
        [
            *(model.at_least(count, number) for count, number in zip(counts, wanted, strict=True) if number),
            model.at_least(most, len(given)),
            negated(model.at_least(least, len(given) + 1)),
        ]
    )
    return [model.chosen(there, number, other) for number, other in zip(wanted, otherwise, strict=True)]


def lowest(model: Model, counts: Sequence[SymbolicNumber], size: SymbolicNumber) -> list[SymbolicNumber]:
    """The first combination of so many elements: the lowest ones. Of the first kinds all are taken, up to so many; a
    kind is taken as often as it adds to that, so that the sum over all kinds is one number again."""
    there: SymbolicNumber = 0
    before: SymbolicNumber = 0
    result: list[SymbolicNumber] = []
    for count in counts:
        there = model.add(there, count)
        taken = model.minimum(there, size)
        result.append(model.between(model.add(taken, before, -1), min(low(count), 0), max(high(count), 0)))
        before = taken
    return result


def _joined(run: SymbolicRun, node: ir.Choose, part: int, cases: list[tuple[Truth, tuple[int, ...]]]) -> SymbolicValue:
    type_ = node.picks[part].local.type
    if kind_of(type_) == THING:
        return run.model.one_of([(values[part], truth) for truth, values in cases])
    if len(cases) == 1:
        return cases[0][1][part]
    if kind_of(type_) == "truth":
        return from_truth(run.model.some(truth for truth, values in cases if values[part] == 1))
    return run.model.selected([(truth, values[part]) for truth, values in cases], None)
