"""Answers by all histories: exact values, their parts and contests, where few histories remain (full enumeration)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import lcm

from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.registry import LEARNED
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.answer import Advice
from chocolatl.solver.asking import LISTED, PositionQuestion
from chocolatl.solver.backends.cpsat import OPTIMAL
from chocolatl.solver.methods import exact
from chocolatl.solver.methods.completing import CompletedIdea, impossible
from chocolatl.solver.methods.exact import ExactSearch, HistoryEnd
from chocolatl.solver.methods.sampling import ComparedOption
from chocolatl.solver.question import EXACT, RANDOM
from chocolatl.solver.report import HistoryReport, PlayedScenario, ValuedAnswer, has_contests, valued
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.contests import PlayedContest, held, summaries
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.parts import ScenarioParts, mean_parts, parts_of
from chocolatl.solver.worth.proposed_answers import has
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting

NOT_TOLD = "parts and contests: there was no time to play the answer for them"


def answered(
    asked: PositionQuestion, deadline: Deadline, most: int = exact.MOST, hopeless: int = exact.SURELY
) -> Advice:
    """The best answer and its exact value; `TooManyHistories` if there is too much to play."""
    begin, question = deadline.clock(), asked.question
    if not question.has_odds:
        raise NoAnswer(
            QuestionSetting(QuestionPart.ENGINE, EXACT),
            ": it has to be known how likely the others answer what, as of `",
            QuestionSetting(QuestionPart.AGAINST, RANDOM),
            "` or `",
            QuestionSetting(QuestionPart.AGAINST, LEARNED),
            "`",
        )
    with deadline.enforced():
        found = exact.exact(
            asked.game, asked.position, asked.player, asked.measure, most, deadline, hopeless, asked.odds,
            asked.beliefs.worlds,
        )  # fmt: skip
    worth = dict(found.options)
    best, value = found.options[0]

    def option(answers: AnswerSequence) -> ComparedOption:
        """Every history is a sample, and there are no others."""
        behind = Estimate(float(value - worth[answers]), 0.0, found.histories)
        return ComparedOption(answers, Estimate(float(worth[answers]), 0.0, found.histories), behind)

    def told(given: Sequence[AnswerSequence]) -> tuple[ValuedAnswer, ...]:
        return valued(asked.game, asked.position, asked.player, [option(answers) for answers in given])

    options = told(_listed([answers for answers, _ in found.options], question.alternatives))
    idea = _idea(asked, list(worth))
    compared = told([idea.answers])[0] if idea is not None else None
    histories = None
    with suppress(TimeIsUp), deadline.enforced():
        histories = _reported(asked, found, options[0])
    return Advice(
        options[0].choices, best, float(value), float(value), OPTIMAL, exact.ENGINE, exact.POLICY, found.histories,
        deadline.clock() - begin, options[0].value, options, compared=compared, idea=idea,
        against=question.against, seed=question.seed, histories=histories,
        left_out=() if histories is not None else (NOT_TOLD,),
    )  # fmt: skip


def _listed(answers: Sequence[AnswerSequence], alternatives: int) -> list[AnswerSequence]:
    """Of answers, best first, those to be told: of single decisions the first ones, of several those that clearly
    differ, by a third of their parts."""
    if len(answers[0]) == 1:
        return list(answers[:LISTED])
    chosen = [answers[0]]
    for other in answers:
        if len(chosen) <= alternatives and all(_differ(other, known) for known in chosen):
            chosen.append(other)
    return chosen


def _differ(one: AnswerSequence, other: AnswerSequence) -> bool:
    own, others = (
        Counter(
            (place, piece) for place, part in enumerate(each) for piece in (part if isinstance(part, tuple) else [part])
        )
        for each in (one, other)
    )
    return 3 * (own - others).total() >= own.total()


def _reported(asked: PositionQuestion, found: ExactSearch, chosen: ValuedAnswer) -> HistoryReport:
    """What the value is made of, and how the answer fares in contests. What one more would bring there nobody says,
    since later answers would be others."""
    mine = _played(asked, found, chosen.answers)
    parts = [(each.scenario.weight, each.parts) for each in mine if each.parts is not None]
    scenarios = [each.scenario for each in mine]
    contests = summaries(asked.game, chosen.choices, scenarios, [each.contests for each in mine])
    told = mean_parts(asked.measure, parts) if parts else None
    return HistoryReport(told, tuple(contests), partial(_played, asked, found))


def _played(asked: PositionQuestion, found: ExactSearch, answers: AnswerSequence) -> list[PlayedScenario]:
    """All histories after an answer. Those that come to the same are one, and weigh as much together."""
    game, player, measure = asked.game, asked.player, asked.measure
    noted = has_contests(game)
    shares: dict[object, Fraction] = {}
    merged: dict[object, tuple[HistoryEnd, float, ScenarioParts | None, list[PlayedContest]]] = {}
    for each in found.ends(answers):
        contests = held(game, player, each.log) if noted else []
        parts = parts_of(measure, each.before, each.end, contests)
        worth = measure(each.before, each.end) / measure.unit
        key = worth, str(parts), tuple(map(_come_to, contests))
        shares[key] = shares.get(key, Fraction(0)) + each.share
        merged.setdefault(key, (each, worth, parts, contests))
    whole = lcm(*(share.denominator for share in shares.values()))
    return [
        PlayedScenario(FixedScenario(each.before, 0, int(shares[key] * whole)), worth, parts, contests, None)
        for key, (each, worth, parts, contests) in merged.items()
    ]


def _come_to(contest: PlayedContest) -> tuple[object, ...]:
    return contest.name, contest.values, contest.key, contest.others, contest.place, contest.is_last, contest.points


def _idea(asked: PositionQuestion, options: Sequence[AnswerSequence]) -> CompletedIdea | None:
    """The player's idea: of all answers, which are there best first, the first that has it."""
    if asked.proposal is None:
        return None
    given = asked.proposal.given
    fitting = (each for each in options if has(asked.game, asked.position, asked.player, each, given))
    found = next(fitting, None)
    if found is None:
        raise impossible()
    return CompletedIdea(found, tuple(given), None if asked.proposal.whole is not None else OPTIMAL)
