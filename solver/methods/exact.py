"""Answers without a model and without samples: every history to the horizon is played (expectimax).

It stands beside models and sampling, for decisions after which few stages remain. The player re-decides at each later
decision by what is seen until then, the others answer as players of type `random` do or by the odds of a policy, and
every world that the player holds for possible counts by its weight. So the value is exact, and its own later decisions
are the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log10

from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Game, Position, TooManyWorlds
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.probes import guessed
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods.response import AnswerOdds, History, HistorySearch, ResponsePlan, TooManyHistories
from chocolatl.solver.worth.beliefs import WeighedWorlds
from chocolatl.solver.worth.outcome import VICTORIES, OutcomeMeasure
from chocolatl.solver.worth.refusals import NoAnswer, nobody_won

ENGINE = "exact"
POLICY = "the best answers by what is seen then"

MOST, FEW = 200_000, 20_000
"""So many histories are played at most, counted up to every event; and so few are played wherever they are not more."""

SURELY = 100
"""If so many times too many histories are guessed, not even who asks for all of them has to wait for the end."""


@dataclass(frozen=True)
class AnsweredHistory:
    """What lies after an answer in one world, what was told until then, and the world before it."""

    history: History
    log: Log
    before: Position


@dataclass(frozen=True)
class HistoryEnd:
    """One way in which it may end, how likely it is, and all that was told on the way."""

    before: Position
    end: Position
    share: Fraction
    log: Log


@dataclass(frozen=True)
class ExactSearch:
    """What each answer is worth, best first, the first of equals first. `histories` and `sets` as in a response."""

    options: tuple[tuple[AnswerSequence, Fraction], ...]
    histories: int
    sets: int
    search: Callable[[], HistorySearch]
    plans: Mapping[AnswerSequence, tuple[Sequence[AnsweredHistory], ResponsePlan]]
    """What follows each answer at once, and how the player goes on after it."""

    def ends(self, answers: AnswerSequence) -> Iterator[HistoryEnd]:
        """All that may come of an answer."""
        begun, plan = self.plans[answers]
        search = self.search()
        for each in begun:
            for end, share, log in search.followed(each.history, plan, each.log):
                yield HistoryEnd(each.before, end, share, log)


def exact(
    game: Game,
    position: Position,
    player: int,
    measure: OutcomeMeasure,
    most: int = MOST,
    deadline: Deadline | None = None,
    hopeless: int = SURELY,
    odds: AnswerOdds | None = None,
    weighed: WeighedWorlds | None = None,
) -> ExactSearch:
    """What every answer is worth at the horizon; `TooManyHistories` if there is too much to play, or if so many times
    more is to be expected."""
    start = game.round(position)

    def is_end(reached: Position) -> bool:
        return game.is_over(reached) or (start > 0 and game.round(reached) != start)

    def worth(end: Position) -> Fraction:
        if measure.objective in VICTORIES and not game.is_over(end):
            raise NoAnswer("whether the game ends in this round is open,", *nobody_won(measure.objective))
        return Fraction(measure(position, end), measure.unit)

    def begun(limit: Deadline | None = None) -> HistorySearch:
        return HistorySearch(game, player, worth, is_end, most, limit, drawn=True, odds=odds)

    in_one = guessed(game, game.sample_unknown(position, player, Random(0)), is_end)
    _refuse(in_one, hopeless * most, most)  # seen at once, before anything is played
    worlds: Sequence[tuple[Position, int | Fraction]]
    try:
        worlds = game.worlds(position, player, most) if weighed is None else weighed.shares
    except TooManyWorlds:
        raise TooManyHistories("too much is possible that the player does not see") from None
    _refuse(len(worlds) * in_one, hopeless * most, most)
    search = begun(deadline)
    total = Fraction(sum(weight for _, weight in worlds))
    found: list[tuple[AnswerSequence, Fraction]] = []
    plans: dict[AnswerSequence, tuple[Sequence[AnsweredHistory], ResponsePlan]] = {}
    for option in whole_answers(game, worlds[0][0], player):
        following: list[AnsweredHistory] = []
        for world, weight in worlds:
            after, log = world, list[tuple[object, ...]]()
            for answer in option:
                after = search.reached(game.answer(after, player, answer, log))
            history = after, weight / total, search.news(world, after)
            following.append(AnsweredHistory(history, log, world))
        value, plan = search.best([each.history for each in following])
        found.append((option, value))
        plans[option] = following, plan
    found.sort(key=lambda valued: -valued[1])
    return ExactSearch(tuple(found), search.histories, search.sets, begun, plans)


def _refuse(expected: float, limit: float, most: int) -> None:
    if expected > limit:
        raise TooManyHistories(f"there are about 10^{log10(expected):.0f} histories, and {most:,} at most are played")


def whole_answers(game: Game, position: Position, player: int) -> Iterator[tuple[Answer, ...]]:
    """All that a player can answer: to the decision at hand, or to all that are left of a secret block."""
    decision = game.decision(position, player)
    assert decision is not None
    for answer in decision.answers:
        after = game.answer(position, player, answer)
        goes_on = position.sealed is not None and after.slots is position.slots
        if goes_on and game.decision(after, player) is not None:
            yield from ((answer, *rest) for rest in whole_answers(game, after, player))
        else:
            yield (answer,)
