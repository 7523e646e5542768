"""The `solver` player: it asks the solver what to answer, with a budget of work for each decision.

The budget is counted in decisions of games that are played on at random, not by the clock, so that the same seed gives
the same game on every machine; a budget of 1 is about a second. The player sees the position through
`game.sample_unknown` and `game.view` alone. What it draws at random depends on what it sees: the answers to a secret
block are found together, when the first of them is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from chocolatl.interpreter.formats.valuation import Valuation, valuation_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import Horizon, Playout, copied
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods.continuations import at_random
from chocolatl.solver.methods.sampling import FINALISTS, ComparedOption, Sampler, compare
from chocolatl.solver.methods.search import searched, whole
from chocolatl.solver.report import ValuedAnswer, reported, valued
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenario_sets import CHOICE
from chocolatl.solver.worth.scenarios import source

DECISIONS = 40_000
"""So many decisions of random games are about a second."""

SET_UP = 4
"""To set up a game takes as long as so many of its decisions."""

SCENARIOS = 8
"""In so many scenarios whole answers are tried."""

FIRST_LOOK = 4
"""In so many scenarios single options are tried at least."""

LOOK = 32
"""After so many scenarios it is seen whether the best option is ahead beyond doubt, and after twice as many again."""

FAR = Horizon(40, 400)
"""How far it is looked where nothing says what a position is worth: to the end of a round that is not near."""

HINTED, HINT_SAMPLES = 3, 100
"""So many answers are told in a hint, in so many scenarios at most."""

KEPT = 16
"""So many plans for secret blocks are remembered."""


class SolverPlayer:
    def __init__(self, budget: float = 0.1) -> None:
        self.decisions = budget * DECISIONS
        self.plans: dict[int, AnswerSequence] = {}
        self.valuations: dict[int, tuple[Game, Valuation]] = {}

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        if decision.answers.count() == 1:
            return decision.answers.nth(0)
        player = decision.player
        sealed = position.sealed is not None
        given = position.sealed[player].answers if position.sealed is not None else ()
        seed = _seed(game, position, player)
        if sealed:
            plan = self.plans.get(seed)
            if plan is not None and plan[: len(given)] == given and len(plan) > len(given):
                return plan[len(given)]
        found = self.options(game, position, decision, seed)[0].answers
        if sealed:
            if len(self.plans) >= KEPT:
                self.plans.clear()
            self.plans[seed] = (*given, *found)
        return found[0]

    def advice(self, game: Game, position: Position, decision: Decision) -> tuple[ValuedAnswer, ...]:
        """What the player would answer and what comes next to it, as people write it: with values in scenarios by which
        none of them was found or chosen."""
        player, seed = decision.player, _seed(game, position, decision.player)
        sampler, horizon = self.sampler(game, position, player, seed)
        best, *others = (option.answers for option in self.options(game, position, decision, seed)[:HINTED])
        count = min(HINT_SAMPLES, self.games(sampler, seed, horizon))
        report = reported(sampler, player, best, others, map(sampler.source, range(CHOICE, CHOICE + count)), Deadline())
        assert report is not None
        first, *rest = valued(game, position, player, report.options)
        return replace(first, parts=report.parts), *rest

    def sampler(self, game: Game, position: Position, player: int, seed: int) -> tuple[Sampler, Horizon]:
        measure = OutcomeMeasure(game, player, valuation=self.valuation(game))
        drawn = source(game, position, player, "random", seed)
        # With a valuation there is no need to look beyond the round, or beyond what comes before the first one.
        horizon = Horizon() if measure.items and game.has_rounds else FAR
        return Sampler(game, drawn, at_random(game, player, horizon), measure, until_clear=LOOK), horizon

    def games(self, sampler: Sampler, seed: int, horizon: Horizon) -> int:
        """How many games the budget is enough for."""
        return max(64, int(self.decisions / (SET_UP + length(sampler.game, sampler.source(0).position, seed, horizon))))

    def options(self, game: Game, position: Position, decision: Decision, seed: int) -> Sequence[ComparedOption]:
        """The best answers that the budget finds: to one decision, or to all that are left of a secret block."""
        player, random = decision.player, Random(seed)
        sampler, horizon = self.sampler(game, position, player, seed)
        games = self.games(sampler, seed, horizon)
        block = game.sample_unknown(position, player, random)
        if block.sealed is not None and len(whole(game, block, player, random)) > 1:
            tries = max(8, games * 4 // 5 // SCENARIOS)
            best = searched(sampler, position, player, tries, SCENARIOS, random)
            return sampler.ranked(best, max(SCENARIOS, games // 5 // len(best)))
        # Half as many options are tried twice as often: every time half are left out costs the same.
        options = min(decision.answers.count(), games // (4 * FIRST_LOOK))
        halvings = (max(0, options - 1) // FINALISTS).bit_length()
        sampler.first_look = max(FIRST_LOOK, games // 2 // (options * max(1, halvings)))
        count = max(2 * FIRST_LOOK, games // (1 + (halvings > 0)) // min(options, FINALISTS))
        return compare(sampler, position, player, count, seed, options).options

    def valuation(self, game: Game) -> Valuation:
        if id(game) not in self.valuations:
            self.valuations[id(game)] = game, valuation_of(game)
        return self.valuations[id(game)][1]


def length(game: Game, position: Position, seed: int, horizon: Horizon) -> int:
    """How many decisions a game takes from here to the horizon."""
    chance, *players = streams(seed, 0, game.player_count)
    playout = Playout(game, copied(position), chance, players, horizon)
    playout.run()
    return playout.decisions


def _seed(game: Game, position: Position, player: int) -> int:
    """A number that follows from what the player sees; in a secret block, from what was seen at its beginning."""
    seen = str(game.view(Position(position.slots), player)["state"])
    return int.from_bytes(blake2b(seen.encode(), digest_size=6).digest(), "big")
