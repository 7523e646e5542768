"""Answers within a budget of work (an anytime search by counted playouts): the same on every machine.

The budget is counted in decisions of games that are played on at random, and not by the clock: 1 is about a second.
Where no more histories than that are possible, all of them are played. Elsewhere options of single decisions are
compared by sampling; the answers to a secret block are found together, by a search over whole answers. Players decide
in this way, and whoever asks with the same budget is told the same.
"""

from __future__ import annotations

from contextlib import suppress

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Position
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import Playout, copied
from chocolatl.interpreter.players.lookahead import AnswerSequence, candidates
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods import exact
from chocolatl.solver.methods.native_rows import row_effort
from chocolatl.solver.methods.response import TooManyHistories
from chocolatl.solver.methods.sampling import FINALISTS, NarrowedOptions, Sampler
from chocolatl.solver.methods.search import searched, whole
from chocolatl.solver.methods.starting_answers import policy_answers
from chocolatl.solver.question import AUTO
from chocolatl.solver.worth.horizons import HorizonKind, horizon_of
from chocolatl.solver.worth.opponents import LearnedConduct

DECISIONS = 40_000
"""So many decisions of random games are about a second."""

SET_UP = 4
"""To set up a game takes as long as so many of its decisions."""

FEWEST = 64
"""So many games are played, however small the budget is."""

DRAWN = 24
"""So many answers of players who follow a policy are compared at most, drawn by that policy."""

SCENARIOS = 8
"""In so many scenarios whole answers are tried."""

FIRST_LOOK = 4
"""In so many scenarios single options are tried at least."""

BY_ODDS = 20
"""To find all answers of somebody who follows a policy, and how likely each is, takes as long as so many decisions."""

SHORT = 14
"""Where a game takes more decisions it has too many histories."""

LOOK = 32
"""After so many scenarios it is seen whether the best option is ahead beyond doubt, and after twice as many again."""

CUT = "work: the time was up before it was done, so that another run may come to something else"


def games(asked: PositionQuestion) -> int:
    """How many games the budget is enough for, from the position to the horizon."""
    assert asked.question.work is not None
    return max(FEWEST, int(asked.question.work * DECISIONS / (SET_UP + length(asked))))


def histories(asked: PositionQuestion) -> int:
    """How many histories may be played instead; none where they are surely more, or where that is no way to answer."""
    question = asked.question
    near = question.horizon == HorizonKind.ROUND or not asked.game.has_rounds
    if question.engine != AUTO or not question.has_odds or question.fresh is not None or not near:
        return 0
    decisions = length(asked)
    most = min(exact.FEW, games(asked) * (SET_UP + decisions)) if decisions <= SHORT else 0
    return most // BY_ODDS if asked.conduct is not None else most


def found(asked: PositionQuestion, sampler: Sampler) -> NarrowedOptions:
    """The best answers that the budget finds, best first: to one decision, or to all that are left of a secret block.
    They are compared in the scenarios of the choice."""
    game, position, player = asked.game, asked.position, asked.player
    decision, random = game.decision(position, player), Random(asked.seed)
    assert decision is not None
    first, count = (decision.answers.nth(0),), games(asked)
    sampler.until_clear = LOOK
    block = game.sample_unknown(position, player, random)
    if asked.conduct is not None:
        return _drawn_by_policy(asked, sampler, asked.conduct, block, count)
    if block.sealed is not None and len(whole(game, block, player, random)) > 1:
        tries = max(8, count * 4 // 5 // SCENARIOS)
        best, _, _, others = searched(sampler, position, player, tries, SCENARIOS, random)
        more = max(SCENARIOS, count // 5 // len(best))
        tried = possible = tries
    else:
        # Half as many options are tried twice as often: every time half are left out costs the same.
        possible = decision.answers.count()
        tried = min(possible, count // (4 * FIRST_LOOK))
        halvings = (max(0, tried - 1) // FINALISTS).bit_length()
        sampler.first_look = max(FIRST_LOOK, count // 2 // (tried * max(1, halvings)))
        more = max(2 * FIRST_LOOK, count // (1 + (halvings > 0)) // min(tried, FINALISTS))
        answers = [(answer,) for answer in candidates(decision, tried, Random(asked.seed))]
        best, others = sampler.finalists(answers, more), []
    ranking = [option.answers for option in sampler.ranked(best, more)]
    return NarrowedOptions(ranking or best, tried, possible, first, None, others)


def _drawn_by_policy(
    asked: PositionQuestion, sampler: Sampler, conduct: LearnedConduct, block: Position, count: int
) -> NarrowedOptions:
    """The best of what the policy of the others may answer, which is a good answer to begin with: every answer to a
    single decision with few, else such as the policy draws. Whatever luck decides, it is one of these."""
    game, player = asked.game, asked.player
    decision, random = game.decision(asked.position, player), Random(asked.seed)
    assert decision is not None
    most = max(2, min(DRAWN, count // (2 * FIRST_LOOK)))
    drawn = dict.fromkeys(policy_answers(game, block, player, conduct, random) for _ in range(most))
    possible = decision.answers.count()
    if asked.block is None and possible <= most:
        drawn |= dict.fromkeys((answer,) for answer in decision.answers)
    answers = list(drawn)
    halvings = (max(0, len(answers) - 1) // FINALISTS).bit_length()
    sampler.first_look = max(FIRST_LOOK, count // 2 // (len(answers) * max(1, halvings)))
    more = max(2 * FIRST_LOOK, count // (1 + (halvings > 0)) // min(len(answers), FINALISTS))
    best = sampler.finalists(answers, more)
    ranking = [option.answers for option in sampler.ranked(best, more)]
    return NarrowedOptions(ranking or best, len(answers), max(possible, len(answers)), answers[0], None)


def best_answers(asked: PositionQuestion) -> AnswerSequence:
    """What a player answers, who has only the budget and no clock."""
    most = histories(asked)
    if most:
        with suppress(TooManyHistories, RuleError):
            listed = exact.exact(
                asked.game, asked.position, asked.player, asked.measure, most, None, 1, asked.odds, asked.beliefs.worlds
            )
            return listed.options[0][0]
    never = Deadline()
    return found(asked, asked.sampler(asked.at_random(never), never)).options[0]


def length(asked: PositionQuestion) -> int:
    """How many decisions a game takes from here to the horizon. Native code counts them, where it makes rows."""
    game, start = asked.game, asked.sets.drawn(0).position
    luck, horizon = streams(asked.seed, 0, game.player_count), horizon_of(game, start, asked.question.horizon)
    maker = row_effort(game.program, asked.question.valuation, asked.weights).compiled(game)
    if maker is not None:
        return maker.stepper.load(start, luck).play_on(horizon)
    chance, *players = luck
    playout = Playout(game, copied(start), chance, players, horizon)
    playout.run()
    return playout.decisions
