"""A decision of a random program in the solver: its answer is the best of all (a brute-force oracle).

An answer is worth what the interpreter finds when it is played in every scenario (`tests.solver.solving`). Rules that
have no form in a model, answers that make the rules fail and decisions with too many answers are counted, and left. Own
later decisions follow rules of thumb that are drawn at random.
"""

from __future__ import annotations

import random
from itertools import islice

from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.solver.methods.best import NotFound
from chocolatl.solver.symbolic.unmodelled import Unsupported
from tests.fuzzing.tallies import Difference, Tally, same, without_invariants
from tests.games import walk
from tests.solver.solving import Case, allocations, any_rules

MOST_ANSWERS = 40
"""Where there are more answers, they are not all played."""
SCENARIOS = 2
MOST_POSITIONS = 60
SECONDS = 20.0


def best_answer(given: Game, seed: int, tally: Tally) -> None:
    """At some decision of a game the solver finds an answer, and no other is better when all are played."""
    game = without_invariants(given)
    found = _decision(game, seed)
    if found is None:
        tally.add("solver: nothing to decide")
        return
    position, player = found
    try:
        answers = list(islice(allocations(game, position, player), MOST_ANSWERS + 1))
        if len(answers) > MOST_ANSWERS:
            tally.add("solver: too many answers")
            return
        case = Case.at(game, position, player, SCENARIOS, seed, policy=any_rules(game, player, seed))
        values = [case.worth(answer) for answer in answers]
    except RuleError:
        tally.add("solver: the rules fail")
        return
    try:
        best = case.solved(SECONDS)
    except Unsupported:
        tally.add("solver: no model")
        return
    except NotFound as error:
        raise Difference(f"the solver finds no answer: {error}") from error
    tally.add("solver: solved")
    if best.status == "optimal":
        tally.add("solver: proved")
        same("the best value by the solver", round(best.value * case.weight), max(values))
        same("the bound by the solver", round(best.bound * case.weight), max(values))
    same("the value of the solver's answer", case.worth(best.answers), max(values))


def _decision(game: Game, seed: int) -> tuple[Position, int] | None:
    """A decision somewhere in a random game; in a secret block somebody else has to be left."""
    usable: list[tuple[Position, int]] = []
    try:
        for position in islice(walk(game, seed), MOST_POSITIONS):
            pending = game.pending(position)
            if pending and (position.sealed is None or len(pending) > 1):
                usable += [(position, decision.player) for decision in pending]
    except RuleError:
        pass
    return random.Random(seed).choice(usable) if usable else None
