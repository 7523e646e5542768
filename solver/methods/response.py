"""The best response to uniform play (backward induction): what a player can expect at most against random answers.

All histories of a small game are played by the interpreter. Those that look the same to the player are one information
set, and get one answer: the one with the highest mean over them. Players forget nothing, so the information sets form
a tree, and the best answers follow from its leaves to its root. Every number is an exact fraction.

Uniform play: every legal answer is equally likely. In a secret block an answer is all that somebody chooses in it; or
else the others draw it as players of type `random` do, choice by choice, or by the odds of a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from chocolatl.interpreter.engine.machine import advance, finished
from chocolatl.interpreter.lowered.layout import PC
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.position import PrivateCopy
from chocolatl.interpreter.play.game import Decision, Game, Position, Result
from chocolatl.interpreter.play.sight import Eyes, Seen, in_block, is_shown, question
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp

Utility = Callable[[Result, int], int | Fraction]
"""What the end of a game is worth to a player."""

AnswerOdds = Callable[[Position, Decision], Iterator[tuple[object, Fraction]]]
"""What somebody may answer in a position, and how likely that is."""

ResponsePlan = dict[Seen, tuple[object, "ResponsePlan"]]
"""By what has been seen since the own last answer, the question included: the best answer, and the plan for what comes
after it."""

History = tuple[Position, Fraction, Seen]
"""Where a history has led to, how likely it is when the player does the own part, and what was seen of it. A position
stands for what lay before the player's eyes there: it is looked at only if the player has to decide again."""

MOST = 1_000_000

LOOK = 64
"""After so many histories the time is looked at."""

KEPT = 1024
"""Of so many secret blocks it is kept what one player can do in them."""


class TooManyHistories(Exception):
    """The game is too large to be played in every way. The message is a sentence for the user."""


@dataclass(frozen=True)
class Response:
    """`histories` counts all that can happen up to any event, `sets` what the player has to find an answer for."""

    value: Fraction
    plan: ResponsePlan
    histories: int
    sets: int


def points(result: Result, player: int) -> int:
    """The own score."""
    return result.scores[player]


def margin(result: Result, player: int) -> int:
    """The own score minus the best other one."""
    return result.scores[player] - max((s for seat, s in enumerate(result.scores) if seat != player), default=0)


def win(result: Result, player: int) -> int:
    """1 if nobody is ahead."""
    return int(player in result.winners)


def best_response(game: Game, player: int, utility: Utility = points, most: int = MOST) -> Response:
    """The best that a player can do over a whole game while all others answer at random."""
    search = HistorySearch(game, player, lambda end: utility(game.result(end), player), game.is_over, most)
    start = search.reached(game.initial())
    value, plan = search.best([(start, Fraction(1), (start,))])
    return Response(value, plan, search.histories, search.sets)


class HistorySearch:
    """Plays all histories up to where they end, and finds what each of these is worth."""

    def __init__(
        self,
        game: Game,
        player: int,
        worth: Callable[[Position], int | Fraction],
        is_end: Callable[[Position], bool],
        most: int,
        deadline: Deadline | None = None,
        drawn: bool = False,
        odds: AnswerOdds | None = None,
    ) -> None:
        self.game = game
        self.player = player
        self.worth = worth
        self.is_end = is_end
        self.most = most
        self.deadline = deadline or Deadline()
        self.drawn = drawn
        """Whether the others draw their answers as players of type `random` do."""
        self.policy = odds
        """How likely they answer what, if they do it by a policy."""
        self.histories = 0
        self.sets = 0
        self.known: dict[int, tuple[PrivateCopy, list[tuple[PrivateCopy, Fraction]]]] = {}
        self.eyes = Eyes(game, player)

    def best(self, todo: list[History]) -> tuple[Fraction, ResponsePlan]:
        """The highest value of histories with one past in the player's eyes, summed by probability; how to reach it."""
        value, plan = Fraction(0), ResponsePlan()
        alike: dict[Seen, list[tuple[Position, Fraction]]] = {}
        while todo:
            position, share, seen = todo.pop()
            if self.is_end(position):
                value += share * self.worth(position)
                continue
            # In a secret block the player is the first to answer, and so sees nothing of the others.
            decision = self.game.decision(position, self.player)
            if decision is not None:
                alike.setdefault((*self.recalled(seen), question(decision)), []).append((position, share))
                continue
            for after, chance, news, _ in self.futures(position):
                todo.append((after, share * chance, (*seen, *news)))
        self.sets += len(alike)
        for seen, histories in alike.items():
            found, answer, then = max(self.answered(histories), key=lambda option: option[0])
            value += found
            plan[seen] = answer, then
        return value, plan

    def answered(self, histories: list[tuple[Position, Fraction]]) -> Iterator[tuple[Fraction, object, ResponsePlan]]:
        """Every answer that can be given in an information set, and what it leads to."""
        decision = self.game.decision(histories[0][0], self.player)
        assert decision is not None
        for answer in decision.answers:
            following: list[History] = []
            for position, share in histories:
                after = self.reached(self.game.answer(position, self.player, answer))
                following.append((after, share, self.news(position, after)))
            value, plan = self.best(following)
            yield value, answer, plan

    def followed(self, begin: History, plan: ResponsePlan, log: Log) -> Iterator[tuple[Position, Fraction, Log]]:
        """The ends that a plan leads to, how likely they are, and all that was told until then."""
        todo = [(begin, plan, log)]
        while todo:
            (position, share, seen), plan, log = todo.pop()
            if self.is_end(position):
                yield position, share, log
                continue
            decision = self.game.decision(position, self.player)
            if decision is not None:
                answer, then = plan[(*self.recalled(seen), question(decision))]
                told: Log = []
                after = self.game.answer(position, self.player, answer, told)
                todo.append(((after, share, self.news(position, after)), then, log + told))
                continue
            for after, chance, news, told in self.futures(position, logged=True):
                todo.append(((after, share * chance, (*seen, *news)), plan, log + told))

    # ------------------------------------------------------------ what can happen

    def reached(self, position: Position) -> Position:
        """One more history."""
        self.count()
        return position

    def count(self) -> None:
        self.histories += 1
        if self.histories > self.most:
            raise TooManyHistories(
                f"the game has more than {self.most:,} histories, too many to play it in every way; "
                "fewer players, cards or rounds make it smaller"
            )
        if self.histories % LOOK == 0 and self.deadline.is_over:
            raise TimeIsUp

    def futures(self, position: Position, logged: bool = False) -> Iterator[tuple[Position, Fraction, Seen, Log]]:
        """What chance or another player may bring, how likely it is, what is seen of it, and what is told, if that is
        wanted."""
        log: Log | None
        chance = self.game.chance(position)
        if chance is not None:
            total = chance.outcomes.total**chance.outcomes.times
            for outcome, odds in chance.outcomes.odds():
                log = [] if logged else None
                after = self.reached(self.game.resolve(position, outcome, log))
                shown = outcome if chance.seen_by(self.player) else None
                yield after, Fraction(odds, total), (chance.name, shown, *self.news(position, after)), log or []
            return
        decision = self.game.pending(position)[0]
        if position.sealed is not None:
            yield from self.finished(position, logged)
            return
        for answer, share in self.odds(position, decision):
            log = [] if logged else None
            after = self.reached(self.game.answer(position, decision.player, answer, log))
            shown = answer if is_shown(decision) else None
            yield after, share, (decision.player, decision.name, shown, *self.news(position, after)), log or []

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[object, Fraction]]:
        """What another player may answer, and how likely that is."""
        if self.policy is not None:
            return self.policy(position, decision)
        if self.drawn:
            return decision.answers.odds()
        share = Fraction(1, decision.answers.count())
        return ((answer, share) for answer in decision.answers)

    def finished(self, position: Position, logged: bool) -> Iterator[tuple[Position, Fraction, Seen, Log]]:
        """A secret block in which only others are left to answer, finished in every way. None of them sees what
        somebody else does in it, so that what each can do is found once."""
        assert position.sealed is not None
        left = [decision.player for decision in self.game.pending(position)]
        ways = [self.ways(position, player) for player in left]
        for chosen in product(*ways):
            sealed = list(position.sealed)
            for player, (private, _) in zip(left, chosen, strict=True):
                sealed[player] = private
            log: Log | None = [] if logged else None
            after = self.reached(finished(self.game.program, Position(position.slots, tuple(sealed)), log))
            yield after, prod((share for _, share in chosen), start=Fraction(1)), self.news(position, after), log or []

    def ways(self, position: Position, player: int) -> list[tuple[PrivateCopy, Fraction]]:
        """All that somebody can still do in a secret block; for some while it is known again."""
        assert position.sealed is not None
        begin = position.sealed[player]
        if id(begin) not in self.known:
            if len(self.known) >= KEPT:
                self.known.clear()
            ends = list(self.ends(position, player, begin, Fraction(1)))
            alike, drawn = Fraction(1, len(ends)), self.drawn or self.policy is not None
            self.known[id(begin)] = begin, [(end, share if drawn else alike) for end, share in ends]
        return self.known[id(begin)][1]

    def ends(
        self, position: Position, player: int, private: PrivateCopy, share: Fraction
    ) -> Iterator[tuple[PrivateCopy, Fraction]]:
        assert position.sealed is not None
        stop = self.game.program.stops.get(private.slots[PC])
        if stop is None:
            yield private, share
            return
        sealed = (*position.sealed[:player], private, *position.sealed[player + 1 :])
        here = Position(position.slots, sealed)
        for answer, odds in self.odds(here, Decision(self.game, private.slots, stop)):
            after = PrivateCopy(list(private.slots), private.answers)
            advance(self.game.program, after, answer)
            self.count()
            yield from self.ends(position, player, after, share * odds)

    # ------------------------------------------------------------ what is seen

    def news(self, before: Position, after: Position) -> Seen:
        """What lies before the player's eyes after an event: in a secret block nothing but what the player knows, and
        at the end of the game nothing that could be of use."""
        return () if in_block(before, after) or self.is_end(after) else (after,)

    def recalled(self, seen: Seen) -> Seen:
        """What was seen, looked at."""
        return tuple([self.eyes.sight(glimpse) if isinstance(glimpse, Position) else glimpse for glimpse in seen])
