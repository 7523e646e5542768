"""Best bids of Chocolatl's first round: the model made from the rules beside one made by hand. `make bench-solver`.

Both models are of the same question: all cards are laid at once, what the others lay is known, and so is the number for
each of their later answers. Both are built and solved in the same run, with the same settings of CP-SAT; their best
values have to be equal, and what the interpreter finds when the answers are played.

The model made by hand knows that it is in the first round. Nobody has a hut, a die, a figure or a point before it; at
most one die is in the hands of the players; no row of the pyramid can be full and the round cannot be the last, so that
neither the pyramid nor the ball court pays points. It is measured with all six locations, and without these two, which
the model from the rules finds out for itself.

What is counted is the time that the process itself takes, warm: from the position of a scenario to the model (`build`),
and from the model to the best answer with its proof, the form that CP-SAT reads included (`solve`). Dealing, drawing
the scenario and playing the answer again are no part of it.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TypeVar

from ortools.sat.python import cp_model
from rich.console import Console
from rich.table import Table

from benchmarks.timing import conditions
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.valuation import valuation_of
from chocolatl.interpreter.lowered.zones import count
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.solver.backends import cpsat
from chocolatl.solver.methods.best import formulate, solve
from chocolatl.solver.model.linear import LinearExpression
from chocolatl.solver.symbolic.resume import where
from chocolatl.solver.symbolic.scenario import FixedScenario, scaled
from chocolatl.solver.worth.outcome import POINTS
from chocolatl.solver.worth.scenarios import scenarios

GAME = "chocolatl/always_red"
PLAYERS = (3, 4, 5)
PLAYER = 0
SEEDS = 30
COUNTS = (1, 8, 32)
LIMIT = 60.0

TEMPLE, PLANTATION, VILLAGE, PYRAMID, DRINK, COURT = LOCATIONS = range(6)
BID_SIZE = 2
SIDES = 6
PRIZES = HUT, DIE = range(2)
FIRST, SECOND, LAST = 8, 4, -2
"""What the drink pays in the first round."""
CLEAR = 3
"""A lead with which both stones are placed."""
HIGHEST = 1 + SIDES + FIRST
"""More points than these nobody can have."""

Result = TypeVar("Result")
Sum = cp_model.LinearExpr | int


# ---------------------------------------------------------------- positions and questions


def dealt(game: Game, seed: int) -> Position:
    """The first decision of the first round, as `chocolatl deal --to-round 1` deals it."""

    def reached(position: Position, decisions: int) -> bool:
        return bool(game.pending(position)) and game.round(position) == 1

    players = [RandomPlayer()] * game.player_count
    return play_on(game, game.initial(), players, streams(seed, 0, game.player_count), until=reached).position


@dataclass(frozen=True)
class Places:
    """The places in the rules where a scenario is asked, as the interpreter names them in a random game."""

    prize: str
    asked: str
    rolled: str

    @classmethod
    def of(cls, game: Game) -> Places:
        found: dict[str, str] = {}
        for seed in range(1, 100):

            def note(position: Position, decisions: int, found: dict[str, str] = found) -> bool:
                over = game.round(position) > 1
                for decision in () if over else game.pending(position):
                    found.setdefault(decision.name, where(game.program, decision.slots))
                if not over and (chance := game.chance(position)) is not None and chance.owner is not None:
                    found.setdefault("rolled", where(game.program, position.slots))
                return over

            players = [RandomPlayer()] * game.player_count
            play_on(game, game.initial(), players, streams(seed, 0, game.player_count), until=note)
            if {"hut_or_die", "black_die", "rolled"} <= set(found):
                break
        return cls(found["hut_or_die"], found["black_die"], found["rolled"])

    @staticmethod
    def at(example: str, location: int, player: int) -> str:
        """The same place in the first pass through the players, at a location and for a player."""
        steps = example.split("/")
        steps[LOCATION_STEP], steps[-3], steps[-2] = f"{location}.1", "1", f"{player}.1"
        return "/".join(steps)


LOCATION_STEP = 5


@dataclass(frozen=True)
class Known:
    """What a scenario says about the first round."""

    hand: list[int]
    arrival: list[int]
    harvest: list[int]
    bids: list[list[int]]
    """The cards of each player at each location; nothing for the player who asks."""
    takes: list[int]
    """What each player takes in the village as the highest bidder."""
    pips: list[dict[int, int]]
    """What each player, holding the die from the village, rolls at the one location where he does."""

    @classmethod
    def of(cls, game: Game, scenario: FixedScenario, places: Places) -> Known:
        position, layout = scenario.position, game.program.layout.places
        assert position.sealed is not None
        players = range(game.player_count)
        own = position.sealed[PLAYER].slots
        hand, dice = own[layout["player", "hand"].base + PLAYER], position.slots[layout[None, "white_dice"].base]
        sealed = layout["player", "sealed"].base
        kinds = range(layout["player", "hand"].field.type.element.size)  # type: ignore[union-attr]
        laid = [[position.sealed[p].slots[sealed + p * len(LOCATIONS) + here] for here in LOCATIONS] for p in players]
        return cls(
            [kind for kind in kinds for _ in range(count(hand, kind))],
            [position.slots[layout["player", "arrival"].base + p] for p in players],
            [side + 1 for side in reversed(range(SIDES)) for _ in range(count(dice, side))],
            [[sum(kind * count(cards, kind) for kind in kinds) for cards in of_player] for of_player in laid],
            [HUT if p == PLAYER else scaled(scenario.number(p, places.prize), len(PRIZES)) for p in players],
            [{} if p == PLAYER else rolled(scenario, places, p) for p in players],
        )


def rolled(scenario: FixedScenario, places: Places, player: int) -> dict[int, int]:
    """Where another player who has the one die rolls it, and what comes."""
    for here in (PYRAMID, DRINK, COURT):
        if scaled(scenario.number(player, Places.at(places.asked, here, player)), 2) == 1:
            number = scenario.number(player, Places.at(places.rolled, here, player))
            return {here: scaled(number, SIDES) + 1}
    return {}


# ---------------------------------------------------------------- the model made by hand


class ByHand:
    """A first round with all cards laid at once: the whole of it, or only what the own points depend on."""

    def __init__(self, known: Known, whole: bool) -> None:
        self.known = known
        self.model = cp_model.CpModel()
        self.players = range(len(known.arrival))
        self.others = [p for p in self.players if p != PLAYER]
        self.laid = {(card, here): self.model.new_bool_var("") for card in range(len(known.hand)) for here in LOCATIONS}
        for card in range(len(known.hand)):
            self.model.add_exactly_one(self.laid[card, here] for here in LOCATIONS)
        for here in LOCATIONS:
            self.model.add(sum(self.laid[card, here] for card in range(len(known.hand))) == BID_SIZE)
        self.figure: list[Sum] = [0] * len(self.players)
        self.old_man: list[Sum] = [0] * len(self.players)
        self.score: list[Sum] = [0] * len(self.players)
        self.arrival: list[Sum] = list(known.arrival)
        self.temple()
        self.plantation()
        self.hut, self.die = self.village()
        if whole:
            self.stones = self.pyramid()
        self.points = self.drink()
        if whole:
            self.best_card, self.other_card = self.at_places(self.before(self.late_bids(COURT)), range(2))
        self.model.maximize(self.points)

    def cards(self, player: int, here: int) -> Sum:
        if player != PLAYER:
            return self.known.bids[player][here]
        hand = self.known.hand
        return cp_model.LinearExpr.weighted_sum([self.laid[c, here] for c in range(len(hand))], hand)

    def positive(self, number: Sum) -> Sum:
        """Whether a number that is never 0 is positive."""
        if isinstance(number, int):
            return int(number > 0)
        literal = self.model.new_bool_var("")
        self.model.add(number >= 1).only_enforce_if(literal)
        self.model.add(number <= -1).only_enforce_if(~literal)
        return literal

    def both(self, a: cp_model.IntVar, b: Sum) -> cp_model.IntVar:
        """Whether a literal holds and a sum of literals, of which at most one does, too."""
        literal = self.model.new_bool_var("")
        self.model.add(2 * literal <= a + b)
        self.model.add(literal >= a + b - 1)
        return literal

    def temple(self) -> None:
        """All scores are 0: who of the others is the best and the worst is known."""
        arrival = self.known.arrival
        ranked = sorted(self.others, key=lambda p: (-self.known.bids[p][TEMPLE], -arrival[p]))
        best, worst = ranked[0], ranked[-1]
        mine = self.cards(PLAYER, TEMPLE)
        above = [self.known.bids[p][TEMPLE] + (arrival[PLAYER] < arrival[p]) for p in (best, worst)]
        first, last = (self.positive(sign * (2 * mine - 2 * bid + 1)) for sign, bid in zip((1, -1), above, strict=True))
        self.figure[PLAYER], self.figure[best] = first, 1 - first
        self.old_man[PLAYER], self.old_man[worst] = last, 1 - last
        for player in (PLAYER, best):
            self.score[player] = self.figure[player]
            later = len(self.players) + 1 - arrival[player]
            self.arrival[player] = arrival[player] + later * self.figure[player]

    def before(self, bids: Sequence[Sum], highest_score: int = HIGHEST) -> dict[tuple[int, int], Sum]:
        """Who ranks before whom: by bid, figure, lower score, later arrival, in one number for each player."""
        arrivals = len(self.players) + 5
        scores = arrivals * (highest_score + 1)
        keys = [
            2 * scores * bids[p] + scores * self.figure[p] - arrivals * self.score[p] + self.arrival[p]
            for p in self.players
        ]
        result: dict[tuple[int, int], Sum] = {}
        for a in self.players:
            for b in self.players[a + 1 :]:
                result[a, b] = self.positive(keys[a] - keys[b])
                result[b, a] = 1 - result[a, b]
        return result

    def at_places(self, before: dict[tuple[int, int], Sum], places: Sequence[int]) -> list[list[cp_model.IntVar]]:
        """For each of some places, 0 being the first, a literal for each player; everybody has one place."""
        found = [[self.model.new_bool_var("") for _ in self.players] for _ in places]
        for number, literals in zip(places, found, strict=True):
            self.model.add_exactly_one(literals)
            for p in self.players:
                ahead = sum(before[q, p] for q in self.players if q != p)
                self.model.add(ahead == number).only_enforce_if(literals[p])
        return found

    def plantation(self) -> None:
        bids = [self.cards(p, PLANTATION) - self.old_man[p] for p in self.players]
        first, second, third = self.at_places(self.before(bids, 1), range(3))
        for p in self.players:
            prizes = list(zip((first[p], second[p], third[p]), self.known.harvest, strict=True))
            arrival = self.model.new_int_var(0, len(self.players) + 4, "")
            for number, (here, _) in enumerate(prizes):
                self.model.add(arrival == len(self.players) + 2 + number).only_enforce_if(here)
            if len(self.players) > 3:
                for_nothing = [~here for here, _ in prizes]
                self.model.add(arrival == self.arrival[p]).only_enforce_if(*for_nothing)
            self.arrival[p] = arrival
            self.score[p] = self.score[p] + sum(die * here for here, die in prizes)

    def village(self) -> tuple[list[Sum], list[Sum]]:
        """Who has the hut, and who the die."""
        bids = [self.cards(p, VILLAGE) - self.old_man[p] for p in self.players]
        first, second = self.at_places(self.before(bids), range(2))
        takers = [first[p] for p in self.players if self.known.takes[p] == DIE]
        if not takers:
            return list(first), list(second)
        hut: list[Sum] = []
        die: list[Sum] = []
        for p in self.players:
            left_hut = self.both(second[p], sum(takers))
            taken = self.known.takes[p]
            hut.append(left_hut + first[p] if taken == HUT else left_hut)
            die.append(second[p] - left_hut + first[p] if taken == DIE else second[p] - left_hut)
        return hut, die

    def late_bids(self, here: int) -> list[Sum]:
        """Bids after the village, where huts and the die count."""
        return [
            self.cards(p, here) - self.old_man[p] + self.hut[p] + self.known.pips[p].get(here, 0) * self.die[p]
            for p in self.players
        ]

    def pyramid(self) -> list[Sum]:
        """How many stones each player places."""
        bids = self.late_bids(PYRAMID)
        first, second = self.at_places(self.before(bids), range(2))
        top, next_ = (self.model.new_int_var(-9, 99, "") for _ in range(2))
        for p in self.players:
            self.model.add(top == bids[p]).only_enforce_if(first[p])
            self.model.add(next_ == bids[p]).only_enforce_if(second[p])
        clear = self.positive(2 * (top - next_) - 2 * CLEAR + 1)
        return [first[p] + self.both(first[p], clear) + self.both(second[p], 1 - clear) for p in self.players]

    def drink(self) -> Sum:
        """The own points when the drink is paid."""
        before = self.before(self.late_bids(DRINK))
        first, second, last = (self.model.new_bool_var("") for _ in range(3))
        ahead = sum(before[p, PLAYER] for p in self.others)
        for number, literal in ((0, first), (1, second), (len(self.others), last)):
            self.model.add(ahead == number).only_enforce_if(literal)
            self.model.add(ahead != number).only_enforce_if(~literal)
        score = self.score[PLAYER]
        # A loss stops at 0; of each point that can be lost, whether it is there.
        there = [self.model.new_bool_var("") for _ in range(-LAST)]
        for point, literal in enumerate(there):
            self.model.add(score <= point).only_enforce_if(~literal)
        lost = self.model.new_int_var(0, -LAST, "")
        self.model.add(lost >= sum(there) + LAST * (1 - last))
        return score + FIRST * first + SECOND * second - lost

    def solve(self) -> tuple[int, tuple[object, ...]]:
        """The best value, and the cards at each location."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.cp_model_presolve = False
        solver.parameters.linearization_level = 0
        assert solver.solve(self.model) == cp_model.OPTIMAL
        laid = solver.response_proto.solution
        hand = self.known.hand
        answers = tuple(
            tuple(value for card, value in enumerate(hand) if laid[self.laid[card, here].index]) for here in LOCATIONS
        )
        return round(solver.objective_value), answers


# ---------------------------------------------------------------- both beside one another


@dataclass(frozen=True)
class Measured:
    """The figures of one model of one position."""

    constraints: int
    variables: int
    build: float
    solve: float


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def compared(game: Game, places: Places, seed: int) -> tuple[Measured, Measured, Measured]:
    """The model from the rules, the one made by hand, and this without what pays nothing."""
    gc.collect()  # what earlier positions have left behind is nobody's work here
    given = scenarios(game, dealt(game, seed), PLAYER, "random", 1, seed)
    known = Known.of(game, given[0], places)
    problem, build = timed(lambda: formulate(game, PLAYER, given))
    total = problem.total
    assert isinstance(total, LinearExpression)
    solution, solving = timed(lambda: cpsat.solve(problem.model, total, Deadline(LIMIT)))
    assert solution.status == cpsat.OPTIMAL and solution.values is not None
    value = problem.value(tuple(problem.plan.fixed(solution.values)))
    assert value == solution.objective

    def by_hand(whole: bool) -> Measured:
        made, build = timed(lambda: ByHand(known, whole))
        (claimed, answers), solving = timed(made.solve)
        assert value == claimed == problem.value(answers), f"seed {seed}: {value} by the rules, {claimed} by hand"
        return Measured(len(made.model.proto.constraints), len(made.model.proto.variables), build, solving)

    by_rules = Measured(solution.constraints, solution.variables, build, solving)
    return by_rules, by_hand(True), by_hand(False)


def show_compared(console: Console, seeds: Sequence[int]) -> None:
    table = Table(title="First round, the others' bids known: median (highest)", title_justify="left")
    for column in ("", "model", "constr.", "vars", "build ms", "solve ms", "ratio"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for players in PLAYERS:
        game = load(find_game(GAME), players)
        places = Places.of(game)
        compared(game, places, seeds[0])  # what is made once, such as an import, is no part of the figures
        rows = list(zip(*(compared(game, places, seed) for seed in seeds), strict=True))
        for name, row in zip(("rules", "by hand", "paying"), rows, strict=True):
            pairs = zip(rows[0], row, strict=True)
            ratios = [(rules.build + rules.solve) / (it.build + it.solve) for rules, it in pairs]
            table.add_row(
                str(players) if name == "rules" else "",
                name,
                spread([m.constraints for m in row]),
                spread([m.variables for m in row]),
                spread([1000 * m.build for m in row], 1),
                spread([1000 * m.solve for m in row], 1),
                spread(ratios, 1) if name != "rules" else "",
            )
        table.add_section()
    console.print(table)


def spread(figures: Sequence[float], digits: int = 0) -> str:
    return f"{median(figures):.{digits}f} ({max(figures):.{digits}f})"


# ---------------------------------------------------------------- against a distribution


def show_scenarios(console: Console, seconds: float) -> None:
    table = Table(title="First round against random players, several scenarios in one model", title_justify="left")
    for column in ("players", "valuation", "scenarios", "constraints", "build s", "solve s", "value", "proof"):
        table.add_column(column, justify="left" if column in ("valuation", "proof") else "right")
    for players in PLAYERS:
        game = load(find_game(GAME), players)
        position = dealt(game, players)
        for name, valuation in (("none", ()), ("default", valuation_of(game))):
            for number in COUNTS:
                given = scenarios(game, position, PLAYER, "random", number, players)
                problem, build = timed(partial(formulate, game, PLAYER, given, POINTS, valuation))
                best, solving = timed(partial(solve, problem, Deadline(seconds)))
                proof = "proved" if best.status == cpsat.OPTIMAL else f"gap {best.gap:.2f}"
                table.add_row(
                    str(players), name, str(number), str(best.constraints), f"{build:.2f}", f"{solving:.2f}",
                    f"{best.value:.3f}", proof,
                )  # fmt: skip
                if best.status != cpsat.OPTIMAL:
                    break
        table.add_section()
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Best bids of Chocolatl: models from the rules and by hand.")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"how many positions (default {SEEDS})")
    parser.add_argument("--seconds", type=float, default=LIMIT, help=f"for several scenarios (default {LIMIT:.0f})")
    arguments = parser.parse_args()
    console = make_console()
    show_compared(console, range(1, arguments.seeds + 1))
    if arguments.seconds > 0:
        show_scenarios(console, arguments.seconds)
    console.print(conditions("one run each; ratio: rules / this model, build and solve"))


if __name__ == "__main__":
    main()
