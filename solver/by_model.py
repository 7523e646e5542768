"""Answers by a model: the best of all answers in some scenarios, with proof, and what is chosen of it by others.

How many scenarios are searched is asked for, or grows until the choice is stable (progressive sampling): twice as many
scenarios, the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.asking import LISTED, ChoiceTable, PositionQuestion
from chocolatl.solver.backends.cpsat import OPTIMAL, Progress
from chocolatl.solver.going_on import RULES, RULES_LEFT_OUT, better_rules, continuation, rules_of_thumb
from chocolatl.solver.methods import best as models
from chocolatl.solver.methods import nested
from chocolatl.solver.methods.best import Best, ModelledProblem, NotFound, NotModelled
from chocolatl.solver.methods.kinds import SEEN, AnswerKinds
from chocolatl.solver.methods.rules_of_thumb import LaterRules
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.question import ENUMERATION, MODEL
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.scenario_sets import AT_FIRST

BY_MODEL = {MODEL: models.ENGINE, ENUMERATION: models.ENUMERATION}
"""What answers by a model alone, if that is asked for."""

DRAWING, SEARCHING = 0.2, 0.7
"""These shares of what is left are for drawing scenarios, and for model and search."""

TRYING, CHOOSING = 0.1, 0.35
"""These shares of what is left are for a search by trial, and for the choice among candidates."""

IMPROVING, BEST_FIRST = 0.3, 0.6
"""Where nothing is proved, this share of what is left is for improving candidates; so much of it for the best one."""

CHANGES_LEFT_OUT = "small changes: not all were tried, so that one of them may be better in the scenarios of the search"
TRIAL_LEFT_OUT = "search by trial: it was broken off"
KINDS_LEFT_OUT = "alternatives: there was no time to see whether they win something else"

KINDS, KINDS_AT_LEAST = 0.8, 0.2
"""This share of what is left of the search is for alternatives of other kinds, and at least so much of what is left."""

GROWTH = 2.5
"""With twice as many scenarios it is expected to take so many times as long."""

FIRST_LOOK, LOOK, FINALISTS = 4, 24, 3
"""In so many scenarios first answers of a tree are tried at first, at least and at most; so many are left at last."""


@dataclass(frozen=True)
class ModelAnswer:
    """What a model has found in so many scenarios, and what is chosen: the candidates, best first; by which rules the
    player goes on, and how that is played."""

    problem: ModelledProblem
    found: Best
    ranking: list[AnswerSequence]
    asked: int
    rules: LaterRules
    sampler: Sampler
    choice: ChoiceTable
    kinds: AnswerKinds | None = None
    left_out: tuple[str, ...] = ()

    def alike(self, one: AnswerSequence, other: AnswerSequence) -> bool:
        """Whether two answers are known to win the same."""
        return self.kinds is not None and self.kinds.alike(one, other)

    def others(self, chosen: AnswerSequence, most: int, proved: bool) -> list[AnswerSequence]:
        """What is told beside the chosen answer: what differs in kind, best first, and what is proved in its place; if
        there is nothing else, the best other one."""
        rest = [each for each in self.ranking if each != chosen]
        apart = rest if self.kinds is None else self.kinds.apart(chosen, rest)
        told = [each for each in rest if each in apart or (proved and each == self.found.answers)]
        return told[:most] or rest[:1]


def later_blocks(asked: PositionQuestion, deadline: Deadline) -> Sequence[ir.Statement]:
    """What the player is asked in later secret blocks, as one scenario shows."""
    with deadline.enforced():
        return playout.later_blocks(asked.game, asked.sets.search(1)[0], asked.player)


def formulated(
    asked: PositionQuestion, later: Sequence[ir.Statement], rules: LaterRules, count: int, deadline: Deadline
) -> ModelledProblem:
    """The model of a question, as far as it is made in the time; `Unsupported` if there is none."""
    game, player, policy = asked.game, asked.player, rules.policy
    goal = asked.question.objective, asked.question.valuation
    drawing = deadline.share(DRAWING)
    if not later:
        return models.formulate(game, player, asked.sets.search(count, drawing), *goal, deadline, policy)
    if len(later) == 1 and asked.position.sealed is not None:
        trunk = asked.sets.search(count, drawing.share(0.5))
        given = game, asked.position, player, trunk, asked.sets.is_drawn, drawing, policy
        tree = nested.branched(*given, asked.beliefs.worlds)
        return nested.formulate(game, player, tree, *goal, deadline, policy)
    times = "once" if len(later) == 1 else f"{len(later)} times"
    raise Unsupported(later[0].span, ModelGap.LATER_BLOCKS, times)


def answered(
    asked: PositionQuestion,
    later: Sequence[ir.Statement],
    limit: Deadline,
    deadline: Deadline,
    progress: Progress | None,
) -> ModelAnswer:
    """The answer by a model: in as many scenarios as were asked for, or in ever more. If its player had better go on by
    other rules, it is sought again, by these. `limit` is for what is played with it later on."""
    rules, in_time = rules_of_thumb(asked, later, deadline.share(RULES))
    left_out = [] if in_time else [RULES_LEFT_OUT]
    searching = deadline.share(SEARCHING)
    trying = searching.share(TRYING)
    trial = [] if later else asked.by_trial(trying)
    left_out += [TRIAL_LEFT_OUT] * (trying.is_over and not later)
    count = AT_FIRST if asked.question.scenarios is None else asked.question.scenarios
    found = searched(asked, later, rules, trial, count, asked.sets.grows, limit, (deadline, searching), progress)
    better = better_rules(asked, found.problem, found.found.answers, found.rules, searching.share(RULES))
    if better is not None:
        with suppress(NotFound, TimeIsUp):
            again = searched(asked, later, better, trial, found.asked, False, limit, (deadline, searching), progress)
            if again.found.value > found.found.value:
                found = again
    if not later:
        kinds = Deadline(max(KINDS * searching.left, KINDS_AT_LEAST * deadline.left), deadline.clock)
        found = _of_other_kinds(asked, found, kinds, deadline)
        left_out += [KINDS_LEFT_OUT] * kinds.is_over
    return replace(
        found,
        left_out=(
            *left_out,
            *found.left_out,
            *found.choice.left_out(asked.sets.compared(_compared(asked, found.problem))),
        ),
    )


def searched(
    asked: PositionQuestion,
    later: Sequence[ir.Statement],
    rules: LaterRules,
    trial: Sequence[AnswerSequence],
    count: int,
    grows: bool,
    limit: Deadline,
    deadlines: tuple[Deadline, Deadline],
    progress: Progress | None,
) -> ModelAnswer:
    """The answer by a model and by some rules for later decisions."""
    deadline, searching = deadlines
    sampler = asked.sampler(continuation(asked, later, rules, limit), limit)
    choice: ChoiceTable | None = None
    before: ModelAnswer | None = None
    while True:
        begin = searching.clock()
        try:
            problem = formulated(asked, later, rules, count, searching)
            engine = BY_MODEL.get(asked.question.engine)
            found = models.solve(problem, searching, asked.question.alternatives, progress, engine)
        except (NotFound, TimeIsUp):
            if before is None:
                raise
            return before
        candidates, is_cut = _candidates(problem, found, trial, deadline.share(IMPROVING))
        choosing = deadline.share(CHOOSING)
        choice = _choice(asked, sampler, _compared(asked, problem), choice, choosing)
        sampler.deadline = choosing
        if isinstance(problem, nested.Nested):
            best, *others = candidates
            candidates = _promising(asked, sampler, [best, *problem.promising(LISTED), *others])
        ranking = _ranked(choice, problem, found, candidates, choosing)
        left_out = (CHANGES_LEFT_OUT,) * is_cut
        here = ModelAnswer(problem, found, ranking, count, rules, sampler, choice, left_out=left_out)
        took = searching.clock() - begin
        if before is not None and here.found.status != OPTIMAL:
            return before
        stable = before is not None and before.ranking[0] == here.ranking[0]
        if not grows or stable or found.status != OPTIMAL or GROWTH * took > searching.left:
            return here
        before, count = here, 2 * count


def _of_other_kinds(
    asked: PositionQuestion, answer: ModelAnswer, searching: Deadline, deadline: Deadline
) -> ModelAnswer:
    """The same with alternatives that differ in kind. They are candidates, too, if what is best in the search is
    proved; else a small change may be better than one of them."""
    kinds = AnswerKinds(answer.sampler, asked.player, asked.sets.seen(SEEN, searching), searching)
    engine = BY_MODEL.get(asked.question.engine)
    found = kinds.alternatives(answer.problem, answer.found, asked.question.alternatives, engine)
    candidates = [*answer.ranking, *(other.answers for other in found.alternatives)]
    answer.sampler.deadline = deadline.share(CHOOSING)
    ranking = _ranked(answer.choice, answer.problem, found, candidates, answer.sampler.deadline)
    if found.status != OPTIMAL:
        ranking.sort(key=lambda each: each != answer.ranking[0])
    return replace(answer, found=found, ranking=ranking, kinds=kinds)


def _ranked(
    choice: ChoiceTable,
    problem: ModelledProblem,
    found: Best,
    candidates: Sequence[AnswerSequence],
    deadline: Deadline,
) -> list[AnswerSequence]:
    """Candidates, best first in the choice."""
    if found.status != OPTIMAL or isinstance(problem, nested.Nested):
        return choice.ranked(candidates, deadline)
    return choice.ranked(candidates, deadline, found.answers, len(problem.scenarios))


def _compared(asked: PositionQuestion, problem: ModelledProblem) -> int:
    """In so many scenarios answers are to be compared: what is proved in many does not give way to luck in fewer."""
    return max(asked.question.samples, len(problem.scenarios))


def _choice(
    asked: PositionQuestion, sampler: Sampler, count: int, before: ChoiceTable | None, deadline: Deadline
) -> ChoiceTable:
    choice = before or ChoiceTable(sampler, [])
    more: list[FixedScenario] = []
    with suppress(TimeIsUp):
        scenarios = asked.sets.choice(count, len(choice.scenarios))
        more = deadline.share(0.5).each(scenarios, lambda scenario: scenario)
    return choice.wider(more)


def _candidates(
    problem: ModelledProblem, found: Best, trial: Sequence[AnswerSequence], deadline: Deadline
) -> tuple[list[AnswerSequence], bool]:
    """The best answer of the search, and others. Where nothing is proved, these are improved first as it was: nobody is
    to be told an answer that a small change makes better in the scenarios of the search; and whether there was no time
    to try all small changes."""
    others = [other.answers for other in found.alternatives]
    others += [tuple(each) for each in trial]
    if found.status == OPTIMAL or isinstance(problem, nested.Nested):
        return [found.answers, *others], False
    improved: list[AnswerSequence] = []
    is_cut = False
    for number, each in enumerate([found.answers, *others]):
        limit = deadline.share(1 / (len(others) + 1 - number) if number else BEST_FIRST)
        if not limit.is_over:
            improved.append(problem.improved(tuple(each), limit))
            is_cut = is_cut or limit.is_over
        elif number == 0:
            is_cut = True
    return [found.answers, *improved], is_cut


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
        rules, _ = rules_of_thumb(asked, later, limit.share(RULES))
        return formulated(asked, later, rules, count, limit.share(1 / models.MAKING))
    except TimeIsUp:
        raise NotModelled from None
