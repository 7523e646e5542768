"""Which rules of thumb a player decides later by: the best ones in some scenarios (coordinate ascent over a policy).

A rule belongs to a choice of the rule file. Some answers are played in some scenarios; the choices that come up have a
few rules each, and the rule of one choice after the other is changed for as long as that makes the values better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.solver.symbolic.scenario import FIRST, FixedScenario, LaterPolicy, RuleOfThumb
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.outcome import VICTORIES, OutcomeMeasure
from chocolatl.solver.worth.playout import LaterAnswers, to_horizon

FIRST_ANSWER = "the first legal answer"
"""The rule for all choices that have none of their own, in words."""

ANY_ANSWER = "any legal answer, at random"
"""The same where sampling goes on."""

LEARNED_ANSWER = "as learned players do"
"""The same where these are reckoned with."""

CLEAR = 2
"""A rule is better than answers at random if it is ahead by more than so many standard errors."""

FEW = 5
"""It is first tried in a part of the cases, one of so many."""

MEMBERS = 6
"""Of so many members of an enum each may be preferred to the others."""

PASSES = 3
"""So often all rules are gone through at most."""

LAST = RuleOfThumb(backwards=True)


# ---------------------------------------------------------------- rules of a choice


def candidates(game: Game, node: ir.Choice, player: int) -> list[RuleOfThumb]:
    """Rules that a player may have for a choice; the first one is meant if all come to the same."""
    match node:
        case ir.ChooseSet():
            few = [FIRST, LAST]
            return few if node.least == node.most else [*few, *(RuleOfThumb(None, r.backwards, True) for r in few)]
        case ir.Choose():
            found = _of_one(game, node, player) if len(node.picks) == 1 else [FIRST, LAST]
            return [*found, RuleOfThumb(_nothing(node))] if node.optional else found
        case _:
            assert_never(node)


def _of_one(game: Game, node: ir.Choose, player: int) -> list[RuleOfThumb]:
    type_ = _type(node)
    if type_.family == PLAYER:
        return [FIRST, LAST, RuleOfThumb((player,))]
    return [RuleOfThumb((value,)) for value in _members(game, type_)] or [FIRST, LAST]


def _members(game: Game, type_: Scalar) -> Sequence[int]:
    """What can be preferred by name: yes or no, or a member of a small enum."""
    domain = game.ir.domains.get(type_.family)
    named = type_.family == TRUTH or (domain is not None and domain.is_enum)
    return range(type_.low, type_.high + 1) if named and type_.size <= MEMBERS else ()


def _type(node: ir.Choose) -> Scalar:
    type_ = node.picks[0].local.type
    assert isinstance(type_, Scalar)
    return type_


def _nothing(node: ir.Choose) -> tuple[int, ...]:
    return tuple(pick.local.type.none for pick in node.picks)  # type: ignore[union-attr]


def in_words(game: Game, node: ir.Choice, rule: RuleOfThumb) -> str:
    """A rule as people say it: `yes`, `the highest`, `as many as possible, the lowest`."""
    which = "the highest" if rule.backwards else "the lowest"
    match node:
        case ir.ChooseSet():
            many = "many" if rule.many else "few"
            return which if node.least == node.most else f"as {many} as possible, {which}"
        case ir.Choose():
            if rule.preferred is not None:
                return _preferred(game, node, rule.preferred)
            family = _type(node).family if len(node.picks) == 1 else ""
            place = "the last" if rule.backwards else "the first"
            return which if family == NUMBER else f"{place} seat" if family == PLAYER else f"{place} one"
        case _:
            assert_never(node)


def _preferred(game: Game, node: ir.Choose, values: tuple[int, ...]) -> str:
    type_ = _type(node)
    if values == _nothing(node):
        return "none"
    if type_.family == PLAYER:
        return "oneself"
    domain = game.ir.domains.get(type_.family)
    titled = domain is not None and domain.is_enum
    return one_line(domain.texts[values[0]]) if domain is not None and titled else game.show(type_, values[0])


# ---------------------------------------------------------------- rules of a player


@dataclass(frozen=True)
class LaterRules:
    """A rule for each choice that came up, in the order in which they did."""

    game: Game
    player: int
    choices: dict[Span, ir.Choice] = field(default_factory=dict)
    policy: LaterPolicy = field(default_factory=LaterPolicy)
    learned: bool = False
    """Whether what has no rule is decided as a learned policy does, and not by chance."""

    def __post_init__(self) -> None:
        rules = dict(self.policy.rules)
        if not self.policy.at_random:
            for place, node in self.choices.items():
                rules.setdefault(place, candidates(self.game, node, self.player)[0])
        object.__setattr__(self, "policy", replace(self.policy, rules=rules))

    def with_choices(self, choices: Mapping[Span, ir.Choice]) -> LaterRules:
        return replace(self, choices=dict(choices))

    def changed(self, place: Span, rule: RuleOfThumb | None) -> LaterRules:
        """With another rule for a choice, or with none."""
        rules = {known: each for known, each in self.policy.rules.items() if known != place}
        policy = replace(self.policy, rules=rules if rule is None else {**rules, place: rule})
        return replace(self, policy=policy)

    def possible(self, place: Span) -> Sequence[RuleOfThumb | None]:
        """What may be instead of the rule for a choice."""
        found = candidates(self.game, self.choices[place], self.player)
        every = [None, *found] if self.policy.at_random else found
        return [rule for rule in every if rule != self.policy.rules.get(place)]

    @property
    def told(self) -> list[tuple[str, str]]:
        """Each choice by its name, and its rule in words. Choices of one name are told apart by their lines."""
        names = [node.name for node in self.choices.values()]
        return [
            (
                node.name if names.count(node.name) == 1 else f"{node.name} (line {place.line})",
                in_words(self.game, node, self.policy.rules[place]),
            )
            for place, node in self.choices.items()
            if place in self.policy.rules
        ]

    def __str__(self) -> str:
        drawn = LEARNED_ANSWER if self.learned else ANY_ANSWER
        told, elsewhere = self.told, drawn if self.policy.at_random else FIRST_ANSWER
        rules = ", ".join(f"{name}: {rule}" for name, rule in told)
        return f"{rules}; else {elsewhere}" if told else elsewhere


@dataclass(frozen=True)
class _NotedPolicy(LaterPolicy):
    """A policy that takes down which choices it is asked for. Where there is but one answer, no rule matters."""

    asked: dict[Span, ir.Choice] = field(default_factory=dict)

    def decides(self, node: ir.Choice, answers: SingleAnswers | SeveralAnswers) -> bool:
        if answers.count() > 1:
            self.asked.setdefault(node.span, node)
        return super().decides(node, answers)


@dataclass(frozen=True)
class PlayedCase:
    """An answer in a scenario; `later` says what is answered in secret blocks that follow, if it is not by rules."""

    scenario: FixedScenario
    answers: AnswerSequence
    later: LaterAnswers | None = None


@dataclass
class RuleSearch:
    """Rules that become better in some cases, one at a time, and what each case is worth by them."""

    rules: LaterRules
    measure: OutcomeMeasure
    cases: Sequence[PlayedCase]
    deadline: Deadline
    played: dict[int, _PlayedValue] = field(default_factory=dict)
    """The cases by number."""

    def run(self) -> bool:
        """Whether there was time to try all rules; if not, those that were found to be better so far stand."""
        try:
            with self.deadline.enforced():
                for number, case in enumerate(self.cases):
                    with suppress(RuleError):  # what the rules do not go on with is no case
                        self.played[number] = self.play(case, self.rules)
                for _ in range(PASSES):
                    if not self.pass_through():
                        break
        except TimeIsUp:
            return False
        return True

    def pass_through(self) -> bool:
        """Every choice that comes up once; whether any rule was changed. Better rules may bring up more choices."""
        seen: set[Span] = set()
        before = self.rules.policy
        while new := [place for place in self.came_up() if place not in seen]:
            seen.add(new[0])
            self.try_rules(new[0])
        return self.rules.policy != before

    def came_up(self) -> Sequence[Span]:
        choices = dict(self.rules.choices)
        for case in self.played.values():
            for place, node in case.asked.items():
                choices.setdefault(place, node)
        if len(choices) > len(self.rules.choices):
            self.rules = self.rules.with_choices(choices)
        return list(choices)

    def try_rules(self, place: Span) -> None:
        """The best rule for a choice, in the cases in which it comes up."""
        touched = [number for number, case in self.played.items() if place in case.asked]
        best, value = self.rules, self.total(self.played, touched)
        better: dict[int, _PlayedValue] = {}
        for rule in self.rules.possible(place):
            other = self.rules.changed(place, rule)
            try:
                replayed = {number: self.play(self.cases[number], other) for number in self.first_look(touched)}
                if self.rules.policy.at_random and self.total(replayed) <= self.total(self.played, replayed):
                    continue
                left = [number for number in touched if number not in replayed]
                replayed |= {number: self.play(self.cases[number], other) for number in left}
            except RuleError:
                continue
            total = self.total(replayed)
            if total > value and (rule is None or self.is_clear(replayed)):
                best, value, better = other, total, replayed
        self.rules = best
        self.played |= better

    def first_look(self, touched: Sequence[int]) -> Sequence[int]:
        """In which cases it is seen whether a rule is worth more of them, where it has to be better beyond doubt."""
        few = len(touched) // FEW
        return [touched[number * len(touched) // few] for number in range(few)] if few else touched

    @staticmethod
    def total(cases: Mapping[int, _PlayedValue], numbers: Iterable[int] | None = None) -> float:
        return sum(cases[number].value for number in (cases if numbers is None else numbers))

    def is_clear(self, replayed: Mapping[int, _PlayedValue]) -> bool:
        """Whether other rules are better than chance would have it. What is answered at random is no worse than a rule
        for all cases that happened to be lucky."""
        if not self.rules.policy.at_random:
            return True
        ahead = Estimate.of([case.value - self.played[number].value for number, case in replayed.items()])
        return ahead.samples > 1 and ahead.mean > CLEAR * ahead.error

    def play(self, case: PlayedCase, rules: LaterRules) -> _PlayedValue:
        self.deadline.look()
        policy = _NotedPolicy(rules.policy.rules, rules.policy.at_random)
        end = to_horizon(rules.game, case.scenario, rules.player, case.answers, later=case.later, policy=policy)
        if self.measure.objective in VICTORIES and not rules.game.is_over(end):
            return _PlayedValue(0, policy.asked)  # nobody has won; the model says that it is no question
        return _PlayedValue(case.scenario.weight * self.measure(case.scenario.position, end), policy.asked)


@dataclass(frozen=True)
class _PlayedValue:
    """What a case has come to, and which choices came up in it."""

    value: int
    asked: dict[Span, ir.Choice]
