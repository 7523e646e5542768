"""What tests of the solver share: positions to be solved, all answers to them, and the value of each by playing it.

Nothing here knows how the solver finds an answer: an answer is worth what the interpreter finds when it is played in
every scenario.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count

from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.position import Position
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.methods.best import MAKING, Best, formulate, solve
from chocolatl.solver.methods.nested import SampleTree, branched
from chocolatl.solver.methods.rules_of_thumb import candidates
from chocolatl.solver.symbolic.scenario import FIRST_LEGAL, FixedScenario, LaterPolicy
from chocolatl.solver.worth.outcome import OBJECTIVES, POINTS, VICTORIES
from chocolatl.solver.worth.playout import to_horizon
from chocolatl.solver.worth.scenarios import scenarios
from tests.games import successor

Answers = tuple[object, ...]
Cells = dict[str, list[int]]
"""What scalar fields hold, cell by cell: of each player, or of the table."""


def dealt(game: Game, seed: int, number: int = 1) -> Position | None:
    """The first position of a round, in random play, at which all decide in secret. None if it is never reached."""
    choice = random.Random(seed)
    position = game.initial()
    while not game.is_over(position) and game.round(position) <= number:
        if position.sealed is not None and game.round(position) == number:
            return position
        position = successor(game, position, choice)
    return None


def edited(game: Game, position: Position, cells: Cells) -> Position:
    """A position at the beginning of a secret block, with other numbers in some fields."""
    slots = list(position.slots)
    for name, values in cells.items():
        place = next(p for (_, own), p in game.program.layout.places.items() if own == name)
        slots[place.base : place.base + len(values)] = values
    stop = game.program.stops[slots[0]]
    return Position(slots, machine.enter(game.program, list(slots), stop))


def going_without(game: Game, position: Position) -> Game:
    """The same game, which does not look at what an edited position breaks from the beginning."""
    program = game.program.without(game.program.broken(position.slots))
    return Game(game.files, game.ir, program, game.players)


def allocations(game: Game, position: Position, player: int) -> Iterator[Answers]:
    """All that a player can answer: to the decision at hand, or to all that are left of an open secret block."""
    decision = game.decision(position, player)
    if decision is None:
        yield ()
        return
    for number in range(decision.answers.count()):
        answer = decision.answers.nth(number)
        if position.sealed is None:
            yield (answer,)
            continue
        after = game.answer(position, player, answer)
        assert after.sealed is not None, "somebody else has to be left, so that the block stays open"
        for rest in allocations(game, after, player):
            yield (answer, *rest)


def any_rules(game: Game, player: int, seed: int) -> LaterPolicy:
    """A rule of thumb for each choice of a game, drawn at random from those that a player may have."""
    choice = random.Random(seed)
    statements = (s for procedure in game.ir.procedures.values() for s in procedure.statements)
    choices = {s.span: s for s in statements if isinstance(s, ir.Choose | ir.ChooseSet)}
    return LaterPolicy({place: choice.choice(candidates(game, node, player)) for place, node in choices.items()})


def worth(
    game: Game,
    given: list[FixedScenario],
    player: int,
    answers: Answers,
    objective: str = POINTS,
    policy: LaterPolicy = FIRST_LEGAL,
) -> Fraction:
    """The sum over all scenarios of what answers bring, by weight."""
    total = Fraction(0)
    for scenario in given:
        end = to_horizon(game, scenario, player, answers, policy=policy)
        scores, before = game.scores(end), game.scores(scenario.position)
        others = [score for seat, score in enumerate(scores) if seat != player]
        winners = game.result(end).winners if objective in VICTORIES else ()
        won = Fraction(player in winners)
        found: dict[str, Fraction | int] = {
            "points": scores[player] - before[player],
            "margin": scores[player] - max(others, default=0),
            "win": won,
            "win:half": won / min(2, max(1, len(winners))),
        }
        total += scenario.weight * found[objective]
    return total


def enumerated(
    game: Game,
    position: Position,
    given: list[FixedScenario],
    player: int,
    objective: str = POINTS,
    alike: Callable[[Answers], object] | None = None,
    policy: LaterPolicy = FIRST_LEGAL,
) -> Fraction:
    """The best value of all answers, each played. Of answers that are `alike` only one is."""
    best: Fraction | None = None
    seen: set[object] = set()
    for answers in allocations(game, position, player):
        if alike is not None:
            key = alike(answers)
            if key in seen:
                continue
            seen.add(key)
        value = worth(game, given, player, answers, objective, policy)
        best = value if best is None or value > best else best
    assert best is not None
    return best


Pair = tuple[int, int]


def bid_vectors(hand: tuple[int, ...]) -> Iterator[tuple[Pair, ...]]:
    """One way to lay a hand in pairs, for each row of sums that can be laid at all."""

    def visit(ways: dict[tuple[int, ...], tuple[Pair, ...]]) -> Iterator[tuple[Pair, ...]]:
        """The ways that have led to the same sums so far, by the cards that are left."""
        if () in ways:
            yield ways[()]
            return
        following: dict[int, dict[tuple[int, ...], tuple[Pair, ...]]] = {}
        for left, laid in ways.items():
            for i, j in combinations(range(len(left)), 2):
                rest = left[:i] + left[i + 1 : j] + left[j + 1 :]
                following.setdefault(left[i] + left[j], {}).setdefault(rest, (*laid, (left[i], left[j])))
        for alike in following.values():
            yield from visit(alike)

    yield from visit({tuple(sorted(hand)): ()})


@dataclass(frozen=True)
class Case:
    """A decision of a player, and the scenarios that the player reckons with."""

    game: Game
    position: Position
    player: int
    scenarios: list[FixedScenario]
    objective: str = POINTS
    policy: LaterPolicy = FIRST_LEGAL

    @classmethod
    def at(
        cls,
        game: Game,
        position: Position,
        player: int,
        count: int,
        seed: int,
        objective: str = POINTS,
        policy: LaterPolicy = FIRST_LEGAL,
    ) -> Case:
        assert objective in OBJECTIVES
        given = scenarios(game, position, player, "random", count, seed)
        return cls(game, position, player, given, objective, policy)

    @property
    def weight(self) -> int:
        return sum(scenario.weight for scenario in self.scenarios)

    def solved(self, seconds: float = 120) -> Best:
        problem = formulate(self.game, self.player, self.scenarios, self.objective, policy=self.policy)
        return solve(problem, Deadline(seconds))

    def worth(self, answers: Answers) -> Fraction:
        return worth(self.game, self.scenarios, self.player, answers, self.objective, self.policy)

    def assert_solved(self, alike: Callable[[Answers], object] | None = None) -> Best:
        """The solver proves its answer, and no answer is better."""
        best = self.solved()
        assert best.status == "optimal"
        expected = enumerated(self.game, self.position, self.scenarios, self.player, self.objective, alike, self.policy)
        assert round(2 * best.value * self.weight) == 2 * expected == round(2 * best.bound * self.weight)
        assert self.worth(best.answers) == expected
        return best


def ticking(last: int) -> tuple[Deadline, Iterator[int]]:
    """A clock on which a second passes with each look, and a deadline by which the time to make a model is over after
    a tick. Three looks come before the first in its making: when it begins, and two for its share of the time."""
    clock = count()
    return Deadline((last - 3) / MAKING + 2, lambda: next(clock)), clock


def grown(
    game: Game,
    position: Position,
    player: int,
    against: str,
    branches: int,
    seed: int,
    deadline: Deadline | None = None,
) -> SampleTree:
    """A tree with so many branches, drawn as a question draws them."""
    limit = deadline or Deadline()
    trunk = scenarios(game, position, player, against, branches, seed, limit.share(0.5))
    return branched(game, position, player, trunk, True, limit)
