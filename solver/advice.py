"""What to answer: the one door to all engines (a facade), for the command, the player and the hint.

A model is asked where one can be made of the rules: it knows the best of all answers in its scenarios, with proof.
Elsewhere options are compared by sampling. Nobody is to be misled by a few scenarios: the best answers are compared in
others, and what is told of the one that is chosen comes from others again, to which nothing was fitted.

A player who has to decide in secret again before the horizon will know more by then. Where few stages remain, all
histories are played; with one more block of decisions, a model of nested samples is made; before that, options are
compared by sampling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver import by_histories, by_model, by_work, going_on
from chocolatl.solver.answer import Advice as Advice
from chocolatl.solver.asking import ChoiceTable, PositionQuestion
from chocolatl.solver.backends.cpsat import FEASIBLE, OPTIMAL, Progress
from chocolatl.solver.by_model import BY_MODEL, DRAWING, SEARCHING, ModelAnswer
from chocolatl.solver.methods import exact, nested, sampling
from chocolatl.solver.methods.best import ModelledProblem, NotFound, NotModelled
from chocolatl.solver.methods.continuations import by_policy
from chocolatl.solver.methods.kinds import SEEN, AnswerKinds
from chocolatl.solver.methods.response import TooManyHistories
from chocolatl.solver.methods.sampling import NarrowedOptions, NoComparison
from chocolatl.solver.question import AUTO as AUTO
from chocolatl.solver.question import ENGINES as ENGINES
from chocolatl.solver.question import ENUMERATION as ENUMERATION
from chocolatl.solver.question import EXACT as EXACT
from chocolatl.solver.question import MODEL as MODEL
from chocolatl.solver.question import RANDOM as RANDOM
from chocolatl.solver.question import SAMPLING as SAMPLING
from chocolatl.solver.question import HorizonKind as HorizonKind
from chocolatl.solver.question import SolverQuestion as SolverQuestion
from chocolatl.solver.question import question_of as question_of
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.symbolic.unmodelled import Unsupported
from chocolatl.solver.telling import compared_idea, not_in_time, told_options, told_report
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting
from chocolatl.solver.worth.scenario_sets import CHOICE, MOST_CHOICE, ONE_SCENARIO, REPORT

COMPLETING = 0.3
"""This share of what is left is for the rest of an idea."""

SEEING = 0.1
"""This share of what is left is for what candidates win."""

UNCLEAR = 5
"""So many times as many scenarios are drawn to choose by, if it is not clear before which option is best."""

TRYING, CHOOSING, CLIMBING = 0.9, 0.4, 0.5
"""These shares of what is left are for sampling, for the choice among what it has left over, and before that for a
search over whole answers."""

GIVEN = "the others' answers are given: nothing is fresh but the luck that comes after them"
NO_MODEL = "no scenario became one in its share of the time"
TOO_LONG = "all histories: the time was up before they were played"
NOT_FOUND = "no answer was found with it in its share of the time"


def advise(
    game: Game,
    position: Position,
    player: int,
    question: SolverQuestion,
    progress: Progress | None = None,
    contests: bool = True,
) -> Advice:
    """The best answer of a player who has something to decide, in the time; `Unsupported` if only a model was asked
    for. Without `contests` it is not told how bids fare in them, which takes longer than the answer."""
    asked, deadline = PositionQuestion(game, position, player, question, contests), Deadline(question.seconds)
    _ = asked.proposal, asked.beliefs  # if these make no sense, nobody has to wait to hear it
    return replace(_advised(asked, deadline, progress), beliefs=asked.told_beliefs)


def _advised(asked: PositionQuestion, deadline: Deadline, progress: Progress | None) -> Advice:
    question = asked.question
    if _is_for_sampling(question):
        few = by_work.histories(asked) if question.work is not None else 0
        try:
            if few:
                with suppress(TooManyHistories, RuleError):
                    return by_histories.answered(asked, deadline.share(SEARCHING), few, hopeless=1)
        except TimeIsUp:
            return _by_sampling(asked, deadline, None, [TOO_LONG])
        return _by_sampling(asked, deadline, None)
    if question.engine == EXACT:
        try:
            return by_histories.answered(asked, deadline.share(SEARCHING))
        except TimeIsUp:
            return _by_sampling(asked, deadline, None, [TOO_LONG])
        except TooManyHistories as error:
            raise NoAnswer(QuestionSetting(QuestionPart.ENGINE, EXACT), f": {error}") from None
    try:
        later = by_model.later_blocks(asked, deadline.share(DRAWING))
        if question.engine == AUTO and question.has_odds and question.fresh is None:
            most = exact.MOST if later else exact.FEW  # a model knows nothing of what is seen later
            with suppress(TooManyHistories, TimeIsUp, RuleError):  # where they are likely to be few
                return by_histories.answered(asked, deadline.share(0.5), most, hopeless=1)
        return _by_model(asked, later, deadline, progress)
    except Unsupported as unsupported:
        if question.engine in BY_MODEL:
            raise
        why = f"{unsupported.span}: {unsupported.message}"
    except (NotModelled, TimeIsUp):
        why = NO_MODEL
    except NotFound as error:
        if not error.in_time:
            raise
        why = NOT_FOUND
    return _by_sampling(asked, deadline, why)


def _is_for_sampling(question: SolverQuestion) -> bool:
    """Whether options are to be compared by sampling alone; `NoAnswer` if that is not what was asked for."""
    if question.engine == SAMPLING:
        return True
    settings = [QuestionSetting(QuestionPart.WORK)] * (question.work is not None)
    if question.horizon != HorizonKind.ROUND:
        settings.append(QuestionSetting(QuestionPart.HORIZON, question.horizon.value))
    if settings and question.engine != AUTO:
        raise NoAnswer(settings[0], ": only the engines auto and sampling know what to do with that")
    return bool(settings)


def formulated(
    game: Game, position: Position, player: int, question: SolverQuestion, deadline: Deadline | None = None
) -> ModelledProblem:
    """The model of a question, as far as it is made in the time; `Unsupported` if there is none."""
    return by_model.model_of(PositionQuestion(game, position, player, question), deadline)


# ---------------------------------------------------------------- by a model


def _by_model(
    asked: PositionQuestion, later: Sequence[ir.Statement], deadline: Deadline, progress: Progress | None
) -> Advice:
    question, sets = asked.question, asked.sets
    limit = Deadline(deadline.left, deadline.clock)
    answer = by_model.answered(asked, later, limit, deadline, progress)
    sampler = answer.sampler
    limit.until = sampler.deadline.until = deadline.until
    idea = asked.completed(sampler, deadline.share(COMPLETING), answer.problem)
    found = by_model.in_search(answer, deadline.share(CHOOSING))
    if answer.kinds is not None:
        answer.kinds.deadline = deadline.share(SEEING)
    others = answer.others(found.answers, sampling.FINALISTS - 1, found.status != OPTIMAL)
    alike = [each for each in others if answer.alike(each, found.answers)]
    scenarios: Iterable[FixedScenario] = sets.report(question.samples) if sets.is_fresh else answer.problem.scenarios
    report = told_report(asked, sampler, found.answers, others, scenarios, deadline)
    expected = sets.size(question.samples) if sets.is_fresh else len(answer.problem.scenarios)
    compared = compared_idea(asked, report, idea, deadline)
    fewer = _fewer_scenarios(answer, asked)
    bound = found.bound if math.isfinite(found.bound) and not fewer else None
    status = FEASIBLE if fewer else found.status  # nothing is proved for those that were asked for
    anew: float | None = None
    with suppress(TimeIsUp):
        anew = answer.problem.decided_anew(found.answers, deadline.share(CHOOSING))
    best, policy = answer.found, going_on.in_words(answer.problem, answer.rules)
    left_out = *answer.left_out, *fewer, *found.left_out, *not_in_time(asked, report, expected, compared)
    return Advice(
        found.choices, found.answers, found.value, bound, status, found.engine, policy, found.scenarios,
        found.seconds, report.value if report and sets.is_fresh else None, told_options(asked, report, alike),
        model=found, compared=compared, idea=idea, asked=question.samples,
        left_out=left_out, report=report, rules=tuple(answer.rules.told),
        proved=best if best.status == OPTIMAL and status != OPTIMAL and not fewer else None,
        against=question.against, is_drawn=sets.is_drawn, fresh_file=question.fresh, why_not_fresh=sets.why_not_fresh,
        branches=answer.asked if sets.is_drawn or question.scenarios else None, seed=question.seed,
        is_foreseen=answer.problem.is_foreseen, decided_anew=anew,
    )  # fmt: skip


def _fewer_scenarios(answer: ModelAnswer, asked: PositionQuestion) -> list[str]:
    """Where scenarios are drawn, whether there was time for all that were asked for."""
    count, told = len(answer.problem.scenarios), "scenarios: {} of {} were drawn"
    if isinstance(answer.problem, nested.Nested):
        count, told = count // nested.TWIGS, "branches: {} of {} became a model"
    return [told.format(count, answer.asked)] if asked.sets.is_drawn and count < answer.asked else []


# ---------------------------------------------------------------- by sampling


def _by_sampling(asked: PositionQuestion, deadline: Deadline, why: str | None, left_out: Sequence[str] = ()) -> Advice:
    question, sets = asked.question, asked.sets
    begin, trying = deadline.clock(), deadline.share(TRYING)
    limit = Deadline(trying.left, deadline.clock)
    rules, in_time = going_on.sampled_rules(asked, trying.share(going_on.SAMPLED_RULES))
    run = by_policy(asked.game, asked.player, limit, rules.policy) if rules.told else asked.at_random(limit)
    sampler = asked.sampler(run, trying)
    cut: list[str] = []
    try:
        if question.work is not None:
            found = by_work.found(asked, sampler)
            ranking = found.options
        elif asked.block is not None:
            tried = asked.by_climbing(asked.block, sampler, trying.share(CLIMBING))
            first = tried.options[0] if tried.options else asked.block.answers(())
            found = NarrowedOptions(tried.options, tried.tried, 0, first, None, tried.others)
            ranking = _chosen(asked, sampler, found.options, trying.share(CHOOSING)) if found.options else []
            cut = [] if tried.is_whole else [f"whole answers: {tried.tried:,} were tried in the time"]
        else:
            found = sampling.narrowed(sampler, asked.position, asked.player, question.samples, question.seed)
            ranking = _chosen(asked, sampler, found.options, trying.share(CHOOSING))
        best = ranking[0] if ranking else found.first
        scenarios = sets.report(question.samples) if sets.is_fresh else _again(asked, REPORT)
        seeing = trying.share(SEEING if question.work is None else 1)  # what a budget comes to does not go by the clock
        others, alike = _beside(asked, sampler, best, ranking[1:], found.others, seeing)
        if question.work is not None and (sampler.was_cut or seeing.is_over):
            cut = [by_work.CUT]
        report = told_report(asked, sampler, best, others, scenarios, trying)
    except NoComparison as error:
        raise NoAnswer(*error.words) from None
    limit.until = deadline.until  # for the rest of the time
    idea = asked.completed(sampler, deadline.share(CHOOSING), None)
    compared = compared_idea(asked, report, idea, deadline)
    expected = sets.size(question.samples)
    count = found.tried if report is not None else int(found.seen is not None)
    left_out = [*left_out, *cut] + [f"options: {count:,} of {found.possible:,} were tried"] * (count < found.possible)
    left_out += [going_on.RULES_LEFT_OUT] * (report is not None and not in_time)
    value = report.value if report is not None else None
    return Advice(
        playout.named(asked.game, asked.position, asked.player, best), best, value.mean if value else found.seen, None,
        FEASIBLE if value else "unknown", sampling.ENGINE, str(rules), value.samples if value else 0,
        deadline.clock() - begin, value if sets.is_fresh else None, told_options(asked, report, alike), why,
        compared=compared,
        idea=idea, asked=question.samples, report=report,
        left_out=(*left_out, *not_in_time(asked, report, expected, compared)), rules=tuple(rules.told),
        against=question.against, is_drawn=sets.is_drawn, fresh_file=question.fresh,
        why_not_fresh=GIVEN if sets.why_not_fresh == ONE_SCENARIO else sets.why_not_fresh, seed=question.seed,
    )  # fmt: skip


def _beside(
    asked: PositionQuestion,
    sampler: sampling.Sampler,
    best: AnswerSequence,
    others: Sequence[AnswerSequence],
    different: Sequence[AnswerSequence],
    deadline: Deadline,
) -> tuple[Sequence[AnswerSequence], Sequence[AnswerSequence]]:
    """What is told beside an answer to a whole block, and which of these win the same: what differs in kind or, if
    nothing does, the best other one."""
    if asked.block is None:
        return others, ()
    kinds = AnswerKinds(sampler, asked.player, asked.sets.seen(SEEN, deadline), deadline)
    apart = kinds.apart(best, [*others, *different], max(1, asked.question.alternatives))
    return (apart, ()) if apart else (others[:1], [each for each in others[:1] if kinds.alike(each, best)])


def _chosen(
    asked: PositionQuestion, sampler: sampling.Sampler, options: Sequence[AnswerSequence], deadline: Deadline
) -> list[AnswerSequence]:
    """Options by what they are worth in the scenarios of the choice; none if there was no time. Where it is not clear
    which one is best, more are drawn."""
    count, sets = asked.question.samples, asked.sets
    if sets.is_given or sets.lines:
        drawing = sets.choice(count) if sets.is_fresh else _again(asked, CHOICE)
        with suppress(TimeIsUp):
            table = ChoiceTable(sampler, deadline.share(0.5).each(drawing, lambda scenario: scenario))
            ranking = table.ranked(options, deadline)
            return ranking if table.seen else []
        return []
    sampler.until_clear = count
    return [
        option.answers for option in sampler.ranked(options, max(count, min(UNCLEAR * count, MOST_CHOICE)), deadline)
    ]


def _again(asked: PositionQuestion, first: int) -> Iterable[FixedScenario]:
    """What is given, with other luck."""
    return map(asked.sets.drawn, range(first, first + asked.question.samples))
