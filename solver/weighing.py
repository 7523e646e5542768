"""Worlds weighed by how likely a policy makes what was seen (Bayesian posterior by enumeration of histories).

A position tells what lies on the table, and not what was answered on the way. So all histories from the beginning of
the game are played that lead to what the player sees now, as long as they are few: chance has its odds, the others have
those of the policy, and the own answers are taken as they were. The world at the end of a history gets its weight.
"""

from __future__ import annotations

from fractions import Fraction

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.sight import Eyes, question
from chocolatl.interpreter.players.probes import guessed
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.response import AnswerOdds, HistorySearch, TooManyHistories
from chocolatl.solver.symbolic.resume import where
from chocolatl.solver.worth.beliefs import HeldBeliefs, WeighedWorlds

MOST, HOPELESS = 20_000, 20
"""So many histories are played at most, counted up to every event; none where so many times more are likely."""

TOO_MANY = "too many histories lead to what was seen, and the position does not tell which it was"
NOT_REACHED = "from the beginning nothing leads to this position by the policy"
NO_TIME = "there was no time to play all that leads to it"
FAILED = "the rules do not go on in some of the histories"


def held_beliefs(game: Game, position: Position, player: int, odds: AnswerOdds, deadline: Deadline) -> HeldBeliefs:
    """What a player who is asked something can conclude of what others have done by a policy."""
    try:
        shares = _Recollection(game, position, player, odds).shares(deadline)
    except TooManyHistories:
        return HeldBeliefs(None, TOO_MANY)
    except TimeIsUp:
        return HeldBeliefs(None, NO_TIME)
    except RuleError:
        return HeldBeliefs(None, FAILED)
    return HeldBeliefs(WeighedWorlds(shares)) if any(shares.values()) else HeldBeliefs(None, NOT_REACHED)


class _Recollection:
    """All ways to what a player sees."""

    def __init__(self, game: Game, position: Position, player: int, odds: AnswerOdds) -> None:
        self.game, self.player, self.odds = game, player, odds
        self.place = where(game.program, position.slots)
        self.answers = position.sealed[player].answers if position.sealed is not None else None
        self.eyes = Eyes(game, player)
        self.seen = self._seen(position)
        self.last = game.round(position) if _counts_once(game) else None

    def shares(self, deadline: Deadline) -> dict[Position, Fraction]:
        game, player = self.game, self.player
        search = HistorySearch(game, player, lambda _: 0, self.is_past, MOST, deadline, drawn=True, odds=self.odds)
        found: dict[Position, Fraction] = {}
        with deadline.enforced():
            if guessed(game, game.initial(), self.is_past) > HOPELESS * MOST:
                raise TooManyHistories
            todo = [(search.reached(game.initial()), Fraction(1))]
            while todo:
                here, share = todo.pop()
                if self.is_past(here):
                    continue
                world = self.alike(here)
                decision = game.decision(here, player)
                if world is not None:
                    found[world] = found.get(world, Fraction(0)) + share
                elif decision is not None:
                    ways = (game.answer(here, player, answer) for answer in decision.answers)
                    todo += [(search.reached(after), share) for after in ways]
                else:
                    todo += [(after, share * chance) for after, chance, _, _ in search.futures(here)]
        return found

    def is_past(self, here: Position) -> bool:
        """Whether nothing that follows can be what is seen."""
        return self.game.is_over(here) or (self.last is not None and self.game.round(here) > self.last)

    def alike(self, here: Position) -> Position | None:
        """The same position with the own answers to its secret block, if the player sees there what is seen now."""
        if (here.sealed is None) != (self.answers is None) or where(self.game.program, here.slots) != self.place:
            return None
        if here.sealed is not None and any(private.answers for private in here.sealed):
            return None  # looked at when the block began
        for answer in self.answers or ():
            decision = self.game.decision(here, self.player)
            if decision is None or not decision.answers.contains(answer):
                return None
            here = self.game.answer(here, self.player, answer)
        return here if self._seen(here) == self.seen else None

    def _seen(self, position: Position) -> object:
        decision = self.game.decision(position, self.player)
        return decision and (self.eyes.sight(position), question(decision))


def _counts_once(game: Game) -> bool:
    """Whether rounds are counted in one place, so that a later one never comes before an earlier one."""
    statements = [s for procedure in game.ir.procedures.values() for s in procedure.statements]
    return game.has_rounds and sum(isinstance(s, ir.ForEach) and s.counter is not None for s in statements) == 1
