"""How a player goes on after the answer (a rollout policy): by rules of thumb; in later secret blocks, by new answers.

The rules are part of the answer: they are chosen by value, told with it, and what is proved holds if they are kept to.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver import by_work
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods import nested
from chocolatl.solver.methods.best import ModelledProblem
from chocolatl.solver.methods.continuations import Continuation, by_policy
from chocolatl.solver.methods.deciding_again import deciding_again
from chocolatl.solver.methods.rules_of_thumb import LaterRules, PlayedCase, RuleSearch
from chocolatl.solver.methods.search import whole
from chocolatl.solver.methods.starting_answers import policy_answers
from chocolatl.solver.question import HorizonKind
from chocolatl.solver.symbolic.scenario import LaterPolicy

RULES, SAMPLED_RULES = 0.1, 0.3
"""These shares of what is left are for rules of thumb: of a model, and where options are compared by sampling."""

DRAWN_ANSWERS, RULE_SCENARIOS = 6, 20
"""So many answers, drawn at random, meet so many scenarios, which are those of no other set."""

LONG = 60
"""Where more decisions are left until the horizon, sampling goes on at random."""

RULES_LEFT_OUT = "own later decisions: not all rules of thumb were tried"


def rules_of_thumb(
    asked: PositionQuestion, later: Sequence[ir.Statement], deadline: Deadline
) -> tuple[LaterRules, bool]:
    """By which rules the player goes on, whatever is answered now: the best ones for answers that are drawn; and
    whether there was time to find them. Later secret blocks are answered at random meanwhile, or as learned players do.
    Who goes on as these do has a rule only where that is clearly better."""
    game, player, random = asked.game, asked.player, Random(asked.question.seed)
    learned = asked.conduct is not None
    rules = LaterRules(game, player, policy=LaterPolicy(at_random=learned), learned=learned)

    def again(position: Position) -> AnswerSequence:
        return whole(game, position, player, Random(asked.question.seed))

    try:
        scenarios = asked.sets.rules(RULE_SCENARIOS, deadline.share(0.5))
        block = game.sample_unknown(asked.position, player, random)
    except TimeIsUp:
        return rules, False
    except RuleError:  # the search draws scenarios, too, and may be luckier
        return rules, True
    answers: dict[AnswerSequence, None] = {}
    for _ in range(DRAWN_ANSWERS):
        with suppress(RuleError):  # what comes of it is not looked at yet
            answers[_drawn(asked, block, random)] = None
    decided = again if later and not learned else None
    cases = [PlayedCase(scenario, own, decided) for own in answers for scenario in scenarios]
    search = RuleSearch(rules, asked.measure, cases, deadline)
    in_time = search.run()
    return search.rules, in_time


def sampled_rules(asked: PositionQuestion, deadline: Deadline) -> tuple[LaterRules, bool]:
    """By which rules the player goes on where options are compared by sampling, later secret blocks included: at
    random, or as learned players do, but for choices that have a rule which is clearly better; and whether there was
    time to find them. None where it is far to the horizon: many games by native code, all at random, tell more there
    than a few that go by rules."""
    game, player = asked.game, asked.player
    rules = LaterRules(game, player, policy=LaterPolicy(at_random=True), learned=asked.conduct is not None)
    question, random = asked.question, Random(asked.question.seed)
    if question.work is not None or question.horizon != HorizonKind.ROUND:
        return rules, True
    try:
        with deadline.enforced():
            if by_work.length(asked) > LONG:
                return rules, True
            block = game.sample_unknown(asked.position, player, random)
        scenarios = asked.sets.rules(RULE_SCENARIOS, deadline.share(0.5))
    except TimeIsUp:
        return rules, False
    except RuleError:
        return rules, True
    answers = {_drawn(asked, block, random): None for _ in range(DRAWN_ANSWERS)}
    cases = [PlayedCase(scenario, own) for own in answers for scenario in scenarios]
    search = RuleSearch(rules, asked.measure, cases, deadline)
    in_time = search.run()
    return search.rules, in_time


def _drawn(asked: PositionQuestion, block: Position, random: Random) -> AnswerSequence:
    """What the player may answer: at random, or as learned players do."""
    if asked.conduct is None:
        return whole(asked.game, block, asked.player, random)
    return policy_answers(asked.game, block, asked.player, asked.conduct, random)


def better_rules(
    asked: PositionQuestion, problem: ModelledProblem, answers: AnswerSequence, rules: LaterRules, deadline: Deadline
) -> LaterRules | None:
    """Rules by which the best answer of a search is worth more in its scenarios, if there are any."""
    if isinstance(problem, nested.Nested):
        return None
    search = RuleSearch(rules, asked.measure, [PlayedCase(each, answers) for each in problem.scenarios], deadline)
    search.run()
    return search.rules if search.rules.policy != rules.policy else None


def continuation(
    asked: PositionQuestion, later: Sequence[ir.Statement], rules: LaterRules, deadline: Deadline
) -> Continuation:
    """How scenarios go on as the model has it."""
    if not later:
        return by_policy(asked.game, asked.player, deadline, rules.policy)
    question = asked.question
    goal = question.objective, question.valuation
    return deciding_again(asked.game, asked.player, question.against, *goal, deadline, rules.policy)


def in_words(problem: ModelledProblem, rules: LaterRules) -> str:
    """How the player goes on, as people say it."""
    return nested.POLICY.format(rules) if isinstance(problem, nested.Nested) else str(rules)
