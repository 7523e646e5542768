"""Answers by a model: the best of all answers in some scenarios, with proof, and what is chosen of it by others.

How many scenarios are searched is asked for, or grows until the choice is stable (progressive sampling): twice as many
scenarios, the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.asking import LISTED, ChoiceTable, PositionQuestion
from chocolatl.solver.backends.cpsat import OPTIMAL, Progress
from chocolatl.solver.methods import best as models
from chocolatl.solver.methods import nested
from chocolatl.solver.methods.best import Best, ModelledProblem, NotFound, NotModelled
from chocolatl.solver.methods.continuations import Continuation, by_policy
from chocolatl.solver.methods.deciding_again import deciding_again
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.question import ENUMERATION, MODEL
from chocolatl.solver.symbolic.answers import POLICY
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.scenario_sets import AT_FIRST

BY_MODEL = {MODEL: models.ENGINE, ENUMERATION: models.ENUMERATION}
"""What answers by a model alone, if that is asked for."""

DRAWING, SEARCHING = 0.2, 0.7
"""These shares of what is left are for drawing scenarios, and for model and search."""

TRYING, CHOOSING = 0.1, 0.35
"""These shares of what is left are for a search by trial, and for the choice among candidates."""

GROWTH = 2.5
"""With twice as many scenarios it is expected to take so many times as long."""

FIRST_LOOK, LOOK, FINALISTS = 4, 24, 3
"""In so many scenarios first answers of a tree are tried at first, at least and at most; so many are left at last."""


@dataclass(frozen=True)
class ModelAnswer:
    """What a model has found in so many scenarios, and what is chosen: the candidates, best first."""

    problem: ModelledProblem
    found: Best
    ranking: list[AnswerSequence]
    asked: int


def later_blocks(asked: PositionQuestion, deadline: Deadline) -> Sequence[ir.Statement]:
    """What the player is asked in later secret blocks, as one scenario shows."""
    with deadline.enforced():
        return playout.later_blocks(asked.game, asked.sets.search(1)[0], asked.player)


def formulated(
    asked: PositionQuestion, later: Sequence[ir.Statement], count: int, deadline: Deadline
) -> ModelledProblem:
    """The model of a question, as far as it is made in the time; `Unsupported` if there is none."""
    game, player = asked.game, asked.player
    goal = asked.question.objective, asked.question.valuation
    drawing = deadline.share(DRAWING)
    if not later:
        return models.formulate(game, player, asked.sets.search(count, drawing), *goal, deadline)
    if len(later) == 1 and asked.position.sealed is not None:
        trunk = asked.sets.search(count, drawing.share(0.5))
        tree = nested.branched(game, asked.position, player, trunk, asked.sets.is_drawn, drawing)
        return nested.formulate(game, player, tree, *goal, deadline)
    times = "once" if len(later) == 1 else f"{len(later)} times"
    raise Unsupported(later[0].span, ModelGap.LATER_BLOCKS, times)


def continuation(
    asked: PositionQuestion, later: Sequence[ir.Statement], deadline: Deadline
) -> tuple[str, Continuation]:
    """How scenarios go on as the model has it, in words and as it is done."""
    if not later:
        return POLICY, by_policy(asked.game, asked.player, deadline)
    question = asked.question
    goal = question.objective, question.valuation
    return nested.POLICY, deciding_again(asked.game, asked.player, question.against, *goal, deadline)


def answered(
    asked: PositionQuestion,
    later: Sequence[ir.Statement],
    sampler: Sampler,
    deadline: Deadline,
    progress: Progress | None,
) -> ModelAnswer:
    """The answer by a model: in as many scenarios as were asked for, or in ever more."""
    searching = deadline.share(SEARCHING)
    count = AT_FIRST if asked.question.scenarios is None else asked.question.scenarios
    trial = [] if later else asked.by_trial(searching.share(TRYING))
    choice: ChoiceTable | None = None
    before: ModelAnswer | None = None
    while True:
        begin = searching.clock()
        try:
            problem = formulated(asked, later, count, searching)
            engine = BY_MODEL.get(asked.question.engine)
            found = models.solve(problem, searching, asked.question.alternatives, progress, engine)
        except (NotFound, TimeIsUp):
            if before is None:
                raise
            return before
        choosing = deadline.share(CHOOSING)
        if choice is None:
            choice = _choice(asked, sampler, choosing)
        sampler.deadline = choosing
        candidates = _candidates(asked, sampler, problem, found, trial)
        here = ModelAnswer(problem, found, choice.ranked(candidates, choosing), count)
        took = searching.clock() - begin
        if before is not None and here.found.status != OPTIMAL:
            return before
        stable = before is not None and before.ranking[0] == here.ranking[0]
        if not asked.sets.grows or stable or found.status != OPTIMAL or GROWTH * took > searching.left:
            return here
        before, count = here, 2 * count


def _choice(asked: PositionQuestion, sampler: Sampler, deadline: Deadline) -> ChoiceTable:
    scenarios = []
    with suppress(TimeIsUp):
        scenarios = deadline.share(0.5).each(asked.sets.choice(asked.question.samples), lambda scenario: scenario)
    return ChoiceTable(sampler, scenarios)


def _candidates(
    asked: PositionQuestion,
    sampler: Sampler,
    problem: ModelledProblem,
    found: Best,
    trial: Sequence[AnswerSequence],
) -> list[AnswerSequence]:
    others = [other.answers for other in found.alternatives]
    if isinstance(problem, nested.Nested):
        return _promising(asked, sampler, [found.answers, *problem.promising(LISTED), *others])
    return [found.answers, *others, *trial]


def _promising(asked: PositionQuestion, sampler: Sampler, answers: Sequence[AnswerSequence]) -> list[AnswerSequence]:
    """The best answers of a tree, as they fare elsewhere: a tree is a small sample of what may happen. They are as many
    as there is time for, judged by the first of them."""
    first, before = asked.question.scenarios or AT_FIRST, sampler.deadline.left
    sampler.table(answers[:1], first, 1)
    left = sampler.deadline.left
    if not left:
        return list(answers[:1])
    tries = left / 4 / (before - left)  # the worse half is left out twice, which costs the same again
    chosen = list(dict.fromkeys(answers))[: max(FINALISTS, int(tries / FIRST_LOOK))]
    sampler.first_look = max(FIRST_LOOK, min(int(tries / len(chosen)), LOOK))
    return sampler.finalists(chosen, asked.question.samples, FINALISTS, first)


def in_search(answer: ModelAnswer, deadline: Deadline) -> Best:
    """What the chosen answer is worth in the scenarios of the search, whoever is the best one there; if there is no
    time to see that, the best one is chosen."""
    found, chosen = answer.found, answer.ranking[0]
    if chosen == found.answers:
        return found
    with suppress(NotFound):
        return models.instead(answer.problem, found, tuple(chosen), deadline)
    return found


def model_of(asked: PositionQuestion, deadline: Deadline | None = None) -> ModelledProblem:
    """The model that a question is answered with at first."""
    limit = deadline or Deadline()
    try:
        later = later_blocks(asked, limit)
        count = asked.question.scenarios or AT_FIRST
        return formulated(asked, later, count, limit.share(1 / models.MAKING))
    except TimeIsUp:
        raise NotModelled from None
