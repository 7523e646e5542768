"""Which rules of thumb a player decides later by: the best ones in some scenarios (coordinate ascent over a policy).

A rule belongs to a choice of the rule file. Some answers are played in some scenarios; the choices that come up have a
few rules each, and the rule of one choice after the other is changed for as long as that makes the values better.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
from chocolatl.solver.worth.outcome import VICTORIES, OutcomeMeasure
from chocolatl.solver.worth.playout import LaterAnswers, to_horizon

FIRST_ANSWER = "the first legal answer"
"""The rule for all choices that have none of their own, in words."""

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

    def __post_init__(self) -> None:
        rules = dict(self.policy.rules)
        for place, node in self.choices.items():
            rules.setdefault(place, candidates(self.game, node, self.player)[0])
        object.__setattr__(self, "policy", LaterPolicy(rules))

    def changed(self, place: Span, rule: RuleOfThumb) -> LaterRules:
        return LaterRules(self.game, self.player, self.choices, LaterPolicy({**self.policy.rules, place: rule}))

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
        ]

    def __str__(self) -> str:
        told = ", ".join(f"{name}: {rule}" for name, rule in self.told)
        return f"{told}; else {FIRST_ANSWER}" if told else FIRST_ANSWER


@dataclass(frozen=True)
class _NotedPolicy(LaterPolicy):
    """A policy that takes down which choices it is asked for. Where there is but one answer, no rule matters."""

    asked: dict[Span, ir.Choice] = field(default_factory=dict)

    def answer(self, node: ir.Choice, answers: SingleAnswers | SeveralAnswers) -> object:
        if answers.count() > 1:
            self.asked.setdefault(node.span, node)
        return super().answer(node, answers)


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
            self.rules = LaterRules(self.rules.game, self.rules.player, choices, self.rules.policy)
        return list(choices)

    def try_rules(self, place: Span) -> None:
        """The best rule for a choice, in the cases in which it comes up."""
        touched = [number for number, case in self.played.items() if place in case.asked]
        best, value = self.rules, sum(self.played[number].value for number in touched)
        better: dict[int, _PlayedValue] = {}
        for rule in candidates(self.rules.game, self.rules.choices[place], self.rules.player):
            if rule == self.rules.policy.rules[place]:
                continue
            other = self.rules.changed(place, rule)
            try:
                replayed = {number: self.play(self.cases[number], other) for number in touched}
            except RuleError:
                continue
            if (total := sum(case.value for case in replayed.values())) > value:
                best, value, better = other, total, replayed
        self.rules = best
        self.played |= better

    def play(self, case: PlayedCase, rules: LaterRules) -> _PlayedValue:
        self.deadline.look()
        policy = _NotedPolicy(rules.policy.rules)
        end = to_horizon(rules.game, case.scenario, rules.player, case.answers, later=case.later, policy=policy)
        if self.measure.objective in VICTORIES and not rules.game.is_over(end):
            return _PlayedValue(0, policy.asked)  # nobody has won; the model says that it is no question
        return _PlayedValue(case.scenario.weight * self.measure(case.scenario.position, end), policy.asked)


@dataclass(frozen=True)
class _PlayedValue:
    """What a case has come to, and which choices came up in it."""

    value: int
    asked: dict[Span, ir.Choice]
